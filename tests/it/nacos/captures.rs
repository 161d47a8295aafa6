//! The recorded answers of `fixtures/nacos`, served again: the same bytes to the same question.

use std::{collections::BTreeMap, io::Read, path::Path};

use super::server::{Reply, Request, Server, split};

/// The servers of which there are answers.
pub(crate) const SERVERS: [&str; 4] = ["1.4.8", "2.5.1", "3.0.3", "rnacos-0.8.8"];

/// One recorded call.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) reply: Reply,
}

/// The calls of a folder (`api`, `auth`) of a server's captures, in their order.
pub(crate) fn calls(server: &str, folder: &str) -> Vec<Call> {
    let path = Path::new("fixtures/nacos").join(format!("{server}.tar.gz"));
    let packed = std::fs::File::open(path).unwrap();
    let mut tar = tar::Archive::new(flate2::read::GzDecoder::new(packed));
    let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    for entry in tar.entries().unwrap() {
        let mut entry = entry.unwrap();
        let name = entry.path().unwrap().display().to_string();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).unwrap();
        if let Some(name) = name.strip_prefix(&format!("{folder}/")) {
            files.insert(name.to_owned(), content);
        }
    }
    files
        .into_iter()
        .filter_map(|(name, content)| call(name, &content))
        .collect()
}

/// `None` for a call of which only the failed connection was kept.
pub(crate) fn call(name: String, content: &[u8]) -> Option<Call> {
    let mark = b"<<< response\n";
    let at = content.windows(mark.len()).position(|part| part == mark)?;
    let asked = String::from_utf8_lossy(&content[..at]).into_owned();
    let answered = &content[at + mark.len()..];
    let line = asked
        .lines()
        .skip_while(|line| *line != ">>> request")
        .nth(1)?;
    let mut words = line.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?);
    let (path, query) = split(target);
    Some(Call {
        name,
        method,
        path,
        query,
        reply: reply(answered),
    })
}

fn reply(answered: &[u8]) -> Reply {
    let end = answered.windows(2).position(|part| part == b"\n\n");
    let (Some(end), true) = (end, answered.starts_with(b"HTTP/1.1 ")) else {
        return Reply::Raw(answered.to_vec());
    };
    let head = std::str::from_utf8(&answered[..end]).unwrap();
    let body = answered[end + 2..].to_vec();
    let mut lines = head.lines();
    let status = lines.next().unwrap()[9..12].parse().unwrap();
    let headers = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
        // The server says these itself.
        .filter(|(name, _)| {
            !["content-length", "transfer-encoding", "connection"]
                .contains(&name.to_ascii_lowercase().as_str())
        })
        .collect();
    Reply::Http(status, headers, body)
}

/// What of a question tells it from others, whoever asks: page sizes and defaults do not.
pub(crate) fn essence(path: &str, query: &[(String, String)]) -> Vec<(String, String)> {
    let mut essence: Vec<(String, String)> = query
        .iter()
        .filter(|(name, value)| {
            !matches!(
                (name.as_str(), value.as_str()),
                ("pageSize" | "accessToken", _)
                    | (
                        "healthyOnly" | "hasIpCount" | "withInstances" | "ignoreEmptyService",
                        "false"
                    )
                    | ("pageNo", "1")
                    | ("groupName", "DEFAULT_GROUP")
                    | ("namespaceId" | "tenant", "" | "public")
                    | ("dataId", "" | "*")
                    | ("group" | "groupName", "")
            )
        })
        .cloned()
        .collect();
    essence.push(("path".to_owned(), path.to_owned()));
    essence.sort();
    essence
}

/// The answer to a question: the recorded one of the largest page.
pub(crate) fn answer(calls: &[Call], request: &Request) -> Option<Reply> {
    let wanted = essence(&request.path, &request.query);
    let size = |call: &Call| {
        let size = call.query.iter().find(|(name, _)| name == "pageSize");
        size.and_then(|(_, size)| size.parse::<u32>().ok())
            .unwrap_or_default()
    };
    let literal = |call: &Call| call.query.iter().any(|(_, value)| value == "*");
    calls
        .iter()
        .filter(|call| call.method == request.method)
        .filter(|call| essence(&call.path, &call.query) == wanted)
        // An answer to `*` is the answer to nothing only where nothing was not asked.
        .min_by_key(|call| {
            (
                literal(call),
                std::cmp::Reverse(size(call)),
                call.name.clone(),
            )
        })
        .map(|call| call.reply.clone())
}

