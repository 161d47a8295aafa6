//! Whether the ensemble can be read at all, and if not, why.

use super::{
    place::Place,
    tree::{Tree, not_seen},
};
use crate::{
    diagnose::code::Code,
    question::RegistryAddress,
    report::words::{Phrase, Say},
    snapshot::{ErrKind, Key, Line, Seen},
    view::{
        held::{Held, Reach, ReachFailure, Standing},
        refused, silent,
        stage::NotSeen,
    },
};

/// How the registry answered for the providers of the interface.
pub(super) fn reach(
    tree: Tree<'_>,
    place: &Place,
    interface: &str,
    registry: &RegistryAddress,
) -> Reach {
    let providers = place.category(interface, "providers");
    let seen = tree.children(&providers);
    if let Seen::Here(names, line) = &seen
        && let Some(failure) = too_long(tree, registry, names, line)
    {
        return Reach::Failed(failure);
    }
    let not_serving = not_serving(tree, registry);
    if seen.is_known() {
        return match not_serving {
            // It reads for everybody who asks for no more, and a consumer asks for more.
            Some(failure) if is_read_only(&failure) => Reach::Failed(failure),
            _ => Reach::Answered(tree.shown(&providers, &seen, Say::RegistryAnswers)),
        };
    }
    if let Some(failure) = not_serving {
        return Reach::Failed(failure);
    }
    if let Some(line) = refusal(tree, &providers) {
        // What serves other nodes is a ZooKeeper, whatever this answer was.
        if line.err_kind() == Some(&ErrKind::BadAnswer) && answers(tree, place) {
            return Reach::Unknown(not_seen(&providers, &seen, true));
        }
        return Reach::Failed(refused::failed(tree.place(), registry, line, None));
    }
    match connect_refusal(tree, registry) {
        Some(line) if !answers(tree, place) => {
            Reach::Failed(refused::failed(tree.place(), registry, line, None))
        }
        _ => Reach::Unknown(not_seen(&providers, &seen, true)),
    }
}

fn is_read_only(failure: &ReachFailure) -> bool {
    failure.raised.params.get("reason").and_then(|v| v.as_str()) == Some("read-only")
}

/// Longest answer that ZooKeeper's Java client takes unless `jute.maxbuffer` says otherwise
/// (`ZKClientConfig.CLIENT_MAX_PACKET_LENGTH_DEFAULT` since 3.6; 4 MiB before).
const CLIENT_LIMIT: usize = 1_048_575;

/// The list was read here, and the consumer's client may refuse it: the server sends it all, the client closes the
/// connection. Which client and which limit it has cannot be seen from here.
fn too_long(
    tree: Tree<'_>,
    registry: &RegistryAddress,
    names: &[String],
    line: &Line,
) -> Option<ReachFailure> {
    // ReplyHeader, number of names, each with its length, Stat.
    let bytes = 16 + 4 + names.iter().map(|name| 4 + name.len()).sum::<usize>() + 68;
    if bytes <= CLIENT_LIMIT {
        return None;
    }
    let fact = Phrase::new(Say::ListTooLong)
        .with("names", names.len().to_string())
        .with("bytes", bytes.to_string())
        .with("limit", CLIENT_LIMIT.to_string());
    Some(ReachFailure {
        raised: refused::raised(
            tree.place(),
            registry,
            line,
            (Code::AnswerTooLarge, "client-limit"),
            fact,
        ),
        standing: Standing::Elsewhere,
    })
}

/// The refusal of the node or of the nearest ancestor that has an answer of its own.
fn refusal<'a>(tree: Tree<'a>, path: &str) -> Option<&'a Line> {
    let mut at = Some(path);
    while let Some(path) = at {
        match tree.children(path) {
            Seen::Refused(line) => return Some(line),
            Seen::Here(..) | Seen::Absent(_) => return None,
            Seen::Unasked => at = crate::snapshot::zk::parent(path),
        }
    }
    None
}

/// Whether anything of the tree was read.
fn answers(tree: Tree<'_>, place: &Place) -> bool {
    ["/", place.root.as_str()]
        .iter()
        .any(|path| matches!(tree.children(path), Seen::Here(..)))
}

/// A connection attempt that failed, when none worked.
fn connect_refusal<'a>(tree: Tree<'a>, registry: &RegistryAddress) -> Option<&'a Line> {
    let attempts: Vec<&Line> = registry
        .members
        .iter()
        .flat_map(|member| {
            tree.lines(Key::Tcp {
                address: member.clone(),
            })
        })
        .collect();
    if attempts.iter().any(|line| line.is_connected()) {
        return None;
    }
    attempts.into_iter().find(|line| line.err_kind().is_some())
}

