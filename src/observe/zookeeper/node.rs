//! Reading one node over one session: stat, names of children, data.
//!
//! The stat comes first. It says whether the node is there, ZooKeeper tells it of nodes that may not be read, and it
//! says how large the answers will be before they are asked for.

use zookeeper_client::{Client, Stat};

use super::fault::{Fault, fault};
use crate::{
    observe::{Deadline, Failure, Passed},
    snapshot::{ErrKind, Key, Line, Payload, ZkStat},
};

/// More children than this are not asked for. A name of a provider has about 1 KB.
const MOST_CHILDREN: i32 = 60_000;
/// More data than this is not asked for; servers refuse to store more than 1 MiB unless told otherwise.
const MOST_DATA: i32 = 32 * 1024 * 1024;
/// From here on an answer may be larger than `jute.maxbuffer` somewhere on its way (1 MiB), and then the connection is
/// closed instead of an answer.
const MANY_CHILDREN: i32 = 1_000;
const MUCH_DATA: i32 = 1_000_000;

/// What is wanted of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ask {
    /// Path as the consumer's client names it (below the chroot).
    pub(super) path: String,
    /// The names of the children.
    pub(super) children: bool,
    /// The data.
    pub(super) data: bool,
}

/// Nothing can be had over this session.
#[derive(Debug, Clone)]
pub(super) struct Loss {
    /// Why.
    pub(super) failure: Failure,
    /// The node's stat, when the session was lost after it.
    stat: Option<Box<Stat>>,
}

impl Loss {
    /// A loss before anything was known of the node.
    pub(super) fn of(failure: Failure) -> Self {
        Self {
            failure,
            stat: None,
        }
    }

    /// The line for a node whose answer ends the connection each time: it is larger than somebody on its way allows.
    pub(super) fn too_large(&self, path: &str) -> Option<Line> {
        let stat = self.stat.as_ref()?;
        let large = stat.num_children >= MANY_CHILDREN || stat.data_length >= MUCH_DATA;
        large.then(|| {
            let text = format!(
                "the connection ends at the answer: {} children, {} bytes of data",
                stat.num_children, stat.data_length
            );
            line(path, Payload::err_with(ErrKind::TooLarge, text)).with_stat(zk_stat(stat))
        })
    }
}

/// Asks for a node.
///
/// # Errors
/// The session is of no use any more; what the server says of the node itself is a line.
pub(super) async fn read(
    client: &Client,
    ask: &Ask,
    deadline: &Deadline,
) -> Result<Vec<Line>, Loss> {
    let path = ask.path.as_str();
    let stat = match deadline.request(client.check_stat(path)).await {
        Err(Passed) => return Err(silence(None)),
        Ok(Ok(Some(stat))) => stat,
        Ok(Ok(None)) => {
            return Ok(vec![line(
                path,
                Payload::err_with(ErrKind::NotFound, "NoNode"),
            )]);
        }
        Ok(Err(error)) => return refused(path, &error, None).map(|line| vec![line]),
    };
    if ask.children && ask.data && stat.num_children == 0 {
        return leaf(client, path, &stat, deadline).await;
    }
    let mut lines = Vec::new();
    if ask.children {
        lines.push(children(client, path, &stat, deadline).await?);
    }
    if ask.data && !lines.iter().any(|line| line.err_kind().is_some()) {
        lines.push(data(client, path, &stat, deadline).await?);
    }
    Ok(lines)
}

/// A node without children: who may read its data may read its list, and the stat says that it is empty.
async fn leaf(
    client: &Client,
    path: &str,
    stat: &Stat,
    deadline: &Deadline,
) -> Result<Vec<Line>, Loss> {
    let data = data(client, path, stat, deadline).await?;
    let empty = data
        .stat
        .as_ref()
        .is_some_and(|stat| stat.num_children == Some(0));
    if data.err_kind().is_some() {
        return Ok(vec![data]);
    }
    let children = if empty {
        Line {
            payload: Payload::Children(Vec::new()),
            ..data.clone()
        }
    } else {
        children(client, path, stat, deadline).await?
    };
    Ok(vec![children, data])
}

async fn children(
    client: &Client,
    path: &str,
    stat: &Stat,
    deadline: &Deadline,
) -> Result<Line, Loss> {
    if stat.num_children > MOST_CHILDREN {
        let text = format!(
            "{} children; at most {MOST_CHILDREN} are read",
            stat.num_children
        );
        return Ok(line(path, Payload::err_with(ErrKind::TooLarge, text)).with_stat(zk_stat(stat)));
    }
    match deadline.request(client.get_children(path)).await {
        Err(Passed) => Err(silence(Some(*stat))),
        Ok(Ok((mut names, stat))) => {
            names.sort_unstable();
            Ok(line(path, Payload::Children(names)).with_stat(zk_stat(&stat)))
        }
        Ok(Err(error)) => refused(path, &error, Some(stat)),
    }
}

async fn data(client: &Client, path: &str, stat: &Stat, deadline: &Deadline) -> Result<Line, Loss> {
    if stat.data_length > MOST_DATA {
        let text = format!(
            "{} bytes of data; at most {MOST_DATA} are read",
            stat.data_length
        );
        return Ok(line(path, Payload::err_with(ErrKind::TooLarge, text)).with_stat(zk_stat(stat)));
    }
    match deadline.request(client.get_data(path)).await {
        Err(Passed) => Err(silence(Some(*stat))),
        Ok(Ok((bytes, stat))) => Ok(line(path, Payload::verbatim(bytes)).with_stat(zk_stat(&stat))),
        Ok(Err(error)) => refused(path, &error, Some(stat)),
    }
}

fn refused(path: &str, error: &zookeeper_client::Error, stat: Option<&Stat>) -> Result<Line, Loss> {
    match fault(error) {
        Fault::Session(failure) => Err(Loss {
            failure,
            stat: stat.copied().map(Box::new),
        }),
        Fault::Node(failure) => {
            let gone = failure.kind == ErrKind::NotFound;
            let line = line(path, failure.payload());
            Ok(match stat {
                Some(stat) if !gone => line.with_stat(zk_stat(stat)),
                _ => line,
            })
        }
    }
}

fn silence(stat: Option<Stat>) -> Loss {
    Loss {
        failure: Failure::new(ErrKind::Timeout, "no answer in time"),
        stat: stat.map(Box::new),
    }
}

fn line(path: &str, payload: Payload) -> Line {
    Line::new(Key::zk_node(path), payload)
}

/// The stat in the words of the format.
pub(super) fn zk_stat(stat: &Stat) -> ZkStat {
    ZkStat {
        ctime: Some(stat.ctime),
        mtime: Some(stat.mtime),
        czxid: Some(stat.czxid),
        mzxid: Some(stat.mzxid),
        pzxid: Some(stat.pzxid),
        version: Some(stat.version),
        cversion: Some(stat.cversion),
        aversion: Some(stat.aversion),
        data_length: Some(stat.data_length),
        num_children: Some(stat.num_children),
        ephemeral_owner: Some(stat.ephemeral_owner),
        ..ZkStat::default()
    }
}
