//! Reading a URL: the parser of 2.x for plain texts, and the one (`URLStrParser`) that reads registry entries from
//! 2.7.7 and everything from 3.0.
//!
//! Positions are counted in UTF-16 units where Dubbo's arithmetic on them can be seen in the answer (literal `&`
//! or `=` inside an encoded entry cut two characters off their neighbours).

use std::collections::BTreeMap;

use super::dialect::{DefaultKeys, Dialect, Entries, NoValue};
use super::{Url, UrlError, java};
use crate::model::secret::Secret;

const DEFAULT_PREFIX: &str = "default.";

/// `URL.valueOf(text)`.
pub(super) fn plain(text: &str, dialect: Dialect) -> Result<Url, UrlError> {
    if !dialect.one_parser {
        return plain_2x(text, dialect);
    }
    let (body, query) = match text.split_once('?') {
        Some((body, query)) => (body, Some(query)),
        None => (text, None),
    };
    let mut url = Url {
        parameters: BTreeMap::new(),
        ..body_parts(body, text, true, dialect.user_alone)?
    };
    if let Some(query) = query {
        let units: Vec<u16> = query.encode_utf16().collect();
        url.parameters = parameters(&units, 0, false, dialect)?;
    }
    finish(url, dialect)
}

/// A registry entry.
pub(super) fn encoded(text: &str, dialect: Dialect) -> Result<Url, UrlError> {
    if dialect.entries == Entries::DecodeFirst {
        let decoded = java::decode(text).map_err(UrlError::BrokenEscape)?;
        return plain(&decoded, dialect);
    }
    let units: Vec<u16> = text.encode_utf16().collect();
    let question_mark = question_mark(text, &units, dialect);
    let (body_end, parameters) = match question_mark {
        Some(at) => (at, parameters(&units, at + 3, true, dialect)?),
        None => (units.len(), BTreeMap::new()),
    };
    let body = decode_component(&units, 0, body_end)?;
    let url = body_parts(&body, text, dialect.entry_fragment, dialect.user_alone)?;
    finish(Url { parameters, ..url }, dialect)
}

/// Where `%3F` starts. Dubbo searches the text in upper case, in which some letters become two.
fn question_mark(text: &str, units: &[u16], dialect: Dialect) -> Option<usize> {
    const WANTED: [u16; 3] = [b'%' as u16, b'3' as u16, b'F' as u16];
    let find = |units: &[u16]| units.windows(3).position(|window| window == WANTED);
    if dialect.question_mark_any_case {
        find(&text.to_uppercase().encode_utf16().collect::<Vec<_>>())
    } else {
        find(units)
    }
}

/// What the constructors of URL check and change, whatever was read.
pub(super) fn finish(mut url: Url, dialect: Dialect) -> Result<Url, UrlError> {
    if let Some(path) = &mut url.path {
        *path = path.trim_start_matches('/').to_owned();
    }
    let no_user = url.username.as_deref().is_none_or(str::is_empty);
    if dialect.password_needs_user
        && no_user
        && url.password.as_ref().is_some_and(|p| !p.is_empty())
    {
        return Err(UrlError::PasswordWithoutUser);
    }
    if dialect.plain_default_keys == DefaultKeys::CopiedTwice {
        copy_default_keys(&mut url.parameters);
    }
    if dialect.fixed_side
        && let Some(side) = url.parameters.get_mut("side")
    {
        let folded = side.to_lowercase();
        if folded != "consumer" && folded != "provider" {
            return Err(UrlError::Side(side.clone()));
        }
        *side = folded;
    }
    Ok(url)
}

/// One level of `default.x` to an absent `x`.
fn copy_default_keys(parameters: &mut BTreeMap<String, String>) {
    let copies: Vec<(String, String)> = parameters
        .iter()
        .filter_map(|(name, value)| {
            Some((name.strip_prefix(DEFAULT_PREFIX)?.to_owned(), value.clone()))
        })
        .collect();
    for (name, value) in copies {
        parameters.entry(name).or_insert(value);
    }
}

pub(super) fn port(digits: &str, whole: &str) -> Result<u32, UrlError> {
    match java::parse_int(digits) {
        Some(number) => Ok(u32::try_from(number).unwrap_or(0)),
        // with user information in the text, a piece of a password may stand where the port should be
        None => Err(UrlError::Port(
            (!whole.contains('@')).then(|| digits.to_owned()),
        )),
    }
}

