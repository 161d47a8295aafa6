//! The providers of the service as this consumer would call them, with the layers that decide its settings.

use serde_json::Value;

use super::consumer::Side;
use crate::{
    budget::layers::Layers,
    model::{
        service_key::ServiceKey,
        url::{Url, encode},
        version::DubboVersion,
    },
    question::{ConsumerState, Question, RegistryAddress, RegistryKind, World},
    rule::{migration::Step, yaml},
    snapshot::{Key, Seen, Snapshot, SourceId, Want},
    view::{
        application::Instance,
        directory::{Directory, Fate, Notification, Protocols, Rules, ServiceUrl, Subscription},
        held::{Entry, Held, LayerKind},
        interface::{Case, configurators},
        migration,
        missing::Missing,
        stage::{Evidence, Model},
    },
};

/// One provider.
#[derive(Debug, Clone)]
pub(super) struct Provider {
    /// `host:port`.
    pub(super) address: String,
    /// What it published.
    pub(super) url: Url,
    /// With consumer and rules.
    pub(super) merged: ServiceUrl,
    /// Where it was seen.
    pub(super) evidence: Option<Evidence>,
}

/// A rule that this version cannot read, or that stands under a key that nobody reads.
#[derive(Debug, Clone)]
pub(super) struct UnreadRule {
    /// Its key.
    pub(super) name: String,
    /// The parameters it would set.
    pub(super) parameters: Vec<(String, String)>,
    /// Where it was seen.
    pub(super) evidence: Option<Evidence>,
}

/// What one registry gives this consumer.
#[derive(Debug, Clone)]
pub(super) struct Offer {
    /// The providers it can call.
    pub(super) providers: Vec<Provider>,
    /// The consumer's own URL after rules: it decides tries and cluster.
    pub(super) own_url: Url,
    /// The model in use.
    pub(super) model: Model,
    /// Whether that is known.
    pub(super) model_known: bool,
    /// Whether all rules were seen.
    pub(super) rules_known: bool,
    /// Rules without effect.
    pub(super) unread: Vec<UnreadRule>,
}

impl Offer {
    /// The layers that a call on a provider asks.
    pub(super) fn layers<'a>(
        &self,
        provider: &'a Provider,
        side: &'a Side,
        version: &'a DubboVersion,
    ) -> Layers<'a> {
        match self.model {
            Model::Application => Layers::Application {
                rules: provider.merged.rules(),
                consumer: &side.url,
                service: &provider.url,
            },
            Model::Interface => Layers::of(&provider.merged, &side.url, &provider.url, version),
        }
    }
}

/// What one registry gives.
pub(super) struct Reader<'a> {
    pub(super) question: &'a Question,
    pub(super) snapshot: &'a Snapshot,
    pub(super) version: &'a DubboVersion,
    pub(super) side: &'a Side,
    pub(super) missing: &'a Missing,
}

