//! Calls that were slow or answered by a mock: no proof of a failure (`InvocationUtil`, `MockClusterInvoker`).

use super::super::claim::Claim;
use super::super::fact::{End, Fact};
use super::super::message::MessageId;
use super::call::put_method;
use super::cursor::{Cursor, Span};
use super::draft::Draft;
use super::{Entry, Parsed};

pub(super) const ENTRIES: &[Entry] = &[
    ("[Dubbo-Consumer] execute service ", slow),
    ("[Dubbo-Provider] execute service ", slow_provider),
    ("invoke timed out. method: ", slow_filter),
    ("invoke time out. method: ", slow_filter),
    ("fail-mock: ", fail_mock),
    ("force-mock: ", force_mock),
];

/// SLOW: printed for calls that succeeded, too (`InvocationUtil` 3.0.6+).
fn slow(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let key = c.until("#")?;
    d.is(MessageId::Slow);
    put_protocol_key(c, d, key);
    put_cost(c, d)?;
    // The request's context follows; `remote.application` is the caller's own application.
    let mut context = c.clone();
    if context.until_across(&["remote.application="]).is_some()
        && let Some(application) = context.until(";")
    {
        d.put(
            Claim::Application,
            Fact::derived(
                context.str(application).trim().to_owned(),
                context.place(application),
            ),
        );
    }
    if c.until_across(&["Invoker invoke. Target Address: "])
        .is_some()
        && let Some(target) = c.address()
    {
        d.put_address(Claim::Target, c.fact(target));
    }
    Some(())
}

fn slow_provider(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let key = c.until("#")?;
    d.is(MessageId::SlowProvider);
    put_protocol_key(c, d, key);
    d.put_end(End::Provider, c, key);
    put_cost(c, d)
}

/// 3.3 prints the protocol behind the key: `{K}:{protocol}`.
fn put_protocol_key(c: &Cursor<'_>, d: &mut Draft, span: Span) {
    const PROTOCOLS: [&str; 8] = [
        "dubbo", "tri", "rest", "injvm", "grpc", "http", "hessian", "thrift",
    ];
    let text = c.str(span);
    let end = match text.rsplit_once(':') {
        Some((key, protocol)) if PROTOCOLS.contains(&protocol) => span.start + key.len(),
        _ => span.end,
    };
    d.put_key(c, Span { end, ..span });
}

/// `{M} cost {x} ms, this invocation almost (maybe already) timeout. Timeout: {t}ms`.
fn put_cost(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let method = c.until(" cost ")?;
    put_method(c, d, method);
    let cost = c.until(" ms, this invocation almost (maybe already) timeout. Timeout: ")?;
    if let Some(nanos) = nanos(c.str(cost).trim()) {
        d.facts
            .push(Claim::CostNs(Fact::stated(nanos, c.place(cost))));
    }
    let timeout = c.until("ms")?;
    d.put_number(Claim::TimeoutMs, c, timeout);
    Some(())
}

/// Decimal milliseconds.
fn nanos(text: &str) -> Option<u64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let part = format!("{part:0<6}");
    let part: u64 = part.get(..6)?.parse().ok()?;
    whole
        .parse::<u64>()
        .ok()?
        .checked_mul(1_000_000)?
        .checked_add(part)
}

/// The provider's `TimeoutFilter`.
fn slow_filter(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::SlowProvider);
    let (_, method) = c.until_any(&[" arguments: ", " url is "])?;
    put_method(c, d, method);
    d.put_end(End::Provider, c, method);
    let elapsed = c.until(", invoke elapsed ").and_then(|_| c.until(" ms"))?;
    d.put_number(Claim::ElapsedMs, c, elapsed);
    Some(())
}

fn fail_mock(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    mock(c, d, "fail")
}

fn force_mock(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    mock(c, d, "force")
}

fn mock(c: &mut Cursor<'_>, d: &mut Draft, kind: &str) -> Parsed {
    let method = c.until(&format!(" {kind}-mock enabled"))?;
    d.is(MessageId::Mock);
    put_method(c, d, method);
    d.put(
        Claim::MockKind,
        Fact::stated(kind.to_owned(), c.place(method)),
    );
    if c.until("url : ").is_some()
        && let Some(url) = c.url()
    {
        d.put_consumer_url(c, url);
    }
    Some(())
}
