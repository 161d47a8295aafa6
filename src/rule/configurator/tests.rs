use proptest::prelude::*;

use super::*;
use crate::model::version::Line;

const RULE: &str = "\
configVersion: v2.7
scope: application
key: order
enabled: true
configs:
- side: consumer
  addresses: [10.0.0.7, '10.0.0.8:20880']
  services: ['g/a.B:1.0.0', '*']
  parameters: {timeout: 5, retries: 0}
- side: provider
  type: weight
  enabled: false
  parameters: {weight: 9}
";

fn texts(text: &str, version: &str) -> Vec<String> {
    let version = DubboVersion::parse(version).unwrap();
    let urls = parse(text, &version).unwrap().urls(&version).unwrap();
    urls.iter().map(|rule| rule.url.to_full_text()).collect()
}

fn refused(text: &str, version: &str) -> RuleError {
    let version = DubboVersion::parse(version).unwrap();
    parse(text, &version)
        .and_then(|document| document.urls(&version))
        .unwrap_err()
}

#[test]
fn a_url_per_address_and_service() {
    let end = "application=order&category=appdynamicconfigurators&configVersion=v2.7&enabled=true";
    let start = "retries=0&side=consumer&timeout=5";
    assert_eq!(
        texts(RULE, "2.7.23"),
        [
            format!("override://10.0.0.7/a.B?{end}&group=g&{start}&version=1.0.0"),
            format!("override://10.0.0.7/*?{end}&{start}"),
            format!("override://10.0.0.8:20880/a.B?{end}&group=g&{start}&version=1.0.0"),
            format!("override://10.0.0.8:20880/*?{end}&{start}"),
            format!(
                "override://0.0.0.0/*?{}&side=provider&weight=9",
                end.replace("=true", "=false")
            ),
        ]
    );
    let newer = texts(RULE, "3.3");
    assert_eq!(newer.len(), 5);
    assert!(
        newer[4].contains("providerAddresses=0.0.0.0"),
        "{}",
        newer[4]
    );
    // before 2.7.11 the second service is appended to the URL of the first one
    let grown = &texts(RULE, "2.7.8")[1];
    assert!(grown.starts_with("override://10.0.0.7/a.B?"), "{grown}");
}

#[test]
fn items_and_positions() {
    let version = DubboVersion::newest(Line::V3_2);
    let document = parse(RULE, &version).unwrap();
    let items: Vec<_> = document
        .urls(&version)
        .unwrap()
        .iter()
        .map(|rule| rule.item)
        .collect();
    assert_eq!(items, [0, 0, 0, 0, 1].map(Some));
    let ConfiguratorDocument::Rule(rule) = document else {
        panic!("a rule");
    };
    let lines: Vec<_> = rule
        .configs
        .iter()
        .flatten()
        .flatten()
        .map(|item| item.at.line)
        .collect();
    assert_eq!(lines, [6, 10]);
}

#[test]
fn what_is_refused() {
    let without = |what: &str| RULE.replace(what, "");
    for (text, class) in [
        (
            without("  parameters: {weight: 9}\n"),
            "java.lang.IllegalStateException",
        ),
        (RULE.replace("v2.7", "3.0"), "java.lang.ClassCastException"),
        (
            RULE.replace("weight: 9", "weight:"),
            "java.lang.NullPointerException",
        ),
        (
            RULE.replace("weight: 9", "1: 9"),
            "java.lang.ClassCastException",
        ),
        ("key: a".to_owned(), "java.lang.NullPointerException"),
        ("[]".to_owned(), "java.lang.ClassCastException"),
    ] {
        assert_eq!(refused(&text, "3.2").class, class, "{text}");
    }
    // 2.7 turns numbers into texts
    assert!(texts(&RULE.replace("v2.7", "3.0"), "2.7.23")[0].contains("configVersion=3.0"));
    assert!(texts("[]", "3.0.5").is_empty());
    assert!(refused("unknown: 1", "2.7.8").message.contains("unknown"));
}