impl Reader<'_> {
    pub(super) fn read(&self, registry: Option<&RegistryAddress>, held: &Held) -> Offer {
        let (model, model_known) = self.model(registry, held);
        let described = self.described(registry, held);
        let mut urls: Vec<(Url, Option<Evidence>)> = Vec::new();
        for entry in &held.entries {
            if let Ok(url) = entry.url(self.version)
                && self.is_asked(&url)
            {
                urls.push((url, Some(entry.evidence.clone())));
            }
        }
        if model == Model::Application {
            let of_instances: Vec<(Url, Option<Evidence>)> = described;
            let covered = |url: &Url| {
                of_instances
                    .iter()
                    .any(|(other, _)| other.address() == url.address())
            };
            urls.retain(|(url, _)| !covered(url));
            urls.extend(of_instances);
        }
        let (rules, unread, seen) = self.rules(registry, held);
        let texts: Vec<String> = urls
            .iter()
            .map(|(url, _)| encode(&url.to_full_text()))
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let overrides: Vec<&str> = held
            .configurators
            .iter()
            .filter_map(Entry::encoded)
            .collect();
        let mut directory = Directory::new(Subscription::of(
            self.side.url.clone(),
            registry,
            self.version,
            Protocols::of(self.version.line()),
        ));
        // What cannot be configured shows again at the notification, and leaves no invoker.
        let _ = directory.set_rules(rules);
        let notice = directory.notify(Notification {
            providers: Some(&texts),
            configurators: (!overrides.is_empty()).then_some(&overrides),
        });
        let mut providers: Vec<Provider> = Vec::new();
        for (entry, fate) in notice.map(|notice| notice.fates).unwrap_or_default() {
            let Fate::Kept { merged, .. } = fate else {
                continue;
            };
            if entry.among_configurators {
                continue;
            }
            let (url, evidence) = urls[entry.place].clone();
            providers.push(Provider {
                address: url.address().unwrap_or_default(),
                url,
                merged,
                evidence,
            });
        }
        providers.sort_by(|a, b| a.address.cmp(&b.address));
        Offer {
            providers,
            own_url: directory.own_url().clone(),
            model,
            model_known,
            rules_known: seen
                && held.rules_not_seen.iter().all(|fact| !fact.required)
                && !self.members_differ(held)
                && held.configurators_listing.is_known(),
            unread,
        }
    }

    /// Whether a URL is of the service that is asked for.
    fn is_asked(&self, url: &Url) -> bool {
        let service = &self.question.service;
        let same = |a: Option<&str>, b: Option<&str>| {
            a.unwrap_or_default() == b.unwrap_or_default() || b == Some("*")
        };
        url.service_interface() == Some(&service.interface)
            && same(url.group(), service.group.as_deref())
            && same(url.version(), service.version.as_deref())
    }

    /// The model in use, and whether that is known.
    fn model(&self, registry: Option<&RegistryAddress>, held: &Held) -> (Model, bool) {
        let application = &held.application;
        let world = World {
            dubbo: self.version.clone(),
            state: self
                .question
                .consumer
                .state
                .unwrap_or(ConsumerState::Running),
        };
        let case = Case {
            question: self.question,
            registry,
            held,
            world: &world,
        };
        let sight = migration::sight(&case, None);
        let step = sight.worlds[0].step;
        let settled = sight
            .worlds
            .iter()
            .all(|world| world.step == step && world.before.is_none());
        match step {
            Step::ForceInterface => return (Model::Interface, settled),
            Step::ForceApplication => return (Model::Application, settled),
            Step::ApplicationFirst => {}
        }
        let uses_application = !application.mapped.is_empty() && !application.instances.is_empty();
        if uses_application {
            (Model::Application, application.instances_known && settled)
        } else {
            let known = application.mapping_known || application.is_absent();
            (Model::Interface, known && settled)
        }
    }

    /// The service as the metadata of its instances describes it.
    fn described(
        &self,
        registry: Option<&RegistryAddress>,
        held: &Held,
    ) -> Vec<(Url, Option<Evidence>)> {
        let Some((source, registry)) = held.source.as_ref().zip(registry) else {
            return Vec::new();
        };
        let mut urls = Vec::new();
        for instance in &held.application.instances {
            let Some(text) = self.metadata(source, registry, instance) else {
                continue;
            };
            urls.extend(
                services(&text, instance)
                    .into_iter()
                    .filter(|url| self.is_asked(url))
                    .map(|url| (url, Some(instance.evidence.clone()))),
            );
        }
        urls
    }

    /// The metadata of an instance's revision in the metadata report, if it is there.
    fn metadata(
        &self,
        source: &SourceId,
        registry: &RegistryAddress,
        instance: &Instance,
    ) -> Option<String> {
        let revision = instance.revision.as_deref()?;
        if registry.kind == RegistryKind::Zookeeper {
            let group = registry.group.as_ref().map_or("dubbo", |(group, _)| group);
            let root = group.trim_matches('/');
            let path = format!("/{root}/metadata/{}/{revision}", instance.application);
            let seen = self.snapshot.zk_data(source, &path, None);
            if matches!(seen, Seen::Unasked | Seen::Absent(None)) {
                self.missing
                    .note(self.snapshot, Want::zk_data(source, path.as_str()));
            }
            return seen.here().map(std::borrow::Cow::into_owned);
        }
        let namespace = registry.namespace.clone().unwrap_or_default();
        let key = Key::nacos_config(&namespace, revision, &instance.application);
        self.missing
            .note(self.snapshot, Want::any(source, key.clone()));
        let lines = self.snapshot.latest(source, &key);
        lines
            .iter()
            .find_map(|line| Some(line.body_text()?.into_owned()))
    }

    /// The rules of the config centre as this consumer applies them, the texts that it does not read, and whether nothing more
    /// had to be known for that.
    fn rules(
        &self,
        registry: Option<&RegistryAddress>,
        held: &Held,
    ) -> (Rules, Vec<UnreadRule>, bool) {
        let state = self.question.consumer.state;
        let world = World {
            dubbo: self.version.clone(),
            state: state.unwrap_or(ConsumerState::Starting),
        };
        let (rules, applied, known) = configurators(&Case {
            question: self.question,
            registry,
            held,
            world: &world,
        });
        let unread = held
            .rules
            .stored
            .iter()
            .filter(|stored| stored.kind == LayerKind::Configurator)
            .filter(|stored| !applied.iter().any(|one| std::ptr::eq(*one, *stored)))
            .map(|stored| UnreadRule {
                name: stored.key.clone(),
                parameters: parameters(&stored.text),
                evidence: Some(stored.evidence.clone()),
            })
            .collect();
        (rules, unread, known)
    }

    /// What the members of a cluster say, each text once.
    fn bodies(&self, source: &SourceId, key: &Key) -> Vec<String> {
        let lines = self.snapshot.latest(source, key);
        let mut texts = Vec::new();
        for text in lines.iter().filter_map(|line| line.body_text()) {
            if !texts.iter().any(|known| *known == *text) {
                texts.push(text.into_owned());
            }
        }
        texts
    }

    /// Whether members of a cluster give other texts for the same rule: which one the consumer gets is not known.
    fn members_differ(&self, held: &Held) -> bool {
        held.layers
            .iter()
            .filter(|layer| layer.kind == LayerKind::Configurator)
            .filter_map(|layer| layer.evidence.as_ref())
            .any(|evidence| {
                let field = |name: &str| evidence.address.get(name).and_then(Value::as_str);
                let place = (field("namespace"), field("group"), field("data_id"));
                let (Some(namespace), Some(group), Some(data_id)) = place else {
                    return false;
                };
                let key = Key::nacos_config(namespace, group, data_id);
                self.bodies(&evidence.source, &key).len() > 1
            })
    }
}

