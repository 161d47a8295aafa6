//! What the rules can tell apart in a call. Calls that agree in it go the same way and are routed once.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::Value;

use crate::input::requests::Request;
use crate::model::version::DubboVersion;
use crate::route::ask::{Ask, Subject};
use crate::route::call::{Call, JavaValue};
use crate::route::pattern::Pattern;
use crate::rule::kind::RuleKind;

/// Methods behind which the real name stands in the first argument.
const GENERIC: [&str; 3] = ["$invoke", "$invokeAsync", "$echo"];
/// Values of a rule that a text is compared with; with more of them the text stands for itself.
const MOST_MASKED: usize = 256;
/// Attachments that routers look at without any rule.
const ALWAYS: [&str; 4] = [
    "dubbo.tag",
    "dubbo.force.tag",
    "invocation.need.mock",
    "address",
];

/// What is looked at by the rules of all scenarios.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Interest {
    /// Everything: some rule is of a kind that may look at anything.
    everything: bool,
    method: bool,
    /// What it is compared with.
    methods: BTreeSet<String>,
    /// Some of that is no name but a pattern.
    method_patterns: bool,
    /// The caller's address.
    host: bool,
    /// What it is compared with.
    hosts: BTreeSet<String>,
    /// A right side takes it over (`$host`).
    host_taken: bool,
    /// Argument by place, with the values that rules compare it with.
    arguments: BTreeMap<usize, BTreeSet<String>>,
    /// Attachment by name, likewise.
    attachments: BTreeMap<String, BTreeSet<String>>,
}

impl Interest {
    /// Adds what a rule looks at when this version reads it. A text that is refused looks at nothing.
    pub fn add(&mut self, key: &str, text: &str, version: &DubboVersion) {
        match RuleKind::of_key(key) {
            Some(RuleKind::Condition) => self.take(Ask::of_conditions(key, text, version)),
            Some(RuleKind::Mesh) => self.everything = true,
            // Tags are among the attachments that always count; a script is not run.
            _ => {}
        }
    }

    /// Adds what a condition in a URL looks at.
    pub fn add_condition(&mut self, text: &str, version: &DubboVersion) {
        self.take(Ask::of_condition(text, version));
    }

    fn take(&mut self, asks: Vec<Ask>) {
        for Ask { subject, values } in asks {
            match subject {
                Subject::Method => {
                    self.method = true;
                    let is_pattern = |value: &String| value.contains(['*', '~']);
                    self.method_patterns |= values.iter().any(is_pattern);
                    self.methods.extend(values);
                }
                Subject::Argument(place) => self.arguments.entry(place).or_default().extend(values),
                Subject::Attachment(name) => {
                    self.attachments.entry(name).or_default().extend(values);
                }
                Subject::Consumer(name) if is_host(&name) => {
                    self.host = true;
                    self.host_taken |= values.is_empty();
                    self.hosts.extend(values);
                }
                // The tag of a call always counts.
                Subject::Consumer(_) | Subject::Address(_) | Subject::Tag => {}
            }
        }
    }

    /// Whether the address of a caller is compared with those of the providers.
    pub fn takes_host(&self) -> bool {
        self.host_taken
    }

    /// What the address of a caller is compared with.
    pub fn hosts(&self) -> impl Iterator<Item = &str> {
        self.hosts.iter().map(String::as_str)
    }

    /// Whether it matters from which address a call comes.
    pub fn sees_host(&self) -> bool {
        self.host || self.everything
    }

    /// Whether arguments matter at all.
    pub fn sees_arguments(&self) -> bool {
        self.everything || !self.arguments.is_empty()
    }

