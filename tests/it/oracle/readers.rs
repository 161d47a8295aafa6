//! The readers of migration and affinity rules: `MigrationRule.parse` and `AffinityRuleParser.parse`.

use diag::model::version::{DubboVersion, Line};
use diag::rule::affinity;
use diag::rule::migration::{self, MigrationSettings, SubRule};
use serde_json::{Value, json};

use super::{Kind, Outcome, answer};

pub(super) const MIGRATION: Kind = Kind {
    name: "migration",
    check: check_migration,
    lines: &[Line::V3_0, Line::V3_1, Line::V3_2, Line::V3_3],
    patches: &[],
    skipped: &[],
};

/// Only 3.3 has the classes, from 3.3.1 on.
pub(super) const AFFINITY: Kind = Kind {
    name: "affinity",
    check: check_affinity,
    lines: &[Line::V3_3],
    patches: &[],
    skipped: &[],
};

fn check_migration(case: &Value, version: &DubboVersion) -> Outcome {
    let found = migration::parse(case["text"].as_str().unwrap_or_default(), version).map(|rule| {
        let mut out = json!({"key": rule.key});
        set(&mut out, &rule.settings);
        out["interfaces"] = parts(rule.interfaces.as_deref());
        out["applications"] = parts(rule.applications.as_deref());
        out
    });
    compare(case, found.map_err(|error| error.class))
}

fn set(out: &mut Value, settings: &MigrationSettings) {
    out["step"] = json!(settings.step.map(migration::Step::as_str));
    out["threshold"] = settings.threshold.map_or(Value::Null, float);
    out["proportion"] = json!(settings.proportion);
    out["delay"] = json!(settings.delay);
    out["force"] = json!(settings.force);
}

fn parts(all: Option<&[SubRule]>) -> Value {
    let part = |part: &SubRule| {
        let mut out = json!({"serviceKey": part.service_key});
        set(&mut out, &part.settings);
        out
    };
    json!(all.map(|all| all.iter().map(part).collect::<Vec<_>>()))
}

/// A `Float` by its bits.
#[expect(clippy::cast_possible_truncation, reason = "as Java rounds it")]
fn float(value: f64) -> Value {
    json!((value as f32).to_bits())
}

fn check_affinity(case: &Value, version: &DubboVersion) -> Outcome {
    let found = affinity::parse(case["text"].as_str().unwrap_or_default(), version).map(|rule| {
        let header = &rule.header;
        json!({
            "force": header.force, "enabled": header.enabled, "valid": header.valid, "runtime": header.runtime,
            "dynamic": header.dynamic, "priority": header.priority, "scope": header.scope, "key": header.key,
            "version": header.config_version, "affinityKey": rule.key, "ratio": float(rule.ratio),
        })
    });
    compare(case, found.map_err(|error| error.class))
}

fn compare(case: &Value, found: Result<Value, &'static str>) -> Outcome {
    match (answer(case), found) {
        (Ok(out), Ok(found)) => {
            let mut expected = out.clone();
            floats(&mut expected);
            Outcome::of(&expected, &found)
        }
        (Err(class), Err(found)) if class == found => Outcome::Agrees,
        (expected, actual) => {
            Outcome::Disagrees(format!("    expected {expected:?}, got {actual:?}"))
        }
    }
}

/// Java's texts of floats as bits.
fn floats(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(floats),
        Value::Object(fields) => {
            for name in ["threshold", "ratio"] {
                if let Some(text) = fields.get(name).and_then(Value::as_str) {
                    let number = text.replace("Infinity", "inf").parse().unwrap_or(f64::NAN);
                    fields.insert(name.to_owned(), float(number));
                }
            }
            fields.values_mut().for_each(floats);
        }
        _ => {}
    }
}
