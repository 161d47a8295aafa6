//! What an HTTP answer means: an answer, a known absence, a refusal, or something that is no answer of Nacos at all.
//!
//! A status alone says little: generations answer the same question with 404, 400 or 500, gateways and consoles answer
//! in Nacos' place, and an error may come with status 200. What the body says decides; the captures of all generations
//! are the measure.

use std::{borrow::Cow, collections::BTreeMap};

use super::outline::Outline;
use crate::{
    observe::Failure,
    snapshot::{ErrKind, Key, Payload},
};

/// An answer as it came.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Heard {
    /// HTTP status.
    pub(super) status: u16,
    /// `Content-Type`, without parameters, in small letters.
    pub(super) content_type: String,
    /// `Location` of a redirect that was not followed.
    pub(super) location: Option<String>,
    /// Headers that belong to a configuration.
    pub(super) headers: BTreeMap<String, String>,
    /// The body, unpacked.
    pub(super) body: Vec<u8>,
}

impl Heard {
    /// The body as text.
    pub(super) fn text(&self) -> Cow<'_, str> {
        match std::str::from_utf8(&self.body) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => String::from_utf8_lossy(&self.body),
        }
    }
}

/// What it means.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Meaning {
    /// What was asked for.
    Answer {
        /// Verbatim.
        payload: Payload,
        /// Entries in all pages, where the answer has pages.
        total: Option<u64>,
        /// Entries of this page.
        entries: usize,
    },
    /// A refusal or a known absence.
    Failure(Failure),
    /// This server does not have the API that was asked; another may be tried.
    NoSuchApi(Failure),
}

/// So much of a body that is not understood is kept.
const EXCERPT: usize = 300;
/// So much of a refusal is kept.
const REFUSAL: usize = 2000;

/// What the answer of `api` about `key` means.
pub(super) fn meaning(key: &Key, api: &str, heard: &mut Heard) -> Meaning {
    match heard.status {
        200 if is_text(key, api) => {
            // A text of Nacos is `text/plain`, whatever its type; a page or an error in JSON is somebody else's.
            if let Some(meaning) = no_text_of_nacos(heard) {
                return meaning;
            }
            Meaning::Answer {
                payload: Payload::verbatim(std::mem::take(&mut heard.body)),
                total: None,
                entries: 1,
            }
        }
        200 => match judged(key, api, heard) {
            Ok((total, entries)) => Meaning::Answer {
                payload: Payload::verbatim(std::mem::take(&mut heard.body)),
                total,
                entries,
            },
            Err(meaning) => *meaning,
        },
        _ => refusal(heard, &heard.text()),
    }
}

fn is_text(key: &Key, api: &str) -> bool {
    matches!(key, Key::NacosConfig { .. }) && api == "v1/cs/configs"
}

/// What stands in place of a configuration's text and is none.
fn no_text_of_nacos(heard: &Heard) -> Option<Meaning> {
    // Nacos names the digest or the type of what it keeps, and that may well be a page.
    let kept = ["Content-MD5", "Config-Type"];
    let is_kept = kept.iter().any(|name| heard.headers.contains_key(*name));
    if is_kept && heard.content_type != "text/html" {
        return None;
    }
    let text = heard.text();
    if is_page(heard, &text) {
        return Some(Meaning::Failure(page(heard, &text)));
    }
    if heard.content_type != "application/json" {
        return None;
    }
    let outline = serde_json::from_str::<Outline>(&text).ok()?;
    error_inside(&outline, &text)
}

/// Number of entries in all pages and in this one.
///
/// # Errors
/// What it means when it is not what was asked for.
fn judged(key: &Key, api: &str, heard: &Heard) -> Result<(Option<u64>, usize), Box<Meaning>> {
    let text = heard.text();
    let failed = |failure| Box::new(Meaning::Failure(failure));
    let bad = |what: &str| {
        let excerpt = excerpt(&text, EXCERPT);
        failed(Failure::new(
            ErrKind::BadAnswer,
            format!("{what}: {excerpt}"),
        ))
    };
    if is_page(heard, &text) {
        return Err(failed(page(heard, &text)));
    }
    if heard.body.is_empty() {
        return Err(failed(Failure::new(ErrKind::BadAnswer, "an empty answer")));
    }
    // A text in another encoding is none, wherever in it that shows.
    let Cow::Borrowed(json) = text else {
        return Err(bad("no JSON"));
    };
    let outline = match serde_json::from_str::<Outline>(json) {
        Ok(outline) => outline,
        Err(error) if error.is_eof() => return Err(bad("the JSON ends before its end")),
        Err(_) => return Err(bad("no JSON")),
    };
    if let Some(failure) = error_inside(&outline, &text) {
        return Err(Box::new(failure));
    }
    extent(key, api, &outline).ok_or_else(|| bad("JSON of another shape than Nacos answers"))
}

