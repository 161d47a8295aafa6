//! A question as the command that asks it again, to be copied into a shell.

use std::collections::BTreeMap;

use super::{Client, ConsumerState, GroupOrigin, Question};
use crate::model::{secret::is_secret_name, service_key::ServiceKey};

impl Question {
    /// `diag no-provider` for a service, with everything else as it was asked, without secrets: a password comes from
    /// `DIAG_PASSWORD`. The recording is not named; whoever shows the command knows where it lies.
    pub fn again(&self, service: &ServiceKey) -> Vec<String> {
        let consumer = &self.consumer;
        let mut argv = ["diag", "no-provider"].map(str::to_owned).to_vec();
        argv.push(service.to_string());
        let mut flag = |name: &str, value: String| argv.extend([name.to_owned(), value]);
        for registry in &self.registries {
            flag("--registry", registry.without_secrets().to_string());
        }
        let attribute = self
            .registries
            .iter()
            .find_map(|registry| match &registry.group {
                Some((group, GroupOrigin::Attribute)) => Some(group.clone()),
                _ => None,
            });
        let pairs = |pairs: &BTreeMap<String, String>| -> Vec<String> {
            pairs
                .iter()
                .filter(|(key, _)| !is_secret_name(key))
                .map(|(key, value)| format!("{key}={value}"))
                .collect()
        };
        let one = |value: Option<String>| Vec::from_iter(value);
        for (name, values) in [
            ("--registry-group", one(attribute)),
            (
                "--also-search",
                self.also_search
                    .iter()
                    .map(|other| other.without_secrets().to_string())
                    .collect(),
            ),
            (
                "--config-center",
                one(self
                    .config_center
                    .as_ref()
                    .map(|center| center.without_secrets().to_string())),
            ),
            (
                "--metadata-report",
                one(self
                    .metadata_report
                    .as_ref()
                    .map(|report| report.without_secrets().to_string())),
            ),
            ("--consumer-app", one(consumer.application.clone())),
            ("--consumer-ip", one(consumer.ip.clone())),
            (
                "--consumer",
                one(consumer.state.map(|state| {
                    match state {
                        ConsumerState::Running => "running",
                        ConsumerState::Starting => "starting",
                    }
                    .to_owned()
                })),
            ),
            (
                "--dubbo",
                one(consumer.dubbo.as_ref().map(ToString::to_string)),
            ),
            (
                "--client",
                one(consumer
                    .client
                    .map(|client| if client == Client::Go { "go" } else { "java" }.to_owned())),
            ),
            ("--param", pairs(&consumer.params)),
            ("--method", one(self.invocation.method.clone())),
            ("--arg", self.invocation.arguments.clone()),
            ("--attachment", pairs(&self.invocation.attachments)),
        ] {
            for value in values {
                flag(name, value);
            }
        }
        argv
    }
}

/// An argument as a shell reads it back.
pub fn quoted(argument: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    if !argument.is_empty() && argument.chars().all(plain) {
        argument.to_owned()
    } else {
        format!("'{}'", argument.replace('\'', r"'\''"))
    }
}

/// A command line of its words.
pub fn line(argv: &[String]) -> String {
    let words: Vec<String> = argv.iter().map(|argument| quoted(argument)).collect();
    words.join(" ")
}
