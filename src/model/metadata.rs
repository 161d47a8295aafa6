//! What an application of 3.x says it exports: `MetadataInfo`, and the revision that is computed from it.
//!
//! Instances carry only the revision; whoever knows the text can compute it again and so sees whether the text is the
//! one that the instances mean. Nothing is judged here.

use md5::{Digest, Md5};
use serde_json::{Map, Value};

use super::version::{DubboVersion, Line};

/// `MetadataInfo` as a metadata report stores it. Getters and fields of later versions in the JSON are ignored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetadataInfo {
    /// The application.
    pub app: Option<String>,
    /// The revision under which it was stored.
    pub revision: Option<String>,
    /// The services in the order of their keys.
    pub services: Vec<ServiceInfo>,
}

/// `MetadataInfo.ServiceInfo`: one service with one protocol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceInfo {
    /// The key under which it stands in the metadata, `[group/]interface[:version]:protocol`.
    pub key: String,
    /// Interface.
    pub name: Option<String>,
    /// Dubbo's group; empty and absent are the same.
    pub group: Option<String>,
    /// Version of the service; empty and absent are the same.
    pub version: Option<String>,
    /// Protocol.
    pub protocol: Option<String>,
    /// Path of the URL.
    pub path: Option<String>,
    /// Port; 3.0 has none, a later provider that tells none means -1.
    pub port: Option<i64>,
    /// Parameters, sorted.
    pub params: Vec<(String, String)>,
}

/// The text is no `MetadataInfo`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no metadata of an application: {0}")]
pub struct BadMetadata(String);

impl MetadataInfo {
    /// Reads the JSON of a metadata report; `None` when it says nothing (empty, `null`).
    ///
    /// # Errors
    /// It is no JSON object, or a part of it has another shape.
    pub fn parse(text: &str) -> Result<Option<Self>, BadMetadata> {
        if text.trim().is_empty() {
            return Ok(None);
        }
        let value: Value = serde_json::from_str(text).map_err(|error| {
            BadMetadata(format!(
                "no JSON at line {}, column {}",
                error.line(),
                error.column()
            ))
        })?;
        let object = match &value {
            Value::Null => return Ok(None),
            Value::Object(object) => object,
            _ => return Err(BadMetadata("no JSON object".to_owned())),
        };
        let mut services = match object.get("services") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Object(services)) => services.iter().collect(),
            Some(_) => return Err(BadMetadata("services is no object".to_owned())),
        };
        services.sort_by(|(one, _), (other, _)| java_order(one, other));
        let services: Result<_, BadMetadata> = services
            .into_iter()
            .map(|(key, service)| ServiceInfo::read(key, service))
            .collect();
        Ok(Some(Self {
            app: text_of(object, "app"),
            revision: text_of(object, "revision"),
            services: services?,
        }))
    }

    /// `MetadataInfo.calRevision`: `0` without services, else the MD5 of what is exported. 3.0 leaves the port out. `None`
    /// on 2.7, whose revision contains the signatures of Java methods.
    pub fn revision(&self, line: Line) -> Option<String> {
        if !line.is_3x() {
            return None;
        }
        if self.services.is_empty() {
            return Some("0".to_owned());
        }
        let mut hash = Md5::new();
        hash.update(or_null(self.app.as_ref()));
        for service in &self.services {
            hash.update(service.described(line));
        }
        let digits = hash.finalize();
        let hex = |byte: &u8| format!("{byte:02x}");
        Some(digits.iter().map(hex).collect::<Vec<_>>().concat())
    }

    /// The line by whose formula the provider computed the revision: its `release` decides. Without one, only 3.0 has
    /// services without a port. `None`: the release is none that is known.
    pub fn line(&self) -> Option<Line> {
        let release = self.services.iter().find_map(|service| {
            let found = service.params.iter().find(|(name, _)| name == "release");
            found.map(|(_, release)| release.as_str())
        });
        match release {
            Some(release) => Some(DubboVersion::parse(release).ok()?.line()),
            None if self.services.iter().all(|service| service.port.is_none()) => Some(Line::V3_0),
            None => Some(Line::V3_1),
        }
    }
}

