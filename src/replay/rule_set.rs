//! Texts of rules by key, and which key a file is meant for.

use std::collections::BTreeMap;

use crate::model::service_key::ServiceKey;
use crate::model::url::decode;
use crate::route::rules::{RuleSource, RuleText};
use crate::rule::kind::{RuleKind, key_of_file};
use crate::rule::yaml::{Node, YamlVersion, load_all};

/// A rule text that somebody handed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleFile {
    /// The key, with its ending.
    pub key: String,
    /// The text.
    pub text: String,
    /// The file, for evidence.
    pub file: String,
}

/// The key of a rule file.
///
/// `name` is the key as given or the file's name; `%3A` stands for `:` in it. Without a known ending the text decides:
/// its own `key` and `scope`, else the only rule of its kind among `in_force`, else the service.
///
/// # Errors
/// Nothing tells what the file is, or it is no router rule; the text names the way out.
pub fn key_from_name(
    name: &str,
    text: &str,
    service: &ServiceKey,
    in_force: &[&str],
) -> Result<String, String> {
    let way_out = "write KEY=FILE, for example com.acme.Order::.condition-router=FILE";
    let shown = decode(name).unwrap_or_else(|_| name.to_owned());
    let of_name = key_of_file(name);
    let kind = match of_name.as_deref().and_then(RuleKind::of_key) {
        Some(kind) => kind,
        None => RuleKind::of_text(text).ok_or_else(|| {
            format!("`{shown}` has no ending of a rule key, and its text is no known kind of rule: {way_out}")
        })?,
    };
    let is_router = !matches!(
        kind,
        RuleKind::Configurator | RuleKind::Migration | RuleKind::Urls
    );
    let ending = kind
        .ending()
        .filter(|_| is_router)
        .ok_or_else(|| format!("`{shown}` is no router rule, but of kind {}", kind.as_str()))?;
    if let Some(key) = of_name {
        return Ok(key);
    }
    if let Some(key) = own_key(text, kind, ending) {
        return Ok(key);
    }
    let same: Vec<&&str> = in_force
        .iter()
        .filter(|key| RuleKind::of_key(key) == Some(kind))
        .collect();
    match (same.as_slice(), kind) {
        ([only], _) => Ok((**only).to_owned()),
        ([], RuleKind::Condition) => Ok(format!("{}{ending}", service.rule_key())),
        ([], _) => Err(format!(
            "`{shown}` does not say for which application it is: {way_out}"
        )),
        (several, _) => Err(format!(
            "`{shown}` does not say which rule it replaces ({}): {way_out}",
            several
                .iter()
                .map(|key| **key)
                .collect::<Vec<_>>()
                .join(", ")
        )),
    }
}

/// The key that a text says it is for. Consoles write it; Dubbo does not look at it.
fn own_key(text: &str, kind: RuleKind, ending: &str) -> Option<String> {
    let documents = load_all(text, YamlVersion::V2_4).ok()?;
    let root = documents.first()?.root()?;
    let key = root.get("key").and_then(Node::as_text)?;
    if key.is_empty() {
        return None;
    }
    let of_service = root.get("scope").and_then(Node::as_text) == Some("service");
    if of_service && kind == RuleKind::Condition && !key.ends_with(':') {
        let service = ServiceKey::parse_dubbo(key).ok()?;
        return Some(format!("{}{ending}", service.rule_key()));
    }
    Some(format!("{key}{ending}"))
}

/// Rules by key, and what is said of all others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleTexts {
    texts: BTreeMap<String, RuleText>,
    /// What a key is that does not stand among the texts.
    rest: RuleText,
}

impl RuleTexts {
    /// Rules of which `rest` is said when they are not among those that are put in.
    pub fn new(rest: RuleText) -> Self {
        Self {
            texts: BTreeMap::new(),
            rest,
        }
    }

    /// Puts a rule in, in place of what was there.
    pub fn put(&mut self, key: impl Into<String>, text: RuleText) {
        self.texts.insert(key.into(), text);
    }

