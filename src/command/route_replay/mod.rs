//! `diag route-replay`: rules and addresses -> scenarios -> calls through all of them -> report.

mod calls;
mod files;
mod scenes;
mod sources;

use std::path::Path;

use sources::Found;

use super::{Surroundings, begin, show, unbuilt, warn};
use crate::{
    cli::RouteReplayArgs,
    diagnose::{Outcome, demand_facts},
    error::UsageError,
    exit::Exit,
    replay::{Fold, Trial, judge, loses},
    report::{
        Asked, Manner,
        replay::{CandidateChange, ReplayInfo, ReplayManner, replay_info},
        report,
        words::{Lang, Say},
    },
    settings::Settings,
    view::stage::NotSeen,
};

/// Runs the verb.
pub(super) fn run(args: &RouteReplayArgs, around: &Surroundings) -> anyhow::Result<Exit> {
    unbuilt::route_replay(args)?;
    let flags = &args.common.output;
    let mut settings = Settings::new(&args.common, &around.environment)?;
    begin(flags, &settings);
    let max_shift = args.max_shift.as_deref().map(percent).transpose()?;

    let ground = sources::gather(args, &mut settings, around)?;
    warn(flags, &ground.notes);
    let lang = show::lang(&settings, flags, &around.environment);
    let mut answers = Answers {
        asked: Vec::new(),
        infos: Vec::new(),
        fault: false,
        stopped: ground.stopped,
    };
    match &ground.subjects {
        // Nothing comes to the routers: the answer is that of `no-provider`.
        Err(diagnosis) => {
            answers.asked.push(Asked {
                question: ground.question.clone(),
                diagnosis: (**diagnosis).clone(),
            });
            answers.infos.push(None);
        }
        Ok(found) => replayed(
            args,
            &settings,
            around,
            (found.as_slice(), max_shift, lang),
            &mut answers,
        )?,
    }
    let manner = Manner {
        command: "route-replay".to_owned(),
        lang,
        filter: settings.filter.clone(),
        fail_on: settings.fail_on,
        stopped: answers.stopped,
    };
    let mut report = report(&answers.asked, &ground.snapshot, &manner);
    for (answer, info) in report.reports.iter_mut().zip(answers.infos) {
        answer.replay = info;
    }
    // A call that loses everything is a fault whatever the rest is (interrupted comes first).
    if answers.fault && report.exit != Exit::Interrupted.code() {
        report.exit = Exit::Fault.code();
    }
    let recording = args.common.sight.snapshot.as_deref();
    show::end(&report, &settings, flags, around, recording)
}

/// What was found: one answer for each registry.
struct Answers {
    asked: Vec<Asked>,
    infos: Vec<Option<ReplayInfo>>,
    /// Some call loses everything, or more moves than may.
    fault: bool,
    stopped: bool,
}

