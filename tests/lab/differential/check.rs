//! Without Java: that cases are made of their seed, and that a bug is found, made small and kept.

use anyhow::{Context, ensure};
use serde_json::Value;

use super::bug::Bug;
use super::judge::{Answered, Judge};
use super::routers::Routers;
use super::{found, generate};

const SEED: u64 = 7;
const CASES: u64 = 120;
const VERSION: &str = "3.2.16";

/// Fails with the first thing that is not so.
pub(crate) fn check() -> anyhow::Result<()> {
    for number in 0..CASES {
        let case = generate::case(SEED, number, "3.3");
        ensure!(
            case == generate::case(SEED, number, "3.3"),
            "case {number} is another one the second time"
        );
        ensure!(
            case != generate::case(SEED + 1, number, "3.3"),
            "case {number} is the same for another seed"
        );
    }
    let agreed = ask(None)?;
    ensure!(
        agreed.iter().all(|one| one.differences.is_empty()),
        "the same answers disagree"
    );
    for share in ["all", "some", "none"] {
        ensure!(
            agreed.iter().any(|one| one.share() == share),
            "no case selects {share} of the addresses"
        );
    }
    for bug in [Bug::NotEqual, Bug::Force] {
        finds(bug).with_context(|| format!("{bug:?}"))?;
    }
    println!("differential: {CASES} cases, and two bugs found, made small and kept");
    Ok(())
}

fn judge(bug: Option<Bug>) -> anyhow::Result<Judge> {
    Judge::new(VERSION, Routers::stand_in(VERSION)?, bug)
}

fn ask(bug: Option<Bug>) -> anyhow::Result<Vec<Answered>> {
    let mut judge = judge(bug)?;
    let line = judge.line();
    judge.ask_all(
        (0..CASES)
            .map(|number| generate::case(SEED, number, &line))
            .collect(),
    )
}

/// A bug shows in a fresh case; the case becomes small, and golden: with the bug it disagrees, without it agrees.
fn finds(bug: Bug) -> anyhow::Result<()> {
    let answered = ask(Some(bug))?;
    let large = answered
        .iter()
        .filter(|one| !one.differences.is_empty() && one.id().starts_with("condition-"))
        .max_by_key(|one| one.case["rules"].to_string().len())
        .context("no case shows it")?;
    let mut with = judge(Some(bug))?;
    let small = with.shrink(large)?;
    let text = small.case["rules"][0]["content"]
        .as_str()
        .context("a rule")?;
    let providers = small.case["providers"].as_array().map_or(0, Vec::len);
    let size = small.case.to_string().len();
    ensure!(
        small.case["rules"]
            .as_array()
            .is_some_and(|rules| rules.len() == 1),
        "several rules are left: {}",
        small.case
    );
    ensure!(
        providers <= 2,
        "{providers} providers are left: {}",
        small.case
    );
    ensure!(
        text.len() <= 80 && size < large.case.to_string().len(),
        "{text:?} is no small rule"
    );

    let golden = tempfile::tempdir()?;
    let file = found::keep(golden.path(), VERSION, &small.case)?;
    let kept: Value = serde_json::from_str(std::fs::read_to_string(&file)?.trim_end())?;
    let table = std::fs::read_to_string(golden.path().join("COUNTS.tsv"))?;
    ensure!(
        table.contains(&format!("{VERSION}/found\t1\n")),
        "not counted: {table}"
    );
    ensure!(
        !with.differences(&kept).is_empty(),
        "the kept case does not show it"
    );
    let without = judge(None)?.differences(&kept);
    ensure!(
        without.is_empty(),
        "the kept case disagrees without the bug: {without}"
    );
    Ok(())
}
