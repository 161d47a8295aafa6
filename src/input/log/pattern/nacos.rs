//! Nacos: Dubbo's words on it and those of nacos-client 1.x and 2.x.

use super::super::claim::Claim;
use super::super::fact::{End, Fact, KeyClaim, Presence};
use super::super::message::MessageId;
use super::cursor::{Cursor, Span};
use super::draft::Draft;
use super::rule::until_tail;
use super::{Entry, Parsed};

pub(super) const ENTRIES: &[Entry] = &[
    ("Failed to connect to nacos config server.", not_usable),
    ("Failed to connect to nacos naming server.", not_usable),
    ("Failed to request nacos naming server.", not_usable),
    (
        "Failed to create nacos config service client. Reason: ",
        not_created,
    ),
    (
        "Failed to create nacos naming service client. Reason: ",
        not_created,
    ),
    ("Server check fail, please check server ", grpc_closed),
    ("[sub-server-error]", config_refused),
    ("[get-config] get from server error,", config_refused),
    ("[publish-single] fail,", config_refused),
    ("[publish-single] error,", config_refused),
    ("http error, code=", http_error),
    ("login failed: {", login_failed),
    ("failed to req API:", api_failed),
    ("request: /nacos/", request_failed),
    ("Redo instance operation ", redo_instance),
    ("Redo subscriber operation ", redo_subscriber),
    ("Send request fail, request = ", request_not_sent),
    ("Client not connected, current status:", not_connected),
    ("Client not connected,current status:", not_connected),
    ("Param check invalid:", parameter_refused),
    ("user not found!", refusal),
    ("unknown user!", refusal),
    ("authorization failed!", refusal),
    ("token invalid!", refusal),
    ("token expired!", refusal),
];

/// NACOS-CONF: the client is there, the server is not usable.
fn not_usable(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::NacosConf);
    let mut state = c.clone();
    if state.skip(" Server status: ")
        && let Some(status) = state.word(|c| matches!(c, '.' | ','))
    {
        let available = state.sees(". Config Service Available: true");
        let refused = state.sees(". Config Service Available: false");
        let status_text = state.str(status);
        let text = match (status_text, available, refused) {
            ("UP", _, true) => "server up, config service not available",
            ("UP", _, _) => "server up",
            _ => "server down",
        };
        d.put(
            Claim::Reason,
            Fact::derived(text.to_owned(), c.place(status)),
        );
    }
    Some(())
}

fn not_created(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::NacosConf);
    let cause = until_tail(c);
    let text = c.words(cause).trim_end_matches('.').to_owned();
    d.put(Claim::Reason, Fact::derived(text, c.place(cause)));
    Some(())
}

/// The gRPC port: the HTTP port plus 1000.
fn grpc_closed(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::NacosClient);
    let host = c.until(" ,port ")?;
    let port = c.until(" is available")?;
    let address = format!("{}:{}", c.str(host).trim(), c.str(port).trim());
    d.put_address(Claim::GrpcUnreachable, Fact::stated(address, c.place(host)));
    Some(())
}

/// `dataId={d}, group={g}, tenant={ns}, ..`; the tenant is the namespace, an empty one is public.
fn put_config(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    c.until("dataId=")?;
    let id = c.until_any(&[", group=", ",group="])?.1;
    d.put(Claim::ConfigDataId, c.fact(id));
    let group = c.until_any(&[", tenant=", ",tenant="])?.1;
    d.put(Claim::ConfigGroup, c.fact(group));
    let mut probe = c.clone();
    let tenant = match probe.until(",") {
        Some(tenant) => tenant,
        None => probe.line_span(),
    };
    if c.is_cut_behind(tenant) {
        return None;
    }
    let text = c.str(tenant).trim();
    if !text.contains(char::is_whitespace) {
        d.facts.push(Claim::Namespace(Fact::stated(
            text.to_owned(),
            c.place(tenant),
        )));
    }
    c.go_to(tenant.end);
    Some(())
}

