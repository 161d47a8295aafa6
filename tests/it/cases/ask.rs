//! The arguments of a case as a question.

use diag::{
    model::{service_key::ServiceKey, version::DubboVersion},
    question::{Client, ConsumerState, GroupOrigin, Question, RegistryAddress},
    snapshot::Snapshot,
};

/// Reads the arguments of `no-provider`.
pub(crate) fn question(ask: &[String], snapshot: &Snapshot) -> Result<Question, String> {
    let now = snapshot.manifest().recorded_at.time();
    let mut service = None;
    let mut question = Question::new(ServiceKey::new(None, "-", None), now);
    let mut group = None;
    let mut args = ask.iter().skip(1);
    while let Some(arg) = args.next() {
        if !arg.starts_with("--") {
            service = Some(ServiceKey::parse_cli(arg).map_err(|error| error.to_string())?);
            continue;
        }
        let value = args
            .next()
            .ok_or_else(|| format!("{arg} without a value"))?;
        let registry = |text: &str| RegistryAddress::parse(text).map_err(|error| error.to_string());
        let pair = || {
            value
                .split_once('=')
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .ok_or_else(|| format!("{arg} {value}"))
        };
        match arg.as_str() {
            "--registry" => question.registries.push(registry(value)?),
            "--also-search" => question.also_search.push(registry(value)?),
            "--config-center" => question.config_center = Some(registry(value)?),
            "--registry-group" => group = Some(value.clone()),
            "--consumer-app" => question.consumer.application = Some(value.clone()),
            "--consumer-ip" => question.consumer.ip = Some(value.clone()),
            "--dubbo" => {
                question.consumer.dubbo = DubboVersion::parse(value).ok();
            }
            "--consumer" => {
                question.consumer.state = Some(match value.as_str() {
                    "running" => ConsumerState::Running,
                    _ => ConsumerState::Starting,
                });
            }
            "--client" => {
                question.consumer.client = Some(match value.as_str() {
                    "go" => Client::Go,
                    _ => Client::Java,
                });
            }
            "--param" => {
                let (name, value) = pair()?;
                question.consumer.params.insert(name, value);
            }
            "--attachment" => {
                let (name, value) = pair()?;
                question.invocation.attachments.insert(name, value);
            }
            "--method" => question.invocation.method = Some(value.clone()),
            "--arg" => question.invocation.arguments.push(value.clone()),
            "--group" => {
                service = service.map(|key: ServiceKey| ServiceKey {
                    group: Some(value.clone()),
                    ..key
                });
            }
            "--service-version" => {
                service = service.map(|key: ServiceKey| ServiceKey {
                    version: Some(value.clone()),
                    ..key
                });
            }
            "--jdk" => question.consumer.jdk = Some(value.clone()),
            "--attach" => {}
            "--zone" => {
                let (zone, networks) = pair()?;
                question.zones.add(&zone, &networks)?;
            }
            "--zone-key" => question.zones.key = Some(value.clone()),
            "--consumer-zone" => question.zones.consumer = Some(value.clone()),
            other => return Err(format!("unknown argument {other}")),
        }
    }
    question.service = service.ok_or("no service")?;
    if let Some(group) = group {
        for registry in &mut question.registries {
            registry.group = Some((group.clone(), GroupOrigin::Attribute));
        }
    }
    Ok(question)
}
