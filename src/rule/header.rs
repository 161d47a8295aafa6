//! What every routing rule has: the fields of `AbstractRouterRule`.

use super::error::RuleError;
use super::pojo::{Class, Pojo};
use super::yaml::{Node, Value};
use crate::model::url::is_true;
use crate::model::version::DubboVersion;

/// The fields around the conditions, tags or script of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// Whether an empty result stays empty.
    pub force: bool,
    /// Whether the rule is on.
    pub enabled: bool,
    /// `false` when the document says so, or has nothing to apply: then what was in force stays in force.
    pub valid: bool,
    /// Read, and without effect in rules of the config center.
    pub runtime: bool,
    /// Read, and without effect.
    pub dynamic: bool,
    /// Read, and without effect.
    pub priority: i32,
    /// `service` or `application`; without effect: only the place where a rule is kept counts.
    pub scope: Option<String>,
    /// What the rule says it is for; without effect.
    pub key: Option<String>,
    /// `configVersion` as written (3.2 and later).
    pub config_version: Option<String>,
}

impl Default for Header {
    fn default() -> Self {
        Self {
            force: false,
            enabled: true,
            valid: true,
            runtime: true,
            dynamic: false,
            priority: 0,
            scope: None,
            key: None,
            config_version: None,
        }
    }
}

/// The same fields for [`super::pojo`], with those of the rule itself before them.
macro_rules! with_header {
    ($($field:expr),*) => {
        &[
            $($field,)*
            ("rawRule", $crate::rule::pojo::Class::Text),
            ("runtime", $crate::rule::pojo::Class::Boolean),
            ("force", $crate::rule::pojo::Class::Boolean),
            ("valid", $crate::rule::pojo::Class::Boolean),
            ("enabled", $crate::rule::pojo::Class::Boolean),
            ("priority", $crate::rule::pojo::Class::Int),
            ("dynamic", $crate::rule::pojo::Class::Boolean),
            ("scope", $crate::rule::pojo::Class::Text),
            ("key", $crate::rule::pojo::Class::Text),
        ]
    };
}
pub(super) use with_header;

/// A text list, the class of most fields.
pub(super) const TEXTS: Class = Class::List(&Class::Text);

impl Header {
    /// `parseFromMap0` (3.x): flags by their text, other fields cast to what they must be.
    pub(super) fn from_map(map: Node<'_>, version: &DubboVersion) -> Result<Self, RuleError> {
        let default = Self::default();
        let present = |name: &str| map.get(name).filter(|value| !value.is_null());
        let flag = |name: &str, default: bool| match present(name) {
            // A text of another class (a date) cannot be `true`.
            Some(value) => value.java_text().is_some_and(|text| is_true(&text)),
            None => default,
        };
        let text = |name: &str| match present(name) {
            None => Ok(None),
            Some(value) => match value.as_text() {
                Some(text) => Ok(Some(text.to_owned())),
                None => Err(RuleError::cast(
                    format!("`{name}` must be a text: put it in quotes"),
                    value.start(),
                )),
            },
        };
        text("rawRule")?;
        let priority = match present("priority") {
            None => default.priority,
            Some(value) => {
                let text = value.java_text().unwrap_or_default();
                text.parse().map_err(|_| {
                    RuleError::new(
                        "java.lang.NumberFormatException",
                        format!("`priority` is no whole number of 32 bits: {text}"),
                        Some(value.start()),
                    )
                })?
            }
        };
        Ok(Self {
            force: flag("force", default.force),
            enabled: flag("enabled", default.enabled),
            valid: flag("valid", default.valid),
            runtime: flag("runtime", default.runtime),
            dynamic: flag("dynamic", default.dynamic),
            priority,
            scope: text("scope")?,
            key: text("key")?,
            config_version: if version.at_least([3, 2]) {
                text("configVersion")?
            } else {
                None
            },
        })
    }

    /// From an object of 2.7.
    pub(super) fn from_pojo(pojo: &Pojo) -> Self {
        let default = Self::default();
        let flag = |name: &str, default: bool| pojo.flag(name).unwrap_or(default);
        Self {
            force: flag("force", default.force),
            enabled: flag("enabled", default.enabled),
            valid: flag("valid", default.valid),
            runtime: flag("runtime", default.runtime),
            dynamic: flag("dynamic", default.dynamic),
            priority: pojo.int("priority").unwrap_or_default(),
            scope: pojo.text("scope").map(str::to_owned),
            key: pojo.text("key").map(str::to_owned),
            config_version: None,
        }
    }
}

/// The root of a rule document, which must be a map: what Java casts it to.
pub(super) fn root(root: Option<Node<'_>>) -> Result<Node<'_>, RuleError> {
    let root = root.filter(|root| !root.is_null());
    let Some(root) = root else {
        return Err(RuleError::null("the document is empty", None));
    };
    match root.value() {
        Value::Map(_) => Ok(root),
        _ => Err(RuleError::cast(
            "the document is not a map of `field: value` pairs",
            root.start(),
        )),
    }
}
