//! One character of a text, however it is encoded: raw, percent-encoded (any number of times), behind backslashes, as
//! a JSON or XML escape.
//!
//! ZooKeeper node names are percent-encoded URLs that may hold further URLs; QOS answers and Nacos bodies are JSON in
//! JSON. A secret is the same secret in all of them.

/// How a character is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// As itself.
    Raw,
    /// Percent-encoded this many times.
    Percent(u8),
    /// Behind this many backslashes (`\"`, `\n`, `\u003d`).
    Escaped(u8),
    /// As an XML entity.
    Entity,
}

impl Form {
    /// How often a URL would have to be decoded to get the character.
    pub(super) fn depth(self) -> u8 {
        match self {
            Self::Percent(depth) => depth,
            _ => 0,
        }
    }

    /// The number of backslashes before it.
    pub(super) fn backslashes(self) -> u8 {
        match self {
            Self::Escaped(count) => count,
            _ => 0,
        }
    }
}

/// A character with its encoding and its length in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    pub(super) char: char,
    pub(super) form: Form,
    pub(super) len: usize,
}

impl Unit {
    pub(super) fn is_quote(self) -> bool {
        matches!(self.char, '"' | '\'')
    }

    pub(super) fn is_newline(self) -> bool {
        matches!(self.char, '\n' | '\r')
    }

    pub(super) fn is_space(self) -> bool {
        matches!(self.char, ' ' | '\t')
    }

    /// Whether it can be part of the name of a parameter, property or field.
    pub(super) fn is_name(self) -> bool {
        self.char.is_ascii_alphanumeric() || matches!(self.char, '_' | '.' | '-')
    }
}

/// The unit at a position, which must be a character boundary before the end.
pub(super) fn unit(text: &str, at: usize) -> Option<Unit> {
    let rest = text.get(at..)?;
    let char = rest.chars().next()?;
    let special = match char {
        '%' => percent(rest.as_bytes()),
        '\\' => escaped(rest),
        '&' => entity(rest),
        _ => None,
    };
    Some(special.unwrap_or(Unit {
        char,
        form: Form::Raw,
        len: char.len_utf8(),
    }))
}

fn percent(rest: &[u8]) -> Option<Unit> {
    let pair = |at: usize| {
        let digit = |at: usize| rest.get(at).and_then(|byte| char::from(*byte).to_digit(16));
        Some(digit(at)? * 16 + digit(at + 1)?)
    };
    let (mut at, mut depth) = (1, 1_u8);
    // `%25` is the percent sign of an inner encoding as long as two more digits follow.
    while pair(at) == Some(0x25) && pair(at + 2).is_some() && depth < 16 {
        at += 2;
        depth += 1;
    }
    let char = char::from_u32(pair(at)?)?;
    Some(Unit {
        char,
        form: Form::Percent(depth),
        len: at + 2,
    })
}

fn escaped(rest: &str) -> Option<Unit> {
    let count = rest.bytes().take_while(|byte| *byte == b'\\').count();
    let form = Form::Escaped(u8::try_from(count).ok()?);
    let after = rest.get(count..)?;
    let char = after.chars().next()?;
    let unit = |char: char, len: usize| {
        Some(Unit {
            char,
            form,
            len: count + len,
        })
    };
    match char {
        '"' | '\'' | '/' | '=' | ':' | '#' | '!' | ' ' => unit(char, 1),
        'n' => unit('\n', 1),
        'r' => unit('\r', 1),
        't' => unit('\t', 1),
        'u' => {
            let digits = after.get(1..5)?;
            unit(char::from_u32(u32::from_str_radix(digits, 16).ok()?)?, 5)
        }
        _ => None,
    }
}

fn entity(rest: &str) -> Option<Unit> {
    [
        ("&quot;", '"'),
        ("&#34;", '"'),
        ("&apos;", '\''),
        ("&#39;", '\''),
        ("&amp;", '&'),
        ("&lt;", '<'),
        ("&gt;", '>'),
    ]
    .into_iter()
    .find(|(name, _)| rest.starts_with(name))
    .map(|(name, char)| Unit {
        char,
        form: Form::Entity,
        len: name.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings() {
        for (text, char, form) in [
            ("=x", '=', Form::Raw),
            ("%3Dx", '=', Form::Percent(1)),
            ("%253dx", '=', Form::Percent(2)),
            ("%25253Dx", '=', Form::Percent(3)),
            ("%25", '%', Form::Percent(1)),
            ("%zz", '%', Form::Raw),
            ("\\\"x", '"', Form::Escaped(1)),
            ("\\\\\\\"x", '"', Form::Escaped(3)),
            ("\\u003dx", '=', Form::Escaped(1)),
            ("\\nx", '\n', Form::Escaped(1)),
            ("\\q", '\\', Form::Raw),
            ("&quot;x", '"', Form::Entity),
            ("&x", '&', Form::Raw),
            ("é", 'é', Form::Raw),
        ] {
            let unit = unit(text, 0).unwrap();
            assert_eq!((unit.char, unit.form), (char, form), "{text}");
        }
        assert_eq!(unit("", 0), None);
    }
}
