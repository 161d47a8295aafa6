//! Lines to blocks: which line begins an entry, which goes on with it, which begins another message. One stream per pod,
//! so that interleaved logs come apart.

use std::collections::BTreeMap;

use super::block::{Block, Front, Unit};
use super::clean::CUT;
use super::decode::RawLine;
use super::fact::Place;
use super::frames::is_frame;
use super::head::begins_entry;
use super::moment;
use super::pattern;
use super::peel::{self, Outer};
use super::text::Text;
use super::wrap;

/// Streams kept apart; a log with more pods than this is told by the ones that spoke last.
const MAX_STREAMS: usize = 256;

/// A front longer than this is no front.
const MAX_FRONT: usize = 4096;

/// A piece longer than this is handed on as it is.
const MAX_PIECES: usize = 4 * 1024 * 1024;

#[derive(Debug, Default)]
struct Stream {
    front: Option<Front>,
    block: Option<Block>,
    /// The line before, for fixed words that a wrap cut in two.
    previous: Option<Text>,
    last_used: u64,
}

/// Collects lines into blocks.
#[derive(Debug, Default)]
pub(super) struct Assembler {
    streams: BTreeMap<Option<String>, Stream>,
    pieces: BTreeMap<(Option<String>, Option<String>), (Outer, Text)>,
    entries: u64,
    lines: u64,
}

impl Assembler {
    /// Takes a line and hands on what has become whole.
    pub(super) fn push(&mut self, line: &RawLine<'_>, sink: &mut impl FnMut(Unit)) {
        self.lines += 1;
        let place = Place {
            line: line.number,
            column: 1,
            offset: line.offset,
        };
        let mut text = Text::at(&line.text, place);
        if line.cut {
            text.push(CUT.encode_utf8(&mut [0; 4]), place);
        }
        let (outer, text) = peel::outermost(text);
        let Some((outer, text)) = self.join_pieces(outer, text) else {
            return;
        };
        let peeled = peel::peel(text, outer);
        for (index, text) in peeled.lines.into_iter().enumerate() {
            let entry = peeled.outer.entry && index == 0;
            self.line(text, &peeled.outer, entry, sink);
        }
    }

    /// The text ends.
    pub(super) fn finish(&mut self, sink: &mut impl FnMut(Unit)) {
        for (_, (mut outer, text)) in std::mem::take(&mut self.pieces) {
            outer.piece = false;
            let peeled = peel::peel(text, outer);
            for text in peeled.lines {
                self.line(text, &peeled.outer, false, sink);
            }
        }
        let mut rest: Vec<Stream> = std::mem::take(&mut self.streams).into_values().collect();
        rest.sort_by_key(|stream| stream.last_used);
        for block in rest.into_iter().filter_map(|stream| stream.block) {
            block.read().into_iter().for_each(&mut *sink);
        }
    }

    /// Pieces of a container's line up to the last one.
    fn join_pieces(&mut self, outer: Outer, text: Text) -> Option<(Outer, Text)> {
        if outer.stream.is_none() {
            return Some((outer, text));
        }
        let key = (
            outer.pod.as_ref().map(|pod| pod.0.clone()),
            outer.stream.clone(),
        );
        let known = self.pieces.remove(&key);
        let (first, mut joined) = known.unwrap_or_else(|| (outer.clone(), Text::default()));
        joined.push_part(&text, 0, text.len());
        if outer.piece && joined.len() < MAX_PIECES && self.pieces.len() < MAX_STREAMS {
            self.pieces.insert(key, (first, joined));
            return None;
        }
        Some((
            Outer {
                piece: false,
                ..first
            },
            joined,
        ))
    }

