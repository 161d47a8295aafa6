use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::snapshot::{At, Source, SourceId, SourceKind};

const URL: &str = "dubbo%3A%2F%2F10.20.3.7%3A20880%2Fcom.acme.order.OrderService%3Fapplication%3Dorder-web%26interface%3Dcom.acme.order.OrderService%26release%3D2.7.4.1%26side%3Dprovider";

fn recording() -> Snapshot {
    let at = At::from_time("2026-03-04T05:06:07Z".parse().unwrap());
    let mut manifest = Manifest::new("test", at);
    let mut source = Source::new(SourceKind::Zookeeper);
    source.url = Some("zookeeper://zk1.acme.example:2181?backup=10.20.0.2:2181".to_owned());
    let r1 = manifest.add_source("r", source);
    manifest.seen_from.host = "bastion-1".to_owned();
    manifest.scope.services = vec!["g/com.acme.order.OrderService:1.0".to_owned()];
    let mut snapshot = Snapshot::new(manifest);
    let mut add = |line: Line| snapshot.insert(r1.clone(), line);
    add(Line::new(
        Key::zk_node("/dubbo/com.acme.order.OrderService/providers"),
        Payload::Children(vec![URL.to_owned()]),
    )
    .said_by("zk1.acme.example:2181"));
    add(Line::new(
        Key::zk_node("/dubbo/config/dubbo/order-web.condition-router"),
        Payload::Text("scope: application\nkey: order-web\nconditions:\n  - 'application=order-* & host = 10.20.* => host = 10.20.3.1*'\n".to_owned()),
    ));
    add(Line::new(
        Key::nacos_instances("", "DEFAULT_GROUP", "acme-pay"),
        Payload::Json(
            json!([{"ip": "10.20.9.9", "port": 20880, "metadata": {"com.acme.order.OrderService": "{\"application\":\"acme-pay\"}"}}]),
        ),
    ));
    snapshot
}

fn pseudonyms() -> Pseudonyms {
    let mut gathered = Gathered::default();
    gathered.snapshot(&recording());
    gathered.asked_service("com.acme.order.OrderServise");
    gathered.pseudonyms(None)
}

#[test]
fn the_patterns_are_patterns() {
    gather::compile();
}

#[test]
fn no_name_is_left_and_the_rest_is() {
    let pseudonyms = pseudonyms();
    let renamed = pseudonyms.snapshot(&recording());
    let lines: Vec<String> = renamed
        .sources()
        .flat_map(|(_, lines)| {
            lines
                .map(|line| serde_json::to_string(line).unwrap())
                .collect::<Vec<_>>()
        })
        .collect();
    let text = lines.join("\n") + &serde_json::to_string(renamed.manifest()).unwrap();
    for name in [
        "acme",
        "OrderService",
        "order-",
        "acme-pay",
        "zk1",
        "bastion",
        "10.20.3.7",
        "10.20.9.9",
    ] {
        assert!(!text.contains(name), "{name}\n{text}");
    }
    for word in [
        "release%3D2.7.4.1",
        "side%3Dprovider",
        "DEFAULT_GROUP",
        ".condition-router",
        "scope: application",
        "20880",
        "/dubbo/config/dubbo/",
        "/providers",
        "%3A%2F%2F10.",
        "\"ip\":\"10.",
    ] {
        assert!(text.contains(word), "{word}\n{text}");
    }
    assert_eq!(
        renamed,
        pseudonyms.snapshot(&recording()),
        "the same every time"
    );
}

#[test]
fn what_belonged_together_still_does() {
    let pseudonyms = pseudonyms();
    let of = |text: &str| pseudonyms.text(text).into_owned();
    let interface = of("com.acme.order.OrderService");
    let (package, simple) = interface.rsplit_once('.').unwrap();
    for (text, expected) in [
        (
            "providers:com.acme.order.OrderService:1.0:g",
            format!("providers:{interface}:1.0:g"),
        ),
        (
            "g/com.acme.order.OrderService:1.0",
            format!("g/{interface}:1.0"),
        ),
        (
            "com.acme.order.OrderService.create(..)",
            format!("{interface}.create(..)"),
        ),
        (
            "com.acme.order.OrderService.condition-router",
            format!("{interface}.condition-router"),
        ),
        (
            "com.acme.order.OrderService::.tag-router",
            format!("{interface}::.tag-router"),
        ),
        ("OrderService", simple.to_owned()),
        ("com.acme.order", package.to_owned()),
        (
            "order-web.tag-router",
            format!("{}.tag-router", of("order-web")),
        ),
        ("order-web-7d9f", format!("{}-7d9f", of("order-web"))),
    ] {
        assert_eq!(of(text), expected, "{text}");
    }
    assert!(of("OrderServiceImpl.java").starts_with(simple));
    let start = of("order-*");
    assert!(
        of("order-web").starts_with(start.trim_end_matches('*')),
        "{start}"
    );
    let near = of("com.acme.order.OrderServise");
    assert_eq!(near.rsplit_once('.').unwrap().0, package);
    let distance = strsim::levenshtein(&near, &interface);
    assert!((1..=2).contains(&distance), "{near} {interface}");
    assert_eq!(
        of("com.acme.order.orderservice").to_lowercase(),
        interface.to_lowercase()
    );
    for text in [
        "org.apache.dubbo.rpc.RpcException",
        "dubbo",
        "localhost",
        "2.7.4.1",
        "1.0.0",
        "failed to invoke the method",
        "",
        "127.0.0.1:2181",
        "${order}",
        "provider",
        "GET /nacos/v1/cs/configs",
    ] {
        assert_eq!(of(text), text);
    }
}