/// What each generation says when there is nothing of the kind: path below the context path, whether it is a search,
/// and the number of the recorded call.
const NOTHING: [(&str, bool, &str); 14] = [
    // The same empty page as of services.
    ("v3/admin/ns/service/subscribers", false, "105"),
    ("v1/ns/service/list", false, "085"),
    ("v1/ns/catalog/services", false, "125"),
    ("v3/admin/ns/service/list", false, "105"),
    ("v1/ns/instance/list", false, "175"),
    ("v3/client/ns/instance/list", false, "264"),
    ("v1/ns/catalog/instances", false, "221"),
    ("v3/admin/ns/instance/list", false, "285"),
    ("v1/ns/service", false, "135"),
    ("v3/admin/ns/service", false, "140"),
    ("v1/ns/service/subscribers", false, "145"),
    ("v1/cs/configs", false, "307"),
    ("v3/client/cs/config", false, "393"),
    ("v3/admin/cs/config", false, "399"),
];

/// What a search for a part of a data id finds among everything; the rows as the server wrote them.
pub(crate) fn found(everything: &Reply, part: &str) -> Reply {
    let Reply::Http(200, headers, body) = everything else {
        return everything.clone();
    };
    let mut value: serde_json::Value = serde_json::from_slice(body).unwrap();
    let page = if value.get("data").is_some_and(serde_json::Value::is_object) {
        &mut value["data"]
    } else {
        &mut value
    };
    let rows = page["pageItems"].as_array_mut().unwrap();
    rows.retain(|row| row["dataId"].as_str().unwrap().contains(part));
    let count = rows.len();
    page["totalCount"] = count.into();
    Reply::Http(200, headers.clone(), value.to_string().into_bytes())
}

/// What the recorded server would have said to a question that nobody asked it: what it said to one about nothing.
fn unrecorded(calls: &[Call], request: &Request) -> Option<Reply> {
    let path = request.path.strip_prefix("/nacos/")?;
    let is_search = request.param("search").is_some();
    if is_search {
        let mut everything = request.clone();
        for (name, value) in &mut everything.query {
            if name == "dataId" {
                value.clear();
            }
        }
        let part = request.param("dataId")?.replace('*', "");
        let all = answer(calls, &everything).or_else(|| {
            let number = if path.starts_with("v3/") {
                "405"
            } else {
                "349"
            };
            let call = calls.iter().find(|call| call.name.starts_with(number))?;
            Some(call.reply.clone())
        })?;
        return Some(found(&all, &part));
    }
    let (.., number) = NOTHING
        .iter()
        .find(|(known, search, _)| *known == path && *search == is_search)?;
    let call = calls.iter().find(|call| call.name.starts_with(number))?;
    Some(call.reply.clone())
}

/// A server that answers as the recorded one did, also to what nobody asked it.
pub(crate) fn fleet(server: &str) -> Server {
    let calls = calls(server, "api");
    Server::start(move |request| told(&calls, request))
}

/// What such a server says.
pub(crate) fn told(calls: &[Call], request: &Request) -> Reply {
    answer(calls, request)
        .or_else(|| unrecorded(calls, request))
        .unwrap_or_else(|| {
            let (path, query) = (&request.path, &request.query);
            Reply::new(418, "text/plain", format!("not recorded: {path} {query:?}"))
        })
}

/// A server that answers as the recorded one did.
pub(crate) fn replay(server: &str) -> Server {
    let calls = calls(server, "api");
    Server::start(move |request| {
        answer(&calls, request).unwrap_or_else(|| {
            Reply::new(
                418,
                "text/plain",
                format!("not recorded: {} {:?}", request.path, request.query),
            )
        })
    })
}
