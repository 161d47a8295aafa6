//! The two streams: stdout for the report and nothing else, stderr for everything else.

use std::io::{self, Write};

use crate::{error::InputError, exit::Exit, report::safe, snapshot::Masker};

/// Writes a report, then ends with this exit. A reader that has gone away has read what it wanted: that is success.
///
/// # Errors
/// The disk behind stdout is full, or the like.
pub(super) fn report(text: &str, exit: Exit) -> Result<Exit, InputError> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(exit),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Exit::Fine),
        Err(source) => Err(InputError {
            name: "stdout".to_owned(),
            source,
        }),
    }
}

/// Writes to stderr; when that is gone there is nobody left to tell.
pub(super) fn note(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// A warning, one line.
pub(super) fn warn(text: &str) {
    note(&format!(
        "warning: {}\n",
        safe(&Masker::default().text(text))
    ));
}
