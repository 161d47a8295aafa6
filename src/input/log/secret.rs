//! Secrets and masks: what must not leave a text, and what somebody already took out of it.

use std::sync::LazyLock;

use regex::Regex;

static SECRET: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?i)\b((?:[\w.-]*(?:password|passwd|secret(?:[-_.]?key)?|access[-_.]?token|access[-_.]?key|credential|token))["']?\s*[=:]\s*["']?)([^&\s,;}"')\]]+)"#)
        .expect("a fixed pattern")
});
static USER_INFO: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(://[^\s/:@?]*:)([^\s/@?]+)(@)").expect("a fixed pattern"));

/// A text without the values of passwords and tokens.
pub(super) fn mask(text: &str) -> String {
    let text = USER_INFO.replace_all(text, "$1***$3");
    SECRET.replace_all(&text, "$1***").into_owned()
}

/// A name in which somebody put stars. A single one is a wildcard of Dubbo.
pub(super) fn is_masked_name(text: &str) -> bool {
    text.contains("**")
}

/// An address in which somebody put stars or the letter x instead of numbers.
pub(super) fn is_masked_address(text: &str) -> bool {
    if text.contains('*') {
        return true;
    }
    let host = text.rsplit('/').next().unwrap_or(text);
    let host = host.split(':').next().unwrap_or(host);
    let mut parts = host.split('.').peekable();
    let hidden =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| matches!(byte, b'x' | b'X'));
    let numeric = |part: &str| part.parse::<u8>().is_ok();
    let count = host.split('.').count();
    count == 4 && host.split('.').any(hidden) && parts.all(|part| hidden(part) || numeric(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_and_tokens_go() {
        assert_eq!(
            mask("nacos://u:p1@h:1?namespace=a&password=p2&x=1"),
            "nacos://u:***@h:1?namespace=a&password=***&x=1"
        );
        assert_eq!(
            mask(r#"{"accessToken":"abc","tokenTtl":18000}"#),
            r#"{"accessToken":"***","tokenTtl":18000}"#
        );
        assert_eq!(mask("secretKey: abc, other"), "secretKey: ***, other");
        assert_eq!(
            mask("KeeperErrorCode = NoAuth for /a"),
            "KeeperErrorCode = NoAuth for /a"
        );
    }

    #[test]
    fn masks_are_no_addresses() {
        for masked in ["xxx.xx.xx.xx:9090", "192.168.x.x", "10.***.1.2", "***:2181"] {
            assert!(is_masked_address(masked), "{masked}");
        }
        for address in ["10.0.0.1:80", "zk-x.example.com:2181", "x.y.z.w"] {
            assert!(!is_masked_address(address), "{address}");
        }
        assert!(is_masked_name("com.***.Service") && !is_masked_name("*"));
    }
}
