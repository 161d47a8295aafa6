//! What connections that were tried tell of an address: whether somebody listens, whether it answers in its protocol,
//! from where that was seen. Nothing here says what follows for the consumer.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::Value;

use super::{evidence::evidence, missing::Missing, stage::Evidence};
use crate::{
    report::words::{Phrase, Say},
    snapshot::{ErrKind, Key, Line, Snapshot, SourceId, SourceKind, Want},
};

/// The attempts of a snapshot.
#[derive(Debug, Clone)]
pub struct Probes<'a> {
    snapshot: &'a Snapshot,
    sources: Vec<&'a SourceId>,
    missing: &'a Missing,
}

/// One address as it was found from one place.
#[derive(Debug, Clone)]
pub struct Attempt {
    /// What became of it.
    pub contact: Contact,
    /// The machine's own address on the way there, where it is told.
    pub from: Option<String>,
    /// By what it said that it is shutting down.
    pub draining: Option<String>,
    /// When.
    pub at: Timestamp,
    /// What shows it.
    pub evidence: Vec<Evidence>,
}

/// What became of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Contact {
    /// Somebody listens, and answers as far as that was tried.
    Answers,
    /// No connection: how it failed, in the system's words.
    Unreached(ErrKind, String),
    /// Connected, and nothing came back.
    Silent,
    /// Connected, and what came back is of another protocol, or the end.
    Foreign(String),
}

impl Contact {
    /// Whether no call to it can succeed.
    pub fn is_dead(&self) -> bool {
        *self != Self::Answers
    }
}

impl<'a> Probes<'a> {
    /// The attempts of this snapshot; `None` when nobody tried.
    pub fn of(snapshot: &'a Snapshot, missing: &'a Missing) -> Option<Self> {
        let sources: Vec<&SourceId> = snapshot
            .manifest()
            .sources
            .iter()
            .filter(|(_, source)| source.kind == SourceKind::Probe)
            .map(|(id, _)| id)
            .collect();
        (!sources.is_empty()).then_some(Self {
            snapshot,
            sources,
            missing,
        })
    }

    /// What was seen of an address, once for each place that tried. `kind` = the round trips that its protocol answers.
    pub fn attempts(&self, address: &str, kind: Option<&str>) -> Vec<Attempt> {
        let tcp = Key::Tcp {
            address: address.to_owned(),
        };
        let beat = kind.map(|kind| Key::Probe {
            kind: kind.to_owned(),
            address: address.to_owned(),
        });
        let mut found = Vec::new();
        for source in &self.sources {
            let mut places: BTreeMap<Option<String>, [Option<&Line>; 2]> = BTreeMap::new();
            for (part, key) in [Some(&tcp), beat.as_ref()].into_iter().enumerate() {
                let Some(key) = key else { continue };
                self.missing
                    .note(self.snapshot, Want::any(source, key.clone()));
                for line in self.snapshot.latest(source, key) {
                    let from = line.field("from").and_then(Value::as_str);
                    places.entry(from.map(str::to_owned)).or_default()[part] = Some(line);
                }
            }
            found.extend(
                places
                    .into_iter()
                    .filter_map(|(from, [tcp, beat])| self.attempt(source, from, tcp, beat)),
            );
        }
        found
    }

    fn attempt(
        &self,
        source: &SourceId,
        from: Option<String>,
        tcp: Option<&Line>,
        beat: Option<&Line>,
    ) -> Option<Attempt> {
        let contact = contact(tcp, beat)?;
        let lines = || [tcp, beat].into_iter().flatten();
        let draining = beat.and_then(|line| line.field("draining"));
        let said = |line: &Line| {
            Phrase::new(Say::Tried)
                .with("from", from.as_deref().unwrap_or("-"))
                .with("what", outcome(line))
        };
        Some(Attempt {
            contact,
            draining: draining.and_then(Value::as_str).map(str::to_owned),
            at: lines().map(|line| self.snapshot.at(line).time()).max()?,
            evidence: lines()
                .map(|line| evidence(self.snapshot, source, line, said(line)))
                .collect(),
            from,
        })
    }

    /// The host of a session of ZooKeeper, by what its members say of their connections (`cons`).
    pub fn owner(&self, source: &SourceId, session: i64) -> Option<(String, Evidence)> {
        let key = Key::ZkFour {
            word: "cons".to_owned(),
        };
        self.missing
            .note(self.snapshot, Want::any(source, key.clone()));
        self.snapshot
            .latest(source, &key)
            .into_iter()
            .find_map(|line| {
                let text = line.body_text()?;
                let host = host_of(&text, session)?;
                let fact = Phrase::new(Say::SessionOf).with("host", host);
                let seen = evidence(self.snapshot, source, line, fact);
                Some((host.to_owned(), seen))
            })
    }
}

/// What an attempt came to, in words of its own.
fn outcome(line: &Line) -> String {
    if let Some(kind) = line.err_kind() {
        return line
            .err_text()
            .map_or_else(|| kind.to_string(), str::to_owned);
    }
    let samples = line.field("samples_us").and_then(Value::as_array);
    match samples.map(|samples| samples.iter().filter_map(Value::as_u64).min()) {
        Some(Some(micros)) => format!("{micros} us"),
        Some(None) => "no answer".to_owned(),
        None => "connected".to_owned(),
    }
}

