//! From what somebody typed or pasted to the pages that explain it: a code of ours, a code of Dubbo's, or words of an
//! error text. Data and matching; nothing is guessed: a text without a known fixed part has no page.

use super::{code::Code, explain};
use crate::report::words::dubbo;

/// What there is to explain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// A finding.
    Finding(Code),
    /// An error code of Dubbo's own (`2-2`).
    Dubbo(&'static str),
}

/// Where a rule leads, most telling first. A number without a code of this program is passed over.
enum To {
    N(u16),
    D(&'static str),
}
use To::{D, N};

/// Fixed parts that must all occur, in lower case, and what they lead to. The first rule that fits leads.
const TEXTS: &[(&[&str], &[To])] = &[
    (
        &["no provider available after route"],
        &[N(5001), N(5003), N(5004), N(5009), N(5002)],
    ),
    (
        &["no provider available after connectivity filter"],
        &[N(3006), N(5001)],
    ),
    (
        &["route result is empty and force execute"],
        &[N(5001), N(5008)],
    ),
    (&["current consumer in the service blacklist"], &[N(5002)]),
    (&["current consumer in the service blocklist"], &[N(5002)]),
    (
        &["failed to parse the raw condition rule"],
        &[N(5006), N(8005)],
    ),
    (
        &["failed to parse the raw tag router rule"],
        &[N(5006), N(5011)],
    ),
    (&["failed to parse raw dynamic config"], &[N(5006)]),
    (&["only v3.1 and below are supported"], &[N(5006), N(8004)]),
    (&["unsupported route engine type"], &[N(5011)]),
    (&["script route error"], &[N(5011), N(5010)]),
    (
        &["reject to route, because the invokers has changed"],
        &[N(5014), D("2-1")],
    ),
    (
        &["tagrouter must getconfig from or subscribe to a specific application"],
        &[N(5005)],
    ),
    (&["get providerapplication is empty"], &[N(5005)]),
    (&["the affinity result is ignored"], &[N(5007)]),
    (
        &["format of ip address is invalid in tag route"],
        &[N(8006), N(8007)],
    ),
    (
        &["not found exported service"],
        &[N(6011), N(2101), N(2102)],
    ),
    (&["thread pool is exhausted"], &[N(6006), N(7012), N(7017)]),
    (
        &["waiting concurrent invoke timeout in client-side"],
        &[N(7012)],
    ),
    (&["the service using threads greater than"], &[N(7012)]),
    (&["exceed max service tps"], &[N(7012), N(7021)]),
    (
        &["no time left for making the following call"],
        &[N(7019), N(7005)],
    ),
    (&["sending request timeout in client-side"], &[N(7013)]),
    (
        &["waiting server-side response timeout"],
        &[N(7001), N(7014), N(7022)],
    ),
    (
        &["the timeout response finally returned at"],
        &[N(7001), N(7006), N(7022)],
    ),
    (
        &["this invocation almost (maybe already) timeout"],
        &[N(7002)],
    ),
    (
        &["invoke remote method timeout"],
        &[N(7001), N(7014), N(7022)],
    ),
    (
        &["timeout after ", "ms waiting for result"],
        &[N(7001), N(7014)],
    ),
    (
        &["maybe the client read timeout or fail to decode"],
        &[N(7001)],
    ),
    (&["data length too large"], &[N(6012)]),
    (
        &["serialized class", "not in allow list"],
        &[N(6008), N(6011)],
    ),
    (&["unsupported protocol ", " in notified url"], &[N(2107)]),
    (&["urls to invokers error"], &[N(2107), N(3008)]),
    (
        &["cannot create invokers from url address list"],
        &[N(2107), N(3008)],
    ),
    (&["trigger empty protection"], &[N(3009)]),
    (&["ignore for protection purpose"], &[N(3009)]),
    (&["ignore empty notify urls for subscribe url"], &[N(3009)]),
    (
        &["empty protection is disabled, will clear"],
        &[D("1-4"), N(3009)],
    ),
    (&["no interface-apps mapping found"], &[N(4001), D("1-39")]),
    (
        &["cannot find app mapping for service"],
        &[N(4001), D("1-39")],
    ),
    (
        &["failed to get app metadata for revision"],
        &[N(4004), N(4003), D("1-39")],
    ),
    (
        &["failed to get metadata for revision"],
        &[N(4003), N(4004), D("1-39")],
    ),
    (
        &["address refresh failed because of metadata server failure"],
        &[N(4004), N(4003), D("1-17")],
    ),
    (&["migrate to ", " mode failed"], &[N(4008), N(4010)]),
    (&["using cached list"], &[N(1007), N(1001)]),
    (
        &["failed to subscribe ", "waiting for retry"],
        &[N(1001), N(1003)],
    ),
    (&["server check fail, please check server"], &[N(1005)]),
    (
        &["client not connected, current status:starting"],
        &[N(1005), N(1001)],
    ),
    (
        &["failed to connect to nacos"],
        &[N(1001), N(1003), N(1005)],
    ),
    (
        &["failed to create nacos config service client"],
        &[N(1001), N(1003), N(1005)],
    ),
    (&["keepererrorcode = noauth"], &[N(1003)]),
    (&["keepererrorcode = authfailed"], &[N(1003)]),
    (
        &["keepererrorcode = connectionloss"],
        &[N(1001), N(1010), N(1004)],
    ),
    (
        &["zookeeper instance is not currently serving requests"],
        &[N(1004)],
    ),
    (&["zookeeper is not connected yet"], &[N(1001), N(1004)]),
    (&["zookeeper not connected"], &[N(1001), N(1004)]),
    (&["packet len", "is out of range"], &[N(1010)]),
    (&["authorization failed"], &[N(1003)]),
    (&["unknown user"], &[N(1003)]),
    (
        &["failed to register ", "to zookeeper"],
        &[N(2110), N(1003)],
    ),
    (&["failed to register ", "to nacos"], &[N(2110), N(1003)]),
    (&["failed to register ", "to registry"], &[N(2110), N(1001)]),
    (&["could not resolve placeholder"], &[N(104)]),
    (&["no registry instance in zone"], &[N(2112), N(3010)]),
    (
        &["no provider is available because can't connect server"],
        &[N(3006)],
    ),
    (&["failed connect to server"], &[N(3006)]),
    (&["failed to connect to server"], &[N(3006)]),
    (&["failed connect to provider server"], &[N(3006)]),
    (&["failed to connect to provider server"], &[N(3006)]),
    (&["fail to create remoting client for service"], &[N(3006)]),
    (&["because channel is closed"], &[N(6007), N(3006), N(3005)]),
    (
        &["is inactive. directly return the unfinished request"],
        &[N(6007), N(3006)],
    ),
    (
        &[
            "although retry the method",
            "was successful by the provider",
        ],
        &[N(3006), N(7009)],
    ),
    (&["no provider available"], &[D("2-2")]),
    (&["forbid consumer ", " access service "], &[D("2-2")]),
    (
        &["check reference of [", "failed very beginning"],
        &[D("2-2")],
    ),
    (&["没有提供者"], &[D("2-2")]),
    (&["没有可用的提供者"], &[D("2-2")]),
    (&["找不到提供者"], &[D("2-2")]),
    (&["线程池", "耗尽"], &[N(6006), N(7012)]),
    (&["线程池", "满"], &[N(6006), N(7012)]),
    (&["重复写入"], &[N(7004)]),
    (&["重复下单"], &[N(7004)]),
    (&["空推送"], &[N(3009)]),
    (&["空保护"], &[N(3009)]),
    (&["规则不生效"], &[N(5007), N(5005), N(5006)]),
    (&["流量翻倍"], &[N(7009)]),
    (&["跨机房", "超时"], &[N(7011), N(7018)]),
    (&["频繁超时"], &[N(7001), N(7002)]),
    (&["duplicate write"], &[N(7004)]),
    (&["duplicate order"], &[N(7004)]),
    (&["traffic doubles"], &[N(7009)]),
    (&["group mismatch"], &[N(2101)]),
    (&["version mismatch"], &[N(2102)]),
];

/// What a text asks about, the leading topic first; empty = nothing is known of it.
pub fn topics(text: &str) -> Vec<Topic> {
    let text = normal(text);
    if let Some(topic) = code(&text) {
        return vec![topic];
    }
    if let Some((_, to)) = TEXTS
        .iter()
        .find(|(parts, _)| parts.iter().all(|part| text.contains(part)))
    {
        let mut topics: Vec<Topic> = to.iter().filter_map(topic).collect();
        topics.dedup();
        return topics;
    }
    // A text of which nothing is known but the code that stands in it.
    let mut inside: Vec<Topic> = text
        .match_indices("error code: ")
        .filter_map(|(at, head)| {
            let rest = &text[at + head.len()..];
            let end = rest
                .find(|c: char| !c.is_ascii_digit() && c != '-')
                .unwrap_or(rest.len());
            code(&rest[..end])
        })
        .collect();
    inside.extend(
        text.match_indices("dg")
            .filter_map(|(at, _)| code(text.get(at..at + 6)?)),
    );
    inside.dedup();
    inside
}

fn topic(to: &To) -> Option<Topic> {
    match to {
        N(number) => Code::ALL
            .iter()
            .find(|code| code.number() == *number)
            .map(|code| Topic::Finding(*code)),
        D(code) => Some(Topic::Dubbo(code)),
    }
}

/// A text that is nothing but a code or the name of a finding.
fn code(text: &str) -> Option<Topic> {
    let finding = Code::ALL.iter().find(|code| {
        text == code.name()
            || text.strip_prefix("dg").unwrap_or(text) == format!("{:04}", code.number())
    });
    let own = || dubbo::codes().find(|code| *code == text);
    finding
        .map(|code| Topic::Finding(*code))
        .or_else(|| own().map(Topic::Dubbo))
}

/// The findings whose page names a code of Dubbo's own, in order.
pub fn findings_of(dubbo: &str) -> Vec<Code> {
    Code::ALL
        .iter()
        .copied()
        .filter(|code| explain::page(*code).is_some_and(|page| page.dubbo.contains(&dubbo)))
        .collect()
}

/// Codes that look like the text: what a slip of the finger may have meant. At most three.
pub fn near(text: &str) -> Vec<Code> {
    let text = normal(text);
    let digits = text.strip_prefix("dg").unwrap_or(&text);
    let distance = |code: &Code| {
        let number = strsim::damerau_levenshtein(&format!("{:04}", code.number()), digits);
        let name = strsim::damerau_levenshtein(code.name(), &text);
        if digits.chars().all(|c| c.is_ascii_digit()) {
            (number <= 1).then_some(number)
        } else {
            (name <= 3).then_some(name)
        }
    };
    let mut near: Vec<(usize, Code)> = Code::ALL
        .iter()
        .filter_map(|code| Some((distance(code)?, *code)))
        .collect();
    near.sort_unstable();
    near.into_iter().take(3).map(|(_, code)| code).collect()
}

/// Lower case, one blank between words, the punctuation of a keyboard that types Chinese as the other one has it.
fn normal(text: &str) -> String {
    let folded: String = text
        .chars()
        .filter(|c| !matches!(c, '\u{200b}'..='\u{200d}' | '\u{feff}'))
        .map(|c| match c {
            '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
            '\u{2018}' | '\u{2019}' => '\'',
            other => other,
        })
        .collect();
    folded
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn codes_names_and_slips() {
        for text in [
            "DG2101",
            " dg2101 ",
            "2101",
            "group-differs",
            "Group-Differs",
        ] {
            assert_eq!(topics(text), [Topic::Finding(Code::GroupDiffers)], "{text}");
        }
        assert_eq!(topics("2-2"), [Topic::Dubbo("2-2")]);
        assert_eq!(topics("DG9999"), []);
        assert!(near("DG2110x").is_empty());
        assert!(near("DG21O1").is_empty() && near("DG2109").contains(&Code::ConsumerMisaddressed));
        assert_eq!(near("group-difers"), [Code::GroupDiffers]);
    }

    #[test]
    fn every_rule_leads_somewhere_and_is_normal() {
        for (parts, to) in TEXTS {
            assert!(to.iter().any(|to| topic(to).is_some()), "{parts:?}");
            for to in *to {
                if let D(code) = to {
                    assert!(dubbo::codes().any(|known| known == *code), "{code}");
                }
            }
            for part in *parts {
                assert_eq!(normal(part), part.trim(), "{parts:?}");
            }
        }
    }

    /// A page may name a code of Dubbo's own only if `words/dubbo.rs` says in both languages what it is.
    #[test]
    fn every_dubbo_code_of_a_page_has_its_sentence() {
        for code in Code::ALL {
            for dubbo in explain::page(*code)
                .map(|page| page.dubbo)
                .unwrap_or_default()
            {
                assert!(
                    dubbo::codes().any(|known| known == dubbo),
                    "{code}: add {dubbo} to src/report/words/dubbo.rs"
                );
            }
        }
    }

    proptest! {
        #[test]
        fn takes_any_text(text in "\\PC{0,120}") {
            let _ = (topics(&text), near(&text));
        }
    }
}
