//! `diag lint`: rule texts -> remarks -> report. The network is asked only when `--registry` is on the command line.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::{Surroundings, begin, live, questions::questions, recorded, show, unbuilt};
use crate::{
    cli::LintArgs,
    diagnose::lint::{Known, Linted, RuleText, lint},
    diagnose::{Finding, LONGEST_OF_LINES, providers},
    error::{InputError, UsageError},
    exit::Exit,
    model::url::Url,
    model::version::{DubboVersion, Line},
    observe::probe::Purpose,
    question::Question,
    report::{
        self, LintAsked, Manner,
        words::{Phrase, Say},
    },
    rule::{
        LONGEST,
        kind::{RuleKind, key_of_file},
    },
    settings::Settings,
    snapshot::{Ended, Snapshot, Source, SourceId, SourceKind},
    view::{rule_store::too_long, stage::NotSeen},
    want::wants,
};

/// Bytes that are read of a file; of a rule [`LONGEST`] are looked at.
const LONGEST_FILE: u64 = 16 << 20;

/// One file as it was read.
struct RuleFile {
    name: String,
    key: Option<String>,
    kind: RuleKind,
    /// Empty when it is too long to be looked at.
    text: String,
    /// Its length in bytes.
    length: usize,
}

/// Runs the verb.
pub(super) fn run(args: &LintArgs, around: &Surroundings) -> anyhow::Result<Exit> {
    unbuilt::lint(&args.common)?;
    let flags = &args.common.output;
    let mut settings = Settings::new(&args.common, &around.environment)?;
    begin(flags, &settings);
    let jdk = args.common.consumer.jdk.as_deref().map(jdk).transpose()?;
    let (versions, assumed) = versions(args, &settings)?;
    let mut snapshot = live::snapshot(&settings);
    let files = read_all(args)?;
    let mut gathered = gather(args, &files, &mut settings, around, &mut snapshot)?;
    let sources = enter(&files, &mut snapshot);
    let given = args
        .providers
        .as_deref()
        .map(|path| providers_of(path, &versions[0]))
        .transpose()?;
    if let Some(given) = given {
        gathered.urls = Some(given);
        gathered.not_seen.clear();
        gathered.findings.clear();
        gathered.silent.clear();
    }

    let consumer = consumer(&settings);
    let asked: Vec<LintAsked<'_>> = files
        .iter()
        .zip(sources)
        .map(|(file, source)| {
            let rule = RuleText {
                key: file.key.as_deref(),
                kind: file.kind,
                text: &file.text,
            };
            let known = Known {
                providers: gathered.urls.as_deref(),
                consumer: consumer.as_ref(),
                jdk,
            };
            one(file, source, rule, known, (&versions, assumed), &gathered)
        })
        .collect();
    let manner = Manner {
        command: "lint".to_owned(),
        lang: show::lang(&settings, flags, &around.environment),
        filter: settings.filter.clone(),
        fail_on: settings.fail_on,
        stopped: gathered.stopped,
    };
    let report = report::lint(&asked, snapshot.manifest(), snapshot.masker(), &manner);
    let recording = args.common.sight.snapshot.as_deref();
    show::end(&report, &settings, flags, around, recording)
}

