//! Calls as CSV: `method,arg0,arg1,attachment.dubbo.tag,consumer_ip,consumer_app,count`, the header first.
//!
//! Every cell is a text. An empty cell is no argument behind the last one that is there, and no attachment.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

use serde_json::Value;

use super::Request;
use crate::input::lines::{LONGEST_LINE, StreamError};

/// Most arguments of a call (the JVM allows 255 parameters).
const MOST_ARGUMENTS: usize = 255;

/// What a column holds.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Column {
    Method,
    Argument(usize),
    Attachment(String),
    ConsumerIp,
    ConsumerApplication,
    Count,
}

impl Column {
    fn of(name: &str) -> Option<Self> {
        let argument = |digits: &str| {
            let place = digits.parse::<usize>().ok()?;
            (place < MOST_ARGUMENTS).then_some(Self::Argument(place))
        };
        let name = name.trim().trim_start_matches('\u{feff}');
        let inside = |start: &str| name.strip_prefix(start)?.strip_suffix(']');
        match name {
            "method" => Some(Self::Method),
            "consumer_ip" => Some(Self::ConsumerIp),
            "consumer_app" => Some(Self::ConsumerApplication),
            "count" => Some(Self::Count),
            _ => {
                if let Some(digits) = inside("arguments[") {
                    return argument(digits);
                }
                if let Some(key) =
                    inside("attachments[").or_else(|| name.strip_prefix("attachment."))
                {
                    return (!key.is_empty()).then(|| Self::Attachment(key.to_owned()));
                }
                argument(name.strip_prefix("arg")?)
            }
        }
    }
}

/// A reader that gives up when one record swallows too much: a quote that is never closed takes the rest of the file.
struct Bounded<R> {
    reader: R,
    since_record: Rc<Cell<usize>>,
    all: Rc<Cell<u64>>,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.since_record.get() > LONGEST_LINE {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "a record is longer than 1 MiB: is there a quote that is never closed?",
            ));
        }
        let count = self.reader.read(buffer)?;
        self.since_record.set(self.since_record.get() + count);
        self.all.set(self.all.get() + count as u64);
        Ok(count)
    }
}

/// Hands every call to `take`.
///
/// # Errors
/// A column or cell means nothing, a record has another number of cells than the header, or the stream cannot be read.
pub fn read(
    reader: impl Read,
    mut take: impl FnMut(Request),
    mut seen: impl FnMut(u64),
) -> Result<(), StreamError> {
    let (since_record, all) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
    let bounded = Bounded {
        reader,
        since_record: Rc::clone(&since_record),
        all: Rc::clone(&all),
    };
    let mut table = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(bounded);
    let mut record = csv::StringRecord::new();
    let mut columns: Option<Vec<Column>> = None;
    let mut records = 0_u64;
    while table
        .read_record(&mut record)
        .map_err(|error| wrong(&error))?
    {
        since_record.set(0);
        let line = record.position().map_or(1, csv::Position::line);
        let Some(columns) = &columns else {
            columns = Some(header(&record, line)?);
            continue;
        };
        take(request(columns, &record, line)?);
        records += 1;
        if records.is_multiple_of(4096) {
            seen(all.get());
        }
    }
    Ok(())
}

fn wrong(error: &csv::Error) -> StreamError {
    let line = error.position().map_or(1, csv::Position::line);
    match error.kind() {
        csv::ErrorKind::Io(inner) => match inner.kind() {
            io::ErrorKind::InvalidData => StreamError::at(line, 1, inner.to_string()),
            kind => StreamError::Read(io::Error::new(kind, inner.to_string())),
        },
        csv::ErrorKind::Utf8 { err, .. } => {
            StreamError::at(line, err.field() + 1, "this is no UTF-8")
        }
        csv::ErrorKind::UnequalLengths {
            expected_len, len, ..
        } => StreamError::at(
            line,
            1,
            format!("{len} cells, where the header has {expected_len}"),
        ),
        _ => StreamError::at(line, 1, error.to_string()),
    }
}

