//! Migration rules: whether an application's consumers use addresses of the interface or of the application.
//!
//! Mirrors `MigrationRule` and `SubMigrationRule` of 3.x, and `MigrationRule` of 2.7.

use std::sync::Arc;

use super::affinity::java_float;
use super::error::RuleError;
use super::expanded;
use super::header::root;
use super::lately::Lately;
use super::release::snake_yaml;
use super::yaml::{Node, Position, Value, load};
use crate::model::url::is_true;
use crate::model::version::DubboVersion;

/// The steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// Only addresses of the interface.
    ForceInterface,
    /// Addresses of the application when there are enough of them.
    ApplicationFirst,
    /// Only addresses of the application.
    ForceApplication,
}

impl Step {
    /// All of them.
    pub const ALL: [Self; 3] = [
        Self::ForceInterface,
        Self::ApplicationFirst,
        Self::ForceApplication,
    ];

    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ForceInterface => "FORCE_INTERFACE",
            Self::ApplicationFirst => "APPLICATION_FIRST",
            Self::ForceApplication => "FORCE_APPLICATION",
        }
    }
}

/// A document under a `.migration` key.
#[derive(Debug, Clone, PartialEq)]
pub struct MigrationRule {
    /// What the rule says it is for; without effect.
    pub key: Option<String>,
    /// What counts where nothing nearer does.
    pub settings: MigrationSettings,
    /// By interface (`interface[:version]`, never with a group).
    pub interfaces: Option<Vec<SubRule>>,
    /// By application of the provider.
    pub applications: Option<Vec<SubRule>>,
}

/// What a rule or one of its parts sets.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MigrationSettings {
    /// `step`
    pub step: Option<Step>,
    /// `threshold`
    pub threshold: Option<f64>,
    /// `proportion`
    pub proportion: Option<i32>,
    /// `delay`
    pub delay: Option<i32>,
    /// `force`
    pub force: Option<bool>,
}

/// An item of `interfaces` or `applications`.
#[derive(Debug, Clone, PartialEq)]
pub struct SubRule {
    /// For whom.
    pub service_key: Option<String>,
    /// What it sets.
    pub settings: MigrationSettings,
    /// Where it begins.
    pub at: Position,
}

/// Reads a document as a consumer of 3.x does. On an error the rule from before stays.
///
/// 2.7 turns the map into an object, whose `step` cannot be set by a text: whatever the document says, the step is
/// `FORCE_INTERFACE` (see [`Step::ForceInterface`]), also when it is refused.
pub fn parse(text: &str, version: &DubboVersion) -> Result<Arc<MigrationRule>, RuleError> {
    thread_local! {
        static LATELY: Lately<DubboVersion, Result<Arc<MigrationRule>, RuleError>> = const { Lately::new() };
    }
    LATELY.with(|lately| lately.or_read(text, version, || read(text, version).map(Arc::new)))
}

fn read(text: &str, version: &DubboVersion) -> Result<MigrationRule, RuleError> {
    let document = load(text, snake_yaml(version))?;
    let map = root(document.root())?;
    let parts_of = ["interfaces", "applications"].map(|name| map.get(name));
    expanded::check(text.len(), parts_of.into_iter().flatten())?;
    Ok(MigrationRule {
        key: cast(map, "key")?,
        settings: settings(map)?,
        interfaces: parts(map, "interfaces")?,
        applications: parts(map, "applications")?,
    })
}

fn cast(map: Node<'_>, name: &str) -> Result<Option<String>, RuleError> {
    match map.get(name).filter(|value| !value.is_null()) {
        None => Ok(None),
        Some(value) => value
            .as_text()
            .map(|text| Some(text.to_owned()))
            .ok_or_else(|| {
                RuleError::cast(
                    format!("`{name}` must be a text: put it in quotes"),
                    value.start(),
                )
            }),
    }
}

