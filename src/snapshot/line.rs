//! One line of a recording: one answer to one question.

use std::borrow::Cow;
use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::fields::{Found, KeyFields, field_order, is_key_field};
use super::key::Key;
use super::payload::{ErrKind, PAYLOADS, Payload, ZkStat};
use super::time::At;

/// One answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// What it answers.
    pub key: Key,
    /// Further fields: `api`, `page`, `page_size`, `cluster`, `search`, `form`, `from`, `line`, `offset`, .., and those
    /// that this version does not know.
    pub extra: Map<String, Value>,
    /// When it was said; without it, when the recording ended. See [`super::Snapshot::at`].
    pub at: Option<At>,
    /// Which member of an ensemble or cluster said it.
    pub via: Option<String>,
    /// HTTP status.
    pub http: Option<u16>,
    /// HTTP headers worth keeping.
    pub headers: BTreeMap<String, String>,
    /// Stat of a ZooKeeper node.
    pub stat: Option<ZkStat>,
    /// ACL of a ZooKeeper node: a list of `{perms, scheme, id}`.
    pub acl: Option<Value>,
    /// Whether secrets were taken out of it.
    pub masked: bool,
    /// The answer.
    pub payload: Payload,
}

impl Line {
    /// An answer of which nothing else is known.
    pub fn new(key: Key, payload: Payload) -> Self {
        Self {
            key,
            extra: Map::new(),
            at: None,
            via: None,
            http: None,
            headers: BTreeMap::new(),
            stat: None,
            acl: None,
            masked: false,
            payload,
        }
    }

    /// The same with a further field.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.extra.insert(name.to_owned(), value.into());
        self
    }

    /// The same with the time at which it was said.
    #[must_use]
    pub fn said_at(mut self, at: At) -> Self {
        self.at = Some(at);
        self
    }

    /// The same with the member that said it.
    #[must_use]
    pub fn said_by(mut self, member: impl Into<String>) -> Self {
        self.via = Some(member.into());
        self
    }

    /// The same with an HTTP status.
    #[must_use]
    pub fn with_http(mut self, status: u16) -> Self {
        self.http = Some(status);
        self
    }

    /// The same with the stat of the node.
    #[must_use]
    pub fn with_stat(mut self, stat: ZkStat) -> Self {
        self.stat = Some(stat);
        self
    }

    /// The API that was called, `plain` for the neutral shape of hand-written cases.
    pub fn api(&self) -> Option<&str> {
        self.extra.get("api").and_then(Value::as_str)
    }

    /// Page number, from 1.
    pub fn page(&self) -> Option<u64> {
        self.extra.get("page").and_then(Value::as_u64)
    }

    /// Entries on a full page.
    pub fn page_size(&self) -> Option<u64> {
        self.extra.get("page_size").and_then(Value::as_u64)
    }

    /// Line number in an attached file, from 1.
    pub fn line_number(&self) -> Option<u64> {
        self.extra.get("line").and_then(Value::as_u64)
    }

    /// A header, whatever the case of its name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// The answer as text: `text` verbatim, `json` printed without spaces, bytes as far as they are UTF-8.
    pub fn body_text(&self) -> Option<Cow<'_, str>> {
        match &self.payload {
            Payload::Text(text) => Some(Cow::Borrowed(text)),
            Payload::Json(value) => Some(Cow::Owned(value.to_string())),
            Payload::Bytes(bytes) => Some(String::from_utf8_lossy(bytes)),
            Payload::Children(_) | Payload::Err { .. } | Payload::Fields(_) => None,
        }
    }

    /// The answer as JSON: `json`, or a text that is JSON. `None` for everything else.
    pub fn body_json(&self) -> Option<Cow<'_, Value>> {
        match &self.payload {
            Payload::Json(value) => Some(Cow::Borrowed(value)),
            Payload::Text(text) => serde_json::from_str(text).ok().map(Cow::Owned),
            Payload::Bytes(bytes) => serde_json::from_slice(bytes).ok().map(Cow::Owned),
            Payload::Children(_) | Payload::Err { .. } | Payload::Fields(_) => None,
        }
    }

    /// The names of the children, if the line lists them.
    pub fn children(&self) -> Option<&[String]> {
        match &self.payload {
            Payload::Children(names) => Some(names),
            _ => None,
        }
    }

    /// A field of the answer's own (`tcp`, `probe`, `derived.revision`): beside the others or within `json`.
    pub fn field(&self, name: &str) -> Option<&Value> {
        match &self.payload {
            Payload::Fields(fields) | Payload::Json(Value::Object(fields)) => fields.get(name),
            _ => None,
        }
        .or_else(|| self.extra.get(name))
    }

    /// Whether a connection attempt worked (`tcp`).
    pub fn is_connected(&self) -> bool {
        self.field("connected") == Some(&Value::Bool(true))
    }

    /// The kind of refusal, if it is one.
    pub fn err_kind(&self) -> Option<&ErrKind> {
        self.payload.err_kind()
    }

    /// The body of a refusal.
    pub fn err_text(&self) -> Option<&str> {
        match &self.payload {
            Payload::Err { text, .. } => text.as_deref(),
            _ => None,
        }
    }

    /// Reads one line of JSON.
    ///
    /// # Errors
    /// What is wrong with it, without its place.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let fields: Map<String, Value> =
            serde_json::from_slice(bytes).map_err(|error| no_json(&error))?;
        Self::from_fields(fields)
    }

    fn from_fields(mut fields: Map<String, Value>) -> Result<Self, String> {
        let key = key_of(&fields)?;
        let op = key.op().to_owned();
        let payload = take_payload(&op, &mut fields)?;
        let mut line = Self::new(key, Payload::Fields(Map::new()));
        line.at = take(&mut fields, "at")?;
        line.via = take(&mut fields, "via")?;
        line.http = take(&mut fields, "http")?;
        line.headers = take(&mut fields, "headers")?.unwrap_or_default();
        line.stat = take(&mut fields, "stat")?;
        line.acl = fields.shift_remove("acl").filter(|acl| !acl.is_null());
        line.masked = take(&mut fields, "masked")?.unwrap_or_default();
        fields.shift_remove("op");
        let is_unsaid =
            |name: &str, value: &Value| value.is_null() && field_order(&op).contains(&name);
        fields.retain(|name, value| !(is_key_field(&op, name) || is_unsaid(name, value)));
        let Some(mut payload) = payload else {
            let (own, extra) = fields
                .into_iter()
                .partition(|(name, _)| is_own_field(&op, name));
            line.payload = Payload::Fields(own);
            line.extra = extra;
            return Ok(line);
        };
        // Some writers put the status into the refusal; it belongs to the line.
        if let Payload::Err { rest, .. } = &mut payload
            && let Some(status) = rest
                .get("http")
                .and_then(Value::as_u64)
                .and_then(|status| u16::try_from(status).ok())
        {
            line.http = line.http.or(Some(status));
            rest.shift_remove("http");
        }
        line.payload = payload;
        line.extra = fields;
        Ok(line)
    }
}

