//! Masking on the way in: no secret gets into a snapshot, so none can come out of it.
//!
//! Every line passes here before it is stored, live or from a recording. What is found by its place (a secret name, a
//! URL's user info, a header, a digest) is hidden in every encoding; what the user gave in this run is hidden wherever
//! it stands. Masking is idempotent, and the name of a ZooKeeper node is masked in the same way in its parent's
//! listing and in its own path, so that the two still fit.

mod base64;
mod known;
mod scan;
mod unit;
mod value;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Map, Value};

use self::known::Known;
use self::scan::names_secret;
use super::key::Key;
use super::line::Line;
use super::manifest::Manifest;
use super::payload::Payload;
use crate::model::secret::{MASK, Secret};

/// What a manifest lists as masked: the names as users know them.
pub const MASKED_NAMES: [&str; 7] = [
    "password",
    "token",
    "accessToken",
    "accessKey",
    "secretKey",
    "secret",
    "authorization",
];

/// Base64 within base64 within base64 is nobody's way to write a password.
const DEPTH: u8 = 2;

/// Takes secrets out of texts, lines and manifests.
#[derive(Clone, Debug, Default)]
pub struct Masker {
    known: Option<Arc<Known>>,
}

impl Masker {
    /// A masker that also knows these secrets, such as the password that the user gave.
    pub fn new<'a>(known: impl IntoIterator<Item = &'a Secret>) -> Self {
        Self {
            known: Known::new(known).map(Arc::new),
        }
    }

    /// A text of any kind.
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.masked(text, false, DEPTH)
    }

    /// A name by which something is found again: a node, a service, a data id, a namespace.
    ///
    /// The same as [`Self::text`], except that a known secret that is an ordinary word is left.
    pub fn name<'t>(&self, name: &'t str) -> Cow<'t, str> {
        self.masked(name, true, DEPTH)
    }

    /// A ZooKeeper path, node by node as [`Self::name`].
    pub fn path<'t>(&self, path: &'t str) -> Cow<'t, str> {
        let nodes: Vec<Cow<'t, str>> = path.split('/').map(|node| self.name(node)).collect();
        if nodes.iter().all(|node| matches!(node, Cow::Borrowed(_))) {
            return Cow::Borrowed(path);
        }
        Cow::Owned(nodes.join("/"))
    }

    /// A key. Returns whether it was touched.
    pub fn key(&self, key: &mut Key) -> bool {
        let is_path = matches!(key, Key::ZkNode { .. });
        let is_text = matches!(key, Key::QosCmd { .. });
        let mut touched = false;
        key.map_fields(|field| {
            let masked = match (is_path, is_text) {
                (true, _) => self.path(field),
                (_, true) => self.text(field),
                _ => self.name(field),
            };
            touched |= replace(masked.into_changed(), field);
        });
        touched
    }

    /// A line: its key, its fields and its answer. A touched line is marked.
    pub fn line(&self, line: &mut Line) {
        let mut touched = self.key(&mut line.key);
        for (name, value) in line
            .extra
            .iter_mut()
            .filter(|(name, _)| !matches!(name.as_str(), "api" | "form"))
        {
            touched |= self.field(name, value);
        }
        if let Some(via) = &mut line.via {
            touched |= self.string(via);
        }
        for (name, value) in &mut line.headers {
            if names_secret(name) {
                touched |= value != MASK;
                MASK.clone_into(value);
            } else {
                touched |= self.string(value);
            }
        }
        if let Some(acl) = &mut line.acl {
            touched |= self.acl(acl);
        }
        touched |= match &mut line.payload {
            Payload::Text(text) => self.string(text),
            Payload::Json(value) => self.value(value),
            Payload::Bytes(bytes) => self.bytes(bytes),
            Payload::Children(names) => names
                .iter_mut()
                .map(|name| replace(self.name(name).into_changed(), name))
                .fold(false, or),
            Payload::Err { text, rest, .. } => {
                let text = text.as_mut().is_some_and(|text| self.string(text));
                self.fields(rest) || text
            }
            Payload::Fields(own) => self.fields(own),
        };
        line.masked |= touched;
    }

    /// A manifest: addresses, names, unknown fields.
    pub fn manifest(&self, manifest: &mut Manifest) {
        for source in manifest.sources.values_mut() {
            for text in [
                &mut source.url,
                &mut source.server,
                &mut source.endpoint,
                &mut source.name,
            ]
            .into_iter()
            .flatten()
            {
                self.string(text);
            }
            self.fields(&mut source.rest);
        }
        self.string(&mut manifest.recorded_by);
        self.string(&mut manifest.seen_from.host);
        self.fields(&mut manifest.seen_from.rest);
        self.fields(&mut manifest.scope.rest);
        self.fields(&mut manifest.rest);
    }

    fn masked<'t>(&self, text: &'t str, in_name: bool, depth: u8) -> Cow<'t, str> {
        let known = match &self.known {
            Some(known) => known.mask(text, in_name),
            None => Cow::Borrowed(text),
        };
        let placed = chain(known, scan::scan);
        if depth == 0 {
            return placed;
        }
        let hides =
            |content: &str| matches!(self.masked(content, in_name, depth - 1), Cow::Owned(_));
        chain(placed, |text| base64::mask(text, &hides))
    }

    fn string(&self, text: &mut String) -> bool {
        let masked = self.text(text).into_changed();
        replace(masked, text)
    }

    /// Bytes that are no UTF-8 are looked at one by one: names and secrets are mostly ASCII.
    fn bytes(&self, bytes: &mut Vec<u8>) -> bool {
        let masked = if let Ok(text) = std::str::from_utf8(bytes) {
            self.text(text).into_changed().map(String::into_bytes)
        } else {
            let text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
            let masked = self.text(&text).into_changed();
            masked.map(|text| {
                text.chars()
                    .filter_map(|char| u8::try_from(u32::from(char)).ok())
                    .collect()
            })
        };
        masked.is_some_and(|masked| {
            *bytes = masked;
            true
        })
    }

    fn value(&self, value: &mut Value) -> bool {
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
            Value::String(text) => self.string(text),
            Value::Array(items) => items
                .iter_mut()
                .map(|item| self.value(item))
                .fold(false, or),
            Value::Object(fields) => self.fields(fields),
        }
    }

    fn fields(&self, fields: &mut Map<String, Value>) -> bool {
        let mut touched = fields
            .iter_mut()
            .map(|(name, value)| self.field(name, value))
            .fold(false, or);
        // `{"key":"password","value":".."}`
        let of_secret = ["key", "name"].iter().any(|name| {
            fields
                .get(*name)
                .and_then(Value::as_str)
                .is_some_and(names_secret)
        });
        if of_secret && let Some(value) = fields.get_mut("value") {
            touched |= hide(value);
        }
        if fields
            .keys()
            .any(|name| matches!(self.text(name), Cow::Owned(_)))
        {
            touched = true;
            *fields = std::mem::take(fields)
                .into_iter()
                .map(|(name, value)| (self.text(&name).into_owned(), value))
                .collect();
        }
        touched
    }

    fn field(&self, name: &str, value: &mut Value) -> bool {
        if names_secret(name) && !value.is_object() {
            hide(value)
        } else {
            self.value(value)
        }
    }

    /// An ACL: the id of a digest is `user:hash`, and the hash can be used to break the password.
    fn acl(&self, acl: &mut Value) -> bool {
        let Value::Array(entries) = acl else {
            return self.value(acl);
        };
        entries.iter_mut().fold(false, |touched, entry| {
            let scheme = entry
                .get("scheme")
                .and_then(Value::as_str)
                .unwrap_or_default();
            let is_open = matches!(scheme, "world" | "ip" | "hostname" | "sasl" | "x509");
            let digest = match entry.get_mut("id") {
                Some(Value::String(id)) if !is_open => id
                    .split_once(':')
                    .filter(|(_, hash)| *hash != MASK)
                    .map(|(user, _)| format!("{user}:{MASK}"))
                    .is_some_and(|masked| {
                        *id = masked;
                        true
                    }),
                _ => false,
            };
            self.value(entry) || digest || touched
        })
    }
}

