//! Asks `diag`, and holds its answer against the right one.

use std::{
    fmt, fs,
    path::Path,
    process::{Command, Stdio},
};

use anyhow::Context;
use serde_json::Value;

use crate::{
    options::{Options, Run},
    scenario::{Ask, Right},
    world::World,
};

/// How an answer compares with the right one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// It is the right one.
    Right,
    /// It says `unknown` where more could be known.
    Unknown,
    /// It says something else.
    Wrong,
    /// The situation did not come about.
    Broken,
}

impl Mark {
    pub(crate) const ALL: [Self; 4] = [Self::Right, Self::Unknown, Self::Wrong, Self::Broken];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Unknown => "unknown",
            Self::Wrong => "wrong",
            Self::Broken => "broken",
        }
    }
}

/// One question and what came of it.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) scenario: String,
    pub(crate) ask: String,
    pub(crate) line: String,
    pub(crate) kind: String,
    pub(crate) mark: Mark,
    /// `none DG3006 certain`.
    pub(crate) said: String,
    /// What was wrong, in words.
    pub(crate) why: String,
}

impl Answer {
    fn new(run: &Run, ask: &Ask, mark: Mark, said: String, why: String) -> Self {
        Self {
            scenario: run.scenario.name.clone(),
            ask: ask.name.clone(),
            line: run.release.line.clone(),
            kind: run.kind.to_string(),
            mark,
            said,
            why,
        }
    }

    /// A question that could not be asked.
    pub(crate) fn broken(run: &Run, ask: &Ask, why: &str) -> Self {
        let why = why.replace(['\t', '\n'], " ");
        Self::new(run, ask, Mark::Broken, "-".to_owned(), why)
    }

    pub(crate) fn is_right(&self) -> bool {
        self.mark == Mark::Right
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} {}", self.mark.as_str(), self.ask, self.said)?;
        if self.why.is_empty() {
            Ok(())
        } else {
            write!(f, " ({})", self.why)
        }
    }
}

/// Flags that say what the consumer of a scenario is configured with.
const CONSUMER: [&str; 8] = [
    "--consumer-app",
    "order-web",
    "--consumer-ip",
    "{consumer.ip}",
    "--consumer",
    "running",
    "--dubbo",
    "{dubbo}",
];

/// Asks one question of the live systems.
pub(crate) fn ask(
    world: &World<'_>,
    run: &Run,
    ask: &Ask,
    options: &Options,
) -> anyhow::Result<Answer> {
    let right = ask.right(&run.release.line, run.kind);
    let mut asked = vec![
        ask.service.clone(),
        "--registry".to_owned(),
        ask.registry.clone(),
    ];
    match &ask.consumer {
        Some(flags) => asked.extend(flags.iter().cloned()),
        None => asked.extend(CONSUMER.map(str::to_owned)),
    }
    let of_live = [
        ask.with.as_slice(),
        &["--deadline".to_owned(), "25s".to_owned()],
    ]
    .concat();
    let fill =
        |words: &[String]| -> Vec<String> { words.iter().map(|word| world.fill(word)).collect() };
    let (asked, of_live) = (fill(&asked), fill(&of_live));
    let name = if ask.name.is_empty() {
        "answer"
    } else {
        &ask.name
    };
    let files = world.dir.join(name);
    if let Some(root) = &options.record {
        record(run, ask, right, root, &asked, &of_live)?;
    }
    let said = diag(&ask.verb, &[&asked, &of_live], &files)?;
    let (mark, words, why) = judge(&said, right);
    Ok(Answer::new(run, ask, mark, words, why))
}

/// What came out of a run.
struct Said {
    exit: Option<i32>,
    /// `Null` where a verb prints no report.
    report: Value,
    text: String,
}

/// Runs `diag` with nothing of this machine's settings; its output also goes into files.
fn diag(verb: &str, words: &[&[String]], files: &Path) -> anyhow::Result<Said> {
    let mut command = Command::new("timeout");
    command.args(["-s", "KILL", "120", env!("CARGO_BIN_EXE_diag"), verb]);
    command.args(words.iter().flat_map(|words| words.iter()));
    if verb != "snapshot" {
        command.args(["-o", "json"]);
    }
    let line: Vec<String> = command
        .get_args()
        .skip(4)
        .map(|word| word.display().to_string())
        .collect();
    let done = command
        .env_clear()
        .env("LC_ALL", "C.UTF-8")
        .env("HOME", "/nonexistent")
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .stdin(Stdio::null())
        .output()
        .context("diag")?;
    fs::write(
        files.with_extension("command"),
        format!("diag {}\n", line.join(" ")),
    )?;
    fs::write(files.with_extension("json"), &done.stdout)?;
    fs::write(files.with_extension("stderr"), &done.stderr)?;
    let out = String::from_utf8_lossy(&done.stdout);
    Ok(Said {
        exit: done.status.code(),
        report: serde_json::from_str(&out).unwrap_or_default(),
        text: format!("{out}{}", String::from_utf8_lossy(&done.stderr)),
    })
}

