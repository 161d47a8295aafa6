use std::fmt::Write as _;
use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;
use crate::model::version::Line;

fn of(text: &str, kind: RuleKind, version: &str) -> Linted {
    let rule = RuleText {
        key: None,
        kind,
        text,
    };
    lint(
        rule,
        &DubboVersion::parse(version).unwrap(),
        Known::default(),
    )
}

/// `DG8006 2:3 ==`
fn said(linted: &Linted) -> Vec<String> {
    linted
        .remarks
        .iter()
        .map(|remark| {
            format!(
                "{} {}:{} {}",
                remark.code,
                remark.at.start.line,
                remark.at.start.column,
                remark.params["text"].as_str().unwrap()
            )
        })
        .collect()
}

fn condition(text: &str, version: &str) -> Vec<String> {
    said(&of(text, RuleKind::Condition, version))
}

#[test]
fn places_inside_of_conditions() {
    assert_eq!(
        condition("conditions:\n- host == 10.0.0.1 =>\n", "3.3.6"),
        ["DG5006 2:8 ==", "DG8006 2:8 =="]
    );
    assert_eq!(
        condition(
            "conditions:\n- \"region=a,b \u{ff1d}> host=1.1.1.1\"\n",
            "3.3.6"
        ),
        [
            "DG5007 2:3 \"region=a,b \u{ff1d}> host=1.1.1.1\"",
            "DG8006 2:15 \u{ff1d}"
        ]
    );
    // a text that does not stand in the file as it is read
    assert_eq!(
        condition(
            "conditions:\n- >-\n  method=a\n  || x => host=1.1.1.1\n",
            "3.3.6"
        )[1],
        "DG8006 4:3 ||"
    );
}

#[test]
fn the_same_text_in_two_versions() {
    let text = "conditions:\n- attachments[a]=1~5 => host=10.0.0.*\n";
    assert_eq!(condition(text, "3.2.16"), Vec::<String>::new());
    assert_eq!(
        condition(text, "3.1.11"),
        [
            "DG5007 2:3 attachments[a]=1~5 => host=10.0.0.*",
            "DG8003 2:3 attachments[a]",
            "DG8006 2:18 1~5"
        ]
    );
    let pair = reading(
        RuleText {
            key: None,
            kind: RuleKind::Condition,
            text: "conditions: ['=> tag!=gray']",
        },
        &DubboVersion::newest(Line::V3_1),
    );
    assert_eq!(
        pair,
        [
            "force=false enabled=true",
            "1:  => tag!=gray (without tag: passes)"
        ]
    );
}

#[test]
fn a_pair_on_the_border_of_two_reads() {
    let text = format!(
        "{}\u{1f600}\nconditions: ['=> host=1.1.1.1']\n",
        "#".repeat(1023)
    );
    assert!(said(&of(&text, RuleKind::Condition, "3.2.16"))[0].starts_with("DG0106 1:1024"));
    assert!(of(&text, RuleKind::Condition, "3.2.16").refused);
    for sound in ["3.1.11", "3.2.15", "3.3.6"] {
        assert!(!of(&text, RuleKind::Condition, sound).refused, "{sound}");
    }
}

#[test]
fn the_engine_of_a_script() {
    let with = |jdk| {
        let rule = RuleText {
            key: None,
            kind: RuleKind::Script,
            text: "type: javascript\nscript: 'x'\n",
        };
        let known = Known {
            jdk,
            ..Known::default()
        };
        said(&lint(rule, &DubboVersion::newest(Line::V3_2), known))
    };
    assert_eq!(with(Some(17)), ["DG5011 1:7 javascript"]);
    assert_eq!(with(Some(8)), Vec::<String>::new());
    assert_eq!(with(None), Vec::<String>::new());
}

#[test]
fn known_providers_are_compared() {
    let version = DubboVersion::newest(Line::V3_2);
    let url = |text: &str| Url::parse(text, &version).unwrap();
    let providers = [
        url("dubbo://10.0.0.1:20880/a.B"),
        url("dubbo://10.0.0.2:20880/a.B"),
    ];
    let with = |kind, text| {
        let rule = RuleText {
            key: None,
            kind,
            text,
        };
        let known = Known {
            providers: Some(&providers),
            ..Known::default()
        };
        said(&lint(rule, &version, known))
    };
    assert_eq!(
        with(
            RuleKind::Condition,
            "force: true\nconditions:\n- method=a => host = 10.0.0.7\n"
        ),
        [
            "DG8008 3:3 method=a => host = 10.0.0.7",
            "DG8007 3:22 10.0.0.7"
        ]
    );
    assert_eq!(
        with(
            RuleKind::Condition,
            "conditions:\n- method=a => host = 10.0.0.1\n"
        ),
        Vec::<String>::new()
    );
    assert_eq!(
        with(
            RuleKind::Tag,
            "force: true\ntags:\n- name: g\n  addresses: ['10.0.0.1:20880', 10.0.0.9]\n- name: h\n  addresses: [10.0.0.8]\n"
        ),
        [
            "DG8007 4:33 10.0.0.9",
            "DG8008 5:3 name: h",
            "DG8007 6:15 10.0.0.8"
        ]
    );
}

