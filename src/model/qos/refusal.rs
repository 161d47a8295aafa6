//! The ways in which a QOS port, or another port that was taken for one, does not give what was asked.

use serde::Serialize;

/// Why there is no answer. Each has another next step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Refusal {
    /// Only loopback peers are served (`LocalHostPermitHandler`, `ForeignHostPermitHandler`).
    ForeignIp {
        /// The answer speaks of the allow list of 3.1 and later.
        whitelist: bool,
    },
    /// The command needs a higher level than this peer has (`DefaultAnonymousAccessPermissionChecker`, 3.2 and later).
    Permission,
    /// This line or process does not have the command.
    NoSuchCommand,
    /// The command threw; its message.
    Failed(String),
    /// It is the service port of the process: its telnet answers, not QOS (`TelnetHandlerAdapter`).
    ServicePort {
        /// Telnet is there and the command is switched off (2.7.13, 3.0.11 and later).
        disabled: bool,
    },
    /// An argument that the command does not take.
    BadArgument(String),
    /// An HTTP answer that no QOS server gives.
    NotQos,
}

impl Refusal {
    /// Reads a refusal out of a cleaned answer.
    pub(super) fn read(http: Option<u16>, text: &str) -> Option<Self> {
        if let Some(at) = text.find("Foreign Ip Not Permitted") {
            return Some(Self::ForeignIp {
                whitelist: text[at..].contains("Whitelist"),
            });
        }
        match http {
            Some(403) if text.is_empty() => return Some(Self::Permission),
            Some(404) if text.is_empty() => return Some(Self::NoSuchCommand),
            Some(500) => return Some(Self::Failed(text.to_owned())),
            // 503 is the answer `false` of the probes.
            Some(200 | 503) | None => {}
            Some(_) => return Some(Self::NotQos),
        }
        let last = text.lines().last().unwrap_or_default();
        if last.ends_with(" :permission deny") {
            return Some(Self::Permission);
        }
        if last.ends_with(" :no such command") {
            return Some(Self::NoSuchCommand);
        }
        if let Some((_, why)) = text.split_once(" :fail to execute commandContext by ") {
            return Some(Self::Failed(why.to_owned()));
        }
        let first = text.lines().next().unwrap_or_default();
        if first.starts_with("Unsupported command: ") {
            return Some(Self::ServicePort { disabled: false });
        }
        if first.starts_with("Command: ") && first.contains(" disabled") {
            return Some(Self::ServicePort { disabled: true });
        }
        let single = text.lines().count() == 1;
        let bad = first.starts_with("Illegal port ")
            || first.starts_with("No such port ")
            || first.starts_with("No such service ")
            || first.starts_with("Unsupported parameter ")
            || first.starts_with("can't match service=");
        (single && bad).then(|| Self::BadArgument(first.to_owned()))
    }
}
