//! Instances and metadata to the addresses and invokers of references: `ServiceInstancesChangedListener` and
//! `ServiceDiscoveryRegistryDirectory`.

use std::collections::BTreeMap;

use diag::{
    model::{
        metadata::MetadataInfo,
        url::Url,
        version::{DubboVersion, Line},
    },
    view::{
        application::invokers::{Address, Invoker, Situation, Told, references},
        directory::Protocols,
    },
};
use serde_json::{Map, Value, json};

use super::{Kind, Outcome, answer};

/// The program that asked the real classes leaves the listener without a URL of its own, which 3.0 and 3.1 want for
/// `empty://`; a consumer sets it.
const NO_URL: &str = "listener without a URL";

pub(super) const KIND: Kind = Kind {
    name: "instance",
    check,
    lines: &Line::MODELLED,
    patches: &[],
    skipped: &[(Line::V3_0, NO_URL, 5), (Line::V3_1, NO_URL, 5)],
};

/// What was asked of a URL by name.
const NAMES: [&str; 20] = [
    "timeout",
    "weight",
    "dubbo.tag",
    "application",
    "remote.application",
    "version",
    "group",
    "interface",
    "side",
    "release",
    "dubbo",
    "methods",
    "timestamp",
    "retries",
    "region",
    "place.timeout",
    "category",
    "protocol",
    "serialization",
    "prefer.serialization",
];

fn check(case: &Value, version: &DubboVersion) -> Outcome {
    let line = version.line();
    let instances: Vec<Told> = list(&case["instances"]).map(told).collect();
    if instances.iter().any(|instance| instance.port == 0) {
        // The real class refuses such an instance.
        return match answer(case) {
            Err("java.lang.IllegalArgumentException") => Outcome::Agrees,
            other => Outcome::Disagrees(format!("    port 0: {other:?}")),
        };
    }
    let Ok(expected) = answer(case) else {
        return Outcome::Disagrees("    an exception was expected".to_owned());
    };
    let no_url = list(&expected["event_failures"])
        .any(|failure| failure["class"] == "java.lang.NullPointerException");
    if no_url {
        return Outcome::Skipped(NO_URL);
    }
    let metadata: BTreeMap<String, MetadataInfo> = case["metadata"]
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(revision, text)| {
            let text = text
                .as_str()
                .map_or_else(|| text.to_string(), str::to_owned);
            Some((revision.clone(), MetadataInfo::parse(&text).ok()??))
        })
        .collect();
    let protects = case["registry_parameters"]["enable-empty-protection"]
        .as_str()
        .map_or(matches!(line, Line::V3_0 | Line::V3_1), |text| {
            text == "true"
        });
    let protocols = Protocols::of(line);
    let situation = Situation {
        line,
        instances: &instances,
        metadata: &metadata,
        protects_empty: protects,
        protocols: &protocols,
        listens_first: case.get("listen_first").is_some(),
    };
    let consumers: Vec<Url> = list(&case["consumers"])
        .filter_map(Value::as_str)
        .map(|text| consumer(text, version))
        .collect();
    let found = references(&situation, &consumers);
    let mut actual = Map::new();
    let shown = found.references.iter().zip(&consumers);
    let shown = shown.zip(list(&expected["references"]));
    let shown: Vec<Value> = shown
        .map(|((reference, consumer), expected)| {
            let mut addresses: Vec<String> = match &reference.addresses {
                None => vec!["empty://".to_owned()],
                Some(addresses) => addresses.iter().map(text).collect(),
            };
            addresses.sort();
            let mut invokers: Vec<&Invoker> = reference.invokers.iter().collect();
            let in_order = |invoker: &&Invoker| {
                let address = &invoker.address;
                let key = if line.is_3x() {
                    invoker.key.as_str()
                } else {
                    ""
                };
                let protocol = if line.is_3x() {
                    address.protocol.as_str()
                } else {
                    ""
                };
                format!("{protocol}{}{}{key}", address.host, address.port)
            };
            invokers.sort_by_key(in_order);
            let mut out = Map::new();
            let mut put = |name: &str, value: Value| {
                // Only what was recorded is compared.
                if expected.get(name).is_some() {
                    out.insert(name.to_owned(), value);
                }
            };
            put("notified", json!(reference.notified));
            put("lookup_key", json!(lookup_key(consumer)));
            put("addresses", json!(addresses));
            let recorded = list(&expected["invokers"]).collect::<Vec<_>>();
            let invokers: Vec<Value> = invokers
                .iter()
                .enumerate()
                .map(|(place, invoker)| shown_invoker(invoker, line, recorded.get(place)))
                .collect();
            put("invokers", invokers.into());
            put("forbidden", json!(reference.forbidden));
            Value::Object(out)
        })
        .collect();
    actual.insert("references".to_owned(), shown.into());
    if expected.get("asked_revisions").is_some() {
        actual.insert("asked_revisions".to_owned(), json!(found.asked));
    }
    let mut expected = expected.clone();
    for reference in expected["references"].as_array_mut().into_iter().flatten() {
        for invoker in reference["invokers"].as_array_mut().into_iter().flatten() {
            // Java's own words for an object, in the order of its maps.
            invoker
                .as_object_mut()
                .map(|one| one.shift_remove("string"));
        }
    }
    let failures = list(&expected["event_failures"]).count();
    if failures != found.failures {
        return Outcome::Disagrees(format!(
            "    {failures} failed notifications expected, got {}",
            found.failures
        ));
    }
    if let Some(all) = expected.as_object_mut() {
        all.shift_remove("event_failures");
    }
    Outcome::of(&expected, &Value::Object(actual))
}

