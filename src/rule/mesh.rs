//! Mesh rules: `VirtualService` and `DestinationRule` documents of an application (3.0.6 and later).
//!
//! Mirrors `MeshAppRuleListener`, `MeshRuleRouter.onRuleChange` and the classes under `router.mesh.rule`.

use std::sync::Arc;

use super::error::RuleError;
use super::expanded;
use super::lately::Lately;
use super::pojo::{self, Bean, Class, Content, Pojo};
use super::release::snake_yaml;
use super::string_match::{STRING_MATCH, StringMatch};
use super::yaml::{Node, Position, Value, load_all};
use crate::model::version::DubboVersion;

/// A text under a `.MESHAPPRULE` key.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshDocuments {
    /// The documents of the type `standard`, which is the only one that a router applies: those whose
    /// `metadata.name` has no dot (or ends in `.standard`). `None` when there are none: then rules are cleared.
    pub standard: Option<Result<Arc<MeshRules>, RuleError>>,
}

/// The rules of an application.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MeshRules {
    /// `kind: DestinationRule`
    pub destination_rules: Vec<DestinationRule>,
    /// `kind: VirtualService`
    pub virtual_services: Vec<VirtualService>,
}

/// Names for groups of providers. A part that Java would find `null` is `None`.
#[derive(Debug, Clone, PartialEq)]
pub struct DestinationRule {
    /// `spec.subsets`
    pub subsets: Option<Vec<Option<Subset>>>,
    /// Where the document begins.
    pub at: Position,
}

/// A named group of providers.
#[derive(Debug, Clone, PartialEq)]
pub struct Subset {
    /// `name`
    pub name: Option<String>,
    /// `labels`: all must be equal; none fit everybody.
    pub labels: Vec<(Option<String>, Option<String>)>,
    /// Where the subset begins.
    pub at: Position,
}

/// Which calls go to which group.
#[derive(Debug, Clone, PartialEq)]
pub struct VirtualService {
    /// `spec`, `None` when missing; in it `dubbo`.
    pub routes: Option<Vec<Option<Route>>>,
}

/// One entry of `spec.dubbo`.
#[derive(Debug, Clone, PartialEq)]
pub struct Route {
    /// `services`: one must fit; none fit every service.
    pub services: Vec<Option<StringMatch>>,
    /// `routedetail`: the first that fits counts.
    pub details: Vec<Option<RouteDetail>>,
}

/// One entry of `routedetail`.
#[derive(Debug, Clone, PartialEq)]
pub struct RouteDetail {
    /// `match`: all must fit; none fit every call.
    pub matches: Vec<Option<CallMatch>>,
    /// `route`
    pub destinations: Option<Vec<Option<WeightedDestination>>>,
    /// Where the entry begins.
    pub at: Position,
}

/// One entry of `match`.
#[derive(Debug, Clone, PartialEq)]
pub struct CallMatch {
    /// `method`
    pub method: Option<MethodMatch>,
    /// `sourceLabels`: parameters of the consumer.
    pub source_labels: Vec<(Option<String>, Option<String>)>,
    /// `attachments.dubboContext`
    pub attachments: Vec<(Option<String>, Option<StringMatch>)>,
    /// `attachments.tracingContext` has entries, which never fit without a tracing extension.
    pub needs_tracing: bool,
}

/// `method`
#[derive(Debug, Clone, PartialEq)]
pub struct MethodMatch {
    /// `name_match`
    pub name: Option<StringMatch>,
    /// `argc`
    pub count: Option<i32>,
    /// `argp`: the types.
    pub types: Vec<Option<StringMatch>>,
    /// `args`: the values.
    pub arguments: Vec<Option<ArgumentMatch>>,
}

/// One entry of `args`.
#[derive(Debug, Clone, PartialEq)]
pub struct ArgumentMatch {
    /// `index`
    pub index: i32,
    /// What is asked of the value.
    pub value: Option<ValueMatch>,
}

