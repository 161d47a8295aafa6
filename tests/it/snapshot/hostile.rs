//! Recordings from strangers: broken, cut, too large, or made to do harm.

use diag::snapshot::Limits;
use tar::EntryType;

use super::files::{LINE, MANIFEST, Packed, fault, folder, get, gzip, put, read, save};

fn fault_of(packed: Packed) -> String {
    let (_folder, path) = packed.save();
    fault(&path, Limits::default())
}

#[test]
fn entries_that_may_do_harm_are_refused_by_name() {
    let good = || Packed::of(&[("manifest.json", MANIFEST), ("r1.jsonl", LINE)]);
    for (packed, message) in [
        (
            good().entry("f1.txt", EntryType::Symlink, b""),
            "\"f1.txt\": a link; not read",
        ),
        (
            good().entry("f1.txt", EntryType::Link, b""),
            "\"f1.txt\": a link; not read",
        ),
        (
            good().entry("notes", EntryType::Symlink, b""),
            "\"notes\": a link; not read",
        ),
        (
            good().entry("null", EntryType::Char, b""),
            "\"null\": a device; not read",
        ),
        (
            good().entry("sda", EntryType::Block, b""),
            "\"sda\": a device; not read",
        ),
        (
            good().entry("pipe", EntryType::Fifo, b""),
            "\"pipe\": a pipe; not read",
        ),
        (
            good().entry("f1.txt", EntryType::GNUSparse, b""),
            "\"f1.txt\": not a plain file; not read",
        ),
        (
            good().file("/etc/cron.d/f1.txt", b""),
            "\"/etc/cron.d/f1.txt\": an absolute path; not read",
        ),
        (
            good().file("C:/f1.txt", b""),
            "\"C:/f1.txt\": an absolute path; not read",
        ),
        (
            good().file("..\\f1.txt", b""),
            "\"..\\\\f1.txt\": an absolute path; not read",
        ),
        (
            good().file("../f1.txt", b""),
            "\"../f1.txt\": a path with ..; not read",
        ),
        (
            good().file("a/../../notes", b""),
            "\"a/../../notes\": a path with ..; not read",
        ),
        (
            good().file("r1.jsonl", b""),
            "\"r1.jsonl\": twice in the archive; not read",
        ),
        (
            good().file("./manifest.json", b"{}"),
            "\"./manifest.json\": twice in the archive; not read",
        ),
        (
            good().file("deep/f1.txt", b""),
            "\"deep/f1.txt\": in another folder than the entries before it; not read",
        ),
        (
            good().entry("x", EntryType::XHeader, b"28 linkpath=/etc/shadow.txt\n"),
            "\"/etc/shadow.txt\": a link; not read",
        ),
        (
            good()
                .entry("x", EntryType::XHeader, b"21 path=../../f1.txt\n")
                .file("f1.txt", b""),
            "\"../../f1.txt\": a path with ..; not read",
        ),
        (
            good()
                .entry("x", EntryType::GNULongName, b"../f1.txt\0")
                .file("f1.txt", b""),
            "\"../f1.txt\": a path with ..; not read",
        ),
        (
            good()
                .entry("x", EntryType::GNULongName, &vec![b'a'; (1 << 20) + 1])
                .file("f1.txt", b""),
            "\"extended header\": too long; not read",
        ),
    ] {
        assert_eq!(fault_of(packed), message);
    }
}

#[test]
fn an_archive_packed_by_hand_is_read() {
    // As `tar czf incident.tar.gz incident/` makes it: a folder, any order, things that others left there.
    let packed = Packed::new()
        .entry(
            "pax_global_header",
            EntryType::XGlobalHeader,
            b"19 comment=abcdefg\n",
        )
        .entry("incident/", EntryType::Directory, b"")
        .file("incident/._r1.jsonl", b"\0\0\0")
        .file("incident/README.md", b"look at r1")
        .entry(
            "x",
            EntryType::XHeader,
            b"26 path=incident/r1.jsonl\n18 mtime=1.500000\n",
        )
        .file("short", LINE.as_bytes())
        .file("incident/manifest.json", MANIFEST.as_bytes());
    let (_folder, path) = packed.save();
    assert_eq!(read(&path, Limits::default()).unwrap(), 1);
    let (_folder, path) = Packed::of(&[("./r1.jsonl", LINE), ("./manifest.json", MANIFEST)]).save();
    assert_eq!(read(&path, Limits::default()).unwrap(), 1);
}

