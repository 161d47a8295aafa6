//! One entry against the consumer's question: does the registry's filter let it in, and if not, what is the reason?

use std::collections::BTreeSet;

use super::{
    Case,
    near::{Differs, FIELDS},
};
use crate::{
    model::{
        matching::{Mismatch, Terms, is_match, is_match_glob, mismatches},
        service_key::ServiceKey,
        url::Url,
        version::{DubboVersion, Line},
    },
    view::{
        held::{Entry, Raw},
        nacos,
    },
};

/// Why an entry is no candidate for this consumer.
pub(super) enum Fate {
    /// It matches.
    In(Url),
    /// It matches but is switched off.
    Disabled(Url),
    /// It would match in the spelling this version reads.
    OtherForm(Url, String),
    /// It differs in these fields of the key.
    Key(Url, BTreeSet<Differs>),
    /// The question has a list or wildcard that is compared literally, and the entry is what it means.
    Literal(Url),
    /// It is no provider entry for this consumer: category, unreadable.
    Other,
}

/// What becomes of an entry.
pub(super) fn fate(case: &Case<'_>, consumer: &Url, entry: &Entry) -> Fate {
    let version = case.dubbo();
    let Ok(url) = entry.url(version) else {
        return match entry.plain() {
            Some(url) if fits(consumer, &url, version, false) => {
                Fate::OtherForm(url, "unreadable".to_owned())
            }
            _ => Fate::Other,
        };
    };
    if version.line().is_3x() && is_bare(entry) {
        return Fate::In(url);
    }
    let name_read = entry.nacos.as_ref().is_none_or(|side| {
        nacos::names::is_read(&side.service, case.question, case.registry, version)
    });
    if fits(consumer, &url, version, false) {
        if !name_read && is_taken_literally(case, entry, &url) {
            return Fate::Literal(url);
        }
        if !name_read {
            let name = entry.nacos.as_ref().map(|side| side.service.clone());
            return Fate::OtherForm(url, name.unwrap_or_default());
        }
        if fits(consumer, &url, version, true) && entry.nacos.as_ref().is_none_or(|n| n.enabled) {
            return Fate::In(url);
        }
        return Fate::Disabled(url);
    }
    if is_wildcard_meant(consumer, &url) {
        return Fate::Literal(url);
    }
    if let Some(name) = by_default_keys(consumer, entry, &url) {
        return Fate::OtherForm(url, name);
    }
    // Another key is a near miss only of a Dubbo provider.
    if entry.nacos.is_some() && url.service_interface().is_none() {
        return Fate::Other;
    }
    for fields in FIELDS {
        if fits(consumer, &patched(consumer, &url, fields), version, false) {
            return Fate::Key(url, fields.iter().copied().collect());
        }
    }
    Fate::Other
}

/// Where an instance under a name that the consumer reads is no provider of the service for any client: in what its
/// metadata differs.
pub(super) fn stray(case: &Case<'_>, entry: &Entry) -> Option<String> {
    let side = entry.nacos.as_ref()?;
    let url = entry.url(case.dubbo()).ok()?;
    if !nacos::names::is_read(&side.service, case.question, case.registry, case.dubbo()) {
        return None;
    }
    let terms = Terms::from(&url);
    let asked = case.consumer();
    let differs = mismatches(&Terms::from(&asked), &terms);
    let fields = differs.into_iter().map(|differs| match differs {
        Mismatch::Interface => ("interface", terms.interface),
        Mismatch::Category => ("category", terms.category),
        Mismatch::Enabled => ("enabled", terms.enabled),
        Mismatch::Group => ("group", terms.group),
        Mismatch::Version => ("version", terms.version),
        Mismatch::Classifier => ("classifier", terms.classifier),
    });
    let text = fields
        .map(|(name, value)| format!("{name} {}", value.unwrap_or("-")))
        .collect::<Vec<_>>();
    (!text.is_empty()).then(|| text.join(", "))
}

/// 3.x: an entry without any parameter passes every filter of the client.
fn is_bare(entry: &Entry) -> bool {
    matches!(&entry.raw, Raw::Encoded(text) if !text.contains("%3F") && !text.contains('?'))
}

