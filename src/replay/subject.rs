//! Whose calls are replayed, and over which addresses.

use crate::input::requests::Caller;
use crate::question::{Question, RegistryAddress, World};
use crate::view::held::Held;
use crate::view::interface::{Addresses, Case};

/// The consumer of a replay, and what its registry holds.
#[derive(Debug, Clone)]
pub struct Subject {
    /// What is known of the consumer.
    pub question: Question,
    /// Its registry, where one is named.
    pub registry: Option<RegistryAddress>,
    /// Entries of the service.
    pub held: Held,
}

impl Subject {
    /// The addresses that a caller's routers are asked about. `None` = its client cannot read the list at all.
    pub(super) fn addresses(&self, world: &World, caller: &Caller) -> Option<Addresses> {
        let mut question = self.question.clone();
        if let Some(ip) = &caller.ip {
            question.consumer.ip = Some(ip.clone());
        }
        if let Some(application) = &caller.application {
            question.consumer.application = Some(application.clone());
        }
        let case = Case {
            question: &question,
            registry: self.registry.as_ref(),
            held: &self.held,
            world,
        };
        case.addresses()
    }
}
