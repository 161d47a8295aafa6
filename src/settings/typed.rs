//! The settings as types. Everything that can be wrong is wrong here, before anybody is asked anything.

use std::collections::BTreeSet;
use std::time::Duration;

use clap::ValueEnum;

use super::{
    Environment, Layers, Origin, PasswordFrom, SettingsError, access, registry,
    secret::{fetch, password_from},
};
use crate::{
    cli::{ClientChoice, Common, FailOn, LangChoice, Output, StateChoice, value},
    diagnose::code::Severity,
    model::{version::DubboVersion, zone::Zones},
    question::{Client, Consumer, ConsumerState, Invocation, RegistryAddress},
    report::{Filter, words::Lang},
    route::declared::Declared,
};

/// Longest wait for one request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(3);

/// What is in force.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The consumer's registries, attributes applied.
    pub registries: Vec<RegistryAddress>,
    /// Other registries to look into.
    pub also_search: Vec<RegistryAddress>,
    /// The config centre, when it is not derived.
    pub config_center: Option<RegistryAddress>,
    /// The metadata report, when it is not derived.
    pub metadata_report: Option<RegistryAddress>,
    /// QOS ports, `host:port`.
    pub qos: Vec<String>,
    /// Whether connections to providers may be tried.
    pub probe: bool,
    /// Whether to look into other places.
    pub sweep: bool,
    /// What is known of the consumer.
    pub consumer: Consumer,
    /// Routers of the consumer's own code, as declared.
    pub routers: Vec<String>,
    /// What is known of the call.
    pub invocation: Invocation,
    /// Rooms and data centres.
    pub zones: Zones,
    /// Dubbo group of the service, when given apart.
    pub group: Option<String>,
    /// Version of the service, when given apart.
    pub service_version: Option<String>,
    /// End of everything asked of the network; `None` = not said.
    pub deadline: Option<Duration>,
    /// Longest wait for one request.
    pub request_timeout: Duration,
    /// Optional facts that must be seen.
    pub require: BTreeSet<String>,
    /// From which severity on a finding fails the run.
    pub fail_on: Severity,
    /// Findings to hide.
    pub filter: Filter,
    /// Format.
    pub output: Output,
    /// Language, when said.
    pub lang: Option<Lang>,
    /// What the user should know before the answer.
    pub warnings: Vec<String>,
    password: Option<(PasswordFrom, Origin)>,
}