/// `{"code":..,"message":..,"data":..}` with status 200 may be a refusal.
fn error_inside(value: &Outline, text: &str) -> Option<Meaning> {
    let code = value.get("code")?.as_i64()?;
    if matches!(code, 0 | 200) {
        return None;
    }
    Some(by_code(code, text).unwrap_or_else(|| {
        Meaning::Failure(Failure::new(ErrKind::BadAnswer, excerpt(text, REFUSAL)))
    }))
}

/// The codes of `ErrorCode` (2.x and later), and HTTP's own inside a body.
fn by_code(code: i64, text: &str) -> Option<Meaning> {
    let kind = match code {
        20004 | 21003 | 21008 | 22001 => ErrKind::NotFound,
        30000 if is_absence(text) => ErrKind::NotFound,
        10001 | 401 | 403 => ErrKind::Denied,
        40000 | 40001 => {
            return Some(Meaning::NoSuchApi(Failure::new(
                ErrKind::SwitchedOff,
                excerpt(text, REFUSAL),
            )));
        }
        _ => return None,
    };
    Some(Meaning::Failure(Failure::new(kind, excerpt(text, REFUSAL))))
}

/// Number of entries in all pages and in this one; `None`: not the shape that this API answers.
fn extent(key: &Key, api: &str, value: &Outline) -> Option<(Option<u64>, usize)> {
    let inside = if api.starts_with("v3/") {
        value.get("data")?
    } else {
        value
    };
    let list = |name: &str| inside.get(name)?.as_array();
    let listed = |count: &str, name: &str| {
        let entries = list(name)?;
        let total = inside.get(count)?.as_u64()?;
        Some((Some(total), entries))
    };
    let object = |value: &Outline| value.is_object().then_some((None, 1));
    let of_data = || value.get("data")?.as_array().map(|entries| (None, entries));
    match (key, api) {
        (Key::NacosServices { .. }, "v1/ns/service/list") => listed("count", "doms"),
        (Key::NacosServices { .. }, "v1/ns/catalog/services") => listed("count", "serviceList"),
        (Key::NacosCatalog { .. }, "v1/ns/catalog/instances") => listed("count", "list"),
        (Key::NacosInstances { .. }, "v1/ns/instance/list") => {
            list("hosts").map(|entries| (None, entries))
        }
        (Key::NacosSubscribers { .. }, "v1/ns/service/subscribers") => {
            listed("count", "subscribers")
        }
        (Key::NacosServices { .. } | Key::NacosSubscribers { .. }, _) => {
            listed("totalCount", "pageItems")
        }
        (Key::NacosConfigSearch { .. }, _) => listed("totalCount", "pageItems"),
        (
            Key::NacosNamespaces
            | Key::NacosNodes
            | Key::NacosCatalog { .. }
            | Key::NacosInstances { .. },
            _,
        ) => of_data(),
        (Key::NacosService { .. }, _) => {
            inside.get("protectThreshold").and_then(|_| object(inside))
        }
        (Key::NacosListeners { .. }, _) => {
            let states = ["lisentersGroupkeyStatus", "listenersStatus"];
            states.iter().find_map(|name| object(inside.get(name)?))
        }
        (Key::NacosConfig { .. }, _) => inside.get("content").and_then(|_| object(inside)),
        _ => None,
    }
}

