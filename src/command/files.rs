//! Files that the user hands over: pasted errors, logs, configuration. Read once, in bounded memory.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;

use crate::{
    cli::{
        Common,
        value::{Attachment, Whose},
    },
    error::{InputError, UsageError},
    input::{
        log::{End, LogFacts, LogOrigin, Outcome},
        properties,
    },
    question::{Configured, configured},
    snapshot::{Snapshot, Source, SourceId, SourceKind},
};

/// A file up to this size is kept as text in a recording.
const KEPT: u64 = 1 << 20;

/// What a file says.
#[derive(Debug)]
pub(super) enum Content {
    /// A log or a pasted error.
    Log(Box<LogFacts>),
    /// Settings of a Dubbo application.
    Settings(Box<Configured>),
}

/// One file.
#[derive(Debug)]
pub(super) struct Handed {
    /// Whose file it is, when that was said.
    pub(super) whose: Option<Whose>,
    /// Whether the question may be taken from it (`--from-log`).
    pub(super) asks: bool,
    /// Its source in the snapshot; set by [`enter`].
    pub(super) id: Option<SourceId>,
    /// What it says.
    pub(super) content: Content,
    source: Source,
    text: Option<String>,
}

impl Handed {
    /// Whether a question may be taken from it and it names a service that fails.
    pub(super) fn names_a_service(&self) -> bool {
        let Content::Log(log) = &self.content else {
            return false;
        };
        self.asks
            && log.failures.iter().any(|failure| {
                failure.outcome() == Outcome::Failed
                    && failure
                        .service()
                        .is_some_and(|claim| !claim.value.is_infrastructure())
            })
    }
}

/// Reads all files of a command line.
pub(super) fn read(common: &Common) -> anyhow::Result<Vec<Handed>> {
    let mut all = Vec::new();
    if let Some(path) = &common.sight.from_log {
        all.push(log(path, None, None, true)?);
    }
    for attachment in &common.sight.attach {
        all.push(attached(attachment)?);
    }
    Ok(all)
}

fn attached(attachment: &Attachment) -> anyhow::Result<Handed> {
    let path = &attachment.file;
    let ending = path
        .extension()
        .and_then(|ending| ending.to_str())
        .unwrap_or_default();
    match ending.to_ascii_lowercase().as_str() {
        "properties" => settings(attachment),
        "yml" | "yaml" | "xml" => Err(unread(
            path,
            "configuration of this kind is",
            "attach dubbo.properties or \
            application.properties, or say what it has: --registry, --consumer-app, --param",
        )),
        "cache" => Err(unread(
            path,
            "caches are",
            "attach the log of the same process",
        )),
        _ => log(path, attachment.whose, attachment.host.clone(), false),
    }
}

fn unread(path: &Path, what: &str, instead: &str) -> anyhow::Error {
    UsageError::new(format!(
        "--attach {}: {what} not read in this version ({})",
        path.display(),
        env!("CARGO_PKG_VERSION")
    ))
    .hint(instead)
    .into()
}

fn settings(attachment: &Attachment) -> anyhow::Result<Handed> {
    let path = &attachment.file;
    let mut text = String::new();
    // ISO 8859-1 by the book, UTF-8 in practice: what decides here is ASCII in both.
    let mut bytes = Vec::new();
    open(path)?
        .take(KEPT)
        .read_to_end(&mut bytes)
        .map_err(|source| failed(path, source))?;
    text.push_str(&String::from_utf8_lossy(&bytes));
    let properties = properties::read(&text);
    Ok(Handed {
        whose: attachment.whose,
        asks: false,
        id: None,
        content: Content::Settings(Box::new(configured(&properties))),
        source: source(path, attachment.whose, attachment.host.clone(), "config"),
        text: Some(text),
    })
}

fn log(
    path: &Path,
    whose: Option<Whose>,
    host: Option<String>,
    asks: bool,
) -> anyhow::Result<Handed> {
    let source = source(path, whose, host.clone(), "log");
    let origin = LogOrigin {
        name: source.name.clone().unwrap_or_default(),
        end: whose.map(|whose| match whose {
            Whose::Consumer => End::Consumer,
            Whose::Provider => End::Provider,
        }),
        host,
    };
    let mut reader = open(path)?;
    let mut start = Vec::new();
    (&mut reader)
        .take(KEPT + 1)
        .read_to_end(&mut start)
        .map_err(|source| failed(path, source))?;
    let text = (start.len() as u64 <= KEPT).then(|| String::from_utf8_lossy(&start).into_owned());
    let facts = LogFacts::read(Cursor::new(start).chain(reader), origin)
        .map_err(|source| failed(path, source))?;
    Ok(Handed {
        whose,
        asks,
        id: None,
        content: Content::Log(Box::new(facts)),
        source,
        text,
    })
}

fn source(path: &Path, whose: Option<Whose>, host: Option<String>, kind: &str) -> Source {
    Source {
        file_as: Some(match whose {
            Some(Whose::Consumer) => format!("consumer-{kind}"),
            Some(Whose::Provider) => format!("provider-{kind}"),
            None => kind.to_owned(),
        }),
        name: Some(path.display().to_string()),
        host,
        ..Source::new(SourceKind::File)
    }
}

/// A file or, for `-`, standard input.
pub(super) fn open(path: &Path) -> anyhow::Result<Box<dyn BufRead>> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(io::stdin().lock()));
    }
    #[expect(clippy::disallowed_methods, reason = "a file that the user hands over")]
    let file = File::open(path).map_err(|source| failed(path, source))?;
    Ok(Box::new(BufReader::with_capacity(1 << 16, file)))
}

fn failed(path: &Path, source: io::Error) -> anyhow::Error {
    InputError {
        name: path.display().to_string(),
        source,
    }
    .into()
}

/// Makes every file a source of the snapshot, so that evidence can name it.
pub(super) fn enter(files: &mut [Handed], snapshot: &mut Snapshot) {
    for file in files {
        let id = snapshot.manifest_mut().add_source("f", file.source.clone());
        if let Some(text) = &file.text {
            snapshot.insert_text(&id, text);
        }
        if let Content::Log(facts) = &mut file.content {
            facts.origin.name = id.to_string();
        }
        file.id = Some(id);
    }
}
