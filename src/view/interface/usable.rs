//! Which addresses a consumer can turn into invokers: protocol, and what switches an address off.

use crate::model::{url::Url, version::DubboVersion};

/// Whether the consumer takes an address of this protocol.
pub(super) fn accepts_protocol(consumer: &Url, provider: &Url, version: &DubboVersion) -> bool {
    let protocol = provider.protocol.as_deref().unwrap_or_default();
    if consumer
        .text("protocol")
        .is_some_and(|list| !list.split(',').any(|item| item == protocol))
    {
        return false;
    }
    protocol != "tri" || version.line().is_3x()
}

/// Whether the provider registered itself as disabled.
pub(super) fn is_disabled_itself(provider: &Url) -> bool {
    provider
        .text("disabled")
        .is_some_and(crate::model::url::is_true)
}
