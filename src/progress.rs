//! A spinner on stderr while systems are asked; only on a terminal, gone before the report comes.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The spinner, or nothing.
#[derive(Debug)]
pub struct Spinner(Option<ProgressBar>);

impl Spinner {
    /// Starts one, if it is wanted.
    pub fn start(wanted: bool, unicode: bool) -> Self {
        if !wanted {
            return Self(None);
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let ticks = if unicode {
            "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏ "
        } else {
            "-\\|/ "
        };
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
            bar.set_style(style.tick_chars(ticks));
        }
        bar.enable_steady_tick(Duration::from_millis(120));
        Self(Some(bar))
    }

    /// Says what is being done.
    pub fn say(&self, text: String) {
        if let Some(bar) = &self.0 {
            bar.set_message(text);
        }
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
