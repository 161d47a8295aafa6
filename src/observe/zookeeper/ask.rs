//! Which nodes and words are asked of which member, and what becomes of a member that is lost on the way.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use tokio::{sync::Semaphore, task::JoinSet, time};

use super::{
    four,
    hidden::Hidden,
    node::{self, Ask, Loss},
    session::{Session, four_key, said, tcp_key},
};
use crate::{
    observe::{Answers, Deadline, Failure, revision::derived},
    snapshot::{ErrKind, Key, Line, Part, SourceId, Want},
};

/// How long requests under way may take to fail after the connection is gone.
const GRACE: Duration = Duration::from_millis(50);

/// What is asked of an ensemble.
#[derive(Debug, Default)]
pub(super) struct Asks {
    /// Nodes, each once, sorted by path.
    pub(super) nodes: Vec<Ask>,
    /// Four-letter words; `srvr` is asked of every member anyway.
    pub(super) words: Vec<String>,
}

impl Asks {
    /// What `wants` has for this source and ZooKeeper can answer.
    pub(super) fn of(source: &SourceId, wants: &[Want]) -> Self {
        let mut nodes: BTreeMap<&str, Ask> = BTreeMap::new();
        let mut asks = Self::default();
        for want in wants.iter().filter(|want| want.source == *source) {
            match &want.key {
                Key::ZkNode { path } => {
                    let ask = nodes.entry(path).or_insert_with(|| Ask::nothing(path));
                    match want.part {
                        Part::Children => ask.children = true,
                        // A line cannot hold a stat alone; the data is the smaller answer.
                        Part::Data | Part::Stat => ask.data = true,
                        Part::Any | Part::Clusters | Part::OverTriple => {
                            ask.children = true;
                            ask.data = true;
                        }
                    }
                }
                Key::ZkFour { word } if !asks.words.contains(word) => asks.words.push(word.clone()),
                _ => {}
            }
        }
        asks.nodes = nodes.into_values().collect();
        asks
    }

    /// Whether there is nothing to ask.
    pub(super) fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.words.is_empty()
    }

    /// What an answer would be about.
    pub(super) fn keys(&self) -> impl Iterator<Item = Key> {
        let nodes = self.nodes.iter().map(|ask| Key::zk_node(&ask.path));
        nodes.chain(
            self.words
                .iter()
                .filter(|word| *word != "srvr")
                .map(|word| four_key(word)),
        )
    }
}

impl Ask {
    /// Children and data.
    pub(super) fn everything(path: &str) -> Self {
        Self {
            children: true,
            data: true,
            ..Self::nothing(path)
        }
    }

    /// The names of the children.
    pub(super) fn names(path: &str) -> Self {
        Self {
            children: true,
            ..Self::nothing(path)
        }
    }

    fn nothing(path: &str) -> Self {
        Self {
            path: path.to_owned(),
            children: false,
            data: false,
        }
    }
}

/// Reads nodes and hands the answers over.
#[derive(Debug, Clone)]
pub(super) struct Reader {
    /// The members that are asked, each for everything: what a consumer sees depends on the member it is connected to.
    pub(super) order: Vec<Arc<Session>>,
    /// Whether the registry has several members, so that an answer must say whose it is.
    pub(super) several: bool,
    pub(super) deadline: Deadline,
    pub(super) answers: Answers,
    /// So many may ask at the same time.
    pub(super) turns: Arc<Semaphore>,
    /// Names with a secret in them, which the other side must be asked for as they are.
    pub(super) hidden: Hidden,
}

impl Reader {
    /// Reads a node from every member. The answers of a member that is lost on the way are left out as long as another
    /// one answers: a refusal beside an answer would be taken for a disagreement.
    pub(super) async fn read(&self, ask: &Ask) {
        let mut reading = JoinSet::new();
        for (index, session) in self.order.iter().cloned().enumerate() {
            let (reader, ask) = (self.clone(), ask.clone());
            reading.spawn(async move {
                let _turn = reader.turns.acquire().await;
                match reader.try_read(&session, &ask).await {
                    Ok(lines) => {
                        reader.put(&session, lines);
                        None
                    }
                    Err(failure) => Some((index, failure)),
                }
            });
        }
        let mut failures = Vec::new();
        while let Some(read) = reading.join_next().await {
            failures.extend(read.ok().flatten());
        }
        failures.sort_by_key(|(index, _)| *index);
        if let Some((index, failure)) = failures.first()
            && failures.len() == self.order.len()
        {
            self.put(
                &self.order[*index],
                vec![Line::new(Key::zk_node(&ask.path), failure.payload())],
            );
        }
    }

    /// Reads a node from the first member that answers, and says which.
    ///
    /// # Errors
    /// The reason of the last one, when none does.
    pub(super) async fn read_one(&self, ask: &Ask) -> Result<(String, Vec<Line>), Failure> {
        let mut last = Failure::new(ErrKind::Reset, "no member to ask");
        for session in &self.order {
            match self.try_read(session, ask).await {
                Ok(lines) => return Ok((session.member.clone(), lines)),
                Err(failure) => last = failure,
            }
        }
        Err(last)
    }

