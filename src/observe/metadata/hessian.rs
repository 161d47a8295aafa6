//! Hessian 2 as Dubbo writes it (hessian-lite): the values of an answer as JSON, and the texts of a request.
//!
//! Types are left out: an object is the map of its fields. What the other side sends is bounded in depth and number of
//! values before it is built.

use serde_json::{Map, Number, Value};

/// Deepest nesting.
const DEEPEST: usize = 64;
/// Most values, those behind references counted each time.
const MOST: usize = 400_000;

/// The bytes are no Hessian 2, or more than is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadHessian {
    /// They end within a value.
    #[error("the value is cut")]
    Cut,
    /// A byte at which no value begins.
    #[error("no value begins with byte {0:#04x}")]
    Unknown(u8),
    /// A text that is none.
    #[error("a text is not UTF-8")]
    Text,
    /// A reference to a class or value that is not there.
    #[error("a reference to what is not there")]
    Reference,
    /// Deeper or more than is read.
    #[error("nested deeper or more values than are read")]
    TooMuch,
}

/// Reads values one after the other.
#[derive(Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    classes: Vec<Vec<String>>,
    types: usize,
    /// Values that can be referred to, with how many values they are.
    known: Vec<(Value, usize)>,
    count: usize,
}

impl<'a> Reader<'a> {
    /// At the beginning of these bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            classes: Vec::new(),
            types: 0,
            known: Vec::new(),
            count: 0,
        }
    }

    /// The next value.
    ///
    /// # Errors
    /// It is none, or too much.
    pub fn value(&mut self) -> Result<Value, BadHessian> {
        self.nested(0)
    }

    fn byte(&mut self) -> Result<u8, BadHessian> {
        let (first, rest) = self.bytes.split_first().ok_or(BadHessian::Cut)?;
        self.bytes = rest;
        Ok(*first)
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], BadHessian> {
        if count > self.bytes.len() {
            return Err(BadHessian::Cut);
        }
        let (taken, rest) = self.bytes.split_at(count);
        self.bytes = rest;
        Ok(taken)
    }

    /// A signed number of so many bytes.
    fn number(&mut self, count: usize) -> Result<i64, BadHessian> {
        let bytes = self.take(count)?;
        let negative = bytes.first().is_some_and(|byte| byte & 0x80 != 0);
        let start = if negative { -1_i64 } else { 0 };
        Ok(bytes
            .iter()
            .fold(start, |number, byte| (number << 8) | i64::from(*byte)))
    }

    fn length(&mut self) -> Result<usize, BadHessian> {
        let bytes = self.take(2)?;
        Ok(usize::from(bytes[0]) << 8 | usize::from(bytes[1]))
    }

    /// A short form: the code less its middle are the upper bits, so many bytes follow.
    fn short(&mut self, code: u8, middle: u8, more: usize) -> Result<i64, BadHessian> {
        let upper = i64::from(code) - i64::from(middle);
        let bytes = self.take(more)?;
        Ok(bytes
            .iter()
            .fold(upper, |number, byte| (number << 8) | i64::from(*byte)))
    }

    fn nested(&mut self, depth: usize) -> Result<Value, BadHessian> {
        self.count += 1;
        if depth > DEEPEST || self.count > MOST {
            return Err(BadHessian::TooMuch);
        }
        let code = self.byte()?;
        Ok(match code {
            b'N' => Value::Null,
            b'T' => Value::Bool(true),
            b'F' => Value::Bool(false),
            0x80..=0xbf => (i64::from(code) - 0x90).into(),
            0xc0..=0xcf => self.short(code, 0xc8, 1)?.into(),
            0xd0..=0xd7 => self.short(code, 0xd4, 2)?.into(),
            b'I' | 0x59 | 0x4b => self.number(4)?.into(),
            0xd8..=0xef => (i64::from(code) - 0xe0).into(),
            0xf0..=0xff => self.short(code, 0xf8, 1)?.into(),
            0x38..=0x3f => self.short(code, 0x3c, 2)?.into(),
            b'L' | 0x4a => self.number(8)?.into(),
            0x5b => 0.into(),
            0x5c => 1.into(),
            0x5d => self.number(1)?.into(),
            0x5e => self.number(2)?.into(),
            #[expect(
                clippy::cast_precision_loss,
                reason = "thousandths of 32 bits are exact enough"
            )]
            0x5f => float(self.number(4)? as f64 / 1000.0),
            b'D' => float(f64::from_bits(self.number(8)?.cast_unsigned())),
            0x20..=0x2f => {
                self.take(usize::from(code - 0x20))?;
                Value::Null
            }
            0x34..=0x37 => {
                let length = (usize::from(code - 0x34) << 8) | usize::from(self.byte()?);
                self.take(length)?;
                Value::Null
            }
            b'A' | b'B' => self.binary(code)?,
            0x00..=0x1f | 0x30..=0x33 | b'R' | b'S' => Value::String(self.text(code)?),
            0x55 | 0x57 => {
                if code == 0x55 {
                    self.kind(depth)?;
                }
                self.list(None, depth)?
            }
            b'V' | b'X' | 0x70..=0x7f => {
                if code == b'V' || (0x70..=0x77).contains(&code) {
                    self.kind(depth)?;
                }
                let length = match code {
                    b'V' | b'X' => self.integer(depth)?,
                    _ => usize::from(code & 7),
                };
                self.list(Some(length), depth)?
            }
            b'H' => self.map(depth)?,
            b'M' => {
                self.kind(depth)?;
                self.map(depth)?
            }
            b'C' => {
                self.class(depth)?;
                return self.nested(depth + 1);
            }
            b'O' => {
                let class = self.integer(depth)?;
                self.object(class, depth)?
            }
            0x60..=0x6f => self.object(usize::from(code - 0x60), depth)?,
            0x51 => self.reference(depth)?,
            other => return Err(BadHessian::Unknown(other)),
        })
    }

    fn integer(&mut self, depth: usize) -> Result<usize, BadHessian> {
        let value = self.nested(depth + 1)?;
        let number = value.as_u64().ok_or(BadHessian::Reference)?;
        usize::try_from(number).map_err(|_| BadHessian::TooMuch)
    }

    fn string(&mut self, depth: usize) -> Result<String, BadHessian> {
        match self.nested(depth + 1)? {
            Value::String(text) => Ok(text),
            _ => Err(BadHessian::Text),
        }
    }

    /// The name of a type, or the number of one that was named before. Types are of no interest.
    fn kind(&mut self, depth: usize) -> Result<(), BadHessian> {
        match self.nested(depth + 1)? {
            Value::String(_) => {
                self.types += 1;
                Ok(())
            }
            Value::Number(number) if number.as_u64().is_some_and(|at| at < self.types as u64) => {
                Ok(())
            }
            _ => Err(BadHessian::Reference),
        }
    }

    /// Bytes in pieces; they are of no interest.
    fn binary(&mut self, first: u8) -> Result<Value, BadHessian> {
        let mut code = first;
        loop {
            match code {
                b'A' | b'B' => {
                    let length = self.length()?;
                    self.take(length)?;
                    if code == b'B' {
                        return Ok(Value::Null);
                    }
                }
                0x20..=0x2f => {
                    self.take(usize::from(code - 0x20))?;
                    return Ok(Value::Null);
                }
                0x34..=0x37 => {
                    let length = (usize::from(code - 0x34) << 8) | usize::from(self.byte()?);
                    self.take(length)?;
                    return Ok(Value::Null);
                }
                other => return Err(BadHessian::Unknown(other)),
            }
            code = self.byte()?;
        }
    }

    /// A text in pieces. Lengths count the units of Java's `char`, which are written as UTF-8 one by one.
    fn text(&mut self, first: u8) -> Result<String, BadHessian> {
        let mut units: Vec<u16> = Vec::new();
        let mut code = first;
        loop {
            let (length, last) = match code {
                0x00..=0x1f => (usize::from(code), true),
                0x30..=0x33 => (
                    (usize::from(code - 0x30) << 8) | usize::from(self.byte()?),
                    true,
                ),
                b'R' => (self.length()?, false),
                b'S' => (self.length()?, true),
                other => return Err(BadHessian::Unknown(other)),
            };
            for _ in 0..length {
                units.push(self.unit()?);
            }
            if last {
                return String::from_utf16(&units).map_err(|_| BadHessian::Text);
            }
            code = self.byte()?;
        }
    }

    fn unit(&mut self) -> Result<u16, BadHessian> {
        let first = self.byte()?;
        let more = match first {
            0x00..=0x7f => return Ok(u16::from(first)),
            0xc0..=0xdf => 1,
            0xe0..=0xef => 2,
            _ => return Err(BadHessian::Text),
        };
        let mut unit = u16::from(first) & if more == 1 { 0x1f } else { 0x0f };
        for _ in 0..more {
            let next = self.byte()?;
            if next & 0xc0 != 0x80 {
                return Err(BadHessian::Text);
            }
            unit = (unit << 6) | u16::from(next & 0x3f);
        }
        Ok(unit)
    }

    fn is_end(&self) -> bool {
        self.bytes.first() == Some(&b'Z')
    }

    /// Makes room for a value that others may refer to; within itself it is null.
    fn promise(&mut self) -> usize {
        self.known.push((Value::Null, 1));
        self.known.len() - 1
    }

    fn keep(&mut self, place: usize, before: usize, value: Value) -> Value {
        self.known[place] = (value.clone(), self.count - before + 1);
        value
    }

    fn list(&mut self, length: Option<usize>, depth: usize) -> Result<Value, BadHessian> {
        let (place, before) = (self.promise(), self.count);
        let mut items = Vec::new();
        loop {
            match length {
                Some(length) if items.len() == length => break,
                None if self.is_end() => {
                    self.byte()?;
                    break;
                }
                _ => items.push(self.nested(depth + 1)?),
            }
        }
        Ok(self.keep(place, before, Value::Array(items)))
    }

    fn map(&mut self, depth: usize) -> Result<Value, BadHessian> {
        let (place, before) = (self.promise(), self.count);
        let mut map = Map::new();
        while !self.is_end() {
            let key = match self.nested(depth + 1)? {
                Value::String(text) => text,
                other => other.to_string(),
            };
            let value = self.nested(depth + 1)?;
            map.insert(key, value);
        }
        self.byte()?;
        Ok(self.keep(place, before, Value::Object(map)))
    }

    fn class(&mut self, depth: usize) -> Result<(), BadHessian> {
        self.string(depth)?;
        let count = self.integer(depth)?;
        let mut fields = Vec::new();
        for _ in 0..count {
            fields.push(self.string(depth)?);
        }
        self.classes.push(fields);
        Ok(())
    }

    fn object(&mut self, class: usize, depth: usize) -> Result<Value, BadHessian> {
        let fields = self
            .classes
            .get(class)
            .cloned()
            .ok_or(BadHessian::Reference)?;
        let (place, before) = (self.promise(), self.count);
        let mut map = Map::new();
        for field in fields {
            let value = self.nested(depth + 1)?;
            map.insert(field, value);
        }
        Ok(self.keep(place, before, Value::Object(map)))
    }

    fn reference(&mut self, depth: usize) -> Result<Value, BadHessian> {
        let place = self.integer(depth)?;
        let (value, count) = self.known.get(place).ok_or(BadHessian::Reference)?;
        self.count = self.count.saturating_add(*count);
        if self.count > MOST {
            return Err(BadHessian::TooMuch);
        }
        Ok(value.clone())
    }
}

