//! Errors, hints and warnings in Chinese. The code writes them in English where they arise, often rooms away from anybody
//! who knows a language; they are turned at the end, on their way to stderr, by the list beside this file. A test compares the
//! list with the code. What it does not have (the words of a server, of a system) stays as it is.

use std::borrow::Cow;

use super::{Lang, reader::values};

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

/// A message in Chinese, if the list has it or has what stands behind its place.
fn chinese(text: &str, depth: u8) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    let found = messages()
        .filter_map(|(english, chinese)| Some((english, chinese, values(english, text)?)))
        // Of several that fit, the one that says most itself.
        .max_by_key(|(english, ..)| english.replace("{}", "").len());
    if let Some((_, chinese_template, values)) = found {
        let mut values = values.into_iter();
        let mut out = String::new();
        for (place, piece) in chinese_template.split("{}").enumerate() {
            if place > 0 {
                let value = values.next().unwrap_or_default();
                out.push_str(&chinese(value, depth).unwrap_or_else(|| value.to_owned()));
            }
            out.push_str(piece);
        }
        return Some(out);
    }
    // `--p99 problem`
    if let Some((flag, problem)) = text
        .split_once(' ')
        .filter(|(flag, _)| flag.starts_with("--"))
        && let Some(turned) = chinese(problem, depth)
    {
        return Some(format!("{flag} {turned}"));
    }
    // `a.log:3:5: problem`
    text.match_indices(": ").find_map(|(at, _)| {
        let turned = chinese(&text[at + 2..], depth)?;
        Some(format!("{}: {turned}", &text[..at]))
    })
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
                "错误：a.toml line 2: 未知键 registri；是否想写 registry？\n",
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
