//! A list of rule URLs in JSON, as the library of each version reads it.
//!
//! `ConfigParser` tries JSON first: up to 3.0.8 a strict check (`JSONValidator`) and fastjson 1.2, then fastjson 1.2 alone
//! (3.0.9 to 3.1), then fastjson2 (3.2 on). They agree on what is JSON and differ on what only looks like it: comments,
//! single quotes, commas too few or too many, numbers in Java's spelling. Each item becomes a text.

use crate::model::version::DubboVersion;
use crate::rule::yaml::double_text;

/// How a version reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Library {
    /// `JSONValidator` before fastjson 1.2.
    Checked,
    /// fastjson 1.2
    Fastjson,
    /// fastjson2; `flat`: a list of one item in the place of a text is that item (seen in 3.3).
    Fastjson2 { flat: bool },
}

/// Why a text is no list of texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoList {
    /// It is no JSON for this library: it is read as YAML.
    NoJson,
    /// The check let it pass, and the reader does not.
    Refused,
}

/// Deeper lists are given up.
const DEEPEST: usize = 200;

/// The items; `None` in their place is `null`.
pub(super) fn texts(text: &str, version: &DubboVersion) -> Result<Vec<Option<String>>, NoList> {
    let library = if version.at_least([3, 2]) {
        Library::Fastjson2 {
            flat: version.at_least([3, 3]),
        }
    } else if version.at_least([3, 0, 9]) {
        Library::Fastjson
    } else {
        Library::Checked
    };
    let mut reader = Reader {
        rest: text,
        library,
        bad_escape: false,
    };
    let items = reader.root()?;
    if reader.bad_escape {
        return Err(NoList::Refused);
    }
    Ok(items)
}

struct Reader<'t> {
    rest: &'t str,
    library: Library,
    /// `Checked`: an escape that only the reader refuses.
    bad_escape: bool,
}

/// A value, as the text that it becomes inside of another one, and as an item.
struct Item {
    json: String,
    text: Option<String>,
    /// The only item of a list.
    single: Option<Box<Item>>,
}

impl Item {
    fn plain(json: impl Into<String>) -> Self {
        let json = json.into();
        Self {
            text: Some(json.clone()),
            json,
            single: None,
        }
    }
}

type Read<T> = Result<T, NoList>;

