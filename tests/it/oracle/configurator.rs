//! Configurators: documents and `override://` URLs, and what they make of a URL.

use diag::model::url::Url;
use diag::model::version::{DubboVersion, Line};
use diag::rule::configurator::{ListenError, listen, parse};
use diag::rule::override_order::{Configurators, configurators};
use diag::rule::override_url::{Configurator, ConfiguratorError, Place};
use serde_json::{Value, json};

use super::{Kind, Outcome, answer};

pub(super) const KIND: Kind = Kind {
    name: "configurator",
    check,
    lines: &Line::MODELLED,
    patches: &["2.7.8", "3.0.5", "3.1.0", "3.2.0", "3.3.0"],
    skipped: &[],
};

fn check(case: &Value, version: &DubboVersion) -> Outcome {
    let found = match case["op"].as_str() {
        Some("parse") => parsed(case, version),
        Some("configure") => configured(case, version),
        _ => return Outcome::Skipped("a question that is not known here"),
    };
    match (answer(case), found) {
        (Ok(out), Ok(found)) => Outcome::of(out, &found),
        (Err(class), Err(found)) if class == found => Outcome::Agrees,
        (expected, actual) => {
            Outcome::Disagrees(format!("    expected {expected:?}, got {actual:?}"))
        }
    }
}

fn parsed(case: &Value, version: &DubboVersion) -> Result<Value, &'static str> {
    let text = case["rule"].as_str().unwrap_or_default();
    let urls = parse(text, version)
        .and_then(|document| document.urls(version))
        .map_err(|error| error.class)?;
    let urls: Vec<String> = urls.iter().map(|rule| rule.url.to_full_text()).collect();
    Ok(json!({ "urls": urls }))
}

fn configured(case: &Value, version: &DubboVersion) -> Result<Value, &'static str> {
    let read = |text: &Value| {
        Url::parse(text.as_str().unwrap_or_default(), version).map_err(|error| error.class())
    };
    let place = Place {
        version,
        local_host: case["local_host"].as_str().unwrap_or("127.0.0.1"),
    };
    let mut url = read(&case["url"])?;
    let overrides = case["overrides"].as_array().into_iter().flatten();
    let overrides = overrides.map(read).collect::<Result<Vec<Url>, _>>()?;
    let from_registry = configurators(overrides, version).map_err(|error| class_of(&error))?;
    let mut steps = Vec::new();
    if let Some(rules) = from_registry {
        if rules.len() > 1 {
            steps.push(json!({ "order": texts(&rules) }));
        }
        apply(&rules, &mut url, place)?;
    }
    for name in ["app_rule", "service_rule"] {
        let Some(text) = case[name].as_str() else {
            continue;
        };
        let rules = rules_of(text, version)?;
        steps.push(json!({ name: texts(&rules) }));
        apply(&rules, &mut url, place)?;
    }
    let before = read(&case["url"])?.parameters;
    let mut found = json!({
        "class": if version.line().is_3x() { "ServiceConfigURL" } else { "URL" },
        "protocol": url.protocol,
        "host": url.host,
        "port": url.port,
        "path": url.path,
        "parameters": url.parameters,
        "changed": url.parameters != before,
    });
    if !steps.is_empty() {
        found["steps"] = Value::Array(steps);
    }
    Ok(found)
}

/// What a listener that has no rules yet has after a text.
pub(super) fn rules_of(text: &str, version: &DubboVersion) -> Result<Configurators, &'static str> {
    match listen(text, version) {
        Ok(rules) => Ok(rules.unwrap_or_default()),
        // caught, and the rules from before stay
        Err(ListenError::Rule(_)) => Ok(Configurators::default()),
        Err(ListenError::Order(_)) if !version.at_least([3, 0, 5]) => Ok(Configurators::default()),
        Err(ListenError::Order(error)) => Err(class_of(&error)),
    }
}

fn texts(rules: &[Configurator]) -> Vec<String> {
    rules.iter().map(|rule| rule.url().to_full_text()).collect()
}

fn apply(rules: &Configurators, url: &mut Url, place: Place<'_>) -> Result<(), &'static str> {
    // that a rule does not apply is seen in the URL
    rules
        .configure(url, place)
        .map_err(|error| class_of(&error))
}

/// The exception of the real classes that an error stands for.
pub(super) fn class_of(error: &ConfiguratorError) -> &'static str {
    match error {
        ConfiguratorError::Protocol(_) => "java.lang.IllegalStateException",
        ConfiguratorError::Priority(_) => "java.lang.NumberFormatException",
        ConfiguratorError::NoHost
        | ConfiguratorError::UrlWithoutSide
        | ConfiguratorError::NoService
        | ConfiguratorError::UrlWithoutAddress => "java.lang.NullPointerException",
        ConfiguratorError::Match(error) => error.class().unwrap_or("cannot be replayed"),
    }
}
