//! The whole of what a Nacos holds for Dubbo, namespace by namespace (`snapshot --all`).
//!
//! Answers are handed over as they come, and what is still to be asked is cut into pieces, so that a large server needs
//! no more memory than the names in it. Configurations of others are listed with everything else, but only Dubbo's are
//! asked for one by one.

use std::{collections::BTreeSet, future::Future, pin::pin};

use tokio::select;

use super::{
    Nacos,
    found::{Found, canonical},
};
use crate::{
    observe::{Answers, Terms, Walked},
    snapshot::{Ended, Key, Line, Want, sort_keys},
};

/// So many keys are under way before their answers are taken.
const PIECE: usize = 2000;
impl Nacos {
    /// Reads every namespace that the server lists, and `namespaces` also when it lists none: services with their
    /// instances, and configurations. Hands each line to `sink` as it was said: `sink` must mask it.
    ///
    /// # Errors
    /// Those of `sink`; nothing is asked after the first one.
    pub async fn walk<E>(
        &mut self,
        namespaces: &[String],
        terms: &Terms,
        stop: impl Future<Output = ()>,
        mut sink: impl FnMut(Line) -> Result<(), E>,
    ) -> Result<Walked, E> {
        let mut walked = Walked::default();
        let mut stop = pin!(stop);
        let mut found = Found::default();
        found.namespaces.insert(String::new());
        found
            .namespaces
            .extend(namespaces.iter().map(|id| canonical(id)));
        let first = BTreeSet::from([Key::NacosState, Key::NacosNamespaces, Key::NacosNodes]);
        let mut stage = Stage::Lists;
        let mut keys = first;
        loop {
            // In the order of the format, so that a writer needs to keep few of the answers to sort them.
            let mut ordered: Vec<Key> = keys.into_iter().collect();
            sort_keys(&mut ordered);
            for piece in ordered.chunks(PIECE) {
                let wants: Vec<Want> = piece
                    .iter()
                    .map(|key| Want::any(&self.source, key.clone()))
                    .collect();
                let early = self
                    .piece(
                        &wants,
                        terms,
                        stop.as_mut(),
                        &mut walked,
                        &mut found,
                        &mut sink,
                    )
                    .await?;
                if let Some(early) = early {
                    walked.ended = early;
                    return Ok(walked);
                }
            }
            keys = match stage {
                Stage::Lists => found.lists(),
                Stage::Contents => found.contents(),
                Stage::Done => break,
            };
            stage = stage.next();
        }
        walked.namespaces = found.complete();
        walked.roots = found.namespaces.into_iter().collect();
        walked.lost = found.lost;
        Ok(walked)
    }

    /// Asks for a piece and hands the answers over. Returns how it ended when it ended early.
    async fn piece<E>(
        &mut self,
        wants: &[Want],
        terms: &Terms,
        mut stop: std::pin::Pin<&mut impl Future<Output = ()>>,
        walked: &mut Walked,
        found: &mut Found,
        sink: &mut impl FnMut(Line) -> Result<(), E>,
    ) -> Result<Option<Ended>, E> {
        let (answers, mut arriving) = Answers::unmasked(&self.source, terms);
        let mut take = |line: Line| {
            walked.nodes += 1;
            found.note(&line);
            sink(line)
        };
        let mut early = None;
        {
            let mut work = pin!(self.fetch(wants, &terms.deadline, &answers));
            loop {
                select! {
                    biased;
                    () = stop.as_mut() => early = Some(Ended::Interrupted),
                    Some((_, line)) = arriving.recv() => {
                        take(line)?;
                        continue;
                    }
                    () = work.as_mut() => {}
                    () = terms.deadline.end() => early = Some(Ended::Deadline),
                }
                break;
            }
        }
        while let Ok((_, line)) = arriving.try_recv() {
            take(line)?;
        }
        Ok(early)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Lists,
    Contents,
    Done,
}

impl Stage {
    fn next(self) -> Self {
        match self {
            Self::Lists => Self::Contents,
            Self::Contents | Self::Done => Self::Done,
        }
    }
}
