//! Snapshot format 1: round trip, hostile archives, masking.

mod files;
mod hostile;
mod reading;
mod round_trip;

use diag::snapshot::{At, Key, Line, Manifest, Payload, Seen, Snapshot, SourceId};
use serde_json::json;

fn snapshot(lines: &[&str]) -> (Snapshot, SourceId) {
    let at = At::parse("2026-11-29T20:42:37.774Z").expect("a time");
    let id = SourceId::new("r1").expect("an id");
    let mut snapshot = Snapshot::new(Manifest::new("test", at));
    for line in lines {
        snapshot.insert(id.clone(), Line::parse(line.as_bytes()).expect("a line"));
    }
    (snapshot, id)
}

fn state<T: std::fmt::Debug>(seen: &Seen<'_, T>) -> String {
    match seen {
        Seen::Here(content, _) => format!("here {content:?}"),
        Seen::Absent(line) => format!(
            "absent {}",
            line.map_or_else(String::new, |line| line.key.to_string())
        ),
        Seen::Refused(line) => format!("refused {:?}", line.err_kind()),
        Seen::Unasked => "unasked".to_owned(),
    }
}

#[test]
fn lines_of_the_contract_are_read_and_written_back() {
    for line in [
        r#"{"op":"zk.node","path":"/dubbo/com.x.Order/providers","stat":{"ctime":1764448957000,"mtime":1764448957000,"ephemeral_owner":0},"children":["dubbo%3A%2F%2F10.0.0.7%3A20880%2Fcom.x.Order"]}"#,
        r#"{"op":"zk.node","path":"/secured","err":{"kind":"denied","text":"NoAuth"}}"#,
        r#"{"op":"zk.node","path":"/owned","at":"2026-11-29T20:42:37Z","stat":{"ephemeral_owner":-8646911284551352321},"acl":[{"perms":31,"scheme":"world","id":"anyone"}],"text":""}"#,
        r#"{"op":"zk.four","word":"srvr","via":"10.0.0.2:2181","text":"Zookeeper version: ..\nMode: leader\n"}"#,
        r#"{"op":"nacos.services","api":"v1/ns/service/list","namespace":"prod","group":"DEFAULT_GROUP","page":1,"http":200,"json":{"count":1,"doms":["providers:com.x.Order:1.0.0:g1"]}}"#,
        r#"{"op":"nacos.config","api":"v1/cs/configs","namespace":"prod","group":"dubbo","data_id":"com.x.Order","http":200,"headers":{"Last-Modified":"Mon, 24 Nov 2025 08:00:00 GMT"},"text":"force: true"}"#,
        r#"{"op":"nacos.config","api":"v1/cs/configs","namespace":"prod","group":"dubbo","data_id":"com.x.Order","http":404,"err":{"kind":"not-found"}}"#,
        r#"{"op":"nacos.listeners","api":"v1/cs/listener","ip":"10.0.0.1","http":200,"text":"{}"}"#,
        r#"{"op":"tcp","address":"10.0.0.1:9848","err":{"kind":"refused"}}"#,
        r#"{"op":"tcp","address":"10.0.0.1:9848","from":"10.0.0.5","connected":true}"#,
        r#"{"op":"qos.cmd","form":"http","command":"getAddress com.x.Order","http":403,"text":""}"#,
        r#"{"op":"probe","kind":"dubbo-heartbeat","address":"10.0.0.7:20880","from":"10.0.0.5","samples_us":[412,398,405],"lost":0}"#,
        r#"{"op":"file.lines","file":"f1","line":812,"offset":40112,"text":"No provider available .."}"#,
        r#"{"op":"file.entry","file":"f1","line":3,"offset":52,"key":"com.x.Order","text":"empty://.."}"#,
        r#"{"op":"derived.revision","app":"acme-order","revision":"ab12","computed":"ab12","line":"3.2"}"#,
        r#"{"op":"metadata.call","address":"10.0.0.7:20880","app":"acme","revision":"ab12","err":{"kind":"timeout"}}"#,
        r#"{"op":"later.op","at":"2026-11-29T20:42:37.774Z","shape":{"deep":[1,2.5,null]},"path":5,"b64":"AP8="}"#,
        r#"{"op":"later.op","shape":"own fields only"}"#,
        r#"{"op":"zk.node","path":"/a","later_field":{"x":1},"err":{"kind":"a-later-kind","later":true}}"#,
    ] {
        let parsed = Line::parse(line.as_bytes()).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(serde_json::to_string(&parsed).unwrap(), line);
    }
}

