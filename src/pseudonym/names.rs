//! Which words of a text are names, and how far such a name goes.

use std::collections::BTreeSet;

use super::letters::Letters;
use crate::model::rule_kind::endings;

/// What names of rules end with, and a list of providers, behind an interface or an application.
fn ends() -> impl Iterator<Item = &'static str> {
    endings().chain([".providers"])
}

/// Full names, and what follows from them.
#[derive(Debug, Clone)]
pub(super) struct Names {
    letters: Letters,
    /// Interfaces, applications, hosts.
    whole: BTreeSet<String>,
    /// Packages of interfaces, of two words at least.
    packages: BTreeSet<String>,
    /// Domains of hosts, of two words at least.
    domains: BTreeSet<String>,
    /// Names of interfaces without their package that cannot be mistaken for a word.
    simple: BTreeSet<String>,
    kept: BTreeSet<String>,
}

impl Names {
    pub(super) fn new(
        letters: Letters,
        interfaces: &BTreeSet<String>,
        others: BTreeSet<String>,
        domains: BTreeSet<String>,
        kept: BTreeSet<String>,
    ) -> Self {
        let packages = interfaces
            .iter()
            .flat_map(|name| packages(name))
            .map(str::to_owned)
            .collect();
        let simple = interfaces
            .iter()
            .filter_map(|name| composed(name))
            .map(str::to_owned)
            .collect();
        let mut whole = others;
        whole.extend(interfaces.iter().cloned());
        Self {
            letters,
            whole,
            packages,
            domains,
            simple,
            kept,
        }
    }

    pub(super) fn whole(&self) -> impl Iterator<Item = &str> {
        self.whole.iter().map(String::as_str)
    }

    pub(super) fn kept(&self) -> impl Iterator<Item = &str> {
        self.kept.iter().map(String::as_str)
    }

    /// Whether no pseudonym could be taken for another name or for a word of Dubbo's.
    pub(super) fn are_apart(&self, is_word: impl Fn(&str) -> bool) -> bool {
        self.whole.iter().chain(&self.simple).all(|name| {
            let new = self.letters.name(name);
            new != *name
                && !self.whole.contains(&new)
                && !self.simple.contains(&new)
                && !is_word(&new)
        })
    }

    /// The run of name signs between two pieces of text, if it is a name or begins with one.
    pub(super) fn written(&self, run: &str, before: &str, after: &str) -> Option<String> {
        let body = run.trim_end_matches(['.', '-', '$']);
        let new = self.known(body, run, before, after)?;
        Some(new + &run[body.len()..])
    }

    fn known(&self, body: &str, run: &str, before: &str, after: &str) -> Option<String> {
        if self.whole.contains(body) {
            return Some(self.letters.name(body));
        }
        // `order-*`, `com.acme.*`
        if after.starts_with('*') && self.begins(run) {
            return Some(self.letters.name(body));
        }
        // `*-web`
        if ["*-", "*.", "*"].iter().any(|wild| before.ends_with(wild)) && self.ends(body) {
            return Some(self.letters.name(body));
        }
        if let Some(head) = heads(body, '.').find(|head| self.whole.contains(*head)) {
            return Some(self.letters.name(head) + &self.classes(&body[head.len()..]));
        }
        if heads(body, '.').any(|head| self.packages.contains(head)) || self.packages.contains(body)
        {
            return Some(self.in_package(body));
        }
        if tails(body).any(|tail| self.domains.contains(tail)) {
            return Some(self.letters.name(body));
        }
        // 3.0 and later write `Serviceorg.acme.OrderService` into their logs.
        if let Some(rest) = body.strip_prefix("Service")
            && rest.starts_with(|sign: char| sign.is_ascii_lowercase())
            && let Some(new) = self.known(rest, rest, "", after)
        {
            return Some(format!("Service{new}"));
        }
        if let Some(head) = heads(body, '-').find(|head| self.whole.contains(*head)) {
            return Some(self.letters.name(head) + &body[head.len()..]);
        }
        self.class(body)
    }

