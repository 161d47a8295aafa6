//! Plays one scenario: starts what it starts, breaks what it breaks, asks what it asks.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, bail, ensure};

use crate::{
    ask::{self, Answer},
    flap::Flap,
    http,
    link::Link,
    network::{FILES, LINK, MOST, REGISTRY, Role, host, inside},
    options::{Options, Run},
    process::App,
    registry::Registry,
    scenario::{Release, Step, releases},
};

/// An application must be up, or say why it is not, after this time.
const COMES_UP: Duration = Duration::from_secs(120);
/// A round of calls ends within this time.
const CALLS_END: Duration = Duration::from_secs(60);
/// What a step waits for must happen within this time.
const HAPPENS: Duration = Duration::from_secs(90);
/// The longest a scenario may take.
const LONGEST: Duration = Duration::from_secs(420);

/// What runs.
pub(crate) struct World<'a> {
    run: &'a Run,
    flap: Option<Flap>,
    link: Option<Link>,
    registry: Registry,
    apps: BTreeMap<String, App>,
    /// What stands for a name in braces.
    names: BTreeMap<String, String>,
    /// Where its files are.
    pub(crate) dir: PathBuf,
}

/// The answers to all questions of a scenario; those that could not be asked say why.
pub(crate) fn play(run: &Run, options: &Options) -> Vec<Answer> {
    let mut answers = Vec::new();
    if let Err(error) = all_steps(run, options, &mut answers) {
        let open: Vec<_> = run.scenario.asks().skip(answers.len()).collect();
        let broken = |ask| Answer::broken(run, ask, &format!("{error:#}"));
        if open.is_empty() {
            // The last question is answered, and what came after it is not as it should be.
            answers.extend(run.scenario.asks().last().map(broken));
        }
        answers.extend(open.into_iter().map(broken));
    }
    answers
}

fn all_steps(run: &Run, options: &Options, answers: &mut Vec<Answer>) -> anyhow::Result<()> {
    let began = Instant::now();
    let mut world = World::new(run)?;
    for (number, step) in run.scenario.steps.iter().enumerate() {
        ensure!(
            began.elapsed() < LONGEST,
            "it takes longer than {} s",
            LONGEST.as_secs()
        );
        if let Step::Ask(ask) = step {
            answers.push(ask::ask(&world, run, ask, options)?);
        } else {
            world
                .take(step)
                .with_context(|| format!("step {}", number + 1))?;
        }
    }
    Ok(())
}

