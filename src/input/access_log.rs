//! Dubbo's access log: one line for each call, as `AccessLogFilter` writes it.
//!
//! ```text
//! 2.5 to 3.0  [2026-11-29 20:00:00] 10.0.0.5:52100 -> 10.0.0.7:20880 - g/com.acme.Order:1.0.0 get(java.lang.String) ["42"]
//! 3.1 on      [2026-11-29 20:00:00.00123] -> [2026-11-29 20:00:00.00180] 10.0.0.5:52100 -> 10.0.0.7:20880 - ..
//! ```
//!
//! Written to a logger instead of a file (`accesslog=true`), the same stands behind whatever the layout puts before it.
//! Attachments are not in it. Anything else among the lines is counted and passed over.

use std::io::BufRead;

use memchr::memmem;
use serde_json::Value;

use super::lines::{Lines, StreamError};
use super::requests::{Caller, Request};

/// One line as it stands there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccessLine<'a> {
    /// The time of the call as written, without its brackets; empty when there is none.
    pub time: &'a str,
    /// When the answer was sent (3.1 on).
    pub answered: Option<&'a str>,
    /// Host of the caller.
    pub remote_host: &'a str,
    /// Address of the process that wrote the line.
    pub local: &'a str,
    /// `[group/]interface[:version]`.
    pub service: &'a str,
    /// Method.
    pub method: &'a str,
    /// Class names of the parameters, separated by commas.
    pub types: &'a str,
    /// The arguments: a JSON array, or what `toString` made of them; empty when there are none.
    pub arguments: &'a str,
}

/// Reads one line. `None` = it is no line of an access log.
///
/// Mirrors `AccessLogData.getLogMessage` of 2.7 to 3.3 and the same text of 2.5 and 2.6.
pub fn parse_line(line: &str) -> Option<AccessLine<'_>> {
    let mut from = 0;
    while let Some(found) = memmem::find(&line.as_bytes()[from..], b" -> ") {
        let at = from + found;
        from = at + 4;
        if let Some(read) = around(line, at) {
            return Some(read);
        }
    }
    None
}

/// Reads the line around the arrow between the two addresses.
fn around(line: &str, arrow: usize) -> Option<AccessLine<'_>> {
    let before = &line[..arrow];
    let start = before.rfind(' ').map_or(0, |blank| blank + 1);
    let remote_host = host_of(&before[start..])?;
    let (local, rest) = line[arrow + 4..].split_once(" - ")?;
    host_of(local)?;
    let (service, rest) = rest.split_once(' ')?;
    let (method, rest) = rest.split_once('(')?;
    let (types, arguments) = rest.split_once(')')?;
    let is_word = |text: &str| !text.is_empty() && !text.contains(char::is_whitespace);
    if !is_word(service) || !is_word(method) {
        return None;
    }
    let (time, answered) = times(line[..start].trim_end());
    Some(AccessLine {
        time,
        answered,
        remote_host,
        local,
        service,
        method,
        types,
        arguments: arguments.strip_prefix(' ').unwrap_or(arguments),
    })
}

/// The host of `host:port`.
fn host_of(text: &str) -> Option<&str> {
    let (host, port) = text.rsplit_once(':')?;
    let is_port = !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit());
    let is_host = !host.is_empty()
        && !host.contains(|c: char| c.is_whitespace() || c == '[' && !host.starts_with('['));
    (is_port && is_host).then(|| host.trim_matches(['[', ']']))
}

/// The bracketed times that end the text before the addresses: `[in]`, or `[in] -> [out]`.
fn times(before: &str) -> (&str, Option<&str>) {
    let last = |text: &'_ str| -> Option<(usize, usize)> {
        let end = text.strip_suffix(']')?.len();
        Some((text[..end].rfind('[')?, end))
    };
    let Some((open, close)) = last(before) else {
        return ("", None);
    };
    let second = &before[open + 1..close];
    let first = before[..open].strip_suffix(" -> ");
    match first.and_then(|first| last(first).map(|(open, close)| &first[open + 1..close])) {
        Some(first) => (first, Some(second)),
        None => (second, None),
    }
}

impl AccessLine<'_> {
    /// The call. Arguments that are no JSON are not known ([`Request::arguments`]), and none are read unless they are
    /// wanted or hold the name of a generic call's method.
    pub fn request(&self, with_arguments: bool) -> Request {
        let generic = self.method.starts_with('$');
        let arguments = if self.arguments.trim().is_empty() {
            Some(Vec::new())
        } else if !with_arguments && !generic {
            None
        } else {
            serde_json::from_str::<Vec<Value>>(self.arguments).ok()
        };
        Request {
            method: self.method.to_owned(),
            parameter_types: self
                .types
                .split(',')
                .map(str::trim)
                .filter(|class| !class.is_empty())
                .map(str::to_owned)
                .collect(),
            arguments,
            caller: Caller {
                ip: Some(self.remote_host.to_owned()).filter(|host| host != "null"),
                application: None,
            },
            ..Request::default()
        }
    }
}

