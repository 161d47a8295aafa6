//! Where addresses and rules come from: files, a recording, live systems.

use std::collections::BTreeMap;
use std::io::{BufReader, Read as _};
use std::path::Path;

use super::super::{Surroundings, live, questions::questions, recorded};
use crate::{
    cli::RouteReplayArgs,
    diagnose::{Diagnosis, diagnose, seen},
    error::{InputError, UsageError},
    input::{
        lines::StreamError,
        providers::{self, ProviderLine},
    },
    model::{
        service_key::ServiceKey,
        version::{DubboVersion, Line},
    },
    observe::probe::Purpose,
    question::{ConsumerState, Question, World},
    replay::{Interest, RuleFile, RuleTexts, Subject, key_from_name},
    report::words::{Phrase, Say},
    route::rules::{RULE_GROUP, RuleText},
    rule::kind::RuleKind,
    settings::Settings,
    snapshot::{Ended, Snapshot, Source, SourceId, SourceKind},
    view::{
        application::Application,
        held::{Entry, Held, LayerKind, Listing, Raw, Reach},
        interface::{Case, View},
        rule_store::{RuleStore, StoredRule},
        stage::{Evidence, NotSeen, StageId},
    },
    want::wants,
};

/// Largest rule file.
const LARGEST_RULE: u64 = 16 << 20;

/// Everything that was found before any call is replayed.
pub(super) struct Ground {
    pub(super) question: Question,
    pub(super) snapshot: Snapshot,
    /// Whose calls can be replayed; a diagnosis when nothing comes to the routers.
    pub(super) subject: Result<Found, Box<Diagnosis>>,
    pub(super) notes: Vec<String>,
    /// Ctrl-C ended the gathering.
    pub(super) stopped: bool,
}

/// The consumer, its addresses and its rules.
pub(super) struct Found {
    pub(super) subject: Subject,
    /// The stages before the routers in the assumed world.
    pub(super) view: View,
    pub(super) world: World,
    pub(super) source: SourceId,
    /// Rules that are in force without those of the command line.
    pub(super) live: RuleTexts,
    /// Where live rules and files were seen.
    pub(super) evidence: BTreeMap<String, Evidence>,
    /// Rules of `--rules`.
    pub(super) given: Vec<RuleFile>,
    /// Rules of `--candidate`.
    pub(super) candidate: Vec<RuleFile>,
    /// Methods that the addresses say they have.
    pub(super) methods: Vec<String>,
}

impl Found {
    /// Required facts that the command line and the facts leave open.
    pub(super) fn unseen(&self, _: &Interest) -> Vec<NotSeen> {
        let mut unseen = Vec::new();
        let own_unknown = self.subject.question.consumer.application.is_none();
        // A rule of an application may be the consumer's own, when nobody says which application that is.
        let providers: Vec<String> = self
            .subject
            .held
            .entries
            .iter()
            .filter_map(Entry::application)
            .collect();
        let maybe_own = |key: &str| {
            RuleKind::of_key(key) == Some(RuleKind::Condition)
                && !key.contains(':')
                && !providers
                    .iter()
                    .any(|name| key == format!("{name}.condition-router"))
        };
        let rules = self.live.clone().with(&self.given);
        if own_unknown && rules.texts().any(|(key, _)| maybe_own(key)) {
            unseen.push(NotSeen {
                what: Say::ReplayConsumerApplication.into(),
                why: Say::ReplayNotGiven.into(),
                how_to_see: Some(Say::HowConsumerApp.into()),
                required: true,
            });
        }
        unseen
    }
}

/// Gathers addresses and rules.
pub(super) fn gather(
    args: &RouteReplayArgs,
    settings: &mut Settings,
    around: &Surroundings,
) -> anyhow::Result<Ground> {
    match (&args.providers, &args.common.sight.snapshot) {
        (Some(file), None) if settings.registries.is_empty() => of_files(args, settings, file),
        (_, Some(_)) => of_recording(args, settings),
        _ => of_live(args, settings, around),
    }
}

/// Nothing but files: a rule that is not given is absent.
fn of_files(args: &RouteReplayArgs, settings: &Settings, file: &Path) -> anyhow::Result<Ground> {
    let mut snapshot = live::snapshot(settings);
    let lines = provider_lines(file)?;
    let service = match &args.service {
        Some(service) => service.clone(),
        None => only_service(&lines)?.to_string(),
    };
    let source = add_source(&mut snapshot, file, "providers");
    let now = snapshot.manifest().recorded_at.time();
    let asked = questions(&[service], settings, &[], &[], &snapshot, now)?;
    let question = only(asked.questions)?;
    let held = held_of(&lines, &source);
    found(
        args,
        question,
        held,
        None,
        RuleTexts::new(RuleText::Absent),
        BTreeMap::new(),
        snapshot,
        source,
        asked.notes,
    )
}

