//! Sentences of the codes of the tool, its input, and registries.

use super::Sentence;
use crate::diagnose::code::Code;

/// By number.
pub(super) const SENTENCES: &[Sentence] = &[
    (
        Code::LogListCut,
        "the text shows only {shown} of {count} addresses: the number counts, the list is cut",
        "文本只列出 {count} 个地址中的 {shown} 个：以数量为准，列表被截断",
    ),
    (
        Code::VersionAssumed,
        "the consumer's Dubbo version is not known: {assumed} is assumed; versions with another result: {differs}",
        "消费者的 Dubbo 版本未知：按 {assumed} 计算；结果不同的版本：{differs}",
    ),
    (
        Code::SnapshotPartial,
        "the recording lacks what this question needs: {what}",
        "快照缺少回答该问题所需的内容：{what}",
    ),
    (
        Code::PlaceholderUnresolved,
        "{value} still holds an unresolved placeholder in {place}",
        "{place} 中的 {value} 仍是未解析的占位符",
    ),
    (
        Code::ClientNotModelled,
        "the consumer is not Java Dubbo ({client}): its behaviour is only partly known",
        "消费者不是 Java Dubbo({client})：其行为只有部分已知",
    ),
    (
        Code::KnownDefect,
        "Dubbo {version} has a known defect that bears on this: {reference}",
        "Dubbo {version} 存在与此相关的已知缺陷：{reference}",
    ),
    (
        Code::AddressUnparsable,
        "the configured registry address {address} does not parse",
        "配置的注册中心地址 {address} 无法解析",
    ),
    (
        Code::RegistryUnreachable,
        "the registry {registry} cannot be reached: {reason}",
        "无法连接注册中心 {registry}:{reason}",
    ),
    (
        Code::NotThatRegistry,
        "{registry} answers, but is no {expected}",
        "{registry} 有应答，但不是 {expected}",
    ),
    (
        Code::RegistryAuthRefused,
        "the registry {registry} refuses the consumer: {reason}",
        "注册中心 {registry} 拒绝了消费者：{reason}",
    ),
    (
        Code::RegistryDegraded,
        "the registry {registry} is not in working order: {reason}",
        "注册中心 {registry} 状态异常：{reason}",
    ),
    (
        Code::NacosGrpcClosed,
        "Nacos answers at {registry}, but its gRPC port {grpc_port} does not: clients of 2.x cannot subscribe",
        "Nacos {registry} 有应答，但 gRPC 端口 {grpc_port} 不通：2.x 客户端无法订阅",
    ),
    (
        Code::NodesDisagree,
        "the members of registry {registry} give different answers: {members}",
        "注册中心 {registry} 各成员的应答不一致：{members}",
    ),
    (
        Code::ApiSwitchedOff,
        "the Nacos at {registry} has switched off a read API that is needed here: {api}",
        "Nacos {registry} 关闭了此处需要的只读 API:{api}",
    ),
    (
        Code::RegistryInOtherZone,
        "the consumer is in zone {zone}, every member of its registry is elsewhere: {members}",
        "消费者在 {zone} 区，而其注册中心的成员都在别处：{members}",
    ),
    (
        Code::AnswerTooLarge,
        "an answer of registry {registry} exceeds the size limit: {path}",
        "注册中心 {registry} 的应答超过大小限制：{path}",
    ),
    (
        Code::ConsumerOnCache,
        "the consumer lives on what it kept ({file}), not on the registry: {kept}",
        "消费者依靠其保留的内容（{file}）运行，而非注册中心：{kept}",
    ),
];
