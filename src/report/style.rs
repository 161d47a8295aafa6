//! Colours and symbols, and nowhere else. What colour says is always said by a word or a symbol, too.

use colored::Colorize;

/// What a piece of text means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// All is well.
    Good,
    /// The cause.
    Bad,
    /// Not known.
    Doubt,
    /// Of less weight.
    Quiet,
    /// A heading or label.
    Label,
    /// A command to copy.
    Command,
}

/// A sign in front of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Symbol {
    /// `✓`
    Ok,
    /// `✗`
    Failed,
    /// `?`
    Unknown,
    /// `–`
    Skipped,
    /// `!`
    Warning,
}

/// What the terminal can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Styler {
    /// Colours.
    pub colour: bool,
    /// More than ASCII.
    pub unicode: bool,
}

impl Styler {
    /// Neither colours nor other signs than ASCII.
    pub const PLAIN: Self = Self {
        colour: false,
        unicode: false,
    };

    /// The text, coloured if that is wanted.
    pub fn paint(self, style: Style, text: &str) -> String {
        if !self.colour || text.is_empty() {
            return text.to_owned();
        }
        let painted = match style {
            Style::Good => text.green(),
            Style::Bad => text.red().bold(),
            Style::Doubt => text.yellow(),
            Style::Quiet => text.dimmed(),
            Style::Label => text.bold(),
            Style::Command => text.cyan(),
        };
        painted.to_string()
    }

    /// The sign, uncoloured.
    pub fn symbol(self, symbol: Symbol) -> &'static str {
        match (symbol, self.unicode) {
            (Symbol::Ok, true) => "✓",
            (Symbol::Failed, true) => "✗",
            (Symbol::Skipped, true) => "–",
            (Symbol::Ok, false) => "+",
            (Symbol::Failed, false) => "x",
            (Symbol::Skipped, false) => "-",
            (Symbol::Unknown, _) => "?",
            (Symbol::Warning, _) => "!",
        }
    }

    /// What stands between parts of a line.
    pub fn dot(self) -> &'static str {
        if self.unicode { "·" } else { "-" }
    }

    /// What stands between a number and what it counts.
    pub fn times(self) -> &'static str {
        if self.unicode { "×" } else { "x" }
    }
}

/// Makes `colored` obey the caller and not the environment: who decides about colour is `settings`.
pub fn take_over_colours() {
    colored::control::set_override(true);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_only_when_wanted() {
        take_over_colours();
        let colour = Styler {
            colour: true,
            unicode: true,
        };
        for style in [
            Style::Good,
            Style::Bad,
            Style::Doubt,
            Style::Quiet,
            Style::Label,
            Style::Command,
        ] {
            assert_eq!(Styler::PLAIN.paint(style, "x"), "x");
            let painted = colour.paint(style, "x");
            assert!(
                painted.starts_with('\u{1b}') && painted.ends_with("\u{1b}[0m"),
                "{painted:?}"
            );
        }
    }

    #[test]
    fn plain_signs_are_ascii() {
        for symbol in [
            Symbol::Ok,
            Symbol::Failed,
            Symbol::Unknown,
            Symbol::Skipped,
            Symbol::Warning,
        ] {
            assert!(Styler::PLAIN.symbol(symbol).is_ascii());
        }
    }
}
