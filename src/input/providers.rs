//! Provider URLs in a file, one a line: plain as people write them, or encoded as a registry stores them.

use std::io::BufRead;

use super::lines::{LONGEST_LINE, Lines, StreamError};
use crate::model::url::{Url, encode};
use crate::model::version::{DubboVersion, Line};

/// Most addresses of a file.
pub const MOST: usize = 1_000_000;

/// One address of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct ProviderLine {
    /// Line, from 1.
    pub line: u64,
    /// The URL as a registry stores it (encoded).
    pub entry: String,
    /// The URL as the newest line reads it.
    pub url: Url,
}

/// Reads a file. Blank lines and lines that begin with `#` are passed over.
///
/// # Errors
/// A line is no URL, or the stream cannot be read.
pub fn read(reader: impl BufRead) -> Result<Vec<ProviderLine>, StreamError> {
    let mut lines = Lines::new(reader);
    let mut all = Vec::new();
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
        let trimmed = text.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        if all.len() == MOST {
            return Err(StreamError::at(
                number,
                1,
                format!("more than {MOST} addresses"),
            ));
        }
        let column = text.chars().take_while(|c| c.is_whitespace()).count() + 1;
        let (entry, url) =
            provider(trimmed).map_err(|problem| StreamError::at(number, column, problem))?;
        all.push(ProviderLine {
            line: number,
            entry,
            url,
        });
    }
    Ok(all)
}

/// One URL, and its encoded text.
pub fn provider(text: &str) -> Result<(String, Url), String> {
    let newest = DubboVersion::newest(Line::V3_3);
    let entry = if text.contains("://") {
        encode(text)
    } else {
        text.to_owned()
    };
    let url = Url::parse_encoded(&entry, &newest).map_err(|error| error.to_string())?;
    if url.protocol.as_deref().is_none_or(str::is_empty) {
        return Err("a provider URL begins with its protocol, for example dubbo://10.0.0.7:20880/com.acme.Order".to_owned());
    }
    if url.host.as_deref().is_none_or(str::is_empty) {
        return Err("the URL has no host".to_owned());
    }
    if url.service_interface().is_none_or(str::is_empty) {
        return Err("the URL names no interface".to_owned());
    }
    Ok((entry, url))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn plain_and_encoded() {
        let plain = "dubbo://10.0.0.7:20880/com.acme.Order?application=order&dubbo.tag=a%20b";
        let text = format!("# made by hand\n\n  {plain}\r\n{}\n", encode(plain));
        let lines = read(text.as_bytes()).unwrap();
        assert_eq!(
            lines.iter().map(|line| line.line).collect::<Vec<_>>(),
            [3, 4]
        );
        assert_eq!(lines[0].entry, lines[1].entry);
        assert_eq!(lines[0].url.service_interface(), Some("com.acme.Order"));
    }

    #[test]
    fn errors_name_the_place() {
        for (text, expected) in [
            (
                "dubbo://10.0.0.7:1/a.B\n  10.0.0.7:20880\n",
                "2:3: a provider URL begins with its protocol",
            ),
            ("dubbo://10.0.0.7:x/a.B\n", "1:1: "),
            ("dubbo:///a.B\n", "1:1: the URL has no host"),
            ("dubbo://10.0.0.7:1\n", "1:1: the URL names no interface"),
        ] {
            let error = read(text.as_bytes()).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }

    proptest! {
        #[test]
        fn any_text_gets_an_answer(text in "(?s).{0,200}") {
            let _ = read(text.as_bytes());
        }
    }
}
