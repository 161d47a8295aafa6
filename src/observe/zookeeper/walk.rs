//! The whole of what Dubbo keeps in an ensemble, node by node (`snapshot --all`).
//!
//! Lines are handed over while the tree is still being read, in the order of the format (by path), so that a writer
//! needs no more memory than the names that are waiting. Only Dubbo's roots are walked: an ensemble is often shared,
//! and what others keep in it is nobody's business here.

use std::{collections::BTreeMap, future::Future, pin::pin, sync::Arc};

use tokio::{select, task::JoinSet};

use super::{MOST_AT_ONCE, Zookeeper, ask::Reader, hidden::below, node::Ask};
use crate::{
    observe::{Answers, Failure, Terms, Walked, revision::derived},
    snapshot::{Ended, ErrKind, Line},
};

/// Names of the directories that Dubbo makes below an interface.
const CATEGORIES: [&str; 4] = ["providers", "consumers", "configurators", "routers"];
/// Directories of Dubbo directly below a root.
const PARTS: [&str; 3] = ["config", "mapping", "metadata"];
/// So many directories of an unknown root are looked into to see whether it is Dubbo's.
const SAMPLE: usize = 40;
/// So many nodes may be read ahead of the one that is written next.
const WINDOW: usize = 4 * MOST_AT_ONCE;

/// How much is read at most.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Nodes in all.
    pub nodes: usize,
    /// Names that wait to be read.
    pub waiting: usize,
}

impl Default for Bounds {
    /// Ten times what a very large company has.
    fn default() -> Self {
        Self {
            nodes: 2_000_000,
            waiting: 1_000_000,
        }
    }
}

/// How a walk came to its end before the last node.
enum Stop {
    Early(Ended),
    Lost(Failure),
}

impl Zookeeper {
    /// Reads `roots` and every top-level node that looks like Dubbo's, with all nodes below, and hands each line to
    /// `sink`: first what was found out about the members, then the nodes by path.
    ///
    /// Reads from one member, from another one when it is lost. The sessions stay open: call [`Self::close`].
    ///
    /// # Errors
    /// Those of `sink`; nothing is read after the first one.
    pub async fn walk<E>(
        &mut self,
        roots: &[String],
        bounds: Bounds,
        terms: &Terms,
        stop: impl Future<Output = ()>,
        sink: impl FnMut(Line) -> Result<(), E>,
    ) -> Result<Walked, E> {
        let (answers, mut arriving) = Answers::channel(&self.source, terms);
        let deadline = &terms.deadline;
        let mut walk = Walk {
            sink,
            answers: answers.clone(),
            bounds,
            several: self.members.len() > 1,
            walked: Walked::default(),
        };
        let mut stop = pin!(stop);
        let reader = {
            let opening = async {
                self.connect(deadline, &answers).await;
                self.reader(deadline, &answers)
            };
            select! {
                reader = opening => Ok(reader),
                () = stop.as_mut() => Err(Ended::Interrupted),
                () = deadline.end() => Err(Ended::Deadline),
            }
        };
        let mut found = Vec::new();
        while let Ok((_, line)) = arriving.try_recv() {
            found.push(line);
        }
        found.sort_by(|a, b| {
            a.key
                .op()
                .cmp(b.key.op())
                .then_with(|| (&a.key, &a.via).cmp(&(&b.key, &b.via)))
        });
        for line in found {
            (walk.sink)(line)?;
        }
        let reader = match reader {
            Ok(reader) => reader,
            Err(early) => {
                walk.walked.ended = early;
                return Ok(walk.walked);
            }
        };
        if reader.order.is_empty() {
            walk.walked.lost = self.failure().map(|(_, failure)| failure);
            return Ok(walk.walked);
        }
        walk.run(&Arc::new(reader), roots, stop).await?;
        Ok(walk.walked)
    }
}

struct Walk<S> {
    sink: S,
    answers: Answers,
    bounds: Bounds,
    several: bool,
    walked: Walked,
}

/// Where a node stands in the order of the recording: by its masked path, as the lines will have it.
type Place = (String, String);

/// A node on its way.
enum State {
    Waiting,
    Reading,
    Done(Vec<Line>),
}

type Read = (Place, Result<(String, Vec<Line>), Failure>);

