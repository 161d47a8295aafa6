//! The L-cases in the shapes in which texts are pasted elsewhere, and texts that say nothing.

#![expect(clippy::unwrap_used, reason = "a test reads its fixtures")]

use std::collections::BTreeMap;
use std::sync::LazyLock;

use diag::input::log::{Claim, LogFacts, Strength};
use serde_json::json;

use crate::log_cases::{Case, cases, check, read};

fn text(case: &Case) -> String {
    String::from_utf8(case.input.clone()).unwrap()
}

fn each_line(case: &Case, change: impl Fn(&str) -> String) -> Vec<u8> {
    text(case)
        .lines()
        .map(|line| change(line) + "\n")
        .collect::<String>()
        .into_bytes()
}

/// The text is itself wrapped in a log file's format, or names its pods.
fn is_wrapped(case: &Case) -> bool {
    matches!(case.name.as_str(), "L55" | "L58")
}

#[test]
fn line_ends_and_marks() {
    check("CRLF", |case| {
        Some(each_line(case, |line| format!("{line}\r")))
    });
    check("BOM", |case| {
        Some([b"\xEF\xBB\xBF".as_slice(), &case.input].concat())
    });
    check("no newline at the end", |case| {
        Some(text(case).trim_end().as_bytes().to_vec())
    });
}

#[test]
fn utf16_with_a_mark() {
    let units = |case: &Case, bytes: fn(u16) -> [u8; 2]| {
        std::iter::once(0xFEFF)
            .chain(text(case).encode_utf16())
            .flat_map(bytes)
            .collect()
    };
    check("UTF-16LE", |case| Some(units(case, u16::to_le_bytes)));
    check("UTF-16BE", |case| Some(units(case, u16::to_be_bytes)));
}

#[test]
fn chinese_words_around_in_an_old_encoding() {
    check("GB18030", |case| {
        let text = format!(
            "大家好，调用失败，日志如下：\n{}\n谢谢！有人知道原因吗？\n",
            text(case)
        );
        let (bytes, _, unmappable) = encoding_rs::GB18030.encode(&text);
        assert!(!unmappable);
        Some(bytes.into_owned())
    });
}

#[test]
fn quoted_in_a_mail_or_a_wiki() {
    check("quoted", |case| {
        Some(each_line(case, |line| format!("> {line}")))
    });
    check("quoted twice", |case| {
        Some(each_line(case, |line| format!("> > {line}")))
    });
    check("fenced", |case| {
        Some(format!("```java\n{}```\n", text(case)).into_bytes())
    });
    check("entities", |case| {
        let text = text(case)
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;")
            .replace('"', "&quot;");
        Some(text.into_bytes())
    });
}

#[test]
fn coloured_by_a_console() {
    check("ANSI", |case| {
        Some(each_line(case, |line| {
            let line = line
                .replace("WARN", "\u{1b}[33mWARN\u{1b}[0;39m")
                .replace("ERROR", "\u{1b}[1;31mERROR\u{1b}[0m");
            format!("\u{1b}[36m{line}\u{1b}[0m")
        }))
    });
}

#[test]
fn prefixes_of_tools() {
    check("grep", |case| {
        Some(each_line(case, |line| format!("logs/app.log:17:{line}")))
    });
    check("journald", |case| {
        (!is_wrapped(case)).then(|| {
            each_line(case, |line| {
                format!("Mar 04 05:06:07 host-a java[1234]: {line}")
            })
        })
    });
    check("kubectl", |case| {
        (!is_wrapped(case))
            .then(|| each_line(case, |line| format!("[pod/web-7f9c-x2k/app] {line}")))
    });
    check("compose", |case| {
        (!is_wrapped(case)).then(|| each_line(case, |line| format!("web-1  | {line}")))
    });
    check("timestamps", |case| {
        let own_time = is_wrapped(case);
        (!own_time).then(|| {
            each_line(case, |line| {
                format!("2026-03-04T05:06:07.890123456Z {line}")
            })
        })
    });
}

#[test]
fn files_of_containers() {
    let docker = |line: &str| {
        json!({"log": format!("{line}\n"), "stream": "stdout", "time": "2026-03-04T05:06:07.890123456Z"}).to_string()
    };
    check("docker", |case| Some(each_line(case, docker)));
    check("CRI", |case| {
        (case.name != "L55").then(|| {
            each_line(case, |line| {
                format!("2026-03-04T05:06:07.890123456Z stdout F {line}")
            })
        })
    });
    check("CRI in pieces", |case| {
        (case.name != "L55").then(|| {
            each_line(case, |line| {
                let letters: Vec<char> = line.chars().collect();
                let mut pieces: Vec<String> = letters
                    .chunks(61)
                    .map(|piece| piece.iter().collect())
                    .collect();
                let last = pieces.pop().unwrap_or_default();
                pieces.push(last);
                let mut lines: Vec<String> = pieces
                    .iter()
                    .map(|piece| format!("2026-03-04T05:06:07.89Z stdout P {piece}"))
                    .collect();
                if let Some(line) = lines.last_mut() {
                    *line = line.replacen(" P ", " F ", 1);
                }
                lines.join("\n")
            })
        })
    });
}