/// What an answer with another status than 200 means.
pub(super) fn refusal(heard: &Heard, text: &str) -> Meaning {
    let failure = |kind| Failure::new(kind, excerpt(text, REFUSAL));
    let code = serde_json::from_slice::<Outline>(&heard.body)
        .ok()
        .and_then(|value| value.get("code")?.as_i64());
    if let Some(meaning) = code.and_then(|code| by_code(code, text)) {
        return meaning;
    }
    let html = is_page(heard, text);
    match heard.status {
        401 | 403 => Meaning::Failure(if html {
            Failure::new(ErrKind::Denied, described(heard, text))
        } else {
            failure(ErrKind::Denied)
        }),
        300..=399 => Meaning::Failure(Failure::new(
            ErrKind::BadAnswer,
            format!(
                "a redirect to {}",
                heard.location.as_deref().unwrap_or("nowhere")
            ),
        )),
        // Of a web server that stands before Nacos and does not reach it.
        502 | 504 => Meaning::Failure(Failure::new(ErrKind::Unreachable, described(heard, text))),
        503 | 429 => Meaning::Failure(if html {
            Failure::new(ErrKind::NotReady, described(heard, text))
        } else {
            failure(ErrKind::NotReady)
        }),
        409 => Meaning::Failure(failure(ErrKind::NotReady)),
        404 | 400 | 500 if !html && is_absence(text) => {
            Meaning::Failure(failure(ErrKind::NotFound))
        }
        500 if text.contains("No static resource") => {
            Meaning::Failure(Failure::new(ErrKind::BadAnswer, console(text)))
        }
        404 | 410 | 405 | 501 if !html => {
            let body = if text.is_empty() {
                format!("HTTP {} without a body", heard.status)
            } else {
                excerpt(text, REFUSAL)
            };
            Meaning::NoSuchApi(Failure::new(ErrKind::SwitchedOff, body))
        }
        _ if html => Meaning::Failure(page(heard, text)),
        _ => Meaning::Failure(Failure::new(ErrKind::BadAnswer, described(heard, text))),
    }
}

/// Whether a body says in Nacos' own code that an API is switched off (`API_DEPRECATED`, `API_FUNCTION_DISABLED`).
pub(super) fn is_deprecation(body: &[u8]) -> bool {
    let code = serde_json::from_slice::<Outline>(body)
        .ok()
        .and_then(|value| value.get("code")?.as_i64());
    matches!(code, Some(40000 | 40001))
}

/// The words in which servers say that there is no such thing, whatever the status.
fn is_absence(text: &str) -> bool {
    const WORDS: [&str; 8] = [
        "config data not exist",
        "is not found!",
        "service not found",
        "service not exist",
        "] not exist",
        "is not exist",
        "invalid dataId",
        "illegal characters should not appear in the param",
    ];
    WORDS.iter().any(|word| text.contains(word))
}

/// The web console of 3.x has a port of its own, on which there is no API.
fn console(text: &str) -> String {
    format!(
        "the web console of Nacos 3 answers, not the server (its port is 8848 unless it was changed): {}",
        excerpt(text, EXCERPT)
    )
}

pub(super) fn is_page(heard: &Heard, text: &str) -> bool {
    let start = text.trim_start().get(..14).unwrap_or(text.trim_start());
    heard.content_type == "text/html"
        || start.eq_ignore_ascii_case("<!doctype html")
        || start.to_ascii_lowercase().starts_with("<html")
}

/// A page in place of an answer, with its title.
pub(super) fn page(heard: &Heard, text: &str) -> Failure {
    Failure::new(ErrKind::BadAnswer, described(heard, text))
}

fn described(heard: &Heard, text: &str) -> String {
    let status = heard.status;
    if !is_page(heard, text) {
        let excerpt = excerpt(text, EXCERPT);
        return if excerpt.is_empty() {
            format!("HTTP {status} without a body")
        } else {
            format!("HTTP {status}: {excerpt}")
        };
    }
    let what = if text.contains("type=\"password\"") || text.contains("type='password'") {
        "a login page"
    } else {
        "a web page"
    };
    match title(text) {
        Some(title) => format!("HTTP {status}, {what}: {title}"),
        None => format!("HTTP {status}, {what}"),
    }
}

fn title(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let start = lower.find("<title>")? + "<title>".len();
    let end = start + lower[start..].find("</title>")?;
    let title = excerpt(text.get(start..end)?.trim(), 120);
    (!title.is_empty()).then_some(title)
}

