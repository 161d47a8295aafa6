//! Errors, hints and warnings speak Chinese: every sentence that the code may write has its line in the list, and the binary
//! uses it.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "an unreadable source file is a failing test"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use diag::report::words::{
    Lang,
    errors::{messages, said},
};

use crate::cli::{Done, Recorded, diag, done, provider};

/// Where sentences for stderr are written.
const ROOMS: [&str; 32] = [
    "src/budget/balance.rs",
    "src/budget/chain.rs",
    "src/budget/histogram.rs",
    "src/budget/plan.rs",
    "src/cli/value.rs",
    "src/command",
    "src/error.rs",
    "src/input/metrics",
    "src/input/providers.rs",
    "src/input/requests",
    "src/input/samples",
    "src/model/address.rs",
    "src/model/service_key.rs",
    "src/model/time.rs",
    "src/model/version.rs",
    "src/model/zone.rs",
    "src/observe/metrics.rs",
    "src/observe/nacos/mod.rs",
    "src/observe/recorded",
    "src/observe/zookeeper/mod.rs",
    "src/observe/zookeeper/tls.rs",
    "src/question/registry/fault.rs",
    "src/replay/drill.rs",
    "src/replay/rule_set.rs",
    "src/route/declared.rs",
    "src/settings",
    "src/snapshot/error.rs",
    "src/snapshot/fields.rs",
    "src/snapshot/line.rs",
    "src/snapshot/manifest.rs",
    "src/snapshot/payload.rs",
    "src/snapshot/time.rs",
];

/// Files of these rooms that write no sentence for stderr: scripts for shells, a template, requests of a dry run.
const NOT: [&str; 4] = [
    "src/command/completions.rs",
    "src/command/snapshot/plan.rs",
    "src/settings/template.rs",
    "src/settings/keys.rs",
];

/// Texts that are no sentence for stderr: what a report counts (it has own words for them), what a system says, progress.
const OTHERS: [&str; 28] = [
    "  caused by",
    "{}\nenabled: {force}\nforce: {enabled}\n",
    "round {}: {} of {} answers",
    "config show",
    "reading the recording",
    "samples of other services or methods",
    "samples that are no numbers",
    "samples of unknown unit",
    "percentiles of 0: no calls in their window",
    "series without +Inf and _count",
    "ends of buckets that not all series have",
    "calls of others",
    "lines that are no calls",
    "calls without an answer's time",
    "calls whose clock went back",
    "equal calls of unknown distance",
    "values with a unit of their own among others without",
    "pages that did not answer",
    "extended header",
    "an object",
    "too little to tell",
    "the answer could not be read",
    "{} has no such API",
    ", fallback=none",
    ", fallback=all",
    " at line ",
    "--payload 2KB --bandwidth 100Mbit",
    "the port speaks TLS only: use nacos+https://",
];

/// The texts in quotes of a Rust source, without comments, attributes that give reasons, and its tests.
fn texts(source: &str) -> Vec<String> {
    let source = source.split("#[cfg(test)]\nmod tests").next().unwrap();
    let signs: Vec<char> = source.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < signs.len() {
        let next = signs.get(at + 1).copied();
        match signs[at] {
            '/' if next == Some('/') => {
                while at < signs.len() && signs[at] != '\n' {
                    at += 1;
                }
            }
            // A sign in quotes, or a lifetime.
            '\'' if next == Some('\\') => {
                at += 3;
                while signs.get(at) != Some(&'\'') {
                    at += 1;
                }
                at += 1;
            }
            '\'' if signs.get(at + 2) == Some(&'\'') => at += 3,
            '"' => {
                let mut text = String::new();
                at += 1;
                while signs[at] != '"' {
                    if signs[at] == '\\' {
                        at += 1;
                        match signs[at] {
                            'n' => text.push('\n'),
                            '\n' => {
                                while signs[at + 1].is_whitespace() {
                                    at += 1;
                                }
                            }
                            other => text.push(other),
                        }
                    } else {
                        text.push(signs[at]);
                    }
                    at += 1;
                }
                at += 1;
                // `reason = ".."` of an attribute is for readers of the code.
                let before: String = signs[..at]
                    .iter()
                    .rev()
                    .skip(text.chars().count())
                    .take(16)
                    .collect();
                if !before.contains("= nosaer") {
                    found.push(text);
                }
            }
            _ => at += 1,
        }
    }
    found
}

