//! What a registry holds of discovery by application: mapping, instances, metadata. Read once, before any version of
//! Dubbo is assumed; what only some versions read says so.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    diagnose::code::Code,
    model::{
        metadata::{MetadataInfo, ServiceInfo},
        version::DubboVersion,
    },
    question::RegistryKind,
    view::{
        held::Removal,
        stage::{Evidence, NotSeen},
    },
};

/// Everything that is known of discovery by application for one interface.
#[derive(Debug, Clone, Default)]
pub struct Application {
    /// Applications that any mapping names for the interface, whoever reads it.
    pub mapped: Vec<String>,
    /// The mappings that were looked for at the consumer's place.
    pub mappings: Vec<Mapping>,
    /// Whether the mapping is known (a known absence included).
    pub mapping_known: bool,
    /// Instances of the applications that are mapped or named by `provided-by`, the disabled ones too.
    pub instances: Vec<Instance>,
    /// Instances of other applications than the consumer's own, as far as they were looked at: they may show who exports
    /// the interface.
    pub others: Vec<Instance>,
    /// There are more such applications than were looked at.
    pub others_cut: bool,
    /// Entries under these applications that no client reads as an instance.
    pub aliens: Vec<Alien>,
    /// Whether all instances at the consumer's place are known.
    pub instances_known: bool,
    /// Instances of any application are there, mapped or not.
    pub any_instance: bool,
    /// Applications that other mappings of this place name: they write mappings, so that none is there for this interface
    /// means that they do not export it.
    pub writers: BTreeSet<String>,
    /// A provider's service definition of the interface is there.
    pub defined: bool,
    /// Applications that left such a definition, as far as they were seen.
    pub definers: BTreeSet<String>,
    /// Those whose definition is of the group and version that are asked for.
    pub key_definers: BTreeSet<String>,
    /// Applications that left definitions or mappings of other interfaces, as far as they were seen: they write them, so
    /// that none is there for this interface means that they do not export it.
    pub describers: BTreeSet<String>,
    /// Names of definitions and mappings that are near the one asked for, with their applications.
    pub near_names: BTreeMap<String, BTreeSet<String>>,
    /// Signs of it under other places.
    pub elsewhere: bool,
    /// What the revisions of the instances stand for: by application and revision.
    pub metadata: BTreeMap<(String, String), Metadata>,
    /// Services that providers say they register, in their logs.
    pub told: Vec<Told>,
    /// The interface's mapping at other places, with the instances there of the applications that it names.
    pub places: Vec<MappedElsewhere>,
    /// Two places of the registry may have instances, and the version decides which is read.
    pub grouped: Option<RegistryKind>,
    /// What was not seen.
    pub not_seen: Vec<NotSeen>,
}

/// A service that a provider says it registers.
#[derive(Debug, Clone)]
pub struct Told {
    /// Host of the URL.
    pub host: String,
    /// Application, where the URL has one.
    pub application: Option<String>,
    /// The service.
    pub service: ServiceInfo,
    /// Where it says so.
    pub evidence: Evidence,
}

/// The service at another place of the registry, by applications.
#[derive(Debug, Clone)]
pub struct MappedElsewhere {
    /// Which part of the place differs: namespace, registry group or root.
    pub code: Code,
    /// The place.
    pub place: String,
    /// Parts of the place that differ: `namespace`, `group`.
    pub differs: Vec<&'static str>,
    /// Applications that the interface is mapped to and that have instances there.
    pub applications: Vec<String>,
    /// How many instances those are.
    pub count: usize,
    /// What shows it.
    pub evidence: Vec<Evidence>,
}

/// A mapping from the interface to applications at one node.
#[derive(Debug, Clone)]
pub struct Mapping {
    /// Who reads it.
    pub form: MappingForm,
    /// Where it is, in words of the registry.
    pub place: String,
    /// Applications that it names, as they are written; empty = it is not there.
    pub applications: Vec<String>,
    /// When it was written, milliseconds since 1970, where that is told and does not contradict the time of the answer.
    pub written_ms: Option<i64>,
    /// What shows it.
    pub evidence: Option<Evidence>,
}

