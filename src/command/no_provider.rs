//! `diag no-provider`: question -> want -> observe -> snapshot -> diagnose -> report.

use std::path::Path;

use super::{
    Surroundings,
    files::{self, Handed},
    live,
    questions::{Gathered, questions},
    recorded, show, stream, unbuilt, warn,
};
use crate::{
    cli::NoProviderArgs,
    diagnose::diagnose,
    error::UsageError,
    exit::Exit,
    question::Question,
    report::{Asked, Manner, report},
    settings::Settings,
    snapshot::Ended,
    want::wants,
};

/// Runs the verb.
pub(super) fn run(args: &NoProviderArgs, around: &Surroundings) -> anyhow::Result<Exit> {
    unbuilt::no_provider(args)?;
    let flags = &args.common.output;
    let mut settings = Settings::new(&args.common, &around.environment)?;
    unbuilt::format(settings.output)?;
    warn(flags, &settings.warnings);
    let files = files::read(&args.common)?;

    let gathered = match &args.common.sight.snapshot {
        Some(path) => recorded(path, args, &settings, files)?,
        None => live(args, &mut settings, files, around)?,
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
        lang: show::lang(&settings, flags, &around.environment),
        filter: settings.filter.clone(),
        fail_on: settings.fail_on,
        stopped: gathered.stopped,
    };
    let report = report(&asked, &gathered.snapshot, &manner);
    let text = show::text(
        &report,
        &settings,
        flags,
        &around.environment,
        around.terminal,
        args.common.sight.snapshot.as_deref(),
    );
    Ok(stream::report(&text, Exit::of(report.exit))?)
}

fn recorded(
    path: &Path,
    args: &NoProviderArgs,
    settings: &Settings,
    mut files: Vec<Handed>,
) -> anyhow::Result<Gathered> {
    let mut recording = recorded::open(path, settings)?;
    let mut snapshot = recording.snapshot();
    let logs = recorded::logs(&mut recording, &mut snapshot)?;
    files::enter(&mut files, &mut snapshot);
    let now = snapshot.manifest().recorded_at.time();
    let asked = questions(&args.services, settings, &files, &logs, &snapshot, now)?;
    warn(&args.common.output, &asked.notes);
    let stopped = recorded::fill(recording, &mut snapshot, &asked.questions, wants)?;
    Ok(Gathered {
        snapshot,
        questions: asked.questions,
        stopped,
    })
}

fn live(
    args: &NoProviderArgs,
    settings: &mut Settings,
    mut files: Vec<Handed>,
    around: &Surroundings,
) -> anyhow::Result<Gathered> {
    settings.with_password(&around.environment)?;
    let mut snapshot = live::snapshot(settings);
    files::enter(&mut files, &mut snapshot);
    let now = snapshot.manifest().recorded_at.time();
    let asked = questions(&args.services, settings, &files, &[], &snapshot, now)?;
    warn(&args.common.output, &asked.notes);
    let mut questions = asked.questions;
    let somewhere =
        |q: &Question| !(q.registries.is_empty() && q.unreadable.is_empty() && q.logs.is_empty());
    if !questions.iter().all(somewhere) {
        return Err(no_registry().into());
    }
    let quiet = args.common.output.quiet;
    let ended = live::answer(&mut snapshot, &questions, settings, around, quiet, wants)?;
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

fn no_registry() -> UsageError {
    UsageError::new("no registry is named").hint(
        "give --registry zookeeper://HOST:2181 (or DIAG_REGISTRY, or a profile), a recording with --snapshot, or a \
         pasted error with --from-log",
    )
}
