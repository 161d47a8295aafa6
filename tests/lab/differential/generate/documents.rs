//! Condition rules in their three forms: documents, documents with destinations, and URLs of old registries.

use serde_json::{Map, Value, json};

use super::condition::{self, Side};
use super::dice::Dice;
use super::world::{INTERFACE, World};
use super::{rule, script, spelling, tag};

/// Texts that are no rules, or nearly none.
pub(super) const BROKEN: [&str; 24] = [
    "conditions:\n  - a==b => c=d\n",
    "conditions: []\n",
    "conditions:\n",
    "force: true\n",
    "- a\n- b\n",
    "",
    " ",
    "conditions:\n\t- x",
    "enabled: false\nconditions:\n  - ' => '\n",
    "configVersion: v3.1\nconditions:\n  - from:\n      match: a==b\n    to:\n      - match: c=d\n",
    "configVersion: v3.2\nconditions:\n  - '=> '\n",
    "configVersion: v3.1\nconditions: []\n",
    "configVersion: v3.1\nenabled: false\nconditions: []\n",
    "tags: []\n",
    "tags:\n  - name: gray\n",
    "force: true\nenabled: false\ntags:\n  - name: gray\n    addresses: [0.0.0.0:20880]\n",
    "type: groovy\nscript: x\n",
    "script: 'function('\n",
    "script: null\n",
    "key: x\nscope: service\n",
    "enabled: true\n",
    "valid: false\nconditions:\n  - '=> '\n",
    "null\n",
    "{}\n",
];

/// The name of what a condition rule is for.
pub(super) struct Key {
    pub(super) name: String,
    pub(super) scope: &'static str,
}

impl Key {
    /// Mostly one that is read.
    pub(super) fn new(dice: &mut Dice, world: &World) -> Self {
        let (version, group) = (
            world.version.unwrap_or_default(),
            world.group.unwrap_or_default(),
        );
        let service = |name: String| Self {
            name,
            scope: "service",
        };
        let application = |name: &str| Self {
            name: name.to_owned(),
            scope: "application",
        };
        match dice.number(0..=99) {
            0..=43 => service(format!("{INTERFACE}:{version}:{group}")),
            44..=77 => application(&world.consumer_app),
            78..=91 => application(&world.provider_app),
            92 | 93 => service(INTERFACE.to_owned()),
            94 | 95 => service(format!("{INTERFACE}:{version}")),
            96 | 97 => service(format!("{group}*{INTERFACE}:{version}")),
            _ => application("elsewhere"),
        }
    }

    /// The key of a rule of this kind.
    pub(super) fn of(&self, kind: &str) -> String {
        format!("{}.{kind}", self.name)
    }
}

/// Fields that every document may have.
fn head(dice: &mut Dice, key: &Key) -> Map<String, Value> {
    let mut fields = Map::new();
    if dice.chance(70) {
        let scope = if dice.chance(90) {
            key.scope
        } else {
            dice.word(&["service", "application", "global"])
        };
        fields.insert("scope".into(), json!(scope));
    }
    if dice.chance(70) {
        fields.insert("force".into(), json!(dice.chance(55)));
    }
    if dice.chance(50) {
        fields.insert("runtime".into(), json!(dice.chance(60)));
    }
    if dice.chance(50) {
        fields.insert("enabled".into(), json!(dice.chance(93)));
    }
    if dice.chance(30) {
        fields.insert("priority".into(), json!(dice.pick(&[0, 1, 5, -1])));
    }
    if dice.chance(70) {
        fields.insert("key".into(), json!(key.name));
    }
    if dice.chance(10) {
        fields.insert("dynamic".into(), json!(true));
    }
    fields
}

/// A document with conditions as texts.
pub(super) fn conditions(dice: &mut Dice, world: &World, key: &Key) -> Value {
    let mut fields = head(dice, key);
    if dice.chance(30) {
        let version = dice.text(&["v3.0", "v3.0", "v2.7", "3.0", "v3.05"]);
        fields.shift_insert(0, "configVersion".into(), json!(version));
    }
    let count = dice.weigh(&[(5, 1), (4, 2), (2, 3), (1, 5)]);
    let texts: Vec<String> = (0..count).map(|_| condition::text(dice, world)).collect();
    fields.insert("conditions".into(), json!(texts));
    Value::Object(fields)
}

/// A rule of that form under a key that is mostly read.
pub(super) fn condition_rule(dice: &mut Dice, world: &World) -> Value {
    let key = Key::new(dice, world);
    let document = conditions(dice, world, &key);
    rule(key.of("condition-router"), spelling::write(dice, &document))
}

