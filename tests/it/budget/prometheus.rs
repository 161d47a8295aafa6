//! `--prometheus URL`: what servers and exporters answer, good and bad. The shapes are those of Prometheus 2.42.

use std::{
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    sync::mpsc,
    thread,
};

use crate::cli::{Done, run};

/// A server that gives the same answer to every request and tells what was asked.
struct Server {
    address: String,
    asked: mpsc::Receiver<String>,
}

impl Server {
    fn start(status: &'static str, headers: &'static str, body: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (told, asked) = mpsc::channel();
        thread::spawn(move || {
            while let Ok((mut stream, _)) = listener.accept() {
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
                let first = lines.next().and_then(Result::ok).unwrap_or_default();
                for line in lines.map_while(Result::ok) {
                    if line.is_empty() {
                        break;
                    }
                }
                let answer = if headers.contains("chunked") {
                    let (a, b) = body.split_at(body.len() / 2);
                    format!("{:x}\r\n{a}\r\n{:x}\r\n{b}\r\n0\r\n\r\n", a.len(), b.len())
                } else {
                    body.to_owned()
                };
                let length = if headers.contains("chunked") {
                    String::new()
                } else {
                    format!("Content-Length: {}\r\n", answer.len())
                };
                let _ = write!(stream, "HTTP/1.1 {status}\r\n{length}{headers}\r\n{answer}");
                if told.send(first).is_err() {
                    break;
                }
            }
        });
        Self { address, asked }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

fn ask(place: &str, more: &[&str]) -> Done {
    let mut args = vec![
        "timeout-budget",
        "com.acme.UserService",
        "getUser",
        "--prometheus",
        place,
        "-o",
        "json",
    ];
    args.extend(more);
    run(&args)
}

fn p99(done: &Done) -> (f64, f64) {
    assert_eq!(done.exit, 0, "{done:?}");
    let measured = &done.json()["reports"][0]["budget"]["measured"];
    let end = |name: &str| measured[name].as_f64().unwrap_or(f64::INFINITY);
    (end("p99_low_ms"), end("p99_high_ms"))
}

/// Two instances as Prometheus gives them: labels that are empty are left out, its own are added.
const VECTOR: &str = r#"{"status":"success","data":{"resultType":"vector","result":[
{"metric":{"__name__":"dubbo_provider_rt_milliseconds_p99","application_name":"user","instance":"127.0.0.1:9101","interface":"com.acme.UserService","job":"dubbo","method":"getUser"},"value":[1796023209.571,"45.5"]},
{"metric":{"__name__":"dubbo_provider_rt_milliseconds_p99","application_name":"user","instance":"127.0.0.1:9102","interface":"com.acme.UserService","job":"dubbo","method":"getUser"},"value":[1796023209.571,"60"]},
{"metric":{"__name__":"dubbo_provider_rt_milliseconds_p99","application_name":"user","instance":"127.0.0.1:9103","interface":"com.acme.UserService","job":"dubbo","method":"getUser"},"value":[1796023209.571,"NaN"]}]}}"#;

#[test]
fn a_server_is_queried_for_the_service_and_all_its_instances_count() {
    let server = Server::start("200 OK", "Content-Type: application/json\r\n", VECTOR);
    let done = ask(&server.url(""), &[]);
    assert_eq!(p99(&done), (45.5, 60.0));
    let asked = server.asked.recv().unwrap();
    assert!(asked.starts_with("GET /api/v1/query?query="), "{asked}");
    for word in ["com.acme.UserService", "getUser"] {
        assert!(asked.contains(word), "{asked}");
    }
    let measured = done.json()["reports"][0]["budget"]["measured"].clone();
    assert_eq!(measured["side"], "provider");
    assert!(
        measured["remarks"].to_string().contains("no numbers"),
        "{measured}"
    );
    let chunked = Server::start("200 OK", "Transfer-Encoding: chunked\r\n", VECTOR);
    assert_eq!(p99(&ask(&chunked.url("/api/v1"), &[])), (45.5, 60.0));
}

const PAGE: &str = "# TYPE dubbo_provider_rt_milliseconds_histogram_seconds histogram\n\
dubbo_provider_rt_milliseconds_histogram_seconds_bucket{interface=\"com.acme.UserService\",method=\"getUser\",le=\"0.05\"} 980\n\
dubbo_provider_rt_milliseconds_histogram_seconds_bucket{interface=\"com.acme.UserService\",method=\"getUser\",le=\"0.1\"} 995\n\
dubbo_provider_rt_milliseconds_histogram_seconds_bucket{interface=\"com.acme.UserService\",method=\"getUser\",le=\"+Inf\"} 1000\n";
const OTHER_PAGE: &str = "dubbo_provider_rt_milliseconds_histogram_seconds_bucket{interface=\"com.acme.UserService\",method=\"getUser\",le=\"0.05\"} 0\n\
dubbo_provider_rt_milliseconds_histogram_seconds_bucket{interface=\"com.acme.UserService\",method=\"getUser\",le=\"0.1\"} 0\n\
dubbo_provider_rt_milliseconds_histogram_seconds_bucket{interface=\"com.acme.UserService\",method=\"getUser\",le=\"0.2\"} 900\n\
dubbo_provider_rt_milliseconds_histogram_seconds_bucket{interface=\"com.acme.UserService\",method=\"getUser\",le=\"+Inf\"} 900\n";

