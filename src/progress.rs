//! A spinner on stderr while systems are asked, a bar while a file is read; only on a terminal, gone before the report comes.

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

/// A bar for a file that is read, or nothing.
#[derive(Debug)]
pub struct Bar(Option<ProgressBar>);

impl Bar {
    /// Starts one, if it is wanted. Without a size it only counts bytes.
    pub fn start(wanted: bool, size: Option<u64>) -> Self {
        if !wanted {
            return Self(None);
        }
        let bar = ProgressBar::with_draw_target(size, ProgressDrawTarget::stderr());
        let template = if size.is_some() {
            "{bar:30} {percent}% {bytes}/{total_bytes} {eta}"
        } else {
            "{spinner} {bytes} {elapsed}"
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        Self(Some(bar))
    }

    /// How many bytes were read.
    pub fn at(&self, bytes: u64) {
        if let Some(bar) = &self.0 {
            bar.set_position(bytes);
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
