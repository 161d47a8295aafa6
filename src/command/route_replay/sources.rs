//! Where addresses and rules come from: files, a recording, live systems.

use std::collections::BTreeMap;
use std::path::Path;

use super::super::{
    Surroundings, live,
    questions::{questions, take_port},
    recorded,
};
use super::files::{add_source, held_of, methods, only_service, provider_lines, rule_files};
use crate::{
    cli::RouteReplayArgs,
    diagnose::{Diagnosis, Finding, Standing, diagnose, interface_view, members, seen, used},
    error::UsageError,
    model::version::{DubboVersion, Line},
    observe::probe::Purpose,
    question::{ConsumerState, Question, RegistryAddress, World},
    replay::{RuleFile, RuleTexts, Subject},
    report::words::Say,
    route::rules::{RULE_GROUP, RuleText},
    rule::kind::RuleKind,
    settings::Settings,
    snapshot::{Ended, Snapshot, SourceId},
    view::{
        held::{Entry, Held, LayerKind},
        interface::{Case, View},
        migration::Seen,
        rule_store::{RuleStore, StoredRule},
        stage::{Evidence, Model, NotSeen, StageId},
    },
    want::wants,
};

/// Everything that was found before any call is replayed.
pub(super) struct Ground {
    pub(super) question: Question,
    pub(super) snapshot: Snapshot,
    /// Whose calls can be replayed, by registry: each has a directory and a chain of its own. A diagnosis when nothing
    /// comes to the routers of any.
    pub(super) subjects: Result<Vec<Found>, Box<Diagnosis>>,
    pub(super) notes: Vec<String>,
    /// Ctrl-C ended the gathering.
    pub(super) stopped: bool,
}

/// The consumer, its addresses and its rules.
pub(super) struct Found {
    pub(super) subject: Subject,
    /// The stages before the routers in the assumed world, of the model that the consumer uses there.
    pub(super) view: View,
    /// The step of the migration that the consumer was seen to have.
    step: Option<Seen>,
    /// Another member of the registry holds something else.
    pub(super) disagreement: Option<Finding>,
    /// Members of the registry that did not answer.
    silent: Vec<NotSeen>,
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
    /// The model by which the consumer finds its addresses in another world.
    pub(super) fn model(&self, world: &World) -> Model {
        let subject = &self.subject;
        if *world == self.world || subject.held.application.instances.is_empty() {
            return self.view.model;
        }
        let case = Case {
            question: &subject.question,
            registry: subject.registry.as_ref(),
            held: &subject.held,
            world,
        };
        used(&case, self.step.clone()).0
    }

