//! Lines that belong together: the front of a log entry, its text, its stack trace. A block is read once it is whole.

use super::claim::Claim;
use super::fact::{Fact, Language};
use super::frames::{Frames, is_cause};
use super::head::{self, Head};
use super::message::{Message, MessageId};
use super::pattern::{self, Found, Part, Reading};
use super::peel::Outer;
use super::repeated::{add_message, merge_detail};
use super::text::Text;
use super::wrap;

/// Text of one block looked at, bytes.
const MAX_TEXT: usize = 8 * 1024 * 1024;

/// Lines of one block looked at, frames not counted.
const MAX_LINES: usize = 5000;

/// The first line of a log entry with the layers around it.
#[derive(Debug, Clone, Default)]
pub(super) struct Front {
    pub(super) text: Text,
    pub(super) outer: Outer,
    /// Counts entries; blocks with one number belong to one entry.
    pub(super) entry: u64,
}

/// Lines collected for one look.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// The entry to which the lines belong.
    front: Option<Front>,
    /// The entry's front is the first of `lines`.
    front_is_first: bool,
    outer: Outer,
    lines: Vec<Text>,
    bytes: usize,
    frames: Frames,
}

/// Messages of one block that hang together, with what the entry says.
#[derive(Debug)]
pub(super) struct Unit {
    pub(super) messages: Vec<Message>,
    pub(super) head: Head,
    pub(super) pod: Option<String>,
    pub(super) entry: Option<u64>,
    /// The line begins with the class of an exception.
    pub(super) thrown: bool,
    /// The only message is a reason: it belongs to what stands before it in the entry, if there is something.
    pub(super) detail: bool,
    pub(super) line: u64,
}

/// What a block says when its lines are taken in one way.
#[derive(Debug, Default)]
struct Look {
    units: Vec<Unit>,
    frames: Frames,
    score: (usize, usize),
    /// Something broke off or may have been cut by a wrap.
    doubtful: bool,
}

impl Block {
    /// A block that begins with a line; `front` is the entry it belongs to, if it is another line.
    pub(super) fn new(front: Option<Front>, outer: Outer) -> Self {
        Self {
            front,
            outer,
            ..Self::default()
        }
    }

    /// A block whose first line is the entry's front.
    pub(super) fn of_entry(front: Front) -> Self {
        let (text, outer) = (front.text.clone(), front.outer.clone());
        let mut block = Self {
            front: Some(front),
            front_is_first: true,
            outer,
            ..Self::default()
        };
        block.add(text);
        block
    }

    /// Adds a line; what is beyond the limits is left out.
    pub(super) fn add(&mut self, line: Text) {
        if self.lines.len() < MAX_LINES && self.bytes + line.len() <= MAX_TEXT {
            self.bytes += line.len();
            self.lines.push(line);
        }
    }

    /// Adds a stack frame.
    pub(super) fn add_frame(&mut self, line: &Text) {
        self.frames.add(line.as_str(), line.place(0));
    }

    /// Whether a line with fixed words begins another message rather than going on with this one.
    pub(super) fn ends_before(&self, line: &str, anchor: usize) -> bool {
        let top = line.trim_start();
        let begins = anchor + top.len() == line.len()
            || begins_with_exception(top)
            || head::is_level_line(top);
        begins
            && !is_cause(line)
            && self
                .lines
                .iter()
                .any(|line| pattern::first_anchor(line.as_str()).is_some())
    }

    /// Whether a line goes on with the last one because a terminal broke it there.
    pub(super) fn is_broken_off(&self, sure: bool) -> bool {
        wrap::goes_on(&self.lines, sure)
    }