/// In which of the two ways a mapping is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MappingForm {
    /// A list in the metadata report (`MetadataServiceNameMapping`, 3.x).
    Report,
    /// A node for each application in the config centre (`DynamicConfigurationServiceNameMapping`, 2.7).
    ConfigCenter,
    /// The consumer's own cache file, asked where the report has nothing (`MappingCacheManager`, 3.0.15 on).
    Cache,
}

/// An instance of an application.
#[derive(Debug, Clone)]
pub struct Instance {
    /// Application.
    pub application: String,
    /// Host as registered.
    pub host: String,
    /// Port as registered.
    pub port: u32,
    /// `host:port`.
    pub address: String,
    /// `dubbo.metadata.revision`.
    pub revision: Option<String>,
    /// Everything that the instance says of itself.
    pub metadata: BTreeMap<String, String>,
    /// Clients are told of it.
    pub enabled: bool,
    /// Beats arrive; `true` where the registry knows none.
    pub healthy: bool,
    /// Clients are told that it is healthy, and the registry itself holds it for dead.
    pub rewritten: bool,
    /// What becomes of it when its process is gone.
    pub removal: Removal,
    /// Weight; 1 where the registry has none.
    pub weight: f64,
    /// It lies at the place of the registry's group, which not every version reads.
    pub in_group: bool,
    /// Where it was seen.
    pub evidence: Evidence,
}

/// An entry under an application that is no instance of Dubbo.
#[derive(Debug, Clone)]
pub struct Alien {
    /// Application.
    pub application: String,
    /// Its name there.
    pub name: String,
    /// Where it was seen.
    pub evidence: Evidence,
}

/// What is known of the metadata under one revision.
#[derive(Debug, Clone)]
pub enum Metadata {
    /// The text was seen.
    Here {
        /// What it says.
        info: MetadataInfo,
        /// The revision that its text has, when it can be computed and is not the one it is stored under.
        differs: Option<String>,
        /// Where it was seen.
        evidence: Evidence,
    },
    /// The metadata report does not have it.
    Absent(Evidence),
    /// It has a text that is none.
    Unreadable {
        /// What is wrong with it.
        error: String,
        /// Where it was seen.
        evidence: Evidence,
    },
    /// The metadata service of an instance was called and did not answer.
    Unreachable {
        /// `host:port` that was called.
        address: String,
        /// What became of the call.
        reason: String,
        /// The address of the machine that called, where it is told.
        from: Option<String>,
        /// Where it was seen.
        evidence: Evidence,
    },
    /// The metadata service of an instance answered, and not with metadata.
    Refused {
        /// `host:port` that was called.
        address: String,
        /// What it said.
        reason: String,
        /// Where it was seen.
        evidence: Evidence,
    },
    /// Nobody saw it.
    Unknown(NotSeen),
}

impl Instance {
    /// Whether the text of its metadata is kept in the metadata report (`dubbo.metadata.storage-type`).
    pub fn is_remote(&self) -> bool {
        self.metadata
            .get("dubbo.metadata.storage-type")
            .is_some_and(|kind| kind == "remote")
    }

    /// `host:port` of its metadata service: the port is among `dubbo.metadata-service.url-params`, flat (3.x) or by protocol
    /// (2.7), else the instance's own.
    pub fn metadata_service(&self) -> String {
        let params = self.metadata.get("dubbo.metadata-service.url-params");
        let params: Option<serde_json::Value> =
            params.and_then(|text| serde_json::from_str(text).ok());
        let port = params.as_ref().and_then(|params| {
            let nested = || params.as_object()?.values().find_map(|of| of.get("port"));
            let port = params.get("port").or_else(nested)?;
            Some(
                port.as_str()
                    .map_or_else(|| port.to_string(), str::to_owned),
            )
        });
        let port = port.unwrap_or_else(|| self.port.to_string());
        format!("{}:{port}", self.host)
    }

