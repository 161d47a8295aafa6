//! `diag lint`: cases made by hand, each with all its remarks, and what the output of every format must keep.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests lay out their own files and fail where something is missing"
)]

use serde_json::Value;

use crate::cases::{
    case::{Case, cases_under},
    check::{self, Grade},
    grades,
};
use crate::cli::{Done, diag, done};

/// A case says all that is found: what is missing and what is too much is wrong.
#[test]
fn every_case_has_exactly_its_remarks() {
    let cases = cases_under("fixtures/lint");
    let mut problems = Vec::new();
    for (case, grade) in grades(&cases) {
        if !matches!(grade, Grade::Right) {
            problems.push(format!("{}: {grade:?}", case.name));
            continue;
        }
        let found = remarks(case);
        if case.exact.as_ref() != Some(&found) {
            problems.push(format!("{}: {found:#?}", case.name));
        }
    }
    assert!(cases.len() > 50, "{} cases", cases.len());
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

fn remarks(case: &Case) -> Vec<String> {
    let run = check::run(case, &case.ask).unwrap();
    assert_eq!(crate::schema::problems(&run.report), Vec::<String>::new());
    let findings = &run.report["reports"][0]["findings"];
    let shown = |finding: &Value| {
        format!(
            "{} {}:{} {}",
            finding["code"].as_str().unwrap(),
            finding["mark"]["line"],
            finding["mark"]["column"],
            finding["params"]["text"].as_str().unwrap()
        )
    };
    findings.as_array().unwrap().iter().map(shown).collect()
}

fn lint(file: (&str, &[u8]), args: &[&str]) -> Done {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join(file.0), file.1).unwrap();
    done(diag(home.path()).arg("lint").args(args))
}

const RULE: &str = "order-web.condition-router";
const TEXT: &str = "force: on\nconditions:\n- host == 10.0.0.7 =>\n- method=a => tag != gray\n";

#[test]
fn a_remark_shows_the_line_and_what_is_meant_in_it() {
    let done = lint(
        (RULE, TEXT.as_bytes()),
        &[RULE, "--dubbo", "3.3.6", "--lang", "en"],
    );
    assert_eq!((done.exit, done.stderr.as_str()), (1, ""));
    insta::assert_snapshot!(done.stdout);
    let zh = lint(
        (RULE, TEXT.as_bytes()),
        &[RULE, "--dubbo", "3.3.6", "--lang", "zh"],
    );
    insta::assert_snapshot!(zh.stdout);
}

#[test]
fn a_matrix_shows_what_differs() {
    let text = "force: yes\nconditions:\n- method=a => tag != gray\n- attachments[user]=1~5 => region=hz\n";
    let args = [
        RULE,
        "--matrix",
        "2.7.23,3.1.11,3.2.16,3.3.6",
        "--lang",
        "en",
    ];
    let done = lint((RULE, text.as_bytes()), &args);
    assert_eq!((done.exit, done.stderr.as_str()), (0, ""));
    insta::assert_snapshot!(done.stdout);
}

#[test]
fn versions_that_all_refuse_a_text_do_not_just_read_it_alike() {
    let args = [RULE, "--matrix", "3.1.11,3.3.6", "--lang", "en"];
    let done = lint((RULE, b"conditions:\n\t- a"), &args);
    assert!(
        done.stdout.contains("refused: ScannerException"),
        "{}",
        done.stdout
    );
}

#[test]
fn the_key_and_the_kind() {
    // by the text
    let done = lint(("x.yaml", b"conditions: [a==b]\n"), &["x.yaml", "--brief"]);
    assert_eq!(done.exit, 1, "{done:?}");
    assert!(
        done.stdout.starts_with("-\tDG5006\tcertain\tx.yaml:1:15: "),
        "{done:?}"
    );
    // by --key
    let done = lint(
        ("x.yaml", b"a: b\n"),
        &["x.yaml", "--key", "a.tag-router", "-o", "json"],
    );
    let rule = &done.json()["reports"][0]["rule"];
    assert_eq!(
        (rule["kind"].as_str(), rule["key"].as_str()),
        (Some("tag"), Some("a.tag-router"))
    );
    // by nothing
    let done = lint(("x.yaml", b"a: b\n"), &["x.yaml"]);
    assert_eq!(done.exit, 2, "{done:?}");
    assert!(
        done.stderr.contains("--key order-web.condition-router"),
        "{done:?}"
    );
    let done = lint(
        (RULE, b"conditions: []\n"),
        &[RULE, RULE, "--key", "a.tag-router"],
    );
    assert_eq!(done.exit, 2, "{done:?}");
    let done = lint((RULE, b""), &["absent.yaml"]);
    assert_eq!(done.exit, 4, "{done:?}");
}

