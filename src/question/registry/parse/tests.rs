use proptest::prelude::*;

use super::*;

fn shown(text: &str) -> String {
    match list(text) {
        Ok(all) => all
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(" + "),
        Err(error) => format!("error: {}", error.fault.name()),
    }
}

/// Hosts, ports and parameters as the real `UrlUtils.parseURLs` gives them (2.7.23 to 3.3.6).
#[test]
fn reads_as_dubbo_does() {
    for (text, expected) in [
        (
            "nacos://h1:8848,h2:8848?namespace=ns&group=g",
            "nacos://h1:8848?backup=h2:8848&namespace=ns&group=g",
        ),
        (
            "zookeeper://h1:2181?backup=h2:2181,h3:2181/ch",
            "zookeeper://h1:2181?backup=h2:2181,h3:2181/ch",
        ),
        (
            "zookeeper://h1:2181/ch?backup=h2:2181",
            "zookeeper://h1:2181?backup=h2:2181",
        ),
        (
            "zookeeper://h1:2181,h2:2181/chroot",
            "zookeeper://h1:2181?backup=h2:2181",
        ),
        (
            "zookeeper://h1,h2,h3:2181",
            "zookeeper://h1:2181?backup=h2:2181,h3:2181",
        ),
        ("nacos://h:8848?backup=h2", "nacos://h:8848?backup=h2:8848"),
        ("nacos://h", "nacos://h:9090"),
        ("zookeeper://h", "zookeeper://h:9090"),
        ("nacos://h:-1", "nacos://h:9090"),
        (
            "nacos://u:p%40ss@h:8848",
            "nacos://h:8848?username=u&password=***",
        ),
        (
            "nacos://u:p@ss@h:8848",
            "nacos://h:8848?username=u&password=***",
        ),
        ("nacos://u@h:8848", "nacos://h:8848?username=u"),
        ("nacos://@h:8848", "nacos://h:8848"),
        (
            "nacos://h:8848?username=u&password=p%26q",
            "nacos://h:8848?username=u&password=***",
        ),
        ("nacos://h:8848?password=p#q", "nacos://h:8848?password=***"),
        (
            "nacos://h:8848/nacos?namespace=a",
            "nacos://h:8848/nacos?namespace=a",
        ),
        (
            "nacos://h:8848?contextPath=/n2&namespace=",
            "nacos://h:8848/n2",
        ),
        ("nacos+https://h:443/nacos", "nacos+https://h:443/nacos"),
        ("zookeeper+tls://h:2281", "zookeeper+tls://h:2281"),
        ("zookeeper://[::1]:2181", "zookeeper://[::1]:2181"),
        (
            "zookeeper://h1:2181|nacos://h2:8848",
            "zookeeper://h1:2181 + nacos://h2:8848",
        ),
        (
            "zookeeper://h1:2181 ; zookeeper://h2:2181",
            "zookeeper://h1:2181 + zookeeper://h2:2181",
        ),
        (
            " nacos://h1:8848, h2:8848 ",
            "nacos://h1:8848?backup=h2:8848",
        ),
        ("nacos://h:8848?a=1&&b=2", "nacos://h:8848?a=1&b=2"),
        (
            "service-discovery-registry://h:2181?registry=zookeeper",
            "zookeeper://h:2181?registry-type=service",
        ),
        ("spring-cloud://localhost", "spring-cloud://localhost:9090"),
        ("multicast://224.5.6.7:1234", "multicast://224.5.6.7:1234"),
        (
            "nacos://${nacos.host:127.0.0.1}:8848",
            "nacos://${nacos.host:127.0.0.1}:8848",
        ),
        ("nacos://${host}:${port}", "nacos://${host}:${port}"),
        ("${addr:nacos://u:p@h:8848}", "dubbo://${addr}"),
        ("nacos://u:pa#ss@h:8848", "error: cut-by-password"),
        ("nacos://u:12#34@h:8848", "error: cut-by-password"),
        ("nacos://u:pa/ss@h:8848", "error: cut-by-password"),
        ("nacos://u:pa?ss@h:8848", "error: cut-by-password"),
        ("nacos://u:12?a=b@h:8848", "error: cut-by-password"),
        ("nacos://app:pa", "error: port-not-a-number"),
        ("zookeeper://h1:2181,h2", "error: last-port-missing"),
        ("nacos://h:", "error: port-not-a-number"),
        ("nacos://h:99999", "error: port-out-of-range"),
        ("nacos://:8848", "error: no-host"),
        ("nacos://", "error: no-host"),
        ("nacos://?namespace=a", "error: no-host"),
        ("h1:8848,h2:8848", "error: no-scheme"),
        ("N/A", "error: no-scheme"),
        ("NACOS://h:8848", "error: unknown-scheme"),
        ("zookeper://h:2181", "error: unknown-scheme"),
        ("registry://h:2181", "error: no-registry-kind"),
        ("nacos://h:8848?password=p;q=1", "error: no-scheme"),
        ("nacos://h:8848?a=1&amp;b=2", "error: xml-entity"),
        ("", "error: empty"),
        (" | ", "error: empty"),
    ] {
        assert_eq!(shown(text), expected, "{text}");
    }
}

