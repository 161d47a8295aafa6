//! `{"method":"getUser","arguments":["42"],"attachments":{"dubbo.tag":"gray"},"count":3}`, one a line.

use std::collections::BTreeMap;
use std::io::BufRead;

use serde::Deserialize;
use serde_json::Value;

use super::{Caller, Request};
use crate::input::lines::{LONGEST_LINE, Lines, StreamError};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    method: String,
    #[serde(default)]
    parameter_types: Vec<String>,
    #[serde(default)]
    arguments: Vec<Value>,
    #[serde(default)]
    attachments: BTreeMap<String, String>,
    #[serde(default)]
    consumer: WrittenCaller,
    #[serde(default = "once")]
    count: u64,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct WrittenCaller {
    ip: Option<String>,
    application: Option<String>,
}

fn once() -> u64 {
    1
}

/// Reads one line. The error is a column, from 1, and what is wrong.
pub fn parse_line(line: &str) -> Result<Request, (usize, String)> {
    let written: Written = serde_json::from_str(line).map_err(|error| {
        let text = error.to_string();
        let problem = text
            .rsplit_once(" at line ")
            .map_or(text.as_str(), |(problem, _)| problem);
        (error.column(), problem.to_owned())
    })?;
    Ok(Request {
        method: written.method,
        parameter_types: written.parameter_types,
        arguments: Some(written.arguments),
        attachments: written.attachments,
        caller: Caller {
            ip: written.consumer.ip,
            application: written.consumer.application,
        },
        count: written.count,
    })
}

/// Hands every call to `take`. Blank lines are passed over.
///
/// # Errors
/// A line is no call, or the stream cannot be read.
pub fn read(
    reader: impl BufRead,
    mut take: impl FnMut(Request),
    mut seen: impl FnMut(u64),
) -> Result<(), StreamError> {
    let mut lines = Lines::new(reader);
    while let Some(line) = lines.read()? {
        let number = line.number;
        if line.cut {
            return Err(StreamError::at(
                number,
                LONGEST_LINE,
                "the line is longer than 1 MiB",
            ));
        }
        let text = std::str::from_utf8(line.bytes).map_err(|error| {
            StreamError::at(number, error.valid_up_to() + 1, "this is no UTF-8")
        })?;
        if text.trim().is_empty() {
            continue;
        }
        take(
            parse_line(text)
                .map_err(|(column, problem)| StreamError::at(number, column, problem))?,
        );
        if number.is_multiple_of(4096) {
            seen(lines.bytes());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reads_what_the_report_writes() {
        let line = r#"{"method":"getUser","arguments":["42",7],"attachments":{"dubbo.tag":"gray"},"consumer":{"ip":"10.0.0.5"},"count":3}"#;
        let request = parse_line(line).unwrap();
        assert_eq!(
            request.arguments,
            Some(vec![Value::from("42"), Value::from(7)])
        );
        assert_eq!(
            (request.attachments["dubbo.tag"].as_str(), request.count),
            ("gray", 3)
        );
        assert_eq!(request.caller.ip.as_deref(), Some("10.0.0.5"));
    }

    #[test]
    fn errors_name_the_place() {
        let text = "{\"method\":\"a\"}\n\n{\"method\":\"b\",\"argumnets\":[]}\n";
        let error = read(text.as_bytes(), |_| {}, |_| {})
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("3:25: unknown field `argumnets`, expected one of `method`"),
            "{error}"
        );
        let error = read("{\"method\":1}".as_bytes(), |_| {}, |_| {})
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("1:11: invalid type: integer `1`, expected a string"),
            "{error}"
        );
        let error = read(b"{\"method\":\"\xff\"}".as_slice(), |_| {}, |_| {})
            .unwrap_err()
            .to_string();
        assert_eq!(error, "1:12: this is no UTF-8");
    }

    proptest! {
        #[test]
        fn any_bytes_get_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(bytes.as_slice(), |_| {}, |_| {});
        }
    }
}
