//! The fields of a document: which ones a version reads, and whether what stands there has their form and type.

use std::collections::BTreeSet;

use super::{Code, Cx, Phrase, Say, found};
use crate::model::url::is_true;
use crate::rule::yaml::{Document, Node, ScalarStyle, Value};

/// The form of a field.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    /// `true` or `false`.
    Flag,
    /// One text.
    Text,
    /// A list of texts.
    Texts,
    /// A map of texts.
    TextMap,
    /// The version of the format.
    Version,
    /// A whole number.
    Integer,
    /// A number with decimals.
    Decimal,
    /// A map with these fields.
    Map(&'static [Field]),
    /// A list of maps with these fields.
    Maps(&'static [Field]),
    /// Looked at elsewhere, or without effect.
    Free,
}

/// A field that some version reads.
#[derive(Debug, Clone, Copy)]
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) shape: Shape,
    /// The first version that reads it.
    pub(super) since: [u32; 3],
}

/// A field of every version.
pub(super) const fn field(name: &'static str, shape: Shape) -> Field {
    Field {
        name,
        shape,
        since: [0, 0, 0],
    }
}

/// A field that came later.
pub(super) const fn since(name: &'static str, shape: Shape, since: [u32; 3]) -> Field {
    Field { name, shape, since }
}

/// What every routing rule has around its content. `configVersion` is written by habit where nobody reads it.
pub(super) const HEADER: [Field; 10] = [
    field("force", Shape::Flag),
    field("enabled", Shape::Flag),
    field("valid", Shape::Flag),
    field("runtime", Shape::Flag),
    field("dynamic", Shape::Flag),
    field("priority", Shape::Free),
    field("scope", Shape::Text),
    field("key", Shape::Text),
    field("rawRule", Shape::Text),
    field("configVersion", Shape::Version),
];

/// Nested maps that are looked into.
const DEEPEST: usize = 40;

/// A walk through a document. What an alias repeats is looked at once.
struct Walk<'c, 'a> {
    cx: &'c mut Cx<'a>,
    seen: BTreeSet<usize>,
}

/// Looks at all fields of a map.
pub(super) fn map(cx: &mut Cx<'_>, node: Node<'_>, fields: &[&[Field]]) {
    let mut walk = Walk {
        cx,
        seen: BTreeSet::new(),
    };
    walk.map(node, fields, 0);
}

/// Equal keys: the last one counts.
pub(super) fn duplicates(cx: &mut Cx<'_>, document: &Document) {
    for (dropped, kept) in document.dropped_keys() {
        let at = cx.mark(dropped);
        cx.add(
            found(Code::LintDuplicateKey, at)
                .with("first", dropped.start().line)
                .with("last", kept.start().line)
                .reads(Say::LintLastWins)
                .meant(Say::LintMergeKeys)
                .and_at(kept.start()),
        );
    }
}

impl Walk<'_, '_> {
    fn map(&mut self, node: Node<'_>, fields: &[&[Field]], depth: usize) {
        if depth > DEEPEST || !self.seen.insert(node.id()) {
            return;
        }
        for (key, value) in node.entries() {
            let name = key.written().unwrap_or_default();
            let known = fields
                .iter()
                .flat_map(|fields| fields.iter())
                .find(|field| field.name == name && key.as_text().is_some());
            match known {
                Some(field) if self.cx.version.at_least(field.since) => {
                    self.value(value, *field, depth);
                }
                // Up to 2.7.9 the reader itself refuses the document for it.
                _ if !self.cx.version.at_least([2, 7, 10]) => {}
                Some(field) => {
                    let [major, minor, patch] = field.since;
                    let at = self.cx.mark(key);
                    self.cx.add(
                        found(Code::LintUnknownKey, at)
                            .reads(Say::LintKeyIgnored)
                            .meant(
                                Phrase::new(Say::LintReadSince)
                                    .with("version", format!("{major}.{minor}.{patch}")),
                            ),
                    );
                }
                None => self.unknown(key, name, fields),
            }
        }
    }

    fn unknown(&mut self, key: Node<'_>, name: &str, fields: &[&[Field]]) {
        let at = self.cx.mark(key);
        let mut remark = found(Code::LintUnknownKey, at).reads(Say::LintKeyIgnored);
        let names = fields
            .iter()
            .flat_map(|fields| fields.iter())
            .map(|field| field.name);
        if let Some(near) = nearest(name, names) {
            remark = remark.meant(Phrase::new(Say::LintDidYouMean).with("near", near));
        }
        self.cx.add(remark);
    }

