//! The whole of what a Nacos holds for Dubbo, namespace by namespace (`snapshot --all`).
//!
//! Answers are handed over as they come, and questions are made as they are asked, so that a large server needs no more
//! memory than the names in it. Configurations of others are listed with everything else, but only Dubbo's are
//! asked for one by one: by their names, and by what instances say of the revision of their metadata.

use std::{future::Future, pin::pin};

use tokio::select;

use super::{
    Asked, Nacos,
    found::{Found, canonical},
};
use crate::{
    observe::{Answers, Terms, Walked},
    snapshot::{Ended, Key, Line},
};

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
        let first = [Key::NacosState, Key::NacosNamespaces, Key::NacosNodes];
        for stage in [
            Stage::First,
            Stage::Lists,
            Stage::Contents,
            Stage::Metadata,
            Stage::Clusters,
        ] {
            let these =
                |keys: Vec<Key>| Asked::These(keys.into_iter().map(|key| (key, false)).collect());
            let asked = match stage {
                Stage::First => these(first.clone().into()),
                Stage::Lists => these(found.lists().into_iter().collect()),
                Stage::Contents => Asked::All(found.contents()),
                Stage::Metadata => these(found.metadata().into_iter().collect()),
                Stage::Clusters => {
                    Asked::These(found.spread().into_iter().map(|key| (key, true)).collect())
                }
            };
            let early = self
                .stage(
                    asked,
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
        walked.namespaces = found.complete();
        walked.roots = found.namespaces.into_iter().collect();
        walked.lost = found.lost;
        Ok(walked)
    }

    /// Asks for all of it and hands the answers over. Returns how it ended when it ended early.
    async fn stage<E>(
        &mut self,
        asked: Asked,
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
            let mut work = pin!(self.read(asked, &terms.deadline, &answers));
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

/// What earlier answers make known.
#[derive(Debug, Clone, Copy)]
enum Stage {
    First,
    Lists,
    Contents,
    Metadata,
    Clusters,
}
