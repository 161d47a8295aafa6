//! What is to be replaced: names by the places where recordings have them, over the whole recording before a word of it is
//! written.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::Pseudonyms;
use super::address::Addresses;
use super::kept::is_kept;
use super::letters::Letters;
use super::names::{Names, domains};
use super::near::derived;
use crate::model::rule_kind::RuleKind;
use crate::model::service_key::ServiceKey;
use crate::snapshot::{Key, Line, Manifest, Payload, Snapshot, SourceKind};

/// Names that were found, and what is needed to write addresses and letters.
#[derive(Debug, Clone, Default)]
pub struct Gathered {
    interfaces: BTreeSet<String>,
    asked: BTreeSet<String>,
    applications: BTreeSet<String>,
    hosts: BTreeSet<String>,
    kept: BTreeSet<String>,
    compared: BTreeSet<Vec<u8>>,
    versions: BTreeSet<String>,
    /// Of all lines, in whatever order they came.
    sum: [u8; 32],
}

/// So many ways to write are tried until no pseudonym is a word.
const WAYS: u8 = 64;

const CLASS: &str = r"(?:[A-Za-z_][A-Za-z0-9_]*\.)+[A-Z][A-Za-z0-9_]*(?:\$[A-Za-z0-9_]+)*";

#[expect(
    clippy::expect_used,
    reason = "the patterns are fixed and a test compiles all of them"
)]
fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a fixed pattern")
}

macro_rules! patterns {
    ($($name:ident = $text:expr;)*) => {
        $(static $name: LazyLock<Regex> = LazyLock::new(|| pattern($text));)*
        #[cfg(test)]
        pub(super) fn compile() {
            $(LazyLock::force(&$name);)*
        }
    };
}

patterns! {
    APPLICATION = r#"(?i)(?:^|[^A-Za-z0-9_])(?:application(?:[._-]?name)?|app(?:[_-]?name)?)\\*["']?\s*(?:!=|[=:])\s*\\*["']?([A-Za-z0-9_][A-Za-z0-9_.$-]*(?:,[A-Za-z0-9_][A-Za-z0-9_.$-]*)*)(\s*[=:(/*])?"#;
    INTERFACE = r#"(?i)(?:^|[^A-Za-z0-9_])(?:service)?interface\\*["']?\s*[=:]\s*\\*["']?([A-Za-z_][A-Za-z0-9_.$]*)"#;
    CLASSES = &format!(r"(?:^|[^A-Za-z0-9_.$-])({CLASS})");
    SERVICES = &format!(r"(?:(?i:service|interface|method)(?: key)?\W{{1,3}}|(?:providers|consumers|configurators|routers):|://[^/\s?]*/)(?:[A-Za-z0-9_-]+/)?({CLASS})");
    AUTHORITY = r#"[A-Za-z][A-Za-z0-9+.-]*://([^/?#\s"'<>()\\]+)"#;
    BACKUP = r"[?&]backup=([^&\s]+)";
    HOST = r#"(?i)(?:^|[^A-Za-z0-9_])(?:host(?:name)?|ip|hostaddress)\\*["']?\s*(?:!=|[=:])\s*\\*["']?([A-Za-z0-9][A-Za-z0-9.-]*)(\s*[=(*])?"#;
    RULE_KEY = r#"(?m)^\s*key\s*:\s*['"]?([A-Za-z0-9_][A-Za-z0-9_.$-]*)"#;
    COMPARED = r"(?:^|[^0-9A-Za-z_.])((?:\d{1,3}\.){1,3})\d{1,3}(?:-\d{1,3}|\d*\*)(\.)?";
    VERSION = r#"(?i)(?:release|version)["'\\]{0,2}\s?[=:]?\s?["'\\]{0,2}(\d+\.\d+\.\d+\.\d+)"#;
}

impl Gathered {
    /// A name that was asked for: a service key. Names that are nearly the same stay nearly the same.
    pub fn asked_service(&mut self, text: &str) {
        if let Ok(key) = ServiceKey::parse_cli(text) {
            self.interface(&key.interface);
            self.asked.insert(key.interface);
        }
    }

    /// An application that was asked for.
    pub fn asked_application(&mut self, name: &str) {
        self.application(name);
    }

    /// Any text that goes with the recording: flags, a rule, a log.
    pub fn text(&mut self, text: &str) {
        self.payload(&decoded(text), true);
    }

