//! Cases for the real routers: near to what operators write, wrong often enough, and no two alike.
//!
//! A case is made of a seed, a kind and a number and of nothing else, so a line of output names it for good. The kinds are
//! the same for all versions where the version has them, and so are the cases.

mod condition;
mod dice;
mod documents;
mod mesh;
mod script;
mod spelling;
mod tag;
mod world;

use serde_json::{Map, Value, json};

use dice::Dice;
use world::World;

/// How often a random case is called, at most.
const CALLS: u64 = 120;

/// What a case is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Condition,
    Yaml,
    Tag,
    Mock,
    RuleUrl,
    Destinations,
    Mesh,
    Script,
    Affinity,
    Updates,
    Mixed,
    Forms,
    Later,
}

/// Every kind with its name and its share of a run, in hundredths.
const KINDS: [(Kind, &str, u64); 13] = [
    (Kind::Condition, "condition", 21),
    (Kind::Yaml, "yaml", 15),
    (Kind::Tag, "tag", 17),
    (Kind::Mock, "mock", 4),
    (Kind::RuleUrl, "url", 6),
    (Kind::Destinations, "multidest", 8),
    (Kind::Mesh, "mesh", 4),
    (Kind::Script, "script", 3),
    (Kind::Affinity, "affinity", 1),
    (Kind::Updates, "lifecycle", 6),
    (Kind::Mixed, "mixed", 7),
    (Kind::Forms, "forms", 6),
    (Kind::Later, "later", 2),
];

impl Kind {
    /// Its name in the id of a case and in the fixtures.
    pub(crate) fn name(self) -> &'static str {
        KINDS
            .iter()
            .find(|(kind, ..)| *kind == self)
            .map_or("", |(_, name, _)| name)
    }

    /// The kind of the case with this number, where the version is one of this line.
    fn of(number: u64, line: &str) -> Self {
        // Kinds alternate: a short run has all of them.
        let mut place = number.wrapping_mul(37) % 100;
        let mut found = Self::Condition;
        for (kind, _, share) in KINDS {
            if place < share {
                found = kind;
                break;
            }
            place -= share;
        }
        let there = match found {
            Self::Mesh => line != "2.7",
            Self::Script => matches!(line, "3.2" | "3.3"),
            Self::Affinity => line == "3.3",
            _ => true,
        };
        if there { found } else { Self::Condition }
    }
}

/// The case of a seed with this number, for a version of this line.
pub(crate) fn case(seed: u64, number: u64, line: &str) -> Value {
    let kind = Kind::of(number, line);
    let mut dice = Dice::new(seed, number);
    let mut case = match kind {
        Kind::Condition => conditions(&mut dice),
        Kind::Yaml => documents::misspelt(&mut dice),
        Kind::Tag => tag::case(&mut dice),
        Kind::Mock => mock(&mut dice),
        Kind::RuleUrl => rule_urls(&mut dice),
        Kind::Destinations => destinations(&mut dice),
        Kind::Mesh => mesh::case(&mut dice),
        Kind::Script => script::case(&mut dice),
        Kind::Affinity => affinity(&mut dice),
        Kind::Updates => updates(&mut dice),
        Kind::Mixed => mixed(&mut dice),
        Kind::Forms => forms(&mut dice),
        Kind::Later => later(&mut dice),
    };
    case.shift_insert(
        0,
        "id".into(),
        json!(format!("{}-{seed}-{number}", kind.name())),
    );
    Value::Object(case)
}

/// A rule in the config center.
fn rule(key: String, content: String) -> Value {
    let fields = [
        ("key", key),
        ("group", "dubbo".to_owned()),
        ("content", content),
    ];
    let fields = fields.map(|(name, text)| (name.to_owned(), Value::String(text)));
    Value::Object(fields.into_iter().collect())
}

