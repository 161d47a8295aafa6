//! The tag router: which addresses a tagged or untagged call may use.
//!
//! Mirrors `TagRouter` (2.7) and `TagStateRouter` (3.x).

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

use super::call::Call;
use super::chain::Making;
use super::dialect::Dialect;
use super::outcome::Outcome;
use super::rules::RuleReader;
use super::set::AddressSet;
use super::{AddressList, Prepared, Router, RuleEvent, Thrown};
use crate::model::url::is_true;
use crate::model::version::DubboVersion;
use crate::rule::ip_expression::{Host, IpExpression};
use crate::rule::tag::{self, Tag, TagRule};

const TAG: &str = "dubbo.tag";
const FORCE_TAG: &str = "dubbo.force.tag";
const ENDING: &str = ".tag-router";

pub(super) struct TagRouter {
    version: DubboVersion,
    dialect: Dialect,
    /// `dubbo.force.tag` of the URL the router was made with.
    force_by_url: bool,
    application: Option<String>,
    list: Option<Arc<AddressList>>,
    rule: Option<Arc<TagsInForce>>,
}

/// A rule with the addresses that its tags stand for.
#[derive(Debug)]
struct TagsInForce {
    rule: TagRule,
    /// Addresses by tag, only of tags that have some. A tag without a name is never asked for.
    by_name: BTreeMap<Option<String>, Vec<String>>,
}

impl TagRouter {
    pub(super) fn new(making: &Making<'_>) -> Self {
        Self {
            version: making.version.clone(),
            dialect: making.dialect,
            force_by_url: making.url.text(FORCE_TAG).is_some_and(is_true),
            application: None,
            list: None,
            rule: None,
        }
    }

    /// Reads a document for the current addresses; `None` when it is refused.
    fn read(&self, content: &str) -> Option<Arc<TagsInForce>> {
        let rule = tag::parse(content, &self.version).ok()?;
        let by_name = self.addresses(&rule)?;
        Some(Arc::new(TagsInForce { rule, by_name }))
    }

    /// `TagRouterRule.init`.
    fn addresses(&self, rule: &TagRule) -> Option<BTreeMap<Option<String>, Vec<String>>> {
        let mut by_name = BTreeMap::new();
        if !rule.header.valid {
            return Some(by_name);
        }
        let has_addresses =
            |tag: &&Tag| tag.addresses.as_ref().is_some_and(|list| !list.is_empty());
        for tag in rule.tags.iter().filter(has_addresses) {
            by_name.insert(tag.name.clone(), tag.addresses.clone().unwrap_or_default());
        }
        let version = rule.header.config_version.as_deref().unwrap_or_default();
        let providers = self.list.as_ref().map_or(&[][..], |list| &list.providers);
        if self.dialect.tag_match && version.starts_with("v3.0") && !providers.is_empty() {
            for tag in rule.tags.iter().filter(|tag| !has_addresses(tag)) {
                // Neither addresses nor match: a NullPointerException refuses the document.
                let conditions = tag.matches.as_ref()?;
                let mut addresses = Vec::new();
                for provider in providers {
                    let mut fits = true;
                    for condition in conditions {
                        let key = condition.key.as_deref();
                        let value = key.and_then(|key| provider.original_parameter(key));
                        let asked = value.is_some() || !self.dialect.tag_match_needs_value;
                        fits = match &condition.value {
                            Some(wanted) if asked => wanted.is_match(value).ok()?,
                            _ => false,
                        };
                        if !fits {
                            break;
                        }
                    }
                    if fits {
                        addresses.extend(provider.url().address());
                    }
                }
                if !addresses.is_empty() {
                    by_name.insert(tag.name.clone(), addresses);
                }
            }
        }
        Some(by_name)
    }
}

