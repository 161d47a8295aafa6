//! The surroundings of a run: environment variables, locale, terminal, and where the settings file usually lies.

use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::path::PathBuf;

use etcetera::BaseStrategy as _;

use crate::{cli::ColorChoice, report::words::Lang};

/// Columns when nobody says how many there are.
const USUAL_WIDTH: usize = 100;

/// Environment variables; read once.
#[derive(Debug, Clone, Default)]
pub struct Environment(BTreeMap<String, String>);

impl Environment {
    /// That of the process. Variables that are no text are left out.
    pub fn of_process() -> Self {
        let text = |text: std::ffi::OsString| text.into_string().ok();
        Self(
            std::env::vars_os()
                .filter_map(|(name, value)| Some((text(name)?, text(value)?)))
                .collect(),
        )
    }

    /// The same with one more variable.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.0.insert(name.to_owned(), value.to_owned());
        self
    }

    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    fn filled(&self, name: &str) -> Option<&str> {
        self.get(name).filter(|value| !value.is_empty())
    }

    /// The language of messages by the locale.
    pub fn lang(&self) -> Lang {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"]
            .into_iter()
            .find_map(|name| self.filled(name));
        if locale.is_some_and(|locale| locale.starts_with("zh")) {
            Lang::Zh
        } else {
            Lang::En
        }
    }

    /// Whether the locale can show more than ASCII.
    pub fn is_utf8(&self) -> bool {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
            .into_iter()
            .find_map(|name| self.filled(name));
        locale.is_some_and(|locale| {
            let locale = locale.to_ascii_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        })
    }

    /// Whether colours are wanted on an output that is a terminal or not.
    pub fn colour(&self, choice: ColorChoice, is_terminal: bool) -> bool {
        match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto if self.filled("NO_COLOR").is_some() => false,
            ColorChoice::Auto
                if self
                    .filled("CLICOLOR_FORCE")
                    .is_some_and(|value| value != "0") =>
            {
                true
            }
            ColorChoice::Auto => {
                is_terminal
                    && self.get("TERM").is_none_or(|term| term != "dumb")
                    && self.get("CLICOLOR").is_none_or(|value| value != "0")
            }
        }
    }
}

/// What the streams are connected to.
#[derive(Debug, Clone, Copy)]
pub struct Terminal {
    /// Whether stdout is a terminal.
    pub stdout: bool,
    /// Whether stderr is a terminal.
    pub stderr: bool,
    /// Columns of stdout.
    pub width: usize,
}

impl Terminal {
    /// That of the process.
    pub fn of_process(environment: &Environment) -> Self {
        let columns = environment
            .get("COLUMNS")
            .and_then(|text| text.parse().ok())
            .filter(|width| *width > 0);
        let width = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        Self {
            stdout: std::io::stdout().is_terminal(),
            // A dumb terminal cannot take back what was written: no spinner there.
            stderr: std::io::stderr().is_terminal()
                && environment.get("TERM").is_none_or(|term| term != "dumb"),
            width: width.or(columns).unwrap_or(USUAL_WIDTH),
        }
    }
}

/// `diag/diag.toml` in the user's directory for settings, if there is such a directory.
pub(super) fn usual_settings_file() -> Option<PathBuf> {
    let base = etcetera::choose_base_strategy().ok()?;
    Some(base.config_dir().join("diag").join("diag.toml"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment<const N: usize>(pairs: [(&str, &str); N]) -> Environment {
        pairs
            .iter()
            .fold(Environment::default(), |all, (name, value)| {
                all.with(name, value)
            })
    }

    #[test]
    fn language_and_signs_by_locale() {
        for (environment, lang, utf8) in [
            (environment([("LANG", "zh_CN.UTF-8")]), Lang::Zh, true),
            (environment([("LANG", "zh_CN.GBK")]), Lang::Zh, false),
            (
                environment([("LANG", "zh_CN.UTF-8"), ("LC_ALL", "C")]),
                Lang::En,
                false,
            ),
            (
                environment([("LANG", "en_US.utf8"), ("LC_MESSAGES", "zh_TW.utf8")]),
                Lang::Zh,
                true,
            ),
            (
                environment([("LANG", "en_US.UTF-8"), ("LC_ALL", "")]),
                Lang::En,
                true,
            ),
            (Environment::default(), Lang::En, false),
        ] {
            assert_eq!(
                (environment.lang(), environment.is_utf8()),
                (lang, utf8),
                "{environment:?}"
            );
        }
    }

    #[test]
    fn colours_by_choice_then_environment_then_terminal() {
        use ColorChoice::{Always, Auto, Never};
        let plain = Environment::default();
        let no_color = environment([("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")]);
        let forced = environment([("CLICOLOR_FORCE", "1"), ("TERM", "dumb")]);
        let dumb = environment([("TERM", "dumb")]);
        for (environment, choice, terminal, expected) in [
            (&plain, Auto, true, true),
            (&plain, Auto, false, false),
            (&plain, Always, false, true),
            (&plain, Never, true, false),
            (&no_color, Auto, true, false),
            (&no_color, Always, true, true),
            (&forced, Auto, false, true),
            (&forced, Never, false, false),
            (&dumb, Auto, true, false),
        ] {
            assert_eq!(
                environment.colour(choice, terminal),
                expected,
                "{environment:?} {choice:?} {terminal}"
            );
        }
    }
}
