//! Addresses, applications and interfaces of a recording replaced by pseudonyms, so that it may leave the house.
//!
//! What is to be replaced is [gathered](Gathered) from the whole recording first; then every text is rewritten by the
//! same rules. The same name has the same pseudonym everywhere in a recording. Networks stay networks, packages stay
//! packages, `order-*` still fits what it fitted, a name of another case or with a typing error is still near, so that
//! an anonymised recording gives the same codes and counts. What is Dubbo's own (`org.apache.dubbo..`, parameters, words of
//! protocols) is kept, and so are groups, versions, methods, tags, namespaces, rooms, ports and times.
//!
//! Pure. Masking of secrets is another matter (`snapshot::mask`) and happens before.

mod address;
mod gather;
mod kept;
mod letters;
mod names;
mod near;
mod scan;

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::snapshot::{Key, Line, Manifest, Payload, Snapshot};

use address::Addresses;
use names::Names;

pub use gather::Gathered;

/// What every name is called in the anonymised recording.
#[derive(Debug, Clone)]
pub struct Pseudonyms {
    names: Names,
    addresses: Addresses,
}

impl Pseudonyms {
    /// A text of any kind with its names replaced; also what somebody would ask of the recording: a service key, an
    /// address, a rule.
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        scan::replaced(text, &self.names, &self.addresses)
    }

    /// The full names that are replaced wherever they stand: interfaces, applications, hosts; sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.whole()
    }

    /// Names of applications and hosts that stay, because Dubbo's data have the same word in another meaning; sorted.
    pub fn kept(&self) -> impl Iterator<Item = &str> {
        self.names.kept()
    }

    /// A line: its key, its fields, its answer. One whose answer changes counts as masked: what is computed from its
    /// bytes is no longer what it was.
    pub fn line(&self, line: &mut Line) {
        match &mut line.key {
            Key::ZkFour { .. } | Key::FileLines { .. } => {}
            Key::Probe { address, .. } => self.string(address),
            Key::FileEntry { key, .. } => self.string(key),
            other => other.map_fields(|field| self.string(field)),
        }
        for (name, value) in &mut line.extra {
            if !matches!(name.as_str(), "api" | "form") {
                self.value(value);
            }
        }
        if let Some(via) = &mut line.via {
            self.string(via);
        }
        for value in line.headers.values_mut() {
            self.string(value);
        }
        if let Some(acl) = &mut line.acl {
            self.value(acl);
        }
        let before = line.payload.clone();
        self.payload(&mut line.payload);
        line.masked |= before != line.payload
            && matches!(
                line.payload,
                Payload::Text(_) | Payload::Json(_) | Payload::Bytes(_)
            );
    }

    fn payload(&self, payload: &mut Payload) {
        match payload {
            Payload::Text(text) => self.string(text),
            Payload::Json(value) => self.value(value),
            Payload::Bytes(bytes) => {
                if let Ok(text) = std::str::from_utf8(bytes) {
                    *bytes = self.text(text).into_owned().into_bytes();
                } else {
                    // Names are ASCII, whatever the rest is.
                    let text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
                    *bytes = self
                        .text(&text)
                        .chars()
                        .filter_map(|char| u8::try_from(u32::from(char)).ok())
                        .collect();
                }
            }
            Payload::Children(names) => names.iter_mut().for_each(|name| self.string(name)),
            Payload::Err { text, rest, .. } => {
                if let Some(text) = text {
                    self.string(text);
                }
                self.fields(rest);
            }
            Payload::Fields(own) => self.fields(own),
        }
    }

    /// A manifest: who asked from where, for what, and whom.
    pub fn manifest(&self, manifest: &mut Manifest) {
        for source in manifest.sources.values_mut() {
            for text in [
                &mut source.url,
                &mut source.endpoint,
                &mut source.name,
                &mut source.host,
            ]
            .into_iter()
            .flatten()
            {
                self.string(text);
            }
            self.fields(&mut source.rest);
        }
        self.string(&mut manifest.recorded_by);
        let seen_from = &mut manifest.seen_from;
        self.string(&mut seen_from.host);
        seen_from
            .addresses
            .iter_mut()
            .for_each(|one| self.string(one));
        self.fields(&mut seen_from.rest);
        manifest
            .scope
            .services
            .iter_mut()
            .for_each(|one| self.string(one));
        self.fields(&mut manifest.scope.rest);
        self.fields(&mut manifest.rest);
    }

    /// A whole recording.
    pub fn snapshot(&self, snapshot: &Snapshot) -> Snapshot {
        let mut manifest = snapshot.manifest().clone();
        self.manifest(&mut manifest);
        let mut renamed = Snapshot::with_masker(manifest, snapshot.masker().clone());
        for (source, text) in snapshot.texts() {
            renamed.insert_text(source, &self.text(text));
        }
        for (source, lines) in snapshot.sources() {
            for line in lines {
                let mut line = line.clone();
                self.line(&mut line);
                if let Some(text) = renamed.text(source) {
                    place_again(&mut line, text);
                }
                renamed.insert(source.clone(), line);
            }
        }
        renamed
    }

    fn string(&self, text: &mut String) {
        if let Cow::Owned(new) = self.text(text) {
            *text = new;
        }
    }

    fn value(&self, value: &mut Value) {
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
            Value::String(text) => self.string(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(item)),
            Value::Object(fields) => self.fields(fields),
        }
    }

    fn fields(&self, fields: &mut Map<String, Value>) {
        *fields = std::mem::take(fields)
            .into_iter()
            .map(|(name, mut value)| {
                self.value(&mut value);
                (self.text(&name).into_owned(), value)
            })
            .collect();
    }
}

/// Where a line of an attached file begins in the renamed text: other names may be shorter or longer.
fn place_again(line: &mut Line, text: &str) {
    let Some(number) = line
        .line_number()
        .and_then(|number| usize::try_from(number).ok())
    else {
        return;
    };
    if line.extra.contains_key("offset") {
        let offset: usize = text
            .split_inclusive('\n')
            .take(number.saturating_sub(1))
            .map(str::len)
            .sum();
        line.extra.insert("offset".to_owned(), offset.into());
    }
}

#[cfg(test)]
mod tests;
