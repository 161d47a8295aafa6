//! Affinity rules: read by nobody, and said so; what is wrong in the text is said besides.

use super::condition::root_map;
use super::fields::{self, Field, HEADER, Shape, field};
use super::{Code, Cx, Phrase, Say, found};
use crate::rule::affinity;
use crate::rule::yaml::Node;

const AWARE: [Field; 2] = [field("key", Shape::Text), field("ratio", Shape::Free)];
const RULE: [Field; 1] = [field("affinityAware", Shape::Map(&AWARE))];

pub(super) fn check(cx: &mut Cx<'_>) {
    if cx.rule.text.is_empty() {
        return;
    }
    let parsed = affinity::parse(cx.rule.text, cx.version);
    let Some(document) = cx.document() else {
        return;
    };
    let root = document.root().filter(|root| !root.is_null());
    let Some(root) = root_map(cx, root) else {
        return;
    };
    fields::map(cx, root, &[&RULE, &HEADER]);
    let key = root.entry("affinityAware").map_or(root, |(key, _)| key);
    let at = cx.mark(key);
    cx.add(
        found(Code::RuleNoEffect, at)
            .reads(Say::LintAffinityUnread)
            .meant(Say::LintRegisterAffinity),
    );
    let version = root.get("configVersion").filter(|value| !value.is_null());
    let right = version
        .and_then(Node::as_text)
        .is_some_and(|text| text.starts_with("v3.1"));
    if !right {
        let at = cx.mark(version.unwrap_or(key));
        cx.add(
            found(Code::LintVersionField, at)
                .reads(Say::LintAffinityVersion)
                .meant(Phrase::new(Say::LintWrite).with("text", "configVersion: v3.1")),
        );
    }
    if let Err(error) = parsed {
        cx.refuse_for(&error);
    }
}