    fn value(&mut self, node: Node<'_>, field: Field, depth: usize) {
        if node.is_null() && !matches!(field.shape, Shape::Texts | Shape::Maps(_)) {
            return;
        }
        match field.shape {
            Shape::Free | Shape::Version => {}
            Shape::Flag => self.flag(node),
            Shape::Text => self.text(node),
            Shape::Integer => self.number(node, false),
            Shape::Decimal => self.number(node, true),
            Shape::Texts => match node.value() {
                Value::List(items) => {
                    for item in items {
                        self.item(item, field.name);
                    }
                }
                Value::Null => {}
                _ => self.wrong(node, field.name, Say::LintNeedsList),
            },
            Shape::TextMap => match node.value() {
                Value::Map(entries) => {
                    for (_, value) in entries {
                        self.item(value, field.name);
                    }
                }
                _ => self.wrong(node, field.name, Say::LintNeedsMap),
            },
            Shape::Map(fields) => match node.value() {
                Value::Map(_) => self.map(node, &[fields], depth + 1),
                _ => self.wrong(node, field.name, Say::LintNeedsMap),
            },
            Shape::Maps(fields) => match node.value() {
                Value::List(items) => {
                    for item in items {
                        match item.value() {
                            Value::Map(_) => self.map(item, &[fields], depth + 1),
                            _ => self.wrong(item, field.name, Say::LintNeedsMap),
                        }
                    }
                }
                Value::Null => {}
                _ => self.wrong(node, field.name, Say::LintNeedsList),
            },
        }
    }

    fn wrong(&mut self, node: Node<'_>, name: &str, reads: Say) {
        wrong(self.cx, node, name, reads);
    }

    /// Read by its text from 3.0 on, as a `Boolean` before.
    fn flag(&mut self, node: Node<'_>) {
        let written = node.written().unwrap_or_default();
        let plainly = ["true", "false"]
            .iter()
            .any(|word| written.eq_ignore_ascii_case(word));
        if node.as_bool().is_some() && plainly {
            return;
        }
        let value = match node.value() {
            Value::Bool(value) => value,
            // `"true"` is what it looks like where it is taken at all.
            Value::Text(text) if is_true(text) || plainly => return,
            _ if !self.cx.version.line().is_3x() => return,
            _ => node.java_text().is_some_and(|text| is_true(&text)),
        };
        let at = self.cx.mark(node);
        let word = if value { "true" } else { "false" };
        self.cx.add(
            found(Code::LintTypedValue, at)
                .with("class", class(node))
                .with("value", word)
                .reads(Phrase::new(Say::LintCountsAs).with("value", word))
                .meant(Phrase::new(Say::LintWriteTrueOrFalse).with("value", word)),
        );
    }

    /// A `String` of the rule's class: 3.x casts, 2.7 converts.
    fn text(&mut self, node: Node<'_>) {
        match node.value() {
            Value::Text(_) | Value::Null => {}
            Value::List(_) | Value::Map(_) | Value::Set(_) | Value::Pairs(_) => {
                self.wrong(node, "", Say::LintNeedsText);
            }
            _ if self.cx.version.line().is_3x() => {
                self.typed(node, Say::LintRefusesType);
            }
            _ => self.item(node, ""),
        }
    }

    /// An item of a list of texts: `String.valueOf` from 2.7.10 on, as written before.
    fn item(&mut self, node: Node<'_>, name: &str) {
        match node.value() {
            Value::Null if self.cx.version.line().is_3x() => {
                self.typed(node, Say::LintNullText);
            }
            Value::Text(_) | Value::Null => {}
            Value::List(_) | Value::Map(_) | Value::Set(_) | Value::Pairs(_) => {
                self.wrong(node, name, Say::LintPrintedForm);
            }
            _ => {
                let as_written = node.java_text().as_deref() == node.written();
                if !as_written && self.cx.version.at_least([2, 7, 10]) {
                    self.typed(node, Say::LintTextOfValue);
                }
            }
        }
    }

    fn typed(&mut self, node: Node<'_>, reads: Say) {
        let at = self.cx.mark(node);
        let value = node.java_text().unwrap_or_else(|| class(node).to_owned());
        let mut remark = found(Code::LintTypedValue, at)
            .with("class", class(node))
            .with("value", super::short(&value))
            .reads(Phrase::new(reads).with("value", super::short(&value)));
        if !node.is_null() {
            remark = remark.meant(Phrase::new(Say::LintQuote).with(
                "text",
                format!("\"{}\"", node.written().unwrap_or_default()),
            ));
        }
        self.cx.add(remark);
    }

