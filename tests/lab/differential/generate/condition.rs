//! Texts of conditions: `method=find* & host=10.30.* => region=$region`, and all that goes wrong in them.

use serde_json::Value;

use super::dice::Dice;
use super::world::{ENVS, INTERFACE, REGIONS, World};

/// Which side of the arrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    When,
    Then,
}

/// A whole condition.
pub(super) fn text(dice: &mut Dice, world: &World) -> String {
    let when = match dice.number(0..=99) {
        0..=33 => dice.text(&["", "", "true", " true ", " "]),
        34..=37 => dice.text(&["TRUE", "True", "*", "&", "host", "false", "true & true"]),
        _ => side(dice, world, Side::When),
    };
    let then = match dice.number(0..=99) {
        0..=6 => dice.text(&["", "", "false", " false", " "]),
        7 | 8 => dice.text(&["FALSE", "*", "&", "host", "true", ","]),
        _ => side(dice, world, Side::Then),
    };
    match dice.number(0..=99) {
        0 | 1 => then,
        2 => format!("{when} => {then} => {then}"),
        3..=6 => {
            let mut whole = format!("{when} => {then}");
            let place = dice.place(&whole);
            whole.insert_str(
                place,
                dice.word(&[
                    "&&", "==", "!", "=", ",", "&", "  ", "=!", "!==", "灰", "'", "#", "\t", "=>",
                    "$", "[",
                ]),
            );
            whole
        }
        _ => format!("{when}{}{then}", dice.word(&[" => ", "=>", " =>", "=> "])),
    }
}

/// One side: terms that must all hold.
pub(super) fn side(dice: &mut Dice, world: &World, side: Side) -> String {
    let terms: Vec<String> = (0..dice.weigh(&[(5, 1), (3, 2), (1, 3)]))
        .map(|_| term(dice, world, side))
        .collect();
    terms.join(dice.word(&[" & ", " & ", "&", " &"]))
}

fn term(dice: &mut Dice, world: &World, side: Side) -> String {
    let (key, value) = match side {
        Side::When => of_call(dice, world),
        Side::Then => of_provider(dice, world),
    };
    let sign = dice.word(&["=", "=", "=", "!=", " = ", " != ", "= "]);
    let mut term = format!("{key}{sign}{}", values(dice, &value));
    if dice.chance(6) {
        term.push_str(dice.word(&["!=", " != "]));
        term.push_str(&near(dice, &value));
    }
    if dice.chance(3) {
        term.insert_str(0, dice.word(&["consumer.", "provider.", "method."]));
    }
    term
}

/// A key of the left side with a value that it has, or may have.
fn of_call(dice: &mut Dice, world: &World) -> (String, String) {
    let own = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    match dice.number(0..=19) {
        0..=2 => own("host", &world.consumer_host),
        3 => own("application", &world.consumer_app),
        4..=7 => own("method", &world.method),
        8..=10 => parameter(dice, world.consumer.all()),
        11..=13 if !world.arguments.is_empty() => {
            let place = dice.number(0..=world.arguments.len() - 1);
            (
                format!("arguments[{place}]"),
                shown(&world.arguments[place]),
            )
        }
        11 | 12 => dice
            .pick(&[
                own("arguments[0]", "a1"),
                own("arguments[x]", "1"),
                own("arguments[0].inner", "a1"),
                own("arguments[-1]", "a1"),
                own("arguments", "a1"),
                own("arguments[ 0 ]", "a1"),
                own("arguments[99999999999]", "a1"),
            ])
            .clone(),
        14..=16 if !world.attachments.is_empty() => {
            let keys: Vec<&String> = world.attachments.keys().collect();
            let key = *dice.pick(&keys);
            (
                format!("attachments[{key}]"),
                shown(&world.attachments[key]),
            )
        }
        14 | 15 => dice
            .pick(&[
                own("attachments[tenant]", "t1"),
                own("attachments[none]", "x"),
                own("attachments[]", "x"),
                own("attachments", "t1"),
            ])
            .clone(),
        _ => dice
            .pick(&[
                own("protocol", "consumer"),
                own("address", &world.consumer_host),
                own("path", INTERFACE),
                own("port", "0"),
                own("ip", &world.consumer_host),
                own("tag", "gray"),
                own("methods", &world.method),
                own("nokey", "1"),
                own("category", "consumers"),
                own("username", "x"),
                own("interface", INTERFACE),
                own("remote.application", &world.provider_app),
                own("serviceKey", INTERFACE),
            ])
            .clone(),
    }
}

