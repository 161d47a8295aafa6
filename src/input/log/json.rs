//! JSON lines of log systems, read leniently: a line that is cut in the middle of a string still gives what stands
//! before the cut. Only strings, numbers and the nesting of objects matter here.

use super::text::Text;

/// A string or number of an object, with the path of its keys (`error.stack_trace`).
#[derive(Debug)]
pub(super) struct Field {
    /// Keys joined with `.`.
    pub(super) path: String,
    /// Unescaped.
    pub(super) value: Text,
    /// The line ended inside the string.
    pub(super) cut: bool,
}

/// Objects are not followed deeper than this.
const MAX_DEPTH: usize = 8;

/// The fields of an object that begins at the start of the text. `None` when that is no object.
pub(super) fn fields(text: &Text) -> Option<Vec<Field>> {
    let content = text.as_str();
    let start = content.find('{')?;
    if !content[..start].trim().is_empty() {
        return None;
    }
    let after = content[start + 1..].trim_start();
    if !after.starts_with('"') {
        return None;
    }
    let mut scan = Scan {
        text,
        bytes: content.as_bytes(),
        at: start,
        fields: Vec::new(),
    };
    scan.object(&mut Vec::new());
    (!scan.fields.is_empty()).then_some(scan.fields)
}

/// Undoes one level of JSON string escapes in a text that lost its quotes.
pub(super) fn unescape(text: &Text) -> Text {
    let mut scan = Scan {
        text,
        bytes: text.as_str().as_bytes(),
        at: 0,
        fields: Vec::new(),
    };
    scan.string_body(false).0
}

struct Scan<'a> {
    text: &'a Text,
    bytes: &'a [u8],
    at: usize,
    fields: Vec<Field>,
}

