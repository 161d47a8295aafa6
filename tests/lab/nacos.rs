//! What speaks Nacos' interface: the requests by which the lab writes, and a Nacos that runs elsewhere, at the address of
//! `DIAG_LAB_NACOS`, of which a run touches nothing but a namespace of its own.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, ensure};
use serde_json::Value;

use crate::{
    http::{self, percent},
    network::REGISTRY,
    relay,
    scenario::{Level, SERVICE},
};

/// Where clients find it.
pub(crate) const PORT: u16 = 8848;

/// Name and password of the one user there is, where a login is asked for.
pub(crate) const LOGIN: (&str, &str) = ("lab", "lab-secret");

/// What a server holds, as whoever may write sees it.
#[derive(Debug, Clone)]
pub(crate) struct Store {
    /// `host:port`.
    pub(crate) address: String,
    pub(crate) namespace: Option<String>,
    /// Whether a token is needed.
    pub(crate) login: bool,
}

impl Store {
    /// Publishes a configuration.
    pub(crate) fn publish(&self, group: &str, key: &str, text: &str) -> anyhow::Result<()> {
        let form = [("dataId", key), ("group", group), ("content", text)];
        done(self.ask("POST", "cs/configs", "tenant", &form)?)
    }

    /// Takes it away.
    pub(crate) fn retract(&self, group: &str, key: &str) -> anyhow::Result<()> {
        let form = [("dataId", key), ("group", group)];
        done(self.ask("DELETE", "cs/configs", "tenant", &form)?)
    }

    /// How many instances the asked service, or the application behind it, has.
    pub(crate) fn entries(&self, level: Level) -> anyhow::Result<usize> {
        let name = match level {
            Level::Interface => format!("providers:{SERVICE}::"),
            Level::Application => "order-center".to_owned(),
        };
        let form = [("serviceName", &*name)];
        let (_, body) = self.ask("GET", "ns/instance/list", "namespaceId", &form)?;
        let answer: Value = serde_json::from_str(&body).unwrap_or_default();
        Ok(answer["hosts"].as_array().map_or(0, Vec::len))
    }

    /// Deletes every configuration of the namespace.
    fn empty(&self) -> anyhow::Result<()> {
        loop {
            let form = [
                ("search", "blur"),
                ("dataId", "*"),
                ("group", "*"),
                ("pageNo", "1"),
                ("pageSize", "100"),
            ];
            let (_, body) = self.ask("GET", "cs/configs", "tenant", &form)?;
            let answer: Value = serde_json::from_str(&body).context("a page of configurations")?;
            let items = answer["pageItems"].as_array().cloned().unwrap_or_default();
            if items.is_empty() {
                return Ok(());
            }
            for item in items {
                let word = |name: &str| item[name].as_str().unwrap_or_default().to_owned();
                self.retract(&word("group"), &word("dataId"))?;
            }
        }
    }

    /// Status and body of a request; `place` is what this API calls the namespace.
    fn ask(
        &self,
        method: &str,
        path: &str,
        place: &str,
        form: &[(&str, &str)],
    ) -> anyhow::Result<(u16, String)> {
        let mut form: Vec<String> = form
            .iter()
            .map(|(name, value)| format!("{name}={}", percent(value)))
            .collect();
        form.extend(self.namespace.iter().map(|name| format!("{place}={name}")));
        if self.login {
            form.push(format!("accessToken={}", self.token()?));
        }
        let form = form.join("&");
        let target = format!("/nacos/v1/{path}");
        if method == "POST" {
            return http::ask(&self.address, method, &target, &form);
        }
        http::ask(&self.address, method, &format!("{target}?{form}"), "")
    }

    /// A fresh one for each request: it may not last longer.
    fn token(&self) -> anyhow::Result<String> {
        let form = format!("username={}&password={}", LOGIN.0, LOGIN.1);
        let (status, body) = http::ask(&self.address, "POST", "/nacos/v1/auth/login", &form)?;
        let answer: Value = serde_json::from_str(&body).unwrap_or_default();
        let token = answer["accessToken"].as_str();
        Ok(token
            .with_context(|| format!("login: {status} {body}"))?
            .to_owned())
    }
}

/// A namespace of a Nacos that is not ours. It ends with the run.
#[derive(Debug)]
pub(crate) struct Nacos {
    pub(crate) store: Store,
}

impl Nacos {
    pub(crate) fn start() -> anyhow::Result<Self> {
        relay::open()?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
        let name = format!("lab-{}", now.as_millis());
        let store = Store {
            address: format!("{REGISTRY}:{PORT}"),
            namespace: Some(name.clone()),
            login: false,
        };
        let form =
            format!("customNamespaceId={name}&namespaceName={name}&namespaceDesc=a+run+of+the+lab");
        let made = http::ask(
            &store.address,
            "POST",
            "/nacos/v1/console/namespaces",
            &form,
        )?;
        done(made).context("a namespace of its own")?;
        Ok(Self { store })
    }
}

impl Drop for Nacos {
    fn drop(&mut self) {
        let target = "/nacos/v1/console/namespaces?namespaceId=";
        let name = self.store.namespace.clone().unwrap_or_default();
        let gone = self.store.empty().and_then(|()| {
            http::ask(
                &self.store.address,
                "DELETE",
                &format!("{target}{name}"),
                "",
            )
            .and_then(done)
        });
        if let Err(error) = gone {
            eprintln!("lab: namespace {name} of the Nacos stays: {error:#}");
        }
    }
}

fn done((status, body): (u16, String)) -> anyhow::Result<()> {
    ensure!(status == 200 && body.contains("true"), "{status}: {body}");
    Ok(())
}
