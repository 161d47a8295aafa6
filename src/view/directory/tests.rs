use proptest::prelude::*;

use super::*;
use crate::model::url::encode;
use crate::model::version::Line;
use crate::rule::override_url::Configurator;

const CONSUMER: &str = "consumer://10.0.9.9/a.B?application=shop&interface=a.B&side=consumer";

fn directory(consumer: &str, registry: &str, version: &str) -> Directory {
    let version = DubboVersion::parse(version).unwrap();
    Directory::new(Subscription {
        consumer: Url::parse(consumer, &version).unwrap(),
        registry: Url::parse(registry, &version).unwrap(),
        protocols: Protocols::of(version.line()),
        local_host: "10.0.9.9".to_owned(),
        version,
    })
}

fn provider(host: u8, more: &str) -> String {
    encode(&format!(
        "dubbo://10.0.0.{host}:20880/a.B?application=order&interface=a.B&side=provider{more}"
    ))
}

fn told(directory: &mut Directory, providers: &[String], rules: Option<&[String]>) -> Notice {
    let providers: Vec<&str> = providers.iter().map(String::as_str).collect();
    let rules: Option<Vec<&str>> = rules.map(|list| list.iter().map(String::as_str).collect());
    directory
        .notify(Notification {
            providers: Some(&providers),
            configurators: rules.as_deref(),
        })
        .unwrap()
}

fn drops(notice: &Notice) -> Vec<(usize, Drop)> {
    let fates = notice.fates.iter();
    fates
        .filter_map(|(id, fate)| match fate {
            Fate::Dropped { why, .. } => Some((id.place, why.clone())),
            Fate::Kept { .. } => None,
        })
        .collect()
}

#[test]
fn every_drop_has_its_reason_and_stage() {
    for version in ["2.7", "3.0", "3.1", "3.2", "3.3"] {
        let mut d = directory(
            &format!("{CONSUMER}&protocol=dubbo,foo"),
            "zookeeper://h",
            version,
        );
        let entries = [
            provider(1, ""),
            provider(2, "&group=g"),
            provider(3, "&enabled=false"),
            provider(4, "&disabled=true"),
            provider(5, "&group=g&enabled=false"),
            provider(6, "").replace("dubbo%3A", "tri%3A"),
            provider(7, "").replace("dubbo%3A", "foo%3A"),
        ];
        let notice = told(&mut d, &entries, None);
        assert_eq!(notice.outcome, Outcome::Refreshed);
        let expected = [
            (1, Drop::Mismatch(vec![Mismatch::Group]), StageId::Key),
            (2, Drop::Mismatch(vec![Mismatch::Enabled]), StageId::Entries),
            (3, Drop::Disabled, StageId::Configurators),
            (
                4,
                Drop::Mismatch(vec![Mismatch::Enabled, Mismatch::Group]),
                StageId::Key,
            ),
            (
                5,
                Drop::Protocol {
                    asked: "dubbo,foo".to_owned(),
                },
                StageId::Protocol,
            ),
            (6, Drop::UnsupportedProtocol(Support::No), StageId::Protocol),
        ];
        let found: Vec<_> = drops(&notice)
            .into_iter()
            .map(|(place, drop)| (place, drop.clone(), drop.stage()))
            .collect();
        assert_eq!(found, expected, "{version}");
        let kept: Vec<_> = d
            .invokers()
            .iter()
            .map(|i| i.url.socket().unwrap().to_string())
            .collect();
        assert_eq!(kept, ["10.0.0.1:20880"]);
    }
}

#[test]
fn an_empty_list_by_line_and_protection() {
    let off = "zookeeper://h?enable-empty-protection=false";
    let on = "zookeeper://h?enable-empty-protection=true";
    for (version, registry, clears) in [
        ("2.7", "zookeeper://h", true),
        ("2.7", on, true),
        ("3.0.4", "zookeeper://h", true),
        ("3.0", "zookeeper://h", false),
        ("3.1", "zookeeper://h", false),
        ("3.1", off, true),
        ("3.2", "zookeeper://h", true),
        ("3.3", on, false),
    ] {
        let mut d = directory(CONSUMER, registry, version);
        told(&mut d, &[provider(1, "")], None);
        let notice = told(&mut d, &[], None);
        assert_eq!(notice.sent_empty, clears, "{version} {registry}");
        assert_eq!(d.is_forbidden(), clears, "{version} {registry}");
        assert_eq!(d.invokers().is_empty(), clears, "{version} {registry}");
    }
}

