//! Compares the report of the binary with the right answer, as the page beside the cases says.

use std::process::{Command, Output};

use serde_json::Value;

use super::case::Case;

/// What a case came to.
#[derive(Debug)]
pub(crate) enum Grade {
    /// As demanded.
    Right,
    /// `unknown`, naming what was not seen.
    Unknown,
    /// Anything else.
    Wrong(String),
    /// The verb or a flag does not exist yet.
    NotBuilt,
}

/// The report of one run and its exit code.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) exit: i32,
    pub(crate) report: Value,
    /// Everything that was written, for secrets.
    pub(crate) written: String,
}

/// Runs the binary in the folder of a case.
pub(crate) fn run(case: &Case, args: &[String]) -> Result<Run, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_diag"));
    command
        .current_dir(&case.dir)
        .env_clear()
        .args(args)
        .args(["-o", "json"]);
    for name in ["snapshot", "snapshot.tar.gz"] {
        if case.dir.join(name).exists() {
            command.args(["--snapshot", name]);
        }
    }
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().map_err(|error| error.to_string())?;
    let exit = status.code().unwrap_or(-1);
    let written = format!(
        "{}{}",
        String::from_utf8_lossy(&stdout),
        String::from_utf8_lossy(&stderr)
    );
    let report = serde_json::from_slice(&stdout)
        .map_err(|_| format!("exit {exit}: {}", String::from_utf8_lossy(&stderr).trim()))?;
    Ok(Run {
        exit,
        report,
        written,
    })
}

/// Asks as the case says and compares.
pub(crate) fn grade(case: &Case) -> Grade {
    let verb = case.ask.first().map(String::as_str);
    if !matches!(
        verb,
        Some("no-provider" | "timeout-budget" | "route-replay" | "lint")
    ) {
        return Grade::NotBuilt;
    }
    match run(case, &case.ask) {
        Ok(run) => compare(case, &run),
        Err(error) if error.contains("is not built in this version") => Grade::NotBuilt,
        Err(error) => Grade::Wrong(error),
    }
}

/// Compares a run with what the case demands.
pub(crate) fn compare(case: &Case, run: &Run) -> Grade {
    for secret in &case.secrets {
        if run.written.contains(secret) {
            return Grade::Wrong(format!("the secret {secret} is printed"));
        }
    }
    if let Some(problem) = crate::schema::problems(&run.report).first() {
        return Grade::Wrong(format!("the schema: {problem}"));
    }
    let report = &run.report["reports"][0];
    if case.ask.first().is_some_and(|verb| verb == "no-provider") && !has_both_models(report) {
        return Grade::Wrong("not both models of every registry are shown".to_owned());
    }
    let problems = problems(case, run, report);
    if problems.is_empty() {
        return Grade::Right;
    }
    let honest = report["outcome"] == "unknown"
        && report["verdict"].is_null()
        && run.exit == 3
        && list(&report["not_seen"]).any(|fact| fact["required"] == true);
    if honest {
        return Grade::Unknown;
    }
    Grade::Wrong(format!("{} | got {}", problems.join("; "), shown(run)))
}

/// Whether both models of discovery are shown, of every registry that was asked about.
fn has_both_models(report: &Value) -> bool {
    let shown = list(&report["models"]);
    list(&report["models"]).count() >= list(&report["question"]["registries"]).count()
        && shown
            .into_iter()
            .all(|one| one["interface"].is_object() && one["application"].is_object())
}

