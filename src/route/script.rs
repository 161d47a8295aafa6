//! Script rules. They are never run: a script in force may do anything with its input.
//!
//! Mirrors `AppScriptStateRouter` and `ScriptStateRouter` (3.2 and later), `ScriptRouter` (up to 2.7.9).

use std::sync::Arc;

use super::application::Settings;
use super::call::Call;
use super::chain::Making;
use super::condition_url::{decoded_rule, priority};
use super::outcome::Outcome;
use super::rules::RuleReader;
use super::set::AddressSet;
use super::{AddressList, PassOn, Prepared, Router, RuleEvent, Thrown};
use crate::model::version::DubboVersion;
use crate::rule::script::{self, ScriptRule};

const ENDING: &str = ".script-router";
const DEFAULT_ENGINE: &str = "javascript";

/// The script router of an application's providers.
pub(super) struct ScriptRouter {
    version: DubboVersion,
    settings: Settings,
    application: Option<String>,
    rule: Option<ScriptRule>,
    /// A script was accepted at some time. It stays when a later document brings none, and when the rule is removed.
    has_script: bool,
}

impl ScriptRouter {
    pub(super) fn new(making: &Making<'_>) -> Self {
        Self {
            version: making.version.clone(),
            settings: making.settings.clone(),
            application: None,
            rule: None,
            has_script: false,
        }
    }
}

/// Whether the JVM may have an engine.
fn may_have_engine(settings: &Settings, name: &str) -> bool {
    settings
        .script_engines
        .as_ref()
        .is_none_or(|known| known.iter().any(|it| it == name))
}

impl Router for ScriptRouter {
    fn name(&self) -> &'static str {
        "AppScriptStateRouter"
    }

    fn notify(
        &mut self,
        list: &Arc<AddressList>,
        rules: &mut dyn RuleReader,
    ) -> Result<(), Thrown> {
        let first = list
            .providers
            .first()
            .and_then(|first| first.remote_application());
        let Some(application) = first.filter(|name| !name.is_empty()) else {
            return Ok(());
        };
        if self.application.as_deref() == Some(application) {
            return Ok(());
        }
        if let Some(old) = &self.application {
            rules.forget(&format!("{old}{ENDING}"));
        }
        self.application = Some(application.to_owned());
        let key = format!("{application}{ENDING}");
        if let Some(text) = rules.listen(&key) {
            self.process(
                RuleEvent {
                    key: &key,
                    content: Some(&text),
                },
                rules,
            )?;
        }
        Ok(())
    }

    fn process(&mut self, event: RuleEvent<'_>, _: &dyn RuleReader) -> Result<(), Thrown> {
        let Some(content) = event.content else {
            self.rule = None;
            return Ok(());
        };
        let Ok(rule) = script::parse(content, &self.version) else {
            return Ok(());
        };
        let engine = rule
            .engine
            .as_deref()
            .filter(|name| !name.is_empty())
            .unwrap_or(DEFAULT_ENGINE);
        let has_text = rule.script.as_ref().is_some_and(|text| !text.is_empty());
        if has_text && may_have_engine(&self.settings, engine) {
            self.has_script = true;
        }
        self.rule = Some(rule);
        Ok(())
    }

    fn prepare(&self, _: &AddressList) -> Box<dyn Prepared> {
        match &self.rule {
            _ if !self.has_script => Box::new(PassOn),
            None => Box::new(Removed),
            Some(rule) if !rule.header.valid || !rule.header.enabled => Box::new(PassOn),
            Some(_) => Box::new(Anything),
        }
    }
}

/// A script runs.
struct Anything;

impl Prepared for Anything {
    fn route(&self, _: &AddressList, _: &Call, input: &AddressSet) -> Result<Outcome, Thrown> {
        Ok(Outcome::Within(input.clone()))
    }
}

/// The rule was removed while its script had been in force: every call fails until the consumer is restarted.
struct Removed;

impl Prepared for Removed {
    fn route(&self, _: &AddressList, _: &Call, _: &AddressSet) -> Result<Outcome, Thrown> {
        Err(Thrown::new(
            "java.lang.NullPointerException",
            "the script rule was removed, its script was not",
        ))
    }
}

/// A `script://` URL of the registry.
pub(super) struct ScriptUrl {
    priority: i32,
}

impl ScriptUrl {
    /// `new ScriptRouter(url)`: needs an engine and a text.
    pub(super) fn new(making: &Making<'_>) -> Result<Self, Thrown> {
        let priority = priority(making.url)?;
        let engine = making.url.text("type").unwrap_or(DEFAULT_ENGINE);
        if !may_have_engine(making.settings, engine) {
            return Err(Thrown::new(
                "java.lang.IllegalStateException",
                format!("unsupported route engine type: {engine}"),
            ));
        }
        if decoded_rule(making.url)?.is_none_or(|rule| rule.is_empty()) {
            return Err(Thrown::new(
                "java.lang.IllegalStateException",
                "route rule can not be empty.",
            ));
        }
        Ok(Self { priority })
    }
}

impl Router for ScriptUrl {
    fn name(&self) -> &'static str {
        "ScriptRouter"
    }

    fn priority(&self) -> Option<i32> {
        Some(self.priority)
    }

    fn prepare(&self, _: &AddressList) -> Box<dyn Prepared> {
        Box::new(Anything)
    }
}
