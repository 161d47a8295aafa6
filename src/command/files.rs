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
        attached::{Cache, CacheEntry, CacheKind, Kind, QosAnswer, answers, caches, recognise},
        log::{End, LogFacts, LogOrigin, Outcome},
        properties,
    },
    question::{Configured, configured},
    snapshot::{Key, Line, Payload, Snapshot, Source, SourceId, SourceKind},
    view::written::{relaxed, yaml},
};

/// A file up to this size is kept as text in a recording.
const KEPT: u64 = 1 << 20;

/// Of a file that is no log, so much is read.
const MOST: u64 = 64 << 20;

/// What a file says.
#[derive(Debug)]
pub(super) enum Content {
    /// A log or a pasted error.
    Log(Box<LogFacts>),
    /// Settings of a Dubbo application.
    Settings(Box<Configured>),
    /// A cache of Dubbo or nacos-client.
    Cache(Cache),
    /// Answers of a QOS port.
    Qos(Vec<QosAnswer>),
    /// Kept as it is.
    Kept,
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
    /// What the user should know of the file: damage, parts left out.
    pub(super) remarks: Vec<String>,
    source: Source,
    text: Option<String>,
}

impl Handed {
    /// Its text, where it is short enough to be kept.
    pub(super) fn said(&self) -> Option<&str> {
        self.text.as_deref()
    }

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
    let mut reader = open(path)?;
    let mut start = Vec::new();
    (&mut reader)
        .take(KEPT + 1)
        .read_to_end(&mut start)
        .map_err(|source| failed(path, source))?;
    // ISO 8859-1 by the book, UTF-8 in practice: what decides here is ASCII in both.
    let text = String::from_utf8_lossy(&start);
    let kind = recognise(&path.to_string_lossy(), &text);
    if kind == Kind::Log {
        drop(text);
        return log_of(
            path,
            attachment.whose,
            attachment.host.clone(),
            false,
            start,
            reader,
        );
    }
    let cut = start.len() as u64 > KEPT;
    let whole = if cut {
        read_on(path, start, reader)?
    } else {
        text.into_owned()
    };
    known(attachment, kind, whole)
}

