//! Points in time as the recording writes them.
//!
//! The text is kept as it was written, so that a recording read and written again has the same bytes.

use std::cmp::Ordering;
use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An RFC 3339 time: its text and the point in time that it means.
///
/// Compared by the point in time, then by the text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct At {
    text: Box<str>,
    time: Timestamp,
}

impl At {
    /// Reads a text such as `2026-11-29T20:42:37.774Z`; an offset other than `Z` is understood.
    ///
    /// # Errors
    /// The text is no RFC 3339 time.
    pub fn parse(text: &str) -> Result<Self, jiff::Error> {
        Ok(Self {
            time: text.parse()?,
            text: text.into(),
        })
    }

    /// A point in time, written in UTC with milliseconds.
    pub fn from_time(time: Timestamp) -> Self {
        Self {
            text: format!("{time:.3}").into(),
            time,
        }
    }

    /// The text as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The point in time.
    pub fn time(&self) -> Timestamp {
        self.time
    }
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Ord for At {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.time, &self.text).cmp(&(other.time, &other.text))
    }
}

impl PartialOrd for At {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Serialize for At {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for At {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(|_| {
            serde::de::Error::custom(format!(
                "{text:?} is no RFC 3339 time such as 2026-11-29T20:42:37.774Z"
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_that_of_time_not_of_text() {
        let early = At::parse("2026-11-29T20:42:37+08:00").unwrap();
        let late = At::parse("2026-11-29T12:42:37.001Z").unwrap();
        assert!(early < late);
        assert_eq!(early.as_str(), "2026-11-29T20:42:37+08:00");
        assert_eq!(
            At::from_time(early.time()).as_str(),
            "2026-11-29T12:42:37.000Z"
        );
        assert!(At::parse("yesterday").is_err());
    }
}
