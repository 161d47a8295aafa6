//! Mesh rules: `VirtualService` and `DestinationRule`.

use std::collections::BTreeSet;

use super::condition::root_map;
use super::fields::{self, Field, Shape, field, nearest};
use super::tag::STRING_MATCH;
use super::{Code, Cx, Phrase, Say, found};
use crate::rule::mesh;
use crate::rule::release::snake_yaml;
use crate::rule::yaml::{Document, Node, load_all};

const ONE_OF_TEXTS: [Field; 1] = [field("oneof", Shape::Maps(&STRING_MATCH))];
const RANGE: [Field; 2] = [field("start", Shape::Decimal), field("end", Shape::Decimal)];
const NUMBER: [Field; 3] = [
    field("exact", Shape::Decimal),
    field("range", Shape::Map(&RANGE)),
    field("mod", Shape::Decimal),
];
const ONE_OF_NUMBERS: [Field; 1] = [field("oneof", Shape::Maps(&NUMBER))];
const FLAG: [Field; 1] = [field("exact", Shape::Free)];
const ARGUMENT: [Field; 5] = [
    field("index", Shape::Free),
    field("type", Shape::Text),
    field("str_value", Shape::Map(&ONE_OF_TEXTS)),
    field("num_value", Shape::Map(&ONE_OF_NUMBERS)),
    field("bool_value", Shape::Map(&FLAG)),
];
const METHOD: [Field; 5] = [
    field("name_match", Shape::Map(&STRING_MATCH)),
    field("argc", Shape::Integer),
    field("args", Shape::Maps(&ARGUMENT)),
    field("argp", Shape::Maps(&STRING_MATCH)),
    field("headers", Shape::Free),
];
const CONTEXTS: [Field; 2] = [
    field("tracingContext", Shape::Free),
    field("dubboContext", Shape::Free),
];
const REQUEST: [Field; 5] = [
    field("name", Shape::Text),
    field("method", Shape::Map(&METHOD)),
    field("sourceLabels", Shape::TextMap),
    field("attachments", Shape::Map(&CONTEXTS)),
    field("headers", Shape::Free),
];
static DESTINATION: [Field; 4] = [
    field("host", Shape::Text),
    field("subset", Shape::Text),
    field("port", Shape::Free),
    field("fallback", Shape::Map(&WEIGHTED)),
];
static WEIGHTED: [Field; 2] = [
    field("destination", Shape::Map(&DESTINATION)),
    field("weight", Shape::Free),
];
static DETAIL: [Field; 3] = [
    field("name", Shape::Text),
    field("match", Shape::Maps(&REQUEST)),
    field("route", Shape::Maps(&WEIGHTED)),
];
static ROUTE: [Field; 3] = [
    field("name", Shape::Text),
    field("services", Shape::Maps(&STRING_MATCH)),
    field("routedetail", Shape::Maps(&DETAIL)),
];
static VIRTUAL: [Field; 2] = [
    field("hosts", Shape::Texts),
    field("dubbo", Shape::Maps(&ROUTE)),
];
const SUBSET: [Field; 2] = [field("name", Shape::Text), field("labels", Shape::TextMap)];
const SUBSETS: [Field; 3] = [
    field("host", Shape::Text),
    field("subsets", Shape::Maps(&SUBSET)),
    field("trafficPolicy", Shape::Free),
];
const HEAD: [Field; 3] = [
    field("apiVersion", Shape::Text),
    field("kind", Shape::Text),
    field("metadata", Shape::TextMap),
];
static OF_VIRTUAL: [Field; 1] = [field("spec", Shape::Map(&VIRTUAL))];
const OF_DESTINATION: [Field; 1] = [field("spec", Shape::Map(&SUBSETS))];

const KINDS: [&str; 2] = ["VirtualService", "DestinationRule"];

