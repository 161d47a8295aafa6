//! `match` of a configurator: on which URLs an item applies (3.2 and later, under `configVersion: v3.0`).
//!
//! Mirrors `ConditionMatch`, `AddressMatch`, `ListStringMatch` and `ParamMatch`.

use crate::model::matching::is_match_glob;
use crate::model::url::Url;
use crate::model::version::DubboVersion;
use crate::rule::error::RuleError;
use crate::rule::ip_expression::{Host, IpError, IpExpression};
use crate::rule::java_regex::RegexError;
use crate::rule::pojo::{self, Bean, Class, Pojo};
use crate::rule::string_match::{STRING_MATCH, StringMatch};
use crate::rule::yaml::Node;

/// Everything that is set must fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConditionMatch {
    /// The host (before 3.2.3: host and port of the URL).
    pub address: Option<AddressMatch>,
    /// Host and port of the URL (3.2.3 and later).
    pub provider_address: Option<AddressMatch>,
    /// The service key.
    pub service: Option<OneOf>,
    /// The application.
    pub app: Option<OneOf>,
    /// Parameters; `None` is an item that is no map.
    pub parameters: Option<Vec<Option<ParamMatch>>>,
    /// Before 3.2.3, where a URL without the parameter never fits.
    before_3_2_3: bool,
}

/// How an address is compared. The first field that is set decides, except that an unresolvable `cird` is passed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddressMatch {
    /// An address expression, also with a prefix length; spelled so.
    pub cird: Option<String>,
    /// With one `*`.
    pub wildcard: Option<String>,
    /// Equal.
    pub exact: Option<String>,
}

/// One of several texts must fit; without the list Dubbo throws.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OneOf(pub Option<Vec<Option<StringMatch>>>);

/// A condition on a parameter of the URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParamMatch {
    /// The parameter; without it nothing fits.
    pub key: Option<String>,
    /// What it must be.
    pub value: Option<StringMatch>,
}