/// The rest of a file that is no log, up to a bound.
fn read_on(path: &Path, start: Vec<u8>, reader: Box<dyn BufRead>) -> anyhow::Result<String> {
    let mut bytes = start;
    reader
        .take(MOST - KEPT)
        .read_to_end(&mut bytes)
        .map_err(|source| failed(path, source))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A file of a known kind.
fn known(attachment: &Attachment, kind: Kind, text: String) -> anyhow::Result<Handed> {
    let path = &attachment.file;
    let mut remarks = Vec::new();
    let (word, content) = match kind {
        Kind::Cache(kind) => {
            let cache = caches::read(kind, &text);
            remarks.extend(damage(kind, &cache));
            ("cache", Content::Cache(cache))
        }
        Kind::Properties => {
            let properties = relaxed(properties::read(&text));
            (
                "config",
                Content::Settings(Box::new(configured(&properties))),
            )
        }
        Kind::Yaml => {
            let settings = yaml(&text);
            remarks.extend(settings.left_out.iter().map(|(line, why)| {
                format!("the document that begins at line {line} is left out: {why}")
            }));
            let properties = relaxed(settings.properties);
            (
                "config",
                Content::Settings(Box::new(configured(&properties))),
            )
        }
        Kind::Xml => {
            return Err(UsageError::new(format!(
                "--attach {}: Spring XML is not read",
                path.display()
            ))
            .hint(
                "attach dubbo.properties or application.yml, or say what it has: --registry, --consumer-app, --param",
            )
            .into());
        }
        Kind::Migration => ("migration", Content::Kept),
        Kind::Qos => {
            let answers = answers(&text);
            if !answers.is_empty() {
                return Ok(of_port(attachment, answers));
            }
            ("qos-answer", Content::Kept)
        }
        Kind::Metrics => ("metrics", Content::Kept),
        Kind::Log => ("log", Content::Kept),
    };
    Ok(Handed {
        whose: attachment.whose,
        asks: false,
        id: None,
        content,
        remarks,
        source: source(path, attachment.whose, attachment.host.clone(), word),
        text: (text.len() as u64 <= KEPT).then_some(text),
    })
}

/// Answers that somebody took down on the host of a process: a QOS port that was asked there.
fn of_port(attachment: &Attachment, answers: Vec<QosAnswer>) -> Handed {
    let name = attachment.file.display().to_string();
    let endpoint = attachment.host.clone().unwrap_or_else(|| name.clone());
    Handed {
        whose: attachment.whose,
        asks: false,
        id: None,
        content: Content::Qos(answers),
        remarks: Vec::new(),
        source: Source {
            endpoint: Some(endpoint),
            name: Some(name),
            host: attachment.host.clone(),
            ..Source::new(SourceKind::Qos)
        },
        text: None,
    }
}

/// What is damaged in a cache, in a sentence.
fn damage(kind: CacheKind, cache: &Cache) -> Option<String> {
    let (line, what) = cache.damaged.first()?;
    Some(format!(
        "the {} is damaged at line {line} ({what}){}: the rest of it is read",
        kind.word(),
        match cache.damaged.len() {
            1 => String::new(),
            more => format!(" and {} more", more - 1),
        }
    ))
}

fn log(
    path: &Path,
    whose: Option<Whose>,
    host: Option<String>,
    asks: bool,
) -> anyhow::Result<Handed> {
    let mut reader = open(path)?;
    let mut start = Vec::new();
    (&mut reader)
        .take(KEPT + 1)
        .read_to_end(&mut start)
        .map_err(|source| failed(path, source))?;
    log_of(path, whose, host, asks, start, reader)
}

/// A log of which the beginning was read.
fn log_of(
    path: &Path,
    whose: Option<Whose>,
    host: Option<String>,
    asks: bool,
    start: Vec<u8>,
    reader: Box<dyn BufRead>,
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
    let text = (start.len() as u64 <= KEPT).then(|| String::from_utf8_lossy(&start).into_owned());
    let remarks = no_text(&start).map(str::to_owned).into_iter().collect();
    let facts = LogFacts::read(Cursor::new(start).chain(reader), origin)
        .map_err(|source| failed(path, source))?;
    Ok(Handed {
        whose,
        asks,
        id: None,
        content: Content::Log(Box::new(facts)),
        remarks,
        source,
        text,
    })
}

/// Why nothing can be read in a file that begins so.
fn no_text(start: &[u8]) -> Option<&'static str> {
    if start.iter().all(u8::is_ascii_whitespace) {
        return Some("it is empty: nothing was read from it");
    }
    if start.starts_with(&[0x1f, 0x8b]) {
        return Some("it is compressed: unpack it (gunzip) and hand over the text");
    }
    let head = &start[..start.len().min(4096)];
    // Texts of Windows in UTF-16 have NUL in every second place.
    head.contains(&0)
        .then_some("it is no text (NUL bytes): little or nothing was read from it")
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
        let prefix = if matches!(file.content, Content::Qos(_)) {
            "q"
        } else {
            "f"
        };
        let id = snapshot
            .manifest_mut()
            .add_source(prefix, file.source.clone());
        if let Some(text) = &file.text {
            snapshot.insert_text(&id, text);
        }
        match &mut file.content {
            Content::Log(facts) => facts.origin.name = id.to_string(),
            Content::Cache(cache) => {
                for entry in &cache.entries {
                    snapshot.insert(id.clone(), line_of(&id, entry, cache.written.as_deref()));
                }
            }
            Content::Qos(answers) => {
                for answer in answers {
                    let key = Key::qos(answer.command.clone());
                    let line = Line::new(key, Payload::Text(answer.text.clone()));
                    snapshot.insert(id.clone(), line.with("form", "file"));
                }
            }
            Content::Settings(_) | Content::Kept => {}
        }
        file.id = Some(id);
    }
}

/// A key of a cache as recordings have it.
fn line_of(file: &SourceId, entry: &CacheEntry, written: Option<&str>) -> Line {
    let key = Key::FileEntry {
        file: file.to_string(),
        key: entry.key.clone(),
    };
    let line = Line::new(key, Payload::Text(entry.text.clone())).with("line", entry.line);
    match written {
        Some(written) => line.with("written", written),
        None => line,
    }
}
