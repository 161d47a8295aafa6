//! Failed, repeated, slow and swallowed calls (`FailoverClusterInvoker` and its kin, `DefaultFuture`).

use super::super::claim::Claim;
use super::super::fact::{End, Fact, KeyClaim, Presence};
use super::super::message::MessageId;
use super::cursor::{Cursor, Span};
use super::draft::Draft;
use super::no_provider::put_directory;
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
    ("Waiting server-side response timeout", waited),
    ("Timeout after ", waited_locally),
    ("Sending request timeout in client-side", sending),
    ("The timeout response finally returned at ", late),
    (
        "Failed to find any request match the response, response id: ",
        late_twin,
    ),
    ("No time left for making the following call: ", no_time_left),
    ("[Dubbo-Consumer] execute service ", slow),
    ("[Dubbo-Provider] execute service ", slow_provider),
    ("invoke timed out. method: ", slow_filter),
    ("invoke time out. method: ", slow_filter),
    ("fail-mock: ", fail_mock),
    ("force-mock: ", force_mock),
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

/// WAIT: the request was written, no answer came.
fn waited(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::Wait);
    time_out(c, d)
}

/// SEND: the classic form has one elapsed time and the request was not written; since 3.2.7 the same text with two
/// means that writing took as long as the limit.
fn sending(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::Send);
    time_out(c, d)
}

fn time_out(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let here = c.line_span();
    let by_timer = c.skip(" by scan timer");
    let start_at = c.position();
    if !c.skip(". start time: ") {
        return None;
    }
    d.put_flag(Claim::ByScanTimer, Fact::stated(by_timer, c.place(here)));
    let start = c.until(", end time: ")?;
    put_time(c, d, Claim::StartTime, start);
    let (which, end) = c.until_any(&[", client elapsed: ", ", elapsed: "])?;
    put_time(c, d, Claim::EndTime, end);
    let place = c.place(c.span_from(start_at));
    let sending = d.id == Some(MessageId::Send);
    if which == 0 {
        let client = c.until(" ms, server elapsed: ")?;
        d.put_number(Claim::ClientElapsedMs, c, client);
        let server = c.until(" ms, timeout: ")?;
        d.put_number(Claim::ServerElapsedMs, c, server);
        if sending {
            d.facts.push(Claim::DubboAtLeast(Fact::derived(
                "3.2.7".to_owned(),
                place,
            )));
        }
        d.put_flag(Claim::Written, Fact::derived(true, place));
    } else {
        let elapsed = c.until(" ms, timeout: ")?;
        d.put_number(Claim::ElapsedMs, c, elapsed);
        d.put_flag(Claim::Written, Fact::derived(false, place));
    }
    let timeout = c.until(" ms")?;
    d.put_number(Claim::TimeoutMs, c, timeout);
    let request = c.until(", channel: ")?;
    put_request(c, d, request);
    let from = c.until(" -> ")?;
    let to = c.address()?;
    d.put_address(Claim::ConsumerSocket, c.fact(from));
    d.put_address(Claim::Provider, c.fact(to));
    Some(())
}

fn put_time(c: &Cursor<'_>, d: &mut Draft, make: fn(Fact<String>) -> Claim, span: Span) {
    d.put(make, Fact::stated(c.words(span), c.place(span)));
}

/// `Request [id=.., data=RpcInvocation [methodName=.., attachments={..}]]`; `data=null` tells only the id.
fn put_request(c: &Cursor<'_>, d: &mut Draft, span: Span) {
    let mut c = c.within(span);
    if c.until("[id=").is_some()
        && let Some(id) = c.id()
    {
        d.put(Claim::RequestId, c.fact(id));
    }
    put_invocation(&mut c, d);
}

/// `RpcInvocation [methodName=.., parameterTypes=.., arguments=.., attachments={path=.., interface=.., version=..}]`.
/// The attachments are what is sent: `version=0.0.0` stands for none, so it proves nothing.
pub(super) fn put_invocation(c: &mut Cursor<'_>, d: &mut Draft) {
    if c.until("methodName=").is_none() {
        return;
    }
    if let Some((_, method)) = c.clone().until_any(&[",", "]"]) {
        put_method(c, d, method);
    }
    if c.until("attachments={").is_none() {
        return;
    }
    let Some(list) = c.until("}") else { return };
    let pairs: Vec<(&str, &str)> = c
        .str(list)
        .split(',')
        .filter_map(|pair| pair.trim().split_once('='))
        .collect();
    let get = |key: &str| {
        pairs
            .iter()
            .find(|(known, _)| *known == key)
            .map(|(_, value)| *value)
    };
    let Some(interface) = get("interface").or_else(|| get("path")) else {
        return;
    };
    let part = |key: &str| match get(key) {
        Some("0.0.0" | "") | None => Presence::Unknown,
        Some(value) => Presence::Is(value.to_owned()),
    };
    let key = KeyClaim {
        interface: interface.to_owned(),
        group: part("group"),
        version: part("version"),
    };
    d.facts
        .push(Claim::Service(Fact::derived(key, c.place(list))));
}

/// WAIT-LOCAL, 3.2.3+: the limit alone.
fn waited_locally(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let timeout = c.until("ms waiting for result")?;
    if !c
        .str(timeout)
        .trim()
        .bytes()
        .all(|byte| byte.is_ascii_digit())
    {
        return None;
    }
    d.is(MessageId::WaitLocal);
    d.put_number(Claim::TimeoutMs, c, timeout);
    d.facts.push(Claim::DubboAtLeast(Fact::derived(
        "3.2.3".to_owned(),
        c.place(timeout),
    )));
    Some(())
}

/// LATE: the provider did answer.
fn late(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::Late);
    c.until(", response status is ")?;
    let status = c.number()?;
    d.put_number(Claim::ResponseStatus, c, status);
    if c.skip(", response id is ") {
        let id = c.id()?;
        d.put(Claim::ResponseId, c.fact(id));
    }
    c.until("channel: ")?;
    put_pair(c, d)
}

fn late_twin(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::Late);
    let id = c.id()?;
    d.put(Claim::ResponseId, c.fact(id));
    Some(())
}

/// `.. /c:1 -> /p:2 ..`: both ends of a connection.
pub(super) fn put_pair(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let from = c.until(" -> ")?;
    let text = c.str(from);
    let start = text
        .rfind(|c: char| c.is_whitespace() || c == '[' || c == '(')
        .map_or(0, |at| at + 1);
    let from = Span {
        start: from.start + start,
        ..from
    };
    let to = c.address()?;
    d.put_address(Claim::ConsumerSocket, c.fact(from));
    d.put_address(Claim::Provider, c.fact(to));
    Some(())
}

fn no_time_left(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::NoLeft);
    let call = c.until(", terminate directly")?;
    let at = c.str(call).rfind('.')?;
    let service = Span {
        end: call.start + at,
        ..call
    };
    d.put_interface(c, service);
    put_method(
        c,
        d,
        Span {
            start: service.end + 1,
            ..call
        },
    );
    Some(())
}

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