#[test]
fn rules_fit_what_they_fitted() {
    let pseudonyms = pseudonyms();
    let of = |text: &str| pseudonyms.text(text).into_owned();
    let network = of("10.20.*");
    assert!(
        of("10.20.3.7").starts_with(network.trim_end_matches('*')),
        "{network}"
    );
    // The rule compares the digits of the last part.
    let part = of("10.20.3.1*");
    for host in ["10.20.3.1", "10.20.3.17", "10.20.3.100"] {
        assert!(
            of(host).starts_with(part.trim_end_matches('*')),
            "{part} {}",
            of(host)
        );
    }
    let wide: Vec<String> = of("10.20.0.0/16").split('.').map(str::to_owned).collect();
    assert!(of("10.20.200.1").starts_with(&format!("{}.{}.", wide[0], wide[1])));
}

#[test]
fn a_secret_makes_them_the_same_elsewhere() {
    let with = |secret: Option<&str>, more: &str| {
        let mut gathered = Gathered::default();
        gathered.snapshot(&recording());
        gathered.asked_service(more);
        gathered
            .pseudonyms(secret)
            .text("com.acme.order.OrderService")
            .into_owned()
    };
    assert_eq!(
        with(Some("s"), "com.b.Other"),
        with(Some("s"), "com.c.Third")
    );
    assert_ne!(
        with(Some("s"), "com.b.Other"),
        with(Some("t"), "com.b.Other")
    );
    assert_ne!(with(None, "com.b.Other"), with(None, "com.c.Third"));
}

#[test]
fn names_that_are_words_stay_and_are_said() {
    let mut gathered = Gathered::default();
    gathered.text("application=provider,interface=com.acme.X dubbo.application.name=order-web");
    let pseudonyms = gathered.pseudonyms(None);
    assert_eq!(pseudonyms.kept().collect::<Vec<_>>(), ["provider"]);
    assert!(pseudonyms.text("side=provider").contains("provider"));
    assert!(!pseudonyms.text("order-web").contains("order"));
}

/// The name of a mesh rule looks like a class.
#[test]
fn ends_of_rule_names_stay() {
    let mut gathered = Gathered::default();
    let key = Key::zk_node("/dubbo/config/dubbo/orders.MESHAPPRULE");
    gathered.line(
        &Line::new(key, Payload::Text("hosts: [orders]".to_owned())),
        false,
    );
    let pseudonyms = gathered.pseudonyms(None);
    let new = pseudonyms.text("orders.MESHAPPRULE");
    assert!(
        new.ends_with(".MESHAPPRULE") && !new.starts_with("orders"),
        "{new}"
    );
}

/// Ids of sources and operations are the format's, not the house's.
#[test]
fn the_format_stays_readable() {
    let mut gathered = Gathered::default();
    gathered.asked_application("f1");
    gathered.asked_application("srvr");
    let pseudonyms = gathered.pseudonyms(None);
    for key in [
        Key::FileLines {
            file: "f1".to_owned(),
        },
        Key::ZkFour {
            word: "srvr".to_owned(),
        },
    ] {
        let mut line = Line::new(key.clone(), Payload::Text("x".to_owned()));
        pseudonyms.line(&mut line);
        assert_eq!(line.key, key);
    }
    assert!(SourceId::new("r1").is_ok());
}

proptest! {
    #[test]
    fn takes_any_text_and_is_stable(text in "\\PC{0,60}") {
        let pseudonyms = pseudonyms();
        let once = pseudonyms.text(&text).into_owned();
        prop_assert_eq!(&once, &pseudonyms.text(&text).into_owned());
        let mut gathered = Gathered::default();
        gathered.text(&text);
        let _ = gathered.pseudonyms(None).text(&text).into_owned();
    }

    #[test]
    fn different_names_stay_different(a in "[a-z]{1,8}(-[a-z0-9]{1,5}){0,2}", b in "[a-z]{1,8}(-[a-z0-9]{1,5}){0,2}") {
        let mut gathered = Gathered::default();
        gathered.asked_application(&a);
        gathered.asked_application(&b);
        let pseudonyms = gathered.pseudonyms(None);
        let equal = pseudonyms.text(&a) == pseudonyms.text(&b);
        let kept = pseudonyms.kept().count() > 0;
        prop_assert!(kept || equal == (a == b));
    }
}
