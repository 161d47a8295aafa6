//! The one place that says what a Nacos may be asked: each server of the tests holds everything it was sent against it, so
//! that a request that breaks the rule fails the test that sent it, whatever that test looks at.

use super::server::Request;

/// Everything that is ever read, below the context path.
const READS: [&str; 25] = [
    "v3/admin/core/state",
    "v1/console/server/state",
    "v1/ns/operator/metrics",
    "v1/console/namespaces",
    "v3/admin/core/namespace/list",
    "v1/core/cluster/nodes",
    "v3/admin/core/cluster/node/list",
    "v1/ns/service/list",
    "v1/ns/catalog/services",
    "v3/admin/ns/service/list",
    "v1/ns/instance/list",
    "v3/client/ns/instance/list",
    "v1/ns/catalog/instances",
    "v3/admin/ns/instance/list",
    "v1/ns/service",
    "v3/admin/ns/service",
    "v1/ns/service/subscribers",
    "v3/admin/ns/service/subscribers",
    "v1/cs/configs",
    "v3/client/cs/config",
    "v3/admin/cs/config/list",
    "v1/cs/configs/listener",
    "v3/admin/cs/config/listener",
    "v1/cs/listener",
    "v3/admin/cs/listener",
];

/// Where the one POST goes.
const LOGINS: [&str; 2] = ["v1/auth/login", "v3/auth/user/login"];

/// Every parameter that is ever sent, with its only value where it has one. `udpPort` and `clientIP` would subscribe whoever
/// sends them, credentials in a URL stand in every log on the way.
const PARAMS: [(&str, Option<&str>); 15] = [
    ("serviceName", None),
    ("groupName", None),
    ("namespaceId", None),
    ("clusterName", None),
    ("dataId", None),
    ("group", None),
    ("tenant", None),
    ("ip", None),
    ("pageNo", None),
    ("pageSize", None),
    ("search", Some("blur")),
    ("healthyOnly", Some("false")),
    ("hasIpCount", Some("false")),
    ("withInstances", Some("false")),
    ("ignoreEmptyService", Some("false")),
];

/// Headers by which somebody claims to be another host or client, or by which an answer waits for a change.
const PRETENCES: [&str; 9] = [
    "client-ip",
    "x-forwarded-for",
    "x-real-ip",
    "forwarded",
    "vipserver-tag",
    "client-version",
    "long-pulling-timeout",
    "listening-configs",
    "cookie",
];

/// What is wrong with a request. `led` = where this server itself sent its clients.
pub(super) fn broken(request: &Request, led: &[String]) -> Option<String> {
    let wrong = |what: &str| Some(format!("{what}: {request:?}"));
    if let Some(name) = PRETENCES.iter().find(|name| request.header(name).is_some()) {
        return wrong(&format!("the header {name}"));
    }
    let ends = |api: &str| {
        let before = request.path.strip_suffix(api);
        before.is_some_and(|before| before.ends_with('/'))
    };
    match request.method.as_str() {
        "GET" => {
            if !request.body.is_empty() {
                return wrong("a body");
            }
            if !led.contains(&request.path) && !READS.iter().any(|api| ends(api)) {
                return wrong("no API that reads");
            }
            let odd = |(name, value): &&(String, String)| {
                let known = PARAMS.iter().find(|(known, _)| known == name);
                known.is_none_or(|(_, only)| only.is_some_and(|only| only != value))
            };
            let odd = request.query.iter().find(odd);
            odd.and_then(|(name, _)| wrong(&format!("the parameter {name}")))
        }
        "POST" if LOGINS.iter().any(|api| ends(api)) => {
            let names: Vec<&str> = request
                .body
                .split('&')
                .filter_map(|field| field.split_once('=').map(|(name, _)| name))
                .collect();
            if names != ["username", "password"] || !request.query.is_empty() {
                return wrong("more than a login");
            }
            None
        }
        _ => wrong("neither GET nor the login"),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::server::split, *};

    fn request(method: &str, target: &str, headers: &[(&str, &str)], body: &str) -> Request {
        let (path, query) = split(target);
        Request {
            method: method.to_owned(),
            path,
            query,
            headers: headers
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            body: body.to_owned(),
        }
    }

    #[test]
    fn the_rule_sees_what_it_is_there_to_see() {
        let get = |target: &str| broken(&request("GET", target, &[], ""), &[]);
        let list = "/nacos/v1/ns/instance/list?serviceName=a&healthyOnly=false";
        assert_eq!(get(list), None);
        assert_eq!(
            get("/registry/v1/cs/configs?dataId=a&group=b&tenant="),
            None
        );
        for wrong in [
            "/nacos/v1/ns/instance/list?serviceName=a&udpPort=1",
            "/nacos/v1/ns/instance/list?serviceName=a&clientIP=10.0.0.1",
            "/nacos/v1/ns/instance/list?serviceName=a&healthyOnly=true",
            "/nacos/v1/cs/configs?dataId=a&accessToken=x",
            "/nacos/v1/cs/configs?username=a&password=b",
            "/nacos/v1/cs/configs?search=accurate",
            "/nacos/v1/ns/instance?serviceName=a&ip=1",
            "/nacos/v1/ns/instance/beat",
            "/nacos/v1/auth/login?username=a",
            "/nacosv1/cs/configs",
            "/",
        ] {
            assert!(get(wrong).is_some(), "{wrong}");
        }
        let led = |target: &str| broken(&request("GET", target, &[], ""), &["/a".to_owned()]);
        assert_eq!(led("/a"), None);
        assert!(led("/a?udpPort=1").is_some() && led("/b").is_some());
        let login = "username=a&password=b";
        let post = |target: &str, body: &str| broken(&request("POST", target, &[], body), &[]);
        assert_eq!(post("/nacos/v1/auth/login", login), None);
        assert_eq!(post("/v3/auth/user/login", login), None);
        for (target, body) in [
            ("/nacos/v1/ns/instance", ""),
            ("/nacos/v1/cs/configs", login),
            ("/nacos/v1/cs/configs/listener", "Listening-Configs=x"),
            ("/nacos/v1/auth/login", "username=a&password=b&c=d"),
            ("/nacos/v1/auth/login?x=1", login),
            ("/nacos/v1/auth/users", login),
        ] {
            assert!(post(target, body).is_some(), "{target} {body}");
        }
        for method in ["PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"] {
            assert!(broken(&request(method, list, &[], ""), &[]).is_some());
        }
        for name in PRETENCES {
            assert!(broken(&request("GET", list, &[(name, "x")], ""), &[]).is_some());
        }
        assert!(broken(&request("GET", list, &[], "x"), &[]).is_some());
    }
}
