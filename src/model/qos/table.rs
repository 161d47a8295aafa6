//! Tables as `TTable` draws them.

/// The cells of every row of a table, header included; lines that are no row are left out.
pub(super) fn rows<'a>(lines: impl IntoIterator<Item = &'a str>) -> Vec<Vec<&'a str>> {
    lines
        .into_iter()
        .filter_map(|line| {
            let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?;
            Some(inner.split('|').map(str::trim).collect())
        })
        .collect()
}