#[expect(
    clippy::too_many_arguments,
    reason = "one call for each way to come by the facts"
)]
fn found(
    args: &RouteReplayArgs,
    question: Question,
    held: Held,
    registry: Option<crate::question::RegistryAddress>,
    live: RuleTexts,
    mut evidence: BTreeMap<String, Evidence>,
    mut snapshot: Snapshot,
    source: SourceId,
    notes: Vec<String>,
) -> anyhow::Result<Ground> {
    let service = question.service.clone();
    let in_force: Vec<String> = live.texts().map(|(key, _)| key.to_owned()).collect();
    let given = rule_files(
        &args.rules,
        &service,
        &in_force,
        &mut snapshot,
        &mut evidence,
    )?;
    let mut known = in_force;
    known.extend(given.iter().map(|rule| rule.key.clone()));
    known.sort();
    known.dedup();
    let mut unused = BTreeMap::new();
    let candidate = rule_files(
        &args.candidate,
        &service,
        &known,
        &mut snapshot,
        &mut unused,
    )?;
    for (key, seen) in unused {
        evidence.entry(key).or_insert(seen);
    }
    let world = World {
        dubbo: question.consumer.dubbo.clone().unwrap_or_else(|| {
            crate::model::version::DubboVersion::newest(crate::model::version::Line::V3_3)
        }),
        state: question.consumer.state.unwrap_or(ConsumerState::Starting),
    };
    let view = Case {
        question: &question,
        registry: registry.as_ref(),
        held: &held,
        world: &world,
    }
    .view();
    let methods = methods(&held);
    Ok(Ground {
        subject: Ok(Found {
            subject: Subject {
                question: question.clone(),
                registry,
                held,
            },
            view,
            world,
            source,
            live,
            evidence,
            given,
            candidate,
            methods,
        }),
        question,
        snapshot,
        notes,
        stopped: false,
    })
}

/// The version that is given or assumed, and a consumer that starts unless it is said to run.
fn world(question: &Question) -> World {
    World {
        dubbo: question
            .consumer
            .dubbo
            .clone()
            .unwrap_or_else(|| DubboVersion::newest(Line::V3_3)),
        state: question.consumer.state.unwrap_or(ConsumerState::Starting),
    }
}

fn only(mut questions: Vec<Question>) -> Result<Question, UsageError> {
    questions
        .pop()
        .ok_or_else(|| UsageError::new("no service is named"))
}

