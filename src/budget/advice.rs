//! The advised values in four notations, ready to paste. Each says in a comment what it replaces.

use std::fmt::Write as _;

use crate::model::service_key::ServiceKey;

/// What is advised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advised {
    /// Milliseconds of one try.
    pub timeout_ms: u64,
    /// Retries, where they should change or be fixed.
    pub retries: Option<i32>,
    /// What is in force now (`300 (consumer)`), for the comments.
    pub replaces_timeout: String,
    /// Retries in force now.
    pub replaces_retries: String,
}

/// Where a value is pasted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notation {
    /// `configurator`, `annotation`, `xml`, `properties`.
    pub name: &'static str,
    /// The text.
    pub text: String,
}

/// All notations for a method of a service; without a method, for the whole reference.
pub fn notations(service: &ServiceKey, method: Option<&str>, advised: &Advised) -> Vec<Notation> {
    [
        ("configurator", configurator(service, method, advised)),
        ("annotation", annotation(service, method, advised)),
        ("xml", xml(service, method, advised)),
        ("properties", properties(service, method, advised)),
    ]
    .map(|(name, text)| Notation { name, text })
    .into()
}

/// Key of the rule in the config centre (group `dubbo`).
pub fn rule_name(service: &ServiceKey) -> String {
    format!("{}.configurators", service.rule_key())
}

/// A service rule for the consumer's side. The key inside is `group/interface:version`; outside, the name of the rule
/// is [`rule_name`].
fn configurator(service: &ServiceKey, method: Option<&str>, advised: &Advised) -> String {
    let prefix = method.map(|name| format!("{name}.")).unwrap_or_default();
    let mut text = format!(
        "# {}\nconfigVersion: v3.0\nscope: service\nkey: {}\nenabled: true\nconfigs:\n- side: consumer\n  parameters:\n",
        rule_name(service),
        quoted(&service.to_string()),
    );
    let mut line = |key: &str, value: String, replaces: &str| {
        let _ = writeln!(
            text,
            "    {}: '{value}'  # {replaces}",
            quoted(&format!("{prefix}{key}"))
        );
    };
    line(
        "timeout",
        advised.timeout_ms.to_string(),
        &advised.replaces_timeout,
    );
    if let Some(retries) = advised.retries {
        line("retries", retries.to_string(), &advised.replaces_retries);
    }
    text
}

/// A YAML scalar that is a text in every version.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let starts_plain = text.starts_with(|c: char| c.is_ascii_alphabetic());
    if starts_plain && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "''"))
    }
}

fn attributes(service: &ServiceKey) -> Vec<(&'static str, &str)> {
    [
        ("group", service.group.as_deref()),
        ("version", service.version.as_deref()),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name, value?)))
    .collect()
}

fn annotation(service: &ServiceKey, method: Option<&str>, advised: &Advised) -> String {
    let simple = service
        .interface
        .rsplit(['.', '$'])
        .next()
        .unwrap_or(&service.interface);
    let mut parts: Vec<String> = attributes(service)
        .into_iter()
        .map(|(name, value)| format!("{name} = \"{}\"", value.escape_default()))
        .collect();
    let mut own = vec![format!("timeout = {}", advised.timeout_ms)];
    own.extend(
        advised
            .retries
            .map(|retries| format!("retries = {retries}")),
    );
    match method {
        Some(name) => parts.push(format!(
            "methods = @Method(name = \"{}\", {})",
            name.escape_default(),
            own.join(", ")
        )),
        None => parts.extend(own),
    }
    format!(
        "// {}\n@DubboReference({})\nprivate {simple} reference;\n",
        replaced(advised),
        parts.join(", ")
    )
}

fn replaced(advised: &Advised) -> String {
    match advised.retries {
        Some(_) => format!("{}, {}", advised.replaces_timeout, advised.replaces_retries),
        None => advised.replaces_timeout.clone(),
    }
}