#[test]
fn a_list_of_which_nothing_is_usable_leaves_the_one_before() {
    for version in ["2.7", "3.0", "3.1", "3.2", "3.3"] {
        let mut d = directory(CONSUMER, "zookeeper://h", version);
        told(&mut d, &[provider(1, "")], None);
        let notice = told(&mut d, &[provider(2, "&disabled=true")], None);
        assert_eq!(notice.outcome, Outcome::KeptPrevious);
        assert_eq!(d.invokers().len(), 1);
        let mut fresh = directory(CONSUMER, "zookeeper://h", version);
        told(&mut fresh, &[provider(2, "&disabled=true")], None);
        assert!(fresh.invokers().is_empty() && !fresh.is_forbidden());
    }
}

#[test]
fn an_override_that_disables_leaves_the_remembered_list_for_later() {
    for version in ["2.7", "3.1", "3.3"] {
        let mut d = directory(CONSUMER, "zookeeper://h", version);
        let disable = encode("override://0.0.0.0/a.B?category=configurators&disabled=true");
        told(&mut d, &[provider(1, "")], None);
        let rules = [disable.as_str()];
        let only_rules = Notification {
            providers: None,
            configurators: Some(&rules),
        };
        let notice = d.notify(only_rules).unwrap();
        assert_eq!(notice.outcome, Outcome::KeptPrevious, "{version}");
        assert!(notice.fates.is_empty());
        assert!(matches!(
            notice.remembered.as_slice(),
            [(
                _,
                Fate::Dropped {
                    why: Drop::Disabled,
                    ..
                }
            )]
        ));
        assert_eq!(d.invokers().len(), 1);
        // the category is empty again: the rule is gone
        let notice = d
            .notify(Notification {
                providers: None,
                configurators: Some(&[]),
            })
            .unwrap();
        assert_eq!(notice.outcome, Outcome::Refreshed, "{version}");
    }
}

#[test]
fn rules_of_the_config_centre_win_over_those_of_the_registry() {
    let rule = |text: &str| {
        let url = Url::parse(text, &DubboVersion::newest(Line::V3_3)).unwrap();
        Configurators::from(vec![Configurator::from_url(url).unwrap()])
    };
    for version in ["2.7", "3.0", "3.3"] {
        let mut d = directory(CONSUMER, "zookeeper://h", version);
        let registry =
            encode("override://0.0.0.0/a.B?category=configurators&weight=2&timeout=2&retries=2");
        told(&mut d, &[provider(1, "&weight=1")], Some(&[registry]));
        assert_eq!(d.invokers()[0].url.text("weight"), Some("2"));
        let notice = d
            .set_rules(Rules {
                application: rule("override://0.0.0.0/a.B?weight=3&timeout=3"),
                service: rule("override://0.0.0.0/a.B?weight=4"),
            })
            .unwrap();
        assert_eq!(notice.outcome, Outcome::Refreshed);
        let url = &d.invokers()[0].url;
        let values = ["weight", "timeout", "retries"].map(|name| url.text(name));
        assert_eq!(values, [Some("4"), Some("3"), Some("2")], "{version}");
        let own = d.own_url().text("retries");
        assert_eq!(own, (version != "3.0").then_some("2"), "{version}");
    }
}

#[test]
fn whose_value_counts() {
    let consumer = format!("{CONSUMER}&timeout=7&dubbo.tag=mine&weight=");
    for (version, application) in [("2.7", "shop"), ("3.3", "order")] {
        let mut d = directory(&consumer, "zookeeper://h", version);
        told(
            &mut d,
            &[provider(
                1,
                "&timeout=1&dubbo.tag=theirs&weight=9&threads=5",
            )],
            None,
        );
        let url = &d.invokers()[0].url;
        for (name, value) in [
            ("timeout", Some("7")),
            ("dubbo.tag", Some("theirs")),
            ("weight", Some("9")),
            ("application", Some(application)),
            ("side", Some("consumer")),
            ("threads", (version != "2.7").then_some("5")),
            ("remote.application", (version == "2.7").then_some("order")),
        ] {
            assert_eq!(url.text(name), value, "{version} {name}");
            assert_eq!(
                url.parameters().get(name).copied(),
                value,
                "{version} {name}"
            );
        }
    }
}

