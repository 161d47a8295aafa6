//! A word for a word: every letter by a permutation that depends on the letters before it, so that equal beginnings stay
//! equal beginnings and different words stay different. Case and digits keep their places.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

/// A way to write words that only its key tells.
#[derive(Debug, Clone)]
pub(super) struct Letters {
    key: [u8; 32],
    /// Words that are written otherwise than by the rule, in small letters.
    own: BTreeMap<String, String>,
}

impl Letters {
    pub(super) fn new(key: [u8; 32]) -> Self {
        Self {
            key,
            own: BTreeMap::new(),
        }
    }

    /// Decides how a word (in small letters) is written.
    pub(super) fn decide(&mut self, word: String, written: String) {
        self.own.insert(word, written);
    }

    /// Whether it was decided.
    pub(super) fn has(&self, word: &str) -> bool {
        self.own.contains_key(word)
    }

    /// A name of several words: letters and digits are written, everything between them stays.
    pub(super) fn name(&self, name: &str) -> String {
        let mut out = String::with_capacity(name.len());
        let mut rest = name;
        while !rest.is_empty() {
            let word = rest
                .find(|sign: char| !sign.is_ascii_alphanumeric())
                .unwrap_or(rest.len());
            out.push_str(&self.word(&rest[..word]));
            rest = &rest[word..];
            let gap = rest
                .find(|sign: char| sign.is_ascii_alphanumeric())
                .unwrap_or(rest.len());
            out.push_str(&rest[..gap]);
            rest = &rest[gap..];
        }
        out
    }

    /// One word.
    pub(super) fn word(&self, word: &str) -> String {
        let lower = word.to_ascii_lowercase();
        let written = match self.own.get(&lower) {
            Some(written) => written.clone(),
            None => self.by_rule(&lower),
        };
        written
            .chars()
            .zip(word.chars())
            .map(|(new, old)| {
                if old.is_ascii_uppercase() {
                    new.to_ascii_uppercase()
                } else {
                    new
                }
            })
            .collect()
    }

    /// A word of small letters and digits.
    pub(super) fn by_rule(&self, lower: &str) -> String {
        let bytes = lower.as_bytes();
        (0..bytes.len())
            .map(|at| char::from(self.sign(&bytes[..at], bytes[at])))
            .collect()
    }

    /// The sign in place of one behind these.
    pub(super) fn sign(&self, before: &[u8], sign: u8) -> u8 {
        let (first, count) = match sign {
            b'a'..=b'z' => (b'a', 26),
            b'0'..=b'9' => (b'0', 10),
            other => return other,
        };
        let mut signs: Vec<u8> = (first..first + count).collect();
        let chance = chance(&self.key, b"word", before);
        for last in (1..signs.len()).rev() {
            let other = usize::from(chance[last]) % (last + 1);
            signs.swap(last, other);
        }
        signs[usize::from(sign - first)]
    }
}

/// 256 bits that only the key tells.
pub(super) fn chance(key: &[u8; 32], about: &[u8], of: &[u8]) -> [u8; 32] {
    Sha256::new()
        .chain_update(key)
        .chain_update(about)
        .chain_update([0])
        .chain_update(of)
        .finalize()
        .into()
}
