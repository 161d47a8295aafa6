//! The L-cases: facts read out of pasted texts, as given and in the shapes in which they are pasted elsewhere.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test reads its fixtures"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use diag::input::log::{
    Claim, Conclusion, Facts, Failure, KeyClaim, LogFacts, LogOrigin, LogReader, Outcome, Presence,
};
use serde_json::{Map, Value, json};

pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) input: Vec<u8>,
    pub(crate) expected: Map<String, Value>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/log")
}

pub(crate) fn cases() -> Vec<Case> {
    let mut folders: Vec<PathBuf> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    folders
        .into_iter()
        .map(|path| Case {
            name: path.file_name().unwrap().to_string_lossy().into_owned(),
            input: std::fs::read(path.join("input.txt")).unwrap(),
            expected: serde_json::from_slice(&std::fs::read(path.join("expected.json")).unwrap())
                .unwrap(),
        })
        .collect()
}

pub(crate) fn read(bytes: &[u8]) -> LogFacts {
    LogFacts::read(bytes, LogOrigin::default()).unwrap()
}

/// What a key is read from: all failures, those of one message, or those of one pod.
struct Scope {
    failures: Vec<Failure>,
}

impl Scope {
    fn all(facts: &LogFacts) -> Self {
        Self {
            failures: facts
                .failures
                .iter()
                .chain(&facts.statements)
                .cloned()
                .collect(),
        }
    }

    fn facts(&self) -> Vec<Facts> {
        self.failures.iter().map(Failure::facts).collect()
    }

    fn messages(&self) -> Vec<String> {
        let mut messages: Vec<_> = self
            .failures
            .iter()
            .flat_map(|failure| &failure.messages)
            .collect();
        messages.sort_by_key(|message| message.place);
        messages
            .into_iter()
            .map(|message| message.id.name().to_owned())
            .collect()
    }

    /// Distinct values of a kind of fact in order of appearance.
    fn values(&self, name: &str) -> Vec<Value> {
        let mut claims: Vec<Claim> = self
            .facts()
            .iter()
            .flat_map(|facts| facts.named(name).cloned().collect::<Vec<_>>())
            .collect();
        claims.sort_by_key(|claim| (std::cmp::Reverse(claim.strength()), claim.place()));
        let mut values = Vec::new();
        for claim in claims {
            if !values.contains(&claim.value()) {
                values.push(claim.value());
            }
        }
        values
    }

    fn one(&self, name: &str) -> Value {
        match self.values(name).as_slice() {
            [] => Value::String("(nothing)".to_owned()),
            [one] => one.clone(),
            many => json!({ "several": many }),
        }
    }

    /// The strongest value; weaker ones may say how something was set rather than what was in force.
    fn strongest(&self, name: &str) -> Value {
        self.values(name)
            .first()
            .cloned()
            .unwrap_or(Value::String("(nothing)".to_owned()))
    }