impl<E, S: FnMut(Line) -> Result<(), E>> Walk<S> {
    async fn run(
        &mut self,
        reader: &Arc<Reader>,
        roots: &[String],
        mut stop: std::pin::Pin<&mut impl Future<Output = ()>>,
    ) -> Result<(), E> {
        let choice = select! {
            choice = choose(reader, roots) => choice,
            () = stop.as_mut() => Err(Stop::Early(Ended::Interrupted)),
            () = reader.deadline.end() => Err(Stop::Early(Ended::Deadline)),
        };
        let mut frontier: BTreeMap<Place, State> = BTreeMap::new();
        match choice {
            Err(stop) => {
                self.stopped(stop);
                return Ok(());
            }
            Ok((top, chosen, left_out)) => {
                for line in self.finished(top) {
                    (self.sink)(line)?;
                }
                let masker = self.answers.masker();
                frontier.extend(chosen.iter().map(|root| {
                    let place = (masker.path(root).into_owned(), root.clone());
                    (place, State::Waiting)
                }));
                self.walked.roots = chosen;
                self.walked.left_out = left_out;
            }
        }
        let mut reading: JoinSet<Read> = JoinSet::new();
        loop {
            self.hand_over(&mut frontier)?;
            if frontier.is_empty() {
                return Ok(());
            }
            if self.walked.cut.is_none() {
                start(&mut frontier, &mut reading, reader);
            } else if reading.is_empty() {
                return self.flush(frontier);
            }
            let read = select! {
                biased;
                () = stop.as_mut() => Err(Stop::Early(Ended::Interrupted)),
                () = reader.deadline.end() => Err(Stop::Early(Ended::Deadline)),
                Some(read) = reading.join_next() => match read {
                    Ok((place, Ok((member, lines)))) => Ok((place, member, lines)),
                    Ok((_, Err(failure))) => Err(Stop::Lost(failure)),
                    Err(_) => Err(Stop::Lost(Failure::new(ErrKind::BadAnswer, "the answer could not be read"))),
                },
            };
            match read {
                Ok((place, member, lines)) => self.take(&mut frontier, place, &member, lines),
                Err(stop) => {
                    self.stopped(stop);
                    return self.flush(frontier);
                }
            }
        }
    }

    fn stopped(&mut self, stop: Stop) {
        match stop {
            Stop::Early(ended) => self.walked.ended = ended,
            Stop::Lost(failure) => self.walked.lost = Some(failure),
        }
    }

    /// Puts a node that was read in its place, and its children behind it.
    fn take(
        &mut self,
        frontier: &mut BTreeMap<Place, State>,
        place: Place,
        member: &str,
        lines: Vec<Line>,
    ) {
        self.walked.nodes += 1;
        let names = lines.iter().find_map(Line::children).unwrap_or_default();
        if self.walked.nodes >= self.bounds.nodes
            || frontier.len() + names.len() > self.bounds.waiting
        {
            self.walked.cut.get_or_insert_with(|| place.0.clone());
        } else {
            for name in names {
                let masked = self.answers.masker().name(name);
                let child = (below(&place.0, &masked), below(&place.1, name));
                frontier.insert(child, State::Waiting);
            }
        }
        let lines = lines.into_iter().map(|line| {
            if self.several {
                line.said_by(member)
            } else {
                line
            }
        });
        let lines = self.finished(lines.collect());
        frontier.insert(place, State::Done(lines));
    }

    fn finished(&self, lines: Vec<Line>) -> Vec<Line> {
        let with_derived = lines
            .into_iter()
            .flat_map(|line| [derived(&line), Some(line)]);
        with_derived
            .flatten()
            .map(|line| self.answers.finished(line))
            .collect()
    }

    /// Hands over what has nothing unread before it.
    fn hand_over(&mut self, frontier: &mut BTreeMap<Place, State>) -> Result<(), E> {
        while let Some(first) = frontier.first_entry()
            && matches!(first.get(), State::Done(_))
        {
            if let State::Done(lines) = first.remove() {
                for line in lines {
                    (self.sink)(line)?;
                }
            }
        }
        Ok(())
    }

    /// Hands over everything that was read.
    fn flush(&mut self, frontier: BTreeMap<Place, State>) -> Result<(), E> {
        for state in frontier.into_values() {
            if let State::Done(lines) = state {
                for line in lines {
                    (self.sink)(line)?;
                }
            }
        }
        Ok(())
    }
}

