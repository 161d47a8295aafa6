//! Timeout, tries and their like of one call on one provider.

use diag::budget::effective::{self, Attached, Call, Source, Timeout};
use diag::budget::layers::{Layers, Set};
use diag::model::url::{Url, encode};
use diag::model::version::{DubboVersion, Line};
use diag::rule::override_order::Configurators;
use diag::view::directory::{Directory, Notification, Rules, merge_at_once};
use serde_json::{Map, Value, json};

use super::configurator::rules_of;
use super::directory::subscription;
use super::{Kind, Outcome, answer};

pub(super) const KIND: Kind = Kind {
    name: "timeout",
    check,
    lines: &Line::MODELLED,
    patches: &[],
    skipped: &[],
};

fn check(case: &Value, version: &DubboVersion) -> Outcome {
    let found = match case["op"].as_str() {
        Some("call") => called(case, version),
        Some("merge") => merged(case, version),
        _ => return Outcome::Skipped("a question that is not known here"),
    };
    match (answer(case), found) {
        (Ok(out), Ok(found)) => {
            let mut out = out.clone();
            strip(&mut out);
            Outcome::of(&out, &found)
        }
        (Err(class), Err(found)) if class == found => Outcome::Agrees,
        (expected, actual) => {
            Outcome::Disagrees(format!("    expected {expected:?}, got {actual:?}"))
        }
    }
}

/// Texts of exceptions are Java's; the class of a URL is told by the line. A parameter that is null is none here.
fn strip(out: &mut Value) {
    match out {
        Value::Object(map) => {
            map.shift_remove("message");
            if map.contains_key("protocol") {
                map.shift_remove("class");
            }
            if let Some(Value::Object(parameters)) = map.get_mut("parameters") {
                parameters.retain(|_, value| !value.is_null());
            }
            map.values_mut().for_each(strip);
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        _ => {}
    }
}

fn merged(case: &Value, version: &DubboVersion) -> Result<Value, &'static str> {
    let read = |name: &str| {
        Url::parse(case[name].as_str().unwrap_or_default(), version).map_err(|e| e.class())
    };
    let (provider, consumer) = (read("provider")?, read("consumer")?);
    let url = merge_at_once(&provider, &consumer.parameters, version);
    Ok(json!({
        "protocol": url.protocol,
        "host": url.host,
        "port": url.port,
        "path": url.path,
        "parameters": url.parameters,
    }))
}

fn attached(value: &Value) -> Option<Attached> {
    match value {
        Value::Number(number) => Some(Attached::Number(number.as_i64()?)),
        Value::String(text) => Some(Attached::Text(text.clone())),
        _ => None,
    }
}

fn not_a_number() -> Value {
    json!({"error": {"class": "java.lang.NumberFormatException"}})
}

fn called(case: &Value, version: &DubboVersion) -> Result<Value, &'static str> {
    let subscription = subscription(case, version).map_err(|error| error.class())?;
    let consumer = subscription.consumer.clone();
    let mut directory = Directory::new(subscription);
    let rules = |name: &str| match case[name].as_str() {
        Some(text) => rules_of(text, version),
        None => Ok(Configurators::default()),
    };
    let _ = directory.set_rules(Rules {
        application: rules("app_rule")?,
        service: rules("service_rule")?,
    });
    let provider = case["provider"].as_str().unwrap_or_default();
    let overrides: Vec<String> = case["overrides"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|text| Some(encode(text.as_str()?)))
        .collect();
    let overrides: Vec<&str> = overrides.iter().map(String::as_str).collect();
    let _ = directory.notify(Notification {
        providers: Some(&[&encode(provider)]),
        configurators: (!overrides.is_empty()).then_some(&overrides),
    });
    let Some(invoker) = directory.invokers().first() else {
        return Ok(json!({ "invokers": 0 }));
    };
    let provider = Url::parse(provider, version).map_err(|error| error.class())?;
    let layers = Layers::of(&invoker.url, &consumer, &provider, version);
    let call = Call {
        method: case["method"].as_str().unwrap_or("place").to_owned(),
        context_timeout: attached(&case["context"]["timeout"]),
        context_retries: attached(&case["context"]["retries"]),
        attached_timeout: attached(&case["attachments"]["timeout"]),
        countdown_left: case["countdown_left"].as_i64(),
    };
    let effective = effective::timeout(&layers, &call, version, effective::DEFAULT_TIMEOUT);
    check_winner(&effective, invoker.url.text("timeout"))?;
    let timeout = match &effective.timeout {
        Timeout::NotANumber(_) => not_a_number(),
        Timeout::Millis(millis, _) if call.countdown_left.is_some() => {
            if *millis <= 0 {
                json!("expired")
            } else {
                json!((millis + 999) / 1000 * 1000)
            }
        }
        Timeout::Millis(millis, _) => json!(millis),
    };
    let countdown = call.countdown_left.is_some();
    let mut passed = Map::new();
    for (name, value) in case["attachments"].as_object().into_iter().flatten() {
        if name.starts_with("_TO") || name == "timeout" {
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            passed.insert(name.clone(), json!(text));
        }
    }
    if let Some(millis) = effective.passed_on {
        passed.insert("_TO".to_owned(), json!(millis.to_string()));
    }
    if countdown {
        passed
            .values_mut()
            .for_each(|value| *value = json!("present"));
    }
    let method = &call.method;
    let number = |key, default| match layers.number(method, key, default) {
        Ok(number) => json!(number),
        Err(_) => not_a_number(),
    };
    let own = directory.own_url();
    Ok(json!({
        "timeout": timeout,
        "passed": passed,
        "attempts": effective::tries(own, &call).map_or_else(|_| not_a_number(), |tries| json!(tries)),
        "names": {
            "loadbalance": layers.in_force(method, "loadbalance").map_or("random".to_owned(), |set| set.value),
            "weight": number("weight", 100),
            "actives": number("actives", 0),
            "executes": number("executes", 0),
            "retries_of_invoker": number("retries", 2),
            "cluster": own.parameter("cluster"),
            "timeout_plain": invoker.url.parameter("timeout"),
            "timeout_int": match layers.number("", "timeout", 1000) {
                Ok(number) => json!(number),
                Err(_) => not_a_number(),
            },
        },
    }))
}

/// The winner of the ladder has the value that is in force.
fn check_winner(effective: &effective::Effective, plain: Option<&str>) -> Result<(), &'static str> {
    let is = |set: &Set, millis: i32| {
        set.value
            .parse::<i64>()
            .is_ok_and(|value| value.rem_euclid(1 << 32) == i64::from(millis).rem_euclid(1 << 32))
    };
    match &effective.timeout {
        Timeout::Millis(millis, Source::Parameter(set)) if !is(set, *millis) => {
            Err("the winner has another value")
        }
        Timeout::Millis(_, Source::Default) if plain.is_some() => Err("a value was overlooked"),
        _ => Ok(()),
    }
}
