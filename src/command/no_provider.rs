//! `diag no-provider`: question -> want -> observe -> snapshot -> diagnose -> report.

use std::path::Path;

use anyhow::Context as _;

use super::{
    Surroundings, begin,
    files::{self, Handed},
    live,
    questions::{Gathered, questions, take_port},
    recorded, show, unbuilt, wait, warn,
};
use crate::{
    cli::{NoProviderArgs, RegistryFlags},
    diagnose::diagnose,
    error::UsageError,
    exit::Exit,
    observe::probe::Purpose,
    question::{Question, RegistryAddress},
    report::{Asked, Manner, compare, model::Report, report},
    settings::Settings,
    snapshot::Ended,
    want::wants,
};

/// Runs the verb.
pub(super) fn run(args: &NoProviderArgs, around: &Surroundings) -> anyhow::Result<Exit> {
    unbuilt::no_provider(args)?;
    let flags = &args.common.output;
    let settings = Settings::new(&args.common, &around.environment)?;
    begin(flags, &settings);
    recorded::refuse_live(&args.common.sight)?;
    let report = match (args.wait, &args.compare) {
        (Some(span), _) => {
            waitable(args)?;
            wait::until(span, flags.quiet, |left, first| {
                let mut settings = settings.clone();
                settings.deadline = Some(settings.deadline.unwrap_or(live::DEADLINE).min(left));
                answer(args, settings, around, first)
            })?
        }
        (None, Some(place)) => {
            let mut here = answer(args, settings.clone(), around, true)?;
            let (elsewhere, there) = other_place(args, place, around)?;
            let there = answer(&elsewhere, there, around, false)?;
            compare(&mut here, &there, place);
            here.sources.extend(
                there
                    .sources
                    .into_iter()
                    .map(|(id, source)| (format!("{place}:{id}"), source)),
            );
            here
        }
        (None, None) => answer(args, settings.clone(), around, true)?,
    };
    let recording = args.common.sight.snapshot.as_deref();
    show::end(&report, &settings, flags, around, recording)
}

/// Asks once.
fn answer(
    args: &NoProviderArgs,
    mut settings: Settings,
    around: &Surroundings,
    notes: bool,
) -> anyhow::Result<Report> {
    let files = files::read(&args.common)?;
    let gathered = match &args.common.sight.snapshot {
        Some(path) => recorded(path, args, &settings, files, notes)?,
        None => live(args, &mut settings, files, around, notes)?,
    };
    let asked: Vec<Asked> = gathered
        .questions
        .into_iter()
        .map(|question| Asked {
            diagnosis: diagnose(&question, &gathered.snapshot),
            question,
        })
        .collect();
    let manner = Manner {
        command: "no-provider".to_owned(),
        lang: show::lang(&settings, &args.common.output, &around.environment),
        filter: settings.filter.clone(),
        fail_on: settings.fail_on,
        stopped: gathered.stopped,
    };
    Ok(report(&asked, &gathered.snapshot, &manner))
}

/// What can be asked more than once.
fn waitable(args: &NoProviderArgs) -> Result<(), UsageError> {
    if args.common.sight.snapshot.is_some() {
        return Err(
            UsageError::new("--wait needs a live registry: a recording does not change")
                .hint("leave out --wait, or give --registry instead of --snapshot"),
        );
    }
    if args.common.sight.from_log.as_deref() == Some(Path::new("-")) {
        return Err(UsageError::new(
            "--wait reads the text again each time, and standard input can be read once",
        )
        .hint("write the text to a file and name that"));
    }
    Ok(())
}

/// The same question for the other place: a recording if there is one of that name, else a profile. The registries of this
/// place are not those of the other.
fn other_place(
    args: &NoProviderArgs,
    place: &str,
    around: &Surroundings,
) -> anyhow::Result<(NoProviderArgs, Settings)> {
    let mut there = args.clone();
    let path = Path::new(place);
    if !(path.exists() && is_of(path, args, around)?) {
        let no_sweep = there.common.registry.no_sweep;
        there.common.registry = RegistryFlags {
            no_sweep,
            ..RegistryFlags::default()
        };
    }
    there.common.sight.from_log = None;
    there.services = services(args)?;
    if path.exists() {
        there.common.sight.snapshot = Some(place.into());
    } else {
        if let Some(name) = ["DIAG_REGISTRY", "DIAG_NAMESPACE"]
            .into_iter()
            .find(|name| {
                around
                    .environment
                    .get(name)
                    .is_some_and(|value| !value.is_empty())
            })
        {
            return Err(UsageError::new(format!(
                "--compare {place}: {name} would win over the profile"
            ))
            .hint(format!(
                "unset {name}, and name this place by a profile, too"
            ))
            .into());
        }
        there.common.sight.snapshot = None;
        there.common.output.profile = Some(place.to_owned());
    }
    let settings = Settings::new(&there.common, &around.environment)
        .with_context(|| format!("--compare {place}: no such recording, taken for a profile"))?;
    Ok((there, settings))
}

