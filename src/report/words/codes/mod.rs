//! One sentence per finding code, in English and Chinese.
//!
//! `{name}` stands for a parameter of the finding (`Finding::params`, `Verdict::params`); both languages use the same
//! ones. [`Code`] decides the sentence, nothing else does.

mod application;
mod key;
mod process;
mod registry;
mod rule;
mod timeout;

use serde_json::{Map, Value};

use super::{Lang, budget, errors, reader};
use crate::diagnose::code::Code;

/// The sentence of a code in a language, with `{name}` placeholders.
pub fn sentence(code: Code, lang: Lang) -> &'static str {
    let (en, zh) = both(code);
    match lang {
        Lang::En => en,
        Lang::Zh => zh,
    }
}

/// The sentence with the parameters of a finding filled in; a list is joined by `, `; where a value is missing, it is said
/// that there is none or that it is not known.
pub fn filled(code: Code, params: &Map<String, Value>, lang: Lang) -> String {
    let (en, zh) = variant(code, params).unwrap_or_else(|| both(code));
    let template = match lang {
        Lang::En => en,
        Lang::Zh => zh,
    };
    let mut out = String::with_capacity(template.len() + 48);
    let mut rest = template;
    while let Some((before, tail)) = rest.split_once('{') {
        out.push_str(before);
        let Some((name, after)) = tail.split_once('}') else {
            rest = tail;
            break;
        };
        let value = shown(name, params.get(name), lang);
        let own = (lang == Lang::Zh)
            .then(|| reader::chinese(&value).or_else(|| errors::reason(&value)))
            .flatten();
        let own = own.or_else(|| {
            let is_why = code == Code::QosRefused && name == "why" && lang == Lang::Zh;
            is_why.then(|| refusal(&value).to_owned())
        });
        let level = (code == Code::SettingOverridden)
            .then(|| levels(name, params, lang))
            .flatten();
        out.push_str(own.or(level).as_ref().unwrap_or(&value));
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Why a QOS port does not answer.
fn refusal(word: &str) -> &str {
    match word {
        "foreign-ip" => "不允许外部 IP",
        "permission" => "权限不足",
        "cut-off" => "连接中途断开",
        "too-large" => "应答过大",
        "service-port" => "这是服务端口",
        "not-qos" => "不是 QOS 端口",
        other => other,
    }
}

/// The levels of a ladder by their names: the winner's, and those behind the values that lost, `5000 (consumer)`.
fn levels(name: &str, params: &Map<String, Value>, lang: Lang) -> Option<String> {
    let value = params.get(name)?;
    match name {
        "winner" => value.as_str().map(|word| budget::level(word, lang)),
        "values" => Some(
            value
                .as_array()?
                .iter()
                .filter_map(Value::as_str)
                .map(|text| {
                    let split = text
                        .strip_suffix(')')
                        .and_then(|text| text.rsplit_once(" ("));
                    split.map_or_else(
                        || text.to_owned(),
                        |(value, word)| format!("{value} ({})", budget::level(word, lang)),
                    )
                })
                .collect::<Vec<_>>()
                .join(", "),
        ),
        _ => None,
    }
}

/// Parameters that are missing because there is nothing: others are because nobody knows.
const ABSENT: [&str; 20] = [
    "wanted",
    "offered",
    "group",
    "version",
    "classifier",
    "key",
    "keys",
    "paths",
    "named",
    "mapped",
    "held",
    "kept",
    "left",
    "found",
    "members",
    "strays",
    "own",
    "other",
    "reading",
    "differs",
];

/// How a parameter looks inside a sentence.
fn shown(name: &str, value: Option<&Value>, lang: Lang) -> String {
    let missing = || {
        let absent = ABSENT.contains(&name) || matches!(value, Some(Value::Array(_)));
        if absent {
            lang.nothing()
        } else {
            lang.unknown()
        }
        .to_owned()
    };
    match value {
        None | Some(Value::Null) => missing(),
        Some(Value::String(text)) if text.is_empty() || text == "-" => missing(),
        Some(Value::String(text)) => match text.strip_prefix("- (") {
            // A count behind what is not there, or is there and empty.
            Some(count) => format!("{} ({count}", missing()),
            None if text.starts_with(" (") => format!("\"\"{text}"),
            None => text.clone(),
        },
        Some(Value::Array(items)) if items.is_empty() => missing(),
        Some(Value::Array(items)) => items
            .iter()
            .map(|item| shown(name, Some(item), lang))
            .collect::<Vec<_>>()
            .join(", "),
        Some(Value::Object(fields)) => fields
            .iter()
            .map(|(field, value)| format!("{field} {}", shown(field, Some(value), lang)))
            .collect::<Vec<_>>()
            .join(", "),
        Some(other) => other.to_string(),
    }
}

/// The sentence of a code in a case of its own, told by the parameters.
fn variant(code: Code, params: &Map<String, Value>) -> Option<(&'static str, &'static str)> {
    let differs = |field: &str| {
        let list = params.get("differs").and_then(Value::as_array);
        list.is_some_and(|list| list.iter().any(|item| item == field))
    };
    let letter_case = params.get("letter_case") == Some(&Value::Bool(true));
    match code {
        Code::GroupDiffers if differs("interface") => Some((
            "the interface is registered as {interface}, and in another Dubbo group: the consumer asks for {wanted}, providers offer {offered}",
            "接口注册为 {interface}，且 Dubbo 分组不同：消费者请求 {wanted}，提供者为 {offered}",
        )),
        Code::VersionDiffers if differs("interface") => Some((
            "the interface is registered as {interface}, and in another version: the consumer asks for {wanted}, providers offer {offered}",
            "接口注册为 {interface}，且版本不同：消费者请求 {wanted}，提供者为 {offered}",
        )),
        Code::InterfaceNearMiss if letter_case => Some((
            "{wanted} is not registered, but {offered} is: only the letter case differs",
            "{wanted} 未注册，但存在 {offered}：仅大小写不同",
        )),
        Code::NotRegistered if params.contains_key("strays") => Some((
            "no provider of {service} is registered where this consumer looks ({place}): what stands there under its name is none: {strays}",
            "消费者查找的位置({place})没有 {service} 的提供者：以其名称注册的不是它的提供者：{strays}",
        )),
        Code::InstanceMetadataMissing if params.get("form") == Some(&Value::from("unreadable")) => {
            Some((
                "the {lacks} of {count} instances of {application} (first {address}) cannot be read: a client of 3.x throws on it and takes none of the addresses it was told",
                "{application} 有 {count} 个实例的 {lacks} 无法解析(首个 {address})：3.x 客户端在此抛出异常，本次收到的地址一个也不会生效",
            ))
        }
        Code::RevisionMismatch if params.get("has") == Some(&Value::Bool(true)) => Some((
            "the metadata of {application} under revision {revision} are not those of that revision (computed: {computed}); clients take them as they are",
            "{application} 在 revision {revision} 下的元数据不属于该 revision（计算结果：{computed}）；客户端照样使用",
        )),
        Code::MappingMissing if is_empty_list(params.get("applications")) => Some((
            "no mapping leads from {service} to an application ({place}), so no application is subscribed",
            "没有从 {service} 到应用的映射（{place}），因此没有订阅任何应用",
        )),
        Code::ConsumerListStale if own_is(params, &["0", "empty"]) => Some((
            "the consumer's own list differs from the registry: it is empty",
            "消费者自身的地址列表与注册中心不一致：它是空的",
        )),
        Code::ConsumerListStale if own_is(params, &["log"]) => Some((
            "the consumer's own list differs from the registry, as its log shows",
            "消费者自身的地址列表与注册中心不一致：其日志表明如此",
        )),
        Code::AllDisabled if is_part(params) => Some((
            "{count} of {total} entries are disabled in the registry",
            "注册中心中 {total} 个条目有 {count} 个被禁用",
        )),
        Code::TimeoutNotANumber if params.get("key") == Some(&Value::from("retries")) => Some((
            "{key}={value} is no whole number that Dubbo can count with; what comes of it: {effect}",
            "{key}={value} 不是 Dubbo 能计算的整数；结果是：{effect}",
        )),
        Code::ObservedContradicts if params.get("what") == Some(&Value::from("tries")) => Some((
            "tries: the text counts {observed}, the settings give {computed}: what was observed counts",
            "文本显示尝试 {observed} 次，按设置为 {computed} 次：以观察到的为准",
        )),
        Code::ObservedContradicts if params.get("computed") == Some(&Value::Null) => Some((
            "observed {observed} ms, though by the settings every call fails: what was observed counts",
            "观察到 {observed} 毫秒，而按设置每次调用都会失败：以观察到的为准",
        )),
        Code::CountdownReplaces if !params.get("other").is_some_and(Value::is_number) => Some((
            "the countdown replaces the configured value: {to} gets {same} ms in the same thread",
            "倒计时取代配置值：{to} 在同一线程中得到 {same} 毫秒",
        )),
        Code::TimeoutTooLarge if params.get("as_advised") == Some(&Value::Bool(true)) => Some((
            "threads are short: calls that hang hold {held} of them with {timeout} ms, which is no longer than what is needed",
            "线程不足：{timeout} 毫秒下挂起的调用会占用 {held} 个线程，而该超时并不长于所需",
        )),
        Code::TimeoutTooLarge if params.get("held") == Some(&Value::from("-")) => Some((
            "the timeout is very long: {timeout} ms in force, {need} ms needed; calls that hang hold their threads that long",
            "超时过长：生效 {timeout} 毫秒，只需 {need} 毫秒；挂起的调用会一直占用线程",
        )),
        Code::ConcurrencyLimit if params.get("reached") == Some(&Value::Bool(true)) => {
            let known = |name: &str| params.get(name).is_some_and(Value::is_number);
            Some(match (known("each"), known("active")) {
                (true, true) => (
                    "the limit {name}={each} is reached: the text tells of {active} at once, and calls were refused",
                    "已达到限制 {name}={each}：文本显示同时有 {active} 个，调用被拒绝",
                ),
                (true, false) => (
                    "the limit {name}={each} is reached: the text says that calls were refused",
                    "已达到限制 {name}={each}：文本显示调用被拒绝",
                ),
                (false, _) => (
                    "the limit {name} is reached: the text says that calls were refused",
                    "已达到限制 {name}：文本显示调用被拒绝",
                ),
            })
        }
        Code::ConcurrencyLimit if params.get("share").is_some_and(Value::is_number) => Some((
            "{name}={each} of {node} does not carry its {share} % of the calls: {needed} needed, {used} % used; {advised} advised",
            "{node} 的 {name}={each} 承受不住其 {share} % 的调用：需要 {needed}，使用率 {used} %；建议 {advised}",
        )),
        Code::ConcurrencyLimit if params.get("node").is_some_and(Value::is_string) => Some((
            "{name}={each} of {node} does not carry the load: {needed} needed, {used} % used; {advised} advised",
            "{node} 的 {name}={each} 承受不住负载：需要 {needed}，使用率 {used} %；建议 {advised}",
        )),
        _ => None,
    }
}

fn own_is(params: &Map<String, Value>, words: &[&str]) -> bool {
    let own = params.get("own").and_then(Value::as_str);
    own.is_some_and(|own| words.contains(&own))
}

fn is_empty_list(value: Option<&Value>) -> bool {
    value.and_then(Value::as_array).is_some_and(Vec::is_empty)
}

/// Fewer than all.
fn is_part(params: &Map<String, Value>) -> bool {
    let number = |name: &str| params.get(name).and_then(Value::as_u64);
    matches!((number("count"), number("total")), (Some(count), Some(total)) if count < total)
}

/// A code, its sentence in English, its sentence in Chinese.
type Sentence = (Code, &'static str, &'static str);

/// All sentences, by family. A test compares them with the codes.
const FAMILIES: [&[Sentence]; 6] = [
    registry::SENTENCES,
    key::SENTENCES,
    application::SENTENCES,
    rule::SENTENCES,
    process::SENTENCES,
    timeout::SENTENCES,
];

fn both(code: Code) -> (&'static str, &'static str) {
    FAMILIES
        .iter()
        .flat_map(|family| family.iter())
        .find(|(known, ..)| *known == code)
        .map_or(("", ""), |(_, en, zh)| (*en, *zh))
}

#[cfg(test)]
mod tests;
