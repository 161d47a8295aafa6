//! The way of an answer from an observer into the snapshot.

use jiff::Timestamp;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

use super::{Deadline, revision::derived};
use crate::snapshot::{At, Line, Masker, SourceId};

/// Where the time of an answer comes from.
#[derive(Debug, Clone, Copy)]
pub enum Clock {
    /// The machine's clock.
    System,
    /// Always this moment: two runs can then be compared.
    Fixed(Timestamp),
}

impl Clock {
    /// The present.
    pub fn now(self) -> Timestamp {
        match self {
            Self::System => Timestamp::now(),
            Self::Fixed(time) => time,
        }
    }
}

/// The terms of a run: how long it may take, what time it is, what nobody may read.
#[derive(Debug, Clone)]
pub struct Terms {
    /// The limits.
    pub deadline: Deadline,
    /// Where the time of an answer comes from.
    pub clock: Clock,
    /// Takes secrets out of every answer before it is stored.
    pub masker: Masker,
}

/// Takes the answers of one source. Cheap to clone; may be used from several tasks.
#[derive(Debug, Clone)]
pub struct Answers {
    source: SourceId,
    clock: Clock,
    masker: Masker,
    masks: bool,
    sender: UnboundedSender<(SourceId, Line)>,
}

impl Answers {
    /// A way into the returned receiver, for answers of `source`.
    pub fn channel(
        source: &SourceId,
        terms: &Terms,
    ) -> (Self, UnboundedReceiver<(SourceId, Line)>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        let answers = Self {
            source: source.clone(),
            clock: terms.clock,
            masker: terms.masker.clone(),
            masks: true,
            sender,
        };
        (answers, receiver)
    }

    /// The same without masking: whoever receives must do it before a line goes anywhere.
    pub(super) fn unmasked(
        source: &SourceId,
        terms: &Terms,
    ) -> (Self, UnboundedReceiver<(SourceId, Line)>) {
        let (answers, receiver) = Self::channel(source, terms);
        (
            Self {
                masks: false,
                ..answers
            },
            receiver,
        )
    }

    /// The same way for answers of another source.
    #[must_use]
    pub fn of(&self, source: &SourceId) -> Self {
        Self {
            source: source.clone(),
            ..self.clone()
        }
    }

    /// What the answers are masked with.
    pub(super) fn masker(&self) -> &Masker {
        &self.masker
    }

    /// Hands an answer over, masked, with the present time if it has none, and what must be derived from it before it is
    /// masked. Nobody may be listening any more.
    pub fn put(&self, line: Line) {
        if let Some(derived) = derived(&line) {
            self.put_finished(self.finished(derived));
        }
        self.put_finished(self.finished(line));
    }

    /// Hands over an answer that is [`Self::finished`].
    pub(super) fn put_finished(&self, line: Line) {
        let _ = self.sender.send((self.source.clone(), line));
    }

    /// The answer as it is stored.
    pub(super) fn finished(&self, mut line: Line) -> Line {
        if self.masks {
            self.masker.line(&mut line);
        }
        match line.at {
            Some(_) => line,
            None => line.said_at(At::from_time(self.clock.now())),
        }
    }
}