    fn line(&mut self, text: Text, outer: &Outer, entry: bool, sink: &mut impl FnMut(Unit)) {
        let now = self.lines;
        let pod = outer.pod.as_ref().map(|pod| pod.0.clone());
        if self.streams.len() >= MAX_STREAMS && !self.streams.contains_key(&pod) {
            self.drop_oldest(sink);
        }
        let stream = self.streams.entry(pod).or_default();
        stream.last_used = now;
        // A piece of a broken line may begin with a time that is part of the text.
        let inside = stream.is_broken_off(true) && moment::begins_inside(text.as_str());
        let begins = entry || (begins_entry(text.as_str()) && !inside);
        self.entries += u64::from(begins);
        let number = self.entries;
        if begins {
            stream.begin(text, outer, number, sink);
        } else {
            stream.go_on(text, outer, sink);
        }
    }

    fn drop_oldest(&mut self, sink: &mut impl FnMut(Unit)) {
        let oldest = self
            .streams
            .iter()
            .min_by_key(|(_, stream)| stream.last_used)
            .map(|(key, _)| key.clone());
        if let Some(block) = oldest
            .and_then(|key| self.streams.remove(&key))
            .and_then(|stream| stream.block)
        {
            block.read().into_iter().for_each(sink);
        }
    }
}

impl Stream {
    /// Whether the line before was broken by a terminal.
    fn is_broken_off(&self, sure: bool) -> bool {
        self.block
            .as_ref()
            .is_some_and(|block| block.is_broken_off(sure))
    }

    /// A line that begins an entry.
    fn begin(&mut self, text: Text, outer: &Outer, entry: u64, sink: &mut impl FnMut(Unit)) {
        self.close(sink);
        let anchored = pattern::first_anchor(text.as_str()).is_some();
        self.previous = Some(text.clone()).filter(|text| !anchored && text.len() <= MAX_FRONT);
        let mut front = Front {
            text,
            outer: outer.clone(),
            entry,
        };
        if anchored {
            self.block = Some(Block::of_entry(front.clone()));
        }
        if front.text.len() > MAX_FRONT {
            let end = (0..=MAX_FRONT)
                .rev()
                .find(|at| front.text.as_str().is_char_boundary(*at))
                .unwrap_or(0);
            front.text = front.text.part(0, end);
        }
        self.front = Some(front);
    }

    /// Any other line.
    fn go_on(&mut self, text: Text, outer: &Outer, sink: &mut impl FnMut(Unit)) {
        let line = text.as_str();
        let broken_off = self.is_broken_off(false);
        if is_frame(line) && !broken_off {
            if let Some(block) = &mut self.block {
                block.add_frame(&text);
            }
            self.previous = None;
            return;
        }
        let anchor = pattern::first_anchor(line);
        let across = anchor.is_none_or(|at| at > 0)
            && self
                .previous
                .as_ref()
                .is_some_and(|before| pattern::anchor_across(before.as_str(), line));
        if let Some(block) = &mut self.block {
            match anchor {
                Some(at) if !across && !broken_off && block.ends_before(line, at) => {
                    self.close(sink);
                }
                _ => {
                    block.add(text.clone());
                    self.previous = Some(text);
                    return;
                }
            }
        }
        if anchor.is_some() || across {
            let mut block = Block::new(self.front.clone(), outer.clone());
            let broken = |before: &Text| wrap::goes_on(std::slice::from_ref(before), false);
            if let Some(before) = self
                .previous
                .take()
                .filter(|before| across || broken(before))
            {
                let is_front = self
                    .front
                    .as_ref()
                    .is_some_and(|front| front.text == before);
                block = if is_front {
                    Block::of_entry(self.front.clone().unwrap_or_default())
                } else {
                    block
                };
                if !is_front {
                    block.add(before);
                }
            }
            block.add(text.clone());
            self.block = Some(block);
        }
        self.previous = Some(text).filter(|text| text.len() <= MAX_FRONT);
    }

    fn close(&mut self, sink: &mut impl FnMut(Unit)) {
        if let Some(block) = self.block.take() {
            block.read().into_iter().for_each(sink);
        }
    }
}