    fn keys(&self) -> Vec<KeyClaim> {
        let mut keys: Vec<KeyClaim> = Vec::new();
        for key in self
            .failures
            .iter()
            .filter_map(Failure::service)
            .map(|fact| fact.value)
        {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        keys
    }

    fn part(&self, part: impl Fn(&KeyClaim) -> Presence) -> Value {
        let mut parts: Vec<Value> = Vec::new();
        for key in self.keys() {
            let value = match part(&key) {
                Presence::Is(value) => json!(value),
                Presence::Absent => Value::Null,
                Presence::Unknown => json!("(unknown)"),
            };
            if !parts.contains(&value) {
                parts.push(value);
            }
        }
        match parts.as_slice() {
            [one] => one.clone(),
            many => json!({ "several": many }),
        }
    }

    fn conclusions(&self) -> Vec<Conclusion> {
        self.failures
            .iter()
            .flat_map(Failure::conclusions)
            .collect()
    }

    fn outcome(&self) -> Value {
        match self
            .failures
            .iter()
            .map(Failure::outcome)
            .collect::<Vec<_>>()
            .as_slice()
        {
            [Outcome::Success] => json!("success"),
            [Outcome::Unknown] => json!("unknown"),
            [Outcome::Failed] => json!("failed"),
            _ => json!("several"),
        }
    }
}

/// What the words of `points_to` and `proves` mean.
fn concluded(words: &str) -> Conclusion {
    match words {
        "connectivity" => Conclusion::Connectivity,
        "before routing" => Conclusion::BeforeRouting,
        "routers" => Conclusion::Routers,
        "disabled by override" => Conclusion::DisabledByOverride,
        "mapping missing" => Conclusion::MappingMissing,
        "the upstream deadline was used up" => Conclusion::UpstreamDeadline,
        "the request was not written" => Conclusion::RequestNotWritten,
        "the previous configurators stay in force" => Conclusion::PreviousRuleStays,
        "the registry gave nothing for this key" => Conclusion::RegistryGaveNothing,
        "old addresses stay in use" => Conclusion::OldAddressesStay,
        "provider exports version 1.0.0" => Conclusion::ProviderExports(vec![
            "blue/com.example.order.OrderService:1.0.0".to_owned(),
        ]),
        other => panic!("no conclusion is called {other:?}"),
    }
}

/// One key of `expected.json`: gives the value found, or nothing when the expected one holds.
fn mismatch(scope: &Scope, key: &str, expected: &Value) -> Option<Value> {
    let found = match key {
        "messages" => json!(scope.messages()),
        "service" => match scope.keys().as_slice() {
            [] => json!("(nothing)"),
            keys => {
                let mut names: Vec<&str> = keys.iter().map(|key| key.interface.as_str()).collect();
                names.dedup();
                if names.len() == 1 {
                    json!(names[0])
                } else {
                    json!(names)
                }
            }
        },
        "group" => scope.part(|key| key.group.clone()),
        "version" => scope.part(|key| key.version.clone()),
        "infrastructure" => json!(scope.keys().iter().any(KeyClaim::is_infrastructure)),
        "client" => json!(format!(
            "dubbo-go {}",
            scope.one("go_version").as_str().unwrap_or("?")
        )),
        "code" => scope.one("code"),
        "codes" => {
            let mut claims: Vec<Claim> = scope
                .facts()
                .iter()
                .flat_map(|facts| facts.named("code").cloned().collect::<Vec<_>>())
                .collect();
            claims.sort_by_key(Claim::place);
            json!(claims.iter().map(Claim::value).collect::<Vec<_>>())
        }
        "masked" => json!(scope.values("masked")),
        "time" => scope
            .values("time")
            .first()
            .map_or(Value::Null, |moment| moment["text"].clone()),
        "cost_ms" => {
            let nanos = scope.one("cost_ns").as_u64().unwrap_or_default();
            let millis = expected.as_f64().unwrap_or_default();
            let found: f64 = format!("{}.{:06}", nanos / 1_000_000, nanos % 1_000_000)
                .parse()
                .unwrap();
            if (found - millis).abs() < 1e-6 {
                expected.clone()
            } else {
                json!(nanos)
            }
        }
        "line" => match (
            expected.as_str().unwrap_or_default(),
            scope.one("dubbo_below").as_str(),
        ) {
            ("2.6 or older", Some("2.7.0"))
            | ("2.6, 2.7 or 3.0 (blank before the dot, no code)", Some("3.1.0")) => {
                expected.clone()
            }
            (_, below) => json!(below),
        },
        "failed" => scope.one("failed"),
        "outcome" => scope.outcome(),
        "points_to" | "proves" => {
            let wanted = concluded(expected.as_str().unwrap());
            let found = scope.conclusions();
            if found.contains(&wanted) {
                expected.clone()
            } else {
                json!(format!("{found:?}"))
            }
        }
        "timeout_ms" | "application" | "provider" => scope.strongest(key),
        key if Claim::NAMES.contains(&key) => scope.one(key),
        key => panic!("no reading of the key {key:?} is known"),
    };
    (found != *expected).then_some(found)
}

/// Facts that the words of `unknown` forbid.
fn forbidden(words: &str) -> &'static [&'static str] {
    match words {
        "method" => &["method"],
        "namespace" => &["namespace"],
        "application" | "the consumer's application" => &["application"],
        "discovery" => &["discovery"],
        "nacos group" => &["nacos_group"],
        "registry" | "registry of A" => &["registry"],
        "code" => &["code"],
        "rule" | "scope" => &["rule_text", "rule_scope", "rule_key"],
        "consumer_ip" | "consumer IP" | "consumer" => &["consumer_ip"],
        "ZooKeeper root" => &["registry_root"],
        "other registry members" => &["registry_backup"],
        "retries" => &["retries"],
        "service" | "any business service" => &["service"],
        "the consumer's dubbo version" => &["dubbo"],
        "dubbo-go version" => &["go_version", "dubbo"],
        "client elapsed" => &["client_elapsed_ms"],
        "server elapsed" => &["server_elapsed_ms"],
        "timeout of getOrder"
        | "which of routing or no invoker"
        | "routing problem"
        | "that the registry or a server crashed"
        | "where the cache file really lies"
        | "provider slow or down"
        | "group"
        | "version"
        | "version is absent or 0.0.0" => &[],
        other => panic!("no reading of unknown {other:?}"),
    }
}

