use proptest::prelude::*;

use super::*;

fn version(text: &str) -> DubboVersion {
    DubboVersion::parse(text).unwrap()
}

fn plain(text: &str, of: &str) -> Url {
    Url::parse(text, &version(of)).unwrap()
}

fn entry(text: &str, of: &str) -> Url {
    Url::parse_encoded(&encode(text), &version(of)).unwrap()
}

#[test]
fn secrets_are_masked_in_what_is_printed() {
    let url = plain(
        "nacos://u:hunter2@h:8848?accessKey=hunter3&token=hunter4&timeout=5",
        "3.2",
    );
    let shown = format!("{url} {url:?}");
    assert!(!shown.contains("hunter"), "{shown}");
    assert_eq!(
        url.to_string(),
        "nacos://u:***@h:8848?accessKey=***&timeout=5&token=***"
    );
    assert!(url.to_full_text().contains("hunter2"));
    let error = Url::parse("nacos://u:hunter2#x@h:8848", &version("3.2")).unwrap_err();
    assert!(!error.to_string().contains("hunter2"), "{error}");
}

#[test]
fn default_keys_of_old_providers_by_consumer_version() {
    let text = "dubbo://h:1/a.B?default.group=fin&default.version=1.0.0&interface=a.B";
    for (of, key) in [
        ("2.6.2", "fin/a.B:1.0.0"),
        ("2.7.4.1", "fin/a.B:1.0.0"),
        ("2.7.5", "a.B"),
        ("2.7.7", "a.B"),
        ("2.7.9", "a.B"),
        ("2.7.10", "fin/a.B:1.0.0"),
        ("2.7.23", "fin/a.B:1.0.0"),
        ("3.0.0", "fin/a.B:1.0.0"),
        ("3.3.6", "fin/a.B:1.0.0"),
    ] {
        assert_eq!(entry(text, of).service_key().as_deref(), Some(key), "{of}");
    }
    // 2.7.7 to 2.7.9 copy in plain texts only
    assert_eq!(plain(text, "2.7.8").group(), Some("fin"));
    assert_eq!(plain(text, "2.7.6").group(), None);
    // an own value wins, whichever comes first
    assert_eq!(
        entry("dubbo://h:1/a.B?default.x=1&x=2", "3.2").parameter("x"),
        Some("2")
    );
    assert_eq!(
        entry("dubbo://h:1/a.B?x=2&default.x=1", "2.7.23").parameter("x"),
        Some("2")
    );
    assert_eq!(
        entry("dubbo://h:1/a.B?x=&default.x=1", "2.6.12").parameter("x"),
        Some("1")
    );
    assert_eq!(
        entry("dubbo://h:1/a.B?x=&default.x=1", "3.2").parameter("x"),
        Some("")
    );
}

#[test]
fn a_parameter_without_text_by_version() {
    for (of, bare, equals) in [
        ("2.7.23", "a", "a"),
        ("2.7.12", "", "a"),
        ("3.0.15", "a", "a"),
        ("3.1.7", "a", "a"),
        ("3.1.8", "", ""),
        ("3.3.6", "", ""),
    ] {
        // in an entry, a name without `=` loses its last two characters
        let url = entry("dubbo://h:1/a.B?axx&b=1", of);
        assert_eq!(url.parameter("a"), Some(bare), "{of}");
        assert_eq!(
            entry("dubbo://h:1/a.B?a=&b=1", of).parameter("a"),
            Some(equals),
            "{of}"
        );
    }
}

#[test]
fn side_is_checked_in_3x() {
    assert_eq!(
        plain("dubbo://h:1/a.B?side=Provider", "3.2").parameter("side"),
        Some("provider")
    );
    assert_eq!(
        plain("dubbo://h:1/a.B?side=Provider", "2.7").parameter("side"),
        Some("Provider")
    );
    assert_eq!(
        Url::parse("dubbo://h:1/a.B?side=x", &version("3.2")),
        Err(UrlError::Side("x".into()))
    );
}