impl Reader<'_> {
    fn is_lenient(&self) -> bool {
        self.library != Library::Checked
    }

    fn root(&mut self) -> Read<Vec<Option<String>>> {
        if matches!(self.library, Library::Fastjson2 { .. }) {
            self.skip(true)?;
        }
        if self.is_lenient() {
            self.rest = self.rest.strip_prefix('\u{feff}').unwrap_or(self.rest);
        }
        self.skip(true)?;
        let items = match self.peek() {
            Some('[') => self.list(0)?,
            Some('"' | '\'' | '{') if matches!(self.library, Library::Fastjson2 { .. }) => {
                let item = self.value(0)?;
                if item.text.as_deref().is_none_or(str::is_empty) {
                    return Err(NoList::NoJson);
                }
                vec![item]
            }
            _ => return Err(NoList::NoJson),
        };
        self.end()?;
        let flat = self.library == Library::Fastjson2 { flat: true };
        Ok(items
            .into_iter()
            .map(|item| match item.single {
                Some(only) if flat => only.text,
                _ => item.text,
            })
            .collect())
    }

    /// Nothing may follow, but what the library takes for nothing.
    fn end(&mut self) -> Read<()> {
        self.skip(true)?;
        if matches!(self.library, Library::Fastjson2 { .. }) {
            self.rest = self.rest.trim_start_matches(',');
            self.skip(true)?;
        }
        let ends = self.is_lenient() && self.rest.starts_with(['\u{1a}', '\0']);
        if self.rest.is_empty() || ends {
            Ok(())
        } else {
            Err(NoList::NoJson)
        }
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn take(&mut self, wanted: char) -> bool {
        let rest = self.rest.strip_prefix(wanted);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// White space, and comments where this library skips them.
    fn skip(&mut self, comments: bool) -> Read<()> {
        loop {
            self.rest = self
                .rest
                .trim_start_matches([' ', '\t', '\n', '\r', '\u{c}', '\u{8}']);
            if !self.rest.starts_with('/') {
                return Ok(());
            }
            let inside = match self.library {
                Library::Checked => false,
                Library::Fastjson => true,
                Library::Fastjson2 { .. } => comments,
            };
            let (ending, length) = match self.rest.get(..2) {
                Some("//") => ("\n", 1),
                Some("/*") => ("*/", 2),
                _ => return Err(NoList::NoJson),
            };
            if !inside {
                return Err(NoList::NoJson);
            }
            self.rest = match self.rest[2..].find(ending) {
                Some(at) => &self.rest[2 + at + length..],
                None if length == 1 => "",
                None => return Err(NoList::NoJson),
            };
        }
    }

    fn list(&mut self, depth: usize) -> Read<Vec<Item>> {
        if depth > DEEPEST {
            return Err(NoList::NoJson);
        }
        self.take('[');
        self.skip(true)?;
        let mut items = Vec::new();
        loop {
            while self.library == Library::Fastjson && self.take(',') {
                self.skip(false)?;
            }
            if self.take(']') {
                return Ok(items);
            }
            items.push(self.value(depth + 1)?);
            self.skip(false)?;
            let comma = self.take(',');
            self.skip(false)?;
            let goes_on = self.peek() != Some(']');
            if self.library == Library::Checked && comma != goes_on {
                return Err(NoList::NoJson);
            }
        }
    }

    fn value(&mut self, depth: usize) -> Read<Item> {
        match self.peek() {
            Some('[') => {
                let items = self.list(depth)?;
                let all: Vec<&str> = items.iter().map(|item| item.json.as_str()).collect();
                let json = format!("[{}]", all.join(","));
                let mut items = items.into_iter();
                let single = items.next().filter(|_| items.next().is_none());
                Ok(Item {
                    single: single.map(Box::new),
                    ..Item::plain(json)
                })
            }
            Some('{') => self.object(depth),
            Some(quote @ '"') => self.quoted(quote),
            Some(quote @ '\'') if self.is_lenient() => self.quoted(quote),
            Some('-' | '+' | '0'..='9') => self.number(),
            _ => self.word(),
        }
    }

    /// Only as far as an address may come of it: names and values as JSON has them.
    fn object(&mut self, depth: usize) -> Read<Item> {
        if depth > DEEPEST {
            return Err(NoList::NoJson);
        }
        self.take('{');
        self.skip(false)?;
        let mut fields = Vec::new();
        if self.take('}') {
            return Ok(Item::plain("{}"));
        }
        loop {
            let name = match self.peek() {
                Some('"') => self.quoted('"')?.json,
                _ => return Err(NoList::NoJson),
            };
            self.skip(false)?;
            if !self.take(':') {
                return Err(NoList::NoJson);
            }
            self.skip(false)?;
            let value = self.value(depth + 1)?;
            let keeps_null = self.library == Library::Fastjson2 { flat: false };
            if value.text.is_some() || keeps_null {
                fields.push(format!("{name}:{}", value.json));
            }
            self.skip(false)?;
            let comma = self.take(',');
            self.skip(false)?;
            match (comma, self.take('}')) {
                (false, true) => break,
                (true, false) => {}
                _ => return Err(NoList::NoJson),
            }
        }
        Ok(Item::plain(format!("{{{}}}", fields.join(","))))
    }

    fn word(&mut self) -> Read<Item> {
        let end = self
            .rest
            .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'))
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        let item = match word {
            "true" | "false" => Item::plain(word),
            "null" => Item {
                text: None,
                ..Item::plain("null")
            },
            _ => return Err(NoList::NoJson),
        };
        self.rest = rest;
        Ok(item)
    }

    fn quoted(&mut self, quote: char) -> Read<Item> {
        let mut value: Vec<u16> = Vec::new();
        let mut signs = self.rest.char_indices();
        signs.next();
        loop {
            let (at, sign) = signs.next().ok_or(NoList::NoJson)?;
            if sign == quote {
                self.rest = &self.rest[at + quote.len_utf8()..];
                break;
            }
            if sign != '\\' {
                value.extend_from_slice(sign.encode_utf16(&mut [0; 2]));
                continue;
            }
            let (_, escape) = signs.next().ok_or(NoList::NoJson)?;
            let mut digits = |count: usize| -> Option<u16> {
                let text: String = signs.by_ref().take(count).map(|(_, c)| c).collect();
                let whole = text.len() == count && text.chars().all(|c| c.is_ascii_hexdigit());
                u16::from_str_radix(&text, 16).ok().filter(|_| whole)
            };
            value.push(match escape {
                '"' | '\'' | '\\' | '/' => u16::try_from(u32::from(escape)).unwrap_or_default(),
                'b' => 8,
                't' => 9,
                'n' => 10,
                'v' => 11,
                'f' | 'F' => 12,
                'r' => 13,
                '0'..='7' => u16::try_from(u32::from(escape) - 48).unwrap_or_default(),
                'u' => digits(4).ok_or(NoList::NoJson)?,
                'x' => match digits(2) {
                    Some(unit) => unit,
                    None => return Err(self.refused()),
                },
                _ if self.library == Library::Checked => {
                    self.bad_escape = true;
                    63
                }
                _ => return Err(NoList::NoJson),
            });
        }
        let text = String::from_utf16_lossy(&value);
        Ok(Item {
            json: serde_json::Value::from(text.as_str()).to_string(),
            text: Some(text),
            single: None,
        })
    }

    /// What the check lets pass and the reader does not.
    fn refused(&self) -> NoList {
        if self.library == Library::Checked {
            NoList::Refused
        } else {
            NoList::NoJson
        }
    }

    /// A number, written as Java's `toString` does.
    fn number(&mut self) -> Read<Item> {
        let digits = |text: &str| {
            text.find(|c: char| !c.is_ascii_digit())
                .unwrap_or(text.len())
        };
        let unsigned = self.rest.trim_start_matches(['-', '+']);
        if self.rest.len() - unsigned.len() > 1 {
            return Err(NoList::NoJson);
        }
        let is_negative = self.rest.starts_with('-');
        let (whole, rest) = unsigned.split_at(digits(unsigned));
        let (fraction, rest) = match rest.strip_prefix('.') {
            Some(behind) => {
                let (fraction, rest) = behind.split_at(digits(behind));
                (Some(fraction), rest)
            }
            None => (None, rest),
        };
        let (exponent, rest) = match rest.strip_prefix(['e', 'E']) {
            Some(behind) => {
                let unsigned = behind.strip_prefix(['-', '+']).unwrap_or(behind);
                let signed = behind.len() - unsigned.len() + digits(unsigned);
                let (exponent, rest) = behind.split_at(signed);
                (Some(exponent), rest)
            }
            None => (None, rest),
        };
        let (suffix, rest) = match rest.chars().next() {
            Some(sign @ ('L' | 'S' | 'B' | 'F' | 'D')) => (Some(sign), &rest[1..]),
            _ => (None, rest),
        };
        let ends = rest
            .chars()
            .next()
            .is_none_or(|c| !(c.is_alphanumeric() || c == '_' || c == '$' || c == '.'));
        let strict = self.library == Library::Checked
            && (suffix.is_some() || fraction == Some("") || exponent == Some(""));
        let hollow = exponent == Some("") && !matches!(self.library, Library::Fastjson2 { .. });
        if whole.is_empty() || !ends || strict || hollow {
            return Err(NoList::NoJson);
        }
        self.rest = rest;
        let sign = if is_negative { "-" } else { "" };
        let exponent = exponent.filter(|text| !text.is_empty());
        let fraction = fraction.unwrap_or_default();
        let is_float = matches!(suffix, Some('F' | 'D'));
        let by_double = matches!(self.library, Library::Fastjson2 { .. }) && exponent.is_some();
        if is_float || by_double {
            let text = format!("{sign}{whole}.{fraction}0e{}", exponent.unwrap_or("0"));
            let value: f64 = text.parse().map_err(|_| NoList::NoJson)?;
            return Ok(Item::plain(double_text(value)));
        }
        let exponent: i64 = match exponent {
            Some(text) => text.parse().map_err(|_| NoList::NoJson)?,
            None => 0,
        };
        Ok(Item::plain(decimal_text(sign, whole, fraction, exponent)))
    }
}

/// `BigDecimal.toString`, or `BigInteger.toString` without fraction and exponent.
fn decimal_text(sign: &str, whole: &str, fraction: &str, exponent: i64) -> String {
    let all = format!("{whole}{fraction}");
    let digits = all.trim_start_matches('0');
    let digits = if digits.is_empty() { "0" } else { digits };
    let sign = if digits == "0" { "" } else { sign };
    let scale = i64::try_from(fraction.len()).unwrap_or(i64::MAX) - exponent;
    let length = i64::try_from(digits.len()).unwrap_or(i64::MAX);
    let adjusted = length - 1 - scale;
    if scale >= 0 && adjusted >= -6 {
        let scale = usize::try_from(scale).unwrap_or_default();
        if scale == 0 {
            return format!("{sign}{digits}");
        }
        let padded = format!("{digits:0>width$}", width = scale + 1);
        let (whole, fraction) = padded.split_at(padded.len() - scale);
        return format!("{sign}{whole}.{fraction}");
    }
    let (first, more) = digits.split_at(1);
    let point = if more.is_empty() { "" } else { "." };
    let plus = if adjusted >= 0 { "+" } else { "" };
    format!("{sign}{first}{point}{more}E{plus}{adjusted}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str, version: &str) -> Result<Vec<Option<String>>, NoList> {
        texts(text, &DubboVersion::parse(version).unwrap())
    }

    #[test]
    fn numbers_as_java_writes_them() {
        for (text, written) in [
            ("0.10", "0.10"),
            ("-01", "-1"),
            ("-0", "0"),
            ("1e3", "1E+3"),
            ("1.50e10", "1.50E+10"),
            ("1.0e1", "10"),
            ("0.0000001", "1E-7"),
        ] {
            let found = read(&format!("[{text}]"), "3.0.15").unwrap();
            assert_eq!(found, [Some(written.to_owned())], "{text}");
        }
        assert_eq!(
            read("[1e3]", "3.2.16").unwrap(),
            [Some("1000.0".to_owned())]
        );
    }

    proptest! {
        #[test]
        fn any_text_gets_an_answer(text in "[\\[\\]{}\"'\\\\,:/*0-9eE.+LFxun ]{0,30}") {
            for version in ["2.7.23", "3.0.15", "3.2.16", "3.3.6"] {
                let _ = read(&text, version);
            }
        }
    }
}
