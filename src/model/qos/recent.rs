//! `getRecentRouterSnapshot`: what the routers did with the last calls that were watched.

use serde::Serialize;

use super::chain::addresses;

/// One call (`RouterSnapshotSwitcher`, at most 32 of them).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Routed {
    /// When, milliseconds since 1970.
    pub at_ms: i64,
    /// `[group/]interface[:version]`.
    pub key: String,
    /// Host of the registry as the message says it, which is the consumer's own.
    pub registry: Option<String>,
    /// Host of the consumer.
    pub consumer: Option<String>,
    /// Version of Dubbo.
    pub dubbo: Option<String>,
    /// The message is that of a call that found nothing.
    pub lost: bool,
    /// The routers, from the first to the innermost.
    pub nodes: Vec<Node>,
}

/// One router (`RouterSnapshotNode`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Node {
    /// How deep it stands in the tree.
    pub depth: usize,
    /// Name.
    pub name: String,
    /// Addresses that came in.
    pub input: u64,
    /// Addresses that it let through.
    pub output: u64,
    /// Addresses that it and those behind it let through.
    pub chain_output: u64,
    /// What it says about that.
    pub message: Option<String>,
    /// The addresses that it let through, of the first those of the whole chain; at most five are shown.
    pub left: Vec<String>,
}

impl Routed {
    /// What came into the chain and what came out; `None` when the tree was not shown.
    pub fn numbers(&self) -> Option<(u64, u64)> {
        let first = self.nodes.first()?;
        Some((first.input, first.chain_output))
    }
}

/// Reads a cleaned answer: no call at all for an empty one, `None` when it is something else.
pub(super) fn read(text: &str) -> Option<Vec<Routed>> {
    let mut calls: Vec<Routed> = Vec::new();
    if text == "Empty" {
        return Some(calls);
    }
    for line in text.lines() {
        if let Some(call) = heading(line) {
            calls.push(call);
        } else if let Some(node) = node(line) {
            calls.last_mut()?.nodes.push(node);
        }
    }
    (!calls.is_empty() || text.is_empty()).then_some(calls)
}

/// `1795986948203 - Router snapshot service X from registry H on the consumer H using the dubbo version V is below:`
fn heading(line: &str) -> Option<Routed> {
    let (at, message) = line.split_once(" - ")?;
    let at_ms = at.trim().parse().ok()?;
    let lost = message.starts_with("No provider available");
    let behind = |word: &str| {
        let (_, rest) = message.split_once(word)?;
        let end = rest.find(' ').unwrap_or(rest.len());
        Some(rest[..end].trim_end_matches(['.', ',']).to_owned())
    };
    Some(Routed {
        at_ms,
        key: behind(" service ")?,
        registry: behind(" from registry "),
        consumer: behind(" on the consumer "),
        dubbo: behind(" using the dubbo version "),
        lost,
        nodes: Vec::new(),
    })
}

/// `  [ Name (Input: 1) (Current Node Output: 1) (Chain Node Output: 0) Router message: text ] ..: a:1,b:2`
fn node(line: &str) -> Option<Node> {
    let inner = line.trim_start();
    let depth = (line.len() - inner.len()) / 2;
    let (name, rest) = inner.strip_prefix("[ ")?.split_once(" (Input: ")?;
    let (input, rest) = rest.split_once(") (Current Node Output: ")?;
    let (output, rest) = rest.split_once(") (Chain Node Output: ")?;
    let (chain, rest) = rest.split_once(')')?;
    // A message may have brackets of its own: what follows it is one of two fixed texts.
    let ends = ["] Current Node Output: ", "] Input: "];
    let end = ends.iter().filter_map(|end| rest.rfind(end)).max()?;
    let message = rest[..end].trim().strip_prefix("Router message:");
    let (_, list) = rest[end..].rsplit_once("Output: ")?;
    Some(Node {
        depth,
        name: name.to_owned(),
        input: input.parse().ok()?,
        output: output.parse().ok()?,
        chain_output: chain.parse().ok()?,
        message: message.map(|text| text.trim().to_owned()),
        left: addresses(list),
    })
}
