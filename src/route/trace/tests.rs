//! What a trace tells, on small rules with known answers.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::model::url::Url;
use crate::model::version::DubboVersion;
use crate::route::AddressList;
use crate::route::application::{Application, Chain, Settings};
use crate::route::call::{Call, JavaValue};
use crate::route::declared::{Declared, Zones};
use crate::route::provider::Provider;

/// An address with nothing on top of it.
struct Plain(Url);

impl Provider for Plain {
    fn url(&self) -> &Url {
        &self.0
    }

    fn parameter(&self, key: &str) -> Option<&str> {
        self.0.parameter(key)
    }

    fn original_parameter(&self, key: &str) -> Option<&str> {
        self.0.parameter(key)
    }

    fn remote_application(&self) -> Option<&str> {
        self.0.parameter("application")
    }
}

fn chain(
    version: &str,
    rules: &[(&str, &str)],
    hosts: &[&str],
) -> (Application<BTreeMap<String, String>>, Chain) {
    own_chain(version, rules, hosts, Settings::default(), "")
}

fn own_chain(
    version: &str,
    rules: &[(&str, &str)],
    hosts: &[&str],
    settings: Settings,
    more: &str,
) -> (Application<BTreeMap<String, String>>, Chain) {
    let version = DubboVersion::parse(version).unwrap();
    let url = |text: &str| Url::parse(text, &version).unwrap();
    let rules = rules
        .iter()
        .map(|(key, text)| ((*key).to_owned(), (*text).to_owned()));
    let mut application = Application::new(&version, rules.collect(), settings).unwrap();
    let consumer = format!("consumer://10.9.0.1/com.a.S?application=web&interface=com.a.S{more}");
    let consumer = url(&consumer);
    let list = AddressList {
        providers: hosts
            .iter()
            .map(|host| {
                let text = format!("dubbo://{host}/com.a.S?application=shop&interface=com.a.S");
                Box::new(Plain(url(&text))) as Box<dyn Provider + Send + Sync>
            })
            .collect(),
        consumer: consumer.clone(),
        zones: Zones {
            consumer: Some("a".to_owned()),
            providers: hosts.iter().map(|_| Some("b".to_owned())).collect(),
        },
    };
    let chain = application.refer(&consumer, &[], list).unwrap();
    (application, chain)
}

fn call(method: &str) -> Call {
    Call {
        method: method.to_owned(),
        ..Call::default()
    }
}

fn position(at: Option<Position>) -> Option<(u32, u32)> {
    at.map(|at| (at.line, at.column))
}

const HOSTS: [&str; 2] = ["10.0.0.1:20880", "10.0.1.1:20880"];

#[test]
fn a_condition_names_the_clause_and_the_value() {
    let rule = "force: true\nconditions:\n  - method = get* => host = 10.0.0.* & port = 20880\n";
    let (application, chain) = chain("3.3.6", &[("web.condition-router", rule)], &HOSTS);
    let trace = application.explain(&chain, &call("getOrder"));
    let step = trace.steps.iter().find(|it| it.step.kind == "app").unwrap();
    let step = trace
        .steps
        .iter()
        .find(|it| it.step.kind == "provider-app")
        .unwrap_or(step);
    let part = &step.parts[0];
    assert_eq!(part.effect, Effect::Keeps);
    let rule = part.rule.as_ref().unwrap();
    assert_eq!((&*rule.key, rule.force), ("web.condition-router", true));
    assert_eq!(position(rule.position), Some((3, 5)));
    let removal = &part.removed[0];
    let by = removal.by.as_ref().unwrap();
    assert_eq!((removal.address, by.text.as_str()), (1, "host = 10.0.0.*"));
    assert_eq!(position(by.position), Some((3, 22)));
    assert_eq!(removal.value.as_deref(), Some("10.0.1.1"));

    let trace = application.explain(&chain, &call("save"));
    let part = &trace
        .steps
        .iter()
        .find(|it| it.step.kind == "app")
        .unwrap()
        .parts[0];
    let Effect::NotConcerned { clause, value } = &part.effect else {
        panic!("{part:?}")
    };
    assert_eq!(
        (clause.text.as_str(), value.as_deref()),
        ("method = get*", Some("save"))
    );
}

