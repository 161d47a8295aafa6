//! Documents as 2.7.0 to 2.7.9 read them: SnakeYAML builds the rule's class itself.
//!
//! Mirrors `org.yaml.snakeyaml.constructor.Constructor` (1.20) for the few classes that rules have; configurators use the parts. Unknown fields
//! refuse the document; flags are read from their text, quoted or not; a field without value is refused. A tag that is
//! written out (`!!str false`) makes its own class of the value, and a field of another class refuses it.

use super::condition::ConditionText;
use super::error::RuleError;
use super::header::Header;
use super::tag::Tag;
use super::yaml::{Entries, Node, Value};
use crate::model::url::is_true;

const YAML_EXCEPTION: &str = "org.yaml.snakeyaml.constructor.ConstructorException";

/// A condition rule before it is checked.
#[derive(Debug, Default)]
pub(super) struct TypedCondition {
    pub(super) header: Header,
    pub(super) conditions: Option<Vec<ConditionText>>,
}

/// A tag rule before it is checked.
#[derive(Debug, Default)]
pub(super) struct TypedTags {
    pub(super) header: Header,
    pub(super) tags: Option<Vec<Option<Tag>>>,
}

pub(super) fn condition_rule(root: Option<Node<'_>>) -> Result<TypedCondition, RuleError> {
    let mut out = TypedCondition::default();
    fields(root, |name, value| {
        if name == "conditions" {
            out.conditions = list(value, |item| {
                Ok(ConditionText {
                    text: text(item)?,
                    at: item.start(),
                })
            })?;
            return Ok(true);
        }
        header(&mut out.header, name, value)
    })?;
    Ok(out)
}

pub(super) fn tag_rule(root: Option<Node<'_>>) -> Result<TypedTags, RuleError> {
    let mut out = TypedTags::default();
    fields(root, |name, value| {
        if name == "tags" {
            out.tags = list(value, tag)?;
            return Ok(true);
        }
        header(&mut out.header, name, value)
    })?;
    Ok(out)
}

fn tag(node: Node<'_>) -> Result<Option<Tag>, RuleError> {
    if node.is_null() {
        return Ok(None);
    }
    let mut out = Tag {
        name: None,
        addresses: None,
        matches: None,
        at: node.start(),
    };
    fields(Some(node), |name, value| {
        match name {
            "name" => out.name = text(value)?,
            "addresses" => {
                out.addresses = list(value, |item| Ok(text(item)?.unwrap_or_default()))?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(Some(out))
}

/// Every field of a bean in order.
pub(super) fn fields<'d>(
    node: Option<Node<'d>>,
    mut take: impl FnMut(&str, Node<'d>) -> Result<bool, RuleError>,
) -> Result<(), RuleError> {
    let Some(node) = node.filter(|node| !node.is_null()) else {
        return Err(RuleError::null("the document is empty", None));
    };
    let entries = match node.value() {
        Value::Map(entries) => entries,
        // no arguments for the constructor
        Value::List(items) if items.len() == 0 => return Ok(()),
        _ => return Err(refused("a map of `field: value` pairs is expected", node)),
    };
    if node.is_tagged() {
        return Err(refused(
            "its tag makes it a plain map, not the object that is expected",
            node,
        ));
    }
    for (key, value) in entries {
        let name = key
            .written()
            .ok_or_else(|| refused("a field's name is no text", key))?;
        if !take(name, value)? {
            return Err(refused(
                &format!("this version does not know the field `{name}` and refuses the rule"),
                key,
            ));
        }
    }
    Ok(())
}

fn header(header: &mut Header, name: &str, value: Node<'_>) -> Result<bool, RuleError> {
    match name {
        "runtime" => header.runtime = flag(value)?,
        "force" => header.force = flag(value)?,
        "valid" => header.valid = flag(value)?,
        "enabled" => header.enabled = flag(value)?,
        "dynamic" => header.dynamic = flag(value)?,
        "priority" => header.priority = number(value)?,
        "scope" => header.scope = text(value)?,
        "key" => header.key = text(value)?,
        "rawRule" => {
            text(value)?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// A `String`: any scalar as written, `null` where there is none. A collection is taken for the arguments of a constructor
/// of `String`, of which only none and one text fit.
pub(super) fn text(node: Node<'_>) -> Result<Option<String>, RuleError> {
    match node.value() {
        Value::Null => return Ok(None),
        Value::Binary(bytes) => return Ok(Some(String::from_utf8_lossy(bytes).into_owned())),
        _ => {}
    }
    if node.is_tagged() && node.as_text().is_none() {
        return Err(refused("its tag makes it no text", node));
    }
    let mut items = node.items();
    let collected = match (node.value(), items.next(), items.next()) {
        (Value::List(_), None, _) => Some(""),
        (Value::List(_), Some(only), None) => only.as_text(),
        (Value::Map(entries), ..) if entries.len() == 0 => Some(""),
        _ => None,
    };
    node.written()
        .or(collected)
        .map(|text| Some(text.to_owned()))
        .ok_or_else(|| refused("a text is expected", node))
}

/// The words of YAML for true and false, in any letter case.
fn flag(node: Node<'_>) -> Result<bool, RuleError> {
    if node.is_tagged() {
        let value = node.as_bool();
        return value.ok_or_else(|| refused("its tag makes it neither true nor false", node));
    }
    match node.written().map(str::to_lowercase).as_deref() {
        Some("true" | "yes" | "on") => Ok(true),
        Some("false" | "no" | "off") => Ok(false),
        _ => Err(refused("true or false is expected", node)),
    }
}

/// A `Boolean`: as [`flag`], but a text that is none of the words makes it null.
pub(super) fn boxed_flag(node: Node<'_>) -> Result<Option<bool>, RuleError> {
    let mut items = node.items();
    match (node.value(), items.next(), items.next()) {
        (Value::Binary(_), ..) => Err(refused("true or false is expected", node)),
        (Value::Null, ..) if node.is_tagged() => Ok(None),
        _ if node.is_tagged() => flag(node).map(Some),
        // the argument of a constructor
        (Value::List(_), Some(only), None) if only.as_text().is_some() => {
            Ok(only.as_text().map(is_true))
        }
        _ if node.written().is_some() => Ok(flag(node).ok()),
        _ => flag(node).map(Some),
    }
}

/// A `Map`; without a value it is `null`.
pub(super) fn map(node: Node<'_>) -> Result<Option<Entries<'_>>, RuleError> {
    match node.value() {
        Value::Map(entries) => Ok(Some(entries)),
        Value::Null => Ok(None),
        _ => Err(refused("a map is expected", node)),
    }
}

fn number(node: Node<'_>) -> Result<i32, RuleError> {
    let of_text = || node.written()?.replace('_', "").parse().ok();
    let value = node.as_i64().or_else(|| (!node.is_tagged()).then(of_text)?);
    value
        .and_then(|value| i32::try_from(value).ok())
        .ok_or_else(|| refused("a number of 32 bits is expected", node))
}

/// A `List`; without a value it is `null`.
pub(super) fn list<'d, T>(
    node: Node<'d>,
    of: impl Fn(Node<'d>) -> Result<T, RuleError>,
) -> Result<Option<Vec<T>>, RuleError> {
    match node.value() {
        Value::List(items) => items.map(of).collect::<Result<_, _>>().map(Some),
        Value::Null => Ok(None),
        _ => Err(refused("a list is expected", node)),
    }
}

fn refused(message: &str, node: Node<'_>) -> RuleError {
    RuleError::new(YAML_EXCEPTION, message, Some(node.start()))
}
