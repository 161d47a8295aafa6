//! Measured times that do not tell all: those that end at the timeout in force, and logs whose clock went back.

use serde_json::{Value, json};

use super::{SERVICE, ask, ask_of, codes, file};
use crate::cli::{Recorded, provider};

fn recorded(rest: &str) -> Recorded {
    let url = provider("10.1.0.1", SERVICE, rest);
    Recorded::providers(SERVICE, &[&url])
}

fn answer(recorded: &Recorded, more: &[&str]) -> Value {
    let done = ask(recorded, &[more, &["-o", "json"]].concat());
    assert!(done.exit < 2, "{done:?}");
    done.json()["reports"][0].clone()
}

fn reason(answer: &Value) -> Option<String> {
    let findings = answer["findings"].as_array().unwrap();
    let weak = findings.iter().find(|found| found["code"] == "DG7010")?;
    Some(weak["params"]["reason"].as_str().unwrap().to_owned())
}

/// Three of a hundred calls were ended by the timeout of a second.
fn samples(at_the_end: usize) -> String {
    "50ms\n".repeat(1000 - at_the_end) + &"1003ms\n".repeat(at_the_end)
}

#[test]
fn times_that_end_at_the_timeout_do_not_tell_the_p99() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "rt.txt", &samples(30));
    let recorded = recorded("");
    for side in [&["--p99-side", "consumer"][..], &[]] {
        let args = [
            &[
                "--samples",
                &path,
                "--param",
                "timeout=1000",
                "--qps",
                "10",
                "--try",
                "2s",
            ][..],
            side,
        ]
        .concat();
        let found = answer(&recorded, &args);
        let budget = &found["budget"];
        assert_eq!(budget["measured"]["cut_at_ms"], 1000.0, "{found}");
        assert_eq!(budget["need"]["at_least"], true);
        for nothing in ["per_try", "advice", "capacity"] {
            assert!(budget[nothing].is_null(), "{nothing}: {found}");
        }
        for open in ["p99_high_ms", "interval_high_ms", "mean_ms"] {
            assert!(budget["measured"][open].is_null(), "{open}: {found}");
        }
        // What those calls would take with two seconds nobody knows: none to three of a hundred run out of them.
        let what_if = &budget["what_if"];
        assert_eq!(
            (
                &what_if["failing_low"],
                &what_if["failing_high"],
                &what_if["verdict"]
            ),
            (&json!(0.0), &json!(0.03), &json!("unknown"))
        );
        assert!(
            reason(&found)
                .unwrap()
                .contains("the times end at 1000 ms, where the consumer stops waiting")
        );
        let list = codes(&found);
        assert!(
            list.contains(&("DG7001".to_owned(), "likely".to_owned())),
            "{list:?}"
        );
        assert!(list.iter().all(|(code, _)| code != "DG7003"), "{list:?}");
        let text = ask(&recorded, &args).stdout;
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            flat.contains("none: the times end at 1000 ms, where the consumer stops waiting"),
            "{text}"
        );
        assert!(!text.contains("advice  "), "{text}");
    }
}

#[test]
fn other_times_are_taken_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "rt.txt", &samples(30));
    let few = file(&folder, "few.txt", &samples(5));
    let recorded = recorded("");
    for (path, timeout, more) in [
        // The provider works on after its consumer gave up.
        (&path, "timeout=1000", &["--p99-side", "provider"][..]),
        // Another timeout is in force.
        (&path, "timeout=3000", &["--p99-side", "consumer"]),
        (&path, "timeout=800", &[]),
        // The P99 lies below what was ended.
        (&few, "timeout=1000", &["--p99-side", "consumer"]),
    ] {
        let args = [&["--samples", path, "--param", timeout], more].concat();
        let found = answer(&recorded, &args);
        assert!(
            found["budget"]["measured"]["cut_at_ms"].is_null(),
            "{args:?}"
        );
        assert_eq!(reason(&found), None, "{args:?}");
        assert!(!found["budget"]["advice"].is_null(), "{args:?}");
    }
}

#[test]
fn a_p99_of_the_consumer_at_the_timeout_is_open() {
    let folder = tempfile::tempdir().unwrap();
    for (side, is_cut) in [("consumer", true), ("provider", false)] {
        let line = format!(
            "dubbo_{side}_rt_milliseconds_p99{{interface=\"{SERVICE}\",method=\"get\"}} 1000\n"
        );
        let page = file(&folder, "page.txt", &line);
        let found = answer(&recorded(""), &["--prometheus", &page]);
        assert_eq!(
            found["budget"]["need"]["at_least"], is_cut,
            "{side}: {found}"
        );
        assert_eq!(reason(&found).is_some(), is_cut, "{side}: {found}");
    }
}

