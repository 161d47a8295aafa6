//! What consumer and rules make of one provider URL: `mergeUrl`, `overrideWithConfigurator`, `getEffectiveProtocol`.

use super::merge::{look_up_defaults, merge_at_once};
use super::{Directory, NotifyError, ServiceUrl};
use crate::model::url::Url;
use crate::rule::override_order::Configurators;
use crate::rule::override_url::Place;

impl Directory {
    /// `mergeUrl`, then the protocol in force: what consumer and rules make of a notified URL. In 2.x the consumer's own
    /// URL takes over what the provider says.
    pub fn merge(&mut self, notified: ServiceUrl) -> Result<ServiceUrl, NotifyError> {
        let mut url = if notified.consumer().is_some() {
            self.configure_layered(notified)?
        } else {
            // 2.x, and in 3.x what came among the configurators
            let mut merged = merge_at_once(notified.own(), &self.query, &self.subscription.version);
            self.configure_plain(&mut merged)?;
            look_up_defaults(&mut merged.parameters, &self.subscription.version);
            merged
                .parameters
                .insert("check".to_owned(), "false".to_owned());
            ServiceUrl::merged(merged)
        };
        if self.traits.own_url_absorbs {
            self.absorb(&url);
        }
        if let Some(name) = self.traits.mock_removes
            && (url.text("mock").is_some() || url.any_method_has("mock"))
            && url.own().parameters.contains_key(name)
        {
            url.own_mut().parameters.remove(name);
        }
        let is_dubbo = url.own().protocol.as_deref() == Some("dubbo");
        if is_dubbo
            && url.path().is_none_or(str::is_empty)
            && let Some(path) = self.own_path()
        {
            url.own_mut().path = Some(path);
        }
        let protocol = self.effective_protocol(&url);
        if url.own().protocol.as_ref() != Some(&protocol) {
            url.own_mut().protocol = Some(protocol);
        }
        Ok(url)
    }

    /// The consumer's own URL takes over what it does not say itself; once it has a null, that stays, too.
    fn absorb(&mut self, url: &ServiceUrl) {
        for (name, value) in &url.own().parameters {
            let withheld = self.traits.tag_not_absorbed && name == "dubbo.tag"
                || self.own_url_has_null && name == "remote.application";
            if !withheld {
                let slot = self.own_url.parameters.entry(name.clone());
                slot.or_insert_with(|| value.clone());
            }
        }
        let own = self.own_url.parameter("remote.application");
        self.own_url_has_null |= own.is_none() && self.has_null_application(url);
    }

    /// The path of a provider of Dubbo 1.0, which has none: the interface without group and version.
    fn own_path(&self) -> Option<String> {
        let interface = if self.traits.layers {
            self.own_url.service_interface()
        } else {
            self.query.get("interface").map(String::as_str)
        }?;
        let path = interface
            .split_once('/')
            .map_or(interface, |(_, rest)| rest);
        let path = path.rsplit_once(':').map_or(path, |(rest, _)| rest);
        Some(path.trim_start_matches('/').to_owned())
    }

    /// `getEffectiveProtocol` (3.3).
    fn effective_protocol(&self, url: &ServiceUrl) -> String {
        let own = url.own().protocol.as_deref().unwrap_or_default();
        if !self.traits.preferred_protocol {
            return own.to_owned();
        }
        let preferred = url.text("preferred.protocol").unwrap_or(own);
        let asked = self.query.get("protocol").filter(|asked| !asked.is_empty());
        let Some(asked) = asked.and_then(|asked| asked.split(',').next()) else {
            return preferred.to_owned();
        };
        let effective = if asked == preferred {
            preferred
        } else if asked == own {
            own
        } else {
            let extra = url.text("ext.protocol").unwrap_or_default();
            let has = |name: &str| extra.split(',').any(|item| item.eq_ignore_ascii_case(name));
            if !extra.is_empty() && has(asked) {
                asked
            } else {
                preferred
            }
        };
        effective.to_owned()
    }

    /// All rules in the order in which they are applied; the last one wins.
    fn all_rules(&self) -> [&Configurators; 3] {
        [
            &self.registry_rules,
            &self.rules.application,
            &self.rules.service,
        ]
    }

    fn place(&self) -> Place<'_> {
        Place {
            version: &self.subscription.version,
            local_host: &self.subscription.local_host,
        }
    }

    fn configure_plain(&self, url: &mut Url) -> Result<(), NotifyError> {
        for rules in self.all_rules() {
            rules.configure(url, self.place())?;
        }
        Ok(())
    }

    /// 3.x: rules see and fill a URL of their own, with the consumer's application and side (3.3: also group and version).
    fn configure_layered(&self, mut url: ServiceUrl) -> Result<ServiceUrl, NotifyError> {
        if self.all_rules().iter().all(|rules| rules.is_empty()) {
            return Ok(url);
        }
        let no_user = url.own().username.as_deref().is_none_or(str::is_empty);
        if no_user
            && url
                .own()
                .password
                .as_ref()
                .is_some_and(|secret| !secret.is_empty())
        {
            return Err(NotifyError::PasswordWithoutUser);
        }
        let mut seen = Url {
            path: url.path().map(str::to_owned),
            ..url.own().clone()
        };
        seen.parameters.clear();
        let consumer = &self.subscribed;
        let mut fields = vec![
            ("application", consumer.text("application")),
            ("side", consumer.text("side")),
        ];
        if self.traits.rules_see_key {
            fields.push(("group", url.own().group()));
            fields.push(("version", url.own().version()));
        }
        for (name, value) in fields {
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                seen.parameters.insert(name.to_owned(), value.to_owned());
            }
        }
        self.configure_plain(&mut seen)?;
        url.set_rules(seen);
        Ok(url)
    }

    pub(super) fn configure_own_url(&mut self) -> Result<(), NotifyError> {
        if self.traits.own_url_configured {
            let mut url = self.original_url();
            self.configure_plain(&mut url)?;
            self.own_url = url;
            self.own_url_has_null = false;
        }
        Ok(())
    }
}
