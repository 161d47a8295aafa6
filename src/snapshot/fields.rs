//! The key fields as they stand in a line: which there are, in which order, and the key that follows from them.

use std::borrow::Cow;

use super::key::Key;

/// Names of the fields of an operation in the order in which they are written and sorted: key fields and those that
/// tell several answers to one key apart.
pub(crate) fn field_order(op: &str) -> &'static [&'static str] {
    match op {
        "zk.node" => &["path"],
        "zk.four" => &["word"],
        "nacos.state" | "nacos.namespaces" | "nacos.nodes" => &["api"],
        "nacos.services" => &["api", "namespace", "group", "page", "page_size"],
        "nacos.instances" => &["api", "namespace", "group", "service", "healthy_only"],
        "nacos.catalog" => &[
            "api",
            "namespace",
            "group",
            "service",
            "cluster",
            "page",
            "page_size",
        ],
        "nacos.service" => &["api", "namespace", "group", "service"],
        "nacos.subscribers" => &["api", "namespace", "group", "service", "page", "page_size"],
        "nacos.config" => &["api", "namespace", "group", "data_id"],
        "nacos.config-search" => &[
            "api",
            "namespace",
            "group",
            "data_id",
            "search",
            "page",
            "page_size",
        ],
        "nacos.listeners" => &["api", "namespace", "group", "data_id", "ip"],
        "tcp" => &["address", "from"],
        "probe" => &["kind", "address", "from"],
        "metadata.call" => &["address", "app", "revision"],
        "qos.cmd" => &["form", "command"],
        "file.lines" => &["file", "line", "offset"],
        "file.entry" => &["file", "line", "offset", "key"],
        "derived.revision" => &["app", "revision", "computed", "line"],
        _ => &[],
    }
}

/// The names that can be key fields, in the order of [`KeyFields`].
pub(crate) const KEY_FIELDS: [&str; 15] = [
    "path",
    "word",
    "namespace",
    "group",
    "service",
    "data_id",
    "ip",
    "address",
    "command",
    "kind",
    "app",
    "revision",
    "file",
    "key",
    "op",
];

/// What a reader found under one of the names of [`KEY_FIELDS`].
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Found<'a> {
    /// No such field, or null.
    #[default]
    Nothing,
    /// A text.
    Text(Cow<'a, str>),
    /// Something else.
    NoText,
}

/// The fields of a line from which its key follows, borrowed where they can be.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct KeyFields<'a> {
    found: [Found<'a>; KEY_FIELDS.len()],
}

impl<'a> KeyFields<'a> {
    /// The place of a name, if it can be a key field.
    pub(crate) fn place(name: &str) -> Option<usize> {
        KEY_FIELDS.iter().position(|field| *field == name)
    }

    /// Remembers what stands under the name at this place. Returns whether something stood there before.
    pub(crate) fn set(&mut self, place: usize, found: Found<'a>) -> bool {
        std::mem::replace(&mut self.found[place], found) != Found::Nothing
    }

