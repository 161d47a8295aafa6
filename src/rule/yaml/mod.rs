//! YAML as Dubbo's SnakeYAML reads it.
//!
//! A rule is read by whatever SnakeYAML the consumer has, and the releases differ: what 3.0 takes may be refused by 2.7,
//! and `08` is a number in one and a text in the other. No YAML crate gives their answers, so this room has its own
//! scanner, parser, composer and constructor, each a mirror of the Java class of that name with its `SafeConstructor`
//! and default options. `fixtures/oracle/yaml` holds what the real releases answered to thousands of texts.
//!
//! ```text
//! text -> reader -> scanner (tokens) -> parser (events) -> composer (nodes) -> construct (values) -> Document
//! ```
//!
//! Pure. Nothing here recurses, aliases are shared and never copied out, and work is linear in the text; what could
//! multiply is bounded and ends in a typed error. Where diag must draw a line that Java leaves to the JVM, it says so:
//! [`STACK_DEPTH`], [`ExceptionClass::OutOfMemory`].
//!
//! Known to differ: half of a surrogate pair that stands alone (`"\ud83d"`) becomes U+FFFD, Rust cannot hold it.

mod chars;
mod composer;
mod construct;
mod error;
mod event;
mod graph;
mod java_text;
mod number;
mod parser;
mod position;
mod reader;
mod scanner;
mod tag;
#[cfg(test)]
mod tests;
mod token;
mod value;
mod version;

use std::rc::Rc;

use super::lately::Lately;

pub use error::{ExceptionClass, YamlError};
pub use number::Integer;
pub(super) use number::double_text;
pub use position::{Position, Span};
pub use token::ScalarStyle;
pub use value::{Document, Entries, Items, Node, Value};
pub use version::{UnknownYamlVersion, YamlVersion};

/// Nested collections that are read where SnakeYAML itself sets no limit (before 1.32).
///
/// There the JVM's stack decides: with 1 MiB lists end between 1,500 and 2,000 levels and maps between 1,000 and 1,500,
/// depending on what the JIT has compiled. Deeper texts are refused as [`ExceptionClass::StackOverflow`].
pub const STACK_DEPTH: usize = 1_500;

/// Reads one document, as `new Yaml(new SafeConstructor()).load(text)` does in `version`.
///
/// Dubbo decodes bytes before that, with U+FFFD for what is no UTF-8, as [`String::from_utf8_lossy`] does.
pub fn load(text: &str, version: YamlVersion) -> Result<Document, YamlError> {
    let scanner = scanner::Scanner::new(text, version);
    let (graph, root) = composer::Composer::new(parser::Parser::new(scanner), version).compose()?;
    construct::construct_single(graph, root, version)
}

/// As [`load`], with one document for everybody who reads a long text again: its values by one, its places by another.
pub fn load_shared(text: &str, version: YamlVersion) -> Result<Rc<Document>, YamlError> {
    thread_local! {
        static LATELY: Lately<YamlVersion, Result<Rc<Document>, YamlError>> = const { Lately::new() };
    }
    LATELY.with(|lately| lately.or_read(text, &version, || load(text, version).map(Rc::new)))
}

/// Reads one document of a known class, as `new Yaml(new Constructor(Rule.class)).load(text)` does before the class has
/// its say: whatever tag the root has does not count.
pub fn load_root_untagged(text: &str, version: YamlVersion) -> Result<Document, YamlError> {
    let scanner = scanner::Scanner::new(text, version);
    let composer = composer::Composer::new(parser::Parser::new(scanner), version);
    let (mut graph, root) = composer.compose()?;
    if let Some(root) = root {
        let node = graph.node_mut(root);
        node.tagged = false;
        node.tag = match node.kind {
            // `null` is answered before the class is asked.
            _ if node.tag == tag::Tag::Null => tag::Tag::Null,
            graph::Kind::Scalar { .. } => tag::Tag::Str,
            graph::Kind::Sequence(_) => tag::Tag::Seq,
            graph::Kind::Mapping { .. } => tag::Tag::Map,
        };
    }
    construct::construct_single(graph, root, version)
}

/// Reads every document, as `new Yaml(new SafeConstructor()).loadAll(text)` does when it is followed to the end.
pub fn load_all(text: &str, version: YamlVersion) -> Result<Vec<Document>, YamlError> {
    let scanner = scanner::Scanner::new(text, version);
    let mut composer = composer::Composer::new(parser::Parser::new(scanner), version);
    let mut documents = Vec::new();
    while let Some((graph, root)) = composer.next_document()? {
        documents.push(construct::construct(graph, root, version)?);
    }
    Ok(documents)
}