/// What serde says, without the column of a line that nobody sees as a file of its own.
pub(crate) fn no_json(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = text.split(" at line ").next().unwrap_or(&text);
    format!("no JSON object ({text} at column {})", error.column())
}

/// Whether an operation may do without one of [`PAYLOADS`].
pub(crate) fn has_own_fields(op: &str) -> bool {
    matches!(op, "tcp" | "probe" | "derived.revision")
        || field_order(op).is_empty() && op != "metrics.text"
}

/// Whether a field of an operation with fields of its own is part of the answer.
fn is_own_field(op: &str, name: &str) -> bool {
    match op {
        "tcp" | "probe" => name != "from",
        "derived.revision" => true,
        _ => false,
    }
}

fn key_of(fields: &Map<String, Value>) -> Result<Key, String> {
    let mut found = KeyFields::default();
    for (name, value) in fields {
        if let Some(place) = KeyFields::place(name) {
            found.set(
                place,
                match value {
                    Value::Null => Found::Nothing,
                    Value::String(text) => Found::Text(Cow::Borrowed(text)),
                    _ => Found::NoText,
                },
            );
        }
    }
    found.key()
}

fn take<T: for<'de> Deserialize<'de>>(
    fields: &mut Map<String, Value>,
    name: &str,
) -> Result<Option<T>, String> {
    match fields.shift_remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => serde_json::from_value(value)
            .map(Some)
            .map_err(|error| format!("field {name}: {error}")),
    }
}

/// The error for a line that has no answer or several.
pub(crate) fn not_one_payload(op: &str, count: usize) -> String {
    format!("{op} has {count} of children, text, b64, json, err; exactly one must be there")
}

fn take_payload(op: &str, fields: &mut Map<String, Value>) -> Result<Option<Payload>, String> {
    let present: Vec<&str> = PAYLOADS
        .into_iter()
        .filter(|name| fields.contains_key(*name))
        .collect();
    let name = match present.as_slice() {
        [] if has_own_fields(op) => return Ok(None),
        [name] => *name,
        several => return Err(not_one_payload(op, several.len())),
    };
    let value = fields.shift_remove(name).unwrap_or_default();
    let wrong = |what: &str| format!("field {name}: {what}");
    Ok(Some(match (name, value) {
        ("json", value) => Payload::Json(value),
        ("text", Value::String(text)) => Payload::Text(text),
        ("text", _) => return Err(wrong("no text")),
        ("children", Value::Array(names)) => Payload::Children(
            names
                .into_iter()
                .map(|name| match name {
                    Value::String(name) => Ok(name),
                    _ => Err(wrong("not a list of names")),
                })
                .collect::<Result<_, _>>()?,
        ),
        ("children", _) => return Err(wrong("not a list of names")),
        ("b64", Value::String(text)) => Payload::Bytes(
            STANDARD
                .decode(text.trim())
                .map_err(|error| wrong(&format!("no base64 ({error})")))?,
        ),
        ("b64", _) => return Err(wrong("no base64 text")),
        (_, Value::Object(mut rest)) => Payload::Err {
            kind: take(&mut rest, "kind")
                .map_err(|_| wrong("kind is no text"))?
                .ok_or_else(|| wrong("no kind"))?,
            text: take(&mut rest, "text").map_err(|_| wrong("text is no text"))?,
            rest,
        },
        (_, _) => return Err(wrong("not an object with kind and text")),
    }))
}

