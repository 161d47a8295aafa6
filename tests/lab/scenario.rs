//! The files of `tests/lab/scenarios`: what runs, what breaks, and the answer that is right, written before the run.

use std::{collections::BTreeMap, fmt, fs, path::PathBuf, str::FromStr};

use anyhow::{Context, bail, ensure};
use serde::Deserialize;

use crate::{link::Fault, relay};

/// The folder of this lab.
pub(crate) fn home() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/lab")
}

/// A release of Dubbo that stands for its line.
#[derive(Debug, Clone)]
pub(crate) struct Release {
    /// `3.2`.
    pub(crate) line: String,
    /// `3.2.16`.
    pub(crate) version: String,
}

/// The releases of `tests/lab/releases`, oldest first.
pub(crate) fn releases() -> anyhow::Result<Vec<Release>> {
    let text = fs::read_to_string(home().join("releases")).context("tests/lab/releases")?;
    text.lines()
        .map(|row| {
            let (line, version) = row
                .split_once(' ')
                .with_context(|| format!("releases: {row}"))?;
            Ok(Release {
                line: line.to_owned(),
                version: version.to_owned(),
            })
        })
        .collect()
}

/// A kind of registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// Debian's ZooKeeper.
    ZooKeeper,
    /// r-nacos, a server with Nacos' interface.
    Rnacos,
    /// The Nacos of `DIAG_LAB_NACOS`.
    Nacos,
}

impl Kind {
    /// All of them.
    pub(crate) const ALL: [Self; 3] = [Self::ZooKeeper, Self::Rnacos, Self::Nacos];

    /// Whether it can be had here: nobody starts a Nacos for us.
    pub(crate) fn is_here(self) -> bool {
        self != Self::Nacos || relay::address().is_some()
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ZooKeeper => "zookeeper",
            Self::Rnacos => "rnacos",
            Self::Nacos => "nacos",
        })
    }
}

impl FromStr for Kind {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
        match text {
            "zookeeper" => Ok(Self::ZooKeeper),
            "rnacos" => Ok(Self::Rnacos),
            "nacos" => Ok(Self::Nacos),
            _ => bail!("no registry {text}; there are zookeeper, rnacos and nacos"),
        }
    }
}

/// One situation.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scenario {
    /// File name without its end.
    #[serde(skip)]
    pub(crate) name: String,
    /// What the situation is, in one sentence.
    pub(crate) title: String,
    /// Lines it is for; all when absent.
    #[serde(default)]
    lines: Vec<String>,
    /// Registries it is for.
    #[serde(default = "zookeeper_alone")]
    pub(crate) registries: Vec<Kind>,
    /// Whether it belongs to the third that every check runs.
    #[serde(default)]
    pub(crate) quick: bool,
    /// Longest session that ZooKeeper grants, milliseconds.
    #[serde(default = "a_minute")]
    pub(crate) session_ms: u32,
    /// How many servers ZooKeeper's ensemble has.
    #[serde(default = "one_member")]
    pub(crate) members: usize,
    /// r-nacos asks for a login, and what it gives for it is good for so many seconds.
    pub(crate) token_seconds: Option<u32>,
    /// What happens, in order.
    #[serde(rename = "step")]
    pub(crate) steps: Vec<Step>,
}

fn zookeeper_alone() -> Vec<Kind> {
    vec![Kind::ZooKeeper]
}

fn one_member() -> usize {
    1
}

fn a_minute() -> u32 {
    60_000
}

/// One thing that happens. Processes are named `registry` (`registry2`, .. of an ensemble), `provider`, `provider2`, `consumer`, ..; texts may hold the
/// names of [`crate::world::World::fill`] in braces.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum Step {
    /// Starts an application. `with` has the properties that `Settings.java` explains, and Dubbo's own (`DUBBO_..`, `dubbo..`).
    Start {
        process: String,
        #[serde(default)]
        with: BTreeMap<String, String>,
        /// Another line than that of the run.
        line: Option<String>,
        /// Whether it comes up.
        #[serde(default = "yes")]
        comes_up: bool,
        /// Lines on which it is the other way.
        #[serde(default)]
        otherwise: Vec<String>,
    },
    /// `SIGTERM`: the application takes its leave.
    Stop { process: String },
    /// `SIGKILL`.
    Kill { process: String },
    /// Any signal, without waiting for what it does.
    Tell { process: String, signal: String },
    /// `SIGSTOP`: it keeps its connections and does nothing.
    Freeze { process: String },
    /// `SIGCONT`.
    Thaw { process: String },
    /// Calls until the calls end as said; fails when they never do.
    Call {
        #[serde(default = "consumer")]
        process: String,
        works: bool,
        #[serde(default = "greet")]
        method: String,
        #[serde(default = "greet")]
        argument: String,
        #[serde(default = "one")]
        times: u32,
        #[serde(default)]
        attachments: Vec<String>,
        /// Lines on which they end the other way.
        #[serde(default)]
        otherwise: Vec<String>,
    },
    /// Publishes a rule, or another text of the config centre.
    Rule {
        key: String,
        text: String,
        #[serde(default = "rules")]
        group: String,
    },
    /// Takes it away.
    Unrule {
        key: String,
        #[serde(default = "rules")]
        group: String,
    },
    /// Writes a node of ZooKeeper.
    Node {
        path: String,
        #[serde(default)]
        text: String,
    },
    /// Deletes a node of ZooKeeper with all that is below it.
    Unnode { path: String },
    /// Waits until the service has so many entries in the registry.
    Wait { entries: usize, level: Level },
    /// Sends a command to a QOS port, as an operator would.
    Qos { process: String, command: String },
    /// Puts a link before the registry, `{linked}`, or changes what it does.
    Link { fault: Fault },
    /// Publishes these texts by turns until the scenario ends.
    Flap { key: String, texts: Vec<String> },
    /// Lets time pass where nothing can be waited for.
    Pause { seconds: u64 },
    /// Asks `diag`.
    Ask(Box<Ask>),
}

