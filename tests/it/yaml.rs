//! SnakeYAML: agreement with the recorded answers of its releases, and behaviour on hostile texts.

#![expect(
    clippy::disallowed_methods,
    reason = "a test reads its fixtures and its environment"
)]
#![expect(
    clippy::unwrap_used,
    reason = "a fixture that cannot be read fails the test"
)]

use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use diag::rule::yaml::{self, Document, Node, Position, Value as Yaml, YamlError, YamlVersion};
use flate2::read::MultiGzDecoder;
use serde::Deserialize as _;
use serde_json::{Value, json};

/// The files of a release: its own, and those of the Dubbo line that brings it.
fn names(version: YamlVersion) -> Vec<String> {
    let line = match version {
        YamlVersion::V1_20 => Some("2.7"),
        YamlVersion::V1_29 => Some("3.0"),
        YamlVersion::V1_32 => Some("3.1"),
        YamlVersion::V2_3 => Some("3.2"),
        YamlVersion::V2_4 => Some("3.3"),
        _ => None,
    };
    let mut names = vec![format!("snakeyaml-{version}")];
    names.extend(line.map(str::to_owned));
    names
}

/// The cases of a file, plain or compressed; none when it is not there.
fn cases(path: &Path) -> Vec<Value> {
    let plain = path.with_extension("jsonl");
    let text: Box<dyn BufRead> = if let Ok(file) = std::fs::File::open(path) {
        Box::new(BufReader::new(MultiGzDecoder::new(file)))
    } else if let Ok(file) = std::fs::File::open(&plain) {
        Box::new(BufReader::new(file))
    } else {
        return Vec::new();
    };
    text.lines().map(|line| parse(&line.unwrap())).collect()
}

/// Answers of nested collections are deeper than `serde_json` reads by itself.
fn parse(line: &str) -> Value {
    let mut reader = serde_json::Deserializer::from_str(line);
    reader.disable_recursion_limit();
    Value::deserialize(&mut reader).unwrap()
}

fn files(root: &Path, version: YamlVersion) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for name in names(version) {
        for prefix in ["", "hand-"] {
            files.push(root.join("yaml").join(format!("{prefix}{name}.jsonl.gz")));
        }
    }
    files
}

/// `text`, or the pieces of `build` with their repetition.
fn text_of(case: &Value) -> String {
    if let Some(text) = case["text"].as_str() {
        return text.to_owned();
    }
    let mut text = String::new();
    for piece in case["build"].as_array().unwrap() {
        let times = piece
            .get("n")
            .map_or(1, |n| usize::try_from(n.as_u64().unwrap()).unwrap());
        text.push_str(&piece["s"].as_str().unwrap().repeat(times));
    }
    text
}

fn at(position: Position) -> Value {
    json!([position.line, position.column])
}

/// Java wrote a lone half of a surrogate pair as `?`, diag holds U+FFFD.
fn text(value: &str) -> Value {
    let units = value.encode_utf16().count();
    if units > 3000 {
        let head = String::from_utf16_lossy(&value.encode_utf16().take(60).collect::<Vec<_>>());
        return json!({"str_head": head, "length": units});
    }
    json!({"str": value.replace('\u{FFFD}', "?")})
}

/// A value as the harness shows it.
fn shown(node: Node<'_>, open: &mut Vec<usize>) -> Value {
    let part = |node, open: &mut Vec<usize>| shown(node, open);
    match node.value() {
        Yaml::Null => json!({"null": true}),
        Yaml::Bool(value) => json!({"bool": value}),
        Yaml::Int(value) => json!({"int": value.to_string(), "java": value.java_class()}),
        Yaml::Float(value) => json!({"float": value.to_bits().to_string()}),
        Yaml::Text(value) => text(value),
        Yaml::Timestamp(millis) => json!({"date_ms": millis}),
        Yaml::Binary(bytes) => {
            use base64::Engine as _;
            json!({"bytes": base64::engine::general_purpose::STANDARD.encode(bytes)})
        }
        _ if open.len() >= 100 => json!({"deeper_than": 100}),
        _ if open.contains(&node.id()) => json!({"cycle": true}),
        collection => {
            open.push(node.id());
            let value = match collection {
                Yaml::List(items) => {
                    json!({"list": items.map(|it| part(it, open)).collect::<Vec<_>>()})
                }
                Yaml::Set(items) => {
                    json!({"set": items.map(|it| part(it, open)).collect::<Vec<_>>()})
                }
                Yaml::Map(entries) => {
                    let pairs: Vec<_> = entries
                        .map(|(k, v)| json!([part(k, open), part(v, open)]))
                        .collect();
                    json!({"map": pairs})
                }
                Yaml::Pairs(entries) => {
                    // The arrays in the list are a level of their own, but are not counted.
                    let pairs: Vec<_> = entries
                        .map(|(k, v)| json!({"array": [part(k, open), part(v, open)]}))
                        .collect();
                    json!({"list": pairs})
                }
                _ => Value::Null,
            };
            open.pop();
            value
        }
    }
}

