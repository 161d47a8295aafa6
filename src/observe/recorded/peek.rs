//! The cheap look at a line: which key it answers, without building its content.
//!
//! One question about one service must not pay for the instances of all others, so a line is parsed only when this
//! look says that it is wanted. The look still checks the whole line: it is JSON, it has its key, it has one answer.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::wanted::hint_name;
use crate::snapshot::wire::{Found, KeyFields, PAYLOADS, has_own_fields, no_json, not_one_payload};

/// What can be known of a line without its content.
#[derive(Debug, Default)]
pub(super) struct Peek<'a> {
    /// The fields from which the key follows.
    pub(super) fields: KeyFields<'a>,
    payloads: [bool; PAYLOADS.len()],
}

impl<'a> Peek<'a> {
    /// Looks at a line.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn at(line: &'a [u8]) -> Result<Self, String> {
        let peek: Self = serde_json::from_slice(line).map_err(|error| no_json(&error))?;
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
                peek.fields.set(place, found);
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
