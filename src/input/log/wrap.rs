//! Lines that a terminal or a mail broke at a fixed column: put together again where the widths say so. Whether the
//! result is right is decided by the fixed parts that fit.

use super::text::Text;

/// Narrower than this nobody breaks lines.
const MIN_WIDTH: usize = 60;

/// Columns at which lines are usually broken; one line of another width proves nothing.
const USUAL: [usize; 12] = [72, 76, 78, 79, 80, 100, 118, 119, 120, 132, 140, 160];

fn width(line: &Text) -> usize {
    line.as_str().chars().count()
}

/// The column at which these lines were broken, if they were: the widest, of a usual width or at least twice in a row.
/// The same line twice in a row is a repetition.
fn column(lines: &[Text], widths: &[usize]) -> Option<usize> {
    let widest = widths
        .iter()
        .copied()
        .max()
        .filter(|widest| *widest >= MIN_WIDTH)?;
    let in_a_row = || {
        lines
            .windows(2)
            .zip(widths.windows(2))
            .any(|(lines, widths)| {
                widths == [widest, widest] && lines[0].as_str() != lines[1].as_str()
            })
    };
    (USUAL.contains(&widest) || in_a_row()).then_some(widest)
}

/// Whether a line that follows these goes on with the last of them. `sure` wants two lines of the same width.
pub(super) fn goes_on(lines: &[Text], sure: bool) -> bool {
    // Looking far back tells nothing more.
    let recent = &lines[lines.len().saturating_sub(64)..];
    let widths: Vec<usize> = recent.iter().map(width).collect();
    let Some(last) = widths.last().copied() else {
        return false;
    };
    let twice = widths.iter().filter(|width| **width == last).count() > 1;
    column(recent, &widths) == Some(last) && (twice || !sure)
}

/// The lines with the broken ones joined; `None` when nothing was broken.
pub(super) fn join(lines: &[Text]) -> Option<Vec<Text>> {
    let widths: Vec<usize> = lines.iter().map(width).collect();
    let before_last = widths.split_last()?.1;
    let column = column(lines, &widths).filter(|column| before_last.contains(column))?;
    let mut joined: Vec<Text> = Vec::new();
    let mut open = false;
    for (line, width) in lines.iter().zip(&widths) {
        match joined.last_mut().filter(|_| open) {
            Some(last) => last.push_part(line, 0, line.len()),
            None => joined.push(line.clone()),
        }
        open = *width == column;
        // The blank at the break was lost.
        if *width + 1 == column
            && let Some(last) = joined.last_mut()
        {
            last.push(" ", line.place(line.len()));
            open = true;
        }
    }
    Some(joined)
}

#[cfg(test)]
mod tests {
    use super::super::fact::Place;
    use super::*;

    fn lines(widths: &[usize]) -> Vec<Text> {
        let text = "abcdefghij".repeat(40);
        widths
            .iter()
            .enumerate()
            .map(|(index, width)| Text::at(&text[index..index + width], Place::default()))
            .collect()
    }

    fn joined(widths: &[usize]) -> Option<Vec<usize>> {
        join(&lines(widths)).map(|lines| lines.iter().map(Text::len).collect())
    }

    #[test]
    fn only_lines_of_the_common_width_go_on() {
        assert_eq!(joined(&[80, 80, 20, 80, 5]), Some(vec![180, 85]));
        assert_eq!(joined(&[93, 93, 20]), Some(vec![206]));
        assert_eq!(joined(&[80, 79, 80, 20]), Some(vec![260]));
        assert_eq!(joined(&[80, 20]), Some(vec![100]));
        assert_eq!(joined(&[93, 20]), None);
        assert_eq!(joined(&[40, 40, 20]), None);
        assert_eq!(joined(&[30, 80]), None);
    }

    #[test]
    fn two_lines_of_one_width_are_surer_than_one() {
        assert!(goes_on(&lines(&[80]), false) && !goes_on(&lines(&[80]), true));
        assert!(goes_on(&lines(&[80, 80]), true) && !goes_on(&lines(&[80, 30]), false));
        assert!(!goes_on(&lines(&[93]), false) && goes_on(&lines(&[93, 93]), true));
    }
}