/// `str_value`, `num_value` or `bool_value`; the first one that is set.
#[derive(Debug, Clone, PartialEq)]
pub enum ValueMatch {
    /// One of them; `None` when `oneof` is missing, which fails.
    Text(Option<Vec<Option<StringMatch>>>),
    /// One of them.
    Number(Option<Vec<Option<NumberMatch>>>),
    /// `exact`
    Flag(Option<bool>),
}

/// `DoubleMatch`
#[derive(Debug, Clone, PartialEq)]
pub struct NumberMatch {
    /// `exact`
    pub exact: Option<f64>,
    /// `range`: from (inclusive) and to (exclusive).
    pub range: Option<(Option<f64>, Option<f64>)>,
    /// `mod`: `exact` is compared with the remainder.
    pub modulus: Option<f64>,
}

/// One entry of `route`.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightedDestination {
    /// `destination`
    pub destination: Option<Destination>,
    /// `weight`; below 1 counts as 1.
    pub weight: i32,
}

/// `destination`
#[derive(Debug, Clone, PartialEq)]
pub struct Destination {
    /// `subset`
    pub subset: Option<String>,
    /// `fallback.destination`, which is tried when the subset has nobody.
    pub fallback: Option<Box<Destination>>,
}

const TEXTS: Class = Class::List(&Class::Text);
const LABELS: Class = Class::Map(&Class::Text, &Class::Text);
const STRING: Class = Class::Bean(&STRING_MATCH);
const STRINGS: Class = Class::Map(&Class::Text, &STRING);
const RANGE: Bean = Bean(&[("start", Class::BoxedDouble), ("end", Class::BoxedDouble)]);
const NUMBER: Bean = Bean(&[
    ("exact", Class::BoxedDouble),
    ("range", Class::Bean(&RANGE)),
    ("mod", Class::BoxedDouble),
]);
const ARGUMENT: Bean = Bean(&[
    ("index", Class::Int),
    ("type", Class::Text),
    (
        "str_value",
        Class::Bean(&Bean(&[("oneof", Class::List(&STRING))])),
    ),
    (
        "num_value",
        Class::Bean(&Bean(&[("oneof", Class::List(&Class::Bean(&NUMBER)))])),
    ),
    (
        "bool_value",
        Class::Bean(&Bean(&[("exact", Class::BoxedBoolean)])),
    ),
]);
const METHOD: Bean = Bean(&[
    ("name_match", STRING),
    ("argc", Class::BoxedInteger),
    ("args", Class::List(&Class::Bean(&ARGUMENT))),
    ("argp", Class::List(&STRING)),
    ("headers", STRINGS),
]);
const REQUEST: Bean = Bean(&[
    ("name", Class::Text),
    ("method", Class::Bean(&METHOD)),
    ("sourceLabels", LABELS),
    (
        "attachments",
        Class::Bean(&Bean(&[
            ("tracingContext", STRINGS),
            ("dubboContext", STRINGS),
        ])),
    ),
    ("headers", STRINGS),
]);
static DESTINATION: Bean = Bean(&[
    ("host", Class::Text),
    ("subset", Class::Text),
    ("port", Class::Int),
    ("fallback", Class::Bean(&WEIGHTED)),
]);
static WEIGHTED: Bean = Bean(&[
    ("destination", Class::Bean(&DESTINATION)),
    ("weight", Class::Int),
]);
static DETAIL: Bean = Bean(&[
    ("name", Class::Text),
    ("match", Class::List(&Class::Bean(&REQUEST))),
    ("route", Class::List(&Class::Bean(&WEIGHTED))),
]);
static ROUTE: Bean = Bean(&[
    ("name", Class::Text),
    ("services", Class::List(&STRING)),
    ("routedetail", Class::List(&Class::Bean(&DETAIL))),
]);
static VIRTUAL_SERVICE: Bean = Bean(&[
    ("apiVersion", Class::Text),
    ("kind", Class::Text),
    ("metadata", LABELS),
    (
        "spec",
        Class::Bean(&Bean(&[
            ("hosts", TEXTS),
            ("dubbo", Class::List(&Class::Bean(&ROUTE))),
        ])),
    ),
]);
const SUBSET: Bean = Bean(&[("name", Class::Text), ("labels", LABELS)]);
/// Read and without effect, but a map in place of `simple` refuses the document.
const TRAFFIC_POLICY: Bean = Bean(&[(
    "loadBalancer",
    Class::Bean(&Bean(&[
        ("simple", Class::Enum),
        ("consistentHash", Class::Bean(&Bean(&[]))),
    ])),
)]);
const DESTINATION_RULE: Bean = Bean(&[
    ("apiVersion", Class::Text),
    ("kind", Class::Text),
    ("metadata", LABELS),
    (
        "spec",
        Class::Bean(&Bean(&[
            ("host", Class::Text),
            ("subsets", Class::List(&Class::Bean(&SUBSET))),
            ("trafficPolicy", Class::Bean(&TRAFFIC_POLICY)),
        ])),
    ),
]);

