//! The answers of one line or one simple table.

use serde_json::Value;

use super::{
    answer::{Answer, Peer, Serialization},
    table::rows,
};

/// `ready`, `live`, `startup`: `true`, `false`, or (`ready` of 2.7) a table by service.
pub(super) fn flag(text: &str) -> Option<Answer> {
    match text {
        "true" => return Some(Answer::Flag(true)),
        "false" => return Some(Answer::Flag(false)),
        _ => {}
    }
    let rows = rows(text.lines());
    (rows.len() > 1).then_some(())?;
    rows.into_iter()
        .skip(1)
        .map(|cells| match cells.as_slice() {
            [key, status] => Some(((*key).to_owned(), status.eq_ignore_ascii_case("true"))),
            _ => None,
        })
        .collect::<Option<_>>()
        .map(Answer::Ready)
}

/// `dubbo version "3.2.14"`
pub(super) fn version(text: &str) -> Option<Answer> {
    let rest = text.strip_prefix("dubbo version \"")?;
    Some(Answer::Version(rest.strip_suffix('"')?.to_owned()))
}

/// `ps`: ports, or with `-l` addresses, or the peers of a port.
pub(super) fn ports(text: &str) -> Option<Answer> {
    let (mut ports, mut servers, mut peers) = (Vec::new(), Vec::new(), Vec::new());
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Ok(port) = line.parse::<u16>() {
            ports.push(port);
        } else if let Some(peer) = line.strip_prefix('/') {
            let (remote, local) = peer.split_once(" -> /").unzip();
            peers.push(Peer {
                remote: remote.unwrap_or(peer).to_owned(),
                local: local.map(str::to_owned),
            });
        } else if line.contains("://") {
            servers.push(line.to_owned());
        } else {
            return None;
        }
    }
    Some(Answer::Ports {
        ports,
        servers,
        peers,
    })
}

/// Keys of services, one a line.
pub(super) fn keys(text: &str) -> Option<Answer> {
    let is_key = |line: &&str| !line.is_empty() && !line.contains(char::is_whitespace);
    text.lines()
        .all(|line| is_key(&line))
        .then(|| Answer::Watched(text.lines().map(str::to_owned).collect()))
}

/// `help`: the names of the commands.
pub(super) fn help(text: &str) -> Option<Answer> {
    let rows = rows(text.lines());
    let names: Vec<String> = rows
        .iter()
        .filter_map(|cells| cells.first())
        .filter(|name| !name.is_empty())
        .map(|name| (*name).to_owned())
        .collect();
    (!names.is_empty()).then_some(Answer::Commands(names))
}

/// `serializeCheckStatus`, of which the class lists are left out.
pub(super) fn serialization(text: &str) -> Option<Answer> {
    if text.starts_with('{') {
        let value: Value = serde_json::from_str(text).ok()?;
        return Some(Answer::Serialization(Serialization {
            status: value.get("checkStatus")?.as_str()?.to_owned(),
            only_serializable: value.get("checkSerializable").and_then(Value::as_bool),
        }));
    }
    let after = |word: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(word));
        line.map(str::trim)
    };
    Some(Answer::Serialization(Serialization {
        status: after("CheckStatus:")?.to_owned(),
        only_serializable: after("CheckSerializable:").and_then(|word| word.parse().ok()),
    }))
}

/// `loggerInfo`
pub(super) fn logger(text: &str) -> Option<Answer> {
    let (_, rest) = text.split_once("Current Adapter: [")?;
    let (adapter, rest) = rest.split_once(']')?;
    let (_, level) = rest.split_once("Log level: ")?;
    Some(Answer::Logger {
        adapter: adapter.to_owned(),
        level: level.trim().to_owned(),
    })
}

/// `metrics`, `metrics_default`: of which applications it speaks.
pub(super) fn metrics(text: &str) -> Option<Answer> {
    let mut applications = Vec::new();
    let mut series = 0_u64;
    for line in text
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
    {
        let Some((_, labels)) = line.split_once('{') else {
            continue;
        };
        series += 1;
        let name = ["application_name=\"", "application.name="]
            .iter()
            .find_map(|word| labels.split_once(word))
            .and_then(|(_, rest)| rest.split(['"', ',', '}']).next());
        if let Some(name) = name.filter(|name| !applications.iter().any(|known| known == name)) {
            applications.push(name.to_owned());
        }
    }
    applications.sort();
    (series > 0).then_some(Answer::Metrics {
        series,
        applications,
    })
}
