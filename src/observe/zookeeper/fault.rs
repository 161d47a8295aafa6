//! What an error of the client means for a fact.

use zookeeper_client::Error;

use crate::{observe::Failure, snapshot::ErrKind};

/// An error of one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// The server answered: this node cannot be had.
    Node(Failure),
    /// Nothing can be had from this member over this session.
    Session(Failure),
}

/// Sorts an error of the client. The words are the names of ZooKeeper's codes (`KeeperException.Code`).
pub(super) fn fault(error: &Error) -> Fault {
    let node = |kind, text: &str| Fault::Node(Failure::new(kind, text));
    let session = |kind, text: &str| Fault::Session(Failure::new(kind, text));
    match error {
        Error::NoNode => node(ErrKind::NotFound, "NoNode"),
        Error::NoAuth => node(ErrKind::Denied, "NoAuth"),
        // No server has a node at a path that no client may name: ZooKeeper checks the same rule when a node is made.
        Error::BadArguments(reason) => node(
            ErrKind::NotFound,
            &format!("no node can have this path: {reason}"),
        ),
        Error::Throttled => node(ErrKind::NotReady, "ThrottledOp"),
        Error::QuotaExceeded => node(ErrKind::BadAnswer, "QuotaExceeded"),
        Error::NotReadOnly => node(ErrKind::NotReady, "NotReadOnly"),
        Error::MarshallingError => node(ErrKind::BadAnswer, "MarshallingError"),
        Error::Unimplemented => node(ErrKind::SwitchedOff, "Unimplemented"),
        Error::UnexpectedErrorCode(code) => node(ErrKind::BadAnswer, &format!("error code {code}")),
        Error::UnmarshalError { .. } | Error::UnexpectedError(_) => {
            session(ErrKind::BadAnswer, &format!("not understood: {error}"))
        }
        Error::AuthFailed => session(ErrKind::Denied, "AuthFailed"),
        Error::SessionExpired => session(ErrKind::Reset, "SessionExpired"),
        Error::SessionMoved => session(ErrKind::Reset, "SessionMoved"),
        Error::Timeout => session(ErrKind::Timeout, "no answer in time"),
        Error::ConnectionLoss | Error::ClientClosed | Error::NoHosts => {
            session(ErrKind::Reset, "ConnectionLoss")
        }
        other => session(ErrKind::Reset, &other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_about_a_node_leave_the_session_alone() {
        assert_eq!(
            fault(&Error::NoNode),
            Fault::Node(Failure::new(ErrKind::NotFound, "NoNode"))
        );
        assert_eq!(
            fault(&Error::NoAuth),
            Fault::Node(Failure::new(ErrKind::Denied, "NoAuth"))
        );
        assert_eq!(
            fault(&Error::AuthFailed),
            Fault::Session(Failure::new(ErrKind::Denied, "AuthFailed"))
        );
        assert!(
            matches!(fault(&Error::ConnectionLoss), Fault::Session(f) if f.kind == ErrKind::Reset)
        );
        assert!(
            matches!(fault(&Error::BadArguments(&"x")), Fault::Node(f) if f.kind == ErrKind::NotFound)
        );
    }
}
