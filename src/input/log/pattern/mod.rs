//! The catalogue: which fixed words begin which message, and how its variables are read.
//!
//! Every parser gets a cursor behind the fixed words that were found, goes from one fixed part to the next and puts down
//! what stands between. It gives `None` where a fixed part is missing: then the message is cut there, and what was put
//! down before stays.

#![expect(
    clippy::unnecessary_wraps,
    reason = "parsers that cannot come upon a cut have the form of the others"
)]

mod address;
mod call;
mod cursor;
mod directory;
mod draft;
mod entered;
mod go;
mod limit;
mod metadata;
mod nacos;
mod network;
mod no_provider;
mod party;
mod push;
mod registry;
mod rule;
mod slow;
mod snapshot;
mod timeout;
mod url;
mod zookeeper;

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;

use self::cursor::{Cursor, Subject};
use self::draft::Draft;
use super::claim::{Claim, Facts};
use super::message::{Message, MessageId};
use super::text::Text;

/// `None`: the text broke off.
type Parsed = Option<()>;

/// Fixed words and what reads on behind them.
type Entry = (&'static str, fn(&mut Cursor<'_>, &mut Draft) -> Parsed);

/// Where Dubbo's logger adds version and host (`FailsafeLogger.appendContextMessage`).
const TAIL: &str = ", dubbo version: ";

/// Messages of one block are not more than this.
const MAX_FOUND: usize = 256;

const TABLES: [&[Entry]; 16] = [
    no_provider::ENTRIES,
    call::ENTRIES,
    timeout::ENTRIES,
    slow::ENTRIES,
    go::ENTRIES,
    rule::ENTRIES,
    address::ENTRIES,
    registry::ENTRIES,
    push::ENTRIES,
    entered::ENTRIES,
    zookeeper::ENTRIES,
    nacos::ENTRIES,
    metadata::ENTRIES,
    network::ENTRIES,
    limit::ENTRIES,
    &[(TAIL, tail)],
];

/// The fixed words of all messages as one search.
struct Anchors {
    search: Regex,
    entries: HashMap<String, Entry>,
}

impl Anchors {
    fn new(form: impl Fn(&str) -> String, with_tail: bool) -> Self {
        let tables = &TABLES[..TABLES.len() - usize::from(!with_tail)];
        let mut words = Vec::new();
        let mut entries = HashMap::new();
        for entry in tables.iter().copied().flatten() {
            let anchor = form(entry.0);
            words.push(regex::escape(&anchor));
            entries.entry(anchor).or_insert(*entry);
        }
        // The longer of two that begin alike goes first.
        words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        Self {
            search: Regex::new(&words.join("|")).expect("escaped words"),
            entries,
        }
    }
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

static OPENERS: LazyLock<Anchors> = LazyLock::new(|| Anchors::new(str::to_owned, false));
static EXACT: LazyLock<Anchors> = LazyLock::new(|| Anchors::new(str::to_owned, true));
static LOOSE_OPENERS: LazyLock<Anchors> = LazyLock::new(|| Anchors::new(squeezed, false));
static LOOSE: LazyLock<Anchors> = LazyLock::new(|| Anchors::new(squeezed, true));

/// The first fixed words of any message in a line.
pub(super) fn first_anchor(line: &str) -> Option<usize> {
    OPENERS.search.find(line).map(|found| found.start())
}

/// Whether fixed words begin at the end of one line and end at the beginning of the next.
pub(super) fn anchor_across(before: &str, after: &str) -> bool {
    const REACH: usize = 100;
    let from = before
        .char_indices()
        .rev()
        .nth(REACH)
        .map_or(0, |(at, _)| at);
    let to = after
        .char_indices()
        .nth(REACH)
        .map_or(after.len(), |(at, _)| at);
    let front = squeezed(&before[from..]);
    let joined = front.clone() + &squeezed(&after[..to]);
    LOOSE_OPENERS
        .search
        .find_iter(&joined)
        .any(|found| found.start() < front.len() && found.end() > front.len())
}

/// What was found at one place of a block.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) part: Part,
    /// Byte of the block's text at which its fixed words begin.
    pub(super) at: usize,
}