    /// Asks a member for a four-letter word.
    pub(super) async fn word(&self, session: &Session, word: &str) {
        let _turn = self.turns.acquire().await;
        let payload = said(four::connect_and_ask(&session.member, word, &self.deadline).await);
        self.answers
            .put(Line::new(four_key(word), payload).said_by(&session.member));
    }

    fn put(&self, session: &Session, lines: Vec<Line>) {
        for line in lines {
            let line = if self.several {
                line.said_by(&session.member)
            } else {
                line
            };
            let listed = match (&line.key, line.children()) {
                (Key::ZkNode { path }, Some(names)) => Some((path.clone(), names.to_vec())),
                _ => None,
            };
            if let Some(derived) = derived(&line) {
                self.answers.put(derived);
            }
            let line = self.answers.finished(line);
            if let (true, Some((path, names))) = (line.masked, listed) {
                self.hidden.note(&path, &names, &line);
            }
            self.answers.put_finished(line);
        }
    }

    async fn try_read(&self, session: &Arc<Session>, ask: &Ask) -> Result<Vec<Line>, Failure> {
        if let Some(failure) = session.lost() {
            return Err(failure);
        }
        let first = match self.once(session, ask).await {
            Ok(lines) => return Ok(lines),
            Err(loss) => loss,
        };
        if let Some(failure) = session.lost() {
            return Err(failure);
        }
        match first.failure.kind {
            // The client makes a new connection by itself, if there is anybody to connect to.
            ErrKind::Reset => {
                if let Err(failure) = session.still_there(&self.deadline).await {
                    return Err(self.give_up(session, failure));
                }
                let second = match session.connected_again(&self.deadline).await {
                    Ok(()) => match self.once(session, ask).await {
                        Ok(lines) => return Ok(lines),
                        Err(loss) => loss,
                    },
                    Err(failure) => Loss::of(failure),
                };
                match second.too_large(&ask.path) {
                    Some(line) => Ok(vec![line]),
                    None => Err(self.give_up(session, second.failure)),
                }
            }
            // One answer may be slow; a member that does not answer at all is not asked again.
            ErrKind::Timeout if session.answers(&self.deadline).await => Ok(vec![Line::new(
                Key::zk_node(&ask.path),
                first.failure.payload(),
            )]),
            _ => Err(self.give_up(session, first.failure)),
        }
    }

    /// One attempt, in a task of its own: the client library trusts the lengths that a server sends.
    async fn once(&self, session: &Arc<Session>, ask: &Ask) -> Result<Vec<Line>, Loss> {
        let Some(client) = session.client() else {
            return Err(Loss::of(Failure::new(
                ErrKind::Reset,
                "the session is closed",
            )));
        };
        let deadline = self.deadline;
        let ask = Ask {
            path: self.hidden.real(&ask.path),
            ..ask.clone()
        };
        let mut attempt = JoinSet::new();
        attempt.spawn(async move { node::read(&client, &ask, &deadline).await });
        let read = tokio::select! {
            biased;
            read = attempt.join_next() => read,
            // What was under way fails by itself; what was not sent yet would wait for a new connection.
            () = session.disconnected() => match time::timeout(GRACE, attempt.join_next()).await {
                Ok(read) => read,
                Err(_) => {
                    return Err(Loss::of(Failure::new(ErrKind::Reset, "ConnectionLoss")));
                }
            },
        };
        match read {
            Some(Ok(result)) => result,
            Some(Err(_)) | None => Err(Loss::of(Failure::new(
                ErrKind::BadAnswer,
                "the answer does not follow the protocol",
            ))),
        }
    }

    /// Takes a member out of use and says so once.
    fn give_up(&self, session: &Session, failure: Failure) -> Failure {
        if session.give_up(failure.clone()) {
            self.answers
                .put(Line::new(tcp_key(&session.member), failure.payload()));
        }
        failure
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wants_of_a_node_are_asked_together() {
        let (own, other) = (SourceId::new("r1").unwrap(), SourceId::new("r2").unwrap());
        let wants = [
            Want::zk_children(&own, "/dubbo/b"),
            Want::zk_data(&own, "/dubbo/b"),
            Want::zk_stat(&own, "/dubbo/a"),
            Want::zk_children(&other, "/elsewhere"),
            Want::any(
                &own,
                Key::ZkFour {
                    word: "mntr".into(),
                },
            ),
            Want::any(&own, Key::NacosState),
        ];
        let asks = Asks::of(&own, &wants);
        let of = |path: &str, children, data| Ask {
            path: path.into(),
            children,
            data,
        };
        assert_eq!(
            asks.nodes,
            [of("/dubbo/a", false, true), of("/dubbo/b", true, true)]
        );
        assert_eq!(asks.words, ["mntr"]);
        assert!(Asks::of(&other, &[Want::any(&other, Key::NacosState)]).is_empty());
    }
}
