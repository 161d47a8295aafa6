//! What Dubbo's own error codes say (`LoggerCodeConstants`, 3.1 and later), in English and Chinese: the text behind
//! `error code:` is fixed per place in Dubbo's code, so it names where something was noticed, not why.

use super::Lang;

/// The codes that findings refer to or that error texts carry, in order.
const MEANINGS: [(&str, &str, &str); 20] = [
    (
        "0-1",
        "a thread pool took no more work and refused a request",
        "线程池不再接收任务，拒绝了请求",
    ),
    (
        "1-4",
        "an address list from the registry is empty, or the check at the start ran out of time",
        "注册中心给出的地址列表为空，或启动检查超时",
    ),
    (
        "1-17",
        "addresses could not be refreshed because metadata was not to be had",
        "取不到元数据，地址刷新失败",
    ),
    (
        "1-37",
        "Nacos (naming) did not answer as it should",
        "Nacos（注册）没有正常应答",
    ),
    (
        "1-39",
        "the metadata of an application could not be fetched",
        "取不到应用的元数据",
    ),
    (
        "2-1",
        "a router failed inside the consumer",
        "路由在消费者内部出错",
    ),
    (
        "2-2",
        "no provider is left for a call; the text does not say which step took it away",
        "调用时没有剩下任何提供者；文本不说明是哪一步去掉的",
    ),
    (
        "2-6",
        "a condition rule refused the consumer or selected nobody",
        "条件路由规则拒绝了消费者，或没有选出任何地址",
    ),
    (
        "2-7",
        "a condition rule failed while it was evaluated",
        "条件路由规则在求值时出错",
    ),
    (
        "2-11",
        "a tag or script rule was not read, or an address in it is malformed",
        "标签或脚本规则未能读取，或其中的地址格式有误",
    ),
    (
        "2-12",
        "rules of the provider's application are not read, because its name is not known",
        "不知道提供者的应用名，因此没有读取它的规则",
    ),
    (
        "2-14",
        "a script rule does not compile or fails while it runs",
        "脚本路由规则编译失败或运行出错",
    ),
    (
        "2-15",
        "a condition rule was not read; the one before stays in force",
        "条件路由规则未能读取；之前的规则继续生效",
    ),
    (
        "2-16",
        "a call failed although it was tried again",
        "重试之后调用仍然失败",
    ),
    (
        "3-1",
        "addresses arrived, and no invoker could be made of any of them",
        "收到了地址，但没有一个能生成调用者",
    ),
    (
        "4-1",
        "the consumer does not have the protocol of an address",
        "消费者没有该地址所用的协议",
    ),
    (
        "4-2",
        "something is wrong with a protocol: one that was preferred is not there, or what came could not be read by it",
        "协议有问题：首选协议不存在，或收到的内容无法按该协议读取",
    ),
    (
        "5-34",
        "Nacos (config) did not answer as it should",
        "Nacos（配置）没有正常应答",
    ),
    (
        "6-1",
        "a connection to the other side was refused or lost",
        "与对端的连接被拒绝或中断",
    ),
    (
        "99-0",
        "something unexpected; the exception below it says what",
        "意外错误；具体原因见其后的异常",
    ),
];

/// Every code that has a sentence here.
pub fn codes() -> impl Iterator<Item = &'static str> {
    MEANINGS.iter().map(|(code, ..)| *code)
}

/// What a code of Dubbo's own says; `None` for one that nothing here refers to.
pub fn meaning(code: &str, lang: Lang) -> Option<&'static str> {
    MEANINGS
        .iter()
        .find(|(known, ..)| *known == code)
        .map(|(_, en, zh)| match lang {
            Lang::En => *en,
            Lang::Zh => *zh,
        })
}
