//! What the provider refuses: pools, limits, keys it does not export, classes it does not take.

use super::super::claim::Claim;
use super::super::fact::{End, Fact, KeyClaim};
use super::super::message::MessageId;
use super::call::put_method;
use super::cursor::{Cursor, Span};
use super::draft::Draft;
use super::timeout::put_invocation;
use super::{Entry, Parsed};

pub(super) const ENTRIES: &[Entry] = &[
    ("Thread pool is EXHAUSTED! Thread Name: ", pool),
    ("Not found exported service: ", not_exported),
    (
        "Waiting concurrent invoke timeout in client-side for service: ",
        actives,
    ),
    (
        "The service using threads greater than <dubbo:service executes=\"",
        executes,
    ),
    ("Failed to invoke service ", tps),
    ("Close channel ", accepts),
    ("Data length too large: ", payload),
    ("Serialized class ", serialized_class),
    ("Fail to decode request due to: ", decode),
];

/// Makes a claim of a number.
type Number = fn(Fact<u64>) -> Claim;

/// POOL: `in {protocol}://{ip}:{port}!` is the provider's address even when the pool is the consumer's own; the thread's
/// name tells whose it is.
fn pool(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    const NUMBERS: [(&str, Number); 6] = [
        (", core: ", Claim::Active),
        (", max: ", Claim::Core),
        (", largest: ", Claim::Max),
        ("), Task: ", Claim::Largest),
        (" (completed: ", Claim::Tasks),
        ("), Executor status", Claim::Completed),
    ];
    let reported = ["Server side(", "Serverside("]
        .iter()
        .any(|words| c.before().contains(words));
    d.is(MessageId::Pool);
    let thread = c.until(", Pool Size: ")?;
    d.put(Claim::PoolThread, c.fact(thread));
    let side = if c.str(thread).contains("DubboClientHandler") {
        End::Consumer
    } else {
        End::Provider
    };
    d.facts
        .push(Claim::PoolSide(Fact::derived(side, c.place(thread))));
    if !reported {
        d.put_end(side, c, thread);
    }
    c.until(" (active: ")?;
    for (end, make) in NUMBERS {
        let number = c.until(end)?;
        d.put_number(make, c, number);
    }
    c.until("in ")?;
    c.until("://")?;
    let address = c.until("!")?;
    d.put_address(Claim::PoolOf, c.fact(address));
    Some(())
}

/// NOTEXP: `{K}:{port} in [..], may be version or group mismatch , channel: consumer: /c --> provider: /p, message:..`
fn not_exported(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::NotExported);
    let asked = c.until(" in [")?;
    put_asked(c, d, asked);
    let exported = c.until("]")?;
    let keys = c
        .str(exported)
        .split(',')
        .map(|key| key.trim().to_owned())
        .filter(|key| !key.is_empty())
        .take(1000)
        .collect();
    d.facts
        .push(Claim::Exported(Fact::stated(keys, c.place(exported))));
    c.until("channel: consumer: ")?;
    let from = c.until(" --> provider: ")?;
    d.put_address(Claim::ConsumerSocket, c.fact(from));
    let to = c.word(|c| c == ',')?;
    d.put_address(Claim::Provider, c.fact(to));
    put_invocation(&mut c.clone(), d);
    Some(())
}

/// `{K}:{port}`: a version `0.0.0` is left out, and the port is always there.
fn put_asked(c: &Cursor<'_>, d: &mut Draft, span: Span) {
    let text = c.str(span).trim();
    let place = c.place(span);
    let (key, port) = match text.rsplit_once(':') {
        Some((key, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => {
            (key, port)
        }
        _ => (text, ""),
    };
    if let Some(key) = KeyClaim::parse(key) {
        d.facts.push(Claim::Service(Fact::stated(key, place)));
    }
    if let Ok(port) = port.parse() {
        d.facts.push(Claim::Port(Fact::stated(port, place)));
    }
}

fn actives(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    c.skip(" ");
    let service = c.until(", method: ")?;
    d.is(MessageId::Actives);
    d.put_interface(c, service);
    let method = c.until(", elapsed: ")?;
    put_method(c, d, method);
    let elapsed = c.until(", timeout: ")?;
    d.put_number(Claim::ElapsedMs, c, elapsed);
    let timeout = c.until(". concurrent invokes: ")?;
    d.put_number(Claim::TimeoutMs, c, timeout);
    let active = c.until(". max concurrent invoke limit: ")?;
    d.put_number(Claim::Active, c, active);
    let limit = c.number()?;
    d.put_number(Claim::Limit, c, limit);
    Some(())
}

/// `Failed to invoke method {M} in provider {U}, cause: The service using threads greater than ..`
fn executes(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::Executes);
    let before = c.before();
    let fixed = if c.is_loose() {
        ["Failedtoinvokemethod", "inprovider", ",cause:"]
    } else {
        ["Failed to invoke method ", " in provider ", ", cause: "]
    };
    if let Some(at) = before.rfind(fixed[0]) {
        let front = c.position() - before.len();
        let mut call = c.within(Span {
            start: front + at + fixed[0].len(),
            end: c.position(),
        });
        if let Some(method) = call.until(fixed[1]) {
            put_method(c, d, method);
            if let Some(url) = call.until(fixed[2]) {
                d.put_provider(c, url);
            }
        }
    }
    let limit = c.number()?;
    d.put_number(Claim::Limit, c, limit);
    Some(())
}

fn tps(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let call = c.until(" because exceed max service tps")?;
    d.is(MessageId::Tps);
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

fn accepts(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    c.until(", cause: The server ")?;
    d.is(MessageId::Accepts);
    let server = c.until(" connections greater than max config ")?;
    d.put_address(Claim::Provider, c.fact(server));
    d.put_end(End::Provider, c, server);
    let limit = c.number()?;
    d.put_number(Claim::Limit, c, limit);
    Some(())
}

fn payload(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let bytes = c.until(", max payload: ")?;
    d.is(MessageId::Payload);
    d.put_number(Claim::Bytes, c, bytes);
    let limit = c.number()?;
    d.put_number(Claim::Limit, c, limit);
    Some(())
}

fn serialized_class(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let (which, class) = c.until_any(&[
        " must implement java.io.Serializable",
        " is not in allow list",
        " is in disallow list",
        " has not implement Serializable",
    ])?;
    // A warning of a class that may pass is no failure.
    if c.str(c.line_span()).contains("Current mode is `WARN`") {
        return None;
    }
    d.is(MessageId::Serial);
    d.put(Claim::Class, c.fact(class));
    let reason = if matches!(which, 1 | 2) {
        "class not allowed"
    } else {
        "class not serializable"
    };
    d.put(
        Claim::Reason,
        Fact::derived(reason.to_owned(), c.place(class)),
    );
    Some(())
}

fn decode(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::Serial);
    d.put(
        Claim::Reason,
        Fact::derived("request not decodable".to_owned(), c.place(c.line_span())),
    );
    Some(())
}
