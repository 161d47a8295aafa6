//! Bytes to lines: byte order marks, UTF-16, the encodings in which surrounding words are written. Dubbo's own texts are
//! ASCII, so a wrong guess here costs only words around them.

use std::borrow::Cow;

use encoding_rs::{GB18030, SHIFT_JIS, UTF_16BE, UTF_16LE};
use memchr::memchr;

use super::facts::Encoding;

/// Longest line looked at, bytes; the rest of a longer one is skipped and the line counts as cut.
pub(super) const MAX_LINE: usize = 4 * 1024 * 1024;

/// Bytes needed to tell UTF-16 from the rest.
const SNIFF: usize = 4;

/// One decoded line without its end.
#[derive(Debug)]
pub(super) struct RawLine<'a> {
    /// From 1.
    pub(super) number: u64,
    /// Byte of the stream at which it begins.
    pub(super) offset: u64,
    /// Decoded text.
    pub(super) text: Cow<'a, str>,
    /// Longer than [`MAX_LINE`].
    pub(super) cut: bool,
}

/// Splits a stream of bytes into lines; keeps one unfinished line and nothing else.
#[derive(Debug, Default)]
pub(super) struct Splitter {
    wide: Option<Encoding>,
    sniffed: bool,
    pending: Vec<u8>,
    overflow: bool,
    number: u64,
    line_offset: u64,
    offset: u64,
    pub(super) cut_lines: u64,
    pub(super) encoding: Encoding,
}

