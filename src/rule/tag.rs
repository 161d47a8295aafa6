//! Tag rules: which addresses carry which tag.
//!
//! Mirrors `TagRuleParser`, `TagRouterRule`, `Tag` and `ParamMatch`.

use std::sync::Arc;

use super::condition::value_of;
use super::error::RuleError;
use super::expanded;
use super::header::{Header, TEXTS, root, with_header};
use super::lately::Lately;
use super::pojo::{self, Bean, Class, Content, Pojo};
use super::release::snake_yaml;
use super::string_match::{STRING_MATCH, StringMatch};
use super::typed;
use super::yaml::{Node, Position, Value, load_root_untagged, load_shared};
use crate::model::version::DubboVersion;

/// A document under a `.tag-router` key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagRule {
    /// The fields around the tags.
    pub header: Header,
    /// The tags in order.
    pub tags: Vec<Tag>,
}

/// One tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// Its name.
    pub name: Option<String>,
    /// Its addresses, as expressions. `None` is not the same as an empty list, only for `match`.
    pub addresses: Option<Vec<String>>,
    /// `match` (3.2 and later, `configVersion: v3.0`): all must hold. `None` when it is not there or not read.
    pub matches: Option<Vec<ParamMatch>>,
    /// Where the tag begins.
    pub at: Position,
}

/// A condition on a parameter of the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParamMatch {
    /// The parameter.
    pub key: Option<String>,
    /// What it must be; without it nothing fits.
    pub value: Option<StringMatch>,
    /// Where the condition begins.
    pub at: Position,
}

const TAG: Bean = Bean(&[("name", Class::Text), ("addresses", TEXTS)]);
const RULE: Bean = Bean(with_header![("tags", Class::List(&Class::Bean(&TAG)))]);
const PARAM_MATCH: Bean = Bean(&[("key", Class::Text), ("value", Class::Bean(&STRING_MATCH))]);

/// Reads a document as a consumer of that version does.
pub fn parse(text: &str, version: &DubboVersion) -> Result<Arc<TagRule>, RuleError> {
    thread_local! {
        static LATELY: Lately<DubboVersion, Result<Arc<TagRule>, RuleError>> = const { Lately::new() };
    }
    LATELY.with(|lately| lately.or_read(text, version, || read(text, version).map(Arc::new)))
}

fn read(text: &str, version: &DubboVersion) -> Result<TagRule, RuleError> {
    if !version.at_least([2, 7, 10]) {
        let document = load_root_untagged(text, snake_yaml(version))?;
        expanded::check(
            text.len(),
            document.root().and_then(|root| root.get("tags")),
        )?;
        let read = typed::tag_rule(document.root())?;
        return rule(read.header, read.tags);
    }
    let document = load_shared(text, snake_yaml(version))?;
    let root = root(document.root())?;
    expanded::check(text.len(), root.get("tags"))?;
    if version.line().is_3x() {
        let header = Header::from_map(root, version)?;
        let with_match = header
            .config_version
            .as_deref()
            .is_some_and(|it| it.starts_with("v3.0"));
        let tags = match root.get("tags").map(Node::value) {
            Some(Value::List(items)) => Some(
                items
                    .map(|item| tag(item, with_match, version).map(Some))
                    .collect::<Result<_, _>>()?,
            ),
            Some(Value::Pairs(pairs)) if pairs.len() > 0 => {
                return Err(RuleError::cast("a tag is no map", root.start()));
            }
            _ => None,
        };
        return rule(header, tags);
    }
    let object = pojo::object(root, &RULE)?;
    let tags = object
        .list("tags")
        .map(|items| items.iter().map(|item| item.as_ref().map(tag_of)).collect());
    rule(Header::from_pojo(&object), tags)
}

/// No tags make a document invalid; a tag that is `null` refuses a valid one.
fn rule(header: Header, tags: Option<Vec<Option<Tag>>>) -> Result<TagRule, RuleError> {
    let tags = tags.unwrap_or_default();
    let valid = header.valid && !tags.is_empty();
    let header = Header { valid, ..header };
    let count = tags.len();
    let tags: Vec<Tag> = tags.into_iter().flatten().collect();
    if valid && tags.len() != count {
        return Err(RuleError::null("a tag is no map", None));
    }
    Ok(TagRule { header, tags })
}

/// A tag of 2.7.
fn tag_of(pojo: &Pojo) -> Tag {
    let addresses = pojo.list("addresses").map(|items| {
        items
            .iter()
            .map(|item| match item.as_ref().map(|item| &item.content) {
                Some(Content::Text(text)) => text.clone(),
                _ => String::new(),
            })
            .collect()
    });
    Tag {
        name: pojo.text("name").map(str::to_owned),
        addresses,
        matches: None,
        at: pojo.at,
    }
}

/// `Tag.parseFromMap` (3.x).
fn tag(node: Node<'_>, with_match: bool, version: &DubboVersion) -> Result<Tag, RuleError> {
    let at = node.start();
    match node.value() {
        Value::Map(_) => {}
        Value::Null => return Err(RuleError::null("a tag is empty", Some(at))),
        _ => return Err(RuleError::cast("a tag is no map", at)),
    }
    let name = match node.get("name").filter(|name| !name.is_null()) {
        None => None,
        Some(name) => Some(
            name.as_text()
                .ok_or_else(|| {
                    RuleError::cast(
                        "a tag's name must be a text: put it in quotes",
                        name.start(),
                    )
                })?
                .to_owned(),
        ),
    };
    let matches = match node
        .get("match")
        .filter(|value| with_match && !value.is_null())
    {
        None => None,
        Some(list) => match list.value() {
            Value::List(items) => Some(
                items
                    .map(|item| param_match(item, version))
                    .collect::<Result<_, _>>()?,
            ),
            Value::Pairs(pairs) if pairs.len() == 0 => Some(Vec::new()),
            _ => return Err(RuleError::cast("`match` is no list", list.start())),
        },
    };
    let addresses = match node.get("addresses").map(Node::value) {
        Some(Value::List(items)) => Some(items.map(value_of).collect()),
        Some(Value::Pairs(pairs)) => {
            Some(pairs.map(|_| "[Ljava.lang.Object;@?".to_owned()).collect())
        }
        _ => None,
    };
    Ok(Tag {
        name,
        addresses,
        matches,
        at,
    })
}

fn param_match(node: Node<'_>, version: &DubboVersion) -> Result<ParamMatch, RuleError> {
    let at = node.start();
    match node.value() {
        Value::Map(_) => {}
        Value::Null => return Err(RuleError::null("a condition of `match` is empty", Some(at))),
        _ => return Err(RuleError::cast("a condition of `match` is no map", at)),
    }
    let object = pojo::object(node, &PARAM_MATCH)?;
    Ok(ParamMatch {
        key: object.text("key").map(str::to_owned),
        value: object
            .field("value")
            .map(|value| StringMatch::from_pojo(value, version)),
        at,
    })
}
