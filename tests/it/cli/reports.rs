//! Reports of the handed recordings: schema, determinism, next steps that work, harmless text.

use std::collections::BTreeSet;
use std::path::Path;

use clap::Parser as _;

use super::{REGISTRY, Recorded, case, provider, question, run};
use crate::schema::problems;

/// Every n-th recording of ZooKeeper among the handed cases; each is asked as it stands in `case.toml`.
fn handed(every: usize) -> Vec<(String, Vec<String>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/cases/captures");
    let mut names: Vec<String> = folder
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.retain(|name| name.starts_with("zookeeper"));
    names.sort();
    assert!(names.len() > 200);
    names
        .into_iter()
        .step_by(every)
        .map(|name| {
            let text = std::fs::read_to_string(folder.join(&name).join("case.toml")).unwrap();
            let toml: toml::Table = text.parse().unwrap();
            let mut ask: Vec<String> = toml["ask"]
                .as_array()
                .unwrap()
                .iter()
                .map(|word| word.as_str().unwrap().to_owned())
                .collect();
            ask.extend(["--snapshot".to_owned(), case(&name).display().to_string()]);
            (name, ask)
        })
        .filter(|(_, ask)| ask[0] == "no-provider")
        .collect()
}

fn with<'a>(ask: &'a [String], more: &[&'a str]) -> Vec<&'a str> {
    ask.iter()
        .map(String::as_str)
        .chain(more.iter().copied())
        .collect()
}

#[test]
fn json_is_as_the_schema_says() {
    for (name, ask) in handed(23) {
        let done = run(&with(&ask, &["-o", "json"]));
        let report = done.json();
        assert_eq!(problems(&report), Vec::<String>::new(), "{name}");
        assert_eq!(report["exit"], done.exit, "{name}");
    }
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    for (name, ask) in handed(41) {
        for more in [&["-o", "json"][..], &["-v"], &["--brief", "--lang", "zh"]] {
            let args = with(&ask, more);
            let (one, two) = (run(&args), run(&args));
            assert_eq!(
                (one.stdout, one.stderr),
                (two.stdout, two.stderr),
                "{name} {more:?}"
            );
        }
    }
}

/// A step that is offered must exist: flags that are not built would send people into a wall.
#[test]
fn commands_that_are_offered_work() {
    let mut seen = BTreeSet::new();
    for (name, ask) in handed(11) {
        let report = run(&with(&ask, &["-o", "json"])).json();
        for finding in report["reports"][0]["findings"].as_array().unwrap() {
            for step in finding["remedy"].as_array().unwrap() {
                let argv: Vec<&str> = step["argv"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|word| word.as_str().unwrap())
                    .collect();
                // A word in capitals stands for what only the reader knows.
                let complete = !argv
                    .iter()
                    .any(|word| word.len() > 3 && word.bytes().all(|b| b.is_ascii_uppercase()));
                if argv.first() != Some(&"diag") || !complete || !seen.insert(argv.join(" ")) {
                    continue;
                }
                diag::cli::Cli::try_parse_from(&argv)
                    .unwrap_or_else(|error| panic!("{name}: {argv:?}: {error}"));
                let mut again = argv[1..].to_vec();
                let snapshot = case(&name).display().to_string();
                again.extend(["--snapshot", &snapshot]);
                let done = run(&again);
                assert!(matches!(done.exit, 0 | 1 | 3), "{name}: {argv:?}: {done:?}");
            }
        }
    }
    assert!(!seen.is_empty());
}

#[test]
fn registry_data_never_controls_the_terminal() {
    let interface = "com.acme.OrderService";
    let evil = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{202e}gnp\u{9b}31m\r";
    let mut bad = provider(
        "10.0.0.7",
        interface,
        &format!("&group={evil}&version={evil}"),
    );
    bad = bad.replace("order-app", &format!("order{evil}"));
    let named = format!("com.acme.OrderServic{evil}");
    let recorded = Recorded::providers(
        interface,
        &[&bad, &provider("10.0.0.8", interface, "&group=gray"), evil],
    );
    let other = Recorded::providers(&named, &[&provider("10.0.0.9", &named, "")]);
    for recorded in [&recorded, &other] {
        let ask = [
            "no-provider",
            interface,
            "--registry",
            REGISTRY,
            "--snapshot",
            recorded.path(),
            "--consumer-app",
            evil,
        ];
        for more in [
            &["-v"][..],
            &["-o", "json"],
            &["--brief"],
            &["-v", "--lang", "zh"],
        ] {
            let done = run(&[&ask[..], more].concat());
            assert!(matches!(done.exit, 0 | 1 | 3), "{done:?}");
            let bad = |c: &char| {
                (c.is_control() && !"\n\t".contains(*c)) || ('\u{202a}'..='\u{202e}').contains(c)
            };
            let found = done.stdout.chars().chain(done.stderr.chars()).find(bad);
            assert_eq!(found, None, "{more:?}: {}", done.stdout);
        }
    }
}

#[test]
fn text_of_a_known_situation() {
    let interface = "com.acme.OrderService";
    let urls = [
        provider("10.0.0.7", interface, "&version=1.0.0"),
        provider("10.0.0.8", interface, "&version=1.0.0"),
        provider("10.0.0.9", interface, "&version=1.0.0&group=gray"),
    ];
    let recorded = Recorded::providers(interface, &[&urls[0], &urls[1], &urls[2]]);
    let service = format!("{interface}:2.0.0");
    let ask = [
        "no-provider",
        &service,
        "--registry",
        REGISTRY,
        "--snapshot",
        recorded.path(),
        "--dubbo",
        "3.2.16",
    ];
    let ask = [
        &ask[..],
        &[
            "--consumer",
            "starting",
            "--consumer-app",
            "order-web",
            "--consumer-ip",
            "10.0.1.9",
        ],
    ]
    .concat();
    for lang in ["en", "zh"] {
        let done = run(&[&ask[..], &["--lang", lang]].concat());
        assert_eq!(done.exit, 1, "{done:?}");
        let text = done.stdout.replace(recorded.path(), "incident");
        insta::assert_snapshot!(format!("version_differs_{lang}"), text);
    }
}

/// A place that was to be searched and of which the recording has nothing is said, with what to do.
#[test]
fn another_registry_that_was_not_recorded_is_not_seen() {
    let interface = "com.acme.OrderService";
    let recorded = Recorded::providers(
        interface,
        &[&provider("10.0.0.7", interface, "&version=1.0.0")],
    );
    let service = format!("{interface}:2.0.0");
    let ask = question(&service, &recorded);
    let other = ["--also-search", "zookeeper://u:hidden@10.9.9.9:2181/site-b"];
    let report = run(&[&ask[..], &other, &["-o", "json"]].concat());
    assert_eq!(report.exit, 1, "{report:?}");
    assert!(!report.stdout.contains("hidden"), "{report:?}");
    let not_seen = report.json()["reports"][0]["not_seen"].clone();
    let told = not_seen
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["what"].as_str().unwrap().contains("10.9.9.9:2181"))
        .unwrap_or_else(|| panic!("{not_seen}"));
    assert_eq!(told["required"], false);
    assert_eq!(told["why"], "the recording holds nothing of this registry");
    assert!(
        told["how_to_see"]
            .as_str()
            .unwrap()
            .contains("without --snapshot")
    );
}

/// What stands above the nodes that are asked for is read in every pass over a recording, and written once.
#[test]
fn a_recording_of_a_recording_has_every_line_once() {
    let path = case("zookeeper_3.1.11_wrong-group-check-true");
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("again");
    let done = run(&[
        "snapshot",
        "green/org.example.lab.api.OrderService",
        "--snapshot",
        path.to_str().unwrap(),
        "--registry",
        "zookeeper://127.0.0.1:21182",
        "--out",
        out.to_str().unwrap(),
    ]);
    assert_eq!(done.exit, 0, "{done:?}");
    let text = std::fs::read_to_string(out.join("r1.jsonl")).unwrap();
    let lines: BTreeSet<&str> = text.lines().collect();
    assert!(lines.len() > 5, "{text}");
    assert_eq!(lines.len(), text.lines().count(), "{text}");
}
