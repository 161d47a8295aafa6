//! Calls that ran out of time (`DefaultFuture`, `AsyncRpcResult`) and answers that came late.

use super::super::claim::Claim;
use super::super::fact::{Fact, KeyClaim, Presence};
use super::super::message::MessageId;
use super::call::put_method;
use super::cursor::{Cursor, Span};
use super::draft::Draft;
use super::{Entry, Parsed};

pub(super) const ENTRIES: &[Entry] = &[
    ("Waiting server-side response timeout", waited),
    ("Timeout after ", waited_locally),
    ("Sending request timeout in client-side", sending),
    ("The timeout response finally returned at ", late),
    (
        "Failed to find any request match the response, response id: ",
        late_twin,
    ),
    ("java.net.SocketTimeoutException", foreign),
    ("No time left for making the following call: ", no_time_left),
];

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

/// A socket that is none of Dubbo's: its transports are Netty's, which throws no such exception.
fn foreign(_: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::Foreign);
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
