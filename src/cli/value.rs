//! Small values of flags: pairs, durations, moments, codes. Errors name what was expected.

use std::{path::PathBuf, time::Duration};

use jiff::{SignedDuration, Timestamp};

use crate::diagnose::code::Code;

/// `K=V`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyValue {
    /// Before the first `=`.
    pub key: String,
    /// After it.
    pub value: String,
}

/// Reads `K=V`; the value may be empty and may contain `=`.
pub fn key_value(text: &str) -> Result<KeyValue, String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => Ok(KeyValue {
            key: key.trim().to_owned(),
            value: value.to_owned(),
        }),
        _ => Err("expected K=V, for example protocol=tri".to_owned()),
    }
}

/// Reads `NAME=CIDR[,CIDR]`.
pub fn zone(text: &str) -> Result<KeyValue, String> {
    key_value(text).map_err(|_| "expected NAME=CIDR[,CIDR], for example a=10.1.0.0/16".to_owned())
}

/// Whose file an attached file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Whose {
    /// The consumer's.
    Consumer,
    /// A provider's.
    Provider,
}

/// `[consumer|provider[@HOST]:]FILE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// Whose file; `None` = not said.
    pub whose: Option<Whose>,
    /// On which host it was written.
    pub host: Option<String>,
    /// The file.
    pub file: PathBuf,
}

/// Reads `[consumer|provider[@HOST]:]FILE`.
pub fn attachment(text: &str) -> Result<Attachment, String> {
    let plain = |file: &str| Attachment {
        whose: None,
        host: None,
        file: file.into(),
    };
    let Some((head, file)) = text.split_once(':') else {
        return if text.is_empty() {
            Err("expected [consumer|provider[@HOST]:]FILE".to_owned())
        } else {
            Ok(plain(text))
        };
    };
    // An IPv6 host has colons of its own: consumer@[::1]:FILE.
    let (head, file) = match (head.split_once('@'), text.find("]:")) {
        (Some((_, host)), Some(end)) if host.starts_with('[') => (&text[..=end], &text[end + 2..]),
        _ => (head, file),
    };
    let (name, host) = head
        .split_once('@')
        .map_or((head, None), |(name, host)| (name, Some(host)));
    let whose = match name {
        "consumer" => Whose::Consumer,
        "provider" => Whose::Provider,
        _ => return Ok(plain(text)),
    };
    if file.is_empty() {
        return Err(format!("no file behind `{head}:`"));
    }
    if host.is_some_and(str::is_empty) {
        return Err("no host behind `@`".to_owned());
    }
    Ok(Attachment {
        whose: Some(whose),
        host: host.map(|host| host.trim_matches(['[', ']']).to_owned()),
        file: file.into(),
    })
}

/// Reads a time span with a unit: `500ms`, `10s`, `2m`.
pub fn duration(text: &str) -> Result<Duration, String> {
    let expected = "expected a number with a unit, for example 500ms, 10s, 2m";
    let span: SignedDuration = text.trim().parse().map_err(|_| expected.to_owned())?;
    match Duration::try_from(span) {
        Ok(span) if !span.is_zero() => Ok(span),
        _ => Err("must be longer than nothing".to_owned()),
    }
}

/// Reads a moment with its zone (RFC 3339).
pub fn moment(text: &str) -> Result<Timestamp, String> {
    text.trim().parse().map_err(|_| {
        "expected a time with its zone, for example 2026-03-04T05:06:07+08:00 or ..Z".to_owned()
    })
}

/// Reads the name of an optional fact.
pub fn requirement(text: &str) -> Result<String, String> {
    const KNOWN: [&str; 5] = ["caches", "metrics", "probe", "qos", "sweep"];
    if KNOWN.contains(&text) {
        Ok(text.to_owned())
    } else {
        Err(format!("expected one of {}", KNOWN.join(", ")))
    }
}

/// Reads a finding code: `DG2101`, `2101` or its name.
pub fn code(text: &str) -> Result<Code, String> {
    let upper = text.trim().to_ascii_uppercase();
    let digits = upper.strip_prefix("DG").unwrap_or(&upper);
    let found = Code::ALL.iter().copied().find(|code| {
        (digits.len() == 4 && digits.parse() == Ok(code.number()))
            || code.name().eq_ignore_ascii_case(text.trim())
    });
    found.ok_or_else(|| {
        if let Some((code, name)) = Code::unused(text) {
            return format!("this version does not use {code} ({name})");
        }
        let near = Code::near(text)
            .first()
            .map(|code| format!("; did you mean {code} ({})?", code.name()))
            .unwrap_or_default();
        format!("no finding has this code{near}")
    })
}

/// `CODE[=SUBJECT]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hidden {
    /// Code.
    pub code: Code,
    /// Only about this subject.
    pub subject: Option<String>,
}

/// Reads `CODE[=SUBJECT]`.
pub fn hidden(text: &str) -> Result<Hidden, String> {
    let (head, subject) = text
        .split_once('=')
        .map_or((text, None), |(head, tail)| (head, Some(tail)));
    Ok(Hidden {
        code: code(head)?,
        subject: subject.map(str::to_owned),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attachments() {
        let read = |text: &str| {
            let a = attachment(text).unwrap();
            (
                a.whose,
                a.host.unwrap_or_default(),
                a.file.display().to_string(),
            )
        };
        let (c, p) = (Some(Whose::Consumer), Some(Whose::Provider));
        for (text, expected) in [
            ("a.log", (None, "", "a.log")),
            ("consumer:a.log", (c, "", "a.log")),
            (
                "provider@10.0.0.7:/var/log/a.log",
                (p, "10.0.0.7", "/var/log/a.log"),
            ),
            ("consumer@[::1]:a:b.log", (c, "::1", "a:b.log")),
            ("consumer:a:b.log", (c, "", "a:b.log")),
            ("other:a.log", (None, "", "other:a.log")),
        ] {
            let (whose, host, file) = read(text);
            assert_eq!((whose, host.as_str(), file.as_str()), expected, "{text}");
        }
        for wrong in ["", "consumer:", "provider@:f"] {
            assert!(attachment(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn spans_and_moments() {
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("2m"), Ok(Duration::from_secs(120)));
        for wrong in ["10", "", "s", "-1s", "0s", "ten"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
        assert!(moment("2026-03-04T05:06:07+08:00").is_ok());
        assert!(moment("2026-03-04 05:06:07").is_err());
    }

    #[test]
    fn codes() {
        for text in ["DG2101", "dg2101", "2101", "group-differs"] {
            assert_eq!(code(text), Ok(Code::GroupDiffers), "{text}");
        }
        assert_eq!(
            code("group-difers").unwrap_err(),
            "no finding has this code; did you mean DG2101 (group-differs)?"
        );
        assert_eq!(
            code("DG21O1").unwrap_err(),
            "no finding has this code; did you mean DG2101 (group-differs)?"
        );
        assert_eq!(
            code("DG2106").unwrap_err(),
            "this version does not use DG2106 (registered-late)"
        );
        assert!(code("banana").is_err());
        assert_eq!(code("DG21").unwrap_err(), "no finding has this code");
        let hidden = hidden("DG3007=10.0.0.1:1=x").unwrap();
        assert_eq!(hidden.subject.as_deref(), Some("10.0.0.1:1=x"));
    }

    #[test]
    fn pairs() {
        assert_eq!(key_value("a=b=c").unwrap().value, "b=c");
        assert!(key_value("=b").is_err());
        assert!(key_value("a").is_err());
    }
}
