//! From what somebody typed or pasted to the pages that explain it: a code of ours, a code of Dubbo's, or words of an
//! error text. Nothing is guessed: a text without a known fixed part has no page.

mod carriers;
mod phrases;

use self::phrases::{Phrase, To};
use super::{code::Code, explain};
use crate::report::words::dubbo;

/// What there is to explain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// A finding.
    Finding(Code),
    /// An error code of Dubbo's own (`2-2`).
    Dubbo(&'static str),
}

/// What a text asks about, the leading topic first; empty = nothing is known of it.
pub fn topics(text: &str) -> Vec<Topic> {
    let text = normal(text);
    if let Some(topic) = code(&text) {
        return vec![topic];
    }
    let foreign = phrases::OTHERS.iter().any(|name| text.contains(name))
        && !phrases::OURS.iter().any(|name| text.contains(name));
    let common = || {
        (!foreign)
            .then(|| refused(&text).or_else(|| fitting(phrases::COMMON, &text)))
            .flatten()
    };
    if let Some(to) = fitting(phrases::OWN, &text)
        .or_else(|| wrapped(&text))
        .or_else(|| fitting(carriers::CARRIERS, &text))
        .or_else(common)
    {
        let mut topics: Vec<Topic> = to.iter().filter_map(topic).collect();
        topics.dedup();
        return topics;
    }
    // A text of which nothing is known but the code that stands in it.
    let behind = |head: &'static str, sign: char| {
        text.match_indices(head)
            .filter_map(|(at, head)| {
                let rest = &text[at + head.len()..];
                let end = rest
                    .find(|c: char| !c.is_ascii_digit() && c != sign)
                    .unwrap_or(rest.len());
                code(&rest[..end].replace(sign, "-"))
            })
            .collect::<Vec<_>>()
    };
    let mut inside = behind("error code: ", '-');
    inside.extend(behind("dubbo.apache.org/faq/", '/'));
    inside.extend(
        text.match_indices("dg")
            .filter_map(|(at, _)| code(text.get(at..at + 6)?)),
    );
    inside.dedup();
    inside
}

/// The first phrase whose parts all occur.
fn fitting(phrases: &[Phrase], text: &str) -> Option<&'static [To]> {
    phrases
        .iter()
        .find(|(parts, _)| parts.iter().all(|part| text.contains(part)))
        .map(|(_, to)| *to)
}

/// Where a refused connection leads by its port: the first behind the words that say so, else the last before them.
fn refused(text: &str) -> Option<&'static [To]> {
    let (at, word) = phrases::REFUSED
        .iter()
        .find_map(|word| Some((text.find(word)?, word)))?;
    let (before, behind) = (&text[..at], &text[at + word.len()..]);
    let port = ports(behind).next().or_else(|| ports(before).last())?;
    phrases::PORTS
        .iter()
        .find(|(known, _)| *known == port)
        .map(|(_, to)| *to)
}

/// The numbers behind colons that are ports of a host.
fn ports(text: &str) -> impl Iterator<Item = u16> {
    text.split(':').skip(1).filter_map(|piece| {
        let end = piece
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(piece.len());
        // Times have two digits behind their colons.
        (end > 2).then(|| piece[..end].parse().ok()).flatten()
    })
}

/// The same for a text that a terminal or a mail has broken inside its words: without any blank. Short parts are left to
/// whole texts.
fn wrapped(text: &str) -> Option<&'static [To]> {
    let dense = |text: &str| text.replace(' ', "");
    let text = dense(text);
    phrases::OWN
        .iter()
        .filter(|(parts, _)| parts.iter().map(|part| part.len()).sum::<usize>() > 20)
        .find(|(parts, _)| parts.iter().all(|part| text.contains(&dense(part))))
        .map(|(_, to)| *to)
}

fn topic(to: &To) -> Option<Topic> {
    match to {
        To::N(number) => finding(*number).map(Topic::Finding),
        To::D(code) => Some(Topic::Dubbo(code)),
    }
}

fn finding(number: u16) -> Option<Code> {
    Code::ALL
        .iter()
        .copied()
        .find(|code| code.number() == number)
}

/// A text that is nothing but a code or the name of a finding.
fn code(text: &str) -> Option<Topic> {
    let finding = Code::ALL.iter().find(|code| {
        text == code.name()
            || text.strip_prefix("dg").unwrap_or(text) == format!("{:04}", code.number())
    });
    let own = || dubbo::codes().find(|code| *code == text);
    finding
        .map(|code| Topic::Finding(*code))
        .or_else(|| own().map(Topic::Dubbo))
}

/// The findings that a code of Dubbo's own may stand for: those whose page names it, and those that its words lead to.
pub fn findings_of(dubbo: &str) -> Vec<Code> {
    let mut found: Vec<Code> = Code::ALL
        .iter()
        .copied()
        .filter(|code| explain::page(*code).is_some_and(|page| page.dubbo.contains(&dubbo)))
        .collect();
    let meant = phrases::MEANT.iter().find(|(code, _)| *code == dubbo);
    for code in meant
        .iter()
        .flat_map(|(_, numbers)| *numbers)
        .filter_map(|number| finding(*number))
    {
        if !found.contains(&code) {
            found.push(code);
        }
    }
    found
}

/// A code that is kept for a finding this version does not report, with the name of the finding.
pub fn unused(text: &str) -> Option<(String, &'static str)> {
    Code::unused(&normal(text))
}

/// Codes that look like the text: what a slip of the finger may have meant. At most three.
pub fn near(text: &str) -> Vec<Code> {
    Code::near(&normal(text))
}

