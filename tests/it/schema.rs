//! What a report must look like: the committed schema, in both directions. Every report of every case is held against it.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "an unreadable schema is a failing test"
)]

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

use serde_json::Value;

static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/report-1.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
});
static VALIDATOR: LazyLock<jsonschema::Validator> =
    LazyLock::new(|| jsonschema::validator_for(&SCHEMA).unwrap());

/// What in a report is not as the schema says, and what the schema does not say.
pub(crate) fn problems(report: &Value) -> Vec<String> {
    let mut found: Vec<String> = VALIDATOR
        .iter_errors(report)
        .map(|error| format!("{}: {error}", error.instance_path))
        .collect();
    let mut extra = BTreeSet::new();
    undescribed(report, &SCHEMA, &SCHEMA, "", &mut extra);
    found.extend(
        extra
            .into_iter()
            .map(|place| format!("{place} is not in the schema")),
    );
    found
}

/// Keys of a report that the schema does not describe.
fn undescribed(
    value: &Value,
    schema: &Value,
    root: &Value,
    place: &str,
    out: &mut BTreeSet<String>,
) {
    let mut schema = schema;
    while let Some(name) = schema["$ref"].as_str() {
        schema = &root["$defs"][name.trim_start_matches("#/$defs/")];
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        if !value.is_null() {
            undescribed(value, &choices[0], root, place, out);
        }
        return;
    }
    match value {
        Value::Array(items) => {
            for item in items {
                undescribed(item, &schema["items"], root, place, out);
            }
        }
        Value::Object(fields) => {
            let free = schema["properties"].is_null();
            for (name, field) in fields {
                if free && schema["additionalProperties"].is_null() {
                    continue;
                }
                let inner = if free {
                    &schema["additionalProperties"]
                } else {
                    &schema["properties"][name.as_str()]
                };
                let place = format!("{place}.{name}");
                if inner.is_null() {
                    out.insert(place);
                } else {
                    undescribed(field, inner, root, &place, out);
                }
            }
        }
        _ => {}
    }
}

#[test]
fn a_wrong_report_is_noticed() {
    let mut report = serde_json::json!({"schema_version": 1});
    assert!(!problems(&report).is_empty());
    report["nonsense"] = Value::Null;
    assert!(
        problems(&report)
            .iter()
            .any(|problem| problem.contains(".nonsense"))
    );
}
