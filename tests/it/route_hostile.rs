//! Rules built to blow up end in a bounded, explained result, quickly.

#![expect(clippy::disallowed_methods, reason = "the time is what is tested")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use diag::model::url::Url;
use diag::model::version::DubboVersion;
use diag::route::AddressList;
use diag::route::application::{Application, Settings};
use diag::route::call::Call;
use diag::route::declared::Zones;
use diag::route::outcome::Outcome;
use diag::route::provider::Provider;
use diag::route::trace::RuleState;

/// A second for an optimised program. A debug build is an order of magnitude slower, and may share its machine; what
/// grows with the square of its input takes hours.
const MOST: Duration = if cfg!(debug_assertions) {
    Duration::from_secs(120)
} else {
    Duration::from_secs(1)
};

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

/// What became of the rule, and of the addresses.
fn replay(version: &str, key: &str, rule: String, providers: usize) -> (RuleState, Outcome) {
    let version = DubboVersion::parse(version).expect("a version");
    let url = |text: &str| Url::parse(text, &version).expect("a URL");
    let consumer = url("consumer://10.9.0.1/com.a.S?application=web&interface=com.a.S");
    let list = AddressList {
        providers: (0..providers)
            .map(|n| {
                let text = format!(
                    "dubbo://10.0.{}.{}:20880/com.a.S?application=shop&name={}",
                    n / 250,
                    n % 250,
                    "a".repeat(40)
                );
                Box::new(Plain(url(&text))) as Box<dyn Provider + Send + Sync>
            })
            .collect(),
        consumer: consumer.clone(),
        zones: Zones::default(),
    };
    let started = Instant::now();
    let rules = BTreeMap::from([(key.to_owned(), rule)]);
    let mut application =
        Application::new(&version, rules, Settings::default()).expect("a modelled version");
    let chain = application
        .refer(&consumer, &[], list)
        .expect("the chain is built");
    let call = Call {
        method: "get".to_owned(),
        ..Call::default()
    };
    let trace = application.explain(&chain, &call);
    let took = started.elapsed();
    let reading = application
        .readings(&chain)
        .into_iter()
        .find(|reading| reading.key == key)
        .expect("the rule is read");
    assert!(took < MOST, "{key}: {took:?}");
    (reading.state, trace.outcome.expect("no exception"))
}

const SERVICE: &str = "com.a.S::.condition-router";
const VERSIONS: [&str; 3] = ["2.7.23", "3.1.11", "3.3.6"];

#[test]
fn a_condition_of_a_megabyte() {
    for version in VERSIONS {
        let mut values = String::new();
        for n in 0..90_000 {
            let _ = write!(values, "10.9.{}.{},", n / 250, n % 250);
        }
        let rule = format!("force: true\nconditions:\n- '=> host = {values}10.0.0.1'\n");
        assert!(rule.len() > 900_000);
        let (state, outcome) = replay(version, SERVICE, rule, 50);
        assert_eq!(state, RuleState::InForce, "{version}");
        assert!(
            matches!(outcome, Outcome::Only(set) if set.len() == 1),
            "{version}"
        );
    }
}

#[test]
fn a_hundred_thousand_conditions() {
    for version in VERSIONS {
        let mut rule = String::from("force: true\nconditions:\n");
        for n in 0..100_000 {
            let _ = writeln!(rule, "- method=m{n}=>host=9");
        }
        let (state, outcome) = replay(version, SERVICE, rule, 50);
        assert_eq!(state, RuleState::InForce, "{version}");
        assert!(
            matches!(outcome, Outcome::Only(set) if set.len() == 50),
            "{version}"
        );
    }
}

#[test]
fn aliases_that_double() {
    for version in VERSIONS {
        let mut rule = String::from("a0: &a0 [x]\n");
        for n in 1..40 {
            let before = n - 1;
            let _ = writeln!(rule, "a{n}: &a{n} [*a{before}, *a{before}]");
        }
        rule.push_str("conditions: *a39\n");
        let (_, outcome) = replay(version, SERVICE, rule, 5);
        assert!(
            matches!(outcome, Outcome::Only(set) if set.len() == 5),
            "{version}"
        );
    }
}

#[test]
fn deep_nesting() {
    for version in VERSIONS {
        let rule = format!("conditions: {}{}\n", "[".repeat(20_000), "]".repeat(20_000));
        let (state, outcome) = replay(version, SERVICE, rule, 5);
        assert_ne!(state, RuleState::InForce, "{version}");
        assert!(
            matches!(outcome, Outcome::Only(set) if set.len() == 5),
            "{version}"
        );
    }
}

#[test]
fn wildcards_and_expressions_that_backtrack() {
    for version in VERSIONS {
        let stars = "a*".repeat(20_000);
        let rule = format!("force: true\nconditions:\n- '=> name = {stars}b'\n");
        let (state, outcome) = replay(version, SERVICE, rule, 200);
        assert_eq!(state, RuleState::InForce, "{version}");
        assert!(outcome.is_empty(), "{version}");
    }
    let rule = "configVersion: v3.0\nforce: true\ntags:\n- name: t\n  match:\n  - key: name\n    value: {regex: '(a+)+b'}\n";
    let (state, outcome) = replay("3.3.6", "shop.tag-router", rule.to_owned(), 200);
    assert_eq!(state, RuleState::InForce);
    assert!(matches!(outcome, Outcome::Only(set) if set.len() == 200));
}

#[test]
fn many_tags_over_many_addresses() {
    for version in VERSIONS {
        let mut rule = String::from("force: true\ntags:\n");
        for n in 0..2_000 {
            let _ = writeln!(
                rule,
                "- name: t{n}\n  addresses: ['10.0.*.{}', '10.1-9.*.*']",
                n % 250
            );
        }
        let (state, outcome) = replay(version, "shop.tag-router", rule, 500);
        assert_eq!(state, RuleState::InForce, "{version}");
        assert!(outcome.is_empty(), "{version}");
    }
}