/// Reads a text as a consumer of that version does. An error leaves in force what was there.
pub fn parse(text: &str, version: &DubboVersion) -> Result<MeshDocuments, RuleError> {
    thread_local! {
        static LATELY: Lately<DubboVersion, Result<MeshDocuments, RuleError>> = const { Lately::new() };
    }
    LATELY.with(|lately| lately.or_read(text, version, || read(text, version)))
}

fn read(text: &str, version: &DubboVersion) -> Result<MeshDocuments, RuleError> {
    let documents = load_all(text, snake_yaml(version))?;
    let mut standard = Vec::new();
    for root in documents.iter().filter_map(super::yaml::Document::root) {
        if let Value::Map(_) = root.value()
            && rule_type(root)?.as_deref() == Some("standard")
        {
            standard.push(root);
        }
    }
    let standard = (!standard.is_empty()).then(|| {
        let parts = ["metadata", "spec"];
        let parts = standard
            .iter()
            .flat_map(|root| parts.map(|name| root.get(name)));
        expanded::check(text.len(), parts.flatten())?;
        rules(&standard, version).map(Arc::new)
    });
    Ok(MeshDocuments { standard })
}

/// `computeRuleType`; `None` is logged and left out.
fn rule_type(root: Node<'_>) -> Result<Option<String>, RuleError> {
    let Some(metadata) = root.get("metadata") else {
        return Ok(None);
    };
    match metadata.value() {
        Value::Map(entries) if entries.len() > 0 => {}
        _ => return Ok(None),
    }
    let at = metadata.start();
    let Some(name) = metadata.get("name").filter(|name| !name.is_null()) else {
        return Err(RuleError::null("`metadata` has no `name`", Some(at)));
    };
    let Some(name) = name.as_text() else {
        return Err(RuleError::cast(
            "`metadata.name` must be a text: put it in quotes",
            name.start(),
        ));
    };
    Ok(Some(
        name.split_once('.')
            .map_or("standard", |(_, kind)| kind)
            .to_owned(),
    ))
}