fn problems(case: &Case, run: &Run, report: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    let outcomes: Vec<&str> = case.outcome.split('|').collect();
    let outcome = report["outcome"].as_str().unwrap_or("-");
    let Some(at) = outcomes.iter().position(|right| *right == outcome) else {
        return vec![format!("outcome {} expected", case.outcome)];
    };
    let verdict = &report["verdict"];
    // Without an outcome the leading code may stand among the findings.
    let found_beside = outcome == "-"
        && case
            .code
            .iter()
            .any(|right| codes(&report["findings"]).contains(&right.as_str()));
    match verdict["code"].as_str() {
        _ if found_beside => {}
        None if !case.code.is_empty() => problems.push(format!("code {:?} expected", case.code)),
        Some(code) if !case.code.iter().any(|right| right == code) => {
            problems.push(format!("code {:?} expected", case.code));
        }
        _ => {}
    }
    let certainties: Vec<&str> = case.certainty.split('|').collect();
    let bound = certainties.get(at).or(certainties.last()).copied();
    if let Some(certainty) = verdict["certainty"].as_str() {
        let rank = |word| match word {
            "certain" => 2,
            "likely" => 1,
            _ => 0,
        };
        if rank(certainty) > rank(bound.unwrap_or("-")) {
            problems.push(format!("certainty {} at most", case.certainty));
        }
        let then: Vec<&str> = list(&verdict["then"]).filter_map(Value::as_str).collect();
        if then != case.then {
            problems.push(format!("then {:?} expected, {then:?} given", case.then));
        }
        let open = list(&verdict["then_not_seen"]).next().is_some();
        if case.then_not_seen.is_some_and(|expected| expected != open) {
            problems.push(format!("then not seen: {open}"));
        }
    }
    if !case.exit.contains(&run.exit) {
        problems.push(format!("exit {:?} expected, {} given", case.exit, run.exit));
    }
    if let Some(right) = &case.survivors {
        let mut left: Vec<&str> = list(&report["replay"]["classes"])
            .flat_map(|class| list(&class["survivors"]))
            .filter_map(Value::as_str)
            .collect();
        left.sort_unstable();
        left.dedup();
        if outcome != "unknown" && left != *right {
            problems.push(format!("survivors {right:?} expected, {left:?} given"));
        }
    }
    // A candidate of an unknown outcome may stand among the findings, as possible, for its next steps; nothing else may.
    let candidates = codes(&report["candidates"]);
    let candidate = |finding: &Value| {
        outcome == "unknown"
            && finding["certainty"] == "possible"
            && finding["code"]
                .as_str()
                .is_some_and(|code| candidates.contains(&code))
    };
    let raised: Vec<&str> = list(&report["findings"])
        .filter(|finding| !candidate(finding))
        .filter_map(|finding| finding["code"].as_str())
        .collect();
    for unwanted in &case.without {
        if raised.contains(&unwanted.as_str()) {
            problems.push(format!("{unwanted} must not be found"));
        }
    }
    let mut found = codes(&report["findings"]);
    problems.extend(misplaced(case, &report["findings"]));
    if outcome == "unknown" {
        found.extend(codes(&report["candidates"]));
    }
    for any in &case.findings {
        if !any
            .iter()
            .any(|code| code == "-" || found.contains(&code.as_str()))
        {
            problems.push(format!("one of {any:?} must be found"));
        }
    }
    problems
}

/// Remarks of `lint` that do not stand at their lines, and remarks on a text that has no fault.
fn misplaced(case: &Case, findings: &Value) -> Vec<String> {
    let found: Vec<(&str, u64)> = list(findings)
        .filter_map(|finding| Some((finding["code"].as_str()?, finding["mark"]["line"].as_u64()?)))
        .collect();
    let mut problems = Vec::new();
    let Some(expected) = &case.expect_lint else {
        return problems;
    };
    if expected.is_empty() && !found.is_empty() {
        problems.push(format!("nothing must be found, {found:?} given"));
    }
    for one in expected {
        let here = |(code, line): &(&str, u64)| {
            one.codes.iter().any(|right| right == code)
                && one.line.is_none_or(|right| right == *line)
        };
        if !one.codes.iter().any(|code| code == "-") && !found.iter().any(here) {
            problems.push(format!(
                "{:?} at line {:?} expected, {found:?} given",
                one.codes, one.line
            ));
        }
    }
    problems
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn codes(value: &Value) -> Vec<&str> {
    list(value)
        .filter_map(|entry| entry["code"].as_str())
        .collect()
}

/// One line for a failing case.
pub(crate) fn shown(run: &Run) -> String {
    let report = &run.report["reports"][0];
    let missing: Vec<&str> = list(&report["not_seen"])
        .filter(|fact| fact["required"] == true)
        .filter_map(|fact| fact["what"].as_str())
        .take(3)
        .collect();
    format!(
        "exit {} {} {} {} then {} cand {:?} find {:?} miss {missing:?}",
        run.exit,
        report["outcome"],
        report["verdict"]["code"],
        report["verdict"]["certainty"],
        report["verdict"]["then"],
        codes(&report["candidates"]),
        codes(&report["findings"]),
    )
}