    /// A number in a rule whose reader drops every other class without a word.
    fn number(&mut self, node: Node<'_>, decimal: bool) {
        let fits = match node.value() {
            Value::Float(_) => decimal,
            Value::Int(_) => !decimal,
            _ => false,
        };
        if fits {
            return;
        }
        let at = self.cx.mark(node);
        let mut remark = found(Code::LintTypedValue, at)
            .with("class", class(node))
            .with("value", node.java_text().unwrap_or_default())
            .reads(Say::LintNumberDropped);
        if let (Value::Int(value), true) = (node.value(), decimal) {
            remark = remark.meant(Phrase::new(Say::LintWrite).with("text", format!("{value}.0")));
        }
        self.cx.add(remark);
    }
}

/// What stands there has not the form of the field.
pub(super) fn wrong(cx: &mut Cx<'_>, node: Node<'_>, name: &str, reads: Say) {
    let at = cx.mark(node);
    let mut remark = found(Code::LintNotAList, at)
        .with("found", form(node))
        .reads(reads);
    if !name.is_empty() {
        remark = remark.with("field", name);
    }
    let plain = node
        .style()
        .is_some_and(|style| style != ScalarStyle::Literal);
    match (node.value(), reads) {
        (Value::Text(text), Say::LintNeedsList) if plain && text.len() < 200 => {
            remark = remark
                .meant(Phrase::new(Say::LintWrite).with("text", format!("{name}: [\"{text}\"]")));
        }
        (Value::Map(_), Say::LintPrintedForm) => {
            remark = remark.meant(Say::LintQuoteWhole);
        }
        (Value::Text(text), Say::LintNeedsMap) if text.contains('=') && text.len() < 200 => {
            let pairs = text.replace('=', ": ").replace('&', ", ");
            remark = remark
                .meant(Phrase::new(Say::LintWrite).with("text", format!("{name}: {{{pairs}}}")));
        }
        _ => {}
    }
    cx.add(remark);
}

/// The form of a node, in YAML's words.
pub(super) fn form(node: Node<'_>) -> &'static str {
    match node.value() {
        Value::Null => "nothing",
        Value::List(_) | Value::Set(_) | Value::Pairs(_) => "a list",
        Value::Map(_) => "a map",
        _ => "a text",
    }
}

/// The Java class of a scalar.
pub(super) fn class(node: Node<'_>) -> &'static str {
    match node.value() {
        Value::Null => "null",
        Value::Bool(_) => "Boolean",
        Value::Int(_) => "Integer",
        Value::Float(_) => "Double",
        Value::Text(_) => "String",
        Value::Timestamp(_) => "Date",
        Value::Binary(_) => "byte[]",
        Value::List(_) | Value::Set(_) | Value::Pairs(_) => "List",
        Value::Map(_) => "Map",
    }
}

/// A name that was probably meant.
pub(super) fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let bare: String = name
        .chars()
        .filter(|c| !super::visible::is_invisible(*c))
        .collect();
    if bare.chars().count() > 40 {
        return None;
    }
    let lower = bare.to_lowercase();
    names
        .map(|known| {
            (
                strsim::damerau_levenshtein(&lower, &known.to_lowercase()),
                known,
            )
        })
        .filter(|(distance, known)| *distance <= 2 && *distance < known.len().min(lower.len()))
        .min()
        .map(|(_, known)| known)
}

/// DG8004: the class of the version, and `match` in the items of a list, that is read under `v3.0` only.
pub(super) fn match_version(
    cx: &mut Cx<'_>,
    root: Node<'_>,
    list: &str,
    class_counts: bool,
    unread: Say,
) {
    let value = root.get("configVersion").filter(|value| !value.is_null());
    let write = || Phrase::new(Say::LintWrite).with("text", "configVersion: v3.0");
    if let Some(value) = value
        && value.as_text().is_none()
        && class_counts
    {
        let at = cx.mark(value);
        cx.add(
            found(Code::LintVersionField, at)
                .reads(Phrase::new(Say::LintVersionClass).with("class", class(value)))
                .meant(write()),
        );
        return;
    }
    let right = value
        .and_then(Node::as_text)
        .is_some_and(|text| text.starts_with("v3.0"));
    let matched = root
        .get(list)
        .into_iter()
        .flat_map(Node::items)
        .find_map(|item| item.entry("match"));
    if let Some((key, _)) = matched
        && !right
        && cx.version.at_least([3, 2])
    {
        let at = cx.mark(value.unwrap_or(key));
        cx.add(
            found(Code::LintVersionField, at)
                .reads(unread)
                .meant(write()),
        );
    }
}