#[test]
fn a_rule_that_leaks_and_one_that_refuses() {
    let leaks = "conditions:\n- '=> host = 10.9.9.9'\n";
    let (application, chain) =
        self::chain("2.7.23", &[("com.a.S::.condition-router", leaks)], &HOSTS);
    let trace = application.explain(&chain, &call("get"));
    let part = trace.steps.iter().flat_map(|it| &it.parts).next().unwrap();
    assert_eq!((&part.effect, part.removed.len()), (&Effect::Ignored, 0));

    let refuses = "conditions:\n- 'application = web =>'\n";
    let (application, chain) =
        self::chain("2.7.23", &[("com.a.S::.condition-router", refuses)], &HOSTS);
    let trace = application.explain(&chain, &call("get"));
    let part = trace.steps.iter().flat_map(|it| &it.parts).next().unwrap();
    assert_eq!((&part.effect, part.removed.len()), (&Effect::Refuses, 2));
    assert!(trace.outcome.unwrap().is_empty());
}

#[test]
fn a_refused_text_says_where() {
    let broken = "force: true\nconditions:\n- method = a == b => host = x\n";
    let (application, chain) = chain("3.2.16", &[("com.a.S::.condition-router", broken)], &HOSTS);
    let reading = application
        .readings(&chain)
        .into_iter()
        .find(|reading| reading.kind == "service")
        .unwrap();
    let RuleState::Refused(error) = reading.state else {
        panic!("{reading:?}")
    };
    assert_eq!(position(error.at), Some((3, 14)));
    let states: Vec<_> = application
        .readings(&chain)
        .into_iter()
        .map(|it| it.state)
        .collect();
    assert!(states.contains(&RuleState::Absent));
}

#[test]
fn tags_of_a_rule() {
    let rule = "force: true\nenabled: true\ntags:\n  - name: gray\n    addresses: [\"10.0.7.7\"]\n";
    let (application, chain) = chain("3.3.6", &[("shop.tag-router", rule)], &HOSTS);
    let asks = |tag: Option<&str>| {
        let mut call = call("get");
        call.attachments
            .extend(tag.map(|tag| ("dubbo.tag".to_owned(), JavaValue::Text(tag.to_owned()))));
        let trace = application.explain(&chain, &call);
        trace
            .steps
            .into_iter()
            .find(|it| it.step.kind == "tag")
            .unwrap()
            .parts
    };
    let parts = asks(Some("gray"));
    assert_eq!(
        (&parts[0].effect, parts[0].removed.len()),
        (&Effect::TagByRule, 2)
    );
    assert_eq!(
        position(parts[0].rule.as_ref().unwrap().position),
        Some((4, 5))
    );
    assert_eq!(asks(Some("blue"))[0].effect, Effect::TagFallback);
    assert!(asks(None).is_empty());
}

#[test]
fn an_expression_that_cannot_be_run_gives_bounds() {
    let rule = "configVersion: v3.0\ntags:\n- name: gray\n  match:\n  - key: application\n    value: {regex: '(?=a)a'}\n";
    let (application, chain) = chain("3.2.16", &[("shop.tag-router", rule)], &HOSTS);
    assert!(matches!(
        application.route(&chain, &call("get")),
        Ok(Outcome::Within(set)) if set.len() == 2
    ));
    let rule = rule.replace("(?=a)a", "(");
    let (application, chain) = self::chain("3.2.16", &[("shop.tag-router", &rule)], &HOSTS);
    assert!(
        matches!(application.route(&chain, &call("get")), Ok(Outcome::Only(set)) if set.len() == 2)
    );
}

#[test]
fn a_declared_router_without_a_guard_empties_the_room() {
    let settings = |text: &str| Settings {
        declared: vec![Declared::parse(text).unwrap()],
        ..Settings::default()
    };
    for version in ["2.7.23", "3.0.5", "3.3.6"] {
        let zone = settings("zone: after=tag, keep=same-zone, fallback=none");
        let (application, chain) = own_chain(version, &[], &HOSTS, zone, "");
        let names = application.routers(&chain);
        let tag = names
            .iter()
            .position(|name| name.starts_with("Tag"))
            .unwrap();
        assert_eq!(names[tag + 1], "zone", "{names:?}");
        let trace = application.explain(&chain, &call("get"));
        let last = trace
            .steps
            .iter()
            .find(|it| it.step.kind == "declared")
            .unwrap();
        assert!(
            last.step.output.is_empty() && last.parts[0].removed.len() == 2,
            "{version}"
        );
        let zone = settings("zone: keep=same-zone, fallback=all");
        let (application, chain) = own_chain(version, &[], &HOSTS, zone, "");
        assert!(
            !application
                .route(&chain, &call("get"))
                .unwrap()
                .may_be_empty()
        );
    }
}

