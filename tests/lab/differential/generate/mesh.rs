//! Mesh rules: `DestinationRule` names subsets by labels, `VirtualService` sends calls to them.

use serde_json::{Map, Value, json};

use super::dice::Dice;
use super::tag::string_match;
use super::world::{ENVS, INTERFACE, REGIONS, World};
use super::{CALLS, documents, rule, spelling};

pub(super) fn case(dice: &mut Dice) -> Map<String, Value> {
    let mut world = World::new(dice);
    let envs = dice.some(&ENVS, 2);
    let regions = dice.some(&REGIONS, 2);
    for peer in &mut world.providers {
        if dice.chance(85) {
            peer.parameters.set("env", dice.text(&envs));
            peer.parameters.set("region", dice.text(&regions));
        }
    }
    let mut apps = vec![world.provider_app.clone()];
    for peer in &world.providers {
        if let Some(app) = peer.parameters.value("application")
            && !apps.iter().any(|known| known == app)
            && dice.chance(70)
        {
            apps.push(app.to_owned());
        }
    }
    let mut rules: Vec<Value> = apps
        .iter()
        .map(|app| rule(format!("{app}.MESHAPPRULE"), text(dice, &world)))
        .collect();
    if dice.chance(12) {
        rules.push(documents::condition_rule(dice, &world));
    }
    let mut case = world.case(rules);
    case.insert("repeat".into(), json!(CALLS));
    case
}

/// The documents of one application.
pub(super) fn text(dice: &mut Dice, world: &World) -> String {
    let mut subsets: Vec<Value> = (0..dice.weigh(&[(2, 1), (4, 2), (2, 3)]))
        .map(|number| json!({"name": format!("s{number}"), "labels": labels(dice, world)}))
        .collect();
    if dice.chance(8) {
        subsets.push(json!({"name": "all", "labels": {}}));
    }
    let names: Vec<String> = subsets
        .iter()
        .filter_map(|subset| subset["name"].as_str().map(str::to_owned))
        .collect();
    let routes: Vec<Value> = (0..dice.weigh(&[(3, 1), (1, 2)]))
        .map(|number| route(dice, world, number, &names))
        .collect();
    let name = dice.text(&[
        "demo-route",
        "demo-route",
        "demo",
        "demo-route.standard",
        "demo-route.other",
    ]);
    let kind = |kind: &str, spec: Value| json!({"apiVersion": "service.dubbo.apache.org/v1alpha1", "kind": kind, "metadata": {"name": name}, "spec": spec});
    let mut documents = vec![
        kind(
            "DestinationRule",
            json!({"host": "demo", "subsets": subsets}),
        ),
        kind(
            "VirtualService",
            json!({"hosts": ["demo"], "dubbo": routes}),
        ),
    ];
    if dice.chance(30) {
        documents.reverse();
    }
    if dice.chance(4) {
        documents.pop();
    }
    let texts: Vec<String> = documents
        .iter()
        .map(|document| {
            let text = spelling::write(dice, document);
            text.strip_prefix("---\n").unwrap_or(&text).to_owned()
        })
        .collect();
    let mut whole = texts.join("---\n");
    if dice.chance(30) {
        whole.insert_str(0, "---\n");
    }
    if dice.chance(4) {
        whole = spelling::damage(dice, whole);
    }
    whole
}

fn labels(dice: &mut Dice, world: &World) -> Value {
    let mut labels = Map::new();
    for _ in 0..dice.weigh(&[(4, 1), (1, 2)]) {
        let key = dice.text(&[
            "env",
            "region",
            "env",
            "region",
            "version",
            "weight",
            "application",
        ]);
        let value = match world.peer(dice).parameters.value(&key) {
            Some(own) if dice.chance(90) => own.to_owned(),
            _ => dice.text(&["gray", "north", "1.0.0", "100"]),
        };
        labels.insert(key, json!(value));
    }
    Value::Object(labels)
}

fn destination(dice: &mut Dice, names: &[String], depth: usize) -> Value {
    let subset = if dice.chance(93) {
        dice.pick(names).clone()
    } else {
        "nowhere".to_owned()
    };
    let mut destination = json!({"host": "demo", "subset": subset});
    if depth < 2 && dice.chance(30) {
        let next = self::destination(dice, names, depth + 1);
        destination["fallback"] = if dice.chance(85) {
            json!({"destination": next})
        } else {
            next
        };
    }
    destination
}

fn request(dice: &mut Dice, world: &World) -> Value {
    match dice.number(0..=19) {
        0..=8 => {
            let mut method = json!({"name_match": string_match(dice, &world.method)});
            if dice.chance(25) {
                method["argc"] = json!(dice.pick(&[0, 1, 2]));
            }
            if dice.chance(25) {
                let types: Vec<Value> = world
                    .types
                    .iter()
                    .map(|name| json!({"exact": name}))
                    .collect();
                method["argp"] = if dice.chance(10) {
                    json!(["java.lang.String"])
                } else {
                    json!(types)
                };
            }
            if dice.chance(25) {
                let mut argument = json!({"index": dice.pick(&[0, 1]), "type": dice.word(&["string", "number", "boolean", "java.lang.String"])});
                match dice.number(0..=2) {
                    0 => argument["str_value"] = json!({"oneof": [string_match(dice, "a1")]}),
                    1 => {
                        let numbers = [
                            json!({"exact": 7}),
                            json!({"range": {"start": 1, "end": 50}}),
                            json!({"range": {"start": 1.0, "end": 50.0}}),
                            json!({"mod": 2}),
                        ];
                        argument["num_value"] = json!({"oneof": [dice.pick(&numbers)]});
                    }
                    _ => argument["bool_value"] = json!({"exact": dice.chance(50)}),
                }
                method["args"] = json!([argument]);
            }
            json!({"method": method})
        }
        9..=12 => {
            let key = dice.text(&["region", "env", "application", "nokey"]);
            let value = world.consumer.value(&key).unwrap_or("n");
            json!({"sourceLabels": {key: value}})
        }
        13..=16 => {
            let key = dice.text(&["tenant", "env", "none"]);
            let value = dice.text(&["t1", "vip", "gray"]);
            json!({"attachments": {"dubboContext": {key: string_match(dice, &value)}}})
        }
        17 | 18 => json!({"headers": {"x": string_match(dice, "y")}}),
        _ => json!({}),
    }
}

fn route(dice: &mut Dice, world: &World, number: usize, names: &[String]) -> Value {
    let details: Vec<Value> = (0..dice.weigh(&[(2, 1), (4, 2), (2, 3)]))
        .map(|place| {
            let mut detail = json!({"name": format!("r{place}")});
            if place == 0 && dice.chance(50) {
                let requests: Vec<Value> = (0..dice.weigh(&[(3, 1), (1, 2)]))
                    .map(|_| request(dice, world))
                    .collect();
                detail["match"] = json!(requests);
            } else if dice.chance(10) {
                detail["match"] = json!([]);
            }
            let routes: Vec<Value> = (0..dice.weigh(&[(2, 1), (4, 2), (2, 3)]))
                .map(|_| {
                    let mut to = json!({"destination": destination(dice, names, 0)});
                    if dice.chance(50) {
                        to["weight"] = json!(dice.pick(&[10, 50, 50, 100, 0]));
                    }
                    to
                })
                .collect();
            detail["route"] = json!(routes);
            detail
        })
        .collect();
    let mut route = json!({"name": format!("rt{number}"), "routedetail": details});
    if dice.chance(60) {
        route["services"] = json!([string_match(dice, INTERFACE)]);
    } else if dice.chance(10) {
        route["services"] = json!([]);
    }
    route
}
