//! Recordings that were written by hand, and what one question reads of a large one.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use diag::observe::recorded::Recording;
use diag::snapshot::{Key, Limits, Seen, SnapshotError, SourceId, Want, Writer};

use super::files::{LINE, MANIFEST, folder, get, put};

fn r1() -> SourceId {
    SourceId::new("r1").expect("an id")
}

#[test]
fn a_recording_written_by_hand_is_read() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/snapshot/minimal");
    let mut recording = Recording::open(&path).unwrap();
    let mut snapshot = recording.snapshot();
    assert_eq!(
        snapshot.manifest().recorded_at.as_str(),
        "2026-11-29T20:42:37.774Z"
    );
    let wants = [
        Want::zk_children(&r1(), "/dubbo/com.acme.Order/providers"),
        Want::zk_data(&r1(), "/dubbo/config/dubbo/acme-web.condition-router"),
        Want::zk_children(&r1(), "/dubbo/com.acme.Other/providers"),
        Want::zk_children(&r1(), "/services"),
    ];
    recording.fill(&mut snapshot, &wants).unwrap();
    assert_eq!(
        snapshot
            .zk_children(&r1(), "/dubbo/com.acme.Order/providers", None)
            .here()
            .unwrap()
            .len(),
        0
    );
    let rule = snapshot.zk_data(&r1(), "/dubbo/config/dubbo/acme-web.condition-router", None);
    assert_eq!(rule.here().unwrap(), "force: true\nkey: acme-web\n");
    assert!(matches!(
        snapshot.zk_children(&r1(), "/dubbo/com.acme.Other/providers", None),
        Seen::Absent(Some(_))
    ));
    assert_eq!(
        snapshot.zk_children(&r1(), "/services", None),
        Seen::Unasked
    );
    let not_had: Vec<&Want> = snapshot.without_answer().collect();
    assert_eq!(not_had, [&wants[2], &wants[3]]);
    // Written again, the remark and the unknown operation are still there.
    let out = tempfile::tempdir().unwrap();
    let all = Recording::open(&path).unwrap().read_all().unwrap();
    Writer::new(out.path().join("s"))
        .unwrap()
        .write(&all)
        .unwrap();
    let lines = String::from_utf8(get(&out.path().join("s/r1.jsonl"))).unwrap();
    assert!(lines.contains(r#""remark":"a field that nobody knows""#));
    assert!(
        lines.ends_with(
            "{\"op\":\"zk.weather\",\"path\":\"/dubbo\",\"forecast\":{\"rain\":true}}\n"
        )
    );
}

#[test]
fn a_byte_order_mark_and_foreign_line_ends_do_no_harm() {
    let bom = "\u{feff}";
    let given = folder(&[
        ("manifest.json", &format!("{bom}{MANIFEST}")),
        ("r1.jsonl", &format!("{bom}{}\r\n\r\n", LINE.trim_end())),
    ]);
    let snapshot = Recording::open(given.path()).unwrap().read_all().unwrap();
    assert_eq!(snapshot.zk_data(&r1(), "/a", None).here().unwrap(), "b");
}

#[test]
fn one_question_keeps_its_answers_its_history_and_the_lists_above() {
    let lines = r#"{"op":"zk.node","path":"/dubbo","at":"2026-11-29T20:00:01Z","children":["old"]}
{"op":"zk.node","path":"/dubbo","at":"2026-11-29T20:00:02Z","children":["com.x.Order"]}
{"op":"zk.node","path":"/dubbo","text":"data of an ancestor"}
{"op":"zk.node","path":"/dubbo/com.x.Order","children":["providers"]}
{"op":"zk.node","path":"/dubbo/com.x.Order/providers","at":"2026-11-29T20:00:01Z","children":["p1"]}
{"op":"zk.node","path":"/dubbo/com.x.Order/providers","at":"2026-11-29T20:00:02Z","children":[]}
{"op":"zk.node","path":"/dubbo/com.y.Other/providers","children":["p2"]}
"#;
    let given = folder(&[("manifest.json", MANIFEST), ("r1.jsonl", lines)]);
    for kept_bytes in [0, 1 << 20] {
        let mut recording = Recording::open_within(
            given.path(),
            Limits {
                kept_bytes,
                ..Limits::default()
            },
        )
        .unwrap();
        let mut snapshot = recording.snapshot();
        let wants = [Want::zk_children(&r1(), "/dubbo/com.x.Order/providers")];
        recording.fill(&mut snapshot, &wants).unwrap();
        let count = |path: &str| snapshot.lines(&r1(), &Key::zk_node(path)).len();
        assert_eq!(count("/dubbo/com.x.Order/providers"), 2);
        assert_eq!(snapshot.history(&r1(), &wants[0].key).len(), 1);
        assert_eq!(count("/dubbo"), 1);
        assert_eq!(
            snapshot.zk_children(&r1(), "/dubbo", None).here().unwrap(),
            ["com.x.Order"]
        );
        assert_eq!(count("/dubbo/com.y.Other/providers"), 0);
        // Asked for itself, the ancestor has its history and data too.
        recording
            .fill(&mut snapshot, &[Want::zk_data(&r1(), "/dubbo")])
            .unwrap();
        assert_eq!(snapshot.lines(&r1(), &Key::zk_node("/dubbo")).len(), 3);
        assert_eq!(
            snapshot.zk_data(&r1(), "/dubbo", None).here().unwrap(),
            "data of an ancestor"
        );
    }
}

#[test]
fn a_secret_in_a_path_written_by_hand_is_masked_and_still_found() {
    let lines = r#"{"op":"zk.node","path":"/dubbo/x/providers","children":["dubbo%3A%2F%2Fh%3Fpassword%3Dc4nary%26a%3D1"]}
{"op":"zk.node","path":"/dubbo/x/providers/dubbo%3A%2F%2Fh%3Fpassword%3Dc4nary%26a%3D1","text":"token=c4nary"}
"#;
    let given = folder(&[("manifest.json", MANIFEST), ("r1.jsonl", lines)]);
    for kept_bytes in [0, 1 << 20] {
        let mut recording = Recording::open_within(
            given.path(),
            Limits {
                kept_bytes,
                ..Limits::default()
            },
        )
        .unwrap();
        let mut snapshot = recording.snapshot();
        recording
            .fill(
                &mut snapshot,
                &[Want::zk_children(&r1(), "/dubbo/x/providers")],
            )
            .unwrap();
        let child = snapshot
            .zk_children(&r1(), "/dubbo/x/providers", None)
            .here()
            .unwrap()[0]
            .clone();
        assert_eq!(child, "dubbo%3A%2F%2Fh%3Fpassword%3D***%26a%3D1");
        let path = format!("/dubbo/x/providers/{child}");
        recording
            .fill(&mut snapshot, &[Want::zk_data(&r1(), &path)])
            .unwrap();
        assert_eq!(
            snapshot.zk_data(&r1(), &path, None).here().unwrap(),
            "token=***"
        );
        assert!(!format!("{snapshot:?}").contains("c4nary"));
    }
}

#[test]
fn texts_of_files_are_masked_with_their_length_and_checksum() {
    let manifest = MANIFEST.replace("r1", "f1").replace("zookeeper", "file");
    let given = folder(&[
        ("manifest.json", &manifest),
        ("f1.txt", "dubbo.registry.password=c4nary\n"),
    ]);
    let f1 = SourceId::new("f1").unwrap();
    let recording = Recording::open(given.path()).unwrap();
    let mut snapshot = recording.snapshot();
    assert!(recording.fill_text(&mut snapshot, &f1).unwrap());
    assert_eq!(snapshot.text(&f1), Some("dubbo.registry.password=***\n"));
    let source = &snapshot.manifest().sources[&f1];
    assert_eq!(source.bytes, Some(28));
    assert_eq!(source.sha256.as_deref().map(str::len), Some(64));
    assert!(!recording.fill_text(&mut snapshot, &r1()).unwrap());
}

#[test]
fn nothing_but_a_snapshot_is_overwritten() {
    let given = folder(&[("manifest.json", MANIFEST), ("r1.jsonl", LINE)]);
    let snapshot = Recording::open(given.path()).unwrap().read_all().unwrap();
    let out = folder(&[("notes.txt", "mine"), ("notes.tar.gz", "mine")]);
    let at = |name: &str| out.path().join(name);
    let occupied = |name: &str| matches!(Writer::new(at(name)), Err(SnapshotError::Occupied(_)));
    assert!(occupied("notes.txt"));
    assert!(occupied("notes.tar.gz"));
    std::fs::create_dir(at("mine")).unwrap();
    put(&at("mine/thesis.tex"), "mine");
    assert!(occupied("mine"));
    std::fs::create_dir(at("empty")).unwrap();
    for name in ["empty", "new", "new", "new.tar.gz", "new.tar.gz", "new.tgz"] {
        Writer::new(at(name)).unwrap().write(&snapshot).unwrap();
        let back = Recording::open(&at(name)).unwrap().read_all().unwrap();
        assert!(back == snapshot, "{name}");
    }
    // A folder is no archive and the other way round.
    std::fs::rename(at("new"), at("folder.tar.gz")).unwrap();
    assert!(occupied("folder.tar.gz"));
    assert!(matches!(Writer::new("/"), Err(SnapshotError::BadTarget(_))));
    // Nothing is left beside them.
    let mut left: Vec<String> = std::fs::read_dir(out.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    assert_eq!(
        left,
        [
            "empty",
            "folder.tar.gz",
            "mine",
            "new.tar.gz",
            "new.tgz",
            "notes.tar.gz",
            "notes.txt"
        ]
    );
}

#[test]
fn a_failed_writing_leaves_the_old_state() {
    let given = folder(&[("manifest.json", MANIFEST), ("r1.jsonl", LINE)]);
    let mut snapshot = Recording::open(given.path()).unwrap().read_all().unwrap();
    snapshot.manifest_mut().sources.clear();
    for name in ["s", "s.tar.gz"] {
        let out = tempfile::tempdir().unwrap();
        let error = Writer::new(out.path().join(name))
            .unwrap()
            .write(&snapshot)
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "r1.jsonl: manifest.json has no source of this name"
        );
        assert_eq!(std::fs::read_dir(out.path()).unwrap().count(), 0);
        let gone = out.path().join("gone");
        let error = Writer::new(gone.join(name)).unwrap_err().to_string();
        let named = format!("there is no folder {}", gone.display());
        assert!(error.contains(&named), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn recordings_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let given = folder(&[("manifest.json", MANIFEST), ("r1.jsonl", LINE)]);
    let snapshot = Recording::open(given.path()).unwrap().read_all().unwrap();
    let out = tempfile::tempdir().unwrap();
    let mode = |name: &str| {
        std::fs::metadata(out.path().join(name))
            .unwrap()
            .permissions()
            .mode()
            & 0o777
    };
    for name in ["s", "s.tar.gz"] {
        Writer::new(out.path().join(name))
            .unwrap()
            .write(&snapshot)
            .unwrap();
    }
    assert_eq!(
        [
            mode("s"),
            mode("s/manifest.json"),
            mode("s/r1.jsonl"),
            mode("s.tar.gz")
        ],
        [0o700, 0o600, 0o600, 0o600]
    );
}

/// The files of a recording, whatever its form.
fn files_of(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    if path.is_dir() {
        for entry in std::fs::read_dir(path).expect("a folder") {
            let entry = entry.expect("an entry");
            files.insert(
                entry.file_name().into_string().expect("a name"),
                get(&entry.path()),
            );
        }
        return files;
    }
    let packed = get(path);
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(packed.as_slice()));
    for entry in archive.entries().expect("an archive") {
        let mut entry = entry.expect("an entry");
        let name = entry
            .path()
            .expect("a path")
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).expect("a file");
        files.insert(name, content);
    }
    files
}

/// The recordings below a folder.
fn recordings(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("an entry").path();
        if path.join("manifest.json").is_file() || path.to_string_lossy().ends_with(".tar.gz") {
            found.push(path);
        } else if path.is_dir() {
            recordings(&path, found);
        }
    }
}

#[test]
fn what_real_systems_said_is_written_back_byte_for_byte() {
    let mut found = Vec::new();
    recordings(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/cases"),
        &mut found,
    );
    found.sort();
    assert!(found.len() > 600, "{}", found.len());
    // All of them take a minute without optimisation; the cases themselves are run elsewhere.
    for path in found.iter().step_by(19) {
        let all = Recording::open(path)
            .and_then(|mut recording| recording.read_all())
            .unwrap();
        let out = tempfile::tempdir().unwrap();
        Writer::new(out.path().join("s"))
            .unwrap()
            .write(&all)
            .unwrap();
        let (given, written) = (files_of(path), files_of(&out.path().join("s")));
        assert!(given.keys().eq(written.keys()), "{}", path.display());
        for (name, content) in given.iter().filter(|(name, _)| *name != "manifest.json") {
            assert!(written[name] == *content, "{}: {name}", path.display());
        }
    }
}
