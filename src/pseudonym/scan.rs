//! From text to text: finds runs of name signs and addresses, over every escaping that registries and logs use.

use std::borrow::Cow;

use super::address::Addresses;
use super::names::Names;

/// A text with its names and addresses replaced; borrowed when there is none.
pub(super) fn replaced<'t>(text: &'t str, names: &Names, addresses: &Addresses) -> Cow<'t, str> {
    let bytes = text.as_bytes();
    let mut out = String::new();
    let (mut at, mut copied, mut fresh) = (0, 0, 0);
    while at < bytes.len() {
        if let Some(length) = escape(&bytes[at..]) {
            at += length;
            fresh = at;
            continue;
        }
        let begins = at == fresh || !is_word(bytes[at - 1]);
        if !begins || !bytes[at].is_ascii_alphanumeric() && bytes[at] != b'_' {
            at += 1;
            continue;
        }
        let mut put = |from: usize, to: usize, new: &str| {
            if text[from..to] != *new {
                out.push_str(&text[copied..from]);
                out.push_str(new);
                copied = to;
            }
        };
        if let Some((end, new)) = addresses.at(text, at) {
            put(at, end, &new);
            at = end;
            continue;
        }
        let mut end = at + name(&bytes[at..]);
        // `order-web-10.0.0.7`
        if let Some(inner) = (at + 1..end).find(|inner| {
            bytes[*inner].is_ascii_digit()
                && bytes[inner - 1] == b'-'
                && addresses.at(text, *inner).is_some()
        }) {
            end = inner;
        }
        let run = &text[at..end];
        // `com\.acme\.OrderService`, as in a pattern
        let plain = run.replace("\\.", ".");
        if let Some(new) = names.written(&plain, &text[..at], &text[end..]) {
            let new = if plain == *run {
                new
            } else {
                new.replace('.', "\\.")
            };
            put(at, end, &new);
        }
        at = end;
        fresh = end;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn is_name(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'.' | b'-' | b'$')
}

/// How far a name goes that begins here. A dot may be escaped.
fn name(bytes: &[u8]) -> usize {
    let mut at = 0;
    loop {
        match bytes[at..] {
            [byte, ..] if is_name(byte) => at += 1,
            [b'\\', b'.', ..] => at += 2,
            _ => return at,
        }
    }
}

/// The length of `%3A`, `%253A`, `\n`, `\u003d`: signs that are letters only to the eye.
fn escape(bytes: &[u8]) -> Option<usize> {
    let hex = |at: usize, count: usize| {
        bytes
            .get(at..at + count)
            .is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    match (bytes.first()?, bytes.get(1)?) {
        (b'%', _) => {
            let mut at = 1;
            while bytes[at..].starts_with(b"25") && hex(at + 2, 2) {
                at += 2;
            }
            hex(at, 2).then_some(at + 2)
        }
        (b'\\', b'u') if hex(2, 4) => Some(6),
        (b'\\', b'n' | b't' | b'r' | b'b' | b'f') => Some(2),
        _ => None,
    }
}