/// Replaces a value under a secret name; says whether there was something to hide.
fn hide(value: &mut Value) -> bool {
    let says_nothing = match value {
        Value::Null | Value::Bool(_) => true,
        Value::String(text) => scan::says_nothing(text),
        Value::Array(items) => items.is_empty(),
        Value::Number(_) | Value::Object(_) => false,
    };
    if !says_nothing {
        *value = Value::String(MASK.to_owned());
    }
    !says_nothing
}

/// Both sides have to happen, so no `any`.
fn or(one: bool, other: bool) -> bool {
    one || other
}

fn replace(masked: Option<String>, text: &mut String) -> bool {
    match masked {
        Some(masked) => {
            *text = masked;
            true
        }
        None => false,
    }
}

fn chain<'t>(text: Cow<'t, str>, f: impl for<'s> Fn(&'s str) -> Cow<'s, str>) -> Cow<'t, str> {
    match text {
        Cow::Borrowed(text) => f(text),
        Cow::Owned(text) => match f(&text) {
            Cow::Borrowed(_) => Cow::Owned(text),
            Cow::Owned(masked) => Cow::Owned(masked),
        },
    }
}

/// Whether masking changed anything.
trait IntoChanged {
    fn into_changed(self) -> Option<String>;
}

impl IntoChanged for Cow<'_, str> {
    fn into_changed(self) -> Option<String> {
        match self {
            Cow::Borrowed(_) => None,
            Cow::Owned(text) => Some(text),
        }
    }
}
