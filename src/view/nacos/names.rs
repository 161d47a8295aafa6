//! Names under which services are registered and subscribed at interface level, by version.

use crate::{
    model::version::DubboVersion,
    question::{Question, RegistryAddress},
};

/// `providers:interface:version:group`, always four parts (2.7.2 on; `URL.getColonSeparatedKey`).
pub(crate) fn full_name(question: &Question) -> String {
    format!("providers:{}", question.service.rule_key())
}

/// The name of 2.6 and 2.7.1: empty parts are left out.
pub(crate) fn legacy_name(question: &Question) -> String {
    let service = &question.service;
    [
        Some(&service.interface),
        service.version.as_ref(),
        service.group.as_ref(),
    ]
    .into_iter()
    .flatten()
    .fold("providers".to_owned(), |name, part| {
        format!("{name}:{part}")
    })
}

/// The names that a consumer of this version subscribes when neither group nor version is a pattern
/// (`NacosRegistry.getServiceNames`).
pub(crate) fn subscribed(
    question: &Question,
    registry: Option<&RegistryAddress>,
    version: &DubboVersion,
) -> Vec<String> {
    let spelled = |name: String| {
        // `$` of an inner class is written `___` from 2.7.10 on (`NacosNamingServiceWrapper.handleInnerSymbol`).
        if version.at_least([2, 7, 10]) {
            name.replace('$', "___")
        } else {
            name
        }
    };
    let flag = |name: &str| {
        registry
            .and_then(|registry| registry.params.get(name))
            .map(|value| value.eq_ignore_ascii_case("true"))
    };
    let full = spelled(full_name(question));
    let legacy = spelled(legacy_name(question));
    if !version.at_least([2, 7, 2]) {
        return vec![legacy];
    }
    if !version.at_least([2, 7, 6]) {
        return vec![full];
    }
    let reads_legacy = if version.at_least([3, 2]) {
        flag("nacos.subscribe.legacy-name").unwrap_or(!version.at_least([3, 3]))
    } else {
        true
    };
    let mut names = vec![full];
    if reads_legacy && !names.contains(&legacy) {
        names.push(legacy);
    }
    names
}

/// Whether a consumer of this version reads the service of this name.
pub(crate) fn is_read(
    name: &str,
    question: &Question,
    registry: Option<&RegistryAddress>,
    version: &DubboVersion,
) -> bool {
    if is_pattern(question) {
        return matches_pattern(name, question, version);
    }
    subscribed(question, registry, version)
        .iter()
        .any(|read| read == name)
}

/// Group or version is `*`, or the group a list: the names are found by listing (`NacosServiceName.isConcrete`).
pub(crate) fn is_pattern(question: &Question) -> bool {
    let service = &question.service;
    let wild = |part: &Option<String>| {
        part.as_deref()
            .is_some_and(|text| text == "*" || text.contains(','))
    };
    wild(&service.group) || wild(&service.version)
}

/// Whether a listed name of four parts is compatible with a pattern (`NacosServiceName.isCompatible`); 2.6 to 2.7.5
/// never list.
fn matches_pattern(name: &str, question: &Question, version: &DubboVersion) -> bool {
    if !version.at_least([2, 7, 2]) {
        return false;
    }
    let Some(parts) = parts(name) else {
        return false;
    };
    let service = &question.service;
    let fits = |asked: Option<&str>, offered: &str| match asked {
        Some("*") => true,
        Some(list) if list.contains(',') => list.split(',').any(|item| item == offered),
        asked => asked.unwrap_or_default() == offered,
    };
    parts.0.replace("___", "$") == service.interface
        && fits(service.version.as_deref(), parts.1)
        && fits(service.group.as_deref(), parts.2)
}

/// Interface, version and group of a name of four parts.
pub(crate) fn parts(name: &str) -> Option<(&str, &str, &str)> {
    let mut parts = name.strip_prefix("providers:")?.splitn(3, ':');
    Some((parts.next()?, parts.next()?, parts.next()?))
}