fn claimed_in_spite(scope: &Scope, words: &str) -> bool {
    match words {
        "group" => scope.keys().iter().any(|key| key.group.is_known()),
        "version" | "version is absent or 0.0.0" => {
            scope.keys().iter().any(|key| key.version.is_known())
        }
        "any business service" => scope.keys().iter().any(|key| !key.is_infrastructure()),
        "which of routing or no invoker" | "routing problem" | "provider slow or down" => {
            let told = [
                Conclusion::Routers,
                Conclusion::BeforeRouting,
                Conclusion::ProviderPoolFull,
                Conclusion::Connectivity,
            ];
            scope.conclusions().iter().any(|found| told.contains(found))
        }
        "that the registry or a server crashed" => {
            scope.facts().iter().any(|facts| facts.has("reason"))
        }
        "where the cache file really lies" => {
            // The name may be told as printed, but nothing concludes that it lies there.
            scope
                .conclusions()
                .iter()
                .any(|found| format!("{found:?}").contains("dubbo-registry-"))
        }
        "timeout of getOrder" => scope.failures.iter().map(Failure::facts).any(|facts| {
            facts
                .method()
                .is_some_and(|method| method.value == "getOrder")
                && facts.has("timeout_ms")
        }),
        words => scope
            .facts()
            .iter()
            .any(|facts| forbidden(words).iter().any(|name| facts.has(name))),
    }
}

/// All that does not hold.
fn differences(facts: &LogFacts, expected: &Map<String, Value>) -> Vec<String> {
    let scope = Scope::all(facts);
    let mut wrong = Vec::new();
    for (key, value) in expected {
        match key.as_str() {
            "failures" => {
                if json!(facts.failures.len()) != *value {
                    wrong.push(format!(
                        "failures: {value} expected, {} found",
                        facts.failures.len()
                    ));
                }
            }
            "unknown" => {
                for words in value.as_array().unwrap() {
                    let words = words.as_str().unwrap();
                    if claimed_in_spite(&scope, words) {
                        wrong.push(format!("claims {words:?}"));
                    }
                }
            }
            "by_message" => {
                for (id, inner) in value.as_object().unwrap() {
                    let failures = scope
                        .failures
                        .iter()
                        .filter(|failure| failure.ids().any(|found| found.name() == id))
                        .cloned()
                        .collect();
                    compare(
                        &Scope { failures },
                        inner,
                        &format!("by_message.{id}."),
                        &mut wrong,
                    );
                }
            }
            "by_pod" => {
                for (pod, inner) in value.as_object().unwrap() {
                    let failures = scope
                        .failures
                        .iter()
                        .filter(|failure| failure.pod.as_deref() == Some(pod))
                        .cloned()
                        .collect();
                    compare(
                        &Scope { failures },
                        inner,
                        &format!("by_pod.{pod}."),
                        &mut wrong,
                    );
                }
            }
            _ => wrong.extend(
                mismatch(&scope, key, value)
                    .map(|found| format!("{key}: {value} expected, {found} found")),
            ),
        }
    }
    if !expected.contains_key("failures") && facts.failures.len() != 1 {
        wrong.push(format!(
            "failures: 1 expected, {} found",
            facts.failures.len()
        ));
    }
    wrong
}

fn compare(scope: &Scope, expected: &Value, front: &str, wrong: &mut Vec<String>) {
    for (key, value) in expected.as_object().unwrap() {
        wrong.extend(
            mismatch(scope, key, value)
                .map(|found| format!("{front}{key}: {value} expected, {found} found")),
        );
    }
}

pub(crate) fn check(shape: &str, of: impl Fn(&Case) -> Option<Vec<u8>>) {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for case in cases() {
        let Some(bytes) = of(&case) else { continue };
        seen += 1;
        let facts = read(&bytes);
        for difference in differences(&facts, &case.expected) {
            wrong.push(format!("{} {shape}: {difference}", case.name));
        }
    }
    assert!(seen > 0, "no case has this shape");
    assert!(
        wrong.is_empty(),
        "{} differences\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn all_cases_as_given() {
    assert_eq!(cases().len(), 40);
    check("as given", |case| Some(case.input.clone()));
}

#[test]
fn lines_of_a_recording_are_read_like_the_file() {
    for case in cases() {
        let text = String::from_utf8(case.input.clone()).unwrap();
        let mut reader = LogReader::new(LogOrigin::default());
        let mut offset = 0;
        for (index, line) in text.split_inclusive('\n').enumerate() {
            reader.push_line(index as u64 + 1, offset, line.trim_end_matches('\n'));
            offset += line.len() as u64;
        }
        let recorded = reader.finish();
        let file = read(&case.input);
        assert_eq!(recorded.failures, file.failures, "{}", case.name);
        assert_eq!(recorded.statements, file.statements, "{}", case.name);
    }
}

#[test]
fn names_of_facts_are_distinct() {
    let names: BTreeMap<&str, usize> = Claim::NAMES.iter().map(|name| (*name, 1)).collect();
    assert_eq!(names.len(), Claim::NAMES.len());
}
