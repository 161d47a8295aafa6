//! Equal calls in an access log: what a retry after a timeout looks like from the provider.
//!
//! Only calls with arguments count: without any, all calls are equal. Memory is bounded: a hash and a place of each of
//! the last calls, and a bounded list of pairs.

use std::{
    collections::{HashMap, VecDeque},
    hash::{DefaultHasher, Hash, Hasher},
};

use super::access_log::AccessLine;
use crate::model::time::Micros;

/// Calls among which equal ones are looked for.
const WINDOW: usize = 200_000;
/// Pairs that are kept, those closest together.
const MOST: usize = 1000;
/// Calls further apart are no tries of one call.
const LONGEST: Micros = Micros::from_millis(600_000);

/// Two calls of one caller with the same method and arguments.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Repeat {
    /// Time between their beginnings.
    pub gap: Micros,
    /// Lines of the log, the earlier read first.
    pub lines: (u64, u64),
    /// The method.
    pub method: String,
    /// Host of the caller.
    pub caller: String,
}

/// Looks for equal calls.
#[derive(Debug, Default)]
pub struct Repeats {
    last: HashMap<u64, (u64, u64)>,
    order: VecDeque<(u64, u64)>,
    pairs: Vec<Repeat>,
}

impl Repeats {
    /// Takes a call that began at this time, in microseconds.
    pub fn take(&mut self, call: &AccessLine<'_>, began: u64, line: u64) {
        let arguments = call.arguments.trim();
        if arguments.is_empty() || arguments == "[]" {
            return;
        }
        let mut hasher = DefaultHasher::new();
        let told = (
            call.remote_host,
            call.service,
            call.method,
            call.types,
            arguments,
        );
        told.hash(&mut hasher);
        let hash = hasher.finish();
        if let Some((before, first)) = self.last.insert(hash, (began, line)) {
            let gap = Micros(began.abs_diff(before));
            if gap <= LONGEST {
                self.pairs.push(Repeat {
                    gap,
                    lines: (first, line),
                    method: call.method.to_owned(),
                    caller: call.remote_host.to_owned(),
                });
            }
        }
        self.order.push_back((hash, line));
        if self.order.len() > WINDOW
            && let Some((old, of_line)) = self.order.pop_front()
            && self
                .last
                .get(&old)
                .is_some_and(|(_, line)| *line == of_line)
        {
            self.last.remove(&old);
        }
        if self.pairs.len() >= 2 * MOST {
            self.cut();
        }
    }

    fn cut(&mut self) {
        self.pairs.sort();
        self.pairs.truncate(MOST);
    }

    /// The pairs, those closest together first.
    pub fn found(mut self) -> Vec<Repeat> {
        self.cut();
        self.pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::access_log::parse_line;

    fn found(calls: &[(&str, u64)]) -> Vec<Repeat> {
        let mut repeats = Repeats::default();
        for (index, (call, began)) in calls.iter().enumerate() {
            let line = format!(
                "[t] 10.0.0.5:{} -> 10.0.0.7:20880 - a.B {call}",
                1000 + index
            );
            let line = parse_line(&line).unwrap();
            repeats.take(&line, *began, index as u64 + 1);
        }
        repeats.found()
    }

    #[test]
    fn equal_calls_are_pairs_and_others_are_not() {
        let pairs = found(&[
            ("pay(int) [1]", 0),
            ("pay(int) [2]", 10),
            ("pay(int) [1]", 1_000_000),
            ("pay(int) [1]", 2_000_000),
            ("create() []", 0),
            ("create() []", 1),
            ("drop() ", 0),
            ("drop() ", 1),
            ("pay(int) [2]", 3_600_000_000),
        ]);
        let told: Vec<_> = pairs.iter().map(|pair| (pair.gap.0, pair.lines)).collect();
        assert_eq!(told, [(1_000_000, (1, 3)), (1_000_000, (3, 4))]);
    }

    #[test]
    fn memory_is_bounded() {
        let mut repeats = Repeats::default();
        for number in 0..(WINDOW as u64 + 5000) {
            let text = format!(
                "[t] 10.0.0.5:1 -> 10.0.0.7:2 - a.B pay(int) [{}]",
                number / 2
            );
            repeats.take(&parse_line(&text).unwrap(), number, number);
        }
        assert!(repeats.last.len() <= WINDOW && repeats.order.len() <= WINDOW);
        assert_eq!(repeats.found().len(), MOST);
    }
}
