//! `diag snapshot`: what the registries say about these services, or all of it, written in format 1.

mod all;
mod anonymous;
mod heard;
mod plan;

use self::heard::Heard;
use super::{
    Surroundings, begin, files, live, questions::questions, recorded, stream, unbuilt, warn,
};
use crate::{
    cli::SnapshotArgs,
    error::UsageError,
    exit::Exit,
    model::service_key::ServiceKey,
    observe::{Observer, derive_revisions, probe::Purpose},
    progress::Spinner,
    question::Question,
    report::safe,
    settings::Settings,
    snapshot::{Ended, Snapshot, SourceId, SourceKind, Writer},
    want::wants,
};

/// Runs the verb.
pub(super) fn run(args: &SnapshotArgs, around: &Surroundings) -> anyhow::Result<Exit> {
    unbuilt::snapshot(args)?;
    recorded::refuse_live(&args.common.sight)?;
    if args.all && args.common.sight.snapshot.is_some() {
        return Err(
            UsageError::new("--all reads registries, --snapshot reads a recording")
                .hint("name the services to keep, or copy the recording to keep all of it")
                .into(),
        );
    }
    let flags = &args.common.output;
    let mut settings = Settings::new(&args.common, &around.environment)?;
    begin(flags, &settings);
    let mut writer = args.out.as_ref().map(Writer::new).transpose()?;
    let mut files = files::read(&args.common)?;
    let spinner = Spinner::start(
        around.terminal.stderr && !flags.quiet,
        around.environment.is_utf8(),
    );

    let (mut snapshot, ended) = if let Some(path) = &args.common.sight.snapshot {
        // Recording again from a recording: only what these services need is kept.
        let mut recording = recorded::open(path, &settings)?;
        let mut snapshot = recording.snapshot();
        let logs = recorded::logs(&mut recording, &mut snapshot)?;
        files::enter(&mut files, &mut snapshot);
        let now = snapshot.manifest().recorded_at.time();
        let asked = questions(&args.services, &settings, &files, &logs, &snapshot, now)?;
        warn(flags, &asked.notes);
        let stopped = recorded::fill(recording, &mut snapshot, &asked.questions, wants)?;
        if stopped {
            // The recording would look complete and have nothing in it.
            return Ok(Exit::Interrupted);
        }
        (snapshot, Ended::Complete)
    } else {
        if !args.dry_run {
            settings.with_password(&around.environment)?;
        }
        let mut snapshot = live::snapshot(&settings);
        files::enter(&mut files, &mut snapshot);
        let questions = if args.all {
            vec![everything(&settings, &snapshot)]
        } else {
            let now = snapshot.manifest().recorded_at.time();
            let asked = questions(&args.services, &settings, &files, &[], &snapshot, now)?;
            warn(flags, &asked.notes);
            asked.questions
        };
        if settings.qos.is_empty()
            && questions
                .iter()
                .any(|question| question.registries.is_empty())
        {
            return Err(UsageError::new("no registry is named")
                .hint("give --registry zookeeper://HOST:2181 or nacos://HOST:8848")
                .into());
        }
        let mut observers = live::observers(&questions, &mut snapshot)?;
        if args.all && !settings.qos.is_empty() {
            return Err(
                UsageError::new("--all reads registries, --qos is asked about services")
                    .hint("name the services to record instead of --all")
                    .into(),
            );
        }
        observers.extend(live::ports(&settings, &questions, &mut snapshot)?);
        live::describe(&mut snapshot, &questions, args.all);
        if args.all && settings.probe {
            return Err(UsageError::new(
                "--all reads registries, --probe tries the providers of services",
            )
            .hint("name the services to record instead of --all")
            .into());
        }
        observers.extend(live::prober(&settings, Purpose::Reach, &mut snapshot));
        if args.dry_run {
            let text = plan::plan(&observers, &questions, &snapshot, args.all);
            return Ok(stream::report(&text, Exit::Fine)?);
        }
        if args.all
            && let Some(writer) = writer.take()
        {
            return all(
                writer,
                snapshot,
                &mut observers,
                &settings,
                spinner,
                args,
                around,
            );
        }
        let terms = live::terms(&settings, Some(live::DEADLINE), snapshot.masker().clone());
        let ended = live::ask(
            &mut snapshot,
            &mut observers,
            &terms,
            &spinner,
            |snapshot| live::all_wants(&questions, snapshot, wants),
        )?;
        (snapshot, ended)
    };
    drop(spinner);
    if args.common.sight.snapshot.is_none() {
        for (source, lines) in snapshot.sources() {
            let mut heard = Heard::default();
            lines.for_each(|line| heard.note(line));
            tell_silent(source, &heard);
        }
    }
    let refused = unread(&snapshot);
    if let Some(writer) = writer {
        if writer.replaces() && nothing_else(&snapshot, &refused) {
            return Ok(left(&refused, &ended, args));
        }
        if args.anonymize {
            let pseudonyms = anonymous::of(&snapshot, args, &settings, around);
            derive_revisions(&mut snapshot);
            writer.write(&pseudonyms.snapshot(&snapshot))?;
            anonymous::tell(&pseudonyms, args, &settings);
        } else {
            writer.write(&snapshot)?;
        }
    }
    let answers = snapshot.sources().map(|(_, lines)| lines.count()).sum();
    Ok(told(&snapshot, answers, &refused, &ended, args))
}