impl Scan<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn blanks(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    /// At `{`. Gives false when the text ended inside or is no JSON.
    fn object(&mut self, path: &mut Vec<String>) -> bool {
        self.at += 1;
        loop {
            self.blanks();
            match self.peek() {
                Some(b'"') => {}
                Some(b',') => {
                    self.at += 1;
                    continue;
                }
                Some(b'}') => {
                    self.at += 1;
                    return true;
                }
                _ => return false,
            }
            let (key, whole) = self.string();
            self.blanks();
            if !whole || self.peek() != Some(b':') {
                return false;
            }
            self.at += 1;
            self.blanks();
            path.push(key.as_str().to_owned());
            let whole = self.value(path);
            path.pop();
            if !whole {
                return false;
            }
        }
    }

    fn value(&mut self, path: &mut Vec<String>) -> bool {
        match self.peek() {
            Some(b'"') => {
                let (value, whole) = self.string();
                self.fields.push(Field {
                    path: path.join("."),
                    value,
                    cut: !whole,
                });
                whole
            }
            Some(b'{') if path.len() < MAX_DEPTH => self.object(path),
            Some(b'{' | b'[') => self.skip_nested(),
            Some(_) => {
                let start = self.at;
                while self
                    .peek()
                    .is_some_and(|byte| !matches!(byte, b',' | b'}') && !byte.is_ascii_whitespace())
                {
                    self.at += 1;
                }
                let value = self.text.part(start, self.at);
                self.fields.push(Field {
                    path: path.join("."),
                    value,
                    cut: false,
                });
                true
            }
            None => false,
        }
    }

    fn skip_nested(&mut self) -> bool {
        let mut depth = 0_usize;
        while let Some(byte) = self.peek() {
            match byte {
                b'"' => {
                    self.string();
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return true;
            }
        }
        false
    }

    /// At `"`.
    fn string(&mut self) -> (Text, bool) {
        self.at += 1;
        self.string_body(true)
    }

    fn string_body(&mut self, ends_at_quote: bool) -> (Text, bool) {
        let mut value = Text::default();
        let mut kept = self.at;
        while let Some(byte) = self.peek() {
            match byte {
                b'"' if ends_at_quote => {
                    value.push_part(self.text, kept, self.at);
                    self.at += 1;
                    return (value, true);
                }
                b'\\' => {
                    value.push_part(self.text, kept, self.at);
                    self.escape(&mut value);
                    kept = self.at;
                }
                _ => self.at += 1,
            }
        }
        value.push_part(self.text, kept, self.at);
        (value, !ends_at_quote)
    }

    /// At a backslash; an unknown escape stays as it is.
    fn escape(&mut self, value: &mut Text) {
        let place = self.text.place(self.at);
        let plain = match self.bytes.get(self.at + 1) {
            Some(b'n') => Some("\n"),
            Some(b't') => Some("\t"),
            Some(b'r') => Some("\r"),
            Some(b'b' | b'f') => Some(" "),
            Some(b'"') => Some("\""),
            Some(b'\\') => Some("\\"),
            Some(b'/') => Some("/"),
            _ => None,
        };
        if let Some(plain) = plain {
            value.push(plain, place);
            self.at += 2;
            return;
        }
        if let Some((found, used)) = self.unicode() {
            value.push(found.encode_utf8(&mut [0; 4]), place);
            self.at += used;
            return;
        }
        value.push("\\", place);
        self.at += 1;
    }

    /// `\uXXXX`, surrogate pairs included.
    fn unicode(&self) -> Option<(char, usize)> {
        let unit = |at: usize| {
            let digits = self.bytes.get(at..at + 6)?;
            let digits = digits.strip_prefix(b"\\u")?;
            u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
        };
        let first = unit(self.at)?;
        if let Some(found) = char::from_u32(u32::from(first)) {
            return Some((found, 6));
        }
        let second = unit(self.at + 6)?;
        let found = char::decode_utf16([first, second]).next()?.ok()?;
        Some((found, 12))
    }
}

#[cfg(test)]
mod tests {
    use super::super::fact::Place;
    use super::*;

    fn read(line: &str) -> Vec<(String, String, bool)> {
        let text = Text::at(
            line,
            Place {
                line: 1,
                column: 1,
                offset: 0,
            },
        );
        let fields = fields(&text).unwrap_or_default();
        fields
            .into_iter()
            .map(|field| (field.path, field.value.as_str().to_owned(), field.cut))
            .collect()
    }

    fn field(path: &str, value: &str) -> (String, String, bool) {
        (path.to_owned(), value.to_owned(), false)
    }

    #[test]
    fn strings_numbers_and_nested_objects() {
        assert_eq!(
            read(
                r#"{"a":"x\n\ty\u003d\ud83d\ude00\q","n":12,"o":{"p":"q"},"l":["]",{"k":1}],"z":null}"#
            ),
            vec![
                field("a", "x\n\ty=\u{1F600}\\q"),
                field("n", "12"),
                field("o.p", "q"),
                field("z", "null"),
            ]
        );
    }

    #[test]
    fn a_cut_line_gives_what_stands_before_the_cut() {
        assert_eq!(
            read(r#"{"a":"1","b":"from regis"#)[1],
            ("b".to_owned(), "from regis".to_owned(), true)
        );
        assert!(read("{not json}").is_empty());
        assert!(read("{ [x]").is_empty());
    }

    #[test]
    fn places_point_behind_the_escapes() {
        let text = Text::at(
            r#"{"a":"x\ny"}"#,
            Place {
                line: 3,
                column: 1,
                offset: 0,
            },
        );
        let value = &fields(&text).unwrap()[0].value;
        assert_eq!(value.place(2).column, 10);
    }

    proptest::proptest! {
        #[test]
        fn never_panics(line in ".*", tail in "[{}\\[\\]\",:\\\\un0-9dD8 ]{0,40}") {
            let _ = read(&line);
            let _ = read(&format!("{{\"{tail}"));
            let _ = unescape(&Text::at(&tail, Place::default()));
        }
    }
}
