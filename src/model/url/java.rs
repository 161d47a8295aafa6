//! The few functions of Java's library whose exact behaviour shows in Dubbo's answers.

/// `String.trim`: everything up to U+0020 is white space.
pub(crate) fn trim(text: &str) -> &str {
    text.trim_matches(|c| c <= ' ')
}

/// `StringUtils.isBlank`: empty or only `Character.isWhitespace`.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|c| {
        // no-break spaces are not white space in Java, the four separators of C0 are
        c.is_whitespace() && !matches!(c, '\u{a0}' | '\u{2007}' | '\u{202f}' | '\u{85}')
            || matches!(c, '\u{1c}'..='\u{1f}')
    })
}

/// `Boolean.parseBoolean`: `true` in any letter case, nothing else.
pub fn is_true(text: &str) -> bool {
    text.eq_ignore_ascii_case("true")
}

/// The zeros of the decimal digits that `Character.digit` knows in the basic plane; nine more follow each.
const ZEROS: [char; 37] = [
    '0', '\u{660}', '\u{6f0}', '\u{7c0}', '\u{966}', '\u{9e6}', '\u{a66}', '\u{ae6}', '\u{b66}',
    '\u{be6}', '\u{c66}', '\u{ce6}', '\u{d66}', '\u{de6}', '\u{e50}', '\u{ed0}', '\u{f20}',
    '\u{1040}', '\u{1090}', '\u{17e0}', '\u{1810}', '\u{1946}', '\u{19d0}', '\u{1a80}', '\u{1a90}',
    '\u{1b50}', '\u{1bb0}', '\u{1c40}', '\u{1c50}', '\u{a620}', '\u{a8d0}', '\u{a900}', '\u{a9d0}',
    '\u{a9f0}', '\u{aa50}', '\u{abf0}', '\u{ff10}',
];

/// `Integer.parseInt`, which also takes the digits of other scripts (full-width ones come from Chinese input methods).
pub(crate) fn parse_int(text: &str) -> Option<i32> {
    parse(text)
}

/// `Long.parseLong`, likewise.
pub(crate) fn parse_long(text: &str) -> Option<i64> {
    parse(text)
}

fn parse<T: std::str::FromStr>(text: &str) -> Option<T> {
    let digit = |c: char| {
        let value = ZEROS
            .iter()
            .map(|&zero| u32::from(c).wrapping_sub(u32::from(zero)));
        value
            .filter(|&value| value < 10)
            .find_map(|value| char::from_digit(value, 10))
    };
    let ascii: String = text.chars().map(|c| digit(c).unwrap_or(c)).collect();
    // Rust accepts the same signs; only a lone sign and the range are errors in both
    ascii.parse().ok()
}

/// `URLEncoder.encode(text, "UTF-8")`: how a URL becomes the name of a registry entry.
pub fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'*' => {
                out.push(char::from(byte));
            }
            b' ' => out.push('+'),
            other => {
                out.push('%');
                for digit in [other >> 4, other & 15] {
                    out.push(char::from(b"0123456789ABCDEF"[usize::from(digit)]));
                }
            }
        }
    }
    out
}

/// `URLDecoder.decode(text, "UTF-8")`; bytes that are not UTF-8 become U+FFFD. `Err` is the place of a broken sequence.
pub fn decode(text: &str) -> Result<String, usize> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        match byte {
            b'+' => bytes.push(b' '),
            b'%' => {
                let place = text.len() - tail.len() - 1;
                let digits = tail.get(..2).ok_or(place)?;
                let nibble = |digit: u8| char::from(digit).to_digit(16).ok_or(place);
                let value = nibble(digits[0])? * 16 + nibble(digits[1])?;
                bytes.push(u8::try_from(value).map_err(|_| place)?);
                rest = &tail[2..];
            }
            other => bytes.push(other),
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn white_space_is_that_of_java() {
        assert!(is_blank("") && is_blank(" \t\u{1c}\u{3000}") && !is_blank("\u{a0}"));
        assert_eq!(trim("\u{1} a\u{a0} "), "a\u{a0}");
    }

    #[test]
    fn integers() {
        assert_eq!(parse_int("+5"), Some(5));
        assert_eq!(parse_int("２08８0"), Some(20880));
        assert_eq!(parse_int("-2147483648"), Some(i32::MIN));
        for text in ["", "+", "-", " 5", "5 ", "0x1", "2147483648"] {
            assert_eq!(parse_int(text), None, "{text}");
        }
    }

    #[test]
    fn form_encoding() {
        assert_eq!(encode("a b/ü~*-_."), "a+b%2F%C3%BC%7E*-_.");
        assert_eq!(decode("a+b%2f%C3%BC"), Ok("a b/ü".into()));
        assert_eq!(decode("a%2"), Err(1));
        assert_eq!(decode("ab%zz"), Err(2));
        assert_eq!(decode("%ff"), Ok("\u{fffd}".into()));
    }

    proptest! {
        #[test]
        fn what_is_encoded_comes_back(text in any::<String>()) {
            prop_assert_eq!(decode(&encode(&text)), Ok(text));
        }

        #[test]
        fn decoding_never_panics(text in "[%a-f0-9+ü]{0,20}") {
            let _ = decode(&text);
        }
    }
}
