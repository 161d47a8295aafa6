//! Signing in, in each generation's way; tokens that end on the way; secrets that nobody sees.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use diag::snapshot::Key;

use super::{
    captures, instances, observe,
    server::{Reply, Server},
};

const DUBBO: &str = "svc-a";
const PASSWORD: &str = "c4n4ry-pass";

/// The recorded server with authentication on: the right password gets the recorded token, and only a token gets in.
fn guarded(server: &'static str) -> Server {
    let open = captures::calls(server, "api");
    let auth = captures::calls(server, "auth");
    let named = move |name: &str| {
        let call = auth.iter().find(|call| call.name.contains(name)).unwrap();
        call.reply.clone()
    };
    Server::start(move |request| {
        let third = request.path == "/nacos/v3/auth/user/login";
        if request.path.ends_with("/login") {
            let way = if third { "login-v3" } else { "login-v1" };
            let right = request.body == format!("username=nacos&password={PASSWORD}");
            return named(&format!(
                "{way}-{}",
                if right { "ok" } else { "wrong-password" }
            ));
        }
        let is_open = server != "rnacos-0.8.8"
            && ["/server/state", "/core/state", "/console/namespaces"]
                .iter()
                .any(|path| request.path.ends_with(path));
        if is_open || request.header("authorization").is_some() {
            return captures::answer(&open, request)
                .unwrap_or_else(|| Reply::new(418, "text/plain", "not recorded"));
        }
        named("100-anonymous-v1-instance-list")
    })
}

#[test]
fn every_generation_lets_the_right_user_in() {
    for server in ["2.5.1", "3.0.3", "rnacos-0.8.8"] {
        let guarded = guarded(server);
        let address = format!("nacos://nacos:{PASSWORD}@{}", guarded.address);
        let keys = [instances("svc-protect"), Key::NacosNamespaces];
        let seen = observe(&address, &keys);
        for key in &keys {
            assert_eq!(seen.said(key), "answer", "{server} {key}");
        }
        let posts = guarded
            .requests()
            .iter()
            .filter(|request| request.method == "POST")
            .count();
        assert_eq!(posts, 1, "{server}");
        let text = seen.text();
        assert!(
            !text.contains(PASSWORD) && !text.contains("eyJ"),
            "{server}: {text}"
        );
    }
}

#[test]
fn a_wrong_password_is_said_in_the_servers_words() {
    for (server, words) in [
        ("2.5.1", "denied the login was refused: user not found!"),
        ("3.0.3", "denied the login was refused: "),
        ("rnacos-0.8.8", "denied unknown user!"),
    ] {
        let guarded = guarded(server);
        let seen = observe(
            &format!("nacos://nacos:wrong-one@{}", guarded.address),
            &[instances(DUBBO)],
        );
        let said = seen.said(&instances(DUBBO));
        assert!(said.starts_with(words), "{server}: {said}");
        assert!(!seen.text().contains("wrong-one"), "{server}");
    }
}

#[test]
fn strangers_are_refused_and_what_is_open_is_read() {
    let guarded = guarded("2.5.1");
    let seen = observe(
        &format!("nacos://{}", guarded.address),
        &[instances(DUBBO), Key::NacosNamespaces],
    );
    assert!(seen.said(&instances(DUBBO)).starts_with("denied "));
    assert_eq!(seen.said(&Key::NacosNamespaces), "answer");
    assert!(
        guarded
            .requests()
            .iter()
            .all(|request| request.method == "GET")
    );
}

