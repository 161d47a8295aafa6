//! What was typed, put together with environment and settings file: default < file < profile < environment < flag.
//!
//! Every value keeps its origin, so that an error names the place to repair. The only room besides `command` that
//! reads the environment and the settings file.

mod access;
mod file;
mod keys;
mod origin;
mod registry;
mod secret;
mod template;
mod terminal;
mod typed;

pub use file::Accepted;
pub use origin::{Origin, Setting};
pub use secret::PasswordFrom;
pub use template::template;
pub use terminal::{Environment, Terminal};
pub use typed::Settings;

use std::path::Path;

use crate::cli::{Common, OutputFlags};
use file::Values;
use keys::{KEYS, Kind};

/// What is wrong with the settings.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The settings file cannot be read.
    #[error("{path}: {source}")]
    Unreadable {
        /// The file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// The settings file does not mean anything.
    #[error("{path} line {line}: {problem}")]
    File {
        /// The file.
        path: String,
        /// Line, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// No such profile.
    #[error("there is no profile {name}: {known}")]
    NoProfile {
        /// The name.
        name: String,
        /// Those that are there.
        known: String,
    },
    /// A value cannot be read.
    #[error("{origin}: {problem}")]
    Value {
        /// Where it stands.
        origin: Origin,
        /// What is wrong.
        problem: String,
        /// The way out.
        hint: Option<String>,
    },
    /// A password cannot be had.
    #[error("{origin}: {problem}")]
    Password {
        /// Where it was said how to get it.
        origin: Origin,
        /// Why not.
        problem: String,
    },
}

impl SettingsError {
    /// The way out, where there is one.
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Value { hint, .. } => hint.as_deref(),
            _ => None,
        }
    }

    /// Whether a flag or an environment variable is wrong, not a file.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Value { origin, .. } => !origin.is_file(),
            Self::NoProfile { .. } => true,
            _ => false,
        }
    }
}

/// All values by name, the winner of each, with their origins.
#[derive(Debug, Clone, Default)]
pub struct Layers {
    values: Values,
    accepted: Vec<Accepted>,
    profiles: Vec<String>,
}

impl Layers {
    /// Reads file and environment and lays the flags over them.
    ///
    /// # Errors
    /// The settings file cannot be read or has a key or value that means nothing; the profile does not exist.
    pub fn gather(common: &Common, environment: &Environment) -> Result<Self, SettingsError> {
        let mut layers = Self::of_file(&common.output, environment)?;
        for key in &KEYS {
            let Some((name, text)) = key
                .env
                .and_then(|name| Some((name, environment.get(name)?)))
            else {
                continue;
            };
            if !text.is_empty() {
                layers.put(
                    key.name,
                    vec![text.to_owned()],
                    Origin::Env(name.to_owned()),
                );
            }
        }
        if environment
            .get(secret::VARIABLE)
            .is_some_and(|word| !word.is_empty())
        {
            let name = secret::VARIABLE.to_owned();
            layers.put("password-env", vec![name.clone()], Origin::Env(name));
        }
        for (name, values) in flags(common) {
            let switch = KEYS
                .iter()
                .any(|key| key.name == name && key.kind == Kind::Switch);
            let flag = if switch {
                format!("no-{name}")
            } else {
                name.to_owned()
            };
            layers.put(name, values, Origin::Flag(flag));
        }
        Ok(layers)
    }

    fn of_file(output: &OutputFlags, environment: &Environment) -> Result<Self, SettingsError> {
        let named = output
            .config
            .clone()
            .or_else(|| environment.get("DIAG_CONFIG").map(Into::into));
        let path = named.clone().or_else(terminal::usual_settings_file);
        let Some(path) = path else {
            return Self::of_profile(None, output, environment);
        };
        let shown = path.display().to_string();
        let text = match read(&path) {
            Ok(text) => text,
            Err(error) if named.is_none() && error.kind() == std::io::ErrorKind::NotFound => {
                return Self::of_profile(None, output, environment);
            }
            Err(source) => {
                return Err(SettingsError::Unreadable {
                    path: shown,
                    source,
                });
            }
        };
        let file = file::read(&shown, &text)?;
        let runs_commands = file.top.contains_key("password-command")
            || file
                .profiles
                .values()
                .any(|profile| profile.contains_key("password-command"));
        if runs_commands && access::others_may_write(&path) {
            return Err(SettingsError::File {
                path: shown,
                line: 1,
                problem:
                    "others may write this file, and it names a password-command: chmod go-w it"
                        .to_owned(),
            });
        }
        Self::of_profile(Some(file), output, environment)
    }

    fn of_profile(
        file: Option<file::File>,
        output: &OutputFlags,
        environment: &Environment,
    ) -> Result<Self, SettingsError> {
        let mut file = file.unwrap_or_default();
        let wanted = output
            .profile
            .clone()
            .or_else(|| environment.get("DIAG_PROFILE").map(str::to_owned));
        let mut values = file.top;
        let profiles = file.profiles.keys().cloned().collect();
        if let Some(name) = wanted.or(file.profile) {
            let Some(profile) = file.profiles.remove(&name) else {
                let names: Vec<&str> = file.profiles.keys().map(String::as_str).collect();
                let known = if names.is_empty() {
                    "the settings file has none".to_owned()
                } else {
                    format!("there is {}", names.join(", "))
                };
                return Err(SettingsError::NoProfile { name, known });
            };
            values.extend(profile);
        }
        Ok(Self {
            values,
            accepted: file.accepted,
            profiles,
        })
    }

