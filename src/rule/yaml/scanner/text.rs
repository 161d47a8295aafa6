//! The text of a scalar while it is put together.

/// Collects a text the way a Java `StringBuilder` does: two surrogate halves that meet become one character.
///
/// A half that stays alone (`"\ud83d"`) cannot be held in Rust and becomes U+FFFD.
#[derive(Default)]
pub(super) struct ScalarText {
    text: String,
    high: Option<u32>,
}

impl ScalarText {
    pub(super) fn push(&mut self, c: char) {
        self.end_pair();
        self.text.push(c);
    }

    pub(super) fn extend(&mut self, chars: &[char]) {
        if !chars.is_empty() {
            self.end_pair();
            self.text.extend(chars);
        }
    }

    /// Adds what an escape stands for; `false` when it is no code point.
    pub(super) fn push_code(&mut self, code: u32) -> bool {
        match (code, self.high) {
            (0xD800..=0xDBFF, _) => {
                self.end_pair();
                self.high = Some(code);
            }
            (0xDC00..=0xDFFF, Some(high)) => {
                self.high = None;
                let joined = 0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00);
                self.text
                    .push(char::from_u32(joined).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            (0xDC00..=0xDFFF, None) => self.text.push(char::REPLACEMENT_CHARACTER),
            _ => match char::from_u32(code) {
                Some(c) => self.push(c),
                None => return false,
            },
        }
        true
    }

    fn end_pair(&mut self) {
        if self.high.take().is_some() {
            self.text.push(char::REPLACEMENT_CHARACTER);
        }
    }

    pub(super) fn finish(mut self) -> String {
        self.end_pair();
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::ScalarText;

    fn of(codes: &[u32]) -> String {
        let mut text = ScalarText::default();
        for code in codes {
            assert!(text.push_code(*code));
        }
        text.finish()
    }

    #[test]
    fn halves_join_only_when_they_meet() {
        assert_eq!(of(&[0xD83D, 0xDE00]), "😀");
        assert_eq!(of(&[0xD83D, 0x41, 0xDE00]), "\u{FFFD}A\u{FFFD}");
        assert_eq!(of(&[0xD83D, 0xD83D, 0xDE00]), "\u{FFFD}😀");
        assert!(!ScalarText::default().push_code(0x11_0000));
    }
}
