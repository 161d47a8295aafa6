//! Completion: the committed scripts are those of the program, and real shells get live names from it.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests read and, when asked to, rewrite the scripts, and start shells"
)]

use std::{
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use crate::cli::{Recorded, diag, done, provider, run};

/// Shell and file.
const SCRIPTS: [(&str, &str); 5] = [
    ("bash", "diag.bash"),
    ("zsh", "_diag"),
    ("fish", "diag.fish"),
    ("powershell", "_diag.ps1"),
    ("elvish", "diag.elv"),
];

#[test]
fn the_committed_scripts_are_those_of_the_program() {
    for (shell, file) in SCRIPTS {
        let done = run(&["completions", shell]);
        assert_eq!((done.exit, done.stderr.as_str()), (0, ""), "{shell}");
        let file = Path::new("completions").join(file);
        if std::env::var_os("DIAG_BLESS").is_some() {
            std::fs::create_dir_all("completions").unwrap();
            std::fs::write(&file, &done.stdout).unwrap();
        }
        let kept = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(
            kept == done.stdout,
            "{}: DIAG_BLESS=1 cargo test --test it committed_scripts writes it",
            file.display()
        );
        for word in ["route-replay", "timeout-budget", "registry", "profile"] {
            assert!(kept.contains(word), "{shell}: {word}");
        }
    }
}

fn recorded() -> Recorded {
    Recorded::providers(
        "com.acme.OrderService",
        &[&provider(
            "10.0.0.7",
            "com.acme.OrderService",
            "&group=blue",
        )],
    )
}

fn names(words: &[&str]) -> String {
    let done = run(&[&["__names"], words].concat());
    assert_eq!((done.exit, done.stderr.as_str()), (0, ""), "{words:?}");
    done.stdout
}

#[test]
fn names_come_from_the_program_and_from_a_recording() {
    let recorded = recorded();
    let at = recorded.path();
    assert_eq!(
        names(&["no-provider", "--snapshot", at, "com."]),
        "com.acme.OrderService\n"
    );
    assert_eq!(
        names(&["no-provider", "--snapshot", at, "blue/com."]),
        "blue/com.acme.OrderService\n"
    );
    assert_eq!(
        names(&["no-provider", "--snapshot", at, "x", "--group", ""]),
        "blue\n"
    );
    assert!(names(&["explain", "DG210"]).starts_with("DG2101\nDG2102\n"));
    assert!(names(&["explain", "2-"]).contains("2-2\n"));
    assert!(names(&["no-provider", "x", "--skip", "DG5001"]).starts_with("DG5001"));
    for silent in [
        &["no-provider", "--snapshot", "/nowhere", "com."][..],
        &["no-provider", "--config", "/nowhere", "com."],
        &["no-provider", "--registry", "not an address", "com."],
        &["no-provider"],
        &[],
    ] {
        assert_eq!(names(silent), "", "{silent:?}");
    }
}

#[test]
fn profiles_come_from_the_settings_file() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("diag.toml");
    std::fs::write(
        &file,
        "[profiles.prod]\nnamespace = 'a'\n[profiles.pre]\nnamespace = 'b'\n",
    )
    .unwrap();
    let file = file.to_str().unwrap();
    assert_eq!(
        names(&["no-provider", "x", "--config", file, "--profile", "p"]),
        "pre\nprod\n"
    );
    assert_eq!(
        names(&["no-provider", "x", "--config", file, "--profile=pro"]),
        "--profile=prod\n"
    );
}

/// A registry that takes the connection and says nothing.
#[test]
fn a_silent_registry_ends_at_the_deadline() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("zookeeper://{}", listener.local_addr().unwrap());
    let took = |words: &[&str]| {
        let before = Instant::now();
        assert_eq!(names(words), "");
        before.elapsed()
    };
    // The best of some: a machine that is busy with other things must not count as the program's.
    let silent = (0..8)
        .map(|_| took(&["no-provider", "--registry", &address, "com."]))
        .min()
        .unwrap();
    let start = (0..8).map(|_| took(&["no-provider"])).min().unwrap();
    assert!(
        silent < start + Duration::from_millis(450),
        "300 ms are promised: {silent:?}, and {start:?} to start"
    );
}

