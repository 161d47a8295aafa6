//! The call of the metadata service, over dubbo and triple.

use super::*;

/// What a port answers to the call of the metadata service.
#[derive(Debug, Clone, Copy)]
enum Keeper {
    /// The metadata.
    Has,
    /// It does not export the service.
    NotExported,
    /// It has no such revision.
    Nothing,
    /// No request is answered.
    Silent,
}

const REVISION: &str = "0123456789abcdef0123456789abcdef";

fn metadata_body() -> Vec<u8> {
    let mut body = vec![0x94, b'C'];
    hessian::put_text(&mut body, "org.apache.dubbo.metadata.MetadataInfo");
    body.push(0x93);
    for field in ["app", "revision", "services"] {
        hessian::put_text(&mut body, field);
    }
    body.push(0x60);
    hessian::put_text(&mut body, "order");
    hessian::put_text(&mut body, REVISION);
    body.push(b'H');
    hessian::put_text(&mut body, &format!("{SERVICE}:dubbo"));
    body.push(b'C');
    hessian::put_text(
        &mut body,
        "org.apache.dubbo.metadata.MetadataInfo$ServiceInfo",
    );
    body.push(0x97);
    for field in [
        "name", "group", "version", "protocol", "port", "path", "params",
    ] {
        hessian::put_text(&mut body, field);
    }
    body.push(0x61);
    hessian::put_text(&mut body, SERVICE);
    body.extend([b'N', b'N']);
    hessian::put_text(&mut body, "dubbo");
    // -1: the port of the instance.
    body.push(0x8f);
    hessian::put_text(&mut body, SERVICE);
    hessian::put_map(&mut body, &[("side", "provider"), ("release", "3.2.16")]);
    body.push(b'Z');
    hessian::put_map(&mut body, &[]);
    body
}

/// Whether a request is the one call that may be made.
fn is_the_call(body: &[u8]) -> bool {
    let mut reader = hessian::Reader::new(body);
    let mut next = || reader.value().unwrap();
    let texts: Vec<_> = (0..6).map(|_| next()).collect();
    texts
        == [
            "2.0.2",
            METADATA,
            "1.0.0",
            "getMetadataInfo",
            "Ljava/lang/String;",
            REVISION,
        ]
        && next()["group"] == "order"
}

fn keep(keeper: Keeper) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || serve_metadata(keeper, stream));
        }
    });
    address
}

fn serve_metadata(keeper: Keeper, mut stream: TcpStream) {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    while let Ok(count) = stream.read(&mut chunk) {
        if count == 0 {
            return;
        }
        bytes.extend_from_slice(&chunk[..count]);
        while let Parsed::Frame(frame, length) = Frame::parse(&bytes, 1 << 20) {
            bytes.drain(..length);
            let answer = |status, body| {
                Frame {
                    flags: 2,
                    status,
                    id: frame.id,
                    body,
                }
                .bytes()
            };
            if frame.is_event() {
                let _ = stream.write_all(&reply(frame.id));
                continue;
            }
            assert!(is_the_call(&frame.body));
            let sent = match keeper {
                Keeper::Has => stream.write_all(&answer(20, metadata_body())),
                Keeper::Nothing => stream.write_all(&answer(20, vec![0x95, b'H', b'Z'])),
                Keeper::NotExported => {
                    let mut words = Vec::new();
                    hessian::put_text(&mut words, "Not found exported service: x");
                    stream.write_all(&answer(40, words))
                }
                Keeper::Silent => Ok(()),
            };
            if sent.is_err() {
                return;
            }
        }
    }
}

