//! `String.valueOf` of a value: Dubbo turns many values of a rule into text before it compares them.

use super::number;
use super::value::{Node, Value};

/// Texts above this many bytes are given up: a few aliases can stand for gigabytes.
const LONGEST: usize = 1 << 20;

/// How values are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// `String.valueOf`; given up where the text depends on the JVM.
    Java,
    /// The same; what depends on the JVM as one in UTC may write it.
    JavaInUtc,
    /// JSON, as fastjson2 writes it.
    Json,
}

/// What is still to be written.
enum Part<'d> {
    Node(Node<'d>, Option<usize>),
    Words(&'static str),
}

impl Node<'_> {
    /// The text that Java makes of the value: `null`, `true`, `1.0E7`, `[a, b]`, `{a=b}`.
    ///
    /// None when it cannot be told: dates (they depend on the time zone of the JVM), bytes and `!!pairs` (their text
    /// is an address), and texts over 1 MiB or without end. A list directly inside itself is `(this Collection)`, a
    /// map `(this Map)`, as in Java.
    pub fn java_text(self) -> Option<String> {
        self.written_as(Style::Java)
    }

    /// The same with a text for everything: a date as a JVM in UTC writes it, `[B@0` for bytes. None only for texts over
    /// 1 MiB or without end.
    pub fn java_text_in_utc(self) -> Option<String> {
        self.written_as(Style::JavaInUtc)
    }

    /// The value as fastjson2 writes it, in UTC: `["a",null]`, `{"a":1}`. Numbers that JSON has none of are `null`, and so
    /// are cycles; fields of a map that are `null` are left out. None for texts over 1 MiB or without end.
    pub fn json_text(self) -> Option<String> {
        self.written_as(Style::Json)
    }

    fn written_as(self, style: Style) -> Option<String> {
        let json = style == Style::Json;
        let mut text = String::new();
        let mut parts = vec![Part::Node(self, None)];
        while let Some(part) = parts.pop() {
            if text.len() > LONGEST || parts.len() > LONGEST {
                return None;
            }
            let (node, parent) = match part {
                Part::Words(words) => {
                    text.push_str(words);
                    continue;
                }
                Part::Node(node, parent) => (node, parent),
            };
            let itself = parent == Some(node.id());
            match node.value() {
                Value::Null => text.push_str("null"),
                Value::Bool(value) => text.push_str(if value { "true" } else { "false" }),
                Value::Int(value) => text.push_str(&value.to_string()),
                Value::Float(value) if json && !value.is_finite() => text.push_str("null"),
                Value::Float(value) => text.push_str(&number::double_text(value)),
                Value::Text(value) if json => quote(value, &mut text),
                Value::Text(value) => text.push_str(value),
                Value::Timestamp(millis) => match style {
                    Style::Java => return None,
                    Style::JavaInUtc => text.push_str(&date(millis, "%a %b %d %H:%M:%S UTC %-Y")),
                    Style::Json if millis % 1_000 == 0 => {
                        quote(&date(millis, "%Y-%m-%d %H:%M:%S"), &mut text);
                    }
                    Style::Json => quote(&date(millis, "%Y-%m-%d %H:%M:%S.%3f"), &mut text),
                },
                Value::Binary(bytes) => match style {
                    Style::Java => return None,
                    Style::JavaInUtc => text.push_str("[B@0"),
                    Style::Json => {
                        let bytes = bytes.iter().map(|byte| byte.cast_signed().to_string());
                        text.push('[');
                        text.push_str(&bytes.collect::<Vec<_>>().join(","));
                        text.push(']');
                    }
                },
                Value::Map(_) | Value::List(_) | Value::Set(_) if itself && json => {
                    text.push_str("null");
                }
                Value::Map(_) if itself => text.push_str("(this Map)"),
                Value::List(_) | Value::Set(_) if itself => text.push_str("(this Collection)"),
                Value::Pairs(entries) if style == Style::Java && entries.len() > 0 => return None,
                Value::Pairs(entries) => {
                    text.push('[');
                    let from = parts.len();
                    for (key, value) in entries {
                        if json {
                            parts.push(Part::Words("["));
                            parts.push(Part::Node(key, Some(node.id())));
                            parts.push(Part::Words(","));
                            parts.push(Part::Node(value, Some(node.id())));
                            parts.push(Part::Words("]"));
                        } else {
                            parts.push(Part::Words("[Ljava.lang.Object;@0"));
                        }
                        parts.push(Part::Words(if json { "," } else { ", " }));
                    }
                    close(&mut parts, from, "]");
                }
                Value::List(items) | Value::Set(items) => {
                    text.push('[');
                    let from = parts.len();
                    for item in items {
                        parts.push(Part::Node(item, Some(node.id())));
                        parts.push(Part::Words(if json { "," } else { ", " }));
                    }
                    close(&mut parts, from, "]");
                }
                Value::Map(entries) => {
                    text.push('{');
                    let from = parts.len();
                    for (key, value) in entries {
                        if json && value.is_null() {
                            continue;
                        }
                        parts.push(Part::Node(key, Some(node.id())));
                        parts.push(Part::Words(if json { ":" } else { "=" }));
                        parts.push(Part::Node(value, Some(node.id())));
                        parts.push(Part::Words(if json { "," } else { ", " }));
                    }
                    close(&mut parts, from, "}");
                }
            }
        }
        Some(text)
    }
}

/// A text of JSON.
fn quote(value: &str, text: &mut String) {
    text.push_str(&serde_json::Value::from(value).to_string());
}

/// A time in UTC. Years of more than four digits cannot be written in YAML.
fn date(millis: i64, format: &str) -> String {
    let start = jiff::civil::date(1970, 1, 1).at(0, 0, 0, 0);
    start
        .checked_add(jiff::SignedDuration::from_millis(millis))
        .map(|time| time.strftime(format).to_string())
        .unwrap_or_default()
}

/// Ends a collection and turns its parts round, since the last one is written first.
fn close(parts: &mut Vec<Part<'_>>, from: usize, end: &'static str) {
    if parts.len() > from {
        parts.pop();
    }
    parts.push(Part::Words(end));
    parts[from..].reverse();
}