/// Why a condition says neither yes nor no.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MatchError {
    /// A part of it is missing, on which Java throws a `NullPointerException`.
    #[error("`match` has {0}")]
    Missing(&'static str),
    /// The address expression cannot be compared with this address.
    #[error("`cird` in `match`: {0}")]
    Address(#[from] IpError),
    /// The regular expression is none, or this program cannot run it.
    #[error(transparent)]
    Regex(#[from] RegexError),
}

impl MatchError {
    /// The class of the exception that Java throws; `None` where only this program fails.
    pub fn class(&self) -> Option<&'static str> {
        match self {
            Self::Missing(_) => Some("java.lang.NullPointerException"),
            Self::Address(error) => Some(error.class()),
            Self::Regex(RegexError::Syntax(_)) => Some("java.util.regex.PatternSyntaxException"),
            Self::Regex(RegexError::Unsupported(_)) => None,
        }
    }
}

const ADDRESS: Bean = Bean(&[
    ("wildcard", Class::Text),
    ("cird", Class::Text),
    ("exact", Class::Text),
]);
const ONE_OF: Bean = Bean(&[("oneof", Class::List(&Class::Bean(&STRING_MATCH)))]);
const PARAM: Bean = Bean(&[("key", Class::Text), ("value", Class::Bean(&STRING_MATCH))]);
const CONDITION: Bean = Bean(&[
    ("address", Class::Bean(&ADDRESS)),
    ("providerAddress", Class::Bean(&ADDRESS)),
    ("service", Class::Bean(&ONE_OF)),
    ("app", Class::Bean(&ONE_OF)),
    ("param", Class::List(&Class::Bean(&PARAM))),
]);
/// Before 3.2.3 there is no `providerAddress`, so that nothing in it can be refused.
const OLD_CONDITION: Bean = Bean(&[
    ("address", Class::Bean(&ADDRESS)),
    ("service", Class::Bean(&ONE_OF)),
    ("app", Class::Bean(&ONE_OF)),
    ("param", Class::List(&Class::Bean(&PARAM))),
]);

impl ConditionMatch {
    /// Reads the map under `match`. On an error the item applies without it.
    pub(super) fn from_map(map: Node<'_>, version: &DubboVersion) -> Result<Self, RuleError> {
        let before_3_2_3 = !version.at_least([3, 2, 3]);
        let bean = if before_3_2_3 {
            &OLD_CONDITION
        } else {
            &CONDITION
        };
        let object = pojo::object(map, bean)?;
        let address = |name: &str| object.field(name).map(AddressMatch::from_pojo);
        let one_of = |name: &str| {
            let field = object.field(name)?;
            Some(OneOf(field.list("oneof").map(|items| {
                items
                    .iter()
                    .map(|item| Some(StringMatch::from_pojo(item.as_ref()?, version)))
                    .collect()
            })))
        };
        Ok(Self {
            address: address("address"),
            provider_address: address("providerAddress"),
            service: one_of("service"),
            app: one_of("app"),
            parameters: object.list("param").map(|items| {
                items
                    .iter()
                    .map(|item| Some(ParamMatch::from_pojo(item.as_ref()?, version)))
                    .collect()
            }),
            before_3_2_3,
        })
    }

    /// Whether a URL fits. `host` is the host that the rule's own host was compared with.
    pub fn is_match(&self, host: &str, url: &Url) -> Result<bool, MatchError> {
        let address = url.address();
        let host = if self.before_3_2_3 {
            address.as_deref()
        } else {
            Some(host)
        };
        if let Some(wanted) = &self.address
            && !wanted.is_match(host)?
        {
            return Ok(false);
        }
        if let Some(wanted) = &self.provider_address
            && !wanted.is_match(address.as_deref())?
        {
            return Ok(false);
        }
        if let Some(wanted) = &self.service
            && !wanted.is_match(url.service_key().as_deref())?
        {
            return Ok(false);
        }
        if let Some(wanted) = &self.app
            && !wanted.is_match(url.parameter("application"))?
        {
            return Ok(false);
        }
        for wanted in self.parameters.iter().flatten() {
            let wanted = wanted
                .as_ref()
                .ok_or(MatchError::Missing("an item of `param` that is no map"))?;
            if !wanted.is_match(url, self.before_3_2_3)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl AddressMatch {
    fn from_pojo(pojo: &Pojo) -> Self {
        let text = |name: &str| pojo.text(name).map(str::to_owned);
        Self {
            cird: text("cird"),
            wildcard: text("wildcard"),
            exact: text("exact"),
        }
    }

    fn is_match(&self, input: Option<&str>) -> Result<bool, MatchError> {
        let Some(input) = input else {
            return Ok(false);
        };
        if let Some(cird) = &self.cird {
            match matches_expression(cird, input) {
                Err(IpError::Unresolved) => {}
                answer => return Ok(answer?),
            }
        }
        if let Some(wildcard) = &self.wildcard {
            return Ok(wildcard == "0.0.0.0"
                || wildcard == "*"
                || is_match_glob(Some(wildcard), Some(input)));
        }
        Ok(self.exact.as_deref() == Some(input))
    }
}

/// `NetUtils.matchIpExpression(pattern, address)`: the port stays with the host, since it is looked for at the end only.
fn matches_expression(pattern: &str, address: &str) -> Result<bool, IpError> {
    if address == pattern {
        return Ok(true);
    }
    let (host, port) = if address.ends_with(':') {
        let mut parts = address.trim_end_matches(':').split(':');
        let host = parts.next().unwrap_or_default();
        let port = parts.next().ok_or(IpError::FewerParts)?;
        (host, port.parse().unwrap_or_default())
    } else {
        (address, 0)
    };
    IpExpression::new(pattern).matches(&Host::new(host), port)
}

impl OneOf {
    fn is_match(&self, input: Option<&str>) -> Result<bool, MatchError> {
        let items = self.0.as_ref();
        for item in items.ok_or(MatchError::Missing("no list `oneof`"))? {
            let item = item
                .as_ref()
                .ok_or(MatchError::Missing("an item of `oneof` that is no map"))?;
            if item.is_match(input)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl ParamMatch {
    fn from_pojo(pojo: &Pojo, version: &DubboVersion) -> Self {
        Self {
            key: pojo.text("key").map(str::to_owned),
            value: pojo
                .field("value")
                .map(|value| StringMatch::from_pojo(value, version)),
        }
    }

    fn is_match(&self, url: &Url, before_3_2_3: bool) -> Result<bool, MatchError> {
        let Some(key) = &self.key else {
            return Ok(false);
        };
        let input = url.parameter(key);
        match &self.value {
            _ if before_3_2_3 && input.is_none() => Ok(false),
            None if before_3_2_3 => Err(MatchError::Missing("an item of `param` without `value`")),
            None => Ok(false),
            Some(value) => Ok(value.is_match(input)?),
        }
    }
}
