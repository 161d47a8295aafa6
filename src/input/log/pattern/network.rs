//! Connections, pools and limits between a consumer and a provider.

use super::super::claim::Claim;
use super::super::fact::Fact;
use super::super::message::MessageId;
use super::cursor::{Cursor, Span};
use super::draft::{Draft, bare_address};
use super::rule::until_tail;
use super::timeout::put_pair;
use super::{Entry, Parsed};

pub(super) const ENTRIES: &[Entry] = &[
    ("client(url: ", client),
    ("Failed to connect to server ", connect),
    ("Failed connect to server ", connect),
    (
        "Fail to create remoting client for service(",
        remoting_client,
    ),
    (
        "Failed to connect to provider server by other reason",
        connect_other,
    ),
    ("Failed to start NettyClient ", connect_lazily),
    (
        "message can not send, because channel is closed",
        channel_closed,
    ),
    (", cause: The channel ", the_channel_closed),
    (
        " is inactive. Directly return the unFinished request",
        inactive,
    ),
    ("The connection of ", disconnected),
    ("The connection [id", disconnected),
    ("Fail to connect to HeaderExchangeClient ", reconnect),
    ("The invoker ", invalidated),
    ("upstream is unavailable", upstream),
    ("upstream ", upstream_named),
    ("UnknownHostException: ", unknown_host),
    ("Connection refused", plain_reason),
    ("No route to host", plain_reason),
];

/// Words of operating systems and libraries for the same reason, in the languages they are printed in.
const REASONS: [(&str, &str); 32] = [
    ("Connection refused", "connection refused"),
    ("拒绝连接", "connection refused"),
    ("拒絕連線", "connection refused"),
    ("Connexion refusée", "connection refused"),
    ("Verbindungsaufbau abgelehnt", "connection refused"),
    ("接続を拒否", "connection refused"),
    ("Conexión rehusada", "connection refused"),
    ("Conexión rechazada", "connection refused"),
    ("연결이 거부", "connection refused"),
    ("No route to host", "no route to host"),
    ("没有到主机的路由", "no route to host"),
    ("Aucun chemin d'accès", "no route to host"),
    ("Keine Route zum Zielrechner", "no route to host"),
    ("ホストへの経路がありません", "no route to host"),
    ("connection timed out", "connection timed out"),
    ("Connection timed out", "connection timed out"),
    ("connect timed out", "connection timed out"),
    ("Connect wait timeout", "connection timed out"),
    ("client-side timeout", "connection timed out"),
    ("连接超时", "connection timed out"),
    ("Connection reset", "connection reset"),
    ("connection reset", "connection reset"),
    ("连接被对方重", "connection reset"),
    ("UnknownHost", "unknown host"),
    ("Name or service not known", "unknown host"),
    ("Network is unreachable", "network unreachable"),
    ("zookeeper not connected", "zookeeper not connected"),
    ("Client not connected", "client not connected"),
    ("ErrCode:403", "refused"),
    ("authorization failed", "refused"),
    ("user not found!", "refused"),
    ("unknown user!", "refused"),
];

/// A reason in one of a few words.
pub(super) fn reason(text: &str) -> Option<&'static str> {
    let squeezed: String = text.split_whitespace().collect();
    REASONS
        .iter()
        .find(|(words, _)| {
            text.contains(words) || squeezed.contains(&words.split_whitespace().collect::<String>())
        })
        .map(|(_, reason)| *reason)
}

fn put_reason(c: &Cursor<'_>, d: &mut Draft, span: Span) {
    if c.is_cut_behind(span) {
        return;
    }
    let text = c.words(span);
    if let Some(reason) = reason(&text) {
        d.put(
            Claim::Reason,
            Fact::derived(reason.to_owned(), c.place(span)),
        );
    }
    d.put_text(Claim::Cause, Fact::stated(text, c.place(span)));
}

/// `client(url: U) failed to connect to server {remote}, error message is:..` and its forms.
fn client(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let url = c.until(") failed to connect to server ")?;
    d.is(MessageId::Connect);
    d.put_provider(c, url);
    remote_and_reason(c, d)
}

/// A provider's socket address; the one connected to goes before the one of the URL.
fn put_remote(c: &Cursor<'_>, d: &mut Draft, span: Span) {
    let address = bare_address(c.str(span).trim());
    if address.contains(':') {
        // A loopback address is connected to as the consumer's own host (`NetUtils.filterLocalHost`).
        let named = d.facts.provider().cloned();
        d.facts.remove("provider");
        d.put_address(Claim::Provider, c.fact(span));
        if let Some(named) = named.filter(|named| named.value != address) {
            d.put(Claim::Registered, named);
        }
    }
}

