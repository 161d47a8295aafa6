//! Sentences of the codes of timeouts.

use super::Sentence;
use crate::diagnose::code::Code;

/// By number.
pub(super) const SENTENCES: &[Sentence] = &[
    (
        Code::TimeoutTooSmall,
        "the timeout is too small: {timeout} ms in force, calls need at least {need} ms",
        "超时过小：生效的是 {timeout} 毫秒，调用至少需要 {need} 毫秒",
    ),
    (
        Code::TimeoutTight,
        "the timeout is tight: {timeout} ms in force, {need} ms needed, {budget} ms with the lower factor",
        "超时偏紧：生效 {timeout} 毫秒，需要 {need} 毫秒，按较小系数为 {budget} 毫秒",
    ),
    (
        Code::TimeoutTooLarge,
        "the timeout is very long: {timeout} ms in force, {need} ms needed; calls that hang hold {held} threads",
        "超时过长：生效 {timeout} 毫秒，只需 {need} 毫秒；挂起的调用会占用 {held} 个线程",
    ),
    (
        Code::RetriesOnWrite,
        "a write is retried: {method} has retries={retries}, a timeout does not say whether it was done",
        "写操作会被重试：{method} 的 retries={retries}，而超时并不说明是否已执行",
    ),
    (
        Code::TotalOverUpstream,
        "the total is over the caller's deadline: {tries} x {timeout} ms = {total} ms, the caller waits {upstream} ms",
        "总耗时超过调用方期限：{tries} x {timeout} 毫秒 = {total} 毫秒，调用方只等 {upstream} 毫秒",
    ),
    (
        Code::ProviderOutlivesConsumer,
        "{inner} works on for up to {by} ms after {outer} has given up",
        "{outer} 放弃之后，{inner} 还会继续工作最多 {by} 毫秒",
    ),
    (
        Code::TimeoutNotANumber,
        "{key}={value} is no positive whole number of milliseconds; what comes of it: {effect}",
        "{key}={value} 不是正整数毫秒；结果是：{effect}",
    ),
    (
        Code::SettingOverridden,
        "{key}: {values} without effect, {winner} wins with {value}",
        "{key}：{values} 不起作用，{winner} 以 {value} 胜出",
    ),
    (
        Code::RetryAmplification,
        "tries multiply along the chain {chain}: one call at the front becomes {calls} at {last}",
        "尝试次数沿链路 {chain} 相乘：前端一次调用在 {last} 变成 {calls} 次",
    ),
    (
        Code::P99Weak,
        "the P99 is weak: {reason}",
        "P99 不可靠：{reason}",
    ),
    (
        Code::RttDominates,
        "the network is {share} % of what a call needs: {rtt} of {need} ms",
        "网络占调用所需时间的 {share} %：{need} 毫秒中的 {rtt} 毫秒",
    ),
    (
        Code::ConcurrencyLimit,
        "{name}={each} x {count} does not carry the load: {needed} needed, {used} % used; {advised} each advised",
        "{name}={each} x {count} 承受不住负载：需要 {needed}，使用率 {used} %；建议每个 {advised}",
    ),
    (
        Code::ClientStall,
        "time was lost before the request left: {lost} of {total} ms on the consumer's side ({address})",
        "请求发出之前就耗掉了时间：{total} 毫秒中有 {lost} 毫秒在消费者侧（{address}）",
    ),
    (
        Code::ServerQueue,
        "the provider side took far longer than the service needs: {elapsed} ms against {p99} ms ({address})",
        "提供者侧耗时远超服务所需：{elapsed} 毫秒对 {p99} 毫秒（{address}）",
    ),
    (
        Code::RetriesWithoutEffect,
        "{key}={value} of the {whose} has no effect: {reason}",
        "{whose} 的 {key}={value} 不起作用：{reason}",
    ),
    (
        Code::ParallelAmplification,
        "cluster={cluster} sends every call to {count} providers",
        "cluster={cluster} 把每次调用发给 {count} 个提供者",
    ),
    (
        Code::QueueOutlivesTimeout,
        "a full queue waits longer than the consumer: {queues} x {service} ms / {threads} threads = {wait} ms, the timeout is {timeout} ms",
        "队列排满后等待超过消费者：{queues} x {service} 毫秒 / {threads} 线程 = {wait} 毫秒，而超时为 {timeout} 毫秒",
    ),
    (
        Code::LinkUnstable,
        "the link to {address} is unstable: {min} to {max} ms, {lost} of {sent} lost",
        "到 {address} 的链路不稳定：{min} 到 {max} 毫秒，{sent} 次中丢失 {lost} 次",
    ),
    (
        Code::CountdownReplaces,
        "the countdown replaces the configured value: {to} gets {same} ms in the same thread, {other} ms in another",
        "倒计时取代配置值：{to} 在同一线程中得到 {same} 毫秒，在其他线程中为 {other} 毫秒",
    ),
    (
        Code::ObservedContradicts,
        "observed {observed} ms, computed {computed} ms: what was observed counts",
        "观察到 {observed} 毫秒，计算为 {computed} 毫秒：以观察到的为准",
    ),
    (
        Code::LimitNotActive,
        "{key}={value} limits nothing: {reason}",
        "{key}={value} 没有限制任何东西：{reason}",
    ),
    (
        Code::RequestLost,
        "the request was sent in time and no answer came within {timeout} ms, though the service needs {need} ms ({address})",
        "请求及时发出，却在 {timeout} 毫秒内没有应答，而服务只需 {need} 毫秒（{address}）",
    ),
    (
        Code::HiddenRetry,
        "calls of {method} succeeded only after a retry, {count} seen: their callers waited, the providers worked twice",
        "{method} 的调用重试后才成功，共见到 {count} 次：调用方多等待，提供者多执行",
    ),
];
