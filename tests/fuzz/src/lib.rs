//! Every parser of foreign bytes as one function: bytes in, whether they mean something out; never a panic.
//!
//! The fuzz targets call these, and so does the test that replays the seeds on stable Rust, so both see the same.

use std::io::Write;

use diag::{
    diagnose::{
        diagnose,
        lint::{Known, RuleKind, RuleText, lint, reading},
    },
    input::{
        access_log, attached,
        log::{LogOrigin, LogReader},
        properties, providers, requests,
    },
    model::{
        address::Address,
        metadata::MetadataInfo,
        qos::{Answer, read},
        service_key::ServiceKey,
        url::Url,
        version::{DubboVersion, Line},
    },
    observe::{
        metadata::{hessian, protobuf},
        nacos,
        probe::{dubbo, http2},
        recorded::Recording,
        zookeeper,
    },
    question::{Question, RegistryAddress},
    rule::{
        affinity,
        condition::{self, text::shown},
        configurator, mesh, migration, override_order, script, tag,
        yaml::{YamlVersion, load, load_all},
    },
    snapshot::{self, At, Key, Manifest, Masker, Snapshot, Source, SourceId, SourceKind},
};

/// Reads foreign bytes; says whether they mean something.
pub type Target = fn(&[u8]) -> bool;

/// All of them, by the name of the target and of the folder of its seeds.
pub const TARGETS: [(&str, Target); 28] = [
    ("access_log", read_access_log),
    ("affinity_rule", affinity_rule),
    ("archive", archive),
    ("attached", read_attached),
    ("condition_rule", condition_rule),
    ("condition_text", condition_text),
    ("configurator_rule", configurator_rule),
    ("facts", facts),
    ("lint", lint_rule),
    ("log", log),
    ("manifest", manifest),
    ("mesh_rule", mesh_rule),
    ("metadata", metadata),
    ("migration_rule", migration_rule),
    ("nacos_answer", nacos_answer),
    ("override_url", override_urls),
    ("probe_answer", probe_answer),
    ("properties", read_properties),
    ("qos_answer", qos_answer),
    ("registry_address", registry_address),
    ("requests", read_requests),
    ("script_rule", script_rule),
    ("service_key", service_key),
    ("snapshot_line", snapshot_line),
    ("tag_rule", tag_rule),
    ("url", url),
    ("yaml", yaml),
    ("zookeeper_reply", zookeeper_reply),
];

fn versions() -> impl Iterator<Item = DubboVersion> {
    let newest = Line::MODELLED.iter().map(|line| line.newest_patch());
    newest.filter_map(|patch| DubboVersion::parse(patch).ok())
}

