//! The ZooKeeper client's own words. Inside another message they are its reason, not a failure of their own.

use super::super::claim::Claim;
use super::super::fact::Fact;
use super::super::message::MessageId;
use super::cursor::{Cursor, Span};
use super::draft::{Draft, bare_address};
use super::{Entry, Parsed};

pub(super) const ENTRIES: &[Entry] = &[
    ("KeeperErrorCode = ", keeper_error),
    ("zookeeper not connected", not_connected),
    ("failed to connect to zookeeper server", not_connected),
    ("Failed to connect with zookeeper", not_connected),
    (
        ", Closing socket connection. Attempting reconnect",
        socket_closed,
    ),
    (
        ", unexpected error, closing socket connection",
        socket_closed,
    ),
];

/// Nodes right below the root that are not services.
const OWN_NODES: [&str; 3] = ["config", "metadata", "mapping"];

/// Nodes below a service.
const CATEGORIES: [&str; 4] = ["providers", "consumers", "configurators", "routers"];

fn keeper_error(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let name = c.word(|c| !c.is_ascii_alphanumeric())?;
    let name_text = c.str(name);
    // Without blanks the name and the path run together.
    let (name, rest) = match name_text.find("for/").filter(|_| c.is_loose()) {
        Some(at) => (
            Span {
                end: name.start + at,
                ..name
            },
            None,
        ),
        None => (name, Some(name.end)),
    };
    if let Some(at) = rest {
        c.go_to(at);
    } else {
        c.go_to(name.end);
    }
    d.is(MessageId::ZkClient);
    d.detail = true;
    let code = c.fact(name);
    d.put(Claim::Reason, code.clone());
    if matches!(code.value.as_str(), "NoAuth" | "AuthFailed" | "InvalidACL") {
        d.put(Claim::Refused, code);
    }
    if c.skip(" for ")
        && let Some(path) = c.word(|c| matches!(c, ',' | ';' | ')' | '"'))
    {
        d.put(Claim::Path, c.fact(path));
        put_root(c, d, path);
    }
    Some(())
}

/// `/{root}/{interface}/providers` and `/{root}/metadata` show where the registry's tree begins.
fn put_root(c: &Cursor<'_>, d: &mut Draft, path: Span) {
    let nodes: Vec<&str> = c
        .str(path)
        .split('/')
        .filter(|node| !node.is_empty())
        .collect();
    let below = nodes
        .iter()
        .rposition(|node| CATEGORIES.contains(node))
        .map(|at| at.saturating_sub(1))
        .or_else(|| nodes.iter().position(|node| OWN_NODES.contains(node)))
        .or_else(|| (nodes.len() == 2 && nodes[1].contains('.')).then_some(1));
    if let Some(below) = below.filter(|below| *below > 0) {
        d.put(
            Claim::RegistryRoot,
            Fact::derived(nodes[..below].join("/"), c.place(path)),
        );
    }
}

fn not_connected(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::ZkClient);
    d.detail = true;
    d.put(
        Claim::Reason,
        Fact::derived("zookeeper not connected".to_owned(), c.place(c.line_span())),
    );
    if c.skip(", the address is: ") || c.skip(", url: ") || c.skip(": ") {
        let url = c.url()?;
        d.put_registry_url(c, url);
        d.facts.remove("application");
    }
    Some(())
}

/// `Session 0x0 for server host/1.2.3.4:2181, Closing socket connection. ..`
fn socket_closed(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::ZkClient);
    d.put(
        Claim::Reason,
        Fact::derived("connection lost".to_owned(), c.place(c.line_span())),
    );
    let before = c.before();
    let fixed = if c.is_loose() {
        "forserver"
    } else {
        "for server "
    };
    let at = before.rfind(fixed)? + fixed.len();
    let server = before[at..].split(',').next().unwrap_or_default();
    let start = c.position() - before.len() + at;
    let server_span = Span {
        start,
        end: start + server.len(),
    };
    if bare_address(server).contains(':') {
        d.put_address(
            Claim::Registry,
            Fact::derived(server.to_owned(), c.place(server_span)),
        );
        d.put(
            Claim::RegistryKind,
            Fact::derived("zookeeper".to_owned(), c.place(server_span)),
        );
    }
    Some(())
}
