//! `getConfig`: how a process is configured (3.2 and later). Only what tells who it is and where it looks is read.

use serde::Serialize;
use serde_json::Value;

/// The applications of a process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Config {
    /// Names, in order.
    pub applications: Vec<String>,
    /// Addresses of its registries, secrets as they came.
    pub registries: Vec<String>,
}

/// Reads either form, cleaned.
pub(super) fn read(text: &str) -> Option<Config> {
    if text.starts_with('{') {
        json(text)
    } else if text.starts_with("ApplicationModel: ") {
        Some(lines(text))
    } else {
        None
    }
}

/// `Dubbo Application[1.1](order-web)`
fn name(model: &str) -> Option<&str> {
    let (_, name) = model.strip_prefix("Dubbo Application[")?.split_once("](")?;
    name.strip_suffix(')')
}

fn add(list: &mut Vec<String>, text: &str) {
    if !list.iter().any(|known| known == text) {
        list.push(text.to_owned());
    }
}

fn json(text: &str) -> Option<Config> {
    let value: Value = serde_json::from_str(text).ok()?;
    let mut config = Config {
        applications: Vec::new(),
        registries: Vec::new(),
    };
    for (model, of) in value.as_object()? {
        if let Some(name) = name(model) {
            add(&mut config.applications, name);
        }
        let registries = of.get("RegistryConfig").and_then(Value::as_object);
        for registry in registries.into_iter().flat_map(|map| map.values()) {
            if let Some(address) = registry.get("address").and_then(Value::as_str) {
                add(&mut config.registries, address);
            }
        }
    }
    Some(config)
}

fn lines(text: &str) -> Config {
    let mut config = Config {
        applications: Vec::new(),
        registries: Vec::new(),
    };
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("ApplicationModel: ").and_then(name) {
            add(&mut config.applications, name);
        } else if line.starts_with("<dubbo:registry ")
            && let Some((_, rest)) = line.split_once(" address=\"")
            && let Some((address, _)) = rest.split_once('"')
        {
            add(&mut config.registries, address);
        }
    }
    config
}
