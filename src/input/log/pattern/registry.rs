//! Registration, subscription, pushes and settings of registries (`FailbackRegistry`, `AbstractRegistry`,
//! `RegistryDirectory`, `ServiceConfig`, `RegistryProtocol`).

use super::super::claim::Claim;
use super::super::fact::{End, Fact};
use super::super::message::MessageId;
use super::cursor::{Cursor, Span};
use super::draft::Draft;
use super::rule::until_tail;
use super::url::{SaidUrl, split_urls};
use super::{Entry, Parsed};

pub(super) const ENTRIES: &[Entry] = &[
    ("Failed to subscribe ", subscribe_failed),
    ("Failed to register ", register_failed),
    ("Failed to notify addresses for subscribe ", notify_failed),
    ("Failed to notify for subscribe ", notify_failed),
    ("Can not create registry ", cannot_create),
    // nacos-client 2.x, `RpcClient`.
    ("Success to connect to server [", connected),
    ("Success to connect a server [", connected),
    // The ZooKeeper client, Curator, and what Dubbo says of it (`CuratorZookeeperClient`).
    ("Session establishment complete on server ", connected),
    ("State change: CONNECTED", connected),
    ("State change: RECONNECTED", connected),
    (
        "Curator zookeeper client instance initiated successfully",
        connected,
    ),
    ("Curator zookeeper connection recovered ", connected),
    ("New session created after old session lost", connected),
];

/// CONNECTED: which registry it is, other lines tell.
fn connected(_: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::Connected);
    Some(())
}

/// SUB-CACHE, SUB-RETRY and the SUB-FAIL inside them.
fn subscribe_failed(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let (which, url) = c.until_any(&[
        ", Using cached list: ",
        ", waiting for retry, cause: ",
        " to zookeeper ",
        " to nacos ",
        " to registry ",
        ", cause: ",
    ])?;
    SaidUrl::parse(c.str(url))?;
    d.put_consumer_url(c, url);
    match which {
        0 => {
            d.is(MessageId::SubCache);
            let (_, list) = c.until_across(&["] from cache file: "])?;
            put_cached(c, d, list);
            let file = c.until(", cause: ")?;
            d.put(Claim::CacheFile, c.fact(file));
        }
        1 => d.is(MessageId::SubRetry),
        2..=4 => {
            d.is(MessageId::SubFail);
            put_registry(c, d, which)?;
        }
        _ => d.is(MessageId::SubFail),
    }
    put_reason(c, d);
    Some(())
}

/// `to zookeeper {URL}, cause: `: the registry's own URL.
fn put_registry(c: &mut Cursor<'_>, d: &mut Draft, which: usize) -> Parsed {
    let registry = c.until(", cause: ")?;
    d.put_registry_url(c, registry);
    if !d.facts.has("registry_kind") {
        let kind = ["", "", "zookeeper", "nacos"]
            .get(which)
            .copied()
            .unwrap_or_default();
        d.put(
            Claim::RegistryKind,
            Fact::stated(kind.to_owned(), c.place(registry)),
        );
    }
    Some(())
}

fn put_cached(c: &Cursor<'_>, d: &mut Draft, list: Span) {
    let text = c.str(list).trim_start_matches('[');
    let addresses = split_urls(text)
        .into_iter()
        .filter_map(|(_, url)| SaidUrl::parse(url))
        .filter(|url| url.scheme != "empty")
        .map(|url| url.address.to_owned())
        .collect();
    d.put_list(
        Claim::CachedAddresses,
        Fact::stated(addresses, c.place(list)),
    );
}

/// The innermost cause on the line.
fn put_reason(c: &Cursor<'_>, d: &mut Draft) {
    let cause = until_tail(&mut c.clone());
    if c.is_cut_behind(cause) {
        return;
    }
    let text = c.words(cause);
    let inner = text.rsplit("cause: ").next().unwrap_or_default().trim();
    let place = c.place(cause);
    d.put_text(Claim::Cause, Fact::stated(inner.to_owned(), place));
    if let Some(reason) = super::network::reason(inner) {
        d.put(Claim::Reason, Fact::derived(reason.to_owned(), place));
    }
}

/// REG-FAIL: a provider, or a consumer's own entry, is not in the registry.
fn register_failed(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let (which, url) = c.until_any(&[
        ", waiting for retry, cause: ",
        "\u{0}",
        " to zookeeper ",
        " to nacos ",
        " to registry ",
        ", cause: ",
    ])?;
    let said = SaidUrl::parse(c.str(url))?;
    d.is(MessageId::RegFail);
    if said.scheme == "consumer" || said.get("side") == Some("consumer") {
        d.put_consumer_url(c, url);
    } else {
        d.put_end(End::Provider, c, url);
        d.put_provider(c, url);
    }
    if (2..=4).contains(&which) {
        put_registry(c, d, which)?;
    }
    put_reason(c, d);
    Some(())
}

fn notify_failed(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::NotifyFail);
    let (_, url) = c.until_any(&[", waiting for retry, cause: ", ", cause: "])?;
    d.put_consumer_url(c, url);
    put_reason(c, d);
    Some(())
}

/// A registry that could not be set up; an address whose port is no number does not parse at all (`#` in a password).
fn cannot_create(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let url = c.url()?;
    let text = c.str(url);
    let (scheme, rest) = text.split_once("://")?;
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    let place = c.place(url);
    let port_is_number = authority
        .rsplit('@')
        .next()
        .and_then(|address| address.rsplit_once(':'))
        .is_none_or(|(_, port)| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()));
    if port_is_number {
        d.is(MessageId::RegistryCreate);
        d.put_registry_url(c, url);
        return Some(());
    }
    d.is(MessageId::BadAddress);
    // What stands behind the colon may be the beginning of a password.
    let user = authority.split(':').next().unwrap_or_default();
    d.facts.push(Claim::BadAddress(Fact::stated(
        format!("{scheme}://{user}:***"),
        place,
    )));
    d.put(
        Claim::Reason,
        Fact::derived("address does not parse".to_owned(), place),
    );
    Some(())
}
