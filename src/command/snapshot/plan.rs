//! `--dry-run`: what would be sent, in words.

use super::super::live::all_wants;
use crate::{observe::Observer, question::Question, report::safe, snapshot::Snapshot, want::wants};

/// Every request that would be made, one a line: first those that are certain, then those that depend on the answers, with
/// names that only an answer tells in braces.
pub(super) fn plan(
    observers: &[Observer],
    questions: &[Question],
    snapshot: &Snapshot,
    all: bool,
) -> String {
    let wanted = if all {
        Vec::new()
    } else {
        all_wants(questions, snapshot, wants)
    };
    let mut lines: Vec<String> = Vec::new();
    for observer in observers {
        let source = observer.source();
        let url = snapshot
            .manifest()
            .sources
            .get(source)
            .and_then(|about| about.url.clone().or_else(|| about.endpoint.clone()));
        lines.push(format!("# {source} {}", url.unwrap_or_default()));
        lines.extend(if all {
            observer.plan_all()
        } else {
            observer.plan(&wanted)
        });
        lines.push(
            "# then, as far as answers make it necessary, for the names that they tell".to_owned(),
        );
        lines.extend(observer.further(all));
    }
    lines
        .iter()
        .map(|line| safe(line))
        .collect::<Vec<_>>()
        .join("\n")
        + "\n"
}
