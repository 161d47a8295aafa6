//! The two streams: stdout for the report and nothing else, stderr for everything else.

use std::io::{self, Write};

use crate::report::safe;

/// Writes a report. A reader that has gone away is no error: it has read what it wanted.
///
/// # Errors
/// The disk behind stdout is full, or the like.
pub(super) fn report(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}

/// Writes to stderr; when that is gone there is nobody left to tell.
pub(super) fn note(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// A warning, one line.
pub(super) fn warn(text: &str) {
    note(&format!("warning: {}\n", safe(text)));
}
