//! Java properties (`java.util.Properties.load`): `dubbo.properties`, `application.properties`.

use std::collections::BTreeMap;

/// One property with the line on which it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Property {
    /// Key, escapes resolved.
    pub key: String,
    /// Value, escapes resolved.
    pub value: String,
    /// Line of the file, from 1.
    pub line: u64,
}

/// Reads a properties text. Never fails: what Java would refuse (`\uXYZ`) stays as it is.
pub fn read(text: &str) -> Vec<Property> {
    let mut properties = Vec::new();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.split(['\n', '\r']).zip(line_numbers(text));
    while let Some((line, number)) = lines.next() {
        let start = line.trim_start_matches(BLANK);
        if start.is_empty() || start.starts_with(['#', '!']) {
            continue;
        }
        let mut logical = start.to_owned();
        while ends_open(&logical) {
            logical.pop();
            match lines.next() {
                Some((next, _)) => logical.push_str(next.trim_start_matches(BLANK)),
                None => break,
            }
        }
        let (key, value) = split(&logical);
        properties.push(Property {
            key: unescape(key),
            value: unescape(value),
            line: number,
        });
    }
    properties
}

/// The values by key; the last one of a key wins, as in Java.
pub fn by_key(properties: &[Property]) -> BTreeMap<&str, &Property> {
    properties
        .iter()
        .map(|property| (property.key.as_str(), property))
        .collect()
}

const BLANK: [char; 3] = [' ', '\t', '\u{c}'];

/// Numbers for the pieces between `\n` and `\r`; `\r\n` counts once.
fn line_numbers(text: &str) -> impl Iterator<Item = u64> + '_ {
    let bytes = text.as_bytes();
    let mut number = 1;
    let ends = bytes
        .iter()
        .enumerate()
        .filter(|(_, byte)| matches!(byte, b'\n' | b'\r'));
    std::iter::once(1).chain(ends.map(move |(at, byte)| {
        if !(*byte == b'\n' && at > 0 && bytes[at - 1] == b'\r') {
            number += 1;
        }
        number
    }))
}

/// Whether the line goes on: an odd number of backslashes at its end.
fn ends_open(line: &str) -> bool {
    line.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

/// The key ends at the first unescaped `=`, `:` or blank.
fn split(line: &str) -> (&str, &str) {
    let mut escaped = false;
    for (at, c) in line.char_indices() {
        if escaped {
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if c == '=' || c == ':' || BLANK.contains(&c) {
            let rest = line[at..].trim_start_matches(BLANK);
            let value = rest.strip_prefix(['=', ':']).unwrap_or(rest);
            return (&line[..at], value.trim_start_matches(BLANK));
        }
    }
    (line, "")
}

fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut units: Vec<u16> = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        if c != '\\' {
            flush(&mut units, &mut out);
            out.push(c);
            continue;
        }
        let Some(escape) = rest.chars().next() else {
            break;
        };
        rest = &rest[escape.len_utf8()..];
        if escape == 'u'
            && let Some(unit) = rest
                .get(..4)
                .and_then(|hex| u16::from_str_radix(hex, 16).ok())
        {
            units.push(unit);
            rest = &rest[4..];
            continue;
        }
        flush(&mut units, &mut out);
        match escape {
            't' => out.push('\t'),
            'n' => out.push('\n'),
            'r' => out.push('\r'),
            'f' => out.push('\u{c}'),
            other => out.push(other),
        }
    }
    flush(&mut units, &mut out);
    out
}

fn flush(units: &mut Vec<u16>, out: &mut String) {
    out.extend(
        char::decode_utf16(units.drain(..)).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)),
    );
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reads_as_java_does() {
        let text = "# c\r\n! c\n\n a = b \n c:d\ne f\ng\\ h = i\\\n   j\\\\\nk\nl=\\u4f60\\u597d\\t\\q\nm==n\na=last\n";
        let pairs: Vec<(String, String, u64)> = read(text)
            .into_iter()
            .map(|p| (p.key, p.value, p.line))
            .collect();
        let expected = [
            ("a", "b ", 4),
            ("c", "d", 5),
            ("e", "f", 6),
            ("g h", "ij\\", 7),
            ("k", "", 9),
            ("l", "你好\tq", 10),
            ("m", "=n", 11),
            ("a", "last", 12),
        ];
        assert_eq!(
            pairs,
            expected.map(|(k, v, l)| (k.to_owned(), v.to_owned(), l))
        );
        assert_eq!(by_key(&read(text))["a"].value, "last");
    }

    proptest! {
        #[test]
        fn takes_any_text(text in any::<String>()) {
            let lines = text.lines().count() as u64 + text.matches('\r').count() as u64 + 1;
            prop_assert!(read(&text).iter().all(|p| p.line >= 1 && p.line <= lines));
        }
    }
}
