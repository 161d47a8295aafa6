//! The clusters of a service besides the one that Dubbo uses. The console's lists show one cluster at a time, in all
//! generations, and only the properties of a service name them all.

use serde_json::Value;

use super::{
    Reader,
    answer::Meaning,
    member::Member,
    request::{CLUSTER, Request},
};
use crate::snapshot::{Key, Line};

/// So many further clusters of one service are asked for; what is in others is only counted.
pub(super) const MOST_CLUSTERS: usize = 20;

impl Reader {
    /// Hands over the properties of a service, and its instances in every further cluster that they name.
    ///
    /// # Errors
    /// The line that says that the member cannot be reached any more.
    pub(super) async fn read_clusters(&self, member: &Member, key: &Key) -> Result<(), Line> {
        let Key::NacosCatalog {
            namespace,
            group,
            service,
        } = key
        else {
            return Ok(());
        };
        let detail = Key::NacosService {
            namespace: namespace.clone(),
            group: group.clone(),
            service: service.clone(),
        };
        let mut names = Vec::new();
        for api in member.generation.apis(&detail) {
            let request = Request::new(*api, &detail, 1);
            let (heard, meaning) = self.ask(member, &detail, &request).await;
            let gone = heard.is_none();
            let (payload, is_last) = match meaning {
                Meaning::Answer { payload, .. } => (payload, true),
                Meaning::NoSuchApi(failure) => (failure.payload(), false),
                Meaning::Failure(failure) => (failure.payload(), true),
            };
            let line = self.line(member, &detail, &request, heard, payload);
            if gone {
                return Err(line);
            }
            let detail = line.body_json();
            names = detail.map(|value| further(&value)).unwrap_or_default();
            self.answers.put(line);
            if is_last {
                break;
            }
        }
        for name in &names {
            self.read_from(member, key, Some(name)).await?;
        }
        Ok(())
    }
}

/// Names of the clusters besides the usual one, sorted: a list (1.x, 2.x, r-nacos) or a map (3.x).
fn further(detail: &Value) -> Vec<String> {
    let inside = detail.get("data").filter(|data| data.is_object());
    let inside = inside.unwrap_or(detail);
    let listed = inside
        .get("clusters")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|cluster| cluster.get("name")?.as_str());
    let mapped = inside
        .get("clusterMap")
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(|map| map.keys().map(String::as_str));
    let mut names: Vec<String> = listed
        .chain(mapped)
        .filter(|name| *name != CLUSTER && !name.is_empty())
        .map(str::to_owned)
        .collect();
    names.sort();
    names.dedup();
    names.truncate(MOST_CLUSTERS);
    names
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn both_shapes_name_the_clusters() {
        let second = json!({"name": "s", "clusters": [{"name": "SH"}, {"name": "DEFAULT"}, {"name": "BJ"}, {"x": 1}]});
        assert_eq!(further(&second), ["BJ", "SH"]);
        let third =
            json!({"code": 0, "data": {"clusterMap": {"DEFAULT": {}, "BJ": {"hosts": null}}}});
        assert_eq!(further(&third), ["BJ"]);
        for odd in [
            json!(null),
            json!([]),
            json!({"clusters": 1, "clusterMap": [1]}),
            json!({"data": {"clusterMap": {"DEFAULT": 1}}}),
        ] {
            assert!(further(&odd).is_empty(), "{odd}");
        }
        let many: Vec<_> = (0..50).map(|n| json!({"name": format!("c{n}")})).collect();
        assert_eq!(further(&json!({"clusters": many})).len(), MOST_CLUSTERS);
    }
}
