//! The cheap look at a line: which key it answers, without building its content.
//!
//! One question about one service must not pay for the instances of all others, so a line is parsed only when this
//! look says that it is wanted. The look still checks the whole line: it is JSON, it has its key, it has one answer.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::wanted::hint_name;
use crate::snapshot::wire::{
    Found, KEY_FIELDS, KeyFields, PAYLOADS, has_own_fields, no_json, not_one_payload,
};

/// What can be known of a line without its content.
#[derive(Debug, Default)]
pub(super) struct Peek<'a> {
    /// The fields from which the key follows.
    pub(super) fields: KeyFields<'a>,
    payloads: [bool; PAYLOADS.len()],
    /// A key field that stands there twice, so that it is open what the line is about.
    twice: Option<&'static str>,
}

impl<'a> Peek<'a> {
    /// Looks at a line.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn at(line: &'a [u8]) -> Result<Self, String> {
        let peek: Self = serde_json::from_slice(line).map_err(|error| no_json(&error))?;
        if let Some(name) = peek.twice {
            return Err(format!("field {name} twice"));
        }
        let op = peek.fields.text("op").ok_or("line without op")?;
        let count = peek.payloads.iter().filter(|there| **there).count();
        if count > 1 || (count == 0 && !has_own_fields(op)) {
            return Err(not_one_payload(op, count));
        }
        Ok(peek)
    }

    /// The text that tells its key from most others, if it has one.
    pub(super) fn hint(&self) -> Option<&str> {
        self.fields.text(hint_name(self.fields.text("op")?)?)
    }

    /// Whether it has the key that its operation needs.
    pub(super) fn check(&self) -> Result<(), String> {
        self.fields.check()
    }

    /// Whether the answer stands under this name.
    pub(super) fn has(&self, payload: &str) -> bool {
        PAYLOADS
            .iter()
            .zip(self.payloads)
            .any(|(name, there)| there && *name == payload)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Peek<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(LineVisitor(std::marker::PhantomData))
    }
}

/// The same text as [`Peek::hint`] of a line that is written as we write it, without looking at the rest of the line.
/// `None` where that cannot be said so quickly.
pub(super) fn quick_hint(line: &[u8]) -> Option<&str> {
    let mut rest = line.strip_prefix(b"{")?;
    let mut wanted = "op";
    loop {
        let (name, after) = plain_text(rest)?;
        let (value, after) = plain_text(after.strip_prefix(b":")?)?;
        if name == wanted.as_bytes() {
            let value = std::str::from_utf8(value).ok()?;
            if wanted != "op" {
                return Some(value);
            }
            wanted = hint_name(value)?;
        }
        rest = after.strip_prefix(b",")?;
    }
}

/// A text without escapes at the beginning, and what follows it.
fn plain_text(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let inside = bytes.strip_prefix(b"\"")?;
    let end = memchr::memchr2(b'"', b'\\', inside)?;
    (inside[end] == b'"').then(|| (&inside[..end], &inside[end + 1..]))
}

struct LineVisitor<'a>(std::marker::PhantomData<&'a ()>);

impl<'de: 'a, 'a> Visitor<'de> for LineVisitor<'a> {
    type Value = Peek<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Peek<'a>, A::Error> {
        let mut peek = Peek::default();
        while let Some(Name(name)) = map.next_key()? {
            if let Some(place) = KeyFields::place(&name) {
                let TextOrNot(found) = map.next_value()?;
                if peek.fields.set(place, found) {
                    peek.twice = Some(KEY_FIELDS[place]);
                }
                continue;
            }
            map.next_value::<IgnoredAny>()?;
            if let Some(place) = PAYLOADS.iter().position(|payload| *payload == name) {
                peek.payloads[place] = true;
            }
        }
        Ok(peek)
    }
}

struct Name<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Name<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match TextOrNot::deserialize(deserializer)?.0 {
            Found::Text(name) => Ok(Self(name)),
            _ => Err(serde::de::Error::custom("a name is no text")),
        }
    }
}

/// A text, borrowed where it has no escapes; anything else is passed over.
struct TextOrNot<'a>(Found<'a>);

impl<'de: 'a, 'a> Deserialize<'de> for TextOrNot<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Found<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Found<'de>, E> {
                Ok(Found::Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Found<'de>, E> {
                Ok(Found::Text(Cow::Owned(text.to_owned())))
            }

            fn visit_unit<E>(self) -> Result<Found<'de>, E> {
                Ok(Found::Nothing)
            }

            fn visit_bool<E>(self, _: bool) -> Result<Found<'de>, E> {
                Ok(Found::NoText)
            }

            fn visit_i64<E>(self, _: i64) -> Result<Found<'de>, E> {
                Ok(Found::NoText)
            }

            fn visit_u64<E>(self, _: u64) -> Result<Found<'de>, E> {
                Ok(Found::NoText)
            }

            fn visit_f64<E>(self, _: f64) -> Result<Found<'de>, E> {
                Ok(Found::NoText)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Found<'de>, A::Error> {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Found::NoText)
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Found<'de>, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Found::NoText)
            }
        }
        deserializer.deserialize_any(Any).map(TextOrNot)
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_written_plainly_is_seen_quickly() {
        for (line, hint) in [
            (r#"{"op":"zk.node","path":"/a","text":"x"}"#, Some("/a")),
            (
                r#"{"op":"nacos.config","api":"v1","namespace":"","group":"g","data_id":"d","text":"x"}"#,
                Some("d"),
            ),
            (r#"{"op":"nacos.state","api":"v1","text":"x"}"#, None),
            (r#"{"op":"zk.node","stat":{},"path":"/a","text":"x"}"#, None),
            (r#"{"op":"zk.node", "path":"/a","text":"x"}"#, None),
            (r#"{"op":"zk.node","path":"/\u0061","text":"x"}"#, None),
            ("", None),
            ("{\"op", None),
            ("{\"op\":\"zk.node\",\"path\":\"/", None),
        ] {
            assert_eq!(quick_hint(line.as_bytes()), hint, "{line}");
        }
    }

    #[test]
    fn a_line_about_two_things_is_refused() {
        let line = br#"{"op":"zk.node","path":"/a","path":"/b","text":"x"}"#;
        assert_eq!(Peek::at(line).unwrap_err(), "field path twice");
    }

    proptest! {
        #[test]
        fn the_quick_look_agrees_with_the_full_one(
            op in "zk\\.node|nacos\\.config|tcp|x",
            fields in proptest::collection::vec(("path|data_id|address|api|op|k", "[a-z\"\\\\ ]{0,3}"), 0..4),
            space in "| ",
        ) {
            let mut line = format!("{{\"op\":{space}{}", serde_json::to_string(&op).expect("a text"));
            for (name, value) in &fields {
                let value = serde_json::to_string(value).expect("a text");
                let _ = write!(line, ",\"{name}\":{space}{value}");
            }
            line += ",\"text\":\"\"}";
            if let (Some(quick), Ok(peek)) = (quick_hint(line.as_bytes()), Peek::at(line.as_bytes())) {
                prop_assert_eq!(Some(quick), peek.hint());
            }
        }

        #[test]
        fn any_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            let _ = quick_hint(&bytes);
            let _ = Peek::at(&bytes);
        }
    }
}
