//! What a line answers: the operation and the fields that tell one question from another.
//!
//! `api`, page, member and time are not part of it: several lines may answer the same key.

use std::fmt;

/// An operation and its key fields. Namespaces are as asked: `""` is Nacos' public one.
#[expect(missing_docs, reason = "the fields are named as in the format")]
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// `zk.node`: a node's children or data.
    ZkNode { path: String },
    /// `zk.four`: a four-letter word.
    ZkFour { word: String },
    /// `nacos.state`: version and modules of the server.
    NacosState,
    /// `nacos.namespaces`: the list of namespaces.
    NacosNamespaces,
    /// `nacos.nodes`: the members of the cluster.
    NacosNodes,
    /// `nacos.services`: names of services. Without a group the answer covers all groups.
    NacosServices {
        namespace: String,
        group: Option<String>,
    },
    /// `nacos.instances`: the instances that clients see.
    NacosInstances {
        namespace: String,
        group: String,
        service: String,
    },
    /// `nacos.catalog`: the instances with the disabled and unhealthy ones.
    NacosCatalog {
        namespace: String,
        group: String,
        service: String,
    },
    /// `nacos.service`: properties of a service, such as its protect threshold.
    NacosService {
        namespace: String,
        group: String,
        service: String,
    },
    /// `nacos.subscribers`: who subscribes to a service.
    NacosSubscribers {
        namespace: String,
        group: String,
        service: String,
    },
    /// `nacos.listeners`: who listens to a data id, or to which data ids an address listens.
    NacosListeners {
        namespace: Option<String>,
        group: Option<String>,
        data_id: Option<String>,
        ip: Option<String>,
    },
    /// `nacos.config`: one configuration text.
    NacosConfig {
        namespace: String,
        group: String,
        data_id: String,
    },
    /// `nacos.config-search`: a list of configurations; group and data id are patterns, `""` is every one.
    NacosConfigSearch {
        namespace: String,
        group: String,
        data_id: String,
    },
    /// `tcp`: a connection attempt to `host:port`.
    Tcp { address: String },
    /// `qos.cmd`: a QOS command with its arguments.
    QosCmd { command: String },
    /// `probe`: heartbeats of a kind to `host:port`.
    Probe { kind: String, address: String },
    /// `metadata.call`: the metadata service of an instance. The application is `""` where it was not said.
    MetadataCall {
        address: String,
        app: String,
        revision: String,
    },
    /// `metrics.text`: a metrics page.
    MetricsText,
    /// `file.lines`: lines of an attached file that say something.
    FileLines { file: String },
    /// `file.entry`: one key of an attached cache or configuration file.
    FileEntry { file: String, key: String },
    /// `derived.revision`: the revision recomputed from a provider's unmasked metadata.
    DerivedRevision { app: String, revision: String },
    /// An operation that this version does not know. Its fields are all in the line.
    Other { op: String },
}

impl Key {
    /// A ZooKeeper node.
    pub fn zk_node(path: impl Into<String>) -> Self {
        Self::ZkNode { path: path.into() }
    }

    /// Instances of a Nacos service as clients see them.
    pub fn nacos_instances(
        namespace: impl Into<String>,
        group: impl Into<String>,
        service: impl Into<String>,
    ) -> Self {
        Self::NacosInstances {
            namespace: namespace.into(),
            group: group.into(),
            service: service.into(),
        }
    }

    /// One configuration of Nacos.
    pub fn nacos_config(
        namespace: impl Into<String>,
        group: impl Into<String>,
        data_id: impl Into<String>,
    ) -> Self {
        Self::NacosConfig {
            namespace: namespace.into(),
            group: group.into(),
            data_id: data_id.into(),
        }
    }

    /// A QOS command with its arguments, decoded.
    pub fn qos(command: impl Into<String>) -> Self {
        Self::QosCmd {
            command: command.into(),
        }
    }

    /// What a line answers.
    pub fn of(line: &super::line::Line) -> &Self {
        &line.key
    }

    /// The operation as the format writes it.
    pub fn op(&self) -> &str {
        match self {
            Self::ZkNode { .. } => "zk.node",
            Self::ZkFour { .. } => "zk.four",
            Self::NacosState => "nacos.state",
            Self::NacosNamespaces => "nacos.namespaces",
            Self::NacosNodes => "nacos.nodes",
            Self::NacosServices { .. } => "nacos.services",
            Self::NacosInstances { .. } => "nacos.instances",
            Self::NacosCatalog { .. } => "nacos.catalog",
            Self::NacosService { .. } => "nacos.service",
            Self::NacosSubscribers { .. } => "nacos.subscribers",
            Self::NacosListeners { .. } => "nacos.listeners",
            Self::NacosConfig { .. } => "nacos.config",
            Self::NacosConfigSearch { .. } => "nacos.config-search",
            Self::Tcp { .. } => "tcp",
            Self::QosCmd { .. } => "qos.cmd",
            Self::Probe { .. } => "probe",
            Self::MetadataCall { .. } => "metadata.call",
            Self::MetricsText => "metrics.text",
            Self::FileLines { .. } => "file.lines",
            Self::FileEntry { .. } => "file.entry",
            Self::DerivedRevision { .. } => "derived.revision",
            Self::Other { op } => op,
        }
    }

