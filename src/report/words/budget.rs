//! The words of a timeout budget: lines of arithmetic, names of levels.

use super::Lang;

macro_rules! terms {
    ($($name:ident: $en:literal, $zh:literal;)+) => {
        /// A line or a name of the budget.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Term { $(#[doc = stringify!($name)] $name,)+ }

        impl Term {
            /// All of them, for tests.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// The template in a language; `{name}` is a placeholder.
            pub fn template(self, lang: Lang) -> &'static str {
                match (self, lang) {
                    $((Self::$name, Lang::En) => $en, (Self::$name, Lang::Zh) => $zh,)+
                }
            }
        }
    };
}

impl Term {
    /// The line with its placeholders filled in.
    pub fn text(self, lang: Lang, values: &[(&str, &str)]) -> String {
        let mut text = self.template(lang).to_owned();
        for (name, value) in values {
            text = text.replace(&format!("{{{name}}}"), value);
        }
        text
    }
}

terms! {
    Title: "TIMEOUT BUDGET", "超时预算";
    Fine: "nothing to complain about", "未发现问题";
    FineAsSeen: "nothing to complain about in what could be seen", "在所能看到的范围内未发现问题";
    Method: "method", "方法";
    InForce: "in force", "生效";
    Force: "{timeout} ms from {level}", "{timeout} 毫秒，来自{level}";
    ForceKey: "{timeout} ms from {level} ({key}={value})", "{timeout} 毫秒，来自{level}（{key}={value}）";
    ForceFails: "every call fails: {key}={value} is no number ({level})", "每次调用都失败：{key}={value} 不是数字（{level}）";
    ForceNotPositive: "{timeout} ms, the default: {key}={value} counts as nothing", "{timeout} 毫秒，默认值：{key}={value} 等于没有设置";
    ForAddresses: "for {addresses} ({model} level)", "适用于 {addresses}（{model}）";
    Beats: "beats {losers}", "胜过 {losers}";
    Loser: "{level} {value}", "{level} {value}";
    PassedOn: "passes {ms} ms on as remaining time", "向后传递剩余时间 {ms} 毫秒";
    Methods: "methods", "方法";
    MethodRow: "{method} {timeout} ms ({level})", "{method} {timeout} 毫秒（{level}）";
    Need: "need", "需要";
    NeedSum: "{p99} (P99, {side} side, {from}) + {rtt} (RTT, {rtt_from}) + {serialization} (serialization) = {total} ms",
        "{p99}（P99，{side}，{from}）+ {rtt}（RTT，{rtt_from}）+ {serialization}（序列化）= {total} 毫秒";
    NeedAtLeast: "more than {p99} (P99, {side} side, {from}) + {rtt} (RTT, {rtt_from}) + {serialization} (serialization) = more than {total} ms",
        "大于 {p99}（P99，{side}，{from}）+ {rtt}（RTT，{rtt_from}）+ {serialization}（序列化）= 大于 {total} 毫秒";
    BudgetOpen: "none: the 99th percentile lies above the last bucket, and nothing says how far", "无：第 99 百分位高于最后一个桶，高出多少未知";
    BudgetCut: "none: the times end at {cut} ms, where the consumer stops waiting, and nothing says how long these calls take", "无：时间止于 {cut} 毫秒，即消费者停止等待之处，这些调用要多久未知";
    Budget: "budget", "预算";
    BudgetTight: "{need} x {factor} = {product} -> {rounded} ms tight", "{need} x {factor} = {product} -> {rounded} 毫秒，紧凑";
    BudgetComfortable: "{need} x {factor} = {product} -> {rounded} ms comfortable", "{need} x {factor} = {product} -> {rounded} 毫秒，宽松";
    Tries: "tries", "尝试";
    TriesInTurn: "{cluster}, retries={retries} ({level}) -> {count} tries, at worst {count} x {timeout} = {worst} ms",
        "{cluster}，retries={retries}（{level}）-> {count} 次尝试，最坏 {count} x {timeout} = {worst} 毫秒";
    TriesOnce: "{cluster} -> 1 try, at worst {worst} ms", "{cluster} -> 1 次尝试，最坏 {worst} 毫秒";
    TriesAtOnce: "{cluster} -> {count} calls at once, at worst {worst} ms", "{cluster} -> 同时 {count} 个调用，最坏 {worst} 毫秒";
    TriesLater: "and up to {count} more in the background, 5 s apart", "后台还会再试最多 {count} 次，间隔 5 秒";
    TriesNoNumber: "{cluster}, retries is no number: every call fails", "{cluster}，retries 不是数字：每次调用都失败";
    Write: "a write: retries=0", "写操作：retries=0";
    Read: "a read: retries=1 is enough", "读操作：retries=1 足够";
    Expected: "on average {count}", "平均 {count} 次";
    Between: "{low} to {high}", "{low} 到 {high}";
    EffectUnknown: "its name does not tell whether it writes: if it does, retries=0 (--write)", "名称无法说明是否写操作：若是，retries=0（--write）";
    TriesOwn: "{cluster} is no strategy of Dubbo: own code, or every call fails; at worst, as failover, {count} x {timeout} = {worst} ms",
        "{cluster} 不是 Dubbo 的策略：自有代码，或每次调用都失败；最坏按 failover 计 {count} x {timeout} = {worst} 毫秒";
    TriesInTurnOnce: "{cluster}, retries={retries} ({level}) -> 1 try, at worst {worst} ms", "{cluster}，retries={retries}（{level}）-> 1 次尝试，最坏 {worst} 毫秒";
    ForceEnds: "{timeout} ms from {level}: as a 32-bit number {key}={value} is below one, and what is waited is told by DG7007", "{timeout} 毫秒，来自{level}：{key}={value} 作为 32 位数小于 1，实际等待见 DG7007";
    TriesOnly: "{cluster}, retries={retries} ({level}) -> {count} in all", "{cluster}，retries={retries}（{level}）-> 共 {count} 次";
    ForceUnknown: "not known: nothing here tells it, and the defaults of another client are its own", "未知：此处无从得知，且其他客户端的默认值各不相同";
    FineIfAssumed: "nothing to complain about, if it is as assumed below", "若下列假设成立，则未发现问题";
    NeedIncluded: "{p99} (P99, {side} side, {from}; network and serialization are in it already) = {total} ms",
        "{p99}（P99，{side}，{from}；已包含网络与序列化）= {total} 毫秒";
    NeedIncludedAtLeast: "more than {p99} (P99, {side} side, {from}; network and serialization are in it already) = more than {total} ms",
        "大于 {p99}（P99，{side}，{from}；已包含网络与序列化）= 大于 {total} 毫秒";
    Every: "all", "全部";
    Total: "total", "总计";
    TotalOf: "{total} ms in force, the caller waits {upstream} ms", "生效 {total} 毫秒，调用方等待 {upstream} 毫秒";
    TotalAdvised: "{total} ms as advised", "按建议为 {total} 毫秒";
    MeasuredLabel: "measured", "测量";
    MeasuredRange: "{samples} values, P50 {p50}, P90 {p90}, P99 {p99} ms; 95 % of P99 between {low} and {high} ms (order statistics)",
        "{samples} 个值，P50 {p50}，P90 {p90}，P99 {p99} 毫秒；P99 的 95 % 区间 {low} 到 {high} 毫秒（次序统计量）";
    OpenEnd: "no upper end", "无上界";
    LeftOut: "besides: {list}", "此外：{list}";
    LinkLabel: "links", "链路";
    LinkRow: "{from} -> {to}: min {min}, median {median}, P99 {p99} ms, {lost} of {sent} lost", "{from} -> {to}：最小 {min}，中位数 {median}，P99 {p99} 毫秒，{sent} 次中丢失 {lost} 次";
    LinkBudget: "need {need}, tight {tight}, comfortable {comfortable} ms; the network is {share} of it", "需要 {need}，紧凑 {tight}，宽松 {comfortable} 毫秒；网络占 {share}";
    Nowhere: "no zone", "无区域";
    LeavingLabel: "zone", "区域";
    LeavingRow: "{first} of the calls leave {zone} ({inside} here, {outside} elsewhere), of the second tries {again}; before any router",
        "{first} 的调用离开 {zone}（本区 {inside}，其他 {outside}），第二次尝试为 {again}；未计路由";
    Probed: "probed", "实测";
    MeasuredSeries: "P99 {p99} ms of {name}; the number of calls is not told", "{name} 的 P99 {p99} 毫秒；未说明调用次数";
    MeasuredSeriesOf: "P99 {p99} ms of {name}; at most {count} calls", "{name} 的 P99 {p99} 毫秒；至多 {count} 次调用";
    Repeated: "{count} equal calls of writes", "写操作的相同调用 {count} 次";
    Mean: "mean", "平均";
    Picture: "histogram", "直方图";
    MarkInForce: "in force", "生效";
    MarkAdvice: "advice", "建议";
    WhatIf: "what if", "假设";
    WhatIfShare: "{timeout} ms: {low} to {high} of the calls run out of time, tries on average: {count}", "{timeout} 毫秒：{low} 到 {high} 的调用会超时，平均 {count} 次尝试";
    WhatIfShareOnly: "{timeout} ms: {low} to {high} of the calls run out of time", "{timeout} 毫秒：{low} 到 {high} 的调用会超时";
    WhatIfPlain: "{timeout} ms: {verdict}", "{timeout} 毫秒：{verdict}";
    Enough: "enough", "足够";
    Tight: "tight", "偏紧";
    TooSmall: "too small", "过小";
    Unknown: "unknown without a P99", "没有 P99，无法判断";
    Load: "load", "负载";
    LoadSum: "{qps} calls/s x {rt} ms ({from}) = {flight} in flight; / 0.8 = {advised}", "{qps} 次/秒 x {rt} 毫秒（{from}）= 在途 {flight}；/ 0.8 = {advised}";
    LimitRow: "{name}={each} x {count}: {used} % used", "{name}={each} x {count}：使用 {used} %";
    LimitRowNode: "{name}={each} of {node}: {used} % used", "{node} 的 {name}={each}：使用 {used} %";
    LimitRowShare: "{name}={each} of {node}, with {share} of the calls: {used} % used", "{node} 的 {name}={each}，承担 {share} 的调用：使用 {used} %";
    LimitCarries: "carries {qps} calls/s", "可承载 {qps} 次/秒";
    ChainLabel: "chain", "链路";
    HopRow: "{name}: tries {tries}, reached {reached} x, at worst {worst} ms", "{name}：{tries} 次尝试，被调用 {reached} 次，最坏 {worst} 毫秒";
    HopRowPlain: "{name}: tries {tries}, reached {reached} x", "{name}：{tries} 次尝试，被调用 {reached} 次";
    ByDefault: "{count} (retries not given: the default of 2)", "{count}（未给出 retries：默认 2）";
    FrontRow: "the first caller: {p99} + {rtt} + {inner} (worst case behind) = {need} -> {rounded} ms outlasts every retry",
        "首个调用方：{p99} + {rtt} + {inner}（其后最坏）= {need} -> {rounded} 毫秒可覆盖所有重试";
    FrontUsual: "nothing failing: {usual} ms", "无失败时：{usual} 毫秒";
    CountdownRow: "{to}: {same} ms in the same thread, {other} ms in another", "{to}：同一线程 {same} 毫秒，其他线程 {other} 毫秒";
    ObservedLabel: "observed", "观察";
    ObservedForeign: "SocketTimeoutException of {library} x {count}, line {line}: no timeout of Dubbo, its settings do not change it",
        "{library} 的 SocketTimeoutException x {count}，第 {line} 行：不是 Dubbo 的超时，其设置不影响它";
    OtherLibrary: "another library", "其他库";
    ObservedRow: "{message} x {count}: {times}", "{message} x {count}：{times}";
    ObservedTimeout: "timeout {value} ms", "超时 {value} 毫秒";
    ObservedClient: "client {value} ms", "客户端 {value} 毫秒";
    ObservedServer: "server {value} ms", "服务端 {value} 毫秒";
    ObservedLine: "line {value}", "第 {value} 行";
    Comma: ", ", "，";
    Advice: "advice", "建议";
    AdviceRow: "timeout={timeout}", "timeout={timeout}";
    AdviceRetries: "timeout={timeout} retries={retries}", "timeout={timeout} retries={retries}";
    AdviceNone: "none: {timeout} ms is more than Dubbo can be given (2147483647 ms)", "无：{timeout} 毫秒超过 Dubbo 可设置的上限（2147483647 毫秒）";
    AdviceBecause: "retries=0 for the whole reference, because {method} writes and has no retries of its own", "整个引用设为 retries=0，因为 {method} 是写操作且没有自己的 retries";
    AdviceOver: "all tries of it take {total} ms, the caller waits {upstream} ms: {fit}", "其全部尝试需 {total} 毫秒，调用方只等 {upstream} 毫秒：{fit}";
    AdviceFits: "timeout={timeout} retries={retries} fits", "timeout={timeout} retries={retries} 可行";
    AdviceFitsAlone: "timeout={timeout} fits", "timeout={timeout} 可行";
    AdviceNothingFits: "no budget of this P99 fits, the caller has to wait longer", "该 P99 的任何预算都不可行，调用方须等待更久";
    AdviceWeak: "(from a weak P99)", "（来自不可靠的 P99）";
    AdviceMore: "(configurator, annotation, XML, properties: -v)", "（configurator、注解、XML、properties：-v）";
    Settings: "settings", "设置";
    Provider: "provider", "提供者";
    Consumer: "consumer", "消费者";
    Given: "given", "给定";
    Samples: "samples", "样本";
    Metrics: "metrics", "指标";
    NotGiven: "not given", "未给出";
    Interface: "interface", "接口级";
    Application: "application", "应用级";
    LevelRule: "rule", "规则";
    LevelUnread: "rule {name}, which is not read", "规则 {name}（未读取）";
    LevelConsumer: "consumer", "消费者";
    LevelLog: "consumer, as its URL in the text shows", "消费者（文本中其 URL 所示）";
    LevelObserved: "what the text shows", "文本所示";
    LevelEntry: "consumer, as its entry in the registry shows", "消费者（注册中心中其条目所示）";
    LevelWide: "consumer-wide default", "消费者全局默认";
    LevelFile: "settings file", "配置文件";
    LevelSystem: "system property", "系统属性";
    LevelProvider: "provider", "提供者";
    LevelProviderFile: "provider's file, not published", "提供者配置文件（未发布）";
    LevelDefault: "default", "默认值";
    LevelCountdown: "countdown", "倒计时";
    LevelContext: "context of the call", "调用上下文";
    LevelAttachment: "attachment of the call", "调用附件";
    OfMethod: "{level}, method level", "{level}，方法级";
}

