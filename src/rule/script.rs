//! Script rules (3.2 and later), and the one thing that is ever read in a script.
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

/// Names of the engine that Java 8 to 14 brings, Nashorn; `nashorn-core` brings the same ones.
pub const NASHORN: [&str; 8] = [
    "nashorn",
    "Nashorn",
    "js",
    "JS",
    "JavaScript",
    "javascript",
    "ECMAScript",
    "ecmascript",
];

/// Names of the engine of Java 6 and 7.
const RHINO: [&str; 6] = [
    "js",
    "rhino",
    "JavaScript",
    "javascript",
    "ECMAScript",
    "ecmascript",
];

/// The names of the script engines that a Java brings by itself. A library may add one.
pub fn engines_of(java: u32) -> &'static [&'static str] {
    match java {
        6 | 7 => &RHINO,
        8..=14 => &NASHORN,
        _ => &[],
    }
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

/// What a script asks of the context before anything else, when that is always `null` where routers run: the script ends
/// there with an error, and the rule is passed over (`ScriptRouter`, up to 2.7.9).
///
/// Only a script of one function that is called at once is read, whose body begins with `context.getUrl().`; of every
/// other one nothing is said. The filter that fills the context runs after the routers, and nothing fills its URL.
pub fn null_asked_first(script: &str) -> Option<&'static str> {
    let script = script.trim();
    let (script, wrapped) = match script.strip_prefix('(') {
        Some(inner) => (inner.trim_start(), true),
        None => (script, false),
    };
    let rest = script.strip_prefix("function")?;
    let (name, rest) = rest.split_once('(')?;
    let (parameters, rest) = rest.split_once(')')?;
    let body = rest.trim_start().strip_prefix('{')?;
    let (inside, behind) = body.split_at(closing(body)?);
    let first = first_expression(inside.trim_start());
    let (asked, chain) = first.split_once('.')?;
    let called = chain
        .strip_prefix("getUrl")?
        .trim_start()
        .strip_prefix('(')?;
    called
        .trim_start()
        .strip_prefix(')')?
        .trim_start()
        .strip_prefix('.')?;
    let call = behind[1..].trim().trim_end_matches(';').trim_end();
    let call = if wrapped {
        call.strip_suffix(')')?.trim_end()
    } else {
        call.strip_prefix(name.trim())
            .filter(|_| !name.trim().is_empty())?
    };
    let call = call.strip_prefix(name.trim()).unwrap_or(call).trim_start();
    let arguments = call.strip_prefix('(')?.strip_suffix(')')?;
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words: Vec<&str> = arguments.split(',').map(str::trim).collect();
    if !words.iter().all(|word| word.chars().all(is_word)) {
        return None;
    }
    let place = parameters
        .split(',')
        .position(|parameter| parameter.trim() == asked.trim());
    let context = match place {
        Some(place) => *words.get(place)?,
        None => asked.trim(),
    };
    (context == "context").then_some("context.getUrl()")
}

/// Where the block that is open at the start of a text closes; `None` also when texts or comments in it may hide that.
fn closing(body: &str) -> Option<usize> {
    let mut depth = 1_usize;
    let mut quote = None;
    for (at, sign) in body.char_indices() {
        match (quote, sign) {
            (Some(_), '\\' | '\n') | (None, '`') => return None,
            (Some(open), sign) if open == sign => quote = None,
            (None, '/') if body[at + 1..].starts_with(['/', '*']) => return None,
            (None, '\'' | '"') => quote = Some(sign),
            (None, '{') => depth += 1,
            (None, '}') => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// Without the words that may stand before the first expression of a block.
fn first_expression(block: &str) -> &str {
    let after = |word: &str| block.strip_prefix(word).map(str::trim_start);
    if let Some(rest) = after("return ") {
        return rest;
    }
    if let Some(rest) = after("if").and_then(|rest| rest.strip_prefix('(')) {
        return rest.trim_start();
    }
    let variable = after("var ").and_then(|rest| rest.split_once('='));
    variable.map_or(block, |(_, rest)| rest.trim_start())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_a_script_asks_first() {
        let asked = |body: &str| {
            let script = format!(
                "function route(invokers,invocation,context){{ {body} }} route(invokers,invocation,context)"
            );
            null_asked_first(&script).is_some()
        };
        for body in [
            "return context.getUrl().getParameter('application')=='x' ? invokers : [];",
            "var url = context.getUrl().toString(); return invokers;",
            "if (context.getUrl().getHost() == 'a') { return []; } return invokers;",
        ] {
            assert!(asked(body), "{body}");
        }
        for body in [
            "return invokers;",
            "return context.getUrl();",
            "if (invokers) { return context.getUrl().getHost(); } return invokers;",
            "return context.getUrl() ? context.getUrl().getHost() : invokers;",
            "// }\nreturn context.getUrl().getHost();",
            "return context.getAttachment('x');",
        ] {
            assert!(!asked(body), "{body}");
        }
        for (script, is_asked) in [
            (
                "(function f(i, v, c) { return c.getUrl().getHost(); }(invokers, invocation, context))",
                true,
            ),
            (
                "(function f(i, v, c) { return c.getUrl().getHost(); }(invokers, invocation, mine))",
                false,
            ),
            (
                "function f(i) { return context.getUrl().getHost(); } f(invokers);",
                true,
            ),
            (
                "function f(i) { return context.getUrl().getHost(); }",
                false,
            ),
            (
                "function f(i) { return context.getUrl().getHost(); } g(invokers)",
                false,
            ),
            (
                "function f(context) { return context.getUrl().getHost(); } f(invokers)",
                false,
            ),
        ] {
            assert_eq!(null_asked_first(script).is_some(), is_asked, "{script}");
        }
    }

    proptest! {
        #[test]
        fn any_script_is_looked_at(script in "[(){}'a-f.=; ]{0,30}") {
            let whole = format!("function f(context){{{script}}} f(context)");
            let _ = (null_asked_first(&script), null_asked_first(&whole));
        }
    }
}
