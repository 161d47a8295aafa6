//! `diag no-provider`: question -> want -> observe -> snapshot -> diagnose -> report.

use super::{Surroundings, files, questions::questions, recorded, show, stream, unbuilt, warn};
use crate::{
    cli::NoProviderArgs,
    diagnose::diagnose,
    exit::Exit,
    report::{Asked, Manner, report},
    settings::Settings,
};

/// Runs the verb.
pub(super) fn run(args: &NoProviderArgs, around: &Surroundings) -> anyhow::Result<Exit> {
    unbuilt::no_provider(args)?;
    let flags = &args.common.output;
    let settings = Settings::new(&args.common, &around.environment)?;
    unbuilt::format(settings.output)?;
    warn(flags, &settings.warnings);
    let mut files = files::read(&args.common)?;

    let (snapshot, questions, stopped) = match &args.common.sight.snapshot {
        Some(path) => {
            let mut recording = recorded::open(path, &settings)?;
            let mut snapshot = recording.read_all()?;
            let logs = recorded::logs(&mut recording, &mut snapshot)?;
            files::enter(&mut files, &mut snapshot);
            let now = snapshot.manifest().recorded_at.time();
            let asked = questions(&args.services, &settings, &files, &logs, &snapshot, now)?;
            warn(flags, &asked.notes);
            (snapshot, asked.questions, false)
        }
        None => return Err(unbuilt::live().into()),
    };

    let asked: Vec<Asked> = questions
        .into_iter()
        .map(|question| Asked {
            diagnosis: diagnose(&question, &snapshot),
            question,
        })
        .collect();
    let manner = Manner {
        command: "no-provider".to_owned(),
        lang: show::lang(&settings, flags, &around.environment),
        filter: settings.filter.clone(),
        fail_on: settings.fail_on,
        stopped,
    };
    let report = report(&asked, &snapshot, &manner);
    let text = show::text(
        &report,
        &settings,
        flags,
        &around.environment,
        around.terminal,
    );
    stream::report(&text)?;
    Ok(Exit::of(report.exit))
}
