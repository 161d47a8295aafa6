//! Sentences of the codes of rules and routers, and their texts.

use super::Sentence;
use crate::diagnose::code::Code;

/// By number.
pub(super) const SENTENCES: &[Sentence] = &[
    (
        Code::RoutedAway,
        "the rule {rule} removes every address that is left ({count} of {total}): {condition}",
        "规则 {rule} 去掉了剩下的全部地址（{total} 个中的 {count} 个）：{condition}",
    ),
    (
        Code::ConsumerBlocked,
        "the rule {rule} refuses this consumer: {condition}",
        "规则 {rule} 拒绝该消费者：{condition}",
    ),
    (
        Code::TagNotServed,
        "no address serves the tag {tag}, and falling back is forbidden: {rule}",
        "没有地址提供标签 {tag}，并且禁止退回：{rule}",
    ),
    (
        Code::UntaggedStarved,
        "every address is tagged, and a request without a tag gets none of them: {count} of {total}",
        "全部地址都带标签，没有标签的请求得不到任何地址：{total} 个中的 {count} 个",
    ),
    (
        Code::RuleNotDelivered,
        "the rule {rule} is not read by this consumer on Dubbo {dubbo}; it reads {read}",
        "Dubbo {dubbo} 的该消费者不读取规则 {rule}；它读取的是 {read}",
    ),
    (
        Code::RuleUnparsed,
        "the rule {rule} cannot be read: {reason}",
        "规则 {rule} 无法解析：{reason}",
    ),
    (
        Code::RuleNoEffect,
        "the rule {rule} can never select or exclude anything: {condition}",
        "规则 {rule} 永远不会选中或排除任何地址：{condition}",
    ),
    (
        Code::RuleLeaks,
        "the rule {rule} is ignored whenever nothing fits it, since force is off: {condition}",
        "规则 {rule} 未设置 force，没有地址符合时即被忽略：{condition}",
    ),
    (
        Code::ZonePinned,
        "the rule {rule} pins calls to addresses or a zone where no provider is: {condition}",
        "规则 {rule} 把调用固定到没有提供者的地址或机房：{condition}",
    ),
    (
        Code::RouterUnknown,
        "what {router} does cannot be replayed: anything from nothing to its input may be left ({rule})",
        "无法重放 {router} 的行为：从没有到全部输入都有可能剩下（{rule}）",
    ),
    (
        Code::ScriptEngineMissing,
        "the script rule {rule} has no effect: the consumer's JDK has no engine {engine}",
        "脚本规则 {rule} 不起作用：消费者的 JDK 没有引擎 {engine}",
    ),
    (
        Code::SnapshotDisagrees,
        "the consumer's routers left {output} of {input} addresses for a call (nothing behind: {router}), the replay leaves {replay}",
        "消费者的路由对一次调用从 {input} 个地址留下 {output} 个（其后为空：{router}），重放留下 {replay}",
    ),
    (
        Code::NoEmptyGuard,
        "without {gone}, {rule} leaves nothing for {requests} of {total} requests although {count} addresses remain: {condition}",
        "缺少 {gone} 时，尽管还剩 {count} 个地址，{rule} 使 {total} 个请求中的 {requests} 个得不到任何地址：{condition}",
    ),
    (
        Code::RouterError,
        "a router throws inside the consumer and leaves nothing of {service}: {cause}",
        "消费者内部的路由器抛出异常，{service} 没有剩余地址：{cause}",
    ),
    (
        Code::LintTypedValue,
        "`{text}` is read as {value} ({class})",
        "`{text}` 被读作 {value}（{class}）",
    ),
    (
        Code::LintDuplicateKey,
        "`{text}` stands twice, in line {first} and in line {last}",
        "`{text}` 出现两次：第 {first} 行和第 {last} 行",
    ),
    (
        Code::LintUnknownKey,
        "Dubbo {dubbo} does not read `{text}`",
        "Dubbo {dubbo} 不读取 `{text}`",
    ),
    (
        Code::LintVersionField,
        "the version of the format does not fit: `{text}`",
        "格式版本不匹配：`{text}`",
    ),
    (
        Code::LintNotAList,
        "`{text}` has the wrong form for {field}",
        "`{text}` 的形式不适用于 {field}",
    ),
    (
        Code::LintOperator,
        "`{text}` does not mean here what it looks like",
        "`{text}` 在这里并不是看上去的意思",
    ),
    (
        Code::LintAddressUnknown,
        "`{text}` is none of the {count} known providers",
        "`{text}` 不在已知的 {count} 个提供者之中",
    ),
    (
        Code::LintForceEmpty,
        "calls to which this applies lose every provider: {text}",
        "适用此项的调用会失去所有提供者：{text}",
    ),
    (
        Code::LintInvisible,
        "an invisible character {sign} stands here",
        "此处有不可见字符 {sign}",
    ),
];
