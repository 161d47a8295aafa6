//! The router snapshot inside message C (`RouterSnapshotNode.toString`, 3.0.6+): one node per router, each nested below
//! the one before it.

use super::super::claim::Claim;
use super::super::fact::{Fact, RouterRow};
use super::Parsed;
use super::cursor::{Cursor, Span};
use super::draft::Draft;

/// More nodes than any chain has.
const MAX_ROWS: usize = 256;

/// Addresses that Dubbo shows of one node.
const SHOWN: usize = 5;

/// Reads the nodes that follow.
pub(super) fn read(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let start = c.position();
    let mut rows = Vec::new();
    while rows.len() < MAX_ROWS {
        let Some(row) = row(c, rows.len()) else { break };
        rows.push(row);
    }
    let root = rows.first()?;
    let place = c.place(Span {
        start,
        end: c.position(),
    });
    let complete = rows.last().is_some_and(|row| row.1);
    if root.0.router == "Parent" {
        d.facts
            .push(Claim::RouteInput(Fact::stated(root.0.input, place)));
        if root.0.input > 0 && root.1 && !root.0.addresses.is_empty() {
            d.put_list(
                Claim::InputAddresses,
                Fact::stated(root.0.addresses.clone(), place),
            );
        }
    }
    let rows: Vec<RouterRow> = rows.into_iter().map(|(row, _)| row).collect();
    if let Some(culprit) = emptied_by(&rows) {
        d.put(
            Claim::EmptiedBy,
            Fact::stated(culprit.router.clone(), place),
        );
        if let Some(message) = &culprit.message {
            d.put_text(Claim::Cause, Fact::stated(message.clone(), place));
        }
    }
    d.facts.push(Claim::RouterRows(Fact::stated(rows, place)));
    complete.then_some(())
}

/// The first router with something in and nothing out. The nodes of rule lists show their first child's input as their
/// own output, so they are never the one; their child is.
fn emptied_by(rows: &[RouterRow]) -> Option<&RouterRow> {
    rows.iter()
        .skip(1)
        .find(|row| row.input > 0 && row.own_output == 0)
}

/// One node, and whether it is whole.
fn row(c: &mut Cursor<'_>, index: usize) -> Option<(RouterRow, bool)> {
    let mut probe = c.clone();
    let before = probe.until_across(&["[ "])?.1;
    let gap = probe.str(before);
    // Anything else than the end of the node before means that the snapshot is over.
    if index > 0 && !gap.trim().is_empty() {
        return None;
    }
    let indent = gap.rsplit('\n').next().unwrap_or_default().len() / 2;
    let name = probe.until(" (Input: ")?;
    let router = probe.str(name).trim().to_owned();
    if router.is_empty() || router.len() > 200 || router.contains(char::is_whitespace) {
        return None;
    }
    let number = |probe: &mut Cursor<'_>, end: &str| {
        let span = probe.until(end)?;
        probe.str(span).trim().parse::<u64>().ok()
    };
    let input = number(&mut probe, ") (Current Node Output: ")?;
    let own_output = number(&mut probe, ") (Chain Node Output: ")?;
    let chain_output = number(&mut probe, ")")?;
    let message_start = probe.position();
    let (_, message) = probe.until_across(&[
        " ] Current Node Output: ",
        " ] Input: ",
        "] Current Node Output: ",
        "] Input: ",
    ])?;
    let message = probe.words(Span {
        start: message_start,
        ..message
    });
    let message = message
        .strip_prefix("Router message:")
        .map(str::trim)
        .filter(|text| !text.is_empty() && *text != "null");
    let list = probe.line_span();
    let text = probe.str(list);
    let loose = probe.is_loose();
    let tail = [", dubbo version:", ",dubboversion:"]
        .iter()
        .filter_map(|fixed| text.find(fixed))
        .min();
    // Without line ends the next node begins where its bracket stands.
    let next = text.find('[').filter(|_| loose);
    let end = tail.into_iter().chain(next).min().unwrap_or(text.len());
    let shown = text[..end].split("->").next().unwrap_or_default();
    let shown_span = Span {
        start: list.start,
        end: list.start + shown.len(),
    };
    let mut items: Vec<&str> = shown.split(',').map(str::trim).collect();
    let shortened =
        items.last().is_some_and(|last| last.starts_with("...")) && items.pop().is_some();
    // Dubbo shows five; fewer with dots behind them, or text that ends at a mark, were cut by somebody else.
    let mut cut = shortened && items.len() < SHOWN;
    if probe.is_cut_behind(shown_span) {
        cut = true;
        items.pop();
    }
    let nothing_shown = shown.trim().is_empty();
    let addresses = items
        .into_iter()
        .filter(|item| !item.is_empty() && *item != "Empty")
        .map(str::to_owned)
        .collect();
    let depth = if loose { index } else { indent };
    probe.go_to(list.start + end);
    *c = probe;
    let row = RouterRow {
        depth: u32::try_from(depth).unwrap_or(u32::MAX),
        router,
        input,
        own_output,
        chain_output,
        message: message.map(str::to_owned),
        addresses,
    };
    Some((row, !cut && !nothing_shown))
}
