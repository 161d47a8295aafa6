//! What is written is what is read: for any facts, as a folder and as an archive, kept in memory or streamed.

use std::collections::BTreeMap;

use diag::observe::recorded::Recording;
use diag::snapshot::{
    At, ErrKind, Key, Limits, Line, Manifest, Payload, Snapshot, Source, SourceId, SourceKind,
    Want, Writer, ZkStat,
};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::files::get;

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zA-Z0-9._:/-]{0,12}",
        "(?s).{0,6}",
        Just("password=c4nary&x=1".to_owned()),
        Just("dubbo%3A%2F%2Fu%3Ac4nary%40h%3Ftoken%3Dc4nary".to_owned()),
        Just("\u{feff}\"\\\n".to_owned()),
    ]
}

fn path() -> impl Strategy<Value = String> {
    vec("[a-z]{1,2}|[^/\u{0}]{1,4}", 0..4).prop_map(|names| format!("/{}", names.join("/")))
}

fn key() -> impl Strategy<Value = Key> {
    let three = || (word(), word(), word());
    prop_oneof![
        4 => path().prop_map(Key::zk_node),
        1 => word().prop_map(|word| Key::ZkFour { word }),
        1 => prop_oneof![Just(Key::NacosState), Just(Key::NacosNamespaces), Just(Key::NacosNodes), Just(Key::MetricsText)],
        1 => (word(), option::of(word())).prop_map(|(namespace, group)| Key::NacosServices { namespace, group }),
        2 => three().prop_map(|(a, b, c)| Key::nacos_instances(a, b, c)),
        1 => three().prop_map(|(namespace, group, service)| Key::NacosCatalog { namespace, group, service }),
        1 => three().prop_map(|(namespace, group, service)| Key::NacosService { namespace, group, service }),
        1 => three().prop_map(|(namespace, group, service)| Key::NacosSubscribers { namespace, group, service }),
        1 => (option::of(word()), option::of(word()), option::of(word()), option::of(word()))
            .prop_map(|(namespace, group, data_id, ip)| Key::NacosListeners { namespace, group, data_id, ip }),
        2 => three().prop_map(|(a, b, c)| Key::nacos_config(a, b, c)),
        1 => three().prop_map(|(namespace, group, data_id)| Key::NacosConfigSearch { namespace, group, data_id }),
        1 => word().prop_map(|address| Key::Tcp { address }),
        1 => word().prop_map(Key::qos),
        1 => (word(), word()).prop_map(|(kind, address)| Key::Probe { kind, address }),
        1 => three().prop_map(|(address, app, revision)| Key::MetadataCall { address, app, revision }),
        1 => word().prop_map(|file| Key::FileLines { file }),
        1 => (word(), word()).prop_map(|(file, key)| Key::FileEntry { file, key }),
        1 => (word(), word()).prop_map(|(app, revision)| Key::DerivedRevision { app, revision }),
        1 => "[a-z]{1,4}\\.later".prop_map(|op| Key::Other { op }),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-1_000_000_i32..1_000_000).prop_map(|n| Value::from(f64::from(n) / 64.0)),
        word().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            btree_map(word(), inner, 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn fields(names: &'static str) -> impl Strategy<Value = Map<String, Value>> {
    btree_map(names, value(), 0..3).prop_map(|fields| fields.into_iter().collect())
}

fn payload(key: &Key) -> BoxedStrategy<Payload> {
    let common = prop_oneof![
        word().prop_map(Payload::Text),
        value().prop_map(Payload::Json),
        vec(word(), 0..4).prop_map(Payload::Children),
        vec(any::<u8>(), 0..12).prop_map(Payload::Bytes),
        (
            "[a-z-]{1,8}|denied|not-found",
            option::of(word()),
            fields("later_[a-z]")
        )
            .prop_map(|(kind, text, rest)| Payload::Err {
                kind: ErrKind::from(kind.as_str()),
                text,
                rest,
            }),
    ];
    match key {
        Key::Tcp { .. } | Key::Probe { .. } | Key::DerivedRevision { .. } => {
            prop_oneof![common, fields("own_[a-z]").prop_map(Payload::Fields)].boxed()
        }
        _ => common.boxed(),
    }
}

fn at() -> impl Strategy<Value = At> {
    (
        0_i64..100_000_000,
        prop_oneof![Just("Z"), Just("+08:00")],
        prop_oneof![Just(""), Just(".5"), Just(".123456789")],
    )
        .prop_map(|(seconds, offset, fraction)| {
            let time = jiff::Timestamp::from_second(seconds)
                .expect("a second")
                .to_string();
            At::parse(&format!("{}{fraction}{offset}", time.trim_end_matches('Z'))).expect("a time")
        })
}

fn stat() -> impl Strategy<Value = ZkStat> {
    (
        option::of(any::<i64>()),
        option::of(any::<i64>()),
        option::of(any::<i32>()),
        fields("later_[a-z]"),
    )
        .prop_map(|(ctime, ephemeral_owner, num_children, rest)| ZkStat {
            ctime,
            ephemeral_owner,
            num_children,
            rest,
            ..ZkStat::default()
        })
}

fn line() -> impl Strategy<Value = Line> {
    key()
        .prop_flat_map(|key| {
            let payload = payload(&key);
            let told = (
                option::of(at()),
                option::of(word()),
                option::of(any::<u16>()),
                btree_map(word(), word(), 0..2),
            );
            // `page` belongs to lists only; elsewhere it is a field that nobody knows.
            (
                Just(key),
                payload,
                told,
                option::of(stat()),
                option::of(1_u64..4),
                fields("x_[a-z]"),
                any::<bool>(),
            )
        })
        .prop_map(
            |(key, payload, (at, via, http, headers), stat, page, extra, masked)| {
                let mut line = Line::new(key, payload);
                line.extra = extra;
                if let (Some(page), false) = (page, matches!(line.payload, Payload::Fields(_))) {
                    line.extra.insert("page".to_owned(), json!(page));
                }
                if matches!(line.payload, Payload::Fields(_)) {
                    // Beside own fields every field is an own one.
                    line.extra.clear();
                }
                Line {
                    at,
                    via,
                    http,
                    headers,
                    stat,
                    masked,
                    ..line
                }
            },
        )
}

fn snapshot() -> impl Strategy<Value = Snapshot> {
    (
        vec((0_usize..3, line()), 0..12),
        option::of(word()),
        fields("later_[a-z]"),
    )
        .prop_map(|(lines, text, rest)| {
            let mut manifest = Manifest::new(
                "diag test",
                At::parse("2026-11-29T20:42:37.774Z").expect("a time"),
            );
            manifest.rest = rest;
            let ids: Vec<SourceId> = [SourceKind::Zookeeper, SourceKind::Nacos, SourceKind::File]
                .into_iter()
                .map(|kind| manifest.add_source("r", Source::new(kind)))
                .collect();
            let mut snapshot = Snapshot::new(manifest);
            for (source, line) in lines {
                snapshot.insert(ids[source].clone(), line);
            }
            if let Some(text) = text {
                snapshot.insert_text(&ids[2], &text);
            }
            snapshot
        })
}

/// The lines as written, sorted: files have an order of their own.
fn written(snapshot: &Snapshot) -> BTreeMap<String, Vec<String>> {
    snapshot
        .sources()
        .map(|(source, lines)| {
            let mut lines: Vec<String> = lines
                .map(|line| serde_json::to_string(line).expect("a line"))
                .collect();
            lines.sort();
            (source.to_string(), lines)
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_facts_come_back(snapshot in snapshot()) {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["s", "s.tar.gz"] {
            let path = folder.path().join(name);
            Writer::new(&path).expect("a place").write(&snapshot).expect("room");
            for kept_bytes in [0, Limits::default().kept_bytes] {
                let limits = Limits { kept_bytes, ..Limits::default() };
                let back = Recording::open_within(&path, limits).and_then(|mut recording| recording.read_all());
                let back = back.map_err(|error| TestCaseError::fail(error.to_string()))?;
                prop_assert_eq!(back.manifest(), snapshot.manifest());
                prop_assert_eq!(written(&back), written(&snapshot));
                prop_assert_eq!(back.texts().collect::<Vec<_>>(), snapshot.texts().collect::<Vec<_>>());
                // And again, byte for byte.
                let again = folder.path().join(format!("again-{kept_bytes}-{name}"));
                Writer::new(&again).expect("a place").write(&back).expect("room");
                if name == "s" {
                    for file in ["manifest.json", "r1.jsonl", "r2.jsonl", "r3.jsonl"] {
                        prop_assert_eq!(get(&again.join(file)), get(&path.join(file)));
                    }
                } else {
                    prop_assert_eq!(get(&again), get(&path));
                }
            }
        }
    }

    #[test]
    fn spooled_answers_give_the_bytes_of_kept_ones(snapshot in snapshot()) {
        let folder = tempfile::tempdir().expect("a folder");
        // Whoever spools has asked, and knows when.
        let mut kept = Snapshot::new(snapshot.manifest().clone());
        let lines = snapshot.sources().flat_map(|(source, lines)| lines.map(move |line| (source, line)));
        let lines: Vec<(SourceId, Line)> = lines
            .map(|(source, line)| {
                let at = snapshot.at(line).clone();
                (source.clone(), line.clone().said_at(at))
            })
            .collect();
        for (source, line) in &lines {
            kept.insert(source.clone(), line.clone());
        }
        for name in ["s", "s.tar.gz"] {
            let (one, other) = (folder.path().join(name), folder.path().join(format!("kept-{name}")));
            let writer = Writer::new(&one).expect("a place");
            let mut spool = writer.spool(kept.masker().clone()).expect("room");
            // What was attached before is in memory, the rest comes and goes.
            let mut head = Snapshot::new(snapshot.manifest().clone());
            for (at, (source, line)) in lines.iter().enumerate() {
                if at % 3 == 0 {
                    head.insert(source.clone(), line.clone());
                } else {
                    writer.put(&mut spool, source, line.clone()).expect("room");
                }
            }
            writer.write_spooled(&head, spool).expect("room");
            Writer::new(&other).expect("a place").write(&kept).expect("room");
            if name == "s" {
                for file in ["manifest.json", "r1.jsonl", "r2.jsonl", "r3.jsonl"] {
                    prop_assert_eq!(get(&one.join(file)), get(&other.join(file)));
                }
            } else {
                prop_assert_eq!(get(&one), get(&other));
            }
        }
        let there = std::fs::read_dir(folder.path()).expect("the folder").count();
        prop_assert_eq!(there, 4, "nothing else is left");
    }

    #[test]
    fn a_line_comes_back(line in line()) {
        let written = serde_json::to_string(&line).expect("a line");
        let back = Line::parse(written.as_bytes()).map_err(TestCaseError::fail)?;
        prop_assert_eq!(back, line, "{}", written);
    }

    #[test]
    fn any_bytes_are_survived(bytes in vec(any::<u8>(), 0..200), json in value()) {
        let _ = Line::parse(&bytes);
        let _ = Line::parse(json.to_string().as_bytes());
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("s.tar.gz");
        super::files::put(&path, &bytes);
        prop_assert!(Recording::open(&path).is_err());
        super::files::put(&path, super::files::gzip(&bytes));
        prop_assert!(Recording::open(&path).is_err());
    }

    #[test]
    fn filling_finds_what_reading_everything_finds(snapshot in snapshot(), picks in vec(any::<prop::sample::Index>(), 1..4)) {
        let keys: Vec<(SourceId, Key)> = snapshot
            .manifest()
            .sources
            .keys()
            .flat_map(|source| snapshot.keys(source).map(|key| (source.clone(), key.clone())))
            .collect();
        prop_assume!(!keys.is_empty());
        let wants: Vec<Want> = picks.iter().map(|pick| pick.get(&keys)).map(|(source, key)| Want::any(source, key.clone())).collect();
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["s", "s.tar.gz"] {
            let path = folder.path().join(name);
            Writer::new(&path).expect("a place").write(&snapshot).expect("room");
            let all = Recording::open(&path).and_then(|mut recording| recording.read_all()).expect("a recording");
            for kept_bytes in [0, Limits::default().kept_bytes] {
                let limits = Limits { kept_bytes, ..Limits::default() };
                let mut recording = Recording::open_within(&path, limits).expect("a recording");
                let mut filled = recording.snapshot();
                // One by one, and the same twice: it must not matter how the questions come.
                for want in &wants {
                    recording.fill(&mut filled, std::slice::from_ref(want)).expect("a recording");
                }
                recording.fill(&mut filled, &wants).expect("a recording");
                for want in &wants {
                    prop_assert_eq!(filled.lines(&want.source, &want.key), all.lines(&want.source, &want.key));
                    prop_assert!(filled.was_asked(want));
                }
            }
        }
    }
}
