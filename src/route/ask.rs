//! What the rules in force ask about a call or its consumer: from it follow the classes of calls that they tell apart.

use super::RuleEvent;
use super::clause::Key;
use super::condition::asks_of;
use super::condition_read;
use super::dialect::Dialect;
use crate::model::version::DubboVersion;
use crate::rule::condition::text::Clause;
use crate::rule::condition::text::Condition;
use crate::rule::mesh::MeshRules;
use crate::rule::string_match::StringMatch;

/// What a rule looks at.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    /// The method.
    Method,
    /// The argument at a place.
    Argument(usize),
    /// An attachment.
    Attachment(String),
    /// The tag that a call asks for, in its attachment or by its consumer.
    Tag,
    /// A part or parameter of the consumer's URL.
    Consumer(String),
    /// A part or parameter of the addresses: in 2.x, and up to 3.1 by application, the consumer's parameters lie on top.
    Address(String),
}

/// A look at a call or its consumer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ask {
    /// What is looked at.
    pub subject: Subject,
    /// The values, as globs, with which it is compared.
    pub values: Vec<String>,
}

impl Ask {
    /// What the document under a key of condition rules asks when this version reads it; one that is refused asks nothing,
    /// nor does any in a version whose routers are not modelled.
    pub fn of_conditions(key: &str, text: &str, version: &DubboVersion) -> Vec<Self> {
        let Some(dialect) = Dialect::of(version) else {
            return Vec::new();
        };
        let event = RuleEvent {
            key,
            content: Some(text),
        };
        let taken = condition_read::read(event, text, version, dialect);
        let classic = taken.classic.as_deref().unwrap_or_default();
        let multi = taken.multi.iter().flatten();
        asks_of(classic, dialect)
            .chain(multi.flat_map(|condition| condition.asks(dialect)))
            .collect()
    }

    /// The same of one condition that stands in a URL.
    pub fn of_condition(text: &str, version: &DubboVersion) -> Vec<Self> {
        match (Dialect::of(version), Condition::parse(text)) {
            (Some(dialect), Ok(read)) => Self::of_clauses(&read.when, dialect)
                .chain(Self::of_right_side(
                    read.then.as_deref().unwrap_or_default(),
                ))
                .collect(),
            _ => Vec::new(),
        }
    }

    /// What a left side looks at; a key that can never be found looks at nothing.
    pub(super) fn of_clauses(
        clauses: &[Clause],
        dialect: Dialect,
    ) -> impl Iterator<Item = Self> + '_ {
        clauses.iter().filter_map(move |clause| {
            let subject = match Key::of(&clause.key, dialect) {
                Key::Method => Subject::Method,
                Key::Argument(place) => Subject::Argument(place?),
                Key::Attachment(name) => Subject::Attachment(name?),
                Key::Parameter => Subject::Consumer(clause.key.clone()),
            };
            let values = clause.matches.iter().chain(&clause.mismatches);
            Some(Self {
                subject,
                values: values.map(|value| value.text.clone()).collect(),
            })
        })
    }

    /// What a right side looks at, and what it takes over from the consumer.
    pub(super) fn of_right_side(clauses: &[Clause]) -> impl Iterator<Item = Self> + '_ {
        let keys = clauses.iter().map(|clause| {
            let values = clause.matches.iter().chain(&clause.mismatches);
            Self {
                subject: Subject::Address(clause.key.clone()),
                values: values.map(|value| value.text.clone()).collect(),
            }
        });
        keys.chain(Self::of_references(clauses))
    }

    /// What a right side takes over from the consumer (`$name`).
    fn of_references(clauses: &[Clause]) -> impl Iterator<Item = Self> + '_ {
        let values = clauses
            .iter()
            .flat_map(|clause| clause.matches.iter().chain(&clause.mismatches));
        values.filter_map(|value| {
            let name = value.text.strip_prefix('$')?;
            Some(Self {
                subject: Subject::Consumer(name.to_owned()),
                values: Vec::new(),
            })
        })
    }

    /// What mesh rules look at. Of regular expressions and numbers only the subject is told.
    pub(super) fn of_mesh(rules: &MeshRules) -> Vec<Self> {
        let mut asks = Vec::new();
        let details = rules
            .virtual_services
            .iter()
            .flat_map(|service| service.routes.iter().flatten().flatten())
            .flat_map(|route| route.details.iter().flatten());
        for request in details.flat_map(|detail| detail.matches.iter().flatten()) {
            if let Some(method) = &request.method {
                if let Some(name) = &method.name {
                    asks.push(Self {
                        subject: Subject::Method,
                        values: globs(name),
                    });
                }
                for argument in method.arguments.iter().flatten() {
                    asks.extend(usize::try_from(argument.index).ok().map(|place| Self {
                        subject: Subject::Argument(place),
                        values: Vec::new(),
                    }));
                }
            }
            for (name, value) in &request.attachments {
                asks.extend(name.as_ref().map(|name| Self {
                    subject: Subject::Attachment(name.clone()),
                    values: value.as_ref().map(globs).unwrap_or_default(),
                }));
            }
            for (name, value) in &request.source_labels {
                asks.extend(name.as_ref().map(|name| Self {
                    subject: Subject::Consumer(name.clone()),
                    values: value.iter().cloned().collect(),
                }));
            }
        }
        asks
    }
}

fn globs(wanted: &StringMatch) -> Vec<String> {
    let exact = wanted.exact.clone().or_else(|| wanted.wildcard.clone());
    let prefix = wanted.prefix.as_ref().map(|prefix| format!("{prefix}*"));
    exact.into_iter().chain(prefix).collect()
}
