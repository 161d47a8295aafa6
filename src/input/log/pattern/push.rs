//! What registries push: empty lists, changes, counts (`CacheableFailbackRegistry`, `RegistryDirectory`,
//! `ServiceDiscoveryRegistryDirectory`).

use super::super::claim::Claim;
use super::super::fact::{Discovery, Fact};
use super::super::message::MessageId;
use super::cursor::{Cursor, Span};
use super::directory::put_directory;
use super::draft::Draft;
use super::rule::until_tail;
use super::url::{SaidUrl, split_urls};
use super::{Entry, Parsed};

pub(super) const ENTRIES: &[Entry] = &[
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
];

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
