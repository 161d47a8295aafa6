//! What the consumer's own configuration file (`dubbo.properties`, `application.properties`) says about it. Pure.
//!
//! Read as `RegistryConfig` and `ConfigValidationUtils.loadRegistries` read it (3.x, 2.7 alike): parts of the address
//! win over the attributes beside it, `group` as attribute also moves the rules. A `${..}` that the file itself does
//! not define is no fault: the process may get it from its environment.

use std::collections::{BTreeMap, BTreeSet};

use super::registry::{GroupOrigin, RegistryAddress, RegistryAddressError, placeholder};
use crate::{
    input::properties::{Property, by_key},
    model::{secret::Secret, version::DubboVersion},
};

/// What a configuration file says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Configured {
    /// `dubbo.application.name`.
    pub application: Option<String>,
    /// Registries that can be read, in the order of their ids.
    pub registries: Vec<RegistryAddress>,
    /// Registries that Dubbo cannot read: property, line, why.
    pub unreadable: Vec<(String, u64, RegistryAddressError)>,
    /// Settings of the application that choose between the models of discovery, by their names.
    pub migration: BTreeMap<String, String>,
    /// `dubbo.config-center.address`.
    pub config_center: Option<RegistryAddress>,
    /// On which lines no registry is the config centre (`use-as-config-center=false`) and none is given apart.
    no_config_center: NoConfigCenter,
    /// `dubbo.metadata-report.address`.
    pub metadata_report: Option<RegistryAddress>,
    /// Properties with a `${..}` that the file does not define: property, line, placeholder.
    pub unresolved: Vec<(String, u64, String)>,
}

/// Whether no registry is the config centre. 2.7 gives `dubbo.registry.<name>` to every registry (`AbstractConfig.refresh`
/// by its prefix); 3.x has it for the registry without an id alone, which it does not load beside those that have one
/// (`AbstractConfigManager.loadConfigsOfTypeFromProps`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct NoConfigCenter {
    on_2x: bool,
    on_3x: bool,
}

/// Settings that choose between the models of discovery.
const MIGRATION: [&str; 3] = [
    "dubbo.application.migration.step",
    "dubbo.application.migration.threshold",
    "dubbo.application.service-discovery.migration",
];

/// Reads the properties of a file.
pub fn configured(properties: &[Property]) -> Configured {
    let reader = Reader {
        known: by_key(properties),
    };
    let mut found = Configured {
        // Spring Boot's starter takes its own name where Dubbo's is not set.
        application: ["dubbo.application.name", "spring.application.name"]
            .iter()
            .find_map(|name| reader.text(name).ok().flatten()),
        ..Configured::default()
    };
    for name in MIGRATION {
        if let Ok(Some(value)) = reader.text(name) {
            found.migration.insert(name.to_owned(), value);
        }
    }
    for prefix in reader.registries() {
        reader.registry(&prefix, &mut found);
    }
    let mut beside = |prefix: &str| {
        let mut part = Configured::default();
        reader.registry(prefix, &mut part);
        found.unreadable.append(&mut part.unreadable);
        found.unresolved.append(&mut part.unresolved);
        part.registries.pop()
    };
    let center = beside("dubbo.config-center");
    let report = beside("dubbo.metadata-report");
    if center.is_none() {
        found.no_config_center = reader.no_config_center();
    }
    found.config_center = center;
    found.metadata_report = report;
    found
}

impl Configured {
    /// Whether a consumer of this version has no config centre; without one the newest is meant.
    pub fn has_no_config_center(&self, dubbo: Option<&DubboVersion>) -> bool {
        match dubbo {
            Some(version) if !version.line().is_3x() => self.no_config_center.on_2x,
            _ => self.no_config_center.on_3x,
        }
    }

    /// A registry of the file that is none of those given; another namespace or group is another one.
    pub fn contradiction(&self, given: &[RegistryAddress]) -> Option<&RegistryAddress> {
        let place = |address: &RegistryAddress| {
            let group = address.group.as_ref().map(|(group, _)| group.clone());
            let namespace = address.namespace.clone().filter(|name| name != "public");
            (address.kind, namespace, group)
        };
        let is_same = |one: &RegistryAddress, other: &RegistryAddress| {
            let mut members = one.members.iter();
            members.any(|member| other.members.contains(member)) && place(one) == place(other)
        };
        let is_given = |other: &RegistryAddress| given.iter().any(|one| is_same(one, other));
        self.registries
            .iter()
            .find(|other| !given.is_empty() && !is_given(other))
    }
}

