//! The layers of parameters that a call of one consumer on one provider asks, and who wins among them.
//!
//! 2.x merges everything into one URL, 3.x keeps rule, consumer and provider as layers (`ServiceAddressURL`), and
//! at application level asks the consumer for all it has before the provider (`InstanceAddressURL`).

use crate::{
    model::{
        url::{Url, is_true},
        version::DubboVersion,
    },
    view::directory::{ServiceUrl, look_up_defaults},
};

/// Whose value it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Whose {
    /// A configurator or an `override://`.
    Rule,
    /// The reference of the consumer.
    Consumer,
    /// What the provider published.
    Provider,
}

/// One value that is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Set {
    /// Whose.
    pub whose: Whose,
    /// It stands behind the method's name.
    pub of_method: bool,
    /// The whole key (`place.timeout`).
    pub key: String,
    /// As written.
    pub value: String,
}

/// The layers of one call.
#[derive(Debug, Clone, Copy)]
pub enum Layers<'a> {
    /// 2.x: one URL, and the two that went into it.
    Merged {
        /// What is asked.
        merged: &'a Url,
        /// The reference's own parameters.
        consumer: &'a Url,
        /// The provider's own.
        provider: &'a Url,
        /// Before 2.7.5 each key falls back to `default.<key>`.
        version: &'a DubboVersion,
    },
    /// 3.x at interface level.
    Interface {
        /// What rules wrote.
        rules: Option<&'a Url>,
        /// The consumer.
        consumer: &'a Url,
        /// The provider.
        provider: &'a Url,
    },
    /// 3.x at application level (`OverrideInstanceAddressURL`).
    Application {
        /// What rules wrote.
        rules: Option<&'a Url>,
        /// The consumer.
        consumer: &'a Url,
        /// The service as the metadata of its revision has it.
        service: &'a Url,
    },
}

impl<'a> Layers<'a> {
    /// The layers of an address at interface level. `consumer` and `provider` are those that went into it.
    pub fn of(
        url: &'a ServiceUrl,
        consumer: &'a Url,
        provider: &'a Url,
        version: &'a DubboVersion,
    ) -> Self {
        match url.consumer() {
            Some(above) => Self::Interface {
                rules: url.rules(),
                consumer: above,
                provider: url.own(),
            },
            None => Self::Merged {
                merged: url.own(),
                consumer,
                provider,
                version,
            },
        }
    }

    /// The value in force as text (`URL.getMethodParameter(method, key)`); an empty one is none.
    pub fn in_force(&self, method: &str, key: &str) -> Option<Set> {
        if let Self::Merged {
            merged, version, ..
        } = *self
        {
            // a rule can empty a value: then none of those that went into it is in force
            let is_set = |of_method| value(merged, of_method, method, key, Some(version)).is_some();
            if !is_set(true) && !is_set(false) {
                return None;
            }
            let of_method = is_set(true);
            return self
                .all(method, key)
                .into_iter()
                .find(|set| set.of_method == of_method);
        }
        self.all(method, key).into_iter().next()
    }

    /// Every value that is set, the one in force first, then in the order in which they would follow.
    pub fn all(&self, method: &str, key: &str) -> Vec<Set> {
        match *self {
            Self::Merged {
                merged,
                consumer,
                provider,
                version,
            } => {
                let mut found = Vec::new();
                for of_method in [true, false] {
                    let ask = |url: &'a Url| value(url, of_method, method, key, Some(version));
                    let (own, theirs) = (ask(consumer), ask(provider));
                    if let Some((name, text)) = ask(merged) {
                        let whose = if own.as_ref().is_some_and(|(_, value)| *value == text) {
                            Whose::Consumer
                        } else if theirs.as_ref().is_some_and(|(_, value)| *value == text) {
                            Whose::Provider
                        } else {
                            Whose::Rule
                        };
                        put(&mut found, whose, of_method, Some((name, text)));
                    }
                    put(&mut found, Whose::Consumer, of_method, own);
                    put(&mut found, Whose::Provider, of_method, theirs);
                }
                found
            }
            Self::Interface {
                rules,
                consumer,
                provider,
            } => {
                let mut found = Vec::new();
                for of_method in [true, false] {
                    let ask = |url: &'a Url| value(url, of_method, method, key, None);
                    put(&mut found, Whose::Rule, of_method, rules.and_then(ask));
                    put(&mut found, Whose::Consumer, of_method, ask(consumer));
                    put(&mut found, Whose::Provider, of_method, ask(provider));
                }
                found
            }
            Self::Application {
                rules,
                consumer,
                service,
            } => {
                let mut found = Vec::new();
                let layers = [
                    (Whose::Rule, rules),
                    (Whose::Consumer, Some(consumer)),
                    (Whose::Provider, Some(service)),
                ];
                for (whose, url) in layers {
                    for of_method in [true, false] {
                        let set = url.and_then(|url| value(url, of_method, method, key, None));
                        put(&mut found, whose, of_method, set);
                    }
                }
                found
            }
        }
    }

