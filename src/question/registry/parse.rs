//! Reading an address as Dubbo does.

use std::collections::BTreeMap;

use super::{
    AddressFault, AddressRemark, GroupOrigin, RegistryAddress, RegistryAddressError, RegistryKind,
    mask::{self, mask_address},
};
use crate::model::secret::Secret;

/// What `UrlUtils.parseURL` takes when the last host has no port, whatever the kind of registry.
const DUBBO_DEFAULT_PORT: &str = "9090";

/// Registries that Dubbo or a well-known extension has and `diag` does not read.
const NOT_READ: [&str; 17] = [
    "consul",
    "dubbo",
    "etcd3",
    "eureka",
    "istio",
    "kubernetes",
    "mesh",
    "multicast",
    "multiple",
    "opensergo",
    "polaris",
    "redis",
    "simple",
    "sofa",
    "spring-cloud",
    "xds",
    "xds-agent",
];

/// The readable scheme that looks like this one.
pub(super) fn near_scheme(scheme: &str) -> Option<&'static str> {
    let lower = scheme.to_ascii_lowercase();
    ["zookeeper", "nacos", "zookeeper+tls", "nacos+https"]
        .into_iter()
        .map(|known| (strsim::damerau_levenshtein(&lower, known), known))
        .filter(|(distance, _)| *distance <= 2)
        .min()
        .map(|(_, known)| known)
        .or(match lower.as_str() {
            "zk" => Some("zookeeper"),
            "nacos+http" | "nacoss" | "http" | "https" => Some("nacos"),
            _ => None,
        })
}

pub(super) fn one(text: &str) -> Result<RegistryAddress, RegistryAddressError> {
    let mut all = list(text)?;
    match (all.pop(), all.len()) {
        (Some(address), 0) => Ok(address),
        (_, others) => Err(AddressFault::Several(others + 1)).map_err(|fault| error(text, fault)),
    }
}

pub(super) fn list(text: &str) -> Result<Vec<RegistryAddress>, RegistryAddressError> {
    if text.contains("&amp;") {
        return Err(error(text, AddressFault::XmlEntity));
    }
    let pieces: Vec<&str> = if text.trim_start().starts_with("${") {
        vec![text.trim()]
    } else {
        text.split(['|', ';'])
            .map(str::trim)
            .filter(|piece| !piece.is_empty())
            .collect()
    };
    if pieces.is_empty() {
        return Err(error(text, AddressFault::Empty));
    }
    pieces
        .iter()
        .enumerate()
        .map(|(index, piece)| {
            read(piece).map_err(|fault| {
                // A later piece may be the rest of a password that has `|` or `;` in it: nothing of it is repeated.
                let fault = match fault {
                    AddressFault::UnknownScheme(_) if index > 0 => {
                        AddressFault::UnknownScheme(String::new())
                    }
                    fault => fault,
                };
                error(text, fault)
            })
        })
        .collect()
}

fn error(text: &str, fault: AddressFault) -> RegistryAddressError {
    RegistryAddressError {
        masked: mask_address(text),
        fault,
    }
}

/// One registry. The order of cuts is that of `URLStrParser`: parameters, `#`, path, user info, port.
fn read(text: &str) -> Result<RegistryAddress, AddressFault> {
    if let Some(rest) = text.strip_prefix("${")
        && !rest.contains("}://")
    {
        return Ok(unresolved(rest));
    }
    let (before, query) = text.split_once('?').unwrap_or((text, ""));
    let Some((written, rest)) = before
        .split_once("://")
        .filter(|(scheme, _)| !scheme.is_empty())
    else {
        return Err(AddressFault::NoScheme(kind_of_port(before)));
    };
    let mut remarks = Vec::new();
    let mut params = Params::read(query, &mut remarks)?;
    let (kind, scheme, tls) = kind_of(written, &mut params)?;
    let authority = Authority::read(rest, &mut remarks, || params.hides_a_host())?;

    let mut members = hosts(authority.hosts, kind, &mut remarks)?;
    let mut path = authority
        .path
        .map(|path| path.trim_matches('/').to_owned())
        .filter(|path| !path.is_empty());
    if kind == RegistryKind::Zookeeper && path.take().is_some() {
        remarks.push(AddressRemark::PathIgnored);
    }
    if let Some(backup) = params.take("backup") {
        let (backup, chroot) = backup.split_once('/').unwrap_or((&backup, ""));
        members.extend(split_hosts(backup).map(|host| with_usual_port(host, kind)));
        let chroot = chroot.trim_matches('/');
        if kind == RegistryKind::Zookeeper && !chroot.is_empty() {
            path = Some(chroot.to_owned());
        }
    }
    if kind == RegistryKind::Nacos
        && let Some(context) = params.take("contextPath")
    {
        // A blank one is none given; `/` is the root (`ServerListManager`, `ContextPathUtil`).
        path = Some(context.trim().trim_matches('/').to_owned())
            .filter(|_| !context.trim().is_empty());
    }
    // The part before `@` wins over parameters (`NacosConnectionManager.setProperties`, `RegistryConfig.setAddress`).
    let username = params.take("username").filter(|name| !name.is_empty());
    let password = params.take("password").filter(|word| !word.is_empty());
    let username = authority.username.map(str::to_owned).or(username);
    let password = authority.password.map(str::to_owned).or(password);
    if [&username, &password]
        .into_iter()
        .flatten()
        .any(|text| has_escape(text))
    {
        remarks.push(AddressRemark::NotDecoded);
    }
    Ok(RegistryAddress {
        kind,
        scheme,
        tls,
        members,
        path,
        username,
        password: password.map(Secret::new),
        group: params
            .take("group")
            .filter(|group| !group.is_empty())
            .map(|group| (group, GroupOrigin::Address)),
        namespace: params
            .take("namespace")
            .filter(|namespace| !namespace.is_empty()),
        params: params.0,
        remarks,
    })
}

