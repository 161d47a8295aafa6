//! Application level: metadata, mapping, migration.

use super::super::claim::Claim;
use super::super::fact::{End, Fact};
use super::super::message::MessageId;
use super::cursor::{Cursor, Span};
use super::draft::Draft;
use super::rule::until_tail;
use super::{Entry, Parsed};

pub(super) const ENTRIES: &[Entry] = &[
    ("Failed to get app metadata for revision ", not_answered),
    (
        "Failed to get metadata for revision after ",
        not_after_retries,
    ),
    (
        " revisions failed to get metadata from remote: ",
        revisions_failed,
    ),
    ("No valid remote metadata report specified", no_report),
    (
        "Introspection service discovery mode is enabled ",
        no_metadata_service,
    ),
    ("Metadata Service Port is not provided", no_port),
    ("metadata not found for revision: ", not_found_here),
    ("The metadata of Dubbo service[key : ", spring_cloud),
    (
        "Address refresh failed because of Metadata Server failure",
        refresh_failed,
    ),
    (" unique working revisions: ", revisions),
    ("metadata revision changed: ", revision_changed),
    ("Failed to put provider metadata", not_stored_provider),
    ("Failed to put consumer metadata", not_stored),
    ("publish nacos metadata failed", not_stored),
    ("No interface-apps mapping found in local cache", no_mapping),
    ("Cannot find app mapping for service ", no_mapping_of),
    (
        "Should has at least one way to know which services this interface belongs to, subscription url: ",
        no_mapping_old,
    ),
    (
        "Failed register interface application mapping for service ",
        mapping_failed,
    ),
    ("Migrate to ", migrate),
    ("Succeed Migrated to ", migrated),
    ("Instance address size ", compare),
    ("No instance address available, stop compare", no_instance),
    ("No interface address available, stop compare", no_interface),
];

fn not_answered(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::Meta);
    let revision = c.until(" for type ")?;
    d.put(Claim::Revision, c.fact(revision));
    let kind = c.until(" from instance ")?;
    d.put(Claim::MetadataType, c.fact(kind));
    let instance = c.address()?;
    d.put_address(Claim::Instance, c.fact(instance));
    Some(())
}

fn not_after_retries(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    c.until(" retries, revision=")?;
    d.is(MessageId::Meta);
    let revision = c.word(|c| c == ',')?;
    d.put(Claim::Revision, c.fact(revision));
    Some(())
}

/// `{n}/{m} revisions failed ..: {all m}`: which ones failed is known only if all did.
fn revisions_failed(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::Meta);
    let (failed, all) = counts_before(
        c,
        if c.is_loose() {
            "revisionsfailedtoget"
        } else {
            " revisions failed to get"
        },
    )?;
    d.put_number(Claim::RevisionsFailed, c, failed);
    d.put_number(Claim::Revisions, c, all);
    if c.str(failed) == c.str(all) {
        put_revisions(c, d)?;
    }
    Some(())
}

/// `{n}/{m}` right before the words.
fn counts_before(c: &Cursor<'_>, fixed: &str) -> Option<(Span, Span)> {
    let before = c.before();
    let front = &before[..before.rfind(fixed)?];
    let end = c.position() - before.len() + front.len();
    let digits =
        |text: &str| text.len() - text.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let all = digits(front);
    let front = front[..front.len() - all].strip_suffix('/')?;
    let failed = digits(front);
    let all_span = Span {
        start: end - all,
        end,
    };
    let failed_span = Span {
        start: end - all - 1 - failed,
        end: end - all - 1,
    };
    (all > 0 && failed > 0).then_some((failed_span, all_span))
}

fn put_revisions(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let list = until_tail(c);
    if c.is_cut_behind(list) {
        return None;
    }
    for revision in c.str(list).split_whitespace().take(16) {
        let fact = Fact::stated(revision.trim_matches(',').to_owned(), c.place(list));
        if fact.value.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            d.put(Claim::Revision, fact);
        }
    }
    Some(())
}

fn simple(c: &Cursor<'_>, d: &mut Draft, reason: &str) -> Parsed {
    d.is(MessageId::Meta);
    d.put(
        Claim::Reason,
        Fact::derived(reason.to_owned(), c.place(c.line_span())),
    );
    Some(())
}

