//! Warm-up, weights and the choice among registries.

use diag::budget::balance::{Choice, Member, warmup_weight, weight, zone_aware};
use diag::model::url::Url;
use diag::model::version::{DubboVersion, Line};
use serde_json::{Value, json};

use super::{Kind, Outcome, answer};

pub(super) const KIND: Kind = Kind {
    name: "balance",
    check,
    lines: &Line::MODELLED,
    patches: &[],
    skipped: &[],
};

/// The real classes looked at the clock a little later than the question was made.
const LATER: [i64; 4] = [0, 5, 50, 500];
/// The moment of the question, milliseconds since 1970; any will do.
const NOW: i64 = 1_800_000_000_000;

fn check(case: &Value, version: &DubboVersion) -> Outcome {
    let number =
        |name: &str| i32::try_from(case[name].as_i64().unwrap_or_default()).unwrap_or(i32::MAX);
    match case["op"].as_str() {
        Some("warmup") => {
            let found = warmup_weight(
                number("uptime"),
                number("warmup"),
                number("weight"),
                version,
            );
            compare(case, &Ok(json!({ "weight": found })))
        }
        Some("weight") => {
            let mut last = Outcome::Skipped("no time fits");
            for later in LATER {
                last = compare(case, &weighed(case, later, version));
                if matches!(last, Outcome::Agrees) {
                    break;
                }
            }
            last
        }
        Some("zone") => zone(case, version),
        _ => Outcome::Skipped("a question that is not known here"),
    }
}

fn compare(case: &Value, found: &Result<Value, &'static str>) -> Outcome {
    match (answer(case), found) {
        (Ok(out), Ok(found)) => Outcome::of(out, found),
        (Err(class), Err(found)) if class == *found => Outcome::Agrees,
        (expected, actual) => {
            Outcome::Disagrees(format!("    expected {expected:?}, got {actual:?}"))
        }
    }
}

fn weighed(case: &Value, later: i64, version: &DubboVersion) -> Result<Value, &'static str> {
    let mut url = Url::parse(case["url"].as_str().unwrap_or_default(), version)
        .map_err(|error| error.class())?;
    if let Some(age) = case["age_ms"].as_i64() {
        let started = NOW - age - later;
        url.parameters
            .insert("timestamp".to_owned(), started.to_string());
    }
    weight(
        &url,
        case["method"].as_str().unwrap_or("place"),
        NOW,
        version,
    )
    .map(|weight| json!({ "weight": weight }))
    .map_err(|_| "java.lang.NumberFormatException")
}

fn zone(case: &Value, version: &DubboVersion) -> Outcome {
    let members: Vec<Member> = case["registries"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|one| Member {
            url: Url::parse(one["url"].as_str().unwrap_or_default(), version)
                .expect("the URL of a registry"),
            available: one["available"] == true,
        })
        .collect();
    let attachment = |name: &str| case["attachments"][name].as_str();
    let found = zone_aware(
        &members,
        attachment("registry_zone"),
        attachment("registry_zone_force"),
        version,
    );
    let out = &case["out"];
    let agrees = match &found {
        Ok(Choice::OneOf(shares)) => {
            let places: Vec<usize> = shares.iter().map(|(place, _)| *place).collect();
            let total: f64 = shares.iter().map(|(_, share)| share).sum();
            let fair = shares.iter().all(|(place, share)| {
                let count = out["counts_of_300"][place.to_string()].as_f64();
                count.is_none_or(|count| (count / 300.0 - share).abs() < 0.15)
            });
            fair && (total - 1.0).abs() < 1e-9
                && out["asked"] == json!(places)
                && out["error"].is_null()
        }
        Ok(Choice::ZoneForced) => {
            out["forced_zone_failure"] == true
                || out["error"]["class"] == "java.lang.IllegalStateException"
        }
        Ok(Choice::NoneAvailable) => out["error"]["class"]
            .as_str()
            .is_some_and(|class| class.ends_with("rpc.RpcException")),
        Err(_) => false,
    };
    if agrees {
        Outcome::Agrees
    } else {
        Outcome::Disagrees(format!("    expected {out}, got {found:?}"))
    }
}
