//! Why a text was refused, in the words of the SnakeYAML that refuses it.

use std::fmt;

use super::chars;
use super::position::Position;

/// The Java class that is thrown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExceptionClass {
    /// `org.yaml.snakeyaml.reader.ReaderException`
    Reader,
    /// `org.yaml.snakeyaml.scanner.ScannerException`
    Scanner,
    /// `org.yaml.snakeyaml.parser.ParserException`
    Parser,
    /// `org.yaml.snakeyaml.composer.ComposerException`
    Composer,
    /// `org.yaml.snakeyaml.constructor.ConstructorException`
    Constructor,
    /// `org.yaml.snakeyaml.error.YAMLException`: limits and states without a place.
    Yaml,
    /// `java.lang.NumberFormatException`
    NumberFormat,
    /// `java.lang.IllegalArgumentException`
    IllegalArgument,
    /// `java.lang.IllegalStateException`
    IllegalState,
    /// `java.lang.StringIndexOutOfBoundsException`
    StringIndexOutOfBounds,
    /// `java.lang.IndexOutOfBoundsException`
    IndexOutOfBounds,
    /// `java.lang.ClassCastException`
    ClassCast,
    /// `java.util.ConcurrentModificationException`
    ConcurrentModification,
    /// `java.lang.StackOverflowError`: where the JVM's stack ends is not fixed, diag draws the line at
    /// [`STACK_DEPTH`](super::STACK_DEPTH) nested collections.
    StackOverflow,
    /// `java.lang.OutOfMemoryError`: diag gives up on a document that multiplies itself; a JVM would run on until its
    /// memory or the patience of its users ends.
    OutOfMemory,
}

impl ExceptionClass {
    /// The full name, as a Java log prints it.
    pub const fn java_name(self) -> &'static str {
        match self {
            Self::Reader => "org.yaml.snakeyaml.reader.ReaderException",
            Self::Scanner => "org.yaml.snakeyaml.scanner.ScannerException",
            Self::Parser => "org.yaml.snakeyaml.parser.ParserException",
            Self::Composer => "org.yaml.snakeyaml.composer.ComposerException",
            Self::Constructor => "org.yaml.snakeyaml.constructor.ConstructorException",
            Self::Yaml => "org.yaml.snakeyaml.error.YAMLException",
            Self::NumberFormat => "java.lang.NumberFormatException",
            Self::IllegalArgument => "java.lang.IllegalArgumentException",
            Self::IllegalState => "java.lang.IllegalStateException",
            Self::StringIndexOutOfBounds => "java.lang.StringIndexOutOfBoundsException",
            Self::IndexOutOfBounds => "java.lang.IndexOutOfBoundsException",
            Self::ClassCast => "java.lang.ClassCastException",
            Self::ConcurrentModification => "java.util.ConcurrentModificationException",
            Self::StackOverflow => "java.lang.StackOverflowError",
            Self::OutOfMemory => "java.lang.OutOfMemoryError",
        }
    }
}

/// A refused text.
///
/// `problem` and `context` are SnakeYAML's own words for this version, so that they can be compared with a log; the
/// words of plain `java.lang` exceptions are diag's. [`Display`](fmt::Display) gives one line with the place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YamlError {
    /// What Java throws.
    pub class: ExceptionClass,
    /// What is wrong.
    pub problem: String,
    /// What was being read.
    pub context: Option<String>,
    /// The place that SnakeYAML prints; many classes have none.
    pub at: Option<Position>,
    /// Where the thing in `context` begins, as SnakeYAML prints it.
    pub context_at: Option<Position>,
    /// The place to look at: `at`, or where diag found the fault when SnakeYAML names no place.
    pub place: Position,
}

impl YamlError {
    /// An error with a mark.
    pub(super) fn marked(class: ExceptionClass, problem: impl Into<String>, at: Position) -> Self {
        Self {
            class,
            problem: problem.into(),
            context: None,
            at: Some(at),
            context_at: None,
            place: at,
        }
    }

