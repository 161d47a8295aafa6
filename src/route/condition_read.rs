//! From a document to the conditions of it that count. Long documents are remembered: every state and variant of a
//! consumer reads the same ones again, as do the two routers that read one key.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use super::RuleEvent;
use super::condition::ClassicCondition;
use super::condition_multi::MultiCondition;
use super::dialect::Dialect;
use super::trace::{Document, RuleState};
use crate::model::version::DubboVersion;
use crate::rule::condition::{self, ConditionDocument};
use crate::rule::header::Header;
use crate::rule::release::snake_yaml;
use crate::rule::yaml::YamlVersion;

/// Documents below this many bytes are read faster than they are looked for, unless they have anchors.
const LONG: usize = 16 << 10;
/// Documents that are remembered.
const MOST: usize = 6;

/// What a document comes to.
pub(super) struct Taken {
    pub(super) state: RuleState,
    /// Whether the document, if it can be read, is one of several destinations.
    pub(super) is_multi: Option<bool>,
    /// The classic conditions, unless those of before stay.
    pub(super) classic: Option<Vec<Arc<ClassicCondition>>>,
    /// The same for conditions with several destinations.
    pub(super) multi: Option<Vec<Arc<MultiCondition>>>,
}

/// Everything in a version that the reading of a document depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Reader {
    yaml: YamlVersion,
    since: [bool; 4],
    disabled_unread: bool,
}

impl Reader {
    fn of(version: &DubboVersion, dialect: Dialect) -> Self {
        let since = [[2, 7, 10], [3, 0, 0], [3, 2, 0], [3, 3, 0]];
        Self {
            yaml: snake_yaml(version),
            since: since.map(|patch| version.at_least(patch)),
            disabled_unread: dialect.disabled_unread,
        }
    }
}

struct Known {
    key: String,
    text: String,
    reader: Reader,
    taken: Rc<Taken>,
}

thread_local! {
    static LATELY: RefCell<Vec<Known>> = const { RefCell::new(Vec::new()) };
}

/// Reads a document as a consumer of that version does.
pub(super) fn read(
    event: RuleEvent<'_>,
    content: &str,
    version: &DubboVersion,
    dialect: Dialect,
) -> Rc<Taken> {
    // A few aliases may be work for a thousand lines.
    if content.len() < LONG && !content.contains('&') {
        return Rc::new(take(event.key, content, version, dialect));
    }
    let reader = Reader::of(version, dialect);
    let known = LATELY.with_borrow(|lately| {
        let same = |known: &&Known| {
            known.reader == reader && known.key == event.key && known.text == content
        };
        lately
            .iter()
            .find(same)
            .map(|known| Rc::clone(&known.taken))
    });
    known.unwrap_or_else(|| {
        let taken = Rc::new(take(event.key, content, version, dialect));
        LATELY.with_borrow_mut(|lately| {
            lately.truncate(MOST - 1);
            lately.insert(
                0,
                Known {
                    key: event.key.to_owned(),
                    text: content.to_owned(),
                    reader,
                    taken: Rc::clone(&taken),
                },
            );
        });
        taken
    })
}

fn take(key: &str, content: &str, version: &DubboVersion, dialect: Dialect) -> Taken {
    let nothing = |state: RuleState, is_multi: Option<bool>| Taken {
        state,
        is_multi,
        classic: None,
        multi: None,
    };
    let read = match condition::parse(content, version) {
        Ok(read) => read,
        Err(error) => return nothing(RuleState::Refused(error), None),
    };
    let document = Document::new(key, content);
    match read {
        ConditionDocument::TooNew(error) => nothing(RuleState::TooNew(error), Some(false)),
        ConditionDocument::Classic(rule) => {
            if !rule.header.valid {
                return nothing(RuleState::Empty, Some(false));
            }
            match ClassicCondition::all(&rule, &document, dialect) {
                Err(error) => nothing(RuleState::Refused(error), Some(false)),
                Ok(all) => Taken {
                    state: state(&rule.header),
                    is_multi: Some(false),
                    classic: Some(all),
                    multi: None,
                },
            }
        }
        ConditionDocument::MultiDestination(rule) => {
            if !rule.header.valid {
                return nothing(RuleState::Empty, Some(true));
            }
            match MultiCondition::all(&rule, &document) {
                Err(error) => nothing(RuleState::Refused(error), Some(true)),
                Ok(all) => Taken {
                    state: state(&rule.header),
                    is_multi: Some(true),
                    classic: None,
                    multi: Some(all),
                },
            }
        }
    }
}

fn state(header: &Header) -> RuleState {
    if header.enabled {
        RuleState::InForce
    } else {
        RuleState::Off
    }
}
