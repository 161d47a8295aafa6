//! Where the value behind a secret name ends.

use super::scan::Place;
use super::unit::{Form, Unit, unit};

/// The stretch of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) from: usize,
    pub(super) to: usize,
    /// Whether it stood in quotes (which stay).
    pub(super) quoted: bool,
}

/// The value behind a separator. `None` where an object follows: its own names decide.
pub(super) fn after(text: &str, at: usize, place: Place, is_header: bool) -> Option<Value> {
    let mut from = at;
    while let Some(space) = unit(text, from).filter(|unit| unit.is_space()) {
        from += space.len;
    }
    let Some(first) = unit(text, from) else {
        return Some(Value {
            from,
            to: from,
            quoted: false,
        });
    };
    if first.is_quote() {
        let inside = from + first.len;
        return Some(Value {
            from: inside,
            to: closing(text, inside, first),
            quoted: true,
        });
    }
    let in_json = place.quote.is_some() && place.separator.char == ':';
    if in_json && first.char == '{' {
        return None;
    }
    let to = if in_json && first.char == '[' {
        end_of_list(text, from)
    } else if is_header || (place.first_in_line && place.separator.form == Form::Raw && !in_json) {
        end_of_line(text, from, place.newline)
    } else {
        end_of_word(text, from, place.separator)
    };
    Some(Value {
        from,
        to,
        quoted: false,
    })
}

/// The value of a pair whose name was the value of a field or an attribute itself.
pub(super) fn of_pair(text: &str, at: usize, quote: Unit) -> Option<Value> {
    let mut from = at;
    let skip = |from: &mut usize, which: &dyn Fn(Unit) -> bool| {
        let mut any = false;
        while let Some(unit) = unit(text, *from).filter(|unit| which(*unit)) {
            *from += unit.len;
            any = true;
        }
        any
    };
    if let Some(end) = unit(text, from).filter(|unit| unit.char == '>' && quote.form == Form::Raw) {
        from += end.len;
        let to = from + text[from..].find('<')?;
        return Some(Value {
            from,
            to,
            quoted: true,
        });
    }
    skip(&mut from, &|unit| {
        unit.is_space() || unit.is_newline() || unit.char == ','
    });
    skip(&mut from, &Unit::is_quote);
    let name = text.get(from..)?;
    let name = ["value", "defaultValue"]
        .into_iter()
        .find(|known| name.starts_with(known))?;
    from += name.len();
    skip(&mut from, &Unit::is_quote);
    skip(&mut from, &Unit::is_space);
    if !skip(&mut from, &|unit| matches!(unit.char, '=' | ':')) {
        return None;
    }
    skip(&mut from, &Unit::is_space);
    let open = unit(text, from).filter(|unit| unit.is_quote())?;
    from += open.len;
    Some(Value {
        from,
        to: closing(text, from, open),
        quoted: true,
    })
}

/// The place of the quote that closes the one before `at`; the end of the text without one.
fn closing(text: &str, at: usize, open: Unit) -> usize {
    let mut to = at;
    while let Some(unit) = unit(text, to) {
        if unit.char == open.char && closes(unit, open) {
            // Backslashes beyond those of the quote belong to the content.
            let extra = unit
                .form
                .backslashes()
                .saturating_sub(open.form.backslashes());
            return to + usize::from(extra);
        }
        to += unit.len;
    }
    to
}

fn closes(unit: Unit, open: Unit) -> bool {
    match (unit.form, open.form) {
        (Form::Percent(one), Form::Percent(other)) => one == other,
        (Form::Entity, Form::Entity) => true,
        (Form::Raw | Form::Escaped(_), Form::Raw | Form::Escaped(_)) => {
            // Behind `k` backslashes each backslash of the content is `k + 1` of them twice over.
            let (k, j) = (
                u32::from(open.form.backslashes()),
                u32::from(unit.form.backslashes()),
            );
            j >= k && (j - k) % (2 * (k + 1)) == 0
        }
        _ => false,
    }
}

