//! Files from the far side, recognised by what they hold: caches of Dubbo and of nacos-client, settings, QOS answers,
//! metrics, logs.
//!
//! A name lies, a content does not; only the switch of nacos-client's failover has nothing but its name. Damaged files
//! are read as far as they go, and what could not be read is told.

mod answers;
pub mod caches;

pub use answers::{QosAnswer, answers};
pub use caches::{Cache, CacheEntry, CacheKind};

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A cache.
    Cache(CacheKind),
    /// Settings as Java properties.
    Properties,
    /// Settings as YAML.
    Yaml,
    /// The consumer's own migration rule (`dubbo-migration.yaml`).
    Migration,
    /// Settings as Spring XML; not read.
    Xml,
    /// What a QOS port answered.
    Qos,
    /// Metrics in the text format of Prometheus.
    Metrics,
    /// A log, a pasted error, or anything else.
    Log,
}

/// Lines that are looked at before a file is taken for a log.
const LOOKED_AT: usize = 200;

/// Recognises a file by its name and the beginning of its text.
pub fn recognise(name: &str, text: &str) -> Kind {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if let Some(kind) = caches::recognise(name, text) {
        return Kind::Cache(kind);
    }
    let start = text.trim_start();
    if start.starts_with("<?xml") || start.starts_with("<beans") || start.starts_with("<dubbo:") {
        return Kind::Xml;
    }
    let lines = || text.lines().take(LOOKED_AT);
    if text.contains("dubbo>")
        || start.starts_with("As Provider side:")
        || answers::is_addresses(text)
    {
        return Kind::Qos;
    }
    if lines().any(|line| line.starts_with("# TYPE ") || line.starts_with("# HELP ")) {
        return Kind::Metrics;
    }
    if is_migration(name, text) {
        return Kind::Migration;
    }
    // A document of YAML may write a whole name as its key; properties have no sections.
    if lines().any(is_section) {
        return Kind::Yaml;
    }
    // A log line may quote a setting; a file of settings begins its lines with them.
    if lines().any(|line| is_property(line.trim_start())) {
        return Kind::Properties;
    }
    Kind::Log
}

/// A migration rule: called so, or with a step at the margin.
fn is_migration(name: &str, text: &str) -> bool {
    const STEPS: [&str; 3] = ["FORCE_INTERFACE", "APPLICATION_FIRST", "FORCE_APPLICATION"];
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let has_step = || {
        text.lines().take(LOOKED_AT).any(|line| {
            let step = line.strip_prefix("step:").map(str::trim);
            step.is_some_and(|step| {
                STEPS
                    .iter()
                    .any(|one| step.trim_matches(['"', '\'']) == *one)
            })
        })
    };
    matches!(file, "dubbo-migration.yaml" | "dubbo-migration.yml") || has_step()
}

/// `dubbo.registry.address=..` and its like.
fn is_property(line: &str) -> bool {
    let Some((key, _)) = line.split_once(['=', ':']) else {
        return false;
    };
    let key = key.trim_end();
    ["dubbo.", "spring."].iter().any(|prefix| {
        key.strip_prefix(prefix)
            .is_some_and(|rest| !rest.is_empty() && !rest.contains(char::is_whitespace))
    })
}

/// `dubbo:` or `spring:` at the margin, with nothing behind it.
fn is_section(line: &str) -> bool {
    ["dubbo", "spring"].iter().any(|name| {
        line.strip_prefix(name)
            .and_then(|rest| rest.trim_start().strip_prefix(':'))
            .is_some_and(|rest| rest.trim().is_empty() || rest.trim_start().starts_with('#'))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn content_decides() {
        use CacheKind::{Failover, Mapping, Metadata, NacosService, Registry, Report};
        for (name, text, kind) in [
            (
                "x",
                "#Dubbo Registry Cache\n#Sun Nov 29\na.B=empty\\://h/a.B?category\\=providers",
                Kind::Cache(Registry),
            ),
            (
                "x",
                "a.B\\:1.0=dubbo\\://10.0.0.7\\:20880/a.B?category\\=providers",
                Kind::Cache(Registry),
            ),
            (
                "x",
                "#Dubbo metadataReport Cache\na\\:b={}",
                Kind::Cache(Report),
            ),
            ("x", "#c\na.B=[\"order\",\"stock\"]\n", Kind::Cache(Mapping)),
            (
                "x",
                "23db0c0bb562d963867abb78255e752e={\"app\":\"order\"}",
                Kind::Cache(Metadata),
            ),
            (
                "x",
                "{\"name\":\"DEFAULT_GROUP@@providers:a.B::\",\"hosts\":[]}",
                Kind::Cache(NacosService),
            ),
            (
                "00-00---000-VIPSRV_FAILOVER_SWITCH-000---00-00",
                "1",
                Kind::Cache(Failover),
            ),
            ("1", "1", Kind::Log),
            (
                "a.log",
                "server.port=1\ndubbo.registry.address=h",
                Kind::Properties,
            ),
            (
                "a.log",
                "server:\n  port: 1\ndubbo:\n  registry:\n",
                Kind::Yaml,
            ),
            ("dubbo-migration.yaml", "threshold: 1.0", Kind::Migration),
            ("x", "key: web\nstep: FORCE_INTERFACE\n", Kind::Migration),
            ("x", "step: FORCE_NOTHING\n", Kind::Log),
            ("a.xml", "<?xml version=\"1.0\"?>", Kind::Xml),
            ("a", "As Provider side:\n+--", Kind::Qos),
            ("a", "# TYPE dubbo_x gauge\ndubbo_x 1", Kind::Metrics),
            ("a.cache", "2026-03-02 ERROR dubbo: no provider", Kind::Log),
        ] {
            assert_eq!(recognise(name, text), kind, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_something(name in ".{0,20}", text in "(?s).{0,200}") {
            if let Kind::Cache(kind) = recognise(&name, &text) {
                let _ = caches::read(kind, &text);
            }
            let _ = caches::read(CacheKind::Registry, &text);
        }
    }
}