/// Lower case, one blank between words, the punctuation of a keyboard that types Chinese as the other one has it; without
/// colours, marks of quoted mails and the escapes of JSON and HTML.
fn normal(text: &str) -> String {
    let folded: String = text
        .chars()
        .filter(|c| !matches!(c, '\u{200b}'..='\u{200d}' | '\u{feff}'))
        .map(|c| match c {
            '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
            '\u{2018}' | '\u{2019}' => '\'',
            other => other,
        })
        .collect();
    let lines: Vec<&str> = folded
        .lines()
        .map(|line| line.trim_start_matches(['>', '|', ' ']))
        .collect();
    let plain = without_colours(&lines.join("\n"));
    let plain = ESCAPES
        .iter()
        .fold(plain, |text, (escape, sign)| text.replace(escape, sign));
    plain
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase()
}

/// How JSON and HTML write signs of a text.
const ESCAPES: [(&str, &str); 11] = [
    ("\\r", " "),
    ("\\n", " "),
    ("\\t", " "),
    ("\\\"", "\""),
    ("\\u003d", "="),
    ("\\u0026", "&"),
    ("&gt;", ">"),
    ("&lt;", "<"),
    ("&quot;", "\""),
    ("&#39;", "'"),
    ("&amp;", "&"),
];

/// A text without the codes that colour a terminal, also those whose escape sign was lost.
fn without_colours(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('[') {
        let (before, behind) = rest.split_at(at);
        let end = behind[1..].find(|c: char| !c.is_ascii_digit() && c != ';');
        // Without its escape sign only numbers show that it is one.
        let escaped = before.ends_with('\u{1b}');
        let code = end.filter(|end| (*end > 0 || escaped) && behind[1 + end..].starts_with('m'));
        if let Some(end) = code {
            out.push_str(before.strip_suffix('\u{1b}').unwrap_or(before));
            rest = &behind[end + 2..];
        } else {
            out.push_str(before);
            out.push('[');
            rest = &behind[1..];
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn codes_names_and_slips() {
        for text in [
            "DG2101",
            " dg2101 ",
            "2101",
            "group-differs",
            "Group-Differs",
        ] {
            assert_eq!(topics(text), [Topic::Finding(Code::GroupDiffers)], "{text}");
        }
        assert_eq!(topics("2-2"), [Topic::Dubbo("2-2")]);
        assert_eq!(topics("DG9999"), []);
        assert!(near("DG2110x").is_empty());
        assert!(near("DG2109").contains(&Code::ConsumerMisaddressed));
        assert_eq!(near("group-difers"), [Code::GroupDiffers]);
        for text in ["DG21O1", "dg2IO1", "21ol"] {
            assert_eq!(near(text).first(), Some(&Code::GroupDiffers), "{text}");
        }
        for text in ["DG2106", "2106", "Registered-Late"] {
            let unused = unused(text).unwrap();
            assert_eq!(unused, ("DG2106".to_owned(), "registered-late"), "{text}");
        }
        assert_eq!(unused("DG2105"), None);
    }

    #[test]
    fn every_rule_leads_somewhere_and_is_normal() {
        for (parts, to) in phrases::OWN.iter().chain(phrases::COMMON) {
            for to in *to {
                let known = match to {
                    To::N(number) => finding(*number).is_some(),
                    To::D(code) => dubbo::codes().any(|known| known == *code),
                };
                assert!(known, "{parts:?} {to:?}");
            }
            for part in *parts {
                assert_eq!(normal(part), part.trim(), "{parts:?}");
            }
        }
        for (code, numbers) in phrases::MEANT {
            assert!(dubbo::codes().any(|known| known == *code), "{code}");
            assert!(
                numbers.iter().all(|number| finding(*number).is_some()),
                "{code}"
            );
        }
    }

    /// A phrase behind one whose parts it has can never lead.
    #[test]
    fn no_phrase_hides_another() {
        for phrases in [phrases::OWN, phrases::COMMON] {
            for (at, (later, _)) in phrases.iter().enumerate() {
                let hidden = phrases[..at].iter().find(|(parts, _)| {
                    parts
                        .iter()
                        .all(|part| later.iter().any(|one| one.contains(part)))
                });
                assert_eq!(hidden, None, "{later:?}");
            }
        }
    }

    #[test]
    fn colours_quotes_escapes_and_breaks_do_not_matter() {
        let full = [Topic::Finding(Code::PoolExhausted)];
        for text in [
            "\u{1b}[33mWARN\u{1b}[0;39m Thread \u{1b}[31mpool is EXHAUSTED!\u{1b}[m",
            "[33mWARN[0m Thread pool is EXHAUSTED! Thread Name: x",
            "> Thread pool is\r\n> EXHAUSTED! Thread Name: x",
            "{\"message\":\"Thread pool is EXHAUSTED!\\n\\tat a.b\"}",
            "RemotingException: Server side(10.0.0.1,20880) thread pool is exha\nusted, detail msg:Thread pool is EXHAU\nSTED!",
        ] {
            assert_eq!(topics(text).first(), full.first(), "{text}");
        }
        assert_eq!(
            without_colours("a[1] [x] [33 [m[ \u{1b}[m[0m"),
            "a[1] [x] [33 [m[ "
        );
    }

    /// A page may name a code of Dubbo's own only if `words/dubbo.rs` says in both languages what it is.
    #[test]
    fn every_dubbo_code_of_a_page_has_its_sentence() {
        for code in Code::ALL {
            for dubbo in explain::page(*code)
                .map(|page| page.dubbo)
                .unwrap_or_default()
            {
                assert!(
                    dubbo::codes().any(|known| known == dubbo),
                    "{code}: add {dubbo} to src/report/words/dubbo.rs"
                );
            }
        }
    }

    proptest! {
        #[test]
        fn takes_any_text(text in "\\PC{0,120}") {
            let _ = (topics(&text), near(&text));
        }
    }
}
