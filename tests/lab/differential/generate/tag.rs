//! Tags: of providers, of calls, and the rules that hand them out.

use serde_json::{Map, Value, json};

use super::dice::Dice;
use super::spelling;
use super::world::{ENVS, INTERFACE, REGIONS, TAGS, World};

pub(super) fn case(dice: &mut Dice) -> Map<String, Value> {
    let mut world = World::new(dice);
    let tagged = *dice.pick(&[0, 30, 60, 100]);
    for peer in &mut world.providers {
        if dice.chance(tagged) {
            peer.parameters.set("dubbo.tag", dice.text(&TAGS));
        }
    }
    world.ask_for_tag(dice);
    if dice.chance(85) {
        let mut document = document(dice, &world);
        let asked = world
            .attachments
            .get("dubbo.tag")
            .and_then(Value::as_str)
            .or_else(|| world.consumer.value("dubbo.tag"));
        if let Some(asked) = asked.filter(|tag| !tag.is_empty())
            && dice.chance(60)
        {
            let level = asked.split('|').next().unwrap_or_default();
            document["tags"][0]["name"] = json!(dice.pick(&[asked, level]));
        }
        let app = match dice.number(0..=19) {
            0 => world.consumer_app.clone(),
            1 => dice.text(&[INTERFACE, "warehouse"]),
            _ => world.provider_app.clone(),
        };
        let mut rule = super::rule(
            format!("{app}.tag-router"),
            spelling::write(dice, &document),
        );
        if dice.chance(3) {
            rule["group"] = json!("DEFAULT_GROUP");
        }
        return world.case(vec![rule]);
    }
    world.case(Vec::new())
}

pub(super) fn document(dice: &mut Dice, world: &World) -> Value {
    let mut fields = Map::new();
    if dice.chance(50) {
        fields.insert(
            "configVersion".into(),
            json!(dice.word(&["v3.0", "v3.0", "v3.0", "v3.1", "V3.0", "v2.7"])),
        );
    }
    if dice.chance(65) {
        fields.insert("force".into(), json!(dice.chance(50)));
    }
    if dice.chance(50) {
        fields.insert("enabled".into(), json!(dice.chance(93)));
    }
    if dice.chance(40) {
        fields.insert("runtime".into(), json!(true));
    }
    if dice.chance(20) {
        fields.insert("priority".into(), json!(1));
    }
    if dice.chance(50) {
        fields.insert("key".into(), json!(world.provider_app));
    }
    let count = dice.weigh(&[(4, 1), (4, 2), (2, 3)]);
    let mut names = dice.some(&TAGS, count);
    if dice.chance(5) {
        names.push(names[0]);
    }
    let tags: Vec<Value> = names
        .into_iter()
        .map(|name| one(dice, world, name))
        .collect();
    fields.insert("tags".into(), json!(tags));
    Value::Object(fields)
}

fn one(dice: &mut Dice, world: &World, name: &str) -> Value {
    let mut tag = json!({"name": name});
    let form = dice.number(0..=99);
    match form {
        0..=71 => {
            let addresses: Vec<String> = (0..dice.weigh(&[(5, 1), (3, 2), (2, 3)]))
                .map(|_| address(dice, world))
                .collect();
            tag["addresses"] = json!(addresses);
        }
        72..=75 => tag["addresses"] = json!([]),
        76 | 77 => tag["addresses"] = Value::Null,
        _ => {}
    }
    if form >= 80 || dice.chance(6) {
        let terms: Vec<Value> = (0..dice.weigh(&[(5, 1), (3, 2)]))
            .map(|_| {
                let key = dice.text(&[
                    "env",
                    "region",
                    "env",
                    "region",
                    "application",
                    "nokey",
                    "weight",
                    "dubbo.tag",
                    "host",
                    "timeout",
                ]);
                let value = match world.peer(dice).parameters.value(&key) {
                    Some(own) if dice.chance(70) => own.to_owned(),
                    _ if key == "env" => dice.text(&ENVS),
                    _ => dice.text(&REGIONS),
                };
                json!({"key": key, "value": string_match(dice, &value)})
            })
            .collect();
        tag["match"] = json!(terms);
    }
    tag
}