    /// An error that Java throws without a mark; `place` is where diag sees it.
    pub(super) fn placeless(
        class: ExceptionClass,
        problem: impl Into<String>,
        place: Position,
    ) -> Self {
        Self {
            class,
            problem: problem.into(),
            context: None,
            at: None,
            context_at: None,
            place,
        }
    }

    /// Adds what was being read and where that began.
    pub(super) fn within(mut self, context: impl Into<String>, start: Option<Position>) -> Self {
        self.context = Some(context.into());
        self.context_at = start;
        self
    }

    /// Line of [`place`](Self::place), from 1.
    pub fn line(&self) -> u32 {
        self.place.line
    }

    /// Column of [`place`](Self::place), from 1.
    pub fn column(&self) -> u32 {
        self.place.column
    }

    /// What usually leads to this problem and how to write it instead.
    pub fn hint(&self) -> Option<&'static str> {
        HINTS
            .iter()
            .find(|(words, _)| self.problem.contains(words))
            .map(|(_, hint)| *hint)
    }
}

/// Words of a problem, and the advice for it; the first that fits counts.
const HINTS: [(&str, &str); 25] = [
    (
        "(TAB)",
        "indent and separate with spaces, a TAB is not allowed here",
    ),
    ("cannot start any token", "put the value in quotes"),
    (
        "mapping values are not allowed here",
        "a text with `: ` needs quotes; otherwise check the indentation of this line",
    ),
    (
        "mapping keys are not allowed here",
        "check the indentation of this line",
    ),
    (
        "sequence entries are not allowed here",
        "start the list on its own line",
    ),
    (
        "could not find expected ':'",
        "this line is no `key: value` and no list item, or its indentation is wrong",
    ),
    (
        "found unexpected ':'",
        "this SnakeYAML needs quotes around a text with `:` inside [ ] or { }",
    ),
    (
        "found unexpected end of stream",
        "the closing quote is missing",
    ),
    (
        "found unexpected document separator",
        "the closing quote is missing",
    ),
    (
        "found unknown escape character",
        "in double quotes a backslash starts an escape; use single quotes or double it",
    ),
    (
        "hexadecimal numbers",
        "an escape \\x, \\u or \\U needs exactly 2, 4 or 8 hexadecimal digits",
    ),
    ("expected <block end>", "check the indentation of this line"),
    (
        "expected ',' or ']'",
        "the list in [ ] is not closed or misses a comma",
    ),
    (
        "expected ',' or '}'",
        "the map in { } is not closed or misses a comma",
    ),
    ("expected the node content", "a value is missing here"),
    (
        "expected '<document start>'",
        "one document is expected: remove what follows it",
    ),
    (
        "but found another document",
        "a rule is one document: remove everything from the second `---`",
    ),
    (
        "found undefined alias",
        "the anchor `&name` must stand before its alias `*name`; a text that begins with * needs quotes",
    ),
    (
        "unexpected character found",
        "a text that begins with & or * needs quotes",
    ),
    (
        "alphabetic or numeric character",
        "a text that begins with &, * or % needs quotes",
    ),
    (
        "Global tag is not allowed",
        "remove the tag: only the standard ones such as !!str are read",
    ),
    (
        "could not determine a constructor",
        "remove the tag; a text that begins with ! needs quotes",
    ),
    (
        "special characters are not allowed",
        "remove the control character",
    ),
    (
        "border of two reads",
        "move the character by adding or removing one before it, for example in a comment at the top",
    ),
    ("merging, but found", "`<<` takes a map or a list of maps"),
];

impl fmt::Display for YamlError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: ", self.place)?;
        for c in self.problem.chars() {
            match c {
                chars::END => out.write_str("end of text")?,
                c if c.is_control() => write!(out, "{}", c.escape_default())?,
                c => write!(out, "{c}")?,
            }
        }
        if let Some(context) = &self.context {
            write!(out, " ({context}")?;
            match self.context_at {
                Some(at) if Some(at) != self.at => write!(out, " from {at})")?,
                _ => out.write_str(")")?,
            }
        }
        Ok(())
    }
}

impl std::error::Error for YamlError {}
