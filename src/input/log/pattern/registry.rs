//! Registration, subscription, pushes and settings of registries (`FailbackRegistry`, `AbstractRegistry`,
//! `RegistryDirectory`, `ServiceConfig`, `RegistryProtocol`).

use super::super::claim::Claim;
use super::super::fact::{Discovery, End, Fact};
use super::super::message::MessageId;
use super::cursor::{Cursor, Span};
use super::draft::Draft;
use super::no_provider::put_directory;
use super::rule::until_tail;
use super::url::{SaidUrl, split_urls};
use super::{Entry, Parsed};

pub(super) const ENTRIES: &[Entry] = &[
    ("Failed to subscribe ", subscribe_failed),
    ("Failed to register ", register_failed),
    ("Failed to notify addresses for subscribe ", notify_failed),
    ("Failed to notify for subscribe ", notify_failed),
    ("Ignore empty notify urls for subscribe url ", empty_ignored),
    ("received empty address list ", empty_list),
    (
        "Received empty url address list and empty protection is ",
        empty_nacos,
    ),
    ("Received empty url list", empty_application),
    ("Received url with EMPTY protocol", empty_protocol),
    (
        "Received invokers changed event from registry. Registry type: ",
        changed,
    ),
    ("Refreshed invoker size ", refreshed),
    ("Notify urls for subscribe url ", notify),
    ("Notify service ", notify_service),
    (
        "Received instance notification, serviceName: ",
        notify_instances,
    ),
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
    ("Can not create registry ", cannot_create),
];

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

fn empty_ignored(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::EmptyKeep);
    let url = c.url()?;
    d.put_consumer_url(c, url);
    Some(())
}

/// `Service{K} received empty address list ..`: some lines lack the blank before the key.
fn empty_list(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let keep = c.sees("with no EMPTY protocol set");
    let clear = c.sees("and empty protection is disabled");
    if !keep && !clear {
        return None;
    }
    d.is(if clear {
        MessageId::EmptyClear
    } else {
        MessageId::EmptyKeep
    });
    let before = c.before();
    let fixed = if c.is_loose() {
        "receivedemptyaddresslist"
    } else {
        "received empty address list"
    };
    let front = &before[..before.rfind(fixed)?];
    let front = front.trim_end();
    let blank = front.rfind(|c: char| c.is_whitespace() || c == ']');
    let start = blank.map_or(0, |at| {
        at + front[at..].chars().next().map_or(1, char::len_utf8)
    });
    if blank.is_none() {
        c.note_line_start();
    }
    let word = &front[start..];
    let glued = word.strip_prefix("Service").filter(|key| !key.is_empty());
    // Without the word before it this is the end of something broken.
    let key = glued.or_else(|| {
        front[..start]
            .trim_end()
            .ends_with("Service")
            .then_some(word)
    });
    if let Some(key) = key {
        let end = c.position() - before.len() + front.len();
        d.put_key(
            c,
            Span {
                start: end - key.len(),
                end,
            },
        );
    }
    c.until_any(&[
        "trigger empty protection",
        "will clear",
        "will ignore",
        "protection",
    ])?;
    Some(())
}

/// The same of `NacosRegistry`; no key.
fn empty_nacos(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let clear = c.sees("disabled");
    if !clear && !c.sees("enabled") {
        return None;
    }
    d.is(if clear {
        MessageId::EmptyClear
    } else {
        MessageId::EmptyKeep
    });
    Some(())
}

/// The same at application level.
fn empty_application(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let (_, registry) = c.until_any(&[", will ignore for protection purpose"])?;
    d.is(MessageId::EmptyKeep);
    put_named_directory(c, d, registry);
    Some(())
}

fn empty_protocol(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let registry = c.until(", will clear all available addresses")?;
    d.is(MessageId::EmptyClear);
    d.put_flag(Claim::EmptyProtocol, Fact::stated(true, c.place(registry)));
    put_named_directory(c, d, registry);
    Some(())
}

/// ` from registry {directory}`, where it is there.
fn put_named_directory(c: &Cursor<'_>, d: &mut Draft, span: Span) {
    let mut part = c.within(span);
    if part.skip(" from registry ") {
        put_directory(c, d, part.line_span());
    }
}

