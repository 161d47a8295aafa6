//! A Nacos of any size, whose answers are ready before anybody asks.

use std::{
    collections::HashMap,
    io::{self, BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use anyhow::{Context, Result};
use serde_json::json;

pub(crate) const INSTANCES: usize = 10;

pub(crate) fn ip(service: usize, at: usize) -> String {
    format!("10.{}.{}.{at}", service / 250, service % 250)
}

pub(crate) fn name(service: usize) -> String {
    format!("providers:com.acme.s{service:05}.Service:1.0:")
}

/// What a provider registers beside its address.
pub(crate) fn metadata(service: usize) -> serde_json::Value {
    json!({
        "side": "provider", "release": "3.2.16", "methods": "find,list,create,update,remove",
        "deprecated": "false", "dubbo": "2.0.2", "interface": format!("com.acme.s{service:05}.Service"),
        "version": "1.0", "generic": "false", "revision": "1.0", "path": "com.acme.Service",
        "protocol": "dubbo", "application": format!("app-{}", service % 200), "dynamic": "true",
        "category": "providers", "timestamp": "1764448957000",
    })
}

/// Answers by path and service, made before anybody asks.
pub(crate) struct Fleet {
    services: Vec<String>,
    bodies: HashMap<String, Vec<u8>>,
}

impl Fleet {
    pub(crate) fn of(services: usize) -> Self {
        let names: Vec<String> = (0..services).map(name).collect();
        let mut bodies = HashMap::new();
        for (number, name) in names.iter().enumerate() {
            let hosts: Vec<_> = (0..INSTANCES)
                .map(|at| {
                    let ip = ip(number, at);
                    json!({
                        "instanceId": format!("{ip}#20880#null#DEFAULT_GROUP@@{name}"), "ip": ip, "port": 20880,
                        "weight": 1.0, "healthy": true, "enabled": true, "ephemeral": true, "clusterName": "DEFAULT",
                        "serviceName": format!("DEFAULT_GROUP@@{name}"), "metadata": metadata(number),
                    })
                })
                .collect();
            let mut put = |path: &str, body: serde_json::Value| {
                bodies.insert(format!("{path} {name}"), body.to_string().into_bytes());
            };
            put(
                "v1/ns/instance/list",
                json!({"name": name, "groupName": "DEFAULT_GROUP", "hosts": hosts}),
            );
            put(
                "v1/ns/catalog/instances",
                json!({"count": INSTANCES, "list": hosts}),
            );
            put(
                "v1/ns/service",
                json!({"name": name, "protectThreshold": 0.0, "metadata": {}, "clusters": []}),
            );
            put(
                "v1/ns/service/subscribers",
                json!({"count": 0, "subscribers": []}),
            );
        }
        Self {
            services: names,
            bodies,
        }
    }

    /// The body for a target below `/nacos/`; `None`: 404.
    fn body(&self, target: &str) -> Option<Vec<u8>> {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let param = |name: &str| {
            query.split('&').find_map(|pair| {
                let (known, value) = pair.split_once('=')?;
                (known == name).then(|| value.replace("%3A", ":"))
            })
        };
        if let Some(service) = param("serviceName") {
            return self.bodies.get(&format!("{path} {service}")).cloned();
        }
        let number = |name: &str| param(name).and_then(|text| text.parse::<usize>().ok());
        let (page, size) = (
            number("pageNo").unwrap_or(1),
            number("pageSize").unwrap_or(100),
        );
        let part = self.services.iter().skip((page - 1) * size).take(size);
        let body = match path {
            "v1/console/server/state" => json!({"version": "2.5.1"}),
            "v1/console/namespaces" => {
                json!({"code": 200, "data": [{"namespace": "", "namespaceShowName": "public"}]})
            }
            "v1/core/cluster/nodes" => json!({"code": 200, "data": []}),
            "v1/ns/service/list" => {
                json!({"count": self.services.len(), "doms": part.collect::<Vec<_>>()})
            }
            "v1/ns/catalog/services" => {
                let list: Vec<_> = part
                    .map(|name| json!({"name": name, "groupName": "DEFAULT_GROUP", "ipCount": INSTANCES}))
                    .collect();
                json!({"count": self.services.len(), "serviceList": list})
            }
            "v1/cs/configs" => json!({"totalCount": 0, "pageItems": []}),
            _ => return None,
        };
        Some(body.to_string().into_bytes())
    }
}

/// What the server saw.
#[derive(Default)]
pub(crate) struct Seen {
    targets: Mutex<Vec<String>>,
    now: AtomicUsize,
    pub(crate) most: AtomicUsize,
}

impl Seen {
    pub(crate) fn targets(&self) -> Vec<String> {
        self.targets
            .lock()
            .map(|targets| targets.clone())
            .unwrap_or_default()
    }

    pub(crate) fn forget(&self) {
        if let Ok(mut targets) = self.targets.lock() {
            targets.clear();
        }
    }
}

/// A port, and the one 1000 above, which clients of 2.x look at, too.
pub(crate) fn listeners() -> Result<(TcpListener, TcpListener)> {
    (0..200)
        .find_map(|_| {
            let listener = TcpListener::bind("127.0.0.1:0").ok()?;
            let port = listener.local_addr().ok()?.port().checked_add(1000)?;
            Some((listener, TcpListener::bind(("127.0.0.1", port)).ok()?))
        })
        .context("no free ports")
}

pub(crate) fn serve(fleet: Arc<Fleet>, thinks: Duration) -> Result<(u16, Arc<Seen>)> {
    let (listener, beside) = listeners()?;
    let port = listener.local_addr()?.port();
    let seen = Arc::new(Seen::default());
    let known = Arc::clone(&seen);
    std::thread::spawn(move || {
        let _beside = beside;
        for stream in listener.incoming().flatten() {
            let (fleet, seen) = (Arc::clone(&fleet), Arc::clone(&known));
            std::thread::spawn(move || {
                let _ = answer(stream, &fleet, thinks, &seen);
            });
        }
    });
    Ok((port, seen))
}

fn answer(stream: TcpStream, fleet: &Fleet, thinks: Duration, seen: &Seen) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut write = stream.try_clone()?;
    let mut read = BufReader::new(stream);
    let mut line = String::new();
    loop {
        line.clear();
        if read.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let target = line
            .split(' ')
            .nth(1)
            .and_then(|target| target.strip_prefix("/nacos/"))
            .unwrap_or_default()
            .to_owned();
        while line.trim_end() != "" {
            line.clear();
            read.read_line(&mut line)?;
        }
        let now = seen.now.fetch_add(1, Ordering::SeqCst) + 1;
        seen.most.fetch_max(now, Ordering::SeqCst);
        if !thinks.is_zero() {
            std::thread::sleep(thinks);
        }
        let (status, body) = match fleet.body(&target) {
            Some(body) => (200, body),
            None => (404, b"{}".to_vec()),
        };
        if let Ok(mut targets) = seen.targets.lock() {
            targets.push(target);
        }
        let mut whole = format!(
            "HTTP/1.1 {status} \r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        )
        .into_bytes();
        whole.extend(body);
        seen.now.fetch_sub(1, Ordering::SeqCst);
        write.write_all(&whole)?;
    }
}

/// Stands before a real server, to learn what it is asked for.
pub(crate) fn stand_before(address: &str) -> Result<(u16, Arc<Seen>)> {
    let (listener, beside) = listeners()?;
    let port = listener.local_addr()?.port();
    let seen = Arc::new(Seen::default());
    let (known, address) = (Arc::clone(&seen), address.to_owned());
    std::thread::spawn(move || {
        let _beside = beside;
        for stream in listener.incoming().flatten() {
            let (address, seen) = (address.clone(), Arc::clone(&known));
            std::thread::spawn(move || pass_on(stream, &address, &seen));
        }
    });
    Ok((port, seen))
}

fn pass_on(stream: TcpStream, address: &str, seen: &Seen) -> io::Result<()> {
    let mut server = TcpStream::connect(address)?;
    let (mut answers, mut client) = (server.try_clone()?, stream.try_clone()?);
    std::thread::spawn(move || {
        let _ = io::copy(&mut answers, &mut client);
        let _ = client.shutdown(std::net::Shutdown::Both);
    });
    let mut read = BufReader::new(stream);
    let mut line = String::new();
    while read.read_line(&mut line)? > 0 {
        if let Some(target) = line.strip_prefix("GET /nacos/")
            && let Some((target, _)) = target.split_once(' ')
            && let Ok(mut targets) = seen.targets.lock()
        {
            targets.push(target.to_owned());
        }
        server.write_all(line.as_bytes())?;
        line.clear();
    }
    Ok(())
}
