//! Members of one registry that do not say the same, or do not answer while another one does: for the verbs that look at
//! what one of them holds. Which one the consumer asks is not known. Decides nothing; `no-provider` judges each member.

use serde_json::{Map, Value, json};

use super::{Certainty, Finding, Remedy, code::Code, remedy};
use crate::{
    report::words::Say,
    view::{
        held::{Entry, Held},
        stage::{Evidence, NotSeen},
    },
};

/// Members that did not answer while another one did, each once.
pub(crate) fn silent<'h>(held: impl IntoIterator<Item = &'h Held>) -> Vec<NotSeen> {
    let mut found: Vec<NotSeen> = Vec::new();
    for fact in held.into_iter().flat_map(|held| &held.silent) {
        if !found.contains(fact) {
            found.push(fact.clone());
        }
    }
    found
}

/// DG1006 when the members of a registry do not hold the same providers and rules.
pub(crate) fn disagreement(members: &[Held]) -> Option<Finding> {
    let first = members.first()?;
    let known = told(first);
    if members.iter().skip(1).all(|other| told(other) == known) {
        return None;
    }
    let count = |held: &Held| held.entries.len() + held.application.instances.len();
    let shown: Vec<String> = members
        .iter()
        .map(|held| format!("{} ({})", held.via.as_deref().unwrap_or("-"), count(held)))
        .collect();
    let evidence = members
        .iter()
        .flat_map(|held| {
            let entry = held.entries.first().map(|entry| &entry.evidence);
            held.listing.evidence().into_iter().chain(entry)
        })
        .cloned()
        .collect::<Vec<Evidence>>();
    let code = Code::NodesDisagree;
    Some(Finding {
        code,
        severity: code.severity(),
        certainty: Certainty::Certain,
        subject: ("registry".to_owned(), first.registry.clone()),
        params: match json!({"registry": first.registry, "members": shown}) {
            Value::Object(map) => map,
            _ => Map::new(),
        },
        evidence,
        remedy: vec![Remedy {
            text: Say::DoCheckMembers.into(),
            argv: Vec::new(),
            changes: false,
        }],
        see: remedy::see(code).into_iter().map(str::to_owned).collect(),
    })
}

/// The fact that keeps an answer open then.
pub(crate) fn which() -> NotSeen {
    NotSeen {
        what: Say::ReplayWhichMember.into(),
        why: Say::MembersDisagree.into(),
        how_to_see: None,
        required: true,
    }
}

/// What a member holds of the service, in an order of its own.
fn told(held: &Held) -> (Vec<String>, Vec<String>, Vec<(&str, &str)>) {
    let text = |entry: &Entry| format!("{:?}", entry.raw);
    let mut entries: Vec<String> = held
        .entries
        .iter()
        .chain(&held.configurators)
        .chain(&held.routes)
        .map(text)
        .collect();
    entries.sort();
    let mut instances: Vec<String> = held
        .application
        .instances
        .iter()
        .map(|instance| format!("{} {:?}", instance.address, instance.revision))
        .collect();
    instances.sort();
    let mut rules: Vec<(&str, &str)> = held
        .rules
        .stored
        .iter()
        .filter(|rule| rule.read)
        .map(|rule| (rule.name.as_str(), rule.text.as_str()))
        .collect();
    rules.sort_unstable();
    (entries, instances, rules)
}