/// Calls of 40 ms, and calls whose answer lies before them.
fn log(good: usize, back: usize) -> String {
    let call = |index: usize, millis: &str, answered: &str| {
        format!(
            "[2026-11-29 20:{:02}:{:02}.{millis}] -> [2026-11-29 20:{:02}:{:02}.{answered}] 10.1.9.9:4000 -> \
             10.1.0.1:20880 - {SERVICE} get(java.lang.String) [\"u{index}\"]\n",
            index / 60 % 60,
            index % 60,
            index / 60 % 60,
            index % 60,
        )
    };
    let mut text = String::new();
    for index in 0..good {
        text.push_str(&call(index, "10000", "14000"));
    }
    for index in 0..back {
        text.push_str(&call(index, "90000", "10000"));
    }
    text
}

/// More than one call of a hundred without a time: the P99 of the others is not that of all.
#[test]
fn calls_whose_clock_went_back_make_the_p99_weak() {
    let folder = tempfile::tempdir().unwrap();
    // One of a hundred: 99 x 10 < 1000 < 99 x 11.
    for (back, expected) in [
        (3000, Some("the times of 3000 of 4000 calls are not known")),
        (11, Some("the times of 11 of 1011 calls are not known")),
        (10, None),
        (0, None),
    ] {
        // Every call of its own length, else all are equal.
        let text = log(1000, back).replacen(".14000]", ".15000]", 300);
        let path = file(&folder, "access.log", &text);
        let found = answer(&recorded(""), &["--samples", &path]);
        assert_eq!(reason(&found).as_deref(), expected, "{back}: {found}");
        assert_eq!(found["budget"]["advice"]["weak"], expected.is_some());
        let remarks = found["budget"]["measured"]["remarks"].to_string();
        assert_eq!(remarks.contains("clock went back"), back > 0, "{remarks}");
    }
    let path = file(&folder, "access.log", &log(0, 5));
    let done = ask(&recorded(""), &["--samples", &path]);
    assert_eq!(done.exit, 4, "{done:?}");
    assert!(done.stderr.contains("the clock went back"), "{done:?}");
}

/// Two equal calls of a write are evidence while the clock runs; where it went back, how far they lie apart is not known.
#[test]
fn equal_calls_prove_nothing_when_the_clock_went_back() {
    let folder = tempfile::tempdir().unwrap();
    let call = |second: u32, answered: u32| {
        format!(
            "[2026-11-29 20:00:{second:02}.00000] -> [2026-11-29 20:00:{answered:02}.04000] 10.1.9.9:4000 -> \
             10.1.0.1:20880 - {SERVICE} createUser(java.lang.String) [\"u1\"]\n"
        )
    };
    let twice = call(10, 10) + &call(11, 11);
    let url = provider("10.1.0.1", SERVICE, "").replace("methods=get", "methods=createUser");
    let recorded = Recorded::providers(SERVICE, &[&url]);
    for (text, proved) in [(twice.clone(), true), (twice + &call(30, 20), false)] {
        let path = file(&folder, "access.log", &text);
        let done = ask_of(
            &recorded,
            &["createUser"],
            &["--samples", &path, "-o", "json"],
        );
        assert_eq!(done.exit, 1, "{done:?}");
        let found = done.json()["reports"][0].clone();
        let verdict = &found["findings"][0];
        assert_eq!(verdict["code"], "DG7004");
        assert_eq!(
            verdict["evidence"].to_string().contains("file.lines"),
            proved,
            "{found}"
        );
        let measured = &found["budget"]["measured"];
        assert_eq!(measured["repeated_total"] == 0, !proved, "{found}");
        let told = measured["remarks"].to_string().contains("unknown distance");
        assert_eq!(told, !proved, "{found}");
    }
}

/// Three tries of 300 ms: the consumer gives up after 900.
#[test]
fn times_that_end_with_the_last_try_are_open_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(
        &folder,
        "rt.txt",
        &("50ms\n".repeat(970) + &"905ms\n".repeat(30)),
    );
    for (retries, is_cut) in [("retries=2", true), ("retries=0", false)] {
        let args = [
            "--samples",
            &path,
            "--param",
            "timeout=300",
            "--param",
            retries,
        ];
        let found = answer(&recorded(""), &args);
        let cut = &found["budget"]["measured"]["cut_at_ms"];
        assert_eq!(*cut == json!(900.0), is_cut, "{retries}: {found}");
        assert_eq!(
            found["budget"]["advice"].is_null(),
            is_cut,
            "{retries}: {found}"
        );
        let list = codes(&found);
        assert!(
            list.iter().any(|(code, _)| code == "DG7001"),
            "{retries}: {list:?}"
        );
    }
}