/// A text that multiplies itself, is long, or deep ends soon, with something said.
#[test]
fn hostile_texts_end_soon() {
    let mut bomb = String::from("a0: &a0 [x]\n");
    for level in 1..30 {
        let alias = format!("*a{}", level - 1);
        let _ = writeln!(
            bomb,
            "a{level}: &a{level} [{alias}, {alias}, {alias}, {alias}]"
        );
    }
    bomb.push_str("conditions: *a29\ntags: *a29\nconfigs: *a29\n");
    let long = format!(
        "conditions:\n- method={} => host==1\n",
        "a,".repeat(100_000)
    );
    let long_quoted = format!("conditions: ['{}=> host=1']\n", "x=1 & ".repeat(30_000));
    let mut many = String::from("force: true\nconditions:\n");
    many.push_str(&"- method=a || b => host=10.0.*.*\n".repeat(20_000));
    let flow = format!("conditions: [{}]\n", "a b, ".repeat(20_000));
    let deep = format!("conditions: {}\n", "[".repeat(200_000));
    let nested = format!("{}{}", "{a: ".repeat(1_400), "}".repeat(1_400));
    let urls = "override://0.0.0.0/a?x=1\n".repeat(5_000);
    for (name, text) in [
        ("bomb", &bomb),
        ("long", &long),
        ("long quoted", &long_quoted),
        ("many", &many),
        ("flow", &flow),
        ("deep", &deep),
        ("nested", &nested),
        ("urls", &urls),
    ] {
        for kind in RuleKind::ALL {
            for version in ["2.7.23", "3.3.6"] {
                let start = now();
                let linted = of(text, kind, version);
                let took = start.elapsed();
                assert!(linted.remarks.len() <= MOST, "{name} {kind:?}");
                // Generous: without optimisation and beside other work.
                assert!(
                    took < Duration::from_secs(20),
                    "{name} {kind:?} {version}: {took:?}"
                );
            }
        }
    }
    assert!(!of(&many, RuleKind::Condition, "3.3.6").remarks.is_empty());
    assert!(of(&many, RuleKind::Condition, "3.3.6").more > 0);
}

#[expect(clippy::disallowed_methods, reason = "a test measures")]
fn now() -> Instant {
    Instant::now()
}

fn text() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "conditions",
        "tags",
        "configs",
        "script",
        "type",
        "force",
        "enabled",
        "configVersion",
        "key",
        "scope",
        "name",
        "addresses",
        "match",
        "from",
        "to",
        "weight",
        "side",
        "parameters",
        "spec",
        "dubbo",
        "route",
        "kind",
        "VirtualService",
        "DestinationRule",
        "metadata",
        "affinityAware",
        "ratio",
        "step",
        "interfaces",
        "serviceKey",
        "v3.0",
        "v3.1",
        "true",
        "yes",
        "null",
        "10.0.0.1",
        "0.0.0.0:20880",
        "host",
        "method",
        "=>",
        "=",
        "!=",
        "&",
        ",",
        "$host",
        "*",
        "1~5",
        ": ",
        "\n",
        "\n- ",
        "\n  ",
        "[",
        "]",
        "{",
        "}",
        "'",
        "\"",
        "\t",
        "\u{a0}",
        "\u{ff1d}",
        "override://",
        "?",
        "&a ",
        "*a",
        "---\n",
        "condition://",
        "rule=",
        "%3D",
        "\u{1f600}",
        "\r",
        "#",
    ]);
    prop::collection::vec(word, 0..40).prop_map(|words| words.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_looked_at(text in prop_oneof![text(), "\\PC{0,60}", ".{0,60}"], kind in prop::sample::select(RuleKind::ALL.to_vec())) {
        for version in ["2.6.5", "2.7.3", "2.7.23", "3.0.3", "3.1.11", "3.2.16", "3.3.6"] {
            let version = DubboVersion::parse(version).unwrap();
            let providers = [Url::parse("dubbo://10.0.0.1:20880/a.B", &version).unwrap()];
            let rule = RuleText { key: Some("a.B::.condition-router"), kind, text: &text };
            let known = Known { providers: Some(&providers), consumer: None, jdk: Some(17) };
            let first = lint(rule, &version, known);
            prop_assert_eq!(&first, &lint(rule, &version, known));
            prop_assert!(first.remarks.windows(2).all(|pair| pair[0].at.start <= pair[1].at.start));
            let _ = reading(rule, &version);
        }
    }

    #[test]
    fn any_bytes_are_looked_at(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        let text = String::from_utf8_lossy(&bytes);
        for kind in RuleKind::ALL {
            let _ = of(&text, kind, "3.3.6");
        }
    }
}
