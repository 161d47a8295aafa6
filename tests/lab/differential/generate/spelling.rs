//! YAML as people type it.

use serde_json::Value;

use super::dice::Dice;

/// A document in a tidy hand: any style, no mistakes.
pub(super) fn write(dice: &mut Dice, document: &Value) -> String {
    whole(dice, document, false)
}

/// A document in any hand, mistakes included.
pub(super) fn write_freely(dice: &mut Dice, document: &Value) -> String {
    let mut text = whole(dice, document, true);
    for _ in 0..dice.weigh(&[(4, 0), (5, 1), (2, 2), (1, 3)]) {
        text = damage(dice, text);
    }
    text
}

fn whole(dice: &mut Dice, document: &Value, free: bool) -> String {
    let mut lines = Vec::new();
    block(dice, document, 0, free, &mut lines);
    if dice.chance(15) {
        lines.insert(0, "---".into());
    }
    lines.join("\n") + "\n"
}

/// A map in block style.
fn block(dice: &mut Dice, map: &Value, indent: usize, free: bool, lines: &mut Vec<String>) {
    let pad = " ".repeat(indent);
    let mut entries: Vec<(&String, &Value)> = map.as_object().into_iter().flatten().collect();
    if indent == 0 && dice.chance(30) {
        dice.shuffle(&mut entries);
    }
    for (key, value) in entries {
        if free && dice.chance(5) {
            lines.push(format!(
                "{pad}# {}",
                dice.word(&["灰度发布", "do not touch", "owner: shop team"])
            ));
        }
        let empty = value.as_array().is_some_and(Vec::is_empty)
            || value.as_object().is_some_and(serde_json::Map::is_empty);
        match value {
            Value::Array(_) | Value::Object(_) if empty || dice.chance(12) => {
                lines.push(format!("{pad}{key}: {}", flow(dice, value, free)));
            }
            Value::Object(_) => {
                lines.push(format!("{pad}{key}:"));
                let deeper = indent + *dice.pick(&[2, 2, 2, 4]);
                block(dice, value, deeper, free, lines);
            }
            Value::Array(items) => {
                lines.push(format!("{pad}{key}:"));
                let deeper = indent + *dice.pick(&[0, 2, 2]);
                for item in items {
                    element(dice, item, deeper, free, lines);
                }
            }
            Value::String(text) if text.contains('\n') => {
                lines.push(format!("{pad}{key}: |"));
                lines.extend(text.lines().map(|line| format!("{pad}  {line}")));
            }
            Value::String(text) if free && text.len() > 6 && dice.chance(4) => {
                lines.push(format!(
                    "{pad}{key}: {}",
                    dice.word(&[">", "|", ">-", "|-", "|+"])
                ));
                lines.push(format!("{pad}  {text}"));
            }
            scalar => {
                let comment = if free && dice.chance(7) {
                    "  # 备注"
                } else {
                    ""
                };
                let text = plain(dice, scalar, free);
                lines.push(format!(
                    "{}{comment}",
                    format!("{pad}{key}: {text}").trim_end()
                ));
            }
        }
    }
}

/// An element of a list in block style.
fn element(dice: &mut Dice, item: &Value, indent: usize, free: bool, lines: &mut Vec<String>) {
    let pad = " ".repeat(indent);
    match item {
        Value::Object(fields) if !fields.is_empty() && !dice.chance(15) => {
            let first = lines.len();
            block(dice, item, indent + 2, free, lines);
            let text = format!("{pad}- {}", lines[first].trim_start());
            lines[first] = text;
        }
        Value::Object(_) | Value::Array(_) => {
            lines.push(format!("{pad}- {}", flow(dice, item, free)));
        }
        scalar => lines.push(format!("{pad}- {}", plain(dice, scalar, free))),
    }
}

