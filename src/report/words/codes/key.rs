//! Sentences of the codes of places, keys and entries.

use super::Sentence;
use crate::diagnose::code::Code;

/// By number.
pub(super) const SENTENCES: &[Sentence] = &[
    (
        Code::NamespaceDiffers,
        "{service} is registered in namespace {found}, this consumer looks in {wanted}",
        "{service} 注册在命名空间 {found}，而消费者在 {wanted} 中查找",
    ),
    (
        Code::RegistryGroupDiffers,
        "{service} is registered under {found}, this consumer looks under {wanted}",
        "{service} 注册在 {found} 下，而消费者在 {wanted} 下查找",
    ),
    (
        Code::NamespaceUnknown,
        "the namespace {wanted} does not exist in this registry",
        "该注册中心不存在命名空间 {wanted}",
    ),
    (
        Code::OtherRegistry,
        "{service} is registered in {found}, this consumer looks in {wanted}",
        "{service} 注册在 {found}，而消费者在 {wanted} 中查找",
    ),
    (
        Code::GroupDiffers,
        "same interface, other Dubbo group: the consumer asks for {wanted}, providers offer {offered}",
        "接口相同但 Dubbo 分组不同：消费者请求 {wanted}，提供者为 {offered}",
    ),
    (
        Code::VersionDiffers,
        "same interface, other version: the consumer asks for {wanted}, providers offer {offered}",
        "接口相同但版本不同：消费者请求 {wanted}，提供者为 {offered}",
    ),
    (
        Code::InterfaceNearMiss,
        "{wanted} is not registered, but {offered} is",
        "{wanted} 未注册，但存在 {offered}",
    ),
    (
        Code::NameFormDiffers,
        "the same service is registered in another spelling that this consumer does not read: {offered}",
        "同一服务以该消费者无法识别的另一种形式注册：{offered}",
    ),
    (
        Code::NotRegistered,
        "{service} is not registered where this consumer looks: {place}",
        "{service} 未在消费者查找的位置注册：{place}",
    ),
    (
        Code::ProtocolFiltered,
        "the consumer can use {wanted}, the providers offer only {offered}",
        "消费者可用协议为 {wanted}，而提供者只提供 {offered}",
    ),
    (
        Code::OnlyConsumers,
        "the directory of {service} exists only because of consumers ({consumers}): it proves no provider",
        "{service} 的目录仅由消费者({consumers})创建：不能证明有过提供者",
    ),
    (
        Code::ConsumerMisaddressed,
        "the reference itself keeps it from the providers of this registry: {setting}",
        "引用自身的设置使其不使用此注册中心的提供者：{setting}",
    ),
    (
        Code::RegistrationRefused,
        "the registry refused the provider's registration of {service}: {reason}",
        "注册中心拒绝了提供者对 {service} 的注册：{reason}",
    ),
    (
        Code::WildcardUnsupported,
        "{wanted} is compared literally on this path, it is no wildcard or list here",
        "{wanted} 在此路径上按字面比较，不是通配符或列表",
    ),
    (
        Code::RegistryChoice,
        "of several registries the calls go to {chosen}, chosen by {by}; {passed} could answer and is not asked",
        "多个注册中心中调用走 {chosen}（依据 {by}）；{passed} 也可应答，但不会被使用",
    ),
    (
        Code::AddressNotExported,
        "{address} is registered, and its process listens at {listens}",
        "注册的是 {address}，而其进程监听在 {listens}",
    ),
    (
        Code::ClassifierDiffers,
        "same interface, other classifier: the reference asks for {wanted}, providers offer {offered}",
        "接口相同但 classifier 不同：引用要求 {wanted}，提供者为 {offered}",
    ),
    (
        Code::AllDisabled,
        "every entry is disabled in the registry: {count} of {total}",
        "注册中心中的条目全部被禁用：{total} 个中的 {count} 个",
    ),
    (
        Code::AllUnhealthy,
        "every instance of {service} is unhealthy in Nacos: {count} of {total}; clients are told: {told}",
        "{service} 的所有实例在 Nacos 中都不健康：{total} 个中的 {count} 个；客户端得到：{told}",
    ),
    (
        Code::ProtectionThreshold,
        "Nacos hands out dead instances of {service} as healthy: {count} of {total}",
        "Nacos 把 {service} 的失效实例当作健康返回：{total} 个中的 {count} 个",
    ),
    (
        Code::WeightZero,
        "the weight of {address} is 0 in Nacos: a consumer that starts does not take it from the application level",
        "{address} 在 Nacos 中的权重为 0：启动中的消费者不会从应用级得到它",
    ),
    (
        Code::StaleProvider,
        "{address} is registered but its process is probably gone: {sign}",
        "{address} 已注册，但其进程很可能已不存在：{sign}",
    ),
    (
        Code::AddressUnreachable,
        "{address} cannot be connected: {reason}",
        "无法连接 {address}:{reason}",
    ),
    (
        Code::AddressSuspicious,
        "the registered address {address} looks wrong: {reason}",
        "注册的地址 {address} 可疑：{reason}",
    ),
    (
        Code::DisabledByOverride,
        "{count} of {total} providers are disabled by {rule}",
        "{total} 个提供者中有 {count} 个被 {rule} 禁用",
    ),
    (
        Code::EmptyProtection,
        "a running consumer of this version keeps its previous list when the registry becomes empty",
        "该版本运行中的消费者在注册中心变空时会保留之前的地址列表",
    ),
    (
        Code::ZoneEmpty,
        "no provider is left in the consumer's zone {zone}: {registered} were registered there, {left} are left elsewhere; {share} of the calls leave the zone",
        "消费者所在的 {zone} 区没有剩余提供者：该区注册过 {registered} 个，其他区还剩 {left} 个；{share} 的调用离开本区",
    ),
    (
        Code::TrafficLeavesZone,
        "about {share} of the calls leave the consumer's zone {zone}: {inside} providers in it, {outside} outside, load balancing {balancing}",
        "约 {share} 的调用离开消费者所在的 {zone} 区：区内提供者 {inside} 个，区外 {outside} 个，负载均衡为 {balancing}",
    ),
    (
        Code::NacosWeightIgnored,
        "the weight {weight} set in Nacos for {address} has no effect on Dubbo calls of this path",
        "Nacos 中为 {address} 设置的权重 {weight} 对此路径的 Dubbo 调用无效",
    ),
];
