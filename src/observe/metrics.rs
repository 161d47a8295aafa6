//! Metrics over HTTP: one GET of a page, or one query of the Prometheus API. Nothing else is ever sent.

use std::{collections::BTreeMap, time::Duration};

use reqwest::{Client, Url, redirect};
use serde_json::Value;

use super::choose_cryptography;
use crate::input::metrics::Sample;

/// Most bytes of an answer.
const MOST_BYTES: usize = 64 << 20;

/// A place where metrics are.
#[derive(Debug, Clone)]
pub struct Page {
    url: Url,
}

/// What came.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// A page in Prometheus text.
    Text(String),
    /// Samples of a query.
    Samples(Vec<Sample>),
}

/// Why nothing came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoMetrics {
    /// Nobody answered: the fact was not seen.
    Silent(String),
    /// What was answered is no metrics.
    Bad(String),
}

impl Page {
    /// Whether a text is an address and no file.
    pub fn is_address(text: &str) -> bool {
        text.starts_with("http://") || text.starts_with("https://")
    }

    /// Reads an address: a page (`http://10.0.0.7:20888/metrics`) or a Prometheus server (`http://prometheus:9090`).
    ///
    /// # Errors
    /// It is no address.
    pub fn parse(text: &str) -> Result<Self, String> {
        let url =
            Url::parse(text).map_err(|error| format!("the address cannot be read: {error}"))?;
        if url.host_str().is_none_or(str::is_empty) {
            return Err("the address has no host".to_owned());
        }
        Ok(Self { url })
    }

    /// The address without user and password.
    pub fn shown(&self) -> String {
        let mut url = self.url.clone();
        let _ = url.set_username("");
        let _ = url.set_password(None);
        url.set_query(None);
        url.to_string()
    }

    /// A server is asked, not read: its address has no path, or that of its API.
    fn is_server(&self) -> bool {
        let path = self.url.path().trim_end_matches('/');
        path.is_empty() || path.ends_with("/api/v1")
    }

    /// What is asked: every series of Dubbo's response times, of one service and method when they are known.
    fn query(&self, interface: Option<&str>, method: Option<&str>) -> Url {
        let mut selector =
            r#"{__name__=~"dubbo_(consumer|provider)_rt_.*(_p99|_bucket)|rt_p99""#.to_owned();
        for (name, value) in [("interface", interface), ("method", method)] {
            if let Some(value) = value {
                let escaped = value.replace('\\', "\\\\").replace('"', "\\\"");
                selector.push_str(&[",", name, "=\"", &escaped, "\""].concat());
            }
        }
        selector.push('}');
        let mut url = self.url.clone();
        let path = url
            .path()
            .trim_end_matches('/')
            .trim_end_matches("/api/v1")
            .to_owned();
        url.set_path(&[&path, "/api/v1/query"].concat());
        url.query_pairs_mut()
            .clear()
            .append_pair("query", &selector);
        url
    }

    /// Gets it, within a time.
    ///
    /// # Errors
    /// Why not, in one sentence without the address.
    pub async fn fetch(
        &self,
        interface: Option<&str>,
        method: Option<&str>,
        limit: Duration,
    ) -> Result<Answer, NoMetrics> {
        use NoMetrics::{Bad, Silent};
        choose_cryptography();
        let client = Client::builder()
            .user_agent(concat!("diag/", env!("CARGO_PKG_VERSION")))
            .no_proxy()
            .referer(false)
            .redirect(redirect::Policy::none())
            .timeout(limit)
            .build()
            .map_err(|error| Bad(error.without_url().to_string()))?;
        let url = if self.is_server() {
            self.query(interface, method)
        } else {
            self.url.clone()
        };
        let failed = |error: reqwest::Error| {
            if error.is_timeout() {
                Silent(format!("no answer within {} ms", limit.as_millis()))
            } else if error.is_connect() {
                Silent("no connection".to_owned())
            } else {
                Silent(innermost(&error.without_url()))
            }
        };
        let mut response = client.get(url).send().await.map_err(failed)?;
        if !response.status().is_success() {
            return Err(Bad(format!("HTTP {}", response.status().as_u16())));
        }
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(failed)? {
            if body.len() + chunk.len() > MOST_BYTES {
                return Err(Bad("the answer is larger than 64 MiB".to_owned()));
            }
            body.extend_from_slice(&chunk);
        }
        if self.is_server() {
            return vector(&body).map(Answer::Samples).map_err(Bad);
        }
        Ok(Answer::Text(String::from_utf8_lossy(&body).into_owned()))
    }
}

/// What is behind an error: `error sending request` alone says nothing.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}

/// The samples of an instant query (`resultType` vector).
fn vector(body: &[u8]) -> Result<Vec<Sample>, String> {
    let answer: Value = serde_json::from_slice(body)
        .map_err(|_| "the answer is no JSON of Prometheus".to_owned())?;
    if answer["status"] != "success" {
        let why = answer["error"].as_str().unwrap_or("no success");
        let why: String = why.chars().take(200).collect();
        return Err(format!("the query failed: {why}"));
    }
    if let Some(kind) = answer["data"]["resultType"].as_str()
        && kind != "vector"
    {
        return Err(format!("the answer is a {kind}, expected a vector"));
    }
    let result = answer["data"]["result"]
        .as_array()
        .ok_or_else(|| "the answer has no result".to_owned())?;
    Ok(result
        .iter()
        .filter_map(|series| {
            let mut labels: BTreeMap<String, String> = series["metric"]
                .as_object()?
                .iter()
                .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
                .collect();
            let name = labels.remove("__name__")?;
            let text = series["value"].get(1)?.as_str()?;
            let value = text.trim_start_matches('+').parse().ok()?;
            Some(Sample {
                name,
                labels,
                value,
            })
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_queried_and_a_page_is_read() {
        let server = Page::parse("http://p:9090").unwrap();
        assert!(server.is_server());
        let url = server.query(Some("a.B"), Some("get")).to_string();
        assert!(
            url.starts_with("http://p:9090/api/v1/query?query="),
            "{url}"
        );
        assert!(url.contains("interface"), "{url}");
        assert!(!Page::parse("http://h:20888/metrics").unwrap().is_server());
        assert!(Page::parse("http://").is_err());
        assert_eq!(
            Page::parse("http://u:p@h/metrics?token=x").unwrap().shown(),
            "http://h/metrics"
        );
    }

    #[test]
    fn answers_of_the_api() {
        let good = br#"{"status":"success","data":{"resultType":"vector","result":[
            {"metric":{"__name__":"rt_p99","interface":"a.B"},"value":[1.0,"45"]}]}}"#;
        assert_eq!(vector(good).unwrap()[0].value.to_string(), "45");
        assert!(
            vector(br#"{"status":"error","error":"bad query"}"#)
                .unwrap_err()
                .contains("bad query")
        );
        assert!(vector(b"<html>").is_err());
    }
}
