//! Migration rules: which of the two discovery models an application's consumers use.

use super::condition::root_map;
use super::fields::{self, Field, Shape, field, nearest};
use super::{Code, Cx, Phrase, Say, found};
use crate::rule::migration::{self, MigrationSettings, Step, SubRule};
use crate::rule::yaml::Node;

const SUB: [Field; 6] = [
    field("serviceKey", Shape::Text),
    field("step", Shape::Free),
    field("threshold", Shape::Free),
    field("proportion", Shape::Free),
    field("delay", Shape::Free),
    field("force", Shape::Flag),
];
const RULE: [Field; 8] = [
    field("key", Shape::Text),
    field("step", Shape::Free),
    field("threshold", Shape::Free),
    field("proportion", Shape::Free),
    field("delay", Shape::Free),
    field("force", Shape::Flag),
    field("interfaces", Shape::Maps(&SUB)),
    field("applications", Shape::Maps(&SUB)),
];

pub(super) fn check(cx: &mut Cx<'_>) {
    // Without text the state of the start counts.
    if cx.rule.text.is_empty() {
        return;
    }
    let parsed = migration::parse(cx.rule.text, cx.version);
    let Some(document) = cx.document() else {
        return;
    };
    let root = document.root().filter(|root| !root.is_null());
    let Some(root) = root_map(cx, root) else {
        return;
    };
    fields::map(cx, root, &[&RULE]);
    if !cx.version.line().is_3x() {
        let at = cx.mark(root.entry("step").map_or(root, |(_, value)| value));
        cx.add(found(Code::MigrationRuleBroken, at).reads(Say::LintMigration27));
        return;
    }
    let rule = match parsed {
        Ok(rule) => rule,
        Err(error) => {
            cx.refuse_for(&error);
            step_near(cx, root);
            return;
        }
    };
    let empty = rule.settings == MigrationSettings::default()
        && rule.interfaces.as_deref().unwrap_or_default().is_empty()
        && rule.applications.as_deref().unwrap_or_default().is_empty();
    if empty {
        let at = cx.mark(root);
        cx.add(found(Code::MigrationRuleBroken, at).reads(Say::LintMigrationEmpty));
    }
    for (name, parts) in [
        ("interfaces", &rule.interfaces),
        ("applications", &rule.applications),
    ] {
        let nodes = root.get(name).into_iter().flat_map(Node::items);
        for (part, node) in parts.iter().flatten().zip(nodes) {
            sub_rule(cx, part, node, name == "interfaces");
        }
    }
}

fn sub_rule(cx: &mut Cx<'_>, part: &SubRule, node: Node<'_>, interface: bool) {
    let value = node.get("serviceKey");
    let at = cx.mark(value.unwrap_or(node));
    match part.service_key.as_deref() {
        None => cx.add(found(Code::MigrationRuleBroken, at).reads(Say::LintMigrationNoKey)),
        Some(key) if interface && key.contains('/') => {
            let bare = key.rsplit('/').next().unwrap_or(key);
            cx.add(
                found(Code::MigrationRuleBroken, at)
                    .reads(Say::LintMigrationGroup)
                    .meant(Phrase::new(Say::LintWrite).with("text", bare)),
            );
        }
        Some(_) => {}
    }
}

/// A step in another spelling.
fn step_near(cx: &mut Cx<'_>, root: Node<'_>) {
    let Some(value) = root.get("step") else {
        return;
    };
    let Some(text) = value.written() else { return };
    let near = nearest(text, Step::ALL.into_iter().map(Step::as_str));
    if let Some(near) = near.filter(|near| *near != text)
        && let Some(refusal) = cx
            .remarks
            .iter_mut()
            .rev()
            .find(|remark| remark.code == Code::RuleUnparsed)
    {
        refusal.meant = Some(Phrase::new(Say::LintDidYouMean).with("near", near));
    }
}