/// A document that sends calls to several destinations by weight (3.3).
pub(super) fn destinations(dice: &mut Dice, world: &World, key: &Key) -> Value {
    let mut fields = head(dice, key);
    let version = dice.text(&[
        "v3.1", "v3.1", "v3.1", "v3.1", "v3.1", "v3.1", "v3.1", "v3.1", "V3.1", "v3.1.0", "v3.2",
        "v4", "3.1",
    ]);
    fields.shift_insert(0, "configVersion".into(), json!(version));
    let entries: Vec<Value> = (0..dice.weigh(&[(5, 1), (4, 2), (2, 3)]))
        .map(|_| entry(dice, world))
        .collect();
    let first = entries[0].clone();
    fields.insert("conditions".into(), json!(entries));
    if dice.chance(5) {
        fields.insert(
            "affinityAware".into(),
            json!({"key": "region", "ratio": 20}),
        );
    }
    if dice.chance(3) {
        let odd = [
            json!([]),
            Value::Null,
            json!("x"),
            json!([first, "=> host=*"]),
            json!(["=> host=*"]),
            json!([null]),
            json!([[]]),
        ];
        fields.insert("conditions".into(), dice.pick(&odd).clone());
    }
    Value::Object(fields)
}

fn entry(dice: &mut Dice, world: &World) -> Value {
    let mut entry = Map::new();
    match dice.number(0..=19) {
        0..=16 => {
            entry.insert(
                "from".into(),
                json!({"match": match_text(dice, world, Side::When)}),
            );
        }
        17 | 18 => {
            let odd = [
                json!({}),
                json!({"match": null}),
                Value::Null,
                json!({"match": 1}),
                json!("x"),
            ];
            entry.insert("from".into(), dice.pick(&odd).clone());
        }
        _ => {}
    }
    match dice.number(0..=19) {
        0..=17 => {
            let to: Vec<Value> = (0..dice.weigh(&[(3, 1), (5, 2), (4, 3)]))
                .map(|_| {
                    let mut one = json!({"match": match_text(dice, world, Side::Then)});
                    if dice.chance(60) {
                        one["weight"] = json!(dice.pick(&[100, 100, 200, 300, 50, 1, 0, -5]));
                    }
                    if dice.chance(2) {
                        one["weight"] = dice
                            .pick(&[json!("abc"), json!(1.5), Value::Null, json!("30")])
                            .clone();
                    }
                    one
                })
                .collect();
            entry.insert("to".into(), json!(to));
        }
        18 => {
            let odd = [
                json!([]),
                Value::Null,
                json!([{}]),
                json!({"match": ""}),
                json!([null]),
            ];
            entry.insert("to".into(), dice.pick(&odd).clone());
        }
        _ => {}
    }
    for (name, value, percent) in [
        ("trafficDisable", json!(true), 5),
        ("ratio", json!(50), 7),
        ("priority", json!(2), 7),
        ("force", json!(true), 5),
        ("disable", json!(true), 3),
    ] {
        if dice.chance(percent) {
            entry.insert(name.into(), value);
        }
    }
    Value::Object(entry)
}

/// One side of an entry with destinations: shorter than in a condition, so that some calls go through all of them.
fn match_text(dice: &mut Dice, world: &World, side: Side) -> String {
    let peer = world.peer(dice);
    let term = |key: &str, value: &str| format!("{key}={value}");
    match (side, dice.number(0..=19)) {
        (Side::When, 0..=8) => dice.text(&["", "", "true", " ", "false"]),
        (Side::When, 9..=12) => dice
            .pick(&[
                term("host", &world.consumer_host),
                term("application", &world.consumer_app),
                term("method", &world.method),
                term("side", "consumer"),
            ])
            .clone(),
        (Side::Then, 0 | 1) => dice.text(&["", "", "true", "false", " "]),
        (Side::Then, 2..=13) => {
            let region = peer.parameters.value("region").unwrap_or("north");
            let env = peer.parameters.value("env").unwrap_or("gray");
            let text = dice
                .pick(&[
                    term("host", &peer.host),
                    term("port", &peer.port),
                    term("region", region),
                    term("env", env),
                    term("region", region),
                    term("env", env),
                    term("region!", region),
                    term("region", "$region"),
                ])
                .clone();
            if dice.chance(10) {
                text.replace('=', " = ")
            } else {
                text
            }
        }
        _ => {
            let text = condition::side(dice, world, side);
            if dice.chance(4) {
                dice.pick(&[
                    format!("&&{text}"),
                    format!("{text}=="),
                    format!("{text} => {text}"),
                ])
                .clone()
            } else {
                text
            }
        }
    }
}

