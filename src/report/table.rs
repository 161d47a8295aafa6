//! Tables that fit the width they are given. The only place that uses `comfy-table`.

use unicode_width::UnicodeWidthStr;

use super::layout::{pad, wrap};
use comfy_table::{ContentArrangement, Table, presets::NOTHING};

/// Up to this width a table whose words do not fit beside each other becomes a list.
const NARROW: usize = 64;

/// A table without borders, two blanks in front of every line; cells break when the width demands it. On a
/// narrow terminal no word is cut: every row is then a list of its cells, each behind the head of its column.
pub(super) fn table(header: &[&str], rows: &[Vec<String>], width: usize) -> String {
    if width < NARROW && narrowest(header, rows) + 2 > width {
        return list(header, rows, width);
    }
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

/// The width at which no word of a table is cut.
fn narrowest(header: &[&str], rows: &[Vec<String>]) -> usize {
    let longest = |text: &str| text.split_whitespace().map(UnicodeWidthStr::width).max();
    (0..header.len())
        .map(|column| {
            let cells = rows.iter().filter_map(|row| longest(row.get(column)?));
            let head = longest(header[column]).into_iter();
            cells.chain(head).max().unwrap_or_default() + 2
        })
        .sum()
}

/// The first cell of each row, and below it the others with their heads.
fn list(header: &[&str], rows: &[Vec<String>], width: usize) -> String {
    let heads = header.iter().skip(1).map(|head| head.width()).max();
    let column = heads.unwrap_or_default().min(width / 3) + 6;
    let mut text = String::new();
    let mut add = |line: &str| {
        text.push_str(line.trim_end());
        text.push('\n');
    };
    for row in rows {
        for (at, (head, cell)) in header.iter().zip(row).enumerate() {
            if at == 0 {
                for part in wrap(cell, width - 2) {
                    add(&format!("  {part}"));
                }
                continue;
            }
            let mut label = format!("    {}", pad(head, column - 4));
            for part in wrap(cell, width.saturating_sub(column)) {
                add(&format!("{label}{part}"));
                label = " ".repeat(column);
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_would_cut_words_is_a_list() {
        let rows = vec![vec![
            "interface level".to_owned(),
            "12".to_owned(),
            "failed: service key DG2105".to_owned(),
        ]];
        let head = ["model", "registered", "result"];
        assert_eq!(
            table(&head, &rows, 30),
            "  interface level\n    registered  12\n    result      failed:\n                service key\n                \
             DG2105\n"
        );
        assert!(table(&head, &rows, 80).starts_with("  model "));
    }

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
