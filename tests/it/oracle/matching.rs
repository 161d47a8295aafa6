//! Which providers a consumer keeps.

use diag::model::matching::{
    ProtocolServiceKey, Terms, is_match, is_match_category, is_match_glob, is_match_glob_of,
};
use diag::model::url::Url;
use diag::model::version::{DubboVersion, Line};
use serde_json::{Value, json};

use super::{Kind, Outcome, answer, directory};

pub(super) const KIND: Kind = Kind {
    name: "match",
    check,
    lines: &Line::MODELLED,
    patches: &[],
    skipped: &[],
};

fn check(case: &Value, version: &DubboVersion) -> Outcome {
    let text = |key: &str| case[key].as_str();
    let line = version.line();
    match text("op") {
        Some("ismatch") => {
            let url = |text: &str| Url::parse(text, version).expect("a URL of the generator");
            let consumer = url(text("consumer").unwrap_or_default());
            let found: Vec<bool> = case["providers"]
                .as_array()
                .expect("providers")
                .iter()
                .map(|provider| url(provider.as_str().unwrap_or_default()))
                .map(|provider| is_match(&Terms::from(&consumer), &Terms::from(&provider)).is_ok())
                .collect();
            expect(case, &json!({ "match": found }))
        }
        Some("category") => {
            let category = text("category").unwrap_or_default();
            expect(
                case,
                &json!({ "match": is_match_category(category, text("categories")) }),
            )
        }
        Some("glob") => glob(case, version),
        Some("service_key") => {
            let (rule, target) = (key(&case["rule"], line), key(&case["target"], line));
            let how = if line >= Line::V3_1 {
                "matcher"
            } else {
                "equal text"
            };
            let found = json!({
                "match": rule.accepts(&target, line).is_ok(),
                "rule_key": rule.text(line),
                "target_key": target.text(line),
                "how": how,
            });
            expect(case, &found)
        }
        Some("directory") => directory::check(case, version),
        _ => Outcome::Skipped("a way of matching that is not known here"),
    }
}

fn expect(case: &Value, found: &Value) -> Outcome {
    match answer(case) {
        Ok(out) => Outcome::of(out, found),
        Err(class) => Outcome::Disagrees(format!("    expected {class}, got {found}")),
    }
}

/// A missing pattern with a consumer URL is a `NullPointerException`; here the type asks for one.
fn glob(case: &Value, version: &DubboVersion) -> Outcome {
    let (pattern, value) = (case["pattern"].as_str(), case["value"].as_str());
    let found = match (case["param"].as_str(), pattern) {
        (None, pattern) => is_match_glob(pattern, value),
        (Some(param), Some(pattern)) => {
            let consumer = Url::parse(param, version).expect("a URL of the generator");
            is_match_glob_of(pattern, value, &consumer)
        }
        (Some(_), None) if answer(case) == Err("java.lang.NullPointerException") => {
            return Outcome::Agrees;
        }
        (Some(_), None) => {
            return Outcome::Disagrees("    expected an answer without a pattern".into());
        }
    };
    expect(case, &json!({ "match": found }))
}

/// Up to 3.0 the question is put as a URL, whose protocol is `dubbo` when none is given.
fn key(fields: &Value, line: Line) -> ProtocolServiceKey {
    let field = |name: &str| fields[name].as_str().map(str::to_owned);
    let fallback = (line < Line::V3_1).then(|| "dubbo".to_owned());
    ProtocolServiceKey {
        interface: field("interface"),
        group: field("group"),
        version: field("version"),
        protocol: field("protocol").or(fallback),
    }
}