/// A rule in the registry, as versions before 2.7 wrote them.
pub(super) fn rule_url(dice: &mut Dice, world: &World) -> String {
    let mut protocol = dice.text(&[
        "condition",
        "condition",
        "condition",
        "condition",
        "condition",
        "condition",
        "route",
        "route",
        "script",
        "tag",
        "app",
        "service",
        "empty",
        "mock",
        "unknown",
    ]);
    let mut parameters = vec![("category", "routers".to_owned())];
    let mut text = condition::text(dice, world);
    if protocol == "script" {
        parameters.push(("type", "javascript".into()));
        text = script::text(dice, world);
    }
    if protocol == "route" {
        let router = dice.text(&["condition", "condition", "script", "", "unknown"]);
        if router == "script" {
            parameters.push(("type", "javascript".into()));
            text = script::text(dice, world);
        }
        parameters.push(("router", router));
    }
    if dice.chance(97) {
        parameters.push(("rule", text));
    }
    for (name, values, percent) in [
        ("force", ["true", "false", "true", "x"].as_slice(), 60),
        (
            "priority",
            ["0", "1", "2", "160", "-200", "a"].as_slice(),
            50,
        ),
        ("runtime", ["true", "false"].as_slice(), 50),
        ("enabled", ["true", "true", "false"].as_slice(), 20),
        ("dynamic", ["false"].as_slice(), 20),
        ("name", ["one", "two"].as_slice(), 20),
    ] {
        if dice.chance(percent) {
            parameters.push((name, dice.text(values)));
        }
    }
    if dice.chance(2) {
        protocol = protocol.to_uppercase();
    }
    let query: Vec<String> = parameters
        .iter()
        .map(|(name, value)| format!("{name}={}", diag::model::url::encode(value)))
        .collect();
    format!("{protocol}://0.0.0.0/{INTERFACE}?{}", query.join("&"))
}

/// A document of conditions or tags that somebody typed: fields of odd types, and YAML in all its spellings.
pub(super) fn misspelt(dice: &mut Dice) -> Map<String, Value> {
    let mut world = World::new(dice);
    if dice.chance(65) {
        let key = Key::new(dice, &world);
        let mut document = conditions(dice, &world, &key);
        for _ in 0..dice.weigh(&[(4, 0), (5, 1), (2, 2)]) {
            let (name, values) = dice.pick(&odd_fields()).clone();
            document[name] = dice.pick(&values).clone();
        }
        if dice.chance(3)
            && let Some(fields) = document.as_object_mut()
        {
            fields.shift_remove("conditions");
        }
        let text = spelling::write_freely(dice, &document);
        return world.case(vec![rule(key.of("condition-router"), text)]);
    }
    world.ask_for_tag(dice);
    let mut document = tag::document(dice, &world);
    if dice.chance(60) {
        tag::spoil(dice, &mut document);
    }
    let text = spelling::write_freely(dice, &document);
    world.case(vec![rule(
        format!("{}.tag-router", world.provider_app),
        text,
    )])
}

/// Values that a field should not have.
fn odd_fields() -> Vec<(&'static str, Vec<Value>)> {
    let truth = || {
        vec![
            Value::Null,
            json!("yes"),
            json!("1"),
            json!(1),
            json!(0),
            json!("true "),
            json!([true]),
            json!("TRUE"),
            json!({}),
            json!("off"),
            json!("false"),
            json!(1.0),
        ]
    };
    vec![
        (
            "conditions",
            vec![
                Value::Null,
                json!("=> host = *"),
                json!([]),
                json!([null]),
                json!([1, 2]),
                json!({"a": "b"}),
                json!([["a=b => c=d"]]),
                json!([true, "=> "]),
                json!([{"from": {"match": ""}}]),
                json!([1.5]),
                json!("x"),
            ],
        ),
        ("force", truth()),
        ("enabled", truth()),
        ("runtime", truth()),
        ("dynamic", truth()),
        ("valid", truth()),
        (
            "priority",
            vec![
                json!("high"),
                json!(1.5),
                Value::Null,
                json!("1"),
                json!([1]),
                json!(99_999_999_999_i64),
                json!(true),
            ],
        ),
        (
            "configVersion",
            vec![
                json!(3.0),
                json!(3),
                json!("V3.0"),
                Value::Null,
                json!(true),
                json!("v3.2"),
                json!("v4"),
                json!("V3.1"),
                json!(""),
                json!("v3.1"),
            ],
        ),
        (
            "scope",
            vec![json!(1), Value::Null, json!(["service"]), json!(true)],
        ),
        ("key", vec![json!(1), Value::Null, json!(["a"]), json!(2.5)]),
        ("rawRule", vec![json!("zzz"), Value::Null]),
        ("extra", vec![json!({"a": [1, 2]})]),
        ("tags", vec![json!([])]),
    ]
}
