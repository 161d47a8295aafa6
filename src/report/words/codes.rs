//! One sentence per finding code, in English and Chinese.
//!
//! `{name}` stands for a parameter of the finding (`Finding::params`, `Verdict::params`); both languages use the same
//! ones. [`Code`] decides the sentence, nothing else does.

use serde_json::{Map, Value};

use super::{Lang, reader};
use crate::diagnose::code::Code;

/// The sentence of a code in a language, with `{name}` placeholders.
pub fn sentence(code: Code, lang: Lang) -> &'static str {
    let (en, zh) = both(code);
    match lang {
        Lang::En => en,
        Lang::Zh => zh,
    }
}

/// The sentence with the parameters of a finding filled in; a list is joined by `, `, a missing value is `-`.
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
        let value = shown(params.get(name));
        let own = (lang == Lang::Zh && name == "reason")
            .then(|| reader::chinese(&value))
            .flatten();
        out.push_str(own.as_ref().unwrap_or(&value));
        rest = after;
    }
    out.push_str(rest);
    out
}

/// How a parameter looks inside a sentence.
fn shown(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => "-".to_owned(),
        Some(Value::String(text)) if text.is_empty() => "-".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(items)) if items.is_empty() => "-".to_owned(),
        Some(Value::Array(items)) => items
            .iter()
            .map(|item| shown(Some(item)))
            .collect::<Vec<_>>()
            .join(", "),
        Some(Value::Object(fields)) => fields
            .iter()
            .map(|(name, value)| format!("{name} {}", shown(Some(value))))
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
        _ => None,
    }
}

