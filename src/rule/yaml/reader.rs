//! The text as a row of code points, with SnakeYAML's `StreamReader` counting lines and columns.

use std::cell::Cell;

use super::chars::{self, END};
use super::error::{ExceptionClass, YamlError};
use super::position::Position;
use super::version::YamlVersion;

/// A cursor over the text.
///
/// `StreamReader` loads the text in pieces and refuses a piece with a forbidden character when it is loaded. The cursor
/// does the same: looking into such a piece shows the end of the text and is remembered, see [`Reader::fault`].
pub(super) struct Reader {
    text: Vec<char>,
    index: usize,
    line: usize,
    column: usize,
    document_start: usize,
    bad_piece: Option<BadPiece>,
    touched: Cell<bool>,
}

/// A piece of the text that cannot be loaded.
struct BadPiece {
    /// Index of its first character.
    start: usize,
    error: YamlError,
}

impl Reader {
    pub(super) fn new(text: &str, version: YamlVersion) -> Self {
        let text: Vec<char> = text.chars().collect();
        let bad_piece = find_bad_piece(&text, version);
        Self {
            text,
            index: 0,
            line: 0,
            column: 0,
            document_start: 0,
            bad_piece,
            touched: Cell::new(false),
        }
    }

    /// The error of a piece that was looked into; whatever was read since then counts for nothing.
    pub(super) fn fault(&self) -> Option<YamlError> {
        self.bad_piece
            .as_ref()
            .filter(|_| self.touched.get())
            .map(|piece| piece.error.clone())
    }

    /// Whether the character at `at` can be read.
    fn has(&self, at: usize) -> bool {
        if let Some(piece) = &self.bad_piece
            && at >= piece.start
        {
            self.touched.set(true);
            return false;
        }
        at < self.text.len()
    }

    /// The next character, or [`END`].
    pub(super) fn peek(&self) -> char {
        self.peek_at(0)
    }

    /// The character `ahead` places on, or [`END`].
    pub(super) fn peek_at(&self, ahead: usize) -> char {
        let at = self.index + ahead;
        if self.has(at) { self.text[at] } else { END }
    }

    /// How many characters from here on fulfil `wanted`.
    pub(super) fn count(&self, wanted: impl Fn(char) -> bool) -> usize {
        let mut length = 0;
        while wanted(self.peek_at(length)) {
            length += 1;
        }
        length
    }

    /// The next characters, fewer at the end of the text.
    pub(super) fn prefix(&self, length: usize) -> &[char] {
        self.has(self.index + length);
        &self.text[self.index..self.text.len().min(self.index + length)]
    }

    /// Whether `mark`, thrice, comes next.
    pub(super) fn at_triple(&self, mark: char) -> bool {
        self.prefix(3) == [mark; 3]
    }

    /// Goes over `length` characters, counting lines.
    pub(super) fn forward(&mut self, length: usize) {
        for _ in 0..length {
            if !self.has(self.index) {
                return;
            }
            let c = self.text[self.index];
            self.index += 1;
            let ends_line = chars::is_break(c)
                || (c == '\r' && self.has(self.index) && self.text[self.index] != '\n');
            if ends_line {
                self.line += 1;
                self.column = 0;
            } else if c != '\u{FEFF}' {
                self.column += 1;
            }
        }
    }

    /// Goes over `length` characters of one line and gives them. Unlike [`forward`](Self::forward) it counts a byte
    /// order mark as a column.
    pub(super) fn take(&mut self, length: usize) -> &[char] {
        if length == 0 {
            return &[];
        }
        let start = self.index;
        let end = self.text.len().min(start + length);
        self.has(end);
        self.column += end - start;
        self.index = end;
        &self.text[start..end]
    }

    /// Goes over the next characters that are spaces.
    pub(super) fn skip_spaces(&mut self) {
        while self.peek() == ' ' {
            self.forward(1);
        }
    }

    /// Goes over a line break; gives what it stands for in a scalar: CR, LF, CR LF and NEL are a `\n`.
    pub(super) fn take_break(&mut self) -> Option<char> {
        match self.peek() {
            '\r' if self.peek_at(1) == '\n' => {
                self.forward(2);
                Some('\n')
            }
            '\r' | '\n' | '\u{85}' => {
                self.forward(1);
                Some('\n')
            }
            c @ ('\u{2028}' | '\u{2029}') => {
                self.forward(1);
                Some(c)
            }
            _ => None,
        }
    }

    /// Characters read so far.
    pub(super) fn index(&self) -> usize {
        self.index
    }

    /// Line, from 0.
    pub(super) fn line(&self) -> usize {
        self.line
    }

    /// Column, from 0.
    pub(super) fn column(&self) -> usize {
        self.column
    }

    /// This place.
    pub(super) fn position(&self) -> Position {
        Position::from_zero(self.line, self.column)
    }

    /// Characters read since the document began.
    pub(super) fn document_index(&self) -> usize {
        self.index - self.document_start
    }

    /// A document begins here.
    pub(super) fn start_document(&mut self) {
        self.document_start = self.index;
    }
}

/// Cuts the text into the pieces that `StreamReader.update` loads and finds the first that it refuses.
fn find_bad_piece(text: &[char], version: YamlVersion) -> Option<BadPiece> {
    let size = version.read_size();
    let mut start = 0;
    while start < text.len() {
        let mut end = start;
        let mut units = 0;
        while units < size && end < text.len() {
            units += text[end].len_utf16();
            end += 1;
        }
        // In Java `buffer[1024]` of a buffer of 1024, before the characters of the piece are looked at.
        if units > size && version.overruns_on_split_pair() {
            let index = end - 1;
            let problem = format!(
                "'{}' lies on the border of two reads, which this SnakeYAML cannot handle",
                text[index]
            );
            return Some(BadPiece {
                start,
                error: refused(text, index, ExceptionClass::IndexOutOfBounds, problem),
            });
        }
        if let Some(at) = text[start..end]
            .iter()
            .position(|c| !chars::is_printable(*c))
        {
            let index = start + at;
            let problem = format!(
                "special characters are not allowed: U+{:04X}",
                u32::from(text[index])
            );
            return Some(BadPiece {
                start,
                error: refused(text, index, ExceptionClass::Reader, problem),
            });
        }
        start = end;
    }
    None
}

/// An error without a mark in Java, at `index`.
fn refused(text: &[char], index: usize, class: ExceptionClass, problem: String) -> YamlError {
    let mut reader = Reader {
        text: text[..index].to_vec(),
        index: 0,
        line: 0,
        column: 0,
        document_start: 0,
        bad_piece: None,
        touched: Cell::new(false),
    };
    reader.forward(index);
    YamlError::placeless(class, problem, reader.position())
}
