//! The words of the text report itself: headings, labels, states. Never a fact.

use super::Lang;

macro_rules! labels {
    ($($name:ident: $en:literal, $zh:literal;)+) => {
        /// A label by name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Label { $(#[doc = $en] $name,)+ }

        impl Label {
            /// All labels, for tests.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// The label in a language; `{name}` is a placeholder.
            pub fn text(self, lang: Lang) -> &'static str {
                match (self, lang) {
                    $((Self::$name, Lang::En) => $en, (Self::$name, Lang::Zh) => $zh,)+
                }
            }

            /// The label with one number filled in for `{n}`.
            pub fn count(self, lang: Lang, n: usize) -> String {
                self.text(lang).replace("{n}", &n.to_string())
            }
        }
    };
}

labels! {
    Reachable: "REACHABLE", "可达";
    Partly: "PARTLY REACHABLE", "部分可达";
    None: "NO PROVIDER", "没有可用的提供者";
    Unknown: "UNKNOWN", "无法判断";
    Done: "DONE", "完成";
    ReachableNow: "REACHABLE NOW", "目前可达";
    ReachableMessage: "addresses left for this consumer, as far as the registry tells: {n}",
        "就注册中心所见，该消费者还剩 {n} 个地址";
    ReachableUncounted: "nothing stands in the way, as far as could be seen", "就所见而言，没有任何阻碍";
    ZoneLostMessage: "the consumer's zone loses all its providers, others keep some",
        "消费者所在区失去全部提供者，其他区仍有";
    UnknownMessage: "a fact that decides was not seen", "缺少起决定作用的事实";
    Interrupted: "stopped early: what follows is what was known by then", "提前结束：以下仅为截至当时已知的内容";
    RuleTitle: "RULE", "规则";
    RuleClean: "nothing to remark", "没有发现问题";
    RuleKey: "key", "键";
    RuleCompared: "addresses compared with {n} providers", "地址已与 {n} 个提供者比较";
    RuleOnlyIn: "only in", "仅在";
    RuleEverywhere: "in all these versions", "以上所有版本";
    RuleReads: "reads", "读作";
    RuleAlike: "all these versions read it alike", "以上版本的读法相同";
    RuleRefused: "refused", "拒绝";
    Line: "line", "行";
    Service: "service", "服务";
    Consumer: "consumer", "消费者";
    Proof: "proof", "证据";
    Earlier: "earlier", "此前";
    EarlierDrops: "already removed {n}", "已先去掉 {n} 个";
    Otherwise: "otherwise", "若不然";
    Then: "then", "其后";
    ThenNothing: "nothing else was seen in the way", "未见其他阻碍";
    ThenCodes: "once this is repaired, still in the way", "修复之后仍有阻碍";
    ThenNotSeen: "not known, because nobody saw", "未知，因为没有看到";
    Next: "next", "下一步";
    Changes: "changes something", "会改变系统";
    Possible: "possible", "可能";
    Missing: "missing", "缺少";
    Path: "path", "路径";
    Models: "models", "发现模型";
    Model: "model", "模型";
    Matching: "matching", "匹配";
    Ends: "result", "结果";
    Uses: "used", "使用";
    Semicolon: "; ", "；";
    InterfaceLevel: "interface level", "接口级";
    ApplicationLevel: "application level", "应用级";
    Zone: "zone", "区";
    Zones: "zones", "分区";
    Registered: "registered", "已注册";
    LeftOver: "left", "剩余";
    Share: "share of calls", "调用占比";
    Dropped: "dropped addresses", "被去掉的地址";
    AlsoFound: "also found", "另外发现";
    Assumed: "assumed", "假定";
    Accepted: "accepted", "已接受";
    ChangesVerdict: "another value would change the answer", "取其他值会改变结论";
    NotSeen: "not seen", "未见";
    HowToSee: "to see it", "查看方法";
    Required: "required", "必需";
    Sources: "sources", "来源";
    Compared: "compared with", "比较对象";
    Here: "here", "此处";
    There: "there", "彼处";
    Difference: "difference", "差异";
    NoDifference: "the same answer in both places", "两处的结论相同";
    Details: "details", "详情";
    Picture: "addresses from stage to stage", "各阶段的地址数";
    Calls: "calls", "调用";
    Written: "written by", "生成者";
    DubboCodes: "Dubbo", "Dubbo";
    OurCodes: "findings", "发现";
    AlsoFits: "may also be", "也可能是";
    WholeText: "the whole text tells more", "整段文本能说明更多";
    NoPage: "no page fits this text", "没有与此文本相符的说明";
    NotUsed: "this version does not use this code", "此版本不使用该代码";
    NoPageWay: "give a code (DG2101, 2-2), or the error line itself in its own words", "请给出代码（DG2101、2-2），或报错行的原文";
    DidYouMean: "did you mean", "是否想找";
    SeverityError: "error", "错误";
    SeverityWarning: "warning", "警告";
    SeverityInfo: "info", "提示";
    More: "and {n} more (-v shows all)", "另有 {n} 条（-v 显示全部）";
    Ok: "ok", "正常";
    Failed: "failed", "失败";
    Skipped: "skipped", "跳过";
    StateUnknown: "unknown", "未知";
    NothingInView: "nothing was computed", "未进行任何计算";
    Colon: ": ", "：";
    Certain: "certain", "确定";
    Likely: "likely", "很可能";
    OnlyPossible: "possible", "可能";
    Error: "error", "错误";
    Warning: "warning", "警告";
    Info: "info", "提示";
    Running: "running", "运行中";
    Starting: "starting", "启动中";
    Address: "address", "地址";
    Stage: "stage", "阶段";
    Code: "code", "代码";
    Rule: "rule", "规则";
    Id: "id", "编号";
    Kind: "kind", "种类";
    Where: "where", "位置";
    Server: "server", "服务端";
    Replay: "replay", "重放";
    Requests: "requests", "请求";
    Outcomes: "outcomes", "种结果";
    OneRequest: "request", "请求";
    OneOutcome: "outcome", "种结果";
    Lines: "lines", "行数";
    OtherServices: "calls of other services", "其他服务的调用";
    UnreadLines: "lines that are no calls", "不是调用的行";
    FirstLine: "first: line", "首个：行";
    NothingLeft: "nothing is left", "没有剩余地址";
    AtMost: "at most", "至多";
    TakesNobody: "no address is there: the drill takes nobody away", "没有这样的地址：演练没有去掉任何地址";
    Probability: "drawn with probability", "被选中的概率";
    Coverage: "coverage", "覆盖";
    Odd: "odd", "注意";
    NeverMatched: "fits none of these requests", "不符合这些请求中的任何一个";
    NeverAsked: "nothing is left before it is asked", "在询问它之前已没有剩余地址";
    Shadowed: "others leave it nothing to do", "其他规则使它无事可做";
    UnreachableAddresses: "no request can reach", "没有请求能到达";
    Drill: "drill, without", "演练，缺少";
    Addresses: "addresses", "地址";
    Lost: "requests that lose everything", "失去全部地址的请求";
    NoFallback: "no way out", "没有退路";
    CandidateRule: "candidate", "候选规则";
    Allowed: "allowed", "允许";
    Changed: "requests that change", "发生变化的请求";
    NewlyLost: "newly lost", "新失去的";
    NewlyServed: "newly served", "新得到的";
    LargestShift: "largest share that moves", "最大转移份额";
    Before: "before", "之前";
    After: "after", "之后";
    Moved: "moved", "转移";
    Versions: "versions", "版本";
    SameEverywhere: "the same in all of them", "全部相同";
    StageQuestion: "question", "问题本身";
    StageReach: "registry", "注册中心";
    StagePlace: "place", "位置";
    StageNameForm: "name form", "名称形式";
    StageMapping: "mapping", "映射";
    StageInstances: "instances", "实例";
    StageRevision: "metadata", "元数据";
    StageKey: "service key", "服务键";
    StageEntries: "entries", "条目";
    StageDecision: "model", "模型选择";
    StageProtocol: "protocol", "协议";
    StageConfigurators: "configurators", "动态配置";
    StageConnectivity: "connectivity", "连通性";
    StageRouter: "router", "路由";
    StageRules: "router rules", "路由规则";
    StageSerialization: "serialization", "序列化";
    StageConsumerView: "consumer's view", "消费者自身所见";
}

impl Label {
    /// The label of a stage, by its id in the report.
    pub fn of_stage(id: &str) -> Option<Self> {
        Some(match id {
            "Q" => Self::StageQuestion,
            "R" => Self::StageReach,
            "P" => Self::StagePlace,
            "N" => Self::StageNameForm,
            "M" => Self::StageMapping,
            "I" => Self::StageInstances,
            "V" => Self::StageRevision,
            "K" => Self::StageKey,
            "E" => Self::StageEntries,
            "D" => Self::StageDecision,
            "T" => Self::StageProtocol,
            "O" => Self::StageConfigurators,
            "C" => Self::StageConnectivity,
            "S" => Self::StageSerialization,
            "W" => Self::StageConsumerView,
            "X.rules" => Self::StageRules,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_languages_have_the_same_placeholders() {
        for label in Label::ALL {
            let [en, zh] = [Lang::En, Lang::Zh].map(|lang| label.text(lang).matches("{n}").count());
            assert_eq!(en, zh, "{label:?}");
            assert!(!label.text(Lang::Zh).is_empty());
        }
    }
}