/// `URL.valueOf` of 2.x.
fn plain_2x(text: &str, dialect: Dialect) -> Result<Url, UrlError> {
    let text = java::trim(text);
    if text.is_empty() {
        return Err(UrlError::Empty);
    }
    let (mut rest, query) = match text.split_once('?') {
        Some((body, query)) => (body, Some(query)),
        None => (text, None),
    };
    let parameters = query
        .map(|query| parameters_2x(query, dialect))
        .unwrap_or_default();
    if dialect.plain_fragment
        && let Some((before, _)) = rest.split_once('#')
    {
        rest = before;
    }
    let mut protocol = None;
    for (separator, kept) in [("://", 3), (":/", 1)] {
        if let Some(at) = rest.find(separator) {
            if at == 0 {
                return Err(UrlError::NoProtocol);
            }
            protocol = Some(rest[..at].to_owned());
            rest = &rest[at + kept..];
            break;
        }
    }
    let mut path = None;
    if let Some((before, after)) = rest.split_once('/') {
        path = Some(after.to_owned());
        rest = before;
    }
    let (mut username, mut password) = (None, None);
    if let Some((user, after)) = rest.rsplit_once('@') {
        rest = after;
        match user.split_once(':') {
            Some((user, secret)) => {
                username = Some(user.to_owned());
                password = Some(Secret::new(secret));
            }
            None => username = Some(user.to_owned()),
        }
    }
    let mut port_number = 0;
    if let Some(at) = rest.rfind(':').filter(|at| at + 1 < rest.len())
        && rest.rfind('%').is_none_or(|zone| zone < at)
    {
        port_number = port(&rest[at + 1..], text)?;
        rest = &rest[..at];
    }
    let host = (!rest.is_empty()).then(|| rest.to_owned());
    finish(
        Url {
            protocol,
            username,
            password,
            host,
            port: port_number,
            path,
            parameters,
        },
        dialect,
    )
}

/// The parameters of a plain text in 2.x.
fn parameters_2x(query: &str, dialect: Dialect) -> BTreeMap<String, String> {
    let mut parameters = BTreeMap::new();
    for part in query.split(|c| c == '&' || dialect.semicolon && c == ';') {
        let part = java::trim(part);
        if part.is_empty() {
            continue;
        }
        let Some((name, value)) = part.split_once('=') else {
            parameters.insert(part.to_owned(), part.to_owned());
            continue;
        };
        parameters.insert(name.to_owned(), value.to_owned());
        if dialect.plain_default_keys == DefaultKeys::Copied
            && let Some(bare) = name.strip_prefix(DEFAULT_PREFIX)
        {
            parameters
                .entry(bare.to_owned())
                .or_insert_with(|| value.to_owned());
        }
    }
    if dialect.plain_default_keys == DefaultKeys::Fallback {
        parameters.retain(|name, value| !value.is_empty() || name.starts_with(DEFAULT_PREFIX));
        copy_default_keys(&mut parameters);
    }
    parameters
}

/// `URLStrParser.parseURLBody`: everything before the parameters.
fn body_parts(body: &str, whole: &str, fragment: bool, user_alone: bool) -> Result<Url, UrlError> {
    let bytes = body.as_bytes();
    let (mut start, mut end) = (0, bytes.len());
    if fragment && let Some(at) = body.find('#') {
        end = at;
    }
    // these search the whole body, also behind the `#`
    let mut protocol = None;
    for (separator, kept) in [("://", 3), (":/", 1)] {
        if let Some(at) = body.find(separator) {
            if at == 0 {
                return Err(UrlError::NoProtocol);
            }
            protocol = Some(body[..at].to_owned());
            start = at + kept;
            break;
        }
    }
    let first = |wanted: u8, start: usize, end: usize| (start..end).find(|&at| bytes[at] == wanted);
    // the last character of the range is looked at too
    let last = |wanted: u8, start: usize, end: usize| {
        (start..bytes.len().min(end + 1))
            .rev()
            .find(|&at| bytes[at] == wanted)
    };
    let mut path = None;
    if let Some(at) = first(b'/', start, end) {
        path = Some(body[at + 1..end].to_owned());
        end = at;
    }
    let (mut username, mut password) = (None, None);
    if let Some(at) = last(b'@', start, end).filter(|&at| at > 0) {
        match first(b':', start, at) {
            Some(colon) => {
                username = Some(body[start..colon].to_owned());
                password = Some(Secret::new(&body[colon + 1..at]));
            }
            None if user_alone => username = Some(body[start..at].to_owned()),
            None => return Err(UrlError::UserWithoutPassword),
        }
        start = at + 1;
    }
    let mut port_number = 0;
    if let Some(at) = last(b':', start, end).filter(|&at| at > 0 && at + 1 < bytes.len())
        && last(b'%', start, end).is_none_or(|zone| zone < at)
    {
        port_number = port(body.get(at + 1..end).unwrap_or_default(), whole)?;
        end = at;
    }
    let host = (end > start).then(|| body[start..end].to_owned());
    Ok(Url {
        protocol,
        username,
        password,
        host,
        port: port_number,
        path,
        parameters: BTreeMap::new(),
    })
}