/// What a finding about timeouts is called in Chinese: in English its name says it.
const NAMES: [(&str, &str); 25] = [
    ("pool-exhausted", "线程池耗尽"),
    ("timeout-too-small", "超时过小"),
    ("timeout-tight", "超时偏紧"),
    ("timeout-too-large", "超时过大"),
    ("retries-on-write", "写操作会重试"),
    ("total-over-upstream", "总时间超过调用方期限"),
    ("provider-outlives-consumer", "提供者比消费者等得更久"),
    ("timeout-not-a-number", "超时不是数字"),
    ("setting-overridden", "设置被覆盖"),
    ("retry-amplification", "重试放大"),
    ("p99-weak", "P99 不可靠"),
    ("rtt-dominates", "网络往返占比过大"),
    ("concurrency-limit", "并发上限不足"),
    ("client-stall", "消费者侧停顿"),
    ("server-queue", "提供者侧排队"),
    ("retries-without-effect", "重试设置不起作用"),
    ("parallel-amplification", "并行放大"),
    ("queue-outlives-timeout", "排队时间超过超时"),
    ("link-unstable", "链路不稳定"),
    ("countdown-replaces", "倒计时取代了超时"),
    ("observed-contradicts", "观察到的超时与计算不符"),
    ("limit-not-active", "限制未生效"),
    ("request-lost", "请求丢失"),
    ("hidden-retry", "被掩盖的重试"),
    ("registry-unreachable", "注册中心不可达"),
];

