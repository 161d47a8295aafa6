//! `diag timeout-budget`: question -> want -> observe -> snapshot -> diagnose -> report.

mod flags;
mod measured;
mod probe;

use std::path::Path;

use super::{
    Surroundings, begin,
    files::{self, Content, Handed},
    live,
    questions::{Gathered, questions},
    recorded, show, unbuilt, warn,
};
use crate::{
    budget::asked::Asked,
    cli::TimeoutBudgetArgs,
    diagnose::budget::{self, diagnose_budget},
    error::UsageError,
    exit::Exit,
    observe::probe::Purpose,
    report::{Answered, Manner, budget_report},
    settings::Settings,
    snapshot::Ended,
    want::wants_budget,
};

/// Runs the verb.
pub(super) fn run(args: &TimeoutBudgetArgs, around: &Surroundings) -> anyhow::Result<Exit> {
    unbuilt::timeout_budget(args)?;
    recorded::refuse_live(&args.common.sight)?;
    let flags = &args.common.output;
    let mut settings = Settings::new(&args.common, &around.environment)?;
    if let Some(method) = &args.method_name {
        settings.invocation.method = Some(method.clone());
    }
    if let Some(method) = &settings.invocation.method {
        flags::one_method("METHOD", method)?;
    }
    let mut asked = flags::asked(args)?;
    begin(flags, &settings);
    measured::measure(args, &settings, &mut asked)?;
    let files = files::read(&args.common)?;
    if args.service.is_some() && files.iter().any(|file| file.asks) && !files.iter().any(tells) {
        warn(flags, &[NOTHING_TOLD.to_owned()]);
    }
    let gathered = match &args.common.sight.snapshot {
        Some(path) => recorded(path, args, &settings, files)?,
        None => live(args, &mut settings, files, &asked, around)?,
    };
    let mut answered: Vec<Answered> = Vec::new();
    for question in gathered.questions {
        let mut asked = asked.clone();
        if asked.measured.is_none() {
            let (found, problem) = measured::recorded(args, &question, &gathered.snapshot)?;
            warn(flags, problem.as_slice());
            if found.is_none() && problem.is_none() && !settings.qos.is_empty() {
                warn(flags, &[NO_METRICS.to_owned()]);
            }
            asked.measured = found;
        }
        answered.push(Answered {
            diagnosis: diagnose_budget(&question, &asked, &gathered.snapshot),
            question,
        });
    }
    let manner = Manner {
        command: "timeout-budget".to_owned(),
        lang: show::lang(&settings, flags, &around.environment),
        filter: settings.filter.clone(),
        fail_on: settings.fail_on,
        stopped: gathered.stopped,
    };
    let report = budget_report(&answered, &gathered.snapshot, &manner);
    let recording = args.common.sight.snapshot.as_deref();
    show::end(&report, &settings, flags, around, recording)
}

/// What is missing behind a port.
const NO_METRICS: &str = "no QOS port gave response times (`metrics` of 3.2 and later with dubbo-metrics-prometheus, to \
                          peers on its own host): give --p99 or --prometheus";

/// What is said of a text that has nothing for this verb.
const NOTHING_TOLD: &str = "the text tells of no call that ran out of time or was refused";

/// The name of a service that nobody named.
const UNNAMED: &str = "-";

/// The services asked about: the one named, else those that fail in a pasted text, else none in particular.
fn services(args: &TimeoutBudgetArgs, files: &[Handed]) -> Vec<String> {
    match &args.service {
        Some(service) => vec![service.clone()],
        None if files.iter().any(Handed::names_a_service) => Vec::new(),
        // A text was handed in, and nothing in it can be judged: what it says instead is told.
        None if files.iter().any(|file| file.asks) && !files.iter().any(tells) => Vec::new(),
        None => vec![UNNAMED.to_owned()],
    }
}

/// Whether the text that was handed in tells of calls that ran out of time or were refused.
fn tells(file: &Handed) -> bool {
    matches!(&file.content, Content::Log(log) if file.asks && budget::tells(log))
}

/// A text without a service: the way out names this verb.
fn of_this_verb(mut error: UsageError) -> UsageError {
    for hint in &mut error.hints {
        *hint = hint.replace("no-provider", "timeout-budget");
    }
    error
}

fn recorded(
    path: &Path,
    args: &TimeoutBudgetArgs,
    settings: &Settings,
    mut files: Vec<Handed>,
) -> anyhow::Result<Gathered> {
    let mut recording = recorded::open(path, settings)?;
    let mut snapshot = recording.snapshot();
    let logs = recorded::logs(&mut recording, &mut snapshot)?;
    recorded::configs(&mut recording, &mut snapshot)?;
    files::enter(&mut files, &mut snapshot);
    let now = snapshot.manifest().recorded_at.time();
    let services = services(args, &files);
    let asked =
        questions(&services, settings, &files, &logs, &snapshot, now).map_err(of_this_verb)?;
    warn(&args.common.output, &asked.notes);
    let stopped = recorded::fill(recording, &mut snapshot, &asked.questions, wants_budget)?;
    Ok(Gathered {
        snapshot,
        questions: asked.questions,
        stopped,
    })
}

fn live(
    args: &TimeoutBudgetArgs,
    settings: &mut Settings,
    mut files: Vec<Handed>,
    asked: &Asked,
    around: &Surroundings,
) -> anyhow::Result<Gathered> {
    settings.with_password(&around.environment)?;
    let mut snapshot = live::snapshot(settings);
    files::enter(&mut files, &mut snapshot);
    let now = snapshot.manifest().recorded_at.time();
    let services = services(args, &files);
    let found =
        questions(&services, settings, &files, &[], &snapshot, now).map_err(of_this_verb)?;
    warn(&args.common.output, &found.notes);
    let mut questions = found.questions;
    let nothing = args.service.is_none()
        && asked.measured.is_none()
        && asked.chain.is_empty()
        && files.is_empty()
        && settings.qos.is_empty();
    if nothing {
        return Err(nothing_given().into());
    }
    let quiet = args.common.output.quiet;
    let asked = (wants_budget as live::Wants, Purpose::RoundTrips);
    let ended = live::answer(
        &mut snapshot,
        &mut questions,
        settings,
        around,
        quiet,
        asked,
    )?;
    warn(&args.common.output, &probe::notes(&snapshot, &questions));
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

fn nothing_given() -> UsageError {
    UsageError::new("there is nothing to compute with").hint(
        "name a service with --registry or --snapshot for what is in force, or give --p99, --samples, --chain, --from-log",
    )
}