    /// The text under a name, if there is one.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        match Self::place(name).map(|place| &self.found[place]) {
            Some(Found::Text(text)) => Some(text),
            _ => None,
        }
    }

    fn optional(&self, name: &'static str) -> Result<Option<String>, String> {
        match Self::place(name).map(|place| &self.found[place]) {
            Some(Found::Text(text)) => Ok(Some(text.to_string())),
            Some(Found::NoText) => Err(format!("field {name} is no text")),
            Some(Found::Nothing) | None => Ok(None),
        }
    }

    fn needed(&self, name: &'static str) -> Result<String, String> {
        self.optional(name)?
            .ok_or_else(|| format!("{} without {name}", self.text("op").unwrap_or("line")))
    }

    /// A namespace that is not said is the public one, as in Nacos itself.
    fn or_empty(&self, name: &'static str) -> Result<String, String> {
        Ok(self.optional(name)?.unwrap_or_default())
    }

    /// Whether the line has its key, without building it.
    ///
    /// # Errors
    /// What is missing or is no text.
    pub(crate) fn check(&self) -> Result<(), String> {
        // The common case, of which a large recording has millions.
        match (self.text("op"), self.text("path")) {
            (Some("zk.node"), Some(path))
                if path.starts_with('/') && (path.len() == 1 || !path.ends_with('/')) =>
            {
                Ok(())
            }
            _ => self.key().map(drop),
        }
    }

    /// The key of the line.
    ///
    /// # Errors
    /// What is missing or is no text.
    pub(crate) fn key(&self) -> Result<Key, String> {
        let op = self.needed("op")?;
        let namespace = || self.or_empty("namespace");
        let group = || self.needed("group");
        let service = || self.needed("service");
        Ok(match op.as_str() {
            "zk.node" => {
                let path = self.needed("path")?;
                if !path.starts_with('/') || (path.len() > 1 && path.ends_with('/')) {
                    return Err(format!(
                        "path {path:?} must begin with / and not end with it"
                    ));
                }
                Key::ZkNode { path }
            }
            "zk.four" => Key::ZkFour {
                word: self.needed("word")?,
            },
            "nacos.state" => Key::NacosState,
            "nacos.namespaces" => Key::NacosNamespaces,
            "nacos.nodes" => Key::NacosNodes,
            "nacos.services" => Key::NacosServices {
                namespace: namespace()?,
                group: self.optional("group")?,
            },
            "nacos.instances" => Key::NacosInstances {
                namespace: namespace()?,
                group: group()?,
                service: service()?,
            },
            "nacos.catalog" => Key::NacosCatalog {
                namespace: namespace()?,
                group: group()?,
                service: service()?,
            },
            "nacos.service" => Key::NacosService {
                namespace: namespace()?,
                group: group()?,
                service: service()?,
            },
            "nacos.subscribers" => Key::NacosSubscribers {
                namespace: namespace()?,
                group: group()?,
                service: service()?,
            },
            "nacos.listeners" => Key::NacosListeners {
                namespace: self.optional("namespace")?,
                group: self.optional("group")?,
                data_id: self.optional("data_id")?,
                ip: self.optional("ip")?,
            },
            "nacos.config" => Key::NacosConfig {
                namespace: namespace()?,
                group: group()?,
                data_id: self.needed("data_id")?,
            },
            "nacos.config-search" => Key::NacosConfigSearch {
                namespace: namespace()?,
                group: self.or_empty("group")?,
                data_id: self.or_empty("data_id")?,
            },
            "tcp" => Key::Tcp {
                address: self.needed("address")?,
            },
            "qos.cmd" => Key::QosCmd {
                command: self.needed("command")?,
            },
            "probe" => Key::Probe {
                kind: self.needed("kind")?,
                address: self.needed("address")?,
            },
            "metadata.call" => Key::MetadataCall {
                address: self.needed("address")?,
                app: self.or_empty("app")?,
                revision: self.needed("revision")?,
            },
            "metrics.text" => Key::MetricsText,
            "file.lines" => Key::FileLines {
                file: self.needed("file")?,
            },
            "file.entry" => Key::FileEntry {
                file: self.needed("file")?,
                key: self.needed("key")?,
            },
            "derived.revision" => Key::DerivedRevision {
                app: self.needed("app")?,
                revision: self.needed("revision")?,
            },
            _ => Key::Other { op },
        })
    }
}

/// Whether this name is one of the key's own fields for the operation (and so is not kept beside it).
pub(crate) fn is_key_field(op: &str, name: &str) -> bool {
    let names: &[&str] = match op {
        "nacos.services" => &["namespace", "group"],
        "nacos.listeners" => &["namespace", "group", "data_id", "ip"],
        "nacos.instances" | "nacos.catalog" | "nacos.service" | "nacos.subscribers" => {
            &["namespace", "group", "service"]
        }
        "nacos.config" | "nacos.config-search" => &["namespace", "group", "data_id"],
        "zk.node" => &["path"],
        "zk.four" => &["word"],
        "tcp" => &["address"],
        "qos.cmd" => &["command"],
        "probe" => &["kind", "address"],
        "metadata.call" => &["address", "app", "revision"],
        "file.lines" => &["file"],
        "file.entry" => &["file", "key"],
        "derived.revision" => &["app", "revision"],
        _ => &[],
    };
    names.contains(&name)
}
