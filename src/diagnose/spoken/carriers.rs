//! Sentences with which a consumer's log accompanies a cause: its start, its registries' clients, its connections, caches and
//! notifications, of 2.6 to 3.3. They lead only where no other sentence of the text tells more. Data, and nothing else.

use super::phrases::{
    Phrase,
    To::{D, N},
};

/// Fixed parts and where they lead, as in the first list.
pub(super) const CARRIERS: &[Phrase] = &[
    // nacos-client and what Dubbo makes of its answers.
    (&["http error, code=403"], &[N(1003), D("5-34")]),
    (&["nacosexception: user not found"], &[N(1003)]),
    (&["nacosregistry", "user not found!"], &[N(1003)]),
    (&["nacos", "user not found!"], &[N(1003)]),
    (&["httploginprocessor", "login failed"], &[N(1003), N(1002)]),
    (
        &["[publish-single] fail", "code=403"],
        &[N(1003), D("5-34")],
    ),
    (&["[publish-single] fail"], &[D("5-34"), N(1003)]),
    (&["redo instance operation register"], &[N(2110), N(1003)]),
    (&["redo subscriber operation register"], &[N(1003), N(1001)]),
    (
        &["grpc connection is disconnect, skip current redo task"],
        &[N(1005), N(1001)],
    ),
    (
        &["execute listen config change error"],
        &[D("5-34"), N(1001)],
    ),
    (
        &["failed to request nacos naming server"],
        &[N(1001), N(1005), N(1003)],
    ),
    (
        &["failed to lookup ", "from nacos"],
        &[N(1001), N(1003), D("1-37")],
    ),
    (
        &["failed to get all servicename from nacos"],
        &[N(1001), N(1003), D("1-37")],
    ),
    (
        &["failed to filter servicename from nacos"],
        &[N(1001), N(1003), D("1-37")],
    ),
    (&["failed to subscribe ", "to nacos"], &[N(1001), N(1003)]),
    (&["nacos publishconfigcas failed"], &[N(4001), D("5-10")]),
    (
        &["received not empty notification for legacy service name"],
        &[D("1-42"), N(2104)],
    ),
    // Curator, the ZooKeeper client, zkclient of 2.6.
    (
        &["background exception was not retry-able or retry gave up"],
        &[N(1001), N(1004)],
    ),
    (
        &["closing socket connection. attempting reconnect"],
        &[N(1001), N(1004)],
    ),
    (
        &["curator zookeeper connection of session", "timed out"],
        &[N(1001), N(1004)],
    ),
    (
        &["curator zookeeper session", "expired"],
        &[N(1001), N(3005)],
    ),
    (
        &["curator client state changed, but failed to get"],
        &[N(1001), D("1-35")],
    ),
    (
        &["ephemeral znode will not get deleted"],
        &[N(1001), N(3005)],
    ),
    (
        &["url of this instance will be deleted from registry soon"],
        &[N(1001), D("1-35")],
    ),
    (
        &["trying to recover from new zkclient session failed"],
        &[N(1001), D("1-35")],
    ),
    (
        &["zookeeper client initialization failed"],
        &[N(1001), N(1004)],
    ),
    (
        &["failed to connect to zookeeper server"],
        &[N(1001), N(1004)],
    ),
    (
        &["zookeeper server can not be connected"],
        &[N(1001), N(1004)],
    ),
    (
        &["got an exception when trying to create zkclient instance"],
        &[N(1001), N(1004)],
    ),
    (
        &["create zookeeper service discovery failed"],
        &[N(1001), N(1003)],
    ),
    (
        &["failed to lookup ", "from zookeeper"],
        &[N(1001), N(1003), D("1-35")],
    ),
    (
        &["failed to subscribe ", "to zookeeper"],
        &[N(1001), N(1003)],
    ),
    (&["client get children error"], &[D("1-35"), N(1001)]),
    // Registries of either kind.
    (&["can not create registry "], &[N(1001), N(107)]),
    (&["failed to obtain or create registry"], &[N(1001), N(107)]),
    (&["illegal registry url"], &[N(107)]),
    (
        &["failed to get extension (org.apache.dubbo.registry.registryfactory)"],
        &[N(107)],
    ),
    (
        &["failed to register ", "waiting for retry"],
        &[N(2110), N(1001)],
    ),
    (&["failed register instance"], &[N(2110), D("1-11")]),
    (
        &["failed subscribe service:"],
        &[N(1001), N(1003), D("1-7")],
    ),
    (
        &["failed to retry register ", "waiting for again"],
        &[N(2110), D("1-13")],
    ),
    (
        &["failed to retry ", "waiting for again"],
        &[N(1001), D("1-13")],
    ),
    (
        &["failed to notify addresses for subscribe"],
        &[D("1-7"), N(2107)],
    ),
    (&["failed to notify registry event"], &[D("1-7"), N(2107)]),
    (&["failed to notify for subscribe"], &[D("1-7"), N(2107)]),
    (
        &["error occurred when notify directory"],
        &[D("1-7"), N(2107)],
    ),
    (
        &["invalid address, failed to parse into url"],
        &[D("1-1"), N(2105)],
    ),
    (
        &["received url without any parameters"],
        &[D("1-5"), N(2105)],
    ),
    (
        &["received empty url address list and empty protection is"],
        &[D("1-4"), N(3009)],
    ),
    (&["registry cache file"], &[D("1-9"), D("0-3")]),
    (&["registry store file"], &[D("1-9"), D("0-3")]),
    (&["cache directory inaccessible"], &[D("0-3")]),
    (
        &["execute action throws and dispatch a servicediscoveryexceptionevent"],
        &[D("1-12"), N(1001)],
    ),
    (
        &[
            "registry",
            "notification scheduler is off, no notifications are sent",
        ],
        &[D("1-7"), N(6009)],
    ),
    // Mapping, metadata, migration.
    (
        &["address refresh try task submitted"],
        &[N(4004), D("1-17")],
    ),
    (
        &["received address refresh retry event"],
        &[N(4004), D("1-17")],
    ),
    (&["retrying address notification"], &[N(4004), D("1-17")]),
    (&["ignore retry event, event time:"], &[N(4004), D("1-17")]),
    (
        &["error submitting async retry task"],
        &[N(4004), D("1-17")],
    ),
    (
        &["failed getting mapping info from remote center"],
        &[N(4001), N(1001)],
    ),
    (
        &["failed registering mapping to remote"],
        &[N(4001), D("5-10")],
    ),
    (
        &["no valid metadata config center found for mapping report"],
        &[N(4001), D("5-10")],
    ),
    (
        &["failed to load service metadata, metadata type is"],
        &[N(4003), N(4004)],
    ),
    (&["failed to get app metadata from"], &[N(4003), N(4004)]),
    (&["metadatav2 not found for revision"], &[N(4003), N(4005)]),
    (
        &["are using metadataservicev2, which is not support"],
        &[N(4004)],
    ),
    (&["the metadata report was not inited"], &[N(4003)]),
    (
        &["the metadata reporter failed to initialize"],
        &[N(4003), N(1001)],
    ),
    (&["can not create metadata report"], &[N(4003), N(1001)]),
    (
        &["publish service definition metadata error"],
        &[N(4003), D("3-2")],
    ),
    (
        &["missing configuration of metadata service port"],
        &[N(4004), D("1-18")],
    ),
    (
        &["no metadataconfig found, metadata center address is required"],
        &[N(4003)],
    ),
    (
        &["inconsistent instance metadata found in different services"],
        &[N(4005), N(4003)],
    ),
    (&["error occurred when migration"], &[N(4008), N(4010)]),
    (&["migration async task failed"], &[N(4008), N(4010)]),
    (&["waiting for migration async task"], &[N(4008), N(4010)]),
    (
        &["step or threshold of migration rule cannot be null"],
        &[N(4010)],
    ),
    (&["poll rule from config center failed"], &[N(4010)]),
    (&["invalid migration delay param"], &[N(4010)]),
    (&["received empty migration rule, will ignore"], &[N(4010)]),
    // Routers.
    (&["route error, rule has been ignored"], &[N(5011), N(5010)]),
    (&["unsupported route rule type"], &[N(5011)]),
    (&["illegal route rule!"], &[N(5006), N(8006)]),
    (
        &["invalid condition config version number"],
        &[N(5006), N(8004)],
    ),
    (&["error occurred when parsing rule component"], &[N(5006)]),
    (&["failed to parse tag rule"], &[N(5006)]),
    (&["failed to parse mesh route rule"], &[N(5006)]),
    (
        &["it's recommended to use 'match' instead of 'addresses'"],
        &[N(8004), N(5007)],
    ),
    (
        &["executing condition rule value match expression error"],
        &[N(5007), N(8006)],
    ),
    (&["arguments match failed, matchpair"], &[N(5007), D("2-7")]),
    (
        &["condition state router", "match failed"],
        &[N(5007), D("2-7")],
    ),
    (
        &["parse argument match condition failed"],
        &[N(5007), D("2-7")],
    ),
    (
        &["error occurred when refreshing router chain"],
        &[N(5014), N(5006)],
    ),
    (
        &["failed to get extension (org.apache.dubbo.rpc.cluster.routerfactory)"],
        &[N(5010)],
    ),
    (
        &["failed to get extension (org.apache.dubbo.rpc.cluster.router.state.staterouterfactory)"],
        &[N(5010)],
    ),
    // Calls and connections.
    (
        &["may because invokers list dynamic change"],
        &[D("2-5"), N(3006)],
    ),
    (&["error occurred when check connectivity"], &[N(3006)]),
    (
        &["the connection [", "has exception"],
        &[N(3006), D("6-1"), N(6010)],
    ),
    (
        &["failed to start ", "connect to the server"],
        &[N(3006), D("6-1")],
    ),
    (
        &["failed to send message ", "cause: channel closed"],
        &[N(6007), N(3006)],
    ),
    (
        &["trying to close channel", "but response is not received"],
        &[N(6007), N(7001)],
    ),
    (&["lazyconnectexchangeclient is not connected"], &[N(3006)]),
    (&["channeleventrunnable handle"], &[D("99-0"), N(6006)]),
    (&["failfast invoke providers"], &[D("2-10"), N(3006)]),
    (&["failback background works error"], &[D("2-9")]),
    (&["can not merge result"], &[D("2-20")]),
    (&["there is no merger to merge result"], &[D("2-4")]),
    (
        &[
            "no available provider for service",
            "will continue to try another group",
        ],
        &[D("2-2"), D("2-20")],
    ),
    (
        &["invoke remote method failed cause by serialization error"],
        &[N(6008), D("4-6")],
    ),
    (
        &["interrupted unexpectedly while waiting for remote result"],
        &[D("0-6")],
    ),
    (
        &["local service for ", "has not been exposed yet"],
        &[N(2109)],
    ),
    // The start.
    (
        &["in mesh mode, the providedby of referenceconfig is must be set"],
        &[N(4011)],
    ),
    (&["refer catch error"], &[D("5-15"), D("2-2")]),
    (&["failed to refer services"], &[D("5-15"), D("2-2")]),
    (&["registry id ", "does not exist"], &[N(2109), N(107)]),
];