/// `${name:default}` in place of the whole address.
fn unresolved(rest: &str) -> RegistryAddress {
    let name = rest.split([':', '}']).next().unwrap_or_default();
    RegistryAddress {
        kind: RegistryKind::Other,
        scheme: "dubbo".to_owned(),
        tls: false,
        members: vec![format!("${{{name}}}")],
        path: None,
        username: None,
        password: None,
        group: None,
        namespace: None,
        params: BTreeMap::new(),
        remarks: Vec::new(),
    }
}

fn kind_of(
    written: &str,
    params: &mut Params,
) -> Result<(RegistryKind, String, bool), AddressFault> {
    let kind = match written {
        "zookeeper" | "zookeeper+tls" => RegistryKind::Zookeeper,
        "nacos" | "nacos+https" => RegistryKind::Nacos,
        // The scheme Dubbo itself puts there; the real one moves into a parameter (`ConfigValidationUtils`).
        "registry" | "service-discovery-registry" => {
            let inner = params.take("registry").ok_or(AddressFault::NoKind)?;
            // It says the same as the parameter that is written otherwise.
            if written == "service-discovery-registry" {
                let params = &mut params.0;
                params.insert("registry-type".to_owned(), "service".to_owned());
            }
            return match inner.as_str() {
                "registry" | "service-discovery-registry" => Err(AddressFault::NoKind),
                inner => kind_of(inner, params),
            };
        }
        written if NOT_READ.contains(&written) || written.starts_with("${") => RegistryKind::Other,
        written => {
            let plain = written
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
            return Err(AddressFault::UnknownScheme(if plain {
                written.to_owned()
            } else {
                String::new()
            }));
        }
    };
    let (scheme, tls) = match (kind, written.split_once('+')) {
        (RegistryKind::Other, _) | (_, None) => (written, false),
        (_, Some((scheme, _))) => (scheme, true),
    };
    Ok((kind, scheme.to_owned(), tls))
}

/// What stands between `://` and `?`.
struct Authority<'a> {
    username: Option<&'a str>,
    password: Option<&'a str>,
    hosts: &'a str,
    path: Option<&'a str>,
}

impl<'a> Authority<'a> {
    fn read(
        text: &'a str,
        remarks: &mut Vec<AddressRemark>,
        query_hides_a_host: impl Fn() -> bool,
    ) -> Result<Self, AddressFault> {
        let body = match text.split_once('#') {
            Some((_, dropped)) if dropped.contains('@') => {
                return Err(AddressFault::CutByPassword('#'));
            }
            Some((body, _)) => {
                remarks.push(AddressRemark::HashDropped);
                body
            }
            None => text,
        };
        let (body, path) = match body.split_once('/') {
            Some((_, path)) if path.contains('@') => return Err(AddressFault::CutByPassword('/')),
            Some((body, path)) => (body, Some(path)),
            None => (body, None),
        };
        let (user_info, hosts) = body
            .rsplit_once('@')
            .map_or((None, body), |(user, hosts)| (Some(user), hosts));
        if query_hides_a_host() {
            return Err(AddressFault::CutByPassword('?'));
        }
        let (username, password) = match user_info.map(|user| user.split_once(':').ok_or(user)) {
            None => (None, None),
            Some(Ok((username, password))) => (Some(username), Some(password)),
            Some(Err(username)) => (Some(username), None),
        };
        Ok(Self {
            username: username.filter(|name| !name.is_empty()),
            password: password.filter(|word| !word.is_empty()),
            hosts,
            path,
        })
    }
}

