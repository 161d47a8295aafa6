//! Words of Nacos by which both who asks and who reads go on.

use super::line::Line;

/// Whether a list of instances is not there because the service has nothing in the cluster that was asked for: in other
/// ones it may have (`CatalogServiceV2Impl.listInstances`; 404, 500 or 200 with the error inside, by generation).
pub(crate) fn says_no_cluster(line: &Line) -> bool {
    let says = |text: &str| {
        text.split_once("cluster ")
            .is_some_and(|(_, rest)| rest.contains(" is not found"))
    };
    match line.err_text() {
        Some(text) => says(text),
        None => line
            .body_text()
            .is_some_and(|text| text.len() < MOST && says(&text)),
    }
}

/// No refusal is longer.
const MOST: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::{Key, Payload};

    #[test]
    fn every_generation_says_it_in_its_way() {
        for (text, expected) in [
            ("cluster DEFAULT is not found!", true),
            ("caused: cluster DEFAULT is not found!;", true),
            (
                r#"{"code":30000,"message":"server error","data":"cluster DEFAULT is not found!"}"#,
                true,
            ),
            ("service DEFAULT_GROUP@@s is not found!", false),
            (r#"{"count":0,"list":[]}"#, false),
        ] {
            let key = Key::NacosCatalog {
                namespace: String::new(),
                group: "g".into(),
                service: "s".into(),
            };
            let kind = crate::snapshot::ErrKind::NotFound;
            let refused = Line::new(key.clone(), Payload::err_with(kind, text));
            let told = Line::new(key, Payload::Text(text.into()));
            assert_eq!(says_no_cluster(&refused), expected, "{text}");
            assert_eq!(says_no_cluster(&told), expected, "{text}");
        }
    }
}