    /// Reads the block.
    pub(super) fn read(self) -> Vec<Unit> {
        let mut look = self.look(&self.lines);
        if look.doubtful
            && let Some(joined) = wrap::join(&self.lines)
        {
            let other = self.look(&joined);
            if other.score >= look.score {
                look = other;
            }
        }
        let mut units = look.units;
        let mut claims = self.front_tail();
        if let Some(unit) = units.first_mut()
            && let Some(message) = unit.messages.first_mut()
        {
            claims.extend(look.frames.claims());
            for claim in claims {
                message.facts.push(claim);
            }
        }
        units
    }

    fn look(&self, lines: &[Text]) -> Look {
        let mut look = Look {
            frames: self.frames.clone(),
            ..Look::default()
        };
        for paragraph in paragraphs(lines) {
            let text = join(&lines[paragraph.clone()]);
            let reading = pattern::scan(&text);
            let (whole, facts) = reading.score();
            look.score = (look.score.0 + whole, look.score.1 + facts);
            look.doubtful |= reading.broken > 0
                || reading.ended_a_line
                || reading.loose
                || reading.found.is_empty();
            let first_line = lines[paragraph.start].as_str();
            if let Some(first) = reading.found.first() {
                look.frames.note_package(
                    text.as_str().get(..first.at).unwrap_or_default(),
                    text.place(0),
                );
            }
            self.take(reading, &text, first_line, &mut look.units);
        }
        look
    }

    /// Sorts what one paragraph says into units: one line (with its `Caused by`) is one happening.
    fn take(&self, reading: Reading, text: &Text, first_line: &str, units: &mut Vec<Unit>) {
        let mut last_line = None;
        let mut segment_start = None;
        for Found { part, at } in reading.found {
            let line = text.as_str()[..at].matches('\n').count();
            let chained = is_cause(first_line)
                || last_line == Some(line)
                || (reading.loose && last_line.is_some());
            match part {
                Part::Message(message) if units.is_empty() => {
                    self.open(message, first_line, text, at, units);
                }
                Part::Detail(Some(_), message) if units.is_empty() => {
                    self.open(message, first_line, text, at, units);
                    if let Some(unit) = units.last_mut() {
                        unit.detail = true;
                    }
                }
                Part::Detail(_, message) => {
                    let Some(known) = units.last_mut().and_then(|unit| unit.messages.last_mut())
                    else {
                        continue;
                    };
                    merge_detail(known, &message);
                    continue;
                }
                Part::Message(message) if chained => {
                    let Some(unit) = units.last_mut() else {
                        continue;
                    };
                    add_message(&mut unit.messages, message);
                }
                Part::Message(message) => self.open(message, first_line, text, at, units),
                Part::Tail(facts) => {
                    let Some(unit) = units.last_mut() else {
                        continue;
                    };
                    let index = segment_start
                        .take()
                        .unwrap_or(0)
                        .min(unit.messages.len().saturating_sub(1));
                    if let Some(message) = unit.messages.get_mut(index) {
                        message.facts.extend(facts);
                    }
                    continue;
                }
            }
            last_line = Some(line);
            if segment_start.is_none() || !chained {
                segment_start = units
                    .last()
                    .map(|unit| unit.messages.len().saturating_sub(1));
            }
        }
    }

    fn open(
        &self,
        mut message: Message,
        first_line: &str,
        text: &Text,
        at: usize,
        units: &mut Vec<Unit>,
    ) {
        let place = text.place(at);
        let head = self.head(text, at);
        self.put_head(&head, &mut message);
        units.push(Unit {
            messages: vec![message],
            pod: self.outer.pod.as_ref().map(|pod| pod.0.clone()),
            entry: self.front.as_ref().map(|front| front.entry),
            thrown: begins_with_exception(first_line.trim_start()),
            detail: false,
            line: place.line,
            head,
        });
    }