    fn begins(&self, start: &str) -> bool {
        self.whole
            .range(start.to_owned()..)
            .next()
            .is_some_and(|name| name.starts_with(start))
    }

    fn ends(&self, end: &str) -> bool {
        let at_word = |rest: &str| rest.ends_with(['-', '.', '_']);
        !end.is_empty()
            && self
                .whole
                .iter()
                .any(|name| name.strip_suffix(end).is_some_and(at_word))
    }

    /// A class or a package of the house. What follows a class (a method, the end of a rule's name) stays.
    fn in_package(&self, body: &str) -> String {
        let (body, end) = ends()
            .find_map(|end| Some((body.strip_suffix(end)?, end)))
            .unwrap_or((body, ""));
        let mut out = String::new();
        let mut rest = body;
        while !rest.is_empty() {
            let length = rest.find('.').unwrap_or(rest.len());
            let (word, behind) = rest.split_at(length);
            out.push_str(&self.letters.name(word));
            rest = behind;
            if word.starts_with(|sign: char| sign.is_ascii_uppercase()) {
                break;
            }
            if let Some(next) = rest.strip_prefix('.') {
                out.push('.');
                rest = next;
            }
        }
        out + &self.classes(rest) + end
    }

    /// What follows a class: inner classes are written, methods and ends of rule names stay.
    fn classes(&self, rest: &str) -> String {
        if ends().any(|end| end == rest)
            || !rest[1.min(rest.len())..].starts_with(|sign: char| sign.is_ascii_uppercase())
        {
            return rest.to_owned();
        }
        self.letters.name(rest)
    }

    /// `OrderService` alone, or `OrderServiceImpl`.
    fn class(&self, body: &str) -> Option<String> {
        let (class, rest) = body.split_at(body.find('.').unwrap_or(body.len()));
        let begins = |sign: char| {
            sign.is_ascii_uppercase() || sign.is_ascii_digit() || matches!(sign, '$' | '_')
        };
        let starts = class
            .char_indices()
            .skip(1)
            .filter(|(_, sign)| begins(*sign))
            .map(|(at, _)| &class[..at]);
        starts
            .chain(Some(class))
            .any(|start| self.simple.contains(start))
            .then(|| self.letters.name(class) + rest)
    }
}

/// The beginnings of a name before a sign, the longest first.
fn heads(name: &str, sign: char) -> impl Iterator<Item = &str> {
    name.rmatch_indices(sign).map(|(at, _)| &name[..at])
}

/// The ends of a name behind a dot, and itself.
fn tails(name: &str) -> impl Iterator<Item = &str> {
    std::iter::once(name).chain(name.match_indices('.').map(|(at, _)| &name[at + 1..]))
}

/// The packages of a class, of two words at least.
fn packages(class: &str) -> impl Iterator<Item = &str> {
    heads(class, '.').filter(|head| head.contains('.'))
}

/// Domains of a host, of two words at least.
pub(super) fn domains(host: &str) -> impl Iterator<Item = &str> {
    tails(host).skip(1).filter(|tail| tail.contains('.'))
}

/// The name of a class without its package, if it is made of several words.
fn composed(interface: &str) -> Option<&str> {
    let simple = interface.rsplit('.').next()?;
    let humps = simple
        .char_indices()
        .filter(|(at, sign)| *at > 0 && sign.is_ascii_uppercase())
        .count();
    let plain = simple
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$'));
    (plain && humps > 0 && !OF_DUBBO.contains(&simple)).then_some(simple)
}

/// Services that Dubbo itself has, and words of its messages.
const OF_DUBBO: [&str; 8] = [
    "MetadataService",
    "RegistryService",
    "GenericService",
    "EchoService",
    "MonitorService",
    "ConfigCenter",
    "ServiceConfig",
    "ReferenceConfig",
];