/// Starts reading the next nodes, as far as the window allows.
fn start(frontier: &mut BTreeMap<Place, State>, reading: &mut JoinSet<Read>, reader: &Arc<Reader>) {
    for (place, state) in frontier.iter_mut().take(WINDOW) {
        if reading.len() >= MOST_AT_ONCE {
            return;
        }
        if matches!(state, State::Waiting) {
            *state = State::Reading;
            let (reader, place) = (reader.clone(), place.clone());
            reading.spawn(async move {
                let read = reader.read_one(&Ask::everything(&place.1)).await;
                (place, read)
            });
        }
    }
}

/// The lines of `/`, the roots to walk and those to leave alone.
async fn choose(
    reader: &Arc<Reader>,
    roots: &[String],
) -> Result<(Vec<Line>, Vec<String>, Vec<String>), Stop> {
    let (_, top) = reader
        .read_one(&Ask::names("/"))
        .await
        .map_err(Stop::Lost)?;
    let names: Vec<String> = top
        .iter()
        .find_map(Line::children)
        .unwrap_or_default()
        .to_vec();
    let mut chosen: Vec<String> = roots
        .iter()
        .map(|root| format!("/{}", root.trim_matches('/')))
        .collect();
    let mut left_out = Vec::new();
    for name in names.iter().filter(|name| *name != "zookeeper") {
        let path = format!("/{name}");
        // A root may lie deeper (`/a/b`); its top is not walked for its sake.
        if chosen.contains(&path) {
            continue;
        }
        if is_dubbos(reader, &path).await? {
            chosen.push(path);
        } else {
            left_out.push(path);
        }
    }
    chosen.sort();
    chosen.dedup();
    // What lies below another chosen root is walked with it.
    let all = chosen.clone();
    chosen.retain(|path| {
        !all.iter()
            .any(|other| path.starts_with(&format!("{}/", other.trim_end_matches('/'))))
    });
    Ok((top, chosen, left_out))
}

/// Whether a top-level node looks like a root of Dubbo: an interface with its categories, a part that Dubbo makes, or
/// an application with instances named `host:port`.
async fn is_dubbos(reader: &Arc<Reader>, root: &str) -> Result<bool, Stop> {
    if ["/dubbo", "/services"].contains(&root) {
        return Ok(true);
    }
    let names = names_of(reader, root).await?;
    // Interfaces have dots; they come first.
    let mut sample: Vec<&String> = names.iter().collect();
    sample.sort_by_key(|name| (!name.contains('.'), (*name).clone()));
    for name in sample.into_iter().take(SAMPLE) {
        let inner = names_of(reader, &below(root, name)).await?;
        if inner
            .iter()
            .any(|inner| CATEGORIES.contains(&inner.as_str()))
            || inner.iter().any(|i| is_instance(i))
        {
            return Ok(true);
        }
        if PARTS.contains(&name.as_str())
            && inner
                .iter()
                .any(|inner| inner == "dubbo" || inner.contains('.'))
        {
            return Ok(true);
        }
    }
    Ok(false)
}

async fn names_of(reader: &Arc<Reader>, path: &str) -> Result<Vec<String>, Stop> {
    let (_, lines) = reader
        .read_one(&Ask::names(path))
        .await
        .map_err(Stop::Lost)?;
    Ok(lines
        .iter()
        .find_map(Line::children)
        .unwrap_or_default()
        .to_vec())
}

/// `10.0.0.7:20880`.
fn is_instance(name: &str) -> bool {
    crate::observe::probe::tcp::is_address(name)
        && name
            .rsplit_once(':')
            .is_some_and(|(host, _)| host.contains(['.', '[']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instances_are_addresses() {
        for yes in ["10.0.0.7:20880", "host.domain:80", "[::1]:20880"] {
            assert!(is_instance(yes), "{yes}");
        }
        for no in ["providers", "a:b", "lock-0000000001", "app:1"] {
            assert!(!is_instance(no), "{no}");
        }
    }

    #[test]
    fn parents_come_before_everything_below_them() {
        // The order in which a walk hands over is that of the paths as text.
        let mut paths = ["/dubbo/a", "/dubbo-x", "/dubbo", "/dubbo/a/b", "/dubbo.x"];
        paths.sort_unstable();
        assert!(paths.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(below("/", "a") == "/a" && below("/a", "b") == "/a/b");
    }
}