/// The pages of several processes are one distribution: the slow one counts, too.
#[test]
fn pages_of_several_processes_are_put_together() {
    let fast = Server::start("200 OK", "", PAGE);
    let slow = Server::start("200 OK", "", OTHER_PAGE);
    assert_eq!(p99(&ask(&fast.url("/metrics"), &[])), (50.0, 100.0));
    let both = format!("{},{}", fast.url("/metrics"), slow.url("/metrics"));
    let done = ask(&both, &[]);
    assert_eq!(p99(&done), (100.0, f64::INFINITY));
    let found = done.json()["reports"][0]["findings"].to_string();
    assert!(found.contains("DG7010"), "{found}");
    let budget = &done.json()["reports"][0]["budget"];
    assert!(budget["advice"].is_null(), "no upper end, no advice");
    // One that does not answer is told; when nobody does, the times are not known.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let closed = format!("http://{}/metrics", listener.local_addr().unwrap());
    drop(listener);
    let done = ask(&format!("{closed},{}", fast.url("/metrics")), &[]);
    assert_eq!(p99(&done), (50.0, 100.0));
    let remarks = &done.json()["reports"][0]["budget"]["measured"]["remarks"];
    assert!(remarks.to_string().contains("did not answer"), "{remarks}");
    let nobody = ask(&closed, &[]);
    assert_eq!(nobody.exit, 3, "{nobody:?}");
    let report = &nobody.json()["reports"][0];
    assert_eq!(report["outcome"], "unknown");
    let missing = report["not_seen"].to_string();
    assert!(
        missing.contains("response times of http://127.0.0.1") && missing.contains("no connection"),
        "{missing}"
    );
}

#[test]
fn bad_answers_are_named() {
    let empty = r#"{"status":"success","data":{"resultType":"vector","result":[]}}"#;
    let refused =
        r#"{"status":"error","errorType":"bad_data","error":"invalid parameter \"query\""}"#;
    let matrix = r#"{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":"rt_p99"},"values":[[1,"45"]]}]}}"#;
    for (status, headers, body, word) in [
        ("200 OK", "", empty, "tells no 99th percentile"),
        ("400 Bad Request", "", refused, "HTTP 400"),
        ("401 Unauthorized", "", "", "HTTP 401"),
        (
            "302 Found",
            "Location: http://127.0.0.1:1/login\r\n",
            "",
            "HTTP 302",
        ),
        (
            "503 Service Unavailable",
            "",
            "Service Unavailable",
            "HTTP 503",
        ),
        ("200 OK", "", "<html>sign in</html>", "no JSON"),
        ("200 OK", "", refused, "query failed"),
        ("200 OK", "", matrix, "matrix"),
        ("200 OK", "", r#"{"status":"success"}"#, "no result"),
    ] {
        let server = Server::start(status, headers, body);
        let done = ask(&server.url(""), &[]);
        assert_eq!(done.exit, 4, "{body}: {done:?}");
        assert!(done.stderr.contains(word), "{word}: {done:?}");
        assert!(done.stdout.is_empty(), "{done:?}");
    }
    let html = Server::start("200 OK", "", "<html>sign in</html>");
    let done = ask(&html.url("/metrics"), &[]);
    assert!(
        done.exit == 4 && done.stderr.contains("no sample"),
        "{done:?}"
    );
}

/// A server that never answers ends with the limit of a request, one whose name has a password does not show it.
#[test]
fn silence_ends_and_passwords_stay_hidden() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    for limit in ["--request-timeout", "--deadline"] {
        let done = ask(
            &format!("http://joe:s3cret@{address}/metrics"),
            &[limit, "300ms"],
        );
        assert_eq!(done.exit, 3, "{done:?}");
        let why = done.json()["reports"][0]["not_seen"].to_string();
        let waited = ["300 ms", "299 ms", "298 ms", "29", "28"];
        assert!(
            why.contains("no answer within") && waited.iter().any(|ms| why.contains(ms)),
            "{why}"
        );
        assert!(!format!("{done:?}").contains("s3cret"), "{done:?}");
    }
}

/// Group and version are part of the name: of which service times are told must be readable.
#[test]
fn times_of_another_group_are_named_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let page = "dubbo_provider_rt_milliseconds_p99{interface=\"com.acme.UserService\",method=\"get\",group=\"a\",version=\"1\"} 450\n\
        dubbo_provider_rt_milliseconds_p99{interface=\"com.acme.UserService\",method=\"get\",group=\"b\",version=\"null\"} 30\n";
    let place = super::file(&folder, "page.txt", page);
    let place = place.as_str();
    let of = |service: &str, method: &str| {
        run(&[
            "timeout-budget",
            service,
            method,
            "--prometheus",
            place,
            "-o",
            "json",
        ])
    };
    let done = of("com.acme.UserService", "get");
    assert_eq!(done.exit, 4, "{done:?}");
    assert!(
        done.stderr.contains(
            "it tells no response times of com.acme.UserService#get; it does of a/com.acme.UserService:1#get, \
             b/com.acme.UserService#get: name it with its group and version, or `*` for any"
        ),
        "{done:?}"
    );
    // Another method is no question of the group.
    let done = of("a/com.acme.UserService:1", "find");
    assert!(
        done.stderr
            .contains("it does of a/com.acme.UserService:1#get, b/"),
        "{done:?}"
    );
    for (service, high) in [
        ("a/com.acme.UserService:1", 450.0),
        ("b/com.acme.UserService", 30.0),
    ] {
        let done = of(service, "get");
        let measured = done.json()["reports"][0]["budget"]["measured"].clone();
        assert_eq!(measured["p99_high_ms"], high, "{done:?}");
    }
}
