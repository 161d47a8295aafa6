//! The way of an answer from an observer into the snapshot.

use jiff::Timestamp;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

use crate::snapshot::{At, Line, SourceId};

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

/// Takes the answers of one source. Cheap to clone; may be used from several tasks.
#[derive(Debug, Clone)]
pub struct Answers {
    source: SourceId,
    clock: Clock,
    sender: UnboundedSender<(SourceId, Line)>,
}

impl Answers {
    /// A way into the returned receiver, for answers of `source`.
    pub fn channel(source: &SourceId, clock: Clock) -> (Self, UnboundedReceiver<(SourceId, Line)>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (
            Self {
                source: source.clone(),
                clock,
                sender,
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

    /// Hands an answer over, with the present time if it has none. Nobody may be listening any more.
    pub fn put(&self, line: Line) {
        let line = match line.at {
            Some(_) => line,
            None => line.said_at(At::from_time(self.clock.now())),
        };
        let _ = self.sender.send((self.source.clone(), line));
    }
}
