//! Addresses that keep their networks: two addresses share as many leading bits afterwards as before.
//!
//! The first part stays (10, 172, fe80), and so do loopback, link-local and multicast addresses and the borders of the
//! private networks. Where a rule compares the numbers of a part (`10.20.1-5.*`, `10.20.3.1*`), that part stays.

use std::collections::BTreeSet;
use std::net::Ipv6Addr;

use super::letters::chance;

/// Networks whose border is kept: what lies in them lies in them afterwards, and nothing else does.
const BORDERS: [([u8; 4], usize); 6] = [
    ([100, 64, 0, 0], 10),
    ([169, 254, 0, 0], 16),
    ([172, 16, 0, 0], 12),
    // The bridge of Docker, which is an address of every host.
    ([172, 17, 0, 0], 16),
    ([192, 168, 0, 0], 16),
    ([198, 18, 0, 0], 15),
];

/// How addresses are replaced.
#[derive(Debug, Clone)]
pub(super) struct Addresses {
    key: [u8; 32],
    /// The part behind these is compared as a number.
    compared: BTreeSet<Vec<u8>>,
    /// Texts that look like addresses and are versions.
    versions: BTreeSet<String>,
}

impl Addresses {
    pub(super) fn new(
        key: [u8; 32],
        compared: BTreeSet<Vec<u8>>,
        versions: BTreeSet<String>,
    ) -> Self {
        Self {
            key,
            compared,
            versions,
        }
    }

    /// The parts of an address, or its first ones.
    fn parts(&self, parts: &[u8]) -> Vec<u8> {
        let special = matches!(parts.first(), None | Some(0 | 127 | 224..));
        (0..parts.len())
            .map(|at| {
                if special || at == 0 || self.compared.contains(&parts[..at]) {
                    return parts[at];
                }
                let bits = chance(&self.key, b"4", &parts[..at]);
                let free = |bit: usize| !on_border(parts, 8 * at + bit);
                tree(parts[at], 8, &bits, free)
            })
            .collect()
    }

    /// The address at this place of a text: where it ends and what stands there instead. `None` where there is none.
    pub(super) fn at(&self, text: &str, at: usize) -> Option<(usize, String)> {
        let found = if text.as_bytes()[at].is_ascii_digit() {
            self.four(text, at)
        } else {
            None
        };
        found.or_else(|| self.six(text, at))
    }