#[test]
fn a_router_that_is_only_named_leaves_bounds() {
    let settings = || Settings {
        custom_routers: true,
        ..Settings::default()
    };
    let (application, chain) = own_chain("2.7.23", &[], &HOSTS, settings(), "&router=room,-mock");
    let outcome = application.route(&chain, &call("get")).unwrap();
    assert!(matches!(outcome, Outcome::Within(set) if set.len() == 2));
    let refuses = [(
        "web.condition-router",
        "force: true\nconditions: ['=> host = 10.9.9.9']",
    )];
    let (application, chain) = own_chain("3.2.16", &refuses, &HOSTS, settings(), "&router=room");
    assert!(
        application.route(&chain, &call("get")).unwrap().is_empty(),
        "whatever comes in"
    );
}

/// A condition of words that make sense often enough.
fn condition() -> impl Strategy<Value = String> {
    let clause = "(host|port|method|application|x)(=|!=)(10\\.0\\.0\\.\\*|20880|get\\*|\\$host|web|shop|a~b)";
    prop_oneof![
        (clause, clause).prop_map(|(when, then)| format!("{when} => {then}")),
        clause.prop_map(|then| format!("=> {then}")),
        clause.prop_map(|when| format!("{when} =>")),
    ]
}

fn document() -> impl Strategy<Value = String> {
    (any::<bool>(), prop::collection::vec(condition(), 1..4)).prop_map(|(force, conditions)| {
        let items: Vec<String> = conditions.iter().map(|it| format!("- '{it}'\n")).collect();
        format!("force: {force}\nconditions:\n{}", items.concat())
    })
}

const VERSIONS: [&str; 5] = ["2.7.8", "2.7.23", "3.0.5", "3.1.11", "3.3.6"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Every router gives a part of what it got; what is gone has a reason; the same question has the same answer; and
    /// the reasons never change it.
    #[test]
    fn an_answer_is_a_part_of_its_input_and_explained(
        service in document(), own in document(), at in 0..VERSIONS.len(), method in "(get|save)"
    ) {
        let rules = [("com.a.S::.condition-router", service.as_str()), ("web.condition-router", own.as_str())];
        let (application, chain) = chain(VERSIONS[at], &rules, &HOSTS);
        let trace = application.explain(&chain, &call(&method));
        prop_assert_eq!(&trace.outcome, &application.route(&chain, &call(&method)));
        prop_assert_eq!(&trace, &application.explain(&chain, &call(&method)));
        for explained in &trace.steps {
            let (input, output) = (explained.step.input.at_most(), explained.step.output.at_most());
            prop_assert!(output.is_subset(&input));
            let mut told = AddressSet::none(HOSTS.len());
            explained.parts.iter().flat_map(|part| part.removed.iter()).for_each(|it| told.insert(it.address));
            prop_assert_eq!(told, input.without(&output));
        }
    }

    /// What comes before a router does not depend on its rule.
    #[test]
    fn removing_a_rule_never_changes_earlier_routers(
        service in document(), own in document(), at in 0..VERSIONS.len()
    ) {
        let (with, with_chain) = chain(
            VERSIONS[at], &[("com.a.S::.condition-router", &service), ("web.condition-router", &own)], &HOSTS,
        );
        let (without, without_chain) = chain(VERSIONS[at], &[("com.a.S::.condition-router", &service)], &HOSTS);
        let (before, _) = with.trace(&with_chain, &call("get"));
        let (after, _) = without.trace(&without_chain, &call("get"));
        let last = before.iter().position(|step| ["app", "provider-app"].contains(&step.kind));
        let last = last.unwrap_or(before.len());
        prop_assert_eq!(&before[..last], &after[..last]);
    }
}

