//! One answer of the real router chain against a replay of the same case.
//!
//! Compared are the selected addresses, what every single router did with what it got, the rules that were read, and
//! exceptions. Random draws must be possible here with a probability that the counts bear out; of scripts, which are never
//! run, the real answer must lie within the bounds. The golden cases and the lab's fresh ones go through this same file.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use diag::model::url::{Url, encode};
use diag::model::version::DubboVersion;
use diag::route::application::{Application, Chain, Settings};
use diag::route::call::{Call, JavaValue};
use diag::route::declared::Zones;
use diag::route::outcome::Outcome;
use diag::route::provider::Provider;
use diag::route::set::AddressSet;
use diag::route::{AddressList, Thrown};
use diag::view::directory::{Directory, Protocols, Subscription};
use serde_json::Value;

/// The script engines of the JVM that answered: JDK 17 with Nashorn 15.4.
const ENGINES: [&str; 8] = [
    "nashorn",
    "Nashorn",
    "js",
    "JS",
    "JavaScript",
    "javascript",
    "ECMAScript",
    "ecmascript",
];

/// A URL that the references of a case cannot do without.
fn read(text: &str, version: &DubboVersion) -> Result<Url, Stop> {
    Url::parse(text, version).map_err(|error| unreadable(&error))
}

fn unreadable(error: &dyn std::fmt::Display) -> Stop {
    Stop {
        stage: "build",
        class: None,
        text: error.to_string(),
    }
}

/// A case, played up to its call.
pub(crate) struct Replay {
    pub(crate) application: Application<BTreeMap<String, String>>,
    /// The first reference and the call through it, or where it ends before.
    pub(crate) reached: Result<(Chain, Call), Stop>,
}

/// Where a case ends before its call.
pub(crate) struct Stop {
    pub(crate) stage: &'static str,
    /// The class of the exception; `None` where `diag` does not say it.
    pub(crate) class: Option<&'static str>,
    text: String,
}

impl Replay {
    pub(crate) fn of(case: &Value, version: &DubboVersion) -> Self {
        let mut rules = BTreeMap::new();
        for rule in case["rules"].as_array().into_iter().flatten() {
            if in_group(rule)
                && let (Some(key), Some(text)) = (rule["key"].as_str(), rule["content"].as_str())
            {
                rules.insert(key.to_owned(), text.to_owned());
            }
        }
        let fail_fast = &case["system_properties"]["dubbo.router.should-fail-fast"];
        let settings = Settings {
            fail_fast: fail_fast
                .as_str()
                .is_none_or(|text| text.eq_ignore_ascii_case("true")),
            script_engines: Some(ENGINES.map(str::to_owned).to_vec()),
            ..Settings::default()
        };
        let mut application =
            Application::new(version, rules, settings).expect("a version that is modelled");
        let reached = reach(case, version, &mut application);
        Self {
            application,
            reached,
        }
    }
}

/// Creates the references and tells them the updates.
fn reach(
    case: &Value,
    version: &DubboVersion,
    application: &mut Application<BTreeMap<String, String>>,
) -> Result<(Chain, Call), Stop> {
    let texts = |name: &str| -> Vec<&str> {
        case[name]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect()
    };
    let thrown = |stage: &'static str| {
        move |error: Thrown| Stop {
            stage,
            class: Some(error.class),
            text: error.to_string(),
        }
    };
    let rule_urls: Vec<Url> = texts("router_urls")
        .iter()
        .filter_map(|text| Url::parse(text, version).ok())
        .collect();
    let consumer = read(case["consumer"].as_str().unwrap_or_default(), version)?;
    let list = addresses(&consumer, &texts("providers"), version)?;
    let chain = application
        .refer(&consumer, &rule_urls, list)
        .map_err(thrown("build"))?;
    if let Some(later) = case["later_consumer"].as_str() {
        let later = read(later, version)?;
        let list = addresses(&later, &texts("later_providers"), version)?;
        application
            .refer(&later, &[], list)
            .map_err(thrown("build"))?;
    }
    for update in case["updates"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|update| in_group(update))
    {
        let key = update["key"].as_str().unwrap_or_default();
        application
            .update(key, update["content"].as_str())
            .map_err(thrown("update"))?;
    }
    Ok((chain, call(case)))
}

