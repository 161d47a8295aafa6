//! What processes say of themselves on their QOS ports: the consumer's own list of addresses, what a provider exports.
//!
//! A port is named by host and number only; whose it is follows from what it says. Answers are facts of the host they
//! came from and of their time: nothing here says what follows from them for the question.

mod list;
mod process;
mod told;

pub use list::{Own, OwnList};
pub use process::{Process, Refused, Trouble};
pub use told::Told;

use super::missing::Missing;
use crate::{
    model::{qos::Command, service_key::ServiceKey},
    question::Question,
    snapshot::{Key, Snapshot, SourceKind, Want},
};

/// Forms in which recordings of others hold what [`Command`] asks; nobody is ever asked for them.
fn recorded_forms(service: &ServiceKey) -> Vec<String> {
    let quoted = Command::Routers(ServiceKey::new(None, &service.interface, None)).to_string();
    let address = format!("getAddress {}", service.interface);
    [
        "getRouterSnapshot .*",
        "getConfig",
        "ps",
        quoted.as_str(),
        address.as_str(),
    ]
    .map(str::to_owned)
    .to_vec()
}

/// Every process whose QOS port is a source of the snapshot, in the order of the sources.
pub fn processes(question: &Question, snapshot: &Snapshot, missing: &Missing) -> Vec<Process> {
    let service = &question.service;
    let mut keys: Vec<Key> = Command::about(service)
        .iter()
        .map(|command| Key::qos(command.to_string()))
        .collect();
    keys.extend(recorded_forms(service).into_iter().map(Key::qos));
    snapshot
        .manifest()
        .sources
        .iter()
        .filter(|(_, source)| source.kind == SourceKind::Qos)
        .map(|(id, source)| {
            let mut process = Process::new(id, source.endpoint.as_deref().unwrap_or("-"));
            for key in &keys {
                // What was attached to this run is there already.
                if snapshot.latest(id, key).is_empty() {
                    missing.note(snapshot, Want::any(id, key.clone()));
                }
                process.read(snapshot, key);
            }
            process.elsewhere = told::elsewhere(&process, question);
            process
        })
        .collect()
}