/// A pattern of addresses, near to one that is there.
fn address(dice: &mut Dice, world: &World) -> String {
    let peer = world.peer(dice);
    let (host, port) = (&peer.host, &peer.port);
    let parts: Vec<&str> = host.split('.').collect();
    if parts.len() < 4 {
        return dice
            .pick(&[
                format!("{host}:{port}"),
                host.trim_matches(['[', ']']).to_owned(),
                format!("0.0.0.0:{port}"),
                format!("anyhost:{port}"),
                "fe80:0:0:0:0:0:0:*".to_owned(),
                "2001:db8:0:0:0:0:0:0-ff".to_owned(),
                format!("[2001:db8:0:0:0:0:0:0-ff]:{port}"),
                "2001:db8::/32".to_owned(),
                "*".to_owned(),
            ])
            .clone();
    }
    let (two, three) = (parts[..2].join("."), parts[..3].join("."));
    let to = dice.number(1..=40);
    dice.pick(&[
        format!("{host}:{port}"),
        format!("{host}:{port}"),
        format!("{host}:{port}"),
        host.clone(),
        format!("0.0.0.0:{port}"),
        format!("0.0.0.0:{port}"),
        format!("{three}.*"),
        format!("{three}.*:{port}"),
        format!("{two}.*.*:{port}"),
        format!("{three}.1-{to}"),
        format!("{three}.1-{to}:{port}"),
        format!("{three}.{to}-1"),
        format!("{two}.0-9.1-40"),
        format!("{three}.0/24"),
        format!("{two}.0.0/16"),
        format!("{three}.0/{to}"),
        format!("{host}/33"),
        format!("{host}/0"),
        format!("{host}/x"),
        "*".to_owned(),
        "*.*.*.*".to_owned(),
        "*.*.*".to_owned(),
        format!("{host}:*"),
        format!("{host}:20880-20890"),
        "0.0.0.0".to_owned(),
        format!("{host}:1"),
        "fe80:0:0:0:0:0:0:*".to_owned(),
        three.clone(),
        format!(" {host}:{port} "),
        format!("{host}:{port},{host}"),
        "198.51.100.9:20880".to_owned(),
        format!("{three}.-"),
        format!("{three}.a-b"),
        format!("{three}.256"),
        String::new(),
        format!("anyhost:{port}"),
    ])
    .clone()
}

/// A `StringMatch` near a value.
pub(super) fn string_match(dice: &mut Dice, value: &str) -> Value {
    let first: String = value.chars().take(1).collect();
    let two: String = value.chars().take(2).collect();
    match dice.number(0..=19) {
        0..=6 => json!({"exact": value}),
        7..=9 => json!({"prefix": two}),
        10 | 11 => {
            json!({"regex": dice.pick(&[format!("{first}.*"), value.to_owned(), "[a-z]+".to_owned(), "(".to_owned(), format!(".*{two}")])})
        }
        12 | 13 => {
            json!({"wildcard": dice.pick(&["*".to_owned(), value.to_owned(), format!("{two}*"), format!("*{two}")])})
        }
        14 => json!({"noempty": dice.word(&["true", "x", ""])}),
        15 | 16 => json!({"empty": dice.word(&["true", ""])}),
        17 => json!({"exact": "zzz", "prefix": first}),
        18 => json!({"exact": null}),
        _ => json!({}),
    }
}

/// Gives a field a value that it should not have.
pub(super) fn spoil(dice: &mut Dice, document: &mut Value) {
    let list = |values: &[Value], dice: &mut Dice| dice.pick(values).clone();
    match dice.number(0..=7) {
        0 => {
            document["tags"] = list(
                &[
                    Value::Null,
                    json!([]),
                    json!("gray"),
                    json!({"name": "gray"}),
                    json!(["gray"]),
                    json!([null]),
                    json!([{}]),
                    json!([{"name": 1, "addresses": ["0.0.0.0:20880"]}]),
                ],
                dice,
            );
        }
        1 => {
            document["force"] = list(
                &[
                    Value::Null,
                    json!("yes"),
                    json!(1),
                    json!("TRUE"),
                    json!([]),
                ],
                dice,
            );
        }
        2 => {
            document["enabled"] = list(
                &[
                    Value::Null,
                    json!("no"),
                    json!(0),
                    json!("false"),
                    json!("x"),
                ],
                dice,
            );
        }
        3 => {
            document["configVersion"] = list(
                &[
                    json!(3.0),
                    json!("v3.0"),
                    json!("V3.0"),
                    Value::Null,
                    json!(true),
                ],
                dice,
            );
        }
        4 => {
            document["tags"][0]["addresses"] = list(
                &[
                    Value::Null,
                    json!("0.0.0.0:20880"),
                    json!([]),
                    json!([null]),
                    json!([1]),
                    json!({"a": 1}),
                    json!([["x"]]),
                    json!([true]),
                ],
                dice,
            );
        }
        5 => {
            document["tags"][0]["match"] = list(
                &[
                    Value::Null,
                    json!("x"),
                    json!([]),
                    json!([null]),
                    json!([{"key": "env"}]),
                    json!([{"key": "env", "value": "gray"}]),
                    json!([{"key": 1, "value": {"exact": "gray"}}]),
                    json!([{"key": "env", "value": {"exact": 1}}]),
                    json!({"key": "env"}),
                    json!([{"value": {"exact": "gray"}}]),
                    json!([{"key": "env", "value": {"noSuch": "gray"}}]),
                    json!([{"key": "env", "value": null}]),
                ],
                dice,
            );
        }
        6 => {
            document["tags"][0]["name"] =
                list(&[Value::Null, json!(5), json!(true), json!("")], dice);
        }
        _ => document["priority"] = list(&[json!("x"), json!(1.5), Value::Null, json!("2")], dice),
    }
}