fn xml(service: &ServiceKey, method: Option<&str>, advised: &Advised) -> String {
    let mut open = format!(
        "<dubbo:reference interface=\"{}\"",
        escaped(&service.interface)
    );
    for (name, value) in attributes(service) {
        let _ = write!(open, " {name}=\"{}\"", escaped(value));
    }
    let mut own = format!(" timeout=\"{}\"", advised.timeout_ms);
    if let Some(retries) = advised.retries {
        let _ = write!(own, " retries=\"{retries}\"");
    }
    let comment = replaced(advised).replace("--", "- -");
    match method {
        Some(name) => format!(
            "<!-- {comment} -->\n{open}>\n  <dubbo:method name=\"{}\"{own}/>\n</dubbo:reference>\n",
            escaped(name)
        ),
        None => format!("<!-- {comment} -->\n{open}{own}/>\n"),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
}

/// Settings of one reference; `id` and interface both stand for it.
fn properties(service: &ServiceKey, method: Option<&str>, advised: &Advised) -> String {
    let reference = format!("dubbo.reference.{}", service.interface);
    let prefix = match method {
        Some(name) => format!("{reference}.{name}"),
        None => reference,
    };
    let mut text = format!(
        "# {}\n{prefix}.timeout={}\n",
        advised.replaces_timeout, advised.timeout_ms
    );
    if let Some(retries) = advised.retries {
        let _ = writeln!(
            text,
            "# {}\n{prefix}.retries={retries}",
            advised.replaces_retries
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::{
            url::Url,
            version::{DubboVersion, Line},
        },
        rule::{configurator::listen, override_url::Place},
    };

    fn advised() -> Advised {
        Advised {
            timeout_ms: 1000,
            retries: Some(1),
            replaces_timeout: "replaces timeout 300 (consumer-method)".to_owned(),
            replaces_retries: "replaces retries 2 (default)".to_owned(),
        }
    }

    #[test]
    fn every_notation_has_the_values_and_what_they_replace() {
        let service = ServiceKey::new(Some("g"), "com.acme.UserService", Some("1.0.0"));
        let all = notations(&service, Some("getUserById"), &advised());
        assert_eq!(all.len(), 4);
        for notation in &all {
            for word in ["1000", "replaces timeout 300", "getUserById"] {
                assert!(
                    notation.text.contains(word),
                    "{}: {}",
                    notation.name,
                    notation.text
                );
            }
        }
        assert!(
            all[2].text.contains(r#"group="g" version="1.0.0""#),
            "{}",
            all[2].text
        );
    }

    /// The rule, read and applied as each line does it, gives the advised values.
    #[test]
    fn the_configurator_yields_the_advised_value_on_every_line() {
        for (group, version) in [
            (None, None),
            (None, Some("1.0.0")),
            (Some("g"), Some("2.0")),
        ] {
            let service = ServiceKey::new(group, "com.acme.UserService", version);
            for method in [Some("getUserById"), None] {
                let text = &notations(&service, method, &advised())[0].text;
                for line in Line::MODELLED {
                    let dubbo = DubboVersion::newest(line);
                    let rules = listen(text, &dubbo).unwrap().unwrap();
                    let mut url = Url::parse(
                        "consumer://10.0.0.9/com.acme.UserService?application=web&interface=com.acme.UserService&side=consumer&timeout=300",
                        &dubbo,
                    )
                    .unwrap();
                    for (name, value) in [("group", group), ("version", version)] {
                        if let Some(value) = value {
                            url.parameters.insert(name.to_owned(), value.to_owned());
                        }
                    }
                    for rule in &rules {
                        let place = Place {
                            version: &dubbo,
                            local_host: "10.0.0.9",
                        };
                        let _ = rule.configure(&mut url, place).unwrap();
                    }
                    let prefix = method.map(|name| format!("{name}.")).unwrap_or_default();
                    assert_eq!(
                        url.parameter(&format!("{prefix}timeout")),
                        Some("1000"),
                        "{line} {text}"
                    );
                    assert_eq!(
                        url.parameter(&format!("{prefix}retries")),
                        Some("1"),
                        "{line}"
                    );
                }
            }
        }
    }
}