/// What the items of a rule text would set, as far as the text can be read at all.
fn parameters(text: &str) -> Vec<(String, String)> {
    let Ok(document) = yaml::load(text, yaml::YamlVersion::V2_4) else {
        return Vec::new();
    };
    let configs = document.root().and_then(|root| root.get("configs"));
    let mut found = Vec::new();
    for item in configs.into_iter().flat_map(yaml::Node::items) {
        let Some(parameters) = item.get("parameters") else {
            continue;
        };
        for (key, value) in parameters.entries() {
            let text = |node: yaml::Node<'_>| node.as_text().or(node.written()).map(str::to_owned);
            found.extend(text(key).zip(text(value)));
        }
    }
    found
}

/// The services of a `MetadataInfo`, as URLs at the instance's address.
fn services(text: &str, instance: &Instance) -> Vec<Url> {
    let Ok(Value::Object(metadata)) = serde_json::from_str(text) else {
        return Vec::new();
    };
    let Some(services) = metadata.get("services").and_then(Value::as_object) else {
        return Vec::new();
    };
    let host = instance
        .address
        .rsplit_once(':')
        .map_or(instance.address.as_str(), |(host, _)| host);
    services
        .values()
        .filter_map(|service| {
            let field = |name: &str| service.get(name).and_then(Value::as_str);
            let key = ServiceKey::new(field("group"), field("name")?, field("version"));
            let port = service
                .get("port")
                .and_then(Value::as_u64)
                .and_then(|port| u32::try_from(port).ok())
                .or_else(|| instance.address.rsplit_once(':')?.1.parse().ok())?;
            let mut url = Url {
                protocol: Some(field("protocol").unwrap_or("dubbo").to_owned()),
                username: None,
                password: None,
                host: Some(host.to_owned()),
                port,
                path: Some(field("path").unwrap_or(&key.interface).to_owned()),
                parameters: service
                    .get("params")
                    .and_then(Value::as_object)
                    .into_iter()
                    .flatten()
                    .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
                    .collect(),
            };
            let mut put = |name: &str, value: Option<&str>| {
                if let Some(value) = value {
                    url.parameters.insert(name.to_owned(), value.to_owned());
                }
            };
            put("interface", Some(&key.interface));
            put("group", key.group.as_deref());
            put("version", key.version.as_deref());
            Some(url)
        })
        .collect()
}
