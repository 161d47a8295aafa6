//! The settings by name: the same word is the key of the file and the flag.

/// How a value looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// One text.
    Text,
    /// One or more texts.
    List,
    /// `true` or `false`.
    Switch,
}

/// One setting.
#[derive(Debug)]
pub(super) struct Key {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// Environment variable.
    pub(super) env: Option<&'static str>,
    /// What counts when nobody says anything.
    pub(super) default: Option<&'static str>,
    /// A value for the template.
    pub(super) sample: &'static str,
}

const fn key(
    name: &'static str,
    kind: Kind,
    env: Option<&'static str>,
    default: Option<&'static str>,
    sample: &'static str,
) -> Key {
    Key {
        name,
        kind,
        env,
        default,
        sample,
    }
}

/// All of them.
pub(super) const KEYS: [Key; 25] = [
    key(
        "registry",
        Kind::List,
        Some("DIAG_REGISTRY"),
        None,
        "zookeeper://10.0.0.2:2181",
    ),
    key(
        "namespace",
        Kind::Text,
        Some("DIAG_NAMESPACE"),
        None,
        "prod",
    ),
    key("registry-group", Kind::Text, None, None, "dubbo"),
    key(
        "username",
        Kind::Text,
        Some("DIAG_USERNAME"),
        None,
        "reader",
    ),
    key("password-env", Kind::Text, None, None, "PROD_PASSWORD"),
    key(
        "password-file",
        Kind::Text,
        None,
        None,
        "/home/me/.diag-password",
    ),
    key(
        "password-command",
        Kind::Text,
        None,
        None,
        "pass show prod/nacos",
    ),
    key(
        "also-search",
        Kind::List,
        None,
        None,
        "nacos://10.0.0.3:8848",
    ),
    key(
        "config-center",
        Kind::Text,
        None,
        None,
        "nacos://10.0.0.1:8848",
    ),
    key(
        "metadata-report",
        Kind::Text,
        None,
        None,
        "zookeeper://10.0.0.4:2181",
    ),
    key("sweep", Kind::Switch, None, Some("true"), "true"),
    key("consumer-app", Kind::Text, None, None, "order-web"),
    key("consumer-ip", Kind::Text, None, None, "10.1.0.5"),
    key("dubbo", Kind::Text, None, None, "3.2.16"),
    key("client", Kind::Text, None, None, "java"),
    key("zone", Kind::List, None, None, "a=10.1.0.0/16"),
    key("zone-key", Kind::Text, None, None, "region"),
    key("consumer-zone", Kind::Text, None, None, "a"),
    key(
        "router",
        Kind::List,
        None,
        None,
        "zone: after=tag, keep=same-zone, fallback=none",
    ),
    key("deadline", Kind::Text, None, Some("10s"), "10s"),
    key("request-timeout", Kind::Text, None, Some("3s"), "3s"),
    key("require", Kind::List, None, None, "qos"),
    key("fail-on", Kind::Text, None, Some("error"), "error"),
    key("output", Kind::Text, None, Some("text"), "text"),
    key("lang", Kind::Text, None, None, "zh"),
];

impl Key {
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        KEYS.iter().find(|key| key.name == name)
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    /// A key of the file without a flag of the same name would be a setting nobody can override.
    #[test]
    fn every_key_is_a_flag() {
        let command = crate::cli::Cli::command();
        let verb = command.find_subcommand("no-provider").unwrap();
        for key in &KEYS {
            let flag = if key.kind == Kind::Switch {
                format!("no-{}", key.name)
            } else {
                key.name.to_owned()
            };
            assert!(
                verb.get_arguments()
                    .any(|arg| arg.get_long() == Some(&flag)),
                "{flag}"
            );
        }
    }
}