#[test]
fn a_list_of_urls() {
    let list = "[\"override://0.0.0.0/a.B?timeout=1\"]";
    assert_eq!(texts(list, "2.7.8"), ["override://0.0.0.0/a.B?timeout=1"]);
    assert_eq!(
        refused(list, "2.7.7").class,
        "org.yaml.snakeyaml.constructor.ConstructorException"
    );
    let single = list.replace('"', "'");
    assert_eq!(texts(&single, "3.0.15"), texts(list, "3.0.15"));
    assert_eq!(
        refused(&single, "3.0.8").class,
        "java.lang.ClassCastException"
    );
}

#[test]
fn listeners_drop_names_and_keep_what_was_there() {
    let version = DubboVersion::newest(Line::V3_2);
    let rule = "{configVersion: v3.0, key: a.B, configs: [{side: consumer, \
                match: {app: {oneof: [{exact: x}]}}, parameters: {router: r, timeout: 5}}]}";
    let rules = listen(rule, &version).unwrap().unwrap();
    assert_eq!(rules.len(), 1);
    assert_eq!(rules[0].url().parameter("router"), None);
    assert!(rules[0].condition().is_some());
    let older = listen(rule, &DubboVersion::newest(Line::V2_7))
        .unwrap()
        .unwrap();
    assert_eq!(older[0].url().parameter("router"), Some("r"));
    assert_eq!(older[0].condition(), None);
    assert!(matches!(listen("a", &version), Err(ListenError::Rule(_))));
    let bad = "[\"override://h/a?priority=x\", \"override://h/a?y=1\"]";
    assert!(matches!(listen(bad, &version), Err(ListenError::Order(_))));
    let nothing = "{key: a.B, configs: []}";
    assert_eq!(listen(nothing, &version), Ok(None));
}

#[test]
fn a_match_that_cannot_be_read_is_passed_over() {
    let version = DubboVersion::newest(Line::V3_2);
    let rule = "{key: a.B, configs: [{parameters: {a: b}, match: {param: [~]}}]}";
    let ConfiguratorDocument::Rule(rule) = parse(rule, &version).unwrap() else {
        panic!("a rule");
    };
    let item = rule.configs.unwrap().remove(0).unwrap();
    assert_eq!(item.condition, None);
    assert_eq!(
        item.bad_condition.unwrap().class,
        "java.lang.NullPointerException"
    );
}

fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        "[a-z0-9:*./&~-]{0,8}",
        Just("~".to_owned()),
        Just("true".to_owned()),
        Just("\"1\"".to_owned()),
    ];
    leaf.prop_recursive(3, 16, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3)
                .prop_map(|list| format!("[{}]", list.join(", "))),
            prop::collection::vec((field(), inner), 0..4).prop_map(|map| {
                let pairs: Vec<_> = map.iter().map(|(k, v)| format!("{k}: {v}")).collect();
                format!("{{{}}}", pairs.join(", "))
            }),
        ]
    })
}

fn field() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "configVersion",
        "scope",
        "key",
        "enabled",
        "configs",
        "side",
        "addresses",
        "providerAddresses",
        "services",
        "applications",
        "parameters",
        "match",
        "address",
        "param",
        "oneof",
        "type",
        "1",
    ])
}

proptest! {
    #[test]
    fn documents_never_panic(fields in prop::collection::vec((field(), value()), 0..6), version in prop::sample::select(vec!["2.7.8", "2.7.23", "3.0.5", "3.1.0", "3.2.0", "3.3.0"])) {
        let lines: Vec<_> = fields.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        let text = lines.join("\n");
        let version = DubboVersion::parse(version).unwrap();
        let _ = listen(&text, &version);
    }

    #[test]
    fn texts_never_panic(text in "\\PC*") {
        for line in Line::MODELLED {
            let _ = listen(&text, &DubboVersion::newest(line));
        }
    }
}
