//! Script rules. `diag` runs no script: what the real engine makes of them must lie within the bounds that it states.

use serde_json::{Map, Value, json};

use super::dice::Dice;
use super::world::World;
use super::{documents, rule, spelling};

pub(super) fn case(dice: &mut Dice) -> Map<String, Value> {
    let world = World::new(dice);
    let app = if dice.chance(95) {
        &world.provider_app
    } else {
        &world.consumer_app
    };
    let document = document(dice, &world);
    let text = if dice.chance(10) {
        spelling::write_freely(dice, &document)
    } else {
        spelling::write(dice, &document)
    };
    let mut rules = vec![rule(format!("{app}.script-router"), text)];
    if dice.chance(20) {
        rules.push(documents::condition_rule(dice, &world));
    }
    world.case(rules)
}

pub(super) fn document(dice: &mut Dice, world: &World) -> Value {
    let mut fields = Map::new();
    if dice.chance(40) {
        fields.insert("configVersion".into(), json!("v3.0"));
    }
    if dice.chance(50) {
        fields.insert("scope".into(), json!("application"));
    }
    if dice.chance(60) {
        let name = dice.text(&[
            "javascript",
            "javascript",
            "javascript",
            "javascript",
            "js",
            "JavaScript",
            "nashorn",
            "groovy",
            "ecmascript",
            "",
        ]);
        fields.insert("type".into(), json!(name));
    }
    for name in ["force", "enabled", "runtime"] {
        if dice.chance(45) {
            fields.insert(name.into(), json!(name != "force" && dice.chance(90)));
        }
    }
    if dice.chance(40) {
        fields.insert("key".into(), json!(world.provider_app));
    }
    if dice.chance(97) {
        fields.insert("script".into(), json!(text(dice, world)));
    }
    if dice.chance(4) {
        let odd = [Value::Null, json!(1), json!([]), json!(""), json!(" ")];
        fields.insert("script".into(), dice.pick(&odd).clone());
    }
    Value::Object(fields)
}

/// A script that chooses, one that chooses oddly, or none.
pub(super) fn text(dice: &mut Dice, world: &World) -> String {
    let peer = world.peer(dice);
    if dice.chance(25) {
        return dice.text(&[
            "invokers",
            "null",
            "(function () { return invokers; }())",
            "(function () { throw 'no'; }())",
            "function route(",
            "[invokers.get(0)]",
            "42",
            "",
            "// nothing",
            "(function () { return invokers.subList(0, 1); }())",
            "(function () { invokers.clear(); return invokers; }())",
            "(function () { return new java.util.HashSet(invokers); }())",
            "(function () { return Java.to([invokers.get(0)], 'java.lang.Object[]'); }())",
            "(function () { var all = new java.util.ArrayList(); all.add('x'); return all; }())",
            "(() => invokers)()",
            "(function () { return undefined; }())",
        ]);
    }
    let url = "invokers.get(i).getUrl()";
    let region = peer.parameters.value("region").unwrap_or("north");
    let test = dice
        .pick(&[
            format!("{url}.getHost() == '{}'", peer.host),
            format!(
                "{url}.getPort() == {}",
                if peer.port.is_empty() {
                    "0"
                } else {
                    &peer.port
                }
            ),
            format!("{url}.getParameter('region') == '{region}'"),
            format!("{url}.getParameter('env', 'none') != 'gray'"),
            "invocation.getMethodName().startsWith('find')".to_owned(),
            "invocation.getAttachment('tenant') == 't1'".to_owned(),
            "invocation.getArguments().length > 0".to_owned(),
            "context.getAttachment('tenant') == null".to_owned(),
            "i % 2 == 0".to_owned(),
            "false".to_owned(),
            "nowhere.x".to_owned(),
            format!("{url}.getParameter('region').length() > 2"),
        ])
        .clone();
    format!(
        "(function (invokers, invocation, context) {{\n  var left = new java.util.ArrayList();\n  for (var i = 0; i < invokers.size(); i++) {{\n    \
         if ({test}) {{ left.add(invokers.get(i)); }}\n  }}\n  return left;\n}}(invokers, invocation, context))"
    )
}
