//! The binary as a user or a script meets it: exit codes, streams, help, languages, secrets, interruption.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests lay out their own files, start processes, measure time, and fail where something is missing"
)]

mod everything;
mod exits;
mod help;
mod interrupt;
mod logs;
mod reports;
mod settings;
mod terminal;

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use diag::model::url::encode;
use serde_json::{Value, json};

/// The binary with nothing in its environment but a UTF-8 locale and an empty home.
pub(crate) fn diag(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_diag"));
    command
        .env_clear()
        .env("HOME", home)
        .env("LANG", "C.UTF-8")
        .current_dir(home);
    command
}

/// What a run left behind.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) exit: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Done {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Runs the binary with these arguments in an empty home.
pub(crate) fn run(args: &[&str]) -> Done {
    let home = tempfile::tempdir().unwrap();
    done(diag(home.path()).args(args))
}

/// Runs the binary. Whatever it says on stderr in any test must have its Chinese.
pub(crate) fn done(command: &mut Command) -> Done {
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("only text is written");
    let done = Done {
        exit: output.status.code().unwrap_or(-1),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    };
    let left = crate::errors::leftovers(&done.stderr);
    assert!(left.is_empty(), "English in Chinese:\n{}", left.join("\n"));
    done
}

/// The recording of a handed case.
pub(crate) fn case(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures/cases/captures")
        .join(name);
    let packed = dir.join("snapshot.tar.gz");
    let path = if packed.exists() {
        packed
    } else {
        dir.join("snapshot")
    };
    assert!(path.exists(), "{}", path.display());
    path
}

/// A recording of one ZooKeeper, written for a test.
#[derive(Debug)]
pub(crate) struct Recorded {
    dir: tempfile::TempDir,
}

impl Recorded {
    /// One where these provider URLs are registered for an interface, and everything was read.
    pub(crate) fn providers(interface: &str, urls: &[&str]) -> Self {
        let names: Vec<String> = urls.iter().map(|url| encode(url)).collect();
        Self::nodes(&[
            ("/", json!(["dubbo"])),
            ("/dubbo", json!([encode(interface)])),
            (
                &format!("/dubbo/{}", encode(interface)),
                json!(["configurators", "providers", "routers"]),
            ),
            (
                &format!("/dubbo/{}/configurators", encode(interface)),
                json!([]),
            ),
            (
                &format!("/dubbo/{}/providers", encode(interface)),
                json!(names),
            ),
            (&format!("/dubbo/{}/routers", encode(interface)), json!([])),
        ])
    }

    /// One with these nodes and their children.
    pub(crate) fn nodes(nodes: &[(&str, Value)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let manifest = json!({
            "diag_snapshot": 1,
            "recorded_by": "test",
            "recorded_at": "2026-03-04T05:06:07.000Z",
            "scope": {"services": [], "all": true},
            "sources": {"r1": {"kind": "zookeeper", "roles": ["registry", "config-center", "metadata"], "url": REGISTRY}},
            "ended": "complete",
        });
        std::fs::write(dir.path().join("manifest.json"), manifest.to_string()).unwrap();
        let mut lines: Vec<String> = nodes
            .iter()
            .map(|(path, children)| {
                json!({"op": "zk.node", "path": path, "children": children}).to_string()
            })
            .collect();
        lines.sort();
        std::fs::write(dir.path().join("r1.jsonl"), lines.join("\n") + "\n").unwrap();
        Self { dir }
    }

    /// Further answers of its registry.
    pub(crate) fn with_lines(&self, lines: &[Value]) {
        let path = self.dir.path().join("r1.jsonl");
        let mut text = std::fs::read_to_string(&path).unwrap();
        for line in lines {
            text += &(line.to_string() + "\n");
        }
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn path(&self) -> &str {
        self.dir.path().to_str().unwrap()
    }
}

/// Why a starting consumer of this recording sees no provider.
pub(crate) fn question<'a>(service: &'a str, recorded: &'a Recorded) -> Vec<&'a str> {
    vec![
        "no-provider",
        service,
        "--registry",
        REGISTRY,
        "--snapshot",
        recorded.path(),
        "--consumer",
        "starting",
    ]
}

/// Address of the recorded registry.
pub(crate) const REGISTRY: &str = "zookeeper://10.0.0.2:2181";

/// A provider URL.
pub(crate) fn provider(host: &str, interface: &str, rest: &str) -> String {
    format!(
        "dubbo://{host}:20880/{interface}?application=order-app&category=providers&dubbo=2.0.2&interface={interface}\
         &methods=get&release=3.2.16&side=provider{rest}"
    )
}
