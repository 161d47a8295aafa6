//! The order of lines in a file: equal facts give equal bytes, and a diff of two recordings is readable.

use std::borrow::Cow;
use std::cmp::Ordering;

use serde_json::Value;

use super::fields::field_order;
use super::line::Line;
use super::time::At;

/// Sorts lines by operation, their fields in the order in which they are written, member, time, kind of answer.
pub(crate) fn sorted<'a>(
    lines: impl IntoIterator<Item = &'a Line>,
    recorded_at: &'a At,
) -> Vec<&'a Line> {
    let mut keyed: Vec<(Vec<Field<'a>>, &Line)> =
        lines.into_iter().map(|line| (fields(line), line)).collect();
    keyed.sort_by(|one, other| order(one, other, recorded_at));
    keyed.into_iter().map(|(_, line)| line).collect()
}

/// The place of a line in a file, as far as it follows from other things than what the whole line looks like. Kept for
/// lines that are written already.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    op: Box<str>,
    fields: Vec<Field<'static>>,
    via: Option<Box<str>>,
    at: At,
    payload: usize,
}

impl Place {
    /// `recorded_at` = the time of a line that has none.
    pub(crate) fn of(line: &Line, recorded_at: &At) -> Self {
        Self {
            op: line.key.op().into(),
            fields: fields(line).into_iter().map(Field::into_owned).collect(),
            via: line.via.as_deref().map(Into::into),
            at: line.at.as_ref().unwrap_or(recorded_at).clone(),
            payload: line.payload.rank(),
        }
    }
}

fn order<'a>(
    (one_fields, one): &(Vec<Field<'a>>, &'a Line),
    (other_fields, other): &(Vec<Field<'a>>, &'a Line),
    recorded_at: &'a At,
) -> Ordering {
    let at = |line: &'a Line| line.at.as_ref().unwrap_or(recorded_at);
    one.key
        .op()
        .cmp(other.key.op())
        .then_with(|| one_fields.cmp(other_fields))
        .then_with(|| one.via.cmp(&other.via))
        .then_with(|| at(one).cmp(at(other)))
        .then_with(|| one.payload.rank().cmp(&other.payload.rank()))
        .then_with(|| written(one).cmp(&written(other)))
}

/// A field's value. One that is not there comes first, numbers come by size.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Field<'a> {
    Missing,
    Number(i64),
    Text(Cow<'a, str>),
    Other(String),
}

impl Field<'_> {
    fn into_owned(self) -> Field<'static> {
        match self {
            Self::Missing => Field::Missing,
            Self::Number(number) => Field::Number(number),
            Self::Text(text) => Field::Text(Cow::Owned(text.into_owned())),
            Self::Other(text) => Field::Other(text),
        }
    }
}

fn fields(line: &Line) -> Vec<Field<'_>> {
    let of_key = line.key.fields();
    let order = field_order(line.key.op());
    let mut fields: Vec<Field<'_>> = order
        .iter()
        .map(
            |name| match of_key.iter().find(|(field, _)| field == name) {
                Some((_, value)) => Field::Text(Cow::Borrowed(value)),
                None => line
                    .extra
                    .get(*name)
                    .or_else(|| line.field(name))
                    .map_or(Field::Missing, field),
            },
        )
        .collect();
    // Of an operation that this version does not know, every field may be a key.
    if order.is_empty() {
        fields.extend(line.extra.values().map(field));
    }
    fields
}

fn field(value: &Value) -> Field<'_> {
    match value {
        Value::Null => Field::Missing,
        Value::Bool(truth) => Field::Number(i64::from(*truth)),
        Value::String(text) => Field::Text(Cow::Borrowed(text)),
        other => other
            .as_i64()
            .map_or_else(|| Field::Other(other.to_string()), Field::Number),
    }
}

/// The last resort: what the line looks like.
fn written(line: &Line) -> String {
    serde_json::to_string(line).unwrap_or_default()
}
