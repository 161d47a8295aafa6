//! Makes a case small: takes away whatever it disagrees without.

use diag::model::url::{decode, encode};
use serde_json::{Map, Value, json};

/// How many smaller cases are tried at most.
const TRIES: usize = 4_000;

/// The smallest case that can be reached from this one by leaving things out, and that `still` says yes to.
pub(super) fn shrink(
    case: Value,
    still: impl FnMut(&Value) -> anyhow::Result<bool>,
) -> anyhow::Result<Value> {
    let mut shrinking = Shrinking {
        case,
        still,
        tries: 0,
    };
    loop {
        let before = shrinking.case.clone();
        shrinking.fields()?;
        for name in [
            "rules",
            "updates",
            "router_urls",
            "later_providers",
            "providers",
        ] {
            shrinking.list(name)?;
        }
        shrinking.arguments()?;
        for name in ["attachments", "system_properties"] {
            shrinking.map(name)?;
        }
        for name in ["providers", "later_providers", "router_urls"] {
            for place in 0..shrinking.length(name) {
                shrinking.query(&format!("/{name}/{place}"))?;
            }
        }
        for name in ["consumer", "later_consumer"] {
            shrinking.query(&format!("/{name}"))?;
        }
        for name in ["rules", "updates"] {
            for place in 0..shrinking.length(name) {
                let pointer = format!("/{name}/{place}/content");
                shrinking.text(&pointer, lines)?;
                shrinking.text(&pointer, words)?;
            }
        }
        for place in 0..shrinking.length("router_urls") {
            shrinking.rule_of_url(place)?;
        }
        if shrinking.case == before || shrinking.tries >= TRIES {
            return Ok(shrinking.case);
        }
    }
}

struct Shrinking<F> {
    case: Value,
    still: F,
    tries: usize,
}

impl<F: FnMut(&Value) -> anyhow::Result<bool>> Shrinking<F> {
    /// Takes a candidate for the case where it does as well.
    fn attempt(&mut self, candidate: Value) -> anyhow::Result<bool> {
        if candidate == self.case || self.tries >= TRIES {
            return Ok(false);
        }
        self.tries += 1;
        let does = (self.still)(&candidate)?;
        if does {
            self.case = candidate;
        }
        Ok(does)
    }

    fn length(&self, name: &str) -> usize {
        self.case[name].as_array().map_or(0, Vec::len)
    }

    /// Leaves out pieces: half of them, a quarter, single ones.
    fn pieces<T: Clone>(
        &mut self,
        mut pieces: Vec<T>,
        put: impl Fn(&mut Value, &[T]),
    ) -> anyhow::Result<()> {
        let mut size = pieces.len();
        while size > 0 {
            let mut at = 0;
            while at < pieces.len() {
                let end = pieces.len().min(at + size);
                let mut rest = pieces.clone();
                rest.drain(at..end);
                let mut candidate = self.case.clone();
                put(&mut candidate, &rest);
                if self.attempt(candidate)? {
                    pieces = rest;
                } else {
                    at = end;
                }
            }
            size /= 2;
        }
        Ok(())
    }

    /// Whole fields, and fields as simple as they can be.
    fn fields(&mut self) -> anyhow::Result<()> {
        for names in [
            &["later_consumer", "later_providers"][..],
            &["updates"],
            &["router_urls"],
            &["system_properties"],
            &["repeat"],
        ] {
            let mut candidate = self.case.clone();
            if let Some(fields) = candidate.as_object_mut() {
                for name in names {
                    fields.shift_remove(*name);
                }
            }
            self.attempt(candidate)?;
        }
        let mut candidate = self.case.clone();
        candidate["method"] = json!("m");
        self.attempt(candidate)?;
        Ok(())
    }

    fn list(&mut self, name: &str) -> anyhow::Result<()> {
        let Some(items) = self.case[name].as_array().cloned() else {
            return Ok(());
        };
        self.pieces(items, |case, rest| case[name] = json!(rest))
    }

    fn map(&mut self, name: &str) -> anyhow::Result<()> {
        let Some(entries) = self.case[name].as_object().cloned() else {
            return Ok(());
        };
        let entries: Vec<(String, Value)> = entries.into_iter().collect();
        self.pieces(entries, |case, rest| {
            case[name] = Value::Object(rest.iter().cloned().collect::<Map<_, _>>());
        })
    }

    /// Arguments from the end, each with its type.
    fn arguments(&mut self) -> anyhow::Result<()> {
        while self.length("arguments") > 0 {
            let mut candidate = self.case.clone();
            for name in ["arguments", "parameter_types"] {
                if let Some(items) = candidate[name].as_array_mut() {
                    items.pop();
                }
            }
            if !self.attempt(candidate)? {
                break;
            }
        }
        Ok(())
    }

    /// Parameters of a URL.
    fn query(&mut self, pointer: &str) -> anyhow::Result<()> {
        let Some((base, query)) = self.at(pointer).and_then(|url| url.split_once('?')) else {
            return Ok(());
        };
        let (base, parameters) = (
            base.to_owned(),
            query.split('&').map(str::to_owned).collect(),
        );
        self.pieces(parameters, |case, rest: &[String]| {
            let end = if rest.is_empty() {
                String::new()
            } else {
                format!("?{}", rest.join("&"))
            };
            replace(case, pointer, format!("{base}{end}"));
        })
    }

    /// Pieces of a text.
    fn text(&mut self, pointer: &str, split: fn(&str) -> Vec<String>) -> anyhow::Result<()> {
        let Some(text) = self.at(pointer) else {
            return Ok(());
        };
        let pieces = split(text);
        self.pieces(pieces, |case, rest: &[String]| {
            replace(case, pointer, rest.concat());
        })
    }

    /// The rule that a URL carries.
    fn rule_of_url(&mut self, place: usize) -> anyhow::Result<()> {
        let pointer = format!("/router_urls/{place}");
        let Some(url) = self.at(&pointer).map(str::to_owned) else {
            return Ok(());
        };
        let Some(start) = url
            .find("&rule=")
            .or_else(|| url.find("?rule="))
            .map(|at| at + "&rule=".len())
        else {
            return Ok(());
        };
        let end = url[start..].find('&').map_or(url.len(), |at| start + at);
        let Ok(rule) = decode(&url[start..end]) else {
            return Ok(());
        };
        let pieces = words(&rule);
        self.pieces(pieces, |case, rest: &[String]| {
            let whole = format!("{}{}{}", &url[..start], encode(&rest.concat()), &url[end..]);
            replace(case, &pointer, whole);
        })
    }

    fn at(&self, pointer: &str) -> Option<&str> {
        self.case.pointer(pointer)?.as_str()
    }
}

fn replace(case: &mut Value, pointer: &str, text: String) {
    if let Some(place) = case.pointer_mut(pointer) {
        *place = text.into();
    }
}

fn lines(text: &str) -> Vec<String> {
    text.split_inclusive('\n').map(str::to_owned).collect()
}

/// Words, and every other character by itself.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut open = false;
    for c in text.chars() {
        let part = c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
        match words.last_mut() {
            Some(word) if open && part => word.push(c),
            _ => words.push(c.to_string()),
        }
        open = part;
    }
    words
}