impl Splitter {
    /// Takes bytes and hands on every line that is complete.
    pub(super) fn push(&mut self, mut bytes: &[u8], sink: &mut impl FnMut(RawLine<'_>)) {
        if !self.sniffed {
            let need = SNIFF - self.pending.len();
            let (head, rest) = bytes.split_at(need.min(bytes.len()));
            self.pending.extend_from_slice(head);
            if self.pending.len() < SNIFF {
                return;
            }
            bytes = rest;
            let head = self.sniff();
            self.feed(&head, sink);
        }
        self.feed(bytes, sink);
    }

    /// The stream ends: hands on what is left. Gives the number of lines and bytes.
    pub(super) fn finish(&mut self, sink: &mut impl FnMut(RawLine<'_>)) -> (u64, u64) {
        if !self.sniffed {
            let head = self.sniff();
            self.feed(&head, sink);
        }
        if !self.pending.is_empty() || self.overflow {
            let line = std::mem::take(&mut self.pending);
            self.emit(&line, sink);
        }
        (self.number, self.offset)
    }

    fn sniff(&mut self) -> Vec<u8> {
        self.sniffed = true;
        let head = std::mem::take(&mut self.pending);
        let (mark, wide) = match head.as_slice() {
            [0xEF, 0xBB, 0xBF, ..] => (3, None),
            [0xFF, 0xFE, ..] => (2, Some(Encoding::Utf16Le)),
            [0xFE, 0xFF, ..] => (2, Some(Encoding::Utf16Be)),
            [a, 0, b, 0] if *a != 0 && *b != 0 => (0, Some(Encoding::Utf16Le)),
            [0, a, 0, b] if *a != 0 && *b != 0 => (0, Some(Encoding::Utf16Be)),
            _ => (0, None),
        };
        self.wide = wide;
        self.encoding = wide.unwrap_or_default();
        self.offset = mark as u64;
        self.line_offset = self.offset;
        head[mark..].to_vec()
    }

    fn feed(&mut self, bytes: &[u8], sink: &mut impl FnMut(RawLine<'_>)) {
        if self.wide.is_some() {
            self.feed_wide(bytes, sink);
            return;
        }
        let mut rest = bytes;
        while let Some(end) = memchr(b'\n', rest) {
            let (line, after) = rest.split_at(end);
            rest = &after[1..];
            self.offset += end as u64 + 1;
            if self.pending.is_empty() && !self.overflow && line.len() <= MAX_LINE {
                self.emit(line, sink);
            } else {
                self.keep(line);
                let line = std::mem::take(&mut self.pending);
                self.emit(&line, sink);
            }
        }
        self.keep(rest);
        self.offset += rest.len() as u64;
    }

    fn feed_wide(&mut self, bytes: &[u8], sink: &mut impl FnMut(RawLine<'_>)) {
        let newline: [u8; 2] = if self.wide == Some(Encoding::Utf16Be) {
            [0, b'\n']
        } else {
            [b'\n', 0]
        };
        for &byte in bytes {
            self.offset += 1;
            self.keep(&[byte]);
            let whole = (self.offset - self.line_offset).is_multiple_of(2);
            if whole && self.pending.ends_with(&newline) && !self.overflow {
                let line = std::mem::take(&mut self.pending);
                self.emit(&line[..line.len() - 2], sink);
            } else if self.overflow {
                self.seek_wide_end(byte, newline, sink);
            }
        }
    }

    /// In the skipped rest of a too long line: the last two bytes are kept beyond the limit to find its end.
    fn seek_wide_end(&mut self, byte: u8, newline: [u8; 2], sink: &mut impl FnMut(RawLine<'_>)) {
        self.pending.push(byte);
        let extra = self.pending.len() - MAX_LINE;
        if extra < 2 {
            return;
        }
        if self.pending[MAX_LINE..] == newline {
            let line = std::mem::take(&mut self.pending);
            self.emit(&line[..MAX_LINE], sink);
        } else {
            self.pending.truncate(MAX_LINE);
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = MAX_LINE.saturating_sub(self.pending.len());
        if bytes.len() > room {
            self.overflow = true;
        }
        if !self.overflow || room > 0 {
            self.pending
                .extend_from_slice(&bytes[..room.min(bytes.len())]);
        }
    }

    fn emit(&mut self, line: &[u8], sink: &mut impl FnMut(RawLine<'_>)) {
        self.number += 1;
        let cut = std::mem::take(&mut self.overflow);
        self.cut_lines += u64::from(cut);
        let (mut text, encoding) = match self.wide {
            Some(Encoding::Utf16Be) => (
                UTF_16BE.decode_without_bom_handling(line).0,
                Encoding::Utf16Be,
            ),
            Some(_) => (
                UTF_16LE.decode_without_bom_handling(line).0,
                Encoding::Utf16Le,
            ),
            None => decode(line),
        };
        if self.encoding == Encoding::Utf8 {
            self.encoding = encoding;
        }
        if text.ends_with('\r') {
            match &mut text {
                Cow::Borrowed(text) => *text = &text[..text.len() - 1],
                Cow::Owned(text) => {
                    text.pop();
                }
            }
        }
        sink(RawLine {
            number: self.number,
            offset: self.line_offset,
            text,
            cut,
        });
        self.line_offset = self.offset;
    }
}

/// Decodes one line that is not UTF-16.
fn decode(line: &[u8]) -> (Cow<'_, str>, Encoding) {
    if let Ok(text) = std::str::from_utf8(line) {
        return (Cow::Borrowed(text), Encoding::Utf8);
    }
    if is_damaged_utf8(line) {
        return (String::from_utf8_lossy(line), Encoding::Utf8);
    }
    if let Some(text) = GB18030.decode_without_bom_handling_and_without_replacement(line) {
        return (text, Encoding::Gb18030);
    }
    if let Some(text) = SHIFT_JIS.decode_without_bom_handling_and_without_replacement(line) {
        return (text, Encoding::ShiftJis);
    }
    (encoding_rs::mem::decode_latin1(line), Encoding::Latin1)
}

/// UTF-8 with a few bad bytes (a piece cut inside a character) rather than another encoding.
fn is_damaged_utf8(line: &[u8]) -> bool {
    let (mut good, mut bad) = (0_usize, 0_usize);
    for chunk in line.utf8_chunks() {
        good += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        bad += usize::from(!chunk.invalid().is_empty());
    }
    good > 4 * bad
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(pieces: &[&[u8]]) -> (Vec<(u64, u64, String)>, Splitter) {
        let mut splitter = Splitter::default();
        let mut lines = Vec::new();
        let mut sink =
            |line: RawLine<'_>| lines.push((line.number, line.offset, line.text.into_owned()));
        for piece in pieces {
            splitter.push(piece, &mut sink);
        }
        splitter.finish(&mut sink);
        (lines, splitter)
    }

    fn texts(bytes: &[u8]) -> (Vec<String>, Encoding) {
        let (lines, splitter) = lines(&[bytes]);
        (
            lines.into_iter().map(|line| line.2).collect(),
            splitter.encoding,
        )
    }

    #[test]
    fn offsets_are_bytes_of_the_stream() {
        let (lines, _) = lines(&[b"\xEF\xBB\xBFab\r", b"\n", b"", b"c\n\nd"]);
        assert_eq!(
            lines,
            vec![
                (1, 3, "ab".to_owned()),
                (2, 7, "c".to_owned()),
                (3, 9, String::new()),
                (4, 10, "d".to_owned()),
            ]
        );
    }

    #[test]
    fn utf16_is_recognised_with_and_without_a_mark() {
        for mark in [true, false] {
            let mut le = if mark { vec![0xFF, 0xFE] } else { Vec::new() };
            let mut be = if mark { vec![0xFE, 0xFF] } else { Vec::new() };
            for unit in "ab\r\n\u{4E0A}c".encode_utf16() {
                le.extend(unit.to_le_bytes());
                be.extend(unit.to_be_bytes());
            }
            let expected = vec!["ab".to_owned(), "\u{4E0A}c".to_owned()];
            assert_eq!(texts(&le), (expected.clone(), Encoding::Utf16Le));
            assert_eq!(texts(&be), (expected, Encoding::Utf16Be));
        }
    }

    #[test]
    fn a_character_that_contains_the_byte_of_a_newline_does_not_split_utf16() {
        let mut le = vec![0xFF, 0xFE];
        for unit in "a\u{0A0A}\u{010A}b\nc".encode_utf16() {
            le.extend(unit.to_le_bytes());
        }
        assert_eq!(
            texts(&le).0,
            vec!["a\u{0A0A}\u{010A}b".to_owned(), "c".to_owned()]
        );
    }

    #[test]
    fn other_encodings_are_told_line_by_line() {
        let (gbk, _, _) = GB18030.encode("严重: 拒绝连接");
        assert_eq!(
            texts(&gbk),
            (vec!["严重: 拒绝连接".to_owned()], Encoding::Gb18030)
        );
        let damaged = "原因：拒绝连接，请检查".as_bytes();
        let (found, encoding) = texts(&damaged[..damaged.len() - 1]);
        assert!(found[0].starts_with("原因"), "{found:?}");
        assert_eq!(encoding, Encoding::Utf8);
    }

    #[test]
    fn a_line_beyond_the_limit_is_cut_and_the_next_one_is_whole() {
        let mut bytes = vec![b'x'; MAX_LINE + 10];
        bytes.extend(b"\nnext");
        let (lines, splitter) = lines(&[&bytes]);
        assert_eq!(lines[0].2.len(), MAX_LINE);
        assert_eq!(
            (lines[1].0, lines[1].1, lines[1].2.as_str()),
            (2, MAX_LINE as u64 + 11, "next")
        );
        assert_eq!(splitter.cut_lines, 1);
    }

    #[test]
    fn a_utf16_line_beyond_the_limit_is_cut_and_the_next_one_is_whole() {
        let mut bytes = vec![0xFF, 0xFE];
        bytes.extend(b"x\0".repeat(MAX_LINE / 2 + 5));
        bytes.extend(b"\n\0y\0");
        let (lines, splitter) = lines(&[&bytes]);
        assert_eq!(
            lines.iter().map(|line| line.2.len()).collect::<Vec<_>>(),
            vec![MAX_LINE / 2, 1]
        );
        assert_eq!(splitter.cut_lines, 1);
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_in_any_pieces_give_the_same_lines(bytes: Vec<u8>, at in 0_usize..64) {
            let at = at.min(bytes.len());
            let whole = lines(&[&bytes]).0;
            let pieces = lines(&[&bytes[..at], &bytes[at..]]).0;
            proptest::prop_assert_eq!(whole, pieces);
        }
    }
}
