//! Condition rules with several destinations: `configVersion: v3.1`, 3.3 and later.
//!
//! Mirrors `MultiDestConditionRouterRule`; its entries are converted by the JSON library (fastjson2 in a plain
//! consumer).

use super::error::RuleError;
use super::header::Header;
use super::yaml::{Node, Position, Value};
use crate::model::version::DubboVersion;

/// The first release with a fastjson2 that takes a list of one for its item: 2.0.56 instead of 2.0.53.
const ONE_ITEM_IS_THE_TEXT: [u32; 3] = [3, 3, 4];

/// A v3.1 document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MultiDestinationRule {
    /// The fields around the conditions.
    pub header: Header,
    /// The entries in order.
    pub conditions: Vec<MultiDestination>,
    /// The first entry, or destination of one, that is `null`: the document is read, and then none of its conditions can
    /// be made.
    pub null_at: Option<Position>,
}

/// One entry: which calls, and where they may go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MultiDestination {
    /// `from.match`
    pub from: Option<String>,
    /// Where the text of `from.match` begins.
    pub from_at: Option<Position>,
    /// `to`; empty refuses the calls.
    pub to: Vec<Destination>,
    /// Where the entry begins.
    pub at: Position,
}

/// One destination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destination {
    /// `match`
    pub matches: Option<String>,
    /// Where the text of `match` begins.
    pub matches_at: Option<Position>,
    /// `weight` as text; what is no number refuses the document.
    pub weight: Option<String>,
    /// Where the destination begins.
    pub at: Position,
}

impl MultiDestinationRule {
    /// Why none of its conditions can be made, where an entry is `null`.
    pub fn refused(&self) -> Option<RuleError> {
        let at = self.null_at?;
        Some(RuleError::null(
            "an entry of `conditions` or of `to` is empty",
            Some(at),
        ))
    }

    /// `parseFromMap`.
    pub(super) fn from_map(root: Node<'_>, version: &DubboVersion) -> Result<Self, RuleError> {
        let header = Header::from_map(root, version)?;
        let at = root.start();
        let mut null_at = None;
        let conditions: Vec<MultiDestination> = match root.get("conditions") {
            None => return Err(RuleError::null("`conditions` is missing", Some(at))),
            Some(node) => match node.value() {
                Value::Null => {
                    return Err(RuleError::null("`conditions` is empty", Some(node.start())));
                }
                Value::List(items) => {
                    let mut entries = Vec::with_capacity(items.len());
                    for item in items {
                        if item.is_null() {
                            null_at = null_at.or(Some(item.start()));
                        } else {
                            let (entry, null) = entry(item, version)?;
                            null_at = null_at.or(null);
                            entries.push(entry);
                        }
                    }
                    entries
                }
                _ => return Err(RuleError::cast("`conditions` is no list", node.start())),
            },
        };
        let valid = header.valid && (null_at.is_some() || !conditions.is_empty());
        Ok(Self {
            header: Header { valid, ..header },
            conditions,
            null_at,
        })
    }
}

/// An entry, and its first part that is `null` for fastjson2.
fn entry(
    node: Node<'_>,
    version: &DubboVersion,
) -> Result<(MultiDestination, Option<Position>), RuleError> {
    let at = node.start();
    let Value::Map(_) = node.value() else {
        return Err(RuleError::cast("an entry of `conditions` is no map", at));
    };
    let present = |name: &str| node.get(name).filter(|value| !value.is_null());
    let mut lost = None;
    let (from, from_at) = match present("from") {
        None => (None, None),
        Some(from) if is_null_in_json(from) => {
            lost = Some(from.start());
            (None, None)
        }
        Some(from) => match from.value() {
            Value::Map(_) => (text(from, "match", version)?.text(), start(from, "match")),
            _ => return Err(RuleError::cast("`from` is no map", from.start())),
        },
    };
    let (to, null) = match present("to") {
        Some(to) => destinations(to, version)?,
        None => (Vec::new(), None),
    };
    let entry = MultiDestination {
        from,
        from_at,
        to,
        at,
    };
    Ok((entry, lost.or(null)))
}

