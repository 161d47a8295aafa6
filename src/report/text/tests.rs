use std::collections::BTreeMap;

use serde_json::{Map, json};

use super::*;
use crate::{diagnose::code::Severity, report::model::*};

fn stage(
    id: &str,
    state: &'static str,
    counts: (Option<usize>, Option<usize>),
    because: Option<&str>,
) -> StageInfo {
    StageInfo {
        id: id.to_owned(),
        registry: "r1".to_owned(),
        model: "interface",
        state,
        because: because.map(str::to_owned),
        input: counts.0,
        output: counts.1,
        dropped: Vec::new(),
        dropped_total: 0,
        dropped_by_code: BTreeMap::new(),
    }
}

fn answer() -> Answer {
    let mut key = stage("K", "failed", (Some(3), Some(0)), None);
    key.dropped = (1..=3)
        .map(|host| DropInfo {
            address: format!("10.0.0.{host}:20880"),
            zone: None,
            code: "DG2101".to_owned(),
            rule: None,
            position: None,
        })
        .collect();
    key.dropped_total = 3;
    key.dropped_by_code = BTreeMap::from([("DG2101".to_owned(), 3)]);
    Answer {
        question: QuestionInfo {
            service: Some(ServiceInfo {
                interface: "com.acme.OrderService".to_owned(),
                group: None,
                version: Some("1.0.0".to_owned()),
            }),
            consumer: ConsumerInfo {
                application: Some("order-web".to_owned()),
                ip: None,
                dubbo: Some("3.2.16".to_owned()),
                state: Some("starting"),
            },
            registries: vec!["r1".to_owned()],
        },
        outcome: Some("none"),
        verdict: Some(VerdictInfo {
            code: "DG2101".to_owned(),
            name: "group-differs",
            family: "key".to_owned(),
            certainty: "certain",
            message: "registered in group gray, asked for without a group".to_owned(),
            params: Map::new(),
            then: vec!["DG3008".to_owned()],
            then_not_seen: Vec::new(),
            contributors: vec![Contributor {
                code: "DG3001".to_owned(),
                addresses: 2,
            }],
            worlds: None,
        }),
        candidates: Vec::new(),
        stages: vec![
            stage("R", "ok", (None, None), None),
            key,
            stage("E", "skipped", (None, None), Some("nothing is left")),
            stage("C", "unknown", (Some(3), None), Some("not probed")),
            stage(
                "X.condition.service",
                "ok",
                (Some(3), Some(3)),
                Some("no rule"),
            ),
        ],
        findings: vec![finding("DG2101", "error"), finding("DG3007", "warning")],
        assumed: vec![AssumedInfo {
            what: "consumer",
            value: "starting".to_owned(),
            why: "given".to_owned(),
            changes_verdict: true,
        }],
        models: Vec::new(),
        zones: None,
        not_seen: vec![NotSeenInfo {
            what: "connections".to_owned(),
            why: "nobody asked".to_owned(),
            how_to_see: Some("read the consumer's log".to_owned()),
            required: false,
        }],
        budget: None,
        replay: None,
        rule: None,
        comparison: None,
    }
}

fn finding(code: &str, severity: &str) -> FindingInfo {
    let address = json!({"path": "/dubbo/com.acme.OrderService/providers"});
    FindingInfo {
        code: code.to_owned(),
        name: "a-name",
        severity: severity.to_owned(),
        certainty: "certain",
        subject: Subject {
            kind: "service".to_owned(),
            name: "com.acme.OrderService".to_owned(),
        },
        message: format!("the sentence of {code}"),
        params: Map::new(),
        fingerprint: "0".repeat(16),
        evidence: vec![EvidenceInfo {
            source: "r1".to_owned(),
            op: "zk.node".to_owned(),
            address: address.as_object().cloned().unwrap_or_default(),
            position: None,
            seen_at: Some("2026-03-04T05:06:07.000Z".to_owned()),
            fact: "3 providers, all in group gray".to_owned(),
        }],
        remedy: vec![RemedyInfo {
            text: "set the group of the reference".to_owned(),
            argv: ["diag", "no-provider", "gray/com.acme.Order$Inner", "it's"]
                .map(str::to_owned)
                .to_vec(),
            changes: true,
            same_facts: true,
        }],
        see: Vec::new(),
        mark: None,
    }
}

fn report(answers: Vec<Answer>) -> Report {
    Report {
        schema_version: SCHEMA_VERSION,
        tool: Tool {
            name: "diag",
            version: "0.1.0",
        },
        command: "no-provider".to_owned(),
        exit: 1,
        interrupted: false,
        reports: answers,
        sources: BTreeMap::from([(
            "r1".to_owned(),
            SourceInfo {
                kind: "zookeeper".to_owned(),
                url: Some("zookeeper://10.0.0.2:2181".to_owned()),
                server: Some("3.8.0".to_owned()),
                zone: None,
                endpoint: None,
                file_as: None,
                name: None,
                host: None,
            },
        )]),
    }
}

