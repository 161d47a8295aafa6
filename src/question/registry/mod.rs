//! A registry address in Dubbo's own syntax (`zookeeper://h:2181?backup=h2:2181&group=..`). Pure.
//!
//! Read as `UrlUtils.parseURLs` and `URLStrParser.parseDecodedStr` of 2.7.23, 3.0.15, 3.2.16 and 3.3.6 read it
//! (run side by side), surprises included: nothing is percent-decoded, `#`, `/` and `?` end the part before the
//! parameters even inside a password, and a last host without a port gets 9090.

mod fault;
mod mask;
mod parse;

pub use fault::{AddressFault, AddressRemark, RegistryAddressError};
pub use mask::mask_address;

use std::{collections::BTreeMap, fmt};

use crate::model::secret::{MASK, Secret};

/// Kind of registry, from the scheme of the address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RegistryKind {
    /// `zookeeper://`
    Zookeeper,
    /// `nacos://`, `nacos+https://`
    Nacos,
    /// A registry that Dubbo has and `diag` does not read (`multicast`, `redis`, `spring-cloud` ..), or an address
    /// whose scheme is an unresolved placeholder. [`RegistryAddress::scheme`] has the word.
    Other,
}

/// How the registry's group was given. Only the attribute moves the place where rules are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GroupOrigin {
    /// `?group=` inside the address.
    Address,
    /// The attribute `dubbo.registry.group` (`--registry-group`).
    Attribute,
}

/// Where the consumer is configured to look. `Display` masks secrets.
#[derive(Clone, PartialEq, Eq)]
pub struct RegistryAddress {
    /// Kind, from the scheme.
    pub kind: RegistryKind,
    /// The scheme as written, without `+tls`, `+https`.
    pub scheme: String,
    /// `zookeeper+tls://`, `nacos+https://`.
    pub tls: bool,
    /// All members, `host:port`, the first one first; `backup=` follows. Never empty.
    pub members: Vec<String>,
    /// Context path (Nacos; empty = `contextPath=/`, the root) or chroot (ZooKeeper, only behind the last `backup`),
    /// without slashes at the ends.
    pub path: Option<String>,
    /// User name.
    pub username: Option<String>,
    /// Password; never printed.
    pub password: Option<Secret>,
    /// `group`, with the way it was given.
    pub group: Option<(String, GroupOrigin)>,
    /// `namespace` (Nacos).
    pub namespace: Option<String>,
    /// All other parameters.
    pub params: BTreeMap<String, String>,
    /// What is odd about the way it was written.
    pub remarks: Vec<AddressRemark>,
}

impl RegistryAddress {
    /// The address of one registry.
    ///
    /// # Errors
    /// When Dubbo could not read it either, when it names several registries (see [`Self::parse_list`]), or when
    /// no Dubbo registry has this scheme. The error never repeats a secret.
    pub fn parse(text: &str) -> Result<Self, RegistryAddressError> {
        parse::one(text)
    }

    /// The addresses of one or more registries, separated by `|` or `;` (`UrlUtils.parseURLs`).
    ///
    /// # Errors
    /// As [`Self::parse`], for the first registry that cannot be read.
    pub fn parse_list(text: &str) -> Result<Vec<Self>, RegistryAddressError> {
        parse::list(text)
    }

    /// The same registry in another group: in the way in which its group is given now, else in both ways that there
    /// are.
    pub(crate) fn in_group(&self, group: &str) -> Vec<Self> {
        let origins = match self.group {
            Some((_, origin)) => vec![origin],
            None => vec![GroupOrigin::Address, GroupOrigin::Attribute],
        };
        origins
            .into_iter()
            .map(|origin| Self {
                group: Some((group.to_owned(), origin)),
                ..self.clone()
            })
            .collect()
    }

    /// The members in their order, each of them once, at most so many.
    pub(crate) fn distinct_members(&self, most: usize) -> Vec<String> {
        let mut members: Vec<String> = Vec::new();
        for member in &self.members {
            if !members.contains(member) {
                members.push(member.clone());
            }
        }
        members.truncate(most);
        members
    }

    /// Everything in it that must never be shown.
    pub fn secrets(&self) -> Vec<Secret> {
        let hidden = self.params.iter().filter(|(name, _)| mask::hides(name));
        self.password
            .iter()
            .cloned()
            .chain(hidden.map(|(_, value)| Secret::new(value.as_str())))
            .collect()
    }

    /// The same address without password and keys, for a command to copy.
    #[must_use]
    pub fn without_secrets(&self) -> Self {
        let mut plain = Self {
            password: None,
            ..self.clone()
        };
        plain.params.retain(|name, _| !mask::hides(name));
        plain
    }

    /// Whether `${..}` stands literally in it: some configuration was not resolved. Names the first one.
    pub fn placeholder(&self) -> Option<&str> {
        let params = self.params.iter().flat_map(|(key, value)| [key, value]);
        [&self.scheme]
            .into_iter()
            .chain(&self.members)
            .chain(&self.path)
            .chain(&self.username)
            .chain(&self.namespace)
            .chain(self.group.as_ref().map(|(group, _)| group))
            .chain(params)
            .find_map(|text| placeholder(text))
    }
}

/// The first `${..}` in a text.
pub fn placeholder(text: &str) -> Option<&str> {
    let start = text.find("${")?;
    let end = text[start..].find('}')? + start;
    Some(&text[start..=end])
}

impl fmt::Display for RegistryAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.scheme)?;
        if self.tls {
            f.write_str(if self.kind == RegistryKind::Nacos {
                "+https"
            } else {
                "+tls"
            })?;
        }
        f.write_str("://")?;
        let (first, backup) = self
            .members
            .split_first()
            .map_or(("", [].as_slice()), |(a, b)| (a, b));
        f.write_str(first)?;
        let chroot = self.kind == RegistryKind::Zookeeper && !backup.is_empty();
        let at_root = self.path.as_deref() == Some("");
        if let (Some(path), false) = (&self.path, chroot || at_root) {
            write!(f, "/{path}")?;
        }
        let mut pairs: Vec<(&str, String)> = Vec::new();
        if at_root {
            pairs.push(("contextPath", "/".to_owned()));
        }
        if !backup.is_empty() {
            let mut text = backup.join(",");
            if let (Some(path), true) = (&self.path, chroot) {
                text = format!("{text}/{path}");
            }
            pairs.push(("backup", text));
        }
        if let Some(namespace) = &self.namespace {
            pairs.push(("namespace", namespace.clone()));
        }
        if let Some((group, GroupOrigin::Address)) = &self.group {
            pairs.push(("group", group.clone()));
        }
        if let Some(username) = &self.username {
            pairs.push(("username", username.clone()));
        }
        if self.password.is_some() {
            pairs.push(("password", MASK.to_owned()));
        }
        pairs.extend(
            self.params
                .iter()
                .map(|(key, value)| (key.as_str(), value.clone())),
        );
        for (index, (key, value)) in pairs.iter().enumerate() {
            let value = if mask::hides(key) { MASK } else { value };
            write!(f, "{}{key}={value}", if index == 0 { '?' } else { '&' })?;
        }
        Ok(())
    }
}

/// The same as `Display`: parameters may hold keys, and debug output is output.
impl fmt::Debug for RegistryAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RegistryAddress({self})")
    }
}

impl fmt::Display for RegistryKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Zookeeper => "zookeeper",
            Self::Nacos => "nacos",
            Self::Other => "other",
        })
    }
}
