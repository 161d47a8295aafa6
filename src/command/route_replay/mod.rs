//! `diag route-replay`: rules and addresses -> scenarios -> calls through all of them -> report.

mod calls;
mod scenes;
mod sources;

use std::path::Path;

use super::{Surroundings, begin, show, stream, unbuilt, warn};
use crate::{
    cli::RouteReplayArgs,
    error::UsageError,
    exit::Exit,
    replay::{Fold, Trial, judge, loses},
    report::{
        Asked, Manner,
        replay::{ReplayManner, replay_info},
        report,
    },
    settings::Settings,
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
    let (diagnosis, info, fault, stopped) = match &ground.subject {
        // Nothing comes to the routers: the answer is that of `no-provider`.
        Err(diagnosis) => ((**diagnosis).clone(), None, false, ground.stopped),
        Ok(found) => {
            let scenes = scenes::scenes(args, &settings, found)?;
            let mut fold = Fold::new(&scenes.scenarios, &found.subject);
            let interest = fold.interest().clone();
            let read = calls::read(args, found, &interest, &mut fold, around)?;
            let folded = fold.finish();
            let unseen = found.unseen(&interest);
            let command = again(args, &settings);
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
                    counts: read.counts,
                    candidate: scenes.candidate_keys.clone(),
                    max_shift,
                    lang: show::lang(&settings, flags, &around.environment),
                },
            );
            let shifted = info.candidate.as_ref().is_some_and(|change| {
                change
                    .max_shift
                    .is_some_and(|most| change.largest_shift > most + 1e-9)
            });
            let fault = shifted || loses(&trial);
            (
                judge(&trial),
                Some(info),
                fault,
                read.stopped || ground.stopped,
            )
        }
    };
    let manner = Manner {
        command: "route-replay".to_owned(),
        lang: show::lang(&settings, flags, &around.environment),
        filter: settings.filter.clone(),
        fail_on: settings.fail_on,
        stopped,
    };
    let asked = [Asked {
        question: ground.question.clone(),
        diagnosis,
    }];
    let mut report = report(&asked, &ground.snapshot, &manner);
    if let Some(answer) = report.reports.first_mut() {
        answer.replay = info;
    }
    // A drill or a candidate that takes everything from a request is a fault whatever the rest is (interrupted comes first).
    if fault && report.exit != Exit::Interrupted.code() {
        report.exit = Exit::Fault.code();
    }
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