fn view(lang: Lang, verbose: bool) -> View<'static> {
    View {
        lang,
        width: 80,
        style: Styler {
            colour: false,
            unicode: true,
        },
        verbose,
        recording: Some("a b.tar.gz"),
    }
}

#[test]
fn the_verdict_comes_first() {
    insta::assert_snapshot!(
        "verdict_en",
        render(&report(vec![answer()]), view(Lang::En, false))
    );
    insta::assert_snapshot!(
        "verdict_zh",
        render(&report(vec![answer()]), view(Lang::Zh, false))
    );
}

#[test]
fn everything_when_asked() {
    insta::assert_snapshot!(
        "verbose_en",
        render(&report(vec![answer()]), view(Lang::En, true))
    );
}

#[test]
fn unknown_says_what_is_missing_and_how_to_see_it() {
    let mut unknown = answer();
    unknown.outcome = Some("unknown");
    unknown.verdict = None;
    unknown.findings.clear();
    unknown.candidates = vec![CandidateInfo {
        code: "DG2105".to_owned(),
        name: "not-registered",
        why: "also found in /site-b".to_owned(),
    }];
    unknown.not_seen[0].required = true;
    let mut both = report(vec![unknown, answer()]);
    both.interrupted = true;
    insta::assert_snapshot!("unknown_then_verdict", render(&both, view(Lang::En, false)));
}

#[test]
fn signs_and_colours_follow_the_terminal() {
    let plain = View {
        style: Styler::PLAIN,
        ..view(Lang::En, true)
    };
    let text = render(&report(vec![answer()]), plain);
    assert!(text.is_ascii(), "{text}");
    assert!(!text.contains('\u{1b}'));
    crate::report::style::take_over_colours();
    let colour = View {
        style: Styler {
            colour: true,
            unicode: true,
        },
        ..plain
    };
    assert!(render(&report(vec![answer()]), colour).contains('\u{1b}'));
}

#[test]
fn lines_fit_unless_they_are_commands_or_paths() {
    for width in [60, 80, 120] {
        for lang in [Lang::En, Lang::Zh] {
            let text = render(
                &report(vec![answer()]),
                View {
                    width,
                    ..view(lang, true)
                },
            );
            for line in text
                .lines()
                .filter(|line| !line.contains("diag no-provider") && !line.contains("/dubbo/"))
            {
                assert!(
                    unicode_width::UnicodeWidthStr::width(line) <= width,
                    "{width}: {line}"
                );
            }
        }
    }
}

#[test]
fn nothing_foreign_reaches_the_terminal_as_it_is() {
    let evil = "\u{1b}[2J\u{202e}\u{7f}\r\n\u{9b}evil";
    let mut one = answer();
    one.question.service.as_mut().unwrap().interface = evil.to_owned();
    one.question.consumer.application = Some(evil.to_owned());
    one.stages[1].dropped[0].address = evil.to_owned();
    one.stages[1].dropped[0].rule = Some(evil.to_owned());
    one.stages[2].because = Some(evil.to_owned());
    one.stages[4].id = format!("X.{evil}");
    if let Some(verdict) = &mut one.verdict {
        verdict.message = evil.to_owned();
    }
    for finding in &mut one.findings {
        finding.message = evil.to_owned();
        finding.evidence[0].fact = evil.to_owned();
        finding.evidence[0]
            .address
            .insert("path".to_owned(), json!(evil));
        finding.evidence[0].position = Some(evil.to_owned());
        finding.remedy[0].argv.push(evil.to_owned());
        finding.remedy[0].text = evil.to_owned();
    }
    one.assumed[0].value = evil.to_owned();
    one.not_seen[0].how_to_see = Some(evil.to_owned());
    let mut all = report(vec![one]);
    all.sources.get_mut("r1").unwrap().url = Some(evil.to_owned());
    let texts = [
        render(&all, view(Lang::En, true)),
        crate::report::brief(&all, Severity::Error),
        crate::report::json(&all),
    ];
    for text in texts {
        assert!(text.contains("evil"));
        let bad = text
            .chars()
            .find(|c| (c.is_control() && !"\n\t".contains(*c)) || *c == '\u{202e}');
        assert_eq!(bad, None, "{text}");
    }
}

#[test]
fn brief_is_one_line_per_question() {
    let mut second = answer();
    second.verdict = None;
    second.outcome = Some("reachable");
    second.findings.clear();
    second.question.service.as_mut().unwrap().group = Some("gray".to_owned());
    assert_eq!(
        crate::report::brief(&report(vec![answer(), second]), Severity::Error),
        "none\tDG2101\tcertain\tcom.acme.OrderService:1.0.0: registered in group gray, asked for without a group\n\
         reachable\t-\t-\tgray/com.acme.OrderService:1.0.0: -\n"
    );
}
