//! The histogram of a timeout budget as a picture for pages: SVG without scripts, styles or fonts of its own.
//!
//! What colour says is said by a word, too. Texts are the report's own, escaped.

use std::fmt::Write as _;

use super::{
    html::escaped,
    picture::marked,
    words::{Lang, budget::Term},
};
use crate::diagnose::budget::model::Budget;

/// Width of the picture.
const WIDTH: f64 = 640.0;
/// Height of a row.
const ROW: f64 = 20.0;
/// Where bars begin, and their longest length.
const LEFT: f64 = 100.0;
const BAR: f64 = 260.0;

/// Draws where the calls lie, with P50, P90, P99, the value in force and the advice; nothing without a distribution.
pub(super) fn histogram(budget: &Budget, lang: Lang) -> Option<String> {
    let measured = budget.measured.as_ref()?;
    let rows = marked(budget, measured, lang);
    let most = rows
        .iter()
        .map(|row| row.count)
        .max()
        .filter(|most| *most > 0)?;
    let title = Term::Picture.text(lang, &[]);
    #[expect(clippy::cast_precision_loss, reason = "a dozen rows")]
    let height = ROW * (rows.len() as f64 + 1.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"{0}\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
         height=\"{height}\" font-family=\"monospace\" font-size=\"12\">\n<title>{0}</title>\n",
        escaped(&title)
    );
    for (index, row) in rows.iter().enumerate() {
        #[expect(clippy::cast_precision_loss, reason = "places and shares of a picture")]
        let (top, share) = (ROW * (index as f64 + 0.5), row.count as f64 / most as f64);
        let base = top + ROW * 0.7;
        // Something stays to be seen of a single call.
        let length = if row.count == 0 {
            0.0
        } else {
            (BAR * share).max(1.0)
        };
        let end = row.high.map_or_else(|| "..".to_owned(), plain);
        let colour = if row.marks.is_empty() {
            "#7a8ba0"
        } else {
            "#2f6fb0"
        };
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{base:.1}\" text-anchor=\"end\">{end} ms</text>\
             <rect x=\"{LEFT}\" y=\"{:.1}\" width=\"{length:.1}\" height=\"{:.1}\" fill=\"{colour}\"/>\
             <text x=\"{:.1}\" y=\"{base:.1}\">{}</text>",
            LEFT - 8.0,
            top + ROW * 0.1,
            ROW * 0.8,
            LEFT + length + 6.0,
            label(row.count, &row.marks),
        );
    }
    svg.push_str("</svg>\n");
    Some(svg)
}

/// The count of a row and the marks in it.
fn label(count: u64, names: &[String]) -> String {
    if names.is_empty() {
        count.to_string()
    } else {
        format!("{count} \u{2190} {}", escaped(&names.join(", ")))
    }
}

/// A number without needless decimals.
fn plain(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::budget::model::{Bucket, InForce, Measured};

    fn measured(counts: &[u64]) -> Measured {
        let buckets = (1_u32..)
            .zip(counts)
            .map(|(place, count)| Bucket {
                low_ms: f64::from(place - 1) * 10.0,
                high_ms: Some(f64::from(place) * 10.0),
                count: *count,
            })
            .collect();
        Measured {
            from: "samples",
            name: None,
            side: "provider",
            side_known: true,
            p99_low_ms: 20.0,
            p99_high_ms: Some(30.0),
            samples: Some(counts.iter().sum()),
            samples_at_most: None,
            cut_at_ms: None,
            interval_low_ms: None,
            interval_high_ms: None,
            method: None,
            p50_low_ms: Some(0.0),
            p50_high_ms: Some(10.0),
            p90_low_ms: Some(10.0),
            p90_high_ms: Some(20.0),
            mean_ms: None,
            buckets,
            remarks: Vec::new(),
            repeated: Vec::new(),
            repeated_total: 0,
        }
    }

    fn budget(counts: &[u64]) -> Budget {
        Budget {
            measured: Some(measured(counts)),
            in_force: vec![InForce {
                addresses: Vec::new(),
                addresses_total: 0,
                model: "none",
                timeout_ms: Some(25),
                level: "default".to_owned(),
                key: None,
                value: None,
                beaten: Vec::new(),
                passed_on_ms: None,
            }],
            ..Budget::default()
        }
    }

    #[test]
    fn bars_and_marks_are_there() {
        let svg = histogram(&budget(&[900, 90, 10]), Lang::En).unwrap();
        assert!(
            svg.starts_with("<svg ") && svg.ends_with("</svg>\n"),
            "{svg}"
        );
        assert_eq!(svg.matches("<rect ").count(), 3, "{svg}");
        for word in [
            "width=\"260.0\"",
            "width=\"26.0\"",
            "900 \u{2190} P50",
            "90 \u{2190} P90",
            "10 \u{2190} P99, in force",
        ] {
            assert!(svg.contains(word), "{word}: {svg}");
        }
        let many: Vec<u64> = (0..500).map(|place| place % 7).collect();
        let svg = histogram(&budget(&many), Lang::Zh).unwrap();
        assert_eq!(svg.matches("<rect ").count(), 12, "{svg}");
    }

    #[test]
    fn nothing_is_drawn_without_calls() {
        assert_eq!(histogram(&Budget::default(), Lang::En), None);
        assert_eq!(histogram(&budget(&[]), Lang::En), None);
        assert_eq!(histogram(&budget(&[0, 0]), Lang::En), None);
    }

    #[test]
    fn texts_are_escaped() {
        assert_eq!(
            label(1, &["<a & \"b\">".to_owned()]),
            "1 \u{2190} &lt;a &amp; &quot;b&quot;&gt;"
        );
    }
}