/// What an encoder that is safe for HTML makes of a text.
fn safe(text: &str) -> String {
    text.replace('=', "\\u003d")
        .replace('&', "\\u0026")
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
}

#[test]
fn json_encoders_once_and_twice() {
    let entry = |case: &Case| {
        json!({"level": "ERROR", "logger_name": "c.e.Api", "message": text(case).trim_end()})
            .to_string()
    };
    // One entry has one level and one time; cases that compare those of several lines are not this shape.
    let fits = |case: &Case| !is_wrapped(case);
    check("JSON", |case| fits(case).then(|| entry(case).into_bytes()));
    check("JSON for HTML", |case| {
        fits(case).then(|| safe(&entry(case)).into_bytes())
    });
    check("JSON in JSON", |case| {
        fits(case).then(|| json!({"msg": entry(case)}).to_string().into_bytes())
    });
    check("JSON in docker", |case| {
        fits(case).then(|| {
            json!({"log": entry(case) + "\n", "stream": "stderr", "time": "2026-03-04T05:06:07Z"})
                .to_string()
                .into_bytes()
        })
    });
    check("message and trace", |case| {
        let text = text(case);
        let (first, rest) = text.split_once('\n')?;
        (fits(case) && !rest.trim().is_empty()).then(|| {
            json!({"message": first, "stack_trace": rest, "level": "ERROR"})
                .to_string()
                .into_bytes()
        })
    });
}

#[test]
fn twice_the_same_is_one_failure() {
    check("repeated", |case| {
        Some([case.input.as_slice(), &case.input].concat())
    });
    for case in cases() {
        let once = read(&case.input);
        let twice = read(&[case.input.as_slice(), &case.input].concat());
        assert_eq!(once.failures.len(), twice.failures.len(), "{}", case.name);
        for (a, b) in once.failures.iter().zip(&twice.failures) {
            assert_eq!(a.messages, b.messages, "{}", case.name);
        }
    }
}