fn one<'a>(
    file: &'a RuleFile,
    source: SourceId,
    rule: RuleText<'a>,
    known: Known<'_>,
    (versions, assumed): (&[DubboVersion], bool),
    gathered: &Gathered,
) -> LintAsked<'a> {
    if file.length > LONGEST {
        return LintAsked {
            file: file.name.clone(),
            source,
            rule,
            runs: Vec::new(),
            assumed: None,
            providers: None,
            not_seen: vec![too_long(Say::LintText.into(), file.length)],
            registries: Vec::new(),
        };
    }
    let runs: Vec<(DubboVersion, Linted)> = versions
        .iter()
        .map(|version| (version.clone(), lint(rule, version, known)))
        .collect();
    let too_long = file.text.len() > LONGEST_OF_LINES;
    let differs = assumed.then(|| {
        if too_long {
            return true;
        }
        let codes = |linted: &Linted| -> Vec<_> {
            let remarks = linted.remarks.iter();
            remarks.map(|remark| (remark.code, remark.at)).collect()
        };
        let shown = runs.first().map(|(_, linted)| codes(linted));
        Line::MODELLED.iter().any(|line| {
            let other = lint(rule, &DubboVersion::newest(*line), known);
            Some(codes(&other)) != shown
        })
    });
    let asks_addresses = matches!(
        file.kind,
        RuleKind::Condition | RuleKind::Tag | RuleKind::Configurator
    );
    let mut not_seen = Vec::new();
    if asks_addresses && known.providers.is_none() && !file.text.is_empty() {
        not_seen.extend(gathered.not_seen.clone());
    }
    not_seen.extend(gathered.silent.clone());
    if assumed && too_long {
        let dubbo = versions.first().map(ToString::to_string);
        not_seen.push(NotSeen {
            what: Say::OtherLines.into(),
            why: Phrase::new(Say::RuleTooLongForLines).with("dubbo", dubbo.unwrap_or_default()),
            how_to_see: Some(Say::HowDubboOrMatrix.into()),
            required: false,
        });
    }
    if file.kind == RuleKind::Script && known.jdk.is_none() {
        not_seen.push(NotSeen {
            what: Say::LintConsumerJava.into(),
            why: Say::NotAsked.into(),
            how_to_see: Some(Say::LintHowJava.into()),
            required: false,
        });
    }
    LintAsked {
        file: file.name.clone(),
        source,
        rule,
        runs,
        assumed: differs,
        providers: known.providers.filter(|_| asks_addresses).map(<[Url]>::len),
        not_seen,
        registries: gathered.findings.clone(),
    }
}

/// The versions that are asked about, and whether the only one is an assumption.
fn versions(args: &LintArgs, settings: &Settings) -> Result<(Vec<DubboVersion>, bool), UsageError> {
    if args.matrix.is_empty() {
        return Ok(match &settings.consumer.dubbo {
            Some(version) => (vec![version.clone()], false),
            None => (vec![DubboVersion::newest(Line::V3_3)], true),
        });
    }
    let mut versions: Vec<DubboVersion> = Vec::new();
    for text in args.matrix.iter().filter(|text| !text.trim().is_empty()) {
        let version = DubboVersion::parse(text)
            .map_err(|error| UsageError::new(format!("--matrix: {error}")))?;
        if !versions.contains(&version) {
            versions.push(version);
        }
    }
    if versions.is_empty() {
        return Err(UsageError::new("--matrix names no version")
            .hint("for example --matrix 2.7.23,3.2.16,3.3.6"));
    }
    Ok((versions, false))
}

/// `8`, `1.8.0_292`, `17.0.15`: the number that people call it by.
fn jdk(text: &str) -> Result<u32, UsageError> {
    let mut parts = text.trim().split(|c: char| !c.is_ascii_digit());
    let major = match (parts.next(), parts.next()) {
        (Some("1"), Some(minor)) if !minor.is_empty() => Some(minor),
        (major, _) => major,
    };
    major
        .and_then(|text| text.parse().ok())
        .filter(|major| *major > 0)
        .ok_or_else(|| {
            UsageError::new(format!("--jdk: `{text}` is no version of Java"))
                .hint("for example 8, 1.8.0_292 or 17")
        })
}

fn read_all(args: &LintArgs) -> anyhow::Result<Vec<RuleFile>> {
    if args.key.is_some() && args.files.len() > 1 {
        return Err(
            UsageError::new("--key is for one file, and several are named")
                .hint("name each file after its key, such as order-web.condition-router")
                .into(),
        );
    }
    args.files
        .iter()
        .map(|path| read(path, args.key.as_deref()))
        .collect()
}

