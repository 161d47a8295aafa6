//! Plays one scenario: starts what it starts, breaks what it breaks, asks what it asks.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::{Context, bail, ensure};

use crate::{
    application::{defaults, java, place},
    ask::{self, Answer},
    flap::Flap,
    http,
    link::Link,
    network::{FILES, LINK, REGISTRY, Role, host},
    options::{Options, Run},
    process::App,
    registry::Registry,
    scenario::{Step, releases},
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
    // Before the registry: nobody writes any more to what ends.
    apps: BTreeMap<String, App>,
    registry: Registry,
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
        let registry = Registry::start(run.kind, &files, &run.scenario)?;
        let names = BTreeMap::from([
            ("registry".to_owned(), registry.url()),
            ("plain".to_owned(), registry.plain_url()),
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
            apps: BTreeMap::new(),
            registry,
            names,
            dir,
        })
    }

    /// Puts what is known in place of the names in braces: `{registry}`, `{plain}` (without credentials, namespace and further
    /// members), `{linked}` (through the link), `{elsewhere}` (a name that nobody knows), `{dubbo}`, and of each process that was started `{consumer.ip}`, `{consumer.qos}` (as its own host asks), `{consumer.remote-qos}`, `{consumer.log}`, `{provider.address}`.
    pub(crate) fn fill(&self, text: &str) -> String {
        self.names
            .iter()
            .fold(text.to_owned(), |text, (name, value)| {
                // Parameters may follow an address that has some already.
                let more = if value.contains('?') { "&" } else { "?" };
                text.replace(&format!("{{{name}}}?"), &format!("{value}{more}"))
                    .replace(&format!("{{{name}}}"), value)
            })
    }

    fn app(&mut self, process: &str) -> anyhow::Result<&mut App> {
        self.apps
            .get_mut(process)
            .with_context(|| format!("{process} was not started"))
    }

    fn signal(&mut self, process: &str, name: &str) -> anyhow::Result<()> {
        if process.starts_with("registry") {
            return self.registry.process(process)?.signal(name);
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
                otherwise,
            } => {
                let comes_up = *comes_up != otherwise.contains(&self.run.release.line);
                self.start(process, with, line.as_deref(), comes_up)
            }
            Step::Stop { process } => self.app(process)?.process.stop(),
            Step::Kill { process } if process.starts_with("registry") => {
                self.registry.process(process)?.kill();
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
                    .store()
                    .publish(group, &self.fill(key), &self.fill(text))
            }
            Step::Unrule { key, group } => self.registry.store().retract(group, &self.fill(key)),
            Step::Node { path, text } => self
                .registry
                .store()
                .node(&self.fill(path), Some(&self.fill(text))),
            Step::Unnode { path } => self.registry.store().node(&self.fill(path), None),
            Step::Wait { entries, level } => {
                let mut seen = None;
                wait(|| {
                    seen = Some(self.registry.store().entries(*level)?);
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
                    self.link = Some(Link::start(&self.registry.ports(), REGISTRY)?);
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
                self.flap = Some(Flap::start(self.registry.store(), key, texts.collect()));
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

/// Asks again until it is so, or the time is over.
fn wait(mut is_so: impl FnMut() -> anyhow::Result<bool>) -> anyhow::Result<()> {
    let until = Instant::now() + HAPPENS;
    while !is_so()? {
        ensure!(Instant::now() < until, "not within {} s", HAPPENS.as_secs());
        std::thread::sleep(Duration::from_millis(200));
    }
    Ok(())
}
