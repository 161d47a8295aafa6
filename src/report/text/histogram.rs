//! A histogram in text: where the calls lie, and where P50, P90, P99, the value in force and the advice are.

use unicode_width::UnicodeWidthStr as _;

use super::{View, budget::number};
use crate::{
    diagnose::budget::model::{Budget, Measured},
    report::{
        layout::{Page, pad},
        picture::marked,
        style::Style,
        words::budget::Term,
    },
};

/// Columns of the longest bar, where the page is wide enough.
const BAR: usize = 30;
/// Columns of the shortest one.
const LEAST: usize = 8;
/// Columns of what stands before and behind a bar.
const REST: usize = 4 + 12 + 1 + 1 + 8;
/// Eighths of a block, from nothing to seven.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// Draws the distribution; nothing without one.
pub(super) fn picture(page: &mut Page, budget: &Budget, measured: &Measured, view: View<'_>) {
    let rows = marked(budget, measured, view.lang);
    let Some(most) = rows
        .iter()
        .map(|row| row.count)
        .max()
        .filter(|most| *most > 0)
    else {
        return;
    };
    page.blank();
    page.line(&format!(
        "  {}",
        view.style
            .paint(Style::Label, &Term::Picture.text(view.lang, &[]))
    ));
    let columns = page.width().saturating_sub(REST).clamp(LEAST, BAR);
    for row in &rows {
        let high = row.high.map_or_else(|| "..".to_owned(), number);
        let bar = bar(row.count, most, columns, view.style.unicode);
        let line = format!(
            "    {} {} {}",
            left(&format!("{high} ms"), 12),
            pad(&bar, columns),
            left(&row.count.to_string(), 8),
        );
        let marks = row.marks.join(", ");
        // A mark that does not fit stands below its bar.
        if marks.is_empty() {
            page.line(&line);
        } else if line.width() + marks.width() + 4 <= page.width() {
            page.line(&format!("{line}  < {marks}"));
        } else {
            page.line(&line);
            page.hanging(&format!("{}< ", " ".repeat(17)), Style::Quiet, &marks);
        }
    }
}

fn left(text: &str, width: usize) -> String {
    format!("{text:>width$}")
}

/// A bar: whole blocks and eighths, or `#`.
fn bar(count: u64, most: u64, columns: usize, unicode: bool) -> String {
    let eighths = (u128::from(count) * columns as u128 * 8).div_ceil(u128::from(most.max(1)));
    let eighths = usize::try_from(eighths).unwrap_or(0);
    if unicode {
        format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
    } else {
        "#".repeat(eighths.div_ceil(8))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_have_a_fallback_and_never_vanish() {
        assert_eq!(bar(10, 10, BAR, true), "█".repeat(BAR));
        assert_eq!(bar(10, 10, BAR, false), "#".repeat(BAR));
        assert_eq!(bar(0, 10, BAR, true), "");
        assert_eq!(bar(1, 1_000_000, BAR, true), "▏");
        assert_eq!(bar(1, 1_000_000, BAR, false), "#");
    }
}
