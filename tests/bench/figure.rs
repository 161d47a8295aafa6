//! The lines that `tests/bench/run` makes its table of.

use std::io::{self, Write as _};

/// One row of the table.
#[derive(Debug, Default)]
pub(crate) struct Figure {
    /// Letter of the part of the table.
    pub(crate) part: char,
    pub(crate) what: String,
    pub(crate) ours: String,
    /// What was measured beside it in the same run.
    pub(crate) reference: String,
    pub(crate) ratio: String,
    /// What is wanted, and whether it is reached; `None`: nothing is.
    pub(crate) wanted: Option<(String, bool)>,
}

impl Figure {
    /// Prints it: fields with tabs between them, `figure` first and `yes`, `no` or nothing last.
    pub(crate) fn print(&self) -> io::Result<()> {
        let (wanted, reached) = match &self.wanted {
            Some((wanted, true)) => (wanted.as_str(), "yes"),
            Some((wanted, false)) => (wanted.as_str(), "no"),
            None => ("", ""),
        };
        writeln!(
            io::stdout(),
            "figure\t{}\t{}\t{}\t{}\t{}\t{wanted}\t{reached}",
            self.part,
            self.what,
            self.ours,
            self.reference,
            self.ratio
        )
    }
}

/// Whether small sizes are wanted, to try a bench.
pub(crate) fn quick() -> bool {
    std::env::args().any(|word| word == "--quick")
}

/// A number with commas: `50,000`.
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
