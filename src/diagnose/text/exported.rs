//! `Not found exported service`: the provider itself names the key it was asked for and the keys it exports.

use serde_json::{Value, json};

use super::{Proof, raised};
use crate::{
    diagnose::code::Code,
    input::log::{KeyClaim, Presence},
    model::{matching::is_match_glob, service_key::ServiceKey},
    view::{names::is_near, stage::Evidence},
};

/// The provider's answer.
#[derive(Debug, Clone)]
pub(super) struct Exported {
    /// What it proves; `None` when it exports nothing that is near.
    pub(super) proof: Option<Proof>,
    /// It exports exactly what was asked.
    pub(super) equal: bool,
    /// Where it says so.
    pub(super) evidence: Evidence,
}

/// Reads the answer: `asked` is the question's key, `keys` what the text lists (`[group/]interface[:version]:port`).
pub(super) fn read(
    asked: &ServiceKey,
    keys: &[String],
    provider: Option<&str>,
    evidence: Evidence,
    own: bool,
) -> Exported {
    let offered: Vec<ServiceKey> = keys.iter().filter_map(|key| without_port(key)).collect();
    let equal = offered.contains(asked);
    let code = if equal {
        Some(Code::ErrorMasquerades)
    } else {
        nearest(asked, &offered)
    };
    let near: Vec<Value> = near_keys(asked, &offered)
        .map(|key| json!({"interface": key.interface, "group": key.group, "version": key.version}))
        .collect();
    let proof = code.map(|code| {
        let wanted = match code {
            Code::GroupDiffers => asked.group.clone(),
            Code::VersionDiffers => asked.version.clone(),
            Code::InterfaceNearMiss => Some(asked.interface.clone()),
            _ => Some(asked.to_string()),
        };
        let list: Vec<String> = offered.iter().map(ToString::to_string).collect();
        Proof {
            raised: raised(
                code,
                json!({
                    "service": asked.to_string(), "wanted": wanted, "offered": list,
                    "provider": provider, "proves": "provider-exports", "near": near,
                }),
                ("service", &asked.to_string()),
                vec![evidence.clone()],
            ),
            own,
        }
    });
    Exported {
        proof,
        equal,
        evidence,
    }
}

/// The key without its port.
fn without_port(key: &str) -> Option<ServiceKey> {
    let (key, port) = key.rsplit_once(':')?;
    port.parse::<u32>().ok()?;
    let claim = KeyClaim::parse(key)?;
    let value = |presence: &Presence| presence.value().map(str::to_owned);
    Some(ServiceKey {
        group: value(&claim.group),
        version: value(&claim.version),
        interface: claim.interface,
    })
}

/// In what a key differs: the fewest fields first, the version before the group.
fn distance(asked: &ServiceKey, key: &ServiceKey) -> (u8, bool) {
    let (group, version) = (key.group != asked.group, key.version != asked.version);
    (u8::from(group) + u8::from(version), !group)
}

/// The exported keys that are nearest: of the same interface, else of one that is near.
fn near_keys<'k>(
    asked: &'k ServiceKey,
    offered: &'k [ServiceKey],
) -> impl Iterator<Item = &'k ServiceKey> {
    let same = |key: &ServiceKey| key.interface == asked.interface;
    let best = offered
        .iter()
        .filter(|key| same(key))
        .map(|key| distance(asked, key))
        .min();
    offered.iter().filter(move |key| match best {
        Some(best) => same(key) && distance(asked, key) == best,
        None => is_near(&asked.interface, &key.interface),
    })
}

/// The code of the nearest exported key, in the order of the key stage.
fn nearest(asked: &ServiceKey, offered: &[ServiceKey]) -> Option<Code> {
    let same: Vec<&ServiceKey> = offered
        .iter()
        .filter(|key| key.interface == asked.interface)
        .collect();
    if same.iter().any(|key| is_meant(asked, key)) {
        return Some(Code::WildcardUnsupported);
    }
    let fields = |key: &ServiceKey| (key.group != asked.group, key.version != asked.version);
    let best = same
        .iter()
        .map(|key| fields(key))
        .min_by_key(|(group, version)| (u8::from(*group) + u8::from(*version), !*group));
    match best {
        Some((true, _)) => Some(Code::GroupDiffers),
        Some((false, _)) => Some(Code::VersionDiffers),
        None => offered
            .iter()
            .any(|key| is_near(&asked.interface, &key.interface))
            .then_some(Code::InterfaceNearMiss),
    }
}

/// The asked group or version is a wildcard or list that means this key, and was taken literally.
fn is_meant(asked: &ServiceKey, key: &ServiceKey) -> bool {
    let means = |asked: Option<&str>, offered: Option<&str>| {
        let wild = asked.is_some_and(|text| text.contains('*') || text.contains(','));
        let fits = asked == offered
            || asked.is_some_and(|text| {
                text.split(',')
                    .map(str::trim)
                    .any(|item| is_match_glob(Some(item), offered))
            });
        (wild, fits)
    };
    let (wild_group, group) = means(asked.group.as_deref(), key.group.as_deref());
    let (wild_version, version) = means(asked.version.as_deref(), key.version.as_deref());
    (wild_group || wild_version) && group && version
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> ServiceKey {
        ServiceKey::parse_cli(text).unwrap()
    }

    #[test]
    fn keys_end_with_a_port() {
        assert_eq!(without_port("a.B:1.0:20880"), Some(key("a.B:1.0")));
        assert_eq!(without_port("g/a.B:20880"), Some(key("g/a.B")));
        assert_eq!(without_port("a.B"), None);
    }

    #[test]
    fn the_nearest_key_decides() {
        let keys = |texts: &[&str]| texts.iter().map(|text| key(text)).collect::<Vec<_>>();
        let code = |asked: &str, offered: &[&str]| nearest(&key(asked), &keys(offered));
        assert_eq!(
            code("a.B:*", &["a.B:1.2.0"]),
            Some(Code::WildcardUnsupported)
        );
        assert_eq!(
            code("a.B:2", &["a.B:1", "g/a.B:2"]),
            Some(Code::GroupDiffers)
        );
        assert_eq!(code("a.B:2", &["a.B:1"]), Some(Code::VersionDiffers));
        assert_eq!(code("x.B:1", &["a.B:1"]), Some(Code::InterfaceNearMiss));
        assert_eq!(code("x.B:1", &["a.Cde:1"]), None);
    }
}
