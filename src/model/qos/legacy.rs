//! `ls -l` of the old telnet on a service port (`ListTelnetHandler`): 2.6 lists what it exports, 2.7 both sides.

use super::listing::{Exported, Listing, Published, Referred};

/// Reads a cleaned answer; `None` when it is none of these.
pub(super) fn read(text: &str) -> Option<Listing> {
    if text.starts_with("PROVIDER:") || text.starts_with("CONSUMER:") {
        return Some(both_sides(text));
    }
    interfaces(text)
}

/// 2.7: two headings, a service a line. References follow each other without a break between them.
fn both_sides(text: &str) -> Listing {
    let mut listing = Listing::default();
    let mut of_provider = false;
    for line in text.lines().map(str::trim_end) {
        match line {
            "PROVIDER:" => of_provider = true,
            "CONSUMER:" => of_provider = false,
            "" => {}
            line if of_provider => listing.provider.push(exported(line)),
            line => references(line, &mut listing.consumer),
        }
    }
    listing
}

fn exported(line: &str) -> Exported {
    let (key, published) = match line.split_once(" ->  published: ") {
        Some((key, word)) => {
            let published = Published {
                registry: None,
                model: None,
                yes: word == "Y",
            };
            (key, vec![published])
        }
        None => (line, Vec::new()),
    };
    Exported {
        key: key.to_owned(),
        internal: false,
        published,
    }
}

/// `a.B ->  addresses: 3c.D ->  addresses: 0`
fn references(line: &str, found: &mut Vec<Referred>) {
    let mut rest = line;
    while !rest.is_empty() {
        let (key, behind) = match rest.split_once(" ->  addresses: ") {
            Some(parts) => parts,
            None => (rest, ""),
        };
        let digits = behind
            .find(|sign: char| !sign.is_ascii_digit())
            .unwrap_or(behind.len());
        let (number, next) = behind.split_at(digits);
        found.push(Referred {
            key: key.to_owned(),
            lists: Vec::new(),
            number: number.parse().ok(),
        });
        rest = next;
    }
}

/// 2.6: names of interfaces, with `-l` the URL behind each.
fn interfaces(text: &str) -> Option<Listing> {
    let mut listing = Listing::default();
    for line in text.lines().map(str::trim_end) {
        let name = line.split_once(" -> ").map_or(line, |(name, _)| name);
        let is_name = name.contains('.')
            && name.split('.').all(|part| {
                let mut signs = part.chars();
                signs
                    .next()
                    .is_some_and(|first| first.is_alphabetic() || first == '_')
                    && signs.all(|sign| sign.is_alphanumeric() || sign == '_' || sign == '$')
            });
        if !is_name {
            return None;
        }
        listing.provider.push(Exported {
            key: name.to_owned(),
            internal: false,
            published: Vec::new(),
        });
    }
    (!listing.provider.is_empty()).then_some(listing)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn both_sides_of_2_7() {
        let text = "PROVIDER:\ng/a.B:1.0 ->  published: Y\na.C ->  published: N\nCONSUMER:\na.D ->  addresses: 3g/a.E ->  addresses: 0";
        let listing = read(text).unwrap();
        assert_eq!(listing.provider[0].key, "g/a.B:1.0");
        assert!(listing.provider[0].published[0].yes && !listing.provider[1].published[0].yes);
        let told: Vec<_> = listing
            .consumer
            .iter()
            .map(|row| (row.key.as_str(), row.number))
            .collect();
        assert_eq!(told, [("a.D", Some(3)), ("g/a.E", Some(0))]);
    }

    #[test]
    fn interfaces_of_2_6() {
        let text = "com.acme.A -> dubbo://10.0.0.7:20880/com.acme.A?side=provider\ncom.acme.B";
        assert_eq!(read(text).unwrap().provider.len(), 2);
        assert!(read("No such service x").is_none());
        assert!(read("true").is_none() && read("").is_none());
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in r"(PROVIDER:|CONSUMER:|\n| ->  addresses: | ->  published: | -> |a\.B|[0-9]|Y|N){0,20}") {
            let _ = read(&text);
        }
    }
}
