//! Addresses that arrived and never became invokers (`RegistryDirectory`, `ServiceDiscoveryRegistryDirectory`).

use super::super::claim::Claim;
use super::super::fact::{Discovery, Fact};
use super::super::message::MessageId;
use super::cursor::{Cursor, Span};
use super::directory::put_directory;
use super::draft::Draft;
use super::url::{SaidUrl, decoded, split_urls};
use super::{Entry, Parsed, TAIL};

pub(super) const ENTRIES: &[Entry] = &[
    ("urls to invokers error", urls_to_invokers),
    (
        "Cannot create invokers from url address list (total ",
        cannot_create,
    ),
    ("Unsupported protocol ", unsupported_protocol),
    (
        "No such extension org.apache.dubbo.rpc.Protocol by name ",
        no_protocol,
    ),
    ("Failed to refer invoker for interface:", refer),
    ("Invalid address, failed to parse into URL ", unparsable),
];

/// URLS: all addresses are listed. `disabled=true` gives the same text as a protocol that does not fit.
fn urls_to_invokers(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let here = c.line_span();
    if c.sees(TAIL) {
        // The short line of 3.1+; the numbers are in the exception below it.
        d.is(MessageId::Urls);
        return Some(());
    }
    let old = c.skip(" .invokerUrls.size :") && !c.is_loose();
    if !old && !c.skip(". invokerUrls.size :") && !c.skip(".invokerUrls.size :") {
        return None;
    }
    d.is(MessageId::Urls);
    if old {
        d.facts.push(Claim::DubboBelow(Fact::derived(
            "3.1.0".to_owned(),
            c.place(here),
        )));
    }
    let count = c.number()?;
    d.put_number(Claim::Urls, c, count);
    c.until("urls :[")?;
    let list = c.line_span();
    let end = c.str(list).find(']').map(|at| list.start + at);
    put_provider_urls(
        c,
        d,
        Span {
            end: end.unwrap_or(list.end),
            ..list
        },
        end.is_none(),
    );
    end.map(|_| ())
}

/// What a list of provider URLs says; the last one of a cut list does not count.
fn put_provider_urls(c: &Cursor<'_>, d: &mut Draft, span: Span, cut: bool) {
    let text = c.str(span);
    let mut texts = split_urls(text);
    if cut {
        texts.pop();
    }
    let urls: Vec<SaidUrl<'_>> = texts
        .iter()
        .filter_map(|(_, text)| SaidUrl::parse(text))
        .collect();
    let place = c.place(span);
    if urls.is_empty() {
        return;
    }
    d.put_list(
        Claim::Addresses,
        Fact::stated(
            urls.iter().map(|url| url.address.to_owned()).collect(),
            place,
        ),
    );
    for (at, text) in &texts {
        let start = span.start + at;
        put_one(
            c,
            d,
            Span {
                start,
                end: start + text.len(),
            },
        );
    }
    if urls.iter().all(|url| url.get("disabled") == Some("true")) {
        d.facts.push(Claim::Disabled(Fact::derived(true, place)));
    }
}

fn put_one(c: &Cursor<'_>, d: &mut Draft, span: Span) {
    let mut one = Draft::default();
    one.put_provider(c, span);
    for claim in &one.facts {
        if !matches!(claim, Claim::Provider(_) | Claim::Disabled(_)) {
            d.facts.push(claim.clone());
        }
    }
}

fn cannot_create(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let count = c.until(")")?;
    d.is(MessageId::Urls);
    d.put_number(Claim::Urls, c, count);
    d.facts.push(Claim::Discovery(Fact::derived(
        Discovery::Application,
        c.place(count),
    )));
    Some(())
}

fn unsupported_protocol(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let protocol = c.until(" in notified url: ")?;
    d.is(MessageId::Proto);
    d.put(Claim::Protocol, c.fact(protocol));
    let url = c.until(" from registry ")?;
    put_provider_urls(c, d, url, false);
    let registry = c.until(" to consumer ")?;
    put_directory(c, d, registry);
    let consumer = c.until(", supported protocol: ")?;
    d.put_address(Claim::ConsumerIp, c.fact(consumer));
    c.skip("[");
    let list = c.until("]")?;
    let names = c
        .str(list)
        .split(',')
        .map(|name| name.trim().to_owned())
        .collect();
    d.facts.push(Claim::SupportedProtocols(Fact::stated(
        names,
        c.place(list),
    )));
    Some(())
}

fn no_protocol(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let protocol = c.until(", please check")?;
    d.is(MessageId::Proto);
    d.put(Claim::Protocol, c.fact(protocol));
    Some(())
}

fn refer(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let class = c.until(",url:(")?;
    d.is(MessageId::Refer);
    d.put_interface(c, class);
    let url = c.until(")")?;
    d.put_provider(c, url);
    let reason = super::rule::until_tail(c);
    d.put_words(Claim::Cause, c, reason);
    // The reason has messages of its own.
    d.resume = Some(reason.start);
    Some(())
}

fn unparsable(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::Address);
    let span = c.word(|c| c == ',')?;
    let text = decoded(c.str(span));
    let url = SaidUrl::parse(&text)?;
    let place = c.place(span);
    if let Some(key) = url.key() {
        d.facts.push(Claim::Service(Fact::derived(key, place)));
    }
    d.put_address(
        Claim::Provider,
        Fact::derived(url.address.to_owned(), place),
    );
    for (key, make) in [
        (
            "application",
            Claim::ProviderApplication as fn(Fact<String>) -> Claim,
        ),
        ("release", Claim::ProviderRelease),
    ] {
        if let Some(value) = url.get(key) {
            d.put(make, Fact::derived(value.to_owned(), place));
        }
    }
    Some(())
}