/// Whether any line of Dubbo reads it.
fn any_version(read: impl Fn(&DubboVersion) -> bool) -> bool {
    // All of them, whatever the first one says.
    versions().filter(|version| read(version)).count() > 0
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A Dubbo URL, plain and encoded, and everything that is written from it.
pub fn url(bytes: &[u8]) -> bool {
    let text = text(bytes);
    any_version(|version| {
        let mut understood = false;
        for url in [
            Url::parse(&text, version),
            Url::parse_encoded(&text, version),
        ]
        .into_iter()
        .flatten()
        {
            let _ = (
                url.to_plain_text(),
                url.to_identity_text(),
                url.to_full_text(),
            );
            let _ = (
                url.service_key(),
                url.colon_key(),
                url.address(),
                url.socket(),
            );
            let _ = url.protocol_service_key(version.line());
            understood |= url.service_interface().is_some();
        }
        understood
    })
}

/// The address of a registry, or a list of them. What is shown of it has no password.
pub fn registry_address(bytes: &[u8]) -> bool {
    let text = text(bytes);
    let one = RegistryAddress::parse(&text);
    if let Ok(address) = &one {
        let shown = address.to_string();
        for secret in address.secrets() {
            // A short word may stand there for another reason, and so may one that was written twice.
            let secret = secret.expose();
            assert!(
                secret.len() < 12 || text.matches(secret).count() > 1 || !shown.contains(secret),
                "a secret is shown"
            );
        }
    }
    let _ = diag::question::mask_address(&text);
    one.is_ok() || RegistryAddress::parse_list(&text).is_ok()
}

/// A service key as people, Dubbo and rules write it; also `host:port`.
pub fn service_key(bytes: &[u8]) -> bool {
    let text = text(bytes);
    let _ = (
        ServiceKey::parse_rule_key(&text).rule_key(),
        Address::parse(&text),
    );
    ServiceKey::parse_cli(&text).is_ok() | ServiceKey::parse_dubbo(&text).is_ok()
}

/// A line of a recording. What is read is written back the same, and masking once is enough.
pub fn snapshot_line(bytes: &[u8]) -> bool {
    let Ok(mut line) = snapshot::Line::parse(bytes) else {
        return false;
    };
    let written = serde_json::to_string(&line).expect("a line can be written");
    let again = snapshot::Line::parse(written.as_bytes()).expect("what was written can be read");
    assert_eq!(serde_json::to_string(&again).expect("a line"), written);
    let masker = Masker::default();
    masker.line(&mut line);
    let once = serde_json::to_string(&line).expect("a line");
    masker.line(&mut line);
    assert_eq!(serde_json::to_string(&line).expect("a line"), once);
    true
}

/// A manifest.
pub fn manifest(bytes: &[u8]) -> bool {
    let Ok(mut manifest) = serde_json::from_slice::<Manifest>(bytes) else {
        return false;
    };
    Masker::default().manifest(&mut manifest);
    serde_json::to_vec(&manifest).is_ok()
}

/// A recording as an archive; bytes that are not compressed are, so that mutations reach the inside.
pub fn archive(bytes: &[u8]) -> bool {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("s.tar.gz");
    let packed = if bytes.starts_with(&[0x1f, 0x8b]) {
        bytes.to_vec()
    } else {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(bytes).expect("memory");
        packed.finish().expect("memory")
    };
    std::fs::write(&path, packed).expect("room");
    let limits = snapshot::Limits {
        unpacked_bytes: 16 << 20,
        ..snapshot::Limits::default()
    };
    Recording::open_within(&path, limits).is_ok_and(|mut recording| recording.read_all().is_ok())
}

/// The answers of a registry, and what a diagnosis makes of them: one line of a recording a line, ZooKeeper and Nacos alike.
pub fn facts(bytes: &[u8]) -> bool {
    let now = At::parse("2026-11-29T20:42:37.774Z").expect("a time");
    let mut manifest = Manifest::new("fuzz", now.clone());
    let mut sources = Vec::new();
    for (kind, url) in [
        (SourceKind::Zookeeper, "zookeeper://10.0.0.2:2181"),
        (SourceKind::Nacos, "nacos://10.0.0.1:8848"),
    ] {
        let mut source = Source::new(kind);
        source.url = Some(url.to_owned());
        sources.push((manifest.add_source("r", source), url));
    }
    manifest.scope.all = bytes.len().is_multiple_of(2);
    let mut snapshot = Snapshot::new(manifest);
    let mut read = 0;
    for line in bytes.split(|byte| *byte == b'\n') {
        if let Ok(line) = snapshot::Line::parse(line) {
            for (source, _) in &sources {
                snapshot.insert(SourceId::clone(source), line.clone());
            }
            read += 1;
        }
    }
    for (_, url) in &sources {
        let service = ServiceKey::new(None, "com.x.Order", Some("1.0.0"));
        let mut question = Question::new(service, now.time());
        question.registries = vec![RegistryAddress::parse(url).expect("an address")];
        question.consumer.application = Some("order-web".to_owned());
        let _ = diagnose(&question, &snapshot);
    }
    read > 0
}

/// A log or a pasted error, in pieces and as a whole.
pub fn log(bytes: &[u8]) -> bool {
    let mut reader = LogReader::new(LogOrigin::default());
    for piece in bytes.chunks(97) {
        reader.push(piece);
    }
    let pieces = reader.finish();
    let mut reader = LogReader::new(LogOrigin::default());
    reader.push(bytes);
    let whole = reader.finish();
    assert_eq!(whole, pieces, "how the bytes are cut does not matter");
    !whole.failures.is_empty()
}

/// What a ZooKeeper, or whoever answers in its place, sends: the first line names a word, an empty one a session's greeting.
pub fn zookeeper_reply(bytes: &[u8]) -> bool {
    let end = bytes.iter().position(|byte| *byte == b'\n');
    let (word, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
    let rest = rest.get(1..).unwrap_or_default();
    if word.is_empty() {
        return matches!(zookeeper::greeting(rest), "zookeeper" | "refusal");
    }
    zookeeper::four_letter(&text(word), rest.to_vec()).is_ok()
}

/// What a Nacos, or whoever answers in its place, sends: the first line is `kind api status type`, the rest the body.
pub fn nacos_answer(bytes: &[u8]) -> bool {
    let end = bytes.iter().position(|byte| *byte == b'\n');
    let (head, body) = bytes.split_at(end.unwrap_or(bytes.len()));
    let head = text(head);
    let mut words = head.split(' ');
    let (kind, api) = (
        words.next().unwrap_or_default(),
        words.next().unwrap_or_default(),
    );
    let status = words.next().and_then(|word| word.parse().ok());
    let content_type = words.next().unwrap_or_default();
    let name = |name: &str| name.to_owned();
    let key = match kind {
        "state" => Key::NacosState,
        "namespaces" => Key::NacosNamespaces,
        "nodes" => Key::NacosNodes,
        "services" => Key::NacosServices {
            namespace: name("prod"),
            group: None,
        },
        "catalog" => Key::NacosCatalog {
            namespace: name("prod"),
            group: name("g"),
            service: name("s"),
        },
        "service" => Key::NacosService {
            namespace: name("prod"),
            group: name("g"),
            service: name("s"),
        },
        "subscribers" => Key::NacosSubscribers {
            namespace: name("prod"),
            group: name("g"),
            service: name("s"),
        },
        "config" => Key::nacos_config("prod", "dubbo", "x"),
        "config-search" => Key::NacosConfigSearch {
            namespace: name("prod"),
            group: String::new(),
            data_id: name("*"),
        },
        _ => Key::nacos_instances("prod", "g", "s"),
    };
    let body = body.get(1..).unwrap_or_default().to_vec();
    let payload = nacos::kept(&key, api, status.unwrap_or(200), content_type, body);
    payload.err_kind().is_none()
}

/// A YAML document, as every version of SnakeYAML reads it.
pub fn yaml(bytes: &[u8]) -> bool {
    let text = text(bytes);
    let read = |version: &YamlVersion| {
        let _ = load_all(&text, *version);
        load(&text, *version).is_ok()
    };
    YamlVersion::ALL
        .iter()
        .filter(|version| read(version))
        .count()
        > 0
}

/// A condition rule of any format.
pub fn condition_rule(bytes: &[u8]) -> bool {
    let text = text(bytes);
    any_version(|version| condition::parse(&text, version).is_ok())
}

/// One condition, and one side of it.
pub fn condition_text(bytes: &[u8]) -> bool {
    let text = text(bytes);
    let _ = condition::text::parse_match(&text, "");
    condition::text::Condition::parse(&text).is_ok()
}

/// A tag rule.
pub fn tag_rule(bytes: &[u8]) -> bool {
    let text = text(bytes);
    any_version(|version| tag::parse(&text, version).is_ok())
}

/// Any rule text under `lint`, of the kind that its text shows and of each other one.
pub fn lint_rule(bytes: &[u8]) -> bool {
    let text = text(bytes);
    let providers: Vec<Url> = versions()
        .filter_map(|version| {
            Url::parse(
                "dubbo://10.0.0.7:20880/a.B?application=shop&region=hz",
                &version,
            )
            .ok()
        })
        .collect();
    let meant = RuleKind::of_text(&text);
    let mut understood = false;
    for kind in RuleKind::ALL {
        let rule = RuleText {
            key: None,
            kind,
            text: &text,
        };
        let read = any_version(|version| {
            let known = Known {
                providers: Some(&providers),
                consumer: providers.first(),
                jdk: Some(17),
            };
            let _ = reading(rule, version);
            !lint(rule, version, known).refused
        });
        understood |= read && meant == Some(kind);
    }
    let _ = shown(&text);
    understood
}

/// A script rule.
pub fn script_rule(bytes: &[u8]) -> bool {
    let text = text(bytes);
    any_version(|version| script::parse(&text, version).is_ok())
}

/// A mesh rule.
pub fn mesh_rule(bytes: &[u8]) -> bool {
    let text = text(bytes);
    any_version(|version| mesh::parse(&text, version).is_ok())
}

/// An affinity rule.
pub fn affinity_rule(bytes: &[u8]) -> bool {
    let text = text(bytes);
    any_version(|version| affinity::parse(&text, version).is_ok())
}

/// A migration rule.
pub fn migration_rule(bytes: &[u8]) -> bool {
    let text = text(bytes);
    any_version(|version| migration::parse(&text, version).is_ok())
}

/// Dynamic configuration, and the URLs that it stands for.
pub fn configurator_rule(bytes: &[u8]) -> bool {
    let text = text(bytes);
    any_version(|version| {
        configurator::parse(&text, version).is_ok_and(|rule| rule.urls(version).is_ok())
    })
}

/// `override://` URLs, one a line.
pub fn override_urls(bytes: &[u8]) -> bool {
    let text = text(bytes);
    any_version(|version| {
        let urls = text
            .lines()
            .filter_map(|line| Url::parse(line, version).ok());
        override_order::configurators(urls.collect(), version)
            .is_ok_and(|rules| rules.is_some_and(|rules| !rules.is_empty()))
    })
}

/// The JSON that an application stores about what it exports.
pub fn metadata(bytes: &[u8]) -> bool {
    let Ok(Some(info)) = MetadataInfo::parse(&text(bytes)) else {
        return false;
    };
    let _ = info.line();
    info.revision(Line::V3_0).is_some() && info.revision(Line::V3_3).is_some()
}

/// A `.properties` file.
pub fn read_properties(bytes: &[u8]) -> bool {
    let found = properties::read(&text(bytes));
    let _ = properties::by_key(&found);
    !found.is_empty()
}

/// An access log.
pub fn read_access_log(bytes: &[u8]) -> bool {
    let counts = access_log::read(bytes, true, |_| true, |_| {}, |_| {});
    counts.is_ok_and(|counts| counts.calls > 0)
}

/// Calls to be replayed, as JSON Lines and as CSV, and lists of providers.
pub fn read_requests(bytes: &[u8]) -> bool {
    let mut calls = 0_u64;
    let lines = requests::read_jsonl(bytes, |_| calls += 1, |_| {}).is_ok();
    let table = requests::read_csv(bytes, |_| calls += 1, |_| {}).is_ok();
    let listed = providers::read(bytes).is_ok_and(|providers| !providers.is_empty());
    ((lines || table) && calls > 0) || listed
}

/// An answer of a QOS port: a line with the command, a line with the HTTP status or `-`, then the text.
pub fn qos_answer(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let mut parts = text.splitn(3, '\n');
    let command = parts.next().unwrap_or_default();
    let http = parts.next().and_then(|status| status.parse().ok());
    !matches!(
        read(command, http, parts.next().unwrap_or_default()),
        Answer::Raw(_)
    )
}

/// What a provider sends back, behind a letter: `d` a frame of dubbo, `2` one of HTTP/2, `h` a value of Hessian 2, `p` the
/// metadata in protobuf.
pub fn probe_answer(bytes: &[u8]) -> bool {
    let Some((kind, rest)) = bytes.split_first() else {
        return false;
    };
    match kind {
        b'd' => matches!(dubbo::Frame::parse(rest, 1 << 16), dubbo::Parsed::Frame(..)),
        b'2' => matches!(http2::Frame::parse(rest), http2::Parsed::Frame(..)),
        b'h' => hessian::Reader::new(rest).value().is_ok(),
        _ => protobuf::metadata(rest).is_ok(),
    }
}

/// A file from the far side, whatever it is: `name NUL text`.
pub fn read_attached(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let (name, text) = text.split_once('\0').unwrap_or(("", &text));
    let settings = diag::view::written::yaml(text);
    match attached::recognise(name, text) {
        attached::Kind::Cache(kind) => !attached::caches::read(kind, text).entries.is_empty(),
        attached::Kind::Yaml => !diag::view::written::relaxed(settings.properties).is_empty(),
        attached::Kind::Properties => !properties::read(text).is_empty(),
        attached::Kind::Log => false,
        attached::Kind::Migration
        | attached::Kind::Xml
        | attached::Kind::Qos
        | attached::Kind::Metrics => true,
    }
}