fn place(text: &str, value: &str, at: (u32, u32), from: usize) -> Option<(u32, u32)> {
    let at = Position {
        line: at.0,
        column: at.1,
    };
    let fragment = Document::new("k", text).fragment(value, Some(at), from..value.len());
    position(fragment.position)
}

#[test]
fn a_fragment_knows_where_it_stands_when_it_is_written_as_it_reads() {
    let value = "a = 1 => host = x";
    let plain = place("c:\n- a = 1 => host = x\n", value, (2, 3), 9);
    assert_eq!(plain, Some((2, 12)));
    let quoted = place("c:\r\n- 'a = 1 => host = x'\r\n", value, (2, 3), 9);
    assert_eq!(quoted, Some((2, 13)));
    let folded = place("c:\n- >\n  a = 1\n  => host = x\n", value, (2, 3), 9);
    assert_eq!(folded, None);
    assert_eq!(place("c:", value, (9, 9), 0), None);
}

proptest! {
    #[test]
    fn any_place_of_any_text_gets_an_answer(
        text in "(?s).{0,60}", value in ".{0,12}", line in 0_u32..9, column in 0_u32..20, from in 0_usize..14
    ) {
        let at = Position { line, column };
        let _ = Document::new("k", &text).fragment(&value, Some(at), from..value.len().max(from));
    }
}

/// A draw of a v3.1 rule, and what a later condition leaves of each destination.
fn drawn(service: &str, web: &str) -> Trace {
    let rules = [
        ("com.a.S::.condition-router", service),
        ("web.condition-router", web),
    ];
    let (application, chain) = chain("3.3.6", &rules, &HOSTS);
    application.explain(&chain, &call("get"))
}

const TWO: &str = "configVersion: v3.1\nforce: true\nconditions:\n  - from: {match: 'method=get'}\n    to:\n      - {match: 'host=10.0.0.1', weight: 100}\n      - {match: 'host=10.0.1.1', weight: 100}\n";

#[test]
fn a_way_that_ends_with_nothing_names_what_emptied_it() {
    let web = "force: true\nconditions:\n- 'method=get => host=10.0.1.1'\n";
    let trace = drawn(TWO, web);
    // 101 of 200 numbers draw the first destination.
    assert!((trace.lost() - 0.505).abs() < 1e-9, "{}", trace.lost());
    let way = trace.losing().unwrap();
    let last = way.steps.last().unwrap();
    let part = last.parts.last().unwrap();
    assert_eq!(
        (&*part.rule.as_ref().unwrap().key, &part.effect),
        ("web.condition-router", &Effect::ForcesEmpty)
    );
    // It is the router that first reads that rule, with one address before it.
    assert_eq!(
        (last.step.kind, last.step.input.at_most().len()),
        ("provider-app", 1)
    );
    let draws = way
        .steps
        .iter()
        .flat_map(|step| &step.parts)
        .find(|part| part.effect == Effect::Draws);
    assert_eq!(
        draws.unwrap().removed.len(),
        1,
        "the other destination is gone on this way"
    );
    let split = trace.split.as_ref().unwrap();
    assert_eq!((split.ways.len(), split.unclear), (2, 0.0));
    let sum: f64 = split.ways.iter().map(|way| way.probability).sum();
    assert!((sum - 1.0).abs() < 1e-9);
}

#[test]
fn a_later_entry_of_the_same_rule_may_empty_what_was_drawn() {
    let both = format!(
        "{TWO}  - from: {{match: 'method=get'}}\n    to:\n      - {{match: 'host=10.0.1.1'}}\n"
    );
    let trace = drawn(&both, "conditions: []\n");
    let way = trace.losing().unwrap();
    let parts: Vec<_> = way
        .steps
        .last()
        .unwrap()
        .parts
        .iter()
        .map(|part| (&part.effect, position(part.rule.as_ref().unwrap().position)))
        .collect();
    assert_eq!(
        parts,
        [
            (&Effect::Draws, Some((4, 19))),
            (&Effect::ForcesEmpty, Some((8, 19)))
        ]
    );
    assert!((trace.lost() - 0.505).abs() < 1e-9);
}