    /// A whole recording.
    pub fn snapshot(&mut self, snapshot: &Snapshot) {
        self.manifest(snapshot.manifest());
        for (_, text) in snapshot.texts() {
            self.text(text);
        }
        for (source, lines) in snapshot.sources() {
            let about = snapshot.manifest().sources.get(source);
            let is_file = about.is_some_and(|about| about.kind == SourceKind::File);
            for line in lines {
                self.line(line, is_file);
            }
        }
    }

    /// The head of a recording.
    pub fn manifest(&mut self, manifest: &Manifest) {
        for service in &manifest.scope.services {
            self.asked_service(service);
        }
        self.host(&manifest.seen_from.host);
        for source in manifest.sources.values() {
            if let Some(url) = &source.url {
                self.parameters(&decoded(url));
            }
            for place in [&source.endpoint, &source.host].into_iter().flatten() {
                self.host(place);
            }
        }
    }

    /// One answer. Of files only what is surely a name is taken: they quote classes of everybody.
    pub fn line(&mut self, line: &Line, is_file: bool) {
        self.mix(line);
        self.key(&line.key);
        if let Some(via) = &line.via {
            self.host(via);
        }
        let path = match &line.key {
            Key::ZkNode { path } => path.as_str(),
            _ => "",
        };
        match &line.payload {
            Payload::Children(names) => {
                let of_applications = path.rsplit('/').next() == Some("services");
                for name in names {
                    let name = decoded(name);
                    if of_applications {
                        self.application(&name);
                    }
                    self.payload(&name, false);
                }
            }
            Payload::Text(text) => {
                let mapping = matches!(&line.key, Key::NacosConfig { group, .. } if group == "mapping")
                    || path.contains("/mapping/");
                if mapping {
                    text.split(',')
                        .for_each(|name| self.application(name.trim()));
                }
                self.payload(&decoded(text), is_file);
            }
            Payload::Json(value) => self.payload(&decoded(&value.to_string()), is_file),
            Payload::Bytes(bytes) => {
                self.payload(&decoded(&String::from_utf8_lossy(bytes)), is_file);
            }
            Payload::Err { text, .. } => {
                if let Some(text) = text {
                    self.parameters(text);
                }
            }
            Payload::Fields(fields) => {
                for value in fields.values().filter_map(Value::as_str) {
                    self.parameters(value);
                }
            }
        }
        if matches!(line.key, Key::NacosServices { .. })
            && let Some(value) = line.body_json()
        {
            self.listed(&value);
        }
    }

    /// Names of services in a list, in whatever shape this generation of the server gives it.
    fn listed(&mut self, value: &Value) {
        match value {
            Value::String(name) => self.nacos_service(name),
            Value::Array(items) => items.iter().for_each(|item| self.listed(item)),
            Value::Object(fields) => {
                for (name, value) in fields {
                    if !value.is_string() || matches!(name.as_str(), "name" | "serviceName") {
                        self.listed(value);
                    }
                }
            }
            _ => {}
        }
    }

    fn nacos_service(&mut self, name: &str) {
        let name = name.rsplit_once("@@").map_or(name, |(_, name)| name);
        if !name.contains(':') {
            self.application(name);
        }
    }

