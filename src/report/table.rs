//! Tables that fit the width they are given. The only place that uses `comfy-table`.

use comfy_table::{ContentArrangement, Table, presets::NOTHING};

/// A table without borders, two blanks in front of every line; cells break when the width demands it.
pub(super) fn table(header: &[&str], rows: &[Vec<String>], width: usize) -> String {
    let mut table = Table::new();
    table
        .load_preset(NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(u16::try_from(width.saturating_sub(2)).unwrap_or(u16::MAX))
        .set_header(header)
        .add_rows(rows);
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    table.lines().fold(String::new(), |text, line| {
        text + "  " + line.trim_end() + "\n"
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fits_the_width() {
        let rows = vec![
            vec![
                "10.0.0.7:20880".to_owned(),
                "DG2101".to_owned(),
                "a rule with a long name ".repeat(4),
            ],
            vec![
                "10.0.0.8:20880".to_owned(),
                "DG2102".to_owned(),
                "-".to_owned(),
            ],
        ];
        for width in [40, 60, 100] {
            let text = table(&["address", "code", "rule"], &rows, width);
            assert!(
                text.lines().all(|line| line.chars().count() <= width),
                "{width}:\n{text}"
            );
            assert!(text.contains("DG2102"));
        }
    }
}