/// Which of the two models of discovery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Level {
    /// By interface.
    Interface,
    /// By application.
    Application,
}

fn yes() -> bool {
    true
}

fn one() -> u32 {
    1
}

fn consumer() -> String {
    "consumer".to_owned()
}

fn greet() -> String {
    "greet".to_owned()
}

fn rules() -> String {
    "dubbo".to_owned()
}

/// A question with its answer.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ask {
    /// Tells several questions of a scenario apart.
    #[serde(default)]
    pub(crate) name: String,
    /// The service.
    #[serde(default = "service")]
    pub(crate) service: String,
    /// What `diag` is asked to do.
    #[serde(default = "no_provider")]
    pub(crate) verb: String,
    /// The registry that it is told.
    #[serde(default = "registry")]
    pub(crate) registry: String,
    /// Flags in place of those that say what the consumer is configured with.
    pub(crate) consumer: Option<Vec<String>>,
    /// Further flags.
    #[serde(default)]
    pub(crate) with: Vec<String>,
    /// The right answer.
    pub(crate) right: Right,
    /// What differs on a registry or a line, by its name; the registry goes first.
    #[serde(default)]
    pub(crate) on: BTreeMap<String, Right>,
}

fn no_provider() -> String {
    "no-provider".to_owned()
}

fn registry() -> String {
    "{registry}".to_owned()
}

/// The interface that the scenarios are about.
pub(crate) const SERVICE: &str = "com.acme.OrderService";

fn service() -> String {
    SERVICE.to_owned()
}

/// A right answer.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Right {
    /// `reachable`, `partly`, `none`, `unknown`, or several with `|`; `-` of verbs that have none.
    pub(crate) outcome: String,
    /// Any of these codes; empty = no verdict.
    #[serde(default)]
    pub(crate) code: Vec<String>,
    /// The strongest certainty that is right; absent = any.
    pub(crate) certainty: Option<String>,
    /// Codes that must stand among the findings or candidates.
    #[serde(default)]
    pub(crate) findings: Vec<String>,
    /// Codes that must not.
    #[serde(default)]
    pub(crate) without: Vec<String>,
    /// The exit code, where it does not follow from the outcome.
    pub(crate) exit: Option<i32>,
    /// Words that must stand in what is printed.
    #[serde(default)]
    pub(crate) says: Vec<String>,
    /// How many addresses the consumer's own list has, as its QOS port says.
    pub(crate) own: Option<u64>,
}

impl Ask {
    /// The right answer on a line and a registry.
    pub(crate) fn right(&self, line: &str, kind: Kind) -> &Right {
        let on = self.on.get(&kind.to_string()).or_else(|| self.on.get(line));
        on.unwrap_or(&self.right)
    }
}

impl Scenario {
    /// Whether it makes sense on a line.
    pub(crate) fn is_for(&self, line: &str) -> bool {
        self.lines.is_empty() || self.lines.iter().any(|wanted| wanted == line)
    }

    /// Its questions.
    pub(crate) fn asks(&self) -> impl Iterator<Item = &Ask> {
        self.steps.iter().filter_map(|step| match step {
            Step::Ask(ask) => Some(&**ask),
            _ => None,
        })
    }
}

/// All scenarios, by name.
pub(crate) fn all() -> anyhow::Result<Vec<Scenario>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(home().join("scenarios")).context("tests/lab/scenarios")? {
        let path = entry?.path();
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        ensure!(
            path.extension().is_some_and(|end| end == "toml"),
            "{}: not a scenario",
            path.display()
        );
        let text = fs::read_to_string(&path)?;
        let mut scenario: Scenario =
            toml::from_str(&text).with_context(|| path.display().to_string())?;
        scenario.name = name;
        found.push(scenario);
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}
