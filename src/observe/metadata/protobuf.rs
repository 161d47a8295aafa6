//! The few messages of protobuf that triple wraps calls in, and the reply of `MetadataServiceV2` (3.3).

use serde_json::{Map, Value, json};

/// The bytes are no message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no message of protobuf")]
pub struct BadMessage;

/// The value of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field<'a> {
    /// A number.
    Number(u64),
    /// Text, bytes or a message.
    Bytes(&'a [u8]),
}

/// The fields of a message in their order. Numbers of fixed length are left out: none of these messages has one.
///
/// # Errors
/// The bytes are cut, or have a field of a kind that is not known.
pub fn fields(mut bytes: &[u8]) -> Result<Vec<(u64, Field<'_>)>, BadMessage> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let tag = varint(&mut bytes)?;
        match tag & 7 {
            0 => found.push((tag >> 3, Field::Number(varint(&mut bytes)?))),
            1 => drop(take(&mut bytes, 8)?),
            2 => {
                let length = varint(&mut bytes)?;
                let part = take(&mut bytes, length)?;
                found.push((tag >> 3, Field::Bytes(part)));
            }
            5 => drop(take(&mut bytes, 4)?),
            _ => return Err(BadMessage),
        }
    }
    Ok(found)
}

fn varint(bytes: &mut &[u8]) -> Result<u64, BadMessage> {
    let mut number = 0_u64;
    for place in 0..10 {
        let (first, rest) = bytes.split_first().ok_or(BadMessage)?;
        *bytes = rest;
        number |= u64::from(first & 0x7f) << (7 * place);
        if first & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(BadMessage)
}

fn take<'a>(bytes: &mut &'a [u8], length: u64) -> Result<&'a [u8], BadMessage> {
    let length = usize::try_from(length).map_err(|_| BadMessage)?;
    if length > bytes.len() {
        return Err(BadMessage);
    }
    let (taken, rest) = bytes.split_at(length);
    *bytes = rest;
    Ok(taken)
}

/// Appends a field of bytes.
pub fn put(bytes: &mut Vec<u8>, number: u8, value: &[u8]) {
    bytes.push(number << 3 | 2);
    let mut length = value.len();
    while length > 0x7f {
        bytes.push(u8::try_from(length & 0x7f).unwrap_or(0) | 0x80);
        length >>= 7;
    }
    bytes.push(u8::try_from(length).unwrap_or(0));
    bytes.extend(value);
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// An entry of a map: key and value.
fn pair(bytes: &[u8]) -> Result<(String, &[u8]), BadMessage> {
    let (mut key, mut value): (String, &[u8]) = (String::new(), &[]);
    for (number, field) in fields(bytes)? {
        match (number, field) {
            (1, Field::Bytes(bytes)) => key = text(bytes),
            (2, Field::Bytes(bytes)) => value = bytes,
            _ => {}
        }
    }
    Ok((key, value))
}

/// `MetadataInfoV2` in the form of `MetadataInfo`. Empty is absent in this notation.
///
/// # Errors
/// The bytes are no such message.
pub fn metadata(bytes: &[u8]) -> Result<Value, BadMessage> {
    let (mut app, mut revision) = (Value::Null, Value::Null);
    let mut services = Map::new();
    for (number, field) in fields(bytes)? {
        match (number, field) {
            (1, Field::Bytes(bytes)) => app = text(bytes).into(),
            (2, Field::Bytes(bytes)) => revision = text(bytes).into(),
            (3, Field::Bytes(bytes)) => {
                let (key, value) = pair(bytes)?;
                services.insert(key, service(value)?);
            }
            _ => {}
        }
    }
    Ok(json!({"app": app, "revision": revision, "services": services}))
}

fn service(bytes: &[u8]) -> Result<Value, BadMessage> {
    let mut found = Map::new();
    let mut params = Map::new();
    for (number, field) in fields(bytes)? {
        let name = match number {
            1 => "name",
            2 => "group",
            3 => "version",
            4 => "protocol",
            6 => "path",
            _ => "",
        };
        match field {
            Field::Bytes(bytes) if !name.is_empty() && !bytes.is_empty() => {
                found.insert(name.to_owned(), text(bytes).into());
            }
            Field::Bytes(bytes) if number == 7 => {
                let (key, value) = pair(bytes)?;
                params.insert(key, text(value).into());
            }
            Field::Number(port) if number == 5 => {
                found.insert("port".to_owned(), port.cast_signed().into());
            }
            _ => {}
        }
    }
    found.insert("params".to_owned(), params.into());
    Ok(found.into())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn metadata_have_the_form_of_the_report() {
        let mut entry = Vec::new();
        put(&mut entry, 1, b"side");
        put(&mut entry, 2, b"provider");
        let mut service = Vec::new();
        put(&mut service, 1, b"a.B");
        put(&mut service, 4, b"tri");
        service.extend([5 << 3, 0x92, 0xa3, 0x01]);
        put(&mut service, 7, &entry);
        let mut pair = Vec::new();
        put(&mut pair, 1, b"a.B:tri");
        put(&mut pair, 2, &service);
        let mut whole = Vec::new();
        put(&mut whole, 1, b"order");
        put(&mut whole, 2, b"ab12");
        put(&mut whole, 3, &pair);
        assert_eq!(
            metadata(&whole).unwrap(),
            json!({"app": "order", "revision": "ab12", "services": {"a.B:tri": {
                "name": "a.B", "protocol": "tri", "port": 20882, "params": {"side": "provider"},
            }}})
        );
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..120)) {
            let _ = metadata(&bytes);
        }

        #[test]
        fn a_field_is_read_as_it_was_written(number in 1_u8..16, value in proptest::collection::vec(any::<u8>(), 0..300)) {
            let mut bytes = Vec::new();
            put(&mut bytes, number, &value);
            prop_assert_eq!(fields(&bytes).unwrap(), [(u64::from(number), Field::Bytes(&value))]);
        }
    }
}