    /// Required facts that the command line and the facts leave open.
    pub(super) fn unseen(&self) -> Vec<NotSeen> {
        let mut unseen = self.silent.clone();
        unseen.extend(self.disagreement.is_some().then(members::which));
        let own_unknown = self.subject.question.consumer.application.is_none();
        // A rule of an application may be the consumer's own, when nobody says which application that is.
        let providers: Vec<String> = self
            .subject
            .held
            .entries
            .iter()
            .filter_map(Entry::application)
            .chain(
                self.subject
                    .held
                    .application
                    .instances
                    .iter()
                    .map(|instance| instance.application.clone()),
            )
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
    let seat = Seat {
        registry: None,
        live: RuleTexts::new(RuleText::Absent),
        evidence: BTreeMap::new(),
        source,
        held,
        disagreement: None,
        silent: Vec::new(),
        seen: None,
    };
    ground(args, question, vec![seat], snapshot, asked.notes)
}

/// A registry of the consumer that has addresses, and the rules that are in force beside it.
struct Seat {
    registry: Option<RegistryAddress>,
    held: Held,
    live: RuleTexts,
    evidence: BTreeMap<String, Evidence>,
    source: SourceId,
    /// Another member of the registry holds something else.
    disagreement: Option<Finding>,
    /// Members of the registry that did not answer.
    silent: Vec<NotSeen>,
    /// The stages of the model that is used, and the step that the consumer was seen to have; `None` = files, which have
    /// the interface level only.
    seen: Option<(View, Option<Seen>)>,
}

/// Joins registries with the rules of the command line.
fn ground(
    args: &RouteReplayArgs,
    question: Question,
    seats: Vec<Seat>,
    mut snapshot: Snapshot,
    notes: Vec<String>,
) -> anyhow::Result<Ground> {
    let service = &question.service;
    let live = seats.iter().flat_map(|seat| seat.live.texts());
    let mut known: Vec<String> = live.map(|(key, _)| key.to_owned()).collect();
    known.sort();
    known.dedup();
    let mut of_files = BTreeMap::new();
    let given = rule_files(&args.rules, service, &known, &mut snapshot, &mut of_files)?;
    known.extend(given.iter().map(|rule| rule.key.clone()));
    known.sort();
    known.dedup();
    let mut of_candidates = BTreeMap::new();
    let candidate = rule_files(
        &args.candidate,
        service,
        &known,
        &mut snapshot,
        &mut of_candidates,
    )?;
    let world = world(&question);
    let several = seats.len() > 1;
    let found = |seat: Seat| {
        let mut question = question.clone();
        if several {
            question.registries = seat.registry.iter().cloned().collect();
        }
        let mut evidence = seat.evidence;
        evidence.extend(of_files.clone());
        for (key, seen) in &of_candidates {
            evidence.entry(key.clone()).or_insert_with(|| seen.clone());
        }
        let (view, step) = seat.seen.unwrap_or_else(|| {
            let view = interface_view(&Case {
                question: &question,
                registry: seat.registry.as_ref(),
                held: &seat.held,
                world: &world,
            });
            (view, None)
        });
        let subject = Subject {
            question,
            registry: seat.registry,
            held: seat.held,
        };
        Found {
            methods: methods(&subject, &world, view.model),
            subject,
            view,
            step,
            disagreement: seat.disagreement,
            silent: seat.silent,
            world: world.clone(),
            source: seat.source,
            live: seat.live,
            evidence,
            given: given.clone(),
            candidate: candidate.clone(),
        }
    };
    Ok(Ground {
        subjects: Ok(seats.into_iter().map(found).collect()),
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

/// From a recording.
fn of_recording(args: &RouteReplayArgs, settings: &Settings) -> anyhow::Result<Ground> {
    let Some(path) = &args.common.sight.snapshot else {
        return Err(no_addresses().into());
    };
    let mut recording = recorded::open(path, settings)?;
    let mut snapshot = recording.snapshot();
    let logs = recorded::logs(&mut recording, &mut snapshot)?;
    let now = snapshot.manifest().recorded_at.time();
    let mut asked = questions(&[service(args)?], settings, &[], &logs, &snapshot, now)?;
    let stopped = recorded::fill(recording, &mut snapshot, &asked.questions, wants)?;
    take_port(&mut asked.questions, &snapshot);
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

/// Addresses and rules as each registry of the consumer has them, as far as anything comes to its routers; with
/// `--providers` only the rules.
fn of_snapshot(
    args: &RouteReplayArgs,
    question: &Question,
    mut snapshot: Snapshot,
    mut notes: Vec<String>,
    stopped: bool,
) -> anyhow::Result<Ground> {
    let asked = question;
    let (question, standing) = seen(asked, &snapshot);
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
    let world = world(&question);
    let mut seats: Vec<Seat> = Vec::new();
    let mut empty: Vec<RegistryAddress> = Vec::new();
    // Members of one registry that were asked apart.
    let mut told: Vec<(Option<RegistryAddress>, Vec<Held>)> = Vec::new();
    let mut waiting = Vec::new();
    for Standing {
        registry,
        mut held,
        step,
    } in standing
    {
        if let Some((lines, source)) = &of_file {
            let given = held_of(lines, source);
            held = Held {
                rules: held.rules,
                routes: held.routes,
                silent: held.silent,
                ..given
            };
        }
        match told.iter_mut().find(|(known, _)| *known == registry) {
            Some((_, members)) => members.push(held.clone()),
            None => told.push((registry.clone(), vec![held.clone()])),
        }
        waiting.push((registry, held, step));
    }
    for (registry, held, step) in waiting {
        // One of them is replayed: they hold the same, or nobody knows which one the consumer asks.
        if seats.iter().any(|seat| seat.registry == registry) {
            continue;
        }
        let members = told.iter().find(|(known, _)| *known == registry);
        let members = members.map_or(&[][..], |(_, members)| members.as_slice());
        let (_, view) = used(
            &Case {
                question: &question,
                registry: registry.as_ref(),
                held: &held,
                world: &world,
            },
            step.clone(),
        );
        let reaches = view
            .failed()
            .is_none_or(|stage| stage.id >= StageId::Router(String::new()));
        let has = !view.offered.is_empty();
        match held.source.clone().filter(|_| reaches && has) {
            Some(source) => seats.push(Seat {
                live: live_rules(&held.rules),
                evidence: rule_evidence(&held.rules),
                registry,
                source,
                held,
                disagreement: members::disagreement(members),
                silent: members::silent(members),
                seen: Some((view, step)),
            }),
            None => empty.extend(registry),
        }
    }
    if seats.is_empty() {
        return Ok(Ground {
            question,
            subjects: Err(Box::new(diagnose(asked, &snapshot))),
            snapshot,
            notes,
            stopped,
        });
    }
    empty.retain(|one| seats.iter().all(|seat| seat.registry.as_ref() != Some(one)));
    empty.dedup();
    for registry in empty {
        notes.push(format!(
            "nothing comes to the routers from {registry}: the calls are replayed on the other registries"
        ));
    }
    let mut ground = ground(args, question, seats, snapshot, notes)?;
    ground.stopped = stopped;
    Ok(ground)
}

/// Where the rules were seen, by the key under which they are read.
fn rule_evidence(store: &RuleStore) -> BTreeMap<String, Evidence> {
    let read = store.stored.iter().filter(|rule| rule.read);
    read.map(|rule| (key_of(rule), rule.evidence.clone()))
        .collect()
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
