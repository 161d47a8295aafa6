//! Classes of requests: the coarsest partition of calls by what the rules in force ask about them.
//!
//! Methods come from the providers' `methods`; where these are not known, the names that rules write stand for
//! themselves and one more class for any other method.

use std::collections::{BTreeMap, BTreeSet};

use super::ask::{Ask, Subject};
use super::call::{Call, JavaValue};
use super::pattern::Pattern;

/// More classes than these are not tried; fewer where rules ask so much that each of them takes time.
const MOST: usize = 64;
const FEWEST: usize = 4;
/// Asks of rules times classes.
const MOST_ASKED: usize = 200_000;
/// Names of methods times names in rules that are compared.
const MOST_COMPARED: usize = 4_000_000;
/// Classes that ask for a tag at most.
const MOST_TAGGED: usize = 256;
/// The attachment that asks for a tag.
const TAG: &str = "dubbo.tag";
/// A value that no rule writes.
pub(crate) const OTHER: &str = "\u{1}other";

/// A class with a call that stands for it.
#[derive(Debug, Clone)]
pub(crate) struct Class {
    /// What the calls have in common (`method = a, b`); empty when there is only one class.
    pub(crate) name: String,
    /// One of them.
    pub(crate) call: Call,
}

/// The classes.
#[derive(Debug, Clone)]
pub(crate) struct Classes {
    pub(crate) classes: Vec<Class>,
    /// There are more than were made.
    pub(crate) cut: bool,
}

/// Classes that ask for a tag.
#[derive(Debug, Clone)]
pub(crate) struct Tagged {
    /// For each tag some of the classes without one, in their order.
    pub(crate) classes: Vec<Class>,
    /// How many of them.
    pub(crate) each: usize,
    /// There are tags that were not tried.
    pub(crate) untried: bool,
}

/// One thing that calls differ in.
struct Dimension {
    subject: Subject,
    /// Name and value of each part; `None` is a call without it.
    parts: Vec<(String, Option<String>)>,
}

/// What is known of the calls.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    /// What all of them have; the method of one that is not known is [`OTHER`].
    pub(crate) call: Call,
    /// The method is known, or no name that a rule writes is ever the one of a call.
    pub(crate) method: bool,
    /// Something of the call is told, so that the rest is as told.
    pub(crate) told: bool,
}

/// The classes of calls that are left open by what is known of them.
pub(crate) fn classes(asks: &[Ask], methods: Option<&BTreeSet<String>>, known: &Known) -> Classes {
    let mut values: BTreeMap<&Subject, BTreeSet<&str>> = BTreeMap::new();
    let is_open = |subject: &Subject| match subject {
        Subject::Method => !known.method,
        Subject::Argument(_) | Subject::Attachment(_) => !known.told,
        Subject::Consumer(_) | Subject::Address(_) | Subject::Tag => false,
    };
    for ask in asks.iter().filter(|ask| is_open(&ask.subject)) {
        let all = values.entry(&ask.subject).or_default();
        all.extend(ask.values.iter().map(String::as_str));
    }
    let most = (MOST_ASKED / asks.len().max(1)).clamp(FEWEST, MOST);
    let mut cut = false;
    let mut classes = vec![Class {
        name: String::new(),
        call: known.call.clone(),
    }];
    for (subject, globs) in values {
        let compared = globs.len() * methods.map_or(globs.len(), BTreeSet::len);
        let dimension = match subject {
            Subject::Method if compared > MOST_COMPARED => {
                cut = true;
                continue;
            }
            Subject::Method => of_methods(subject, &globs, methods),
            // Rules may ask for a hundred thousand attachments: those that are too many are not even named.
            _ if classes.len() * count_of_values(subject, &globs) > most => {
                cut = true;
                continue;
            }
            _ => of_values(subject, &globs),
        };
        if dimension.parts.len() < 2 {
            continue;
        }
        if classes.len() * dimension.parts.len() > most {
            cut = true;
            continue;
        }
        classes = classes
            .iter()
            .flat_map(|class| {
                dimension
                    .parts
                    .iter()
                    .map(|part| with(class, &dimension.subject, part))
            })
            .collect();
    }
    Classes { classes, cut }
}

/// The classes that differ from these in asking for a tag: one for each tag that rules in force write, and any other.
/// Whoever asks for none is among the classes already.
pub(crate) fn with_tags(asks: &[Ask], classes: &[Class], known: &Known) -> Tagged {
    let of_tags = asks.iter().filter(|ask| ask.subject == Subject::Tag);
    let tags: BTreeSet<&str> = of_tags
        .clone()
        .flat_map(|ask| ask.values.iter().map(String::as_str))
        .collect();
    if known.told || of_tags.count() == 0 {
        return Tagged {
            classes: Vec::new(),
            each: 1,
            untried: false,
        };
    }
    // Where they would be too many, each tag is tried with the calls of the first class only.
    let cut = (tags.len() + 1) * classes.len() > MOST_TAGGED;
    let each = if cut { 1 } else { classes.len() };
    let untried = tags.len() >= MOST_TAGGED;
    let all = [OTHER].into_iter().chain(tags);
    let tagged = all.take(MOST_TAGGED).flat_map(|tag| {
        let shown = if tag == OTHER { "*" } else { tag };
        let part = (format!("{TAG} = {shown}"), Some(tag.to_owned()));
        let subject = Subject::Attachment(TAG.to_owned());
        let classes = classes[..each].iter();
        classes.map(move |class| with(class, &subject, &part))
    });
    Tagged {
        classes: tagged.collect(),
        each,
        untried,
    }
}