fn conditions(dice: &mut Dice) -> Map<String, Value> {
    let mut world = World::new(dice);
    if dice.chance(6) {
        world.call_generic(dice);
    }
    if dice.chance(4) {
        let value = dice.text(&[
            "-service",
            "-app",
            "-default",
            "-tag",
            "condition",
            "-provider-app",
            "tag,-tag",
            "-mock",
            "default",
            "-mesh",
        ]);
        world.consumer.set("router", value);
    }
    let count = dice.weigh(&[(6, 1), (3, 2), (1, 3)]);
    let rules = (0..count)
        .map(|_| {
            let mut rule = documents::condition_rule(dice, &world);
            if dice.chance(3) {
                rule["group"] = json!(dice.word(&["DEFAULT_GROUP", "", "public"]));
            }
            rule
        })
        .collect();
    let mut case = world.case(rules);
    if dice.chance(3) {
        let value = dice.text(&["false", "true", "FALSE", "x"]);
        case.insert(
            "system_properties".into(),
            json!({"dubbo.router.should-fail-fast": value}),
        );
    }
    case
}

fn mock(dice: &mut Dice) -> Map<String, Value> {
    let mut world = World::new(dice);
    for peer in &mut world.providers {
        if dice.chance(35) {
            peer.protocol = "mock".into();
        }
        if dice.chance(15) {
            peer.parameters.set("mock", "return null");
        }
    }
    if dice.chance(65) {
        let values = [
            json!("true"),
            json!("true"),
            json!("true"),
            json!("false"),
            json!("TRUE"),
            json!(""),
            json!("1"),
            json!(true),
            json!(1),
        ];
        world
            .attachments
            .insert("invocation.need.mock".into(), dice.pick(&values).clone());
    }
    if dice.chance(15) {
        world.consumer.set("mock", "true");
    }
    let rules = if dice.chance(25) {
        vec![documents::condition_rule(dice, &world)]
    } else {
        Vec::new()
    };
    world.case(rules)
}

fn rule_urls(dice: &mut Dice) -> Map<String, Value> {
    let world = World::new(dice);
    let urls: Vec<String> = (0..dice.weigh(&[(5, 1), (3, 2), (2, 3)]))
        .map(|_| documents::rule_url(dice, &world))
        .collect();
    let rules = if dice.chance(20) {
        vec![documents::condition_rule(dice, &world)]
    } else {
        Vec::new()
    };
    let mut case = world.case(rules);
    case.insert("router_urls".into(), json!(urls));
    case
}

fn destinations(dice: &mut Dice) -> Map<String, Value> {
    let world = World::new(dice);
    let rules = (0..dice.weigh(&[(4, 1), (1, 2)]))
        .map(|_| {
            let key = documents::Key::new(dice, &world);
            let document = documents::destinations(dice, &world, &key);
            rule(key.of("condition-router"), spelling::write(dice, &document))
        })
        .collect();
    let mut case = world.case(rules);
    case.insert("repeat".into(), json!(CALLS));
    case
}

fn affinity(dice: &mut Dice) -> Map<String, Value> {
    let world = World::new(dice);
    let key = documents::Key::new(dice, &world);
    let document = json!({
        "configVersion": dice.word(&["v3.1", "v3.1", "v3.0"]),
        "scope": key.scope,
        "key": key.name,
        "enabled": dice.chance(95),
        "affinityAware": {"key": dice.word(&["region", "env", "nokey", ""]), "ratio": dice.pick(&[0, 20, 80, 100, 101, -1])},
    });
    let text = spelling::write(dice, &document);
    let mut rules = vec![rule(key.of("affinity-router"), text.clone())];
    if dice.chance(30) {
        rules.push(rule(key.of("condition-router"), text));
    } else if dice.chance(50) {
        rules.push(documents::condition_rule(dice, &world));
    }
    world.case(rules)
}

