//! `String.valueOf` of a value: Dubbo turns many values of a rule into text before it compares them.

use super::number;
use super::value::{Node, Value};

/// Texts above this many bytes are given up: a few aliases can stand for gigabytes.
const LONGEST: usize = 1 << 20;

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
                Value::Float(value) => text.push_str(&number::double_text(value)),
                Value::Text(value) => text.push_str(value),
                Value::Timestamp(_) | Value::Binary(_) => return None,
                Value::Map(_) if itself => text.push_str("(this Map)"),
                Value::List(_) | Value::Set(_) if itself => text.push_str("(this Collection)"),
                Value::Pairs(entries) if entries.len() > 0 => return None,
                Value::Pairs(_) => text.push_str("[]"),
                Value::List(items) | Value::Set(items) => {
                    text.push('[');
                    let from = parts.len();
                    for item in items {
                        parts.push(Part::Node(item, Some(node.id())));
                        parts.push(Part::Words(", "));
                    }
                    close(&mut parts, from, "]");
                }
                Value::Map(entries) => {
                    text.push('{');
                    let from = parts.len();
                    for (key, value) in entries {
                        parts.push(Part::Node(key, Some(node.id())));
                        parts.push(Part::Words("="));
                        parts.push(Part::Node(value, Some(node.id())));
                        parts.push(Part::Words(", "));
                    }
                    close(&mut parts, from, "}");
                }
            }
        }
        Some(text)
    }
}

/// Ends a collection and turns its parts round, since the last one is written first.
fn close(parts: &mut Vec<Part<'_>>, from: usize, end: &'static str) {
    if parts.len() > from {
        parts.pop();
    }
    parts.push(Part::Words(end));
    parts[from..].reverse();
}
