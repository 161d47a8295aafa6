//! Why an address cannot be read, and what is odd about one that can.

use std::fmt;

/// Why an address cannot be read. Names the part and the way out; never repeats a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("registry address `{masked}`: {fault}")]
pub struct RegistryAddressError {
    /// The address as given, secrets masked.
    pub masked: String,
    /// What is wrong with it.
    pub fault: AddressFault,
}

impl RegistryAddressError {
    /// What to write instead, if that can be said.
    pub fn hint(&self) -> Option<String> {
        self.fault.hint()
    }
}

/// What is wrong with an address. `Display` is the English sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AddressFault {
    /// Nothing there.
    Empty,
    /// One registry was asked for, several are named.
    Several(usize),
    /// No `scheme://`; the second part is the scheme that the port suggests.
    NoScheme(Option<&'static str>),
    /// No registry of Dubbo has this scheme; empty when it must not be repeated.
    UnknownScheme(String),
    /// `registry://` or `service-discovery-registry://` without `registry=`.
    NoKind,
    /// No host.
    NoHost,
    /// A character of the user name or password ends the part before the parameters.
    CutByPassword(char),
    /// What stands where the port should be is no number (`NumberFormatException` in Dubbo).
    PortNotANumber,
    /// The last of several hosts has no port, so the text behind the last colon is no number.
    LastPortMissing,
    /// A port above 65535.
    PortOutOfRange,
    /// `&amp;`: copied out of XML.
    XmlEntity,
}

impl AddressFault {
    /// A word for it that never changes (`port-not-a-number`), for parameters of a finding.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Several(_) => "several-registries",
            Self::NoScheme(_) => "no-scheme",
            Self::UnknownScheme(_) => "unknown-scheme",
            Self::NoKind => "no-registry-kind",
            Self::NoHost => "no-host",
            Self::CutByPassword(_) => "cut-by-password",
            Self::PortNotANumber => "port-not-a-number",
            Self::LastPortMissing => "last-port-missing",
            Self::PortOutOfRange => "port-out-of-range",
            Self::XmlEntity => "xml-entity",
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Several(_) => "give each registry its own --registry".to_owned(),
            Self::NoScheme(Some(kind)) => format!("write {kind}://.. in front"),
            Self::Empty | Self::NoScheme(None) => "write zookeeper://HOST:2181 or nacos://HOST:8848".to_owned(),
            Self::UnknownScheme(scheme) => {
                let possible = "zookeeper://, nacos:// (with TLS: zookeeper+tls://, nacos+https://)";
                match super::parse::near_scheme(scheme) {
                    Some(near) => format!("did you mean `{near}://`? possible: {possible}"),
                    None => format!("possible: {possible}"),
                }
            }
            Self::NoKind => "write zookeeper://.. or nacos://.., or add registry=zookeeper or registry=nacos".to_owned(),
            Self::CutByPassword(_) => {
                "Dubbo does not decode %23 and its like in an address: put the user in dubbo.registry.username and the \
                 password in dubbo.registry.password (diag: --username and --password-env, -file or -command)"
                    .to_owned()
            }
            Self::PortNotANumber => {
                "write HOST:PORT; if a password with `#`, `/` or `?` stands in the address, put it in \
                 dubbo.registry.password instead (diag: --password-env, -file or -command)"
                    .to_owned()
            }
            Self::LastPortMissing => "Dubbo takes what follows the last colon for the port: give every host one".to_owned(),
            Self::XmlEntity => "`&amp;` is XML's spelling: write `&`".to_owned(),
            Self::NoHost | Self::PortOutOfRange => return None,
        })
    }
}

impl fmt::Display for AddressFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("it is empty"),
            Self::Several(count) => write!(f, "it names {count} registries, one is expected here"),
            Self::NoScheme(_) => f.write_str("it has no scheme"),
            Self::UnknownScheme(scheme) if scheme.is_empty() => {
                f.write_str("no registry of Dubbo has this scheme")
            }
            Self::UnknownScheme(scheme) => {
                write!(f, "no registry of Dubbo has the scheme `{scheme}`")
            }
            Self::NoKind => f.write_str("it does not say which kind of registry this is"),
            Self::NoHost => f.write_str("it has no host"),
            Self::CutByPassword(cut) => write!(
                f,
                "the `{cut}` in the user name or password ends the address: Dubbo reads the part before it as host and port"
            ),
            Self::PortNotANumber => f.write_str("what stands in place of the port is no number"),
            Self::LastPortMissing => f.write_str("the last host has no port"),
            Self::PortOutOfRange => f.write_str("the port is above 65535"),
            Self::XmlEntity => f.write_str("it contains `&amp;`"),
        }
    }
}

/// What is odd about an address that can be read. `Display` is the English sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AddressRemark {
    /// The last host has no port, Dubbo takes 9090.
    PortMissing,
    /// The path of a ZooKeeper address is not used.
    PathIgnored,
    /// Text from `#` on is dropped.
    HashDropped,
    /// `%xx` in user name or password is taken literally.
    NotDecoded,
    /// Text behind the password does not look like a parameter and is not shown: a `&` in the password ends it.
    BehindPassword,
    /// A second `?` is part of the first parameter's name.
    SecondQuestionMark,
}

impl fmt::Display for AddressRemark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::PortMissing => "the last host has no port: Dubbo uses 9090 then, not the registry's usual port",
            Self::PathIgnored => {
                "the path is not used for ZooKeeper: a root goes into group=.., a chroot behind the last backup=.. host"
            }
            Self::HashDropped => "Dubbo drops everything from `#` to the `?`",
            Self::NotDecoded => "Dubbo does not decode %xx in an address: it stands literally in user name or password",
            Self::BehindPassword => "`&` ends the password and the text behind it is no parameter that Dubbo knows",
            Self::SecondQuestionMark => "the second `?` becomes part of the parameter's name, which is then not read",
        })
    }
}
