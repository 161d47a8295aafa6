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
}

const fn key(name: &'static str, kind: Kind, env: Option<&'static str>) -> Key {
    Key { name, kind, env }
}

/// All of them.
pub(super) const KEYS: [Key; 24] = [
    key("registry", Kind::List, Some("DIAG_REGISTRY")),
    key("namespace", Kind::Text, Some("DIAG_NAMESPACE")),
    key("registry-group", Kind::Text, None),
    key("username", Kind::Text, Some("DIAG_USERNAME")),
    key("password-env", Kind::Text, None),
    key("password-file", Kind::Text, None),
    key("password-command", Kind::Text, None),
    key("also-search", Kind::List, None),
    key("config-center", Kind::Text, None),
    key("sweep", Kind::Switch, None),
    key("consumer-app", Kind::Text, None),
    key("consumer-ip", Kind::Text, None),
    key("dubbo", Kind::Text, None),
    key("client", Kind::Text, None),
    key("zone", Kind::List, None),
    key("zone-key", Kind::Text, None),
    key("consumer-zone", Kind::Text, None),
    key("router", Kind::List, None),
    key("deadline", Kind::Text, None),
    key("request-timeout", Kind::Text, None),
    key("require", Kind::List, None),
    key("fail-on", Kind::Text, None),
    key("output", Kind::Text, None),
    key("lang", Kind::Text, None),
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
