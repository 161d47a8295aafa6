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

struct Case {
    name: String,
    input: Vec<u8>,
    expected: Map<String, Value>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/log")
}

fn cases() -> Vec<Case> {
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

fn read(bytes: &[u8]) -> LogFacts {
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

fn check(shape: &str, of: impl Fn(&Case) -> Option<Vec<u8>>) {
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

fn text(case: &Case) -> String {
    String::from_utf8(case.input.clone()).unwrap()
}

fn each_line(case: &Case, change: impl Fn(&str) -> String) -> Vec<u8> {
    text(case)
        .lines()
        .map(|line| change(line) + "\n")
        .collect::<String>()
        .into_bytes()
}

/// The text is itself wrapped in a log file's format, or names its pods.
fn is_wrapped(case: &Case) -> bool {
    matches!(case.name.as_str(), "L55" | "L58")
}

#[test]
fn line_ends_and_marks() {
    check("CRLF", |case| {
        Some(each_line(case, |line| format!("{line}\r")))
    });
    check("BOM", |case| {
        Some([b"\xEF\xBB\xBF".as_slice(), &case.input].concat())
    });
    check("no newline at the end", |case| {
        Some(text(case).trim_end().as_bytes().to_vec())
    });
}

#[test]
fn utf16_with_a_mark() {
    let units = |case: &Case, bytes: fn(u16) -> [u8; 2]| {
        std::iter::once(0xFEFF)
            .chain(text(case).encode_utf16())
            .flat_map(bytes)
            .collect()
    };
    check("UTF-16LE", |case| Some(units(case, u16::to_le_bytes)));
    check("UTF-16BE", |case| Some(units(case, u16::to_be_bytes)));
}

#[test]
fn chinese_words_around_in_an_old_encoding() {
    check("GB18030", |case| {
        let text = format!(
            "大家好，调用失败，日志如下：\n{}\n谢谢！有人知道原因吗？\n",
            text(case)
        );
        let (bytes, _, unmappable) = encoding_rs::GB18030.encode(&text);
        assert!(!unmappable);
        Some(bytes.into_owned())
    });
}

#[test]
fn quoted_in_a_mail_or_a_wiki() {
    check("quoted", |case| {
        Some(each_line(case, |line| format!("> {line}")))
    });
    check("quoted twice", |case| {
        Some(each_line(case, |line| format!("> > {line}")))
    });
    check("fenced", |case| {
        Some(format!("```java\n{}```\n", text(case)).into_bytes())
    });
    check("entities", |case| {
        let text = text(case)
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;")
            .replace('"', "&quot;");
        Some(text.into_bytes())
    });
}

#[test]
fn coloured_by_a_console() {
    check("ANSI", |case| {
        Some(each_line(case, |line| {
            let line = line
                .replace("WARN", "\u{1b}[33mWARN\u{1b}[0;39m")
                .replace("ERROR", "\u{1b}[1;31mERROR\u{1b}[0m");
            format!("\u{1b}[36m{line}\u{1b}[0m")
        }))
    });
}

#[test]
fn prefixes_of_tools() {
    check("grep", |case| {
        Some(each_line(case, |line| format!("logs/app.log:17:{line}")))
    });
    check("journald", |case| {
        (!is_wrapped(case)).then(|| {
            each_line(case, |line| {
                format!("Mar 04 05:06:07 host-a java[1234]: {line}")
            })
        })
    });
    check("kubectl", |case| {
        (!is_wrapped(case))
            .then(|| each_line(case, |line| format!("[pod/web-7f9c-x2k/app] {line}")))
    });
    check("compose", |case| {
        (!is_wrapped(case)).then(|| each_line(case, |line| format!("web-1  | {line}")))
    });
    check("timestamps", |case| {
        let own_time = is_wrapped(case);
        (!own_time).then(|| {
            each_line(case, |line| {
                format!("2026-03-04T05:06:07.890123456Z {line}")
            })
        })
    });
}

#[test]
fn files_of_containers() {
    let docker = |line: &str| {
        json!({"log": format!("{line}\n"), "stream": "stdout", "time": "2026-03-04T05:06:07.890123456Z"}).to_string()
    };
    check("docker", |case| Some(each_line(case, docker)));
    check("CRI", |case| {
        (case.name != "L55").then(|| {
            each_line(case, |line| {
                format!("2026-03-04T05:06:07.890123456Z stdout F {line}")
            })
        })
    });
    check("CRI in pieces", |case| {
        (case.name != "L55").then(|| {
            each_line(case, |line| {
                let letters: Vec<char> = line.chars().collect();
                let mut pieces: Vec<String> = letters
                    .chunks(61)
                    .map(|piece| piece.iter().collect())
                    .collect();
                let last = pieces.pop().unwrap_or_default();
                pieces.push(last);
                let mut lines: Vec<String> = pieces
                    .iter()
                    .map(|piece| format!("2026-03-04T05:06:07.89Z stdout P {piece}"))
                    .collect();
                if let Some(line) = lines.last_mut() {
                    *line = line.replacen(" P ", " F ", 1);
                }
                lines.join("\n")
            })
        })
    });
}

/// What an encoder that is safe for HTML makes of a text.
fn safe(text: &str) -> String {
    text.replace('=', "\\u003d")
        .replace('&', "\\u0026")
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
}

#[test]
fn json_encoders_once_and_twice() {
    let entry = |case: &Case| {
        json!({"level": "ERROR", "logger_name": "c.e.Api", "message": text(case).trim_end()})
            .to_string()
    };
    // One entry has one level and one time; cases that compare those of several lines are not this shape.
    let fits = |case: &Case| !is_wrapped(case);
    check("JSON", |case| fits(case).then(|| entry(case).into_bytes()));
    check("JSON for HTML", |case| {
        fits(case).then(|| safe(&entry(case)).into_bytes())
    });
    check("JSON in JSON", |case| {
        fits(case).then(|| json!({"msg": entry(case)}).to_string().into_bytes())
    });
    check("JSON in docker", |case| {
        fits(case).then(|| {
            json!({"log": entry(case) + "\n", "stream": "stderr", "time": "2026-03-04T05:06:07Z"})
                .to_string()
                .into_bytes()
        })
    });
    check("message and trace", |case| {
        let text = text(case);
        let (first, rest) = text.split_once('\n')?;
        (fits(case) && !rest.trim().is_empty()).then(|| {
            json!({"message": first, "stack_trace": rest, "level": "ERROR"})
                .to_string()
                .into_bytes()
        })
    });
}

#[test]
fn twice_the_same_is_one_failure() {
    check("repeated", |case| {
        Some([case.input.as_slice(), &case.input].concat())
    });
    for case in cases() {
        let once = read(&case.input);
        let twice = read(&[case.input.as_slice(), &case.input].concat());
        assert_eq!(once.failures.len(), twice.failures.len(), "{}", case.name);
        for (a, b) in once.failures.iter().zip(&twice.failures) {
            assert_eq!(a.messages, b.messages, "{}", case.name);
        }
    }
}

/// Breaks lines hard at a column, as terminals do.
fn hard_wrap(line: &str, width: usize) -> String {
    let letters: Vec<char> = line.chars().collect();
    letters
        .chunks(width)
        .map(|piece| piece.iter().collect::<String>())
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn wrapped_by_a_terminal() {
    for width in [80, 100, 120, 132, 160] {
        check(&format!("wrapped at {width}"), |case| {
            (!is_wrapped(case)).then(|| each_line(case, |line| hard_wrap(line, width)))
        });
    }
}

/// Whether a fact of a cut text is one of the whole text, or the beginning of a longer text or list.
fn is_among(claim: &Claim, whole: &[Claim]) -> bool {
    whole
        .iter()
        .filter(|known| known.name() == claim.name())
        .any(|known| match (claim, known) {
            (Claim::Service(a), Claim::Service(b)) => a.value.agrees(&b.value),
            (Claim::Cause(a), Claim::Cause(b)) => b.value.contains(&a.value),
            (Claim::RuleText(a), Claim::RuleText(b)) => {
                b.value.starts_with(a.value.trim_end_matches('…'))
            }
            (Claim::Addresses(a), Claim::Addresses(b)) => b.value.starts_with(&a.value),
            (Claim::RouterRows(a), Claim::RouterRows(b)) => {
                b.value.starts_with(&a.value[..a.value.len() - 1])
            }
            (Claim::Time(_), _) => true,
            (a, b) => a.says_the_same(b),
        })
}

fn all_claims(facts: &LogFacts) -> Vec<Claim> {
    facts
        .messages()
        .iter()
        .flat_map(|message| message.facts.iter().cloned())
        .collect()
}

/// A number or address that touches the cut is no fact.
#[test]
fn a_cut_text_says_nothing_that_the_whole_does_not_say() {
    let mut wrong = BTreeMap::new();
    for case in cases() {
        let text = text(&case);
        let whole = read(text.as_bytes());
        let claims = all_claims(&whole);
        let ids: Vec<&str> = whole
            .messages()
            .iter()
            .map(|message| message.id.name())
            .collect();
        for (index, (at, _)) in text.char_indices().skip(1).step_by(11).enumerate() {
            let mark = ["…", "...", " [truncated]"][index % 3];
            let cut = read(format!("{}{mark}", &text[..at]).as_bytes());
            for message in cut.messages() {
                if !ids.contains(&message.id.name()) && message.id.name() != "INVOKE" {
                    wrong
                        .entry(format!("{} is {}", case.name, message.id.name()))
                        .or_insert(at);
                }
            }
            for claim in all_claims(&cut) {
                if !is_among(&claim, &claims) {
                    wrong
                        .entry(format!(
                            "{} {mark} {} = {}",
                            case.name,
                            claim.name(),
                            claim.value()
                        ))
                        .or_insert(at);
                }
            }
        }
    }
    let list: Vec<String> = wrong
        .iter()
        .map(|(what, at)| format!("{what} at {at}"))
        .collect();
    assert!(
        list.is_empty(),
        "{} wrong facts\n{}",
        list.len(),
        list.join("\n")
    );
}

/// Ordinary lines, some with words that also begin messages.
#[test]
fn ordinary_text_says_nothing() {
    let text = r#"
2026-03-04 05:06:07.890  INFO 7 --- [main] c.e.OrderApplication : Started OrderApplication in 3.2 seconds
2026-03-04 05:06:08.001 ERROR [http-1] c.e.Api - user not found!
2026-03-04 05:06:08.002 ERROR [http-1] c.e.Api - authorization failed! for user 7
2026-03-04 05:06:08.003 WARN  [http-1] c.e.Api - Connection refused
java.net.ConnectException: Connection refused
	at java.net.PlainSocketImpl.socketConnect(Native Method)
2026-03-04 05:06:08.004 INFO  [http-1] c.e.Api - Register: new customer 17, Subscribe: newsletter
2026-03-04 05:06:08.005 WARN  [http-1] c.e.Api - No provider available for the payment method, please check status
2026-03-04 05:06:08.006 WARN  [http-1] nginx - upstream timed out (110: Connection timed out) while connecting to upstream 10.0.0.1
2026-03-04 05:06:08.007 INFO  [http-1] c.e.Api - Timeout after lunch: waiting for result of the poll
2026-03-04 05:06:08.008 ERROR [http-1] c.e.Api - Failed to register user a@b.c, cause: duplicate key
2026-03-04 05:06:08.009 ERROR [http-1] c.e.Api - Failed to subscribe the mail list, cause: unknown
2026-03-04 05:06:08.010 INFO  [http-1] c.e.Api - Migrate to the new mode failed tests
2026-03-04 05:06:08.011 INFO  [http-1] c.e.Api - The invoker of this job, The connection of both
2026-03-04 05:06:08.012 INFO  [http-1] c.e.Api - Failed to invoke the method we agreed on
2026-03-04 05:06:08.013 INFO  [http-1] c.e.Api - Unsupported protocol of the meeting
{"level":"info","msg":"nothing to see","path":"/api"}
java.lang.NullPointerException: null
	at com.example.Api.call(Api.java:17)
大家好，今天没有问题。
"#;
    let facts = read(text.as_bytes());
    let found: Vec<String> = facts
        .messages()
        .iter()
        .map(|message| format!("{} at {:?}: {:?}", message.id, message.place, message.facts))
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert_eq!((facts.failures.len(), facts.statements.len()), (0, 0));
}
