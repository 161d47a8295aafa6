//! Live names for the shells: what a half-typed line may go on with. Silent, read-only, over after 300 ms whatever happens.
//!
//! Asked as `diag __names WORD.. CURRENT`, with the words behind `diag` as they were typed. Not a verb: no person types it.

use std::{collections::BTreeSet, ffi::OsString, sync::mpsc, time::Duration};

use clap::CommandFactory as _;
use jiff::Timestamp;

use super::{Surroundings, live, recorded, stream};
use crate::{
    cli::{Cli, Common},
    diagnose::code::Code,
    exit::Exit,
    model::{
        service_key::ServiceKey,
        url::{decode, encode},
    },
    progress::Spinner,
    question::{Question, RegistryAddress, RegistryKind},
    report::words::dubbo,
    settings::{Layers, Settings},
    snapshot::{Key, Line, Snapshot, SourceId, Want},
};

/// The word that asks for names.
pub(super) const WORD: &str = "__names";
/// Nobody waits longer behind the TAB key.
const DEADLINE: Duration = Duration::from_millis(300);
/// What is left of it for the network.
const NETWORK: Duration = Duration::from_millis(250);
/// A longer list helps nobody.
const MOST: usize = 500;
/// Services whose providers are asked for their groups when the line names none.
const MOST_SERVICES: usize = 20;

/// What can stand at this place of the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Services,
    Groups,
    Profiles,
    Codes,
    /// Codes of findings and of Dubbo.
    Explained,
    DataIds,
}

/// Prints the names, one a line; nothing on any error.
pub(super) fn run(words: &[OsString], around: &Surroundings) -> Exit {
    let words: Vec<String> = words
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let (send, receive) = mpsc::channel();
    let around = around.clone();
    // Left alone when it is late: the process ends without it.
    std::thread::spawn(move || send.send(names(&words, &around)));
    if let Ok(names) = receive.recv_timeout(DEADLINE) {
        let mut text = String::new();
        for name in names.into_iter().take(MOST) {
            text.push_str(&crate::report::safe(&name));
            text.push('\n');
        }
        let _ = stream::report(&text, Exit::Fine);
    }
    Exit::Fine
}

/// The names that begin with the current word.
fn names(words: &[String], around: &Surroundings) -> BTreeSet<String> {
    let Some((current, before)) = words.split_last() else {
        return BTreeSet::new();
    };
    let Some((kind, head, typed)) = asked(before, current) else {
        return BTreeSet::new();
    };
    let all = match kind {
        Kind::Codes => codes(),
        Kind::Explained => codes()
            .into_iter()
            .chain(dubbo::codes().map(str::to_owned))
            .collect(),
        Kind::Profiles => profiles(before, around),
        Kind::Services | Kind::Groups | Kind::DataIds => {
            let found = found(before, around, kind);
            match kind {
                Kind::Groups => found.groups,
                Kind::DataIds => found.data_ids,
                // The group is typed in front of the interface, so it stands in front of every name.
                _ => match typed.rsplit_once('/') {
                    Some((group, _)) => found
                        .services
                        .iter()
                        .map(|name| format!("{group}/{name}"))
                        .collect(),
                    None => found.services,
                },
            }
        }
    };
    all.into_iter()
        .filter(|name| name.starts_with(typed))
        .map(|name| format!("{head}{name}"))
        .collect()
}

/// What the current word is: its kind, what of it stays (`--profile=`), and what is compared.
fn asked<'a>(before: &[String], current: &'a str) -> Option<(Kind, &'a str, &'a str)> {
    let of_flag = |flag: &str| match flag {
        "--profile" | "--context" => Some(Kind::Profiles),
        "--skip" | "--only" => Some(Kind::Codes),
        "--group" => Some(Kind::Groups),
        "--key" => Some(Kind::DataIds),
        _ => None,
    };
    if let Some((flag, value)) = current
        .split_once('=')
        .filter(|_| current.starts_with("--"))
    {
        return Some((of_flag(flag)?, &current[..=flag.len()], value));
    }
    let verb = before.iter().find(|word| !word.starts_with('-'))?;
    if let Some(flag) = before.last().filter(|word| word.starts_with('-')) {
        if let Some(kind) = of_flag(flag) {
            return Some((kind, "", current));
        }
        if takes_value(verb, flag) {
            return None;
        }
    }
    if current.starts_with('-') {
        return None;
    }
    let kind = match verb.as_str() {
        "no-provider" | "route-replay" | "timeout-budget" | "snapshot" => Kind::Services,
        "explain" => Kind::Explained,
        _ => return None,
    };
    Some((kind, "", current))
}