    /// A text that is equal for calls that no rule can tell apart. `None` = it depends on an argument whose value is
    /// not known.
    pub fn fingerprint(&self, request: &Request) -> Option<String> {
        let mut out = String::new();
        let generic = GENERIC.contains(&request.method.as_str());
        let method = self.method || self.everything;
        if method {
            // Methods that are all none of those that rules name are one.
            let is_told = self.everything || self.method_patterns || generic;
            let is_told = is_told || self.methods.contains(&request.method);
            let name = if is_told { &*request.method } else { "" };
            let _ = write!(out, "m{name}\u{1}");
        }
        if method && generic {
            let real = request.arguments.as_ref()?.first().and_then(Value::as_str);
            let _ = write!(out, "g{}\u{1}", real.unwrap_or_default());
        }
        if self.everything {
            let arguments = java_arguments(request)?;
            let _ = write!(out, "t{:?}a{arguments:?}\u{1}", request.parameter_types);
            let _ = write!(out, "k{:?}\u{1}", request.attachments);
        } else {
            for (place, values) in &self.arguments {
                let value = match &request.arguments {
                    None => return None,
                    Some(arguments) => arguments.get(*place).map(|value| {
                        java(
                            value,
                            request.parameter_types.get(*place).map(String::as_str),
                        )
                    }),
                };
                match value {
                    None => out.push('-'),
                    Some(JavaValue::Object(_)) if values.iter().any(|value| value != "*") => {
                        return None;
                    }
                    Some(value) => mask(&mut out, values, &value.text()),
                }
            }
            for (name, values) in &self.attachments {
                match request.attachments.get(name) {
                    None => out.push('-'),
                    Some(value) => mask(&mut out, values, value),
                }
            }
        }
        for name in ALWAYS {
            if let Some(value) = request.attachments.get(name) {
                let _ = write!(out, "\u{1}{name}={value}");
            }
        }
        if let Some(application) = &request.caller.application {
            let _ = write!(out, "\u{1}app={application}");
        }
        if self.sees_host()
            && let Some(ip) = &request.caller.ip
        {
            let _ = write!(out, "\u{1}ip={ip}");
        }
        Some(out)
    }
}

/// Keys under which the consumer's address is compared.
fn is_host(key: &str) -> bool {
    matches!(key, "host" | "address" | "register.ip" | "ip")
}

/// Which of the values a text fits, as any version may read them.
fn mask(out: &mut String, values: &BTreeSet<String>, text: &str) {
    out.push('[');
    if values.len() > MOST_MASKED {
        out.push_str(text);
        out.push(']');
        return;
    }
    for value in values {
        let glob = Pattern::glob(Some(value)).matches(text, true);
        let range = Pattern::range(value).matches(text, true);
        out.push(match (glob, range) {
            (false, false) => '0',
            (true, false) => '1',
            (false, true) => '2',
            (true, true) => '3',
        });
    }
    // A value that is there differs from none even when it fits nothing.
    out.push(']');
}

/// The call as the routers see it.
pub(super) fn call(request: &Request) -> Call {
    Call {
        method: request.method.clone(),
        parameter_types: request.parameter_types.clone(),
        arguments: java_arguments(request).unwrap_or_default(),
        attachments: request
            .attachments
            .iter()
            .map(|(key, value)| (key.clone(), JavaValue::Text(value.clone())))
            .collect(),
    }
}

fn java_arguments(request: &Request) -> Option<Vec<JavaValue>> {
    let arguments = request.arguments.as_ref()?;
    Some(
        arguments
            .iter()
            .enumerate()
            .map(|(place, value)| {
                java(
                    value,
                    request.parameter_types.get(place).map(String::as_str),
                )
            })
            .collect(),
    )
}

