//! The calls when nobody says which: every method, with what the rules tell apart in it.

use serde_json::Value;

use super::fold::Fold;
use super::interest::call;
use super::scenario::Sessions;
use crate::input::requests::{Caller, Request};
use crate::question::Invocation;
use crate::route::ask::{Ask, Subject};
use crate::route::call::{Call, JavaValue};
use crate::route::classes::{Class, Known, OTHER, classes, with_tags};

/// What stands for any value that no rule writes.
const ANY: &str = "*";
/// Calls that are tried at most, unless the service has more methods.
const MOST: usize = 256;

/// The calls, each once.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Unsaid {
    /// The calls.
    pub requests: Vec<Request>,
    /// The rules tell more apart than was tried.
    pub cut: bool,
}

impl Fold<'_> {
    /// What could be called, as far as the command line leaves it open: each of the methods, or where nobody tells them the
    /// names that rules write and any other; where nothing of a call is told, with each argument, attachment and tag that
    /// the rules of some scenario tell apart. A tag is among them only where asking for it loses what others keep, and
    /// none when the consumer has one of its own.
    pub fn unsaid(&mut self, methods: &[String], given: &Invocation, own_tag: bool) -> Unsaid {
        let mut asks: Vec<Ask> = self
            .sessions_mut()
            .iter_mut()
            .flat_map(|one| one.asks(&Caller::default()))
            .collect();
        // Those of each are in order already.
        asks.sort();
        asks.dedup();
        let told =
            given.method.is_some() || !given.arguments.is_empty() || !given.attachments.is_empty();
        let methods = match &given.method {
            Some(method) => vec![method.clone()],
            None if methods.is_empty() => written(&asks),
            None => methods.to_vec(),
        };
        let known = |method: &str| Known {
            call: Call {
                method: method.to_owned(),
                arguments: given
                    .arguments
                    .iter()
                    .cloned()
                    .map(JavaValue::Text)
                    .collect(),
                ..Call::default()
            },
            method: true,
            told,
        };
        let mut found = Unsaid::default();
        let mut plain: Vec<Class> = Vec::new();
        // Whatever the method is, the rules tell the same apart.
        let of_each = classes(&asks, None, &known(ANY));
        found.cut |= of_each.cut && !methods.is_empty();
        for method in &methods {
            plain.extend(of_each.classes.iter().cloned().map(|mut class| {
                class.call.method.clone_from(method);
                class
            }));
        }
        if plain.len() > MOST.max(methods.len()) {
            found.cut = true;
            plain = methods
                .iter()
                .map(|method| Class {
                    name: String::new(),
                    call: known(method).call,
                })
                .collect();
        }
        let tagged = with_tags(
            &asks,
            &plain,
            &Known {
                told: told || own_tag,
                ..known(ANY)
            },
        );
        found.cut |= tagged.untried;
        found.requests = plain.iter().map(|class| request(&class.call)).collect();
        let mut with_tag = Vec::new();
        for (at, class) in tagged.classes.iter().enumerate() {
            let without = &found.requests[at % found.requests.len().min(tagged.each).max(1)];
            let asking = request(&class.call);
            let sessions = self.sessions_mut();
            if sessions
                .iter_mut()
                .any(|one| loses_more(one, &asking, without))
            {
                with_tag.push(asking);
            }
        }
        found.requests.extend(with_tag);
        found
    }
}

/// Names of methods that rules write, and any other.
fn written(asks: &[Ask]) -> Vec<String> {
    let asks: Vec<Ask> = asks
        .iter()
        .filter(|ask| ask.subject == Subject::Method)
        .cloned()
        .collect();
    let known = Known {
        call: Call {
            method: OTHER.to_owned(),
            ..Call::default()
        },
        method: false,
        told: true,
    };
    let found = classes(&asks, None, &known).classes.into_iter();
    found.map(|class| shown(&class.call.method)).collect()
}

/// Whether a call loses what another one keeps.
fn loses_more(sessions: &mut Sessions<'_>, asking: &Request, without: &Request) -> bool {
    let mut lost = |request: &Request| sessions.lost(&Caller::default(), &call(request));
    matches!((lost(asking), lost(without)), (Some(asking), Some(without)) if asking > without)
}

fn shown(text: &str) -> String {
    if text == OTHER { ANY } else { text }.to_owned()
}

fn request(call: &Call) -> Request {
    let value = |value: &JavaValue| match value {
        JavaValue::Null => Value::Null,
        value => Value::from(shown(&value.text())),
    };
    let attachments = call.attachments.iter();
    Request {
        method: shown(&call.method),
        arguments: Some(call.arguments.iter().map(value).collect()),
        attachments: attachments
            .map(|(name, value)| (name.clone(), shown(&value.text())))
            .collect(),
        ..Request::default()
    }
}
