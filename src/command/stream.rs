//! The two streams: stdout for the report and nothing else, stderr for everything else.

use std::{
    io::{self, Write},
    sync::atomic::{AtomicBool, Ordering},
};

use crate::{
    error::InputError,
    exit::Exit,
    report::{
        safe,
        words::{Lang, errors},
    },
    snapshot::Masker,
};

/// Whether stderr speaks Chinese. Of the process, as stderr is: a panic has nobody to ask for the language.
static CHINESE: AtomicBool = AtomicBool::new(false);

/// Decides the language of everything that follows on stderr.
pub(super) fn speak(lang: Lang) {
    CHINESE.store(lang == Lang::Zh, Ordering::Relaxed);
}

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
    let lang = if CHINESE.load(Ordering::Relaxed) {
        Lang::Zh
    } else {
        Lang::En
    };
    let _ = io::stderr()
        .lock()
        .write_all(errors::said(text, lang).as_bytes());
}

/// A warning, one line.
pub(super) fn warn(text: &str) {
    note(&format!(
        "warning: {}\n",
        safe(&Masker::default().text(text))
    ));
}