fn config_refused(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::NacosClient);
    put_config(c, d)?;
    let mut rest = c.clone();
    if rest.until("errorCode=").is_some() {
        let code = rest.until(",")?;
        rest.until("message='")?;
        let words = rest.until("'")?;
        put_refused(c, d, rest.str(code), &rest.words(words), words);
        return Some(());
    }
    if rest.until("ErrCode:").is_some() {
        let code = rest.until(",")?;
        rest.until("ErrMsg:")?;
        let words = rest.line_span();
        put_refused(c, d, rest.str(code), &rest.words(words), words);
        return Some(());
    }
    rest.until("code=")?;
    let code = rest.until(",")?;
    rest.until("msg=")?;
    let words = rest.line_span();
    put_refused(c, d, rest.str(code), &rest.words(words), words);
    Some(())
}

/// A refusal has a status of HTTP; other codes are the client's own troubles.
fn put_refused(c: &Cursor<'_>, d: &mut Draft, code: &str, words: &str, span: Span) {
    if c.is_cut_behind(span) {
        return;
    }
    let words = without_markup(words);
    let code = code.trim();
    if matches!(code, "401" | "403") {
        d.put_text(
            Claim::Refused,
            Fact::stated(format!("{code} {words}").trim().to_owned(), c.place(span)),
        );
    } else {
        d.put_text(
            Claim::Cause,
            Fact::stated(format!("{code} {words}").trim().to_owned(), c.place(span)),
        );
        if let Some(reason) = super::network::reason(&words) {
            d.put(
                Claim::Reason,
                Fact::derived(reason.to_owned(), c.place(span)),
            );
        }
    }
}

/// The last words of an HTML page are the server's own.
fn without_markup(words: &str) -> String {
    if !words.contains('<') {
        return words.trim().to_owned();
    }
    let text = words
        .split('<')
        .filter_map(|part| part.rsplit('>').next())
        .map(str::trim)
        .rfind(|text| !text.is_empty());
    text.unwrap_or_default().to_owned()
}

/// nacos-client 1.x below Dubbo 2.7.
fn http_error(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::NacosClient);
    let code = c.until(",msg=")?;
    let code_text = c.str(code).to_owned();
    let words = c.clone().until(",dataId=")?;
    put_refused(c, d, &code_text, &c.words(words), words);
    put_config(c, d)
}

fn login_failed(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::NacosClient);
    c.until("\"code\":")?;
    let code = c.number()?;
    let code_text = c.str(code).to_owned();
    c.until("\"message\":\"")?;
    let words = c.until("\"")?;
    put_refused(c, d, &code_text, &c.words(words), words);
    Some(())
}

/// `failed to req API:{path} after all servers([..]) tried: ErrCode:403, ErrMsg:..`
fn api_failed(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let servers = c
        .until(" after all servers([")
        .and_then(|_| c.until("]) tried: "))?;
    d.is(MessageId::NacosClient);
    put_servers(c, d, servers);
    let mut rest = c.clone();
    if rest.until("ErrCode:").is_none() {
        let cause = until_tail(c);
        d.put_words(Claim::Cause, c, cause);
        return Some(());
    }
    let code = rest.number()?;
    let words = if rest.until("ErrMsg:").is_some() {
        rest.line_span()
    } else {
        Span {
            start: code.end,
            end: code.end,
        }
    };
    let text = rest.words(words);
    let text = text
        .split(", current: ")
        .next()
        .unwrap_or_default()
        .to_owned();
    put_refused(c, d, rest.str(code), &text, words);
    if rest.until(", current: ").is_some()
        && let Some(service) = rest.word(|c| c == ',')
    {
        put_nacos_service(c, d, service);
    }
    Some(())
}

fn request_failed(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    c.until(" failed, servers: [")?;
    d.is(MessageId::NacosClient);
    let servers = c.until("], code: ")?;
    put_servers(c, d, servers);
    let code = c.until(", msg: ")?;
    let words = c.line_span();
    put_refused(c, d, c.str(code), &c.words(words), words);
    Some(())
}