impl Router for TagRouter {
    fn name(&self) -> &'static str {
        if self.version.line().is_3x() {
            "TagStateRouter"
        } else {
            "TagRouter"
        }
    }

    fn notify(
        &mut self,
        list: &Arc<AddressList>,
        rules: &mut dyn RuleReader,
    ) -> Result<(), Thrown> {
        self.list = Some(Arc::clone(list));
        // Only the first address decides whose rule is read.
        let Some(first) = list.providers.first() else {
            return Ok(());
        };
        let Some(application) = first.remote_application().filter(|name| !name.is_empty()) else {
            return Ok(());
        };
        if self.application.as_deref() == Some(application) {
            if self.dialect.tag_match
                && let Some(current) = &self.rule
                && let Some(by_name) = self.addresses(&current.rule)
            {
                self.rule = Some(Arc::new(TagsInForce {
                    rule: current.rule.clone(),
                    by_name,
                }));
            }
            return Ok(());
        }
        if let Some(old) = &self.application {
            rules.forget(&format!("{old}{ENDING}"));
        }
        let key = format!("{application}{ENDING}");
        self.application = Some(application.to_owned());
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
        match event.content {
            None => self.rule = None,
            Some(content) => {
                if let Some(rule) = self.read(content) {
                    self.rule = Some(rule);
                }
            }
        }
        Ok(())
    }

    fn prepare(&self, list: &AddressList) -> Box<dyn Prepared> {
        let in_force = self
            .rule
            .as_ref()
            .filter(|it| it.rule.header.valid && it.rule.header.enabled);
        let mut names: Vec<String> = Vec::new();
        let mut by_text: BTreeMap<&str, usize> = BTreeMap::new();
        let tags = list
            .providers
            .iter()
            .map(|provider| {
                let tag = provider.parameter(TAG).filter(|tag| !tag.is_empty())?;
                Some(*by_text.entry(tag).or_insert_with(|| {
                    names.push(tag.to_owned());
                    names.len() - 1
                }))
            })
            .collect::<Vec<_>>();
        Box::new(PreparedTags {
            untagged: AddressSet::filter(list.len(), |place| tags[place].is_none()),
            tags,
            names,
            rule: in_force.map(|rule| PreparedRule {
                source: Arc::clone(rule),
                by_name: RefCell::new(BTreeMap::new()),
                every_tag_counts: !self.dialect.tag_match,
                any: OnceCell::new(),
            }),
            dialect: self.dialect,
            force_by_url: self.force_by_url,
            tag_by_url: list.consumer.parameter(TAG).map(str::to_owned),
        })
    }
}

/// The tags of a list, prepared.
struct PreparedTags {
    /// The static tag of every address, as a place in `names`; `None` when it has none.
    tags: Vec<Option<usize>>,
    names: Vec<String>,
    untagged: AddressSet,
    rule: Option<PreparedRule>,
    dialect: Dialect,
    force_by_url: bool,
    tag_by_url: Option<String>,
}

/// The dynamic addresses of a rule, worked out when they are first asked for.
struct PreparedRule {
    source: Arc<TagsInForce>,
    by_name: RefCell<BTreeMap<String, AddressSet>>,
    /// Up to 3.1: also the addresses of a tag whose name comes again.
    every_tag_counts: bool,
    any: OnceCell<AddressSet>,
}

impl PreparedTags {
    fn force(&self, call: &Call) -> bool {
        match call.attachment(FORCE_TAG) {
            Some(text) if !text.is_empty() => is_true(text),
            // An empty text gives the default on every line, a missing one only later.
            Some(_) => self.force_by_url,
            None => self.dialect.force_tag_from_url && self.force_by_url,
        }
    }

    /// Those of `input` whose static tag is exactly this.
    fn tagged(&self, input: &AddressSet, tag: &str) -> AddressSet {
        let wanted = self.names.iter().position(|name| name == tag);
        match wanted {
            None => AddressSet::none(self.tags.len()),
            Some(_) => AddressSet::filter(self.tags.len(), |place| {
                self.tags[place] == wanted && input.contains(place)
            }),
        }
    }

    /// Without a rule in force.
    fn by_static_tag(&self, call: &Call, input: &AddressSet, tag: Option<&str>) -> AddressSet {
        let untagged = || input.and(&self.untagged);
        let Some(tag) = tag else { return untagged() };
        let result = self.tagged(input, tag);
        if result.is_empty() && !self.force(call) {
            untagged()
        } else {
            result
        }
    }