/// Whether the registry's filter lets a URL in. 3.x compares the merged parameters, the consumer's first: its
/// `enabled` replaces the provider's, and `classifier` never differs; interface and category are always the consumer's
/// and `providers`, whatever stands in the entry (`ServiceAddressURL`; seen with the real classes).
pub(super) fn fits(
    consumer: &Url,
    provider: &Url,
    version: &DubboVersion,
    with_enabled: bool,
) -> bool {
    let asked = Terms::from(consumer);
    let mut offered = Terms::from(provider);
    if version.line().is_3x() {
        offered.enabled = consumer.text("enabled").or(offered.enabled);
        offered.classifier = consumer.text("classifier").or(offered.classifier);
        offered.interface = asked.interface;
        offered.category = None;
    }
    if !version.at_least([2, 7]) && offered.interface == Some("*") {
        return false;
    }
    match is_match(&asked, &offered) {
        Ok(()) => true,
        Err(Mismatch::Enabled) if !with_enabled => {
            offered.enabled = None;
            is_match(&asked, &offered).is_ok()
        }
        Err(_) => false,
    }
}

/// The provider's URL with some fields as the consumer asks for them.
pub(super) fn patched(consumer: &Url, provider: &Url, fields: &[Differs]) -> Url {
    let mut url = provider.clone();
    for field in fields {
        let name = field.word();
        match consumer.parameter(name) {
            Some("*") => {}
            Some(text) => {
                // A list asks for any of its items; what is none is compared with its blanks.
                let item = text.split(',').map(str::trim).find(|item| !item.is_empty());
                let value = if *field == Differs::Group && text.contains(',') {
                    item.unwrap_or(text)
                } else {
                    text
                };
                url.parameters.insert(name.to_owned(), value.to_owned());
            }
            None => {
                url.parameters.remove(name);
            }
        }
    }
    url
}

/// Before 2.7.2 a Nacos client makes one name of a list or `*`, too, and asks for that: whether with the entry's own group
/// and version it would ask for the name under which the entry lies.
fn is_taken_literally(case: &Case<'_>, entry: &Entry, url: &Url) -> bool {
    let Some(side) = &entry.nacos else {
        return false;
    };
    if case.dubbo().at_least([2, 7, 2]) || !nacos::names::is_pattern(case.question) {
        return false;
    }
    let interface = &case.question.service.interface;
    let mut concrete = case.question.clone();
    concrete.service = ServiceKey::new(url.group(), interface, url.version());
    nacos::names::is_read(&side.service, &concrete, case.registry, case.dubbo())
}

/// The question's version is a list or pattern, its group a pattern: taken literally here, yet the entry is meant.
fn is_wildcard_meant(consumer: &Url, provider: &Url) -> bool {
    let mut changed = false;
    let mut url = provider.clone();
    for name in ["group", "version"] {
        let (Some(asked), Some(offered)) = (consumer.parameter(name), provider.parameter(name))
        else {
            continue;
        };
        let pattern = asked != "*" && asked.contains('*');
        let listed = name == "version" && asked.contains(',');
        let meant = asked.split(',').map(str::trim).any(|item| {
            item == offered || (item.contains('*') && is_match_glob(Some(item), Some(offered)))
        });
        if (pattern || listed) && meant {
            url.parameters.insert(name.to_owned(), asked.to_owned());
            changed = true;
        }
    }
    changed && is_match(&Terms::from(consumer), &Terms::from(&url)).is_ok()
}

/// Providers up to 2.6 publish provider-wide settings as `default.group`, `default.version`; some versions do not read them.
fn by_default_keys(consumer: &Url, entry: &Entry, url: &Url) -> Option<String> {
    let defaults: Vec<&str> = url
        .parameters
        .keys()
        .filter(|name| ["default.group", "default.version"].contains(&name.as_str()))
        .map(String::as_str)
        .collect();
    let newest = DubboVersion::newest(Line::V3_3);
    let read = entry.url(&newest).ok()?;
    (!defaults.is_empty() && fits(consumer, &read, &newest, false)).then(|| defaults.join(", "))
}
