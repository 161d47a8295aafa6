//! What a version makes of a text, as a few plain lines: two versions that give the same lines treat the rule alike.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use super::{RuleText, effect};
use crate::model::url::Url;
use crate::model::url::decode;
use crate::model::version::DubboVersion;
use crate::route::dialect::Dialect;
use crate::rule::condition::text::{Clause, Condition, parse_match};
use crate::rule::condition::{self, ConditionDocument};
use crate::rule::configurator;
use crate::rule::error::RuleError;
use crate::rule::header::Header;
use crate::rule::kind::RuleKind;
use crate::rule::{mesh, migration, script, tag};

/// Lines that are kept of one text.
const MOST: usize = 200;
/// Characters of a line that are kept.
const LONGEST: usize = 400;

/// What the version makes of the text, without words of any language.
pub fn reading(rule: RuleText<'_>, version: &DubboVersion) -> Vec<String> {
    let mut lines = match rule.kind {
        RuleKind::Condition => condition_lines(rule.text, version),
        RuleKind::Tag => tag_lines(rule.text, version),
        RuleKind::Script => script_lines(rule.text, version),
        RuleKind::Mesh => mesh_lines(rule.text, version),
        RuleKind::Affinity => vec!["unread".to_owned()],
        RuleKind::Configurator => configurator_lines(rule.text, version),
        RuleKind::Migration => migration_lines(rule.text, version),
        RuleKind::Urls => url_lines(rule.text, version),
    };
    if lines.len() > MOST {
        let rest = lines.split_off(MOST);
        lines.push(format!("and {} more", rest.len()));
    }
    lines.into_iter().map(bounded).collect()
}

/// A line that can be shown. What is cut off is told by its length and a digest, so that versions that differ there still
/// differ.
fn bounded(line: String) -> String {
    let Some((cut, _)) = line.char_indices().nth(LONGEST) else {
        return line;
    };
    let digest = Sha256::digest(line.as_bytes());
    let [a, b, c, d] = [digest[0], digest[1], digest[2], digest[3]];
    let count = line.chars().count();
    format!(
        "{}.. ({count} characters, {a:02x}{b:02x}{c:02x}{d:02x})",
        &line[..cut]
    )
}

fn refused(error: &RuleError) -> Vec<String> {
    let class = error.class.rsplit('.').next().unwrap_or(error.class);
    vec![format!("refused: {class}")]
}

fn header(header: &Header) -> String {
    let mut text = format!("force={} enabled={}", header.force, header.enabled);
    if !header.valid {
        text.push_str(" valid=false");
    }
    text
}

/// Clauses as they are compared, with what a missing key means where that decides.
fn clauses(clauses: &[Clause], dialect: Dialect) -> String {
    let mut out = String::new();
    for clause in clauses {
        if !out.is_empty() {
            out.push_str(" & ");
        }
        out.push_str(&clause.key);
        for (sign, values) in [("=", &clause.matches), ("!=", &clause.mismatches)] {
            if !values.is_empty() {
                let list: Vec<&str> = values.iter().map(|value| value.text.as_str()).collect();
                let _ = write!(out, "{sign}{}", list.join(","));
            }
        }
        if clause.matches.is_empty() {
            let passes = if dialect.matchers { "fails" } else { "passes" };
            let _ = write!(out, " (without {}: {passes})", clause.key);
        }
    }
    out
}

fn sides(when: &[Clause], then: Option<&[Clause]>, dialect: Dialect) -> String {
    let then = then.map_or_else(|| "nobody".to_owned(), |then| clauses(then, dialect));
    format!("{} => {then}", clauses(when, dialect))
}

fn condition_lines(text: &str, version: &DubboVersion) -> Vec<String> {
    let Some(dialect) = effect::dialect(version) else {
        return vec!["unread".to_owned()];
    };
    match condition::parse(text, version) {
        Err(error) => refused(&error),
        Ok(ConditionDocument::TooNew(_)) => vec!["ignored".to_owned()],
        Ok(ConditionDocument::Classic(rule)) => {
            let mut lines = vec![header(&rule.header)];
            for (place, text) in rule.conditions.iter().enumerate() {
                let text = text.text.as_deref().unwrap_or_default();
                if !rule.header.enabled && dialect.disabled_unread {
                    break;
                }
                match Condition::parse(text) {
                    Ok(read) => lines.push(format!(
                        "{}: {}",
                        place + 1,
                        sides(&read.when, read.then.as_deref(), dialect)
                    )),
                    Err(_) => return vec![format!("refused: condition {}", place + 1)],
                }
            }
            lines
        }
        Ok(ConditionDocument::MultiDestination(rule)) => {
            if let Some(error) = rule.refused() {
                return refused(&error);
            }
            let mut lines = vec![header(&rule.header)];
            for (place, entry) in rule.conditions.iter().enumerate() {
                let from = parse_match(entry.from.as_deref().unwrap_or_default(), "true");
                let Ok(from) = from else {
                    return vec![format!("refused: condition {}", place + 1)];
                };
                lines.push(format!("{}: {}", place + 1, clauses(&from, dialect)));
                for to in &entry.to {
                    match parse_match(to.matches.as_deref().unwrap_or_default(), "false") {
                        Ok(then) => lines.push(format!(
                            "{}: => {} weight {}",
                            place + 1,
                            clauses(&then, dialect),
                            to.weight.as_deref().unwrap_or("100")
                        )),
                        Err(_) => return vec![format!("refused: condition {}", place + 1)],
                    }
                }
            }
            lines
        }
    }
}

