//! Stack frames: not read one by one, only for what they prove about cluster, package and version.

use std::sync::LazyLock;

use regex::Regex;

use super::claim::Claim;
use super::fact::{Fact, Place};

static CLUSTER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\.(Failover|Failfast|Failsafe|Failback|Forking|Broadcast|Available|Mergeable|ZoneAware)Cluster(?:Invoker)?\.")
        .expect("a fixed pattern")
});
static JAR: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\[dubbo(?:-(?:cluster|registry-api|rpc-api|rpc-dubbo|common|config-api|remoting-api|registry-nacos|registry-zookeeper))?-(\d+\.\d+\.\d+[\w.-]*?)\.jar")
        .expect("a fixed pattern")
});
static OLD_PACKAGE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"com\.alibaba\.dubbo\.(?:rpc|registry|remoting|config|common)\.")
        .expect("a fixed pattern")
});

/// Packages of libraries that have sockets of their own.
const LIBRARIES: [(&str, &str); 16] = [
    ("okhttp3.", "OkHttp"),
    ("com.squareup.okhttp.", "OkHttp"),
    ("org.apache.http.", "Apache HttpClient"),
    ("org.apache.hc.", "Apache HttpClient"),
    ("org.apache.commons.httpclient.", "Apache HttpClient"),
    ("sun.net.www.", "HttpURLConnection"),
    ("com.mysql.", "MySQL Connector/J"),
    ("org.mariadb.", "MariaDB Connector/J"),
    ("org.postgresql.", "PostgreSQL JDBC"),
    ("oracle.net.", "Oracle JDBC"),
    ("oracle.jdbc.", "Oracle JDBC"),
    ("redis.clients.jedis.", "Jedis"),
    ("com.mongodb.", "MongoDB driver"),
    ("com.alibaba.nacos.", "nacos-client"),
    ("com.caucho.hessian.", "Hessian"),
    ("org.apache.thrift.", "Thrift"),
];

/// Frames of one stack trace looked at; the rest repeats.
const MAX_FRAMES: usize = 200;

/// What the frames of one stack trace prove.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Frames {
    seen: usize,
    cluster: Option<(String, Place)>,
    jar: Option<(String, Place)>,
    old_package: Option<Place>,
    library: Option<(&'static str, Place)>,
}

impl Frames {
    /// Takes one frame in; the topmost wins.
    pub(super) fn add(&mut self, line: &str, place: Place) {
        self.seen += 1;
        if self.seen > MAX_FRAMES {
            return;
        }
        if self.cluster.is_none()
            && let Some(found) = CLUSTER.captures(line)
        {
            self.cluster = Some((found[1].to_lowercase(), place));
        }
        if self.jar.is_none()
            && let Some(found) = JAR.captures(line)
        {
            self.jar = Some((found[1].to_owned(), place));
        }
        if self.library.is_none()
            && let Some(class) = line.trim_start().strip_prefix("at ")
        {
            let known = LIBRARIES
                .iter()
                .find(|(package, _)| class.starts_with(package));
            self.library = known.map(|(_, name)| (*name, place));
        }
        self.note_package(line, place);
    }

    /// The old package, also from the class of an exception: 2.6 and older.
    pub(super) fn note_package(&mut self, line: &str, place: Place) {
        if self.old_package.is_none() && OLD_PACKAGE.is_match(line) {
            self.old_package = Some(place);
        }
    }

    /// The facts they prove.
    pub(super) fn claims(&self) -> Vec<Claim> {
        let mut claims = Vec::new();
        if let Some((cluster, place)) = &self.cluster {
            claims.push(Claim::Cluster(Fact::derived(cluster.clone(), *place)));
        }
        if let Some((version, place)) = &self.jar {
            claims.push(Claim::DubboJar(Fact::derived(version.clone(), *place)));
        }
        if let Some((name, place)) = self.library {
            claims.push(Claim::Library(Fact::derived(name.to_owned(), place)));
        }
        if let Some(place) = self.old_package {
            claims.push(Claim::DubboBelow(Fact::derived("2.7.0".to_owned(), place)));
        }
        claims
    }
}

/// A frame, or a line that says how many more there are.
pub(super) fn is_frame(line: &str) -> bool {
    let line = line.trim_start();
    if let Some(rest) = line.strip_prefix("at ") {
        return rest.contains('(') || rest.ends_with("...");
    }
    line.strip_prefix("... ").is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_digit())
            && (rest.contains("more") || rest.contains("common frames"))
    })
}

/// A line that continues a stack trace with another exception.
pub(super) fn is_cause(line: &str) -> bool {
    let line = line.trim_start();
    ["Caused by:", "Suppressed:", "Wrapped by:", "[wrapped]"]
        .iter()
        .any(|word| line.starts_with(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claims(lines: &[&str]) -> Vec<(String, serde_json::Value)> {
        let mut frames = Frames::default();
        for line in lines {
            frames.add(line, Place::default());
        }
        frames
            .claims()
            .iter()
            .map(|claim| (claim.name().to_owned(), claim.value()))
            .collect()
    }

    #[test]
    fn frames_prove_cluster_version_and_package() {
        let old = claims(&[
            "\tat com.alibaba.dubbo.rpc.cluster.support.AbstractClusterInvoker.checkInvokers(AbstractClusterInvoker.java:263)",
            "\tat com.alibaba.dubbo.rpc.cluster.support.FailoverClusterInvoker.doInvoke(FailoverClusterInvoker.java:56)",
        ]);
        assert_eq!(
            old,
            [
                ("cluster".to_owned(), "failover".into()),
                ("dubbo_below".to_owned(), "2.7.0".into())
            ]
        );
        let jar = claims(&["\tat org.apache.dubbo.rpc.X.y(X.java:1) ~[dubbo-3.1.8.jar!/:3.1.8]"]);
        assert_eq!(jar, [("dubbo_jar".to_owned(), "3.1.8".into())]);
        assert!(claims(&["\tat com.alibaba.dubbo.common.X.y(X.java:1)"]).len() == 1);
    }

    #[test]
    fn frames_are_told_from_text() {
        assert!(
            is_frame("\tat a.B.c(D.java:1)")
                && is_frame("    ... 23 more")
                && is_frame("... 5 common frames omitted")
        );
        assert!(!is_frame("at the same time") && !is_frame("... and so on"));
        assert!(
            is_cause("Caused by: a.B: c") && is_cause("  Suppressed: x") && !is_cause("caused")
        );
    }
}