/// Role and place of a process by its name: `provider`, `consumer2`.
fn place(process: &str) -> anyhow::Result<(Role, u16)> {
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

impl<'a> World<'a> {
    fn new(run: &'a Run) -> anyhow::Result<Self> {
        let dir = Path::new(FILES)
            .join("runs")
            .join(run.to_string().replace(' ', "_"));
        if dir.exists() {
            fs::remove_dir_all(&dir)?;
        }
        let files = dir.join("registry");
        fs::create_dir_all(&files)?;
        let registry = Registry::start(run.kind, &files, run.scenario.session_ms)?;
        let names = BTreeMap::from([
            ("registry".to_owned(), registry.url()),
            (
                "elsewhere".to_owned(),
                registry.url().replace(REGISTRY, "registry.invalid"),
            ),
            ("dubbo".to_owned(), run.release.version.clone()),
        ]);
        Ok(Self {
            run,
            flap: None,
            link: None,
            registry,
            apps: BTreeMap::new(),
            names,
            dir,
        })
    }

    /// Puts what is known in place of the names in braces: `{registry}`, `{linked}` (through the link), `{elsewhere}` (a
    /// name that nobody knows), `{dubbo}`, and of each process that was started `{consumer.ip}`, `{consumer.qos}` (as its own host asks), `{consumer.remote-qos}`, `{consumer.log}`, `{provider.address}`.
    pub(crate) fn fill(&self, text: &str) -> String {
        self.names
            .iter()
            .fold(text.to_owned(), |text, (name, value)| {
                text.replace(&format!("{{{name}}}"), value)
            })
    }

    fn app(&mut self, process: &str) -> anyhow::Result<&mut App> {
        self.apps
            .get_mut(process)
            .with_context(|| format!("{process} was not started"))
    }

    fn signal(&mut self, process: &str, name: &str) -> anyhow::Result<()> {
        if process == "registry" {
            return self.registry.process().signal(name);
        }
        self.app(process)?.process.signal(name)
    }

    fn take(&mut self, step: &Step) -> anyhow::Result<()> {
        match step {
            Step::Start {
                process,
                with,
                line,
                comes_up,
            } => self.start(process, with, line.as_deref(), *comes_up),
            Step::Stop { process } => self.app(process)?.process.stop(),
            Step::Kill { process } if process == "registry" => {
                self.registry.process().kill();
                Ok(())
            }
            Step::Kill { process } => {
                self.app(process)?.process.kill();
                Ok(())
            }
            Step::Tell { process, signal } => self.signal(process, signal),
            Step::Freeze { process } => self.signal(process, "STOP"),
            Step::Thaw { process } => self.signal(process, "CONT"),
            Step::Call {
                process,
                works,
                method,
                argument,
                times,
                attachments,
                otherwise,
            } => {
                let works = *works != otherwise.contains(&self.run.release.line);
                let beside = attachments.join(" ");
                let line = format!("call {times} {method} {argument} {beside}");
                self.call(process, line.trim_end(), works)
            }
            Step::Rule { key, text, group } => {
                self.registry
                    .publish(group, &self.fill(key), &self.fill(text))
            }
            Step::Unrule { key, group } => self.registry.retract(group, &self.fill(key)),
            Step::Node { path, text } => {
                self.registry.node(&self.fill(path), Some(&self.fill(text)))
            }
            Step::Unnode { path } => self.registry.node(&self.fill(path), None),
            Step::Wait { entries, level } => {
                let mut seen = None;
                wait(|| {
                    seen = Some(self.registry.entries(*level)?);
                    Ok(seen == Some(*entries))
                })
                .with_context(|| format!("{entries} entries wanted, {seen:?} seen"))
            }
            Step::Qos { process, command } => {
                let address = self.fill(&format!("{{{process}.qos}}"));
                let (status, body) = http::ask(&address, "GET", &format!("/{command}"), "")?;
                ensure!(status == 200, "{command}: {status} {body}");
                Ok(())
            }
            Step::Link { fault } => {
                if self.link.is_none() {
                    let port = self.registry.port();
                    self.link = Some(Link::start(port, &self.registry.address())?);
                    let linked = self.registry.url().replace(REGISTRY, LINK);
                    self.names.insert("linked".to_owned(), linked);
                }
                if let Some(link) = &self.link {
                    link.set(*fault);
                }
                Ok(())
            }
            Step::Flap { key, texts } => {
                let (key, texts) = (self.fill(key), texts.iter().map(|text| self.fill(text)));
                self.flap = Some(Flap::start(&self.registry, key, texts.collect()));
                Ok(())
            }
            Step::Pause { seconds } => {
                std::thread::sleep(Duration::from_secs(*seconds));
                Ok(())
            }
            Step::Ask(_) => bail!("a question is no step of the world"),
        }
    }

    /// Calls until the calls end as they should.
    fn call(&mut self, process: &str, line: &str, works: bool) -> anyhow::Result<()> {
        let app = self.app(process)?;
        let mut said = String::new();
        wait(|| {
            said = app.tell(line, CALLS_END)?;
            let mut numbers = said
                .split(' ')
                .skip(1)
                .map_while(|word| word.parse::<u32>().ok());
            let (Some(answered), Some(failed)) = (numbers.next(), numbers.next()) else {
                bail!("{said}");
            };
            // All of them, one way or the other; of many at once some fail.
            Ok(if works {
                answered > 0 && failed == 0
            } else {
                failed > 0
            })
        })
        .with_context(|| {
            let wanted = if works { "work" } else { "fail" };
            format!("calls should {wanted}, last: {said}")
        })
    }

    fn start(
        &mut self,
        process: &str,
        with: &BTreeMap<String, String>,
        line: Option<&str>,
        comes_up: bool,
    ) -> anyhow::Result<()> {
        let (role, number) = place(process)?;
        let release = match line {
            None => self.run.release.clone(),
            Some(line) => releases()?
                .into_iter()
                .find(|release| release.line == line)
                .with_context(|| format!("no release of line {line}"))?,
        };
        let host = host(role, number);
        let dir = self.dir.join(process);
        // What stood there before it was started again stays beside it.
        if dir.exists() {
            fs::rename(&dir, dir.with_extension("before"))?;
        }
        fs::create_dir_all(dir.join("home"))?;
        fs::write(
            dir.join("hosts"),
            format!("{host} lab\n127.0.0.1 localhost\n"),
        )?;
        let (service, qos) = match role {
            Role::Provider => (20_879 + number, 22_220 + number),
            Role::Consumer => (20_889 + number, 22_230 + number),
        };
        let log = dir.join("log").display().to_string();
        for (name, value) in [
            ("ip", host.clone()),
            ("address", format!("{host}:{service}")),
            // Whoever does not ask from the same host is let in only where that is allowed, and then not to every command.
            ("qos", format!("127.0.0.1:{qos}")),
            ("remote-qos", format!("{host}:{qos}")),
            ("log", log.clone()),
            ("home", dir.join("home").display().to_string()),
        ] {
            self.names.insert(format!("{process}.{name}"), value);
        }
        let mut properties = defaults(role, &host, service, qos);
        properties.insert("lab.log".to_owned(), log);
        properties.insert("lab.addresses".to_owned(), self.registry.url());
        for (name, value) in with {
            let own = ["dubbo.", "DUBBO_"]
                .iter()
                .any(|start| name.starts_with(start));
            let name = if own {
                name.clone()
            } else {
                format!("lab.{name}")
            };
            properties.insert(name, self.fill(value));
        }
        let mut command = java(&release, &dir)?;
        command.args(
            properties
                .iter()
                .map(|(name, value)| format!("-D{name}={value}")),
        );
        command.arg("com.acme.lab.Main").arg(match role {
            Role::Provider => "provider",
            Role::Consumer => "consumer",
        });
        let app = App::start(&mut command)?;
        let said = app.hears(COMES_UP).with_context(|| process.to_owned())?;
        ensure!(
            (said == "ready") == comes_up,
            "{process} says {said}; see {}/log",
            dir.display()
        );
        self.apps.insert(process.to_owned(), app);
        Ok(())
    }
}

/// What every application is started with.
fn defaults(role: Role, host: &str, service: u16, qos: u16) -> BTreeMap<String, String> {
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
fn java(release: &Release, dir: &Path) -> anyhow::Result<Command> {
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

/// Asks again until it is so, or the time is over.
fn wait(mut is_so: impl FnMut() -> anyhow::Result<bool>) -> anyhow::Result<()> {
    let until = Instant::now() + HAPPENS;
    while !is_so()? {
        ensure!(Instant::now() < until, "not within {} s", HAPPENS.as_secs());
        std::thread::sleep(Duration::from_millis(200));
    }
    Ok(())
}
