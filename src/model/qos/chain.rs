//! `getRouterSnapshot`: the chain of routers of each reference, with what each keeps of the addresses ready.

use serde::Serialize;

use super::addresses::without_identity;

/// One reference in one registry (`RouterChain`, `PrintableStateRouter.buildSnapshot`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Chain {
    /// `[group/]interface[:version]`.
    pub key: String,
    /// Every address the directory has.
    pub all: u64,
    /// Those that it hands to the routers.
    pub valid: u64,
    /// The routers in order.
    pub routers: Vec<Router>,
}

/// One router of a chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Router {
    /// Class or name.
    pub name: String,
    /// Its parts; empty for one that has nothing ready and decides with each call.
    pub parts: Vec<Part>,
}

/// A part of the addresses under a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Part {
    /// Name (`Normal`, `Mocked`).
    pub name: String,
    /// The addresses that are shown, at most five.
    pub addresses: Vec<String>,
    /// How many there are.
    pub total: u64,
}

impl Chain {
    /// The addresses for calls that are not mocked, and whether that is all of them.
    pub fn addresses(&self) -> Option<(&[String], bool)> {
        let parts = || self.routers.iter().flat_map(|router| &router.parts);
        let normal = parts().find(|part| part.name == "Normal")?;
        let shown = u64::try_from(normal.addresses.len()).unwrap_or(u64::MAX);
        Some((&normal.addresses, shown == normal.total))
    }
}

/// Reads a cleaned answer: no chain at all for an empty one, `None` when it is something else.
pub(super) fn read(text: &str) -> Option<Vec<Chain>> {
    let mut chains: Vec<Chain> = Vec::new();
    let mut key = None;
    for line in text.lines() {
        let line = line.trim();
        if let Some((all, valid)) = heading(line) {
            chains.push(Chain {
                key: without_identity(key.take()?),
                all,
                valid,
                routers: Vec::new(),
            });
        } else if line.is_empty() || line.ends_with("Router End") {
        } else if let Some(name) = line.strip_suffix(" not support") {
            push(&mut chains, name)?;
        } else if let Some((name, _)) = line.split_once("  Total: ") {
            push(&mut chains, name)?;
        } else if let Some(part) = part(line) {
            chains.last_mut()?.routers.last_mut()?.parts.push(part);
        } else if line.contains('@') {
            key = Some(line);
        }
    }
    (key.is_none() && (!chains.is_empty() || text.is_empty())).then_some(chains)
}

fn push(chains: &mut [Chain], name: &str) -> Option<()> {
    chains.last_mut()?.routers.push(Router {
        name: name.to_owned(),
        parts: Vec::new(),
    });
    Some(())
}

/// `[ All Invokers:1 ] [ Valid Invokers: 1 ]`
fn heading(line: &str) -> Option<(u64, u64)> {
    let rest = line.strip_prefix("[ All Invokers:")?;
    let (all, rest) = rest.split_once(']')?;
    let (_, valid) = rest.split_once("Valid Invokers:")?;
    let number = |text: &str| text.trim().trim_end_matches(']').trim().parse().ok();
    Some((number(all)?, number(valid)?))
}

/// `[ Normal -> 10.0.0.1:20880,10.0.0.2:20880 (Total: 2) ]`
fn part(line: &str) -> Option<Part> {
    let inner = line.strip_prefix("[ ")?.strip_suffix(" ]")?;
    let (name, rest) = inner.split_once(" -> ")?;
    let (list, total) = rest.rsplit_once(" (Total: ")?;
    Some(Part {
        name: name.to_owned(),
        addresses: addresses(list),
        total: total.trim_end_matches(')').parse().ok()?,
    })
}

/// `a:1,b:2`, `Empty`; more than five end in dots.
pub(super) fn addresses(list: &str) -> Vec<String> {
    list.split(',')
        .map(str::trim)
        .map(|address| address.trim_end_matches("...").trim())
        .filter(|address| !address.is_empty() && *address != "Empty")
        .map(str::to_owned)
        .collect()
}
