//! `new Yaml(new SafeConstructor()).load(text)` of ten SnakeYAML releases: typed values, or failures with their place.
//!
//! Beside the files of the Dubbo lines there are those of the releases: `snakeyaml-<release>` and `hand-..` as for the
//! lines, `hard-..`: anchors, merges and recursion on purpose, and texts thrown together from indicators, and `broken-..`:
//! rules with tabs, marks, foreign line breaks and letters, of another encoding, and as JSON.

#![expect(
    clippy::unwrap_used,
    reason = "a fixture that cannot be read fails the test"
)]

use std::path::{Path, PathBuf};

use diag::rule::yaml::{self, Document, Node, Position, Value as Yaml, YamlError, YamlVersion};
use serde_json::{Value, json};

use super::{Outcome, cases, fixtures};

/// The files of a release in a tree: its own, and those of the newest patch of the Dubbo line that brings it.
pub(super) fn files(tree: &Path, version: YamlVersion) -> Vec<PathBuf> {
    let line = match version {
        YamlVersion::V1_20 => Some("2.7"),
        YamlVersion::V1_29 => Some("3.0"),
        YamlVersion::V1_32 => Some("3.1"),
        YamlVersion::V2_3 => Some("3.2"),
        YamlVersion::V2_4 => Some("3.3"),
        _ => None,
    };
    let own = format!("snakeyaml-{version}");
    let mut found = Vec::new();
    for name in std::iter::once(own.as_str()).chain(line) {
        for prefix in ["", "hand-", "hard-", "broken-"] {
            for end in ["jsonl", "jsonl.gz"] {
                let file = tree.join("yaml").join(format!("{prefix}{name}.{end}"));
                if file.is_file() {
                    found.push(file);
                }
            }
        }
    }
    found
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
            if let Some(Value::String(text)) = fields.get_mut("str") {
                *text = text.replace('\u{FFFD}', "?");
            }
            fields.values_mut().for_each(normalize);
        }
        _ => {}
    }
}

fn check(case: &Value, version: YamlVersion) -> Outcome {
    let answer = answer(&yaml::load(&text_of(case), version));
    Outcome::of(&expected(case), &answer)
}

#[test]
fn oracle_yaml() {
    let everything = std::env::var_os("DIAG_ORACLE_ALL").is_some_and(|it| it == "1");
    let further = super::further();
    let mut disagreements = Vec::new();
    for version in YamlVersion::ALL {
        let own = files(&fixtures(), version);
        assert_eq!(
            own.len(),
            4,
            "{version}: random, hand-made, hard and broken cases"
        );
        let step = if everything { 1 } else { 20 };
        let further = further.iter().flat_map(|tree| files(tree, version));
        let (mut asked, before) = (0, disagreements.len());
        for (file, step) in own
            .into_iter()
            .map(|it| (it, step))
            .chain(further.map(|it| (it, 1)))
        {
            for case in cases(&file).step_by(step) {
                asked += 1;
                if let Outcome::Disagrees(why) = check(&case, version) {
                    let head: String = text_of(&case).chars().take(300).collect();
                    disagreements.push(format!("{version} {} {head:?}\n{why}", case["id"]));
                }
            }
        }
        assert!(
            asked >= if everything { 3648 } else { 183 },
            "{asked} cases of {version}"
        );
        let disagreements = disagreements.len() - before;
        println!("version yaml {version}: {asked} cases, {disagreements} disagreements");
    }
    assert!(
        disagreements.is_empty(),
        "{} disagreements with SnakeYAML; the first ones:\n{}",
        disagreements.len(),
        disagreements[..disagreements.len().min(15)].join("\n")
    );
}