/// Records what the question reads, as a case with the right answer.
fn record(
    run: &Run,
    ask: &Ask,
    right: &Right,
    root: &Path,
    asked: &[String],
    of_live: &[String],
) -> anyhow::Result<()> {
    let mut name = format!("lab-{}", run.scenario.name);
    if !ask.name.is_empty() {
        name = format!("{name}-{}", ask.name);
    }
    let dir = root.join(format!("{name}-{}-{}", run.kind, run.release.line));
    if dir.exists() {
        fs::remove_dir_all(&dir)?;
    }
    fs::create_dir_all(&dir)?;
    let out = dir.join("snapshot").display().to_string();
    diag(
        "snapshot",
        &[asked, of_live, &["--out".to_owned(), out]],
        &dir.join("snapshot-run"),
    )?;
    for end in ["command", "json", "stderr"] {
        fs::remove_file(dir.join("snapshot-run").with_extension(end))?;
    }
    let quoted = |words: &[String]| {
        let words: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
        words.join(", ")
    };
    let exit = match right.outcome.as_str() {
        "reachable" => "0",
        "unknown" => "3",
        _ => "1",
    };
    let lines = [
        format!("title = {:?}", run.scenario.title),
        format!("ask = [\"no-provider\", {}]", quoted(asked)),
        format!("outcome = {:?}", right.outcome),
        format!("code = [{}]", quoted(&right.code)),
        format!(
            "certainty = {:?}",
            right.certainty.as_deref().unwrap_or("-")
        ),
        format!("exit = [{exit}]"),
        format!(
            "findings = [{}]",
            right
                .findings
                .iter()
                .map(|code| format!("[{code:?}]"))
                .collect::<Vec<_>>()
                .join(", ")
        ),
        "layer = \"qos\"".to_owned(),
        "step = 4".to_owned(),
        format!(
            "source = \"tests/lab/scenarios/{}.toml\"",
            run.scenario.name
        ),
    ];
    fs::write(dir.join("case.toml"), lines.join("\n") + "\n")?;
    Ok(())
}

/// `none DG3006 certain`.
fn short(said: &Said) -> String {
    let answer = &said.report["reports"][0];
    let word = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let mut words = vec![word(&answer["outcome"])];
    if answer["verdict"].is_object() {
        words.push(word(&answer["verdict"]["code"]));
        words.push(word(&answer["verdict"]["certainty"]));
    } else {
        words.extend(codes(&answer["candidates"]).map(|code| format!("{code}?")));
    }
    if words == ["-"] {
        words = vec![format!("exit {}", said.exit.unwrap_or(-1))];
    }
    words.join(" ")
}

fn codes(list: &Value) -> impl Iterator<Item = String> {
    let list = list.as_array().cloned().unwrap_or_default();
    list.into_iter()
        .filter_map(|one| one["code"].as_str().map(str::to_owned))
}

/// How an answer compares, the answer in short, and what is wrong with it.
fn judge(said: &Said, right: &Right) -> (Mark, String, String) {
    let (mark, why) = match fault(said, right) {
        None => (Mark::Right, String::new()),
        Some(found) => found,
    };
    (mark, short(said), why)
}

/// Whether anything beside the outcome is bad enough to fail a script.
fn has_error(answer: &Value) -> bool {
    let mut findings = answer["findings"].as_array().into_iter().flatten();
    findings.any(|finding| finding["severity"] == "error")
}

fn fault(said: &Said, right: &Right) -> Option<(Mark, String)> {
    let wrong = |why: String| Some((Mark::Wrong, why));
    let answer = &said.report["reports"][0];
    let outcome = answer["outcome"].as_str().unwrap_or("-");
    if right.outcome.split('|').all(|one| one != outcome) {
        let unknown = outcome == "unknown";
        let mark = if unknown { Mark::Unknown } else { Mark::Wrong };
        return Some((mark, format!("{} is right", right.outcome)));
    }
    let code = answer["verdict"]["code"].as_str();
    let none = right.code.is_empty() || matches!(outcome, "reachable" | "unknown");
    if code.map_or(!none, |code| !right.code.iter().any(|one| one == code)) {
        return wrong(format!("verdict {code:?}, right is {:?}", right.code));
    }
    let strength = |text: &str| {
        ["possible", "likely", "certain"]
            .iter()
            .position(|one| *one == text)
    };
    let certainty = answer["verdict"]["certainty"].as_str();
    if let (Some(said), Some(most)) = (certainty, right.certainty.as_deref())
        && strength(said) > strength(most)
    {
        return wrong(format!("{said}, at most {most} is right"));
    }
    let exit = right.exit.or(match outcome {
        "reachable" => Some(i32::from(has_error(answer))),
        "none" | "partly" => Some(1),
        "unknown" => Some(3),
        _ => None,
    });
    if exit.is_some() && said.exit != exit {
        return wrong(format!("exit {:?}, right is {exit:?}", said.exit));
    }
    if let Some(missing) = right.says.iter().find(|words| !said.text.contains(*words)) {
        return wrong(format!("it does not say {missing:?}"));
    }
    let shown: Vec<String> = codes(&answer["findings"])
        .chain(codes(&answer["candidates"]))
        .collect();
    if let Some(missing) = right.findings.iter().find(|code| !shown.contains(code)) {
        return wrong(format!("{missing} is not among {shown:?}"));
    }
    if let Some(shown) = right.without.iter().find(|code| shown.contains(code)) {
        return wrong(format!("{shown} is shown"));
    }
    let stages = answer["stages"].as_array().into_iter().flatten();
    let mut views = stages.filter(|stage| stage["id"] == "W");
    let own = views.find_map(|stage| stage["out"].as_u64());
    if right.own.is_some() && right.own != own {
        return wrong(format!(
            "the consumer's own list has {:?}, shown is {own:?}",
            right.own
        ));
    }
    None
}
