//! The one fact that is derived while recording: the revision of a provider's metadata.
//!
//! Masking changes the text from which a revision is computed, so it is computed before. Whether it is the right one is
//! for others to say.

use serde_json::{Map, Value};

use crate::{
    model::metadata::MetadataInfo,
    snapshot::{Key, Line, Payload, Snapshot, SourceId},
};

/// The revision recomputed from an answer that still has its secrets, if the answer is the metadata of an application.
/// `None` also where it cannot be computed from the text (2.7).
pub(super) fn derived(line: &Line) -> Option<Line> {
    let (app, revision) = stored_under(&line.key)?;
    let info = MetadataInfo::parse(&line.body_text()?).ok()??;
    // Metadata of a service definition lie in the same tree and have neither.
    info.revision.as_ref().or(info.app.as_ref())?;
    let formula = info.line()?;
    let computed = info.revision(formula)?;
    let fields: Map<String, Value> = [
        ("computed".to_owned(), Value::from(computed)),
        ("line".to_owned(), Value::from(formula.to_string())),
    ]
    .into_iter()
    .collect();
    let key = Key::DerivedRevision {
        app: app.to_owned(),
        revision: revision.to_owned(),
    };
    let mut found = Line::new(key, Payload::Fields(fields));
    found.at.clone_from(&line.at);
    found.via.clone_from(&line.via);
    Some(found)
}

/// Keeps the revisions of metadata that were never masked, before somebody changes their texts. What was recorded live has
/// them already.
pub fn derive(snapshot: &mut Snapshot) {
    let mut found: Vec<(SourceId, Line)> = Vec::new();
    for (source, lines) in snapshot.sources() {
        found.extend(
            lines
                .filter(|line| !line.masked)
                .filter_map(derived)
                .map(|line| (source.clone(), line)),
        );
    }
    for (source, line) in found {
        if snapshot.lines(&source, &line.key).is_empty() {
            snapshot.insert(source, line);
        }
    }
}

/// Application and revision of the place where metadata of applications are kept.
fn stored_under(key: &Key) -> Option<(&str, &str)> {
    match key {
        Key::ZkNode { path } => {
            let mut names = path.rsplit('/');
            let (revision, app, parent) = (names.next()?, names.next()?, names.next()?);
            (parent == "metadata").then_some((app, revision))
        }
        Key::NacosConfig { group, data_id, .. } => {
            let is_digest = group.len() == 32 && group.bytes().all(|b| b.is_ascii_hexdigit());
            is_digest.then_some((data_id, group))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STORED: &str = r#"{"app":"order","revision":"r","services":{"com.acme.OrderService:dubbo":{"name":"com.acme.OrderService","protocol":"dubbo","port":20880,"path":"com.acme.OrderService","params":{"interface":"com.acme.OrderService","side":"provider"}}}}"#;
    const REVISION: &str = "a8fb4fd5c609661ee74483321ed91318";

    #[test]
    fn metadata_of_an_application_have_a_revision() {
        let text = |key| Line::new(key, Payload::Text(STORED.to_owned())).said_by("h:1");
        let keys = [
            Key::zk_node(format!("/dubbo/metadata/order/{REVISION}")),
            Key::nacos_config("prod", REVISION, "order"),
        ];
        for key in keys {
            let line = derived(&text(key)).unwrap();
            assert_eq!(
                serde_json::to_string(&line).unwrap(),
                format!(
                    r#"{{"op":"derived.revision","app":"order","revision":"{REVISION}","via":"h:1","computed":"{REVISION}","line":"3.1"}}"#
                )
            );
        }
        for key in [
            Key::zk_node("/dubbo/metadata/com.acme.OrderService/provider/order"),
            Key::nacos_config("prod", "dubbo", "order.tag-router"),
        ] {
            assert_eq!(derived(&text(key)), None);
        }
    }

    #[test]
    fn nothing_is_derived_where_nothing_can_be() {
        let key = Key::zk_node("/dubbo/metadata/order/ABCD");
        let old = STORED.replace(r#""side""#, r#""release":"2.7.23","side""#);
        for text in [old.as_str(), "{}", "null", "{", "[]"] {
            let line = Line::new(key.clone(), Payload::Text(text.to_owned()));
            assert_eq!(derived(&line), None, "{text}");
        }
    }
}
