//! `!!binary`: Base64 as the release decodes it.

use crate::rule::yaml::version::YamlVersion;

/// Decodes after removing white space, or says what is wrong.
pub(super) fn decode(text: &str, version: YamlVersion) -> Result<Vec<u8>, String> {
    let letters: Vec<char> = text
        .chars()
        .filter(|c| !matches!(c, ' ' | '\t' | '\n' | '\u{B}' | '\u{C}' | '\r'))
        .collect();
    if version.java_base64() {
        java_util(&letters)
    } else {
        base64_coder(&letters)
    }
}

/// Six bits of a letter.
fn bits(c: char) -> Result<u32, String> {
    let value = match c {
        'A'..='Z' => u32::from(c) - u32::from('A'),
        'a'..='z' => u32::from(c) - u32::from('a') + 26,
        '0'..='9' => u32::from(c) - u32::from('0') + 52,
        '+' => 62,
        '/' => 63,
        _ => return Err(format!("'{c}' is no character of Base64")),
    };
    Ok(value)
}

/// Bytes of up to four letters; left over bits do not count.
fn bytes(group: &[char]) -> Result<Vec<u8>, String> {
    let mut value = 0;
    for c in group {
        value = value << 6 | bits(*c)?;
    }
    value <<= 6 * (4 - group.len());
    let count = group.len() * 6 / 8;
    Ok(value.to_be_bytes()[1..=count].to_vec())
}

/// `biz.base64Coder`, up to 2.3: the length must be a multiple of four, any number of `=` may end it.
fn base64_coder(letters: &[char]) -> Result<Vec<u8>, String> {
    let length: usize = letters.iter().map(|c| c.len_utf16()).sum();
    if !length.is_multiple_of(4) {
        return Err("Length of Base64 encoded input string is not a multiple of 4.".to_owned());
    }
    let end = letters
        .iter()
        .rposition(|c| *c != '=')
        .map_or(0, |last| last + 1);
    let mut decoded = Vec::with_capacity(end / 4 * 3 + 3);
    for group in letters[..end].chunks(4) {
        // The coder reads two letters at least, so a lone one meets the `=` behind it.
        if group.len() == 1 {
            return Err("Illegal character in Base64 encoded data.".to_owned());
        }
        decoded.extend(bytes(group)?);
    }
    Ok(decoded)
}

/// `java.util.Base64`, from 2.4 on: the padding may be missing, but not be wrong.
fn java_util(letters: &[char]) -> Result<Vec<u8>, String> {
    let end = letters
        .iter()
        .position(|c| *c == '=')
        .unwrap_or(letters.len());
    let padding = letters.len() - end;
    let (data, rest) = letters.split_at(end);
    let wanted = match end % 4 {
        1 => return Err("Last unit does not have enough valid bits".to_owned()),
        2 => 2,
        3 => 1,
        _ => 0,
    };
    if padding > 0 && (padding != wanted || rest.iter().any(|c| *c != '=')) {
        return Err("Input byte array has wrong 4-byte ending unit".to_owned());
    }
    let mut decoded = Vec::with_capacity(end / 4 * 3 + 3);
    for group in data.chunks(4) {
        decoded.extend(bytes(group)?);
    }
    Ok(decoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_differ_in_padding() {
        let of = |text: &str, version| decode(text, version).ok();
        for version in [YamlVersion::V1_20, YamlVersion::V2_4] {
            assert_eq!(of("aGk=", version), Some(b"hi".to_vec()));
            assert_eq!(of("a G\nk=", version), Some(b"hi".to_vec()));
            assert_eq!(of("", version), Some(Vec::new()));
            assert_eq!(of("aGkh", version), Some(b"hi!".to_vec()));
            assert_eq!(of("aG%=", version), None);
            assert_eq!(of("a===", version), None);
        }
        assert_eq!(of("aGk", YamlVersion::V2_3), None);
        assert_eq!(of("aGk", YamlVersion::V2_4), Some(b"hi".to_vec()));
        assert_eq!(of("====", YamlVersion::V2_3), Some(Vec::new()));
        assert_eq!(of("====", YamlVersion::V2_4), None);
        assert_eq!(of("aGkhaA==", YamlVersion::V2_4), Some(b"hi!h".to_vec()));
        assert_eq!(of("aGkhaA=", YamlVersion::V2_4), None);
    }
}
