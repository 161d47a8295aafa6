//! What the router chain answers to a call, for ten versions.
//!
//! Another layout than the other kinds: `routing/<version>/<kind>.jsonl.gz` (random) and
//! `routing/hand/<version>.jsonl.gz` (hand-made), each line a case with its `answer`. Compared are the selected addresses,
//! what every single router did with what it got, the rules that were read, and exceptions. Random draws must be
//! possible here with a probability that the counts bear out; of scripts, which are never run, the real answer must lie
//! within the bounds.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use diag::model::url::{Url, encode};
use diag::model::version::DubboVersion;
use diag::route::AddressList;
use diag::route::application::{Application, Chain, Settings};
use diag::route::call::{Call, JavaValue};
use diag::route::declared::Zones;
use diag::route::outcome::Outcome;
use diag::route::provider::Provider;
use diag::route::set::AddressSet;
use diag::view::directory::{Directory, Protocols, Subscription};
use serde_json::Value;

const VERSIONS: [&str; 10] = [
    "2.7.8", "2.7.23", "3.0.5", "3.0.15", "3.1.0", "3.1.11", "3.2.0", "3.2.16", "3.3.0", "3.3.6",
];

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

#[test]
fn oracle_routing() {
    let everything = std::env::var_os("DIAG_ORACLE_ALL").is_some_and(|v| v == "1");
    let only = std::env::var("DIAG_ORACLE_ONLY").unwrap_or_default();
    let mut disagreements = Vec::new();
    let mut total = 0;
    let mut counts = BTreeMap::new();
    for version in VERSIONS {
        for (kind, file) in files(&super::fixtures().join("routing"), version) {
            counts.insert(format!("{version}/{kind}"), super::cases(&file).count());
            if !format!("{version} {kind}").contains(&only) {
                continue;
            }
            total += ask(
                version,
                &kind,
                &file,
                if everything { 1 } else { 20 },
                &mut disagreements,
            );
        }
    }
    if let Some(dir) = std::env::var_os("DIAG_ORACLE_DIR") {
        for root in ["routing", "routing/corpus"] {
            for version in VERSIONS {
                for (kind, file) in files(&Path::new(&dir).join(root), version) {
                    if !format!("{version} {kind}").contains(&only) {
                        continue;
                    }
                    total += ask(version, &kind, &file, 1, &mut disagreements);
                }
            }
        }
    }
    assert!(total > 0);
    let table = std::fs::read_to_string(super::fixtures().join("routing/COUNTS.tsv"))
        .expect("a table of counts");
    let expected: BTreeMap<String, usize> = table
        .lines()
        .skip(1)
        .filter_map(|row| row.split_once('\t'))
        .map(|(file, count)| (file.to_owned(), count.parse().expect("a count")))
        .collect();
    assert_eq!(counts, expected, "cases in the files against COUNTS.tsv");
    assert!(
        disagreements.is_empty(),
        "{} disagreements with the real routers in {total} cases; the first ones:\n{}",
        disagreements.len(),
        disagreements[..disagreements.len().min(12)].join("\n")
    );
}

/// The files of a version: random kinds and `hand`.
fn files(root: &Path, version: &str) -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    if let Ok(entries) = std::fs::read_dir(root.join(version)) {
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let Some(kind) = name
                .strip_suffix(".gz")
                .unwrap_or(&name)
                .strip_suffix(".jsonl")
            else {
                continue;
            };
            found.push((kind.to_owned(), entry.path()));
        }
    }
    found.sort();
    for end in ["jsonl", "jsonl.gz"] {
        let file = root.join(format!("hand/{version}.{end}"));
        if file.is_file() {
            found.push(("hand".to_owned(), file));
        }
    }
    found
}

