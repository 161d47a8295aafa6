//! The "no provider" family (`RegistryDirectory`, `AbstractClusterInvoker`, `AbstractDirectory`, `ReferenceConfig`).

use super::super::claim::Claim;
use super::super::fact::Fact;
use super::super::message::MessageId;
use super::cursor::{Cursor, Span};
use super::directory::put_directory;
use super::draft::Draft;
use super::url::{SaidUrl, split_urls};
use super::{Entry, Parsed, TAIL};

pub(super) const ENTRIES: &[Entry] = &[
    ("No provider available from registry ", nothing_delivered),
    ("Forbid consumer ", forbidden),
    ("Failed to invoke the method ", super::call::failed_call),
    (
        "No provider available after route for the service ",
        after_route,
    ),
    ("Router snapshot service ", snapshot),
    (
        "No provider available after connectivity filter for the service ",
        after_connectivity,
    ),
    ("Failed to check the status of the service ", start_check),
    ("No provider available.", start_check_line),
    ("Check reference of [", start_wait),
    ("No provider available in [", available_cluster),
    (
        "No registry instance in zone or no available providers in the registry, zone: ",
        zone_aware,
    ),
    ("Directory already destroyed .url: ", destroyed_old),
    ("Directory of type ", destroyed),
    ("Rpc cluster invoker for ", invoker_destroyed),
    (
        "There's no service discovery invoker available for service ",
        no_invoker,
    ),
    ("No available provider for service", no_group),
    ("No such any registry to reference ", no_registry),
];

/// A: `RegistryDirectory.doList` 2.6, `DynamicDirectory.doList` 2.7-3.3.
fn nothing_delivered(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::A);
    let registry = c.until(" for service ")?;
    if put_directory(c, d, registry) {
        d.facts.push(Claim::DubboAtLeast(Fact::derived(
            "3.2.9".to_owned(),
            c.place(registry),
        )));
    }
    let key = c.until(" on consumer ")?;
    d.put_key(c, key);
    let consumer = c.until(" use dubbo version ")?;
    d.put_address(Claim::ConsumerIp, c.fact(consumer));
    let version = c.until(", please check status of providers")?;
    d.put(Claim::Dubbo, c.fact(version));
    c.skip("(disabled, not registered or in ");
    if c.sees("blocklist") {
        d.facts.push(Claim::DubboAtLeast(Fact::derived(
            "3.2.13".to_owned(),
            c.place(c.line_span()),
        )));
    }
    Some(())
}

/// A-OLD: 2.4.0-2.5.3. No access list is involved in spite of the words.
fn forbidden(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let consumer = c.until(" access service ")?;
    d.is(MessageId::AOld);
    d.put_address(Claim::ConsumerIp, c.fact(consumer));
    let service = c.until(" from registry ")?;
    d.put_interface(c, service);
    let registry = c.until(" use dubbo version ")?;
    put_directory(c, d, registry);
    let version = c.until(", Please check registry access list")?;
    d.put(Claim::Dubbo, c.fact(version));
    Some(())
}

/// C: `RouterChain` 3.0.5-3.1, `SingleRouterChain` 3.2+. The address after `from registry` is the consumer's.
fn after_route(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::C);
    let key = c.until(" from registry ")?;
    d.put_key(c, key);
    c.until(" on the consumer ")?;
    let consumer = c.until(" using the dubbo version ")?;
    d.put_address(Claim::ConsumerIp, c.fact(consumer));
    let version = c.until(". Router snapshot is below")?;
    d.put(Claim::Dubbo, c.fact(version));
    super::snapshot::read(c, d)
}

/// The router snapshot of `RouterSnapshotSwitcher`, also of calls that found a provider.
fn snapshot(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let key = c.until(" from registry ")?;
    d.is(MessageId::Snapshot);
    d.put_key(c, key);
    c.until(" on the consumer ")?;
    let consumer = c.until(" using the dubbo version ")?;
    d.put_address(Claim::ConsumerIp, c.fact(consumer));
    let version = c.until(" is below")?;
    d.put(Claim::Dubbo, c.fact(version));
    super::snapshot::read(c, d)
}

/// D: `AbstractDirectory.list` 3.0.6+, reworded in 3.2.6.
fn after_connectivity(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    const COUNTS: [&str; 3] = [
        " All validInvokers' size: ",
        " All routed invokers' size: ",
        " All invokers' size: ",
    ];
    d.is(MessageId::D);
    let (mut count, key) = c.until_any(&COUNTS)?;
    d.put_key(c, key);
    loop {
        let number = c.number()?;
        match count {
            0 => d.put_number(Claim::Valid, c, number),
            1 => d.put_number(Claim::Routed, c, number),
            _ => d.put_number(Claim::Invokers, c, number),
        }
        match COUNTS.iter().position(|fixed| c.skip(fixed)) {
            Some(next) => count = next,
            None => break,
        }
    }
    if !c.skip(" from registry ") {
        return None;
    }
    let registry = c.until(" on the consumer ")?;
    put_directory(c, d, registry);
    let consumer = c.until(" using the dubbo version ")?;
    d.put_address(Claim::ConsumerIp, c.fact(consumer));
    let version = c.address()?;
    d.put(Claim::Dubbo, c.fact(version));
    Some(())
}

/// E: `ReferenceConfig.checkInvokerAvailable`; dubbo-go 1.5 begins with the same words.
fn start_check(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let service = c.until(". No provider available for the service ")?;
    if c.sees("to the consumer use dubbo version ") {
        return super::go::start_check_old(c, d, service);
    }
    d.is(MessageId::E);
    d.put_interface(c, service);
    let key = c.until(" from the url ")?;
    d.put_key(c, key);
    let url = c.until(" to the consumer ")?;
    put_start_url(c, d, url);
    let consumer = c.until(" use dubbo version ")?;
    d.put_address(Claim::ConsumerIp, c.fact(consumer));
    let version = c.address()?;
    d.put(Claim::Dubbo, c.fact(version));
    Some(())
}