/// Whether what follows this flag belongs to it.
fn takes_value(verb: &str, flag: &str) -> bool {
    if flag.contains('=') {
        return false;
    }
    let command = Cli::command();
    let Some(verb) = command.find_subcommand(verb) else {
        return false;
    };
    verb.get_arguments().any(|argument| {
        let long = argument
            .get_long()
            .is_some_and(|long| flag == format!("--{long}"));
        let short = argument
            .get_short()
            .is_some_and(|short| flag == format!("-{short}"));
        (long || short) && argument.get_action().takes_values()
    })
}

fn codes() -> BTreeSet<String> {
    Code::ALL.iter().map(ToString::to_string).collect()
}

/// The flags that say where to look, from a line that may not be one yet.
fn common(words: &[String]) -> Common {
    let mut common = Common::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let (flag, glued) = match word.split_once('=').filter(|_| word.starts_with("--")) {
            Some((flag, value)) => (flag, Some(value.to_owned())),
            None => (word.as_str(), None),
        };
        let known = [
            "--registry",
            "--namespace",
            "-n",
            "--registry-group",
            "--username",
            "--password-env",
            "--password-file",
            "--password-command",
            "--snapshot",
            "--config",
            "--profile",
            "--context",
        ];
        if !known.contains(&flag) {
            continue;
        }
        let Some(value) = glued.or_else(|| words.next().cloned()) else {
            break;
        };
        let value = value.trim_matches(['\'', '"']).to_owned();
        let registry = &mut common.registry;
        match flag {
            "--registry" => registry.registry.push(value),
            "--namespace" | "-n" => registry.namespace = Some(value),
            "--registry-group" => registry.registry_group = Some(value),
            "--username" => registry.username = Some(value),
            "--password-env" => registry.password_env = Some(value),
            "--password-file" => registry.password_file = Some(value.into()),
            "--password-command" => registry.password_command = Some(value),
            "--snapshot" => common.sight.snapshot = Some(value.into()),
            "--config" => common.output.config = Some(value.into()),
            _ => common.output.profile = Some(value),
        }
    }
    common
}

fn profiles(words: &[String], around: &Surroundings) -> BTreeSet<String> {
    let mut common = common(words);
    common.output.profile = None;
    Layers::gather(&common, &around.environment)
        .map(|layers| layers.profiles().iter().cloned().collect())
        .unwrap_or_default()
}

/// Names that were found in a recording or a registry.
#[derive(Debug, Default)]
struct Found {
    services: BTreeSet<String>,
    groups: BTreeSet<String>,
    data_ids: BTreeSet<String>,
}

fn found(words: &[String], around: &Surroundings, kind: Kind) -> Found {
    let common = common(words);
    let mut found = Found::default();
    let Ok(mut settings) = Settings::new(&common, &around.environment) else {
        return found;
    };
    if let Some(path) = &common.sight.snapshot {
        if let Ok(mut recording) = recorded::open(path, &settings) {
            let _ = recording.for_each_line(|_, _| true, |_, line| found.note(&line));
        }
        return found;
    }
    settings.deadline = Some(NETWORK);
    if settings.with_password(&around.environment).is_ok() {
        let service = service(words);
        let _ = ask(&mut found, &settings, kind, service.as_deref());
    }
    found
}

/// The interface of the service that the line names already.
fn service(words: &[String]) -> Option<String> {
    let at = words.iter().position(|word| !word.starts_with('-'))?;
    let verb = &words[at];
    let mut rest = words[at + 1..].iter();
    while let Some(word) = rest.next() {
        if !word.starts_with('-') {
            return Some(ServiceKey::parse_cli(word).ok()?.interface);
        }
        if takes_value(verb, word) {
            rest.next();
        }
    }
    None
}

/// Asks the registries for their lists of names, a few requests each.
fn ask(
    found: &mut Found,
    settings: &Settings,
    kind: Kind,
    service: Option<&str>,
) -> anyhow::Result<()> {
    let mut snapshot = live::snapshot(settings);
    let mut question = Question::new(ServiceKey::new(None, "-", None), Timestamp::now());
    question.registries.clone_from(&settings.registries);
    let mut observers = live::observers(std::slice::from_ref(&question), &mut snapshot)?;
    if observers.is_empty() {
        return Ok(());
    }
    let spinner = Spinner::start(false, false);
    let addresses = settings.registries.clone();
    let terms = live::terms(settings, None, snapshot.masker().clone());
    live::ask(
        &mut snapshot,
        &mut observers,
        &terms,
        &spinner,
        |snapshot| wanted(&addresses, snapshot, kind, service),
    )?;
    for (_, lines) in snapshot.sources() {
        for line in lines {
            found.note(line);
        }
    }
    Ok(())
}