    /// The same with these files in place of what is under their keys.
    #[must_use]
    pub fn with<'a>(mut self, files: impl IntoIterator<Item = &'a RuleFile>) -> Self {
        for file in files {
            self.put(&file.key, RuleText::Text(file.text.clone()));
        }
        self
    }

    /// The rules that are there, by key.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.texts.iter().filter_map(|(key, text)| match text {
            RuleText::Text(text) => Some((key.as_str(), text.as_str())),
            RuleText::Absent | RuleText::Unknown => None,
        })
    }

    /// Whether some rule was not seen.
    pub fn has_unknown(&self) -> bool {
        self.rest == RuleText::Unknown || self.texts.values().any(|text| *text == RuleText::Unknown)
    }

    /// The same with every text as another client reads it; what it makes of a text may be unknown.
    #[must_use]
    pub fn map(mut self, read: impl Fn(&str) -> Option<String>) -> Self {
        for text in self.texts.values_mut() {
            if let RuleText::Text(written) = text {
                *text = read(written).map_or(RuleText::Unknown, RuleText::Text);
            }
        }
        self
    }
}

impl RuleSource for RuleTexts {
    fn rule(&self, key: &str) -> RuleText {
        self.texts.get(key).unwrap_or(&self.rest).clone()
    }
}

/// A rule as dubbo-go up to 3.3 reads it, which takes `force` for `enabled` and `enabled` for `force`.
///
/// Only a plain block document is rewritten; `None` = how that client reads the text is not known.
pub fn as_go_reads(text: &str) -> Option<String> {
    let documents = load_all(text, YamlVersion::V2_4).ok()?;
    let [document] = documents.as_slice() else {
        return None;
    };
    let root = document.root()?;
    let flag = |name: &str, default: bool| match root.get(name) {
        None => Some(default),
        Some(value) => value.as_bool(),
    };
    let (enabled, force) = (flag("enabled", true)?, flag("force", false)?);
    let mut kept: Vec<&str> = Vec::new();
    let mut taken = 0;
    for line in text.lines() {
        if line.starts_with("enabled:") || line.starts_with("force:") {
            taken += 1;
        } else {
            kept.push(line);
        }
    }
    let written = ["enabled", "force"]
        .iter()
        .filter(|name| root.get(name).is_some())
        .count();
    (taken == written && !text.trim_start().starts_with('{')).then(|| {
        format!(
            "{}\nenabled: {force}\nforce: {enabled}\n",
            kept.join("\n").trim_end()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn service() -> ServiceKey {
        ServiceKey::new(None, "com.acme.Order", None)
    }

    #[test]
    fn the_ending_decides() {
        for (name, key) in [
            (
                "com.acme.Order%3A1.0%3A.condition-router",
                "com.acme.Order:1.0:.condition-router",
            ),
            ("demo.MESHAPPRULE.yaml", "demo.MESHAPPRULE"),
        ] {
            assert_eq!(key_from_name(name, "", &service(), &[]).unwrap(), key);
        }
        let error = key_from_name("a.configurators", "", &service(), &[]).unwrap_err();
        assert!(error.contains("is no router rule"), "{error}");
    }

    #[test]
    fn else_the_text_decides() {
        let conditions = "conditions:\n- => host = 1\n";
        let key =
            |text: &str, in_force: &[&str]| key_from_name("fixed.yaml", text, &service(), in_force);
        assert_eq!(
            key(conditions, &[]).unwrap(),
            "com.acme.Order::.condition-router"
        );
        assert_eq!(
            key(conditions, &["web.condition-router", "order.tag-router"]).unwrap(),
            "web.condition-router"
        );
        assert_eq!(
            key(
                "scope: application\nkey: web\nconditions: []\n",
                &["x.condition-router"]
            )
            .unwrap(),
            "web.condition-router"
        );
        assert_eq!(
            key("scope: service\nkey: g/a.B:1.0\nconditions: []\n", &[]).unwrap(),
            "a.B:1.0:g.condition-router"
        );
        for (text, in_force, problem) in [
            ("tags: []\n", &[][..], "for which application"),
            (
                conditions,
                &["a.condition-router", "b.condition-router"][..],
                "which rule it replaces",
            ),
            ("hello\n", &[][..], "no known kind"),
        ] {
            let error = key(text, in_force).unwrap_err();
            assert!(error.contains(problem), "{error}");
        }
    }

    #[test]
    fn go_swaps_two_fields() {
        let text = "configVersion: v3.0\nenabled: true\nforce: false\nconditions:\n- a=b => c=d\n";
        assert_eq!(
            as_go_reads(text).unwrap(),
            "configVersion: v3.0\nconditions:\n- a=b => c=d\nenabled: false\nforce: true\n"
        );
        assert_eq!(
            as_go_reads("a: 1\n").unwrap(),
            "a: 1\nenabled: false\nforce: true\n"
        );
        assert_eq!(as_go_reads("{force: true}"), None);
    }
}