/// The same behind a registry that answers every request, so slowly that the list is not there in time.
#[test]
fn a_slow_registry_ends_at_the_deadline() {
    let address = crate::zookeeper::impostors::impostor(|mut stream| {
        use std::io::{Read as _, Write as _};
        let mut chunk = [0; 512];
        while let Ok(1..) = stream.read(&mut chunk) {
            std::thread::sleep(Duration::from_millis(200));
            // The session is granted, one byte at a time.
            for byte in [0, 0, 0, 37, 0, 0, 0, 0, 0, 0, 0x27, 0x10] {
                std::thread::sleep(Duration::from_millis(50));
                if stream.write_all(&[byte]).is_err() {
                    return;
                }
            }
        }
    });
    let registry = format!("zookeeper://{address}");
    let best = (0..5)
        .map(|_| {
            let before = Instant::now();
            assert_eq!(names(&["no-provider", "--registry", &registry, "com."]), "");
            before.elapsed()
        })
        .min()
        .unwrap();
    assert!(best < Duration::from_millis(700), "{best:?}");
}

/// In a shell as somebody types into it: where a service stands no file is offered, behind `lint` they are.
#[test]
fn an_interactive_bash_offers_no_files_for_services() {
    use std::io::Write as _;
    if !has("bash") || !has("script") {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("only-file-here.yaml"), "x").unwrap();
    let bin = Path::new(env!("CARGO_BIN_EXE_diag")).parent().unwrap();
    let ask = |line: &str| {
        let mut child = Command::new("script")
            .args(["-qefc", "bash --norc --noprofile -i", "/dev/null"])
            .current_dir(home.path())
            .env_clear()
            .env("HOME", home.path())
            .env("TERM", "dumb")
            .env("PS1", "> ")
            .env("LANG", "C.UTF-8")
            .env("SHELL", "/bin/bash")
            .env("PATH", format!("{}:/usr/bin:/bin", bin.display()))
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut typed = child.stdin.take().unwrap();
        let mut send = |text: &str| {
            typed.write_all(text.as_bytes()).unwrap();
            typed.flush().unwrap();
            std::thread::sleep(Duration::from_millis(1200));
        };
        send(&format!("source {}\n", script("diag.bash")));
        send(&format!("{line}\t"));
        send("\t");
        // The line is thrown away.
        send("\u{15}\u{3}exit\n");
        drop(typed);
        let output = child.wait_with_output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    for line in [
        "diag no-provider blue/S",
        "diag no-provider blue/com.acme.OrderService:",
        "diag timeout-budget ",
    ] {
        let seen = ask(line);
        assert!(!seen.contains("only-file-here"), "{line}: {seen}");
    }
    let seen = ask("diag lint on");
    assert!(seen.contains("only-file-here"), "{seen}");
}

/// Whether a shell is there. On a machine that must have it, it is an error when it is not.
fn has(shell: &str) -> bool {
    let there = Command::new(shell).arg("--version").output().is_ok();
    assert!(
        there || std::env::var_os("DIAG_SHELLS").is_none(),
        "{shell} is missing"
    );
    there
}

/// What a shell prints for a script, with the program on its path.
fn shell(shell: &str, args: &[&str], script: &str) -> String {
    let home = tempfile::tempdir().unwrap();
    let bin = Path::new(env!("CARGO_BIN_EXE_diag")).parent().unwrap();
    let mut command = Command::new(shell);
    command
        .args(args)
        .arg(script)
        .env_clear()
        .env("HOME", home.path())
        .env("LANG", "C.UTF-8")
        .env(
            "PATH",
            format!("{}:/usr/bin:/bin:/usr/local/bin", bin.display()),
        );
    let output = command.output().unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "",
        "{shell}: {script}"
    );
    String::from_utf8(output.stdout).unwrap()
}

fn script(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("completions")
        .join(name)
        .display()
        .to_string()
}

