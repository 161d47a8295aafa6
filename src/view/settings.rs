//! Settings of the config centre (`dubbo.properties`): whether any of them can bear on which providers a consumer has.

use crate::input::properties;

/// Last parts of keys that change how a call is made or watched, never whether there is a provider for it. Whatever is
/// not in this list may bear.
const WITHOUT_EFFECT: [&str; 18] = [
    "accesslog",
    "accepts",
    "actives",
    "check",
    "connections",
    "executes",
    "iothreads",
    "loadbalance",
    "logger",
    "owner",
    "organization",
    "payload",
    "queues",
    "retries",
    "threadpool",
    "threads",
    "timeout",
    "weight",
];
/// Sections whose settings do not reach the list of providers either.
const OTHER_SECTIONS: [&str; 5] = [
    "dubbo.application.qos",
    "dubbo.metrics.",
    "dubbo.monitor.",
    "dubbo.ssl.",
    "dubbo.tracing.",
];

/// Whether a text of settings leaves the list of providers as it is.
pub(crate) fn leaves_providers(text: &str) -> bool {
    properties::read(text)
        .iter()
        .filter(|property| property.key.starts_with("dubbo."))
        .all(|property| is_without_effect(&property.key))
}

/// Whether a setting leaves the list of providers as it is.
pub(crate) fn is_without_effect(key: &str) -> bool {
    let last = key.rsplit('.').next().unwrap_or_default();
    WITHOUT_EFFECT.contains(&last)
        || OTHER_SECTIONS
            .iter()
            .any(|section| key.starts_with(section))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_known_to_be_without_effect_is_left_out() {
        for text in [
            "",
            "# dubbo.registry.address=x",
            "dubbo.consumer.timeout=1500\n",
            "server.port=80\ndubbo.provider.retries = 0\ndubbo.application.qos.port=1",
        ] {
            assert!(leaves_providers(text), "{text}");
        }
        for text in [
            "dubbo.registry.address=nacos://h:1",
            "dubbo.consumer.timeout=1\ndubbo.consumer.router=x",
            "dubbo.application.service-discovery.migration=FORCE_APPLICATION",
            "dubbo.consumer.cluster=zone-aware",
        ] {
            assert!(!leaves_providers(text), "{text}");
        }
    }
}
