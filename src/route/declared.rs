//! Routers of users' own code, as far as somebody declares what they do.
//!
//! Nothing in a registry shows such a router, yet "keep the same room, and nobody is there" is a classic cause of an
//! empty list. A declaration says where the router stands, which addresses it keeps, and whether it gives all back when
//! it would keep none:
//!
//! ```text
//! zone: after=tag, keep=same-zone, fallback=none
//! ```
//!
//! | field | values | without it |
//! | --- | --- | --- |
//! | `after` | the SPI name of a router (`mock`, `tag`, `service`, `app`, ...) or of a router declared before it | last of all |
//! | `keep` | `same-zone`; `same-PARAMETER` (equal to the consumer's own parameter); a condition, `when => then` or only the right side | must be given |
//! | `fallback` | `none`: an empty result stays empty; `all`: everything is passed on instead | `none` |
//!
//! What is needed and not known (the consumer's zone, its parameter, the zone of an address) makes the answer a bound.
//! A router that is only named (`router=` of the consumer) and not declared may do anything: everything from it on is a
//! bound, see [`Unknown`].

use std::borrow::Cow;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use super::call::Call;
use super::condition::{ClassicCondition, PreparedClassic, Source, read};
use super::condition_steps::Step as _;
use super::dialect::Dialect;
use super::outcome::Outcome;
use super::set::AddressSet;
use super::trace::{Document, Effect, Fragment, Part, Removal, RuleRef};
use super::{AddressList, Prepared, Router, Thrown};
use crate::rule::condition::text::{Condition, ConditionError};

/// A declared router.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    /// Its name, as `router=` or a router snapshot has it.
    pub name: String,
    /// The router behind which it stands; `None` is the end of the chain.
    pub after: Option<String>,
    /// What it keeps.
    pub keep: Keep,
    /// What it does when it would keep nothing.
    pub fallback: Fallback,
}

/// Which addresses a declared router keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Keep {
    /// Those in the consumer's zone.
    SameZone,
    /// Those whose parameter equals the consumer's.
    SameParameter(String),
    /// Those that fit a condition.
    Condition(String),
}

/// What a declared router does when it would keep nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fallback {
    /// Nothing is left: it has no guard against an empty room.
    None,
    /// Everything is passed on.
    All,
}

/// Why a text is no declaration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeclaredError {
    /// There is no name before a colon.
    #[error("`{0}` does not begin with the name of the router and a colon: NAME: keep=same-zone")]
    Name(String),
    /// A field that is not known.
    #[error("`{0}` is no field of a router: after=, keep= and fallback= are")]
    Field(String),
    /// `keep` is missing or empty.
    #[error(
        "router {0}: keep= is missing: same-zone, same-PARAMETER, or a condition such as region = $region"
    )]
    Keep(String),
    /// `fallback` is another word.
    #[error("router {name}: fallback={value} is neither none nor all")]
    Fallback {
        /// The router.
        name: String,
        /// What was given.
        value: String,
    },
    /// `keep` is no condition.
    #[error("router {name}: keep= is no condition: {error}")]
    Condition {
        /// The router.
        name: String,
        /// What is wrong.
        error: ConditionError,
    },
}

impl Declared {
    /// Reads a declaration.
    ///
    /// # Errors
    /// A name, field or value that is missing or not known.
    pub fn parse(text: &str) -> Result<Self, DeclaredError> {
        let (name, fields) = text
            .split_once(':')
            .map(|(name, fields)| (name.trim(), fields))
            .filter(|(name, _)| !name.is_empty() && !name.contains(['=', ',', ' ']))
            .ok_or_else(|| DeclaredError::Name(text.to_owned()))?;
        let (mut after, mut keep, mut fallback) = (None, None, Fallback::None);
        for field in fields_of(fields) {
            let (key, value) = field
                .split_once('=')
                .ok_or_else(|| DeclaredError::Field(field.to_owned()))?;
            let value = value.trim();
            match key.trim() {
                "after" => after = Some(value.to_owned()).filter(|value| !value.is_empty()),
                "keep" => keep = Some(value),
                "fallback" => {
                    fallback = match value {
                        "none" => Fallback::None,
                        "all" => Fallback::All,
                        _ => {
                            return Err(DeclaredError::Fallback {
                                name: name.to_owned(),
                                value: value.to_owned(),
                            });
                        }
                    };
                }
                _ => return Err(DeclaredError::Field(field.trim().to_owned())),
            }
        }
        let keep = keep
            .filter(|keep| !keep.is_empty())
            .ok_or_else(|| DeclaredError::Keep(name.to_owned()))?;
        let keep = match keep.strip_prefix("same-") {
            Some("zone") => Keep::SameZone,
            Some(parameter) if !parameter.contains(['=', ' ']) => {
                Keep::SameParameter(parameter.to_owned())
            }
            _ => match Condition::parse(keep) {
                Ok(_) => Keep::Condition(keep.to_owned()),
                Err(error) => {
                    return Err(DeclaredError::Condition {
                        name: name.to_owned(),
                        error,
                    });
                }
            },
        };
        Ok(Self {
            name: name.to_owned(),
            after,
            keep,
            fallback,
        })
    }
}

