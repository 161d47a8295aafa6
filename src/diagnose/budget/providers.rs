//! The providers of the service as this consumer would call them, with the layers that decide its settings.

use serde_json::Value;

use super::consumer::Side;
use crate::{
    budget::layers::Layers,
    diagnose::used,
    model::{url::Url, version::DubboVersion},
    question::{ConsumerState, Question, RegistryAddress, World},
    rule::yaml,
    snapshot::{Key, Snapshot, SourceId},
    view::{
        application,
        directory::ServiceUrl,
        held::{Held, LayerKind},
        interface::{Case, configurators},
        stage::{Evidence, Model, StageId, State},
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
}

impl Reader<'_> {
    pub(super) fn read(&self, registry: Option<&RegistryAddress>, held: &Held) -> Offer {
        let mut question = self.question.clone();
        question.consumer.params = self.side.url.parameters.clone();
        let world = World {
            dubbo: self.version.clone(),
            state: question.consumer.state.unwrap_or(ConsumerState::Running),
        };
        let case = Case {
            question: &question,
            registry,
            held,
            world: &world,
        };
        let (model, view) = used(&case, None);
        let addresses = match model {
            Model::Interface => case.addresses(false),
            Model::Application => application::addresses(&case),
        };
        let mut providers: Vec<Provider> = addresses
            .iter()
            .flat_map(|addresses| &addresses.urls)
            .map(|merged| self.provider(merged, model, held))
            .collect();
        providers.sort_by(|a, b| a.address.cmp(&b.address));
        let (unread, seen) = Self::unread_rules(&case);
        Offer {
            providers,
            own_url: addresses.map_or_else(|| self.side.url.clone(), |addresses| addresses.own),
            model,
            model_known: view
                .stage(&StageId::Decision)
                .is_none_or(|stage| stage.state != State::Unknown),
            rules_known: seen
                && held.rules_not_seen.iter().all(|fact| !fact.required)
                && !self.members_differ(held)
                && held.configurators_listing.is_known(),
            unread,
        }
    }

    /// One address of the directory, with what its provider published. 2.x merges the consumer's parameters into that:
    /// the entry of the registry has it as it was.
    fn provider(&self, merged: &ServiceUrl, model: Model, held: &Held) -> Provider {
        let own = merged.own();
        let address = own.address().unwrap_or_default();
        let entry = held
            .entries
            .iter()
            .filter_map(|entry| Some((entry, entry.url(self.version).ok()?)))
            .filter(|(_, url)| {
                url.address().as_ref() == Some(&address) && url.protocol == own.protocol
            })
            .max_by_key(|(_, url)| url.service() == self.question.service)
            .filter(|_| model == Model::Interface);
        let (evidence, url) = if let Some((entry, url)) = entry {
            (Some(entry.evidence.clone()), url)
        } else {
            let host = |address: &str| address.rsplit_once(':').map(|(host, _)| host.to_owned());
            let mut instances = held.application.instances.iter();
            let evidence = instances
                .find(|instance| host(&instance.address) == host(&address))
                .map(|instance| instance.evidence.clone());
            (evidence, own.clone())
        };
        Provider {
            address,
            url,
            merged: merged.clone(),
            evidence,
        }
    }

    /// The texts of the config centre that this consumer does not apply, and whether nothing more had to be known for that.
    fn unread_rules(case: &Case<'_>) -> (Vec<UnreadRule>, bool) {
        let (_, applied, known) = configurators(case);
        let unread = case
            .held
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
        (unread, known)
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
