//! The routers that read condition rules from the config center: by service, by own application, by provider's.
//!
//! Mirrors `ServiceRouter`, `AppRouter` (2.7), `ServiceStateRouter` (3.0.5 `ServiceRouter`), `AppStateRouter` and
//! `ProviderAppStateRouter` (3.2 and later).

use std::borrow::Cow;
use std::sync::Arc;

use super::ask::Ask;
use super::chain::Making;
use super::condition::ConditionRules;
use super::dialect::{Dialect, Shape};
use super::rules::RuleReader;
use super::trace::{RuleState, note};
use super::{AddressList, Prepared, Router, RuleEvent, Thrown};
use crate::model::url::Url;
use crate::model::version::DubboVersion;

const ENDING: &str = ".condition-router";

/// A router over condition rules.
pub(super) struct Listenable {
    name: &'static str,
    version: DubboVersion,
    dialect: Dialect,
    /// The key that is read when the router is made, without its ending; empty when there is none.
    first_key: String,
    /// The provider-application router: the consumer's application, whose rule it reads first.
    own_application: Option<String>,
    /// The provider application whose rule was read last.
    provider_application: Option<String>,
    rules: ConditionRules,
    readings: Vec<(String, RuleState)>,
}

impl Listenable {
    fn new(making: &Making<'_>, name: &'static str, first_key: String) -> Self {
        Self {
            name,
            version: making.version.clone(),
            dialect: making.dialect,
            first_key,
            own_application: None,
            provider_application: None,
            rules: ConditionRules::default(),
            readings: Vec::new(),
        }
    }

    /// The router of a service.
    pub(super) fn service(making: &Making<'_>) -> Self {
        let name = match making.dialect.shape {
            Shape::Linked => "ServiceStateRouter",
            Shape::Sorted | Shape::Flat => "ServiceRouter",
        };
        Self::new(making, name, service_rule_key(making.url, making.version))
    }

    /// The router of the consumer's application.
    pub(super) fn application(making: &Making<'_>) -> Self {
        let name = if making.dialect.shape == Shape::Sorted {
            "AppRouter"
        } else {
            "AppStateRouter"
        };
        Self::new(making, name, application(making.url))
    }

    /// The router of the provider's application, which begins with the rule of the consumer's.
    pub(super) fn provider_application(making: &Making<'_>) -> Self {
        let own = application(making.url);
        let router = Self::new(making, "ProviderAppStateRouter", own.clone());
        Self {
            own_application: Some(own),
            ..router
        }
    }

    fn read(&mut self, key: &str, rules: &mut dyn RuleReader) {
        let key = format!("{key}{ENDING}");
        let state = match rules.listen(&key) {
            Some(text) => {
                let event = RuleEvent {
                    key: &key,
                    content: Some(&text),
                };
                self.rules.process(event, &self.version, self.dialect)
            }
            None => rules.without(&key),
        };
        note(&mut self.readings, &key, state);
    }
}

fn application(url: &Url) -> String {
    url.parameter("application").unwrap_or_default().to_owned()
}

/// The key of a service's rules without ending: `interface:version:group`; up to 2.7.2 `group*interface:version`.
fn service_rule_key(url: &Url, version: &DubboVersion) -> String {
    if version.at_least([2, 7, 3]) {
        url.colon_key()
    } else {
        url.service_key().unwrap_or_default().replacen('/', "*", 1)
    }
}

impl Router for Listenable {
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed(self.name)
    }

    fn start(&mut self, rules: &mut dyn RuleReader) {
        if !self.first_key.is_empty() {
            let key = self.first_key.clone();
            self.read(&key, rules);
        }
    }

    fn notify(
        &mut self,
        list: &Arc<AddressList>,
        rules: &mut dyn RuleReader,
    ) -> Result<(), Thrown> {
        let Some(own) = &self.own_application else {
            return Ok(());
        };
        // Only the first address decides whose rule is read.
        let first = list
            .providers
            .first()
            .and_then(|first| first.remote_application());
        let Some(application) = first.filter(|name| !name.is_empty() && name != own) else {
            return Ok(());
        };
        if self.provider_application.as_deref() == Some(application) {
            return Ok(());
        }
        if let Some(old) = &self.provider_application {
            rules.forget(&format!("{old}{ENDING}"));
        }
        self.provider_application = Some(application.to_owned());
        self.read(application, rules);
        Ok(())
    }

    fn process(&mut self, event: RuleEvent<'_>, _: &dyn RuleReader) -> Result<(), Thrown> {
        let state = self.rules.process(event, &self.version, self.dialect);
        note(&mut self.readings, event.key, state);
        Ok(())
    }

    fn asks(&self) -> Vec<Ask> {
        self.rules.asks(self.dialect)
    }

    fn readings(&self) -> Vec<(String, RuleState)> {
        self.readings.clone()
    }

    fn prepare(&self, list: &AddressList) -> Box<dyn Prepared> {
        let own = self
            .own_application
            .as_ref()
            .map(|own| format!("{own}{ENDING}"));
        self.rules.prepare(list, self.dialect, own)
    }
}
