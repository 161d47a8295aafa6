//! Lines that fit: labels in a column, text wrapped beside them, commands never broken. Widths are those of a terminal.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::style::{Style, Styler};

/// Columns of a label, two blanks before and one after included.
const LABEL: usize = 12;

/// Columns that text beside a first part needs at least, and the indent of what stands below it instead.
const BESIDE: usize = 16;
const BELOW: usize = 6;

/// A text that grows line by line.
#[derive(Debug)]
pub(super) struct Page {
    out: String,
    width: usize,
    /// What the terminal can show.
    pub(super) style: Styler,
}

impl Page {
    pub(super) fn new(width: usize, style: Styler) -> Self {
        Self {
            out: String::new(),
            width: width.clamp(40, 160),
            style,
        }
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn finish(self) -> String {
        self.out
    }

    /// A line as it is.
    pub(super) fn line(&mut self, text: &str) {
        self.out.push_str(text.trim_end());
        self.out.push('\n');
    }

    pub(super) fn blank(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    /// Text with a label in front of its first line.
    pub(super) fn field(&mut self, label: &str, text: &str) {
        let head = format!("  {}", pad(label, LABEL - 3));
        let indent = head.width() + 1;
        for (index, part) in wrap(text, self.width.saturating_sub(indent))
            .iter()
            .enumerate()
        {
            let line = if index == 0 {
                format!("{} {part}", self.style.paint(Style::Label, &head))
            } else {
                format!("{}{part}", " ".repeat(indent))
            };
            self.line(&line);
        }
    }

    /// Text below a field, wrapped.
    pub(super) fn under(&mut self, text: &str, style: Option<Style>) {
        for part in wrap(text, self.width.saturating_sub(LABEL)) {
            let part = style.map_or_else(|| part.clone(), |style| self.style.paint(style, &part));
            let line = format!("{}{part}", " ".repeat(LABEL));
            self.line(&line);
        }
    }

    /// A command below a field, never broken.
    pub(super) fn command(&mut self, text: &str) {
        let line = format!(
            "{}{}",
            " ".repeat(LABEL),
            self.style.paint(Style::Command, text)
        );
        self.line(&line);
    }

    /// Text behind a first part that is longer than a label, wrapped below itself.
    pub(super) fn hanging(&mut self, head: &str, head_style: Style, text: &str) {
        self.heading(head, head_style, text, head.width());
    }

    /// The same with another indent for the lines that follow.
    pub(super) fn heading(&mut self, head: &str, head_style: Style, text: &str, indent: usize) {
        let rest = self.width.saturating_sub(indent).max(12);
        // Beside a first part that takes most of a narrow line there is no room: what follows stands below it.
        if self.width.saturating_sub(indent) < BESIDE && !text.is_empty() {
            self.line(&self.style.paint(head_style, head.trim_end()));
            let below = indent.min(BELOW);
            for part in wrap(text, self.width.saturating_sub(below)) {
                self.line(&format!("{}{part}", " ".repeat(below)));
            }
            return;
        }
        let first = self.width.saturating_sub(head.width()).max(12);
        for (index, part) in wrap_from(text, first, rest).iter().enumerate() {
            let line = if index == 0 {
                format!("{}{part}", self.style.paint(head_style, head))
            } else {
                format!("{}{part}", " ".repeat(indent))
            };
            self.line(&line);
        }
    }
}

/// The text with blanks behind it up to a width.
pub(super) fn pad(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}

/// Lines of at most this width.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    wrap_from(text, width, width)
}

/// Lines, the first of another width than the others. Breaks at blanks and between wide characters; a word that is longer
/// than a line breaks behind the signs that divide addresses and keys, and one without such signs stays whole. What stands
/// between backquotes is to be copied and never broken.
fn wrap_from(text: &str, first: usize, rest: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for piece in pieces(text)
        .into_iter()
        .flat_map(|piece| fitting(piece, rest))
    {
        let word = piece.trim_end();
        let width = if lines.is_empty() { first } else { rest };
        if !line.is_empty() && line.width() + word.width() > width {
            lines.push(line.trim_end().to_owned());
            line.clear();
        }
        line.push_str(piece);
    }
    lines.push(line.trim_end().to_owned());
    lines
}

/// A piece, or its parts of at most this width where it is wider.
fn fitting(piece: &str, width: usize) -> Vec<&str> {
    if piece.trim_end().width() <= width || piece.contains('`') {
        return vec![piece];
    }
    let mut parts = Vec::new();
    let mut start = 0;
    let mut end = 0;
    let divided = piece
        .match_indices(['/', ':', '.', ',', '&', '?', '=', ';', '-', '_', '|'])
        .map(|(at, sign)| at + sign.len())
        .chain([piece.len()]);
    for place in divided {
        if end > start && piece[start..place].trim_end().width() > width {
            parts.push(&piece[start..end]);
            start = end;
        }
        end = place;
    }
    parts.push(&piece[start..]);
    parts.retain(|part| !part.is_empty());
    parts
}

/// The text cut where a line may break; blanks stay at the end of a piece.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut before: Option<char> = None;
    let mut quoted = 0..0;
    for (at, c) in text.char_indices() {
        if c == '`' && at >= quoted.end {
            let length = text[at + 1..].find('`').map_or(0, |length| length + 2);
            quoted = at + 1..at + length;
        }
        let wide = |c: char| c.width() == Some(2);
        let breaks = before.is_some_and(|b| {
            (b == ' ' && c != ' ') || (wide(b) && !closes(c)) || (wide(c) && !closes(c) && b != ' ')
        });
        if breaks && !quoted.contains(&at) && before.is_some_and(|b| !opens(b)) {
            pieces.push(&text[start..at]);
            start = at;
        }
        before = Some(c);
    }
    pieces.push(&text[start..]);
    pieces
}

