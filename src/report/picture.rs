//! The rows and marks of a histogram, for every renderer that draws one.

use super::words::{Lang, budget::Term};
use crate::diagnose::budget::model::{Budget, Measured};

/// Rows of the picture.
const ROWS: usize = 12;

/// A row: values above `low`, up to `high`, and the marks that lie there.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    low: f64,
    pub(super) high: Option<f64>,
    pub(super) count: u64,
    pub(super) marks: Vec<String>,
}

impl Row {
    fn of(low: f64, high: Option<f64>, count: u64) -> Self {
        Self {
            low,
            high,
            count,
            marks: Vec::new(),
        }
    }

    fn holds(&self, at: f64, first: bool) -> bool {
        let begins = first || self.high == Some(self.low);
        let above = at > self.low || begins && at >= self.low;
        above && self.high.is_none_or(|high| at <= high)
    }
}

/// The rows with their marks. A mark that lies in none of them has a row of its own, without a call in it.
pub(super) fn marked(budget: &Budget, measured: &Measured, lang: Lang) -> Vec<Row> {
    let mut rows = rows(measured);
    for (at, name) in marks(budget, measured, lang) {
        let mut held = rows.iter_mut().enumerate();
        if let Some((_, row)) = held.find(|(index, row)| row.holds(at, *index == 0)) {
            row.marks.push(name);
            continue;
        }
        let place = rows.iter().position(|row| at <= row.low);
        let mut row = Row::of(at, Some(at), 0);
        row.marks.push(name);
        rows.insert(place.unwrap_or(rows.len()), row);
    }
    rows
}

/// The buckets put together into a few rows whose ends grow by a steady factor.
fn rows(measured: &Measured) -> Vec<Row> {
    let buckets = &measured.buckets;
    if buckets.len() <= ROWS {
        return buckets
            .iter()
            .map(|bucket| Row::of(bucket.low_ms, bucket.high_ms, bucket.count))
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
        rows.push(Row::of(low, Some(high), 0));
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
fn marks(budget: &Budget, measured: &Measured, lang: Lang) -> Vec<(f64, String)> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::budget::model::{Bucket, InForce};

    /// Ten calls of 10 to 20 ms, ten of 100 to 200 ms, one above where it is open.
    fn shown(timeout: i64, open: bool) -> Vec<(Option<f64>, u64, Vec<String>)> {
        let bucket = |low_ms, high_ms, count| Bucket {
            low_ms,
            high_ms,
            count,
        };
        let mut measured = Measured {
            p99_low_ms: 100.0,
            p99_high_ms: Some(200.0),
            buckets: vec![bucket(10.0, Some(20.0), 10), bucket(100.0, Some(200.0), 10)],
            ..Measured::default()
        };
        if open {
            measured.buckets.push(bucket(200.0, None, 1));
        }
        let budget = Budget {
            in_force: vec![InForce {
                timeout_ms: Some(timeout),
                ..InForce::default()
            }],
            ..Budget::default()
        };
        marked(&budget, &measured, Lang::En)
            .into_iter()
            .map(|row| (row.high, row.count, row.marks))
            .collect()
    }

    #[test]
    fn a_mark_stands_where_it_lies() {
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        let first = (Some(20.0), 10, names(&[]));
        let second = (Some(200.0), 10, names(&["P99"]));
        let own = |at| (Some(at), 0, names(&["in force"]));
        assert_eq!(shown(15, false)[0], (Some(20.0), 10, names(&["in force"])));
        assert_eq!(
            shown(5, false),
            [own(5.0), first.clone(), second.clone()],
            "below"
        );
        assert_eq!(
            shown(50, false),
            [first.clone(), own(50.0), second.clone()],
            "between"
        );
        assert_eq!(
            shown(1000, false),
            [first.clone(), second.clone(), own(1000.0)],
            "above"
        );
        assert_eq!(
            shown(1000, true),
            [first, second, (None, 1, names(&["in force"]))],
            "in the open row"
        );
    }
}