/// Breaks lines hard at a column, as terminals do.
fn hard_wrap(line: &str, width: usize) -> String {
    let letters: Vec<char> = line.chars().collect();
    letters
        .chunks(width)
        .map(|piece| piece.iter().collect::<String>())
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn wrapped_by_a_terminal() {
    for width in [80, 100, 120, 132, 160] {
        check(&format!("wrapped at {width}"), |case| {
            (!is_wrapped(case)).then(|| each_line(case, |line| hard_wrap(line, width)))
        });
    }
}

/// Whether a fact of a cut text is one of the whole text, or the beginning of a longer text or list.
fn is_among(claim: &Claim, whole: &[Claim]) -> bool {
    whole
        .iter()
        .filter(|known| known.name() == claim.name())
        .any(|known| match (claim, known) {
            (Claim::Service(a), Claim::Service(b)) => a.value.agrees(&b.value),
            (Claim::Cause(a), Claim::Cause(b)) => b.value.contains(&a.value),
            (Claim::RuleText(a), Claim::RuleText(b)) => {
                b.value.starts_with(a.value.trim_end_matches('…'))
            }
            (Claim::Addresses(a), Claim::Addresses(b)) => b.value.starts_with(&a.value),
            (Claim::RouterRows(a), Claim::RouterRows(b)) => {
                b.value.starts_with(&a.value[..a.value.len() - 1])
            }
            (Claim::Time(_), _) => true,
            (a, b) => a.says_the_same(b),
        })
}

fn all_claims(facts: &LogFacts) -> Vec<Claim> {
    facts
        .messages()
        .iter()
        .flat_map(|message| message.facts.iter().cloned())
        .collect()
}

/// A number or address that touches the cut is no fact.
#[test]
fn a_cut_text_says_nothing_that_the_whole_does_not_say() {
    let mut wrong = BTreeMap::new();
    for case in cases() {
        let text = text(&case);
        let whole = read(text.as_bytes());
        let claims = all_claims(&whole);
        let ids: Vec<&str> = whole
            .messages()
            .iter()
            .map(|message| message.id.name())
            .collect();
        for (index, (at, _)) in text.char_indices().skip(1).step_by(11).enumerate() {
            let mark = ["…", "...", " [truncated]"][index % 3];
            let cut = read(format!("{}{mark}", &text[..at]).as_bytes());
            for message in cut.messages() {
                if !ids.contains(&message.id.name()) && message.id.name() != "INVOKE" {
                    wrong
                        .entry(format!("{} is {}", case.name, message.id.name()))
                        .or_insert(at);
                }
            }
            for claim in all_claims(&cut) {
                if !is_among(&claim, &claims) {
                    wrong
                        .entry(format!(
                            "{} {mark} {} = {}",
                            case.name,
                            claim.name(),
                            claim.value()
                        ))
                        .or_insert(at);
                }
            }
        }
    }
    let list: Vec<String> = wrong
        .iter()
        .map(|(what, at)| format!("{what} at {at}"))
        .collect();
    assert!(
        list.is_empty(),
        "{} wrong facts\n{}",
        list.len(),
        list.join("\n")
    );
}

/// The place of a fact is where its value stands in the file.
#[test]
fn facts_stand_where_they_say() {
    let mut seen = 0;
    for case in cases()
        .iter()
        .filter(|case| !matches!(case.name.as_str(), "L55" | "L56"))
    {
        let text = text(case);
        for claim in all_claims(&read(text.as_bytes())) {
            let exact = [
                "dubbo",
                "method",
                "registry",
                "consumer_ip",
                "code",
                "thread",
                "answered_by",
                "revision",
                "config_data_id",
            ];
            let Some(value) = claim
                .value()
                .as_str()
                .filter(|_| exact.contains(&claim.name()))
                .map(str::to_owned)
            else {
                continue;
            };
            if claim.strength() != Strength::Stated {
                continue;
            }
            let place = claim.place();
            let start: usize = text
                .split_inclusive('\n')
                .take(usize::try_from(place.line).unwrap() - 1)
                .map(str::len)
                .sum();
            assert_eq!(
                usize::try_from(place.offset).unwrap(),
                start,
                "{} {claim:?}",
                case.name
            );
            let rest: String = text[start..]
                .chars()
                .skip(usize::try_from(place.column).unwrap() - 1)
                .collect();
            // A registry's URL is where its address stands.
            let found = rest.starts_with(&value)
                || (claim.name() == "registry"
                    && rest
                        .split_whitespace()
                        .next()
                        .is_some_and(|word| word.contains(&value)));
            assert!(
                found,
                "{} {claim:?} at {:?}",
                case.name,
                rest.chars().take(40).collect::<String>()
            );
            seen += 1;
        }
    }
    assert!(seen > 100, "only {seen} facts were looked at");
}

/// Ordinary lines, some with words that also begin messages.
#[test]
fn ordinary_text_says_nothing() {
    let text = r#"
2026-03-04 05:06:07.890  INFO 7 --- [main] c.e.OrderApplication : Started OrderApplication in 3.2 seconds
2026-03-04 05:06:08.001 ERROR [http-1] c.e.Api - user not found!
2026-03-04 05:06:08.002 ERROR [http-1] c.e.Api - authorization failed! for user 7
2026-03-04 05:06:08.003 WARN  [http-1] c.e.Api - Connection refused
java.net.ConnectException: Connection refused
	at java.net.PlainSocketImpl.socketConnect(Native Method)
2026-03-04 05:06:08.004 INFO  [http-1] c.e.Api - Register: new customer 17, Subscribe: newsletter
2026-03-04 05:06:08.005 WARN  [http-1] c.e.Api - No provider available for the payment method, please check status
2026-03-04 05:06:08.006 WARN  [http-1] nginx - upstream timed out (110: Connection timed out) while connecting to upstream 10.0.0.1
2026-03-04 05:06:08.007 INFO  [http-1] c.e.Api - Timeout after lunch: waiting for result of the poll
2026-03-04 05:06:08.008 ERROR [http-1] c.e.Api - Failed to register user a@b.c, cause: duplicate key
2026-03-04 05:06:08.009 ERROR [http-1] c.e.Api - Failed to subscribe the mail list, cause: unknown
2026-03-04 05:06:08.010 INFO  [http-1] c.e.Api - Migrate to the new mode failed tests
2026-03-04 05:06:08.011 INFO  [http-1] c.e.Api - The invoker of this job, The connection of both
2026-03-04 05:06:08.012 INFO  [http-1] c.e.Api - Failed to invoke the method we agreed on
2026-03-04 05:06:08.013 INFO  [http-1] c.e.Api - Unsupported protocol of the meeting
{"level":"info","msg":"nothing to see","path":"/api"}
java.lang.NullPointerException: null
	at com.example.Api.call(Api.java:17)
大家好，今天没有问题。
"#;
    let facts = read(text.as_bytes());
    let found: Vec<String> = facts
        .messages()
        .iter()
        .map(|message| format!("{} at {:?}: {:?}", message.id, message.place, message.facts))
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert_eq!((facts.failures.len(), facts.statements.len()), (0, 0));
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config { cases: 150, failure_persistence: None, ..Default::default() })]

    /// Damaged texts never panic, and every fact stands on a line there is.
    #[test]
    fn damaged_texts_are_read(
        which in 0_usize..40,
        edits in proptest::collection::vec((0.0_f64..1.0, 0_usize..12, proptest::sample::select(vec!["", "\n", " ", "…", "\u{0}", "\"", "{", "é", "\r\n", ", cause: "])), 1..12)
    ) {
        static TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| cases().iter().map(text).collect());
        let mut letters: Vec<char> = TEXTS[which].chars().collect();
        for (place, removed, put) in edits {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a place in a short text")]
            let at = (place * letters.len() as f64) as usize;
            let end = (at + removed).min(letters.len());
            letters.splice(at..end, put.chars());
        }
        let damaged: String = letters.into_iter().collect();
        let facts = read(damaged.as_bytes());
        let lines = damaged.lines().count() as u64 + 1;
        for claim in all_claims(&facts) {
            proptest::prop_assert!(claim.place().line <= lines, "{claim:?}");
        }
        let _ = facts.question_hints();
    }
}