/// A server that takes a token three times and then calls it expired.
fn forgetful(expires: bool) -> (Server, Arc<AtomicUsize>) {
    let (logins, uses) = (Arc::new(AtomicUsize::new(0)), AtomicUsize::new(0));
    let counted = Arc::clone(&logins);
    let server = Server::start(move |request| {
        if request.path.ends_with("/login") {
            let number = counted.fetch_add(1, Ordering::SeqCst);
            return Reply::json(format!(r#"{{"accessToken":"token{number}"}}"#));
        }
        if request.path.ends_with("v1/console/server/state") {
            return Reply::json(r#"{"version":"2.5.1"}"#);
        }
        if request.path.ends_with("v3/admin/core/state") {
            return Reply::new(404, "application/json", "{}");
        }
        let newest = counted.load(Ordering::SeqCst) - 1;
        let good = request.header("authorization") == Some(&format!("Bearer token{newest}"));
        let words = if expires {
            "token expired!"
        } else {
            "authorization failed!"
        };
        if !expires || !good || uses.fetch_add(1, Ordering::SeqCst) == 3 {
            return Reply::new(
                403,
                "application/json",
                format!(r#"{{"message":"{words}"}}"#),
            );
        }
        Reply::json(r#"{"hosts":[]}"#)
    });
    (server, logins)
}

#[test]
fn a_token_that_expires_on_the_way_is_renewed_once() {
    let (server, logins) = forgetful(true);
    let keys: Vec<Key> = (0..20)
        .map(|number| instances(&format!("s{number}")))
        .collect();
    let seen = observe(
        &format!("nacos://nacos:{PASSWORD}@{}", server.address),
        &keys,
    );
    for key in &keys {
        assert_eq!(seen.said(key), "answer", "{key}");
    }
    assert_eq!(logins.load(Ordering::SeqCst), 2);
}

#[test]
fn a_missing_right_does_not_make_us_sign_in_again() {
    let (server, logins) = forgetful(false);
    let keys: Vec<Key> = (0..20)
        .map(|number| instances(&format!("s{number}")))
        .collect();
    let seen = observe(
        &format!("nacos://nacos:{PASSWORD}@{}", server.address),
        &keys,
    );
    for key in &keys {
        assert!(seen.said(key).starts_with("denied "), "{key}");
    }
    assert_eq!(logins.load(Ordering::SeqCst), 1);
}

#[test]
fn the_identity_header_is_sent_as_named() {
    let server = captures::replay("2.5.1");
    let address = format!(
        "nacos://{}?identity-key=lab-identity&identity-secret=lab-identity-value",
        server.address
    );
    let seen = observe(&address, &[instances("svc-protect")]);
    assert_eq!(seen.said(&instances("svc-protect")), "answer");
    assert!(
        server
            .requests()
            .iter()
            .all(|request| request.header("lab-identity") == Some("lab-identity-value"))
    );
}

#[test]
fn a_login_that_nobody_answers_blames_no_credentials() {
    let page = "<html><title>Sign in</title><input type=\"password\">";
    let elsewhere = (
        "Location".to_owned(),
        "http://127.0.0.1:1/nacos/v1/auth/login".to_owned(),
    );
    for (reply, words) in [
        (
            Reply::new(200, "text/html", page),
            "HTTP 200, a login page: Sign in",
        ),
        (
            Reply::new(502, "text/html", "<html><title>502</title>"),
            "HTTP 502, a web page: 502",
        ),
        (
            Reply::Http(307, vec![elsewhere], Vec::new()),
            "a redirect to http://127.0.0.1:1/nacos/v1/auth/login",
        ),
    ] {
        let server = Server::start(move |request| match request.path.as_str() {
            path if path.ends_with("/login") => reply.clone(),
            "/nacos/v3/admin/core/state" => Reply::new(404, "application/json", "{}"),
            "/nacos/v1/console/server/state" => Reply::json(r#"{"version":"2.5.1"}"#),
            _ => Reply::new(403, "application/json", r#"{"message":"user not found!"}"#),
        });
        let seen = observe(
            &format!("nacos://nacos:{PASSWORD}@{}", server.address),
            &[instances(DUBBO)],
        );
        let said = seen.said(&instances(DUBBO));
        assert_eq!(
            said,
            format!("denied the login was not answered: {words}"),
            "{words}"
        );
    }
}
