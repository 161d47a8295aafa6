//! What overrides set, and how people misspell it.

/// Words of overrides whose misspelling makes the rule do nothing.
const SET: [&str; 6] = [
    "disabled",
    "enabled",
    "weight",
    "timeout",
    "retries",
    "loadbalance",
];

/// Whether a name is one letter or two away from what an override can set, and not that itself.
pub fn is_misspelt(name: &str) -> bool {
    let far = |known: &&str| strsim::damerau_levenshtein(name, known);
    name.len() > 4 && !SET.contains(&name) && SET.iter().any(|known| far(known) <= 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names() {
        for (name, near) in [
            ("disbaled", true),
            ("disable", true),
            ("timout", true),
            ("disabled", false),
            ("dynamic", false),
            ("router", false),
            ("side", false),
        ] {
            assert_eq!(is_misspelt(name), near, "{name}");
        }
    }
}