/// A key of the right side with a value that a provider has, or may have.
fn of_provider(dice: &mut Dice, world: &World) -> (String, String) {
    let own = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    let peer = world.peer(dice);
    match dice.number(0..=19) {
        0..=3 => own("host", &peer.host),
        4 | 5 => own("port", &peer.port),
        6 => own("address", &peer.address()),
        7 | 8 => own("region", peer.parameters.value("region").unwrap_or("north")),
        9 | 10 => own("env", peer.parameters.value("env").unwrap_or("gray")),
        11..=14 => parameter(dice, peer.parameters.all()),
        _ => dice
            .pick(&[
                own("protocol", &peer.protocol),
                own("remote.application", &world.provider_app),
                own("application", &world.provider_app),
                own("application", &world.consumer_app),
                own("tag", "gray"),
                own("dubbo.tag", "gray"),
                own("region", world.consumer.value("region").unwrap_or("south")),
                own("env", world.consumer.value("env").unwrap_or("prod")),
                own("nokey", "1"),
                own("method", &world.method),
                own("methods", &world.method),
                own("category", "providers"),
                own("path", &peer.path),
                own("arguments[0]", "a1"),
                own("attachments[tenant]", "t1"),
                own("check", "false"),
                own("timeout", "1000"),
                own("weight", "100"),
                own("pid", "7"),
                own("timestamp", "1700000000000"),
            ])
            .clone(),
    }
}

fn parameter(dice: &mut Dice, all: &[(String, String)]) -> (String, String) {
    if all.is_empty() {
        return ("nokey".into(), "1".into());
    }
    dice.pick(all).clone()
}

/// As Java would print it.
fn shown(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Values beside each other.
fn values(dice: &mut Dice, value: &str) -> String {
    let count = dice.weigh(&[(6, 1), (3, 2), (1, 3)]);
    let all: Vec<String> = (0..count)
        .map(|place| match dice.number(0..=99) {
            0..=6 => {
                let name = dice.word(&[
                    "host",
                    "region",
                    "region",
                    "env",
                    "application",
                    "protocol",
                    "dubbo.tag",
                    "nokey",
                    "port",
                    "address",
                    "",
                ]);
                format!("${name}")
            }
            7..=14 => range(dice),
            15..=40 if place > 0 => dice.text(&[
                "10.30.*",
                "192.0.2.*",
                REGIONS[0],
                ENVS[1],
                "127.0.0.*",
                "*",
            ]),
            _ => near(dice, value),
        })
        .collect();
    all.join(dice.word(&[",", ",", ",", ", ", " , "]))
}

fn range(dice: &mut Dice) -> String {
    let low = dice.number(0..=60);
    let high = low + dice.number(0..=50_000);
    let from = dice.word(&["", "1", "20880", "abc", "-5", "0"]).to_string();
    let to = dice
        .word(&["", "100", "20881", "x", "3000", "9999999999"])
        .to_string();
    match dice.number(0..=4) {
        0 => format!("{low}~{high}"),
        1 => format!("{low}~{to}"),
        2 => format!("{from}~{high}"),
        3 => format!("{from}~{to}"),
        _ => format!("{low}~{high}~{high}"),
    }
}

/// The value, or a pattern that is it, or nearly.
pub(super) fn near(dice: &mut Dice, value: &str) -> String {
    let (one, other) = (dice.place(value), dice.place(value));
    let (low, high) = (one.min(other), one.max(other));
    match dice.number(0..=19) {
        0..=9 => value.to_owned(),
        10 | 11 => format!("{}*", &value[..low]),
        12 | 13 => format!("*{}", &value[high..]),
        14 => format!("{}*{}", &value[..low], &value[high..]),
        15 => format!("{}*{}", &value[..high], &value[low..]),
        16 => dice.text(&["*", "**", "$*", "*$", "$"]),
        17 => format!("{}*{}*", &value[..low], &value[low..high]),
        18 => value.to_uppercase(),
        _ => format!("{value}{}", dice.word(&["x", "0", ".1", " "])),
    }
}