/// The headline of a finding: its name in capitals, or its name in Chinese where it has one.
pub fn headline(name: &str, lang: Lang) -> Option<String> {
    match lang {
        Lang::En => Some(name.replace('-', " ").to_uppercase()),
        Lang::Zh => NAMES
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, own)| (*own).to_owned()),
    }
}

/// The name of a level of the ladder.
pub fn level(word: &str, lang: Lang) -> String {
    let (base, of_method) = match word.strip_suffix("-method") {
        Some(base) => (base, true),
        None => (word, false),
    };
    if let Some(name) = base.strip_prefix("unread rule ") {
        return Term::LevelUnread.text(lang, &[("name", name)]);
    }
    let term = match base {
        "rule" => Term::LevelRule,
        "consumer" => Term::LevelConsumer,
        "observed" => Term::LevelObserved,
        "consumer-entry" => Term::LevelEntry,
        "consumer-log" => Term::LevelLog,
        "consumer-wide" => Term::LevelWide,
        "consumer-file" | "consumer-wide-file" => Term::LevelFile,
        "system-property" => Term::LevelSystem,
        "provider" => Term::LevelProvider,
        "provider-file" => Term::LevelProviderFile,
        "default" => Term::LevelDefault,
        "countdown" => Term::LevelCountdown,
        "context" => Term::LevelContext,
        "attachment" => Term::LevelAttachment,
        other => return other.to_owned(),
    };
    let name = term.text(lang, &[]);
    if of_method {
        Term::OfMethod.text(lang, &[("level", &name)])
    } else {
        name
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_finding_about_timeouts_has_a_headline_in_both_languages() {
        use crate::diagnose::code::{Code, Family};
        for code in Code::ALL {
            if code.family() == Family::Timeout {
                let zh = headline(code.name(), Lang::Zh);
                assert!(zh.is_some_and(|name| !name.is_ascii()), "{code}");
            }
        }
        for (name, _) in NAMES {
            assert!(Code::ALL.iter().any(|code| code.name() == name), "{name}");
        }
    }

    #[test]
    fn both_languages_have_the_same_placeholders() {
        let names = |text: &'static str| -> BTreeSet<&str> {
            text.split('{')
                .skip(1)
                .filter_map(|part| Some(part.split_once('}')?.0))
                .collect()
        };
        for term in Term::ALL {
            let [en, zh] = [Lang::En, Lang::Zh].map(|lang| names(term.template(lang)));
            assert_eq!(en, zh, "{term:?}");
        }
    }
}
