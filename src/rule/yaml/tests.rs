//! What a reader of rules relies on, beyond the recorded answers: places, sharing, bounds.

use std::collections::HashSet;

use proptest::prelude::*;

use super::*;

fn read(text: &str, version: YamlVersion) -> Document {
    load(text, version).unwrap_or_else(|error| panic!("{version} refuses {text:?}: {error}"))
}

fn refusal(text: &str, version: YamlVersion) -> YamlError {
    match load(text, version) {
        Ok(document) => panic!("{version} reads {text:?} as {document:?}"),
        Err(error) => error,
    }
}

fn at(line: u32, column: u32) -> Position {
    Position { line, column }
}

/// Entries with different keys.
fn many_keys(count: usize, separator: &str) -> String {
    let entries: Vec<_> = (0..count).map(|n| format!("k{n}: v{separator}")).collect();
    entries.concat()
}

#[test]
fn nodes_know_their_places() {
    let document = read("a: 1\nb:\n  - 'x y'\n  - {k: v}\n", YamlVersion::V2_4);
    let root = document.root().unwrap();
    let (key, value) = root.entry("a").unwrap();
    assert_eq!((key.start(), value.start()), (at(1, 1), at(1, 4)));
    let items: Vec<_> = root.get("b").unwrap().items().collect();
    assert_eq!(
        items[0].span(),
        Span {
            start: at(3, 5),
            end: at(3, 10)
        }
    );
    assert_eq!(items[0].style(), Some(ScalarStyle::SingleQuoted));
    assert_eq!(
        items[1].span(),
        Span {
            start: at(4, 5),
            end: at(4, 11)
        }
    );
    assert_eq!(items[1].get("k").unwrap().as_text(), Some("v"));
}

#[test]
fn a_scalar_keeps_what_was_written() {
    let document = read("{a: 0x1F, b: yes, c: 08}", YamlVersion::V1_29);
    let root = document.root().unwrap();
    let seen: Vec<_> = root
        .entries()
        .map(|(_, it)| (it.written().unwrap(), it.java_text().unwrap()))
        .collect();
    assert_eq!(
        seen,
        [
            ("0x1F", "31".to_owned()),
            ("yes", "true".to_owned()),
            ("08", "8.0".to_owned())
        ]
    );
}

#[test]
fn a_colon_in_a_flow_list_divides_the_releases() {
    let text = "addresses: [10.0.0.1:20880]\n";
    let error = refusal(text, YamlVersion::V1_20);
    assert_eq!(error.class, ExceptionClass::Scanner);
    assert_eq!((error.line(), error.column()), (1, 21));
    assert_eq!(
        error.to_string(),
        "line 1, column 21: found unexpected ':' (while scanning a plain scalar from line 1, column 13)"
    );
    assert!(error.hint().unwrap().contains("quotes"));
    let document = read(text, YamlVersion::V1_29);
    let list = document.root().unwrap().get("addresses").unwrap();
    assert_eq!(
        list.items().next().unwrap().as_text(),
        Some("10.0.0.1:20880")
    );
}

#[test]
fn common_mistakes_have_a_place_and_a_hint() {
    for (text, place) in [
        ("a:\n\tb: 1\n", at(2, 1)),
        ("a: b: c\n", at(1, 5)),
        ("a: 'b\n", at(2, 1)),
        ("a: 1\n b: 2\n", at(2, 3)),
        ("a\nb: 1\n", at(2, 2)),
        ("a: 1\nb\nc: 2\n", at(3, 1)),
        ("a: [1\nb: 2\n", at(2, 2)),
        ("a: *b\n", at(1, 4)),
        ("a: @b\n", at(1, 4)),
        ("a: !x y\n", at(1, 4)),
        ("a: 1\n---\nb: 2\n", at(2, 1)),
        ("a: \u{7}\n", at(1, 4)),
        ("a: \"\\q\"\n", at(1, 6)),
        ("{<<: x}", at(1, 6)),
    ] {
        let error = refusal(text, YamlVersion::V2_3);
        assert_eq!(error.place, place, "{text:?}: {error}");
        assert!(error.hint().is_some(), "{text:?}: {error}");
    }
}

#[test]
fn messages_hold_no_control_characters() {
    let error = refusal("a: &\u{85}\u{85}&", YamlVersion::V2_3);
    assert!(
        !error.to_string().chars().any(char::is_control),
        "{error:?}"
    );
    let error = refusal("&", YamlVersion::V2_3);
    assert_eq!(
        error.to_string(),
        "line 1, column 2: unexpected character found end of text(0) (while scanning an anchor from line 1, column 1)"
    );
}

