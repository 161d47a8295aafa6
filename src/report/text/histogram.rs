//! A histogram in text: where the calls lie, and where P50, P90, P99, the value in force and the advice are.

use super::{View, budget::number};
use crate::{
    diagnose::budget::model::{Budget, Measured},
    report::{
        layout::{Page, pad},
        style::Style,
        words::budget::Term,
    },
};

/// Rows of the picture.
const ROWS: usize = 12;
/// Columns of the longest bar.
const BAR: usize = 30;
/// Eighths of a block, from nothing to seven.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// Draws the distribution; nothing without one.
pub(super) fn picture(page: &mut Page, budget: &Budget, measured: &Measured, view: View<'_>) {
    let rows = rows(measured);
    let Some(most) = rows
        .iter()
        .map(|row| row.count)
        .max()
        .filter(|most| *most > 0)
    else {
        return;
    };
    let marks = marks(budget, measured, view);
    page.blank();
    page.line(&format!(
        "  {}",
        view.style
            .paint(Style::Label, &Term::Picture.text(view.lang, &[]))
    ));
    let last = rows.len().saturating_sub(1);
    for (index, row) in rows.iter().enumerate() {
        let high = row.high.map_or_else(|| "..".to_owned(), number);
        let names: Vec<&str> = marks
            .iter()
            .filter(|(at, _)| {
                let above = *at > row.low || index == 0;
                let below = row.high.is_none_or(|high| *at <= high) || index == last;
                above && below
            })
            .map(|(_, name)| name.as_str())
            .collect();
        let bar = bar(row.count, most, view.style.unicode);
        let marks = if names.is_empty() {
            String::new()
        } else {
            format!("  < {}", names.join(", "))
        };
        page.line(&format!(
            "    {} {} {}{marks}",
            left(&format!("{high} ms"), 12),
            pad(&bar, BAR),
            left(&row.count.to_string(), 8),
        ));
    }
}

fn left(text: &str, width: usize) -> String {
    format!("{text:>width$}")
}

/// A row: values above `low`, up to `high`.
struct Row {
    low: f64,
    high: Option<f64>,
    count: u64,
}

/// The buckets put together into a few rows whose ends grow by a steady factor.
fn rows(measured: &Measured) -> Vec<Row> {
    let buckets = &measured.buckets;
    if buckets.len() <= ROWS {
        return buckets
            .iter()
            .map(|bucket| Row {
                low: bucket.low_ms,
                high: bucket.high_ms,
                count: bucket.count,
            })
            .collect();
    }
    let start = buckets
        .first()
        .map_or(0.001, |bucket| bucket.low_ms)
        .max(0.001);
    let end = buckets
        .iter()
        .filter_map(|bucket| bucket.high_ms)
        .fold(start, f64::max);
    #[expect(clippy::cast_precision_loss, reason = "a dozen rows")]
    let step = (end / start).powf(1.0 / ROWS as f64).max(1.000_001);
    let mut rows: Vec<Row> = Vec::with_capacity(ROWS);
    let mut low = start;
    for index in 0..ROWS {
        let high = if index + 1 == ROWS { end } else { low * step };
        rows.push(Row {
            low,
            high: Some(high),
            count: 0,
        });
        low = high;
    }
    for bucket in buckets {
        let at = bucket.high_ms.unwrap_or(end);
        let place = rows
            .iter()
            .position(|row| row.high.is_some_and(|high| at <= high))
            .unwrap_or(ROWS - 1);
        rows[place].count += bucket.count;
    }
    rows
}

fn marks(budget: &Budget, measured: &Measured, view: View<'_>) -> Vec<(f64, String)> {
    let mut marks = Vec::new();
    let mut put = |at: Option<f64>, name: String| marks.extend(at.map(|at| (at, name)));
    put(measured.p50_ms, "P50".to_owned());
    put(measured.p90_ms, "P90".to_owned());
    put(
        measured.p99_high_ms.or(Some(measured.p99_low_ms)),
        "P99".to_owned(),
    );
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of a timeout")]
    for row in budget.in_force.iter().take(1) {
        let name = Term::MarkInForce.text(view.lang, &[]);
        put(row.timeout_ms.map(|ms| ms as f64), name);
    }
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of a timeout")]
    put(
        budget
            .advice
            .as_ref()
            .map(|advice| advice.timeout_ms as f64),
        Term::MarkAdvice.text(view.lang, &[]),
    );
    marks
}

/// A bar: whole blocks and eighths, or `#`.
fn bar(count: u64, most: u64, unicode: bool) -> String {
    let eighths = (u128::from(count) * BAR as u128 * 8).div_ceil(u128::from(most.max(1)));
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
        assert_eq!(bar(10, 10, true), "█".repeat(BAR));
        assert_eq!(bar(10, 10, false), "#".repeat(BAR));
        assert_eq!(bar(0, 10, true), "");
        assert_eq!(bar(1, 1_000_000, true), "▏");
        assert_eq!(bar(1, 1_000_000, false), "#");
    }
}
