//! The outline of an answer: what a glance at large JSON must tell, without keeping what lies in it.

use std::{collections::BTreeMap, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, SeqAccess, Visitor},
};

/// A JSON value of which lists are only counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outline {
    /// Fields by name; of two with the same name the last one.
    Object(BTreeMap<String, Outline>),
    /// Number of entries.
    Array(usize),
    /// A whole number.
    Number(i64),
    /// Anything else.
    Other,
}

impl Outline {
    pub(super) fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(fields) => fields.get(name),
            _ => None,
        }
    }

    /// Number of entries of a list.
    pub(super) fn as_array(&self) -> Option<usize> {
        match self {
            Self::Array(entries) => Some(*entries),
            _ => None,
        }
    }

    pub(super) fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    pub(super) fn as_u64(&self) -> Option<u64> {
        self.as_i64().and_then(|number| u64::try_from(number).ok())
    }

    pub(super) fn is_object(&self) -> bool {
        matches!(self, Self::Object(_))
    }
}

impl<'de> Deserialize<'de> for Outline {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Sketch)
    }
}

struct Sketch;

impl<'de> Visitor<'de> for Sketch {
    type Value = Outline;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Outline, E> {
        Ok(Outline::Other)
    }

    fn visit_i64<E>(self, number: i64) -> Result<Outline, E> {
        Ok(Outline::Number(number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Outline, E> {
        Ok(i64::try_from(number).map_or(Outline::Other, Outline::Number))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Outline, E> {
        Ok(Outline::Other)
    }

    fn visit_str<E>(self, _: &str) -> Result<Outline, E> {
        Ok(Outline::Other)
    }

    fn visit_unit<E>(self) -> Result<Outline, E> {
        Ok(Outline::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Outline, A::Error> {
        let mut count = 0;
        while entries.next_element::<IgnoredAny>()?.is_some() {
            count += 1;
        }
        Ok(Outline::Array(count))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Outline, A::Error> {
        let mut fields = BTreeMap::new();
        while let Some((name, value)) = entries.next_entry()? {
            fields.insert(name, value);
        }
        Ok(Outline::Object(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_counted_and_the_rest_is_found() {
        let outline: Outline = serde_json::from_str(
            r#"{"code":200,"data":{"totalCount":3,"pageItems":[{"a":[1]},2,"x"],"t":1.5,"n":null}}"#,
        )
        .unwrap();
        assert_eq!(outline.get("code").and_then(Outline::as_i64), Some(200));
        let data = outline.get("data").unwrap();
        assert_eq!(data.get("totalCount").and_then(Outline::as_u64), Some(3));
        assert_eq!(data.get("pageItems").and_then(Outline::as_array), Some(3));
        assert_eq!(data.get("t").and_then(Outline::as_u64), None);
        assert!(serde_json::from_str::<Outline>(r#"{"a":[{]}"#).is_err());
    }
}
