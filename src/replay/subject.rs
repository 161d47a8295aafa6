//! Whose calls are replayed, and over which addresses.

use crate::input::requests::Caller;
use crate::question::{Question, RegistryAddress, World};
use crate::view::application;
use crate::view::held::Held;
use crate::view::interface::{Addresses, Case};
use crate::view::stage::Model;

/// The consumer of a replay, and what its registry holds.
#[derive(Debug, Clone)]
pub struct Subject {
    /// What is known of the consumer.
    pub question: Question,
    /// Its registry, where one is named.
    pub registry: Option<RegistryAddress>,
    /// Entries of the service, and the instances of the applications that have it.
    pub held: Held,
}

impl Subject {
    /// The addresses that a caller's routers are asked about, found by one of the models; with `libraries` also those whose
    /// protocol needs more than Dubbo brings. `None` = its client cannot read the list at all.
    pub fn addresses(
        &self,
        world: &World,
        model: Model,
        caller: &Caller,
        libraries: bool,
    ) -> Option<Addresses> {
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
        match model {
            Model::Interface => case.addresses(libraries),
            Model::Application => application::addresses(&case),
        }
    }
}
