//! A canary in every encoding must not come through; what decides an answer must.

use ::base64::Engine;
use ::base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::snapshot::SourceId;

fn text(text: &str) -> String {
    Masker::default().text(text).into_owned()
}

fn percent(text: &str) -> String {
    text.bytes().fold(String::new(), |out, byte| {
        if byte.is_ascii_alphanumeric() || b".-*_".contains(&byte) {
            out + &char::from(byte).to_string()
        } else {
            format!("{out}%{byte:02X}")
        }
    })
}

#[test]
fn by_place() {
    for (raw, masked) in [
        // URLs
        ("nacos://u:c4n@h:8848?x=1", "nacos://u:***@h:8848?x=1"),
        ("redis://:c4n@h:6379", "redis://:***@h:6379"),
        ("nacos://u:c#4@n@h:8848/x", "nacos://u:***@h:8848/x"),
        ("nacos://u:c/4?n@h:8848/x", "nacos://u:***@h:8848/x"),
        (
            "nacos://h:8848?username=u&password=c4n&namespace=n",
            "nacos://h:8848?username=u&password=***&namespace=n",
        ),
        (
            "a?accessToken=c4n&secretKey=c4n&accessKey=c4n",
            "a?accessToken=***&secretKey=***&accessKey=***",
        ),
        ("see a?token=c4n, then b", "see a?token=***, then b"),
        ("[a?token=c4n,b?token=c4n]", "[a?token=***,b?token=***]"),
        (
            "dubbo\\://u\\:c4n@h\\:1/x?token\\=c4n&y\\=1",
            "dubbo\\://u\\:***@h\\:1/x?token\\=***&y\\=1",
        ),
        (
            "jdbc:mysql://h:3306/db?user=u&amp;password=c4n&amp;x=1",
            "jdbc:mysql://h:3306/db?user=u&amp;password=***&amp;x=1",
        ),
        // node names
        (
            "dubbo%3A%2F%2Fh%3A1%2Fx%3Fa%3D1%26password%3Dc4n%26z%3D1",
            "dubbo%3A%2F%2Fh%3A1%2Fx%3Fa%3D1%26password%3D***%26z%3D1",
        ),
        ("x%3Ftoken%3Dc%2540n", "x%3Ftoken%3D***"),
        (
            "x%3Fr%3Dnacos%253A%252F%252Fh%253Fpassword%253Dc4n%2526y%253D1%26z%3D1",
            "x%3Fr%3Dnacos%253A%252F%252Fh%253Fpassword%253D***%2526y%253D1%26z%3D1",
        ),
        (
            "nacos%3A%2F%2Fu%3Ac4n%40h%3A8848",
            "nacos%3A%2F%2Fu%3A***%40h%3A8848",
        ),
        (
            "r%3Dnacos%253A%252F%252Fu%253Ac4n%2540h%253A8848%26z",
            "r%3Dnacos%253A%252F%252Fu%253A***%2540h%253A8848%26z",
        ),
        // toString, logs
        (
            "<dubbo:registry parameters=\"{namespace=p, password=c4n, username=n}\" />",
            "<dubbo:registry parameters=\"{namespace=p, password=***, username=n}\" />",
        ),
        (
            "Registry{password='c4n', user='u'}",
            "Registry{password='***', user='u'}",
        ),
        (
            "started with --password c4n --port 1",
            "started with --password *** --port 1",
        ),
        (
            "-Ddubbo.registry.password=c4n -Dx=1",
            "-Ddubbo.registry.password=*** -Dx=1",
        ),
        ("Authorization: Basic dTpj", "Authorization: ***"),
        ("sent Basic dTpjNG4= to h", "sent Basic *** to h"),
        ("sent Bearer c4n-0123 to h", "sent Bearer *** to h"),
        (
            "x eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJuYWNvcyJ9.c2lnbmF0dXJl y",
            "x *** y",
        ),
        // properties, YAML
        (
            "dubbo.registry.password=c 4&n \nx=1",
            "dubbo.registry.password=*** \nx=1",
        ),
        ("password : c4n\nx : 1", "password : ***\nx : 1"),
        ("password=c4\\\n  n\nx=1", "password=***\nx=1"),
        ("password=c4\\\r\n  n\r\nx=1", "password=***\r\nx=1"),
        ("username=u&password=c4n&x=1", "username=u&password=***&x=1"),
        ("password=c4n&x=1", "password=***&x=1"),
        (
            "a:\n  password: c4 n # no\n  b: 1",
            "a:\n  password: ***\n  b: 1",
        ),
        (
            "a:\n  - token: \"c4 \\\" n\"\n    b: 1",
            "a:\n  - token: \"***\"\n    b: 1",
        ),
        ("a: {password: c4n, b: 1}", "a: {password: ***, b: 1}"),
        ("password: |\n  c4\n\n  n\nb: 1", "password: ***\nb: 1"),
        ("password: >-\n  c4n", "password: ***"),
        // JSON
        (
            "{\"password\":\"c4n\",\"a\":1}",
            "{\"password\":\"***\",\"a\":1}",
        ),
        (
            "{\"password\" : \"c\\\"4\\\\\",\"a\":1}",
            "{\"password\" : \"***\",\"a\":1}",
        ),
        ("{\"token\":12345,\"a\":1}", "{\"token\":\"***\",\"a\":1}"),
        (
            "{\"token\":[\"c4n\",[\"n\"]],\"a\":1}",
            "{\"token\":\"***\",\"a\":1}",
        ),
        (
            "{\"a\":\"{\\\"token\\\":\\\"c4n\\\",\\\"b\\\":1}\"}",
            "{\"a\":\"{\\\"token\\\":\\\"***\\\",\\\"b\\\":1}\"}",
        ),
        (
            "{\"a\":\"{\\\"b\\\":\\\"{\\\\\\\"token\\\\\\\":\\\\\\\"c4n\\\\\\\"}\\\"}\"}",
            "{\"a\":\"{\\\"b\\\":\\\"{\\\\\\\"token\\\\\\\":\\\\\\\"***\\\\\\\"}\\\"}\"}",
        ),
        (
            "{\"u\":\"x?password\\u003dc4n\\u0026y\\u003d1\"}",
            "{\"u\":\"x?password\\u003d***\\u0026y\\u003d1\"}",
        ),
        (
            "{\"content\":\"a=1\\npassword=c 4n\\nb=1\"}",
            "{\"content\":\"a=1\\npassword=***\\nb=1\"}",
        ),
        (
            "{\"content\":\"a: 1\\npassword: c 4n\"}",
            "{\"content\":\"a: 1\\npassword: ***\"}",
        ),
        (
            "{\"key\":\"password\",\"value\":\"c4n\"}",
            "{\"key\":\"password\",\"value\":\"***\"}",
        ),
        (
            "%7B%22token%22%3A%22c4n%22%2C%22a%22%3A1%7D",
            "%7B%22token%22%3A%22***%22%2C%22a%22%3A1%7D",
        ),
        // XML
        ("<password>c4n</password>", "<password>***</password>"),
        (
            "<dubbo:registry password=\"c4n\" port=\"1\"/>",
            "<dubbo:registry password=\"***\" port=\"1\"/>",
        ),
        (
            "<property name=\"password\" value=\"c4n\"/>",
            "<property name=\"password\" value=\"***\"/>",
        ),
        (
            "<entry key=\"token\">c4n</entry>",
            "<entry key=\"token\">***</entry>",
        ),
    ] {
        assert_eq!(text(raw), masked, "{raw}");
        assert_eq!(text(masked), masked, "masked again");
    }
}

