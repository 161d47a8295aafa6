//! `--wait`: asks again until every service is reachable or the time is over; one line per transition on stderr.

use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::{live, stream};
use crate::{
    exit::Exit,
    observe::interrupt,
    report::{model::Report, safe},
};

/// Between two rounds.
const PAUSE: Duration = Duration::from_secs(2);

/// Asks until every answer is `reachable`. `ask` is told how much time is left and whether it is the first round. When the
/// time is over, the last report says so by its exit code; a last round that the end cut short gives way to the one
/// before it.
///
/// # Errors
/// Those of `ask`.
pub(super) fn until(
    span: Duration,
    quiet: bool,
    mut ask: impl FnMut(Duration, bool) -> anyhow::Result<Report>,
) -> anyhow::Result<Report> {
    let end = now() + span;
    let mut last: Option<String> = None;
    let mut before: Option<Report> = None;
    loop {
        let left = end.saturating_duration_since(now());
        let mut report = ask(left.max(Duration::from_millis(100)), last.is_none())?;
        let is_over = now() >= end;
        if let Some(mut earlier) = before.take()
            && is_over
            && is_open(&report)
        {
            earlier.exit = Exit::Fault.code();
            return Ok(earlier);
        }
        let state = state(&report);
        if last.as_ref() != Some(&state) {
            if !quiet {
                let at = Timestamp::now().strftime("%H:%M:%SZ");
                stream::note(&format!("{at} {state}\n"));
            }
            last = Some(state);
        }
        let stopped = report.exit == Exit::Interrupted.code();
        if stopped
            || report
                .reports
                .iter()
                .all(|answer| answer.outcome == Some("reachable"))
        {
            return Ok(report);
        }
        let left = end.saturating_duration_since(now());
        if is_over || left.is_zero() {
            report.exit = Exit::Fault.code();
            return Ok(report);
        }
        if interrupted(PAUSE.min(left))? {
            report.interrupted = true;
            report.exit = Exit::Interrupted.code();
            return Ok(report);
        }
        before = Some(report);
    }
}

fn is_open(report: &Report) -> bool {
    report
        .reports
        .iter()
        .any(|answer| answer.outcome == Some("unknown"))
}

#[expect(clippy::disallowed_methods, reason = "waiting is measured here")]
fn now() -> Instant {
    Instant::now()
}

/// Outcome and code of every service, in one line.
fn state(report: &Report) -> String {
    let parts: Vec<String> = report
        .reports
        .iter()
        .map(|answer| {
            let service = answer
                .question
                .service
                .as_ref()
                .map_or("-", |service| service.interface.as_str());
            let code = answer
                .verdict
                .as_ref()
                .map_or("-", |verdict| verdict.code.as_str());
            format!("{} {} {code}", safe(service), answer.outcome.unwrap_or("-"))
        })
        .collect();
    parts.join(" · ")
}

/// Waits; says whether Ctrl-C ended it.
fn interrupted(pause: Duration) -> anyhow::Result<bool> {
    let runtime = live::runtime()?;
    Ok(runtime.block_on(async {
        tokio::select! {
            () = tokio::time::sleep(pause) => false,
            () = interrupt() => true,
        }
    }))
}