/// CHANGED: three counts.
fn changed(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let kind = c.until(". Service Key: ")?;
    d.is(MessageId::Changed);
    let discovery = match c.str(kind).trim() {
        "interface" => Some(Discovery::Interface),
        "instance" => Some(Discovery::Application),
        _ => None,
    };
    if let Some(discovery) = discovery {
        d.facts
            .push(Claim::Discovery(Fact::stated(discovery, c.place(kind))));
    }
    let key = c.until(". Urls Size : ")?;
    d.put_key(c, key);
    let urls = c.until(". Invokers Size : ")?;
    d.put_number(Claim::Urls, c, urls);
    let invokers = c.until(". Available Size: ")?;
    d.put_number(Claim::Invokers, c, invokers);
    let available = c.until(". Available Invokers : ")?;
    d.put_number(Claim::Available, c, available);
    let list = until_tail(c);
    if c.is_cut_behind(list) {
        return None;
    }
    let items: Vec<String> = c
        .str(list)
        .split(',')
        .map(|item| item.trim().to_owned())
        .filter(|item| !item.is_empty() && item != "empty")
        .collect();
    let total: usize = c.str(available).trim().parse().unwrap_or(0);
    if !items.is_empty() {
        d.put_flag(
            Claim::ListCut,
            Fact::stated(items.len() < total, c.place(list)),
        );
        d.put_list(Claim::Listed, Fact::stated(items, c.place(list)));
    }
    Some(())
}

/// The same in short; 3.2+ adds the directory.
fn refreshed(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let count = c.number()?;
    d.is(MessageId::Changed);
    d.put_number(Claim::Invokers, c, count);
    if c.skip(" from registry ") {
        let directory = until_tail(c);
        d.facts.remove("invokers");
        put_directory(c, d, directory);
    }
    Some(())
}

/// NOTIFY: 2.x lists the addresses, 3.x only counts them. `empty://` with category providers: the registry has none.
fn notify(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let (which, url) = c.until_any(&[", urls: [", ", url size: "])?;
    d.is(MessageId::Notify);
    d.put_consumer_url(c, url);
    if which == 1 {
        let count = c.number()?;
        d.put_number(Claim::Urls, c, count);
        return Some(());
    }
    let list = c.line_span();
    let end = c.str(list).find(']').map(|at| list.start + at);
    let list = Span {
        end: end.unwrap_or(list.end),
        ..list
    };
    let mut texts = split_urls(c.str(list));
    if end.is_none() {
        texts.pop();
    }
    let urls: Vec<SaidUrl<'_>> = texts
        .iter()
        .filter_map(|(_, url)| SaidUrl::parse(url))
        .collect();
    let place = c.place(list);
    let of_providers = |url: &&SaidUrl<'_>| {
        url.get("category")
            .is_none_or(|category| category.split(',').any(|one| one == "providers"))
    };
    if urls
        .iter()
        .filter(of_providers)
        .any(|url| url.scheme == "empty")
    {
        d.put_flag(Claim::EmptyProtocol, Fact::stated(true, place));
    }
    let providers: Vec<String> = urls
        .iter()
        .filter(of_providers)
        .filter(|url| {
            !matches!(
                url.scheme,
                "empty" | "override" | "route" | "condition" | "script" | "consumer"
            )
        })
        .map(|url| url.address.to_owned())
        .collect();
    if !providers.is_empty() {
        d.put_list(Claim::Addresses, Fact::stated(providers, place));
    }
    end.map(|_| ())
}

/// `Notify service {K}:{protocol} with urls {n}`, application level.
fn notify_service(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let key = c.until(" with urls ")?;
    d.is(MessageId::Notify);
    let end = c.str(key).rfind(':').map_or(key.end, |at| key.start + at);
    d.put_key(c, Span { end, ..key });
    let count = c.number()?;
    d.put_number(Claim::Urls, c, count);
    d.facts.push(Claim::Discovery(Fact::derived(
        Discovery::Application,
        c.place(key),
    )));
    Some(())
}

fn notify_instances(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let application = c.until(", instances: ")?;
    d.is(MessageId::Notify);
    let names = vec![c.str(application).trim().to_owned()];
    d.facts.push(Claim::Applications(Fact::stated(
        names,
        c.place(application),
    )));
    let count = c.number()?;
    d.put_number(Claim::InstanceSize, c, count);
    Some(())
}

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
