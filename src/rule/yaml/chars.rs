//! Classes of characters as SnakeYAML's `Constant` and Java's `Character` draw them.

/// What the reader shows behind the last character; the text itself cannot hold it.
pub(super) const END: char = '\0';

/// A character that ends a line by itself (`Constant.LINEBR`): CR is not among them.
pub(super) fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// A line break or the end (`NULL_OR_LINEBR`).
pub(super) fn is_break_or_end(c: char) -> bool {
    matches!(c, END | '\r') || is_break(c)
}

/// A space, a line break or the end (`NULL_BL_LINEBR`).
pub(super) fn is_space_or_break(c: char) -> bool {
    c == ' ' || is_break_or_end(c)
}

/// A space, a TAB, a line break or the end (`NULL_BL_T_LINEBR`).
pub(super) fn is_white_or_break(c: char) -> bool {
    c == '\t' || is_space_or_break(c)
}

/// `[0-9A-Za-z_-]` (`ALPHA`).
pub(super) fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-' || c == '_'
}

/// A character of a tag (`URI_CHARS`).
pub(super) fn is_uri(c: char) -> bool {
    is_word(c)
        || matches!(
            c,
            ';' | '/'
                | '?'
                | ':'
                | '@'
                | '&'
                | '='
                | '+'
                | '$'
                | ','
                | '.'
                | '!'
                | '~'
                | '*'
                | '\''
                | '('
                | ')'
                | '['
                | ']'
                | '%'
        )
}

/// A character that the reader lets pass (`StreamReader.isPrintable`).
pub(super) fn is_printable(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{A0}'..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}

/// The zero of every run of ten decimal digits in Unicode 13 (Java 17).
const ZEROS: [u32; 65] = [
    0x30, 0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66,
    0xDE6, 0xE50, 0xED0, 0xF20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90,
    0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10,
    0x104A0, 0x10D30, 0x11066, 0x110F0, 0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650,
    0x116C0, 0x11730, 0x118E0, 0x11950, 0x11C50, 0x11D50, 0x11DA0, 0x16A60, 0x16B50, 0x1D7CE,
    0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6, 0x1E140, 0x1E2F0, 0x1E950, 0x1FBF0,
];

/// The value of a decimal digit of any script.
fn decimal(c: char) -> Option<u32> {
    let code = u32::from(c);
    let zero = ZEROS[..ZEROS.partition_point(|zero| *zero <= code)].last()?;
    (code - zero < 10).then(|| code - zero)
}

/// `Character.isDigit(int)`: a decimal digit of any script.
pub(super) fn is_digit(c: char) -> bool {
    decimal(c).is_some()
}

/// `Character.digit(char, radix)`, which Java's number parsers use: digits of any script and full-width letters count,
/// characters outside the basic plane (two `char`s in Java) do not.
pub(super) fn digit(c: char, radix: u32) -> Option<u32> {
    let value = match c {
        '0'..='9' => u32::from(c) - u32::from('0'),
        'a'..='z' => u32::from(c) - u32::from('a') + 10,
        'A'..='Z' => u32::from(c) - u32::from('A') + 10,
        '\u{FF21}'..='\u{FF3A}' => u32::from(c) - 0xFF21 + 10,
        '\u{FF41}'..='\u{FF5A}' => u32::from(c) - 0xFF41 + 10,
        '\u{10000}'.. => return None,
        _ => decimal(c)?,
    };
    (value < radix).then_some(value)
}

/// `c(code)`, the way messages show a character.
pub(super) fn shown(c: char) -> String {
    format!("{c}({})", u32::from(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_other_scripts_count_as_in_java() {
        assert_eq!(digit('７', 10), Some(7));
        assert_eq!(digit('٣', 8), Some(3));
        assert_eq!(digit('Ｆ', 16), Some(15));
        assert_eq!(digit('9', 8), None);
        assert_eq!(digit('\u{1D7CE}', 10), None);
        assert!(is_digit('\u{1D7CE}') && !is_digit('a') && !is_digit('½'));
    }
}
