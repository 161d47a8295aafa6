//! Characters that editors, terminals and web pages put into a pasted text, turned back.

use std::sync::LazyLock;

use regex::Regex;

use super::text::Text;

/// Escape sequences of terminals, also where the escape character itself was lost.
static COLOUR: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[()][A-Za-z0-9]").expect("a fixed pattern")
});
static LOST_COLOUR: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\[\d{1,3}(?:;\d{1,3})*m").expect("a fixed pattern"));
static ENTITY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"&(?:gt|lt|amp|quot|apos|nbsp|#39|#34|#x27|#x2[fF]|#47|#61|#x3[dD]);")
        .expect("a fixed pattern")
});

/// What log systems and people put where a text was cut.
static CUT_MARK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\s*(?:\.{3,}(?: ?\[\d+ \w+ cut\])?|…+|\[\.\.\.\]|[\[(<](?:truncated|cut|snip)[^\])>]*[\])>])\s*$").expect("a fixed pattern")
});

/// Stands where a text was cut: a number or address before it is none.
pub(super) const CUT: char = '…';

/// ASCII from `!` to `~`, for the full-width forms of the same characters.
const ASCII: &str = "!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~";

/// A text without the colours of a terminal and without a byte order mark; nothing else is touched, JSON can still be
/// read.
pub(super) fn uncoloured(text: Text) -> Text {
    let content = text.as_str();
    if content.contains('\x1b') {
        return remove(&text, &COLOUR);
    }
    if content.contains("[0m") || content.contains("[0;39m") {
        return remove(&text, &LOST_COLOUR);
    }
    if content.starts_with('\u{FEFF}') {
        return text.from('\u{FEFF}'.len_utf8());
    }
    text
}

/// A text without invisible characters, typographic quotes, full-width signs and HTML entities.
pub(super) fn clean(text: Text) -> Text {
    let content = text.as_str();
    let plain = content.is_ascii()
        && !content
            .bytes()
            .any(|byte| (byte < 0x20 && byte != b'\t') || byte == 0x7F);
    let mut text = if plain {
        text
    } else {
        text.replace_chars(ordinary)
    };
    for _ in 0..2 {
        if !text.as_str().contains('&') || !ENTITY.is_match(text.as_str()) {
            break;
        }
        text = entities(&text);
    }
    mark_cut(text)
}

/// A text whose mark of a cut, in whatever words, is [`CUT`].
fn mark_cut(text: Text) -> Text {
    let content = text.as_str();
    if !content.trim_end().ends_with(['.', '…', ']', ')', '>']) {
        return text;
    }
    // Dubbo itself ends a list of addresses with `,...`.
    let of_dubbo = content.trim_end().ends_with(",...");
    let Some(found) = CUT_MARK
        .find(content)
        .filter(|found| found.start() > 0 && !of_dubbo)
    else {
        return text;
    };
    let mut marked = text.part(0, found.start());
    marked.push(CUT.encode_utf8(&mut [0; 4]), text.place(found.start()));
    marked
}

fn remove(text: &Text, what: &Regex) -> Text {
    let mut clean = Text::default();
    let mut kept = 0;
    for found in what.find_iter(text.as_str()) {
        clean.push_part(text, kept, found.start());
        kept = found.end();
    }
    clean.push_part(text, kept, text.len());
    clean
}

fn entities(text: &Text) -> Text {
    let mut clean = Text::default();
    let mut kept = 0;
    for found in ENTITY.find_iter(text.as_str()) {
        clean.push_part(text, kept, found.start());
        let plain = match found.as_str().to_ascii_lowercase().as_str() {
            "&gt;" => ">",
            "&lt;" => "<",
            "&quot;" | "&#34;" => "\"",
            "&apos;" | "&#39;" | "&#x27;" => "'",
            "&nbsp;" => " ",
            "&#x2f;" | "&#47;" => "/",
            "&#x3d;" | "&#61;" => "=",
            _ => "&",
        };
        clean.push(plain, text.place(found.start()));
        kept = found.end();
    }
    clean.push_part(text, kept, text.len());
    clean
}

fn ordinary(found: char) -> Option<&'static str> {
    match found {
        '\t' => None,
        '\u{0}'..='\u{1F}'
        | '\u{7F}'..='\u{9F}'
        | '\u{AD}'
        | '\u{200B}'..='\u{200F}'
        | '\u{2060}'
        | '\u{FEFF}' => Some(""),
        '\u{A0}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}' => Some(" "),
        '\u{201C}'..='\u{201F}' | '\u{300C}' | '\u{300D}' | '\u{AB}' | '\u{BB}' => Some("\""),
        '\u{2018}'..='\u{201B}' => Some("'"),
        '\u{2010}'..='\u{2015}' | '\u{2212}' => Some("-"),
        '\u{2192}' => Some("->"),
        '\u{3001}' => Some(","),
        '\u{3002}' => Some("."),
        '\u{3010}' => Some("["),
        '\u{3011}' => Some("]"),
        '\u{FF01}'..='\u{FF5E}' => {
            let at = (found as usize).checked_sub(0xFF01)?;
            ASCII.get(at..=at)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::fact::Place;
    use super::*;

    fn cleaned(text: &str) -> String {
        clean(uncoloured(Text::at(text, Place::default())))
            .as_str()
            .to_owned()
    }

    #[test]
    fn what_tools_put_into_a_text_goes() {
        assert_eq!(cleaned("\x1b[33mWARN\x1b[0;39m a"), "WARN a");
        assert_eq!(cleaned("[33mWARN[0m a [5m] b"), "WARN a ] b");
        assert_eq!(cleaned("window [5m] kept"), "window [5m] kept");
        assert_eq!(
            cleaned("RpcInvocation [methodName=a]"),
            "RpcInvocation [methodName=a]"
        );
        assert_eq!(
            cleaned("\u{FEFF}a\u{200B}b\u{A0}c“d”，（e）：f"),
            "ab c\"d\",(e):f"
        );
        assert_eq!(cleaned("a&amp;b -&gt; c&amp;lt;"), "a&b -> c<");
        assert_eq!(cleaned("url?a=1&gt=2&lt;"), "url?a=1&gt=2<");
        assert_eq!(cleaned("a\u{0}b\tc"), "ab\tc");
    }

    #[test]
    fn a_cut_has_one_mark() {
        for cut in [
            "a...",
            "a [truncated]",
            "a <truncated 12 bytes>",
            "a … ",
            "a (cut)",
            "a[...]",
            "a ... [3 lines cut]",
        ] {
            assert_eq!(cleaned(cut), "a…");
        }
        for whole in ["a.", "a [b]", "(cut) a", "..."] {
            assert_eq!(cleaned(whole), whole);
        }
    }
}