    /// Whether its metadata service speaks triple, as it promises (`StandardMetadataServiceURLBuilder`).
    pub(crate) fn speaks_triple(&self) -> bool {
        let params = self.metadata.get("dubbo.metadata-service.url-params");
        let params: Option<serde_json::Value> =
            params.and_then(|text| serde_json::from_str(text).ok());
        params.is_some_and(|params| {
            let flat = params.get("protocol").and_then(serde_json::Value::as_str);
            flat == Some("tri") || flat.is_none() && params.get("tri").is_some()
        })
    }

    /// Its revision, unless it says that it exports nothing.
    pub fn exports(&self) -> Option<&str> {
        self.revision
            .as_deref()
            .filter(|revision| !revision.is_empty() && *revision != "0")
    }

    /// What its metadata are kept under.
    pub fn metadata_key(&self) -> Option<(String, String)> {
        let revision = self.revision.as_ref().filter(|text| !text.is_empty())?;
        Some((self.application.clone(), revision.clone()))
    }
}

impl Application {
    /// The applications that the mapping names for a consumer of this version.
    pub fn mapped_for(&self, version: &DubboVersion) -> BTreeSet<&str> {
        let form = if version.line().is_3x() {
            MappingForm::Report
        } else {
            MappingForm::ConfigCenter
        };
        // Until 3.2.0 a blank beside a comma is a part of the name (`ServiceNameMapping.getAppNames`).
        let cuts = version.at_least([3, 2, 1]);
        let of = |form: MappingForm| -> BTreeSet<&str> {
            let mappings = self.mappings.iter();
            mappings
                .filter(|mapping| mapping.form == form)
                .flat_map(|mapping| mapping.applications.iter().map(String::as_str))
                .map(|name| if cuts { name.trim() } else { name })
                .collect()
        };
        let told = of(form);
        if told.is_empty() && version.at_least([3, 0, 15]) {
            return of(MappingForm::Cache);
        }
        told
    }

    /// Metadata services of the instances that name this application and revision, and whether each speaks triple.
    pub(crate) fn services_of(&self, key: &(String, String)) -> Vec<(String, bool)> {
        let all = self.instances.iter().chain(&self.others);
        let same = all.filter(|instance| {
            instance.metadata_key().as_ref() == Some(key) && !instance.is_remote()
        });
        same.map(|instance| (instance.metadata_service(), instance.speaks_triple()))
            .collect::<BTreeMap<_, _>>()
            .into_iter()
            .collect()
    }

    /// Whether a consumer of this version looks where this instance is: Nacos clients of 3.1 and later and ZooKeeper
    /// clients of 3.0.9 and later look into the registry's group (`NacosNamingServiceUtils.getGroup`,
    /// `CuratorFrameworkUtils.getRootPath`).
    pub fn is_read(&self, instance: &Instance, version: &DubboVersion) -> bool {
        let since = match self.grouped {
            None => return true,
            Some(RegistryKind::Nacos) => [3, 1, 0],
            Some(_) => [3, 0, 9],
        };
        instance.in_group == version.at_least(since)
    }

    /// How many instances of mapped applications clients are not told of.
    pub fn hidden(&self) -> usize {
        let hidden = self.instances.iter().filter(|instance| !instance.enabled);
        hidden.count()
    }

    /// The mapping names applications, none of them has an instance anywhere, and that is known.
    pub fn is_deserted(&self) -> bool {
        self.mapping_known && self.instances_known && self.instances.is_empty() && !self.elsewhere
    }

    /// Nothing of the application model can give this consumer an address, and that is known.
    pub fn is_absent(&self) -> bool {
        self.mapping_known && self.mapped.is_empty()
    }

    /// Every mapped instance is registered at interface level, too, and nothing else is there: register mode `all`.
    pub fn is_covered_by(&self, addresses: &BTreeSet<String>) -> bool {
        let told: BTreeSet<&String> = self
            .instances
            .iter()
            .filter(|instance| instance.enabled)
            .map(|instance| &instance.address)
            .collect();
        self.mapping_known
            && self.instances_known
            && !told.is_empty()
            && told == addresses.iter().collect()
    }
}