#[test]
fn cut_and_damaged_archives_are_noticed() {
    let lines = (0..2000).fold(String::new(), |lines, n| {
        lines
            + &format!(
                "{{\"op\":\"zk.node\",\"path\":\"/a{n}\",\"text\":\"{}\"}}\n",
                n * 7919 % 1009
            )
    });
    let whole = Packed::of(&[("manifest.json", MANIFEST), ("r1.jsonl", &lines)]).bytes();
    for length in [12, whole.len() / 2, whole.len() - 300, whole.len() - 1] {
        let (_folder, path) = save(&whole[..length]);
        assert_eq!(
            fault(&path, Limits::default()),
            "IT ends too early: copy or record it again",
            "{length}"
        );
    }
    // The checksum at the end is wrong.
    let mut damaged = whole.clone();
    let place = damaged.len() - 6;
    damaged[place] ^= 0xff;
    let (_folder, path) = save(&damaged);
    assert!(fault(&path, Limits::default()).starts_with("IT is no readable .tar.gz archive: "));
    let (_folder, path) = save(&gzip(
        b"this is text and was never an archive, whatever its name says",
    ));
    let message = fault(&path, Limits::default());
    assert!(
        message.starts_with("IT is no readable .tar.gz archive: ")
            || message.contains("ends too early"),
        "{message}"
    );
    let (_folder, path) = save(&gzip(&[b'x'; 4096]));
    assert!(fault(&path, Limits::default()).starts_with("IT is no readable .tar.gz archive: "));
}

#[test]
fn what_is_no_snapshot_is_said_to_be_none() {
    let (_folder, path) = save(b"PK\x03\x04");
    assert_eq!(
        fault(&path, Limits::default()),
        "IT is no snapshot: neither a folder nor a gzip archive (.tar.gz)"
    );
    let (_folder, path) = save(b"");
    assert_eq!(
        fault(&path, Limits::default()),
        "IT is no snapshot: neither a folder nor a gzip archive (.tar.gz)"
    );
    let (gone, path) = save(b"");
    drop(gone);
    assert!(fault(&path, Limits::default()).starts_with("IT: "));
    let empty = folder(&[]);
    assert_eq!(
        fault(empty.path(), Limits::default()),
        "IT is empty: a snapshot has a manifest.json"
    );
    let other = folder(&[("r1.jsonl", LINE)]);
    assert_eq!(
        fault(other.path(), Limits::default()),
        "IT has no manifest.json: not a snapshot, or not its top folder"
    );
    assert_eq!(
        fault_of(Packed::of(&[("r1.jsonl", LINE)])),
        "IT has no manifest.json: not a snapshot, or not its top folder"
    );
    assert_eq!(
        fault_of(Packed::new()),
        "IT has no manifest.json: not a snapshot, or not its top folder"
    );
}

#[test]
fn a_broken_manifest_names_what_is_wrong() {
    for (manifest, message) in [
        (
            r#"{"diag_snapshot":2,"later":"shape"}"#,
            "manifest.json: diag_snapshot is 2, this version reads up to 1: use a newer diag",
        ),
        (
            r#"{"diag_snapshot":"1"}"#,
            "manifest.json: diag_snapshot is no format number",
        ),
        (
            r#"{"diag_snapshot":0}"#,
            "manifest.json: diag_snapshot is no format number",
        ),
        (
            "{}",
            "manifest.json: no diag_snapshot: not the manifest of a snapshot",
        ),
        (
            r#"{"diag_snapshot":1}"#,
            "manifest.json: missing field `recorded_at` at line 1 column 19",
        ),
        (
            r#"{"diag_snapshot":1,"recorded_at":"2026-11-29T20:42:37Z","sources":{"../r1":{"kind":"qos"}}}"#,
            "manifest.json: source id \"../r1\" is not made of 1 to 64 letters, digits, - and _ at line 1 column 74",
        ),
        (
            r#"{"diag_snapshot":1,"recorded_at":"2026-11-29T20:42:37Z","sources":{"r1":{}}}"#,
            "manifest.json: missing field `kind` at line 1 column 74",
        ),
    ] {
        let given = folder(&[("manifest.json", manifest), ("r1.jsonl", LINE)]);
        assert_eq!(fault(given.path(), Limits::default()), message);
    }
    let given = folder(&[("manifest.json", "not json"), ("r1.jsonl", LINE)]);
    assert!(fault(given.path(), Limits::default()).starts_with("manifest.json: expected "));
}

