//! Sentences of the codes of discovery by application.

use super::Sentence;
use crate::diagnose::code::Code;

/// By number.
pub(super) const SENTENCES: &[Sentence] = &[
    (
        Code::MappingMissing,
        "no mapping leads from {service} to an application ({place}), so no application is subscribed; {applications} would be it",
        "没有从 {service} 到应用的映射（{place}），因此没有订阅任何应用；应为 {applications}",
    ),
    (
        Code::MappingElsewhere,
        "the mapping of {service} does not lead to {applications}, which exports it: it names {mapped}",
        "{service} 的映射没有指向导出它的 {applications}，而是指向 {mapped}",
    ),
    (
        Code::MetadataMissing,
        "the metadata report has no metadata of {application} under revision {revision}, which {count} of its instances name",
        "元数据中心没有 {application} 修订号 {revision} 的元数据，而其 {count} 个实例使用该修订号",
    ),
    (
        Code::MetadataServiceUnreachable,
        "the metadata service at {address} cannot be reached: {reason}",
        "无法连接 {address} 的元数据服务：{reason}",
    ),
    (
        Code::RevisionMismatch,
        "the metadata of {application} under revision {revision} are not those of that revision (computed: {computed}), and the service is not in them",
        "{application} 在修订号 {revision} 下的元数据不属于该修订号（计算结果：{computed}），其中也没有该服务",
    ),
    (
        Code::RevisionZero,
        "the instances of {application} export nothing: revision {revision}",
        "{application} 的实例未导出任何服务：revision 为 {revision}",
    ),
    (
        Code::NotInMetadata,
        "{application} does not export {service}: its metadata have {keys}, paths {paths}",
        "{application} 没有导出 {service}：其元数据中有 {keys}，路径 {paths}",
    ),
    (
        Code::ModelsDoNotMeet,
        "{service} is registered by {other} only, and this consumer looks by {used} only ({step})",
        "{service} 仅按 {other} 注册，而此消费者仅按 {used} 查找（{step}）",
    ),
    (
        Code::PartialApplicationList,
        "by application the consumer has {application} addresses, by interface {interface}, and the shorter list is used",
        "消费者按应用有 {application} 个地址，按接口有 {interface} 个，使用的是较短的列表",
    ),
    (
        Code::MigrationRuleBroken,
        "this migration rule does not do what it says: {text}",
        "该迁移规则不会按所写的生效：{text}",
    ),
    (
        Code::ProvidedByWrong,
        "the reference asks {named} for {service} (provided-by), which does not serve it; the mapping names {mapped}",
        "引用通过 provided-by 向 {named} 请求 {service}，但它并不提供该服务；映射指向 {mapped}",
    ),
    (
        Code::AlienInstance,
        "{entry} under {application} is no instance of Dubbo",
        "{application} 下的 {entry} 不是 Dubbo 实例",
    ),
    (
        Code::InstanceMetadataMissing,
        "the instances of {application} lack {lacks}, which this consumer needs",
        "{application} 的实例缺少该消费者所需的 {lacks}",
    ),
    (
        Code::MetadataRefused,
        "the metadata service at {address} answers, but not with metadata: {reason}",
        "{address} 的元数据服务有应答，但给出的不是元数据：{reason}",
    ),
];