/// The line logged beside E, 3.1+: it says nothing but version, host and code.
fn start_check_line(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    c.sees(TAIL).then(|| d.is(MessageId::E))
}

/// Up to 2.7.9 the registry's host with the reference's parameters: the registry's own namespace, group and members are
/// not in it. From 2.7.10 on the consumer's address.
fn put_start_url(c: &Cursor<'_>, d: &mut Draft, span: Span) {
    d.put_consumer_url(c, span);
    if let Some(url) = SaidUrl::parse(c.str(span)).filter(SaidUrl::is_registry) {
        d.put_registry_address(&url, c, span);
        d.facts.remove("registry_backup");
    }
}

/// The start waits for a provider, 3.2.3+.
fn start_wait(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let key = c.until("] failed very beginning. After ")?;
    d.is(MessageId::StartWait);
    d.put_key(c, key);
    d.facts.push(Claim::DubboAtLeast(Fact::derived(
        "3.2.3".to_owned(),
        c.place(key),
    )));
    let waited = c.until("ms reties, finally ")?;
    d.put_number(Claim::WaitedMs, c, waited);
    let end = c.line_span();
    let succeeded = c.sees("succeed");
    if succeeded || c.sees("failed") {
        d.put_flag(Claim::WaitSucceeded, Fact::stated(succeeded, c.place(end)));
    }
    Some(())
}

/// F: `AvailableCluster`, `ZoneAwareClusterInvoker`: one entry per invoker, `interface {I} -> {URL or address}`.
fn available_cluster(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::F);
    let list = c.line_span();
    let end = c.str(list).rfind(']').map(|at| list.start + at);
    let mut entries = c.within(Span {
        start: list.start,
        end: end.unwrap_or(list.end),
    });
    let (mut addresses, mut registries) = (Vec::new(), Vec::new());
    while entries.until("interface ").is_some() {
        let service = entries.until(" -> ")?;
        d.put_interface(c, service);
        let start = entries.position();
        let ended =
            entries.until_any(&[",directory:", ", interface ", ",interface ", ", invoker :"]);
        let target = match ended {
            Some((_, span)) => {
                // The next entry begins with the word that ended this one.
                entries = entries.within(Span {
                    start: span.end,
                    end: entries.line_span().end,
                });
                span
            }
            None if end.is_some() => entries.line_span(),
            None => break,
        };
        let target = Span { start, ..target };
        match SaidUrl::parse(c.str(target)) {
            Some(url) if url.is_registry() => {
                put_start_url(c, d, target);
                registries.push(url.address.to_owned());
            }
            Some(url) => {
                d.put_provider(c, target);
                addresses.push(url.address.to_owned());
            }
            None => addresses.push(c.str(target).trim().to_owned()),
        }
    }
    let place = c.place(list);
    if !addresses.is_empty() {
        d.put_list(Claim::Addresses, Fact::stated(addresses, place));
    }
    if registries.len() > 1 {
        d.put_list(Claim::Registries, Fact::stated(registries, place));
    }
    end.map(|_| ())
}

/// G: `ZoneAwareClusterInvoker` 2.7.5+.
fn zone_aware(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::G);
    let zone = c.until(", registries: ")?;
    d.put(Claim::Zone, c.fact(zone));
    let list = c.line_span();
    let text = c.str(list).trim_start_matches('[');
    let registries: Vec<String> = split_urls(text)
        .into_iter()
        .filter_map(|(_, url)| {
            SaidUrl::parse(url.trim_end_matches(['.', ']'])).map(|url| url.address.to_owned())
        })
        .collect();
    d.put_list(Claim::Registries, Fact::stated(registries, c.place(list)));
    Some(())
}

/// H of 2.6 and 2.7.
fn destroyed_old(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::H);
    let url = c.url()?;
    put_start_url(c, d, url);
    Some(())
}

/// H of 3.x.
fn destroyed(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    c.until(" already destroyed for service ")?;
    d.is(MessageId::H);
    let key = c.until(" from registry ")?;
    d.put_key(c, key);
    let url = c.url()?;
    if let Some(url_said) = SaidUrl::parse(c.str(url)) {
        d.put_registry_address(&url_said, c, url);
    }
    Some(())
}

/// H of a cluster invoker.
fn invoker_destroyed(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let class = c.until(" on consumer ")?;
    d.is(MessageId::H);
    d.put_interface(c, class);
    let consumer = c.until(" use dubbo version ")?;
    d.put_address(Claim::ConsumerIp, c.fact(consumer));
    let version = c.until(" is now destroyed!")?;
    d.put(Claim::Dubbo, c.fact(version));
    Some(())
}

/// J: `ServiceDiscoveryMigrationInvoker`.
fn no_invoker(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::J);
    let name = c.address()?;
    d.put_key(c, name);
    Some(())
}

/// K: `MergeableClusterInvoker`, one group of several.
fn no_group(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let key = c.until(" on group ")?;
    d.is(MessageId::K);
    d.put_key(c, key);
    c.until(", will continue")?;
    Some(())
}

/// L: no registry is configured at all.
fn no_registry(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::L);
    let service = c.until(" on the consumer ")?;
    d.put_interface(c, service);
    let consumer = c.until(" use dubbo version ")?;
    d.put_address(Claim::ConsumerIp, c.fact(consumer));
    let version = c.until(", please config")?;
    d.put(Claim::Dubbo, c.fact(version));
    Some(())
}
