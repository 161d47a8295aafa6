//! The sentences that are not the sentence of a finding code: reasons, facts, next steps.

use super::Lang;

/// Defines the sentences: name, English, Chinese. Both must use the same placeholders (tested).
macro_rules! sentences {
    ($($(#[$doc:meta])* $name:ident: $en:literal, $zh:literal;)+) => {
        /// A sentence by name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Say { $(#[doc = $en] $name,)+ }

        impl Say {
            /// All sentences, for tests.
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

sentences! {
    NothingLeft: "nothing is left", "没有剩余地址";
    NotProbed: "not probed", "未探测";
    NotRecorded: "the recording has no answer for {what}", "快照中没有 {what} 的应答";

    LayerRoutingRule: "router rule {name}", "路由规则 {name}";
    LayerRegistryRoute: "route in the registry {name}", "注册中心中的路由 {name}";
    LayerConfigurator: "dynamic configuration {name}", "动态配置 {name}";
    LayerOverrideAmongProviders: "rule among the providers {name}", "提供者目录中的规则 {name}";
    LayerProperties: "settings in the config centre {name}", "配置中心中的配置 {name}";
    LayerTag: "tag {name}", "标签 {name}";
    LayerRouterParameter: "router parameter {name}", "路由参数 {name}";
    LayerMigration: "migration between the discovery models {name}", "服务发现模型迁移 {name}";
    LayerApplicationModel: "discovery by application ({name})", "应用级服务发现({name})";
    LayerSeveralRegistries: "choice between several registries {name}", "多注册中心的选择 {name}";
    LayerQos: "QOS answers {name}", "QOS 应答 {name}";
    LayerCache: "cache file {name}", "缓存文件 {name}";
    LayerProbe: "connection attempts {name}", "连接探测记录 {name}";
    LayerConsumerConfig: "setting of the consumer {name}", "消费者配置 {name}";
    LayerLog: "failures in the consumer's log: {name}", "消费者日志中的失败：{name}";
    LayerOtherClient: "client that is not Java Dubbo {name}", "非 Java Dubbo 客户端 {name}";
    LayerOtherRegistry: "registry of a kind that is not read {name}", "无法读取的注册中心类型 {name}";
    SerializationLayer: "serialization between both sides", "双方的序列化";
    ConnectivityLayer: "connections from the consumer to the providers", "消费者到提供者的连接";
    OwnViewLayer: "the consumer's own list of providers", "消费者自身的提供者列表";
    CacheFiles: "cache files of the consumer", "消费者的缓存文件";
    Metrics: "metrics", "指标";
    OtherPlaces: "other namespaces, groups and roots", "其他命名空间、分组和根路径";

    NotEvaluated: "it is there, and this version of diag does not evaluate it", "它存在，但此版本的 diag 不对其求值";
    NotAsked: "nobody asked for it", "未查询";
    AnswerRefused: "the answer was: {kind}", "应答为：{kind}";
    AnswerSaid: "the answer was: {kind}: {text}", "应答为：{kind}:{text}";
    ListTooLong: "{names} names, {bytes} bytes; ZooKeeper's Java client takes {limit} unless jute.maxbuffer says otherwise", "{names} 个名称，共 {bytes} 字节；除非设置 jute.maxbuffer,ZooKeeper 的 Java 客户端最多接受 {limit} 字节";
    SweepOff: "looking into other places was switched off", "已关闭对其他位置的查找";
    NoRegistryRecorded: "the recording holds nothing of this registry", "快照中没有此注册中心的内容";
    NoRegistryNamed: "no registry was named and none could be taken from a log", "未指定注册中心，日志中也没有";

    HowRecordMore: "record again with rights to read it: diag snapshot --registry ..", "使用有读取权限的账号重新记录：diag snapshot --registry ..";
    HowProbe: "try the port from the consumer's host: nc -vz HOST PORT", "在消费者主机上试端口：nc -vz HOST PORT";
    HowQos: "on the consumer's host: curl -s 127.0.0.1:22222/ls", "在消费者主机上：curl -s 127.0.0.1:22222/ls";

    NacosConfig: "Nacos configuration {name} of {place}", "{place} 的 Nacos 配置 {name}";
    NacosServices: "list of services of {place}", "{place} 的服务列表";
    NacosInstances: "instances of {service} in {place}", "{place} 中 {service} 的实例";
    NacosDisabled: "whether {service} in {place} has disabled instances", "{place} 中的 {service} 是否有被禁用的实例";
    CountedNotListed: "the server counts more instances than it lists", "服务端统计的实例多于列出的实例";
    HowConsoleList: "read the console's list: record with a user who may, or look into the console", "读取控制台的列表：使用有权限的用户记录，或在控制台中查看";
    ListMayHide: "the list that also has disabled instances was not seen", "未看到包含已禁用实例的列表";
    ZoneCounts: "{zone}: {registered} registered, {left} left", "{zone}：已注册 {registered} 个，剩余 {left} 个";
    NamespaceNamed: "{name} is the name of the namespace with the id {id}", "{name} 是命名空间的名称，其 id 为 {id}";
    InstanceUnhealthy: "{address} sends no beats", "{address} 没有心跳";
    RemovalNever: "{address} is persistent: Nacos never removes it by itself", "{address} 是持久实例：Nacos 不会自行移除";
    RemovalWithConnection: "{address} is registered over gRPC: removed with its connection, at once when the process ends, within 20 to 28 s when its host hangs",
        "{address} 通过 gRPC 注册：随连接断开而移除；进程退出时立即移除，主机挂起时在 20 至 28 秒内移除";
    RemovalAfterBeats: "{address} is registered over HTTP: called unhealthy {unhealthy} ms and removed {removed} ms after its last beat, here by {by} at the latest",
        "{address} 通过 HTTP 注册：最后一次心跳后 {unhealthy} 毫秒判为不健康，{removed} 毫秒后移除，此处最迟于 {by}";
    NamespacesListed: "all namespaces are listed", "已列出全部命名空间";
    ServicesListed: "the list of services", "服务列表";
    ServiceAbsent: "there is no such service", "没有该服务";
    ZkNode: "ZooKeeper node {path}", "ZooKeeper 节点 {path}";
    Registry: "registry {registry}", "注册中心 {registry}";
    PlaceIs: "looks in {place}", "查找位置 {place}";
    NoRule: "no rule", "没有规则";
    InterfaceModelDecides: "the interface level decides", "由接口级决定";
    UnreadableNames: "{count} names that cannot be decoded were skipped", "跳过了 {count} 个无法解码的名称";

    RegistryAnswers: "the registry answers", "注册中心有应答";
    ServerNotServing: "the server says that it does not serve requests", "服务器表示当前不提供服务";
    ServerReadOnly: "the server is cut off from its quorum and serves reads only: clients that ask for a full session are refused", "服务器与法定人数失联，仅提供只读服务：请求完整会话的客户端会被拒绝";
    RootsListed: "all roots are listed", "已列出全部根路径";
    NodeAbsent: "the node does not exist", "节点不存在";
    NodeChildren: "it has {count} children", "有 {count} 个子节点";
    EntryRegistered: "registered: {entry}", "已注册：{entry}";
    EntryDisabled: "{address} is registered and disabled", "{address} 已注册但被禁用";
    EntryDisabledItself: "{address} carries disabled=true in its own URL", "{address} 自身的 URL 带有 disabled=true";
    InstanceRegistered: "an instance is registered", "有已注册的实例";
    RulePresent: "a rule is stored here", "此处存有规则";

    HowNameRegistry: "name it as the consumer's configuration has it: --registry <address>", "按消费者配置写出：--registry <address>";

    KeptListUnknown: "a running consumer may keep its previous list, whose content is not known", "运行中的消费者可能保留之前的列表，其内容未知";
    EarlierStageUnknown: "an earlier stage could not be observed", "之前的阶段无法观察";
    SeenFromElsewhere: "seen from another host or with other credentials than the consumer's", "并非从消费者主机、或并非使用消费者的凭据观察到";
    RunningLivesOn: "a running consumer lives on what it had", "运行中的消费者继续使用已有的列表";
    AlsoFoundElsewhere: "also found there, but nothing shows that it should be here", "在那里也找到了，但没有迹象表明它本应在这里";
    MembersDisagree: "only some members of the registry say so", "只有注册中心的部分成员如此应答";
    OtherRegistryDiffers: "another registry of the consumer gives another result", "消费者的另一个注册中心结果不同";
    PlaceNotStated: "the text does not say in which namespace, group or root the consumer looks", "文本没有说明消费者在哪个命名空间、分组或根路径中查找";
    PlaceOfConsumer: "whether the consumer looks in {place}", "消费者是否在 {place} 中查找";
    PlaceHasOther: "the text does not say so, and {place} gives another result", "文本没有说明，而 {place} 的结果不同";
    HowNamePlace: "name it as the consumer's configuration has it: --registry, -n NAMESPACE, --registry-group GROUP", "按消费者的配置写出：--registry、-n NAMESPACE、--registry-group GROUP";
    InterfaceMeant: "which interface {name} is", "{name} 是哪个接口";
    DidYouMean: "no interface has this name; did you mean {names}?", "没有此名称的接口；是否指 {names}？";
    HowAskFull: "ask again with the full name: diag no-provider {name} ..", "使用完整名称再次查询：diag no-provider {name} ..";
    DirectUrl: "not asked: the reference calls {url} directly", "未查询：该引用直连 {url}";
    OwnProcess: "not asked: the reference calls inside its own process ({setting})", "未查询：该引用在本进程内调用({setting})";
    DirectAddress: "whether {address} serves it", "{address} 是否提供该服务";
    NotInRegistry: "no registered provider of this service has this address", "没有该服务的已注册提供者使用此地址";
    ConfiguratorLate: "a configurator may arrive after the first list, and then a starting consumer keeps working", "动态配置可能在首个列表之后到达，此时启动中的消费者仍可工作";
    ConfiguratorOrder: "whether the configurator reached the consumer before its first list of providers", "动态配置是否在消费者的首个提供者列表之前到达";
    DependsOnConsumer: "depends on something of the consumer that is not known", "取决于消费者的某些未知信息";
    DependsOnState: "depends on whether the consumer was running before", "取决于消费者之前是否在运行";
    DependsOnVersion: "depends on the consumer's Dubbo version", "取决于消费者的 Dubbo 版本";
    OnlyPossible: "too little is known to say more", "已知信息不足以进一步判断";

    LimitVersion: "the Dubbo version is assumed, and lines differ", "Dubbo 版本为假定值，各版本线结果不同";
    LimitState: "whether the consumer was running before is not known", "不知道消费者之前是否在运行";
    LimitStanding: "not seen from the consumer's own host", "并非从消费者主机观察到";
    LimitSweep: "other places were not all looked into, or have it", "其他位置未全部查找，或存在该服务";
    LimitPlace: "the text does not say in which namespace, group or root the consumer looks", "文本没有说明消费者在哪个命名空间、分组或根路径中查找";
    LimitTextOnly: "a text says so, without the registry or of unknown origin", "仅有文本为证，没有注册中心佐证或来源不明";
    LimitRule: "the registry alone allows no more", "仅凭注册中心无法更确定";
    LimitConsumer: "the rules ask something of the consumer that is not known", "规则依赖消费者的某些未知信息";
    LimitClient: "the client is only partly known", "对该客户端的了解有限";
    LimitContradiction: "something that was seen does not fit", "存在与之矛盾的事实";
    WorldsDiffer: "the possible worlds differ", "各种可能情形的结果不同";
    ConsumerStateUnknown: "whether the consumer was running before", "消费者之前是否在运行";
    ConsumerVersionUnknown: "the consumer's Dubbo version", "消费者的 Dubbo 版本";

    AssumedNewest: "not given and not observed: the newest line", "未提供也未观察到：取最新版本线";
    AssumedBothStates: "not given and not observed: both were computed", "未提供也未观察到：两种情况都已计算";
    AssumedRecordedRegistry: "not given: the registries of the recording", "未提供：取快照中的注册中心";

    AddressRegistered: "{address} is registered", "{address} 已注册";
    ListUnreadable: "the list that the consumer makes of these entries", "消费者由这些条目得到的列表";
    ClientThrows: "its registry client throws: {error}", "其注册中心客户端抛出异常：{error}";
    ProtocolLibrary: "whether the consumer's process has the protocol {name}", "消费者进程是否具有协议 {name}";
    RuleForOne: "whether this rule is for the consumer: {rule}", "该规则是否针对此消费者：{rule}";
    ConsumerNotKnown: "the consumer's address or application is not known", "消费者的地址或应用名未知";
    LogSays: "message {message}", "消息 {message}";
    LogDisagrees: "the log says that calls fail, which the registry does not explain", "日志显示调用失败，而注册中心无法解释";
    SettingRead: "a setting of the consumer", "消费者的配置项";
    PassedByText: "passed, as the text speaks of a later stage", "已通过：文本涉及更后的阶段";
    NodePersistent: "the node is persistent: it outlives its process", "节点是持久节点：进程消失后仍会保留";

    DoAlignKey: "make group, version and interface of both sides equal", "使双方的分组、版本和接口一致";
    DoAlignClassifier: "remove the classifier of the reference, or give the provider the same", "去掉引用的 classifier，或给提供者配置相同的值";
    DoRemoveSetting: "remove the setting from the reference, unless it is meant", "若非有意，从引用中去掉该设置";
    DoAskOffered: "ask again with the key that is offered, to see what comes next", "用现有的服务键再次查询，看还有什么问题";
    DoAlignVersions: "bring both sides to versions that write and read the same form", "让双方使用读写同一种形式的版本";
    DoWriteExactKey: "write the exact group and version instead of a wildcard or list", "写出确切的分组和版本，不要用通配符或列表";
    DoCheckProviderStarted: "see whether the provider runs and exports it: its log, its QOS ls", "确认提供者已启动并导出该服务：查看其日志和 QOS ls";
    DoSearchOtherRegistries: "look into other registries, too: add --also-search ADDRESS", "也查查其他注册中心：加上 --also-search 地址";
    DoAlignPlace: "let both sides use the same namespace, group and registry", "让双方使用相同的命名空间、分组和注册中心";
    DoUseServerPort: "this is the port of the web console: name the port of the Nacos server, 8848 unless it was changed", "这是 Web 控制台的端口：请写 Nacos 服务端的端口，默认为 8848";
    DoUseHttpPort: "this is a gRPC port: name the HTTP port, 1000 below it (8848 for 9848)", "这是 gRPC 端口：请写 HTTP 端口，比它小 1000(9848 对应 8848)";
    DoUseTls: "the port speaks TLS: write nacos+https://, with tls-ca=FILE for an authority of your own", "该端口使用 TLS：写 nacos+https://，自建 CA 时加 tls-ca=文件";
    DoTrustCertificate: "name the authority that signed the server's certificate: tls-ca=FILE in the address, and the host as the certificate has it", "在地址中用 tls-ca=文件 指定签发服务端证书的 CA，主机名须与证书一致";
    DoNameContextPath: "name the context path: nacos://HOST:PORT/PATH, or ?contextPath=/ when there is none", "写明上下文路径：nacos://主机:端口/路径，没有时用 ?contextPath=/";
    DoNameServerItself: "a page answers in place of Nacos (a gateway, a login, a console): name the Nacos server itself, with its context path", "应答的是网页（网关、登录页或控制台）而不是 Nacos：请写 Nacos 服务端本身及其上下文路径";
    DoNotFollowRedirect: "redirects to other hosts are not followed: name the server to which it leads", "不会跟随到其他主机的重定向：请直接写目标服务端";
    DoCheckProxy: "a proxy answers that does not reach Nacos: look at the server behind it, or name that one", "应答的是无法连到 Nacos 的代理：检查其后的服务端，或直接写该服务端";
    DoWaitForServer: "the server starts or is overloaded: wait and ask again; when it stays so, its own log says why", "服务端正在启动或过载：稍后再查；若一直如此，原因见其自身日志";
    DoNotSign: "diag does not sign requests with accessKey and secretKey (AK/SK): give a user with --username and --password-env, or look into the console", "diag 不支持用 accessKey、secretKey(AK/SK) 签名：请用 --username 和 --password-env 提供用户，或在控制台中查看";
    DoUseNamespaceId: "give the namespace by its id, not by its name, on both sides; the console shows both", "双方都用命名空间的 id 而不是名称；控制台中两者都可看到";
    DoSwitchOnApi: "ask with a user of the admin API (--username), or switch the old API on: {setting}", "使用可访问管理 API 的用户(--username)，或开启旧 API:{setting}";
    DoStartProvider: "see whether these processes still run, and start them again", "确认这些进程是否仍在运行，并重新启动";
    DoRaiseWeight: "give the instances a weight above 0", "将实例的权重设为大于 0";
    DoEnable: "enable the provider in the registry or its console", "在注册中心或控制台中启用提供者";
    DoRemoveOverride: "remove the rule, or the disabled flag of the provider", "删除该规则或提供者的 disabled 标记";
    DoAlignProtocol: "give the consumer the protocol of the providers, or export the one it can use", "让消费者支持提供者的协议，或导出消费者可用的协议";
    DoRunOnConsumer: "run on the consumer's host", "在消费者主机上运行";
    DoGrantRights: "give the consumer's user the right to read it, or correct its credentials", "授予消费者用户读取权限，或更正其凭据";
    DoSeeOwnList: "see the consumer's own list: run on its host", "查看消费者自身的列表：在其主机上运行";
    DoGiveVersion: "say the version of the consumer: add --dubbo VERSION", "说明消费者的版本：加上 --dubbo 版本号";
    FaultCut: "{property}: the {cut} in the user name or password ends the address, what stands before it is read as host and port",
        "{property}：用户名或密码中的 {cut} 截断了地址，之前的部分被当作主机和端口";
    FaultPort: "{property}: what stands in place of the port is no number", "{property}：端口位置上不是数字";
    FaultLastPort: "{property}: the last host has no port, so what follows the last colon is no number",
        "{property}：最后一个主机没有端口，最后一个冒号之后不是数字";
    FaultPortRange: "{property}: the port is above 65535", "{property}：端口大于 65535";
    FaultNoHost: "{property}: it has no host", "{property}：没有主机";
    FaultScheme: "{property}: no registry of Dubbo has this scheme, or there is none", "{property}：协议缺失，或 Dubbo 没有此协议的注册中心";
    FaultOther: "{property}: it cannot be read", "{property}：无法解析";
    RulesOfConfigCenter: "rules of the config centre that set timeouts", "设置超时的配置中心规则";
    ProvidersSettings: "what the providers set: a value of theirs for the method could win", "提供者的设置：其方法级的值可能胜出";
    AssumedProviderSide: "not given (--p99-side): network and serialization are added", "未给出（--p99-side）：另加网络和序列化";
    AssumedLink: "by the class of link, its upper end (--rtt gives a measured one)", "按链路等级取上限（--rtt 可给出测量值）";
    AssumedNoRtt: "not given (--rtt, --link): the network is left out", "未给出（--rtt、--link）：未计网络";
    EqualCalls: "{caller} called {method} with the same arguments {gap} ms after line {line}", "{caller} 在第 {line} 行之后 {gap} 毫秒以相同参数调用了 {method}";
    AssumedProbedElsewhere: "the round trip was tried from another machine than the consumer's", "往返时间是从消费者以外的机器测得的";
    AssumedUnit: "the values have no unit", "数值没有单位";
    AssumedSinceStart: "counters tell everything since their processes started", "计数器包含进程启动以来的全部调用";
    ProbeTold: "round trips as they were tried", "实测的往返时间";
    RuleLine: "line {line}: {text}", "第 {line} 行：{text}";
    MoreClasses: "more classes of requests than are tried", "请求类别多于可尝试的数量";
    HowGiveCall: "give the call: --method NAME --arg VALUE --attachment KEY=VALUE", "给出调用：--method NAME --arg VALUE --attachment KEY=VALUE";
    ConsumerParameter: "{name} of the consumer", "消费者的 {name}";
    RulesAskForIt: "the rules ask for it, and it decides", "规则依赖它，并由它决定结果";
    FirstAddress: "whether the consumer's list begins with an address of {application}", "消费者的列表是否以 {application} 的地址开头";
    FirstAddressDecides: "only the first address decides whose rules are read", "只有第一个地址决定读取谁的规则";
    PreviousRule: "what {rule} said before", "{rule} 之前的内容";
    RunningKeepsRule: "its text of now has no effect, and a running consumer keeps the one before", "现在的文本不生效，运行中的消费者保留之前的规则";
    ChainNotBuilt: "the routers of the consumer", "消费者的路由链";
    PatchNotModelled: "the routers of Dubbo {dubbo} are only partly known", "Dubbo {dubbo} 的路由只有部分已知";
    RouterResult: "what {router} leaves (rule {rule})", "{router} 留下的地址（规则 {rule}）";
    ScriptNotRun: "a script is not run: anything from nothing to its input may be left", "不执行脚本：从没有到全部输入都可能剩下";
    ScriptNoEngine: "the JDK has no engine for the script of {rule}: it has no effect", "JDK 没有执行 {rule} 脚本的引擎：规则不起作用";
    ExpressionNotRun: "the expression {text} cannot be replayed", "无法重放表达式 {text}";
    ZoneNotKnown: "the zone or parameter that it compares is not known", "它所比较的机房或参数未知";
    RouterNotDeclared: "it is code of the user's own and not declared (--router)", "它是用户自己的代码，且未声明（--router）";
    RouterThrows: "the router throws, which leaves nothing: {error}", "路由抛出异常，没有剩余地址：{error}";
    RuleRefusedHere: "{rule} cannot be read and has no effect here", "{rule} 无法解析，在此不起作用";
    RuleEmptyHere: "{rule} has nothing to apply", "{rule} 没有可应用的内容";
    RuleOff: "{rule} is switched off", "{rule} 已关闭";
    RuleLetsPass: "{rule} removes nothing", "{rule} 未去掉任何地址";
    GroupsNotRouted: "a reference to several groups is not routed", "引用多个分组时不经过路由";
    NoRuleAt: "no rule under {rule}", "{rule} 下没有规则";
    RuleNotConcerned: "{rule} is not about these requests: {clause} does not hold for {value}", "{rule} 与这些请求无关：{clause} 不符合 {value}";
    RuleIgnored: "{rule} selects nobody and is not forced, so it is ignored: {text}", "{rule} 未选中任何地址且未强制，因此被忽略：{text}";
    TagFallsBack: "no address has the tag {text}: those without a tag are taken", "没有地址带标签 {text}：退回到无标签的地址";
    UntaggedCall: "the request has no tag: addresses with a tag are left out", "请求没有标签：不使用带标签的地址";
    MeshPassesOn: "{rule} selects nobody and passes everything on", "{rule} 未选中任何地址，全部放行";
    RoutedBy: "{rule}: {text}", "{rule}：{text}";
    DoCorrectRule: "correct or remove the rule", "更正或删除该规则";
    DoMoveRule: "write the rule under the key that this consumer reads", "把规则写到该消费者读取的键下";
    DoDeclareRouter: "declare what the router does: --router 'NAME: after=tag, keep=same-zone, fallback=none'", "声明该路由的行为：--router 'NAME: after=tag, keep=same-zone, fallback=none'";
    DoFixSetting: "correct the setting", "更正该配置";
    DoFixRegistration: "change what the registry refuses, and restart the provider", "修改注册中心拒绝的内容并重启提供者";

    ReplayRequests: "calls to replay", "要重放的调用";
    ReplayNoRequest: "the input has no call of this service", "输入中没有该服务的调用";
    HowReplayRequests: "give --method, --requests FILE or --access-log FILE", "使用 --method、--requests FILE 或 --access-log FILE";
    ReplayArguments: "where {count} calls go that depend on their arguments", "取决于参数的 {count} 次调用去往何处";
    ReplayArgumentText: "the text that Java makes of these arguments is not known", "无法得知 Java 由这些参数得到的文本";
    ReplayBeyond: "where {count} further calls go", "另外 {count} 次调用去往何处";
    ReplayTooMany: "too many different results to keep them apart", "不同的结果过多，无法逐一区分";
    ReplayVersion: "what the routers of Dubbo {dubbo} do", "Dubbo {dubbo} 的路由的行为";
    ReplayNotModelled: "not modelled: anything from nothing to its input may be left", "未建模：从没有到全部输入都有可能剩下";
    ReplayScript: "what the script {rule} returns", "脚本 {rule} 的返回值";
    ReplayNotRun: "scripts are not run: anything from nothing to the input may be left", "不运行脚本：从没有到全部输入都有可能剩下";
    ReplayPart: "what {part} in the rule {rule} selects", "规则 {rule} 中的 {part} 选中什么";
    ReplayRule: "the rule under {rule}", "键 {rule} 下的规则";
    ReplayEarlier: "a rule that was in force before is not known", "之前生效的规则未知";
    HowStarting: "say which it is: --consumer starting, or --consumer running", "说明是哪一种：--consumer starting 或 --consumer running";
    ReplayRouter: "what the router {router} of your own does", "自研路由 {router} 的行为";
    ReplayOwnCode: "it is not part of Dubbo", "它不属于 Dubbo";
    HowDeclare: "declare it: --router 'NAME: after=tag, keep=same-zone, fallback=none'", "声明它：--router 'NAME: after=tag, keep=same-zone, fallback=none'";
    ReplayZones: "zones, which the router {router} compares", "路由 {router} 所比较的机房";
    ReplayNotGiven: "not given", "未提供";
    HowZones: "give --zone NAME=CIDR or --zone-key KEY, and --consumer-zone NAME", "提供 --zone NAME=CIDR 或 --zone-key KEY，以及 --consumer-zone NAME";
    ReplayConsumerAddress: "the consumer's address", "消费者的地址";
    HowConsumerIp: "give --consumer-ip", "提供 --consumer-ip";
    ReplayConsumerApplication: "the consumer's application", "消费者的应用名";
    HowConsumerApp: "give --consumer-app", "提供 --consumer-app";
    HowVersion: "give --dubbo", "提供 --dubbo";
    ReplayThrown: "throws {error}", "抛出 {error}";
    RuleGiven: "a rule given on the command line", "命令行给出的规则";
    DoTryCandidate: "try a corrected rule before it is published", "发布之前先试改正后的规则";
    LintPreviousStays: "a running consumer keeps the rule it had, a starting one has none", "运行中的消费者保留之前的规则，启动中的消费者没有规则";
    LintUrlLeftOut: "this URL is logged and left out, or loses the whole notification", "该 URL 会被记入日志并略过，或使整个通知失效";
    LintHint: "{hint}", "提示：{hint}";
    LintWrite: "write `{text}`", "应写为 `{text}`";
    LintQuote: "write {text} if a text is meant", "若要表示文本，请写为 {text}";
    LintDidYouMean: "did you mean `{near}`?", "是否想写 `{near}`？";
    LintKeyIgnored: "it is dropped without a word", "它会被悄悄丢弃";
    LintReadSince: "read from Dubbo {version} on", "从 Dubbo {version} 起才读取";
    LintMarkSkipped: "SnakeYAML skips the byte order mark at the start; other readers of the rule may not", "SnakeYAML 会跳过开头的字节序标记，其他读取者未必如此";
    LintSaveWithoutMark: "save the file as UTF-8 without a byte order mark", "请以不带字节序标记的 UTF-8 保存";
    LintTabIsBlank: "a TAB here is white space for Dubbo, too", "此处的 TAB 对 Dubbo 而言也是空白";
    LintTabRefused: "a TAB cannot stand here: YAML indents and separates with blanks", "此处不能有 TAB：YAML 使用空格缩进和分隔";
    LintSignIsPart: "for Dubbo it is a letter of the word in which it stands: the word equals nothing else", "对 Dubbo 而言它是所在单词的一部分：该单词不等于任何其他单词";
    LintUseBlank: "type it again with plain blanks", "请改用普通空格重新输入";
    LintSplitPair: "SnakeYAML 2.3 throws when such a character lies on the border of two reads of 1,024 units", "当此类字符位于两次 1,024 单元读取的边界时，SnakeYAML 2.3 会抛出异常";
    LintMoveSign: "add or remove one character before it, for example in a comment at the top", "在它之前增加或删除一个字符，例如在开头加注释";
    LintLastWins: "the last one counts, the first is dropped without a word", "只有最后一个有效，前一个被悄悄丢弃";
    LintMergeKeys: "keep one, with the content of both where both are meant", "只保留一个；若两者都需要，请合并内容";
    LintLastTagWins: "of tags with equal names the last one counts", "同名标签中只有最后一个有效";
    LintCountsAs: "it counts as {value}", "它被当作 {value}";
    LintWriteTrueOrFalse: "write `{value}`, or its opposite", "请写 `{value}`，或其反面";
    LintRefusesType: "this field must be a text: the version refuses the whole rule", "该字段必须是文本：此版本会拒绝整个规则";
    LintNullText: "nothing stands here, and Dubbo makes the text `null` of it", "此处为空，Dubbo 会将其变为文本 `null`";
    LintTextOfValue: "Dubbo compares the text `{value}`", "Dubbo 用于比较的文本是 `{value}`";
    LintNumberDropped: "a value of another class is dropped without a word: the field counts as missing", "类型不符的值会被悄悄丢弃：该字段视为缺失";
    LintNeedsList: "a list is needed; anything else counts as missing", "此处需要列表；其他形式一律视为缺失";
    LintNeedsMap: "a map of `name: value` pairs is needed here", "此处需要由 `name: value` 组成的映射";
    LintNeedsText: "one text is needed here", "此处需要一个文本";
    LintPrintedForm: "Dubbo takes the printed form of it (`a=b` in braces) for the text", "Dubbo 会把它打印出来的形式（花括号中的 `a=b`）当作文本";
    LintQuoteWhole: "put the whole item in quotes: a `: ` inside makes a map of it", "请给整个条目加引号：其中的 `: ` 会使它变成映射";
    LintFullWidth: "{sign} is a letter for Dubbo, no punctuation", "{sign} 对 Dubbo 而言是字母，不是标点";
    LintNoOperator: "a condition has only `=>`, `&`, `=`, `!=` and `,`; this is taken for a key or refused", "条件中只有 `=>`、`&`、`=`、`!=` 和 `,`；这里会被当作键或被拒绝";
    LintOrIsComma: "several values are separated by commas; several conditions are several items", "多个值用逗号分隔；多个条件应写成多个条目";
    LintAndIsAmpersand: "write `&` between two comparisons", "两个比较之间应写 `&`";
    LintNotIsBang: "write `key != value`", "应写 `key != value`";
    LintInIsEquals: "write `key = value1,value2`", "应写 `key = value1,value2`";
    LintComparison: "there is no comparison of sizes: `<` and `>` are letters of a key or value", "没有大小比较：`<` 和 `>` 是键或值的一部分";
    LintRangeInstead: "name the values, or write a range `low~high` (whole numbers, 3.2 and later)", "请列出取值，或写区间 `low~high`（整数，3.2 及以后）";
    LintQuoteIsPart: "quotes are letters in a condition", "引号在条件中是普通字符";
    LintWithoutQuotes: "leave the quotes out; values cannot contain blanks", "请去掉引号；值中不能有空格";
    LintBareKey: "a key without a comparison: from 3.2 on it never holds, before only where the key is missing", "没有比较的键：3.2 起永远不成立，之前仅在该键缺失时成立";
    LintQuoteFlowItem: "was it meant as a value of the condition before? then put that whole condition in quotes", "是否本是前一条件的值？若是，请给整个条件加引号";
    LintCommaBetweenValues: "values are separated by commas, comparisons by `&`", "值之间用逗号，比较之间用 `&`";
    LintOneStar: "only the last `*` is a wildcard, the others are compared as they are: this equals no host", "只有最后一个 `*` 是通配符，其余按原样比较：它不等于任何主机";
    LintNoCidr: "conditions know no CIDR and no ranges of addresses: this equals no host", "条件不支持 CIDR 和地址区间：它不等于任何主机";
    LintHostWithoutPort: "`host` is the host alone: this equals no host; with a port it is `address`", "`host` 不含端口：它不等于任何主机；带端口应使用 `address`";
    LintAddressWithPort: "`address` is host and port: this equals no provider; the host alone is `host`", "`address` 包含主机和端口：它不等于任何提供者；仅主机应使用 `host`";
    LintConsumerWithoutPort: "a consumer has no port: this equals no consumer", "消费者没有端口：它不等于任何消费者";
    LintPortIsNumber: "a port is a number: this equals none", "端口是数字：它不等于任何端口";
    LintReferenceLeft: "`$name` is filled in on the right side only; here it is compared as it stands", "`$name` 只在右侧被替换；此处按原样比较";
    LintMethodRight: "on the right side this is a parameter of the provider's URL (the whole list of methods), not the call", "在右侧，它是提供者 URL 的参数（整个方法列表），而不是调用的方法";
    LintMethodLeft: "conditions on the call belong to the left side of `=>`", "对调用的条件应写在 `=>` 的左侧";
    LintAttachmentsSince: "`attachments[..]` is read from 3.2 on; before it is a parameter that nobody has", "`attachments[..]` 从 3.2 起才读取；之前是不存在的参数";
    LintAttachmentName: "a name with a dot is cut at the dot and never found", "带点的名称会在点处被截断，永远找不到";
    LintArgumentsSince: "`arguments[n]` is read from 2.7.11 on; before it is a parameter that nobody has", "`arguments[n]` 从 2.7.11 起才读取；之前是不存在的参数";
    LintArgumentIndex: "the index must be a number: this argument is never found", "下标必须是数字：永远找不到该参数";
    LintCallOnLeft: "the right side knows no call: this is never found there", "右侧没有调用信息：在那里永远找不到";
    LintUnknownFamily: "only `arguments[..]` and `attachments[..]` are known; this is a parameter that nobody has", "只有 `arguments[..]` 和 `attachments[..]`；这是不存在的参数";
    LintKeyIsParameter: "keys are case-sensitive; this one is a parameter of that name, which is hardly there", "键区分大小写；这会被当作同名参数，通常并不存在";
    LintRangeSince: "`~` makes a range from 3.2 on; before it is an ordinary character", "`~` 从 3.2 起表示区间；之前是普通字符";
    LintRangeInvalid: "this is no range: it fails on the left side and passes on the right", "这不是区间：在左侧不成立，在右侧成立";
    LintRangeForm: "write `low~high` or `~high` with whole numbers", "请写整数的 `low~high` 或 `~high`";
    LintPrefixDeleted: "Dubbo deletes `consumer.` and `provider.` wherever they stand, also inside of a value", "Dubbo 会删除任何位置的 `consumer.` 和 `provider.`，值中的也不例外";
    LintVersionClass: "YAML makes {class} of it, and the version refuses a rule whose `configVersion` is no text", "YAML 将其读作 {class}；`configVersion` 不是文本时，此版本会拒绝该规则";
    LintVersionTooNew: "the version ignores a rule of a format above v3.1", "此版本忽略高于 v3.1 的格式";
    LintVersionOldForm: "without the `v` it is no version that the reader knows: the rule is read in the old form", "没有 `v` 就不是读取者认识的版本：按旧格式读取";
    LintDestinationsAsText: "`from` and `to` are read from 3.3 on and under `configVersion: v3.1` only: here each entry is printed and read as an old condition", "`from` 和 `to` 从 3.3 起、且仅在 `configVersion: v3.1` 下读取：此处每个条目会被打印后按旧条件读取";
    LintMatchUnread: "`match` is read under `configVersion: v3.0` only: the tag has no addresses", "`match` 仅在 `configVersion: v3.0` 下读取：该标签没有地址";
    LintConfigMatchUnread: "`match` is looked at under `configVersion: v3.0` only: the item applies without it", "`match` 仅在 `configVersion: v3.0` 下生效：该条目会不加条件地应用";
    LintAffinityVersion: "affinity rules need `configVersion: v3.1`", "亲和性规则需要 `configVersion: v3.1`";
    LintNoConditions: "without conditions the rule is not valid: a running consumer keeps the conditions it had", "没有条件的规则无效：运行中的消费者保留之前的条件";
    LintNotValid: "`valid` is false: a running consumer keeps the conditions it had", "`valid` 为 false：运行中的消费者保留之前的条件";
    LintNeverApplies: "the left side can never hold: the condition is passed over", "左侧永远不成立：该条件会被跳过";
    LintSelectsNobody: "the right side fits nobody, and without `force` the condition is then ignored", "右侧不匹配任何提供者；没有 `force` 时该条件会被忽略";
    LintSelectsNobodyOf: "the right side fits none of the {count} known providers, and without `force` the condition is then ignored", "右侧不匹配已知的 {count} 个提供者中的任何一个；没有 `force` 时该条件会被忽略";
    LintExcludesNobody: "the right side fits everybody: nothing is excluded", "右侧匹配所有提供者：不排除任何一个";
    LintExcludesNobodyOf: "the right side fits all {count} known providers: nothing is excluded", "右侧匹配已知的全部 {count} 个提供者：不排除任何一个";
    LintForcedNobody: "the right side can fit nobody, and `force` keeps the empty result", "右侧不可能匹配任何提供者，而 `force` 会保留空结果";
    LintForcedNobodyOf: "the right side fits none of the {count} known providers, and `force` keeps the empty result", "右侧不匹配已知的 {count} 个提供者中的任何一个，而 `force` 会保留空结果";
    LintForcedTag: "no known provider has an address of this tag, and `force` forbids to fall back", "没有已知的提供者属于该标签，而 `force` 禁止回退";
    LintBlocksAll: "an empty right side under a left side that always holds: every call is refused, whatever `force` says", "左侧恒成立而右侧为空：无论 `force` 如何，所有调用都会被拒绝";
    LintDestinationNobody: "this destination fits nobody and is passed over", "该目标不匹配任何提供者，会被跳过";
    LintWeightDefault: "a weight of 0 or less counts as 100", "小于等于 0 的权重按 100 计";
    LintRemoveDestination: "remove the destination if it shall get nothing", "若不应有流量，请删除该目标";
    LintFitsNobody: "it is compared as it stands", "它会按原样比较";
    LintNoTags: "without tags the rule is not valid: only the tags in the providers' own URLs count", "没有标签的规则无效：只有提供者自身 URL 中的标签有效";
    LintTagWithoutName: "a tag without a name is never asked for", "没有名称的标签永远不会被请求";
    LintTagWithoutAddresses: "a tag without addresses: only the tags in the providers' own URLs count for it", "没有地址的标签：只有提供者自身 URL 中的标签有效";
    LintGiveAddresses: "give the tag addresses, or conditions under `match`", "请为标签写出地址，或在 `match` 下写条件";
    LintAddressesWin: "a tag with addresses has its `match` passed over", "有地址的标签，其 `match` 会被忽略";
    LintAddressForm: "this is no address expression, it is logged and passed over: {problem}", "这不是地址表达式，会被记入日志并跳过：{problem}";
    LintNobodyReads: "no router of this version reads such a rule", "此版本没有路由器读取这种规则";
    LintNoScript: "without a script the rule passes everything on", "没有脚本的规则会放行所有地址";
    LintEngineMissing: "Java {jdk} brings no engine of that name: the rule is refused when it arrives", "Java {jdk} 没有该名称的引擎：规则到达时会被拒绝";
    LintEngineForeign: "no Java brings an engine of that name by itself", "任何 Java 都不自带该名称的引擎";
    LintAddEngine: "add the engine to the consumer (Nashorn: org.openjdk.nashorn:nashorn-core), or use a condition rule", "为消费者添加引擎（Nashorn：org.openjdk.nashorn:nashorn-core），或改用条件规则";
    LintAffinityUnread: "no Dubbo up to 3.3.6 registers the affinity routers: nobody reads this key", "直到 3.3.6 的 Dubbo 都未注册亲和性路由器：没有人读取此键";
    LintRegisterAffinity: "use a condition rule (`=> region = $region`), or register the routers' factories yourself", "请使用条件规则（`=> region = $region`），或自行注册路由器工厂";
    LintMeshNoStandard: "no document is of the type `standard`: `metadata.name` must be a name without a dot", "没有 `standard` 类型的文档：`metadata.name` 必须是不含点的名称";
    LintMeshOneKind: "a `VirtualService` and a `DestinationRule` are needed, both under this key: the rules that were in force stay", "此键下需要同时有 `VirtualService` 和 `DestinationRule`：之前生效的规则保留";
    LintMeshKind: "documents of another kind than `VirtualService` and `DestinationRule` are passed over", "除 `VirtualService` 和 `DestinationRule` 之外的文档会被忽略";
    LintMeshSubset: "no `DestinationRule` has this subset: the destination selects nobody", "没有 `DestinationRule` 定义该 subset：该目标不选择任何提供者";
    LintNoConfigs: "the rule sets nothing: a running consumer keeps the rules it had", "该规则没有设置任何内容：运行中的消费者保留之前的规则";
    LintNoSide: "without `side` it is never applied", "没有 `side` 就永远不会应用";
    LintOtherSide: "only `consumer` and `provider` are sides: it is never applied", "`side` 只能是 `consumer` 或 `provider`：它永远不会应用";
    LintTypeNeedsEnabled: "with a `type` other than `general` the item needs its own `enabled: true`: without it is off", "`type` 不是 `general` 时，条目需要自己的 `enabled: true`：没有则为关闭";
    LintMatchPassedOver: "this `match` cannot be read and is passed over, the item applies without it: {problem}", "该 `match` 无法读取而被忽略，条目会不加条件地应用：{problem}";
    LintServicesUnread: "in an application's rule `services` is read from 3.2 on: before the item applies to all services", "在应用级规则中，`services` 从 3.2 起才读取：之前该条目适用于所有服务";
    LintKeyDiffers: "the rule is kept under {key} and says that it is for another: it never applies there", "规则存放在 {key} 下，却声明针对其他对象：在那里永远不会应用";
    LintHostNeverEqual: "this is compared with an address as it stands, and no host is called so; every host is `0.0.0.0`", "它会按原样与地址比较，没有主机叫这个名字；任意主机应写 `0.0.0.0`";
    LintPortOnConsumer: "before 3.2 an item for consumers must name no port", "3.2 之前，针对消费者的条目不能写端口";
    LintNoPattern: "there are no patterns here: it is compared as it stands", "此处不支持模式：按原样比较";
    LintParameterRemoved: "a rule cannot set this parameter: it is removed before the rule is applied", "规则不能设置该参数：应用之前会被移除";
    LintValueCut: "the value is pasted into a URL: from the `&` on it becomes another parameter", "该值会被拼入 URL：`&` 之后会变成另一个参数";
    LintCategory: "without its category nobody asks for this URL", "没有相应的 category，不会有人查询该 URL";
    LintNoParameters: "it sets nothing and is passed over", "它没有设置任何内容，会被忽略";
    LintUrlRouterGone: "this version has no router for such a URL: it logs `convert router url to router error` and goes on", "此版本没有处理这种 URL 的路由器：记录 `convert router url to router error` 后继续";
    LintConfigCentreRule: "write it as a rule of the config centre", "请改写为配置中心的规则";
    LintMigration27: "2.7 cannot take a step from a rule: whatever it says, the step is `FORCE_INTERFACE`", "2.7 无法从规则读取步骤：无论写什么，步骤都是 `FORCE_INTERFACE`";
    LintMigrationEmpty: "it sets neither a step nor anything else", "它既没有设置步骤，也没有设置其他内容";
    LintMigrationNoKey: "without `serviceKey` it is for nobody", "没有 `serviceKey` 就不针对任何对象";
    LintMigrationGroup: "the key of an interface here is `interface[:version]`, never with a group: it is never found", "此处接口的键是 `interface[:version]`，不含分组：永远找不到";
    LintConsumerJava: "the Java of the consumer", "消费者的 Java 版本";
    LintHowJava: "give it with --jdk: whether the script can run depends on it", "用 --jdk 指定：脚本能否运行取决于它";
    LintProviders: "the providers that the rule concerns", "规则所涉及的提供者";
    LintProvidersOf: "providers of {service}", "{service} 的提供者";
    LintHowProviders: "give --snapshot, --registry or --providers to have addresses compared", "用 --snapshot、--registry 或 --providers 提供，以便比较地址";
    LintKeyOfApplication: "the key names an application, not a service", "键指的是应用，而不是服务";
    LintHowService: "name the service: --service [group/]interface[:version]", "指定服务：--service [group/]interface[:version]";
}
