//! Members of a registry that did not answer while another one did: clients go on to the next, and whoever looks after
//! the registry wants to know. Never a reason to doubt what the others said.

use super::{refused, stage::NotSeen};
use crate::{
    question::RegistryAddress,
    report::words::{Phrase, Say},
    snapshot::{ErrKind, Line},
};

/// A member with what was heard instead of an answer.
pub(super) fn member(member: &str, line: &Line) -> NotSeen {
    match line.err_kind() {
        Some(
            kind @ (ErrKind::Refused
            | ErrKind::UnknownHost
            | ErrKind::Unreachable
            | ErrKind::Timeout
            | ErrKind::Reset
            | ErrKind::Cut),
        ) => NotSeen {
            how_to_see: Phrase::of_port(Say::HowTryPort, Some(member)),
            ..because(
                member,
                Phrase::new(Say::MemberSilent).with("kind", kind.as_str()),
            )
        },
        _ => because(member, refused::answer(line)),
    }
}

/// A member that answered and does not serve, in its own words.
pub(super) fn because(member: &str, why: Phrase) -> NotSeen {
    NotSeen {
        what: Phrase::new(Say::Member).with("member", member),
        why,
        how_to_see: None,
        required: false,
    }
}

/// The members of an address, each once, in the order in which they stand there.
pub(super) fn members(registry: &RegistryAddress) -> Vec<String> {
    registry.distinct_members(usize::MAX)
}
