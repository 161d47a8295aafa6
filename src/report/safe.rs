//! Foreign text made harmless: what could move the cursor, change colours or reorder a line is shown as `\u{..}`.

use std::fmt::Write as _;

/// Whether a character may not reach a terminal as it is.
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c,
            // Direction marks, embeddings, overrides, isolates.
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}'
            // Invisible: zero width, soft hyphen, byte order mark, line and paragraph separator, tags.
            | '\u{ad}' | '\u{34f}' | '\u{180e}' | '\u{200b}'..='\u{200d}' | '\u{2028}' | '\u{2029}'
            | '\u{2060}'..='\u{2065}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// The text for a terminal.
pub fn safe(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unsafe(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out
}

/// JSON for a terminal: the same data, since such characters only stand inside of strings.
pub(crate) fn safe_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if is_unsafe(c) && c != '\n' {
            let mut units = [0_u16; 2];
            for unit in c.encode_utf16(&mut units) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn shows_what_is_hidden() {
        assert_eq!(
            safe("a\x1b[31mb\n\u{202e}c\u{7f}"),
            r"a\u{1b}[31mb\u{a}\u{202e}c\u{7f}"
        );
        assert_eq!(safe("路由规则 · → ✗"), "路由规则 · → ✗");
    }

    proptest! {
        #[test]
        fn json_keeps_its_meaning(text in any::<String>()) {
            let json = serde_json::to_string_pretty(&[&text]).unwrap();
            let shown = safe_json(&json);
            prop_assert!(shown.chars().all(|c| c == '\n' || !is_unsafe(c)));
            prop_assert_eq!(serde_json::from_str::<Vec<String>>(&shown).unwrap(), vec![text]);
        }

        #[test]
        fn nothing_unsafe_is_left(text in any::<String>()) {
            prop_assert!(!safe(&text).chars().any(is_unsafe));
        }
    }
}