/// Everything in which a replay differs from the answer, one a line.
pub(crate) fn compare(case: &Value, version: &DubboVersion, out: &mut String) {
    let answer = &case["answer"];
    let error = answer.get("error").filter(|error| !error.is_null());
    let stage = error.map(|error| error["stage"].as_str().unwrap_or_default());
    let class = error.map(|error| error["class"].as_str().unwrap_or_default());
    let Replay {
        application,
        reached,
    } = Replay::of(case, version);
    keys(answer, application.keys_read(), out);
    let (chain, call) = match reached {
        Ok(reached) => reached,
        Err(stop) => {
            if stage != Some(stop.stage) || stop.class.is_some() && class != stop.class {
                let (text, at) = (stop.text, stop.stage);
                let _ = writeln!(
                    out,
                    "    {at} error: got {text}, expected {stage:?} {class:?}"
                );
            }
            return;
        }
    };
    let size = chain.list().len();
    match application.route(&chain, &call) {
        Err(error) => {
            if (stage, class) != (Some("route"), Some(error.class)) {
                let _ = writeln!(
                    out,
                    "    route error: got {error}, expected {stage:?} {class:?} {}",
                    answer["selected"]
                );
            }
        }
        Ok(outcome) => {
            match stage {
                None => selected(answer, &outcome, size, out),
                // A script is not run: its errors lie within the bounds.
                Some("route") if matches!(outcome, Outcome::Within(_)) => {}
                Some(stage) => {
                    let _ = writeln!(
                        out,
                        "    no error: expected one in {stage}, {class:?}, got {outcome:?}"
                    );
                }
            }
        }
    }
    per_router(answer, &application, &chain, &call, out);
}

fn in_group(rule: &Value) -> bool {
    rule["group"].as_str().is_none_or(|group| group == "dubbo")
}

fn keys(answer: &Value, read: &[String], out: &mut String) {
    let expected: Vec<&str> = answer["keys_read"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|pair| {
            assert_eq!(pair["group"], "dubbo");
            pair["key"].as_str().unwrap_or_default()
        })
        .collect();
    if expected != read {
        let _ = writeln!(out, "    keys read: expected {expected:?}, got {read:?}");
    }
}

fn set(places: &Value, size: usize) -> AddressSet {
    let places: Vec<usize> = places
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|place| usize::try_from(place.as_u64()?).ok())
        .collect();
    AddressSet::filter(size, |place| places.contains(&place))
}

fn selected(answer: &Value, outcome: &Outcome, size: usize, out: &mut String) {
    let Some(several) = answer.get("selected_any_of").and_then(Value::as_array) else {
        let expected = set(&answer["selected"], size);
        if !outcome.allows(&expected) {
            let _ = writeln!(out, "    selected: expected {expected:?}, got {outcome:?}");
        }
        // So many calls would have shown another one, were there any.
        if let (Outcome::OneOf(answers), Some(calls)) = (outcome, answer["calls"].as_f64()) {
            let probability = answers
                .iter()
                .find(|(possible, _)| *possible == expected)
                .map_or(0.0, |(_, probability)| *probability);
            if probability.powf(calls) < 1e-10 {
                let _ = writeln!(
                    out,
                    "    drawn always: {expected:?} in {calls} calls, probability {probability}"
                );
            }
        }
        return;
    };
    for expected in several {
        let expected = set(expected, size);
        if !outcome.allows(&expected) {
            let _ = writeln!(
                out,
                "    selected: expected also {expected:?}, got {outcome:?}"
            );
        }
    }
    let Outcome::OneOf(answers) = outcome else {
        return;
    };
    let counts: Vec<f64> = answer["counts"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_f64)
        .collect();
    let calls: f64 = counts.iter().sum();
    for (possible, probability) in answers {
        let seen = several
            .iter()
            .position(|it| set(it, size) == *possible)
            .map_or(0.0, |place| counts[place]);
        let spread = 6.0 * (calls * probability * (1.0 - probability)).sqrt() + 3.0;
        if (seen - calls * probability).abs() > spread {
            let _ = writeln!(
                out,
                "    drawn: {seen} of {calls} times, probability {probability}: {possible:?}"
            );
        }
    }
}