#[test]
fn keeps_apart_what_display_folds() {
    let address = one("nacos://u:a:b@h:8848?username=v&group=g&accessKey=k").unwrap();
    assert_eq!(address.username.as_deref(), Some("u"));
    assert_eq!(address.password.as_ref().map(Secret::expose), Some("a:b"));
    assert_eq!(address.group, Some(("g".to_owned(), GroupOrigin::Address)));
    assert_eq!(
        format!("{address:?}"),
        "RegistryAddress(nacos://h:8848?group=g&username=u&password=***&accessKey=***)"
    );
    assert_eq!(
        one("zookeeper://a:1?backup=b:2/x/y/")
            .unwrap()
            .path
            .as_deref(),
        Some("x/y")
    );
    assert!(matches!(
        one("zookeeper://a:1|zookeeper://b:1").unwrap_err().fault,
        AddressFault::Several(2)
    ));
}

#[test]
fn says_what_is_odd() {
    for (text, remark) in [
        ("nacos://h", Some(AddressRemark::PortMissing)),
        ("zookeeper://h:2181/x", Some(AddressRemark::PathIgnored)),
        (
            "zookeeper://h:2181#x?group=g",
            Some(AddressRemark::HashDropped),
        ),
        ("nacos://u:p%23@h:8848", Some(AddressRemark::NotDecoded)),
        (
            "nacos://h:8848?password=p&q&namespace=n",
            Some(AddressRemark::BehindPassword),
        ),
        (
            "nacos://h:8848??namespace=n",
            Some(AddressRemark::SecondQuestionMark),
        ),
        ("nacos://h:8848/nacos?namespace=n", None),
    ] {
        assert_eq!(one(text).unwrap().remarks, Vec::from_iter(remark), "{text}");
    }
}

#[test]
fn finds_placeholders() {
    for (text, found) in [
        ("${addr:nacos://h:1}", Some("${addr}")),
        ("nacos://h:8848?namespace=${ns}", Some("${ns}")),
        ("${kind}://h:8848", Some("${kind}")),
        ("nacos://h:${port:8848}", Some("${port:8848}")),
        ("nacos://h:8848?group=$g", None),
    ] {
        assert_eq!(one(text).unwrap().placeholder(), found, "{text}");
    }
}

#[test]
fn errors_name_the_way_out_and_mask() {
    let error = one("nacos://app:pa#ss@10.7.7.2:8848?namespace=prod").unwrap_err();
    assert_eq!(
        error.to_string(),
        "registry address `nacos://app:***@10.7.7.2:8848?namespace=prod`: the `#` in the user name or password ends the \
         address: Dubbo reads the part before it as host and port"
    );
    assert!(error.hint().unwrap().contains("dubbo.registry.password"));
    let error = one("zk://h:2181").unwrap_err();
    assert_eq!(
        error.hint().unwrap(),
        "did you mean `zookeeper://`? possible: zookeeper://, nacos:// (with TLS: zookeeper+tls://, nacos+https://)"
    );
    assert_eq!(
        one("h:2181").unwrap_err().hint().unwrap(),
        "write zookeeper://.. in front"
    );
}

proptest! {
    #[test]
    fn never_panics(text in "\\PC{0,60}") {
        let _ = list(&text);
    }

    #[test]
    fn never_panics_near_addresses(text in "(nacos|zookeeper|\\$\\{a)(://|:)[a-z0-9:@#/?&=,;|%$\\{\\}\\[\\]. ]{0,40}") {
        if let Ok(all) = list(&text) {
            prop_assert!(all.iter().all(|address| !address.members.is_empty()));
        }
    }

    #[test]
    fn never_prints_the_password(pieces in proptest::collection::vec("(ZQ|12)[#/?&;|@:=%$ ,]{0,2}", 1..5), form in 0..3) {
        let secret = format!("ZQ{}", pieces.concat());
        let text = match form {
            0 => format!("nacos://user:{secret}@h:8848?namespace=n"),
            1 => format!("nacos://h:8848?username=u&password={secret}"),
            _ => format!("zookeeper://h:2181?password={secret}&group=g"),
        };
        let said = match list(&text) {
            Ok(all) => format!("{} {all:?} {:?}", all[0], all.iter().map(|a| &a.remarks).collect::<Vec<_>>()),
            Err(error) => format!("{error} {error:?} {:?}", error.hint()),
        };
        prop_assert!(!said.contains("ZQ"), "{said}");
    }

    #[test]
    fn reads_what_it_prints(
        hosts in proptest::collection::vec("[a-z][a-z0-9.-]{0,8}:[1-9][0-9]{0,3}", 1..4),
        namespace in proptest::option::of("[a-z0-9-]{1,12}"),
        group in proptest::option::of("[A-Z_]{1,12}"),
        nacos in any::<bool>(),
    ) {
        let scheme = if nacos { "nacos" } else { "zookeeper" };
        let mut text = format!("{scheme}://{}", hosts.join(","));
        let query: Vec<String> = namespace.map(|n| format!("namespace={n}")).into_iter()
            .chain(group.map(|g| format!("group={g}"))).collect();
        if !query.is_empty() {
            text = format!("{text}?{}", query.join("&"));
        }
        let address = one(&text).unwrap();
        prop_assert_eq!(&address.members, &hosts);
        prop_assert_eq!(one(&address.to_string()).unwrap(), address);
    }
}
