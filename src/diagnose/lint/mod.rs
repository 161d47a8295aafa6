//! Is a rule text what its author thinks it is? Findings with their places, for one Dubbo version.
//!
//! Nothing is parsed here: `rule` reads, as that version does, and this room looks at what it read, asks `route` what
//! the rule can do, and names what a person would be surprised by. Pure, bounded: long texts are looked at in full, but
//! of many findings only the first [`MOST`] are kept.

mod affinity;
mod clause;
mod condition;
mod configurator;
mod effect;
mod fields;
mod mesh;
mod migration;
mod reading;
mod scope;
mod script;
mod source;
mod tag;
mod urls;
mod visible;

pub use crate::rule::{condition::text::shown, kind::RuleKind};
pub use reading::reading;

use std::cell::OnceCell;
use std::collections::HashSet;
use std::rc::Rc;

use serde_json::{Map, Value, json};

use super::code::{Code, Severity};
use crate::{
    model::{service_key::ServiceKey, url::Url, version::DubboVersion},
    report::words::{Phrase, Say},
    rule::{
        error::RuleError,
        release::snake_yaml,
        yaml::{Document, Node, Position, Span, load_root_untagged, load_shared},
    },
};
use source::Source;

/// Findings that are kept of one text; errors before others.
pub const MOST: usize = 100;

/// A rule text.
#[derive(Debug, Clone, Copy)]
pub struct RuleText<'a> {
    /// The key under which it is kept, when that is known.
    pub key: Option<&'a str>,
    /// Its kind.
    pub kind: RuleKind,
    /// The text.
    pub text: &'a str,
}

impl RuleText<'_> {
    /// The service whose rule it is, when the key names one (`interface:version:group`).
    pub fn service(&self) -> Option<ServiceKey> {
        let base = self.key?.strip_suffix(self.kind.ending()?)?;
        base.contains(':').then(|| ServiceKey::parse_rule_key(base))
    }
}

/// What is known besides the text.
#[derive(Debug, Clone, Copy, Default)]
pub struct Known<'a> {
    /// The providers that the rule can concern, when all of them are known.
    pub providers: Option<&'a [Url]>,
    /// The consumer, as far as its parameters are known.
    pub consumer: Option<&'a Url>,
    /// The consumer's Java: 8, 17.
    pub jdk: Option<u32>,
}

/// One finding in a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Remark {
    /// Code.
    pub code: Code,
    /// Where, from the first character to the place behind the last.
    pub at: Span,
    /// Parameters of the code's sentence.
    pub params: Map<String, Value>,
    /// What Dubbo makes of it.
    pub reads: Option<Phrase>,
    /// What was probably meant, or what to do.
    pub meant: Option<Phrase>,
    /// Another place that belongs to it: the second of two equal keys.
    pub other: Option<Position>,
    /// The line as it stands in the text; of a long line the part around the place.
    pub line: String,
    /// The column at which `line` begins.
    pub line_column: u32,
}

/// What was found in a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Linted {
    /// In the order of the text.
    pub remarks: Vec<Remark>,
    /// How many more there are.
    pub more: usize,
    /// Whether the version refuses the text.
    pub refused: bool,
}

/// Looks at a text as a consumer of that version reads it.
pub fn lint(rule: RuleText<'_>, version: &DubboVersion, known: Known<'_>) -> Linted {
    let mut cx = Cx {
        rule,
        version,
        known,
        source: Source::new(rule.text),
        remarks: Vec::new(),
        kept: [0; 2],
        more: 0,
        refused: false,
        served: OnceCell::new(),
    };
    visible::start(&mut cx);
    match rule.kind {
        RuleKind::Condition => condition::check(&mut cx),
        RuleKind::Tag => tag::check(&mut cx),
        RuleKind::Script => script::check(&mut cx),
        RuleKind::Mesh => mesh::check(&mut cx),
        RuleKind::Affinity => affinity::check(&mut cx),
        RuleKind::Configurator => configurator::check(&mut cx),
        RuleKind::Migration => migration::check(&mut cx),
        RuleKind::Urls => urls::check(&mut cx),
    }
    cx.finish()
}

/// One run over one text.
struct Cx<'a> {
    rule: RuleText<'a>,
    version: &'a DubboVersion,
    known: Known<'a>,
    source: Source<'a>,
    remarks: Vec<Remark>,
    /// How many are kept: others, errors.
    kept: [usize; 2],
    more: usize,
    refused: bool,
    served: OnceCell<Served>,
}

/// Where the known providers are.
#[derive(Default)]
struct Served {
    hosts: HashSet<String>,
    /// With their ports.
    addresses: HashSet<String>,
    /// How many providers there are.
    count: usize,
}

/// A finding before it is kept.
struct Found {
    code: Code,
    at: Span,
    params: Map<String, Value>,
    reads: Option<Phrase>,
    meant: Option<Phrase>,
    other: Option<Position>,
}

impl Found {
    fn reads(mut self, phrase: impl Into<Phrase>) -> Self {
        self.reads = Some(phrase.into());
        self
    }

    fn meant(mut self, phrase: impl Into<Phrase>) -> Self {
        self.meant = Some(phrase.into());
        self
    }

    fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.params.insert(name.to_owned(), value.into());
        self
    }

    fn and_at(mut self, other: Position) -> Self {
        self.other = Some(other);
        self
    }
}

/// A finding about a place.
fn found(code: Code, at: Span) -> Found {
    Found {
        code,
        at,
        params: Map::new(),
        reads: None,
        meant: None,
        other: None,
    }
}

/// Characters of a line that are kept.
const SHOWN: usize = 160;

/// Texts in findings are cut at this many characters.
const LONGEST: usize = 80;

/// A text short enough for a sentence.
fn short(text: &str) -> String {
    cut(text, LONGEST)
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}..", &text[..end]),
    }
}

impl Cx<'_> {
    fn add(&mut self, found: Found) {
        // By severity, so that errors behind many warnings are still seen.
        let kept = &mut self.kept[usize::from(found.code.severity() == Severity::Error)];
        if *kept >= MOST {
            self.more += 1;
            return;
        }
        *kept += 1;
        let mut params = found.params;
        params
            .entry("text")
            .or_insert_with(|| json!(short(self.source.slice(found.at))));
        if found.code == Code::RuleNoEffect {
            let text = params["text"].clone();
            params.insert("condition".to_owned(), text);
        }
        params.insert("dubbo".to_owned(), json!(self.version.as_str()));
        self.remarks.push(Remark {
            code: found.code,
            at: found.at,
            params,
            reads: found.reads,
            meant: found.meant,
            other: found.other,
            line: String::new(),
            line_column: 1,
        });
    }

    /// Where the known providers are; `None` when nobody is known.
    fn served(&self) -> Option<&Served> {
        let providers = self.known.providers.filter(|list| !list.is_empty())?;
        Some(self.served.get_or_init(|| {
            Served {
                hosts: providers
                    .iter()
                    .filter_map(|url| url.host.clone())
                    .collect(),
                addresses: providers.iter().filter_map(Url::address).collect(),
                count: providers.len(),
            }
        }))
    }

    /// The version refuses the text: what was in force stays.
    fn refuse(&mut self, at: Span, problem: &str, hint: Option<Phrase>) {
        self.refused = true;
        let mut refusal = found(Code::RuleUnparsed, at)
            .with("reason", cut(problem, 2 * LONGEST))
            .reads(match self.rule.kind {
                RuleKind::Urls => Say::LintUrlLeftOut,
                _ => Say::LintPreviousStays,
            });
        refusal.meant = hint;
        self.add(refusal);
    }

    /// The same for an error of a reader.
    fn refuse_for(&mut self, error: &RuleError) {
        let at = error.at.unwrap_or(Position { line: 1, column: 1 });
        self.refuse(self.word_at(at), &error.message, None);
    }

    /// The word or value that begins at a place.
    fn word_at(&self, at: Position) -> Span {
        let start = self.source.offset(at);
        let rest = &self.rule.text[start..];
        let ends = [' ', ',', ']', '}', '\t', '\n', '\r'];
        let word = match rest.find(ends) {
            // a place on one of these signs means the sign
            Some(0) => rest.chars().next().filter(|c| !c.is_control()),
            Some(end) => return self.source.span(start..start + end),
            None => return self.source.span(start..self.rule.text.len()),
        };
        let word = word.map_or(0, char::len_utf8);
        self.source.span(start..start + word)
    }

    /// What a node is underlined with: a scalar on its first line, of a collection the first line.
    fn mark(&self, node: Node<'_>) -> Span {
        let span = node.span();
        if span.start.line == span.end.line && span.start != span.end {
            return span;
        }
        let start = self.source.offset(span.start);
        let line = self.rule.text[start..]
            .split(['\n', '\r'])
            .next()
            .unwrap_or_default();
        self.source.span(start..start + line.trim_end().len())
    }

    /// The document, when it can be read: for places only. Errors of YAML become findings.
    fn document(&mut self) -> Option<Rc<Document>> {
        let yaml = snake_yaml(self.version);
        let read = if self.version.at_least([2, 7, 10]) {
            load_shared(self.rule.text, yaml)
        } else {
            load_root_untagged(self.rule.text, yaml).map(Rc::new)
        };
        match read {
            Ok(document) => {
                visible::scalars(self, document.root());
                fields::duplicates(self, &document);
                Some(document)
            }
            Err(error) => {
                self.yaml_error(&error);
                None
            }
        }
    }

    fn finish(self) -> Linted {
        let mut remarks = self.remarks;
        let place = |remark: &Remark| (remark.at.start, remark.code, remark.at.end);
        remarks.sort_by_key(place);
        remarks.dedup_by(|a, b| a.code == b.code && a.at == b.at);
        let cut = remarks.len().saturating_sub(MOST);
        let more = self.more + cut;
        if cut > 0 {
            remarks
                .sort_by_key(|remark| (std::cmp::Reverse(remark.code.severity()), place(remark)));
            remarks.truncate(MOST);
            remarks.sort_by_key(place);
        }
        for remark in &mut remarks {
            let start = remark.at.start;
            let (line, column) = self.source.excerpt(start, SHOWN);
            line.clone_into(&mut remark.line);
            remark.line_column = column;
        }
        Linted {
            remarks,
            more,
            refused: self.refused,
        }
    }
}

#[cfg(test)]
mod tests;