impl fmt::Display for Declared {
    /// As [`Self::parse`] reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.name)?;
        if let Some(after) = &self.after {
            write!(f, "after={after}, ")?;
        }
        match &self.keep {
            Keep::SameZone => f.write_str("keep=same-zone")?,
            Keep::SameParameter(name) => write!(f, "keep=same-{name}")?,
            Keep::Condition(text) => write!(f, "keep={text}")?,
        }
        f.write_str(match self.fallback {
            Fallback::None => ", fallback=none",
            Fallback::All => ", fallback=all",
        })
    }
}

/// Cuts at commas behind which a field begins, so that a condition may have commas of its own.
fn fields_of(text: &str) -> Vec<&str> {
    let mut fields = Vec::new();
    let mut from = 0;
    for (at, _) in text.match_indices(',') {
        let rest = text[at + 1..].trim_start();
        let begins = ["after", "keep", "fallback"].iter().any(|name| {
            rest.strip_prefix(name)
                .is_some_and(|rest| rest.trim_start().starts_with('='))
        });
        if begins {
            fields.push(&text[from..at]);
            from = at + 1;
        }
    }
    fields.push(&text[from..]);
    fields.retain(|field| !field.trim().is_empty());
    fields
}

/// Zones of a list of addresses, as far as somebody knows them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Zones {
    /// The consumer's zone.
    pub consumer: Option<String>,
    /// The zone of every address by place in the list; shorter when nothing is known of the rest.
    pub providers: Vec<Option<String>>,
}

impl Zones {
    /// The zone of the address at a place.
    pub fn of(&self, place: usize) -> Option<&str> {
        self.providers.get(place)?.as_deref()
    }
}

/// A declared router in a chain.
pub(super) struct DeclaredRouter {
    pub(super) declared: Arc<Declared>,
    pub(super) dialect: Dialect,
}

impl Router for DeclaredRouter {
    fn name(&self) -> Cow<'static, str> {
        Cow::Owned(self.declared.name.clone())
    }

    fn prepare(&self, list: &AddressList) -> Box<dyn Prepared> {
        if let Keep::Condition(text) = &self.declared.keep {
            let condition = ClassicCondition {
                // Read once before, when it was declared.
                condition: read(text, true, self.dialect).ok().flatten(),
                force: self.declared.fallback == Fallback::None,
                enabled: true,
                source: Source::new(
                    Document::new(&self.declared.to_string(), text),
                    None,
                    text.clone(),
                ),
            };
            return Box::new(ByCondition(PreparedClassic::alone(
                Arc::new(condition),
                list,
                &Rc::default(),
                self.dialect,
            )));
        }
        Box::new(self.same(list))
    }
}

impl DeclaredRouter {
    fn same(&self, list: &AddressList) -> SameValue {
        let value = |place: usize| match &self.declared.keep {
            Keep::SameZone => list.zones.of(place).map(str::to_owned),
            Keep::SameParameter(name) => Some(
                list.providers[place]
                    .original_parameter(name)
                    .unwrap_or_default()
                    .to_owned(),
            ),
            Keep::Condition(_) => None,
        };
        let wanted = match &self.declared.keep {
            Keep::SameZone => list.zones.consumer.clone(),
            Keep::SameParameter(name) => list.consumer.text(name).map(str::to_owned),
            Keep::Condition(_) => None,
        };
        SameValue {
            declared: Arc::clone(&self.declared),
            values: (0..list.len()).map(value).collect(),
            wanted,
        }
    }
}

/// Keeps addresses with one value.
struct SameValue {
    declared: Arc<Declared>,
    /// What every address has, `None` where that is not known.
    values: Vec<Option<String>>,
    /// What the consumer has, `None` where that is not known.
    wanted: Option<String>,
}

