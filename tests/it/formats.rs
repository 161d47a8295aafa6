//! Markdown and HTML say what the text says, in a form that other programs can show, and foreign bytes stay harmless in them.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests lay out their own files and fail where something is missing"
)]

use crate::cli::{Recorded, case, provider, run};

const CASE: &str = "nacos_2.5.1_dubbo-2.7.23_condition-force-empty";

fn asked(more: &[&str]) -> crate::cli::Done {
    let path = case(CASE);
    let args = [
        &[
            "no-provider",
            "org.example.lab.api.OrderService",
            "--snapshot",
            path.to_str().unwrap(),
            "--dubbo",
            "2.7.23",
            "--consumer",
            "starting",
        ],
        more,
    ]
    .concat();
    run(&args)
}

/// Fences are closed, tables have as many cells in every row as in their head.
fn check_markdown(text: &str) {
    let mut fence: Option<&str> = None;
    let mut columns: Option<usize> = None;
    for line in text.lines() {
        let marks = line.trim_start();
        if let Some(open) = fence {
            if marks == open {
                fence = None;
            }
            continue;
        }
        if marks.starts_with("```") {
            let end = marks.find(|c| c != '`').unwrap_or(marks.len());
            fence = Some(&marks[..end]);
            continue;
        }
        if line.starts_with('|') {
            let cells = line
                .replace("\\\\", "")
                .replace("\\|", "")
                .matches('|')
                .count();
            assert_eq!(*columns.get_or_insert(cells), cells, "{line}");
        } else {
            columns = None;
        }
        assert!(!line.contains('\u{1b}'));
    }
    assert_eq!(fence, None, "an open fence");
}

/// What a reader of Markdown makes of it: its parts by kind, the texts, the codes. Nothing of it is HTML.
fn rendered(text: &str) -> Rendered {
    use pulldown_cmark::{Event, Options, Parser, Tag};
    let mut out = Rendered::default();
    let mut verbatim = false;
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Heading { .. }) => out.headings += 1,
            Event::Start(Tag::TableRow) => out.rows += 1,
            Event::Start(Tag::Item) => out.items += 1,
            Event::Start(Tag::CodeBlock(_)) => {
                verbatim = true;
                out.blocks.push(String::new());
            }
            Event::End(pulldown_cmark::TagEnd::CodeBlock) => verbatim = false,
            Event::Text(text) if verbatim => out.blocks.last_mut().unwrap().push_str(&text),
            Event::Text(text) => out.text.push_str(&text),
            Event::Code(text) => out.codes.push(text.into_string()),
            Event::Html(html) | Event::InlineHtml(html) => panic!("HTML in Markdown: {html}"),
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                panic!("a link in Markdown: {dest_url}")
            }
            _ => {}
        }
    }
    out
}

#[derive(Debug, Default)]
struct Rendered {
    headings: usize,
    rows: usize,
    items: usize,
    text: String,
    codes: Vec<String>,
    blocks: Vec<String>,
}

/// Every element is closed in the order of its opening, and nothing is loaded from anywhere.
fn check_html(text: &str) {
    const VOID: [&str; 4] = ["meta", "link", "br", "!doctype"];
    let mut open: Vec<String> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let end = rest.find('>').expect("a tag ends");
        let tag = &rest[..end];
        rest = &rest[end + 1..];
        let name: String = tag
            .trim_start_matches('/')
            .chars()
            .take_while(|c| !c.is_whitespace() && *c != '/')
            .collect();
        if tag.starts_with('/') {
            assert_eq!(open.pop().as_deref(), Some(name.as_str()));
        } else if !VOID.contains(&name.as_str()) && !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
    for foreign in ["<script", "src=", "url(", "@import", "<iframe", "<object"] {
        assert!(!text.contains(foreign), "{foreign}");
    }
    let links: Vec<&str> = text.split("href=\"").skip(1).collect();
    assert!(links.iter().all(|link| link.starts_with("data:,\"")));
}

#[test]
fn markdown_has_the_verdict_the_stages_and_the_steps() {
    for lang in ["en", "zh"] {
        let done = asked(&["-o", "markdown", "--lang", lang]);
        assert_eq!(done.exit, 1, "{done:?}");
        check_markdown(&done.stdout);
        let json = asked(&["-o", "json", "--lang", lang]).json();
        let verdict = &json["reports"][0]["verdict"];
        assert!(done.stdout.starts_with("## ✗ "), "{}", done.stdout);
        assert!(done.stdout.contains(verdict["code"].as_str().unwrap()));
        let stages = json["reports"][0]["stages"].as_array().unwrap().len();
        assert!(
            done.stdout.matches("\n| ").count() >= stages,
            "{}",
            done.stdout
        );
        assert!(done.stdout.contains("```text\ndiag "), "{}", done.stdout);
        let shown = rendered(&done.stdout);
        assert!(shown.rows >= stages && shown.headings >= 3, "{shown:?}");
        assert!(shown.items > 2 && !shown.codes.is_empty(), "{shown:?}");
        let command = shown.blocks.iter().find(|text| text.starts_with("diag "));
        assert!(command.is_some(), "{shown:?}");
        // What was escaped is read again as it was.
        let message = verdict["message"].as_str().unwrap();
        let plain: String = message.split_whitespace().collect();
        let text: String = shown.text.split_whitespace().collect();
        assert!(text.contains(&plain), "{message}\n{}", shown.text);
    }
}