    /// The front of the entry: on the message's own line, or on the line that began the entry.
    fn head(&self, text: &Text, at: usize) -> Head {
        let line_start = text.as_str()[..at]
            .rfind('\n')
            .map_or(0, |newline| newline + 1);
        let own = text.part(line_start, at);
        match &self.front {
            Some(front)
                if !self.front_is_first
                    || front.text.as_str().get(..own.len()) != Some(own.as_str()) =>
            {
                let mut head = head::read(&front.text, front.text.len().min(400), &front.outer);
                if head::is_level_line(own.as_str()) {
                    let level = head::read(&own, own.len(), &Outer::default());
                    head.level = level.level.or(head.level);
                }
                head
            }
            _ => head::read(&own, own.len(), &self.outer),
        }
    }

    fn put_head(&self, head: &Head, message: &mut Message) {
        let facts = &mut message.facts;
        if let Some((moment, place)) = &head.time {
            facts.push(Claim::Time(Fact::stated(moment.clone(), *place)));
        }
        let said = |make: fn(Fact<String>) -> Claim,
                    said: &Option<(String, super::fact::Place)>| {
            said.as_ref()
                .map(|(text, place)| make(Fact::stated(text.clone(), *place)))
        };
        let claims = [
            said(Claim::Level, &head.level),
            said(Claim::Thread, &head.thread),
            said(Claim::Application, &head.application),
            said(Claim::Pod, &self.outer.pod),
        ];
        for claim in claims.into_iter().flatten() {
            facts.push(claim);
        }
        as_language(message, head.go);
    }

    /// Version, host and code of a front that holds no message itself: they belong to the exception below it.
    fn front_tail(&self) -> Vec<Claim> {
        let Some(front) = self.front.as_ref().filter(|_| !self.front_is_first) else {
            return Vec::new();
        };
        pattern::scan(&front.text)
            .found
            .into_iter()
            .filter_map(|found| match found.part {
                Part::Tail(facts) => Some(facts),
                _ => None,
            })
            .flat_map(|facts| facts.iter().cloned().collect::<Vec<_>>())
            .collect()
    }
}

/// Whose client wrote a message. A few texts of Java and Go are alike; the logger's Go file tells them apart.
fn as_language(message: &mut Message, go_logger: bool) {
    let go = go_logger || message.id.name().starts_with("GO-");
    if message.id == MessageId::Force && go {
        message.id = MessageId::GoForce;
    }
    let neutral = matches!(message.id, MessageId::NacosClient | MessageId::ZkClient);
    if neutral && !go {
        return;
    }
    let language = if go { Language::Go } else { Language::Java };
    message
        .facts
        .push(Claim::Language(Fact::derived(language, message.place)));
}

/// Lines from one that begins a text of its own to the next such one: a text that was wrapped is put together within
/// these bounds.
fn paragraphs(lines: &[Text]) -> Vec<std::ops::Range<usize>> {
    let mut ranges = Vec::new();
    let mut start = 0;
    for (index, line) in lines.iter().enumerate().skip(1) {
        let text = line.as_str();
        if is_cause(text) || begins_with_exception(text.trim_start()) {
            ranges.push(start..index);
            start = index;
        }
    }
    if start < lines.len() {
        ranges.push(start..lines.len());
    }
    ranges
}

fn join(lines: &[Text]) -> Text {
    let mut text = Text::default();
    for (index, line) in lines.iter().enumerate() {
        if index > 0 {
            text.push("\n", line.place(0));
        }
        text.push_part(line, 0, line.len());
    }
    text
}

/// `a.b.C: ` or `Exception in thread "x" a.b.C: `.
pub(super) fn begins_with_exception(line: &str) -> bool {
    let line = match line.strip_prefix("Exception in thread \"") {
        Some(rest) => rest.split_once("\" ").map_or("", |(_, rest)| rest),
        None => line,
    };
    let class = line
        .find(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '_' | '$')))
        .map_or(line, |at| &line[..at]);
    class.contains('.')
        && !class.starts_with('.')
        && ["Exception", "Error", "Throwable"]
            .iter()
            .any(|word| class.contains(word))
        && matches!(line.as_bytes().get(class.len()), None | Some(b':' | b' '))
}