fn wanted(
    addresses: &[RegistryAddress],
    snapshot: &Snapshot,
    kind: Kind,
    service: Option<&str>,
) -> Vec<Want> {
    let mut wants = Vec::new();
    for (id, source) in &snapshot.manifest().sources {
        let of_source = addresses.iter().filter(|address| {
            let url = source
                .url
                .as_deref()
                .and_then(|url| RegistryAddress::parse(url).ok());
            url.is_some_and(|url| url.members == address.members && url.kind == address.kind)
        });
        for address in of_source {
            let group = address.group.as_ref().map(|(group, _)| group.as_str());
            match address.kind {
                RegistryKind::Zookeeper => {
                    let root = format!("/{}", group.unwrap_or("dubbo").trim_matches('/'));
                    match (kind, service) {
                        (Kind::DataIds, _) => {
                            wants.push(Want::zk_children(id, format!("{root}/config/dubbo")));
                        }
                        (Kind::Groups, Some(service)) => wants.push(providers(id, &root, service)),
                        (Kind::Groups, None) => {
                            wants.push(Want::zk_children(id, root.as_str()));
                            let listed = snapshot.zk_children(id, &root, None);
                            let interfaces = listed.here().into_iter().flatten();
                            let asked = interfaces
                                .filter(|name| name.contains('.'))
                                .take(MOST_SERVICES)
                                .filter_map(|name| decode(name).ok());
                            wants.extend(asked.map(|name| providers(id, &root, &name)));
                        }
                        _ => wants.push(Want::zk_children(id, root)),
                    }
                }
                RegistryKind::Nacos => {
                    let namespace = address.namespace.clone().unwrap_or_default();
                    if kind == Kind::DataIds {
                        let (group, data_id) = (String::new(), "*".to_owned());
                        wants.push(Want::any(
                            id,
                            Key::NacosConfigSearch {
                                namespace,
                                group,
                                data_id,
                            },
                        ));
                        continue;
                    }
                    let group = Some(group.unwrap_or("DEFAULT_GROUP").to_owned());
                    wants.push(Want::any(id, Key::NacosServices { namespace, group }));
                }
                RegistryKind::Other => {}
            }
        }
    }
    wants.retain(|want| !snapshot.was_asked(want));
    wants
}

/// The list of the providers of an interface.
fn providers(source: &SourceId, root: &str, interface: &str) -> Want {
    Want::zk_children(source, format!("{root}/{}/providers", encode(interface)))
}

impl Found {
    /// Takes the names out of one answer.
    fn note(&mut self, line: &Line) {
        match &line.key {
            Key::ZkNode { path } => self.node(path, line.children().unwrap_or_default()),
            Key::NacosServices { .. } => {
                for name in texts(line) {
                    self.registered(&name);
                }
            }
            Key::NacosInstances { service, .. } => self.registered(service),
            Key::NacosConfigSearch { .. } => {
                if let Some(value) = line.body_json() {
                    self.configs(&value);
                }
            }
            Key::NacosConfig { data_id, .. } if line.err_kind().is_none() => {
                self.data_ids.insert(data_id.clone());
            }
            _ => {}
        }
    }

    fn node(&mut self, path: &str, children: &[String]) {
        let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
        match parts.as_slice() {
            [root] if !root.is_empty() => {
                self.services.extend(
                    children
                        .iter()
                        .filter(|name| name.contains('.'))
                        .filter_map(|name| decode(name).ok()),
                );
            }
            [_, "config", _] => self.data_ids.extend(children.iter().cloned()),
            [.., interface, "providers"] if !children.is_empty() => {
                self.services.extend(decode(interface).ok());
                let urls = children.iter().filter_map(|child| decode(child).ok());
                self.groups.extend(urls.filter_map(|url| {
                    let (_, query) = url.split_once('?')?;
                    let group = query
                        .split('&')
                        .find_map(|pair| pair.strip_prefix("group="))?;
                    Some(group.to_owned()).filter(|group| !group.is_empty())
                }));
            }
            _ => {}
        }
    }

    /// Every `dataId` of a list of configurations.
    fn configs(&mut self, value: &serde_json::Value) {
        match value {
            serde_json::Value::Array(items) => items.iter().for_each(|item| self.configs(item)),
            serde_json::Value::Object(fields) => {
                let data_id = fields.get("dataId").and_then(serde_json::Value::as_str);
                self.data_ids.extend(data_id.map(str::to_owned));
                fields.values().for_each(|value| self.configs(value));
            }
            _ => {}
        }
    }