/// `to`, as fastjson2 reads a list of objects: a map is an empty list, a text is read as JSON, and a list of one map
/// stands for that map. With it comes the first item that is `null`, which is an item as well, or the place of `to` itself
/// when that becomes `null`.
fn destinations(
    node: Node<'_>,
    version: &DubboVersion,
) -> Result<(Vec<Destination>, Option<Position>), RuleError> {
    let at = node.start();
    let refused = || RuleError::cast("`to` is no list", at);
    if is_null_in_json(node) {
        return Ok((Vec::new(), Some(at)));
    }
    let items = match node.value() {
        Value::Map(_) | Value::Binary([]) => return Ok((Vec::new(), None)),
        Value::Text(text) => return Ok((of_json(text, at).ok_or_else(refused)?, None)),
        Value::List(items) | Value::Set(items) => items,
        Value::Pairs(pairs) if pairs.len() == 0 => return Ok((Vec::new(), None)),
        _ => return Err(refused()),
    };
    let mut all = Vec::with_capacity(items.len());
    let mut null = None;
    let in_set = matches!(node.value(), Value::Set(_));
    for item in items {
        if in_set && matches!(item.value(), Value::Float(_)) {
            return Err(RuleError::cast("an entry of `to` is no map", item.start()));
        }
        if is_null_in_json(item) {
            null = null.or(Some(item.start()));
            continue;
        }
        let map = only_item(item).unwrap_or(item);
        let Value::Map(mut fields) = map.value() else {
            return Err(RuleError::cast("an entry of `to` is no map", item.start()));
        };
        if let Some((key, _)) = fields.find(|(key, _)| !is_name_in_json(*key)) {
            return Err(RuleError::cast("a key in `to` is no text", key.start()));
        }
        all.push(Destination {
            matches: text(map, "match", version)?.text(),
            matches_at: start(map, "match"),
            weight: text(map, "weight", version)?.or_null(),
            at: item.start(),
        });
    }
    Ok((all, null))
}

/// What fastjson2 reads as no object: `null`, numbers that JSON has none of, an empty text.
fn is_null_in_json(node: Node<'_>) -> bool {
    match node.value() {
        Value::Null => true,
        Value::Float(value) => !value.is_finite(),
        Value::Text(text) => text.is_empty(),
        _ => false,
    }
}

/// What fastjson2 writes as the name of a field; other keys it writes as they are, and cannot read again.
fn is_name_in_json(key: Node<'_>) -> bool {
    matches!(
        key.value(),
        Value::Text(_) | Value::Null | Value::Timestamp(_)
    )
}

/// The item of a list of one.
fn only_item(node: Node<'_>) -> Option<Node<'_>> {
    match node.value() {
        Value::List(items) | Value::Set(items) if items.len() == 1 => items.last(),
        _ => None,
    }
}

/// A JSON array of objects in a text; nothing of it has a place of its own.
fn of_json(text: &str, at: Position) -> Option<Vec<Destination>> {
    let Ok(serde_json::Value::Array(items)) = serde_json::from_str(text) else {
        return None;
    };
    let value = |item: &serde_json::Value, name: &str| match item.get(name) {
        None | Some(serde_json::Value::Null) => None,
        Some(serde_json::Value::String(text)) => Some(text.clone()),
        Some(other) => Some(other.to_string()),
    };
    items
        .iter()
        .map(|item| {
            item.is_object().then(|| Destination {
                matches: value(item, "match"),
                matches_at: None,
                weight: value(item, "weight"),
                at,
            })
        })
        .collect()
}

/// A field of a map of texts.
enum Field {
    /// Left out: fastjson2 writes no field that is `null`.
    Absent,
    /// There, and `null`.
    Null,
    /// A text.
    Text(String),
}

impl Field {
    fn text(self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text),
            Self::Absent | Self::Null => None,
        }
    }

    /// A number that is asked for with a default gets no default where the field is there and `null`.
    fn or_null(self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text),
            Self::Null => Some("null".to_owned()),
            Self::Absent => None,
        }
    }
}

/// A `String` of fastjson2: a scalar by its text, anything else by its JSON. Of a list of one, later releases of fastjson2
/// take the item, where earlier ones print the list.
fn text(map: Node<'_>, name: &str, version: &DubboVersion) -> Result<Field, RuleError> {
    let Some(mut value) = map.get(name) else {
        return Ok(Field::Absent);
    };
    if value.is_null() {
        return Ok(Field::Absent);
    }
    if version.at_least(ONE_ITEM_IS_THE_TEXT) {
        if let Value::Binary([byte]) = value.value() {
            return Ok(Field::Text(byte.cast_signed().to_string()));
        }
        value = only_item(value).unwrap_or(value);
    }
    Ok(match value.value() {
        Value::Null => Field::Null,
        Value::Float(number) if !number.is_finite() => Field::Null,
        Value::Text(text) => Field::Text(text.to_owned()),
        _ => {
            let json = value
                .json_text()
                .ok_or_else(|| RuleError::cast(format!("`{name}` is too long"), value.start()))?;
            // a date
            let bare = json
                .strip_prefix('"')
                .and_then(|text| text.strip_suffix('"'));
            Field::Text(bare.unwrap_or(&json).to_owned())
        }
    })
}

fn start(map: Node<'_>, name: &str) -> Option<Position> {
    Some(map.get(name)?.start())
}