#[test]
fn passwords_and_users_by_version() {
    let lone = "dubbo://:p@h:1/a.B";
    assert_eq!(
        Url::parse(lone, &version("2.7.8")),
        Err(UrlError::PasswordWithoutUser)
    );
    assert_eq!(plain(lone, "2.7.9").username.as_deref(), Some(""));
    let user = encode("dubbo://u@h:1/a.B");
    assert_eq!(
        Url::parse_encoded(&user, &version("2.7")),
        Err(UrlError::UserWithoutPassword)
    );
    assert_eq!(
        entry("dubbo://u@h:1/a.B", "3.0").username.as_deref(),
        Some("u")
    );
    assert_eq!(
        entry("dubbo://u@h:1/a.B", "2.6.2").username.as_deref(),
        Some("u")
    );
}

#[test]
fn fragments_and_semicolons_by_version() {
    assert_eq!(
        plain("dubbo://h:1/a#b?c=1;d=2", "2.7.23").parameter("d"),
        Some("2")
    );
    assert_eq!(
        plain("dubbo://h:1/a#b?c=1;d=2", "2.7.12").parameter("c"),
        Some("1;d=2")
    );
    assert_eq!(
        plain("dubbo://h:1/a#b", "2.7.9").path.as_deref(),
        Some("a#b")
    );
    assert_eq!(
        plain("dubbo://h:1/a#b", "2.7.10").path.as_deref(),
        Some("a")
    );
    assert_eq!(
        entry("dubbo://h:1/a#b", "2.7.14").path.as_deref(),
        Some("a#b")
    );
    assert_eq!(
        entry("dubbo://h:1/a#b", "2.7.15").path.as_deref(),
        Some("a")
    );
}

#[test]
fn keys() {
    let url = plain(
        "dubbo://[2001:db8::1]:20880/p/q?interface=a.B&group=g&version=1",
        "3.2",
    );
    assert_eq!(url.service(), ServiceKey::new(Some("g"), "a.B", Some("1")));
    assert_eq!(url.path_key().as_deref(), Some("g/p/q:1"));
    assert_eq!(url.colon_key(), "a.B:1:g");
    assert_eq!(url.socket().unwrap().to_string(), "[2001:db8::1]:20880");
    assert_eq!(plain("dubbo://h:99999/x", "3.2").socket(), None);
    let consumer = plain("consumer://h/a.B", "3.2");
    assert_eq!(
        consumer.protocol_service_key(Line::V3_2).as_deref(),
        Some("a.B")
    );
    assert_eq!(
        consumer.protocol_service_key(Line::V2_7).as_deref(),
        Some("a.B:consumer")
    );
}

fn any_version() -> impl Strategy<Value = DubboVersion> {
    prop::sample::select(vec![
        "2.6.2", "2.7.4", "2.7.6", "2.7.8", "2.7.9", "2.7.12", "2.7.23", "3.0.15", "3.1.11",
        "3.3.6",
    ])
    .prop_map(version)
}

proptest! {
    #[test]
    fn any_text_gives_an_answer(text in any::<String>(), v in any_version()) {
        let _ = Url::parse(&text, &v);
        let _ = Url::parse_encoded(&text, &v);
    }

    #[test]
    fn near_urls_give_an_answer(text in "[a:/@?&=;%3F26D#ß中😀+.]{0,40}", v in any_version()) {
        for url in [Url::parse(&text, &v), Url::parse_encoded(&text, &v)].into_iter().flatten() {
            let _ = (url.to_string(), url.service_key(), url.path_key(), url.colon_key(), url.socket());
        }
    }

    #[test]
    fn what_is_registered_is_read_back(
        host in "[a-z][a-z0-9.]{0,8}", port in 1u32..65536, path in "[a-zA-Z.]{1,12}",
        names in prop::collection::btree_map("[a-z]{1,6}", "[a-zA-Z0-9 *,.\u{4e00}-\u{4e20}]{1,8}", 0..5),
    ) {
        let v = version("3.3");
        let text = format!("dubbo://{host}:{port}/{path}");
        let mut url = Url::parse(&text, &v).unwrap();
        url.parameters = names.into_iter().map(|(k, v)| (k, java::trim(&v).to_owned())).collect();
        url.parameters.remove("side");
        prop_assert_eq!(Url::parse_encoded(&encode(&url.to_full_text()), &v).unwrap(), url.clone());
        prop_assert_eq!(Url::parse(&url.to_full_text(), &v).unwrap(), url);
    }
}