fn closes(c: char) -> bool {
    " ，。：；、）》」』！？,.:;)]}".contains(c)
}

fn opens(c: char) -> bool {
    "（《「『([{".contains(c)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn wraps_at_blanks_and_wide_characters() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(
            wrap("a-very-long-word b", 5),
            ["a-", "very-", "long-", "word", "b"]
        );
        assert_eq!(wrap("indivisible b", 5), ["indivisible", "b"]);
        assert_eq!(
            wrap("rule com.acme.OrderService:1.0:g.condition-router here", 20),
            [
                "rule com.acme.",
                "OrderService:1.0:g.",
                "condition-router",
                "here"
            ]
        );
        assert_eq!(wrap("没有可用的提供者", 8), ["没有可用", "的提供者"]);
        assert_eq!(wrap("第一，第二", 6), ["第一，", "第二"]);
        assert_eq!(wrap("", 5), [""]);
        assert_eq!(
            wrap("try `diag lint F`, or 用 `a b` here", 9),
            ["try", "`diag lint F`,", "or 用", "`a b`", "here"]
        );
        assert_eq!(wrap("a ` b c", 3), ["a `", "b c"]);
    }

    #[test]
    fn a_long_first_part_has_its_text_below() {
        let mut page = Page::new(40, Styler::PLAIN);
        page.hanging(
            "  + condition (provider-application) ",
            Style::Good,
            "1 -> 1 no rule under x",
        );
        page.hanging("  + short ", Style::Good, "1 -> 1");
        assert_eq!(
            page.finish(),
            "  + condition (provider-application)\n      1 -> 1 no rule under x\n  + short 1 -> 1\n"
        );
    }

    #[test]
    fn fields_hang_below_their_label() {
        let mut page = Page::new(40, Styler::PLAIN);
        page.field("next", "one two three four five six seven eight");
        page.field("服务", "x");
        assert_eq!(
            page.finish(),
            "  next      one two three four five six\n            seven eight\n  服务      x\n"
        );
    }

    proptest! {
        #[test]
        fn wrapping_loses_nothing(text in "[a-z 路由，./:]{0,80}", width in 1_usize..40) {
            let squeeze = |text: &str| text.chars().filter(|c| *c != ' ').collect::<String>();
            prop_assert_eq!(squeeze(&wrap(&text, width).concat()), squeeze(&text));
        }
    }
}
