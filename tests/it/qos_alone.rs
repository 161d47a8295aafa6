//! `--qos` alone: the consumer's own port says who it is, which version it has and where it looks.

use crate::{
    cli::run,
    qos_port::{Served, command, reply},
};

const SERVICE: &str = "com.acme.OrderService";

/// A consumer of 3.2 whose configuration names a registry.
fn consumer(registry: &str) -> Served {
    let config = format!(
        r#"{{"Dubbo Application[1.1](order-web)":{{"ApplicationConfig":{{"order-web":{{"name":"order-web"}}}},"RegistryConfig":{{"r":{{"address":"{registry}"}}}}}}}}"#
    );
    Served::start(move |line, stream| {
        let list = format!(
            "As Provider side:\n|N|P|\n|DubboInternal - order-web/org.apache.dubbo.metadata.MetadataService:1.0.0| |\nAs \
             Consumer side:\n|N|N|\n|{SERVICE}|zookeeper-AF(I-1,A-0)|\n"
        );
        let body = match command(line) {
            "ls" => Some(list.as_str()),
            "version" => Some("dubbo version \"3.2.16\""),
            "ready" | "live" => Some("true"),
            "getConfig" => Some(config.as_str()),
            _ => None,
        };
        reply(line, stream, body);
    })
}

#[test]
fn the_registry_that_the_port_names_is_asked() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = closed.local_addr().unwrap().to_string();
    drop(closed);
    let served = consumer(&format!("zookeeper://{address}?password=s3cret"));
    let args = [
        "no-provider",
        SERVICE,
        "--qos",
        &served.address,
        "--consumer-ip",
        "127.0.0.1",
        "-o",
        "json",
    ];
    let done = run(&args);
    let said = format!("looks at zookeeper://{address}");
    assert!(done.stderr.contains(&said), "{done:?}");
    assert!(!format!("{done:?}").contains("s3cret"), "{done:?}");
    let json = done.json();
    let consumer = &json["reports"][0]["question"]["consumer"];
    assert_eq!(consumer["application"], "order-web", "{done:?}");
    assert_eq!(consumer["dubbo"], "3.2.16", "{done:?}");
    let kinds: Vec<&str> = json["sources"]
        .as_object()
        .unwrap()
        .values()
        .map(|source| source["kind"].as_str().unwrap())
        .collect();
    assert!(
        kinds.contains(&"zookeeper") && kinds.contains(&"qos"),
        "{kinds:?}"
    );
    let codes =
        json["reports"][0]["findings"].to_string() + &json["reports"][0]["candidates"].to_string();
    assert!(codes.contains("DG1001"), "{done:?}");
}

#[test]
fn a_port_that_does_not_say_where_it_looks_is_told_so() {
    let served = Served::start(|line, stream| {
        let list = format!("As Provider side:\n|N|P|\nAs Consumer side:\n|N|N|\n|{SERVICE}|3|\n");
        let body = match command(line) {
            "ls" => Some(list.as_str()),
            "version" => Some("dubbo version \"2.7.23\""),
            _ => None,
        };
        reply(line, stream, body);
    });
    let done = run(&[
        "no-provider",
        SERVICE,
        "--qos",
        &served.address,
        "-o",
        "json",
    ]);
    assert_eq!(done.exit, 3, "{done:?}");
    assert!(done.stderr.contains("give --registry"), "{done:?}");
    assert_eq!(
        done.json()["reports"][0]["question"]["consumer"]["dubbo"],
        "2.7.23"
    );
}

/// `timeout-budget` takes response times from the command `metrics` of the port.
#[test]
fn response_times_come_from_the_port() {
    let served = Served::start(|line, stream| {
        let text = format!(
            "# TYPE dubbo_provider_rt_milliseconds_p99 gauge\ndubbo_provider_rt_milliseconds_p99{{application_name=\"order\",interface=\"{SERVICE}\",method=\"get\"}} 450.0\n"
        );
        let body = (command(line) == "metrics").then_some(text.as_str());
        reply(line, stream, body);
    });
    let done = run(&[
        "timeout-budget",
        SERVICE,
        "get",
        "--qos",
        &served.address,
        "--rtt",
        "5ms",
        "-o",
        "json",
    ]);
    let budget = &done.json()["reports"][0]["budget"];
    assert_eq!(budget["need"]["p99_ms"], 450.0, "{done:?}");
    let heard = served.heard();
    assert!(heard.iter().any(|line| command(line) == "metrics"));
}
