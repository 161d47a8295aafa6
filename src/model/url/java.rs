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

/// `Integer.parseInt` for ASCII digits.
pub(crate) fn parse_int(text: &str) -> Option<i32> {
    // Rust accepts the same signs; only a lone sign and the range are errors in both
    text.parse().ok()
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