impl Line {
    /// The line as the format writes it, with its end. Most of a recording are texts: they are written at once, and not
    /// piece by piece between quotes.
    pub(crate) fn written(&self) -> serde_json::Result<Vec<u8>> {
        let mut written = Vec::with_capacity(512);
        let Payload::Text(text) = &self.payload else {
            serde_json::to_writer(&mut written, self)?;
            written.push(b'\n');
            return Ok(written);
        };
        self.write(&mut serde_json::Serializer::new(&mut written), "")?;
        // The text comes last.
        written.truncate(written.len() - "\"}".len());
        escape(text, &mut written);
        written.extend_from_slice(b"\"}\n");
        Ok(written)
    }

    /// `text` = what stands in place of a text.
    fn write<S: Serializer>(&self, serializer: S, text: &str) -> Result<S::Ok, S::Error> {
        let op = self.key.op();
        let order = field_order(op);
        let fields = self.key.fields();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("op", op)?;
        for name in order {
            if let Some((_, value)) = fields.iter().find(|(field, _)| field == name) {
                map.serialize_entry(name, value)?;
            } else if let Some(value) = self.extra.get(*name) {
                map.serialize_entry(name, value)?;
            }
        }
        if let Some(at) = &self.at {
            map.serialize_entry("at", at)?;
        }
        if let Some(via) = &self.via {
            map.serialize_entry("via", via)?;
        }
        if let Some(http) = self.http {
            map.serialize_entry("http", &http)?;
        }
        if !self.headers.is_empty() {
            map.serialize_entry("headers", &self.headers)?;
        }
        if let Some(stat) = &self.stat {
            map.serialize_entry("stat", stat)?;
        }
        if let Some(acl) = &self.acl {
            map.serialize_entry("acl", acl)?;
        }
        if self.masked {
            map.serialize_entry("masked", &true)?;
        }
        for (name, value) in self
            .extra
            .iter()
            .filter(|(name, _)| !order.contains(&name.as_str()))
        {
            map.serialize_entry(name, value)?;
        }
        match &self.payload {
            Payload::Children(names) => map.serialize_entry("children", names)?,
            Payload::Text(_) => map.serialize_entry("text", text)?,
            Payload::Bytes(bytes) => map.serialize_entry("b64", &STANDARD.encode(bytes))?,
            Payload::Json(value) => map.serialize_entry("json", value)?,
            Payload::Err { kind, text, rest } => map.serialize_entry(
                "err",
                &Refusal {
                    kind,
                    text: text.as_deref(),
                    rest,
                },
            )?,
            Payload::Fields(own) => {
                for (name, value) in own {
                    map.serialize_entry(name, value)?;
                }
            }
        }
        map.end()
    }
}

impl Serialize for Line {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = match &self.payload {
            Payload::Text(text) => text,
            _ => "",
        };
        self.write(serializer, text)
    }
}

/// What a byte is written as within quotes, behind a backslash; 0: as itself, `u`: by its number.
const ESCAPES: [u8; 256] = {
    let mut table = [0; 256];
    let mut control = 0;
    while control < 0x20 {
        table[control] = b'u';
        control += 1;
    }
    let mut named = 0;
    let names = *b"\x08b\x09t\x0an\x0cf\x0dr\"\"\\\\";
    while named < names.len() {
        table[names[named] as usize] = names[named + 1];
        named += 2;
    }
    table
};

/// Writes a text as it stands between quotes in JSON, in the same way as `serde_json`.
fn escape(text: &str, to: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    let escaped = bytes
        .iter()
        .filter(|byte| ESCAPES[usize::from(**byte)] != 0);
    to.reserve(bytes.len() + escaped.count() + "\"}\n".len());
    for byte in bytes {
        match ESCAPES[usize::from(*byte)] {
            0 => to.push(*byte),
            b'u' => {
                let digit = |half: u8| b"0123456789abcdef"[usize::from(half)];
                to.extend_from_slice(&[
                    b'\\',
                    b'u',
                    b'0',
                    b'0',
                    digit(byte >> 4),
                    digit(byte & 15),
                ]);
            }
            name => to.extend_from_slice(&[b'\\', name]),
        }
    }
}

#[derive(Serialize)]
struct Refusal<'a> {
    kind: &'a ErrKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(flatten)]
    rest: &'a Map<String, Value>,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_line_is_written_as_it_is_serialised(text in r#"([ -~]|[\x00-\x1f"\\]|\PC){0,60}"#) {
            let key = Key::nacos_config("n", &text, "d");
            for payload in [Payload::Text(text.clone()), Payload::Children(vec![text.clone()])] {
                let line = Line::new(key.clone(), payload).with("later", 7);
                let expected = serde_json::to_string(&line).unwrap() + "\n";
                prop_assert_eq!(String::from_utf8(line.written().unwrap()).unwrap(), expected);
            }
        }
    }
}