impl SameValue {
    fn answer(&self, input: &AddressSet) -> Outcome {
        if input.is_empty() {
            return Outcome::Only(input.clone());
        }
        let Some(wanted) = &self.wanted else {
            return Outcome::Within(input.clone());
        };
        let fits = |place: usize| self.values[place].as_ref().is_none_or(|it| it == wanted);
        let may = AddressSet::filter(input.list_len(), |at| input.contains(at) && fits(at));
        if may.is_empty() && self.declared.fallback == Fallback::All {
            return Outcome::Only(input.clone());
        }
        if may.iter().all(|place| self.values[place].is_some()) {
            return Outcome::Only(may);
        }
        // Nobody of them may be there, and then everybody is taken.
        Outcome::Within(match self.declared.fallback {
            Fallback::None => may,
            Fallback::All => input.clone(),
        })
    }
}

impl Prepared for SameValue {
    fn route(&self, _: &AddressList, _: &Call, input: &AddressSet) -> Result<Outcome, Thrown> {
        Ok(self.answer(input))
    }

    fn explain(&self, _: &AddressList, _: &Call, input: &AddressSet) -> Vec<Part> {
        let output = self.answer(input);
        let by = Arc::new(Fragment {
            text: self.wanted.clone().unwrap_or_default(),
            position: None,
        });
        let removed = input
            .without(&output.at_most())
            .iter()
            .map(|address| Removal {
                address,
                by: Some(Arc::clone(&by)),
                value: self.values[address].clone(),
            })
            .collect();
        vec![Part {
            output,
            removed,
            ..Part::passing(
                Some(rule_of(&self.declared)),
                by.text.as_str(),
                Effect::Declared,
                input,
            )
        }]
    }

    fn bound(&self, _: &AddressList, _: &Call, input: AddressSet) -> AddressSet {
        match self.declared.fallback {
            Fallback::None => self.answer(&input).at_most(),
            Fallback::All => input,
        }
    }
}

fn rule_of(declared: &Declared) -> RuleRef {
    RuleRef {
        key: declared.to_string().into(),
        position: None,
        force: declared.fallback == Fallback::None,
    }
}

/// Keeps addresses that fit a condition.
struct ByCondition(PreparedClassic);

impl Prepared for ByCondition {
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

    fn explain(&self, list: &AddressList, call: &Call, input: &AddressSet) -> Vec<Part> {
        vec![self.0.explain(list, call, input)]
    }

    fn bound(&self, list: &AddressList, call: &Call, input: AddressSet) -> AddressSet {
        self.0.bound(list, call, input)
    }
}

/// A router of which only the name is known: it may do anything with its input.
pub(super) struct Unknown(pub(super) String);

impl Router for Unknown {
    fn name(&self) -> Cow<'static, str> {
        Cow::Owned(self.0.clone())
    }

    fn prepare(&self, _: &AddressList) -> Box<dyn Prepared> {
        Box::new(Unknown(self.0.clone()))
    }
}

impl Prepared for Unknown {
    fn route(&self, _: &AddressList, _: &Call, input: &AddressSet) -> Result<Outcome, Thrown> {
        Ok(Outcome::Within(input.clone()))
    }

    fn explain(&self, _: &AddressList, _: &Call, input: &AddressSet) -> Vec<Part> {
        vec![Part::bounded(None, self.0.as_str(), Effect::Unknown, input)]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn declarations() {
        let zone = Declared::parse("zone: after=tag, keep=same-zone, fallback=none").unwrap();
        assert_eq!(
            (zone.name.as_str(), zone.after.as_deref()),
            ("zone", Some("tag"))
        );
        assert_eq!(
            (&zone.keep, zone.fallback),
            (&Keep::SameZone, Fallback::None)
        );
        let room = Declared::parse("room:keep=same-region,fallback=all").unwrap();
        assert_eq!(room.keep, Keep::SameParameter("region".to_owned()));
        let list = Declared::parse("r: keep=method=a,b => host=1,2, after=app").unwrap();
        assert_eq!(
            list.keep,
            Keep::Condition("method=a,b => host=1,2".to_owned())
        );
        assert_eq!(list.after.as_deref(), Some("app"));
        for bad in [
            "",
            "zone",
            "zone:",
            ": keep=same-zone",
            "zone: keep=",
            "zone: keep=a==b",
            "zone: keep=same-zone, fallback=some",
            "zone: hold=x",
        ] {
            assert!(Declared::parse(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn any_text_gets_an_answer_and_a_good_one_is_read_again(
            text in "[a-z]{0,3}:? ?((after|keep|fallback)=(tag|same-zone|same-x|none|all|a=b|a,b) ?,? ?){0,3}"
        ) {
            if let Ok(declared) = Declared::parse(&text) {
                prop_assert_eq!(Declared::parse(&declared.to_string()), Ok(declared));
            }
        }
    }
}