/// The server list of the client: the members of the registry.
fn put_servers(c: &Cursor<'_>, d: &mut Draft, span: Span) {
    let place = c.place(span);
    let mut servers = c.str(span).split(',').map(|server| {
        let server = server.trim();
        server
            .split_once("://")
            .map_or(server, |(_, server)| server)
            .to_owned()
    });
    if let Some(first) = servers.next() {
        d.put_address(Claim::Registry, Fact::stated(first, place));
        d.put(
            Claim::RegistryKind,
            Fact::derived("nacos".to_owned(), place),
        );
    }
    let backup: Vec<String> = servers.collect();
    if !backup.is_empty() {
        d.put_list(Claim::RegistryBackup, Fact::stated(backup, place));
    }
}

/// `{group}@@{service}`: what the client tries to register again.
fn redo_instance(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    redo(c, d)
}

fn redo_subscriber(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    redo(c, d)
}

fn redo(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    c.until(" for ")?;
    d.is(MessageId::NacosClient);
    let service = c.until(" failed")?;
    put_nacos_service(c, d, service);
    Some(())
}

/// `{group}@@{category}:{interface}:{version}:{group}` (or without the last parts, older clients).
fn put_nacos_service(c: &Cursor<'_>, d: &mut Draft, span: Span) {
    let text = c.str(span).trim().trim_end_matches('.');
    let place = c.place(span);
    let name = match text.split_once("@@") {
        Some((group, name)) => {
            d.put(Claim::NacosGroup, Fact::stated(group.to_owned(), place));
            name
        }
        None => text,
    };
    d.put(Claim::NacosService, Fact::stated(name.to_owned(), place));
    let mut parts = name.split(':');
    let category = parts.next().unwrap_or_default();
    if !matches!(
        category,
        "providers" | "consumers" | "configurators" | "routers"
    ) {
        return;
    }
    let Some(interface) = parts.next().filter(|name| !name.is_empty()) else {
        return;
    };
    let mut part = || match parts.next() {
        None => Presence::Unknown,
        Some("") => Presence::Absent,
        Some(value) => Presence::Is(value.to_owned()),
    };
    let (version, group) = (part(), part());
    let key = KeyClaim {
        interface: interface.to_owned(),
        group,
        version,
    };
    d.facts.push(Claim::Service(Fact::derived(key, place)));
    if category == "providers" && c.before().contains("Redo instance") {
        d.put_end(End::Provider, c, span);
    }
}

fn request_not_sent(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::NacosClient);
    c.until(", errorMessage = ")?;
    let words = until_tail(c);
    d.put_words(Claim::Cause, c, words);
    d.resume = Some(words.end);
    Some(())
}

/// `Client not connected, current status:STARTING`: the gRPC connection never came up.
fn not_connected(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    detail(c, d)?;
    d.put(
        Claim::Reason,
        Fact::derived("client not connected".to_owned(), c.place(c.line_span())),
    );
    Some(())
}

/// Words that mean something only where Nacos speaks.
fn detail(c: &Cursor<'_>, d: &mut Draft) -> Parsed {
    let before = c.before();
    if !["acos", "DUBBO", "ErrMsg"]
        .iter()
        .any(|word| before.contains(word))
    {
        return None;
    }
    d.is(MessageId::NacosClient);
    d.detail = true;
    Some(())
}

fn parameter_refused(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    detail(c, d)?;
    let words = until_tail(c);
    d.put(
        Claim::Reason,
        Fact::derived("registration refused".to_owned(), c.place(words)),
    );
    d.put_words(Claim::Refused, c, words);
    Some(())
}

fn refusal(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    detail(c, d)?;
    let before = c.before();
    let words = [
        "user not found!",
        "unknown user!",
        "authorization failed!",
        "token invalid!",
        "token expired!",
    ]
    .into_iter()
    .find(|words| before.ends_with(words) || before.ends_with(&words.replace(' ', "")))?;
    d.put(
        Claim::Refused,
        Fact::stated(format!("403 {words}"), c.place(c.line_span())),
    );
    Some(())
}