fn flow(dice: &mut Dice, value: &Value, free: bool) -> String {
    match value {
        Value::Object(map) => {
            let entries: Vec<String> = map
                .iter()
                .map(|(key, value)| format!("{key}: {}", flow(dice, value, free)))
                .collect();
            format!("{{{}}}", entries.join(", "))
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| flow(dice, item, free)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::String(text) if free && dice.chance(15) && !text.is_empty() => text.clone(),
        Value::String(text) => quoted(dice, text),
        scalar => plain(dice, scalar, free),
    }
}

fn quoted(dice: &mut Dice, text: &str) -> String {
    if text.chars().any(char::is_control) || dice.chance(50) {
        Value::String(text.to_owned()).to_string()
    } else {
        format!("'{}'", text.replace('\'', "''"))
    }
}

fn plain(dice: &mut Dice, value: &Value, free: bool) -> String {
    match value {
        Value::Null => dice.text(&["", "~", "null"]),
        Value::Bool(truth) if free && dice.chance(35) => {
            if *truth {
                dice.text(&[
                    "yes",
                    "on",
                    "True",
                    "TRUE",
                    "'true'",
                    "\"true\"",
                    "Yes",
                    "y",
                    "!!bool true",
                ])
            } else {
                dice.text(&[
                    "no",
                    "off",
                    "False",
                    "FALSE",
                    "'false'",
                    "\"false\"",
                    "0",
                    "n",
                    "!!str false",
                ])
            }
        }
        Value::String(text) => {
            let bare =
                is_safe(text) && dice.chance(60) || free && !text.is_empty() && dice.chance(12);
            if bare {
                text.clone()
            } else {
                quoted(dice, text)
            }
        }
        other => other.to_string(),
    }
}

/// Whether a text stays itself without quotes.
fn is_safe(text: &str) -> bool {
    let words = [
        "true", "false", "yes", "no", "on", "off", "null", "~", "y", "n", "=", "<<",
    ];
    !text.is_empty()
        && text.trim() == text
        && !text.starts_with(|c: char| "&*!|>%@`'\"#-?:,[]{}=~".contains(c))
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.ends_with(':')
        && !text.chars().any(char::is_control)
        && !words.contains(&text.to_ascii_lowercase().as_str())
        && !text
            .chars()
            .all(|c| c.is_ascii_digit() || "._-+eE:~".contains(c))
}

/// One mistake.
pub(super) fn damage(dice: &mut Dice, text: String) -> String {
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    let at = dice.number(0..=lines.len() - 1);
    match dice.number(0..=19) {
        0 => return text.replace('\n', "\r\n"),
        1 => return format!("\u{feff}{text}"),
        2 => lines[at].push_str(dice.word(&["  ", "\t", " ", " #", "#", ":", " \t#x"])),
        3 => lines[at] = format!("\t{}", lines[at].trim_start()),
        4 => lines.insert(
            at,
            dice.text(&[
                "force: true",
                "enabled: false",
                "enabled: true",
                "runtime: yes",
                "key: again",
                "priority: 1",
                "force: false",
            ]),
        ),
        5 => lines.insert(
            at,
            dice.text(&[
                "unknown: 1",
                "desc: 路由规则",
                "valid: false",
                "valid: true",
                "rawRule: x",
                "version: 3",
                "x",
            ]),
        ),
        6 => return format!("# 灰度规则\n{text}"),
        7 => {
            return text
                + dice.word(&[
                    "...\n",
                    "---\n",
                    "\n\n",
                    "# end\n",
                    "\0",
                    "\u{a0}\n",
                    "--- a\n",
                    "%YAML 1.1\n",
                ]);
        }
        8 => {
            lines.remove(at);
        }
        9 => {
            let place = dice.place(&text);
            return text[..place].to_owned();
        }
        10 => return text.replace('\'', dice.word(&["\"", "‘", ""])),
        11 => return text.replacen(": ", dice.word(&[":", "：", " : ", ":\t", ":  "]), 1),
        12 => lines[at].insert(0, ' '),
        13 => {
            return dice.text(&[
                "- a\n- b\n",
                "just text",
                "42",
                "",
                " ",
                "null",
                "{}",
                "[]",
                "true",
                "conditions",
                "# only a comment\n",
                "---\n",
                "!!map {}",
                "&a {x: *a}",
            ]);
        }
        14 => {
            return text.replacen(
                "true",
                dice.word(&[
                    "yes",
                    "on",
                    "'true'",
                    "TRUE",
                    "1",
                    "t",
                    "y",
                    "!!bool 'true'",
                ]),
                1,
            );
        }
        15 => {
            return text.replacen(
                "false",
                dice.word(&["no", "off", "\"false\"", "FALSE", "0", "n"]),
                1,
            );
        }
        16 => {
            return text.replacen(
                "conditions:",
                dice.word(&[
                    "Conditions:",
                    "condition:",
                    "conditions :",
                    "\"conditions\":",
                    "conditions: !!seq",
                    "conditions: &c",
                    "? conditions\n:",
                ]),
                1,
            );
        }
        17 => {
            return text.replacen(
                "- ",
                dice.word(&["-", "-  ", "– ", "- - ", "-\t", "- !!str ", "- &a "]),
                1,
            );
        }
        18 => {
            let place = dice.place(&text);
            let mut text = text;
            text.insert_str(
                place,
                dice.word(&[
                    "\"", "'", "{", "}", "[", "]", ",", ":", "#", "&", "*", "!", "|", ">", "%",
                    "@", "`", "\t", "\n", "😀", "\u{85}", "\u{2028}", "\\",
                ]),
            );
            return text;
        }
        _ => {
            let line = lines[at].clone();
            lines.insert(at, line);
        }
    }
    lines.join("\n")
}