#[test]
fn what_decides_an_answer_stays() {
    for raw in [
        "",
        "dubbo://10.0.0.7:20880/com.x.Order?methods=getToken,login&getToken.timeout=300&side=provider",
        "zookeeper://h1:2181?backup=h2:2181,h3:2181&mail=a@b",
        "dubbo://[fe80::1]:20880/com.x.Order?owner=a@b",
        "org.example.OrderService@56913b3 http://h:80/x#y@z",
        "providers:com.acme.auth.Token:1.0.0:g",
        "com.acme.auth.AccessToken:1.0.0::provider:acme",
        "com.acme.auth.Token=empty://10.0.0.1/com.acme.auth.Token?category=providers",
        "com.acme.auth.Token\\:1.0.0=dubbo\\://10.0.0.7\\:20880/com.acme.auth.Token",
        "org.example.OrderService:auth-wrong-password::provider:lab-provider",
        "org.example.OrderService%3Aauth-token%3A%3Aprovider",
        "{\"com.acme.auth.Token\":\"dubbo://10.0.0.7:20880\"}",
        "%2Fcom.acme.auth.Token%3A1.0.0",
        "method=getAccessToken => host = 10.20.*",
        "conditions:\n  - method=getToken => host != 10.0.0.1\nforce: true\n",
        "password=***&token=******&secret=",
        "token=true&token=false",
        "{\"token\":null,\"password\":\"\",\"accessToken\":\"***\",\"tokenTtl\":18000}",
        "Basic authentication failed, bearer information missing",
        "user or password is wrong",
        "4d0d70c32b80291b09a28c6f82ccbf1f",
        "{\"secret\":{\"enabled\":\"yes\"}}",
        "timestamp=1764448957000&pid=1&check=false",
        "task: a=1, risk: b",
    ] {
        assert_eq!(text(raw), raw);
    }
}