#[test]
fn dropped_keys_are_told() {
    let document = read("a: 1\nb: 2\na: 3\na: 4\n", YamlVersion::V2_4);
    let root = document.root().unwrap();
    let keys: Vec<_> = root
        .entries()
        .map(|(key, _)| key.as_text().unwrap())
        .collect();
    assert_eq!(keys, ["b", "a"]);
    assert_eq!(root.get("a").unwrap().as_i64(), Some(4));
    let dropped: Vec<_> = document
        .dropped_keys()
        .map(|(dropped, kept)| (dropped.start().line, kept.start().line))
        .collect();
    assert_eq!(dropped, [(1, 3), (3, 4)]);
}

#[test]
fn aliases_share_their_node() {
    let document = read("- &a [x]\n- *a\n- &b {self: *b}\n", YamlVersion::V2_4);
    let items: Vec<_> = document.root().unwrap().items().collect();
    assert_eq!(items[0].id(), items[1].id());
    assert_eq!(items[2].get("self").unwrap().id(), items[2].id());
    assert_eq!(items[2].java_text().as_deref(), Some("{self=(this Map)}"));
}

#[test]
fn texts_of_values_are_those_of_java() {
    let text = "[~, true, 1, 1.0, 1e10, 'x', [], {}, {a: [b, c], d: ~}, !!set {e}]";
    let document = read(text, YamlVersion::V2_4);
    assert_eq!(
        document.root().unwrap().java_text().as_deref(),
        Some("[null, true, 1, 1.0, 1.0E10, x, [], {}, {a=[b, c], d=null}, [e]]")
    );
    for unknown in ["2024-01-02", "!!binary aGk=", "&a [[*a]]", "!!pairs [a: 1]"] {
        let document = read(unknown, YamlVersion::V2_4);
        assert_eq!(document.root().unwrap().java_text(), None, "{unknown}");
    }
}

#[test]
fn billion_laughs_stay_small() {
    let mut text = "- &a0 [x]\n".to_owned();
    for level in 1..80 {
        let before = level - 1;
        let tenfold = vec![format!("*a{before}"); 10].join(", ");
        text.push_str(&["- &a", &level.to_string(), " [", &tenfold, "]\n"].concat());
    }
    let document = read(&format!("{text}- ? *a79\n"), YamlVersion::V1_20);
    assert_eq!(document.root().unwrap().java_text(), None);
    assert_eq!(
        refusal(&text, YamlVersion::V1_29).problem,
        "Number of aliases for non-scalar nodes exceeds the specified max=50"
    );
}

#[test]
fn merges_that_multiply_end_in_an_error() {
    let keys = many_keys(3000, ", ");
    let text = format!("- &a {{{keys}}}\n{}", "- <<: *a\n".repeat(3000));
    let error = refusal(&text, YamlVersion::V1_20);
    assert_eq!(error.class, ExceptionClass::OutOfMemory);
}