/// What each router made of what it got in the traced run.
fn per_router(
    answer: &Value,
    application: &Application<BTreeMap<String, String>>,
    chain: &Chain,
    call: &Call,
    out: &mut String,
) {
    let Some(steps) = answer.get("per_router").and_then(Value::as_array) else {
        return;
    };
    let size = chain.list().len();
    let names = application.routers(chain);
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    let expected: Vec<&str> = steps
        .iter()
        .filter_map(|step| step["router"].as_str())
        .collect();
    if !names.starts_with(&expected) {
        let _ = writeln!(out, "    routers: expected {expected:?}, got {names:?}");
        return;
    }
    let mut input = AddressSet::all(size);
    for (place, step) in steps.iter().enumerate() {
        let result = set(&step["out"], size);
        match application.route_one(chain, place, call, &input) {
            Some(Ok(outcome)) if outcome.allows(&result) => {}
            other => {
                let _ = writeln!(
                    out,
                    "    {}: of {input:?} expected {result:?}, got {other:?}",
                    step["router"].as_str().unwrap_or_default()
                );
            }
        }
        input = result;
    }
}

/// The addresses as the routers see them, and the URL the routers get: 3.x the registry's conversion and the consumer
/// URL, 2.7 the directory's merged URLs and its own.
fn addresses(
    consumer: &Url,
    providers: &[&str],
    version: &DubboVersion,
) -> Result<AddressList, Stop> {
    let is_3x = version.line().is_3x();
    let mut reference = consumer.clone();
    let mut registry = read(
        "zookeeper://127.0.0.1:2181/org.apache.dubbo.registry.RegistryService",
        version,
    )?;
    if !is_3x {
        registry.protocol = Some("registry".to_owned());
        let interface = consumer.service_interface().unwrap_or_default().to_owned();
        reference
            .parameters
            .entry("interface".to_owned())
            .or_insert(interface);
        let host = consumer.host.clone().unwrap_or_default();
        reference.parameters.insert("register.ip".to_owned(), host);
    }
    let mut directory = Directory::new(Subscription {
        consumer: reference,
        registry,
        version: version.clone(),
        local_host: "127.0.0.1".to_owned(),
        protocols: Protocols::of(version.line()),
    });
    let mut urls: Vec<Box<dyn Provider + Send + Sync>> = Vec::new();
    for text in providers {
        let mut url = directory
            .read(&encode(text))
            .map_err(|error| unreadable(&error))?;
        if !is_3x {
            url = directory.merge(url).map_err(|error| unreadable(&error))?;
        }
        urls.push(Box::new(url));
    }
    let consumer = if is_3x {
        consumer.clone()
    } else {
        directory.own_url().clone()
    };
    Ok(AddressList {
        providers: urls,
        consumer,
        zones: Zones::default(),
    })
}

fn call(case: &Value) -> Call {
    let types: Vec<String> = case["parameter_types"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|text| text.as_str().map(str::to_owned))
        .collect();
    let arguments = case["arguments"]
        .as_array()
        .into_iter()
        .flatten()
        .enumerate()
        .map(|(place, value)| java(value, types.get(place).map_or("", String::as_str)))
        .collect();
    let attachments = case["attachments"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(key, value)| (key.clone(), java(value, "")))
        .collect();
    Call {
        method: case["method"].as_str().unwrap_or_default().to_owned(),
        parameter_types: types,
        arguments,
        attachments,
    }
}

/// The Java object that a JSON value stood for.
fn java(value: &Value, class: &str) -> JavaValue {
    match value {
        Value::Null => JavaValue::Null,
        Value::Bool(value) => JavaValue::Boolean(*value),
        Value::String(text) => JavaValue::Text(text.clone()),
        Value::Number(number) => match (number.as_i64(), class, number.as_f64()) {
            (_, "float" | "java.lang.Float", _) => {
                JavaValue::Float(number.to_string().parse().expect("a JSON number"))
            }
            (Some(value), class, _) if !matches!(class, "double" | "java.lang.Double") => {
                JavaValue::Integer(value)
            }
            (.., Some(value)) => JavaValue::Double(value),
            _ => panic!("{number} is too large for a test"),
        },
        Value::Array(items) => match class {
            "java.util.List" => JavaValue::List(items.iter().map(|item| java(item, "")).collect()),
            "java.lang.String[]" => JavaValue::Object("[Ljava.lang.String;".to_owned()),
            _ => JavaValue::Object("[Ljava.lang.Object;".to_owned()),
        },
        Value::Object(entries) => JavaValue::Map(
            entries
                .iter()
                .map(|(key, value)| (JavaValue::Text(key.clone()), java(value, "")))
                .collect(),
        ),
    }
}