/// English and Chinese of a code.
fn both(code: Code) -> (&'static str, &'static str) {
    match code {
        Code::LogListCut => (
            "the text shows only {shown} of {count} addresses: the number counts, the list is cut",
            "文本只列出 {count} 个地址中的 {shown} 个：以数量为准，列表被截断",
        ),
        Code::VersionAssumed => (
            "the consumer's Dubbo version is not known: {assumed} is assumed; versions with another result: {differs}",
            "消费者的 Dubbo 版本未知：按 {assumed} 计算；结果不同的版本：{differs}",
        ),
        Code::SnapshotPartial => (
            "the recording lacks what this question needs: {what}",
            "快照缺少回答该问题所需的内容：{what}",
        ),
        Code::PlaceholderUnresolved => (
            "{value} still holds an unresolved placeholder in {place}",
            "{place} 中的 {value} 仍是未解析的占位符",
        ),
        Code::ClientNotModelled => (
            "the consumer is not Java Dubbo ({client}): its behaviour is only partly known",
            "消费者不是 Java Dubbo({client})：其行为只有部分已知",
        ),
        Code::KnownDefect => (
            "Dubbo {version} has a known defect that bears on this: {reference}",
            "Dubbo {version} 存在与此相关的已知缺陷：{reference}",
        ),
        Code::AddressUnparsable => (
            "the configured registry address {address} does not parse",
            "配置的注册中心地址 {address} 无法解析",
        ),
        Code::RegistryUnreachable => (
            "the registry {registry} cannot be reached: {reason}",
            "无法连接注册中心 {registry}:{reason}",
        ),
        Code::NotThatRegistry => (
            "{registry} answers, but is no {expected}",
            "{registry} 有应答，但不是 {expected}",
        ),
        Code::RegistryAuthRefused => (
            "the registry {registry} refuses the consumer: {reason}",
            "注册中心 {registry} 拒绝了消费者：{reason}",
        ),
        Code::RegistryDegraded => (
            "the registry {registry} is not in working order: {reason}",
            "注册中心 {registry} 状态异常：{reason}",
        ),
        Code::NacosGrpcClosed => (
            "Nacos answers at {registry}, but its gRPC port {grpc_port} does not: clients of 2.x cannot subscribe",
            "Nacos {registry} 有应答，但 gRPC 端口 {grpc_port} 不通：2.x 客户端无法订阅",
        ),
        Code::NodesDisagree => (
            "the members of registry {registry} give different answers: {members}",
            "注册中心 {registry} 各成员的应答不一致：{members}",
        ),
        Code::ApiSwitchedOff => (
            "the Nacos at {registry} has switched off a read API that is needed here: {api}",
            "Nacos {registry} 关闭了此处需要的只读 API:{api}",
        ),
        Code::RegistryInOtherZone => (
            "the consumer is in zone {zone}, every member of its registry is elsewhere: {members}",
            "消费者在 {zone} 区，而其注册中心的成员都在别处：{members}",
        ),
        Code::AnswerTooLarge => (
            "an answer of registry {registry} exceeds the size limit: {path}",
            "注册中心 {registry} 的应答超过大小限制：{path}",
        ),
        Code::NamespaceDiffers => (
            "{service} is registered in namespace {found}, this consumer looks in {wanted}",
            "{service} 注册在命名空间 {found}，而消费者在 {wanted} 中查找",
        ),
        Code::RegistryGroupDiffers => (
            "{service} is registered under {found}, this consumer looks under {wanted}",
            "{service} 注册在 {found} 下，而消费者在 {wanted} 下查找",
        ),
        Code::NamespaceUnknown => (
            "the namespace {wanted} does not exist in this registry",
            "该注册中心不存在命名空间 {wanted}",
        ),
        Code::OtherRegistry => (
            "{service} is registered in {found}, this consumer looks in {wanted}",
            "{service} 注册在 {found}，而消费者在 {wanted} 中查找",
        ),
        Code::GroupDiffers => (
            "same interface, other Dubbo group: the consumer asks for {wanted}, providers offer {offered}",
            "接口相同但 Dubbo 分组不同：消费者请求 {wanted}，提供者为 {offered}",
        ),
        Code::VersionDiffers => (
            "same interface, other version: the consumer asks for {wanted}, providers offer {offered}",
            "接口相同但版本不同：消费者请求 {wanted}，提供者为 {offered}",
        ),
        Code::InterfaceNearMiss => (
            "{wanted} is not registered, but {offered} is",
            "{wanted} 未注册，但存在 {offered}",
        ),
        Code::NameFormDiffers => (
            "the same service is registered in another spelling that this consumer does not read: {offered}",
            "同一服务以该消费者无法识别的另一种形式注册：{offered}",
        ),
        Code::NotRegistered => (
            "{service} is not registered where this consumer looks: {place}",
            "{service} 未在消费者查找的位置注册：{place}",
        ),
        Code::ProtocolFiltered => (
            "the consumer can use {wanted}, the providers offer only {offered}",
            "消费者可用协议为 {wanted}，而提供者只提供 {offered}",
        ),
        Code::OnlyConsumers => (
            "the directory of {service} exists only because of consumers ({consumers}): it proves no provider",
            "{service} 的目录仅由消费者({consumers})创建：不能证明有过提供者",
        ),
        Code::ConsumerMisaddressed => (
            "the reference itself keeps it from the providers of this registry: {setting}",
            "引用自身的设置使其不使用此注册中心的提供者：{setting}",
        ),
        Code::RegistrationRefused => (
            "the registry refused the provider's registration of {service}: {reason}",
            "注册中心拒绝了提供者对 {service} 的注册：{reason}",
        ),
        Code::WildcardUnsupported => (
            "{wanted} is compared literally on this path, it is no wildcard or list here",
            "{wanted} 在此路径上按字面比较，不是通配符或列表",
        ),
        Code::RegistryChoice => (
            "of several registries the calls go to {chosen}, chosen by {by}; {passed} could answer and is not asked",
            "多个注册中心中调用走 {chosen}（依据 {by}）；{passed} 也可应答，但不会被使用",
        ),
        Code::ClassifierDiffers => (
            "same interface, other classifier: the reference asks for {wanted}, providers offer {offered}",
            "接口相同但 classifier 不同：引用要求 {wanted}，提供者为 {offered}",
        ),
        Code::AllDisabled => (
            "every entry is disabled in the registry: {count} of {total}",
            "注册中心中的条目全部被禁用：{total} 个中的 {count} 个",
        ),
        Code::AllUnhealthy => (
            "every instance of {service} is unhealthy in Nacos: {count} of {total}; clients are told: {told}",
            "{service} 的所有实例在 Nacos 中都不健康：{total} 个中的 {count} 个；客户端得到：{told}",
        ),
        Code::WeightZero => (
            "the weight of {address} is 0 in Nacos: a consumer that starts does not take it from the application level",
            "{address} 在 Nacos 中的权重为 0：启动中的消费者不会从应用级得到它",
        ),
        Code::ProtectionThreshold => (
            "Nacos hands out dead instances of {service} as healthy: {count} of {total}",
            "Nacos 把 {service} 的失效实例当作健康返回：{total} 个中的 {count} 个",
        ),
        Code::StaleProvider => (
            "{address} is registered but its process is probably gone: {sign}",
            "{address} 已注册，但其进程很可能已不存在：{sign}",
        ),
        Code::AddressUnreachable => (
            "{address} cannot be connected: {reason}",
            "无法连接 {address}:{reason}",
        ),
        Code::AddressSuspicious => (
            "the registered address {address} looks wrong: {reason}",
            "注册的地址 {address} 可疑：{reason}",
        ),
        Code::DisabledByOverride => (
            "{count} of {total} providers are disabled by {rule}",
            "{total} 个提供者中有 {count} 个被 {rule} 禁用",
        ),
        Code::EmptyProtection => (
            "a running consumer of this version keeps its previous list when the registry becomes empty",
            "该版本运行中的消费者在注册中心变空时会保留之前的地址列表",
        ),
        Code::ZoneEmpty => (
            "no provider is left in the consumer's zone {zone}: {registered} were registered there, {left} are left elsewhere; {share} of the calls leave the zone",
            "消费者所在的 {zone} 区没有剩余提供者：该区注册过 {registered} 个，其他区还剩 {left} 个；{share} 的调用离开本区",
        ),
        Code::TrafficLeavesZone => (
            "about {share} of the calls leave the consumer's zone {zone}: {inside} providers in it, {outside} outside, load balancing {balancing}",
            "约 {share} 的调用离开消费者所在的 {zone} 区：区内提供者 {inside} 个，区外 {outside} 个，负载均衡为 {balancing}",
        ),
        Code::NacosWeightIgnored => (
            "the weight {weight} set in Nacos for {address} has no effect on Dubbo calls of this path",
            "Nacos 中为 {address} 设置的权重 {weight} 对此路径的 Dubbo 调用无效",
        ),
        Code::MetadataServiceUnreachable => (
            "the metadata service at {address} cannot be reached: {reason}",
            "无法连接 {address} 的元数据服务：{reason}",
        ),
        Code::MetadataRefused => (
            "the metadata service at {address} answers, but not with metadata: {reason}",
            "{address} 的元数据服务有应答，但给出的不是元数据：{reason}",
        ),
        Code::MappingMissing => (
            "no mapping leads from {service} to an application ({place}), so no application is subscribed; {applications} would be it",
            "没有从 {service} 到应用的映射（{place}），因此没有订阅任何应用；应为 {applications}",
        ),
        Code::MappingElsewhere => (
            "the mapping of {service} does not lead to {applications}, which exports it: it names {mapped}",
            "{service} 的映射没有指向导出它的 {applications}，而是指向 {mapped}",
        ),
        Code::MetadataMissing => (
            "the metadata report has no metadata of {application} under revision {revision}, which {count} of its instances name",
            "元数据中心没有 {application} 修订号 {revision} 的元数据，而其 {count} 个实例使用该修订号",
        ),
        Code::RevisionMismatch => (
            "the metadata of {application} under revision {revision} are not those of that revision (computed: {computed}), and the service is not in them",
            "{application} 在修订号 {revision} 下的元数据不属于该修订号（计算结果：{computed}），其中也没有该服务",
        ),
        Code::RevisionZero => (
            "the instances of {application} export nothing: revision {revision}",
            "{application} 的实例未导出任何服务：revision 为 {revision}",
        ),
        Code::NotInMetadata => (
            "{application} does not export {service}: its metadata have {keys}, paths {paths}",
            "{application} 没有导出 {service}：其元数据中有 {keys}，路径 {paths}",
        ),
        Code::MigrationRuleBroken => (
            "this migration rule does not do what it says: {text}",
            "该迁移规则不会按所写的生效：{text}",
        ),
        Code::ProvidedByWrong => (
            "the reference asks {named} for {service} (provided-by), which does not serve it; the mapping names {mapped}",
            "引用通过 provided-by 向 {named} 请求 {service}，但它并不提供该服务；映射指向 {mapped}",
        ),
        Code::AlienInstance => (
            "{entry} under {application} is no instance of Dubbo",
            "{application} 下的 {entry} 不是 Dubbo 实例",
        ),
        Code::InstanceMetadataMissing => (
            "the instances of {application} lack {lacks}, which this consumer needs",
            "{application} 的实例缺少该消费者所需的 {lacks}",
        ),
        Code::RoutedAway => (
            "the rule {rule} removes every address that is left ({count} of {total}): {condition}",
            "规则 {rule} 去掉了剩下的全部地址（{total} 个中的 {count} 个）：{condition}",
        ),
        Code::ConsumerBlocked => (
            "the rule {rule} refuses this consumer: {condition}",
            "规则 {rule} 拒绝该消费者：{condition}",
        ),
        Code::TagNotServed => (
            "no address serves the tag {tag}, and falling back is forbidden: {rule}",
            "没有地址提供标签 {tag}，并且禁止退回：{rule}",
        ),
        Code::UntaggedStarved => (
            "every address is tagged, and a request without a tag gets none of them: {count} of {total}",
            "全部地址都带标签，没有标签的请求得不到任何地址：{total} 个中的 {count} 个",
        ),
        Code::RuleNotDelivered => (
            "the rule {rule} is not read by this consumer on Dubbo {dubbo}; it reads {read}",
            "Dubbo {dubbo} 的该消费者不读取规则 {rule}；它读取的是 {read}",
        ),
        Code::RuleUnparsed => (
            "the rule {rule} cannot be read: {reason}",
            "规则 {rule} 无法解析：{reason}",
        ),
        Code::RuleNoEffect => (
            "the rule {rule} can never select or exclude anything: {condition}",
            "规则 {rule} 永远不会选中或排除任何地址：{condition}",
        ),
        Code::RuleLeaks => (
            "the rule {rule} is ignored whenever nothing fits it, since force is off: {condition}",
            "规则 {rule} 未设置 force，没有地址符合时即被忽略：{condition}",
        ),
        Code::ZonePinned => (
            "the rule {rule} pins calls to addresses or a zone where no provider is: {condition}",
            "规则 {rule} 把调用固定到没有提供者的地址或机房：{condition}",
        ),
        Code::RouterUnknown => (
            "what {router} does cannot be replayed: anything from nothing to its input may be left ({rule})",
            "无法重放 {router} 的行为：从没有到全部输入都有可能剩下（{rule}）",
        ),
        Code::ScriptEngineMissing => (
            "the script rule {rule} has no effect: the consumer's JDK has no engine {engine}",
            "脚本规则 {rule} 不起作用：消费者的 JDK 没有引擎 {engine}",
        ),
        Code::NoEmptyGuard => (
            "without {gone}, {rule} leaves nothing for {requests} of {total} requests although {count} addresses remain: {condition}",
            "缺少 {gone} 时，尽管还剩 {count} 个地址，{rule} 使 {total} 个请求中的 {requests} 个得不到任何地址：{condition}",
        ),
        Code::PartialApplicationList => (
            "by application the consumer has {application} addresses, by interface {interface}, and the shorter list is used",
            "消费者按应用有 {application} 个地址，按接口有 {interface} 个，使用的是较短的列表",
        ),
        Code::AddressNotExported => (
            "{address} is registered, and its process listens at {listens}",
            "注册的是 {address}，而其进程监听在 {listens}",
        ),
        Code::SnapshotDisagrees => (
            "the consumer's routers left {output} of {input} addresses for a call (nothing behind: {router}), the replay leaves {replay}",
            "消费者的路由对一次调用从 {input} 个地址留下 {output} 个（其后为空：{router}），重放留下 {replay}",
        ),
        Code::QosRefused => (
            "the QOS port {endpoint} does not answer {commands} from here: {why}",
            "QOS 端口 {endpoint} 从此处不应答 {commands}：{why}",
        ),
        Code::QosOtherProcess => (
            "the QOS port {endpoint} belongs to {application}, not to {wanted}",
            "QOS 端口 {endpoint} 属于 {application}，而非 {wanted}",
        ),
        Code::ConsumerViewDiffers => (
            "the consumer's own list lacks {missing} addresses that the registry has for it; it has {own}",
            "消费者自身的列表缺少注册中心为其提供的 {missing} 个地址；它有 {own} 个",
        ),
        Code::ProviderNotExporting => (
            "{application} runs ({endpoint}) and does not export {service}",
            "{application} 在运行（{endpoint}），但未导出 {service}",
        ),
        Code::ProviderOffline => (
            "{service} is exported by {application} ({endpoint}) and taken offline: published in no registry",
            "{service} 由 {application}（{endpoint}）导出但已下线：未发布到任何注册中心",
        ),
        Code::RouterError => (
            "a router throws inside the consumer and leaves nothing of {service}: {cause}",
            "消费者内部的路由器抛出异常，{service} 没有剩余地址：{cause}",
        ),
        Code::ProviderDraining => (
            "{address} is shutting down: {sign}",
            "{address} 正在下线：{sign}",
        ),
        Code::SerializationRefused => (
            "a class of the call cannot be sent or is not allowed: {class} ({reason})",
            "调用中的类无法序列化或不被允许：{class}（{reason}）",
        ),
        Code::AcceptsButSilent => (
            "{address} is connected and does not answer: {reason}",
            "{address} 已连接但没有应答：{reason}",
        ),
        Code::ConsumerListStale => (
            "the consumer's own list differs from the registry: {own}",
            "消费者自身的地址列表与注册中心不一致：{own}",
        ),
        Code::ErrorMasquerades => (
            "the error text names the wrong thing; what it proves: {proves}",
            "错误文本所指并非真正原因；它能证明的是：{proves}",
        ),
        Code::PoolExhausted => (
            "the thread pool {pool} is full: {active} of {max} threads busy, {completed} of {tasks} tasks done; a longer timeout makes it worse",
            "线程池 {pool} 已满：{max} 个线程中 {active} 个忙，{tasks} 个任务中已完成 {completed} 个；加大超时只会更糟",
        ),
        Code::PayloadTooLarge => (
            "a message of {size} bytes is over the limit {limit} bytes ({whose} payload): {effect}",
            "{size} 字节的消息超过上限 {limit} 字节（{whose} 的 payload）：{effect}",
        ),
        Code::TimeoutTooSmall => (
            "the timeout is too small: {timeout} ms in force, calls need at least {need} ms",
            "超时过小：生效的是 {timeout} 毫秒，调用至少需要 {need} 毫秒",
        ),
        Code::TimeoutTight => (
            "the timeout is tight: {timeout} ms in force, {need} ms needed, {budget} ms with the lower factor",
            "超时偏紧：生效 {timeout} 毫秒，需要 {need} 毫秒，按较小系数为 {budget} 毫秒",
        ),
        Code::TimeoutTooLarge => (
            "the timeout is very long: {timeout} ms in force, {need} ms needed; calls that hang hold {held} threads",
            "超时过长：生效 {timeout} 毫秒，只需 {need} 毫秒；挂起的调用会占用 {held} 个线程",
        ),
        Code::RetriesOnWrite => (
            "a write is retried: {method} has retries={retries}, a timeout does not say whether it was done",
            "写操作会被重试：{method} 的 retries={retries}，而超时并不说明是否已执行",
        ),
        Code::TotalOverUpstream => (
            "the total is over the caller's deadline: {tries} x {timeout} ms = {total} ms, the caller waits {upstream} ms",
            "总耗时超过调用方期限：{tries} x {timeout} 毫秒 = {total} 毫秒，调用方只等 {upstream} 毫秒",
        ),
        Code::ProviderOutlivesConsumer => (
            "{inner} works on for up to {by} ms after {outer} has given up",
            "{outer} 放弃之后，{inner} 还会继续工作最多 {by} 毫秒",
        ),
        Code::TimeoutNotANumber => (
            "{key}={value} is no positive whole number of milliseconds; what comes of it: {effect}",
            "{key}={value} 不是正整数毫秒；结果是：{effect}",
        ),
        Code::SettingOverridden => (
            "{key}: {values} without effect, {winner} wins with {value}",
            "{key}：{values} 不起作用，{winner} 以 {value} 胜出",
        ),
        Code::RetryAmplification => (
            "tries multiply along the chain {chain}: one call at the front becomes {calls} at {last}",
            "尝试次数沿链路 {chain} 相乘：前端一次调用在 {last} 变成 {calls} 次",
        ),
        Code::P99Weak => ("the P99 is weak: {reason}", "P99 不可靠：{reason}"),
        Code::RttDominates => (
            "the network is {share} % of what a call needs: {rtt} of {need} ms",
            "网络占调用所需时间的 {share} %：{need} 毫秒中的 {rtt} 毫秒",
        ),
        Code::ConcurrencyLimit => (
            "{name}={each} x {count} does not carry the load: {needed} needed, {used} % used; {advised} each advised",
            "{name}={each} x {count} 承受不住负载：需要 {needed}，使用率 {used} %；建议每个 {advised}",
        ),
        Code::ClientStall => (
            "time was lost before the request left: {lost} of {total} ms on the consumer's side ({address})",
            "请求发出之前就耗掉了时间：{total} 毫秒中有 {lost} 毫秒在消费者侧（{address}）",
        ),
        Code::ServerQueue => (
            "the provider side took far longer than the service needs: {elapsed} ms against {p99} ms ({address})",
            "提供者侧耗时远超服务所需：{elapsed} 毫秒对 {p99} 毫秒（{address}）",
        ),
        Code::RetriesWithoutEffect => (
            "{key}={value} of the {whose} has no effect: {reason}",
            "{whose} 的 {key}={value} 不起作用：{reason}",
        ),
        Code::ParallelAmplification => (
            "cluster={cluster} sends every call to {count} providers",
            "cluster={cluster} 把每次调用发给 {count} 个提供者",
        ),
        Code::QueueOutlivesTimeout => (
            "a full queue waits longer than the consumer: {queues} x {service} ms / {threads} threads = {wait} ms, the timeout is {timeout} ms",
            "队列排满后等待超过消费者：{queues} x {service} 毫秒 / {threads} 线程 = {wait} 毫秒，而超时为 {timeout} 毫秒",
        ),
        Code::LinkUnstable => (
            "the link to {address} is unstable: {min} to {max} ms, {lost} of {sent} lost",
            "到 {address} 的链路不稳定：{min} 到 {max} 毫秒，{sent} 次中丢失 {lost} 次",
        ),
        Code::CountdownReplaces => (
            "the countdown replaces the configured value: {to} gets {same} ms in the same thread, {other} ms in another",
            "倒计时取代配置值：{to} 在同一线程中得到 {same} 毫秒，在其他线程中为 {other} 毫秒",
        ),
        Code::HiddenRetry => (
            "calls of {method} succeeded only after a retry, {count} seen: their callers waited, the providers worked twice",
            "{method} 的调用重试后才成功，共见到 {count} 次：调用方多等待，提供者多执行",
        ),
        Code::ObservedContradicts => (
            "observed {observed} ms, computed {computed} ms: what was observed counts",
            "观察到 {observed} 毫秒，计算为 {computed} 毫秒：以观察到的为准",
        ),
        Code::LimitNotActive => (
            "{key}={value} limits nothing: {reason}",
            "{key}={value} 没有限制任何东西：{reason}",
        ),
        Code::RequestLost => (
            "the request was sent in time and no answer came within {timeout} ms, though the service needs {need} ms ({address})",
            "请求及时发出，却在 {timeout} 毫秒内没有应答，而服务只需 {need} 毫秒（{address}）",
        ),
        Code::LintTypedValue => (
            "`{text}` is read as {value} ({class})",
            "`{text}` 被读作 {value}（{class}）",
        ),
        Code::LintDuplicateKey => (
            "`{text}` stands twice, in line {first} and in line {last}",
            "`{text}` 出现两次：第 {first} 行和第 {last} 行",
        ),
        Code::LintUnknownKey => (
            "Dubbo {dubbo} does not read `{text}`",
            "Dubbo {dubbo} 不读取 `{text}`",
        ),
        Code::LintVersionField => (
            "the version of the format does not fit: `{text}`",
            "格式版本不匹配：`{text}`",
        ),
        Code::LintNotAList => (
            "`{text}` has the wrong form for {field}",
            "`{text}` 的形式不适用于 {field}",
        ),
        Code::LintOperator => (
            "`{text}` does not mean here what it looks like",
            "`{text}` 在这里并不是看上去的意思",
        ),
        Code::LintAddressUnknown => (
            "`{text}` is none of the {count} known providers",
            "`{text}` 不在已知的 {count} 个提供者之中",
        ),
        Code::LintForceEmpty => (
            "calls to which this applies lose every provider: {text}",
            "适用此项的调用会失去所有提供者：{text}",
        ),
        Code::LintInvisible => (
            "an invisible character {sign} stands here",
            "此处有不可见字符 {sign}",
        ),
    }
}

#[cfg(test)]
mod tests;