/// The hosts before the parameters. The text behind the last colon is the port of the last one.
fn hosts(
    text: &str,
    kind: RegistryKind,
    remarks: &mut Vec<AddressRemark>,
) -> Result<Vec<String>, AddressFault> {
    let mut members: Vec<&str> = split_hosts(text).collect();
    let last = members.pop().ok_or(AddressFault::NoHost)?;
    let last = if let Some((host, port)) = split_port(last) {
        if host.is_empty() {
            return Err(AddressFault::NoHost);
        }
        // The rest of a torn `user:password`; only an IPv6 address may have colons.
        let ipv6 = |host: &str| {
            host.bytes()
                .all(|b| b.is_ascii_hexdigit() || b":.".contains(&b))
        };
        if host.contains(':') && !host.contains(['[', '$']) && !ipv6(host) {
            return Err(AddressFault::PortNotANumber);
        }
        if port.starts_with("${") {
            last.to_owned()
        } else {
            match port.parse::<i64>() {
                Ok(port) if port > 65535 => return Err(AddressFault::PortOutOfRange),
                Ok(port) if port > 0 => format!("{host}:{port}"),
                Ok(_) => format!("{host}:{DUBBO_DEFAULT_PORT}"),
                Err(_) => return Err(AddressFault::PortNotANumber),
            }
        }
    } else if members.iter().any(|member| split_port(member).is_some()) {
        return Err(AddressFault::LastPortMissing);
    } else if last.starts_with("${") {
        last.to_owned()
    } else {
        if kind != RegistryKind::Other {
            remarks.push(AddressRemark::PortMissing);
        }
        format!("{last}:{DUBBO_DEFAULT_PORT}")
    };
    let mut all: Vec<String> = members
        .into_iter()
        .map(|host| with_usual_port(host, kind))
        .collect();
    all.push(last);
    Ok(all)
}

fn split_hosts(text: &str) -> impl Iterator<Item = &str> {
    text.split(',')
        .map(str::trim)
        .filter(|host| !host.is_empty())
}

/// `host` and `port`; a colon inside `[..]` or `${..}` is none.
fn split_port(member: &str) -> Option<(&str, &str)> {
    let closed = member.rfind([']', '}']).map_or(0, |at| at + 1);
    if closed == member.len() && member.starts_with('[') {
        return None;
    }
    if let Some(at) = member.rfind(":${") {
        return Some((&member[..at], &member[at + 1..]));
    }
    let at = member[closed..].rfind(':')? + closed;
    Some((&member[..at], &member[at + 1..]))
}

/// Hosts in front of the last one and in `backup` go to the client library as they are; it knows its own port.
fn with_usual_port(host: &str, kind: RegistryKind) -> String {
    let port = match kind {
        RegistryKind::Zookeeper => "2181",
        RegistryKind::Nacos => "8848",
        RegistryKind::Other => return host.to_owned(),
    };
    if split_port(host).is_some() || host.starts_with("${") {
        host.to_owned()
    } else {
        format!("{host}:{port}")
    }
}

fn kind_of_port(text: &str) -> Option<&'static str> {
    let ports = || {
        split_hosts(text)
            .filter_map(split_port)
            .map(|(_, port)| port)
    };
    if ports().any(|port| port == "2181") {
        Some("zookeeper")
    } else if ports().any(|port| port == "8848") {
        Some("nacos")
    } else {
        None
    }
}

fn has_escape(text: &str) -> bool {
    text.as_bytes()
        .windows(3)
        .any(|w| w[0] == b'%' && w[1].is_ascii_hexdigit() && w[2].is_ascii_hexdigit())
}

/// Parameters, by name; the last one of a name wins.
struct Params(BTreeMap<String, String>);

impl Params {
    fn read(query: &str, remarks: &mut Vec<AddressRemark>) -> Result<Self, AddressFault> {
        let mut params = BTreeMap::new();
        let mut behind_secret = false;
        for (index, pair) in query.split('&').map(str::trim).enumerate() {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            if name.contains('@') || (name.is_empty() && value.contains('@')) {
                return Err(AddressFault::CutByPassword('?'));
            }
            if name.is_empty() {
                continue;
            }
            if name.starts_with('?') && index == 0 {
                remarks.push(AddressRemark::SecondQuestionMark);
            }
            if mask::hides(name) {
                behind_secret = true;
            } else if behind_secret && !mask::is_known(name) {
                if !remarks.contains(&AddressRemark::BehindPassword) {
                    remarks.push(AddressRemark::BehindPassword);
                }
                continue;
            } else {
                behind_secret = false;
            }
            params.insert(name.to_owned(), value.to_owned());
        }
        Ok(Self(params))
    }

    fn take(&mut self, name: &str) -> Option<String> {
        self.0.remove(name)
    }

    /// Whether a parameter that nobody knows holds `@host:port`: then the `?` stood in a password.
    fn hides_a_host(&self) -> bool {
        self.0
            .iter()
            .any(|(name, value)| value.contains('@') && !mask::is_known(name) && !mask::hides(name))
    }
}

#[cfg(test)]
mod tests;
