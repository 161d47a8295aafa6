//! Conditions that come as a URL: `condition://` of the registry (2.7), and the consumer's own `rule` parameter when
//! `router=condition` asks for it (all lines).

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use super::ask::Ask;
use super::call::Call;
use super::chain::Making;
use super::condition::{ClassicCondition, PreparedClassic, Source, read};
use super::condition_steps::Step as _;
use super::dialect::{Dialect, Shape};
use super::outcome::Outcome;
use super::set::AddressSet;
use super::trace::{Document, Part};
use super::{AddressList, Prepared, Router, Thrown};
use crate::model::url::{Url, decode};
use crate::rule::condition::text::ConditionError;

/// A condition made from a URL.
pub(super) struct ConditionUrl {
    name: &'static str,
    priority: i32,
    condition: Arc<ClassicCondition>,
    dialect: Dialect,
}

impl ConditionUrl {
    /// `new ConditionRouter(url)`: parameters `rule` (encoded once more), `force`, `enabled`, `priority`.
    pub(super) fn new(making: &Making<'_>) -> Result<Self, Thrown> {
        let (url, dialect) = (making.url, making.dialect);
        let (force, enabled) = (url.flag("force", false), url.flag("enabled", true));
        let priority = if dialect.shape == Shape::Linked {
            0
        } else {
            priority(url)?
        };
        let text = if enabled || !dialect.disabled_unread {
            decoded_rule(url)?.unwrap_or_default()
        } else {
            String::new()
        };
        let condition = read(&text, enabled, dialect).map_err(|error| {
            let class = match error {
                ConditionError::Blank => "java.lang.IllegalArgumentException",
                ConditionError::Separator { .. } => "java.lang.IllegalStateException",
            };
            Thrown::new(class, error.to_string())
        })?;
        let condition = ClassicCondition {
            condition,
            force,
            enabled,
            source: Source::new(Document::new(&url.to_string(), &text), None, text),
        };
        let name = if dialect.shape == Shape::Sorted {
            "ConditionRouter"
        } else {
            "ConditionStateRouter"
        };
        Ok(Self {
            name,
            priority,
            condition: Arc::new(condition),
            dialect,
        })
    }
}

/// `getParameter("priority", 0)`.
pub(super) fn priority(url: &Url) -> Result<i32, Thrown> {
    let text = url.text("priority").unwrap_or("0");
    text.parse().map_err(|_| {
        Thrown::new(
            "java.lang.NumberFormatException",
            format!("For input string: \"{text}\""),
        )
    })
}

/// `getParameterAndDecoded("rule")`.
pub(super) fn decoded_rule(url: &Url) -> Result<Option<String>, Thrown> {
    url.parameter("rule")
        .map(|rule| {
            decode(rule).map_err(|_| {
                Thrown::new(
                    "java.lang.IllegalArgumentException",
                    "the rule has a broken percent sequence",
                )
            })
        })
        .transpose()
}

impl Router for ConditionUrl {
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed(self.name)
    }

    fn asks(&self) -> Vec<Ask> {
        self.condition.asks(self.dialect)
    }

    fn priority(&self) -> Option<i32> {
        Some(self.priority)
    }

    fn prepare(&self, list: &AddressList) -> Box<dyn Prepared> {
        Box::new(PreparedUrl(PreparedClassic::alone(
            Arc::clone(&self.condition),
            list,
            &Rc::default(),
            self.dialect,
        )))
    }
}

struct PreparedUrl(PreparedClassic);

impl Prepared for PreparedUrl {
    fn route(
        &self,
        list: &AddressList,
        call: &Call,
        input: &AddressSet,
    ) -> Result<Outcome, Thrown> {
        if input.is_empty() {
            return Ok(Outcome::Only(input.clone()));
        }
        Ok(self.0.route(list, call, input))
    }

    fn bound(&self, list: &AddressList, call: &Call, input: AddressSet) -> AddressSet {
        self.0.bound(list, call, input)
    }

    fn explain(&self, list: &AddressList, call: &Call, input: &AddressSet) -> Vec<Part> {
        vec![self.0.explain(list, call, input)]
    }
}