fn with(class: &Class, subject: &Subject, (name, value): &(String, Option<String>)) -> Class {
    let mut class = class.clone();
    if !class.name.is_empty() {
        class.name.push_str(" · ");
    }
    class.name.push_str(name);
    match (subject, value) {
        (Subject::Method, Some(value)) => class.call.method.clone_from(value),
        (Subject::Argument(place), Some(value)) => {
            let arguments = &mut class.call.arguments;
            while arguments.len() <= *place {
                arguments.push(JavaValue::Null);
            }
            arguments[*place] = JavaValue::Text(value.clone());
        }
        (Subject::Attachment(key), Some(value)) => {
            let value = JavaValue::Text(value.clone());
            class.call.attachments.insert(key.clone(), value);
        }
        _ => {}
    }
    class
}

/// Methods that no rule tells apart are one part.
fn of_methods(
    subject: &Subject,
    globs: &BTreeSet<&str>,
    methods: Option<&BTreeSet<String>>,
) -> Dimension {
    let patterns: Vec<Pattern> = globs.iter().map(|glob| Pattern::glob(Some(glob))).collect();
    let fits = |method: &str| -> Vec<bool> {
        patterns.iter().map(|it| it.matches(method, true)).collect()
    };
    let mut groups: BTreeMap<Vec<bool>, Vec<String>> = BTreeMap::new();
    if let Some(methods) = methods {
        for method in methods {
            groups.entry(fits(method)).or_default().push(method.clone());
        }
    } else {
        for glob in globs {
            let method = glob.replace('*', "");
            let group = groups.entry(fits(&method)).or_default();
            group.push((*glob).to_owned());
        }
        let others = groups.entry(fits(OTHER)).or_default();
        others.push(OTHER.to_owned());
    }
    let mut parts: Vec<(String, Option<String>)> = groups
        .into_values()
        .map(|names| {
            let shown: Vec<&str> = names
                .iter()
                .map(|name| if name == OTHER { "*" } else { name.as_str() })
                .collect();
            let value = names.iter().min_by_key(|name| name.contains('*'));
            let value = value.map(|name| name.replace('*', ""));
            (format!("method = {}", shown.join(", ")), value)
        })
        .collect();
    parts.sort();
    Dimension {
        subject: subject.clone(),
        parts,
    }
}

/// How many parts [`of_values`] makes.
fn count_of_values(subject: &Subject, globs: &BTreeSet<&str>) -> usize {
    let written = globs.iter().filter(|glob| **glob != "*").count();
    written + 1 + usize::from(matches!(subject, Subject::Attachment(_)))
}

/// Every written value, any other one, and none at all.
fn of_values(subject: &Subject, globs: &BTreeSet<&str>) -> Dimension {
    let name = match subject {
        Subject::Argument(place) => format!("arguments[{place}]"),
        Subject::Attachment(key) => format!("attachments[{key}]"),
        Subject::Method | Subject::Consumer(_) | Subject::Address(_) | Subject::Tag => {
            String::new()
        }
    };
    let mut parts: Vec<(String, Option<String>)> = globs
        .iter()
        .filter(|glob| **glob != "*")
        .map(|glob| {
            let value = glob.split('~').next().unwrap_or_default().replace('*', "");
            (format!("{name} = {glob}"), Some(value))
        })
        .collect();
    parts.push((format!("{name} = *"), Some(OTHER.to_owned())));
    if matches!(subject, Subject::Attachment(_)) {
        parts.push((format!("{name} = -"), None));
    }
    Dimension {
        subject: subject.clone(),
        parts,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ask(subject: Subject, values: &[&str]) -> Ask {
        Ask {
            subject,
            values: values.iter().map(|value| (*value).to_owned()).collect(),
        }
    }

    fn nothing() -> Known {
        Known {
            call: Call {
                method: OTHER.to_owned(),
                ..Call::default()
            },
            method: false,
            told: false,
        }
    }

    #[test]
    fn methods_that_no_rule_tells_apart_are_one_class() {
        let methods: BTreeSet<String> = ["create", "get", "list"].map(str::to_owned).into();
        let asks = [ask(Subject::Method, &["create*"])];
        let found = classes(&asks, Some(&methods), &nothing());
        let names: Vec<&str> = found.classes.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["method = create", "method = get, list"]);
        let found = classes(&asks, None, &nothing());
        let names: Vec<&str> = found.classes.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["method = *", "method = create*"]);
        let given = Known {
            call: Call {
                method: "get".to_owned(),
                ..Call::default()
            },
            method: true,
            told: true,
        };
        let found = classes(&asks, Some(&methods), &given);
        assert_eq!(
            (found.classes.len(), found.classes[0].call.method.as_str()),
            (1, "get")
        );
    }

    proptest! {
        #[test]
        fn there_is_always_a_class_and_never_too_many(
            values in prop::collection::vec("[a-c*]{0,3}", 0..30), places in 0_usize..6
        ) {
            let values: Vec<&str> = values.iter().map(String::as_str).collect();
            let mut asks = vec![ask(Subject::Method, &values)];
            asks.extend((0..places).map(|place| ask(Subject::Argument(place), &values)));
            let found = classes(&asks, None, &nothing());
            prop_assert!(!found.classes.is_empty() && found.classes.len() <= MOST);
        }
    }
}