/// No member serves: at least one says so itself, and all others say so, too, or cannot be reached. A member that
/// serves reads only lets no consumer in: Curator asks for a full session.
fn not_serving(tree: Tree<'_>, registry: &RegistryAddress) -> Option<ReachFailure> {
    let word = Key::ZkFour {
        word: "srvr".to_owned(),
    };
    let lines: Vec<&Line> = tree
        .lines(word)
        .iter()
        .filter(|line| tree.via.is_none() || line.via.as_deref() == tree.via)
        .collect();
    let (line, reason) = lines
        .iter()
        .find_map(|line| Some((*line, refuses(line)?)))?;
    if !lines
        .iter()
        .all(|line| refuses(line).is_some() || is_down(line))
    {
        return None;
    }
    let asked = |member: &String| {
        let said = |line: &&Line| line.via.as_ref().is_none_or(|via| via == member);
        lines.iter().any(said) || is_closed(tree, member)
    };
    // A member that nobody asked may serve; one whose port is closed does not.
    let here = if tree.via.is_some() || registry.members.iter().all(asked) {
        Standing::Same
    } else {
        Standing::Elsewhere
    };
    let fact = if reason == "read-only" {
        Say::ServerReadOnly
    } else {
        Say::ServerNotServing
    };
    Some(ReachFailure {
        raised: refused::raised(
            tree.place(),
            registry,
            line,
            (Code::RegistryDegraded, reason),
            fact.into(),
        ),
        standing: if here == Standing::Elsewhere {
            here
        } else {
            refused::standing(tree.place(), here)
        },
    })
}

/// Nobody listens at a member's port.
fn is_closed(tree: Tree<'_>, member: &str) -> bool {
    let tries = tree.lines(Key::Tcp {
        address: member.to_owned(),
    });
    !tries.iter().any(Line::is_connected)
        && tries
            .iter()
            .any(|line| line.err_kind() == Some(&ErrKind::Refused))
}

/// Members that cannot be reached or do not serve while another one does; `out` = those of them that were read.
pub(super) fn silent(tree: Tree<'_>, registry: &RegistryAddress, out: &[Held]) -> Vec<NotSeen> {
    let members = silent::members(registry);
    if members.len() < 2 {
        return Vec::new();
    }
    let words = tree.lines(Key::ZkFour {
        word: "srvr".to_owned(),
    });
    let of = |member: &String| {
        let tries = tree.lines(Key::Tcp {
            address: member.clone(),
        });
        if !tries.iter().any(Line::is_connected)
            && let Some(line) = tries.iter().find(|line| line.err_kind().is_some())
        {
            return Some(silent::member(member, line));
        }
        let word = words.iter().find(|line| line.via.as_ref() == Some(member));
        if let Some(line) = word.filter(|line| is_down(line)) {
            return Some(silent::member(member, line));
        }
        let said = match word.and_then(refuses) {
            Some("read-only") => Some(Say::ServerReadOnly),
            Some(_) => Some(Say::ServerNotServing),
            None => None,
        };
        if let Some(said) = said {
            return Some(silent::because(member, said.into()));
        }
        // It was lost on the way.
        let held = out.iter().find(|held| held.via.as_ref() == Some(member))?;
        let Reach::Failed(failure) = &held.reach else {
            return None;
        };
        let fact = failure.raised.evidence.first()?.fact.clone();
        Some(silent::because(member, fact))
    };
    members.iter().filter_map(of).collect()
}

/// What a member says of itself that keeps consumers out.
fn refuses(line: &Line) -> Option<&'static str> {
    let text = line.body_text()?;
    if text.contains("not currently serving requests") {
        return Some("not-serving");
    }
    text.lines()
        .any(|line| line.trim() == "Mode: read-only")
        .then_some("read-only")
}

/// A member without an answer. One that does not know the word may serve.
fn is_down(line: &Line) -> bool {
    line.err_kind().is_some_and(|kind| {
        matches!(
            kind,
            ErrKind::Refused
                | ErrKind::UnknownHost
                | ErrKind::Unreachable
                | ErrKind::Timeout
                | ErrKind::Reset
                | ErrKind::Cut
                | ErrKind::NotReady
        )
    })
}