#[test]
fn files_and_sources_must_agree() {
    let missing = folder(&[("manifest.json", MANIFEST)]);
    assert_eq!(
        fault(missing.path(), Limits::default()),
        "manifest.json names the source r1, but there is no r1.jsonl"
    );
    assert_eq!(
        fault_of(Packed::of(&[("manifest.json", MANIFEST)])),
        "manifest.json names the source r1, but there is no r1.jsonl"
    );
    let orphan = folder(&[
        ("manifest.json", MANIFEST),
        ("r1.jsonl", ""),
        ("r2.jsonl", ""),
    ]);
    assert_eq!(
        fault(orphan.path(), Limits::default()),
        "r2.jsonl: manifest.json has no source of this name"
    );
    let others = folder(&[
        ("manifest.json", MANIFEST),
        ("r1.jsonl", LINE),
        ("README.md", "x"),
        ("index.bin", "\0"),
    ]);
    assert_eq!(read(others.path(), Limits::default()).unwrap(), 1);
    // Of an attached file its text is enough.
    let manifest = MANIFEST.replace("zookeeper", "file");
    let text = folder(&[("manifest.json", &manifest), ("r1.txt", "a log")]);
    assert_eq!(read(text.path(), Limits::default()).unwrap(), 0);
}

#[test]
fn a_broken_line_is_named_by_file_and_line() {
    for (line, message) in [
        (
            "{\"op\":",
            "r1.jsonl:3: no JSON object (EOF while parsing a value at column 6)",
        ),
        (
            "[]",
            "r1.jsonl:3: no JSON object (invalid type: sequence, expected an object at column 0)",
        ),
        (
            "{} {}",
            "r1.jsonl:3: no JSON object (trailing characters at column 4)",
        ),
        ("{}", "r1.jsonl:3: line without op"),
        (
            r#"{"op":"zk.node","path":"/a"}"#,
            "r1.jsonl:3: zk.node has 0 of children, text, b64, json, err; exactly one must be there",
        ),
        (
            r#"{"op":"zk.node","path":"/a","text":"","json":1}"#,
            "r1.jsonl:3: zk.node has 2 of children, text, b64, json, err; exactly one must be there",
        ),
        (
            r#"{"op":"nacos.config","namespace":"","group":"dubbo","text":""}"#,
            "r1.jsonl:3: nacos.config without data_id",
        ),
        (
            r#"{"op":"zk.node","path":"/a","children":[1]}"#,
            "r1.jsonl:3: field children: not a list of names",
        ),
        (
            r#"{"op":"zk.node","path":"/a","at":"now","text":""}"#,
            "r1.jsonl:3: field at: \"now\" is no RFC 3339 time such as 2026-11-29T20:42:37.774Z",
        ),
    ] {
        let lines = format!("{LINE}\n{line}\n");
        let given = folder(&[("manifest.json", MANIFEST), ("r1.jsonl", &lines)]);
        assert_eq!(fault(given.path(), Limits::default()), message);
    }
    let secret =
        format!("{LINE}{{\"op\":\"zk.node\",\"path\":\"a?password=c4nary\",\"text\":\"\"}}\n");
    let given = folder(&[("manifest.json", MANIFEST), ("r1.jsonl", &secret)]);
    let message = fault(given.path(), Limits::default());
    assert!(
        message.contains("password=***") && !message.contains("c4nary"),
        "{message}"
    );
    let deep = format!(
        "{LINE}{{\"op\":\"zk.node\",\"path\":\"/a\",\"json\":{}1{}}}\n",
        "[".repeat(5000),
        "]".repeat(5000)
    );
    let given = folder(&[("manifest.json", MANIFEST), ("r1.jsonl", &deep)]);
    assert!(
        fault(given.path(), Limits::default())
            .starts_with("r1.jsonl:2: no JSON object (recursion limit exceeded")
    );
}

