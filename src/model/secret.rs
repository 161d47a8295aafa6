//! Texts that must never be shown: passwords, tokens, keys.
//!
//! The only way to the content is [`Secret::expose`], so that a search for that word finds every use.

use std::fmt;

/// What is shown in place of a secret.
pub const MASK: &str = "***";

/// A text that cannot be printed or serialised.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Secret(String);

impl Secret {
    /// Hides a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The content. For comparing with what a system said and for signing in; never for output.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether there is no content.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

/// Names of parameters, properties and JSON fields whose values are secret. Lower case, without `-`, `_`.
const NAMES: [&str; 28] = [
    "accesskey",
    "accesskeyid",
    "accesskeysecret",
    "accesstoken",
    "accessid",
    "ak",
    "apikey",
    "authorization",
    "authtoken",
    "clientsecret",
    "credential",
    "credentials",
    "idtoken",
    "keypassword",
    "keystorepassword",
    "passphrase",
    "passwd",
    "password",
    "privatekey",
    "pwd",
    "ramaccesskey",
    "refreshtoken",
    "secret",
    "secretaccesskey",
    "secretkey",
    "securitytoken",
    "sk",
    "token",
];

/// Endings that make any longer name secret: `ssl-server-key-store-password`, `nacosToken`.
const ENDINGS: [&str; 9] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "secretkey",
    "accesskey",
    "accesstoken",
    "securitytoken",
    "privatekey",
];

/// The last two letters of all of them.
const ENDS: [[u8; 2]; 12] = [
    *b"ey", *b"id", *b"et", *b"en", *b"ak", *b"on", *b"al", *b"ls", *b"se", *b"rd", *b"wd", *b"sk",
];

/// What a text must hold, in any letter case, when a name in it is secret; `-`, `_` and dots may stand within.
pub fn stems() -> impl Iterator<Item = &'static str> {
    NAMES.into_iter().chain(ENDINGS)
}

/// Whether the value under this name must be masked: `password`, `token`, `accessToken`, `secret-key`, `nacos.secretKey`.
///
/// Letter case, `-` and `_` do not count; of a dotted name the last part decides, so `registry.password`
/// and `default.token` are secret while `password.policy` is not.
pub fn is_secret_name(name: &str) -> bool {
    // Most names end in other letters than those below.
    let mut letters = name
        .bytes()
        .rev()
        .filter(|byte| !matches!(byte, b'-' | b'_' | b' ' | b'.'))
        .map(|byte| byte.to_ascii_lowercase());
    let (Some(last), Some(before)) = (letters.next(), letters.next()) else {
        return false;
    };
    if !ENDS.contains(&[before, last]) {
        return false;
    }
    let folded: String = name
        .chars()
        .filter(|c| !matches!(c, '-' | '_' | ' '))
        .map(|c| c.to_ascii_lowercase())
        .collect();
    let last = folded
        .rsplit('.')
        .find(|part| !part.is_empty())
        .unwrap_or_default();
    NAMES.contains(&last) || ENDINGS.iter().any(|ending| last.ends_with(ending)) || {
        // `access.key`, `secret.key`, `access.token`
        let joined: String = folded.split('.').collect();
        ENDINGS.iter().any(|ending| joined.ends_with(ending))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn cannot_be_printed() {
        let secret = Secret::new("hunter2");
        assert_eq!(
            format!("{secret} {secret:?} {:?}", Some(&secret)),
            "*** *** Some(***)"
        );
        assert_eq!(secret.expose(), "hunter2");
        assert_eq!(secret, Secret::from("hunter2"));
    }

    #[test]
    fn secret_names() {
        for name in [
            "password",
            "Password",
            "PASSWORD",
            "token",
            "accessToken",
            "access-token",
            "access_token",
            "access.token",
            "accessKey",
            "secretKey",
            "secret-key",
            "secret.key",
            "registry.password",
            "default.token",
            "nacos.secretKey",
            "ssl.server-key-password",
            "key-store-password",
            "x.y.pwd",
            "securityToken",
            "ak",
            "sk",
            "ramRoleAccessKey",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in [
            "",
            "username",
            "timeout",
            "key",
            "group",
            "tokens.max",
            "password.policy",
            "task",
            "methods",
            "application",
            "interface",
            "side",
            "break",
            "desk",
            "tokenizer",
        ] {
            assert!(!is_secret_name(name), "{name}");
        }
    }

    proptest! {
        #[test]
        fn letter_case_does_not_count(name in "[a-zA-Z.-]{0,16}") {
            prop_assert_eq!(is_secret_name(&name), is_secret_name(&name.to_ascii_uppercase()));
        }
    }
}
