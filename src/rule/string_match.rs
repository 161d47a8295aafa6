//! `StringMatch`: the one way in which tag, mesh and configurator rules compare a text.
//!
//! Mirrors `org.apache.dubbo.rpc.cluster.router.mesh.rule.virtualservice.match.StringMatch`.

use super::java_regex::{JavaRegex, RegexError};
use super::pojo::{Bean, Class, Pojo};
use crate::model::version::DubboVersion;

/// The fields of a `StringMatch`; the first one that is set decides.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StringMatch {
    /// Equal.
    pub exact: Option<String>,
    /// Starts with.
    pub prefix: Option<String>,
    /// Matches as a whole, as a Java regular expression.
    pub regex: Option<JavaRegex>,
    /// `*`, or equal (3.2 and later).
    pub wildcard: Option<String>,
    /// Absent or empty, whatever the text of this field.
    pub empty: bool,
    /// Present and not empty, whatever the text of this field.
    pub noempty: bool,
}

pub(super) const STRING_MATCH: Bean = Bean(&[
    ("exact", Class::Text),
    ("prefix", Class::Text),
    ("regex", Class::Text),
    ("noempty", Class::Text),
    ("empty", Class::Text),
    ("wildcard", Class::Text),
]);

impl StringMatch {
    pub(super) fn from_pojo(pojo: &Pojo, version: &DubboVersion) -> Self {
        let text = |name: &str| pojo.text(name).map(str::to_owned);
        Self {
            exact: text("exact"),
            prefix: text("prefix"),
            regex: pojo.text("regex").map(JavaRegex::new),
            wildcard: if version.at_least([3, 2]) {
                text("wildcard")
            } else {
                None
            },
            empty: pojo.text("empty").is_some(),
            noempty: pojo.text("noempty").is_some(),
        }
    }

    /// Whether a value fits. An absent value passes by the first four fields and can only be `empty`.
    pub fn is_match(&self, input: Option<&str>) -> Result<bool, RegexError> {
        if let Some(input) = input {
            if let Some(exact) = &self.exact {
                return Ok(input == exact);
            }
            if let Some(prefix) = &self.prefix {
                return Ok(input.starts_with(prefix.as_str()));
            }
            if let Some(regex) = &self.regex {
                return regex.is_match(input);
            }
            if let Some(wildcard) = &self.wildcard {
                return Ok(input == wildcard || wildcard == "*");
            }
        }
        let has_text = input.is_some_and(|input| !input.is_empty());
        Ok(if self.empty {
            !has_text
        } else {
            self.noempty && has_text
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_field_decides() {
        let exact = StringMatch {
            exact: Some("a".into()),
            prefix: Some("b".into()),
            ..StringMatch::default()
        };
        assert_eq!(exact.is_match(Some("a")), Ok(true));
        assert_eq!(exact.is_match(Some("b")), Ok(false));
        assert_eq!(exact.is_match(None), Ok(false));
        let absent = StringMatch {
            empty: true,
            ..exact
        };
        assert_eq!(absent.is_match(None), Ok(true));
        assert_eq!(
            absent.is_match(Some("")),
            Ok(false),
            "a value is there, so `exact` decides"
        );
        let some = StringMatch {
            noempty: true,
            ..StringMatch::default()
        };
        assert_eq!(
            (
                some.is_match(None),
                some.is_match(Some("")),
                some.is_match(Some("x"))
            ),
            (Ok(false), Ok(false), Ok(true))
        );
        assert_eq!(StringMatch::default().is_match(Some("x")), Ok(false));
        let any = StringMatch {
            wildcard: Some("*".into()),
            ..StringMatch::default()
        };
        assert_eq!(
            (any.is_match(Some("")), any.is_match(None)),
            (Ok(true), Ok(false))
        );
    }
}