/// An application with local metadata at this address, and nothing at interface level.
fn application(address: &str, protocol: &str) -> (Snapshot, Question) {
    let (mut snapshot, mut question, id) = registry(&[]);
    let (host, port) = address.rsplit_once(':').unwrap();
    let params = format!(r#"{{"port":"{port}","protocol":"{protocol}"}}"#);
    let instance = serde_json::json!({
        "name": "order", "id": address, "address": host, "port": port.parse::<u16>().unwrap(),
        "payload": {
            "@class": "org.apache.dubbo.registry.zookeeper.ZookeeperInstance", "id": address, "name": "order",
            "metadata": {
                "dubbo.metadata.revision": REVISION, "dubbo.metadata.storage-type": "local",
                "dubbo.metadata-service.url-params": params,
                "dubbo.endpoints": format!(r#"[{{"port":{port},"protocol":"dubbo"}}]"#),
            },
        },
        "registrationTimeUTC": 1_772_430_000_000_u64, "serviceType": "DYNAMIC", "uriSpec": null,
    });
    let mut put = |path: &str, payload: Payload| {
        snapshot.insert(id.clone(), Line::new(Key::zk_node(path), payload));
    };
    let list =
        |names: &[&str]| Payload::Children(names.iter().map(|name| (*name).to_owned()).collect());
    put("/", list(&["dubbo", "services"]));
    put("/dubbo", list(&[SERVICE, "mapping"]));
    put("/dubbo/mapping", list(&[SERVICE]));
    put(
        &format!("/dubbo/mapping/{SERVICE}"),
        Payload::Text("order".to_owned()),
    );
    put(&format!("/dubbo/mapping/{SERVICE}"), list(&[]));
    put("/services", list(&["order"]));
    put("/services/order", list(&[address]));
    let node = format!("/services/order/{address}");
    put(&node, Payload::Text(instance.to_string()));
    put(&node, list(&[]));
    question.consumer.dubbo = Some(DubboVersion::parse("3.2.16").unwrap());
    (snapshot, question)
}

#[test]
fn local_metadata_are_asked_for() {
    let of = |keeper| {
        let address = keep(keeper);
        let (snapshot, mut question) = application(&address, "dubbo");
        // A running consumer keeps the list that it has when no metadata can be had.
        question.consumer.state = Some(diag::question::ConsumerState::Starting);
        let before = diagnose(&question, &snapshot);
        assert_eq!(before.outcome, Outcome::Unknown, "{keeper:?}");
        let how = before
            .not_seen
            .iter()
            .filter_map(|fact| fact.how_to_see.as_ref())
            .map(|how| how.text(diag::report::words::Lang::En))
            .collect::<String>();
        assert!(how.contains("--probe"), "{how}");
        probed(snapshot, question, Duration::from_secs(8))
    };
    let has = of(Keeper::Has);
    assert_eq!(
        has.diagnosis.outcome,
        Outcome::Reachable,
        "{:?}",
        codes(&has)
    );
    for (keeper, code) in [
        (Keeper::NotExported, "DG4014"),
        (Keeper::Nothing, "DG4014"),
        (Keeper::Silent, "DG4004"),
    ] {
        let ran = of(keeper);
        assert_eq!(
            verdict(&ran),
            code,
            "{keeper:?} {:?}",
            ran.diagnosis.outcome
        );
        assert!(ran.took < Duration::from_secs(9), "{:?}", ran.took);
    }
}

/// The same over triple: a server of HTTP/2 that answers the one call.
#[test]
fn local_metadata_over_triple() {
    for form in ["getMetadataInfo", "GetMetadataInfo"] {
        let address = triple(form);
        let (snapshot, question) = application(&address, "tri");
        let ran = probed(snapshot, question, Duration::from_secs(8));
        let called: Vec<&Line> = ran
            .snapshot
            .sources()
            .flat_map(|(_, lines)| lines.filter(|line| line.key.op() == "metadata.call"))
            .collect();
        assert_eq!(called.len(), 1, "{form}");
        assert_eq!(
            called[0].field("protocol"),
            Some(&"tri".into()),
            "{form}: {called:?}"
        );
        assert!(called[0].body_text().unwrap().contains(SERVICE), "{form}");
    }
}

fn triple(form: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve_triple(form, stream));
            }
        });
    });
    address
}

async fn serve_triple(form: &'static str, stream: tokio::net::TcpStream) {
    let Ok(mut connection) = h2::server::handshake(stream).await else {
        return;
    };
    while let Some(Ok((request, mut respond))) = connection.accept().await {
        let path = request.uri().path().to_owned();
        assert_eq!(request.headers()["tri-service-group"], "order");
        let ok = path.ends_with(form);
        let response = http::Response::builder()
            .status(200)
            .header("content-type", "application/grpc+proto");
        if !ok {
            let response = response
                .header("grpc-status", "12")
                .header("grpc-message", "no such method")
                .body(())
                .unwrap();
            let _ = respond.send_response(response, true);
            continue;
        }
        let mut message = Vec::new();
        if form == "getMetadataInfo" {
            let mut data = metadata_body();
            data.remove(0);
            protobuf::put(&mut message, 1, b"hessian4");
            protobuf::put(&mut message, 2, &data);
        } else {
            let mut service = Vec::new();
            protobuf::put(&mut service, 1, SERVICE.as_bytes());
            protobuf::put(&mut service, 4, b"dubbo");
            protobuf::put(&mut service, 6, SERVICE.as_bytes());
            let mut pair = Vec::new();
            protobuf::put(&mut pair, 1, b"key");
            protobuf::put(&mut pair, 2, &service);
            protobuf::put(&mut message, 1, b"order");
            protobuf::put(&mut message, 2, REVISION.as_bytes());
            protobuf::put(&mut message, 3, &pair);
        }
        let mut framed = vec![0];
        framed.extend(u32::try_from(message.len()).unwrap().to_be_bytes());
        framed.extend(message);
        let mut body = respond
            .send_response(response.body(()).unwrap(), false)
            .unwrap();
        body.send_data(framed.into(), false).unwrap();
        let mut trailers = http::HeaderMap::new();
        trailers.insert("grpc-status", http::HeaderValue::from_static("0"));
        body.send_trailers(trailers).unwrap();
    }
}