fn float(number: f64) -> Value {
    Number::from_f64(number).map_or(Value::Null, Value::Number)
}

/// Appends a text.
pub fn put_text(bytes: &mut Vec<u8>, text: &str) {
    /// So many units are in one piece at most, as Dubbo writes them.
    const PIECE: usize = 0x8000;
    let units: Vec<u16> = text.encode_utf16().collect();
    let mut pieces = units.chunks(PIECE).peekable();
    if pieces.peek().is_none() {
        bytes.push(0);
    }
    while let Some(piece) = pieces.next() {
        let [_, _, .., upper, lower] = piece.len().to_be_bytes();
        let last = pieces.peek().is_none();
        match piece.len() {
            0..=31 if last => bytes.push(lower),
            32..=1023 if last => bytes.extend([0x30 + upper, lower]),
            _ => bytes.extend([if last { b'S' } else { b'R' }, upper, lower]),
        }
        for unit in piece {
            put_unit(bytes, *unit);
        }
    }
}

/// A unit of UTF-16 by itself as UTF-8, surrogates too.
fn put_unit(bytes: &mut Vec<u8>, unit: u16) {
    let low = |shift: u16| 0x80 | u8::try_from((unit >> shift) & 0x3f).unwrap_or(0);
    let upper = |shift: u16| u8::try_from(unit >> shift).unwrap_or(0);
    match unit {
        0..=0x7f => bytes.push(upper(0)),
        0x80..=0x7ff => bytes.extend([0xc0 | upper(6), low(0)]),
        _ => bytes.extend([0xe0 | upper(12), low(6), low(0)]),
    }
}