/// What a whole log had besides the calls that were wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AccessCounts {
    /// Lines in all.
    pub lines: u64,
    /// Lines that are calls.
    pub calls: u64,
    /// Calls of other services.
    pub others: u64,
    /// Lines that are no calls, blank ones not counted.
    pub unread: u64,
    /// The first of them.
    pub first_unread: Option<u64>,
    /// Lines that were longer than the limit: they are among the unread ones.
    pub cut: u64,
}

/// Hands every call whose service fits to `take`; says what else there was. Bytes that are no UTF-8 are replaced.
///
/// # Errors
/// The stream cannot be read.
pub fn read(
    reader: impl BufRead,
    with_arguments: bool,
    mut wanted: impl FnMut(&str) -> bool,
    mut take: impl FnMut(Request),
    mut seen: impl FnMut(u64),
) -> Result<AccessCounts, StreamError> {
    let mut lines = Lines::new(reader);
    let mut counts = AccessCounts::default();
    while let Some(line) = lines.read()? {
        counts.lines += 1;
        counts.cut += u64::from(line.cut);
        let text = String::from_utf8_lossy(line.bytes);
        match parse_line(&text).filter(|_| !line.cut) {
            Some(call) => {
                counts.calls += 1;
                if wanted(call.service) {
                    take(call.request(with_arguments));
                } else {
                    counts.others += 1;
                }
            }
            None if text.trim().is_empty() => {}
            None => {
                counts.unread += 1;
                counts.first_unread = counts.first_unread.or(Some(line.number));
            }
        }
        if counts.lines.is_multiple_of(4096) {
            seen(lines.bytes());
        }
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const OLD: &str = r#"[2026-11-29 20:00:00] 10.0.0.5:52100 -> 10.0.0.7:20880 - g1/com.acme.Order:1.0.0 get(java.lang.String,int) ["4) -> 2",7]"#;

    #[test]
    fn the_forms_of_all_lines() {
        let read = parse_line(OLD).unwrap();
        assert_eq!(
            (read.time, read.answered, read.remote_host, read.local),
            ("2026-11-29 20:00:00", None, "10.0.0.5", "10.0.0.7:20880")
        );
        assert_eq!(
            (read.service, read.method, read.types),
            ("g1/com.acme.Order:1.0.0", "get", "java.lang.String,int")
        );
        assert_eq!(
            read.request(true).arguments,
            Some(vec![Value::from("4) -> 2"), Value::from(7)])
        );
        let new = "2026-11-29 20:00:01,100 INFO [worker-1] dubbo.accesslog.com.acme.Order - [2026-11-29 20:00:00.00123] -> \
                   [2026-11-29 20:00:00.00180] [2001:db8::5]:52100 -> 10.0.0.7:20880 - com.acme.Order ping() ";
        let read = parse_line(new).unwrap();
        assert_eq!(
            (read.time, read.answered),
            (
                "2026-11-29 20:00:00.00123",
                Some("2026-11-29 20:00:00.00180")
            )
        );
        assert_eq!(
            (read.remote_host, read.service),
            ("2001:db8::5", "com.acme.Order")
        );
        assert_eq!(read.request(true).arguments, Some(Vec::new()));
    }

    #[test]
    fn arguments_that_are_no_json_are_not_known() {
        let line = "[t] 10.0.0.5:1 -> 10.0.0.7:2 - a.B c(x.Y) [Y@1f]";
        assert_eq!(parse_line(line).unwrap().request(true).arguments, None);
    }

    #[test]
    fn other_lines_are_counted() {
        let text =
            format!("{OLD}\n\nat a.b.C -> d\n[t] 1.1.1.1:1 -> 2.2.2.2:2 - x.Other m() \n{OLD}");
        let mut taken = 0;
        let counts = read(
            text.as_bytes(),
            true,
            |service| service.contains("Order"),
            |_| taken += 1,
            |_| {},
        )
        .unwrap();
        assert_eq!(
            (taken, counts.calls, counts.others, counts.unread),
            (2, 3, 1, 1)
        );
        assert_eq!((counts.lines, counts.first_unread), (5, Some(3)));
    }

    proptest! {
        #[test]
        fn any_line_gets_an_answer(line in "(?s).{0,120}") {
            let _ = parse_line(&line).map(|read| read.request(true));
        }

        #[test]
        fn what_was_written_is_read(
            host in "[0-9a-f.]{1,12}", port in 0_u16.., service in "[a-zA-Z/.:]{1,20}", method in "[a-z$]{1,8}",
            types in "[a-zA-Z.,\\[;]{0,20}", arguments in "[^\r\n]{0,20}",
        ) {
            let line = format!("[2026-11-29 20:00:00] {host}:{port} -> 10.0.0.7:20880 - {service} {method}({types}) {arguments}");
            let read = parse_line(&line).unwrap();
            prop_assert_eq!((read.remote_host, read.service, read.method), (host.as_str(), service.as_str(), method.as_str()));
            prop_assert_eq!((read.types, read.arguments), (types.as_str(), arguments.as_str()));
        }
    }
}