/// Ways to write `password=<canary>` that a recording may meet.
fn spellings(canary: &str) -> Vec<String> {
    let url = format!("nacos://user:{canary}@10.0.0.1:8848");
    let query = format!(
        "dubbo://10.0.0.7:20880/com.x.Order?application=a&password={}&side=provider",
        percent(canary)
    );
    let json = json!({"password": canary, "a": 1}).to_string();
    let mut spellings = vec![
        percent(&query),
        percent(&percent(&query)),
        percent(&url),
        percent(&percent(&url)),
        json!({"deep": json.clone()}).to_string(),
        json!({"deeper": json!({"deep": json.clone()}).to_string()}).to_string(),
        percent(&json),
        STANDARD.encode(&query),
        STANDARD_NO_PAD.encode(&json),
        URL_SAFE_NO_PAD.encode(&query),
        format!("auth={}", STANDARD.encode(STANDARD.encode(&json))),
        format!("Basic {}", STANDARD.encode(format!("user:{canary}"))),
        format!("dubbo.registry.password={canary}"),
        format!(
            "registry:\n  password: \"{}\"\n",
            canary.replace('\\', "\\\\").replace('"', "\\\"")
        ),
    ];
    spellings.push(url);
    spellings.push(query);
    spellings.push(json);
    spellings
}

fn decodings(text: &str) -> Vec<String> {
    let mut all = vec![text.to_owned()];
    for run in text.split(|c: char| !c.is_ascii_alphanumeric() && !"+/=-_".contains(c)) {
        all.extend(super::base64::decoded(run));
    }
    for _ in 0..2 {
        all.extend(
            all.iter()
                .map(|text| {
                    let (mut out, mut at) = (Vec::new(), 0);
                    let bytes = text.as_bytes();
                    while at < bytes.len() {
                        let digits = text.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
                        if let Some(byte) =
                            digits.and_then(|digits| u8::from_str_radix(digits, 16).ok())
                        {
                            out.push(byte);
                            at += 3;
                        } else {
                            out.push(bytes[at]);
                            at += 1;
                        }
                    }
                    String::from_utf8_lossy(&out).into_owned()
                })
                .collect::<Vec<_>>(),
        );
    }
    all
}

#[test]
fn a_canary_does_not_come_through_in_any_encoding() {
    for canary in ["c4naryPw", "hunter2hunter2", "ordinaryword", "pa#ss-w.rd1"] {
        for spelling in spellings(canary) {
            let masked = text(&spelling);
            for decoded in decodings(&masked) {
                assert!(!decoded.contains(canary), "{spelling}\n{masked}");
            }
        }
    }
}

#[test]
fn a_known_secret_does_not_come_through_anywhere() {
    for canary in [
        "c4naryPw",
        "p@ss:w/rd&x=1",
        "ünïcödé-1",
        "with space 1",
        "quote\"back\\slash",
    ] {
        let masker = Masker::new([&Secret::new(canary)]);
        let mut places = spellings(canary);
        places.extend([
            format!("unknown user: app/{canary}!"),
            percent(&format!("app {canary} x")),
            percent(&percent(&format!("app {canary} x"))),
            format!("x?a={}", canary.replace(' ', "+")),
            STANDARD.encode(format!("\u{1}\u{2}{canary}\u{3}")),
            json!([canary]).to_string(),
            json!([json!([canary]).to_string()]).to_string(),
        ]);
        for spelling in places {
            let shown = masker.text(&spelling);
            for decoded in decodings(&shown) {
                assert!(!decoded.contains(canary), "{spelling}\n{shown}");
            }
        }
    }
}