impl Settings {
    /// Gives every value its meaning.
    ///
    /// # Errors
    /// A value cannot be read; the error names where it stands.
    pub fn new(common: &Common, environment: &Environment) -> Result<Self, SettingsError> {
        let layers = Layers::gather(common, environment)?;
        let mut given = registry::addresses(&layers, "registry")?;
        for one in &mut given {
            registry::with_attributes(one, &layers)?;
        }
        let others = registry::addresses(&layers, "also-search")?;
        let centers = registry::addresses(&layers, "config-center")?;
        let reports = registry::addresses(&layers, "metadata-report")?;
        if let [_, second, ..] = centers.as_slice() {
            return Err(SettingsError::Value {
                origin: second.origin.clone(),
                problem: "there can be only one config centre".to_owned(),
                hint: None,
            });
        }
        let mut warnings: Vec<String> = [&given, &others, &centers]
            .into_iter()
            .flatten()
            .flat_map(registry::warnings)
            .collect();
        warnings.extend(registry::open_to_others(
            [&given, &others, &centers, &reports].into_iter().flatten(),
        ));
        let (accepted, expired) = layers.accepted();
        warnings.extend(expired);
        let of_file = given.first().is_some_and(|one| one.origin.is_file());
        let password = password_from(&layers).filter(|(_, origin)| !origin.is_file() || of_file);
        warnings.extend(password.iter().filter_map(|(from, _)| match from {
            PasswordFrom::File(path) => access::open_to_others(path),
            _ => None,
        }));
        let zones = zones(&layers)?;
        warnings.extend(unnamed_zone(&zones, &layers)?);
        Ok(Self {
            registries: plain(given),
            also_search: plain(others),
            config_center: plain(centers).pop(),
            metadata_report: plain(reports).pop(),
            qos: common.sight.qos.clone(),
            probe: common.sight.probe,
            sweep: layers.text("sweep").is_none_or(|(text, _)| text != "false"),
            consumer: consumer(common, &layers)?,
            routers: routers(&layers)?,
            invocation: invocation(common),
            zones,
            group: common.invocation.group.clone(),
            service_version: common.invocation.service_version.clone(),
            deadline: read(&layers, "deadline", value::duration)?,
            request_timeout: read(&layers, "request-timeout", value::duration)?
                .unwrap_or(REQUEST_TIMEOUT),
            require: requirements(&layers)?,
            fail_on: read(&layers, "fail-on", choice::<FailOn>)?.map_or(Severity::Error, |on| {
                match on {
                    FailOn::Info => Severity::Info,
                    FailOn::Warning => Severity::Warning,
                    FailOn::Error => Severity::Error,
                }
            }),
            filter: Filter {
                skip: common
                    .output
                    .skip
                    .iter()
                    .map(|hidden| (hidden.code, hidden.subject.clone()))
                    .collect(),
                only: common.output.only.clone(),
                accepted,
            },
            output: read(&layers, "output", choice::<Output>)?.unwrap_or(Output::Text),
            lang: read(&layers, "lang", choice::<LangChoice>)?.map(|lang| match lang {
                LangChoice::Zh => Lang::Zh,
                LangChoice::En => Lang::En,
            }),
            warnings,
            password,
        })
    }

    /// The registries with their password, for asking them. Runs the password command, if there is one.
    ///
    /// # Errors
    /// The password cannot be had.
    pub fn with_password(&mut self, environment: &Environment) -> Result<(), SettingsError> {
        let Some((from, origin)) = &self.password else {
            return Ok(());
        };
        if self
            .registries
            .iter()
            .all(|address| address.password.is_some())
        {
            return Ok(());
        }
        let password = fetch(from, origin, environment, self.deadline)?;
        for address in &mut self.registries {
            registry::with_password(address, &password);
        }
        Ok(())
    }
}

fn plain(given: Vec<registry::Given>) -> Vec<RegistryAddress> {
    given.into_iter().map(|one| one.address).collect()
}

/// A value of a setting through a reader.
fn read<T>(
    layers: &Layers,
    name: &str,
    reader: impl Fn(&str) -> Result<T, String>,
) -> Result<Option<T>, SettingsError> {
    let Some((text, origin)) = layers.text(name) else {
        return Ok(None);
    };
    reader(text)
        .map(Some)
        .map_err(|problem| SettingsError::Value {
            origin: origin.clone(),
            problem: format!("{name} `{text}`: {problem}"),
            hint: None,
        })
}

fn choice<T: ValueEnum>(text: &str) -> Result<T, String> {
    T::from_str(text, false).map_err(|_| {
        let words: Vec<String> = T::value_variants()
            .iter()
            .filter_map(ValueEnum::to_possible_value)
            .map(|value| value.get_name().to_owned())
            .collect();
        format!("expected one of {}", words.join(", "))
    })
}

fn requirements(layers: &Layers) -> Result<BTreeSet<String>, SettingsError> {
    let Some(setting) = layers.setting("require") else {
        return Ok(BTreeSet::new());
    };
    setting
        .values
        .iter()
        .map(|text| {
            value::requirement(text).map_err(|problem| SettingsError::Value {
                origin: setting.origin.clone(),
                problem: format!("require `{text}`: {problem}"),
                hint: None,
            })
        })
        .collect()
}

