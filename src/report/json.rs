//! The report as JSON: indented, keys in the order of the model, one newline at the end.

use super::{model::Report, safe::safe_json};

/// The text of a report. The same report gives the same bytes.
pub fn render(report: &Report) -> String {
    // The model has only string keys and finite numbers: there is nothing that cannot be written.
    let json = serde_json::to_string_pretty(report).unwrap_or_default();
    safe_json(&json) + "\n"
}
