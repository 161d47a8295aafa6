//! Masking of addresses that may not even parse. When in doubt it hides too much.

use crate::model::secret::{MASK, is_secret_name};

/// Whether the value of a parameter is never shown.
pub(super) fn hides(name: &str) -> bool {
    is_secret_name(name)
}

/// Parameter names that occur in registry addresses. What follows a secret is part of it until one of these.
const KNOWN: [&str; 58] = [
    "accesskey",
    "accesstoken",
    "application",
    "backup",
    "check",
    "client",
    "cluster",
    "clustername",
    "connections",
    "contextpath",
    "default",
    "delay-notification",
    "dubbo",
    "dynamic",
    "enable-empty-protection",
    "encode",
    "endpoint",
    "extra-keys",
    "file",
    "file.cache",
    "group",
    "id",
    "interface",
    "isuseendpointparsingrule",
    "metadata-type",
    "nacos.check",
    "nacos.register-compatible",
    "nacos.retry",
    "nacos.retry-wait",
    "nacos.subscribe.legacy-name",
    "namespace",
    "password",
    "pid",
    "port",
    "preferred",
    "publish-instance",
    "publish-interface",
    "ramrolename",
    "register",
    "register-consumer-url",
    "register-mode",
    "registry",
    "registry-type",
    "release",
    "rootpath",
    "secretkey",
    "server",
    "session",
    "simplified",
    "subscribe",
    "timeout",
    "timestamp",
    "token",
    "transporter",
    "use-as-config-center",
    "username",
    "weight",
    "zone",
];

/// Whether a parameter of this name is known to occur in registry addresses.
pub(super) fn is_known(name: &str) -> bool {
    let name = name.trim().to_ascii_lowercase();
    let name = name.strip_prefix("default.").unwrap_or(&name);
    KNOWN.binary_search(&name).is_ok()
}

/// The address with every secret replaced by `***`, whether it parses or not.
pub fn mask_address(text: &str) -> String {
    let start = text.find("://").map_or(0, |at| at + 3);
    let (scheme, rest) = text.split_at(start);
    let scheme = if scheme
        .chars()
        .any(|c| c.is_whitespace() || "@?#".contains(c))
    {
        MASK
    } else {
        scheme
    };
    let (authority, query) = rest.split_at(rest.find('?').unwrap_or(rest.len()));
    // An `@` behind the `?` may end a password that has a `?` in it: then what looks like a port is part of it, too.
    let torn = query.contains('@') && !only_known(query);
    let authority = match authority.rsplit_once('@') {
        _ if torn => mask_user_info(authority),
        Some((user_info, host)) => {
            format!("{}@{}", mask_user_info(user_info), mask_params(host, false))
        }
        None => {
            let (hosts, tail) =
                authority.split_at(authority.find(SEPARATORS).unwrap_or(authority.len()));
            mask_port(hosts) + &mask_params(tail, false)
        }
    };
    format!(
        "{scheme}{authority}{}",
        mask_params(query, query.contains('@'))
    )
}

/// Characters that end a parameter, or everything, as Dubbo reads an address.
const SEPARATORS: [char; 5] = ['?', '#', '|', ';', '&'];

fn only_known(query: &str) -> bool {
    query
        .split(SEPARATORS)
        .filter(|pair| pair.contains('@'))
        .all(|pair| {
            pair.split_once('=')
                .is_some_and(|(name, _)| hides(name) || is_known(name))
        })
}

fn mask_user_info(text: &str) -> String {
    match text.split_once(':') {
        Some((user, _)) if !user.contains(SEPARATORS) && !user.contains('/') => {
            format!("{user}:{MASK}")
        }
        _ => MASK.to_owned(),
    }
}

/// `app:pa`, the rest of a cut address, is user and password, not host and port.
fn mask_port(host: &str) -> String {
    let path = host.find('/').unwrap_or(host.len());
    let masked: Vec<String> = host[..path]
        .split(',')
        .map(|member| match member.rsplit_once(':') {
            Some((name, port)) if !is_port(port) => {
                format!("{}:{MASK}", name.split(':').next().unwrap_or_default())
            }
            _ => member.to_owned(),
        })
        .collect();
    masked.join(",") + &host[path..]
}

fn is_port(text: &str) -> bool {
    text.trim()
        .trim_end_matches(']')
        .bytes()
        .all(|b| b.is_ascii_digit())
        || text.starts_with("${")
}

/// `hiding`: the text may begin inside a secret.
fn mask_params(text: &str, mut hiding: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for piece in text.split_inclusive(SEPARATORS) {
        let body = piece.trim_end_matches(SEPARATORS);
        let (name, value) = body.split_once('=').unwrap_or((body, ""));
        if body.trim_start().starts_with("zookeeper://")
            || body.trim_start().starts_with("nacos://")
        {
            hiding = false;
            out.push_str(&mask_address(body));
        } else if hides(name) {
            hiding = true;
            out.push_str(name);
            out.push('=');
            out.push_str(MASK);
        } else if hiding && !is_known(name) {
            if !body.is_empty() {
                continue;
            }
        } else {
            hiding = false;
            out.push_str(name);
            if body.contains('=') {
                out.push('=');
                out.push_str(value);
            }
        }
        out.push_str(&piece[body.len()..]);
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn known_names_are_sorted() {
        assert!(KNOWN.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn masks_in_every_place() {
        for (text, masked) in [
            (
                "nacos://app:pa#ss@10.7.7.2:8848?namespace=prod",
                "nacos://app:***@10.7.7.2:8848?namespace=prod",
            ),
            ("nacos://app:pa", "nacos://app:***"),
            (
                "nacos://h:8848?username=u&password=x&y&namespace=n",
                "nacos://h:8848?username=u&password=***&namespace=n",
            ),
            (
                "zookeeper://h1:2181,h2:2181?group=g",
                "zookeeper://h1:2181,h2:2181?group=g",
            ),
            ("nacos://${host}:${port}", "nacos://${host}:${port}"),
            ("zookeeper://[::1]:2181", "zookeeper://[::1]:2181"),
            (
                "nacos://h:8848?accessKey=a&secretKey=b",
                "nacos://h:8848?accessKey=***&secretKey=***",
            ),
            ("h:8848", "h:8848"),
        ] {
            assert_eq!(mask_address(text), masked);
        }
    }

    proptest! {
        #[test]
        fn never_shows_the_password(pieces in proptest::collection::vec("ZQ[#/?&;|@:=%$ ,]{0,2}", 1..5), form in 0..4) {
            let secret = pieces.concat();
            let text = match form {
                0 => format!("nacos://user:{secret}@h:8848?namespace=n"),
                1 => format!("nacos://h:8848?username=u&password={secret}"),
                2 => format!("zookeeper://h:2181?password={secret}&group=g"),
                _ => format!("zookeeper://h:2181?backup=h2:2181&token={secret}"),
            };
            prop_assert!(!mask_address(&text).contains("ZQ"), "{}", mask_address(&text));
        }

        #[test]
        fn takes_any_text(text in "\\PC*") {
            let _ = mask_address(&text);
        }
    }
}
