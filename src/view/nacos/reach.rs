//! Whether a Nacos server can be read, and whether clients of 2.x can subscribe there.

use std::collections::BTreeSet;

use super::{
    place::Place,
    server::{Server, not_seen},
};
use crate::{
    diagnose::code::Code,
    question::{Question, RegistryAddress},
    report::words::{Phrase, Say},
    snapshot::{Key, Line, Seen, Snapshot, SourceId},
    view::{
        held::{Reach, ReachFailure, Standing},
        refused, silent,
        stage::NotSeen,
    },
};

/// Clients of 2.x speak gRPC to the HTTP port plus this.
const GRPC_OFFSET: u32 = 1000;

/// How the server answered.
pub(super) fn reach(
    server: Server<'_>,
    place: &Place,
    question: &Question,
    registry: &RegistryAddress,
    names: &[String],
) -> Reach {
    let services = server.names(&place.namespace, Some(&place.group));
    let instances: Vec<_> = names
        .iter()
        .map(|name| server.instances(&place.namespace, &place.group, name))
        .collect();
    let state = server.lines(Key::NacosState);
    let answered = services
        .line()
        .or_else(|| {
            instances
                .iter()
                .find(|seen| seen.is_known())
                .and_then(Seen::line)
        })
        .filter(|line| line.err_kind().is_none())
        .or_else(|| state.iter().copied().find(|line| line.err_kind().is_none()));
    if answered.is_some()
        && let Some(failure) = grpc_closed(server, question, registry)
    {
        return Reach::Failed(failure);
    }
    if services.is_known() || instances.iter().any(Seen::is_known) {
        return Reach::Answered(answered.map(|line| server.evidence(line, Say::RegistryAnswers)));
    }
    let refusal = [services.line()]
        .into_iter()
        .chain(instances.iter().map(Seen::line))
        .flatten()
        .find(|line| line.err_kind().is_some());
    if let Some(line) = refusal {
        return Reach::Failed(refused::failed(
            (server.snapshot, server.source),
            registry,
            line,
            None,
        ));
    }
    if let Some(line) = failed_connection(server, registry, 0).filter(|_| answered.is_none()) {
        return Reach::Failed(refused::failed(
            (server.snapshot, server.source),
            registry,
            line,
            None,
        ));
    }
    Reach::Unknown(not_seen(
        Phrase::new(Say::NacosServices).with("place", place.shown()),
        &services,
        true,
    ))
}

/// Members that did not say what they are while another one did.
pub(super) fn silent(server: Server<'_>, registry: &RegistryAddress) -> Vec<NotSeen> {
    let whole = Server {
        via: None,
        ..server
    };
    let states = whole.lines(Key::NacosState);
    let of = |member: &str| {
        let mut lines = states.iter();
        lines.find(|line| line.via.as_deref() == Some(member))
    };
    let members = silent::members(registry);
    let is_heard = |member: &String| of(member).is_some_and(|line| line.err_kind().is_none());
    if !members.iter().any(is_heard) {
        return Vec::new();
    }
    let silent = members.iter().filter_map(|member| {
        let line = of(member).filter(|line| line.err_kind().is_some())?;
        Some(silent::member(member, line))
    });
    silent.collect()
}

/// Members whose newest word is a failure while another one has told its state: they were lost, at first or on the way.
pub(super) fn lost(snapshot: &Snapshot, source: &SourceId) -> BTreeSet<String> {
    let states = snapshot.latest(source, &Key::NacosState);
    if !states.iter().any(|line| line.err_kind().is_none()) {
        return BTreeSet::new();
    }
    let failed = states.iter().filter(|line| line.err_kind().is_some());
    failed.filter_map(|line| line.via.clone()).collect()
}

/// HTTP answers and the gRPC port does not: clients of 2.x cannot subscribe, older ones can.
fn grpc_closed(
    server: Server<'_>,
    question: &Question,
    registry: &RegistryAddress,
) -> Option<ReachFailure> {
    let line = failed_connection(server, registry, GRPC_OFFSET)?;
    let mut failure = refused::failed(
        (server.snapshot, server.source),
        registry,
        line,
        Some(Code::NacosGrpcClosed),
    );
    // Which client library the consumer has is known from its log, or from 3.x on.
    let speaks_grpc = question
        .consumer
        .dubbo
        .as_ref()
        .is_some_and(|version| version.line().is_3x());
    if !speaks_grpc {
        failure.standing = Standing::Elsewhere;
    }
    Some(failure)
}

/// A failed connection to a member's port plus an offset, when none to that port worked.
fn failed_connection<'a>(
    server: Server<'a>,
    registry: &RegistryAddress,
    offset: u32,
) -> Option<&'a Line> {
    let lines: Vec<&Line> = registry
        .members
        .iter()
        .filter_map(|member| {
            let (host, port) = member.rsplit_once(':')?;
            let port: u32 = port.parse().ok()?;
            Some(format!("{host}:{}", port + offset))
        })
        .flat_map(|address| server.lines(Key::Tcp { address }))
        .collect();
    if lines.iter().any(|line| line.is_connected()) {
        return None;
    }
    lines.into_iter().find(|line| line.err_kind().is_some())
}
