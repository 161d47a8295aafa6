//! The tag router: which addresses a tagged or untagged call may use.
//!
//! Mirrors `TagRouter` (2.7) and `TagStateRouter` (3.x).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::ask::{Ask, Subject};
use super::call::Call;
use super::chain::Making;
use super::dialect::Dialect;
use super::outcome::Outcome;
use super::provider::is_loopback;
use super::rules::RuleReader;
use super::set::AddressSet;
use super::tag_rule::{PreparedRule, TagsInForce};
use super::trace::{Effect, Fragment, Last, Oddity, Part, Removal, RuleRef, RuleState, note};
use super::{AddressList, Prepared, Router, RuleEvent, Thrown};
use crate::model::url::is_true;
use crate::model::version::DubboVersion;
use crate::rule::error::RuleError;
use crate::rule::java_regex::RegexError;
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
    readings: Vec<(String, RuleState)>,
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
            readings: Vec::new(),
        }
    }

    /// Reads a document for the current addresses.
    fn read(&self, key: &str, content: &str) -> Result<Arc<TagsInForce>, RuleError> {
        let rule = tag::parse(content, &self.version)?;
        self.in_force(key, rule).map(Arc::new)
    }

    /// Reads the rule in force for other addresses (3.2 and later). Unlike a new document, one that fails now throws.
    fn read_again(&mut self) -> Result<(), Thrown> {
        if let Some(current) = self.rule.as_ref().filter(|_| self.dialect.tag_match) {
            let again = self.in_force(&current.key, Arc::clone(&current.rule));
            let again = again.map_err(|error| Thrown::new(error.class, error.message))?;
            self.rule = Some(Arc::new(again));
        }
        Ok(())
    }

    /// `TagRouterRule.init`.
    fn in_force(&self, key: &str, rule: Arc<TagRule>) -> Result<TagsInForce, RuleError> {
        let mut not_runnable = None;
        let by_name = self.addresses(&rule, &mut not_runnable)?;
        Ok(TagsInForce {
            key: key.to_owned(),
            rule,
            not_runnable,
            by_name,
        })
    }

    fn addresses(
        &self,
        rule: &TagRule,
        not_runnable: &mut Option<String>,
    ) -> Result<BTreeMap<Option<String>, Vec<String>>, RuleError> {
        let mut by_name = BTreeMap::new();
        if !rule.header.valid {
            return Ok(by_name);
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
                let Some(conditions) = tag.matches.as_ref() else {
                    return Err(RuleError {
                        class: "java.lang.NullPointerException",
                        message: "a tag has neither `addresses` nor `match`".to_owned(),
                        at: Some(tag.at),
                    });
                };
                let mut addresses = Vec::new();
                for provider in providers {
                    let mut fits = true;
                    for condition in conditions {
                        let key = condition.key.as_deref();
                        let value = key.and_then(|key| provider.original_parameter(key));
                        let asked = value.is_some() || !self.dialect.tag_match_needs_value;
                        fits = match &condition.value {
                            Some(wanted) if asked => match wanted.is_match(value) {
                                Ok(fits) => fits,
                                Err(RegexError::Unsupported(text)) => {
                                    *not_runnable = Some(text);
                                    false
                                }
                                Err(error @ RegexError::Syntax(_)) => {
                                    return Err(RuleError {
                                        class: "java.util.regex.PatternSyntaxException",
                                        message: error.to_string(),
                                        at: Some(condition.at),
                                    });
                                }
                            },
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
        Ok(by_name)
    }
}

impl Router for TagRouter {
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed(if self.version.line().is_3x() {
            "TagStateRouter"
        } else {
            "TagRouter"
        })
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
            return self.read_again();
        }
        if let Some(old) = &self.application {
            rules.forget(&format!("{old}{ENDING}"));
        }
        let key = format!("{application}{ENDING}");
        self.application = Some(application.to_owned());
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
        // A reference has two chains that share this router, so it is told twice (3.2 and later): a rule of an earlier
        // application that stays is read for these addresses by then.
        self.read_again()
    }

    fn process(&mut self, event: RuleEvent<'_>, _: &dyn RuleReader) -> Result<(), Thrown> {
        let state = match event.content.map(|content| self.read(event.key, content)) {
            None => {
                self.rule = None;
                RuleState::Absent
            }
            Some(Err(error)) => RuleState::Refused(error),
            Some(Ok(rule)) => {
                let state = match &rule.rule.header {
                    // Nothing to apply: the router goes by the tags of the URLs.
                    header if !header.valid => RuleState::Empty,
                    header if !header.enabled => RuleState::Off,
                    _ => RuleState::InForce,
                };
                self.rule = Some(rule);
                state
            }
        };
        note(&mut self.readings, event.key, state);
        Ok(())
    }

    fn readings(&self) -> Vec<(String, RuleState)> {
        self.readings.clone()
    }

    fn asks(&self) -> Vec<Ask> {
        let in_force = self
            .rule
            .iter()
            .filter(|it| it.rule.header.valid && it.rule.header.enabled);
        in_force
            .map(|rule| Ask {
                subject: Subject::Tag,
                values: rule
                    .rule
                    .tags
                    .iter()
                    .filter_map(|tag| tag.name.clone())
                    .filter(|name| !name.is_empty())
                    .collect(),
            })
            .collect()
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
            rule: in_force.map(|rule| PreparedRule::new(rule, !self.dialect.tag_match)),
            dialect: self.dialect,
            force_by_url: self.force_by_url,
            tag_by_url: list.consumer.parameter(TAG).map(str::to_owned),
            first_decides: in_force.is_some() && list.applications_differ(),
            removed: Last::default(),
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
    /// A rule is in force, and there are addresses of applications whose rule nobody asks for.
    first_decides: bool,
    /// The addresses that were taken away, and whether one of them is a loopback address.
    removed: Last<Asked, (Arc<[Removal]>, bool)>,
}

/// The tag asked for, what it came to, the input and the output.
type Asked = (Option<String>, Effect, AddressSet, AddressSet);

/// What is left, and how it was found.
type Answer = (AddressSet, Effect);

impl PreparedTags {
    fn not_runnable(&self) -> Option<&str> {
        self.rule.as_ref()?.source.not_runnable.as_deref()
    }

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
    fn by_static_tag(&self, call: &Call, input: &AddressSet, tag: Option<&str>) -> Answer {
        let untagged = || input.and(&self.untagged);
        let Some(tag) = tag else {
            return (untagged(), Effect::Untagged);
        };
        let result = self.tagged(input, tag);
        if result.is_empty() && !self.force(call) {
            (untagged(), Effect::TagFallback)
        } else {
            (result, Effect::TagByUrl)
        }
    }

    fn by_rule(
        &self,
        rule: &PreparedRule,
        list: &AddressList,
        call: &Call,
        input: &AddressSet,
        tag: Option<&str>,
    ) -> Answer {
        let Some(tag) = tag else {
            let result = input.without(rule.any(list));
            if result.is_empty() {
                return (result, Effect::Untagged);
            }
            if self.dialect.tag_match {
                return (result.and(&self.untagged), Effect::Untagged);
            }
            // Up to 3.1 a static tag that the rule does not name is no obstacle.
            let named =
                |place: usize| self.tags[place].is_some_and(|tag| rule.names(&self.names[tag]));
            let result =
                AddressSet::filter(list.len(), |place| result.contains(place) && !named(place));
            return (result, Effect::Untagged);
        };
        let (result, effect) = match rule.of_tag(list, tag, self.dialect, self.force(call)) {
            Some(addresses) => {
                let result = input.and(&addresses);
                if !result.is_empty() || rule.source.rule.header.force {
                    return (result, Effect::TagByRule);
                }
                (result, Effect::TagByRule)
            }
            None => (self.tagged(input, tag), Effect::TagByUrl),
        };
        if !result.is_empty() || self.force(call) {
            return (result, effect);
        }
        (
            input.without(rule.any(list)).and(&self.untagged),
            Effect::TagFallback,
        )
    }

    /// The tag that a call asks for.
    fn asked<'c>(&'c self, call: &'c Call) -> Option<&'c str> {
        call.attachment(TAG)
            .filter(|tag| !tag.is_empty())
            .or(self.tag_by_url.as_deref())
            .filter(|tag| !tag.is_empty())
    }

    fn answer(&self, list: &AddressList, call: &Call, input: &AddressSet) -> Answer {
        match &self.rule {
            None => self.by_static_tag(call, input, self.asked(call)),
            Some(rule) => self.by_rule(rule, list, call, input, self.asked(call)),
        }
    }

    /// Why an address is not among those that a call may use: the tag of the rule that has it, or its own.
    fn removal(
        &self,
        list: &AddressList,
        address: usize,
        effect: &Effect,
        wanted: Option<&Arc<Fragment>>,
    ) -> Removal {
        let own = self.tags[address].map(|at| self.names[at].clone());
        let host = || list.providers[address].url().address();
        if matches!(effect, Effect::TagByRule | Effect::TagByUrl) {
            let by_rule = *effect == Effect::TagByRule;
            return Removal {
                address,
                by: wanted.cloned(),
                value: if by_rule { host() } else { own },
            };
        }
        let of_rule = self
            .rule
            .as_ref()
            .and_then(|rule| rule.naming(list, address));
        let value = if of_rule.is_some() { host() } else { own };
        Removal {
            address,
            by: of_rule,
            value,
        }
    }
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
        if self.not_runnable().is_some() {
            return Ok(Outcome::Within(input.clone()));
        }
        Ok(Outcome::Only(self.answer(list, call, input).0))
    }

    /// What a tag gives is part of what it gives for more addresses; only falling back may add the untagged ones.
    fn bound(&self, list: &AddressList, call: &Call, input: AddressSet) -> AddressSet {
        if input.is_empty() || self.not_runnable().is_some() {
            return input;
        }
        let (output, effect) = self.answer(list, call, &input);
        let forced = self.force(call)
            || effect == Effect::TagByRule
                && self
                    .rule
                    .as_ref()
                    .is_some_and(|rule| rule.source.rule.header.force);
        if matches!(effect, Effect::TagByRule | Effect::TagByUrl) && !forced {
            return output.or(&input.and(&self.untagged));
        }
        output
    }

    fn explain(&self, list: &AddressList, call: &Call, input: &AddressSet) -> Vec<Part> {
        if input.is_empty() {
            return Vec::new();
        }
        let asked = self.asked(call);
        let wanted = asked.map(|tag| {
            let of_rule = self.rule.as_ref().and_then(|rule| rule.fragment(tag));
            Arc::new(of_rule.unwrap_or_else(|| Fragment {
                text: tag.to_owned(),
                position: None,
            }))
        });
        let rule = self.rule.as_ref().map(|rule| RuleRef {
            key: rule.source.key.as_str().into(),
            position: wanted.as_ref().and_then(|wanted| wanted.position),
            force: rule.source.rule.header.force,
        });
        let text = asked.unwrap_or_default();
        if let Some(expression) = self.not_runnable() {
            let effect = Effect::NotRunnable(expression.to_owned());
            return vec![Part::bounded(rule, text, effect, input)];
        }
        let (output, effect) = self.answer(list, call, input);
        let about = (
            asked.map(str::to_owned),
            effect.clone(),
            input.clone(),
            output.clone(),
        );
        let (removed, loopback) = self.removed.or_make(about, || {
            let removed = input.without(&output);
            let loopback = removed.iter().any(|address| is_loopback(list, address));
            let removed = removed
                .iter()
                .map(|address| self.removal(list, address, &effect, wanted.as_ref()));
            (removed.collect(), loopback)
        });
        if removed.is_empty() && asked.is_none() {
            return Vec::new();
        }
        let mut oddities = Vec::new();
        if loopback && effect == Effect::TagByRule {
            oddities.push(Oddity::LoopbackHasNoPattern);
        }
        if self.first_decides {
            oddities.push(Oddity::FirstAddressDecides);
        }
        if self.force_by_url && !self.dialect.force_tag_from_url {
            oddities.push(Oddity::ForceTagOfUrlIgnored);
        }
        vec![Part {
            rule,
            text: text.into(),
            effect,
            output: Outcome::Only(output),
            removed,
            oddities,
        }]
    }
}