    /// Names of the profiles of the settings file, sorted.
    pub fn profiles(&self) -> &[String] {
        &self.profiles
    }

    /// Fingerprints that are accepted today, and what to say of those whose time is over.
    fn accepted(&self) -> (Vec<String>, Vec<String>) {
        let today = jiff::Timestamp::now()
            .to_zoned(jiff::tz::TimeZone::UTC)
            .date();
        let (valid, over): (Vec<&Accepted>, Vec<&Accepted>) =
            self.accepted.iter().partition(|one| one.until >= today);
        (
            valid.iter().map(|one| one.fingerprint.clone()).collect(),
            over.iter()
                .map(|one| {
                    format!(
                        "accepted finding {} (line {}) was accepted until {} and is shown again: `{}`",
                        one.fingerprint, one.line, one.until, one.reason
                    )
                })
                .collect(),
        )
    }

    /// Every setting in the order of the template, with its value and origin; built-in values where nobody said any.
    pub fn in_force(&self) -> Vec<(&'static str, Setting)> {
        KEYS.iter()
            .filter_map(|key| {
                let setting = self.values.get(key.name).cloned().or_else(|| {
                    Some(Setting {
                        values: vec![key.default?.to_owned()],
                        origin: Origin::Default,
                    })
                })?;
                Some((key.name, setting))
            })
            .collect()
    }

    fn put(&mut self, name: &'static str, values: Vec<String>, origin: Origin) {
        // How a password is had is one setting with three spellings: a higher layer replaces all of them.
        if name.starts_with("password-") {
            self.values
                .retain(|known, _| !known.starts_with("password-"));
        }
        self.values.insert(name, Setting { values, origin });
    }

    /// The value in force.
    pub fn setting(&self, name: &str) -> Option<&Setting> {
        self.values.get(name)
    }

    /// The first text of a value in force.
    pub fn text(&self, name: &str) -> Option<(&str, &Origin)> {
        let setting = self.setting(name)?;
        Some((setting.values.first()?, &setting.origin))
    }
}

#[expect(clippy::disallowed_methods, reason = "settings are read here")]
fn read(path: &Path) -> std::io::Result<String> {
    std::fs::read_to_string(path)
}

/// The flags that are settings, with what was typed.
fn flags(common: &Common) -> Vec<(&'static str, Vec<String>)> {
    let (registry, sight, consumer, output) = (
        &common.registry,
        &common.sight,
        &common.consumer,
        &common.output,
    );
    let zones = &common.zones;
    let path =
        |path: &Option<std::path::PathBuf>| path.as_ref().map(|path| path.display().to_string());
    let word = |value: Option<clap::builder::PossibleValue>| {
        value.map(|value| value.get_name().to_owned())
    };
    let texts = [
        ("namespace", registry.namespace.clone()),
        ("registry-group", registry.registry_group.clone()),
        ("username", registry.username.clone()),
        ("password-env", registry.password_env.clone()),
        ("password-file", path(&registry.password_file)),
        ("password-command", registry.password_command.clone()),
        ("config-center", registry.config_center.clone()),
        ("metadata-report", registry.metadata_report.clone()),
        ("sweep", registry.no_sweep.then(|| "false".to_owned())),
        ("consumer-app", consumer.consumer_app.clone()),
        ("consumer-ip", consumer.consumer_ip.clone()),
        ("zone-key", zones.zone_key.clone()),
        ("consumer-zone", zones.consumer_zone.clone()),
        ("dubbo", consumer.dubbo.clone()),
        (
            "client",
            word(
                consumer
                    .client
                    .as_ref()
                    .and_then(clap::ValueEnum::to_possible_value),
            ),
        ),
        (
            "deadline",
            sight.deadline.map(|span| format!("{}ms", span.as_millis())),
        ),
        (
            "request-timeout",
            sight
                .request_timeout
                .map(|span| format!("{}ms", span.as_millis())),
        ),
        (
            "fail-on",
            word(
                output
                    .fail_on
                    .as_ref()
                    .and_then(clap::ValueEnum::to_possible_value),
            ),
        ),
        (
            "output",
            word(
                output
                    .output
                    .as_ref()
                    .and_then(clap::ValueEnum::to_possible_value),
            ),
        ),
        (
            "lang",
            word(
                output
                    .lang
                    .as_ref()
                    .and_then(clap::ValueEnum::to_possible_value),
            ),
        ),
    ];
    let lists = [
        ("registry", registry.registry.clone()),
        ("also-search", registry.also_search.clone()),
        ("require", sight.require.clone()),
        (
            "zone",
            zones
                .zone
                .iter()
                .map(|pair| format!("{}={}", pair.key, pair.value))
                .collect(),
        ),
        ("router", consumer.router.clone()),
    ];
    texts
        .into_iter()
        .filter_map(|(name, text)| Some((name, vec![text?])))
        .chain(lists.into_iter().filter(|(_, list)| !list.is_empty()))
        .collect()
}

#[cfg(test)]
mod tests;