#[test]
fn limits_hold_and_say_where() {
    let limits = Limits {
        lines: 3,
        line_bytes: 200,
        unpacked_bytes: 8000,
        ..Limits::default()
    };
    let four = LINE.repeat(4);
    let given = folder(&[("manifest.json", MANIFEST), ("r1.jsonl", &four)]);
    assert_eq!(
        fault(given.path(), limits),
        "r1.jsonl:4: more than 3 lines in the snapshot"
    );
    let long = format!(
        "{LINE}{{\"op\":\"zk.node\",\"path\":\"/a\",\"text\":\"{}\"}}\n",
        "x".repeat(200)
    );
    let given = folder(&[("manifest.json", MANIFEST), ("r1.jsonl", &long)]);
    assert_eq!(
        fault(
            given.path(),
            Limits {
                line_bytes: 110,
                ..limits
            }
        ),
        "r1.jsonl:2: longer than 110 bytes"
    );
    let exact = format!(
        "{}\n",
        LINE.trim_end().replace(
            "\"b\"",
            &format!("\"{}\"", "x".repeat(200 - LINE.len() + 2))
        )
    );
    assert_eq!(exact.len(), 201);
    let given = folder(&[("manifest.json", MANIFEST), ("r1.jsonl", &exact)]);
    assert_eq!(read(given.path(), limits).unwrap(), 1);
    let blank = "\n".repeat(9000);
    let given = folder(&[("manifest.json", MANIFEST), ("r1.jsonl", &blank)]);
    assert_eq!(
        fault(
            given.path(),
            Limits {
                lines: 10000,
                ..limits
            }
        ),
        "r1.jsonl: more than 8000 bytes, unpacked; not read further"
    );
    let given = folder(&[
        ("manifest.json", &format!("{MANIFEST}{}", " ".repeat(200))),
        ("r1.jsonl", LINE),
    ]);
    assert_eq!(
        fault(given.path(), limits),
        "manifest.json: more than 200 bytes, unpacked; not read further"
    );
}

#[test]
fn a_bomb_is_not_unpacked() {
    // 16 MB of nothing in 70 kB: as a file that nobody wants, as lines, and behind the end of the archive.
    let zeros = vec![b' '; 16 << 20];
    let limits = Limits {
        unpacked_bytes: 1 << 20,
        ..Limits::default()
    };
    let good = || Packed::of(&[("manifest.json", MANIFEST), ("r1.jsonl", LINE)]);
    for packed in [
        good().file("notes.bin", &zeros),
        good().file("f1.txt", &zeros),
        good().entry("d/", EntryType::Directory, &zeros),
    ] {
        let (_folder, path) = packed.save();
        assert!(get(&path).len() < 100_000);
        let message = fault(&path, limits);
        assert!(
            message.ends_with(": more than 1048576 bytes, unpacked; not read further"),
            "{message}"
        );
    }
    let mut behind = good().bytes();
    behind.extend(gzip(&zeros));
    let (_folder, path) = save(&behind);
    assert!(fault(&path, limits).ends_with("not read further"));
}

#[cfg(unix)]
#[test]
fn links_in_a_folder_are_refused() {
    let given = folder(&[("manifest.json", MANIFEST)]);
    put(&given.path().join("elsewhere"), LINE);
    std::os::unix::fs::symlink(
        given.path().join("elsewhere"),
        given.path().join("r1.jsonl"),
    )
    .unwrap();
    assert_eq!(
        fault(given.path(), Limits::default()),
        "\"r1.jsonl\": a link; not read"
    );
}