fn header(record: &csv::StringRecord, line: u64) -> Result<Vec<Column>, StreamError> {
    let mut columns = Vec::new();
    for (place, name) in record.iter().enumerate() {
        let Some(column) = Column::of(name) else {
            return Err(StreamError::at(
                line,
                place + 1,
                format!(
                    "column `{name}` is not known: expected method, arg0, attachment.NAME, consumer_ip, consumer_app or count"
                ),
            ));
        };
        if columns.contains(&column) {
            return Err(StreamError::at(
                line,
                place + 1,
                format!("column `{name}` comes twice"),
            ));
        }
        columns.push(column);
    }
    if !columns.contains(&Column::Method) {
        return Err(StreamError::at(line, 1, "there is no column `method`"));
    }
    Ok(columns)
}

fn request(
    columns: &[Column],
    record: &csv::StringRecord,
    line: u64,
) -> Result<Request, StreamError> {
    let mut request = Request::default();
    let mut arguments: Vec<&str> = Vec::new();
    for (place, (column, cell)) in columns.iter().zip(record).enumerate() {
        match column {
            Column::Method => cell.trim().clone_into(&mut request.method),
            Column::Argument(_) | Column::Attachment(_) if cell.is_empty() => {}
            Column::Argument(at) => {
                if arguments.len() <= *at {
                    arguments.resize(*at + 1, "");
                }
                arguments[*at] = cell;
            }
            Column::Attachment(key) => {
                request.attachments.insert(key.clone(), cell.to_owned());
            }
            Column::ConsumerIp => request.caller.ip = filled(cell),
            Column::ConsumerApplication => request.caller.application = filled(cell),
            Column::Count => {
                request.count = cell.trim().parse().map_err(|_| {
                    StreamError::at(
                        line,
                        place + 1,
                        format!("count `{cell}` is no whole number"),
                    )
                })?;
            }
        }
    }
    request.arguments = Some(arguments.into_iter().map(Value::from).collect());
    Ok(request)
}

fn filled(cell: &str) -> Option<String> {
    Some(cell.trim().to_owned()).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(text: &[u8]) -> Result<Vec<Request>, String> {
        let mut out = Vec::new();
        read(text, |request| out.push(request), |_| {}).map_err(|error| error.to_string())?;
        Ok(out)
    }

    #[test]
    fn columns_in_any_order() {
        let text = "\u{feff}count,method,arg1,arg0,attachment.dubbo.tag,consumer_ip\n3,getUser,,\"4,2\",gray,10.0.0.5\n1,list,,,,\n";
        let requests = all(text.as_bytes()).unwrap();
        assert_eq!(requests[0].arguments, Some(vec![Value::from("4,2")]));
        assert_eq!(
            (
                requests[0].count,
                requests[0].attachments["dubbo.tag"].as_str()
            ),
            (3, "gray")
        );
        assert_eq!(requests[0].caller.ip.as_deref(), Some("10.0.0.5"));
        assert_eq!(requests[1].arguments, Some(Vec::new()));
        assert!(requests[1].attachments.is_empty());
    }

    #[test]
    fn errors_name_the_place() {
        for (text, expected) in [
            (
                "method,foo\n",
                "1:2: column `foo` is not known: expected method, arg0, attachment.NAME, consumer_ip, consumer_app or count",
            ),
            ("arg0\n", "1:1: there is no column `method`"),
            ("method,count\na,x\n", "2:2: count `x` is no whole number"),
            (
                "method,arg0\na,1\nb\n",
                "3:1: 1 cells, where the header has 2",
            ),
            (
                "method,arg300\n",
                "1:2: column `arg300` is not known: expected method, arg0, attachment.NAME, consumer_ip, consumer_app or count",
            ),
            ("method,method\n", "1:2: column `method` comes twice"),
        ] {
            assert_eq!(all(text.as_bytes()).unwrap_err(), expected, "{text}");
        }
        assert!(
            all(b"method\n\xff\n")
                .unwrap_err()
                .ends_with("this is no UTF-8")
        );
    }

    #[test]
    fn a_quote_that_is_never_closed_does_not_swallow_everything() {
        let text = format!("method\n\"{}", "x".repeat(3 * LONGEST_LINE));
        assert!(all(text.as_bytes()).unwrap_err().contains("never closed"));
    }

    proptest! {
        #[test]
        fn any_bytes_get_an_answer(bytes in proptest::collection::vec(prop_oneof![Just(b','), Just(b'\n'), Just(b'"'), any::<u8>()], 0..200)) {
            let _ = all(&bytes);
            let _ = all(&[b"method,count\n".as_slice(), &bytes].concat());
        }
    }
}