fn bash(line: &str) -> String {
    // As bash cuts: a colon or an equal sign is a word, and what stands behind it another.
    let spaced = line.replace(':', " : ").replace('=', " = ");
    let ends = line.ends_with([' ', ':', '=']);
    let mut cut: Vec<&str> = spaced.split_whitespace().collect();
    if ends {
        cut.push("");
    }
    let script = format!(
        "source {}; compopt() {{ :; }}; COMP_LINE='{line}'; COMP_POINT=${{#COMP_LINE}}; COMP_WORDS=({}); COMP_CWORD={}; \
         COMP_TYPE=9; COMPREPLY=(); _diag_live diag '{}' '{}'; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        script("diag.bash"),
        cut.iter()
            .map(|word| format!("'{word}'"))
            .collect::<Vec<_>>()
            .join(" "),
        cut.len() - 1,
        cut.last().unwrap(),
        cut[cut.len() - 2],
    );
    shell("bash", &["--norc", "-c"], &script)
}

#[test]
fn bash_completes_names_and_flags_and_has_no_trouble_with_colons() {
    if !has("bash") {
        return;
    }
    let recorded = recorded();
    let at = recorded.path();
    assert_eq!(
        bash(&format!("diag no-provider --snapshot {at} com.a")),
        "com.acme.OrderService\n"
    );
    assert!(bash("diag no-provider --no-sw").contains("--no-sweep"));
    assert!(bash("diag expl").contains("explain"));
    assert!(bash("diag explain DG5001").contains("DG5001"));

    // Behind a colon or an equal sign no flag can stand.
    for line in [
        "diag no-provider com.x.Y:",
        "diag no-provider com.x.Y:1",
        "diag no-provider blue/com.x.Y:1.0:",
        "diag no-provider --deadline=",
        "diag no-provider com.x.Y --param a=",
    ] {
        assert_eq!(bash(line).trim(), "", "{line}");
    }
    assert_eq!(bash("diag no-provider --fail-on=w"), "warning\n");
    assert_eq!(
        bash("diag no-provider --fail-on="),
        "info\nwarning\nerror\n"
    );

    let keyed = Recorded::nodes(&[(
        "/dubbo/config/dubbo",
        serde_json::json!(["com.a.B::.condition-router", "com.a.B:1.0:.tag-router"]),
    )]);
    let line = format!("diag lint x --snapshot {} --key com.a.B:", keyed.path());
    // bash has cut the word behind the last colon, and puts the answer there.
    assert_eq!(bash(&line), "1.0:.tag-router\n:.condition-router\n");
    let line = format!("diag lint x --snapshot {} --key com.a.B", keyed.path());
    assert_eq!(
        bash(&line),
        "com.a.B:1.0:.tag-router\ncom.a.B::.condition-router\n"
    );
}

#[test]
fn zsh_completes_live_names() {
    if !has("zsh") {
        return;
    }
    let recorded = recorded();
    let script = format!(
        "autoload -Uz compinit && compinit -u -D; source {}; compadd() {{ print -l -- \"$@\" }}; \
         words=(diag no-provider --snapshot {} com.); CURRENT=5; _diag",
        script("_diag"),
        recorded.path()
    );
    assert_eq!(
        shell("zsh", &["-f", "-c"], &script),
        "--\ncom.acme.OrderService\n"
    );
}

#[test]
fn fish_completes_live_names_and_values() {
    if !has("fish") {
        return;
    }
    let recorded = recorded();
    let ask = |line: &str| {
        shell(
            "fish",
            &["--no-config", "-c"],
            &format!("source {}; complete -C '{line}'", script("diag.fish")),
        )
    };
    let names = ask(&format!(
        "diag no-provider --snapshot {} com.",
        recorded.path()
    ));
    assert!(
        names.lines().any(|line| line == "com.acme.OrderService"),
        "{names}"
    );
    let codes = ask("diag no-provider x --skip DG500");
    assert!(codes.lines().any(|line| line == "DG5001"), "{codes}");
    let flags = ask("diag no-provider --no-s");
    assert!(flags.contains("--no-sweep"), "{flags}");
}

/// Nobody who reads the help meets the word that shells use.
#[test]
fn the_word_of_the_shells_is_not_in_the_help() {
    let home = tempfile::tempdir().unwrap();
    let help = done(diag(home.path()).arg("--help"));
    assert!(!help.stdout.contains("__names"));
}
