//! What would be sent, in words (`--dry-run`).

use super::{Access, ask::Asks};

/// The requests for these asks, in order. `open` = the sessions are there already.
pub(super) fn plan(members: &[String], access: &Access, open: bool, asks: &Asks) -> Vec<String> {
    let mut lines = Vec::new();
    if asks.is_empty() {
        return lines;
    }
    if !open {
        for member in members {
            lines.push(format!("zookeeper {member}: TCP connect"));
            if !access.tls {
                lines.push(format!("zookeeper {member}: four-letter word srvr"));
            }
            let tls = if access.tls { " over TLS" } else { "" };
            let login = if access.login.is_some() {
                ", auth digest"
            } else {
                ""
            };
            lines.push(format!(
                "zookeeper {member}: connect{tls} (session, no watch){login}, sync /, pings"
            ));
        }
    }
    let all = members.join(", ");
    for ask in &asks.nodes {
        lines.extend(requests(&all, access, &ask.path, ask.children, ask.data));
    }
    for word in &asks.words {
        lines.push(format!("zookeeper {all}: four-letter word {word}"));
    }
    if !open {
        lines.push(format!("zookeeper {all}: closeSession"));
    }
    lines
}

/// Directories whose names only answers tell. `{root}` may be several names.
const LISTED: [&str; 9] = [
    "/{root}",
    "/{root}/{interface}",
    "/{root}/{interface}/{category}",
    "/{root}/{application}",
    "/{root}/config/{group}",
    "/{root}/config/mapping/{interface}",
    "/{root}/mapping/{interface}",
    "/{root}/metadata/{interface}/{part}",
    "/{root}/metadata/{interface}/{part}/{part}",
];

/// Nodes whose content is read, names that only answers tell in braces.
const READ: [&str; 6] = [
    "/{root}/{interface}/{category}/{entry}",
    "/{root}/{application}/{instance}",
    "/{root}/config/{group}/{rule}",
    "/{root}/config/mapping/{interface}",
    "/{root}/mapping/{interface}",
    "/{root}/metadata/{application}/{revision}",
];

/// The requests that answers may make necessary. `everything` = all of Dubbo's nodes are read.
pub(super) fn further(members: &[String], access: &Access, everything: bool) -> Vec<String> {
    let all = members.join(", ");
    let of = |path: &str, children, data| requests(&all, access, path, children, data);
    if everything {
        let looked_into = ["/{node}", "/{node}/{child}"];
        let looked_into = looked_into
            .into_iter()
            .flat_map(|path| of(path, true, false));
        return looked_into
            .map(|line| line + " (is it Dubbo's?)")
            .chain(of("/{root of Dubbo}", true, true))
            .chain(of("/{root of Dubbo}/{every node below}", true, true))
            .collect();
    }
    let listed = LISTED.iter().flat_map(|path| of(path, true, false));
    let read = READ.iter().flat_map(|path| of(path, false, true));
    // Who holds the session of a provider that does not answer a probe.
    let sessions = format!("zookeeper {all}: four-letter word cons");
    listed.chain(read).chain([sessions]).collect()
}

/// The requests for one node.
fn requests(all: &str, access: &Access, path: &str, children: bool, data: bool) -> Vec<String> {
    let path = format!("{}{path}", access.chroot);
    let mut lines = vec![format!("zookeeper {all}: exists {path}")];
    if children {
        lines.push(format!("zookeeper {all}: getChildren2 {path}"));
    }
    if data {
        lines.push(format!("zookeeper {all}: getData {path}"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::secret::Secret,
        snapshot::{SourceId, Want},
    };

    #[test]
    fn every_request_is_named_and_no_secret_is() {
        let source = SourceId::new("r1").unwrap();
        let asks = Asks::of(
            &source,
            &[
                Want::zk_children(&source, "/dubbo"),
                Want::zk_data(&source, "/services/a/b"),
            ],
        );
        let access = Access {
            tls: false,
            login: Some(Secret::new("reader:s3cret")),
            chroot: "/site".into(),
            #[cfg(feature = "zookeeper-tls")]
            tls_options: None,
        };
        let lines = plan(&["a:1".into(), "b:2".into()], &access, false, &asks);
        let text = lines.join("\n");
        assert_eq!(
            text,
            "zookeeper a:1: TCP connect\n\
             zookeeper a:1: four-letter word srvr\n\
             zookeeper a:1: connect (session, no watch), auth digest, sync /, pings\n\
             zookeeper b:2: TCP connect\n\
             zookeeper b:2: four-letter word srvr\n\
             zookeeper b:2: connect (session, no watch), auth digest, sync /, pings\n\
             zookeeper a:1, b:2: exists /site/dubbo\n\
             zookeeper a:1, b:2: getChildren2 /site/dubbo\n\
             zookeeper a:1, b:2: exists /site/services/a/b\n\
             zookeeper a:1, b:2: getData /site/services/a/b\n\
             zookeeper a:1, b:2: closeSession"
        );
        assert!(plan(&["a:1".into()], &access, true, &Asks::default()).is_empty());
    }
}
