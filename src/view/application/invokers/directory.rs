//! 3.x: addresses become invokers (`ServiceDiscoveryRegistryDirectory.toInvokers`).

use std::collections::BTreeMap;

use super::{
    Address, Invoker, key_of,
    listener::{Run, asked_key, protocol_key},
    service_key,
};
use crate::{
    model::{matching::ProtocolServiceKey, url::Url, version::Line},
    view::directory::Support,
};

/// What can be called of these addresses.
pub(super) fn invokers(run: &Run<'_>, consumer: &Url, addresses: &[Address]) -> Vec<Invoker> {
    let line = run.situation.line;
    let asked = asked_key(consumer);
    let mut found: BTreeMap<(String, String), Invoker> = BTreeMap::new();
    // The consumer's URL that parameters are read with: once an address was taken under another key, it stays that.
    let mut seen_as = consumer.clone();
    let addresses = if line >= Line::V3_3 {
        distinct(run, addresses)
    } else {
        addresses.iter().collect()
    };
    for address in addresses {
        if run.situation.protocols.support(&address.protocol) != Support::Yes {
            continue;
        }
        if line == Line::V3_0 {
            let invoker = invoker(run, address, address.text(), consumer);
            if invoker.is_on() {
                found.insert((address.text(), String::new()), invoker);
            }
            continue;
        }
        let matched: Vec<ProtocolServiceKey> = run
            .of_instance(address.instance)
            .map(|metadata| metadata.matched(&asked, line))
            .unwrap_or_default()
            .into_iter()
            .filter(|service| {
                let port = service.port.unwrap_or(-1);
                port <= 0 || port == i64::from(address.port)
            })
            .map(protocol_key)
            .collect();
        let wraps = matched.len() != 1 || !is_same_with(&asked, &matched[0]);
        for key in matched {
            if !invoker(run, address, String::new(), &seen_as).is_on() {
                continue;
            }
            if wraps {
                seen_as = wrapped(consumer, &key);
            }
            let own = if wraps { &seen_as } else { consumer };
            let text = format!(
                "{}:{}",
                key_of(
                    key.group.as_deref(),
                    key.interface.as_deref(),
                    key.version.as_deref()
                ),
                key.protocol.as_deref().unwrap_or("null")
            );
            let invoker = invoker(run, address, text.clone(), own);
            found.insert((text, address.text()), invoker);
        }
    }
    found.into_values().collect()
}

fn invoker(run: &Run<'_>, address: &Address, key: String, consumer: &Url) -> Invoker {
    let instance = &run.situation.instances[address.instance];
    let mut meant = service_key(consumer);
    if let Some(protocol) = consumer
        .protocol
        .as_deref()
        .filter(|name| *name != "consumer")
    {
        meant = format!("{meant}:{protocol}");
    }
    let metadata = run.of_instance(address.instance);
    Invoker {
        key,
        address: address.clone(),
        application: instance.application.clone(),
        consumer: consumer.clone(),
        service: metadata.and_then(|found| found.valid(&meant)).cloned(),
        instance: instance.metadata.clone(),
        merged: None,
    }
}

/// The consumer's URL for a service that it asked for by a list, a pattern or without a protocol.
fn wrapped(consumer: &Url, key: &ProtocolServiceKey) -> Url {
    let mut url = consumer.clone();
    url.protocol.clone_from(&key.protocol);
    for (name, value) in [("group", &key.group), ("version", &key.version)] {
        if let Some(value) = value.as_ref().filter(|value| !value.is_empty()) {
            url.parameters.insert(name.to_owned(), value.clone());
        }
    }
    url
}

/// `ProtocolServiceKey.isSameWith`.
fn is_same_with(asked: &ProtocolServiceKey, given: &ProtocolServiceKey) -> bool {
    let empty = |text: &Option<String>| text.as_deref().is_none_or(str::is_empty);
    asked.interface == given.interface
        && asked.group == given.group
        && asked.version == given.version
        && asked.protocol.as_deref() != Some("*")
        && (empty(&asked.protocol) || empty(&given.protocol) || asked.protocol == given.protocol)
}

/// 3.3: equal instances count once, whatever the protocol; the revision does not count.
fn distinct<'u>(run: &Run<'_>, addresses: &'u [Address]) -> Vec<&'u Address> {
    let what = |address: &Address| {
        let instance = &run.situation.instances[address.instance];
        let mut metadata = instance.metadata.clone();
        metadata.remove("dubbo.metadata.revision");
        (
            instance.application.clone(),
            instance.host.clone(),
            address.port,
            metadata,
        )
    };
    let mut known = Vec::new();
    let mut left = Vec::new();
    for address in addresses {
        let what = what(address);
        if !known.contains(&what) {
            known.push(what);
            left.push(address);
        }
    }
    left
}