#[test]
fn lines_are_masked_in_all_their_parts_and_marked() {
    let mut line = Line::new(
        Key::zk_node("/dubbo/com.x.Order/providers/dubbo%3A%2F%2Fh%3Fpassword%3Dc4nary%26x%3D1"),
        Payload::Json(json!({
            "u": "a?token=c4nary",
            "password": 4711,
            "list": [{"name": "secret", "value": "c4nary"}],
            "a?token=c4nary": {"credentials": ["c4nary"]},
        })),
    )
    .with("asked", "a?token=c4nary")
    .with("accessToken", "c4nary")
    .said_by("u:c4nary@h:2181");
    line.via = Some("zookeeper://u:c4nary@h:2181".to_owned());
    line.headers
        .insert("Authorization".to_owned(), "Basic c4nary".to_owned());
    line.headers
        .insert("Location".to_owned(), "http://u:c4nary@h/".to_owned());
    line.acl = Some(
        json!([{"perms": 31, "scheme": "digest", "id": "u:c4nary"}, {"perms": 1, "scheme": "ip", "id": "::1"}]),
    );
    Masker::default().line(&mut line);
    let written = serde_json::to_string(&line).unwrap();
    assert!(
        !written.contains("c4nary") && !written.contains("4711"),
        "{written}"
    );
    assert!(line.masked);
    assert_eq!(line.acl.as_ref().unwrap()[0]["id"], "u:***");
    assert_eq!(line.acl.as_ref().unwrap()[1]["id"], "::1");
    let before = line.clone();
    Masker::default().line(&mut line);
    assert_eq!(line, before);

    let mut plain = Line::new(Key::zk_node("/a"), Payload::Text("b".to_owned()));
    Masker::default().line(&mut plain);
    assert!(!plain.masked);
}

#[test]
fn bytes_are_masked_though_they_are_no_text() {
    let bytes = b"\xb9\xfe password=c4nary&x=\xff".to_vec();
    let mut line = Line::new(Key::MetricsText, Payload::Bytes(bytes));
    Masker::default().line(&mut line);
    assert_eq!(
        line.payload,
        Payload::Bytes(b"\xb9\xfe password=***&x=\xff".to_vec())
    );
}

#[test]
fn a_masked_child_is_found_under_its_masked_path() {
    let masker = Masker::default();
    let (parent, child) = (
        "/dubbo/x/providers",
        "dubbo%3A%2F%2Fu%3Ac4nary%40h%2Fx%3Ftoken%3Dc4nary",
    );
    let path = format!("{parent}/{child}");
    assert_eq!(
        masker.path(&path),
        format!("{parent}/{}", masker.name(child))
    );
    assert!(!masker.path(&path).contains("c4nary"));
}

#[test]
fn manifests_are_masked() {
    let mut manifest: Manifest = serde_json::from_value(json!({
        "diag_snapshot": 1,
        "recorded_at": "2026-11-29T20:42:37.774Z",
        "sources": {"r1": {"kind": "nacos", "url": "nacos://u:c4nary@h:8848?password=c4nary", "later": {"token": "c4nary"}}},
    }))
    .unwrap();
    Masker::default().manifest(&mut manifest);
    let source = &manifest.sources[&SourceId::new("r1").unwrap()];
    assert_eq!(
        source.url.as_deref(),
        Some("nacos://u:***@h:8848?password=***")
    );
    assert_eq!(source.rest["later"]["token"], "***");
}

proptest! {
    #[test]
    fn masking_twice_is_masking_once(raw in "(?s)([a-z:/?&=%@\"'{}\\\\, \n*|<>-]|password|token|%26|%3D|%253D|%40|\\\\\"|://|1){0,40}") {
        let once = text(&raw);
        prop_assert_eq!(text(&once), once);
    }

    #[test]
    fn any_text_is_survived(raw in "(?s).{0,80}") {
        let masker = Masker::new([&Secret::new("s3cr3t!")]);
        let once = masker.text(&raw).into_owned();
        prop_assert_eq!(masker.path(&once).replace("***", ""), masker.path(&masker.path(&once)).replace("***", ""));
    }

    #[test]
    fn no_spelling_of_any_canary_comes_through(canary in "[A-Za-z0-9]{6,16}[0-9]") {
        for spelling in spellings(&canary) {
            let masked = text(&spelling);
            for decoded in decodings(&masked) {
                prop_assert!(!decoded.contains(&canary), "{}\n{}", spelling, masked);
            }
        }
    }
}
