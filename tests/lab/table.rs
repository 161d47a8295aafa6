//! The answers of the last run of every scenario, and the table of them in the README.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, ensure};

use crate::{
    ask::{Answer, Mark},
    scenario::{self, Kind, Scenario},
};

const BEGIN: &str = "<!-- table: written by `tests/lab/run --table` -->\n";
const END: &str = "<!-- end of table -->\n";

/// One row of the kept answers; which question, on what, and what was said.
type Row = [String; 7];

fn kept() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target/lab/answers.tsv")
}

fn readme() -> PathBuf {
    scenario::home().join("README.md")
}

/// Keeps these answers beside those of earlier runs, in place of older ones to the same question.
pub(crate) fn keep(answers: &[Answer]) -> anyhow::Result<()> {
    let mut rows = rows()?;
    for answer in answers {
        rows.retain(|row| row[..4] != key(answer));
        let [scenario, ask, kind, line] = key(answer);
        let (mark, said) = (answer.mark.as_str().to_owned(), answer.said.clone());
        rows.push([scenario, ask, kind, line, mark, said, answer.why.clone()]);
    }
    rows.sort();
    let text: String = rows.iter().map(|row| row.join("\t") + "\n").collect();
    fs::write(kept(), text)?;
    Ok(())
}

fn key(answer: &Answer) -> [String; 4] {
    [&answer.scenario, &answer.ask, &answer.kind, &answer.line].map(Clone::clone)
}

fn rows() -> anyhow::Result<Vec<Row>> {
    if !kept().exists() {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(kept())?;
    text.lines()
        .map(|row| {
            let cells: Vec<String> = row.split('\t').map(str::to_owned).collect();
            cells
                .try_into()
                .map_err(|_| anyhow::anyhow!("answers.tsv: {row}"))
        })
        .collect()
}

/// Writes the table into the README.
pub(crate) fn write() -> anyhow::Result<()> {
    let text = fs::read_to_string(readme())?;
    let (before, _, after) = parts(&text)?;
    let table = render(&scenario::all()?, &rows()?)?;
    fs::write(readme(), format!("{before}{BEGIN}{table}{END}{after}"))?;
    Ok(())
}

fn parts(text: &str) -> anyhow::Result<(&str, &str, &str)> {
    let (before, rest) = text
        .split_once(BEGIN)
        .context("README.md: no place for the table")?;
    let (table, after) = rest
        .split_once(END)
        .context("README.md: no end of the table")?;
    Ok((before, table, after))
}

/// Every question of every scenario stands in the table, and nothing else; no answer is wrong.
pub(crate) fn check(scenarios: &[Scenario]) -> anyhow::Result<()> {
    let text = fs::read_to_string(readme()).context("tests/lab/README.md")?;
    let (_, table, _) = parts(&text)?;
    let listed: BTreeSet<&str> = table
        .lines()
        .filter_map(|row| row.strip_prefix("| `")?.split_once('`'))
        .map(|(name, _)| name)
        .collect();
    let wanted: BTreeSet<String> = scenarios
        .iter()
        .flat_map(|scenario| scenario.asks().map(|ask| title(&scenario.name, &ask.name)))
        .collect();
    for name in &wanted {
        ensure!(
            listed.contains(name.as_str()),
            "{name} is not in the table of tests/lab/README.md: run it, then `tests/lab/run --table`"
        );
    }
    for name in listed {
        ensure!(
            wanted.contains(name),
            "{name} is in the table of tests/lab/README.md and nowhere else"
        );
    }
    ensure!(
        !table.contains("✗"),
        "tests/lab/README.md: an answer is wrong"
    );
    Ok(())
}

fn title(scenario: &str, ask: &str) -> String {
    if ask.is_empty() {
        scenario.to_owned()
    } else {
        format!("{scenario}: {ask}")
    }
}

fn render(scenarios: &[Scenario], rows: &[Row]) -> anyhow::Result<String> {
    let lines: Vec<String> = scenario::releases()?
        .into_iter()
        .map(|one| one.line)
        .collect();
    let cells: BTreeMap<[&str; 4], &Row> = rows
        .iter()
        .map(|row| ([&*row[0], &*row[1], &*row[2], &*row[3]], row))
        .collect();
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    let mut decided: BTreeSet<&str> = BTreeSet::new();
    let mut body = String::new();
    let mut faults = String::new();
    for kind in Kind::ALL {
        writeln!(body, "\n| on {kind} | {} |", lines.join(" | "))?;
        writeln!(body, "| --- |{}", " --- |".repeat(lines.len()))?;
        for scenario in scenarios
            .iter()
            .filter(|one| one.registries.contains(&kind))
        {
            for ask in scenario.asks() {
                write!(body, "| `{}` |", title(&scenario.name, &ask.name))?;
                for line in &lines {
                    let name = kind.to_string();
                    let cell = cells.get(&[&*scenario.name, &*ask.name, &*name, &**line]);
                    if !scenario.is_for(line) {
                        body.push_str(" |");
                        continue;
                    }
                    let Some(row) = cell else {
                        body.push_str(" not run |");
                        continue;
                    };
                    *counts.entry(&row[4]).or_default() += 1;
                    if row[4] == Mark::Right.as_str() {
                        if !row[5].starts_with("unknown") {
                            decided.insert(&scenario.name);
                        }
                        write!(body, " {} |", row[5])?;
                    } else {
                        let sign = if row[4] == Mark::Unknown.as_str() {
                            ""
                        } else {
                            "✗ "
                        };
                        write!(body, " {sign}{} |", row[5])?;
                        let title = title(&scenario.name, &ask.name);
                        writeln!(faults, "* {title}, {kind} {line}: {} ({})", row[5], row[6])?;
                    }
                }
                body.push('\n');
            }
        }
    }
    let mut head = format!(
        "{} scenarios, {} of them with an answer other than `unknown`; answers: ",
        scenarios.len(),
        decided.len()
    );
    let count = |mark: &Mark| {
        format!(
            "{} {}",
            counts.get(mark.as_str()).unwrap_or(&0),
            mark.as_str()
        )
    };
    head.push_str(&Mark::ALL.iter().map(count).collect::<Vec<_>>().join(", "));
    head.push_str(".\n");
    if !faults.is_empty() {
        write!(head, "\n{faults}")?;
    }
    Ok(head + &body)
}