fn remote_and_reason(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let remote = c.word(|c| c == ',')?;
    put_remote(c, d, remote);
    let mut probe = c.clone();
    if probe.skip(", error message is:") || probe.skip(", cause: ") {
        let cause = until_tail(&mut probe);
        put_reason(c, d, cause);
        return Some(());
    }
    let rest = until_tail(&mut probe.clone());
    if let Some(reason) = reason(&c.words(rest)) {
        d.put(
            Claim::Reason,
            Fact::derived(reason.to_owned(), c.place(rest)),
        );
    }
    if probe.until(" from ").is_some() {
        from_client(&mut probe, d);
    }
    Some(())
}

/// `{Client} {C} using dubbo version {V}`.
fn from_client(c: &mut Cursor<'_>, d: &mut Draft) {
    if c.skip("netty client ") || c.until(" ").is_some() {
        let Some(host) = c.until(" using dubbo version ") else {
            return;
        };
        d.put_address(Claim::ConsumerIp, c.fact(host));
        if let Some(version) = c.address() {
            d.put(Claim::Dubbo, c.fact(version));
        }
    }
}

fn connect(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::Connect);
    let remote = c.word(|c| c == ',')?;
    put_remote(c, d, remote);
    if c.skip(" from ") {
        from_client(c, d);
    }
    if c.until("cause: ").is_some() {
        let cause = until_tail(&mut c.clone());
        put_reason(c, d, cause);
    }
    Some(())
}

fn remoting_client(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::Connect);
    let (_, url) = c.until_any(&["): ", "):", ")"])?;
    d.put_provider(c, url);
    Some(())
}

fn connect_other(_: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::Connect);
    Some(())
}

/// `Failed to start NettyClient {local} connect to the server {remote} (check == false, ..)`: the invoker exists.
fn connect_lazily(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    c.until(" connect to the server ")?;
    d.is(MessageId::Connect);
    let remote = c.word(|c| matches!(c, ',' | '('))?;
    put_remote(c, d, remote);
    Some(())
}

fn channel_closed(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::Closed);
    if c.until("url:").is_some()
        && let Some(url) = c.url()
    {
        d.put_provider(c, url);
    }
    Some(())
}

/// `Failed to send request .., cause: The channel {ch} is closed!`
fn the_channel_closed(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let channel = c.until(" is closed!")?;
    d.is(MessageId::Closed);
    put_pair(&mut c.within(channel), d);
    Some(())
}

/// `Channel {ch} is inactive. Directly return ..`
fn inactive(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::Closed);
    let before = c.before();
    let start = c.position() - before.len() + before.rfind("Channel ")?;
    put_pair(
        &mut c.within(Span {
            start,
            end: c.position(),
        }),
        d,
    );
    Some(())
}

/// `The connection of /c -> /p is disconnected.`
fn disconnected(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let pair = c.until(" is disconnected")?;
    d.is(MessageId::Disconnected);
    put_pair(&mut c.within(pair), d);
    Some(())
}

/// `[channel=..NettyClient [/c -> /p]]` of the reconnect task.
fn reconnect(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::Reconnect);
    c.until("[channel=")?;
    c.until_any(&[" [", "["])?;
    put_pair(c, d)
}

fn invalidated(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let provider = c.until(" has been added to invalidate list due to connectivity problem")?;
    d.is(MessageId::Invalidated);
    d.put_provider(c, provider);
    Some(())
}

fn upstream(_: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::Upstream);
    Some(())
}

fn upstream_named(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let address = c.until(" is unavailable")?;
    if c.str(address).contains(char::is_whitespace) {
        return None;
    }
    d.is(MessageId::Upstream);
    d.put_address(Claim::Provider, c.fact(address));
    Some(())
}

/// A reason of whatever stands before it.
fn unknown_host(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.detail = true;
    d.put(
        Claim::Reason,
        Fact::derived("unknown host".to_owned(), c.place(c.line_span())),
    );
    let host = c.address()?;
    d.put_text(
        Claim::Cause,
        Fact::stated(
            format!("UnknownHostException: {}", c.str(host)),
            c.place(host),
        ),
    );
    Some(())
}

fn plain_reason(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.detail = true;
    let reason = reason(c.before())?;
    d.put(
        Claim::Reason,
        Fact::derived(reason.to_owned(), c.place(c.line_span())),
    );
    Some(())
}