/// A format string as the list has it: `{}` for every value, braces that stand for themselves.
fn normal(text: &str) -> String {
    let mut out = String::new();
    let mut signs = text.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '{' | '}' if signs.peek() == Some(&sign) => {
                signs.next();
                out.push(sign);
            }
            '{' => {
                signs
                    .by_ref()
                    .take_while(|sign| *sign != '}')
                    .for_each(drop);
                out.push_str("{}");
            }
            other => out.push(other),
        }
    }
    out
}

/// Whether a text has words for a person: two at least, beside what is put in.
fn is_sentence(text: &str) -> bool {
    let own = normal(text).replace("{}", "");
    let words = own
        .split(|sign: char| !sign.is_ascii_alphabetic())
        .filter(|word| word.len() > 1)
        .count();
    own.trim().contains(' ') && words > 1 && !text.contains("HTTP/1.1")
}

fn files(path: &Path, found: &mut Vec<PathBuf>) {
    if path.is_file() {
        found.push(path.to_owned());
        return;
    }
    for entry in path.read_dir().unwrap() {
        let path = entry.unwrap().path();
        let name = path.to_str().unwrap();
        if (path.is_dir() || path.extension().is_some_and(|end| end == "rs"))
            && !name.ends_with("tests.rs")
            && !NOT.contains(&name)
        {
            files(&path, found);
        }
    }
}

#[test]
fn every_sentence_for_stderr_has_its_chinese() {
    let list: BTreeSet<&str> = messages().map(|(english, _)| english).collect();
    let mut sources = Vec::new();
    for room in ROOMS {
        files(Path::new(room), &mut sources);
    }
    let (mut missing, mut sentences) = (Vec::new(), 0);
    for source in sources {
        for text in texts(&fs::read_to_string(&source).unwrap()) {
            if !is_sentence(&text) || OTHERS.contains(&text.as_str()) {
                continue;
            }
            sentences += 1;
            let lines = normal(&text);
            let known = lines
                .lines()
                .all(|line| list.contains(line.trim_start_matches("hint: ")));
            if !known {
                missing.push(format!("{}: {text}", source.display()));
            }
        }
    }
    assert!(sentences > 200, "{sentences} sentences were found");
    assert!(
        missing.is_empty(),
        "{} sentences have no line in src/report/words/errors.tsv\n{}",
        missing.len(),
        missing.join("\n")
    );
}

#[test]
fn sources_are_read_as_they_are_written() {
    let source = "fn f() { // \"no\"\n let a = 'x'; let b = '\\''; g(\"a {x:?} b\", \"c \\\n   d\\n\"); h::<'a>(\"\\\"q\\\"\") }\n#[cfg(test)]\nmod tests { \"t\" }";
    assert_eq!(texts(source), ["a {x:?} b", "c d\n", "\"q\""]);
    assert_eq!(normal("{name}{{{labels}}}: {0} {}"), "{}{{}}: {} {}");
}

/// Words that are in every English sentence and in no name.
const SMALL: [&str; 39] = [
    "an", "and", "are", "at", "be", "but", "by", "cannot", "did", "does", "each", "expected",
    "for", "from", "give", "has", "have", "in", "into", "is", "it", "its", "line", "must", "names",
    "no", "not", "of", "on", "or", "read", "such", "than", "that", "the", "there", "to", "which",
    "with",
];

/// English that is left when what the program says on stderr is said in Chinese, where it is no name, no flag and no quoted
/// input. Usage lines and the log of `-vv` are English in every language.
pub(crate) fn leftovers(stderr: &str) -> Vec<String> {
    if !stderr.starts_with("error: ") && stderr.contains("\nUsage: ") {
        return Vec::new();
    }
    let sentences = stderr
        .split("\nUsage: ")
        .next()
        .unwrap_or_default()
        .lines()
        .filter(|line| !line.starts_with("  <") && !line.starts_with("  --"))
        .filter(|line| {
            !["DEBUG ", "INFO ", "TRACE ", "WARN "]
                .iter()
                .any(|level| line.starts_with(level) || line.contains(&format!(" {level}")))
        });
    let mut found = Vec::new();
    for line in sentences {
        // A mask that took the end of a sentence along leaves none to be read.
        if line.contains("{\"") && line.ends_with("***") {
            continue;
        }
        let said = said(line, Lang::Zh);
        // What a server said stands behind its status.
        let said = match said.split_once("HTTP ") {
            Some((before, behind)) => format!("{before}{}", &behind[..behind.len().min(3)]).into(),
            None => said,
        };
        // And so does JSON, which is never ours.
        let said = said.split("{\"").next().unwrap_or_default();
        let words = unquoted(said).replace('、', " - ");
        let words: Vec<&str> = words
            .split(|sign: char| sign == ' ' || !sign.is_ascii())
            .map(|word| word.trim_matches(['(', ')', ',', ';', ':']))
            .collect();
        let plain =
            |word: &str| word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_lowercase());
        let prose = words
            .windows(3)
            .any(|words| words.iter().all(|word| plain(word)));
        if prose || words.iter().any(|word| SMALL.contains(word)) {
            found.push(format!("{line}\n    {said}"));
        }
    }
    found
}