    /// `10.20.3.7`, `10.20.0.0/16`, `10.20.*`, the first of `10.20.1-5.*`; dots may be escaped, as in a regex.
    fn four(&self, text: &str, at: usize) -> Option<(usize, String)> {
        let bytes = text.as_bytes();
        let (mut parts, mut gaps) = (Vec::new(), Vec::new());
        let (mut end, mut after_gap) = (at, at);
        while parts.len() < 4 {
            let length = bytes[after_gap..]
                .iter()
                .take(4)
                .take_while(|byte| byte.is_ascii_digit())
                .count();
            let digits = &text[after_gap..after_gap + length];
            if length == 0 || (length > 1 && digits.starts_with('0')) {
                break;
            }
            parts.push(digits.parse::<u8>().ok()?);
            end = after_gap + length;
            let gap = bytes[end..]
                .iter()
                .take_while(|byte| **byte == b'\\')
                .count();
            if bytes.get(end + gap) != Some(&b'.') {
                after_gap = end;
                break;
            }
            after_gap = end + gap + 1;
            gaps.push(&text[end..after_gap]);
        }
        let next = bytes.get(end).copied();
        let whole = parts.len() == 4;
        let goes_on = |byte: Option<u8>| {
            byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        if whole {
            let fifth = next == Some(b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
            if fifth || goes_on(next) || self.versions.contains(&text[at..end]) {
                return None;
            }
        } else {
            let wild = after_gap > end && bytes.get(after_gap) == Some(&b'*');
            let part = after_gap == end && matches!(next, Some(b'*' | b'-'));
            if parts.len() < 2 || !(wild || part) || is_version(&text[..at]) {
                return None;
            }
        }
        let mut new = self.parts(&parts);
        if whole && let Some(length) = mask(&text[end..]) {
            clear(&parts, &mut new, length);
        }
        let mut out = String::new();
        for (index, part) in new.iter().enumerate() {
            if index > 0 {
                out.push_str(gaps[index - 1]);
            }
            out.push_str(&part.to_string());
        }
        Some((end, out))
    }

    /// A full address of version 6, its colons escaped as in a URL or not.
    fn six(&self, text: &str, at: usize) -> Option<(usize, String)> {
        let bytes = text.as_bytes();
        let (mut end, mut plain, mut colon) = (at, String::new(), ":");
        loop {
            let digits = bytes[end..]
                .iter()
                .take(5)
                .take_while(|byte| byte.is_ascii_hexdigit())
                .count();
            plain.push_str(&text[end..end + digits]);
            end += digits;
            let Some(length) = colon_at(&text[end..]) else {
                break;
            };
            colon = &text[end..end + length];
            plain.push(':');
            end += length;
            if plain.len() > 40 {
                return None;
            }
        }
        let next = bytes.get(end).copied();
        if next
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'*'))
        {
            return None;
        }
        let first = plain.split(':').next()?;
        let colons = plain.matches(':').count();
        if first.len() != 4 && colons < 7 {
            return None;
        }
        let address: Ipv6Addr = plain.parse().ok()?;
        let groups = address.segments();
        if groups[0] == 0 {
            return None;
        }
        let mut new = groups;
        for place in 1..8 {
            let mut before: Vec<u8> = groups[..place]
                .iter()
                .flat_map(|group| group.to_be_bytes())
                .collect();
            let mut written = 0;
            for nibble in 0..4 {
                let value = (groups[place] >> (12 - 4 * nibble)) & 0xf;
                let bits = chance(&self.key, b"6", &before);
                let value = u8::try_from(value).unwrap_or_default();
                before.push(value);
                written = written << 4 | u16::from(tree(value << 4, 4, &bits, |_| true) >> 4);
            }
            new[place] = written;
        }
        Some((end, Ipv6Addr::from(new).to_string().replace(':', colon)))
    }
}

/// Turns the bits of a part, each by what stands before it.
fn tree(part: u8, bits: usize, chance: &[u8; 32], free: impl Fn(usize) -> bool) -> u8 {
    let mut out = 0;
    for bit in 0..bits {
        let before = if bit == 0 {
            0
        } else {
            usize::from(part >> (8 - bit))
        };
        let node = (1 << bit) - 1 + before;
        let turned = free(bit) && chance[node / 8] >> (node % 8) & 1 == 1;
        let value = part >> (7 - bit) & 1;
        out |= (value ^ u8::from(turned)) << (7 - bit);
    }
    out
}

/// Whether a bit decides on which side of a kept border an address lies.
fn on_border(parts: &[u8], bit: usize) -> bool {
    let number = |parts: &[u8]| {
        parts
            .iter()
            .take(4)
            .fold(0_u64, |all, part| all << 8 | u64::from(*part))
            << (8 * (4 - parts.len().min(4)))
    };
    BORDERS.iter().any(|(network, length)| {
        bit < *length && number(parts) >> (32 - bit) == number(network) >> (32 - bit)
    })
}

/// The length behind a network.
fn mask(rest: &str) -> Option<usize> {
    let digits = rest.strip_prefix('/')?;
    let count = digits.bytes().take_while(u8::is_ascii_digit).count();
    let goes_on = digits[count..]
        .starts_with(|sign: char| sign.is_alphanumeric() || sign == '.' || sign == '_');
    digits[..count]
        .parse()
        .ok()
        .filter(|length| (1..=32).contains(length) && !goes_on)
}

/// A network keeps zeros behind its length.
fn clear(old: &[u8], new: &mut [u8], length: usize) {
    let behind = |at: usize| match (8 * (at + 1)).saturating_sub(length) {
        0 => 0,
        bits @ 1..=7 => (1_u8 << bits) - 1,
        _ => u8::MAX,
    };
    if (0..4).all(|at| old[at] & behind(at) == 0) {
        for (at, part) in new.iter_mut().enumerate() {
            *part &= !behind(at);
        }
    }
}