#[test]
fn html_is_one_closed_file_with_a_picture() {
    for lang in ["en", "zh"] {
        let done = asked(&["-o", "html", "--lang", lang]);
        assert_eq!(done.exit, 1, "{done:?}");
        check_html(&done.stdout);
        assert!(
            done.stdout.starts_with("<!doctype html>\n<html lang=\""),
            "{}",
            done.stdout
        );
        assert!(done.stdout.contains(&format!("lang=\"{lang}\"")));
        assert!(done.stdout.contains("<svg ") && done.stdout.contains("@media print"));
    }
}

#[test]
fn every_verb_has_every_format() {
    for args in [
        vec![
            "timeout-budget",
            "com.acme.UserService",
            "getUser",
            "--samples",
            "rt.txt",
            "--snapshot",
            "snapshot",
            "--registry",
            "zookeeper://10.0.0.2:2181",
        ],
        vec!["explain", "DG5001"],
    ] {
        let dir =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/budget/7006-samples");
        for (format, check) in [
            ("markdown", check_markdown as fn(&str)),
            ("html", check_html),
        ] {
            let home = tempfile::tempdir().unwrap();
            let done = crate::cli::done(
                crate::cli::diag(home.path())
                    .current_dir(&dir)
                    .args(&args)
                    .args(["-o", format]),
            );
            assert!(matches!(done.exit, 0 | 1), "{args:?} {done:?}");
            check(&done.stdout);
            if format == "html" && args[0] == "timeout-budget" {
                assert!(
                    done.stdout.contains("P99") && done.stdout.contains("<svg "),
                    "{}",
                    done.stdout
                );
            }
        }
    }
}

/// One envelope for all verbs, whatever they answer.
#[test]
fn the_json_of_every_verb_is_as_the_schema_says() {
    let recorded = Recorded::providers("a.B", &[&provider("10.0.0.7", "a.B", "")]);
    let folder = tempfile::tempdir().unwrap();
    let rule = folder.path().join("web.condition-router");
    std::fs::write(&rule, "force: true\nconditions:\n  - '=> host = 10.9.*'\n").unwrap();
    let rule = rule.to_str().unwrap();
    let registry = [
        "--registry",
        crate::cli::REGISTRY,
        "--snapshot",
        recorded.path(),
    ];
    let with = |words: &[&'static str]| [words, &registry].concat();
    for args in [
        with(&["no-provider", "a.B", "a.C"]),
        with(&["timeout-budget", "a.B", "get", "--p99", "450ms"]),
        with(&["route-replay", "a.B", "--method", "get"]),
        vec!["lint", rule],
        vec!["explain", "DG5001"],
        vec!["explain", "2-2"],
        vec!["explain", "KeeperErrorCode = ConnectionLoss for /dubbo"],
        vec!["explain", "nothing of it"],
        vec!["config", "show"],
    ] {
        for lang in ["en", "zh"] {
            let done = run(&[&args[..], &["-o", "json", "--lang", lang]].concat());
            let report = done.json();
            assert_eq!(report["exit"], done.exit, "{args:?}");
            let problems = crate::schema::problems(&report);
            assert!(problems.is_empty(), "{args:?}\n{}", problems.join("\n"));
        }
    }
}

#[test]
fn foreign_markup_is_shown_and_not_obeyed() {
    let interface = "com.acme.<script>alert(1)</script>|`x`";
    let recorded = Recorded::providers(
        "com.acme.OrderService",
        &[&provider(
            "10.0.0.7",
            "com.acme.OrderService",
            "&group=<img|`*",
        )],
    );
    for (format, check) in [
        ("markdown", check_markdown as fn(&str)),
        ("html", check_html),
    ] {
        let done = run(&[
            "no-provider",
            "com.acme.OrderService",
            "--snapshot",
            recorded.path(),
            "--registry",
            crate::cli::REGISTRY,
            "--consumer-app",
            interface,
            "--consumer",
            "starting",
            "-o",
            format,
        ]);
        assert_eq!(done.exit, 1, "{done:?}");
        // In a fence of Markdown everything is a text already.
        let open = done.stdout.contains("<script>") || done.stdout.contains("<img");
        assert!(format == "markdown" || !open, "{}", done.stdout);
        check(&done.stdout);
        if format == "markdown" {
            let shown = rendered(&done.stdout);
            assert!(shown.text.contains(interface), "{}", shown.text);
        }
    }
}
