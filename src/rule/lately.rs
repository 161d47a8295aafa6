//! Long texts that were read lately: every stage, state and world of a consumer reads the same rules again, and a rule may
//! be megabytes long. Holds what was read, never what somebody did with it.

use std::cell::RefCell;

/// Texts below this many bytes are read faster than they are looked for.
const LONG: usize = 16 << 10;
/// Texts that are remembered.
const MOST: usize = 6;

/// What long texts came to, by the version that read them. One for each kind of rule, in a `thread_local`.
pub(super) struct Lately<V, T>(RefCell<Vec<(String, V, T)>>);

impl<V: PartialEq + Clone, T: Clone> Lately<V, T> {
    pub(super) const fn new() -> Self {
        Self(RefCell::new(Vec::new()))
    }

    /// What a text came to, or comes to now.
    pub(super) fn or_read(&self, text: &str, version: &V, read: impl FnOnce() -> T) -> T {
        if text.len() < LONG {
            return read();
        }
        let known = {
            let lately = self.0.borrow();
            let same = |(of, by, _): &&(String, V, T)| by == version && of == text;
            lately.iter().find(same).map(|(.., value)| value.clone())
        };
        known.unwrap_or_else(|| {
            let value = read();
            let mut lately = self.0.borrow_mut();
            lately.truncate(MOST - 1);
            lately.insert(0, (text.to_owned(), version.clone(), value.clone()));
            value
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::version::{DubboVersion, Line};

    #[test]
    fn a_long_text_is_read_once_for_each_version() {
        let lately = Lately::new();
        let long = "x".repeat(LONG);
        let newest = DubboVersion::newest(Line::V3_3);
        let mut reads = 0;
        for _ in 0..3 {
            for text in [long.as_str(), "short"] {
                lately.or_read(text, &newest, || reads += 1);
            }
        }
        assert_eq!(reads, 1 + 3);
        lately.or_read(&long, &DubboVersion::newest(Line::V2_7), || reads += 1);
        assert_eq!(reads, 5);
    }
}