#[test]
fn bad_lines_say_what_is_wrong() {
    for (line, message) in [
        (
            r#"{"op":"zk.node","path":"/a"}"#,
            "zk.node has 0 of children, text, b64, json, err; exactly one must be there",
        ),
        (
            r#"{"op":"zk.node","path":"/a","text":"","children":[]}"#,
            "zk.node has 2 of children, text, b64, json, err; exactly one must be there",
        ),
        (r#"{"op":"zk.node","text":""}"#, "zk.node without path"),
        (
            r#"{"op":"zk.node","path":7,"text":""}"#,
            "field path is no text",
        ),
        (
            r#"{"op":"zk.node","path":"a/b","text":""}"#,
            "path \"a/b\" must begin with / and not end with it",
        ),
        (r#"{"path":"/a","text":""}"#, "line without op"),
        (
            r#"{"op":"nacos.config","namespace":"","group":"dubbo","text":""}"#,
            "nacos.config without data_id",
        ),
        (
            r#"{"op":"zk.node","path":"/a","at":"yesterday","text":""}"#,
            "field at: \"yesterday\" is no RFC 3339 time such as 2026-11-29T20:42:37.774Z",
        ),
        (
            r#"{"op":"zk.node","path":"/a","children":"b"}"#,
            "field children: not a list of names",
        ),
        (
            r#"{"op":"zk.node","path":"/a","err":"denied"}"#,
            "field err: not an object with kind and text",
        ),
        (
            r#"{"op":"zk.node","path":"/a","err":{}}"#,
            "field err: no kind",
        ),
        (
            r#"{"op":"zk.node","path":"/a","text":{"a":1}}"#,
            "field text: no text",
        ),
    ] {
        assert_eq!(Line::parse(line.as_bytes()).unwrap_err(), message, "{line}");
    }
    assert!(
        Line::parse(br#"{"op":"zk.node","path":"/a","b64":"%%"}"#)
            .unwrap_err()
            .starts_with("field b64: no base64 (")
    );
    assert!(
        Line::parse(b"{\"op\":")
            .unwrap_err()
            .starts_with("no JSON object (")
    );
    assert!(
        Line::parse(b"[1]")
            .unwrap_err()
            .starts_with("no JSON object (")
    );
}

#[test]
fn status_within_a_refusal_moves_to_the_line() {
    let line = Line::parse(br#"{"op":"nacos.catalog","namespace":"","group":"G","service":"s","err":{"kind":"denied","http":403,"text":"no"}}"#).unwrap();
    assert_eq!(line.http, Some(403));
    assert_eq!(line.payload, Payload::err_with("denied".into(), "no"));
}

#[test]
fn text_and_json_are_the_same_to_readers() {
    let text = Line::new(Key::MetricsText, Payload::Text("{\"a\": 1}".to_owned()));
    let value = Line::new(Key::MetricsText, Payload::Json(json!({"a": 1})));
    assert_eq!(text.body_json(), value.body_json());
    assert_eq!(text.body_text().unwrap(), "{\"a\": 1}");
    assert_eq!(value.body_text().unwrap(), "{\"a\":1}");
}

#[test]
fn zookeeper_keeps_three_states_apart() {
    let (snapshot, r1) = snapshot(&[
        r#"{"op":"zk.node","path":"/dubbo","children":["com.x.Order","config","closed"]}"#,
        r#"{"op":"zk.node","path":"/dubbo/com.x.Order","children":["providers"]}"#,
        r#"{"op":"zk.node","path":"/dubbo/com.x.Order","text":"10.0.0.1"}"#,
        r#"{"op":"zk.node","path":"/dubbo/closed","stat":{"ctime":7},"err":{"kind":"denied"}}"#,
        r#"{"op":"zk.node","path":"/services","err":{"kind":"not-found"}}"#,
    ]);
    let children = |path: &str| state(&snapshot.zk_children(&r1, path, None));
    let data = |path: &str| state(&snapshot.zk_data(&r1, path, None));
    assert_eq!(children("/dubbo/com.x.Order"), "here [\"providers\"]");
    assert_eq!(data("/dubbo/com.x.Order"), "here \"10.0.0.1\"");
    assert_eq!(
        data("/dubbo/com.x.Order/consumers"),
        "absent zk.node path=\"/dubbo/com.x.Order\""
    );
    assert_eq!(
        data("/dubbo/com.x.Order/consumers/deep"),
        "absent zk.node path=\"/dubbo/com.x.Order\""
    );
    assert_eq!(
        children("/dubbo/com.y.Gone/providers"),
        "absent zk.node path=\"/dubbo\""
    );
    assert_eq!(
        children("/services/app"),
        "absent zk.node path=\"/services\""
    );
    assert_eq!(children("/services"), "absent zk.node path=\"/services\"");
    // listed, but nobody read it
    assert_eq!(children("/dubbo/com.x.Order/providers"), "unasked");
    assert_eq!(data("/dubbo/config/x"), "unasked");
    // a refusal hides what is below and does not make it absent
    assert_eq!(children("/dubbo/closed"), "refused Some(Denied)");
    assert_eq!(children("/dubbo/closed/x"), "unasked");
    assert_eq!(children("/other"), "unasked");
    let stat = snapshot.zk_stat(&r1, "/dubbo/closed", None).here().unwrap();
    assert_eq!((stat.ctime, stat.is_ephemeral()), (Some(7), None));
    assert_eq!(state(&snapshot.zk_stat(&r1, "/dubbo", None)), "unasked");
}

#[test]
fn scope_of_everything_makes_the_rest_absent_but_not_what_is_hidden() {
    let (mut snapshot, r1) = snapshot(&[
        r#"{"op":"zk.node","path":"/dubbo","err":{"kind":"denied"}}"#,
        r#"{"op":"zk.node","path":"/services","children":["app"]}"#,
    ]);
    assert_eq!(state(&snapshot.zk_children(&r1, "/other", None)), "unasked");
    snapshot.manifest_mut().scope.all = true;
    assert_eq!(state(&snapshot.zk_children(&r1, "/other", None)), "absent ");
    assert_eq!(
        state(&snapshot.zk_children(&r1, "/dubbo/x", None)),
        "unasked"
    );
    assert_eq!(
        state(&snapshot.zk_children(&r1, "/services/app", None)),
        "unasked"
    );
}

#[test]
fn the_newest_statement_about_a_node_wins() {
    let (snapshot, r1) = snapshot(&[
        r#"{"op":"zk.node","path":"/a","at":"2026-11-29T20:00:01Z","children":["one"]}"#,
        r#"{"op":"zk.node","path":"/a","at":"2026-11-29T20:00:02Z","children":["two"]}"#,
        r#"{"op":"zk.node","path":"/a/one","at":"2026-11-29T20:00:01Z","text":"old"}"#,
        r#"{"op":"zk.node","path":"/a/two","at":"2026-11-29T20:00:01Z","err":{"kind":"not-found"}}"#,
        r#"{"op":"zk.node","path":"/b","at":"2026-11-29T20:00:01Z","text":"was there"}"#,
        r#"{"op":"zk.node","path":"/b","at":"2026-11-29T20:00:03Z","err":{"kind":"not-found"}}"#,
        r#"{"op":"zk.node","path":"/c","at":"2026-11-29T20:00:01Z","err":{"kind":"not-found"}}"#,
        r#"{"op":"zk.node","path":"/c","at":"2026-11-29T20:00:03Z","text":"came back"}"#,
    ]);
    assert_eq!(
        state(&snapshot.zk_children(&r1, "/a", None)),
        "here [\"two\"]"
    );
    assert_eq!(
        state(&snapshot.zk_data(&r1, "/a/one", None)),
        "absent zk.node path=\"/a\""
    );
    assert_eq!(state(&snapshot.zk_data(&r1, "/a/two", None)), "unasked");
    assert_eq!(
        state(&snapshot.zk_data(&r1, "/b", None)),
        "absent zk.node path=\"/b\""
    );
    assert_eq!(
        state(&snapshot.zk_data(&r1, "/c", None)),
        "here \"came back\""
    );
    assert_eq!(state(&snapshot.zk_children(&r1, "/c", None)), "unasked");
    let key = Key::zk_node("/a");
    let names = |lines: Vec<&Line>| {
        lines
            .iter()
            .map(|line| line.children().unwrap().join(","))
            .collect::<Vec<_>>()
    };
    assert_eq!(names(snapshot.latest(&r1, &key)), ["two"]);
    assert_eq!(names(snapshot.history(&r1, &key)), ["one"]);
}

#[test]
fn members_are_told_apart() {
    let (snapshot, r1) = snapshot(&[
        r#"{"op":"zk.node","path":"/a","at":"2026-11-29T20:00:01Z","via":"h1:2181","children":["one"]}"#,
        r#"{"op":"zk.node","path":"/a","at":"2026-11-29T20:00:02Z","via":"h2:2181","children":[]}"#,
    ]);
    let key = Key::zk_node("/a");
    assert_eq!(
        snapshot.members(&r1, &key),
        [Some("h1:2181"), Some("h2:2181")]
    );
    assert_eq!(snapshot.latest(&r1, &key).len(), 2);
    assert_eq!(
        state(&snapshot.zk_children(&r1, "/a", Some("h1:2181"))),
        "here [\"one\"]"
    );
    assert_eq!(
        state(&snapshot.zk_children(&r1, "/a", Some("h2:2181"))),
        "here []"
    );
    assert_eq!(
        state(&snapshot.zk_data(&r1, "/a/one", None)),
        "absent zk.node path=\"/a\""
    );
    assert_eq!(
        state(&snapshot.zk_data(&r1, "/a/one", Some("h1:2181"))),
        "unasked"
    );
    // A member that lags behind does not take away what another one has.
    let (lagging, r1) = self::snapshot(&[
        r#"{"op":"zk.node","path":"/a","at":"2026-11-29T20:00:02Z","via":"h2:2181","children":[]}"#,
        r#"{"op":"zk.node","path":"/a/one","at":"2026-11-29T20:00:01Z","via":"h1:2181","text":"x"}"#,
    ]);
    assert_eq!(state(&lagging.zk_data(&r1, "/a/one", None)), "here \"x\"");
}