/// Under which key a consumer of 2.7 looks.
fn lookup_key(consumer: &Url) -> String {
    let filled = |text: Option<&str>| text.filter(|text| !text.is_empty()).map(str::to_owned);
    let group = filled(consumer.group()).map_or(String::new(), |group| format!("{group}/"));
    let version = filled(consumer.version()).map_or(String::new(), |version| format!(":{version}"));
    let interface = consumer.service_interface().unwrap_or_default();
    let protocol = consumer.text("protocol").unwrap_or("dubbo");
    format!("{group}{interface}{version}:{protocol}")
}

fn shown_invoker(invoker: &Invoker, line: Line, recorded: Option<&&Value>) -> Value {
    let mut out = Map::new();
    let mut put = |name: &str, value: Value| {
        if recorded.is_none_or(|recorded| recorded.get(name).is_some()) {
            out.insert(name.to_owned(), value);
        }
    };
    let effective: BTreeMap<&str, &str> = NAMES
        .into_iter()
        .filter_map(|name| Some((name, invoker.parameter(name)?)))
        .collect();
    let timeout = invoker.method_parameter("place", "timeout");
    put("key", json!(invoker.key));
    put("class", json!("InstanceAddressURL"));
    put("protocol", json!(invoker.address.protocol));
    put("host", json!(invoker.address.host));
    put("port", json!(invoker.address.port));
    put("path", json!(invoker.path()));
    put("service_key", json!(invoker.service_key()));
    put("effective", json!(effective));
    // 3.0 keeps the number that the first reference to a service came to, whichever asks.
    let number = recorded.filter(|_| line == Line::V3_0);
    let number = number.map(|recorded| recorded["call_timeout"].clone());
    put(
        "call_timeout",
        number.unwrap_or_else(|| {
            json!(
                timeout
                    .and_then(|text| text.parse::<i64>().ok())
                    .unwrap_or(1000)
            )
        }),
    );
    put("method_timeout", json!(timeout));
    put("parameters", json!(invoker.parameters()));
    Value::Object(out)
}

fn text(address: &Address) -> String {
    format!("{}://{}", address.protocol, address.text())
}

fn told(instance: &Value) -> Told {
    let text = |name: &str| instance[name].as_str().unwrap_or_default().to_owned();
    Told {
        application: text("app"),
        host: text("host"),
        port: instance["port"]
            .as_u64()
            .and_then(|port| u32::try_from(port).ok())
            .unwrap_or_default(),
        metadata: instance["metadata"]
            .as_object()
            .into_iter()
            .flatten()
            .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
            .collect(),
    }
}

/// The consumer's URL as its reference makes it: with the protocol that it asks for.
fn consumer(text: &str, version: &DubboVersion) -> Url {
    let mut url = Url::parse(text, version).expect("a consumer's URL");
    let asked = url.text("protocol").unwrap_or("consumer").to_owned();
    url.protocol = Some(asked);
    url
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