#[test]
fn preferred_protocol_of_3_3() {
    for (consumer, more, version, protocol) in [
        ("", "&preferred.protocol=tri", "3.3", "tri"),
        ("", "&preferred.protocol=tri", "3.2", "dubbo"),
        ("", "&ext.protocol=tri", "3.3", "dubbo"),
        ("&protocol=dubbo", "&preferred.protocol=tri", "3.3", "dubbo"),
        ("&protocol=tri,dubbo", "&ext.protocol=TRI", "3.3", "tri"),
    ] {
        let mut d = directory(&format!("{CONSUMER}{consumer}"), "zookeeper://h", version);
        told(&mut d, &[provider(1, more)], None);
        let own = d.invokers()[0].url.own();
        assert_eq!(
            own.protocol.as_deref(),
            Some(protocol),
            "{version} {consumer} {more}"
        );
    }
}

#[test]
fn an_unreadable_entry_loses_the_notification() {
    let mut d = directory(CONSUMER, "zookeeper://h", "2.7");
    told(&mut d, &[provider(1, "")], None);
    let broken = encode("dubbo://u@10.0.0.2:1/a.B?interface=a.B");
    let error = d
        .notify(Notification {
            providers: Some(&[&provider(3, ""), &broken]),
            configurators: None,
        })
        .unwrap_err();
    assert_eq!(
        error,
        NotifyError::Entry {
            place: 1,
            error: UrlError::UserWithoutPassword
        }
    );
    assert!(error.is_by_registry());
    assert_eq!(d.invokers()[0].url.socket().unwrap().host(), "10.0.0.1");
}

#[test]
fn a_provider_without_application_freezes_2_7() {
    let entry = encode("dubbo://10.0.0.1:1/a.B?interface=a.B&side=provider&timestamp=1");
    for (version, freezes) in [
        ("2.7.8", false),
        ("2.7.9", true),
        ("2.7.23", true),
        ("3.3", false),
    ] {
        let mut d = directory(CONSUMER, "zookeeper://h", version);
        told(&mut d, std::slice::from_ref(&entry), None);
        assert_eq!(d.invokers().len(), 1, "{version}");
        let other = provider(2, "");
        let both = [entry.as_str(), other.as_str()];
        let result = d.notify(Notification {
            providers: Some(&both),
            configurators: None,
        });
        assert_eq!(
            result.err(),
            freezes.then_some(NotifyError::NoApplication),
            "{version}"
        );
        assert_eq!(d.invokers().len(), if freezes { 1 } else { 2 }, "{version}");
    }
}

fn piece() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "dubbo%3A%2F%2F",
        "override%3A%2F%2F",
        "empty%3A%2F%2F",
        "absent%3A%2F%2F",
        "10.0.0.1",
        "%3A20880",
        "%2Fa.B",
        "%3F",
        "interface%3Da.B",
        "%26",
        "group%3Dg",
        "pid%3D1",
        "timestamp%3D2",
        "disabled%3Dtrue",
        "category%3Drouters",
        "side%3Dconsumer",
        "%",
        "中",
        "priority%3Dx",
        "configVersion%3Dv3.0",
        "?",
        "mock%3D1",
        "a.mock%3D2",
        "=",
    ])
    .prop_map(str::to_owned)
}

proptest! {
    #[test]
    fn any_entries_give_an_answer(
        providers in prop::collection::vec(prop::collection::vec(piece(), 0..9), 0..4),
        rules in prop::collection::vec(prop::collection::vec(piece(), 0..9), 0..3),
        version in prop::sample::select(vec!["2.6.2", "2.7.6", "2.7.9", "2.7.23", "3.0.0", "3.0.15", "3.1.2", "3.2.16", "3.3.6"]),
    ) {
        let providers: Vec<String> = providers.iter().map(|pieces| pieces.concat()).collect();
        let rules: Vec<String> = rules.iter().map(|pieces| pieces.concat()).collect();
        let mut d = directory(CONSUMER, "zookeeper://h", version);
        for _ in 0..2 {
            let providers: Vec<&str> = providers.iter().map(String::as_str).collect();
            let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
            let notification = Notification { providers: Some(&providers), configurators: Some(&rules) };
            if let Ok(notice) = d.notify(notification) {
                let of_providers = notice.fates.iter().filter(|(id, _)| !id.among_configurators).count();
                prop_assert_eq!(of_providers, providers.len());
                let kept = notice.fates.iter().filter(|(_, fate)| matches!(fate, Fate::Kept { .. })).count();
                if notice.outcome == Outcome::Refreshed && notice.remembered.is_empty() {
                    prop_assert_eq!(kept, d.invokers().len());
                }
            }
        }
    }
}