/// The Java object that a JSON value stands for, as far as its text can be known.
fn java(value: &Value, class: Option<&str>) -> JavaValue {
    let class = class.unwrap_or_default();
    let short = class.rsplit('.').next().unwrap_or_default();
    match value {
        Value::Null => JavaValue::Null,
        Value::Bool(value) => JavaValue::Boolean(*value),
        Value::String(text) => JavaValue::Text(text.clone()),
        Value::Number(number) => match (short, number.as_i64(), number.as_f64()) {
            ("float" | "Float", _, Some(_)) => number
                .to_string()
                .parse()
                .map_or_else(|_| JavaValue::Object(class.to_owned()), JavaValue::Float),
            ("double" | "Double", _, Some(value))
            | ("" | "Object" | "Number", None, Some(value)) => JavaValue::Double(value),
            (
                "" | "int" | "Integer" | "long" | "Long" | "short" | "Short" | "byte" | "Byte"
                | "Object" | "BigInteger" | "Number",
                Some(value),
                _,
            ) => JavaValue::Integer(value),
            ("BigInteger" | "BigDecimal", ..) => JavaValue::Text(number.to_string()),
            // A date, an enum by number and the like: their text is not this number.
            _ => JavaValue::Object(class.to_owned()),
        },
        Value::Array(items) => match short {
            "" | "List" | "ArrayList" | "LinkedList" | "Collection" | "Iterable" | "Object"
                if !class.starts_with('[') =>
            {
                JavaValue::List(items.iter().map(|item| java(item, None)).collect())
            }
            _ => JavaValue::Object(class.to_owned()),
        },
        Value::Object(entries) => match short {
            "" | "Map" | "HashMap" | "LinkedHashMap" | "TreeMap" => JavaValue::Map(
                entries
                    .iter()
                    .map(|(key, value)| (JavaValue::Text(key.clone()), java(value, None)))
                    .collect(),
            ),
            _ => JavaValue::Object(class.to_owned()),
        },
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn interest(key: &str, text: &str) -> Interest {
        let mut interest = Interest::default();
        interest.add(key, text, &DubboVersion::parse("3.3.6").unwrap());
        interest
    }

    fn request(method: &str, argument: &str, tag: Option<&str>) -> Request {
        Request {
            method: method.to_owned(),
            arguments: Some(vec![Value::from(argument)]),
            attachments: tag
                .map(|tag| ("dubbo.tag".to_owned(), tag.to_owned()))
                .into_iter()
                .collect(),
            ..Request::default()
        }
    }

    #[test]
    fn calls_that_no_rule_tells_apart_are_one() {
        let without = interest("a.tag-router", "tags: []\n");
        assert_eq!(
            without.fingerprint(&request("a", "1", None)),
            without.fingerprint(&request("b", "2", None))
        );
        assert_ne!(
            without.fingerprint(&request("a", "1", None)),
            without.fingerprint(&request("a", "1", Some("x")))
        );

        let by_argument = interest(
            "a.condition-router",
            "conditions:\n- arguments[0] = 1~5,vip* => host = x\n",
        );
        let of = |argument: &str| by_argument.fingerprint(&request("a", argument, None));
        assert_eq!(of("2"), of("4"));
        assert_eq!(of("7"), of("8"));
        assert_ne!(of("2"), of("7"));
        assert_ne!(of("vip1"), of("no"));
        assert!(!by_argument.sees_host());
        assert!(interest("a.condition-router", "conditions:\n- => host = $host\n").sees_host());
    }

    #[test]
    fn an_argument_without_a_known_text_decides_nothing() {
        let by_argument = interest(
            "a.condition-router",
            "conditions:\n- arguments[0] = x => host = x\n",
        );
        let mut unread = request("a", "1", None);
        unread.arguments = None;
        assert_eq!(by_argument.fingerprint(&unread), None);
        let mut object = request("a", "1", None);
        object.arguments = Some(vec![serde_json::json!({"id": 1})]);
        object.parameter_types = vec!["com.acme.Key".to_owned()];
        assert_eq!(by_argument.fingerprint(&object), None);
        object.parameter_types = vec!["java.util.Map".to_owned()];
        assert!(by_argument.fingerprint(&object).is_some());
    }

    proptest! {
        #[test]
        fn any_call_gets_an_answer(method in ".{0,8}", argument in ".{0,8}", rule in ".{0,40}") {
            let interest = interest("a.condition-router", &format!("conditions:\n- '{}'\n", rule.replace('\'', "''")));
            let _ = interest.fingerprint(&request(&method, &argument, None));
        }
    }
}