/// The beginning of a text.
pub(super) fn excerpt(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn heard(status: u16, content_type: &str, body: &str) -> Heard {
        Heard {
            status,
            content_type: content_type.into(),
            body: body.into(),
            ..Heard::default()
        }
    }

    fn instances(status: u16, content_type: &str, body: &str) -> Meaning {
        let key = Key::nacos_instances("", "g", "s");
        meaning(
            &key,
            "v1/ns/instance/list",
            &mut heard(status, content_type, body),
        )
    }

    fn kind(meaning: &Meaning) -> &str {
        match meaning {
            Meaning::Answer { .. } => "answer",
            Meaning::Failure(failure) => failure.kind.as_str(),
            Meaning::NoSuchApi(_) => "no-such-api",
        }
    }

    #[test]
    fn answers_and_what_only_looks_like_one() {
        let json = "application/json";
        for (status, content_type, body, expected) in [
            (200, json, r#"{"hosts":[]}"#, "answer"),
            (200, json, r#"{"hosts":{}}"#, "bad-answer"),
            (200, json, r#"{"hosts":[}"#, "bad-answer"),
            (200, json, r#"{"hosts":["#, "bad-answer"),
            (200, json, "", "bad-answer"),
            (200, json, r#"{"code":403,"message":"no"}"#, "denied"),
            (
                200,
                json,
                r#"{"code":30000,"message":"server error","data":"x"}"#,
                "bad-answer",
            ),
            (
                200,
                "text/html",
                "<html><title>Sign in</title>",
                "bad-answer",
            ),
            (200, json, "<!DOCTYPE html><html>", "bad-answer"),
            (302, "", "", "bad-answer"),
            (401, json, "{}", "denied"),
            (
                403,
                "text/html",
                "<html><title>Blocked</title></html>",
                "denied",
            ),
            (
                403,
                json,
                r#"{"status":403,"message":"authorization failed!"}"#,
                "denied",
            ),
            (
                404,
                "text/html",
                "<!doctype html><title>404</title>",
                "bad-answer",
            ),
            (
                404,
                json,
                r#"{"status":404,"message":"No message available"}"#,
                "no-such-api",
            ),
            (404, "", "", "no-such-api"),
            (
                404,
                "text/plain",
                "cluster DEFAULT is not found!",
                "not-found",
            ),
            (
                404,
                json,
                r#"{"code":30000,"data":"service G@@s is not found!"}"#,
                "not-found",
            ),
            (
                400,
                json,
                r#"{"code":21008,"message":"service not exist"}"#,
                "not-found",
            ),
            (
                500,
                "text/plain",
                "caused: service G@@s is not found!;",
                "not-found",
            ),
            (
                500,
                "text/plain",
                "caused: No static resource nacos/v1/x.;",
                "bad-answer",
            ),
            (500, "text/plain", "boom", "bad-answer"),
            (
                410,
                json,
                r#"{"status":410,"message":"deprecated"}"#,
                "no-such-api",
            ),
            (501, json, "no such api:GET:/x", "no-such-api"),
            (
                502,
                "text/html",
                "<html><title>502 Bad Gateway</title>",
                "unreachable",
            ),
            (
                503,
                "text/plain",
                "server is STARTING now, please try again later!",
                "not-ready",
            ),
        ] {
            let meaning = instances(status, content_type, body);
            assert_eq!(kind(&meaning), expected, "{status} {body}: {meaning:?}");
        }
    }

    #[test]
    fn messages_are_ours_or_the_servers_never_a_parsers() {
        let Meaning::Failure(failure) = instances(200, "application/json", "{\"hosts\":[") else {
            panic!("an answer");
        };
        assert_eq!(
            failure.text.as_deref(),
            Some("the JSON ends before its end: {\"hosts\":[")
        );
        let login = "<html><title>Sign in</title><input type=\"password\">";
        let Meaning::Failure(failure) = instances(200, "text/html", login) else {
            panic!("an answer");
        };
        assert_eq!(
            failure.text.as_deref(),
            Some("HTTP 200, a login page: Sign in")
        );
    }

    #[test]
    fn a_missing_configuration_is_known_to_be_absent() {
        let key = Key::nacos_config("", "dubbo", "x");
        let mut missing = heard(404, "application/json", "config data not exist\n");
        assert_eq!(
            kind(&meaning(&key, "v1/cs/configs", &mut missing)),
            "not-found"
        );
        for (content_type, body, expected) in [
            ("text/plain", "{\"not\": \"parsed\"", "answer"),
            ("text/plain", r#"{"code":403,"message":"mine"}"#, "answer"),
            (
                "application/json",
                r#"{"code":403,"message":"no"}"#,
                "denied",
            ),
            ("application/json", r#"{"key":"a.B"}"#, "answer"),
            (
                "application/json",
                "<!doctype html><title>Hi</title>",
                "bad-answer",
            ),
            ("text/plain", " <html><title>Hi</title>", "bad-answer"),
        ] {
            let mut text = heard(200, content_type, body);
            let meaning = meaning(&key, "v1/cs/configs", &mut text);
            assert_eq!(kind(&meaning), expected, "{content_type} {body}");
        }
    }

    proptest! {
        #[test]
        fn any_answer_means_something(status in 100u16..600, body in proptest::collection::vec(any::<u8>(), 0..200)) {
            let answer = Heard { status, body, ..Heard::default() };
            for key in [Key::NacosNamespaces, Key::nacos_instances("", "g", "s"), Key::nacos_config("", "g", "d")] {
                let _ = meaning(&key, "v1/cs/configs", &mut answer.clone());
                let _ = meaning(&key, "v3/admin/ns/service/list", &mut answer.clone());
            }
        }
    }
}
