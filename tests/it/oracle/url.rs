//! `URL.valueOf` and `URLStrParser`: text to parts and keys.

use diag::model::secret::Secret;
use diag::model::url::Url;
use diag::model::version::{DubboVersion, Line};
use serde_json::{Value, json};

use super::{Kind, Outcome, answer};

pub(super) const KIND: Kind = Kind {
    name: "url",
    check,
    lines: &Line::MODELLED,
    patches: &[],
    skipped: &[],
};

fn check(case: &Value, version: &DubboVersion) -> Outcome {
    let text = case["text"].as_str().unwrap_or_default();
    let read = match case["mode"].as_str() {
        Some("encoded") => Url::parse_encoded(text, version),
        Some("plain") => Url::parse(text, version),
        _ => return Outcome::Skipped("a way of reading that is not known here"),
    };
    match (answer(case), read) {
        (Ok(out), Ok(url)) => Outcome::of(out, &view(&url, version)),
        (Err(class), Err(error)) if class == error.class() => Outcome::Agrees,
        (expected, actual) => {
            Outcome::Disagrees(format!("    expected {expected:?}, got {actual:?}"))
        }
    }
}

fn view(url: &Url, version: &DubboVersion) -> Value {
    json!({
        "class": if version.line().is_3x() { "ServiceConfigURL" } else { "URL" },
        "protocol": url.protocol,
        "host": url.host,
        "port": url.port,
        "path": url.path,
        "username": url.username,
        "password": url.password.as_ref().map(Secret::expose),
        "parameters": url.parameters,
        "address": url.address(),
        "service_interface": url.service_interface(),
        "service_key": url.service_key(),
        "path_key": url.path_key(),
        "colon_key": url.colon_key(),
        "protocol_service_key": url.protocol_service_key(version.line()),
        "string": url.to_plain_text(),
        "identity": url.to_identity_text(),
        "full": url.to_full_text(),
    })
}