fn tag_lines(text: &str, version: &DubboVersion) -> Vec<String> {
    let rule = match tag::parse(text, version) {
        Ok(rule) => rule,
        Err(error) => return refused(&error),
    };
    let mut lines = vec![header(&rule.header)];
    for tag in &rule.tags {
        let mut line = format!("{}:", tag.name.as_deref().unwrap_or("null"));
        if let Some(addresses) = &tag.addresses {
            let _ = write!(line, " {}", addresses.join(","));
        }
        if let Some(matches) = &tag.matches {
            let _ = write!(line, " match {}", matches.len());
        }
        lines.push(line);
    }
    lines
}

fn script_lines(text: &str, version: &DubboVersion) -> Vec<String> {
    if !version.at_least([3, 2]) {
        return vec!["unread".to_owned()];
    }
    match script::parse(text, version) {
        Ok(rule) => vec![
            header(&rule.header),
            format!("engine {}", rule.engine.as_deref().unwrap_or("javascript")),
        ],
        Err(error) => refused(&error),
    }
}

fn mesh_lines(text: &str, version: &DubboVersion) -> Vec<String> {
    if !version.at_least([3, 0, 6]) {
        return vec!["unread".to_owned()];
    }
    match mesh::parse(text, version) {
        Err(error) => refused(&error),
        Ok(read) => match read.standard {
            None => vec!["no rule of the type standard".to_owned()],
            Some(Err(error)) => refused(&error),
            Some(Ok(rules)) => vec![format!(
                "VirtualService {} DestinationRule {}",
                rules.virtual_services.len(),
                rules.destination_rules.len()
            )],
        },
    }
}

fn configurator_lines(text: &str, version: &DubboVersion) -> Vec<String> {
    match configurator::listen(text, version) {
        Err(configurator::ListenError::Rule(error)) => refused(&error),
        Err(configurator::ListenError::Order(error)) => vec![format!("refused: {error}")],
        Ok(None) => vec!["no rule".to_owned()],
        Ok(Some(rules)) => rules
            .iter()
            .map(|rule| {
                let with = if rule.condition().is_some() {
                    " with match"
                } else {
                    ""
                };
                format!("{}{with}", rule.url().to_full_text())
            })
            .collect(),
    }
}

fn migration_lines(text: &str, version: &DubboVersion) -> Vec<String> {
    if !version.line().is_3x() {
        return vec!["step FORCE_INTERFACE".to_owned()];
    }
    match migration::parse(text, version) {
        Err(error) => refused(&error),
        Ok(rule) => {
            let step = |step: Option<migration::Step>| step.map_or("-", migration::Step::as_str);
            let mut lines = vec![format!("step {}", step(rule.settings.step))];
            for part in rule.interfaces.iter().chain(&rule.applications).flatten() {
                lines.push(format!(
                    "{}: step {}",
                    part.service_key.as_deref().unwrap_or("null"),
                    step(part.settings.step)
                ));
            }
            lines
        }
    }
}

fn url_lines(text: &str, version: &DubboVersion) -> Vec<String> {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| {
            let read = if line.contains("://") {
                Url::parse(line, version)
            } else {
                Url::parse_encoded(line, version)
            };
            match read {
                Err(error) => format!("refused: {error}"),
                Ok(url) => {
                    let router = matches!(
                        url.protocol.as_deref(),
                        Some("condition" | "script" | "route" | "file")
                    );
                    if router && version.line().is_3x() {
                        return "not applied".to_owned();
                    }
                    let rule = url.parameter("rule").and_then(|rule| decode(rule).ok());
                    match (effect::dialect(version), rule) {
                        (Some(dialect), Some(rule)) => Condition::parse(&rule).map_or_else(
                            |_| "refused: condition".to_owned(),
                            |read| sides(&read.when, read.then.as_deref(), dialect),
                        ),
                        _ => url.to_full_text(),
                    }
                }
            }
        })
        .collect()
}
