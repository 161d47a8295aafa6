//! Pictures as SVG inside the page: addresses from stage to stage.

use std::fmt::Write as _;

use super::escaped;
use crate::report::{facets::Path, replay::ClassInfo, safe::safe};

/// Classes of calls that get a picture.
pub(super) const MOST_CLASSES: usize = 5;
/// Width of every picture and of the names in it.
const WIDTH: f64 = 760.0;
const NAMES: f64 = 190.0;
/// Room for the numbers behind a bar.
const NUMBERS: f64 = 110.0;
/// Height of a row.
const ROW: f64 = 22.0;

/// One bar: a name, what is left, what was there before.
struct Bar {
    name: String,
    input: f64,
    output: f64,
    label: String,
}

/// The stages that have counts; nothing when fewer than two have.
pub(super) fn waterfall(path: &Path, title: &str) -> String {
    let bars: Vec<Bar> = path
        .stages
        .iter()
        .filter_map(|stage| {
            let output = stage.output?;
            let input = stage.input.unwrap_or(output);
            Some(Bar {
                name: stage.name.clone(),
                input: number(input),
                output: number(output),
                label: format!("{input} → {output}"),
            })
        })
        .collect();
    if bars.len() < 2 {
        return String::new();
    }
    draw(&bars, title)
}

/// The routers of one class of calls.
pub(super) fn of_class(class: &ClassInfo, title: &str) -> String {
    let bars: Vec<Bar> = class
        .stages
        .iter()
        .map(|stage| Bar {
            name: safe(&stage.router),
            input: number(stage.input),
            output: number(stage.output),
            label: format!("{} → {}", stage.input, stage.output),
        })
        .collect();
    if bars.is_empty() {
        return String::new();
    }
    draw(&bars, &format!("{title} · {}", class.requests))
}

#[expect(clippy::cast_precision_loss, reason = "lengths on a screen")]
fn number(count: usize) -> f64 {
    count as f64
}

fn draw(bars: &[Bar], title: &str) -> String {
    let most = bars.iter().map(|bar| bar.input).fold(1.0, f64::max);
    let room = WIDTH - NAMES - NUMBERS;
    let height = number(bars.len()).mul_add(ROW, 6.0);
    let mut out = start(title, height);
    for (index, bar) in bars.iter().enumerate() {
        let top = number(index).mul_add(ROW, 3.0);
        let base = top + 14.0;
        let _ = writeln!(
            out,
            "<text x=\"0\" y=\"{base:.0}\">{}</text>\
             <rect x=\"{NAMES}\" y=\"{top:.0}\" width=\"{:.1}\" height=\"16\" fill=\"#d0d7de\"/>\
             <rect x=\"{NAMES}\" y=\"{top:.0}\" width=\"{:.1}\" height=\"16\" fill=\"#2f81c7\"/>\
             <text x=\"{:.1}\" y=\"{base:.0}\">{}</text>",
            escaped(&bar.name),
            room * bar.input / most,
            room * bar.output / most,
            room.mul_add(bar.input / most, NAMES + 6.0),
            escaped(&bar.label)
        );
    }
    out.push_str("</svg>\n");
    out
}

fn start(title: &str, height: f64) -> String {
    format!(
        "<svg viewBox=\"0 0 {WIDTH:.0} {height:.0}\" width=\"{WIDTH:.0}\" height=\"{height:.0}\" role=\"img\" \
         aria-label=\"{0}\" xmlns=\"http://www.w3.org/2000/svg\"><title>{0}</title>\n",
        escaped(title)
    )
}
