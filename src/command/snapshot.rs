//! `diag snapshot`: what the registries say about these services, or all of it, written in format 1.

use std::convert::Infallible;

use jiff::Timestamp;

use super::{
    Surroundings, files, live, no_provider::all_wants, questions::questions, recorded, stream,
    unbuilt, warn,
};
use crate::{
    cli::SnapshotArgs,
    error::UsageError,
    exit::Exit,
    model::service_key::ServiceKey,
    observe::{Observer, interrupt, zookeeper::Bounds},
    progress::Spinner,
    question::Question,
    report::safe,
    settings::Settings,
    snapshot::{At, Ended, Line, Snapshot, Writer},
};

/// Runs the verb.
pub(super) fn run(args: &SnapshotArgs, around: &Surroundings) -> anyhow::Result<Exit> {
    unbuilt::snapshot(args)?;
    let flags = &args.common.output;
    let mut settings = Settings::new(&args.common, &around.environment)?;
    unbuilt::format(settings.output)?;
    warn(flags, &settings.warnings);
    let writer = args.out.as_ref().map(Writer::new).transpose()?;
    let mut files = files::read(&args.common)?;
    let spinner = Spinner::start(
        around.terminal.stderr && !flags.quiet,
        around.environment.is_utf8(),
    );

    let (snapshot, ended) = if let Some(path) = &args.common.sight.snapshot {
        // Recording again from a recording: only what these services need is kept.
        let mut recording = recorded::open(path, &settings)?;
        let mut snapshot = recording.snapshot();
        let logs = recorded::logs(&mut recording, &mut snapshot)?;
        files::enter(&mut files, &mut snapshot);
        let now = snapshot.manifest().recorded_at.time();
        let asked = questions(&args.services, &settings, &files, &logs, &snapshot, now)?;
        warn(flags, &asked.notes);
        let stopped = recorded::fill(recording, &mut snapshot, &asked.questions)?;
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
        if questions
            .iter()
            .any(|question| question.registries.is_empty())
        {
            return Err(UsageError::new("no registry is named")
                .hint("give --registry zookeeper://HOST:2181 or nacos://HOST:8848")
                .into());
        }
        let mut observers = live::observers(&questions, &mut snapshot)?;
        live::describe(&mut snapshot, &questions, args.all);
        if args.dry_run {
            let text = plan(&observers, &questions, &snapshot, args.all);
            return Ok(stream::report(&text, Exit::Fine)?);
        }
        let ended = if args.all {
            walk(&mut snapshot, &mut observers, &settings, &spinner)?
        } else {
            live::ask(
                &mut snapshot,
                &mut observers,
                &settings,
                &spinner,
                |snapshot| all_wants(&questions, snapshot),
            )?
        };
        (snapshot, ended)
    };
    drop(spinner);
    if let Some(writer) = writer {
        writer.write(&snapshot)?;
    }
    if !flags.quiet {
        stream::note(&summary(&snapshot, args));
    }
    let unread = unread(&snapshot);
    for (source, why) in &unread {
        stream::warn(&format!("{source}: nothing could be read: {why}"));
    }
    Ok(match ended {
        Ended::Interrupted => Exit::Interrupted,
        Ended::Complete if unread.is_empty() => Exit::Fine,
        _ => Exit::Unknown,
    })
}

/// Registries of which there are refusals and no answer.
fn unread(snapshot: &Snapshot) -> Vec<(String, String)> {
    snapshot
        .sources()
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
        ..Question::new(
            ServiceKey::new(None, "*", None),
            snapshot.manifest().recorded_at.time(),
        )
    }
}

/// Reads everything of Dubbo's in every registry.
fn walk(
    snapshot: &mut Snapshot,
    observers: &mut [Observer],
    settings: &Settings,
    spinner: &Spinner,
) -> anyhow::Result<Ended> {
    let roots: Vec<String> = settings
        .registries
        .iter()
        .filter_map(|address| address.group.as_ref())
        .map(|(group, _)| format!("/{}", group.trim_matches('/')))
        .collect();
    let namespaces: Vec<String> = settings
        .registries
        .iter()
        .filter_map(|address| address.namespace.clone())
        .collect();
    let masker = snapshot.masker().clone();
    let mut ended = Ended::Complete;
    let mut complete = true;
    for observer in observers {
        let source = observer.source().clone();
        let walked = live::runtime()?.block_on(async {
            let terms = live::terms(settings, None, masker.clone());
            let mut count = 0_usize;
            let sink = |line: Line| {
                count += 1;
                if count.is_multiple_of(100) {
                    spinner.say(format!("{source}: {count} answers"));
                }
                snapshot.insert(source.clone(), line);
                Ok::<(), Infallible>(())
            };
            let walked = match observer {
                Observer::Zookeeper(zookeeper) => {
                    let bounds = Bounds::default();
                    zookeeper
                        .walk(&roots, bounds, &terms, interrupt(), sink)
                        .await
                }
                Observer::Nacos(nacos) => nacos.walk(&namespaces, &terms, interrupt(), sink).await,
            };
            let server = observer.server();
            observer.close().await;
            (walked, server)
        });
        let (Ok(walked), server) = walked;
        complete &= walked.is_complete();
        if let Some(failure) = &walked.lost {
            stream::warn(&format!(
                "{source}: {} ({}): what was read until then is recorded",
                failure.kind,
                failure.text.as_deref().unwrap_or("no details")
            ));
        }
        if let Some(path) = &walked.cut {
            stream::warn(&format!(
                "{source}: too large: nothing was read from {path} on"
            ));
        }
        if let (Some(server), Some(about)) =
            (server, snapshot.manifest_mut().sources.get_mut(&source))
        {
            about.server = Some(server);
        }
        if walked.ended != Ended::Complete {
            ended = walked.ended;
            break;
        }
    }
    let manifest = snapshot.manifest_mut();
    manifest.recorded_at = At::from_time(Timestamp::now());
    manifest.scope.all = complete;
    manifest.ended = ended.clone();
    Ok(ended)
}

/// The requests of the first round, one a line.
fn plan(observers: &[Observer], questions: &[Question], snapshot: &Snapshot, all: bool) -> String {
    let wants = if all {
        Vec::new()
    } else {
        all_wants(questions, snapshot)
    };
    let mut lines: Vec<String> = Vec::new();
    for observer in observers {
        let source = observer.source();
        let url = snapshot
            .manifest()
            .sources
            .get(source)
            .and_then(|about| about.url.clone());
        lines.push(format!("# {source} {}", url.unwrap_or_default()));
        lines.extend(observer.plan(&wants));
        lines.push(if all {
            match observer {
                Observer::Zookeeper(_) => {
                    "# then every node below the roots that hold Dubbo's data, children and content"
                }
                Observer::Nacos(_) => {
                    "# then the services, instances and configurations of every namespace"
                }
            }
            .to_owned()
        } else {
            "# then what these answers make necessary, until nothing new is".to_owned()
        });
    }
    lines
        .iter()
        .map(|line| safe(line))
        .collect::<Vec<_>>()
        .join("\n")
        + "\n"
}

/// What was recorded, in one line for stderr.
fn summary(snapshot: &Snapshot, args: &SnapshotArgs) -> String {
    let answers: usize = snapshot.sources().map(|(_, lines)| lines.count()).sum();
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