/// Declarations that can be read; what they mean is decided where they are replayed.
fn routers(layers: &Layers) -> Result<Vec<String>, SettingsError> {
    let Some(setting) = layers.setting("router") else {
        return Ok(Vec::new());
    };
    for text in &setting.values {
        Declared::parse(text).map_err(|problem| SettingsError::Value {
            origin: setting.origin.clone(),
            problem: format!("router `{text}`: {problem}"),
            hint: Some("for example zone: after=tag, keep=same-zone, fallback=none".to_owned()),
        })?;
    }
    Ok(setting.values.clone())
}

fn consumer(common: &Common, layers: &Layers) -> Result<Consumer, SettingsError> {
    let flags = &common.consumer;
    let owned = |name: &str| layers.text(name).map(|(text, _)| text.to_owned());
    let client = read(layers, "client", choice::<ClientChoice>)?;
    let version = |text: &str| match DubboVersion::parse(text) {
        // The numbers of other clients are their own; those that no line of Java Dubbo has say nothing about it.
        Err(_) if client == Some(ClientChoice::Go) => Ok(None),
        version => version.map(Some).map_err(|error| error.to_string()),
    };
    Ok(Consumer {
        printed: None,
        application: owned("consumer-app"),
        ip: owned("consumer-ip"),
        dubbo: read(layers, "dubbo", version)?.flatten(),
        state: flags.consumer.map(|state| match state {
            StateChoice::Running => ConsumerState::Running,
            StateChoice::Starting => ConsumerState::Starting,
        }),
        since: flags.consumer_since,
        params: flags
            .param
            .iter()
            .map(|pair| (pair.key.clone(), pair.value.clone()))
            .collect(),
        client: client.map(|client| match client {
            ClientChoice::Java => Client::Java,
            ClientChoice::Go => Client::Go,
        }),
        jdk: flags.jdk.clone(),
        missing_engines: std::collections::BTreeSet::new(),
    })
}

fn zones(layers: &Layers) -> Result<Zones, SettingsError> {
    let owned = |name: &str| layers.text(name).map(|(text, _)| text.to_owned());
    let mut zones = Zones::default();
    zones.key = owned("zone-key");
    zones.consumer = owned("consumer-zone");
    for (setting, text) in layers
        .setting("zone")
        .into_iter()
        .flat_map(|setting| setting.values.iter().map(move |text| (setting, text)))
    {
        let added = value::zone(text).and_then(|pair| zones.add(&pair.key, &pair.value));
        added.map_err(|problem| SettingsError::Value {
            origin: setting.origin.clone(),
            problem: format!("zone `{text}`: {problem}"),
            hint: None,
        })?;
    }
    Ok(zones)
}

/// A zone of the consumer that no network was named for: a room without providers, or a slip. Where providers name their
/// zones, only they know.
///
/// # Errors
/// Nothing says where any zone is: the flag would have no effect.
fn unnamed_zone(zones: &Zones, layers: &Layers) -> Result<Option<String>, SettingsError> {
    let Some((name, origin)) = layers.text("consumer-zone").filter(|_| zones.key.is_none()) else {
        return Ok(None);
    };
    let names: Vec<&str> = zones.names().into_iter().collect();
    if names.is_empty() {
        return Err(SettingsError::Value {
            origin: origin.clone(),
            problem: "no zone is known".to_owned(),
            hint: Some(
                "give --zone NAME=CIDR, or --zone-key with the parameter that names it".to_owned(),
            ),
        });
    }
    Ok((!names.contains(&name)).then(|| {
        let names = names.join(", ");
        format!("{origin}: no network is named for zone `{name}`, only for {names}")
    }))
}

fn invocation(common: &Common) -> Invocation {
    let flags = &common.invocation;
    Invocation {
        method: flags.method.clone(),
        arguments: flags.arg.clone(),
        attachments: flags
            .attachment
            .iter()
            .map(|pair| (pair.key.clone(), pair.value.clone()))
            .collect(),
    }
}