    /// The key fields with their values, in the order in which they are written.
    pub fn fields(&self) -> Vec<(&'static str, &str)> {
        match self {
            Self::NacosState
            | Self::NacosNamespaces
            | Self::NacosNodes
            | Self::MetricsText
            | Self::Other { .. } => Vec::new(),
            Self::ZkNode { path } => vec![("path", path)],
            Self::ZkFour { word } => vec![("word", word)],
            Self::NacosServices { namespace, group } => {
                let mut fields = vec![("namespace", namespace.as_str())];
                fields.extend(group.as_deref().map(|group| ("group", group)));
                fields
            }
            Self::NacosInstances {
                namespace,
                group,
                service,
            }
            | Self::NacosCatalog {
                namespace,
                group,
                service,
            }
            | Self::NacosService {
                namespace,
                group,
                service,
            }
            | Self::NacosSubscribers {
                namespace,
                group,
                service,
            } => {
                vec![
                    ("namespace", namespace),
                    ("group", group),
                    ("service", service),
                ]
            }
            Self::NacosListeners {
                namespace,
                group,
                data_id,
                ip,
            } => [
                ("namespace", namespace),
                ("group", group),
                ("data_id", data_id),
                ("ip", ip),
            ]
            .into_iter()
            .filter_map(|(name, value)| value.as_deref().map(|value| (name, value)))
            .collect(),
            Self::NacosConfig {
                namespace,
                group,
                data_id,
            }
            | Self::NacosConfigSearch {
                namespace,
                group,
                data_id,
            } => {
                vec![
                    ("namespace", namespace),
                    ("group", group),
                    ("data_id", data_id),
                ]
            }
            Self::Tcp { address } => vec![("address", address)],
            Self::QosCmd { command } => vec![("command", command)],
            Self::Probe { kind, address } => vec![("kind", kind), ("address", address)],
            Self::MetadataCall {
                address,
                app,
                revision,
            } => {
                let mut fields = vec![("address", address.as_str())];
                if !app.is_empty() {
                    fields.push(("app", app));
                }
                fields.push(("revision", revision));
                fields
            }
            Self::FileLines { file } => vec![("file", file)],
            Self::FileEntry { file, key } => vec![("file", file), ("key", key)],
            Self::DerivedRevision { app, revision } => vec![("app", app), ("revision", revision)],
        }
    }

    /// Applies a function to every field that a system named (not to the operation).
    pub(crate) fn map_fields(&mut self, mut f: impl FnMut(&mut String)) {
        let optional = |field: &mut Option<String>, f: &mut dyn FnMut(&mut String)| {
            if let Some(field) = field {
                f(field);
            }
        };
        match self {
            Self::NacosState
            | Self::NacosNamespaces
            | Self::NacosNodes
            | Self::MetricsText
            | Self::Other { .. } => {}
            Self::ZkNode { path: one }
            | Self::ZkFour { word: one }
            | Self::Tcp { address: one }
            | Self::QosCmd { command: one }
            | Self::FileLines { file: one } => f(one),
            Self::NacosServices { namespace, group } => {
                f(namespace);
                optional(group, &mut f);
            }
            Self::NacosListeners {
                namespace,
                group,
                data_id,
                ip,
            } => {
                for field in [namespace, group, data_id, ip] {
                    optional(field, &mut f);
                }
            }
            Self::NacosInstances {
                namespace: a,
                group: b,
                service: c,
            }
            | Self::NacosCatalog {
                namespace: a,
                group: b,
                service: c,
            }
            | Self::NacosService {
                namespace: a,
                group: b,
                service: c,
            }
            | Self::NacosSubscribers {
                namespace: a,
                group: b,
                service: c,
            }
            | Self::NacosConfig {
                namespace: a,
                group: b,
                data_id: c,
            }
            | Self::NacosConfigSearch {
                namespace: a,
                group: b,
                data_id: c,
            }
            | Self::MetadataCall {
                address: a,
                app: b,
                revision: c,
            } => {
                f(a);
                f(b);
                f(c);
            }
            Self::Probe {
                kind: a,
                address: b,
            }
            | Self::FileEntry { file: a, key: b }
            | Self::DerivedRevision {
                app: a,
                revision: b,
            } => {
                f(a);
                f(b);
            }
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.op())?;
        for (name, value) in self.fields() {
            write!(f, " {name}={value:?}")?;
        }
        Ok(())
    }
}
