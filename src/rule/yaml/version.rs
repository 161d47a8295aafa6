//! Which SnakeYAML reads: the releases differ in what they accept, in types and in messages.

use std::fmt;
use std::str::FromStr;

/// A SnakeYAML release whose answers are recorded in `fixtures/oracle/yaml`.
///
/// The order is the order of release. Dubbo brings 1.20 (2.7), 1.29 (3.0), 1.32 (3.1), 2.3 (3.2) and 2.4 (3.3); the rest
/// is met where the application brings its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum YamlVersion {
    /// 1.20, in Dubbo 2.7.
    V1_20,
    /// 1.29, in Dubbo 3.0.
    V1_29,
    /// 1.30.
    V1_30,
    /// 1.31.
    V1_31,
    /// 1.32, in Dubbo 3.1.
    V1_32,
    /// 1.33.
    V1_33,
    /// 2.0.
    V2_0,
    /// 2.2, in Dubbo 3.2 before 3.2.16.
    V2_2,
    /// 2.3, in Dubbo 3.2.
    V2_3,
    /// 2.4, in Dubbo 3.3.
    V2_4,
}

impl YamlVersion {
    /// Every known release, oldest first.
    pub const ALL: [Self; 10] = [
        Self::V1_20,
        Self::V1_29,
        Self::V1_30,
        Self::V1_31,
        Self::V1_32,
        Self::V1_33,
        Self::V2_0,
        Self::V2_2,
        Self::V2_3,
        Self::V2_4,
    ];

    /// The release number as it stands in the jar's name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V1_20 => "1.20",
            Self::V1_29 => "1.29",
            Self::V1_30 => "1.30",
            Self::V1_31 => "1.31",
            Self::V1_32 => "1.32",
            Self::V1_33 => "1.33",
            Self::V2_0 => "2.0",
            Self::V2_2 => "2.2",
            Self::V2_3 => "2.3",
            Self::V2_4 => "2.4",
        }
    }

    /// In flow context a plain scalar ends at any `:`, and a `:` glued to the next character is an error.
    pub(super) fn flow_colon_ends_plain(self) -> bool {
        self <= Self::V1_20
    }

    /// Anchor names are `[0-9A-Za-z_-]+` only.
    pub(super) fn narrow_anchors(self) -> bool {
        self <= Self::V1_20
    }

    /// A byte order mark inside a comment does not move the column.
    pub(super) fn comment_skips_byte_order_mark(self) -> bool {
        self <= Self::V1_20
    }

    /// Messages name tokens by the Java constant (`FlowEntry`), later ones by the text (`','`).
    pub(super) fn names_tokens_by_constant(self) -> bool {
        self <= Self::V1_20
    }

    /// Directives followed by the end of the text are an empty document.
    pub(super) fn directives_may_end_stream(self) -> bool {
        self >= Self::V1_29
    }

    /// A scalar where the `:` of a block mapping is missing is taken as the value.
    pub(super) fn scalar_may_replace_colon(self) -> bool {
        self >= Self::V1_29
    }

    /// The parser looks at the token behind a flow collection before it closes it.
    pub(super) fn looks_behind_flow_end(self) -> bool {
        self >= Self::V1_29
    }

    /// A root that is tagged `!!null` is never looked at, so even a collection passes.
    pub(super) fn null_root_unchecked(self) -> bool {
        self <= Self::V1_20
    }

    /// How many aliases of collections a document may hold.
    pub(super) fn alias_limit(self) -> Option<usize> {
        (self >= Self::V1_29).then_some(50)
    }

    /// A collection that contains itself may be a key; later releases refuse it with a message.
    pub(super) fn recursive_keys(self) -> bool {
        self <= Self::V1_20
    }

    /// The length of the digits chooses between `Integer`, `Long` and `BigInteger` before the value does.
    pub(super) fn number_class_by_length(self) -> bool {
        self >= Self::V1_29
    }

    /// Numbers need a digit (1.30 rewrote the patterns: `08` turned from a Double into a text).
    pub(super) fn strict_numbers(self) -> bool {
        self >= Self::V1_30
    }

    /// Patterns are tried on short texts only: 1024 characters for numbers, 50 for timestamps.
    pub(super) fn pattern_limits(self) -> bool {
        self >= Self::V1_31
    }

    /// Nested collections around a node; more is refused.
    pub(super) fn depth_limit(self) -> Option<usize> {
        (self >= Self::V1_31).then_some(50)
    }

    /// Code points in one text.
    pub(super) fn code_point_limit(self) -> Option<usize> {
        (self >= Self::V1_32).then_some(3 * 1024 * 1024)
    }

    /// The code points are counted from the start of the current document.
    pub(super) fn counts_per_document(self) -> bool {
        self >= Self::V2_2
    }

    /// An empty number is a `ConstructorException` with a place, not an index error of `String.charAt`.
    pub(super) fn reports_empty_number(self) -> bool {
        self >= Self::V1_31
    }

    /// A recursive key is found before its hash code runs out of stack.
    pub(super) fn checks_recursive_keys_first(self) -> bool {
        self >= Self::V1_32
    }

    /// Handles of `%TAG` live on in the next document.
    pub(super) fn keeps_tag_handles(self) -> bool {
        self >= Self::V1_31
    }

    /// An unknown `!!tag` is refused while composing.
    pub(super) fn refuses_global_tags(self) -> bool {
        self >= Self::V2_0
    }

    /// `%YAML` numbers of more than three digits are refused with a place.
    pub(super) fn short_version_numbers(self) -> bool {
        self >= Self::V2_2
    }

    /// An escape above U+10FFFF is refused with a place.
    pub(super) fn reports_escape_range(self) -> bool {
        self >= Self::V2_2
    }

    /// UTF-16 units that the reader takes at once.
    pub(super) fn read_size(self) -> usize {
        if self >= Self::V2_4 { 1023 } else { 1024 }
    }

    /// A surrogate pair on the border of two reads overruns the read buffer (repaired in 2.4).
    pub(super) fn overruns_on_split_pair(self) -> bool {
        self == Self::V2_3
    }

    /// `!!binary` is decoded by `java.util.Base64` instead of the older `Base64Coder`.
    pub(super) fn java_base64(self) -> bool {
        self >= Self::V2_4
    }
}

impl fmt::Display for YamlVersion {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

impl FromStr for YamlVersion {
    type Err = UnknownYamlVersion;

    /// Reads a release number such as `1.29`; only recorded releases are known.
    fn from_str(text: &str) -> Result<Self, UnknownYamlVersion> {
        Self::ALL
            .into_iter()
            .find(|it| it.as_str() == text)
            .ok_or_else(|| UnknownYamlVersion(text.to_owned()))
    }
}

/// A SnakeYAML release that diag has no recorded answers of.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("SnakeYAML {0} is not known; known are 1.20, 1.29 to 1.33, 2.0 and 2.2 to 2.4")]
pub struct UnknownYamlVersion(String);