/// A rule and what comes after it: better ones, broken ones, its removal.
fn updates(dice: &mut Dice) -> Map<String, Value> {
    let mut world = World::new(dice);
    world.ask_for_tag(dice);
    let subject = dice.weigh(&[(5, 0), (3, 1), (1, 2), (2, 3)]);
    let key = documents::Key::new(dice, &world);
    let name = match subject {
        1 => format!("{}.tag-router", world.provider_app),
        2 => format!("{}.script-router", world.provider_app),
        _ => key.of("condition-router"),
    };
    let good = |dice: &mut Dice| {
        let document = match subject {
            1 => tag::document(dice, &world),
            2 => script::document(dice, &world),
            3 if dice.chance(60) => documents::destinations(dice, &world, &key),
            _ => documents::conditions(dice, &world, &key),
        };
        spelling::write(dice, &document)
    };
    let rules = if dice.chance(80) {
        vec![rule(name.clone(), good(dice))]
    } else {
        Vec::new()
    };
    let updates: Vec<Value> = (0..dice.weigh(&[(5, 1), (3, 2), (2, 3)]))
        .map(|_| {
            let content = match dice.weigh(&[(4, 0), (4, 1), (1, 2), (2, 3)]) {
                0 => json!(good(dice)),
                1 => json!(dice.word(&documents::BROKEN)),
                2 => {
                    let text = good(dice);
                    json!(spelling::damage(dice, text))
                }
                _ => Value::Null,
            };
            json!({"key": name, "group": "dubbo", "content": content})
        })
        .collect();
    let mut case = world.case(rules);
    case.insert("updates".into(), json!(updates));
    case.insert("repeat".into(), json!(CALLS / 2));
    case
}

/// Rules of several kinds at once.
fn several(dice: &mut Dice, world: &World) -> Vec<Value> {
    let mut rules: Map<String, Value> = Map::new();
    for _ in 0..dice.weigh(&[(3, 2), (4, 3), (2, 4)]) {
        let one = match dice.weigh(&[(11, 0), (6, 1), (2, 2), (1, 3), (2, 4)]) {
            0 => documents::condition_rule(dice, world),
            1 => {
                let document = tag::document(dice, world);
                rule(
                    format!("{}.tag-router", world.provider_app),
                    spelling::write(dice, &document),
                )
            }
            2 => {
                let document = script::document(dice, world);
                rule(
                    format!("{}.script-router", world.provider_app),
                    spelling::write(dice, &document),
                )
            }
            3 => rule(
                format!("{}.MESHAPPRULE", world.provider_app),
                mesh::text(dice, world),
            ),
            _ => {
                let key = documents::Key::new(dice, world);
                let document = documents::destinations(dice, world, &key);
                rule(key.of("condition-router"), spelling::write(dice, &document))
            }
        };
        rules.insert(one["key"].as_str().unwrap_or_default().to_owned(), one);
    }
    rules.into_iter().map(|(_, rule)| rule).collect()
}

fn mixed(dice: &mut Dice) -> Map<String, Value> {
    let mut world = World::new(dice);
    world.ask_for_tag(dice);
    if dice.chance(5) {
        world.call_generic(dice);
    }
    let rules = several(dice, &world);
    let mut case = world.case(rules);
    case.insert("repeat".into(), json!(CALLS / 2));
    case
}

/// URLs in forms that few write and all must read.
fn forms(dice: &mut Dice) -> Map<String, Value> {
    let mut world = World::new(dice);
    world.deform(dice);
    let mut rules = vec![documents::condition_rule(dice, &world)];
    if !world.has_names() && dice.chance(50) {
        world.ask_for_tag(dice);
        let document = tag::document(dice, &world);
        rules.push(rule(
            format!("{}.tag-router", world.provider_app),
            spelling::write(dice, &document),
        ));
    }
    world.case(rules)
}

/// A second reference of the same application, whose rules may reach the first one.
fn later(dice: &mut Dice) -> Map<String, Value> {
    let mut world = World::new(dice);
    world.ask_for_tag(dice);
    let mut second = World::new(dice);
    if dice.chance(80) {
        second.consumer_app.clone_from(&world.consumer_app);
        second
            .consumer
            .set("application", world.consumer_app.clone());
    }
    let mut rules = several(dice, &world);
    for one in several(dice, &second) {
        if rules.iter().all(|rule| rule["key"] != one["key"]) {
            rules.push(one);
        }
    }
    let mut case = world.case(rules);
    let mut other = second.case(Vec::new());
    for name in ["consumer", "providers"] {
        if let Some(value) = other.remove(name) {
            case.insert(format!("later_{name}"), value);
        }
    }
    case.insert("repeat".into(), json!(CALLS / 2));
    case
}
