//! On a real terminal (a pseudo-terminal by `script`): colours and a spinner there, neither in a pipe, no control codes with
//! `TERM=dumb`, readable at 40 and at 200 columns.

use std::process::Command;

use super::{REGISTRY, Recorded, diag, done, provider, question};

const SERVICE: &str = "com.acme.OrderService";

fn recorded() -> Recorded {
    let urls: Vec<String> = (1..=4)
        .map(|host| provider(&format!("10.0.0.{host}"), SERVICE, "&group=gray"))
        .collect();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    Recorded::providers(SERVICE, &urls)
}

/// What a terminal of this width gets to see; `None` where there is no `script`.
fn on_terminal(columns: u16, term: &str, args: &[&str]) -> Option<String> {
    if Command::new("script").arg("--version").output().is_err() {
        assert!(
            std::env::var_os("DIAG_SHELLS").is_none(),
            "script is missing"
        );
        return None;
    }
    let home = tempfile::tempdir().unwrap();
    let words: Vec<String> = args.iter().map(|word| format!("'{word}'")).collect();
    let line = format!(
        "stty cols {columns} rows 50; exec '{}' {}",
        env!("CARGO_BIN_EXE_diag"),
        words.join(" ")
    );
    let output = Command::new("script")
        .args(["-qefc", &line, "/dev/null"])
        .env_clear()
        .env("HOME", home.path())
        .env("PATH", "/usr/bin:/bin")
        .env("LANG", "C.UTF-8")
        .env("SHELL", "/bin/sh")
        .env("TERM", term)
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    Some(String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n"))
}

#[test]
fn colours_on_a_terminal_and_nowhere_else() {
    let recorded = recorded();
    let args = question(SERVICE, &recorded);
    let Some(seen) = on_terminal(80, "xterm-256color", &args) else {
        return;
    };
    assert!(
        seen.contains("\u{1b}[") && seen.contains("DG2101"),
        "{seen:?}"
    );
    let dumb = on_terminal(80, "dumb", &args).unwrap();
    assert!(
        !dumb.contains('\u{1b}') && dumb.contains("DG2101"),
        "{dumb:?}"
    );
    let home = tempfile::tempdir().unwrap();
    let piped = done(diag(home.path()).args(&args));
    assert!(!piped.stdout.contains('\u{1b}'), "{piped:?}");
    let forced = done(diag(home.path()).env("CLICOLOR_FORCE", "1").args(&args));
    assert!(forced.stdout.contains('\u{1b}'), "{forced:?}");
}

/// A registry that takes the connection and says nothing keeps the spinner turning.
#[test]
fn a_spinner_on_a_terminal_and_nowhere_else() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("zookeeper://{}", listener.local_addr().unwrap());
    let args = [
        "no-provider",
        SERVICE,
        "--registry",
        &address,
        "--deadline",
        "700ms",
    ];
    let Some(seen) = on_terminal(80, "xterm", &args) else {
        return;
    };
    let turns = |text: &str| text.chars().any(|c| ('\u{2800}'..='\u{28ff}').contains(&c));
    assert!(turns(&seen), "{seen:?}");
    let dumb = on_terminal(80, "dumb", &args).unwrap();
    assert!(!turns(&dumb) && !dumb.contains('\u{1b}'), "{dumb:?}");
    let home = tempfile::tempdir().unwrap();
    let piped = done(diag(home.path()).args(args));
    assert_eq!(piped.stderr, "");
}

/// A rule under a key that is wider than half a screen.
fn ruled() -> Recorded {
    let urls: Vec<String> = (1..=4)
        .map(|host| provider(&format!("10.0.0.{host}"), LONG, ""))
        .collect();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    let recorded = Recorded::providers(LONG, &urls);
    recorded.with_lines(&[
        serde_json::json!({"op": "zk.node", "path": "/dubbo", "children": [LONG, "config"], "at": "2026-03-04T05:06:07.001Z"}),
        serde_json::json!({"op": "zk.node", "path": "/dubbo/config", "children": ["dubbo"]}),
        serde_json::json!({"op": "zk.node", "path": "/dubbo/config/dubbo", "children": [format!("{LONG}::.condition-router")]}),
        serde_json::json!({"op": "zk.node", "path": format!("/dubbo/config/dubbo/{LONG}::.condition-router"),
            "text": format!("scope: service\nkey: {LONG}\nforce: true\nenabled: true\nruntime: true\nconditions:\n  - '=> host = 10.9.*'\n")}),
    ]);
    recorded
}

const LONG: &str = "com.acme.international.orders.fulfilment.api.v2.OrderFulfilmentQueryService";