/// Replays the calls over every registry, each call read once.
fn replayed(
    args: &RouteReplayArgs,
    settings: &Settings,
    around: &Surroundings,
    (found, max_shift, lang): (&[Found], Option<f64>, Lang),
    answers: &mut Answers,
) -> anyhow::Result<()> {
    let scenes = found
        .iter()
        .map(|found| scenes::scenes(args, found))
        .collect::<Result<Vec<_>, UsageError>>()?;
    let mut folds: Vec<Fold<'_>> = found
        .iter()
        .zip(&scenes)
        .map(|(found, scenes)| Fold::new(&scenes.scenarios, &found.subject))
        .collect();
    let read = calls::read(args, found, &mut folds, around)?;
    let cut = read.cut;
    answers.stopped |= read.stopped;
    let command = again(args, settings);
    for ((found, scenes), fold) in found.iter().zip(&scenes).zip(folds) {
        let interest = fold.interest().clone();
        let folded = fold.finish();
        let mut unseen = found.unseen();
        unseen.extend(scenes.unseen.iter().cloned());
        unseen.extend(cut.then(|| NotSeen {
            what: Say::MoreClasses.into(),
            why: Say::NotEvaluated.into(),
            how_to_see: Some(Say::HowReplayRequests.into()),
            required: true,
        }));
        let trial = Trial {
            folded: &folded,
            scenarios: &scenes.scenarios,
            plan: &scenes.plan,
            subject: &found.subject,
            interest: &interest,
            view: &found.view,
            evidence: &scenes.evidence,
            unseen: &unseen,
            argv: &command,
            source: &found.source,
        };
        let info = replay_info(
            &trial,
            &ReplayManner {
                counts: read.counts.clone(),
                candidate: scenes.candidate_keys.clone(),
                max_shift,
                lang,
            },
        );
        let shifted = info.candidate.as_ref().is_some_and(|change| {
            let both = std::iter::once(change).chain(change.other.as_deref());
            both.into_iter().any(CandidateChange::shifts)
        });
        let mut diagnosis = judge(&trial);
        // Beside a verdict there is none: which member is asked would decide.
        let beside = found.disagreement.iter().cloned();
        diagnosis.findings.extend(beside);
        demand_facts(&found.subject.question, &mut diagnosis);
        // What is lost on the ground of addresses that nobody could read is no loss.
        let is_read =
            found.subject.held.listing.is_known() || !found.subject.held.entries.is_empty();
        answers.fault |= shifted
            || loses(&trial, diagnosis.outcome)
                && (is_read || diagnosis.outcome != Outcome::Unknown);
        answers.asked.push(Asked {
            question: found.subject.question.clone(),
            diagnosis,
        });
        answers.infos.push(Some(info));
    }
    Ok(())
}

/// `20%`, `20` or `0.2`.
fn percent(text: &str) -> Result<f64, UsageError> {
    let trimmed = text.trim();
    let percents = trimmed.strip_suffix('%');
    let value: Option<f64> = percents.unwrap_or(trimmed).trim().parse().ok();
    let share = value.map(|value| {
        if percents.is_some() || value > 1.0 {
            value / 100.0
        } else {
            value
        }
    });
    share
        .filter(|share| (0.0..=1.0).contains(share))
        .ok_or_else(|| {
            UsageError::new(format!(
                "--max-shift {text}: expected a share from 0% to 100%"
            ))
            .hint("for example --max-shift 20%")
        })
}

/// The run as a command to be run again with a candidate: without secrets, candidates and drills.
fn again(args: &RouteReplayArgs, settings: &Settings) -> Vec<String> {
    let mut words = vec!["diag".to_owned(), "route-replay".to_owned()];
    words.extend(args.service.clone());
    let path = |path: &Path| path.display().to_string();
    let consumer = &args.common.consumer;
    let call = &args.common.invocation;
    let mut flag = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            words.extend([name.to_owned(), value]);
        }
    };
    for rule in &args.rules {
        flag("-f", Some(rule.clone()));
    }
    flag("--providers", args.providers.as_deref().map(path));
    flag(
        "--snapshot",
        args.common.sight.snapshot.as_deref().map(path),
    );
    for registry in &settings.registries {
        flag("--registry", Some(registry.without_secrets().to_string()));
    }
    flag("--requests", args.requests.as_deref().map(path));
    flag("--access-log", args.access_log.as_deref().map(path));
    flag("--consumer-app", consumer.consumer_app.clone());
    flag("--consumer-ip", consumer.consumer_ip.clone());
    flag("--dubbo", consumer.dubbo.clone());
    for router in &settings.routers {
        flag("--router", Some(router.clone()));
    }
    flag("--method", call.method.clone());
    for argument in &call.arg {
        flag("--arg", Some(argument.clone()));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares() {
        for (text, share) in [
            ("20%", 0.2),
            ("20", 0.2),
            ("0.2", 0.2),
            ("0", 0.0),
            ("100 %", 1.0),
            ("1", 1.0),
        ] {
            assert!((percent(text).unwrap() - share).abs() < 1e-9, "{text}");
        }
        for wrong in ["", "%", "120%", "-1%", "x", "NaN"] {
            assert!(percent(wrong).is_err(), "{wrong}");
        }
    }
}
