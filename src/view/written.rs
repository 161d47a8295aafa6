//! `application.yml` as the properties that Spring makes of it, and the relaxed names under which Spring finds them.

use crate::{
    input::{
        attached::{Kind, recognise},
        properties::{self, Property},
    },
    rule::yaml::{Node, Value, YamlVersion, load},
};

/// What a YAML file of settings says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// Its properties, by the names of `application.properties`.
    pub properties: Vec<Property>,
    /// Documents that are left out: the line where one begins, and why.
    pub left_out: Vec<(u64, String)>,
}

/// The settings of a file, whichever of the two forms it has, with the names under which Spring finds them.
pub fn properties(text: &str) -> Vec<Property> {
    relaxed(match recognise("", text) {
        Kind::Yaml => yaml(text).properties,
        _ => properties::read(text),
    })
}

/// Whether a name is spelled as [`relaxed`] spells it.
pub fn is_plain(name: &str) -> bool {
    kebab(name) == name
}

/// Properties that are kept.
const MAX_PROPERTIES: usize = 20_000;

/// Reads a file of one or more documents. One that only a profile switches on is left out: which are on is not in it.
pub fn yaml(text: &str) -> Settings {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut found = Settings::default();
    for (first, document) in documents(text) {
        let loaded = match load(&document, YamlVersion::V2_0) {
            Ok(loaded) => loaded,
            Err(error) => {
                found.left_out.push((first, format!("no YAML: {error}")));
                continue;
            }
        };
        let Some(root) = loaded.root() else { continue };
        let mut properties = Vec::new();
        flatten(root, String::new(), first - 1, 0, &mut properties);
        let profile = properties.iter().find(|property| {
            property
                .key
                .strip_prefix("spring.config.activate.on-profile")
                .or_else(|| property.key.strip_prefix("spring.profiles"))
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
        });
        if let Some(profile) = profile {
            let why = format!("only with the profile {}", profile.value);
            found.left_out.push((first, why));
            continue;
        }
        found.properties.append(&mut properties);
    }
    found.properties.truncate(MAX_PROPERTIES);
    found
}

/// The documents with the line on which each begins.
fn documents(text: &str) -> Vec<(u64, String)> {
    let mut all = vec![(1, String::new())];
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim_end() == "---" {
            all.push((number + 1, String::new()));
            continue;
        }
        if let Some((_, document)) = all.last_mut() {
            document.push_str(line);
            document.push('\n');
        }
    }
    all.retain(|(_, document)| !document.trim().is_empty());
    all
}

/// Nested maps deeper than this are no settings.
const DEEPEST: u32 = 32;

fn flatten(node: Node<'_>, name: String, above: u64, depth: u32, found: &mut Vec<Property>) {
    if depth > DEEPEST || found.len() >= MAX_PROPERTIES {
        return;
    }
    match node.value() {
        Value::Map(entries) => {
            for (key, value) in entries {
                let part = key.java_text().unwrap_or_default();
                let next = if name.is_empty() {
                    part
                } else {
                    format!("{name}.{part}")
                };
                flatten(value, next, above, depth + 1, found);
            }
        }
        Value::List(items) => {
            for (place, item) in items.enumerate() {
                flatten(item, format!("{name}[{place}]"), above, depth + 1, found);
            }
        }
        _ if node.is_null() => {}
        _ => {
            // What stands in the file counts, not what YAML makes of it: `08` stays `08`.
            let value = node
                .written()
                .map(str::to_owned)
                .or_else(|| node.java_text())
                .unwrap_or_default();
            found.push(Property {
                key: name,
                value,
                line: above + u64::from(node.start().line),
            });
        }
    }
}

/// The properties with each name that Spring finds under another spelling added in kebab case: `configCenter`,
/// `config_center` are `config-center`. A name that is there already is not replaced.
pub fn relaxed(mut properties: Vec<Property>) -> Vec<Property> {
    let mut added = Vec::new();
    for property in &properties {
        let name = kebab(&property.key);
        let is_known = |list: &[Property]| list.iter().any(|other| other.key == name);
        if name != property.key && !is_known(&properties) && !is_known(&added) {
            added.push(Property {
                key: name,
                ..property.clone()
            });
        }
    }
    properties.append(&mut added);
    properties
}

/// Ids of `dubbo.registries.<id>` are keys of a map: they stay as they are.
pub(crate) fn kebab(name: &str) -> String {
    let mut parts: Vec<String> = Vec::new();
    for (place, part) in name.split('.').enumerate() {
        let is_id = place == 2
            && parts.first().is_some_and(|first| first == "dubbo")
            && parts.get(1).is_some_and(|second| second == "registries");
        parts.push(if is_id {
            part.to_owned()
        } else {
            kebab_part(part)
        });
    }
    parts.join(".")
}

fn kebab_part(part: &str) -> String {
    let mut out = String::new();
    let mut before = '-';
    for c in part.chars() {
        if c == '_' {
            out.push('-');
        } else if c.is_ascii_uppercase() {
            if before.is_ascii_lowercase() || before.is_ascii_digit() {
                out.push('-');
            }
            out.push(c.to_ascii_lowercase());
        } else {
            out.push(c);
        }
        before = c;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_keys_become_properties() {
        let found = yaml(
            "dubbo:\n  application: {name: web}\n  registry:\n    address: nacos://${HOST}:8848\n  list: [a, 08]\n\
             ---\nspring.config.activate.on-profile: prod\ndubbo.registry.address: x\n",
        );
        let pairs: Vec<(&str, &str, u64)> = found
            .properties
            .iter()
            .map(|property| {
                (
                    property.key.as_str(),
                    property.value.as_str(),
                    property.line,
                )
            })
            .collect();
        assert_eq!(
            pairs,
            [
                ("dubbo.application.name", "web", 2),
                ("dubbo.registry.address", "nacos://${HOST}:8848", 4),
                ("dubbo.list[0]", "a", 5),
                ("dubbo.list[1]", "08", 5),
            ]
        );
        assert_eq!(
            found.left_out,
            [(7, "only with the profile prod".to_owned())]
        );
        assert_eq!(yaml("dubbo: [").left_out.len(), 1);
    }

    #[test]
    fn names_are_relaxed() {
        let property = |key: &str| Property {
            key: key.to_owned(),
            value: "v".to_owned(),
            line: 1,
        };
        let keys = |all: Vec<Property>| all.into_iter().map(|one| one.key).collect::<Vec<_>>();
        assert_eq!(
            keys(relaxed(vec![property("dubbo.configCenter.address")])),
            ["dubbo.configCenter.address", "dubbo.config-center.address"]
        );
        assert_eq!(
            keys(relaxed(vec![property("dubbo.registries.myId.address")])),
            ["dubbo.registries.myId.address"]
        );
        assert_eq!(
            kebab("dubbo.registry.registerMode"),
            "dubbo.registry.register-mode"
        );
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_left_out(text in "(?s)(dubbo|spring|: |\\n|  |- |---\\n|[{}a-z0-9]){0,40}") {
            let _ = relaxed(yaml(&text).properties);
        }
    }
}