/// Records everything, on disk while it is read.
fn all(
    writer: Writer,
    mut snapshot: Snapshot,
    observers: &mut [Observer],
    settings: &Settings,
    spinner: Spinner,
    args: &SnapshotArgs,
    around: &Surroundings,
) -> anyhow::Result<Exit> {
    let mut names = args
        .anonymize
        .then(|| anonymous::asked(args, settings, &snapshot));
    let mut spool = writer.spool(snapshot.masker().clone())?;
    let walks = all::walk(
        &mut snapshot,
        observers,
        settings,
        &spinner,
        |source, line| {
            if let Some(names) = &mut names {
                names.line(&line, false);
            }
            writer.put(&mut spool, source, line)
        },
    )?;
    if writer.replaces() && walks.unread.len() == observers.len() {
        drop(spinner);
        return Ok(left(&walks.unread, &walks.ended, args));
    }
    let pseudonyms = names.map(|names| names.pseudonyms(anonymous::secret(around)));
    spinner.say("writing".to_owned());
    let Some(snapshot) = all::write(writer, snapshot, spool, pseudonyms.clone())? else {
        drop(spinner);
        stream::note("interrupted while writing: nothing was recorded\n");
        return Ok(Exit::Interrupted);
    };
    drop(spinner);
    let answers = snapshot
        .sources()
        .map(|(_, lines)| lines.count())
        .sum::<usize>()
        + walks.answers;
    if let Some(pseudonyms) = &pseudonyms {
        anonymous::tell(pseudonyms, args, settings);
    }
    Ok(told(&snapshot, answers, &walks.unread, &walks.ended, args))
}

/// Says on stderr what was recorded and what could not be, and how the run ends.
fn told(
    snapshot: &Snapshot,
    answers: usize,
    unread: &[(String, String)],
    ended: &Ended,
    args: &SnapshotArgs,
) -> Exit {
    if !args.common.output.quiet {
        stream::note(&summary(snapshot, answers, args));
    }
    complain(unread);
    match ended {
        Ended::Interrupted => Exit::Interrupted,
        Ended::Complete if unread.is_empty() => Exit::Fine,
        _ => Exit::Unknown,
    }
}

/// Names the members that did not answer: what another one told is recorded.
fn tell_silent(source: &SourceId, heard: &Heard) {
    for (member, kind) in heard.silent() {
        stream::warn(&format!("{source}: member {member} did not answer: {kind}"));
    }
}

fn complain(unread: &[(String, String)]) {
    for (source, why) in unread {
        stream::warn(&format!("{source}: nothing could be read: {why}"));
    }
}

/// Nothing takes the place of an older recording, which may be all that is left of an incident.
fn left(unread: &[(String, String)], ended: &Ended, args: &SnapshotArgs) -> Exit {
    complain(unread);
    if let Some(out) = &args.out {
        let out = out.display();
        stream::warn(&format!("{out}: left as it was: nothing could be read"));
    }
    match ended {
        Ended::Interrupted => Exit::Interrupted,
        _ => Exit::Unknown,
    }
}

/// Whether everybody who was asked refused.
fn nothing_else(snapshot: &Snapshot, unread: &[(String, String)]) -> bool {
    let sources = snapshot.sources();
    let heard = sources.filter_map(|(_, mut lines)| lines.next());
    !unread.is_empty() && heard.count() == unread.len()
}

/// Registries of which there are refusals and no answer.
fn unread(snapshot: &Snapshot) -> Vec<(String, String)> {
    let is_probe = |id: &SourceId| {
        let source = snapshot.manifest().sources.get(id);
        source.is_some_and(|source| source.kind == SourceKind::Probe)
    };
    snapshot
        .sources()
        // That nobody answers there is an answer.
        .filter(|(source, _)| !is_probe(source))
        .filter_map(|(source, lines)| {
            let mut refusal = None;
            for line in lines.filter(|line| line.key.op() != "tcp") {
                refusal = Some(line.err_kind()?.to_string());
            }
            Some((source.to_string(), refusal?))
        })
        .collect()
}

/// A question that names every registry and no service in particular.
fn everything(settings: &Settings, snapshot: &Snapshot) -> Question {
    Question {
        registries: settings.registries.clone(),
        also_search: settings.also_search.clone(),
        config_center: settings.config_center.clone(),
        metadata_report: settings.metadata_report.clone(),
        ..Question::new(
            ServiceKey::new(None, "*", None),
            snapshot.manifest().recorded_at.time(),
        )
    }
}

/// What was recorded, in one line for stderr.
fn summary(snapshot: &Snapshot, answers: usize, args: &SnapshotArgs) -> String {
    let unanswered = snapshot.without_answer().count();
    let place = args
        .out
        .as_ref()
        .map(|path| path.display().to_string())
        .unwrap_or_default();
    let ended = match snapshot.manifest().ended {
        Ended::Complete => String::new(),
        ref early => format!(", ended early ({early})"),
    };
    safe(&format!(
        "recorded {answers} answers, {unanswered} questions without one{ended}: {place}"
    )) + "\n"
}
