//! One line of Prometheus text.

use std::collections::BTreeMap;

/// One sample of a series.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// Name.
    pub name: String,
    /// Labels.
    pub labels: BTreeMap<String, String>,
    /// Value; may be NaN or infinite.
    pub value: f64,
}

/// `name{label="value",..} number [timestamp]`.
pub fn sample(text: &str) -> Option<Sample> {
    let name_end = text.find(|c: char| c == '{' || c.is_whitespace())?;
    let name = &text[..name_end];
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    if name.is_empty() || !name.chars().all(plain) {
        return None;
    }
    let mut labels = BTreeMap::new();
    let mut rest = text[name_end..].trim_start();
    if let Some(inside) = rest.strip_prefix('{') {
        rest = read_labels(inside, &mut labels)?;
    }
    let mut words = rest.split_whitespace();
    let value = words.next()?;
    let value = match value {
        "+Inf" | "Inf" => f64::INFINITY,
        "-Inf" => f64::NEG_INFINITY,
        other => other.parse().ok()?,
    };
    // A time stamp and an exemplar may follow.
    Some(Sample {
        name: name.to_owned(),
        labels,
        value,
    })
}

/// Labels up to the closing brace; what follows it.
fn read_labels<'a>(mut rest: &'a str, labels: &mut BTreeMap<String, String>) -> Option<&'a str> {
    loop {
        rest = rest.trim_start().trim_start_matches(',').trim_start();
        if let Some(after) = rest.strip_prefix('}') {
            return Some(after);
        }
        let (name, after) = rest.split_once('=')?;
        let mut value = String::new();
        let mut chars = after.trim_start().strip_prefix('"')?.char_indices();
        let body = after.trim_start().strip_prefix('"')?;
        let end = loop {
            let (at, sign) = chars.next()?;
            match sign {
                '"' => break at,
                '\\' => match chars.next()?.1 {
                    'n' => value.push('\n'),
                    other => value.push(other),
                },
                other => value.push(other),
            }
        };
        labels.insert(name.trim().to_owned(), value);
        rest = &body[end + 1..];
    }
}
