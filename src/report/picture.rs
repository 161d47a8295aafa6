//! The rows and marks of a histogram, for every renderer that draws one.

use super::words::{Lang, budget::Term};
use crate::diagnose::budget::model::{Budget, Measured};

/// Rows of the picture.
const ROWS: usize = 12;

/// A row: values above `low`, up to `high`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    pub(super) low: f64,
    pub(super) high: Option<f64>,
    pub(super) count: u64,
}

impl Row {
    /// Whether a mark belongs to it; what lies outside of all rows belongs to the nearest.
    pub(super) fn holds(&self, at: f64, first: bool, last: bool) -> bool {
        let above = at > self.low || first;
        let below = self.high.is_none_or(|high| at <= high) || last;
        above && below
    }
}

/// The buckets put together into a few rows whose ends grow by a steady factor.
pub(super) fn rows(measured: &Measured) -> Vec<Row> {
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

/// Where P50, P90, P99, the value in force and the advice are, in milliseconds, with their names.
pub(super) fn marks(budget: &Budget, measured: &Measured, lang: Lang) -> Vec<(f64, String)> {
    let mut marks = Vec::new();
    let mut put = |at: Option<f64>, name: String| marks.extend(at.map(|at| (at, name)));
    // A quantile without an upper end lies in the row that has none.
    let at = |low: Option<f64>, high: Option<f64>| high.or_else(|| low.map(|_| f64::INFINITY));
    let p50 = at(measured.p50_low_ms, measured.p50_high_ms);
    let p90 = at(measured.p90_low_ms, measured.p90_high_ms);
    let p99 = at(Some(measured.p99_low_ms), measured.p99_high_ms);
    for (at, name) in [(p50, "P50"), (p90, "P90"), (p99, "P99")] {
        put(at, name.to_owned());
    }
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of a timeout")]
    for row in budget.in_force.iter().take(1) {
        let name = Term::MarkInForce.text(lang, &[]);
        put(row.timeout_ms.map(|ms| ms as f64), name);
    }
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of a timeout")]
    put(
        budget
            .advice
            .as_ref()
            .map(|advice| advice.timeout_ms as f64),
        Term::MarkAdvice.text(lang, &[]),
    );
    marks
}