/// Appends a map of texts.
pub fn put_map(bytes: &mut Vec<u8>, pairs: &[(&str, &str)]) {
    bytes.push(b'H');
    for (name, value) in pairs {
        put_text(bytes, name);
        put_text(bytes, value);
    }
    bytes.push(b'Z');
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn read(bytes: &[u8]) -> Result<Value, BadHessian> {
        Reader::new(bytes).value()
    }

    #[test]
    fn numbers_in_all_their_forms() {
        for (bytes, number) in [
            (&[0x90_u8][..], 0),
            (&[0x80], -16),
            (&[0xbf], 47),
            (&[0xc8, 0x30], 48),
            (&[0xc0, 0x00], -2048),
            (&[0xd4, 0x08, 0x00], 2048),
            (&[b'I', 0xff, 0xff, 0xff, 0xff], -1),
            (&[0xe0], 0),
            (&[0xf8, 0x10], 16),
            (&[0x3c, 0x08, 0x00], 2048),
            (&[0x59, 0x80, 0, 0, 0], i64::from(i32::MIN)),
            (&[b'L', 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe], -2),
            (&[0x5d, 0x80], -128),
        ] {
            assert_eq!(read(bytes), Ok(json!(number)), "{bytes:x?}");
        }
        assert_eq!(read(&[0x5f, 0, 0, 0x2f, 0x58]), Ok(json!(12.12)));
    }

    #[test]
    fn objects_are_maps_of_their_fields_and_may_be_referred_to() {
        // class Car {color, model}; [Car{red, a}, the same]
        let mut bytes = vec![0x7a];
        bytes.push(b'C');
        put_text(&mut bytes, "Car");
        bytes.push(0x92);
        put_text(&mut bytes, "color");
        put_text(&mut bytes, "model");
        bytes.push(0x60);
        put_text(&mut bytes, "red");
        put_text(&mut bytes, "a");
        bytes.extend([0x51, 0x91]);
        let car = json!({"color": "red", "model": "a"});
        assert_eq!(read(&bytes), Ok(json!([car, car])));
    }

    #[test]
    fn bombs_are_refused() {
        // Lists of two references to the list before: doubling each time.
        let mut bytes = vec![0x57];
        for level in 0..30_u8 {
            if level == 0 {
                bytes.extend([0x7a, 0x90, 0x90]);
            } else {
                bytes.extend([0x7a, 0x51, 0x90 + level, 0x51, 0x90 + level]);
            }
        }
        bytes.push(b'Z');
        assert_eq!(read(&bytes), Err(BadHessian::TooMuch));
        assert_eq!(read(&[0x57; 100]), Err(BadHessian::TooMuch));
    }

    proptest! {
        #[test]
        fn a_text_is_read_as_it_was_written(text in any::<String>(), times in 1..40_usize) {
            let text = text.repeat(times);
            let mut bytes = Vec::new();
            put_text(&mut bytes, &text);
            prop_assert_eq!(read(&bytes), Ok(Value::String(text)));
        }

        #[test]
        fn a_map_is_read_as_it_was_written(pairs in proptest::collection::btree_map(any::<String>(), any::<String>(), 0..6)) {
            let texts: Vec<(&str, &str)> = pairs.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
            let mut bytes = Vec::new();
            put_map(&mut bytes, &texts);
            prop_assert_eq!(read(&bytes), Ok(json!(pairs)));
        }

        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(&bytes);
        }

        #[test]
        fn nested_values_are_read(bytes in proptest::collection::vec(prop::sample::select(vec![b'H', b'M', b'C', b'O', b'Z', 0x57, 0x51, 0x60, 0x91, 0x92, 0x7a, 1, b'a', b'S', 0]), 0..80)) {
            let _ = read(&bytes);
        }
    }
}