fn answer(loaded: &Result<Document, YamlError>) -> Value {
    match loaded {
        Ok(document) => {
            let value = document
                .root()
                .map_or(json!({"null": true}), |root| shown(root, &mut Vec::new()));
            json!({ "value": value })
        }
        Err(error) => {
            let mut out = json!({"class": error.class.java_name()});
            if let Some(place) = error.at {
                out["at"] = at(place);
                out["problem"] = json!(error.problem);
                out["context"] = json!(error.context);
            } else if error.class.java_name().ends_with("YAMLException") {
                out["message"] = json!(error.problem);
            }
            if let Some(place) = error.context_at {
                out["context_at"] = at(place);
            }
            json!({ "error": out })
        }
    }
}

/// The answer in a case, with doubles by their bits, and of an error only what diag promises.
fn expected(case: &Value) -> Value {
    let mut out = case["out"].clone();
    normalize(&mut out);
    if let Some(error) = out.get_mut("error").and_then(Value::as_object_mut) {
        if error.contains_key("at") || !error["class"].as_str().unwrap().ends_with("YAMLException")
        {
            error.remove("message");
        }
        if !error.contains_key("at") {
            error.remove("problem");
            error.remove("context");
        }
    }
    out
}

fn normalize(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(normalize),
        Value::Object(fields) => {
            if let Some(float) = fields.get_mut("float") {
                let text = float.as_str().unwrap().replace("Infinity", "inf");
                *float = json!(text.parse::<f64>().unwrap().to_bits().to_string());
            }
            fields.values_mut().for_each(normalize);
        }
        _ => {}
    }
}

#[derive(Default)]
struct Tally {
    cases: usize,
    disagreements: Vec<String>,
}

fn ask(file: &Path, version: YamlVersion, every: usize, tally: &mut Tally) {
    for case in cases(file).iter().step_by(every) {
        tally.cases += 1;
        let text = text_of(case);
        let actual = answer(&yaml::load(&text, version));
        let expected = expected(case);
        if actual != expected {
            let mut report = String::new();
            let head: String = text.chars().take(300).collect();
            let _ = writeln!(report, "{} {version}: {head:?}", case["id"]);
            let _ = writeln!(report, "  expected {expected}\n  got      {actual}");
            tally.disagreements.push(report);
        }
    }
}

#[test]
fn oracle_yaml() {
    let everything = std::env::var_os("DIAG_ORACLE_ALL").is_some_and(|it| it == "1");
    let further = std::env::var_os("DIAG_ORACLE_DIR").map(PathBuf::from);
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/oracle");
    let mut disagreements = Vec::new();
    for version in YamlVersion::ALL {
        let mut own = Tally::default();
        for file in files(&fixtures, version) {
            ask(&file, version, if everything { 1 } else { 20 }, &mut own);
        }
        assert_eq!(
            own.cases,
            if everything { 1652 } else { 83 },
            "cases of {version}"
        );
        if let Some(further) = &further {
            for file in files(further, version) {
                ask(&file, version, 1, &mut own);
            }
        }
        println!(
            "version yaml {version}: {} cases, {} disagreements",
            own.cases,
            own.disagreements.len()
        );
        disagreements.append(&mut own.disagreements);
    }
    let shown: Vec<_> = disagreements.iter().take(40).cloned().collect();
    assert!(
        disagreements.is_empty(),
        "{} disagreements\n{}",
        disagreements.len(),
        shown.join("\n")
    );
}
