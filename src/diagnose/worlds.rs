//! Which worlds are computed: Dubbo versions and states of the consumer that the question leaves open.

use crate::{
    model::version::{DubboVersion, Line},
    question::{ConsumerState, Question, World},
};

/// Patches at which the behaviour that is modelled here changes, besides the newest of each line. A verdict for an
/// assumed version names those that would give another result.
const OLDER: [&str; 17] = [
    "2.5.10", "2.6.12", "2.7.1", "2.7.3", "2.7.4", "2.7.5", "2.7.6", "2.7.8", "2.7.9", "2.7.12",
    "2.7.14", "3.0.0", "3.0.5", "3.0.8", "3.1.0", "3.2.0", "3.3.0",
];

/// With more bytes of rules an assumed version is not compared with the other lines: each reads all of them again.
pub(crate) const LONGEST_OF_LINES: usize = 128 << 10;

/// The worlds of a question.
#[derive(Debug, Clone)]
pub(crate) struct Worlds {
    /// The version that is given or assumed.
    pub(crate) version: DubboVersion,
    /// Whether it is assumed.
    pub(crate) assumed: bool,
    /// The state that is given, or the two that are possible; the first one is shown.
    pub(crate) states: Vec<ConsumerState>,
    /// The newest patch of every line, when the version is assumed.
    pub(crate) lines: Vec<DubboVersion>,
    /// Older patches that may differ, when the version is assumed.
    pub(crate) older: Vec<DubboVersion>,
}

impl Worlds {
    /// The worlds that a question leaves open.
    pub(crate) fn of(question: &Question) -> Self {
        let assumed = question.consumer.dubbo.is_none();
        let newest = |line: Line| DubboVersion::newest(line);
        Self {
            version: question
                .consumer
                .dubbo
                .clone()
                .unwrap_or_else(|| newest(Line::V3_3)),
            assumed,
            states: match question.consumer.state {
                Some(state) => vec![state],
                None => vec![ConsumerState::Running, ConsumerState::Starting],
            },
            lines: if assumed {
                Line::MODELLED.iter().copied().map(newest).collect()
            } else {
                Vec::new()
            },
            older: if assumed {
                OLDER
                    .iter()
                    .filter_map(|text| DubboVersion::parse(text).ok())
                    .collect()
            } else {
                Vec::new()
            },
        }
    }

    /// A world of the given or assumed version.
    pub(crate) fn world(&self, state: ConsumerState) -> World {
        World {
            dubbo: self.version.clone(),
            state,
        }
    }
}

/// `running` or `starting`.
pub(crate) fn state_word(state: ConsumerState) -> &'static str {
    match state {
        ConsumerState::Running => "running",
        ConsumerState::Starting => "starting",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_older_patch_is_a_version_of_a_known_line() {
        for text in OLDER {
            DubboVersion::parse(text).unwrap();
        }
    }
}
