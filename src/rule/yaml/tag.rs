//! Tags: the type that a node claims or that its text suggests.

use std::fmt::Write;
use std::sync::LazyLock;

use regex::Regex;

use super::version::YamlVersion;

/// What `!!` stands for.
pub(super) const PREFIX: &str = "tag:yaml.org,2002:";

/// The type of a node, `org.yaml.snakeyaml.nodes.Tag`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    Null,
    Bool,
    Int,
    Float,
    Binary,
    Timestamp,
    Omap,
    Pairs,
    Set,
    Str,
    Seq,
    Map,
    Merge,
    Yaml,
    /// Any other, percent-encoded as in messages.
    Other(String),
}

impl Tag {
    /// Reads a written tag; `None` when it is blank at an end, which `new Tag` refuses.
    pub(super) fn parse(uri: &str) -> Option<Self> {
        if uri.is_empty() || uri.trim_matches(|c| c <= ' ').len() != uri.len() {
            return None;
        }
        Some(match uri.strip_prefix(PREFIX) {
            Some("null") => Self::Null,
            Some("bool") => Self::Bool,
            Some("int") => Self::Int,
            Some("float") => Self::Float,
            Some("binary") => Self::Binary,
            Some("timestamp") => Self::Timestamp,
            Some("omap") => Self::Omap,
            Some("pairs") => Self::Pairs,
            Some("set") => Self::Set,
            Some("str") => Self::Str,
            Some("seq") => Self::Seq,
            Some("map") => Self::Map,
            Some("merge") => Self::Merge,
            Some("yaml") => Self::Yaml,
            _ => Self::Other(encode(uri)),
        })
    }

    /// Whether it lies in YAML's own name space and is none of its standard tags (`Tag.isCustomGlobal`).
    pub(super) fn is_custom_global(&self) -> bool {
        matches!(self, Self::Other(uri) if uri.starts_with(PREFIX))
    }

    /// The tag as messages print it.
    pub(super) fn uri(&self) -> String {
        let name = match self {
            Self::Null => "null",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Float => "float",
            Self::Binary => "binary",
            Self::Timestamp => "timestamp",
            Self::Omap => "omap",
            Self::Pairs => "pairs",
            Self::Set => "set",
            Self::Str => "str",
            Self::Seq => "seq",
            Self::Map => "map",
            Self::Merge => "merge",
            Self::Yaml => "yaml",
            Self::Other(uri) => return uri.clone(),
        };
        format!("{PREFIX}{name}")
    }

    /// The type that the text of a plain scalar suggests (`Resolver.resolve`). First match wins.
    pub(super) fn of_plain(text: &str, version: YamlVersion) -> Self {
        let patterns = if version.strict_numbers() {
            &*STRICT
        } else {
            &*LOOSE
        };
        // Every pattern is ASCII, so bytes are as good as Java's characters.
        let within = |limit| !version.pattern_limits() || text.len() <= limit;
        match text.bytes().next() {
            Some(b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O')
                if is_bool(text) =>
            {
                return Self::Bool;
            }
            Some(first @ (b'-' | b'+' | b'.' | b'0'..=b'9')) => {
                if first != b'.' && within(1024) && patterns.int.is_match(text) {
                    return Self::Int;
                }
                if within(1024) && patterns.float.is_match(text) {
                    return Self::Float;
                }
                if first.is_ascii_digit() && within(50) && TIMESTAMP.is_match(text) {
                    return Self::Timestamp;
                }
            }
            _ => {}
        }
        match text {
            "" | " " | "~" | "null" | "Null" | "NULL" => Self::Null,
            "<<" => Self::Merge,
            "!" | "&" | "*" => Self::Yaml,
            _ => Self::Str,
        }
    }
}

fn is_bool(text: &str) -> bool {
    matches!(
        text,
        "yes"
            | "Yes"
            | "YES"
            | "no"
            | "No"
            | "NO"
            | "true"
            | "True"
            | "TRUE"
            | "false"
            | "False"
            | "FALSE"
            | "on"
            | "On"
            | "ON"
            | "off"
            | "Off"
            | "OFF"
    )
}

/// The patterns of numbers.
struct Patterns {
    int: Regex,
    float: Regex,
}

fn pattern(alternatives: &str) -> Regex {
    Regex::new(&format!(r"\A(?:{alternatives})\z")).expect("the pattern is a constant")
}

/// Up to 1.29.
static LOOSE: LazyLock<Patterns> = LazyLock::new(|| Patterns {
    int: pattern(
        "[-+]?0b[0-1_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+",
    ),
    float: pattern(
        r"[-+]?(?:\.[0-9]+|[0-9_]+(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)",
    ),
});

/// From 1.30 on.
static STRICT: LazyLock<Patterns> = LazyLock::new(|| Patterns {
    int: pattern(
        "[-+]?0b_*[0-1][0-1_]*|[-+]?0_*[0-7][0-7_]*|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x_*[0-9a-fA-F][0-9a-fA-F_]*|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+",
    ),
    float: pattern(
        r"[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+]?[0-9]+)?|[-+]?[0-9][0-9_]*[eE][-+]?[0-9]+|[-+]?\.[0-9_]+(?:[eE][-+]?[0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)",
    ),
});

static TIMESTAMP: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?",
    )
});

/// `UriEncoder.encode`: bytes of UTF-8 as `%XX`, but for letters, digits and the characters that a tag may hold.
fn encode(uri: &str) -> String {
    let mut text = String::with_capacity(uri.len());
    for b in uri.bytes() {
        if b.is_ascii_alphanumeric() || b"-_.!~*'()@:$&,;=[]/".contains(&b) {
            text.push(char::from(b));
        } else {
            // Writing to a String does not fail.
            let _ = write!(text, "%{b:02X}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_release_decides_what_a_number_is() {
        let of = |text, version| Tag::of_plain(text, version);
        assert_eq!(of("08", YamlVersion::V1_29), Tag::Float);
        assert_eq!(of("08", YamlVersion::V1_30), Tag::Str);
        assert_eq!(of("0_", YamlVersion::V1_20), Tag::Int);
        assert_eq!(of("0_", YamlVersion::V2_4), Tag::Str);
        assert_eq!(of("._5", YamlVersion::V1_20), Tag::Str);
        assert_eq!(of("._5", YamlVersion::V2_4), Tag::Float);
        let long = "1".repeat(1025);
        assert_eq!(of(&long, YamlVersion::V1_30), Tag::Int);
        assert_eq!(of(&long, YamlVersion::V1_32), Tag::Str);
    }

    #[test]
    fn tags_are_encoded_in_messages() {
        assert_eq!(
            Tag::parse("!a+b?中"),
            Some(Tag::Other("!a%2Bb%3F%E4%B8%AD".to_owned()))
        );
        assert_eq!(Tag::parse(" x"), None);
        assert!(
            Tag::parse("tag:yaml.org,2002:java.net.URL").is_some_and(|tag| tag.is_custom_global())
        );
    }
}
