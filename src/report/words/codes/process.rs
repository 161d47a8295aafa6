//! Sentences of the codes of processes and connections.

use super::Sentence;
use crate::diagnose::code::Code;

/// By number.
pub(super) const SENTENCES: &[Sentence] = &[
    (
        Code::QosRefused,
        "the QOS port {endpoint} does not answer {commands} from here: {why}",
        "QOS 端口 {endpoint} 从此处不应答 {commands}：{why}",
    ),
    (
        Code::QosOtherProcess,
        "the QOS port {endpoint} belongs to {application}, not to {wanted}",
        "QOS 端口 {endpoint} 属于 {application}，而非 {wanted}",
    ),
    (
        Code::ConsumerViewDiffers,
        "the consumer's own list lacks {missing} addresses that the registry has for it; it has {own}",
        "消费者自身的列表缺少注册中心为其提供的 {missing} 个地址；它有 {own} 个",
    ),
    (
        Code::ProviderNotExporting,
        "{application} runs ({endpoint}) and does not export {service}",
        "{application} 在运行（{endpoint}），但未导出 {service}",
    ),
    (
        Code::ProviderOffline,
        "{service} is exported by {application} ({endpoint}) and taken offline: published in no registry",
        "{service} 由 {application}（{endpoint}）导出但已下线：未发布到任何注册中心",
    ),
    (
        Code::PoolExhausted,
        "the thread pool {pool} is full: {active} of {max} threads busy, {completed} of {tasks} tasks done; a longer timeout makes it worse",
        "线程池 {pool} 已满：{max} 个线程中 {active} 个忙，{tasks} 个任务中已完成 {completed} 个；加大超时只会更糟",
    ),
    (
        Code::ProviderDraining,
        "{address} is shutting down: {sign}",
        "{address} 正在下线：{sign}",
    ),
    (
        Code::SerializationRefused,
        "a class of the call cannot be sent or is not allowed: {class} ({reason})",
        "调用中的类无法序列化或不被允许：{class}（{reason}）",
    ),
    (
        Code::ConsumerListStale,
        "the consumer's own list differs from the registry: {own}",
        "消费者自身的地址列表与注册中心不一致：{own}",
    ),
    (
        Code::AcceptsButSilent,
        "{address} is connected and does not answer: {reason}",
        "{address} 已连接但没有应答：{reason}",
    ),
    (
        Code::ErrorMasquerades,
        "the error text names the wrong thing; what it proves: {proves}",
        "错误文本所指并非真正原因；它能证明的是：{proves}",
    ),
    (
        Code::PayloadTooLarge,
        "a message of {size} bytes is over the limit {limit} bytes ({whose} payload): {effect}",
        "{size} 字节的消息超过上限 {limit} 字节（{whose} 的 payload）：{effect}",
    ),
];