/// The service of all lines, when it is one.
fn only_service(lines: &[ProviderLine]) -> Result<ServiceKey, UsageError> {
    let mut services: Vec<ServiceKey> = lines.iter().map(|line| line.url.service()).collect();
    services.sort_by_key(ToString::to_string);
    services.dedup();
    match services.as_slice() {
        [only] => Ok(only.clone()),
        [] => Err(UsageError::new("the file of providers is empty")
            .hint("put one provider URL on each line")),
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

fn provider_lines(path: &Path) -> anyhow::Result<Vec<ProviderLine>> {
    let reader = BufReader::new(super::calls::open(path)?.reader);
    providers::read(reader).map_err(|error| failed(path, error))
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

fn add_source(snapshot: &mut Snapshot, path: &Path, kind: &str) -> SourceId {
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
fn held_of(lines: &[ProviderLine], source: &SourceId) -> Held {
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

/// Methods that the entries list; a `*` among them says nothing.
fn methods(held: &Held) -> Vec<String> {
    let mut methods: Vec<String> = held
        .entries
        .iter()
        .filter_map(|entry| Some(entry.plain()?.text("methods")?.to_owned()))
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
fn rule_files(
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
                source: std::io::Error::other("a rule of more than 16 MiB"),
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

/// From a recording.
fn of_recording(args: &RouteReplayArgs, settings: &Settings) -> anyhow::Result<Ground> {
    let Some(path) = &args.common.sight.snapshot else {
        return Err(no_addresses().into());
    };
    let recording = recorded::open(path, settings)?;
    let mut snapshot = recording.snapshot();
    let now = snapshot.manifest().recorded_at.time();
    let asked = questions(&[service(args)?], settings, &[], &[], &snapshot, now)?;
    let stopped = recorded::fill(recording, &mut snapshot, &asked.questions, wants)?;
    of_snapshot(
        args,
        &only(asked.questions)?,
        snapshot,
        asked.notes,
        stopped,
    )
}

/// From live systems: recorded first, and then the record is read.
fn of_live(
    args: &RouteReplayArgs,
    settings: &mut Settings,
    around: &Surroundings,
) -> anyhow::Result<Ground> {
    if settings.registries.is_empty() {
        return Err(no_addresses().into());
    }
    settings.with_password(&around.environment)?;
    let mut snapshot = live::snapshot(settings);
    let now = snapshot.manifest().recorded_at.time();
    let mut asked = questions(&[service(args)?], settings, &[], &[], &snapshot, now)?;
    let quiet = args.common.output.quiet;
    let ended = live::answer(
        &mut snapshot,
        &mut asked.questions,
        settings,
        around,
        quiet,
        (wants, Purpose::Reach),
    )?;
    let mut question = only(asked.questions)?;
    question.now = snapshot.manifest().recorded_at.time();
    let stopped = ended == Ended::Interrupted;
    of_snapshot(args, &question, snapshot, asked.notes, stopped)
}

fn no_addresses() -> UsageError {
    UsageError::new("nothing says where the addresses come from")
        .hint("give --providers FILE, a recording with --snapshot, or a registry with --registry")
}

fn service(args: &RouteReplayArgs) -> Result<String, UsageError> {
    args.service.clone().ok_or_else(|| {
        UsageError::new("no service is named").hint("name one: [group/]interface[:version]")
    })
}

/// Addresses and rules as the first registry has them that has addresses for this consumer; with `--providers` only the
/// rules.
fn of_snapshot(
    args: &RouteReplayArgs,
    question: &Question,
    mut snapshot: Snapshot,
    mut notes: Vec<String>,
    stopped: bool,
) -> anyhow::Result<Ground> {
    let diagnosis = diagnose(question, &snapshot);
    let (question, registries) = seen(question, &snapshot);
    let of_file = args
        .providers
        .as_deref()
        .map(|file| {
            anyhow::Ok((
                provider_lines(file)?,
                add_source(&mut snapshot, file, "providers"),
            ))
        })
        .transpose()?;
    let several = registries.len() > 1;
    let world = world(&question);
    let mut chosen = None;
    for (registry, mut held) in registries {
        if let Some((lines, source)) = &of_file {
            let given = held_of(lines, source);
            held = Held {
                rules: held.rules,
                routes: held.routes,
                ..given
            };
        }
        let view = Case {
            question: &question,
            registry: registry.as_ref(),
            held: &held,
            world: &world,
        }
        .view();
        let reaches = view
            .failed()
            .is_none_or(|stage| stage.id >= StageId::Router(String::new()))
            && held.source.is_some();
        if reaches {
            chosen = Some((registry, held));
            break;
        }
    }
    let Some((registry, held)) = chosen else {
        return Ok(Ground {
            question,
            snapshot,
            subject: Err(Box::new(diagnosis)),
            notes,
            stopped,
        });
    };
    if several && let Some(registry) = &registry {
        notes.push(format!(
            "several registries are configured: the calls are replayed on the addresses of {registry}"
        ));
    }
    let mut evidence = BTreeMap::new();
    for rule in held.rules.stored.iter().filter(|rule| rule.read) {
        evidence.insert(key_of(rule), rule.evidence.clone());
    }
    let Some(source) = held.source.clone() else {
        return Err(no_addresses().into());
    };
    let live = live_rules(&held.rules);
    let mut ground = found(
        args, question, held, registry, live, evidence, snapshot, source, notes,
    )?;
    ground.stopped = stopped;
    Ok(ground)
}

/// The key under which a stored rule is read. 2.7.0 to 2.7.2 keep its last part in a directory of the rest.
fn key_of(rule: &StoredRule) -> String {
    let key = rule.key.replace("___", "$");
    if rule.group == RULE_GROUP {
        key
    } else {
        format!("{}.{key}", rule.group)
    }
}

/// The routing rules where this consumer looks.
fn live_rules(store: &RuleStore) -> RuleTexts {
    let mut rules = RuleTexts::new(if store.listed {
        RuleText::Absent
    } else {
        RuleText::Unknown
    });
    for key in &store.absent {
        rules.put(key.replace("___", "$"), RuleText::Absent);
    }
    for key in store.not_seen.keys() {
        rules.put(key.replace("___", "$"), RuleText::Unknown);
    }
    for rule in &store.stored {
        if rule.read && rule.kind == LayerKind::RoutingRule {
            rules.put(key_of(rule), RuleText::Text(rule.text.clone()));
        }
    }
    rules
}