#[test]
fn standard_input_and_several_files() {
    let home = tempfile::tempdir().unwrap();
    let mut command = diag(home.path());
    command
        .args(["lint", "-", "--dubbo", "3.3.6", "--brief"])
        .write_stdin("conditions: [\"method=a => host=10.0.0.7\"]\n");
    let clean = done(&mut command);
    assert_eq!((clean.exit, clean.stdout.as_str()), (0, "-\t-\t-\t-: -\n"));
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join(RULE), TEXT).unwrap();
    std::fs::write(home.path().join("a.tag-router"), "tags: []\n").unwrap();
    let both = done(diag(home.path()).args(["lint", RULE, "a.tag-router", "-o", "json"]));
    let report = both.json();
    assert_eq!(report["reports"].as_array().unwrap().len(), 2);
    assert_eq!(report["sources"]["f2"]["name"], "a.tag-router");
    assert_eq!((both.exit, report["exit"].as_i64()), (1, Some(1)));
}

#[test]
fn severity_decides_the_exit() {
    let warns = b"force: on\nconditions: [\"method=a => host=10.0.0.7\"]\n";
    for (args, exit) in [
        (&[][..], 0),
        (&["--fail-on", "warning"], 1),
        (&["--fail-on", "warning", "--skip", "DG8001"], 0),
        (&["--fail-on", "warning", "--only", "DG8002"], 0),
    ] {
        let mut all = vec![RULE, "--dubbo", "3.3.6"];
        all.extend(args);
        assert_eq!(lint((RULE, warns), &all).exit, exit, "{args:?}");
    }
}

#[test]
fn the_version_is_said_to_be_assumed_only_where_it_is() {
    let report = lint((RULE, TEXT.as_bytes()), &[RULE, "-o", "json"]).json();
    let assumed = &report["reports"][0]["assumed"][0];
    assert_eq!(
        (assumed["what"].as_str(), assumed["value"].as_str()),
        (Some("dubbo"), Some("3.3.6"))
    );
    let report = lint(
        (RULE, TEXT.as_bytes()),
        &[RULE, "--dubbo", "3.2", "-o", "json"],
    )
    .json();
    assert_eq!(report["reports"][0]["assumed"].as_array().unwrap().len(), 0);
}

#[test]
fn foreign_bytes_and_secrets_stay_harmless() {
    let text =
        "key: \u{1b}[2J\nconditions: [\"password=hunter2 == x\"]\n# \u{202e}\nforce: \u{202e}\n";
    for format in ["text", "json"] {
        let done = lint((RULE, text.as_bytes()), &[RULE, "-o", format]);
        assert!(matches!(done.exit, 0 | 1), "{done:?}");
        let bad = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert_eq!(done.stdout.chars().find(|c| bad(*c)), None, "{done:?}");
    }
    let url = "override://admin:hunter2@0.0.0.0/a.B?category=configurators\n";
    let done = lint(("x.txt", url.as_bytes()), &["x.txt", "-o", "json"]);
    assert!(!done.stdout.contains("hunter2"), "{done:?}");
    let bytes: Vec<u8> = (0..=255).collect();
    let done = lint((RULE, &bytes), &[RULE, "-o", "json"]);
    assert_eq!(done.exit, 1, "{done:?}");
}

#[test]
fn providers_of_a_recording_are_compared() {
    let recording = crate::cli::case("zookeeper_3.2.16_healthy-two-providers");
    let recording = recording.to_str().unwrap();
    let name = "org.example.lab.api.OrderService%3A%3A.condition-router";
    let text = b"force: true\nconditions: [\"method=a => host = 10.99.99.99\"]\n";
    let ask = [
        name,
        "--dubbo",
        "3.2.16",
        "--snapshot",
        recording,
        "-o",
        "json",
    ];
    let report = lint((name, text), &ask).json();
    let answer = &report["reports"][0];
    assert_eq!(answer["rule"]["providers"], 2, "{answer:#}");
    let codes: Vec<&str> = answer["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["code"].as_str().unwrap())
        .collect();
    assert_eq!(codes, ["DG8008", "DG8007"]);
    assert_eq!(answer["not_seen"].as_array().unwrap().len(), 0);
    // an application's rule needs the service
    let ask = [
        RULE,
        "--dubbo",
        "3.2.16",
        "--snapshot",
        recording,
        "-o",
        "json",
    ];
    let report = lint((RULE, text), &ask).json();
    assert!(report["reports"][0]["rule"]["providers"].is_null());
    let not_seen = &report["reports"][0]["not_seen"][0]["how_to_see"];
    assert!(
        not_seen.as_str().unwrap().contains("--service"),
        "{not_seen}"
    );
}
