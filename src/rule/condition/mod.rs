//! Condition rules: the document of 2.7 to 3.3 and the text of one condition.
//!
//! Mirrors `ConditionRuleParser` and `ConditionRouterRule`.

pub mod text;

use super::condition_multi::MultiDestinationRule;
use super::error::RuleError;
use super::expanded;
use super::header::{Header, TEXTS, root, with_header};
use super::pojo::{self, Bean, Content};
use super::release::snake_yaml;
use super::typed;
use super::yaml::{Node, Position, Value, load_root_untagged, load_shared};
use crate::model::version::DubboVersion;

/// A document under a `.condition-router` key.
#[derive(Debug, Clone, PartialEq)]
pub enum ConditionDocument {
    /// A list of texts.
    Classic(ConditionRule),
    /// `configVersion: v3.1` (3.3 and later).
    MultiDestination(MultiDestinationRule),
    /// A `configVersion` above v3.1 (3.3 and later): nothing in it counts. A warning of the log, no exception.
    TooNew(RuleError),
}

/// A classic document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConditionRule {
    /// The fields around the conditions.
    pub header: Header,
    /// The conditions in order.
    pub conditions: Vec<ConditionText>,
}

/// One condition as it stands in the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConditionText {
    /// What Dubbo reads as a condition; `None` is `null`, which it refuses like a blank text.
    pub text: Option<String>,
    /// Where it begins.
    pub at: Position,
}

const RULE: Bean = Bean(with_header![("conditions", TEXTS)]);

/// Reads a document as a consumer of that version does.
pub fn parse(text: &str, version: &DubboVersion) -> Result<ConditionDocument, RuleError> {
    if !version.at_least([2, 7, 10]) {
        let document = load_root_untagged(text, snake_yaml(version))?;
        expanded::check(text.len(), document.root().and_then(conditions))?;
        let read = typed::condition_rule(document.root())?;
        return Ok(ConditionDocument::Classic(classic(
            read.header,
            read.conditions,
        )));
    }
    let document = load_shared(text, snake_yaml(version))?;
    let root = root(document.root())?;
    expanded::check(text.len(), conditions(root))?;
    if !version.line().is_3x() {
        let object = pojo::object(root, &RULE)?;
        let conditions = object.list("conditions").map(|items| {
            items
                .iter()
                .map(|item| match item {
                    Some(item) => ConditionText {
                        text: match &item.content {
                            Content::Text(text) => Some(text.clone()),
                            _ => None,
                        },
                        at: item.at,
                    },
                    None => ConditionText {
                        text: None,
                        at: object.at,
                    },
                })
                .collect()
        });
        return Ok(ConditionDocument::Classic(classic(
            Header::from_pojo(&object),
            conditions,
        )));
    }
    if version.at_least([3, 3]) {
        match root.get("configVersion").filter(|value| !value.is_null()) {
            None => {}
            Some(value) => {
                let Some(written) = value.as_text() else {
                    return Err(RuleError::cast(
                        "`configVersion` must be a text: put it in quotes",
                        value.start(),
                    ));
                };
                let lower = written.to_lowercase();
                if lower.starts_with("v3.1") {
                    return MultiDestinationRule::from_map(root, version)
                        .map(ConditionDocument::MultiDestination);
                }
                if compare_ignoring_case(written, "v3.1").is_gt() {
                    return Ok(ConditionDocument::TooNew(RuleError::new(
                        "-",
                        format!(
                            "`configVersion: {written}` is above v3.1, the newest that Dubbo {version} reads"
                        ),
                        Some(value.start()),
                    )));
                }
            }
        }
    }
    let header = Header::from_map(root, version)?;
    Ok(ConditionDocument::Classic(classic(
        header,
        texts(root.get("conditions")),
    )))
}

fn conditions(root: Node<'_>) -> Option<Node<'_>> {
    root.get("conditions")
}

/// No conditions make a document invalid.
fn classic(header: Header, conditions: Option<Vec<ConditionText>>) -> ConditionRule {
    let conditions = conditions.unwrap_or_default();
    let valid = header.valid && !conditions.is_empty();
    ConditionRule {
        header: Header { valid, ..header },
        conditions,
    }
}

/// `String.valueOf` of every item of a list (3.x); anything else counts as missing.
fn texts(node: Option<Node<'_>>) -> Option<Vec<ConditionText>> {
    let node = node?;
    match node.value() {
        Value::List(items) => Some(
            items
                .map(|item| ConditionText {
                    text: Some(value_of(item)),
                    at: item.start(),
                })
                .collect(),
        ),
        Value::Pairs(pairs) => Some(
            pairs
                .map(|(key, _)| ConditionText {
                    text: Some("[Ljava.lang.Object;@?".to_owned()),
                    at: key.start(),
                })
                .collect(),
        ),
        _ => None,
    }
}

/// `String.valueOf`; where the text depends on the JVM, its class, and a date as a JVM in UTC writes it.
pub(super) fn value_of(node: Node<'_>) -> String {
    node.java_text_in_utc()
        .unwrap_or_else(|| node.written().unwrap_or_default().to_owned())
}

/// `String.compareToIgnoreCase`.
fn compare_ignoring_case(a: &str, b: &str) -> std::cmp::Ordering {
    let fold = |text: &str| -> Vec<u16> {
        text.chars()
            .flat_map(char::to_uppercase)
            .flat_map(char::to_lowercase)
            .collect::<String>()
            .encode_utf16()
            .collect()
    };
    fold(a).cmp(&fold(b))
}