impl ServiceInfo {
    fn read(key: &str, value: &Value) -> Result<Self, BadMetadata> {
        let Value::Object(object) = value else {
            return Err(BadMetadata(format!("service {key} is no object")));
        };
        let port = match object.get("port") {
            None | Some(Value::Null) => None,
            Some(Value::String(digits)) => digits.trim().parse().ok(),
            Some(number) => number.as_i64(),
        };
        let mut params: Vec<(String, String)> = match object.get("params") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Object(params)) => params
                .iter()
                .map(|(name, value)| (name.clone(), written(value)))
                .collect(),
            Some(_) => return Err(BadMetadata(format!("params of {key} are no object"))),
        };
        params.sort_by(|(one, _), (other, _)| java_order(one, other));
        Ok(Self {
            key: key.to_owned(),
            name: text_of(object, "name"),
            group: text_of(object, "group").filter(|group| !group.is_empty()),
            version: text_of(object, "version").filter(|version| !version.is_empty()),
            protocol: text_of(object, "protocol"),
            path: text_of(object, "path"),
            port,
            params,
        })
    }

    /// `ServiceInfo.toDescString`: the part of the text that is hashed.
    fn described(&self, line: Line) -> String {
        let mut text = String::new();
        if let Some(group) = &self.group {
            text.push_str(group);
            text.push('/');
        }
        text.push_str(or_null(self.name.as_ref()));
        for part in [&self.version, &self.protocol].into_iter().flatten() {
            if !part.is_empty() {
                text.push(':');
                text.push_str(part);
            }
        }
        if line > Line::V3_0 {
            text.push_str(&self.port.unwrap_or(-1).to_string());
        }
        text.push_str(or_null(self.path.as_ref()));
        let params: Vec<String> = self
            .params
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        text + "{" + &params.join(", ") + "}"
    }
}

/// Java appends a text that is not there as `null`.
fn or_null(text: Option<&String>) -> &str {
    text.map_or("null", String::as_str)
}

fn text_of(object: &Map<String, Value>, name: &str) -> Option<String> {
    match object.get(name) {
        None | Some(Value::Null) => None,
        Some(value) => Some(written(value)),
    }
}

fn written(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The order of `String.compareTo`.
fn java_order(one: &str, other: &str) -> std::cmp::Ordering {
    one.encode_utf16().cmp(other.encode_utf16())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const STORED: &str = r#"{"app":"order","revision":"r","services":{"com.acme.OrderService:dubbo":{"name":
        "com.acme.OrderService","protocol":"dubbo","port":20880,"path":"com.acme.OrderService","params":{"interface":
        "com.acme.OrderService","side":"provider"}}}}"#;

    #[test]
    fn the_release_decides_on_the_formula() {
        let read = |text: &str| MetadataInfo::parse(text).unwrap().unwrap();
        assert_eq!(read(STORED).line(), Some(Line::V3_1));
        let without = STORED.replace(r#""port":20880,"#, "");
        assert_eq!(read(&without).line(), Some(Line::V3_0));
        for (release, line) in [
            ("3.0.15", Some(Line::V3_0)),
            ("2.7.23", Some(Line::V2_7)),
            ("own", None),
        ] {
            let said = STORED.replace(r#""side""#, &format!(r#""release":"{release}","side""#));
            assert_eq!(read(&said).line(), line, "{release}");
        }
        assert_eq!(read(STORED).revision(Line::V2_7), None);
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in "\\PC*|[{}\\[\\]\",:a-z0-9]*") {
            if let Ok(Some(info)) = MetadataInfo::parse(&text) {
                prop_assert!(info.revision(Line::V3_3).is_some());
                let _ = info.line();
            }
        }
    }
}
