//! `MetadataInfo.calRevision`: the revision of a stored text.

use diag::model::{
    metadata::MetadataInfo,
    version::{DubboVersion, Line},
};
use serde_json::{Value, json};

use super::{Kind, Outcome, answer};

const EXPORTING: &str = "from URLs: needs exporting";
const INSTANCES: &str = "metadata of instances";
const MAPPING: &str = "mapping";
const SIGNATURES: &str = "2.7 hashes the signatures of Java methods";

pub(super) const KIND: Kind = Kind {
    name: "revision",
    check,
    lines: &Line::MODELLED,
    patches: &[],
    skipped: &[
        (Line::V2_7, EXPORTING, 273),
        (Line::V2_7, INSTANCES, 6),
        (Line::V2_7, MAPPING, 10),
        (Line::V2_7, SIGNATURES, 257),
        (Line::V3_0, EXPORTING, 273),
        (Line::V3_0, INSTANCES, 6),
        (Line::V3_0, MAPPING, 10),
        (Line::V3_1, EXPORTING, 273),
        (Line::V3_1, INSTANCES, 6),
        (Line::V3_1, MAPPING, 10),
        (Line::V3_2, EXPORTING, 273),
        (Line::V3_2, INSTANCES, 6),
        (Line::V3_2, MAPPING, 10),
        (Line::V3_3, EXPORTING, 273),
        (Line::V3_3, INSTANCES, 6),
        (Line::V3_3, MAPPING, 10),
    ],
};

fn check(case: &Value, version: &DubboVersion) -> Outcome {
    match case["op"].as_str() {
        Some("from_json") => {}
        Some("from_urls") => return Outcome::Skipped(EXPORTING),
        Some("instance_metadata") => return Outcome::Skipped(INSTANCES),
        _ => return Outcome::Skipped(MAPPING),
    }
    if !version.line().is_3x() {
        return Outcome::Skipped(SIGNATURES);
    }
    let text = case["json"].as_str().unwrap_or_default();
    match (answer(case), MetadataInfo::parse(text)) {
        (Ok(out), Ok(Some(info))) => Outcome::of(
            &json!({"revision": out["revision"], "stored": out["stored"]}),
            &json!({"revision": info.revision(version.line()), "stored": info.revision}),
        ),
        (Ok(out), Ok(None)) if out.get("parsed") == Some(&Value::Null) => Outcome::Agrees,
        // The library of 3.0 and 3.1 reads a list as nothing; here it is an error that names what is there.
        (Ok(out), Err(_)) if text == "[]" && out.get("parsed") == Some(&Value::Null) => {
            Outcome::Agrees
        }
        (Err(_), Err(_)) => Outcome::Agrees,
        (expected, actual) => {
            Outcome::Disagrees(format!("    expected {expected:?}, got {actual:?}"))
        }
    }
}
