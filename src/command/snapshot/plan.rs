//! `--dry-run`: what would be sent, in words.

use super::all_wants;
use crate::{observe::Observer, question::Question, report::safe, snapshot::Snapshot};

/// The requests of the first round, one a line.
pub(super) fn plan(
    observers: &[Observer],
    questions: &[Question],
    snapshot: &Snapshot,
    all: bool,
) -> String {
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
