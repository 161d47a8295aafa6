//! The calls: from flags, from a file of requests, from an access log, or every method of the service.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use super::super::{Surroundings, live};
use super::files::failed;
use super::sources::Found;
use crate::{
    cli::RouteReplayArgs,
    error::InputError,
    input::{
        access_log::{self, AccessCounts},
        requests::{Request, read_csv, read_jsonl},
    },
    model::service_key::ServiceKey,
    progress::Bar,
    replay::Fold,
};
use flate2::read::MultiGzDecoder;

/// A file that is read as a stream.
pub(super) struct Opened {
    pub(super) reader: Box<dyn Read>,
    /// Its size, where it has one.
    pub(super) size: Option<u64>,
}

/// Opens a file, `-` for stdin; `.gz` is unpacked on the way.
pub(super) fn open(path: &Path) -> Result<Opened, InputError> {
    if path.as_os_str() == "-" {
        return Ok(Opened {
            reader: Box::new(io::stdin().lock()),
            size: None,
        });
    }
    let refused = |source: io::Error| InputError {
        name: path.display().to_string(),
        source,
    };
    #[expect(clippy::disallowed_methods, reason = "a file that the user hands over")]
    let file = File::open(path).map_err(refused)?;
    let size = file
        .metadata()
        .ok()
        .filter(std::fs::Metadata::is_file)
        .map(|meta| meta.len());
    let packed = path
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("gz"));
    Ok(if packed {
        Opened {
            reader: Box::new(MultiGzDecoder::new(BufReader::new(file))),
            size: None,
        }
    } else {
        Opened {
            reader: Box::new(file),
            size,
        }
    })
}

/// What was read.
pub(super) struct Taken {
    pub(super) counts: Option<AccessCounts>,
    /// Ctrl-C ended it.
    pub(super) stopped: bool,
    /// The rules tell more calls apart than were made.
    pub(super) cut: bool,
}

/// Hands every call to the folds of all registries.
pub(super) fn read(
    args: &RouteReplayArgs,
    found: &[Found],
    folds: &mut [Fold<'_>],
    around: &Surroundings,
) -> anyhow::Result<Taken> {
    let mut nothing = Taken {
        counts: None,
        stopped: false,
        cut: false,
    };
    let Some(first) = found.first() else {
        return Ok(nothing);
    };
    // The consumer and its service are the same in every registry.
    let question = &first.subject.question;
    let invocation = &question.invocation;
    let known = &question.consumer;
    // Flags say what every call has that does not say it itself.
    let take = |folds: &mut [Fold<'_>], mut request: Request| {
        for (key, value) in &invocation.attachments {
            request
                .attachments
                .entry(key.clone())
                .or_insert_with(|| value.clone());
        }
        if known.ip.is_some() {
            request.caller.ip = None;
        }
        for fold in folds {
            fold.take(&request);
        }
    };
    let Some(path) = args.requests.as_ref().or(args.access_log.as_ref()) else {
        let own_tag = ["tag", "dubbo.tag"]
            .iter()
            .any(|name| known.params.contains_key(*name));
        for (found, fold) in found.iter().zip(folds) {
            let unsaid = fold.unsaid(&found.methods, invocation, own_tag);
            nothing.cut |= unsaid.cut;
            for request in unsaid.requests {
                take(std::slice::from_mut(fold), request);
            }
        }
        return Ok(nothing);
    };
    let opened = open(path)?;
    let bar = Bar::start(
        around.terminal.stderr && !args.common.output.quiet,
        opened.size,
    );
    let stop = live::stop_at_interrupt()?;
    let stopping = Interruptible {
        reader: opened.reader,
        stop: Arc::clone(&stop),
    };
    let reader = BufReader::with_capacity(1 << 16, stopping);
    let mut counts = None;
    if args.access_log.is_some() {
        let with_arguments = folds.iter().any(|fold| fold.interest().sees_arguments());
        let mut wanted = Wanted::new(&question.service);
        let read = access_log::read(
            reader,
            with_arguments,
            |name| wanted.is(name),
            |request| take(folds, request),
            |bytes| bar.at(bytes),
        );
        counts = Some(read.map_err(|error| failed(path, error))?);
    } else {
        let take = |request| take(folds, request);
        let read = if is_table(path) {
            read_csv(reader, take, |bytes| bar.at(bytes))
        } else {
            read_jsonl(reader, take, |bytes| bar.at(bytes))
        };
        if let Err(error) = read
            && !stop.load(Ordering::Relaxed)
        {
            return Err(failed(path, error));
        }
    }
    Ok(Taken {
        counts,
        stopped: stop.load(Ordering::Relaxed),
        cut: false,
    })
}

/// Whether a line of the log is of the service, remembering the last answers: a log has few services.
struct Wanted<'a> {
    service: &'a ServiceKey,
    last: Option<(String, bool)>,
}

impl<'a> Wanted<'a> {
    fn new(service: &'a ServiceKey) -> Self {
        Self {
            service,
            last: None,
        }
    }

    fn is(&mut self, name: &str) -> bool {
        if let Some((last, answer)) = &self.last
            && last == name
        {
            return *answer;
        }
        let answer = ServiceKey::parse_dubbo(name).is_ok_and(|key| {
            // A version of 0.0.0 is none.
            let version =
                |key: &ServiceKey| key.version.clone().filter(|version| version != "0.0.0");
            key.interface == self.service.interface
                && key.group == self.service.group
                && version(&key) == version(self.service)
        });
        self.last = Some((name.to_owned(), answer));
        answer
    }
}

/// A stream that ends when Ctrl-C was pressed: what was read by then is answered.
struct Interruptible<R> {
    reader: R,
    stop: Arc<AtomicBool>,
}

impl<R: Read> Read for Interruptible<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stop.load(Ordering::Relaxed) {
            return Ok(0);
        }
        self.reader.read(buffer)
    }
}

/// Whether a file is named as CSV, packed or not.
fn is_table(path: &Path) -> bool {
    let is = |path: &Path, ending: &str| {
        path.extension()
            .is_some_and(|found| found.eq_ignore_ascii_case(ending))
    };
    is(path, "csv") || is(path, "gz") && is(&path.with_extension(""), "csv")
}
