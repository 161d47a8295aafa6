//! One text seen twice: below `Caused by`, by a logger above, cut and whole.

use super::claim::Claim;
use super::message::{Message, MessageId};

/// Puts a message to those of one happening; one that repeats another is that one.
pub(super) fn add_message(messages: &mut Vec<Message>, message: Message) {
    match messages
        .iter_mut()
        .find(|known| is_repeated(known, &message))
    {
        Some(known) => {
            known.cut &= message.cut;
            known.facts.extend(message.facts);
        }
        None => messages.push(message),
    }
}

/// The same for a message of another line: it repeats one only in the same words, or in those of a short line that
/// leaves all the facts to the exception below it.
pub(super) fn add_text(messages: &mut Vec<Message>, message: Message) {
    match messages
        .iter_mut()
        .find(|known| is_same_text(known, &message))
    {
        Some(known) => {
            if own(known).next().is_none() {
                known.words = message.words;
            }
            known.cut &= message.cut;
            known.facts.extend(message.facts);
        }
        None => messages.push(message),
    }
}

/// Whether two messages of different lines are one text.
pub(super) fn is_same_text(known: &Message, other: &Message) -> bool {
    let says_nothing = |message: &Message| own(message).next().is_none();
    // Layers of the network stack tell one refused connection in their own words each.
    let layers = known.id == MessageId::Connect;
    is_repeated(known, other)
        && (layers || known.words == other.words || says_nothing(known) || says_nothing(other))
}

/// Whether two messages of one id can be the same text seen twice: nothing contradicts, and one says no more than the
/// other (it may be cut).
pub(super) fn is_repeated(known: &Message, other: &Message) -> bool {
    known.id == other.id
        && own(known).all(|claim| !other.facts.has(claim.name()) || agrees(claim, other))
        && (own(known).all(|claim| other.facts.has(claim.name()))
            || own(other).all(|claim| known.facts.has(claim.name())))
}

/// Where and by whom a line was written says nothing about its text.
fn own(message: &Message) -> impl Iterator<Item = &Claim> {
    message.facts.iter().filter(|claim| {
        !matches!(
            claim.name(),
            "time"
                | "thread"
                | "level"
                | "host"
                | "code"
                | "dubbo"
                | "cluster"
                | "dubbo_jar"
                | "dubbo_below"
                | "lang"
                | "pod"
                | "masked"
        )
    })
}

fn agrees(claim: &Claim, other: &Message) -> bool {
    other
        .facts
        .named(claim.name())
        .any(|said| match (claim, said) {
            (Claim::Service(a), Claim::Service(b)) => a.value.agrees(&b.value),
            // A cut list is the beginning of the whole one.
            (Claim::Addresses(a), Claim::Addresses(b)) | (Claim::Tried(a), Claim::Tried(b)) => {
                a.value.starts_with(&b.value) || b.value.starts_with(&a.value)
            }
            (Claim::Cause(a), Claim::Cause(b)) => {
                a.value.starts_with(&b.value) || b.value.starts_with(&a.value)
            }
            (a, b) => a.says_the_same(b),
        })
}

/// A reason is told once: the outer words name it, the inner ones repeat it.
pub(super) fn merge_detail(known: &mut Message, detail: &Message) {
    for claim in &detail.facts {
        let once = matches!(
            claim.name(),
            "reason" | "cause" | "rule_kind" | "registry_root" | "registry"
        );
        if !once || !known.facts.has(claim.name()) {
            known.facts.push(claim.clone());
        }
    }
}
