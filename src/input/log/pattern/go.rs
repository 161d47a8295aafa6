//! Texts of dubbo-go (1.5, 3.0, 3.1, 3.3). Its version numbers are its own.

use super::super::claim::Claim;
use super::super::fact::{Fact, KeyClaim, Presence};
use super::super::message::MessageId;
use super::call::put_method;
use super::cursor::{Cursor, Span};
use super::draft::{Draft, bare_address};
use super::url::SaidUrl;
use super::{Entry, Parsed};

pub(super) const ENTRIES: &[Entry] = &[
    (
        "[Cluster][Failover] invoke failed after retries, method=",
        tried_new,
    ),
    (
        "[Cluster][Failover] no provider available, method=",
        no_connection_new,
    ),
    ("No provider available of the service ", start_check),
    ("no provider available in ", available),
    (
        "maybe the client read timeout or fail to decode tcp stream in Writer.Write",
        read_timeout,
    ),
    (
        "[Router][Condition] route returned empty set: ",
        routed_away,
    ),
    ("get metadata of revision ", metadata),
    ("don't have this exporter, key: ", not_exported),
];

/// GO-B: `{url key} from registry {URL} on the consumer {ip} using the dubbo version {V} .Please check`.
pub(super) fn no_provider(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::GoB);
    let key = c.until(" from registry ")?;
    put_url_key(c, d, key);
    let registry = c.until(" on the consumer ")?;
    d.put_registry_url(c, registry);
    let consumer = c.until(" using the dubbo version ")?;
    d.put_address(Claim::ConsumerIp, c.fact(consumer));
    let (_, version) = c.until_any(&[" .Please check", ". Please check", ".Please check"])?;
    d.put(Claim::GoVersion, c.fact(version));
    Some(())
}

/// `{proto}://{user}:{pass}@{ip}:{port}/?interface={I}&group={g}&version={v}`: both are always there, empty = absent.
fn put_url_key(c: &Cursor<'_>, d: &mut Draft, span: Span) {
    let Some(url) = SaidUrl::parse(c.str(span)) else {
        d.put_key(c, span);
        return;
    };
    let Some(interface) = url.get("interface") else {
        return;
    };
    let part = |key: &str| {
        url.get(key)
            .map_or(Presence::Absent, |value| Presence::Is(value.to_owned()))
    };
    let key = KeyClaim {
        interface: interface.to_owned(),
        group: part("group"),
        version: part("version"),
    };
    d.facts
        .push(Claim::Service(Fact::stated(key, c.place(span))));
}

/// GO-TRIED: N retries, N+1 calls; the list has one entry per failed call, separated by blanks.
pub(super) fn tried(c: &mut Cursor<'_>, d: &mut Draft, retries: Span, list: Span) -> Parsed {
    d.is(MessageId::GoTried);
    put_calls(c, d, retries);
    let text = c.str(list);
    let mut addresses: Vec<String> = Vec::new();
    let mut keys = Vec::new();
    for part in text.split("://").skip(1) {
        let authority = part.split('/').next().unwrap_or_default();
        let address = bare_address(authority.rsplit('@').next().unwrap_or_default());
        if !address.is_empty() && !addresses.iter().any(|known| known == address) {
            addresses.push(address.to_owned());
        }
        let query = part.split_once('?').map_or("", |(_, query)| query);
        keys.push(query.split_whitespace().next().unwrap_or_default());
    }
    put_group_and_version(c, d, list, &keys);
    d.put_list(
        Claim::DistinctAddresses,
        Fact::stated(addresses, c.place(list)),
    );
    let failed = c.until("/")?;
    d.put_number(Claim::FailedCalls, c, failed);
    let (_, routed) = c.until_any(&[")from the registry ", ") from the registry "])?;
    d.put_number(Claim::Routed, c, routed);
    let registry = c.until(" on the consumer ")?;
    d.put_registry_url(c, registry);
    let consumer = c.until(" using the dubbo version ")?;
    d.put_address(Claim::ConsumerIp, c.fact(consumer));
    let version = c.until(". Last error is")?;
    d.put(Claim::GoVersion, c.fact(version));
    Some(())
}

fn put_calls(c: &Cursor<'_>, d: &mut Draft, retries: Span) {
    d.put_number(Claim::Retries, c, retries);
    let place = c.place(retries);
    if let Ok(count) = c.str(retries).trim().parse::<u64>() {
        d.facts
            .push(Claim::Calls(Fact::derived(count.saturating_add(1), place)));
    }
    d.put(Claim::Cluster, Fact::derived("failover".to_owned(), place));
}

