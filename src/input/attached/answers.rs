//! Answers of a QOS port that somebody took down: what `curl` gave, or what stood in a telnet window.

use serde_json::Value;

use crate::model::service_key::ServiceKey;

/// Commands whose answers are read.
const COMMANDS: [&str; 8] = [
    "ls",
    "version",
    "ready",
    "ps",
    "getAddress",
    "getConfig",
    "getRouterSnapshot",
    "getRecentRouterSnapshot",
];

/// One answer with the command that it answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QosAnswer {
    /// The command with its arguments, as recordings have it.
    pub command: String,
    /// The answer.
    pub text: String,
}

/// Whether a text is what `getAddress` gives over HTTP.
pub(super) fn is_addresses(text: &str) -> bool {
    let start: String = text.trim_start().chars().take(4096).collect();
    start.starts_with('{') && start.contains("\"MigrationStep\"") && start.contains("\"Invokers\"")
}

/// The answers in a text, in its order; none where it does not say what was asked and does not show it.
pub fn answers(text: &str) -> Vec<QosAnswer> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if is_addresses(text) {
        return addresses(text);
    }
    let mut found: Vec<QosAnswer> = Vec::new();
    for part in text.split("dubbo>") {
        let (first, rest) = part.split_once('\n').unwrap_or((part, ""));
        let typed = first.trim();
        let word = typed.split(' ').next().unwrap_or_default();
        let (command, said) = if COMMANDS.contains(&word) {
            (typed, rest)
        } else if part.contains("As Provider side:") {
            ("ls", part)
        } else {
            continue;
        };
        if !said.trim().is_empty() {
            found.push(QosAnswer {
                command: command.to_owned(),
                text: said.to_owned(),
            });
        }
    }
    found
}

/// `{"key@id": ..}`: the key says which service was asked for.
fn addresses(text: &str) -> Vec<QosAnswer> {
    let Ok(Value::Object(lists)) = serde_json::from_str(text.trim()) else {
        return Vec::new();
    };
    let keys = lists.keys().filter_map(|key| {
        let key = key.rsplit_once('@').map_or(key.as_str(), |(key, _)| key);
        ServiceKey::parse_dubbo(key).ok()
    });
    let mut commands: Vec<String> = keys.map(|key| format!("getAddress {key}")).collect();
    commands.dedup();
    let answer = |command| QosAnswer {
        command,
        text: text.trim().to_owned(),
    };
    commands.into_iter().map(answer).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_curl_and_telnet_give() {
        let table = "As Provider side:\n+-+\nAs Consumer side:\n+-+\n";
        let of = |text: &str| -> Vec<String> {
            answers(text).into_iter().map(|one| one.command).collect()
        };
        assert_eq!(of(table), ["ls"]);
        assert_eq!(
            of(&format!(
                "banner\ndubbo>ls\n{table}dubbo>version\n3.2.16\ndubbo>"
            )),
            ["ls", "version"]
        );
        assert_eq!(of(&format!("banner\ndubbo>\n{table}dubbo>")), ["ls"]);
        let json = r#"{"g/a.B:1.0@2f":{"zookeeper://h":{"MigrationStep":"APPLICATION_FIRST","Invokers":{}}}}"#;
        assert_eq!(of(json), ["getAddress g/a.B:1.0"]);
        assert!(of("dubbo>quit\nbye").is_empty());
    }

    proptest! {
        #[test]
        fn any_text_has_answers_or_none(text in "(?s)(dubbo>)?.{0,200}") {
            let _ = answers(&text);
            let _ = addresses(&text);
        }
    }
}