    /// `providers:interface:version:group` of a Nacos list.
    fn registered(&mut self, name: &str) {
        let name = name.rsplit_once("@@").map_or(name, |(_, name)| name);
        let mut parts = name.split(':');
        if parts.next() != Some("providers") {
            return;
        }
        let interface = parts.next().filter(|name| !name.is_empty());
        self.services.extend(interface.map(str::to_owned));
        let group = parts.nth(1).filter(|group| !group.is_empty());
        self.groups.extend(group.map(str::to_owned));
    }
}

/// Every text in an answer, wherever this generation of the server puts it.
fn texts(line: &Line) -> Vec<String> {
    fn walk(value: &serde_json::Value, out: &mut Vec<String>) {
        match value {
            serde_json::Value::String(text) => out.push(text.clone()),
            serde_json::Value::Array(items) => items.iter().for_each(|item| walk(item, out)),
            serde_json::Value::Object(fields) => fields.values().for_each(|value| walk(value, out)),
            _ => {}
        }
    }
    let mut out = Vec::new();
    if let Some(value) = line.body_json() {
        walk(&value, &mut out);
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn kind(line: &str) -> Option<(Kind, String, String)> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let (current, before) = words.split_last().unwrap();
        asked(before, current).map(|(kind, head, typed)| (kind, head.to_owned(), typed.to_owned()))
    }

    #[test]
    fn the_place_in_the_line_decides() {
        let at = |kind, head: &str, typed: &str| Some((kind, head.to_owned(), typed.to_owned()));
        for (line, expected) in [
            ("no-provider com.", at(Kind::Services, "", "com.")),
            (
                "no-provider --registry x com.",
                at(Kind::Services, "", "com."),
            ),
            ("no-provider --registry zookeeper:", None),
            (
                "no-provider --no-sweep com.",
                at(Kind::Services, "", "com."),
            ),
            ("no-provider com.a --profile p", at(Kind::Profiles, "", "p")),
            (
                "no-provider com.a --profile=p",
                at(Kind::Profiles, "--profile=", "p"),
            ),
            ("no-provider com.a --group ", at(Kind::Groups, "", "")),
            ("explain DG", at(Kind::Explained, "", "DG")),
            ("lint a.yaml --key com.a:", at(Kind::DataIds, "", "com.a:")),
            ("lint a", None),
            ("no-provider --re", None),
            ("no", None),
        ] {
            assert_eq!(kind(line), expected, "{line}");
        }
    }

    #[test]
    fn the_service_of_the_line_is_found() {
        let of = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            service(&words)
        };
        let named = Some("com.a.B".to_owned());
        assert_eq!(of("no-provider com.a.B --group"), named);
        assert_eq!(of("no-provider --registry x g/com.a.B:1 --group"), named);
        assert_eq!(of("no-provider --no-sweep com.a.B"), named);
        assert_eq!(of("no-provider --registry com.a.B"), None);
        assert_eq!(of("no-provider"), None);
    }

    #[test]
    fn names_out_of_both_registries() {
        let mut found = Found::default();
        found.node("/dubbo", &["com.a.B".to_owned(), "config".to_owned()]);
        found.node(
            "/dubbo/com.a.C/providers",
            &["dubbo%3A%2F%2Fh%3A1%2Fcom.a.C%3Fgroup%3Dred%26side%3Dprovider".to_owned()],
        );
        found.node(
            "/dubbo/config/dubbo",
            &["com.a.B::.condition-router".to_owned()],
        );
        found.registered("DEFAULT_GROUP@@providers:com.a.D:1.0.0:blue");
        found.registered("acme-order");
        found
            .configs(&serde_json::json!({"data": {"pageItems": [{"dataId": "order.tag-router"}]}}));
        assert_eq!(
            found.services.into_iter().collect::<Vec<_>>(),
            ["com.a.B", "com.a.C", "com.a.D"]
        );
        assert_eq!(
            found.groups.into_iter().collect::<Vec<_>>(),
            ["blue", "red"]
        );
        assert_eq!(
            found.data_ids.into_iter().collect::<Vec<_>>(),
            ["com.a.B::.condition-router", "order.tag-router"]
        );
    }

    proptest! {
        #[test]
        fn takes_any_line(words in proptest::collection::vec("\\PC{0,20}", 0..6)) {
            if let Some((current, before)) = words.split_last() {
                let _ = (asked(before, current), common(before));
            }
        }
    }
}
