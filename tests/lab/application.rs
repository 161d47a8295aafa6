//! How an application of the lab is started: its place in the network, what it is set to, and its JVM.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Context, bail, ensure};

use crate::{
    network::{FILES, MOST, Role, inside},
    scenario::Release,
};

/// Role and place of a process by its name: `provider`, `consumer2`.
pub(crate) fn place(process: &str) -> anyhow::Result<(Role, u16)> {
    let (role, number) = if let Some(number) = process.strip_prefix("provider") {
        (Role::Provider, number)
    } else if let Some(number) = process.strip_prefix("consumer") {
        (Role::Consumer, number)
    } else {
        bail!("{process} is neither a provider nor a consumer");
    };
    let number = match number {
        "" => 1,
        number => number.parse().with_context(|| process.to_owned())?,
    };
    ensure!(
        (1..=MOST).contains(&number),
        "{process}: at most {MOST} of a role"
    );
    Ok((role, number))
}

/// What every application is started with.
pub(crate) fn defaults(role: Role, host: &str, service: u16, qos: u16) -> BTreeMap<String, String> {
    let mut properties: Vec<(&str, String)> = vec![
        ("DUBBO_IP_TO_REGISTRY", host.to_owned()),
        ("dubbo.application.logger", "slf4j".to_owned()),
        ("lab.application.qosEnable", "true".to_owned()),
        ("lab.application.qosPort", qos.to_string()),
    ];
    match role {
        Role::Provider => properties.extend([
            ("lab.name", "order-center".to_owned()),
            ("lab.protocol.port", service.to_string()),
        ]),
        Role::Consumer => properties.extend([
            ("lab.name", "order-web".to_owned()),
            ("lab.reference.check", "false".to_owned()),
            ("lab.reference.timeout", "5000".to_owned()),
            ("lab.reference.retries", "0".to_owned()),
            // A consumer of 3.x serves its metadata; by default on the first port that a provider would take.
            (
                "dubbo.application.metadata-service-port",
                service.to_string(),
            ),
        ]),
    }
    let own = |(name, value): (&str, String)| (name.to_owned(), value);
    properties.into_iter().map(own).collect()
}

/// A JVM with the applications built against a release.
pub(crate) fn java(release: &Release, dir: &Path) -> anyhow::Result<Command> {
    let built = Path::new(FILES).join("apps").join(&release.version);
    let libraries = fs::read_to_string(built.join("classpath"))
        .with_context(|| format!("{} is not built; start tests/lab/run", built.display()))?;
    let classes = built.join("diag-lab-1.jar").display().to_string();
    let errors = fs::File::create(dir.join("stderr"))?;
    let mut command = Command::new("java");
    command
        .args(["-Xmx160m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"])
        .args(["-Djava.net.preferIPv4Stack=true", "-Duser.timezone=UTC"])
        .arg(format!(
            "-Djdk.net.hosts.file={}",
            dir.join("hosts").display()
        ))
        .arg(format!("-Duser.home={}", dir.join("home").display()))
        .args(OPEN.map(|package| format!("--add-opens=java.base/{package}=ALL-UNNAMED")))
        .args(["-cp", &format!("{classes}:{}", inside(&libraries))])
        .current_dir(dir)
        .stderr(Stdio::from(errors));
    Ok(command)
}

/// Packages of the JDK that serializers of older lines reach into.
const OPEN: [&str; 7] = [
    "java.lang",
    "java.lang.invoke",
    "java.lang.reflect",
    "java.math",
    "java.net",
    "java.util",
    "java.util.concurrent",
];