#[test]
fn every_way_may_end_with_nothing_for_a_reason_of_its_own() {
    let service = format!(
        "{TWO}  - from: {{match: 'method=get'}}\n    to:\n      - {{match: 'host=10.0.1.1'}}\n"
    );
    let web = "force: true\nconditions:\n- 'method=get => host=10.0.0.1'\n";
    let trace = drawn(&service, web);
    assert!(trace.outcome.as_ref().unwrap().is_empty() && (trace.lost() - 1.0).abs() < 1e-9);
    let ends: Vec<_> = trace
        .split
        .as_ref()
        .unwrap()
        .ways
        .iter()
        .map(|way| way.steps.last().unwrap().step.kind)
        .collect();
    assert_eq!(ends, ["service", "provider-app"]);
}

#[test]
fn a_script_behind_a_draw_hides_only_its_own_way() {
    let rules = [
        ("com.a.S::.condition-router", TWO),
        (
            "web.condition-router",
            "force: true\nconditions:\n- 'method=get => host=10.0.1.1'\n",
        ),
        (
            "shop.script-router",
            "force: true\nscript: 'function f(a,b,c){return a} f(invokers,invocation,context)'\n",
        ),
    ];
    let (application, chain) = chain("3.3.6", &rules, &HOSTS);
    let trace = application.explain(&chain, &call("get"));
    assert!(matches!(trace.outcome, Ok(Outcome::Within(_))));
    let split = trace.split.as_ref().unwrap();
    assert!((split.lost - 0.505).abs() < 1e-9 && (split.unclear - 0.495).abs() < 1e-9);
}

proptest! {
    /// The ways of a call and the answer for all of them are worked out apart; they say the same.
    #[test]
    fn ways_come_to_what_the_answer_says(
        entries in prop::collection::vec((prop::collection::vec((0_u8..4, 1_i32..9), 0..4), any::<bool>()), 1..4),
        force in any::<bool>(), last in 0_u8..4
    ) {
        use std::fmt::Write as _;
        let mut rule = format!("configVersion: v3.1\nforce: {force}\nconditions:\n");
        for (to, about) in &entries {
            let method = if *about { "get" } else { "save" };
            let _ = write!(rule, "- from: {{match: 'method={method}'}}\n  to: [");
            for (host, weight) in to {
                let _ = write!(rule, "{{match: 'host=10.0.{host}.1', weight: {weight}}}, ");
            }
            rule.push_str("]\n");
        }
        let web = format!("force: {force}\nconditions:\n- '=> host=10.0.{last}.1'\n");
        let rules = [("com.a.S::.condition-router", rule.as_str()), ("web.condition-router", &web)];
        let hosts = ["10.0.0.1:1", "10.0.1.1:1", "10.0.2.1:1"];
        let (application, chain) = chain("3.3.6", &rules, &hosts);
        let trace = application.explain(&chain, &call("get"));
        let outcome = trace.outcome.clone().unwrap();
        if let Some(split) = &trace.split {
            let sum = |fits: &dyn Fn(&AddressSet) -> bool| -> f64 {
                let ways = split.ways.iter().filter(|way| matches!(&way.outcome, Ok(Outcome::Only(set)) if fits(set)));
                ways.map(|way| way.probability).sum()
            };
            prop_assert!((sum(&|_| true) - 1.0).abs() < 1e-9);
            let answers = match &outcome {
                Outcome::OneOf(answers) => answers.clone(),
                Outcome::Only(set) => vec![(set.clone(), 1.0)],
                Outcome::Within(_) => unreachable!(),
            };
            for (set, probability) in answers {
                prop_assert!((sum(&|other| *other == set) - probability).abs() < 1e-9);
                if set.is_empty() {
                    prop_assert!((split.lost - probability).abs() < 1e-9);
                }
            }
            for way in split.ways.iter().filter(|way| way.is_lost()) {
                let emptied = way.steps.iter().find(|it| it.step.output.is_empty()).unwrap();
                let part = emptied.parts.iter().find(|part| part.output.is_empty()).unwrap();
                prop_assert!(matches!(part.effect, Effect::ForcesEmpty | Effect::Refuses), "{part:?}");
            }
        } else {
            prop_assert!(matches!(outcome, Outcome::Only(_)));
        }
    }
}