/// Whether a recording is one of the registries that are asked here: two moments of one place.
fn is_of(path: &Path, args: &NoProviderArgs, around: &Surroundings) -> anyhow::Result<bool> {
    let settings = Settings::new(&args.common, &around.environment)?;
    let recording = recorded::open(path, &settings)?;
    let urls = recording.manifest().sources.values();
    let recorded: Vec<RegistryAddress> = urls
        .filter_map(|source| RegistryAddress::parse(source.url.as_deref()?).ok())
        .collect();
    Ok(settings.registries.iter().any(|asked| {
        recorded
            .iter()
            .any(|known| known.kind == asked.kind && known.members == asked.members)
    }))
}

/// The services by name: a text that names them is about this place only.
fn services(args: &NoProviderArgs) -> Result<Vec<String>, UsageError> {
    if args.services.is_empty() {
        return Err(UsageError::new("--compare needs the name of a service")
            .hint("name it: diag no-provider [group/]interface[:version] --compare .."));
    }
    Ok(args.services.clone())
}

fn recorded(
    path: &Path,
    args: &NoProviderArgs,
    settings: &Settings,
    mut files: Vec<Handed>,
    notes: bool,
) -> anyhow::Result<Gathered> {
    let mut recording = recorded::open(path, settings)?;
    let mut snapshot = recording.snapshot();
    let logs = recorded::logs(&mut recording, &mut snapshot)?;
    files::enter(&mut files, &mut snapshot);
    let now = snapshot.manifest().recorded_at.time();
    let asked = questions(&args.services, settings, &files, &logs, &snapshot, now)?;
    if notes {
        warn(&args.common.output, &asked.notes);
    }
    let stopped = recorded::fill(recording, &mut snapshot, &asked.questions, wants)?;
    let mut questions = asked.questions;
    take_port(&mut questions, &snapshot);
    Ok(Gathered {
        snapshot,
        questions,
        stopped,
    })
}

fn live(
    args: &NoProviderArgs,
    settings: &mut Settings,
    mut files: Vec<Handed>,
    around: &Surroundings,
    notes: bool,
) -> anyhow::Result<Gathered> {
    settings.with_password(&around.environment)?;
    let mut snapshot = live::snapshot(settings);
    files::enter(&mut files, &mut snapshot);
    let now = snapshot.manifest().recorded_at.time();
    let asked = questions(&args.services, settings, &files, &[], &snapshot, now)?;
    if notes {
        warn(&args.common.output, &asked.notes);
    }
    let mut questions = asked.questions;
    let somewhere =
        |q: &Question| !(q.registries.is_empty() && q.unreadable.is_empty() && q.logs.is_empty());
    if settings.qos.is_empty() && !questions.iter().all(somewhere) {
        return Err(no_registry().into());
    }
    let quiet = args.common.output.quiet;
    let lost = questions.iter().any(|q| q.registries.is_empty());
    let asked = (wants as live::Wants, Purpose::Reach);
    let ended = live::answer(
        &mut snapshot,
        &mut questions,
        settings,
        around,
        quiet,
        asked,
    )?;
    if notes && lost {
        warn(&args.common.output, &said_by_port(&questions));
    }
    take_port(&mut questions, &snapshot);
    let now = snapshot.manifest().recorded_at.time();
    for question in &mut questions {
        question.now = now;
    }
    Ok(Gathered {
        snapshot,
        questions,
        stopped: ended == Ended::Interrupted,
    })
}

/// Where the consumer looks, as its own port says, or that it does not say.
fn said_by_port(questions: &[Question]) -> Vec<String> {
    let mut notes: Vec<String> = questions
        .iter()
        .map(|question| {
            if question.registries.is_empty() {
                return "no QOS port says where the consumer looks (3.2 and later do, to peers on their own host): give \
                        --registry"
                    .to_owned();
            }
            let said: Vec<String> = question
                .registries
                .iter()
                .map(|registry| registry.without_secrets().to_string())
                .collect();
            format!(
                "the consumer's QOS port says that it looks at {}; it does not say group and namespace attributes \
                 beside the address: --registry says otherwise",
                said.join(", ")
            )
        })
        .collect();
    notes.dedup();
    notes
}

fn no_registry() -> UsageError {
    UsageError::new("no registry is named").hint(
        "give --registry zookeeper://HOST:2181 (or DIAG_REGISTRY, or a profile), a recording with --snapshot, or a \
         pasted error with --from-log",
    )
}
