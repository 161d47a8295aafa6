//! Script rules (3.2 and later). The script itself is never read.
//!
//! Mirrors `ScriptRule`.

use super::error::RuleError;
use super::header::{Header, root};
use super::release::snake_yaml;
use super::yaml::{Position, load};
use crate::model::version::DubboVersion;

/// A document under a `.script-router` key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptRule {
    /// The fields around the script.
    pub header: Header,
    /// `type`: the name of the script engine; empty or missing is `javascript`.
    pub engine: Option<String>,
    /// The script.
    pub script: Option<String>,
    /// Where the script begins.
    pub script_at: Option<Position>,
}

/// Reads a document as a consumer of that version does.
pub fn parse(text: &str, version: &DubboVersion) -> Result<ScriptRule, RuleError> {
    let document = load(text, snake_yaml(version))?;
    let root = root(document.root())?;
    let header = Header::from_map(root, version)?;
    let field = |name: &str| match root.get(name).filter(|value| !value.is_null()) {
        None => Ok(None),
        Some(value) => match value.as_text() {
            Some(text) => Ok(Some((text.to_owned(), value.start()))),
            None => Err(RuleError::cast(
                format!("`{name}` must be a text: put it in quotes"),
                value.start(),
            )),
        },
    };
    let engine = field("type")?.map(|(text, _)| text);
    let script = field("script")?;
    let valid = header.valid && script.is_some();
    Ok(ScriptRule {
        header: Header { valid, ..header },
        engine,
        script_at: script.as_ref().map(|(_, at)| *at),
        script: script.map(|(text, _)| text),
    })
}