pub(super) fn check(cx: &mut Cx<'_>) {
    if cx.rule.text.is_empty() {
        return;
    }
    let documents = match load_all(cx.rule.text, snake_yaml(cx.version)) {
        Ok(documents) => documents,
        Err(error) => return cx.yaml_error(&error),
    };
    let mut roots = Vec::new();
    for document in &documents {
        super::visible::scalars(cx, document.root());
        fields::duplicates(cx, document);
        let root = document.root().filter(|root| !root.is_null());
        if let Some(root) = root {
            roots.push(root);
        }
    }
    if roots.is_empty() {
        root_map(
            cx,
            documents
                .first()
                .and_then(Document::root)
                .filter(|root| !root.is_null()),
        );
        return;
    }
    for root in &roots {
        shape(cx, *root);
    }
    if !cx.version.at_least([3, 0, 6]) {
        let at = cx.mark(roots[0]);
        cx.add(
            found(Code::RuleNoEffect, at)
                .reads(Say::LintNobodyReads)
                .meant(Phrase::new(Say::LintReadSince).with("version", "3.0.6")),
        );
        return;
    }
    match mesh::parse(cx.rule.text, cx.version) {
        Err(error) => cx.refuse_for(&error),
        Ok(read) => match read.standard {
            None => {
                let at = cx.mark(roots[0]);
                cx.add(found(Code::RuleNoEffect, at).reads(Say::LintMeshNoStandard));
            }
            Some(Err(error)) => cx.refuse_for(&error),
            Some(Ok(rules)) if !rules.is_valid() => {
                let at = cx.mark(roots[0]);
                cx.add(found(Code::RuleNoEffect, at).reads(Say::LintMeshOneKind));
            }
            Some(Ok(_)) => subsets(cx, &roots),
        },
    }
}

fn shape(cx: &mut Cx<'_>, root: Node<'_>) {
    let kind = root.get("kind");
    let name = kind.and_then(Node::as_text).unwrap_or_default();
    match name {
        "VirtualService" => fields::map(cx, root, &[&OF_VIRTUAL, &HEAD]),
        "DestinationRule" => fields::map(cx, root, &[&OF_DESTINATION, &HEAD]),
        _ => {
            let at = cx.mark(kind.unwrap_or(root));
            let mut remark = found(Code::RuleNoEffect, at).reads(Say::LintMeshKind);
            if let Some(near) = nearest(name, KINDS.into_iter()) {
                remark = remark.meant(Phrase::new(Say::LintDidYouMean).with("near", near));
            }
            cx.add(remark);
        }
    }
}

/// Names that are compared to find the one that was meant.
const MOST_NEAR: usize = 20_000;

/// Subsets that a route names and no `DestinationRule` has.
fn subsets(cx: &mut Cx<'_>, roots: &[Node<'_>]) {
    let spec = |kind: &'static str| {
        roots
            .iter()
            .filter(move |root| root.get("kind").and_then(Node::as_text) == Some(kind))
            .filter_map(|root| root.get("spec"))
    };
    let known: BTreeSet<&str> = spec("DestinationRule")
        .filter_map(|spec| spec.get("subsets"))
        .flat_map(Node::items)
        .filter_map(|subset| subset.get("name")?.as_text())
        .collect();
    let named = spec("VirtualService")
        .filter_map(|spec| spec.get("dubbo"))
        .flat_map(Node::items)
        .filter_map(|route| route.get("routedetail"))
        .flat_map(Node::items)
        .filter_map(|detail| detail.get("route"))
        .flat_map(Node::items)
        .filter_map(|route| route.get("destination")?.get("subset"));
    let mut seen = BTreeSet::new();
    let mut budget = MOST_NEAR;
    for node in named {
        let Some(name) = node.as_text() else { continue };
        if known.contains(name) || !seen.insert(node.id()) {
            continue;
        }
        let at = cx.mark(node);
        let mut remark = found(Code::RuleNoEffect, at).reads(Say::LintMeshSubset);
        budget = budget.saturating_sub(known.len());
        if budget > 0
            && let Some(near) = nearest(name, known.iter().copied())
        {
            remark = remark.meant(Phrase::new(Say::LintDidYouMean).with("near", near));
        }
        cx.add(remark);
    }
}