#[test]
fn nesting_ends_in_an_error_and_not_in_a_crash() {
    let versions = [
        YamlVersion::V1_20,
        YamlVersion::V1_30,
        YamlVersion::V1_31,
        YamlVersion::V2_4,
    ];
    for version in versions {
        for (open, close) in [
            ("[", "]"),
            ("{a: ", "}"),
            ("- ", ""),
            ("? ", ""),
            ("&a [", "]"),
            ("!!set {? ", "}"),
        ] {
            for depth in [40, 60, 1400, 1600, 5000] {
                let text = format!("{}{}", open.repeat(depth), close.repeat(depth));
                let limit = if version < YamlVersion::V1_31 {
                    STACK_DEPTH
                } else {
                    50
                };
                match load(&text, version) {
                    Ok(_) => assert!(depth <= limit, "{version} reads {depth} of {open:?}"),
                    Err(error) => {
                        assert!(
                            depth > limit,
                            "{version} refuses {depth} of {open:?}: {error}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn large_texts_are_read() {
    let version = YamlVersion::V2_4;
    let million = 1_000_000;
    for text in [
        format!("a: {}\n", "x".repeat(million)),
        format!("a: {}\n", "x ".repeat(million / 2)),
        format!("a: \"{}\"\n", "x\n".repeat(million / 2)),
        format!("a: |\n{}", "  x\n".repeat(million / 4)),
        "- x\n".repeat(100_000),
        many_keys(100_000, "\n"),
        "k: v\n".repeat(100_000),
        format!("[{}]", "a: b, ".repeat(100_000)),
        "\n".repeat(million),
        "#\n".repeat(million / 2),
    ] {
        read(&text, version);
    }
    for text in [
        "[".repeat(million),
        "]".repeat(million),
        "- ".repeat(million / 2),
        ": ".repeat(million / 2),
        "{\"a\" ".repeat(million / 5),
        "%TAG !a! b\n".repeat(million / 11),
        "---\n".repeat(million / 4),
        format!("'{}", "\n".repeat(million)),
        format!("a: 0x{}", "f".repeat(million)) + "\n\t@",
    ] {
        refusal(&text, version);
    }
}

/// What hostile texts are thrown together from.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "- ",
            "? ",
            ": ",
            ":",
            ",",
            "[",
            "]",
            "{",
            "}",
            "#",
            " #",
            "&a ",
            "*a",
            "&b ",
            "*b ",
            "!",
            "!!str ",
            "!!set ",
            "!!omap ",
            "!!pairs ",
            "!!int ",
            "!!float ",
            "!!binary ",
            "!!timestamp ",
            "!!null ",
            "!<",
            ">",
            "|",
            "|2-\n",
            ">+\n",
            "'",
            "\"",
            "\\",
            "\\x",
            "\\u",
            "\\U",
            "\\ud83d",
            "%YAML 1.1\n",
            "%TAG ! x\n",
            "%",
            "@",
            "`",
            "---",
            "...",
            "\n",
            "\n  ",
            "\n    ",
            "\r",
            "\r\n",
            "\u{85}",
            "\u{2028}",
            "\t",
            " ",
            "a",
            "k: ",
            "<<: *a",
            "<<: [*a, *b]",
            "2024-01-02 03:04:05",
            "1_0:59",
            "0x",
            "+.inf",
            "１",
            "\u{1D7D8}",
            "é",
            "中",
            "😀",
            "\u{FEFF}",
            "\u{0}",
            "\u{7}",
            "\u{FFFE}",
        ])
        .prop_map(str::to_owned),
        any::<char>().prop_map(String::from),
        "[ -~]{0,6}",
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Goes to every node that can be reached, once.
fn walk(document: &Document) -> usize {
    let mut seen = HashSet::new();
    let mut waiting: Vec<Node<'_>> = document.root().into_iter().collect();
    while let Some(node) = waiting.pop() {
        if !seen.insert(node.id()) {
            continue;
        }
        let span = node.span();
        assert!(span.start <= span.end, "{span:?}");
        match node.value() {
            Value::List(items) | Value::Set(items) => waiting.extend(items),
            Value::Map(entries) | Value::Pairs(entries) => {
                waiting.extend(entries.flat_map(|(key, value)| [key, value]));
            }
            _ => {}
        }
    }
    seen.len()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_text_ends_in_a_result(text in pieces(), version in prop::sample::select(YamlVersion::ALL.to_vec())) {
        let lines = u32::try_from(text.chars().count()).unwrap() + 1;
        match load(&text, version) {
            Ok(document) => {
                prop_assert!(walk(&document) <= 2 * text.len() + 2);
                let _ = document.root().map(Node::java_text);
                let _ = format!("{document:?}");
            }
            Err(error) => {
                prop_assert!(error.line() >= 1 && error.line() <= lines);
                prop_assert!(error.column() >= 1 && error.column() <= lines);
                prop_assert!(!error.to_string().is_empty());
            }
        }
        let _ = load_all(&text, version);
        let _ = load_root_untagged(&text, version);
    }

    #[test]
    fn quoted_text_comes_back(text in "[ -~éß中😀]{0,30}") {
        for version in YamlVersion::ALL {
            let quoted = format!("- '{}'\n", text.replace('\'', "''"));
            let document = read(&quoted, version);
            let item = document.root().and_then(|root| root.items().next());
            prop_assert_eq!(item.and_then(Node::as_text), Some(text.as_str()));
        }
    }
}

#[test]
fn a_pair_on_the_border_of_two_reads_breaks_one_release() {
    // Read from a string, the text comes in pieces of 1024 UTF-16 units; the second half of the pair is one too many.
    let text = format!("# {}😀\na: 1\n", "x".repeat(1021));
    for version in YamlVersion::ALL {
        if version == YamlVersion::V2_3 {
            let error = refusal(&text, version);
            assert_eq!(error.class, ExceptionClass::IndexOutOfBounds);
            assert_eq!(error.place, at(1, 1024));
            assert!(error.hint().is_some());
        } else {
            read(&text, version);
        }
    }
}