fn no_report(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    simple(c, d, "no metadata report configured")
}

fn no_metadata_service(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    simple(c, d, "no metadata service in the instance")
}

fn no_port(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    simple(c, d, "no metadata service port in the instance")
}

/// Printed by the provider that was asked.
fn not_found_here(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::Meta);
    let revision = c.word(|c| c == ',')?;
    d.put(Claim::Revision, c.fact(revision));
    d.put_end(End::Provider, c, revision);
    Some(())
}

/// Spring Cloud Alibaba's `DubboCloudRegistry`.
fn spring_cloud(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let key = c.until("] still can't be found")?;
    simple(c, d, "metadata not found")?;
    d.put_key(c, key);
    Some(())
}

fn refresh_failed(_: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::MetaRefresh);
    Some(())
}

fn revisions(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::Revisions);
    put_revisions(c, d)
}

/// The provider's own word.
fn revision_changed(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    c.until(" -> ")?;
    d.is(MessageId::Revisions);
    let revision = c.until(", app: ")?;
    d.put(Claim::Revision, c.fact(revision));
    let application = c.until(", services: ")?;
    d.put(Claim::ProviderApplication, c.fact(application));
    d.put_end(End::Provider, c, application);
    Some(())
}

fn not_stored_provider(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.put_end(End::Provider, c, c.line_span());
    not_stored(c, d)
}

fn not_stored(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::MetaStore);
    if c.until(", cause: ").is_some() {
        let cause = until_tail(&mut c.clone());
        d.put_words(Claim::Cause, c, cause);
    }
    Some(())
}

fn no_mapping(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::MapNone);
    c.until("callback: ")?;
    let url = c.url()?;
    d.put_consumer_url(c, url);
    Some(())
}

fn no_mapping_of(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::MapNone);
    let service = c.word(|c| c == ',')?;
    d.put_interface(c, service);
    Some(())
}

fn no_mapping_old(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::MapNone);
    let url = c.url()?;
    d.put_consumer_url(c, url);
    Some(())
}

fn mapping_failed(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::MapFail);
    let key = c.word(|c| c == ',')?;
    d.put_key(c, key);
    d.put_end(End::Provider, c, key);
    Some(())
}

fn migrate(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let step = c.until(" mode failed. Probably not satisfy the threshold")?;
    d.is(MessageId::Mig);
    d.put(Claim::Step, c.fact(step));
    d.put(
        Claim::Reason,
        Fact::derived("threshold not satisfied".to_owned(), c.place(step)),
    );
    if c.skip(" you set ")
        && let Some(threshold) = c.number_with_point()
    {
        d.put(Claim::Threshold, c.fact(threshold));
    }
    Some(())
}

fn migrated(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let step = c.until(" mode. Service Name: ")?;
    d.is(MessageId::Mig);
    d.put(Claim::Step, c.fact(step));
    let key = c.word(|c| c == ',')?;
    d.put_display_key(c, key);
    Some(())
}

fn compare(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let before = c.before();
    let instances = c.until(", interface address size ")?;
    d.is(MessageId::Mig);
    d.put_number(Claim::InstanceSize, c, instances);
    let interfaces = c.until(", threshold ")?;
    d.put_number(Claim::InterfaceSize, c, interfaces);
    let threshold = c.number_with_point()?;
    d.put(Claim::Threshold, c.fact(threshold));
    if let Some(at) = before.rfind("serviceKey:") {
        let key = before[at + 11..]
            .split_whitespace()
            .next()
            .unwrap_or_default();
        let key = key.strip_suffix("Instanceaddresssize").unwrap_or(key);
        let start = instances.start - before.len() + at + 11;
        d.put_display_key(
            c,
            Span {
                start,
                end: start + key.len(),
            },
        );
    }
    Some(())
}

fn no_instance(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::Mig);
    d.facts.push(Claim::InstanceSize(Fact::derived(
        0,
        c.place(c.line_span()),
    )));
    Some(())
}

fn no_interface(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::Mig);
    d.facts.push(Claim::InterfaceSize(Fact::derived(
        0,
        c.place(c.line_span()),
    )));
    Some(())
}
