//! Failed, repeated, slow and swallowed calls (`FailoverClusterInvoker` and its kin, `DefaultFuture`).

use super::super::claim::Claim;
use super::super::fact::Fact;
use super::super::message::MessageId;
use super::cursor::{Cursor, Span};
use super::directory::put_directory;
use super::draft::Draft;
use super::{Entry, Parsed, go};

pub(super) const ENTRIES: &[Entry] = &[
    ("Although retry the method ", although),
    ("Failfast invoke providers ", fail_fast),
    ("Failsafe ignore exception: ", fail_safe),
    ("Failback to invoke method ", fail_back),
    ("Failed retry to invoke method ", fail_back_again),
    ("Failed to forking invoke provider ", forking),
    ("Invoke remote method timeout. method: ", try_timeout),
    ("Failed to invoke remote method: ", try_failed),
    ("Fail to invoke remote method: ", try_failed),
];

/// B, TRIED and their likes of dubbo-go begin with the same words.
pub(super) fn failed_call(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let (which, method) = c.until_any(&[
        " in the service ",
        ". No provider available for the service ",
        " of the service ",
    ])?;
    put_method(c, d, method);
    match which {
        1 => return go::no_provider(c, d),
        2 => return go::no_connection(c, d),
        _ => {}
    }
    d.is(MessageId::Invoke);
    let (which, service) =
        c.until_any(&[". No provider available for the service ", ". Tried "])?;
    d.put_interface(c, service);
    if which == 1 {
        return tried(c, d);
    }
    d.is(MessageId::B);
    let key = c.until(" from registry ")?;
    // A generic call names `GenericService` before; the key is the service meant.
    d.facts.remove("service");
    d.put_key(c, key);
    let registry = c.until(" on the consumer ")?;
    if put_directory(c, d, registry) {
        d.facts.push(Claim::DubboAtLeast(Fact::derived(
            "3.2.4".to_owned(),
            c.place(registry),
        )));
    }
    let consumer = c.until(" using the dubbo version ")?;
    d.put_address(Claim::ConsumerIp, c.fact(consumer));
    let version = c.until(". Please check if the providers have been started")?;
    d.put(Claim::Dubbo, c.fact(version));
    Some(())
}

/// `$invoke` is a generic call; the name of the real method is elsewhere.
pub(super) fn put_method(c: &Cursor<'_>, d: &mut Draft, span: Span) {
    d.put(Claim::Method, c.fact(span));
    if matches!(c.str(span).trim(), "$invoke" | "$invokeAsync") {
        d.put_flag(Claim::Generic, Fact::derived(true, c.place(span)));
    }
}

/// TRIED: `N` calls were made, the list holds the distinct addresses, `(d/s)` its size and that of the routed list.
fn tried(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let tries = c.until(" times of the providers [")?;
    let list = c.until("] (")?;
    if c.str(list).contains("://") {
        return go::tried(c, d, tries, list);
    }
    d.is(MessageId::Tried);
    d.put_number(Claim::Tries, c, tries);
    put_addresses(c, d, Claim::Tried, list);
    let distinct = c.until("/")?;
    d.put_number(Claim::Distinct, c, distinct);
    let routed = c.until(") from the registry ")?;
    d.put_number(Claim::Routed, c, routed);
    put_cluster(c, d, list, "failover");
    registry_consumer_version(c, d)?;
    c.skip(". Last error is: ").then_some(())
}

fn although(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let method = c.until(" in the service ")?;
    d.is(MessageId::Although);
    put_method(c, d, method);
    let service = c.until(" was successful by the provider ")?;
    d.put_interface(c, service);
    let answered = c.until(", but there have been failed providers [")?;
    d.put_address(Claim::AnsweredBy, c.fact(answered));
    let list = c.until("] (")?;
    put_addresses(c, d, Claim::Failed, list);
    let distinct = c.until("/")?;
    d.put_number(Claim::Distinct, c, distinct);
    let routed = c.until(") from the registry ")?;
    d.put_number(Claim::Routed, c, routed);
    put_cluster(c, d, list, "failover");
    registry_consumer_version(c, d)?;
    c.skip(". Last error is: ").then_some(())
}

/// `{R} on the consumer {C} using the dubbo version {V}`, ending before `. Last error is`.
fn registry_consumer_version(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let registry = c.until(" on the consumer ")?;
    put_directory(c, d, registry);
    let consumer = c.until(" using the dubbo version ")?;
    d.put_address(Claim::ConsumerIp, c.fact(consumer));
    let mut probe = c.clone();
    let version = probe.until(". Last error is")?;
    d.put(Claim::Dubbo, c.fact(version));
    c.go_to(version.end);
    Some(())
}

fn put_addresses(c: &Cursor<'_>, d: &mut Draft, make: fn(Fact<Vec<String>>) -> Claim, list: Span) {
    let items = c
        .str(list)
        .split(',')
        .map(|item| item.trim().to_owned())
        .collect();
    d.put_list(make, Fact::stated(items, c.place(list)));
}

fn put_cluster(c: &Cursor<'_>, d: &mut Draft, span: Span, cluster: &str) {
    d.put(
        Claim::Cluster,
        Fact::derived(cluster.to_owned(), c.place(span)),
    );
}

fn fail_fast(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::FailFast);
    let (_, provider) = c.until_any(&[" "])?;
    d.put_provider(c, provider);
    put_cluster(c, d, provider, "failfast");
    c.until("for service ")?;
    let service = c.until(" method ")?;
    d.put_interface(c, service);
    let method = c.until(" on consumer ")?;
    put_method(c, d, method);
    let consumer = c.until(" use dubbo version ")?;
    d.put_address(Claim::ConsumerIp, c.fact(consumer));
    let version = c.until(", but no luck to perform the invocation")?;
    d.put(Claim::Dubbo, c.fact(version));
    Some(())
}

fn fail_safe(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::FailSafe);
    put_cluster(c, d, c.line_span(), "failsafe");
    Some(())
}

fn fail_back(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::FailBack);
    let method = c.until(", wait for retry in background")?;
    put_method(c, d, method);
    put_cluster(c, d, method, "failback");
    Some(())
}

fn fail_back_again(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::FailBack);
    let method = c.until(", waiting again")?;
    put_method(c, d, method);
    put_cluster(c, d, method, "failback");
    Some(())
}

fn forking(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::Forking);
    let list = c.until(", but no luck to perform the invocation")?;
    put_cluster(c, d, list, "forking");
    Some(())
}

fn try_timeout(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::RpcTimeout);
    one_try(c, d)
}

fn try_failed(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::RpcNet);
    one_try(c, d)
}

fn one_try(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let method = c.until(", provider: ")?;
    put_method(c, d, method);
    let provider = c.until(", cause: ")?;
    d.put_provider(c, provider);
    Some(())
}