fn read(path: &Path, key: Option<&str>) -> anyhow::Result<RuleFile> {
    let name = path.display().to_string();
    let mut text = text_of(path)?;
    let length = text.len();
    if length > LONGEST {
        text.clear();
    }
    let of_name = path
        .file_name()
        .and_then(|name| name.to_str())
        .and_then(key_of_file);
    let key = key.map(str::to_owned).or(of_name);
    let kind = key
        .as_deref()
        .and_then(RuleKind::of_key)
        .or_else(|| RuleKind::of_text(&text))
        .ok_or_else(|| {
            UsageError::new(format!(
                "{name}: neither its name nor its fields say what kind of rule this is"
            ))
            .hint(
                "give the key under which it is kept, for example --key order-web.condition-router",
            )
        })?;
    Ok(RuleFile {
        name,
        key,
        kind,
        text,
        length,
    })
}

/// The text of a file as Dubbo decodes it: what is no UTF-8 becomes U+FFFD.
fn text_of(path: &Path) -> Result<String, InputError> {
    let failed = |source: io::Error| InputError {
        name: path.display().to_string(),
        source,
    };
    let mut bytes = Vec::new();
    if path.as_os_str() == "-" {
        io::stdin()
            .lock()
            .take(LONGEST_FILE + 1)
            .read_to_end(&mut bytes)
            .map_err(failed)?;
    } else {
        #[expect(clippy::disallowed_methods, reason = "a file that the user hands over")]
        let file = File::open(path).map_err(failed)?;
        file.take(LONGEST_FILE + 1)
            .read_to_end(&mut bytes)
            .map_err(failed)?;
    }
    if bytes.len() as u64 > LONGEST_FILE {
        return Err(failed(io::Error::new(
            io::ErrorKind::FileTooLarge,
            "longer than 16 MiB",
        )));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Makes every file a source, so that evidence can name it.
fn enter(files: &[RuleFile], snapshot: &mut Snapshot) -> Vec<SourceId> {
    files
        .iter()
        .map(|file| {
            let source = Source {
                file_as: Some("rule".to_owned()),
                name: Some(file.name.clone()),
                ..Source::new(SourceKind::File)
            };
            snapshot.manifest_mut().add_source("f", source)
        })
        .collect()
}

/// The providers of a file with one URL a line.
fn providers_of(path: &Path, version: &DubboVersion) -> anyhow::Result<Vec<Url>> {
    let text = text_of(path)?;
    let mut urls = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let url = if line.contains("://") {
            Url::parse(line, version)
        } else {
            Url::parse_encoded(line, version)
        };
        urls.push(url.map_err(|error| {
            UsageError::new(format!("{} line {number}: {error}", path.display()))
                .hint("one provider URL a line: dubbo://10.0.0.7:20880/com.acme.OrderService?version=1.0.0")
        })?);
    }
    if urls.is_empty() {
        return Err(
            UsageError::new(format!("{}: no provider stands in it", path.display())).into(),
        );
    }
    Ok(urls)
}

/// The consumer, when something of it was said.
fn consumer(settings: &Settings) -> Option<Url> {
    let consumer = &settings.consumer;
    if consumer.ip.is_none() && consumer.params.is_empty() {
        return None;
    }
    let mut parameters = consumer.params.clone();
    if let Some(application) = &consumer.application {
        parameters.insert("application".to_owned(), application.clone());
    }
    Some(Url {
        protocol: Some("consumer".to_owned()),
        username: None,
        password: None,
        host: consumer.ip.clone(),
        port: 0,
        path: None,
        parameters,
    })
}

/// The providers that rules concern, or why they are not known.
struct Gathered {
    urls: Option<Vec<Url>>,
    not_seen: Vec<NotSeen>,
    /// Registries that did not answer, or whose members do not hold the same.
    findings: Vec<Finding>,
    /// Members of a registry that did not answer while another one did.
    silent: Vec<NotSeen>,
    stopped: bool,
}

fn gather(
    args: &LintArgs,
    files: &[RuleFile],
    settings: &mut Settings,
    around: &Surroundings,
    snapshot: &mut Snapshot,
) -> anyhow::Result<Gathered> {
    let unknown = |why: Say, how: Say| Gathered {
        urls: None,
        not_seen: vec![NotSeen {
            what: Say::LintProviders.into(),
            why: why.into(),
            how_to_see: Some(how.into()),
            required: false,
        }],
        findings: Vec::new(),
        silent: Vec::new(),
        stopped: false,
    };
    let recording = args.common.sight.snapshot.as_deref();
    let live = !args.common.registry.registry.is_empty();
    if recording.is_none() && !live {
        return Ok(unknown(Say::NotAsked, Say::LintHowProviders));
    }
    let services = services(args, files);
    if services.is_empty() {
        return Ok(unknown(Say::LintKeyOfApplication, Say::LintHowService));
    }
    let now = snapshot.manifest().recorded_at.time();
    let asked: Vec<Question> = if let Some(path) = recording {
        let opened = recorded::open(path, settings)?;
        *snapshot = opened.snapshot();
        let now = snapshot.manifest().recorded_at.time();
        let asked = questions(&services, settings, &[], &[], snapshot, now)?.questions;
        if recorded::fill(opened, snapshot, &asked, wants)? {
            return Ok(Gathered {
                stopped: true,
                ..unknown(Say::NotAsked, Say::LintHowProviders)
            });
        }
        asked
    } else {
        settings.with_password(&around.environment)?;
        let mut asked = questions(&services, settings, &[], &[], snapshot, now)?.questions;
        let ended = live::answer(
            snapshot,
            &mut asked,
            settings,
            around,
            args.common.output.quiet,
            (wants, Purpose::Reach),
        )?;
        if ended == Ended::Interrupted {
            return Ok(Gathered {
                stopped: true,
                ..unknown(Say::NotAsked, Say::LintHowProviders)
            });
        }
        asked
    };
    let version = settings
        .consumer
        .dubbo
        .clone()
        .unwrap_or_else(|| DubboVersion::newest(Line::V3_3));
    let mut urls = Vec::new();
    let (mut silent, mut findings) = (Vec::new(), Vec::new());
    let mut unread: Option<Gathered> = None;
    for question in &asked {
        match providers(question, snapshot, &version) {
            Ok(of_service) => {
                urls.extend(of_service.urls);
                silent.extend(of_service.silent);
                findings.extend(of_service.findings);
            }
            Err(found) => {
                let unread = unread.get_or_insert(Gathered {
                    urls: None,
                    not_seen: Vec::new(),
                    findings: Vec::new(),
                    silent: Vec::new(),
                    stopped: false,
                });
                let known = |finding: &Finding| {
                    let all = unread.findings.iter();
                    all.clone()
                        .any(|one| (one.code, &one.subject) == (finding.code, &finding.subject))
                };
                let fresh: Vec<Finding> = found
                    .findings
                    .into_iter()
                    .filter(|finding| !known(finding))
                    .collect();
                unread.findings.extend(fresh);
                unread.not_seen.extend(found.not_seen);
            }
        }
    }
    if let Some(unread) = unread {
        return Ok(unread);
    }
    if urls.is_empty() {
        let mut nobody = unknown(Say::ServiceAbsent, Say::LintHowService);
        for not_seen in &mut nobody.not_seen {
            not_seen.what = Phrase::new(Say::LintProvidersOf).with("service", services.join(", "));
        }
        return Ok(Gathered {
            findings,
            silent,
            ..nobody
        });
    }
    Ok(Gathered {
        urls: Some(urls),
        not_seen: Vec::new(),
        findings,
        silent,
        stopped: false,
    })
}

/// The services whose providers count: named, or those of the keys.
fn services(args: &LintArgs, files: &[RuleFile]) -> Vec<String> {
    if !args.service.is_empty() {
        return args.service.clone();
    }
    let mut services: Vec<String> = files
        .iter()
        .filter_map(|file| {
            let rule = RuleText {
                key: file.key.as_deref(),
                kind: file.kind,
                text: &file.text,
            };
            rule.service().map(|service| service.to_string())
        })
        .collect();
    services.sort();
    services.dedup();
    // Addresses of one service say nothing about the rule of another.
    if files.len() > 1 && services.len() != 1 {
        return Vec::new();
    }
    services
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_java() {
        for (text, major) in [("8", 8), ("1.8.0_292", 8), ("17.0.15", 17), ("21-ea", 21)] {
            assert_eq!(jdk(text).unwrap(), major, "{text}");
        }
        for text in ["", "java", "0"] {
            assert!(jdk(text).is_err(), "{text}");
        }
    }
}