/// `URLStrParser.parseDecodedParams` and `parseEncodedParams`.
pub(super) fn parameters(
    units: &[u16],
    from: usize,
    encoded: bool,
    dialect: Dialect,
) -> Result<BTreeMap<String, String>, UrlError> {
    const EQUALS: u16 = b'=' as u16;
    const AND: u16 = b'&' as u16;
    const SEMICOLON: u16 = b';' as u16;
    const PERCENT: u16 = b'%' as u16;
    // an encoded separator is three characters long, and Dubbo takes every one for encoded
    let separator_lead = if encoded { 2 } else { 0 };
    let mut found = Parameters {
        units,
        encoded,
        dialect,
        map: BTreeMap::new(),
    };
    let mut name_start = from;
    let mut value_start = None;
    let mut at = from;
    while at < units.len() {
        let mut unit = units[at];
        if encoded && unit == PERCENT {
            unit = u16::from(hex_byte(units, at)?);
            at += 2;
        }
        match unit {
            EQUALS if name_start == at => name_start = at + 1,
            EQUALS if value_start.is_none_or(|start| start < name_start) => {
                value_start = Some(at + 1);
            }
            AND | SEMICOLON => {
                found.add(name_start, value_start, at.saturating_sub(separator_lead))?;
                name_start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    found.add(name_start, value_start, at)?;
    Ok(found.map)
}

struct Parameters<'a> {
    units: &'a [u16],
    encoded: bool,
    dialect: Dialect,
    map: BTreeMap<String, String>,
}

impl Parameters<'_> {
    /// `URLStrParser.addParam`.
    fn add(
        &mut self,
        name_start: usize,
        value_start: Option<usize>,
        value_end: usize,
    ) -> Result<(), UrlError> {
        if name_start >= value_end {
            return Ok(());
        }
        let value_start = value_start
            .filter(|&start| start > name_start)
            .unwrap_or(value_end + 1);
        let name_end = value_start.saturating_sub(if self.encoded { 3 } else { 1 });
        let name = self.component(name_start, name_end)?;
        let value = if value_start < value_end {
            self.component(value_start, value_end)?
        } else {
            match self.dialect.no_value {
                NoValue::Name => name.clone(),
                NoValue::NameAfterEquals if value_start == value_end => name.clone(),
                NoValue::Empty | NoValue::NameAfterEquals => String::new(),
            }
        };
        self.map.insert(name.clone(), value.clone());
        if self.dialect.entry_default_keys != DefaultKeys::Ignored
            && let Some(bare) = name.strip_prefix(DEFAULT_PREFIX)
        {
            self.map.entry(bare.to_owned()).or_insert(value);
        }
        Ok(())
    }

    fn component(&self, from: usize, to: usize) -> Result<String, UrlError> {
        if self.encoded {
            decode_component(self.units, from, to)
        } else {
            Ok(String::from_utf16_lossy(
                self.units.get(from..to).unwrap_or_default(),
            ))
        }
    }
}

/// `StringUtils.decodeHexByte` of the two digits after the `%` at a place.
fn hex_byte(units: &[u16], at: usize) -> Result<u8, UrlError> {
    let nibble = |unit: Option<&u16>| {
        let digit = unit.and_then(|&unit| u8::try_from(unit).ok());
        digit
            .and_then(|digit| char::from(digit).to_digit(16))
            .and_then(|value| u8::try_from(value).ok())
            .ok_or(UrlError::BrokenEscape(at))
    };
    Ok(nibble(units.get(at + 1))? << 4 | nibble(units.get(at + 2))?)
}

/// `URLStrParser.decodeComponent`: `+` is a space, runs of percent sequences are UTF-8.
fn decode_component(units: &[u16], from: usize, to: usize) -> Result<String, UrlError> {
    if to <= from {
        return Ok(String::new());
    }
    let part = units.get(from..to).ok_or(UrlError::OutOfBounds)?;
    let mut out: Vec<u16> = Vec::with_capacity(part.len());
    let mut at = 0;
    while at < part.len() {
        match part[at] {
            0x25 => {
                let mut bytes = Vec::new();
                while part.get(at) == Some(&0x25) {
                    if at + 3 > part.len() {
                        return Err(UrlError::BrokenEscape(from + at));
                    }
                    bytes.push(hex_byte(part, at).map_err(|_| UrlError::BrokenEscape(from + at))?);
                    at += 3;
                }
                let text = std::str::from_utf8(&bytes).map_err(|_| UrlError::NotUtf8)?;
                out.extend(text.encode_utf16());
            }
            0x2b => {
                out.push(0x20);
                at += 1;
            }
            unit => {
                out.push(unit);
                at += 1;
            }
        }
    }
    Ok(String::from_utf16_lossy(&out))
}