fn colon_at(text: &str) -> Option<usize> {
    if text.starts_with(':') {
        return Some(1);
    }
    let mut rest = text.strip_prefix('%')?;
    while let Some(deeper) = rest.strip_prefix("25") {
        rest = deeper;
    }
    let rest = rest
        .strip_prefix("3A")
        .or_else(|| rest.strip_prefix("3a"))?;
    Some(text.len() - rest.len())
}

/// Whether what stands before a number says that a version follows.
fn is_version(before: &str) -> bool {
    let from = before.char_indices().rev().nth(20).map_or(0, |(at, _)| at);
    let near = before[from..].to_ascii_lowercase();
    let near = near.trim_end_matches(|sign: char| !sign.is_ascii_alphabetic());
    let near = near
        .strip_suffix("%3d")
        .unwrap_or(near)
        .trim_end_matches(['=', '!', ' ', '%']);
    ["release", "version"]
        .iter()
        .any(|word| near.ends_with(word))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn addresses() -> Addresses {
        Addresses::new(
            [7; 32],
            BTreeSet::from([vec![10, 99]]),
            BTreeSet::from(["2.7.4.1".to_owned()]),
        )
    }

    fn written(text: &str) -> Option<String> {
        addresses().at(text, 0).map(|(end, new)| new + &text[end..])
    }

    #[test]
    fn what_is_an_address() {
        for text in [
            "10.20.3.7:20880",
            "10.20.3.7",
            "10.20.0.0/16",
            "10.20.*",
            "10.20.3.*",
            "2001:db8:1::7",
        ] {
            let new = written(text).unwrap();
            assert!(
                new != text && new.starts_with(text.get(..3).unwrap()),
                "{text} {new}"
            );
        }
        assert!(written("10.20.0.0/16").unwrap().ends_with(".0.0/16"));
        assert_eq!(
            written("10.99.3-5.*")
                .as_deref()
                .map(|new| &new[new.len() - 6..]),
            Some(".3-5.*")
        );
        for text in ["127.0.0.1", "0.0.0.0", "255.255.255.255", "224.5.6.7"] {
            assert_eq!(written(text).as_deref(), Some(text));
        }
        for text in [
            "2.7.4.1",
            "1.2.3",
            "1.2.3.4.5",
            "300.1.1.1",
            "10.0.0.7a",
            "12:30:45",
            "Bee::",
            "::1",
            "aa:bb:cc:dd:ee:ff",
            "0:0:0:0:0:0:0:1",
        ] {
            assert_eq!(written(text), None, "{text}");
        }
        let plain = written("2001:db8:1::7").unwrap();
        let escaped = written("2001%3Adb8%3A1%3A%3A7").unwrap();
        assert_eq!(escaped.replace("%3A", ":"), plain);
    }

    fn lead(a: &[u8], b: &[u8]) -> u32 {
        let number = |parts: &[u8]| {
            parts
                .iter()
                .fold(0_u32, |all, part| all << 8 | u32::from(*part))
        };
        (number(a) ^ number(b)).leading_zeros()
    }

    proptest! {
        #[test]
        fn networks_stay_networks(a in any::<[u8; 4]>(), b in any::<[u8; 4]>()) {
            let all = addresses();
            let (x, y) = (all.parts(&a), all.parts(&b));
            prop_assert_eq!(lead(&a, &b), lead(&x, &y));
            for (network, length) in BORDERS {
                let inside = |parts: &[u8]| lead(parts, &network) as usize >= length;
                prop_assert_eq!(inside(&a), inside(&x));
            }
        }

        #[test]
        fn takes_any_text(text in "[0-9a-f:.*%3A/-]{1,30}") {
            if let Some((end, _)) = addresses().at(&text, 0) {
                prop_assert!(end <= text.len());
            }
        }
    }
}