fn ask(
    version: &str,
    kind: &str,
    file: &Path,
    step: usize,
    disagreements: &mut Vec<String>,
) -> usize {
    let dubbo = DubboVersion::parse(version).expect("a version of the list");
    let before = disagreements.len();
    let mut asked = 0;
    for case in super::cases(file).step_by(step) {
        asked += 1;
        let mut found = String::new();
        compare(&case, &dubbo, &mut found);
        if !found.is_empty() {
            let mut question = case.clone();
            if let Some(map) = question.as_object_mut() {
                map.shift_remove("answer");
            }
            disagreements.push(format!(
                "{version} {} {question}\n{found}",
                case["id"].as_str().unwrap_or_default()
            ));
        }
    }
    println!(
        "{version} {kind}: {asked} cases, {} disagreements",
        disagreements.len() - before
    );
    asked
}

fn read(text: &str, version: &DubboVersion) -> Url {
    Url::parse(text, version).expect("a URL of the generator")
}

/// Everything in which a replay differs from the answer.
fn compare(case: &Value, version: &DubboVersion, out: &mut String) {
    let answer = &case["answer"];
    let error = answer.get("error").filter(|error| !error.is_null());
    let stage = error.map(|error| error["stage"].as_str().unwrap_or_default());
    let class = error.map(|error| error["class"].as_str().unwrap_or_default());
    let texts = |name: &str| -> Vec<&str> {
        case[name]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect()
    };
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
    let consumer = read(case["consumer"].as_str().unwrap_or_default(), version);
    let rule_urls: Vec<Url> = texts("router_urls")
        .iter()
        .filter_map(|text| Url::parse(text, version).ok())
        .collect();
    let list = addresses(&consumer, &texts("providers"), version);
    let chain = match application.refer(&consumer, &rule_urls, list) {
        Ok(chain) => chain,
        Err(error) => {
            if (stage, class) != (Some("build"), Some(error.class)) {
                let _ = writeln!(
                    out,
                    "    got build error {error}, expected {stage:?} {class:?}"
                );
            }
            return keys(answer, application.keys_read(), out);
        }
    };
    if let Some(later) = case["later_consumer"].as_str() {
        let later = read(later, version);
        let list = addresses(&later, &texts("later_providers"), version);
        application
            .refer(&later, &[], list)
            .expect("the second reference is created");
    }
    for update in case["updates"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|update| in_group(update))
    {
        let told = application.update(
            update["key"].as_str().unwrap_or_default(),
            update["content"].as_str(),
        );
        if let Err(error) = told {
            if (stage, class) != (Some("update"), Some(error.class)) {
                let _ = writeln!(
                    out,
                    "    got update error {error}, expected {stage:?} {class:?}"
                );
            }
            return keys(answer, application.keys_read(), out);
        }
    }
    keys(answer, application.keys_read(), out);
    let call = call(case);
    let size = chain.list().len();
    match application.route(&chain, &call) {
        Err(error) => {
            if (stage, class) != (Some("route"), Some(error.class)) {
                let _ = writeln!(
                    out,
                    "    got {error}, expected {stage:?} {class:?} {}",
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
                        "    expected error in {stage}: {class:?}, got {outcome:?}"
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
                "    drawn {seen} of {calls} times, probability {probability}: {possible:?}"
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
                    "    {} of {input:?}: expected {result:?}, got {other:?}",
                    step["router"]
                );
            }
        }
        input = result;
    }
}

/// The addresses as the routers see them, and the URL the routers get: 3.x the registry's conversion and the consumer
/// URL, 2.7 the directory's merged URLs and its own.
fn addresses(consumer: &Url, providers: &[&str], version: &DubboVersion) -> AddressList {
    let is_3x = version.line().is_3x();
    let mut reference = consumer.clone();
    let mut registry = read(
        "zookeeper://127.0.0.1:2181/org.apache.dubbo.registry.RegistryService",
        version,
    );
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
    let providers: Vec<Box<dyn Provider + Send + Sync>> = providers
        .iter()
        .map(|text| {
            let mut url = directory
                .read(&encode(text))
                .expect("an entry of the generator");
            if !is_3x {
                url = directory.merge(url).expect("no rule can fail");
            }
            Box::new(url) as Box<_>
        })
        .collect();
    let consumer = if is_3x {
        consumer.clone()
    } else {
        directory.own_url().clone()
    };
    AddressList {
        providers,
        consumer,
        zones: Zones::default(),
    }
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
