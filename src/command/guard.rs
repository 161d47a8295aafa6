//! What happens when the program itself is wrong: exit 70 and a text that asks for a report.

use std::panic::{self, PanicHookInfo};

use super::stream;
use crate::exit::Exit;

/// Runs the program; a panic becomes exit 70. The message of a panic may quote what it was working on, a password for
/// instance, so only its place is shown.
pub(super) fn guarded(run: impl FnOnce() -> Exit + panic::UnwindSafe) -> Exit {
    panic::set_hook(Box::new(|info| stream::note(&said(info))));
    panic::catch_unwind(run).unwrap_or(Exit::Bug)
}

fn said(info: &PanicHookInfo<'_>) -> String {
    let place = info
        .location()
        .map(|place| format!(" at {}:{}", place.file(), place.line()))
        .unwrap_or_default();
    format!(
        "internal error{place} in diag {}\nhint: this is a defect of diag: please report it with the line above and, if \
         you may share it, a recording (diag snapshot); secrets are masked there\n",
        env!("CARGO_PKG_VERSION")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_exit_70_and_says_where_but_not_what() {
        static SAID: std::sync::Mutex<String> = std::sync::Mutex::new(String::new());
        let before = panic::take_hook();
        let exit = guarded(|| panic!("CANARY"));
        let fine = guarded(|| Exit::Fine);
        panic::set_hook(Box::new(|info| {
            if let Ok(mut text) = SAID.lock() {
                text.push_str(&said(info));
            }
        }));
        let value = "CANARY".to_owned();
        let parsed = panic::catch_unwind(|| value.parse::<u8>().expect(&value));
        panic::set_hook(before);
        assert_eq!((exit, fine), (Exit::Bug, Exit::Fine));
        assert!(parsed.is_err());
        let text = SAID.lock().unwrap();
        assert!(
            text.contains("guard.rs:") && !text.contains("CANARY"),
            "{text}"
        );
    }
}