struct Reader<'a> {
    known: BTreeMap<&'a str, &'a Property>,
}

impl Reader<'_> {
    /// `dubbo.registry` and every `dubbo.registries.<id>` that has an address.
    fn registries(&self) -> BTreeSet<String> {
        let ids = self.known.keys().filter_map(|key| {
            let id = key
                .strip_prefix("dubbo.registries.")?
                .strip_suffix(".address")?;
            Some(format!("dubbo.registries.{id}"))
        });
        std::iter::once("dubbo.registry".to_owned())
            .chain(ids)
            .collect()
    }

    /// Whether no registry is taken for the config centre (`DefaultApplicationDeployer.isUsedRegistryAsConfigCenter`,
    /// `DubboBootstrap` in 2.7).
    fn no_config_center(&self) -> NoConfigCenter {
        let says = |prefix: &str| {
            let value = self.text(&format!("{prefix}.use-as-config-center"));
            matches!(value, Ok(Some(value)) if value.eq_ignore_ascii_case("false"))
        };
        let of_all = says("dubbo.registry");
        let registries = self.registries();
        let named = || {
            let all = registries.iter();
            all.filter(|prefix| *prefix != "dubbo.registry")
        };
        let of_each = named().next().is_some() && named().all(|prefix| says(prefix));
        NoConfigCenter {
            on_2x: of_all || of_each,
            on_3x: of_each || of_all && named().next().is_none(),
        }
    }

    /// A value with the `${..}` that the file defines put in; `Err` has one that it does not define.
    fn text(&self, key: &str) -> Result<Option<String>, String> {
        let Some(property) = self.known.get(key) else {
            return Ok(None);
        };
        let mut text = property.value.trim().to_owned();
        // A definition may use others; one that uses itself would never end.
        for _ in 0..8 {
            let Some(found) = placeholder(&text).map(str::to_owned) else {
                return Ok(Some(text).filter(|text| !text.is_empty()));
            };
            let name = found.trim_start_matches("${").trim_end_matches('}');
            let name = name.split(':').next().unwrap_or(name);
            let Some(defined) = self.known.get(name) else {
                return Err(found);
            };
            text = text.replacen(&found, defined.value.trim(), 1);
        }
        Err(placeholder(&text).unwrap_or_default().to_owned())
    }

    fn registry(&self, prefix: &str, found: &mut Configured) {
        let property = format!("{prefix}.address");
        let Some(line) = self
            .known
            .get(property.as_str())
            .map(|property| property.line)
        else {
            return;
        };
        let attribute = |name: &str| self.text(&format!("{prefix}.{name}"));
        let address = match self.text(&property) {
            Ok(Some(address)) => address,
            Ok(None) => return,
            Err(placeholder) => {
                found.unresolved.push((property, line, placeholder));
                return;
            }
        };
        let address = match attribute("protocol") {
            Ok(Some(protocol)) if !address.contains("://") => format!("{protocol}://{address}"),
            _ => address,
        };
        let mut registries = match RegistryAddress::parse_list(&address) {
            Ok(registries) => registries,
            Err(error) => {
                found.unreadable.push((property, line, error));
                return;
            }
        };
        for registry in &mut registries {
            if let (None, Ok(Some(username))) = (&registry.username, attribute("username")) {
                registry.username = Some(username);
            }
            if let (None, Ok(Some(password))) = (&registry.password, attribute("password")) {
                registry.password = Some(Secret::new(password));
            }
            let namespace = ["parameters.namespace", "parameters[namespace]", "namespace"]
                .iter()
                .find_map(|name| attribute(name).ok().flatten());
            if registry.namespace.is_none() {
                registry.namespace = namespace;
            }
            if let (None, Ok(Some(group))) = (&registry.group, attribute("group")) {
                registry.group = Some((group, GroupOrigin::Attribute));
            }
            for name in [
                "subscribe",
                "register",
                "register-mode",
                "zone",
                "preferred",
                "weight",
            ] {
                if let Ok(Some(value)) = attribute(name) {
                    registry.params.entry(name.to_owned()).or_insert(value);
                }
            }
        }
        found.registries.append(&mut registries);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::properties::read;

    fn shown(text: &str) -> (Vec<String>, Configured) {
        let configured = configured(&read(text));
        (
            configured
                .registries
                .iter()
                .map(ToString::to_string)
                .collect(),
            configured,
        )
    }

    #[test]
    fn address_and_attributes() {
        let (registries, all) = shown(
            "dubbo.application.name=order-web\ndubbo.registry.address=nacos://h:8848?group=a\n\
             dubbo.registry.username=u\ndubbo.registry.password=p\ndubbo.registry.parameters.namespace=prod\n\
             dubbo.registries.b.address=10.0.0.2:2181\ndubbo.registries.b.protocol=zookeeper\n\
             dubbo.registries.b.group=x\ndubbo.registries.b.subscribe=false\n\
             dubbo.config-center.address=zookeeper://c:2181\n",
        );
        assert_eq!(
            registries,
            [
                "zookeeper://10.0.0.2:2181?subscribe=false",
                "nacos://h:8848?namespace=prod&group=a&username=u&password=***"
            ]
        );
        assert_eq!(all.application.as_deref(), Some("order-web"));
        assert_eq!(
            all.registries[0].group,
            Some(("x".to_owned(), GroupOrigin::Attribute))
        );
        assert_eq!(all.config_center.unwrap().to_string(), "zookeeper://c:2181");
    }

    #[test]
    fn who_says_that_there_is_no_config_center() {
        let one = "dubbo.registry.address=zookeeper://h:1\n";
        let two = "dubbo.registries.a.address=zookeeper://h:1\ndubbo.registries.b.address=zookeeper://g:1\n";
        let all = "dubbo.registry.use-as-config-center=false\n";
        let (a, b) = (
            "dubbo.registries.a.use-as-config-center=false\n",
            "dubbo.registries.b.use-as-config-center=false\n",
        );
        for (text, on_2x, on_3x) in [
            (one.to_owned(), false, false),
            (format!("{one}{all}"), true, true),
            (format!("{two}{all}"), true, false),
            (format!("{two}{a}"), false, false),
            (format!("{two}{a}{b}"), true, true),
            (
                format!("{two}{a}{b}dubbo.config-center.address=zookeeper://c:1\n"),
                false,
                false,
            ),
        ] {
            let (_, found) = shown(&text);
            for (version, expected) in [("2.7.23", on_2x), ("3.2.16", on_3x)] {
                let version = DubboVersion::parse(version).unwrap();
                assert_eq!(
                    found.has_no_config_center(Some(&version)),
                    expected,
                    "{text}"
                );
            }
            assert_eq!(found.has_no_config_center(None), on_3x, "{text}");
        }
    }

    #[test]
    fn what_dubbo_cannot_read_is_kept_with_its_place() {
        let (registries, all) =
            shown("a=b\ndubbo.registry.address=nacos://app:pa#ss@10.7.7.2:8848?namespace=prod\n");
        assert!(registries.is_empty());
        let [(property, line, error)] = all.unreadable.as_slice() else {
            panic!("{all:?}")
        };
        assert_eq!((property.as_str(), *line), ("dubbo.registry.address", 2));
        assert_eq!(error.masked, "nacos://app:***@10.7.7.2:8848?namespace=prod");
    }

    #[test]
    fn placeholders_of_the_file_itself() {
        let (registries, all) =
            shown("host=h\nport=1\ndubbo.registry.address=nacos://${host}:${port:8848}\n");
        assert_eq!(registries, ["nacos://h:1"]);
        assert!(all.unresolved.is_empty());
        let (registries, all) = shown("dubbo.registry.address=nacos://${NACOS:h}:1\nx=${x}\n");
        assert!(registries.is_empty());
        assert_eq!(
            all.unresolved,
            [(
                "dubbo.registry.address".to_owned(),
                1,
                "${NACOS:h}".to_owned()
            )]
        );
        let (_, all) = shown("x=${x}\ndubbo.registry.address=nacos://${x}:1\n");
        assert_eq!(
            all.unresolved.len(),
            1,
            "a definition that uses itself ends"
        );
    }
}
