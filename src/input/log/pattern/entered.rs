//! What a process told a registry, and which registry it was configured with (`RegistryProtocol`, `ServiceConfig`).

use super::super::claim::Claim;
use super::super::fact::{Discovery, End, Fact};
use super::super::message::MessageId;
use super::cursor::{Cursor, Span};
use super::draft::Draft;
use super::url::SaidUrl;
use super::{Entry, Parsed};

pub(super) const ENTRIES: &[Entry] = &[
    ("Subscribe: ", subscribe),
    ("Trying to subscribe from apps ", subscribe_applications),
    ("Unsubscribe: ", unsubscribe),
    ("Register: ", register),
    ("Register dubbo service ", register_service),
    ("Registered dubbo service ", register_service),
    ("Register instance ", register_instance),
    ("Unregister: ", unregister),
    ("<dubbo:registry ", configured),
    ("client from the cache for address: ", client_address),
    ("create a new client for url. ", client_address),
];

fn subscribe(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let url = c.url()?;
    SaidUrl::parse(c.str(url))?;
    d.is(MessageId::Subscribe);
    d.put_consumer_url(c, url);
    Some(())
}

fn subscribe_applications(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let applications = c.until(" for service key ")?;
    d.is(MessageId::Subscribe);
    let names = c
        .str(applications)
        .split(',')
        .map(|name| name.trim().to_owned())
        .collect();
    d.facts.push(Claim::Applications(Fact::stated(
        names,
        c.place(applications),
    )));
    d.facts.push(Claim::Discovery(Fact::derived(
        Discovery::Application,
        c.place(applications),
    )));
    let key = c.word(|c| c == ',')?;
    d.put_key(c, key);
    Some(())
}

fn unsubscribe(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let url = c.url()?;
    SaidUrl::parse(c.str(url))?;
    d.is(MessageId::Unregister);
    d.put_consumer_url(c, url);
    Some(())
}

fn put_registered(c: &Cursor<'_>, d: &mut Draft, span: Span) -> Parsed {
    let url = SaidUrl::parse(c.str(span))?;
    if url.scheme == "consumer" || url.get("side") == Some("consumer") {
        d.put_consumer_url(c, span);
    } else {
        d.put_end(End::Provider, c, span);
        d.put_provider(c, span);
        if !url.path.is_empty() {
            d.put(
                Claim::ProviderPath,
                Fact::derived(url.path.to_owned(), c.place(span)),
            );
        }
        d.put(
            Claim::Protocol,
            Fact::derived(url.scheme.to_owned(), c.place(span)),
        );
    }
    Some(())
}

fn register(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let url = c.url()?;
    put_registered(c, d, url)?;
    d.is(MessageId::Register);
    Some(())
}

fn unregister(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let url = c.url()?;
    put_registered(c, d, url)?;
    d.is(MessageId::Unregister);
    Some(())
}

/// `Register dubbo service {K} url {U} to registry {address or the registry's own URL}`.
fn register_service(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let key = c.until(" url ")?;
    d.is(MessageId::Register);
    d.put_key(c, key);
    let url = c.until(" to registry ")?;
    put_registered(c, d, url)?;
    let registry = c.url()?;
    d.put_registry_url(c, registry);
    Some(())
}

/// `Register instance {application} {host:port}`, application level.
fn register_instance(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let application = c.until(" ")?;
    let address = c.address()?;
    if !c.str(address).contains(':') {
        return None;
    }
    d.is(MessageId::Register);
    d.put_end(End::Provider, c, application);
    d.put(Claim::ProviderApplication, c.fact(application));
    d.put_address(Claim::Provider, c.fact(address));
    d.facts.push(Claim::Discovery(Fact::derived(
        Discovery::Application,
        c.place(application),
    )));
    Some(())
}

/// A registry as configured: `<dubbo:registry address=".." parameters="{namespace=..}" group=".." />`.
fn configured(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let tag = c.until("/>")?;
    d.is(MessageId::Configured);
    let mut inner = c.within(tag);
    if inner.until("address=\"").is_some()
        && let Some(address) = inner.until("\"")
    {
        d.put_registry_url(c, address);
    }
    let kind = d
        .facts
        .registry_kind()
        .map(|kind| kind.value.clone())
        .unwrap_or_default();
    let parameters =
        attribute(c, tag, " parameters=\"{").map(|span| c.str(span).trim_end_matches('}'));
    for pair in parameters.unwrap_or_default().split(',') {
        let Some((key, value)) = pair.trim().split_once('=') else {
            continue;
        };
        let fact = Fact::stated(value.to_owned(), c.place(tag));
        match key {
            "namespace" => d.put(Claim::Namespace, fact),
            "group" => d.put(group_claim(&kind), fact),
            _ => {}
        }
    }
    if let Some(group) = attribute(c, tag, " group=\"") {
        d.put(group_claim(&kind), c.fact(group));
        d.put(Claim::GroupAttribute, c.fact(group));
    }
    Some(())
}

fn group_claim(kind: &str) -> fn(Fact<String>) -> Claim {
    if kind == "nacos" {
        Claim::NacosGroup
    } else {
        Claim::RegistryRoot
    }
}

fn attribute(c: &Cursor<'_>, tag: Span, front: &str) -> Option<Span> {
    let mut inner = c.within(tag);
    inner.until(front)?;
    inner.until("\"")
}

/// The registry's own URL of `AbstractZookeeperTransporter`; config centres and metadata reports use it, too.
fn client_address(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let url = c.url()?;
    if !SaidUrl::parse(c.str(url)).is_some_and(|url| url.is_registry()) {
        return None;
    }
    d.is(MessageId::Configured);
    d.put_registry_url(c, url);
    Some(())
}