fn settings(map: Node<'_>) -> Result<MigrationSettings, RuleError> {
    let present = |name: &str| map.get(name).filter(|value| !value.is_null());
    let number = |name: &str| match present(name) {
        None => Ok(None),
        Some(value) => {
            let text = value.java_text().unwrap_or_default();
            text.parse::<i32>()
                .map(Some)
                .map_err(|_| not_a_number(name, &text, value))
        }
    };
    let step = match present("step") {
        None => None,
        Some(value) => {
            let text = value.java_text().unwrap_or_default();
            let step = Step::ALL.into_iter().find(|step| step.as_str() == text);
            Some(step.ok_or_else(|| {
                RuleError::new(
                    "java.lang.IllegalArgumentException",
                    format!(
                        "No enum constant org.apache.dubbo.registry.client.migration.model.MigrationStep.{text}"
                    ),
                    Some(value.start()),
                )
            })?)
        }
    };
    let threshold = match present("threshold") {
        None => None,
        Some(value) => {
            let text = value.java_text().unwrap_or_default();
            Some(java_float(&text).ok_or_else(|| not_a_number("threshold", &text, value))?)
        }
    };
    Ok(MigrationSettings {
        step,
        threshold,
        proportion: number("proportion")?,
        delay: number("delay")?,
        force: present("force").map(|value| value.java_text().is_some_and(|text| is_true(&text))),
    })
}

fn not_a_number(name: &str, text: &str, value: Node<'_>) -> RuleError {
    RuleError::new(
        "java.lang.NumberFormatException",
        format!("`{name}` is no number: {text}"),
        Some(value.start()),
    )
}

/// Anything but a list counts as missing.
fn parts(map: Node<'_>, name: &str) -> Result<Option<Vec<SubRule>>, RuleError> {
    let items = match map.get(name).map(|node| (node, node.value())) {
        Some((_, Value::List(items))) => items,
        // A list of arrays for Java.
        Some((node, Value::Pairs(pairs))) if pairs.len() > 0 => {
            return Err(RuleError::cast(
                format!("an item of `{name}` is no map"),
                node.start(),
            ));
        }
        Some((_, Value::Pairs(_))) => return Ok(Some(Vec::new())),
        _ => return Ok(None),
    };
    let parts = items.map(|item| match item.value() {
        Value::Map(_) => Ok(SubRule {
            service_key: cast(item, "serviceKey")?,
            settings: settings(item)?,
            at: item.start(),
        }),
        Value::Null => Err(RuleError::null(
            format!("an item of `{name}` is empty"),
            Some(item.start()),
        )),
        _ => Err(RuleError::cast(
            format!("an item of `{name}` is no map"),
            item.start(),
        )),
    });
    parts.collect::<Result<_, _>>().map(Some)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::version::Line;

    fn read(text: &str) -> Result<Arc<MigrationRule>, RuleError> {
        parse(text, &DubboVersion::newest(Line::V3_2))
    }

    #[test]
    fn rules() {
        let rule = read(
            "key: web\nstep: APPLICATION_FIRST\nthreshold: 0.5\nproportion: 60\nforce: yes\n\
             interfaces:\n- {serviceKey: 'a.B:1', step: FORCE_INTERFACE}\napplications: x",
        )
        .unwrap();
        assert_eq!(rule.settings.step, Some(Step::ApplicationFirst));
        assert_eq!(
            (
                rule.settings.threshold,
                rule.settings.proportion,
                rule.settings.force
            ),
            (Some(0.5), Some(60), Some(true))
        );
        let interfaces = rule.interfaces.as_ref().unwrap();
        assert_eq!(interfaces[0].settings.step, Some(Step::ForceInterface));
        assert_eq!(
            (interfaces[0].at.line, rule.applications.as_ref()),
            (7, None)
        );
        for refused in [
            "step: application_first",
            "threshold: much",
            "proportion: 1.5",
            "key: 1",
            "interfaces: [~]",
            "interfaces: [a]",
            "a",
            "",
        ] {
            assert!(read(refused).is_err(), "{refused}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(step|threshold|interfaces|: |\\n|- |[0-9.]|FORCE_INTERFACE|[{}]){0,20}") {
            let _ = read(&text);
            let _ = super::super::affinity::parse(&text, &DubboVersion::newest(Line::V3_3));
        }
    }
}
