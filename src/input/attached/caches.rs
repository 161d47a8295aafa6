//! Caches: what a process had last heard, written beside it.
//!
//! Mirrors `AbstractRegistry` (registry), `AbstractMetadataReport` (report), `FileCacheStore` with `MappingCacheManager`
//! and `MetaCacheManager`, and nacos-client's `DiskCache` and `FailoverReactor`.

use serde_json::Value;

use crate::input::properties;

/// Which cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheKind {
    /// `dubbo-registry-..cache`: service key to the URLs it was last told.
    Registry,
    /// `dubbo-metadata-..cache`: what it wrote to the metadata report.
    Report,
    /// `.mapping..cache`: interface to applications.
    Mapping,
    /// `.metadata..cache`: revision to metadata.
    Metadata,
    /// A service of nacos-client: its instances.
    NacosService,
    /// The switch of nacos-client's failover.
    Failover,
}

impl CacheKind {
    /// The word in reports and recordings.
    pub fn word(self) -> &'static str {
        match self {
            Self::Registry => "registry cache",
            Self::Report => "metadata report cache",
            Self::Mapping => "mapping cache",
            Self::Metadata => "metadata cache",
            Self::NacosService => "Nacos service cache",
            Self::Failover => "Nacos failover switch",
        }
    }
}

/// One key of a cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheEntry {
    /// Key: service key, interface, revision, or name of the Nacos service.
    pub key: String,
    /// What it holds, escapes resolved.
    pub text: String,
    /// Line of the file, from 1.
    pub line: u64,
}

/// A cache that was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cache {
    /// Its keys in order of the file.
    pub entries: Vec<CacheEntry>,
    /// The time that the file says it was written at, verbatim (`Sun Nov 29 21:15:10 UTC 2026`).
    pub written: Option<String>,
    /// Lines that could not be read: number, and what is wrong.
    pub damaged: Vec<(u64, &'static str)>,
}

/// Keys of a cache that are kept; a file with more is told as damaged there.
const MAX_ENTRIES: usize = 100_000;

/// Which cache a text is.
pub fn recognise(name: &str, text: &str) -> Option<CacheKind> {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    if file.contains("VIPSRV_FAILOVER_SWITCH") {
        return Some(CacheKind::Failover);
    }
    let start = text.trim_start();
    if start.starts_with("#Dubbo Registry Cache") {
        return Some(CacheKind::Registry);
    }
    if start.starts_with("#Dubbo metadataReport Cache") {
        return Some(CacheKind::Report);
    }
    if start.starts_with('{') {
        let first: String = start.chars().take(4096).collect();
        return (first.contains("\"hosts\"") && first.contains("\"name\"")
            || first.contains("\"hosts\"") && first.contains("\"dom\""))
        .then_some(CacheKind::NacosService);
    }
    let line = text
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty() && !line.starts_with('#'))?;
    let (key, value) = line.split_once('=')?;
    if key.contains(char::is_whitespace) || key.is_empty() {
        return None;
    }
    if value.starts_with("[\"") || value == "[]" {
        return Some(CacheKind::Mapping);
    }
    if key.len() == 32 && key.bytes().all(|b| b.is_ascii_hexdigit()) && value.starts_with('{') {
        return Some(CacheKind::Metadata);
    }
    let is_url = value.contains("\\://") && value.contains("category\\=");
    is_url.then_some(CacheKind::Registry)
}

/// Reads a cache as far as it goes.
pub fn read(kind: CacheKind, text: &str) -> Cache {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut cache = match kind {
        CacheKind::Registry | CacheKind::Report => of_properties(kind, text),
        CacheKind::Mapping | CacheKind::Metadata => of_lines(text),
        CacheKind::NacosService => of_nacos(text),
        CacheKind::Failover => of_switch(text),
    };
    if cache.entries.len() > MAX_ENTRIES {
        let line = cache.entries[MAX_ENTRIES].line;
        cache.entries.truncate(MAX_ENTRIES);
        cache.damaged.push((line, "more keys than are kept"));
    }
    cache
}

