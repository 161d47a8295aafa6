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
    // As it is written: who lists does not turn `___` back into the `$` of an inner class, and finds none.
    parts.0 == service.interface
        && fits(service.version.as_deref(), parts.1)
        && fits(service.group.as_deref(), parts.2)
}

/// Interface, version and group of a name of four parts.
pub(crate) fn parts(name: &str) -> Option<(&str, &str, &str)> {
    let mut parts = name.strip_prefix("providers:")?.splitn(3, ':');
    Some((parts.next()?, parts.next()?, parts.next()?))
}

/// Whether a name is one of this interface, in whatever form.
pub(crate) fn is_of_interface(name: &str, interface: &str) -> bool {
    name.strip_prefix("providers:").is_some_and(|rest| {
        rest.split(':').next().map(|part| part.replace("___", "$"))
            == Some(interface.replace("___", "$"))
    })
}

/// The name of four parts in both spellings of an inner class.
pub(crate) fn full_names(question: &Question) -> Vec<String> {
    spellings(full_name(question))
}

/// Every name under which some version registers or reads the service; none when the question is a pattern.
pub(crate) fn all_forms(question: &Question) -> Vec<String> {
    if is_pattern(question) {
        return Vec::new();
    }
    let mut names = spellings(full_name(question));
    for name in spellings(legacy_name(question)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn spellings(name: String) -> Vec<String> {
    let other = name.replace('$', "___");
    if other == name {
        vec![name]
    } else {
        vec![name, other]
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::model::service_key::ServiceKey;

    fn question(group: Option<&str>, version: Option<&str>) -> Question {
        of("a.B$C", group, version)
    }

    fn of(interface: &str, group: Option<&str>, version: Option<&str>) -> Question {
        Question::new(
            ServiceKey::new(group, interface, version),
            Timestamp::UNIX_EPOCH,
        )
    }

    #[test]
    fn names_by_version() {
        let bare = question(None, None);
        for (version, names) in [
            ("2.6.12", &["providers:a.B$C"][..]),
            ("2.7.1", &["providers:a.B$C"]),
            ("2.7.3", &["providers:a.B$C::"]),
            ("2.7.6", &["providers:a.B$C::", "providers:a.B$C"]),
            ("2.7.10", &["providers:a.B___C::", "providers:a.B___C"]),
            ("3.2.16", &["providers:a.B___C::", "providers:a.B___C"]),
            ("3.3.6", &["providers:a.B___C::"]),
        ] {
            let version = DubboVersion::parse(version).unwrap();
            assert_eq!(subscribed(&bare, None, &version), names, "{version}");
        }
        let full = question(Some("g"), Some("1"));
        let newest = DubboVersion::parse("3.2").unwrap();
        assert_eq!(subscribed(&full, None, &newest), ["providers:a.B___C:1:g"]);
    }

    #[test]
    fn patterns_are_found_in_lists() {
        let version = DubboVersion::parse("3.2").unwrap();
        let any = of("a.B", Some("*"), Some("1"));
        assert!(is_read("providers:a.B:1:g", &any, None, &version));
        assert!(!is_read("providers:a.B:2:g", &any, None, &version));
        assert!(!is_read("providers:a.B:1", &any, None, &version));
        let list = of("a.B", Some("x,g"), None);
        assert!(is_read("providers:a.B::g", &list, None, &version));
        // `NacosServiceName.isCompatible` compares the `$` of an inner class with the `___` of the list.
        let inner = question(Some("*"), Some("1"));
        assert!(!is_read("providers:a.B___C:1:g", &inner, None, &version));
        let old = DubboVersion::parse("2.7.8").unwrap();
        assert!(is_read("providers:a.B$C:1:g", &inner, None, &old));
    }
}
