//! Script rules. The script is not run; whether anybody could run it is known.

use super::condition::root_map;
use super::fields::{self, Field, HEADER, Shape, field};
use super::{Code, Cx, Phrase, Say, found};
use crate::rule::script::{self, NASHORN, engines_of};
use crate::rule::yaml::Span;

const RULE: [Field; 2] = [field("type", Shape::Text), field("script", Shape::Text)];

pub(super) fn check(cx: &mut Cx<'_>) {
    if cx.rule.text.is_empty() {
        return;
    }
    let parsed = script::parse(cx.rule.text, cx.version);
    let Some(document) = cx.document() else {
        return;
    };
    let root = document.root().filter(|root| !root.is_null());
    let Some(root) = root_map(cx, root) else {
        return;
    };
    fields::map(cx, root, &[&RULE, &HEADER]);
    if !cx.version.at_least([3, 2]) {
        let at = cx.mark(root);
        cx.add(
            found(Code::RuleNoEffect, at)
                .reads(Say::LintNobodyReads)
                .meant(Phrase::new(Say::LintReadSince).with("version", "3.2.0")),
        );
        return;
    }
    let rule = match parsed {
        Ok(rule) => rule,
        Err(error) => return cx.refuse_for(&error),
    };
    if !rule.header.enabled {
        return;
    }
    if rule.script.is_none() {
        let at = cx.mark(root);
        cx.add(found(Code::RuleNoEffect, at).reads(Say::LintNoScript));
        return;
    }
    let name = rule.engine.as_deref().filter(|name| !name.is_empty());
    let node = root.get("type").filter(|_| name.is_some());
    let at = cx.mark(
        node.or_else(|| root.entry("script").map(|(key, _)| key))
            .unwrap_or(root),
    );
    engine(cx, name.unwrap_or("javascript"), at);
}

/// DG5011, as far as the Java is known.
pub(super) fn engine(cx: &mut Cx<'_>, name: &str, at: Span) {
    let nashorn = NASHORN.contains(&name);
    let reads = match cx.known.jdk {
        Some(jdk) if engines_of(jdk).contains(&name) => return,
        None if nashorn => return,
        Some(jdk) => Phrase::new(Say::LintEngineMissing).with("jdk", jdk.to_string()),
        None => Phrase::new(Say::LintEngineForeign),
    };
    let advice = if nashorn {
        Say::LintAddEngine
    } else {
        Say::LintAddLibrary
    };
    cx.add(
        found(Code::ScriptEngineMissing, at)
            .with("engine", name)
            .with(
                "jdk",
                cx.known
                    .jdk
                    .map_or_else(|| "-".to_owned(), |jdk| jdk.to_string()),
            )
            .reads(reads)
            .meant(advice),
    );
}
