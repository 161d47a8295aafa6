//! Which protocols a consumer's JVM can speak.

use std::collections::BTreeSet;

use crate::model::version::Line;

/// The protocols that a consumer supports; a provider of another one is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Protocols {
    names: BTreeSet<String>,
    optional: &'static [&'static str],
}

/// What is known of one protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Support {
    /// The consumer has it.
    Yes,
    /// Dubbo's jar names it, but libraries that not every application has must be there too.
    Optional,
    /// Not known to this line: some other library must bring it.
    No,
}

impl Protocols {
    /// What Dubbo's own jar brings, with the libraries that Maven brings for it.
    ///
    /// Measured with the newest patch of each line; a name in the jar whose libraries are missing counts as unsupported there.
    pub fn of(line: Line) -> Self {
        let (names, optional): (&[&str], &'static [&'static str]) = match line {
            Line::V2_5 | Line::V2_6 | Line::V2_7 => (
                &[
                    "dubbo",
                    "http",
                    "injvm",
                    "mock",
                    "redis",
                    "registry",
                    "rmi",
                    "service-discovery-registry",
                    "thrift",
                ],
                &[
                    "grpc",
                    "hessian",
                    "memcached",
                    "native-thrift",
                    "rest",
                    "webservice",
                    "xmlrpc",
                ],
            ),
            Line::V3_0 | Line::V3_1 => (
                &[
                    "dubbo",
                    "injvm",
                    "mock",
                    "registry",
                    "service-discovery-registry",
                    "tri",
                ],
                &["grpc", "rest"],
            ),
            Line::V3_2 => (
                &[
                    "dubbo",
                    "grpc",
                    "injvm",
                    "mock",
                    "registry",
                    "rest",
                    "service-discovery-registry",
                    "tri",
                ],
                &[],
            ),
            Line::V3_3 => (
                &[
                    "dubbo",
                    "grpc",
                    "injvm",
                    "mock",
                    "registry",
                    "rest2",
                    "service-discovery-registry",
                    "tri",
                ],
                &[],
            ),
        };
        Self {
            names: names.iter().map(|&name| name.to_owned()).collect(),
            optional,
        }
    }

    /// Adds what this consumer is known to have beyond that.
    #[must_use]
    pub fn with(mut self, names: impl IntoIterator<Item = String>) -> Self {
        self.names.extend(names);
        self
    }

    /// What is known of a protocol. Letter case counts.
    pub fn support(&self, protocol: &str) -> Support {
        if self.names.contains(protocol) {
            Support::Yes
        } else if self.optional.contains(&protocol) {
            Support::Optional
        } else {
            Support::No
        }
    }

    /// Whether a protocol that Dubbo alone does not bring may be there all the same: with libraries that its jar looks for,
    /// or with one of another maker.
    pub fn may_come_with_a_library(&self, protocol: &str) -> bool {
        match self.support(protocol) {
            Support::Yes => false,
            Support::Optional => true,
            Support::No => ![Line::V2_7, Line::V3_0, Line::V3_2, Line::V3_3]
                .iter()
                .any(|line| Self::of(*line).support(protocol) == Support::Yes),
        }
    }

    /// The supported ones, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }
}