#[test]
fn a_long_rule_key_does_not_stick_out() {
    let recorded = ruled();
    for columns in [80_u16, 200] {
        let args = [
            "no-provider",
            LONG,
            "--registry",
            REGISTRY,
            "--snapshot",
            recorded.path(),
            "--consumer",
            "starting",
            "--consumer-ip",
            "10.1.0.9",
            "--consumer-app",
            "web",
            "--dubbo",
            "2.7.23",
            "--color",
            "never",
        ];
        let Some(seen) = on_terminal(columns, "xterm", &args) else {
            return;
        };
        assert!(seen.contains("DG5001"), "{seen}");
        for line in seen.lines() {
            let is_command = line.trim().starts_with("diag ");
            assert!(
                is_command || line.chars().count() <= usize::from(columns),
                "{columns}: {line}\n{seen}"
            );
        }
    }
}

#[test]
fn a_histogram_fits_a_narrow_terminal() {
    let recorded = Recorded::providers(SERVICE, &[&provider("10.0.0.7", SERVICE, "")]);
    let folder = tempfile::tempdir().unwrap();
    let samples = folder.path().join("rt.txt");
    let times: Vec<String> = (1..=400).map(|n| (n % 97 * n % 311).to_string()).collect();
    std::fs::write(&samples, times.join("\n")).unwrap();
    for columns in [40_u16, 60, 200] {
        for lang in ["en", "zh"] {
            let args = [
                "timeout-budget",
                SERVICE,
                "get",
                "--samples",
                samples.to_str().unwrap(),
                "--registry",
                REGISTRY,
                "--snapshot",
                recorded.path(),
                "--color",
                "never",
                "--lang",
                lang,
            ];
            let Some(seen) = on_terminal(columns, "xterm", &args) else {
                return;
            };
            let bars = seen.lines().filter(|line| line.contains('█')).count();
            assert!(bars >= 3, "{seen}");
            for line in seen.lines().filter(|line| line.contains(['█', '▏', '<'])) {
                let width: usize = line
                    .chars()
                    .map(|c| if c > '\u{2e80}' { 2 } else { 1 })
                    .sum();
                assert!(width <= usize::from(columns), "{columns}: {line}\n{seen}");
            }
        }
    }
}

/// Recordings of real registries with long names, in both models: nothing sticks out, and no word of a table is cut.
#[test]
fn real_recordings_fit_a_narrow_terminal() {
    let root = "fixtures/cases/captures";
    for (folder, verb) in [
        ("zookeeper_3.2.16_healthy-interface", "no-provider"),
        ("nacos_2.5.1_dubbo-3.2.16_mapping-missing", "no-provider"),
        ("zookeeper_2.7.23_condition-force-empty", "no-provider"),
        ("zookeeper_3.2.16_healthy-interface", "timeout-budget"),
        ("zookeeper_3.2.16_healthy-interface", "route-replay"),
    ] {
        let snapshot = format!(
            "{}/{root}/{folder}/snapshot.tar.gz",
            env!("CARGO_MANIFEST_DIR")
        );
        if !std::path::Path::new(&snapshot).exists() {
            continue;
        }
        for lang in ["en", "zh"] {
            let args = [
                verb,
                "org.example.lab.api.OrderService",
                "--snapshot",
                &snapshot,
                "--lang",
                lang,
                "--color",
                "never",
            ];
            let Some(seen) = on_terminal(40, "xterm", &args) else {
                return;
            };
            assert!(seen.lines().count() > 10, "{seen}");
            for line in seen.lines() {
                let width: usize = line
                    .chars()
                    .map(|c| if c > '\u{2e80}' { 2 } else { 1 })
                    .sum();
                let whole = ["diag ", "curl ", "nc "]
                    .iter()
                    .any(|name| line.trim().starts_with(name));
                // A revision is copied: it stays whole, alone on its line.
                let is_word = line.trim().chars().all(char::is_alphanumeric);
                assert!(
                    width <= 40 || whole || is_word,
                    "{folder} {verb}: {line}\n{seen}"
                );
            }
            if verb == "no-provider" && lang == "en" {
                for word in ["registered", "matching", "interface level"] {
                    assert!(seen.contains(word), "{folder}: {word} is cut\n{seen}");
                }
            }
        }
    }
}

#[test]
fn narrow_and_wide_terminals_are_both_readable() {
    let recorded = recorded();
    for columns in [40_u16, 200] {
        for lang in ["en", "zh"] {
            let mut args = question(SERVICE, &recorded);
            args.extend(["--lang", lang, "--color", "never"]);
            let Some(seen) = on_terminal(columns, "xterm", &args) else {
                return;
            };
            for line in seen.lines() {
                let width: usize = line
                    .chars()
                    .map(|c| if c > '\u{2e80}' { 2 } else { 1 })
                    .sum();
                // A command stays whole.
                let whole = ["diag ", "curl ", "nc "]
                    .iter()
                    .any(|name| line.trim().starts_with(name));
                assert!(width <= usize::from(columns) || whole, "{columns}: {line}");
            }
            assert!(
                seen.contains("DG2101") && seen.lines().count() > 10,
                "{seen}"
            );
        }
    }
}
