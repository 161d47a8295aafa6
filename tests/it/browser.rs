//! HTML in a real browser: it says nothing on its console, makes of the file the elements that stand in it, and prints it.
//!
//! Needs Chromium. Without one the tests say so and do nothing, unless `DIAG_BROWSER` makes its absence a failure.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "tests lay out their own files, start a browser, and say when there is none"
)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::cli::{diag, done};

/// Its names on the systems that have it.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// So long one page may take, on a machine that has more to do.
const LIMIT: Duration = Duration::from_secs(120);

fn browser() -> Option<PathBuf> {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&paths)
        .flat_map(|folder| NAMES.map(|name| folder.join(name)))
        .find(|path| path.is_file());
    if found.is_none() {
        assert!(
            std::env::var_os("DIAG_BROWSER").is_none(),
            "no browser: apt-get install chromium"
        );
        eprintln!(
            "SKIPPED: no browser is here, so no page was looked at (apt-get install chromium)"
        );
    }
    found
}

/// What the browser does with a page: stdout and stderr.
fn opened(browser: &Path, folder: &Path, page: &Path, more: &[&str]) -> (String, String) {
    let profile = folder.join("profile");
    let mut command = Command::new(browser);
    command
        .args([
            "--headless",
            // The tests of a container run as root.
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--enable-logging=stderr",
        ])
        .arg(format!("--user-data-dir={}", profile.display()))
        .args(more)
        .arg(format!("file://{}", page.display()))
        .env("HOME", folder)
        .stdin(Stdio::null())
        .stdout(std::fs::File::create(folder.join("out")).unwrap())
        .stderr(std::fs::File::create(folder.join("err")).unwrap());
    let mut child = command.spawn().unwrap();
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed() > LIMIT {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("the browser does not end");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let read = |name: &str| {
        String::from_utf8_lossy(&std::fs::read(folder.join(name)).unwrap()).into_owned()
    };
    (read("out"), read("err"))
}

/// How often each element stands in a page, those left out that a browser adds by itself.
fn elements(html: &str) -> Vec<(String, usize)> {
    let mut counts = std::collections::BTreeMap::new();
    for tag in html.split('<').skip(1) {
        let name: String = tag
            .chars()
            .take_while(char::is_ascii_alphanumeric)
            .collect();
        if !name.is_empty() && !matches!(name.as_str(), "tbody" | "style") {
            *counts.entry(name.to_ascii_lowercase()).or_insert(0) += 1;
        }
    }
    counts.into_iter().collect()
}

#[test]
fn every_page_opens_without_a_word_on_the_console() {
    let Some(browser) = browser() else { return };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut asks: Vec<(&str, String, &str, Vec<String>, usize)> = Vec::new();
    let mut ask = |name, folder: &str, lang, args: &str, pictures| {
        let words = args.split(' ').map(str::to_owned).collect();
        asks.push((name, folder.to_owned(), lang, words, pictures));
    };
    ask(
        "no-provider",
        "fixtures/cases/captures/nacos_2.5.1_dubbo-2.7.23_condition-force-empty",
        "en",
        "no-provider org.example.lab.api.OrderService --snapshot snapshot.tar.gz --dubbo 2.7.23 --consumer starting",
        1,
    );
    ask(
        "timeout-budget",
        "fixtures/budget/7006-samples",
        "zh",
        "timeout-budget com.acme.UserService getUser --samples rt.txt --snapshot snapshot --registry zookeeper://10.0.0.2:2181",
        1,
    );
    ask("explain", ".", "zh", "explain DG5001", 0);
    ask("explain", ".", "en", "explain 2-2", 0);
    // The other verbs as their first fixtures ask.
    for (name, root, lang) in [
        ("route-replay", "fixtures/route_replay", "en"),
        ("lint", "fixtures/lint", "zh"),
    ] {
        let cases = crate::cases::case::cases_under(root);
        let case = cases
            .iter()
            .find(|case| case.ask.first().is_some_and(|verb| verb == name))
            .unwrap();
        let mut words = case.ask.clone();
        for snapshot in ["snapshot", "snapshot.tar.gz"] {
            if case.dir.join(snapshot).exists() {
                words.extend(["--snapshot".to_owned(), snapshot.to_owned()]);
            }
        }
        asks.push((name, case.dir.display().to_string(), lang, words, 0));
    }
    for (name, folder, lang, args, pictures) in asks {
        let home = tempfile::tempdir().unwrap();
        let page = done(
            diag(home.path())
                .current_dir(root.join(&folder))
                .args(&args)
                .args(["-o", "html", "--lang", lang]),
        )
        .stdout;
        assert!(page.matches("<svg ").count() >= pictures, "{name}: {page}");
        let file = home.path().join("page.html");
        std::fs::write(&file, &page).unwrap();
        let (dom, said) = opened(&browser, home.path(), &file, &["--dump-dom"]);
        let console: Vec<&str> = said
            .lines()
            .filter(|line| line.contains("CONSOLE"))
            .collect();
        assert!(console.is_empty(), "{name}: {console:?}");
        assert_eq!(elements(&dom), elements(&page), "{name}\n{said}");
        if name == "timeout-budget" {
            let pdf = home.path().join("page.pdf");
            let to = format!("--print-to-pdf={}", pdf.display());
            let (_, said) = opened(&browser, home.path(), &file, &[&to]);
            let bytes = std::fs::read(&pdf).unwrap_or_else(|error| panic!("{error}: {said}"));
            assert!(bytes.starts_with(b"%PDF-"), "{name}");
        }
    }
}

/// The test would see a page that is wrong.
#[test]
fn a_broken_page_is_noticed() {
    let Some(browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    let page = "<!doctype html><html><head><title>x</title><script>console.error('ouch')</script></head>\
                <body><table><tr><td>a<p>b</table></p></body></html>";
    std::fs::write(&file, page).unwrap();
    let (dom, said) = opened(&browser, folder.path(), &file, &["--dump-dom"]);
    assert!(said.contains("CONSOLE") && said.contains("ouch"), "{said}");
    assert_ne!(elements(&dom), elements(page), "{dom}");
}