    /// A whole number as Dubbo reads it (`Integer.parseInt`), the default when nothing is set.
    ///
    /// # Errors
    /// The text is no such number; Dubbo throws `NumberFormatException`.
    pub fn number(&self, method: &str, key: &str, default: i32) -> Result<i32, Set> {
        match self.in_force(method, key) {
            None => Ok(default),
            Some(set) => crate::model::url::parse_int(&set.value).ok_or(set),
        }
    }

    /// `URL.getMethodParameter(method, key, boolean)`.
    pub fn flag(&self, method: &str, key: &str) -> bool {
        self.in_force(method, key)
            .is_some_and(|set| is_true(&set.value))
    }

    /// `URL.getParameter(key)`: without any method's value.
    pub fn plain(&self, key: &str) -> Option<Set> {
        self.in_force("", key)
    }
}

/// Adds a value; one that is there already for the same owner and key is not told twice.
fn put(found: &mut Vec<Set>, whose: Whose, of_method: bool, value: Option<(String, &str)>) {
    let Some((key, value)) = value else { return };
    let known = found
        .iter()
        .any(|set| set.whose == whose && set.of_method == of_method);
    if !known {
        found.push(Set {
            whose,
            of_method,
            key,
            value: value.to_owned(),
        });
    }
}

/// The value of one URL. `merged` is the version of a 2.x URL, of which old ones fall back to `default.<key>`.
fn value<'a>(
    url: &'a Url,
    of_method: bool,
    method: &str,
    key: &str,
    merged: Option<&DubboVersion>,
) -> Option<(String, &'a str)> {
    if of_method {
        return method_value(url, method, key);
    }
    if let Some(value) = url.text(key) {
        return Some((key.to_owned(), value));
    }
    let old = merged.is_some_and(|version| !version.at_least([2, 7, 5]));
    if !old {
        return None;
    }
    let name = format!("default.{key}");
    url.text(&name).map(|value| (name.clone(), value))
}

/// `getMethodParameterStrict`: with a list of `methods` only its methods have values of their own, without one the
/// first dot of a key ends the method's name.
fn method_value<'a>(url: &'a Url, method: &str, key: &str) -> Option<(String, &'a str)> {
    if method.is_empty() {
        return None;
    }
    let listed = url
        .text("methods")
        .is_none_or(|methods| methods.split(',').any(|name| name == method));
    let name = format!("{method}.{key}");
    let value = url.text(&name).filter(|_| listed)?;
    Some((name, value))
}

/// A 2.x URL as `URL.getParameter` of its reader answers: up to 2.7.4 what stands as `default.<key>` counts where the key
/// itself is missing or empty. Of later versions the URL as it is.
pub fn with_defaults(url: &Url, version: &DubboVersion) -> Url {
    let mut url = url.clone();
    look_up_defaults(&mut url.parameters, version);
    url
}

/// A value of a plain URL (`URL.getMethodParameter`): method's, then its own.
pub fn own_value(url: &Url, method: &str, key: &str) -> Option<String> {
    method_value(url, method, key)
        .map(|(_, value)| value)
        .or_else(|| url.text(key))
        .map(str::to_owned)
}