    fn key(&mut self, key: &Key) {
        match key {
            Key::ZkNode { path } => {
                let parts: Vec<String> = path.trim_matches('/').split('/').map(decoded).collect();
                let words: Vec<&str> = parts.iter().map(String::as_str).collect();
                if let [_, "services", application, ..] = words.as_slice() {
                    self.application(application);
                }
                if let [.., "metadata", application, revision] = words.as_slice()
                    && revision.len() == 32
                {
                    self.application(application);
                }
                if let [.., "provider" | "consumer", application] = words.as_slice() {
                    self.application(application);
                }
                if let [_, "config", _, data_id] = words.as_slice() {
                    self.data_id(data_id);
                }
            }
            Key::NacosInstances { service, .. }
            | Key::NacosCatalog { service, .. }
            | Key::NacosService { service, .. }
            | Key::NacosSubscribers { service, .. } => self.nacos_service(service),
            Key::NacosConfig { group, data_id, .. } => {
                if group.len() == 32 && group.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                    self.application(data_id);
                } else {
                    self.data_id(data_id);
                }
            }
            Key::MetadataCall { address, app, .. } => {
                self.application(app);
                self.host(address);
            }
            Key::DerivedRevision { app, .. } => self.application(app),
            Key::Tcp { address } | Key::Probe { address, .. } => self.host(address),
            Key::NacosListeners { ip: Some(ip), .. } => self.host(ip),
            _ => {}
        }
        for (_, value) in key.fields() {
            self.payload(&decoded(value), false);
        }
    }

    /// `order-web.condition-router`, `com.acme.OrderService:1.0:g:provider:order-app`.
    fn data_id(&mut self, data_id: &str) {
        let (head, kind) = data_id.rsplit_once('.').unwrap_or((data_id, ""));
        let of_rule = kind.ends_with("-router") || RuleKind::of_key(data_id).is_some();
        if of_rule && !head.contains(':') && !CLASSES.is_match(head) {
            self.application(head);
        }
        let parts: Vec<&str> = data_id.split(':').collect();
        if let [.., "provider" | "consumer", application] = parts.as_slice() {
            self.application(application);
        }
    }

    fn payload(&mut self, text: &str, is_file: bool) {
        self.parameters(text);
        let classes: &Regex = if is_file { &SERVICES } else { &CLASSES };
        for found in classes.captures_iter(text) {
            self.interface(&found[1]);
        }
    }

    /// What stands behind the name of a parameter or in the place of a host.
    fn parameters(&mut self, text: &str) {
        for found in APPLICATION.captures_iter(text) {
            let mut names: Vec<&str> = found[1].split(',').collect();
            // `application=order,version=1`: the last one is the next parameter. `application=order-*`: it is a beginning.
            let behind = found.get(2).map(|sign| sign.as_str().trim());
            if behind == Some("*") || behind.is_some() && names.len() > 1 {
                names.pop();
            }
            for name in names {
                self.application(name);
            }
        }
        for found in INTERFACE.captures_iter(text) {
            let name = found[1].trim_end_matches(['.', '$']);
            if name.contains('.') || name.starts_with(|sign: char| sign.is_ascii_uppercase()) {
                self.interface(name);
            }
        }
        for found in RULE_KEY.captures_iter(text) {
            if CLASSES.is_match(&found[1]) {
                self.interface(&found[1]);
            } else {
                self.application(&found[1]);
            }
        }
        for found in AUTHORITY
            .captures_iter(text)
            .chain(BACKUP.captures_iter(text))
        {
            let hosts = found[1].rsplit('@').next().unwrap_or_default();
            hosts.split(',').for_each(|host| self.host(host));
        }
        for found in HOST.captures_iter(text) {
            if found.get(2).is_none() {
                self.host(&found[1]);
            }
        }
        for found in COMPARED.captures_iter(text) {
            let parts: Vec<u8> = found[1]
                .split('.')
                .filter_map(|part| part.parse().ok())
                .collect();
            self.compared.insert(parts);
        }
        for found in VERSION.captures_iter(text) {
            self.versions.insert(found[1].to_owned());
        }
    }

    fn interface(&mut self, name: &str) {
        // `order-web.MESHAPPRULE` is a rule's name and looks like a class.
        if !is_kept(name) && !name.ends_with(".MESHAPPRULE") {
            self.interfaces.insert(name.to_owned());
        }
    }

    fn application(&mut self, name: &str) {
        let name = name.trim_end_matches(['.', '-', '$']);
        let plain =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'$');
        if name.is_empty() || name == "*" || address_or_number(name) {
        } else if is_kept(name)
            || !name.bytes().all(plain)
            || !name.as_bytes()[0].is_ascii_alphanumeric()
        {
            if !name.contains(['$', '{', '/', ':', '%', '"']) {
                self.kept.insert(name.to_owned());
            }
        } else {
            self.applications.insert(name.to_owned());
        }
    }

    /// A host, with or without its port.
    fn host(&mut self, text: &str) {
        let host = match text.rsplit_once(':') {
            Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
            _ => text,
        };
        let host = host.trim_end_matches(['.', '-']);
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
        let has_letter = host.bytes().any(|byte| byte.is_ascii_alphabetic());
        if has_letter
            && host.bytes().all(plain)
            && host.as_bytes()[0].is_ascii_alphanumeric()
            && !is_kept(host)
        {
            self.hosts.insert(host.to_owned());
        }
    }

    /// The order of lines is of no account: recordings of everything come in pieces.
    fn mix(&mut self, line: &Line) {
        let digest = Sha256::digest(serde_json::to_vec(line).unwrap_or_default());
        for (sum, byte) in self.sum.iter_mut().zip(digest) {
            *sum = sum.wrapping_add(byte);
        }
    }

    /// The pseudonyms of everything that was gathered. With a `secret` the same names are called the same in other
    /// recordings, too; without one nobody who does not have the recording can guess them.
    pub fn pseudonyms(self, secret: Option<&str>) -> Pseudonyms {
        let mut base = Sha256::new();
        if let Some(secret) = secret {
            base.update(secret);
        } else {
            base.update(self.sum);
            let names = [&self.interfaces, &self.applications, &self.hosts];
            for name in names.into_iter().flatten() {
                base.update(name);
                base.update([0]);
            }
        }
        let key: [u8; 32] = base.finalize().into();
        let domains: BTreeSet<String> = self
            .hosts
            .iter()
            .flat_map(|host| domains(host))
            .filter(|domain| !is_kept(domain))
            .map(str::to_owned)
            .collect();
        let others: BTreeSet<String> = self
            .applications
            .iter()
            .chain(&self.hosts)
            .cloned()
            .collect();
        let way = |way: u8| {
            let letters = self.letters(
                Sha256::new()
                    .chain_update(key)
                    .chain_update([way])
                    .finalize()
                    .into(),
            );
            Names::new(
                letters,
                &self.interfaces,
                others.clone(),
                domains.clone(),
                self.kept.clone(),
            )
        };
        let names = (0..WAYS)
            .map(way)
            .find(|names| names.are_apart(is_kept))
            .unwrap_or_else(|| way(WAYS));
        Pseudonyms {
            names,
            addresses: Addresses::new(key, self.compared, self.versions),
        }
    }

    /// The letters of one way, with those names decided that are near a name that was asked for.
    fn letters(&self, key: [u8; 32]) -> Letters {
        let mut letters = Letters::new(key);
        let mut taken: BTreeMap<String, String> = BTreeMap::new();
        // Asked names that others were compared with already: they go by the rule.
        let mut settled: BTreeSet<String> = BTreeSet::new();
        for asked in &self.asked {
            let (package, simple) = split(asked);
            let lower = simple.to_ascii_lowercase();
            if simple.bytes().any(|byte| !byte.is_ascii_alphanumeric()) {
                continue;
            }
            let written = letters.word(&lower);
            settled.insert(lower.clone());
            for other in &self.interfaces {
                let (other_package, other) = split(other);
                let other = other.to_ascii_lowercase();
                let near = other_package == package
                    && other != lower
                    && !letters.has(&other)
                    && !settled.contains(&other)
                    && other.bytes().all(|byte| byte.is_ascii_alphanumeric())
                    && strsim::levenshtein(&other, &lower) <= 2;
                if !near {
                    continue;
                }
                let free = (0..26).map(|turn| {
                    derived(&lower, &written, &other, |sign| letters.sign(&[turn], sign))
                });
                let found = free
                    .into_iter()
                    .find(|new| *new != written && !taken.values().any(|known| known == new));
                if let Some(new) = found {
                    taken.insert(other.clone(), new.clone());
                    letters.decide(other, new);
                }
            }
        }
        letters
    }
}

fn split(interface: &str) -> (&str, &str) {
    interface.rsplit_once('.').unwrap_or(("", interface))
}

fn address_or_number(name: &str) -> bool {
    name.bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// A text without its URL encoding, however often it was encoded; what is no encoding stays.
fn decoded(text: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..3 {
        let mut bytes = Vec::with_capacity(text.len());
        let mut rest = text.as_bytes();
        while let Some((first, tail)) = rest.split_first() {
            let digit = |at: usize| tail.get(at).and_then(|byte| char::from(*byte).to_digit(16));
            let sign = match (first, digit(0), digit(1)) {
                (b'%', Some(high), Some(low)) => u8::try_from(high * 16 + low).ok(),
                _ => None,
            };
            bytes.push(sign.unwrap_or(*first));
            rest = &tail[if sign.is_some() { 2 } else { 0 }..];
        }
        if bytes.len() == text.len() {
            break;
        }
        text = String::from_utf8_lossy(&bytes).into_owned();
    }
    text
}