/// A line without what stands in quotes.
fn unquoted(line: &str) -> String {
    let mut out = String::new();
    let mut end = None;
    for sign in line.chars() {
        match (end, sign) {
            (Some(close), sign) if sign == close => end = None,
            (Some(_), _) => {}
            (None, '`' | '\'' | '"') => end = Some(sign),
            (None, '“') => end = Some('”'),
            (None, sign) => out.push(sign),
        }
    }
    out
}

#[test]
fn english_in_chinese_is_noticed() {
    for bad in [
        "error: the server is not ready\n",
        "hint: say something with --p99-side\n",
        "warning: rt.prom: nobody knows in advance\n",
    ] {
        assert!(!leftovers(bad).is_empty(), "{bad}");
    }
    for good in [
        "error: rt.prom: there is no value in it\n",
        "error: `no such thing is here` is no response time: expected a number, such as 12.5 (ms) or 12.5ms\n",
        "hint: say which with --p99-side\n",
    ] {
        assert!(leftovers(good).is_empty(), "{good}");
    }
}

/// The binary in a Chinese locale.
fn chinese(args: &[&str]) -> Done {
    let home = tempfile::tempdir().unwrap();
    done(diag(home.path()).env("LANG", "zh_CN.UTF-8").args(args))
}

#[test]
fn errors_of_all_kinds_come_in_chinese() {
    let recorded = Recorded::providers("a.B", &[&provider("10.0.0.7", "a.B", "")]);
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("rt.csv");
    fs::write(&broken, "12\n450 parsecs\n").unwrap();
    let out = folder.path().join("no/such.tar.gz");
    for (args, exit, said) in [
        (
            &["no-provider", "a.B"][..],
            2,
            "错误：没有给出注册中心\n提示：请给出",
        ),
        (
            &["no-provider", "a.B", "--registry", "h:2181"],
            2,
            "没有协议",
        ),
        (
            &["no-provider", "a.B", "--snapshot", "nowhere"],
            4,
            "没有这个文件或目录",
        ),
        (
            &[
                "timeout-budget",
                "a.B",
                "--samples",
                broken.to_str().unwrap(),
            ],
            4,
            "不是响应时间",
        ),
        (
            &["timeout-budget", "a.B", "--p99", "fast"],
            2,
            "应为带单位的时间",
        ),
        (
            &["no-provider", "a.B", "--registri", "x"],
            2,
            "意外的参数 '--registri'",
        ),
        (
            &["no-provider", "a.B", "--deadline", "soon"],
            2,
            "应为带单位的数字",
        ),
        (
            &[
                "snapshot",
                "a.B",
                "--snapshot",
                recorded.path(),
                "--registry",
                "zookeeper://10.0.0.2:2181",
                "--out",
                out.to_str().unwrap(),
            ],
            4,
            "请先创建，或将快照写到别处",
        ),
        (&["lint"], 2, "缺少必需的参数"),
    ] {
        let done = chinese(args);
        assert_eq!(done.exit, exit, "{args:?} {done:?}");
        assert!(
            done.stderr.starts_with("错误：") && done.stderr.contains(said),
            "{args:?} {done:?}"
        );
        let english = chinese(&[args, &["--lang", "en"]].concat());
        assert!(
            english.stderr.is_ascii() && english.exit == exit,
            "{english:?}"
        );
    }
    let asked = chinese(&["no-provider", "--help"]);
    assert!(
        asked.stdout.contains("Usage: diag no-provider") && asked.stdout.is_ascii(),
        "{asked:?}"
    );
}
