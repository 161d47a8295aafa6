//! What kind of rule a text is: by the key under which it is kept, else by what stands in it.
//!
//! Keys are those of the config centre; a file that holds a rule is named after its key, with `:` also written `%3A`.

use super::yaml::{Document, Node, Value, YamlVersion, load_all};
pub use crate::model::rule_kind::RuleKind;
use crate::model::url::decode;

/// Fields that only one kind has.
const FIELDS: [(&str, RuleKind); 7] = [
    ("conditions", RuleKind::Condition),
    ("tags", RuleKind::Tag),
    ("script", RuleKind::Script),
    ("affinityAware", RuleKind::Affinity),
    ("configs", RuleKind::Configurator),
    ("step", RuleKind::Migration),
    ("interfaces", RuleKind::Migration),
];

/// What may stand in front of `://` in a rule of the registry.
const PROTOCOLS: [&str; 6] = ["override", "absent", "condition", "script", "route", "file"];

/// What a file name may end in after the key.
const EXTENSIONS: [&str; 5] = [".yaml", ".yml", ".json", ".txt", ".properties"];

impl RuleKind {
    /// The kind of a text, as far as its fields tell.
    pub fn of_text(text: &str) -> Option<Self> {
        let start = text.trim_start_matches('\u{feff}').trim_start();
        if is_url(start) {
            return Some(Self::Urls);
        }
        if let Some(item) = start.strip_prefix('[')
            && is_url(item.trim_start().trim_start_matches(['"', '\'']))
        {
            return Some(Self::Configurator);
        }
        for version in [YamlVersion::V2_4, YamlVersion::V1_20] {
            if let Ok(documents) = load_all(text, version) {
                return documents
                    .iter()
                    .filter_map(Document::root)
                    .find_map(of_fields);
            }
        }
        // Nobody can read it; a line that begins with a field still says what it was meant for.
        text.lines().find_map(|line| {
            FIELDS.iter().find_map(|(field, kind)| {
                let rest = line.strip_prefix(field)?;
                rest.trim_start()
                    .starts_with([':', '\u{ff1a}'])
                    .then_some(*kind)
            })
        })
    }
}

fn of_fields(root: Node<'_>) -> Option<RuleKind> {
    let Value::Map(_) = root.value() else {
        return None;
    };
    if let Some("VirtualService" | "DestinationRule") = root.get("kind").and_then(Node::as_text) {
        return Some(RuleKind::Mesh);
    }
    FIELDS
        .iter()
        .find(|(field, _)| root.get(field).is_some())
        .map(|(_, kind)| *kind)
}

/// Whether a text begins with a rule URL, encoded or not.
fn is_url(text: &str) -> bool {
    PROTOCOLS.iter().any(|protocol| {
        text.strip_prefix(protocol).is_some_and(|rest| {
            rest.starts_with("://")
                || rest
                    .get(..9)
                    .is_some_and(|rest| rest.eq_ignore_ascii_case("%3A%2F%2F"))
        })
    })
}

/// The key that the name of a file says: decoded, without an extension. `None` when it does not end as keys do.
pub fn key_of_file(name: &str) -> Option<String> {
    // a `+` is no blank in a file name
    let name = decode(&name.replace('+', "%2B")).unwrap_or_else(|_| name.to_owned());
    let bare = EXTENSIONS
        .iter()
        .find_map(|extension| name.strip_suffix(extension));
    let key = bare.unwrap_or(&name);
    RuleKind::of_key(key).map(|_| key.to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn keys_and_files() {
        for (name, key) in [
            (
                "com.a.B%3A1.0%3Ag.condition-router",
                Some("com.a.B:1.0:g.condition-router"),
            ),
            ("web.configurators.yaml", Some("web.configurators")),
            ("a+b.tag-router.yml", Some("a+b.tag-router")),
            ("demo.MESHAPPRULE", Some("demo.MESHAPPRULE")),
            ("rules.yaml", None),
        ] {
            assert_eq!(key_of_file(name).as_deref(), key, "{name}");
        }
    }

    #[test]
    fn texts() {
        for (text, kind) in [
            ("conditions: []", Some(RuleKind::Condition)),
            ("force: true\ntags: []", Some(RuleKind::Tag)),
            ("type: javascript\nscript: x", Some(RuleKind::Script)),
            ("configs: []", Some(RuleKind::Configurator)),
            ("affinityAware: {key: a}", Some(RuleKind::Affinity)),
            ("step: FORCE_INTERFACE", Some(RuleKind::Migration)),
            (
                "kind: Other\n---\nkind: VirtualService",
                Some(RuleKind::Mesh),
            ),
            (
                "\u{feff}override://0.0.0.0/a?timeout=1",
                Some(RuleKind::Urls),
            ),
            ("condition%3A%2F%2F0.0.0.0%2Fa", Some(RuleKind::Urls)),
            (
                "[\"override://0.0.0.0/a?x=1\"]",
                Some(RuleKind::Configurator),
            ),
            ("conditions:\n\t- a", Some(RuleKind::Condition)),
            ("hello", None),
            ("", None),
        ] {
            assert_eq!(RuleKind::of_text(text), kind, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_has_a_kind_or_none(text in ".{0,60}") {
            let _ = RuleKind::of_text(&text);
            let _ = key_of_file(&text);
        }
    }
}