/// `java.util.Properties` with its two comment lines; the second is the date.
fn of_properties(kind: CacheKind, text: &str) -> Cache {
    let written = text
        .lines()
        .take_while(|line| line.starts_with('#'))
        .nth(1)
        .map(|line| line.trim_start_matches('#').trim().to_owned())
        .filter(|line| !line.is_empty());
    let mut cache = Cache {
        written,
        ..Cache::default()
    };
    for property in properties::read(text) {
        // A cut file ends inside a value: what has no form is told, not believed.
        let is_whole = match kind {
            CacheKind::Registry => property
                .value
                .split_whitespace()
                .all(|url| url.contains("://")),
            _ => serde_json::from_str::<Value>(&property.value).is_ok(),
        };
        if property.value.is_empty() || !is_whole {
            cache.damaged.push((property.line, "no whole value"));
        }
        if !property.value.is_empty() {
            cache.entries.push(CacheEntry {
                key: property.key,
                text: property.value,
                line: property.line,
            });
        }
    }
    cache
}

/// `key=value` a line, split at the first `=`; comments begin with `#`.
fn of_lines(text: &str) -> Cache {
    let mut cache = Cache::default();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let Some((key, value)) = line.split_once('=') else {
            cache.damaged.push((number, "no `=`"));
            continue;
        };
        if serde_json::from_str::<Value>(value).is_err() {
            cache.damaged.push((number, "no JSON"));
            continue;
        }
        cache.entries.push(CacheEntry {
            key: key.to_owned(),
            text: value.to_owned(),
            line: number,
        });
    }
    cache
}

fn of_nacos(text: &str) -> Cache {
    let mut cache = Cache::default();
    match serde_json::from_str::<Value>(text.trim()) {
        Ok(value) => {
            let name = ["name", "dom"]
                .iter()
                .find_map(|key| value.get(key)?.as_str())
                .unwrap_or_default();
            cache.entries.push(CacheEntry {
                key: name.to_owned(),
                text: text.trim().to_owned(),
                line: 1,
            });
        }
        Err(_) => cache.damaged.push((1, "no JSON")),
    }
    cache
}

fn of_switch(text: &str) -> Cache {
    let mut cache = Cache::default();
    match text.trim() {
        "0" | "1" => cache.entries.push(CacheEntry {
            key: "failover-switch".to_owned(),
            text: text.trim().to_owned(),
            line: 1,
        }),
        _ => cache.damaged.push((1, "neither 0 nor 1")),
    }
    cache
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_registry_cache() {
        let cache = read(
            CacheKind::Registry,
            "#Dubbo Registry Cache\n#Sun Nov 29 21:15:10 UTC 2026\n\
             g/a.B\\:1.0=dubbo\\://10.0.0.7\\:20880/a.B?category\\=providers empty\\://h/a.B?category\\=routers\nx=cut\n",
        );
        assert_eq!(cache.entries[0].key, "g/a.B:1.0");
        assert_eq!(
            cache.entries[0].text,
            "dubbo://10.0.0.7:20880/a.B?category=providers empty://h/a.B?category=routers"
        );
        assert_eq!(
            cache.written.as_deref(),
            Some("Sun Nov 29 21:15:10 UTC 2026")
        );
        assert_eq!(cache.damaged, [(4, "no whole value")]);
    }

    #[test]
    fn what_is_damaged_is_told_and_the_rest_read() {
        let cache = read(
            CacheKind::Mapping,
            "#c\na.B=[\"order\"]\nnonsense\na.C=[\"sto",
        );
        assert_eq!(cache.entries.len(), 1);
        assert_eq!(cache.damaged, [(3, "no `=`"), (4, "no JSON")]);
        assert_eq!(
            read(CacheKind::NacosService, "{\"hosts\":[").damaged.len(),
            1
        );
        assert_eq!(read(CacheKind::Failover, "on").damaged.len(), 1);
        assert_eq!(read(CacheKind::Failover, "1\n").entries[0].text, "1");
    }
}