    fn by_rule(
        &self,
        rule: &PreparedRule,
        list: &AddressList,
        call: &Call,
        input: &AddressSet,
        tag: Option<&str>,
    ) -> AddressSet {
        let Some(tag) = tag else {
            let result = input.without(rule.any(list));
            if result.is_empty() {
                return result;
            }
            if self.dialect.tag_match {
                return result.and(&self.untagged);
            }
            // Up to 3.1 a static tag that the rule does not name is no obstacle.
            let named =
                |place: usize| self.tags[place].is_some_and(|tag| rule.names(&self.names[tag]));
            return AddressSet::filter(list.len(), |place| result.contains(place) && !named(place));
        };
        let result = match rule.of_tag(list, tag, self.dialect, self.force(call)) {
            Some(addresses) => {
                let result = input.and(&addresses);
                if !result.is_empty() || rule.source.rule.header.force {
                    return result;
                }
                result
            }
            None => self.tagged(input, tag),
        };
        if !result.is_empty() || self.force(call) {
            return result;
        }
        input.without(rule.any(list)).and(&self.untagged)
    }
}

impl PreparedRule {
    fn names(&self, tag: &str) -> bool {
        self.source
            .rule
            .tags
            .iter()
            .any(|it| it.name.as_deref() == Some(tag))
    }

    /// Every address that some tag of the rule names.
    fn any(&self, list: &AddressList) -> &AddressSet {
        self.any.get_or_init(|| {
            let mut texts: Vec<&String> = if self.every_tag_counts {
                self.source
                    .rule
                    .tags
                    .iter()
                    .filter_map(|tag| tag.addresses.as_ref())
                    .flatten()
                    .collect()
            } else {
                self.source.by_name.values().flatten().collect()
            };
            texts.sort_unstable();
            texts.dedup();
            fitting(list, &texts)
        })
    }

    /// The addresses of a tag; `None` when the rule has none for it.
    fn of_tag(
        &self,
        list: &AddressList,
        tag: &str,
        dialect: Dialect,
        force: bool,
    ) -> Option<AddressSet> {
        if force || !dialect.tag_levels || !tag.contains('|') {
            return self.of_name(list, tag);
        }
        let mut level = tag;
        loop {
            if let Some(addresses) = self.of_name(list, level) {
                return Some(addresses);
            }
            level = level.rsplit_once('|')?.0;
        }
    }

    fn of_name(&self, list: &AddressList, tag: &str) -> Option<AddressSet> {
        let texts = self.source.by_name.get(&Some(tag.to_owned()))?;
        if let Some(known) = self.by_name.borrow().get(tag) {
            return Some(known.clone());
        }
        let set = fitting(list, &texts.iter().collect::<Vec<_>>());
        self.by_name
            .borrow_mut()
            .insert(tag.to_owned(), set.clone());
        Some(set)
    }
}

/// `checkAddressMatch` for a whole list: an expression that fails on an address is logged and passed over.
fn fitting(list: &AddressList, texts: &[&String]) -> AddressSet {
    let expressions: Vec<(IpExpression, Option<&str>)> = texts
        .iter()
        .map(|text| (IpExpression::new(text), text.strip_prefix("0.0.0.0:")))
        .collect();
    list.filter(|provider| {
        let url = provider.url();
        let host = Host::new(url.host.as_deref().unwrap_or_default());
        let port = url.port.to_string();
        expressions.iter().any(
            |(expression, any_host)| match expression.matches(&host, url.port) {
                Ok(fits) => fits || *any_host == Some(port.as_str()),
                Err(_) => false,
            },
        )
    })
}

impl Prepared for PreparedTags {
    fn route(
        &self,
        list: &AddressList,
        call: &Call,
        input: &AddressSet,
    ) -> Result<Outcome, Thrown> {
        if input.is_empty() {
            return Ok(Outcome::Only(input.clone()));
        }
        let asked = call
            .attachment(TAG)
            .filter(|tag| !tag.is_empty())
            .or(self.tag_by_url.as_deref());
        let tag = asked.filter(|tag| !tag.is_empty());
        Ok(Outcome::Only(match &self.rule {
            None => self.by_static_tag(call, input, tag),
            Some(rule) => self.by_rule(rule, list, call, input, tag),
        }))
    }
}
