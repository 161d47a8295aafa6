//! Script rules. They are never run: a script in force may do anything with its input, unless it is plain that it fails
//! before it does anything.
//!
//! Mirrors `AppScriptStateRouter` and `ScriptStateRouter` (3.2 and later), `ScriptRouter` (up to 2.7.9).

use std::borrow::Cow;
use std::sync::Arc;

use super::application::Settings;
use super::call::Call;
use super::chain::Making;
use super::condition_url::{decoded_rule, priority};
use super::outcome::Outcome;
use super::rules::RuleReader;
use super::set::AddressSet;
use super::trace::{Document, Effect, Oddity, Part, RuleRef, RuleState, note};
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
    document: Option<Arc<Document>>,
    readings: Vec<(String, RuleState)>,
}

impl ScriptRouter {
    pub(super) fn new(making: &Making<'_>) -> Self {
        Self {
            version: making.version.clone(),
            settings: making.settings.clone(),
            application: None,
            rule: None,
            has_script: false,
            document: None,
            readings: Vec::new(),
        }
    }
}

/// Whether the JVM may have an engine.
fn may_have_engine(settings: &Settings, name: &str) -> bool {
    let known = settings.script_engines.as_ref();
    known.is_none_or(|known| known.iter().any(|it| it == name))
        && !settings.missing_engines.iter().any(|it| it == name)
}

impl Router for ScriptRouter {
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("AppScriptStateRouter")
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
        match rules.listen(&key) {
            Some(text) => {
                let event = RuleEvent {
                    key: &key,
                    content: Some(&text),
                };
                self.process(event, rules)?;
            }
            None => note(&mut self.readings, &key, rules.without(&key)),
        }
        Ok(())
    }

    fn process(&mut self, event: RuleEvent<'_>, _: &dyn RuleReader) -> Result<(), Thrown> {
        let Some(content) = event.content else {
            self.rule = None;
            note(&mut self.readings, event.key, RuleState::Absent);
            return Ok(());
        };
        let rule = match script::parse(content, &self.version) {
            Ok(rule) => rule,
            Err(error) => {
                note(&mut self.readings, event.key, RuleState::Refused(error));
                return Ok(());
            }
        };
        let engine = engine(&rule);
        let has_text = rule.script.as_ref().is_some_and(|text| !text.is_empty());
        if has_text && may_have_engine(&self.settings, engine) {
            self.has_script = true;
        }
        let state = match &rule.header {
            header if !header.valid => RuleState::Empty,
            header if !header.enabled => RuleState::Off,
            _ => RuleState::InForce,
        };
        note(&mut self.readings, event.key, state);
        self.rule = Some(rule);
        self.document = Some(Document::new(event.key, content));
        Ok(())
    }

    fn readings(&self) -> Vec<(String, RuleState)> {
        self.readings.clone()
    }

    fn prepare(&self, _: &AddressList) -> Box<dyn Prepared> {
        let Some(rule) = &self.rule else {
            return if self.has_script {
                Box::new(Removed)
            } else {
                Box::new(PassOn)
            };
        };
        let reference = RuleRef {
            key: self
                .document
                .as_ref()
                .map_or_else(Arc::default, |it| Arc::clone(&it.key)),
            position: rule.script_at,
            force: rule.header.force,
        };
        let engine = engine(rule).to_owned();
        if rule.header.valid && !rule.header.enabled {
            return Box::new(Unscripted(reference, "script", Effect::Off));
        }
        if !self.has_script {
            return if rule.header.valid && rule.script.as_ref().is_some_and(|it| !it.is_empty()) {
                Box::new(Unscripted(reference, "script", Effect::NoEngine(engine)))
            } else {
                Box::new(PassOn)
            };
        }
        if !rule.header.valid {
            return Box::new(PassOn);
        }
        Box::new(Anything(reference, engine))
    }
}

/// The engine that a rule asks for.
fn engine(rule: &ScriptRule) -> &str {
    rule.engine
        .as_deref()
        .filter(|name| !name.is_empty())
        .unwrap_or(DEFAULT_ENGINE)
}

/// A rule whose script does not run, or not to its end: the rule, what stands for it, and why.
struct Unscripted(RuleRef, &'static str, Effect);

impl Prepared for Unscripted {
    fn route(&self, _: &AddressList, _: &Call, input: &AddressSet) -> Result<Outcome, Thrown> {
        Ok(Outcome::Only(input.clone()))
    }

    fn explain(&self, _: &AddressList, _: &Call, input: &AddressSet) -> Vec<Part> {
        let Self(rule, text, effect) = self;
        vec![Part::passing(
            Some(rule.clone()),
            *text,
            effect.clone(),
            input,
        )]
    }
}

/// A script runs: the rule, and its engine.
struct Anything(RuleRef, String);

impl Prepared for Anything {
    fn route(&self, _: &AddressList, _: &Call, input: &AddressSet) -> Result<Outcome, Thrown> {
        Ok(Outcome::Within(input.clone()))
    }

    fn explain(&self, _: &AddressList, _: &Call, input: &AddressSet) -> Vec<Part> {
        let Self(rule, engine) = self;
        vec![Part::bounded(
            Some(rule.clone()),
            engine.as_str(),
            Effect::Script,
            input,
        )]
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

    fn explain(&self, list: &AddressList, _: &Call, input: &AddressSet) -> Vec<Part> {
        vec![Part {
            output: Outcome::Only(AddressSet::none(list.len())),
            oddities: vec![Oddity::ScriptOutlivesRule],
            ..Part::passing(None, "script", Effect::Script, input)
        }]
    }
}

/// A `script://` URL of the registry.
pub(super) struct ScriptUrl {
    priority: i32,
    rule: RuleRef,
    engine: String,
    /// What it asks first and never gets.
    fails_at: Option<&'static str>,
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
        let script = decoded_rule(making.url)?.unwrap_or_default();
        if script.is_empty() {
            return Err(Thrown::new(
                "java.lang.IllegalStateException",
                "route rule can not be empty.",
            ));
        }
        Ok(Self {
            priority,
            rule: RuleRef {
                key: making.url.to_string().into(),
                position: None,
                force: making.url.flag("force", false),
            },
            engine: engine.to_owned(),
            fails_at: script::null_asked_first(&script),
        })
    }
}

impl Router for ScriptUrl {
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("ScriptRouter")
    }

    fn priority(&self) -> Option<i32> {
        Some(self.priority)
    }

    fn prepare(&self, _: &AddressList) -> Box<dyn Prepared> {
        match self.fails_at {
            Some(text) => Box::new(Unscripted(self.rule.clone(), text, Effect::ScriptFails)),
            None => Box::new(Anything(self.rule.clone(), self.engine.clone())),
        }
    }
}
