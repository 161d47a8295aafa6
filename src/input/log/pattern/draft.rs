//! A message while it is read: its facts, put in through one door that keeps masked values and secrets out.

#![expect(clippy::needless_pass_by_value, reason = "facts are made to be put in")]

use super::super::claim::{Claim, Facts};
use super::super::fact::{Fact, KeyClaim, Presence};
use super::super::message::MessageId;
use super::super::secret;
use super::cursor::{Cursor, Span};

/// Longest text kept of a fact, bytes: a rule is longer than a cause, neither is a book.
const MAX_TEXT: usize = 64 * 1024;

/// Most entries kept of a list; the count beside it stays true.
const MAX_ENTRIES: usize = 1000;

/// What a parser has found so far. A parser that gives `None` came upon a cut; what was put in before stays.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    /// `None` as long as it is not decided which message this is.
    pub(crate) id: Option<MessageId>,
    pub(crate) facts: Facts,
    /// The words belong to the message before, if there is one: a reason, not a failure of its own.
    pub(crate) detail: bool,
    /// Where the search goes on, if not behind the anchor.
    pub(crate) resume: Option<usize>,
}

impl Draft {
    pub(crate) fn is(&mut self, id: MessageId) {
        self.id = Some(id);
    }

    /// A text. Empty ones and `null` say nothing, masked ones only that they are masked.
    pub(crate) fn put(&mut self, make: fn(Fact<String>) -> Claim, fact: Fact<String>) {
        if fact.value.is_empty() || fact.value == "null" {
            return;
        }
        let place = fact.place;
        if secret::is_masked_name(&fact.value) {
            let name = make(fact).name().to_owned();
            self.facts.push(Claim::Masked(Fact::stated(name, place)));
            return;
        }
        self.facts.push(make(Fact {
            value: shortened(fact.value),
            ..fact
        }));
    }

    /// An address or host.
    pub(crate) fn put_address(&mut self, make: fn(Fact<String>) -> Claim, fact: Fact<String>) {
        if secret::is_masked_address(&fact.value) {
            let place = fact.place;
            let name = make(fact).name().to_owned();
            self.facts.push(Claim::Masked(Fact::stated(name, place)));
            return;
        }
        let value = bare_address(&fact.value).to_owned();
        self.put(make, Fact { value, ..fact });
    }

    /// A number.
    pub(crate) fn put_number(
        &mut self,
        make: fn(Fact<u64>) -> Claim,
        cursor: &Cursor<'_>,
        span: Span,
    ) {
        if let Ok(value) = cursor.str(span).trim().parse() {
            self.facts
                .push(make(Fact::stated(value, cursor.place(span))));
        }
    }

    /// A flag.
    pub(crate) fn put_flag(&mut self, make: fn(Fact<bool>) -> Claim, fact: Fact<bool>) {
        self.facts.push(make(fact));
    }

    /// A whole service key: what it does not show is absent.
    pub(crate) fn put_key(&mut self, cursor: &Cursor<'_>, span: Span) {
        let fact = cursor.fact(span);
        self.put_service(KeyClaim::parse(&fact.value), fact);
    }

    /// A bare interface: group and version are not shown.
    pub(crate) fn put_interface(&mut self, cursor: &Cursor<'_>, span: Span) {
        let fact = cursor.fact(span);
        let name = fact
            .value
            .strip_prefix("interface ")
            .unwrap_or(&fact.value)
            .to_owned();
        // Older lines print the whole key where later ones print the interface.
        let key = if name.contains(['/', ':']) {
            KeyClaim::parse(&name)
        } else {
            Some(KeyClaim::interface(&name))
        };
        self.put_service(key, fact);
    }

    /// `interface[:version]`, what 3.x calls the display key: it never shows the group.
    pub(crate) fn put_display_key(&mut self, cursor: &Cursor<'_>, span: Span) {
        let fact = cursor.fact(span);
        let key = KeyClaim::parse(&fact.value).map(|key| {
            let version = if key.version == Presence::Absent {
                Presence::Unknown
            } else {
                key.version
            };
            KeyClaim {
                group: Presence::Unknown,
                version,
                ..key
            }
        });
        self.put_service(key, fact);
    }

    fn put_service(&mut self, key: Option<KeyClaim>, fact: Fact<String>) {
        let place = fact.place;
        match key {
            Some(key)
                if !secret::is_masked_name(&key.interface) && is_interface(&key.interface) =>
            {
                self.facts.push(Claim::Service(Fact {
                    value: key,
                    strength: fact.strength,
                    place,
                }));
            }
            Some(key) if secret::is_masked_name(&key.interface) => {
                self.facts
                    .push(Claim::Masked(Fact::stated("service".to_owned(), place)));
            }
            _ => {}
        }
    }

    /// A list of addresses; masked ones are left out.
    pub(crate) fn put_list(
        &mut self,
        make: fn(Fact<Vec<String>>) -> Claim,
        fact: Fact<Vec<String>>,
    ) {
        let value = fact
            .value
            .iter()
            .map(|item| bare_address(item.trim()))
            .filter(|item| !item.is_empty() && !secret::is_masked_address(item))
            .take(MAX_ENTRIES)
            .map(str::to_owned)
            .collect();
        self.facts.push(make(Fact { value, ..fact }));
    }

    /// Words of a system, secrets in them masked. What was cut is not told as if it were whole.
    pub(crate) fn put_words(
        &mut self,
        make: fn(Fact<String>) -> Claim,
        c: &Cursor<'_>,
        span: Span,
    ) {
        if !c.is_cut_behind(span) {
            self.put_text(make, Fact::stated(c.words(span), c.place(span)));
        }
    }

    /// A text that was put together from words, secrets in it masked.
    pub(crate) fn put_text(&mut self, make: fn(Fact<String>) -> Claim, fact: Fact<String>) {
        let value = secret::mask(shortened(fact.value).trim());
        if !value.is_empty() {
            self.facts.push(make(Fact { value, ..fact }));
        }
    }
}

/// At most [`MAX_TEXT`] of it.
pub(crate) fn shortened(mut text: String) -> String {
    if text.len() > MAX_TEXT {
        let end = (0..=MAX_TEXT)
            .rev()
            .find(|at| text.is_char_boundary(*at))
            .unwrap_or(0);
        text.truncate(end);
    }
    text
}

/// `host/1.2.3.4:80` and `/1.2.3.4:80` of Java's socket addresses.
pub(crate) fn bare_address(text: &str) -> &str {
    text.rsplit('/').next().unwrap_or(text)
}

/// An interface is a Java name; `*` and the like stand for many.
fn is_interface(name: &str) -> bool {
    name.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$')
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '$' | '-' | '*'))
}