/// The keys of the list say group and version where the text itself names only the interface. The scheme of the next
/// key may hang on the last value when the blanks between them are lost.
fn put_group_and_version(c: &Cursor<'_>, d: &mut Draft, span: Span, queries: &[&str]) {
    let Some(query) = queries.first() else { return };
    let get = |key: &str| {
        let value = query
            .split('&')
            .find_map(|pair| pair.strip_prefix(key)?.strip_prefix('='))?;
        let loose_last = c.is_loose() && key == "version" && queries.len() > 1;
        let value = if loose_last {
            value
                .strip_suffix("dubbo")
                .or_else(|| value.strip_suffix("tri"))
                .unwrap_or(value)
        } else {
            value
        };
        Some(if value.is_empty() {
            Presence::Absent
        } else {
            Presence::Is(value.to_owned())
        })
    };
    let (Some(group), Some(version)) = (get("group"), get("version")) else {
        return;
    };
    let Some(interface) = d
        .facts
        .service()
        .map(|service| service.value.interface.clone())
    else {
        return;
    };
    d.facts.push(Claim::Service(Fact::stated(
        KeyClaim {
            interface,
            group,
            version,
        },
        c.place(span),
    )));
}

/// GO-TRIED3, 3.3.
fn tried_new(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::GoTried3);
    let method = c.until(" service=")?;
    put_method(c, d, method);
    let service = c.until(" retries=")?;
    d.put_interface(c, service);
    let retries = c.until(" providers=")?;
    put_calls(c, d, retries);
    let failed = c.until("/")?;
    d.put_number(Claim::FailedCalls, c, failed);
    let routed = c.until(" registry=")?;
    d.put_number(Claim::Routed, c, routed);
    let registry = c.until(" consumer=")?;
    d.put_registry_url(c, registry);
    let consumer = c.until(" version=")?;
    d.put_address(Claim::ConsumerIp, c.fact(consumer));
    let version = c.until(" lastErr=")?;
    d.put(Claim::GoVersion, c.fact(version));
    Some(())
}

/// GO-CONN: addresses are known, none can be connected.
pub(super) fn no_connection(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let service = c.until(" .No provider is available")?;
    d.is(MessageId::GoConn);
    d.put_interface(c, service);
    Some(())
}

fn no_connection_new(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::GoConn);
    let method = c.until(" service=")?;
    put_method(c, d, method);
    let service = c.word(|c| c == ',')?;
    d.put_interface(c, service);
    Some(())
}

/// GO-START of 3.x: the interface ends before `.please`.
fn start_check(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let (_, service) = c.until_any(&[
        ".please check configuration",
        ". please check configuration",
    ])?;
    d.is(MessageId::GoStart);
    d.put_interface(c, service);
    Some(())
}

/// GO-START of 1.5: no service key at all.
pub(super) fn start_check_old(c: &mut Cursor<'_>, d: &mut Draft, service: Span) -> Parsed {
    d.is(MessageId::GoStart);
    d.put_interface(c, service);
    c.skip("to the consumer use dubbo version ");
    let version = c.address()?;
    d.put(Claim::GoVersion, c.fact(version));
    Some(())
}

fn available(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::GoAvail);
    let list = c.line_span();
    let addresses: Vec<String> = c
        .str(list)
        .split(|c: char| c.is_whitespace() || matches!(c, '[' | ']' | ','))
        .filter_map(|part| SaidUrl::parse(part).map(|url| url.address.to_owned()))
        .collect();
    if !addresses.is_empty() {
        d.put_list(Claim::Addresses, Fact::stated(addresses, c.place(list)));
    }
    Some(())
}

fn read_timeout(_: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::GoRead);
    Some(())
}

fn routed_away(_: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::GoForce);
    Some(())
}

fn metadata(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let revision = c.until(" from ")?;
    d.is(MessageId::GoMeta);
    d.put(Claim::Revision, c.fact(revision));
    let instance = c.until(" failed: ")?;
    d.put_address(Claim::Instance, c.fact(instance));
    let cause = c.line_span();
    d.put_words(Claim::Cause, c, cause);
    Some(())
}

/// The provider's word on a key it does not export.
fn not_exported(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::GoNotExported);
    let key = c.word(|c| matches!(c, ',' | '"'))?;
    d.put_key(c, key);
    d.put_end(super::super::fact::End::Provider, c, key);
    Some(())
}
