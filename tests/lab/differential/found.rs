//! Golden cases from disagreements: the golden test reads them from then on.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::Value;

/// Where the golden test looks.
pub(super) const GOLDEN: &str = "fixtures/oracle/routing";

/// Adds a case with its answer to those that were found for this version; the file.
pub(super) fn keep(golden: &Path, version: &str, case: &Value) -> anyhow::Result<PathBuf> {
    let folder = golden.join(version);
    std::fs::create_dir_all(&folder)?;
    let file = folder.join("found.jsonl");
    let open = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(&file);
    writeln!(open.with_context(|| file.display().to_string())?, "{case}")?;
    let cases = std::fs::read_to_string(&file)?.lines().count();
    count(
        &golden.join("COUNTS.tsv"),
        &format!("{version}/found"),
        cases,
    )?;
    Ok(file)
}

/// Writes the number of cases into the table that the golden test holds against the files.
fn count(table: &Path, name: &str, cases: usize) -> anyhow::Result<()> {
    let text = if table.exists() {
        std::fs::read_to_string(table)?
    } else {
        "version/kind\tcases\n".to_owned()
    };
    let mut rows: Vec<String> = text.lines().map(str::to_owned).collect();
    let row = format!("{name}\t{cases}");
    match rows
        .iter()
        .position(|row| row.split('\t').next() == Some(name))
    {
        Some(place) => rows[place] = row,
        None => rows.push(row),
    }
    std::fs::write(table, rows.join("\n") + "\n").with_context(|| table.display().to_string())
}
