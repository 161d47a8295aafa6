//! Errors, hints and warnings in Chinese. The code writes them in English where they arise, often rooms away from anybody
//! who knows a language; they are turned at the end, on their way to stderr, by the list beside this file. A test compares the
//! list with the code. What it does not have (the words of a server, of a system) stays as it is.

use std::{borrow::Cow, cmp::Reverse};

use super::Lang;

/// English with `{}` for what is put in, a tab, Chinese with the same places in the same order.
const MESSAGES: &str = include_str!("errors.tsv");

/// What stands in front of a line.
const HEADS: [(&str, &str); 6] = [
    ("error: ", "错误："),
    ("warning: ", "警告："),
    ("hint: ", "提示："),
    ("  caused by: ", "  原因："),
    ("  tip: ", "  提示："),
    ("  ", "  "),
];

/// A message within a message within a message.
const DEPTH: u8 = 3;

/// What stands in place of a secret, and what parts it from the problem.
const BEHIND_MASK: &str = "*** ";

/// Ways to read a text as one template that are looked at.
const WAYS: usize = 16;

/// The list: English and Chinese.
pub fn messages() -> impl Iterator<Item = (&'static str, &'static str)> {
    MESSAGES
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once('\t'))
}

/// A text for stderr in a language, line by line.
pub fn said(text: &str, lang: Lang) -> Cow<'_, str> {
    if lang == Lang::En {
        return Cow::Borrowed(text);
    }
    let lines = text.split_inclusive('\n').map(|line| {
        let (body, end) = match line.strip_suffix('\n') {
            Some(body) => (body, "\n"),
            None => (line, ""),
        };
        let (head, own, rest) = HEADS
            .iter()
            .find_map(|(head, own)| Some((*head, *own, body.strip_prefix(head)?)))
            .unwrap_or(("", "", body));
        match chinese(rest, DEPTH) {
            Some(turned) => format!("{own}{turned}{end}"),
            None if head.trim().is_empty() => line.to_owned(),
            None => format!("{own}{rest}{end}"),
        }
    });
    Cow::Owned(lines.collect())
}

/// What a system, a server or a library said, in Chinese, where the list has it.
/// A word alone is a name.
pub(crate) fn reason(text: &str) -> Option<String> {
    text.contains(' ').then(|| chinese(text, DEPTH)).flatten()
}

/// A message in Chinese: of all ways to read it as sentences of the list, the one that leaves the fewest words as they
/// are, and of those the one whose own words are the most. `None` when no sentence of the list is in it.
fn chinese(text: &str, depth: u8) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    let by_template = messages().flat_map(|(english, chinese)| {
        let own = english.replace("{}", "").len();
        readings(english, text)
            .into_iter()
            .filter_map(move |values| Some((filled(english, chinese, &values, depth)?, own)))
    });
    // `--p99 problem`
    let behind_flag = text
        .split_once(' ')
        .filter(|(flag, _)| flag.starts_with("--"))
        .and_then(|(flag, problem)| Some((format!("{flag} {}", chinese(problem, depth)?), 0)));
    // `a.log:3:5: problem`
    let behind_place = text.match_indices(": ").find_map(|(at, _)| {
        let turned = chinese(&text[at + 2..], depth)?;
        Some((format!("{}: {turned}", &text[..at]), 0))
    });
    // A secret that was masked may have taken the colon behind it along.
    let behind_mask = text.split_once(BEHIND_MASK).and_then(|(secret, problem)| {
        let turned = chinese(problem, depth)?;
        Some((format!("{secret}{BEHIND_MASK}{turned}"), 0))
    });
    by_template
        .chain(behind_flag)
        .chain(behind_place)
        .chain(behind_mask)
        .min_by_key(|(turned, own)| (plain_words(turned), Reverse(*own)))
        .map(|(turned, _)| turned)
}

/// A template with its values, each in Chinese where the list has it. `None` when a value is a sentence where the template
/// wants a name: then the text is another one that happens to have the same small words.
fn filled(english: &str, chinese_template: &str, given: &[&str], depth: u8) -> Option<String> {
    let mut before = english.split("{}");
    let mut out = String::new();
    for (place, piece) in chinese_template.split("{}").enumerate() {
        if place > 0 {
            let value = given.get(place - 1).copied().unwrap_or_default();
            let turned = chinese(value, depth);
            let ahead = before.next().unwrap_or_default();
            // Behind a colon, in brackets or in quotes anything may stand.
            let any = [": ", "(", "`", "'", "\""]
                .iter()
                .any(|sign| ahead.ends_with(sign));
            if turned.is_none() && !any && is_prose(value) {
                return None;
            }
            out.push_str(turned.as_deref().unwrap_or(value));
        }
        out.push_str(piece);
    }
    Some(out)
}

