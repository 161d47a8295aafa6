//! Files that stand for a registry or its rules: providers, one URL a line, and rule texts.

use std::collections::BTreeMap;
use std::io::{BufReader, Read as _};
use std::path::Path;

use crate::{
    error::{InputError, UsageError},
    input::requests::Caller,
    input::{
        lines::StreamError,
        providers::{self, ProviderLine},
    },
    model::service_key::ServiceKey,
    question::World,
    replay::{RuleFile, Subject, key_from_name},
    report::words::{Phrase, Say},
    snapshot::{Snapshot, Source, SourceId, SourceKind},
    view::{
        application::Application,
        held::{Entry, Held, Listing, Raw, Reach},
        stage::{Evidence, Model, NotSeen},
    },
};

/// Largest rule file.
const LARGEST_RULE: u64 = crate::rule::LONGEST as u64;

/// The service of all lines, when it is one.
pub(super) fn only_service(lines: &[ProviderLine]) -> Result<ServiceKey, UsageError> {
    let mut services: Vec<ServiceKey> = lines.iter().map(|line| line.url.service()).collect();
    services.sort_by_key(ToString::to_string);
    services.dedup();
    match services.as_slice() {
        [only] => Ok(only.clone()),
        several => Err(
            UsageError::new("the providers are of several services").hint(format!(
                "name one: {}",
                several
                    .iter()
                    .map(ToString::to_string)
                    .collect::<Vec<_>>()
                    .join(", ")
            )),
        ),
    }
}

pub(super) fn provider_lines(path: &Path) -> anyhow::Result<Vec<ProviderLine>> {
    let reader = BufReader::new(super::calls::open(path)?.reader);
    let lines = providers::read(reader).map_err(|error| failed(path, error))?;
    if lines.is_empty() {
        return Err(
            UsageError::new(format!("{}: no provider stands in it", path.display()))
                .hint("put one provider URL on each line")
                .into(),
        );
    }
    Ok(lines)
}

/// An error in a file, with its name, line and column.
pub(super) fn failed(path: &Path, error: StreamError) -> anyhow::Error {
    let name = path.display().to_string();
    match error {
        StreamError::Read(source) => InputError { name, source }.into(),
        StreamError::At {
            line,
            column,
            problem,
        } => InputError {
            name: format!("{name}:{line}:{column}"),
            source: std::io::Error::other(problem),
        }
        .into(),
    }
}

pub(super) fn add_source(snapshot: &mut Snapshot, path: &Path, kind: &str) -> SourceId {
    snapshot.manifest_mut().add_source(
        "f",
        Source {
            file_as: Some(kind.to_owned()),
            name: Some(path.display().to_string()),
            ..Source::new(SourceKind::File)
        },
    )
}

/// What a registry with these entries, and nothing else, holds.
pub(super) fn held_of(lines: &[ProviderLine], source: &SourceId) -> Held {
    let nothing = NotSeen {
        what: Say::OtherPlaces.into(),
        why: Say::NotAsked.into(),
        how_to_see: None,
        required: false,
    };
    let mut held = Held::unknown("-", nothing.clone());
    held.source = Some(source.clone());
    held.reach = Reach::Answered(None);
    held.listing = Listing::Complete(None);
    held.configurators_listing = Listing::Complete(None);
    // With files alone, a rule that is not given is not there.
    held.rules.listed = true;
    held.swept = Listing::Unknown(nothing);
    // What is not given is absent.
    held.rules.listed = true;
    held.application = Application {
        mapping_known: true,
        instances_known: true,
        ..Application::default()
    };
    held.entries = lines
        .iter()
        .map(|line| Entry {
            raw: Raw::Encoded(line.entry.clone()),
            evidence: Evidence {
                source: source.clone(),
                op: "file.line".to_owned(),
                address: [("line".to_owned(), serde_json::Value::from(line.line))]
                    .into_iter()
                    .collect(),
                position: Some(format!("{}:1", line.line)),
                seen_at: None,
                fact: Phrase::new(Say::EntryRegistered)
                    .with("entry", line.url.address().unwrap_or_default()),
            },
            ephemeral: None,
            owner: None,
            creator: None,
            changed_ms: None,
            nacos: None,
        })
        .collect();
    held
}

/// Methods that the addresses list; a `*` among them says nothing.
pub(super) fn methods(subject: &Subject, world: &World, model: Model) -> Vec<String> {
    let entries = &subject.held.entries;
    let lists: Vec<String> = match model {
        Model::Interface => entries
            .iter()
            .filter_map(|entry| Some(entry.plain()?.text("methods")?.to_owned()))
            .collect(),
        Model::Application => subject
            .addresses(world, model, &Caller::default(), false)
            .into_iter()
            .flat_map(|addresses| addresses.urls)
            .filter_map(|url| Some(url.own().text("methods")?.to_owned()))
            .collect(),
    };
    let mut methods: Vec<String> = lists
        .into_iter()
        .flat_map(|list| {
            list.split(',')
                .map(|method| method.trim().to_owned())
                .collect::<Vec<_>>()
        })
        .filter(|method| !method.is_empty() && method != "*")
        .collect();
    methods.sort();
    methods.dedup();
    methods
}

/// Reads `[KEY=]FILE|-`.
pub(super) fn rule_files(
    given: &[String],
    service: &ServiceKey,
    in_force: &[String],
    snapshot: &mut Snapshot,
    evidence: &mut BTreeMap<String, Evidence>,
) -> anyhow::Result<Vec<RuleFile>> {
    let mut files: Vec<RuleFile> = Vec::new();
    for argument in given {
        let (name, path) = named(argument);
        let path = Path::new(path);
        let mut bytes = Vec::new();
        super::calls::open(path)?
            .reader
            .take(LARGEST_RULE + 1)
            .read_to_end(&mut bytes)
            .map_err(|source| InputError {
                name: path.display().to_string(),
                source,
            })?;
        if bytes.len() as u64 > LARGEST_RULE {
            return Err(InputError {
                name: path.display().to_string(),
                source: std::io::Error::other(
                    "longer than 1 MiB, as much as ZooKeeper takes: not read",
                ),
            }
            .into());
        }
        // As Dubbo decodes what the config centre gives it.
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let file_name = path.file_name().map_or_else(
            || "-".to_owned(),
            |name| name.to_string_lossy().into_owned(),
        );
        let keys: Vec<&str> = in_force.iter().map(String::as_str).collect();
        let key = key_from_name(name.unwrap_or(&file_name), &text, service, &keys)
            .map_err(|problem| UsageError::new(format!("{argument}: {problem}")))?;
        if files.iter().any(|known| known.key == key) {
            return Err(UsageError::new(format!("{key} is given twice")).into());
        }
        let id = add_source(snapshot, path, "rule");
        evidence.insert(
            key.clone(),
            Evidence {
                source: id,
                op: "file.text".to_owned(),
                address: [("key".to_owned(), serde_json::Value::from(key.as_str()))]
                    .into_iter()
                    .collect(),
                position: None,
                seen_at: None,
                fact: Say::RuleGiven.into(),
            },
        );
        files.push(RuleFile {
            key,
            text,
            file: path.display().to_string(),
        });
    }
    Ok(files)
}

/// `KEY=FILE` when what stands before the `=` ends as keys do.
fn named(argument: &str) -> (Option<&str>, &str) {
    match argument.split_once('=') {
        Some((key, file))
            if crate::rule::kind::key_of_file(key).is_some() && !key.contains('/') =>
        {
            (Some(key), file)
        }
        _ => (None, argument),
    }
}
