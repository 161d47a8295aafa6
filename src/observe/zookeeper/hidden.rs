//! Nodes whose names have a secret in them.
//!
//! The snapshot has such a name masked, and the pure side asks for what stands in the snapshot. To be read, the node
//! must be called by its real name, which is kept here and nowhere else.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use crate::snapshot::{Key, Line};

/// Real paths by masked path.
#[derive(Clone, Default)]
pub(super) struct Hidden {
    paths: Arc<Mutex<BTreeMap<String, String>>>,
}

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hidden")
    }
}

impl Hidden {
    /// Remembers the real names of children that a masked line lists, in the same order.
    pub(super) fn note(&self, path: &str, names: &[String], masked: &Line) {
        let (Key::ZkNode { path: shown_path }, Some(shown)) = (&masked.key, masked.children())
        else {
            return;
        };
        for (name, shown) in names.iter().zip(shown) {
            if name != shown {
                self.lock()
                    .entry(below(shown_path, shown))
                    .or_insert_with(|| below(path, name));
            }
        }
    }

    /// The path to ask for: the same, unless a node on the way to it has a hidden name.
    pub(super) fn real(&self, path: &str) -> String {
        let paths = self.lock();
        if paths.is_empty() {
            return path.to_owned();
        }
        let ends = path.match_indices('/').map(|(at, _)| at).skip(1);
        let ends: Vec<usize> = ends.chain([path.len()]).collect();
        ends.into_iter()
            .rev()
            .find_map(|end| Some(format!("{}{}", paths.get(&path[..end])?, &path[end..])))
            .unwrap_or_else(|| path.to_owned())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, String>> {
        self.paths.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The path of a child.
pub(super) fn below(path: &str, name: &str) -> String {
    format!("{}/{name}", path.trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::{Masker, Payload};

    #[test]
    fn a_masked_name_leads_to_the_real_node() {
        let (hidden, masker) = (Hidden::default(), Masker::default());
        let name = "dubbo%3A%2F%2Fh%3A1%2Fx%3Ftoken%3Dabc123";
        let names = [name.to_owned(), "plain".to_owned()];
        let mut line = Line::new(
            Key::zk_node("/dubbo/x/providers"),
            Payload::Children(names.to_vec()),
        );
        masker.line(&mut line);
        hidden.note("/dubbo/x/providers", &names, &line);
        let shown = masker.name(name).into_owned();
        assert!(!shown.contains("abc123"));
        let path = |name: &str| format!("/dubbo/x/providers/{name}");
        assert_eq!(hidden.real(&path(&shown)), path(name));
        assert_eq!(
            hidden.real(&format!("{}/below", path(&shown))),
            format!("{}/below", path(name))
        );
        assert_eq!(hidden.real(&path("plain")), path("plain"));
        assert_eq!(format!("{hidden:?}"), "Hidden");
    }
}