fn rules(roots: &[Node<'_>], version: &DubboVersion) -> Result<MeshRules, RuleError> {
    let mut rules = MeshRules::default();
    for root in roots {
        match root.get("kind").and_then(Node::as_text) {
            Some("DestinationRule") => {
                rules
                    .destination_rules
                    .push(destination_rule(&pojo::object(*root, &DESTINATION_RULE)?));
            }
            Some("VirtualService") => {
                let object = pojo::object(*root, &VIRTUAL_SERVICE)?;
                let routes = object.field("spec").map(|spec| {
                    items(spec, "dubbo", |route| self::route(route, version)).unwrap_or_default()
                });
                rules.virtual_services.push(VirtualService { routes });
            }
            _ => {}
        }
    }
    Ok(rules)
}

impl MeshRules {
    /// Without both kinds the rules that were in force stay (`VsDestinationGroup.isValid`).
    pub fn is_valid(&self) -> bool {
        !self.destination_rules.is_empty() && !self.virtual_services.is_empty()
    }
}

/// The items of a list; `None` when the list is `null`.
fn items<T>(object: &Pojo, name: &str, of: impl Fn(&Pojo) -> T) -> Option<Vec<Option<T>>> {
    Some(
        object
            .list(name)?
            .iter()
            .map(|item| item.as_ref().map(&of))
            .collect(),
    )
}

fn text_of(pojo: &Pojo) -> Option<String> {
    match &pojo.content {
        Content::Text(text) => Some(text.clone()),
        _ => None,
    }
}

fn labels(object: &Pojo, name: &str) -> Vec<(Option<String>, Option<String>)> {
    let entries = object.map(name).unwrap_or_default();
    entries
        .iter()
        .map(|(key, value)| (key.clone(), value.as_ref().and_then(text_of)))
        .collect()
}

fn destination_rule(object: &Pojo) -> DestinationRule {
    let subsets = object.field("spec").and_then(|spec| {
        items(spec, "subsets", |subset| Subset {
            name: subset.text("name").map(str::to_owned),
            labels: labels(subset, "labels"),
            at: subset.at,
        })
    });
    DestinationRule {
        subsets,
        at: object.at,
    }
}

fn route(object: &Pojo, version: &DubboVersion) -> Route {
    Route {
        services: items(object, "services", |it| StringMatch::from_pojo(it, version))
            .unwrap_or_default(),
        details: items(object, "routedetail", |it| detail(it, version)).unwrap_or_default(),
    }
}

fn detail(object: &Pojo, version: &DubboVersion) -> RouteDetail {
    RouteDetail {
        matches: items(object, "match", |it| request(it, version)).unwrap_or_default(),
        destinations: items(object, "route", |it| WeightedDestination {
            destination: it.field("destination").map(destination),
            weight: it.int("weight").unwrap_or_default(),
        }),
        at: object.at,
    }
}

fn destination(object: &Pojo) -> Destination {
    let fallback = object
        .field("fallback")
        .and_then(|fallback| fallback.field("destination"));
    Destination {
        subset: object.text("subset").map(str::to_owned),
        fallback: fallback.map(|fallback| Box::new(destination(fallback))),
    }
}

fn request(object: &Pojo, version: &DubboVersion) -> CallMatch {
    let attachments = object.field("attachments");
    let entries = |name: &str| attachments.and_then(|it| it.map(name)).unwrap_or_default();
    CallMatch {
        method: object.field("method").map(|method| MethodMatch {
            name: method
                .field("name_match")
                .map(|it| StringMatch::from_pojo(it, version)),
            count: method.int("argc"),
            types: items(method, "argp", |it| StringMatch::from_pojo(it, version))
                .unwrap_or_default(),
            arguments: items(method, "args", |it| argument(it, version)).unwrap_or_default(),
        }),
        source_labels: labels(object, "sourceLabels"),
        attachments: entries("dubboContext")
            .iter()
            .map(|(key, value)| {
                (
                    key.clone(),
                    value
                        .as_ref()
                        .map(|value| StringMatch::from_pojo(value, version)),
                )
            })
            .collect(),
        needs_tracing: !entries("tracingContext").is_empty(),
    }
}

fn argument(object: &Pojo, version: &DubboVersion) -> ArgumentMatch {
    let value = if let Some(texts) = object.field("str_value") {
        Some(ValueMatch::Text(items(texts, "oneof", |it| {
            StringMatch::from_pojo(it, version)
        })))
    } else if let Some(numbers) = object.field("num_value") {
        Some(ValueMatch::Number(items(numbers, "oneof", |it| {
            NumberMatch {
                exact: it.double("exact"),
                range: it
                    .field("range")
                    .map(|range| (range.double("start"), range.double("end"))),
                modulus: it.double("mod"),
            }
        })))
    } else {
        object
            .field("bool_value")
            .map(|flag| ValueMatch::Flag(flag.flag("exact")))
    };
    ArgumentMatch {
        index: object.int("index").unwrap_or_default(),
        value,
    }
}