/// The connection and the round trips taken together.
fn contact(tcp: Option<&Line>, beat: Option<&Line>) -> Option<Contact> {
    let words = |line: &Line, kind: &ErrKind| {
        line.err_text()
            .map_or_else(|| kind.to_string(), str::to_owned)
    };
    let connected = tcp.is_some_and(Line::is_connected);
    if let Some(line) = beat {
        if let Some(kind) = line.err_kind() {
            return Some(match kind {
                ErrKind::Timeout if connected || said_connected(line) => Contact::Silent,
                ErrKind::Refused
                | ErrKind::Timeout
                | ErrKind::Unreachable
                | ErrKind::UnknownHost => Contact::Unreached(kind.clone(), words(line, kind)),
                _ => Contact::Foreign(words(line, kind)),
            });
        }
        let samples = line.field("samples_us").and_then(Value::as_array);
        let answered = samples.is_some_and(|samples| !samples.is_empty());
        let lost = line.field("lost").and_then(Value::as_u64).unwrap_or(0);
        if answered || line.field("draining").is_some() {
            return Some(Contact::Answers);
        }
        if lost > 0 && tcp.is_none_or(Line::is_connected) {
            return Some(Contact::Silent);
        }
    }
    let line = tcp?;
    match line.err_kind() {
        Some(kind) => Some(Contact::Unreached(kind.clone(), words(line, kind))),
        None => line.is_connected().then_some(Contact::Answers),
    }
}

/// The words of a heartbeat that was sent and not answered.
fn said_connected(line: &Line) -> bool {
    line.err_text()
        .is_some_and(|text| text.starts_with("connected"))
}

/// The host of a session in an answer to `cons`: ` /10.0.0.7:41822[1](queued=0,..,sid=0x2f,..)`.
fn host_of(text: &str, session: i64) -> Option<&str> {
    text.lines().find_map(|line| {
        let (head, rest) = line.trim_start().strip_prefix('/')?.split_once('(')?;
        let (peer, _) = head.rsplit_once('[')?;
        let (_, sid) = rest.split_once("sid=0x")?;
        let digits = sid.split([',', ')']).next()?;
        let id = u64::from_str_radix(digits, 16).ok()?;
        let (host, _) = peer.rsplit_once(':')?;
        (id.cast_signed() == session).then(|| host.trim_matches(['[', ']']))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::snapshot::Payload;

    fn line(text: &str) -> Line {
        Line::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn sessions_have_the_host_of_their_connection() {
        let text = " /10.8.1.99:41822[1](queued=0,sid=0x2f,lop=PING)\n /[0:0:0:0:0:0:0:1]:5[1](sid=0xffffffffffffffff)\n /10.0.0.1:4[0](queued=0,recved=1,sent=0)\n";
        assert_eq!(host_of(text, 47), Some("10.8.1.99"));
        assert_eq!(host_of(text, -1), Some("0:0:0:0:0:0:0:1"));
        assert_eq!(host_of(text, 1), None);
    }

    #[test]
    fn connection_and_heartbeat_are_taken_together() {
        let tcp = line(r#"{"op":"tcp","address":"h:1","connected":true}"#);
        let refused = line(r#"{"op":"tcp","address":"h:1","err":{"kind":"refused"}}"#);
        let beat = |rest: &str| {
            line(&format!(
                r#"{{"op":"probe","kind":"dubbo-heartbeat","address":"h:1",{rest}}}"#
            ))
        };
        let good = beat(r#""samples_us":[4],"lost":0"#);
        let lost = beat(r#""samples_us":[],"lost":3"#);
        let timeout = beat(r#""err":{"kind":"timeout"}"#);
        let web = beat(r#""err":{"kind":"bad-answer","text":"no"}"#);
        let leaving = beat(r#""samples_us":[],"lost":0,"draining":"goaway""#);
        let of = |tcp, beat| contact(tcp, beat).unwrap();
        assert_eq!(of(Some(&tcp), None), Contact::Answers);
        assert_eq!(of(Some(&tcp), Some(&good)), Contact::Answers);
        assert_eq!(of(None, Some(&leaving)), Contact::Answers);
        assert_eq!(of(Some(&tcp), Some(&lost)), Contact::Silent);
        assert_eq!(of(Some(&tcp), Some(&timeout)), Contact::Silent);
        assert_eq!(
            of(None, Some(&timeout)),
            Contact::Unreached(ErrKind::Timeout, "timeout".to_owned())
        );
        assert_eq!(
            of(Some(&tcp), Some(&web)),
            Contact::Foreign("no".to_owned())
        );
        assert_eq!(
            of(Some(&refused), None),
            Contact::Unreached(ErrKind::Refused, "refused".to_owned())
        );
        assert!(contact(None, None).is_none());
    }

    proptest! {
        #[test]
        fn any_answer_to_cons_is_read(text in r"( |/|10\.0|:|\[|\]|\(|sid=0x|2f|,|\)|\n|g){0,40}", session in any::<i64>()) {
            let _ = host_of(&text, session);
        }

        #[test]
        fn any_lines_are_taken_together(text in any::<String>(), lost in any::<u64>()) {
            let key = Key::Tcp { address: "h:1".to_owned() };
            let one = Line::new(key.clone(), Payload::err_with(ErrKind::from(text.as_str()), text));
            let other = Line::new(key, Payload::Fields([("lost".to_owned(), lost.into())].into_iter().collect()));
            let _ = contact(Some(&one), Some(&other));
            let _ = contact(Some(&other), Some(&one));
        }
    }
}
