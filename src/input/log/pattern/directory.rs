//! The text after `from registry`: an address, or the directory with its counts (3.2.4+).

use super::super::claim::Claim;
use super::super::fact::{Discovery, Fact, KeyClaim};
use super::cursor::{Cursor, Span};
use super::draft::Draft;

/// The text after `from registry`: an address, or the directory of 3.2.4+ with its counts. Says whether it was the
/// latter.
pub(super) fn put_directory(c: &Cursor<'_>, d: &mut Draft, span: Span) -> bool {
    let text = c.str(span);
    if !text.contains("Directory(") {
        d.put_registry_url(c, span);
        return false;
    }
    let mut c = c.within(span);
    let place = c.place(span);
    if let Some(model) = text
        .contains("RegistryDirectory(")
        .then(|| c.until("RegistryDirectory(registry: "))
        .flatten()
    {
        let discovery = if c.str(model).ends_with("ServiceDiscovery") {
            Discovery::Application
        } else {
            Discovery::Interface
        };
        d.facts
            .push(Claim::Discovery(Fact::stated(discovery, place)));
        if let Some((with_key, registry)) = c.until_any(&[", subscribed key: ", ")-", ")"]) {
            d.put_address(Claim::Registry, c.fact(registry));
            if with_key == 0
                && let Some((_, key)) = c.until_any(&[")-Directory(", ")-", ")"])
            {
                put_subscribed(&c, d, key);
            }
        }
    }
    let mut counts = c.clone();
    counts.until_any(&["(invokers: ", "invokers: "]);
    put_count(&mut counts, d, Claim::Invokers, "], validInvokers: ");
    put_count(&mut counts, d, Claim::Valid, "], invokersToReconnect: ");
    put_count(&mut counts, d, Claim::Reconnect, "])");
    true
}

/// Applications in brackets, or the bare service key when no application is subscribed.
fn put_subscribed(c: &Cursor<'_>, d: &mut Draft, span: Span) {
    let text = c.str(span).trim();
    let list = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    let applications = list.map_or_else(Vec::new, |list| {
        list.split(',')
            .map(|name| name.trim().to_owned())
            .filter(|name| !name.is_empty())
            .collect()
    });
    if list.is_none()
        && let Some(key) = KeyClaim::parse(text)
    {
        d.facts
            .push(Claim::Service(Fact::derived(key, c.place(span))));
    }
    d.facts.push(Claim::Applications(Fact::stated(
        applications,
        c.place(span),
    )));
}

/// `{n}[a, b, c]`: the number is true, the list has at most three. It ends where the next part begins, since an IPv6
/// address has brackets of its own.
fn put_count(c: &mut Cursor<'_>, d: &mut Draft, make: fn(Fact<u64>) -> Claim, end: &str) {
    let Some(count) = c.until("[") else { return };
    d.put_number(make, c, count);
    let Some(list) = c.until(end) else { return };
    let place = c.place(list);
    let items: Vec<String> = c
        .str(list)
        .split(',')
        .map(|item| item.trim().to_owned())
        .filter(|item| !item.is_empty() && item != "...")
        .collect();
    let total: usize = c.str(count).trim().parse().unwrap_or(0);
    if !items.is_empty() && !d.facts.has("listed") {
        d.put_flag(Claim::ListCut, Fact::stated(items.len() < total, place));
        d.put_list(Claim::Listed, Fact::stated(items, place));
    }
}