/// The kinds of things that are found.
#[derive(Debug)]
pub(super) enum Part {
    /// A message.
    Message(Message),
    /// Words that belong to the message before; alone they may be a message.
    Detail(Option<MessageId>, Message),
    /// Version, host and code behind a text.
    Tail(Facts),
}

/// All that is said in a paragraph: the lines of one message, without those that begin another.
pub(super) fn scan(text: &Text) -> Reading {
    let exact = read(&Subject::exact(text), &EXACT);
    if exact.broken == 0
        && exact
            .found
            .iter()
            .any(|found| !matches!(found.part, Part::Tail(_)))
    {
        return exact;
    }
    let loose = read(&Subject::loose(text), &LOOSE);
    if loose.score() > exact.score() {
        loose
    } else {
        exact
    }
}

/// What was found in a paragraph and how well it fits.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) found: Vec<Found>,
    /// Messages read to their end.
    whole: usize,
    /// Messages that broke off.
    pub(super) broken: usize,
    /// The end of a message is the end of a line that is not the last.
    pub(super) ended_a_line: bool,
    /// Only the form without blanks and line ends fits.
    pub(super) loose: bool,
}

impl Reading {
    /// More is better: messages read to their end, then facts.
    pub(super) fn score(&self) -> (usize, usize) {
        let facts = self.found.iter().map(|found| match &found.part {
            Part::Message(message) | Part::Detail(_, message) => message.facts.iter().count(),
            Part::Tail(facts) => facts.iter().count(),
        });
        (self.whole, facts.sum())
    }
}

fn read(subject: &Subject<'_>, anchors: &Anchors) -> Reading {
    let mut reading = Reading::default();
    let mut at = 0;
    while reading.found.len() < MAX_FOUND
        && let Some(found) = anchors.search.find_at(subject.as_str(), at)
    {
        at = found.end();
        let Some(&(anchor, parse)) = anchors.entries.get(found.as_str()) else {
            continue;
        };
        let mut cursor = Cursor::new(subject, found.end());
        let mut draft = Draft::default();
        let whole = parse(&mut cursor, &mut draft).is_some();
        let is_tail = anchor == TAIL;
        if draft.id.is_none() && !draft.detail && !is_tail {
            // It may be another text, or this one with a wrap in it.
            reading.broken += usize::from(subject.as_str()[found.end()..].contains('\n'));
            continue;
        }
        reading.whole += usize::from(whole);
        reading.broken += usize::from(!whole);
        at = draft.resume.unwrap_or(at).max(at);
        let message = Message {
            id: draft.id.unwrap_or(MessageId::Invoke),
            place: subject.place(found.start()),
            cut: !whole,
            facts: draft.facts,
            words: anchor,
        };
        let part = if is_tail {
            Part::Tail(message.facts)
        } else if draft.detail {
            Part::Detail(draft.id, message)
        } else {
            Part::Message(message)
        };
        reading.found.push(Found {
            part,
            at: subject.original(found.start()),
        });
    }
    reading.ended_a_line = subject.ended_a_line();
    reading.loose = subject.is_loose();
    reading
}

/// `, dubbo version: {V}, current host: {H}[, error code: {x-y}. This may be caused by ..]`.
fn tail(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let version = c.until(", current host: ")?;
    d.put(Claim::Dubbo, c.fact(version));
    let host = c.address()?;
    d.put_address(Claim::Host, c.fact(host));
    if c.skip(", error code: ") {
        let code = c.word(|c| !c.is_ascii_digit() && c != '-')?;
        d.put(Claim::Code, c.fact(code));
    }
    Some(())
}