/// All that can stand in a text where a template has `{}`; at most some ways.
fn readings<'t>(template: &str, text: &'t str) -> Vec<Vec<&'t str>> {
    let mut pieces = template.split("{}");
    let Some(rest) = pieces.next().and_then(|first| text.strip_prefix(first)) else {
        return Vec::new();
    };
    let pieces: Vec<&str> = pieces.collect();
    let mut found = Vec::new();
    read_on(&pieces, rest, &mut Vec::new(), &mut found);
    found
}

/// Finds the values in front of the pieces that are left.
fn read_on<'t>(
    pieces: &[&str],
    text: &'t str,
    before: &mut Vec<&'t str>,
    found: &mut Vec<Vec<&'t str>>,
) {
    let Some((piece, later)) = pieces.split_first() else {
        if text.is_empty() {
            found.push(before.clone());
        }
        return;
    };
    let ends: Vec<usize> = match (later.is_empty(), piece.is_empty()) {
        (true, true) => vec![text.len()],
        (true, false) => text.strip_suffix(piece).map(str::len).into_iter().collect(),
        (false, _) => text.match_indices(piece).map(|(at, _)| at).collect(),
    };
    for end in ends {
        if found.len() >= WAYS {
            return;
        }
        before.push(&text[..end]);
        read_on(later, &text[end + piece.len()..], before, found);
        before.pop();
    }
}

/// Whether a word is one of a sentence: small letters and nothing else.
fn is_plain(word: &str) -> bool {
    word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// Words of English that are left.
fn plain_words(text: &str) -> usize {
    text.split([' ', '：', '，', '；', '（', '）'])
        .filter(|word| is_plain(word.trim_end_matches([':', ',', ';'])))
        .count()
}

/// Two plain words side by side.
fn is_prose(text: &str) -> bool {
    let words: Vec<&str> = text.split(' ').collect();
    words
        .windows(2)
        .any(|pair| is_plain(pair[0].trim_end_matches(':')) && is_plain(pair[1]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn both_have_the_same_places() {
        assert!(messages().count() > 200);
        for (english, chinese) in messages() {
            let count = |text: &str| text.matches("{}").count();
            assert_eq!(count(english), count(chinese), "{english}");
            assert!(
                !english.contains('\t') && !chinese.contains('\t'),
                "{english}"
            );
        }
        for line in MESSAGES.lines() {
            assert!(line.starts_with('#') || line.contains('\t'), "{line}");
        }
    }

    #[test]
    fn lines_keep_their_heads_and_what_is_put_in() {
        for (english, chinese) in [
            (
                "error: rt.csv:3:5: `x` is no response time: expected a number, such as 12.5 (ms) or 12.5ms\n",
                "错误：rt.csv:3:5: `x` 不是响应时间：应为数字，例如 12.5（毫秒）或 12.5ms\n",
            ),
            (
                "error: no registry is named\nhint: give --registry zookeeper://HOST:2181 or nacos://HOST:8848\n",
                "错误：没有给出注册中心\n提示：请给出 --registry zookeeper://HOST:2181 或 nacos://HOST:8848\n",
            ),
            (
                "error: --registry: registry address `h:2181`: it has no scheme\n",
                "错误：--registry: 注册中心地址 `h:2181`：没有协议\n",
            ),
            (
                "error: a.toml line 2: unknown key registri; did you mean registry?\n",
                "错误：a.toml 第 2 行：未知键 registri；是否想写 registry？\n",
            ),
            (
                "error: rt.prom: there is no value in it\n",
                "错误：rt.prom: 其中没有数值\n",
            ),
            ("acme-order is app-1 in it\n", "acme-order 在其中为 app-1\n"),
            // Small words of a template in a sentence of somebody else.
            (
                "error: the server is not ready and there is no leader in it\n",
                "错误：the server is not ready and there is no leader in it\n",
            ),
            (
                "error: something of a server\n",
                "错误：something of a server\n",
            ),
            ("12:00:00 reachable\n", "12:00:00 reachable\n"),
        ] {
            assert_eq!(said(english, Lang::Zh), chinese);
            assert_eq!(said(english, Lang::En), english);
        }
    }

    proptest! {
        #[test]
        fn any_text_gets_an_answer(text in "\\PC{0,80}") {
            let _ = said(&text, Lang::Zh);
        }
    }
}