/// The end of a JSON list, brackets within texts not counted: no secret is worth a parser here.
fn end_of_list(text: &str, at: usize) -> usize {
    let mut depth = 0_usize;
    for (place, char) in text[at..].char_indices() {
        match char {
            '[' => depth += 1,
            ']' if depth == 1 => return at + place + 1,
            ']' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

/// The end of a line that began in the given way, with the lines that continue it.
fn end_of_line(text: &str, at: usize, newline: Form) -> usize {
    if let Some(end) = end_of_block(text, at, newline) {
        return end;
    }
    let mut to = at;
    let mut content_end = at;
    let mut continued = false;
    while let Some(unit) = unit(text, to) {
        // Within a text that is itself quoted, the quote ends it.
        if newline != Form::Raw
            && unit.char == '"'
            && unit.form.backslashes() < newline.backslashes().max(1)
        {
            break;
        }
        if unit.is_newline() && unit.form == newline {
            if !continued {
                break;
            }
            if unit.char == '\r' {
                to += unit.len;
                continue;
            }
        } else if unit.char == '&' && next_is_parameter(text, to + unit.len) {
            break;
        }
        continued = unit.char == '\\' && !continued;
        to += unit.len;
        if !unit.is_space() && !unit.is_newline() {
            content_end = to;
        }
    }
    content_end
}

/// The end of a YAML block (`password: |`): every line that is indented at all.
fn end_of_block(text: &str, at: usize, newline: Form) -> Option<usize> {
    let mark = text[at..]
        .chars()
        .next()
        .filter(|mark| matches!(mark, '|' | '>'))?;
    let mut to = at + mark.len_utf8();
    while let Some(unit) = unit(text, to).filter(|unit| !unit.is_newline()) {
        if !matches!(unit.char, '+' | '-' | '0'..='9' | ' ') {
            return None;
        }
        to += unit.len;
    }
    let mut end = to;
    let mut indented = false;
    let mut start = true;
    while let Some(unit) = unit(text, to) {
        if unit.is_newline() && unit.form == newline {
            start = true;
        } else if start {
            indented = unit.is_space();
            start = false;
            if !indented {
                break;
            }
        }
        to += unit.len;
        if indented && !unit.is_newline() {
            end = to;
        }
    }
    Some(end)
}

fn next_is_parameter(text: &str, at: usize) -> bool {
    let rest = &text.as_bytes()[at..];
    let name = rest
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
        .count();
    name > 0 && rest.get(name) == Some(&b'=')
}

/// The end of a value within a line: of a parameter of a URL, a field of a `toString`, a word.
fn end_of_word(text: &str, at: usize, separator: Unit) -> usize {
    let depth = separator.form.depth();
    let mut to = at;
    while let Some(unit) = unit(text, to) {
        let end = match unit.char {
            '&' | '"' | '\'' | '\n' | '\r' => unit.form.depth() <= depth,
            ' ' | '\t' | ';' | '<' | '>' | '|' | '}' | ')' | ']' => unit.form.depth() == 0,
            '/' | '\\' => unit.form == Form::Raw && depth > 0,
            ',' => unit.form.depth() == 0 && (depth > 0 || ends_a_field(text, to + unit.len)),
            _ => false,
        };
        if end {
            break;
        }
        to += unit.len;
    }
    to
}

/// Whether a comma ends a field rather than being part of the value: a space, the end, another field or URL follows.
fn ends_a_field(text: &str, at: usize) -> bool {
    let rest = &text.as_bytes()[at..];
    let name = rest
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
        .count();
    match rest.get(name) {
        None => true,
        Some(b'=' | b':' | b'?' | b'/') => name > 0,
        Some(b'%') if rest[name..].to_ascii_uppercase().starts_with(b"%3A%2F") => name > 0,
        Some(byte) => name == 0 && matches!(byte, b' ' | b'"' | b'\'' | b'\n' | b'\r' | b'\\'),
    }
}

/// The end of a token of an HTTP header.
pub(super) fn token_end(text: &str, at: usize) -> usize {
    let rest = &text.as_bytes()[at..];
    let token = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+/=._~-*%".contains(byte);
    at + rest.iter().take_while(token).count()
}

/// The password of the user info that begins at `at`, in a URL that was encoded `depth` times.
///
/// A password may hold characters that it should not (`#`, `/`, `@`): the last `@` of the URL ends it, unless what
/// stands behind the colon is a port.
pub(super) fn password_in_url(text: &str, at: usize, depth: u8) -> Option<(usize, usize)> {
    if text[at..].starts_with('[') {
        return None;
    }
    let mut to = at;
    let mut from = None;
    let mut last_at = None;
    let mut past_authority = false;
    while let Some(unit) = unit(text, to) {
        let own = unit.form.depth() == depth;
        match unit.char {
            ' ' | '\t' | '\n' | '\r' | '"' | '\'' | '<' | '>' | '|' | '{' | '}'
                if unit.form.depth() <= depth =>
            {
                break;
            }
            '/' | ',' | '&' if depth > 0 && unit.form == Form::Raw => break,
            ':' if own && from.is_none() && !past_authority => from = Some(to + unit.len),
            '@' if own => last_at = Some(to),
            '/' | '?' | '#' if own && !past_authority => {
                // `host:port/path` has no user info; `user:pa/ss@host` has.
                let begin = from?;
                if last_at.is_some_and(|_| unit.char != '#') || is_port(&text[begin..to]) {
                    break;
                }
                past_authority = true;
            }
            // A later URL in the same text is another one.
            ':' if own && past_authority && text[to + unit.len..].starts_with("//") => break,
            _ => {}
        }
        to += unit.len;
    }
    let (from, last_at) = (from?, last_at?);
    (from < last_at).then_some((from, last_at))
}

/// Whether this is a port, perhaps with further addresses behind it (`2181,h2:2181`).
fn is_port(text: &str) -> bool {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    digits > 0 && matches!(text.as_bytes().get(digits), None | Some(b',' | b'%'))
}
