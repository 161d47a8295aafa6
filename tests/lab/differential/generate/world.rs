//! A consumer, its providers and a call.

use serde_json::{Map, Value, json};

use super::dice::Dice;

pub(super) const INTERFACE: &str = "com.acme.StockService";
pub(super) const REGIONS: [&str; 5] = ["north", "south", "north-a", "n", "west"];
pub(super) const ENVS: [&str; 5] = ["gray", "prod", "pre", "dev1", "dev2"];
pub(super) const TAGS: [&str; 6] = ["gray", "blue", "canary", "gray|blue", "gray|blue|v2", "b"];
pub(super) const METHODS: [&str; 7] = [
    "reserve", "release", "findAll", "findById", "getStock", "setStock", "$echo",
];
const PROVIDER_APPS: [&str; 5] = ["stock", "stock", "stock", "warehouse", "stock-v2"];
const CONSUMER_APPS: [&str; 4] = ["shop", "shop-web", "shop_batch", "shop.pay"];

/// Parameters of a URL, in order.
#[derive(Debug, Clone, Default)]
pub(super) struct Parameters(Vec<(String, String)>);

impl Parameters {
    pub(super) fn set(&mut self, key: &str, value: impl Into<String>) {
        let value = value.into();
        match self.0.iter_mut().find(|(name, _)| name == key) {
            Some((_, old)) => *old = value,
            None => self.0.push((key.to_owned(), value)),
        }
    }

    pub(super) fn value(&self, key: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(name, _)| name == key)
            .map(|(_, value)| value.as_str())
    }

    pub(super) fn remove(&mut self, key: &str) {
        self.0.retain(|(name, _)| name != key);
    }

    pub(super) fn all(&self) -> &[(String, String)] {
        &self.0
    }

    fn query(&self) -> String {
        let pairs: Vec<String> = self
            .0
            .iter()
            .map(|(key, value)| format!("{key}={value}"))
            .collect();
        pairs.join("&")
    }
}

/// A provider's entry.
#[derive(Debug, Clone)]
pub(super) struct Peer {
    pub(super) protocol: String,
    pub(super) host: String,
    /// As text: forms of URLs leave it out or write it oddly.
    pub(super) port: String,
    pub(super) path: String,
    pub(super) parameters: Parameters,
    /// Further text at the end of the query.
    end: String,
}

impl Peer {
    pub(super) fn address(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    fn url(&self) -> String {
        let port = if self.port.is_empty() {
            String::new()
        } else {
            format!(":{}", self.port)
        };
        format!(
            "{}://{}{port}/{}?{}{}",
            self.protocol,
            self.host,
            self.path,
            self.parameters.query(),
            self.end
        )
    }
}

/// Everything around the rules of a case.
#[derive(Debug)]
pub(super) struct World {
    pub(super) consumer_host: String,
    pub(super) consumer_app: String,
    pub(super) provider_app: String,
    pub(super) version: Option<&'static str>,
    pub(super) group: Option<&'static str>,
    pub(super) consumer: Parameters,
    pub(super) providers: Vec<Peer>,
    pub(super) method: String,
    pub(super) types: Vec<String>,
    pub(super) arguments: Vec<Value>,
    pub(super) attachments: Map<String, Value>,
}

impl World {
    pub(super) fn new(dice: &mut Dice) -> Self {
        let network = dice.weigh(&[
            (4, "10.30."),
            (2, "192.0.2."),
            (2, "203.0.113."),
            (2, "127.0."),
        ]);
        let host = |dice: &mut Dice| {
            let last = dice.number(1..=40);
            if network.matches('.').count() == 3 {
                format!("{network}{last}")
            } else {
                format!("{network}{}.{last}", dice.number(1..=4))
            }
        };
        let consumer_host = if network == "127.0." && dice.chance(50) {
            "127.0.0.1".into()
        } else {
            host(dice)
        };
        let consumer_app = dice.text(&CONSUMER_APPS);
        let provider_app = dice.text(&PROVIDER_APPS);
        let version = dice.weigh(&[(6, None), (2, Some("1.0.0")), (1, Some("2.0"))]);
        let group = dice.weigh(&[(7, None), (2, Some("blue")), (1, Some("g1"))]);
        let mut consumer = Parameters::default();
        consumer.set("application", consumer_app.clone());
        consumer.set("interface", INTERFACE);
        consumer.set("side", "consumer");
        identify(&mut consumer, version, group);
        describe(dice, &mut consumer, 60);
        if dice.chance(25) {
            consumer.set("methods", dice.some(&METHODS, 3).join(","));
        }
        if dice.chance(6) {
            consumer.set("dubbo.tag", dice.text(&TAGS));
        }
        if dice.chance(8) {
            consumer.set("weight", "50");
        }
        let tagged = dice.weigh(&[(7, 0), (2, 20), (1, 60)]);
        let count = dice.weigh(&[(2, 1), (4, 2), (6, 3), (4, 4), (3, 5), (2, 7), (1, 10)]);
        let count = if dice.chance(1) { 0 } else { count };
        let providers = (0..count)
            .map(|_| {
                let mut parameters = Parameters::default();
                let app = if dice.chance(15) {
                    dice.text(&PROVIDER_APPS)
                } else {
                    provider_app.clone()
                };
                parameters.set("application", app);
                parameters.set("interface", INTERFACE);
                parameters.set("side", "provider");
                identify(&mut parameters, version, group);
                describe(dice, &mut parameters, 70);
                if dice.chance(tagged) {
                    parameters.set("dubbo.tag", dice.text(&TAGS));
                }
                if dice.chance(40) {
                    parameters.set("weight", dice.text(&["0", "50", "100", "200"]));
                }
                if dice.chance(40) {
                    parameters.set(
                        "methods",
                        dice.text(&["reserve", "reserve,release,findAll", "$echo", "*"]),
                    );
                }
                if dice.chance(25) {
                    parameters.set("release", dice.text(&["2.7.23", "3.2.16", "3.3.6"]));
                }
                if dice.chance(3) {
                    parameters.remove("application");
                }
                Peer {
                    protocol: dice.weigh(&[(12, "dubbo"), (1, "tri"), (1, "rest")]).into(),
                    host: host(dice),
                    port: dice
                        .weigh(&[(6, "20880"), (2, "20881"), (1, "20882"), (1, "50051")])
                        .into(),
                    path: INTERFACE.into(),
                    parameters,
                    end: String::new(),
                }
            })
            .collect();
        let (types, arguments) = arguments(dice);
        Self {
            consumer_host,
            consumer_app,
            provider_app,
            version,
            group,
            consumer,
            providers,
            method: dice.text(&METHODS),
            types,
            arguments,
            attachments: attachments(dice),
        }
    }

    /// One of the providers, or one that is not there.
    pub(super) fn peer(&self, dice: &mut Dice) -> Peer {
        if self.providers.is_empty() {
            return Peer {
                protocol: "dubbo".into(),
                host: "10.30.9.9".into(),
                port: "20880".into(),
                path: INTERFACE.into(),
                parameters: Parameters::default(),
                end: String::new(),
            };
        }
        dice.pick(&self.providers).clone()
    }

    /// Whether a host is a name: address patterns would look it up.
    pub(super) fn has_names(&self) -> bool {
        self.providers.iter().any(|peer| {
            peer.host.chars().any(|c| c.is_ascii_alphabetic()) && !peer.host.contains(':')
        })
    }

    /// Turns the call into a generic one.
    pub(super) fn call_generic(&mut self, dice: &mut Dice) {
        if dice.chance(90) {
            self.attachments.insert(
                "generic".into(),
                json!(dice.word(&["true", "nativejava", "bean", "false"])),
            );
        }
        let types = std::mem::take(&mut self.types);
        let arguments = std::mem::take(&mut self.arguments);
        let name = std::mem::replace(
            &mut self.method,
            dice.text(&["$invoke", "$invoke", "$invokeAsync"]),
        );
        self.types = [
            "java.lang.String",
            "java.lang.String[]",
            "java.lang.Object[]",
        ]
        .map(str::to_owned)
        .to_vec();
        self.arguments = vec![json!(name), json!(types), json!(arguments)];
        if dice.chance(5) {
            self.types.truncate(2);
            self.arguments.truncate(2);
        }
    }

    /// Lets the call or the consumer ask for a tag.
    pub(super) fn ask_for_tag(&mut self, dice: &mut Dice) {
        self.consumer.remove("dubbo.tag");
        let mut tag = dice.text(&TAGS);
        if dice.chance(30)
            && let Some(own) = self.peer(dice).parameters.value("dubbo.tag")
        {
            own.clone_into(&mut tag);
        }
        match dice.number(0..=9) {
            0..=3 => {
                self.attachments.insert("dubbo.tag".into(), json!(tag));
            }
            4 | 5 => self.consumer.set("dubbo.tag", tag),
            6 => {
                self.attachments.insert("dubbo.tag".into(), json!(tag));
                self.consumer.set("dubbo.tag", dice.text(&TAGS));
            }
            7 => {
                let odd = [
                    json!(""),
                    json!("GRAY"),
                    json!(" gray"),
                    json!("none"),
                    json!(5),
                ];
                self.attachments
                    .insert("dubbo.tag".into(), dice.pick(&odd).clone());
            }
            _ => {}
        }
        if dice.chance(22) {
            let value = dice.text(&["true", "true", "true", "false", "TRUE", "1", ""]);
            if dice.chance(60) {
                self.attachments
                    .insert("dubbo.force.tag".into(), json!(value));
            } else {
                self.consumer.set("dubbo.force.tag", value);
            }
        }
    }

    /// Gives URLs forms that are rare.
    pub(super) fn deform(&mut self, dice: &mut Dice) {
        let names = dice.chance(30);
        for peer in &mut self.providers {
            match dice.number(0..=9) {
                0 | 1 => {
                    peer.host = dice.text(&[
                        "[fe80:0:0:0:0:0:0:7]",
                        "[2001:db8:0:0:0:0:0:1]",
                        "[::1]",
                        "[2001:DB8::12]",
                    ]);
                }
                2 | 3 if names => {
                    peer.host = dice.text(&["node-1.acme.test", "NODE-2", "localhost"]);
                }
                4 => peer.port = dice.text(&["", "0", "80", "65535"]),
                5 => {
                    peer.path = dice.text(&[
                        "stock/com.acme.StockService",
                        "stock",
                        "a/b",
                        "com.acme.StockService/",
                    ]);
                }
                6 => peer.protocol = dice.text(&["tri", "rest", "DUBBO", "hessian"]),
                _ => {}
            }
            match dice.number(0..=9) {
                0 => peer.parameters.set("region", ""),
                1 => peer.parameters.set(
                    "env",
                    dice.text(&["gr ay", "gr+ay", "gr%20ay", "灰度", "a,b", "gray/1", "a=b"]),
                ),
                2 => peer.parameters.set("default.region", dice.text(&REGIONS)),
                3 => peer.parameters.set("reserve.region", dice.text(&REGIONS)),
                4 => {
                    peer.end = dice.text(&[
                        "&region=west",
                        "&&",
                        "&flag",
                        "&=x",
                        "&env=",
                        "&env=prod&env=gray",
                        "&a.b=c",
                    ]);
                }
                5 => peer.parameters.remove("interface"),
                6 => peer.parameters.set("dubbo", "2.0.2"),
                _ => {}
            }
            if dice.chance(8) {
                peer.parameters.set("remote.application", "warehouse");
            }
            if dice.chance(8) {
                peer.parameters.set("group", dice.text(&["blue", "*", ""]));
            }
        }
        match dice.number(0..=7) {
            0 => self.consumer.set("region", ""),
            1 => self
                .consumer
                .set("env", dice.text(&["gr ay", "灰度", "a,b", "gray*"])),
            2 => self.consumer.set("default.region", dice.text(&REGIONS)),
            3 => self.consumer.set("category", "consumers"),
            4 => self.consumer_host = dice.text(&["[fe80:0:0:0:0:0:0:9]", "web-1.acme.test"]),
            _ => {}
        }
    }

    /// The case with these rules.
    pub(super) fn case(&self, rules: Vec<Value>) -> Map<String, Value> {
        let consumer = format!(
            "consumer://{}/{INTERFACE}?{}",
            self.consumer_host,
            self.consumer.query()
        );
        let providers: Vec<String> = self.providers.iter().map(Peer::url).collect();
        let mut case = Map::new();
        case.insert("rules".into(), Value::Array(rules));
        case.insert("consumer".into(), json!(consumer));
        case.insert("method".into(), json!(self.method));
        case.insert("parameter_types".into(), json!(self.types));
        case.insert("arguments".into(), json!(self.arguments));
        case.insert(
            "attachments".into(),
            Value::Object(self.attachments.clone()),
        );
        case.insert("providers".into(), json!(providers));
        case
    }
}

fn identify(parameters: &mut Parameters, version: Option<&str>, group: Option<&str>) {
    if let Some(version) = version {
        parameters.set("version", version);
    }
    if let Some(group) = group {
        parameters.set("group", group);
    }
}

/// What rules like to look at.
fn describe(dice: &mut Dice, parameters: &mut Parameters, often: u32) {
    if dice.chance(often) {
        parameters.set("region", dice.text(&REGIONS));
    }
    if dice.chance(often - 10) {
        parameters.set("env", dice.text(&ENVS));
    }
    if dice.chance(25) {
        parameters.set("timeout", dice.text(&["500", "1000", "3000"]));
    }
    if dice.chance(25) {
        parameters.set("pid", dice.number(2..=99).to_string());
        parameters.set("timestamp", "1700000000000");
    }
}

fn arguments(dice: &mut Dice) -> (Vec<String>, Vec<Value>) {
    let pairs: Vec<(&str, Value)> = match dice.number(0..=19) {
        0..=6 => vec![],
        7..=10 => vec![(
            "java.lang.String",
            json!(dice.word(&["a1", "acme", "vip-7", "", "12", "灰"])),
        )],
        11..=13 => vec![("int", json!(dice.pick(&[1, 7, 42, 100, -3])))],
        14 | 15 => vec![
            ("java.lang.String", json!(dice.word(&["a1", "b2"]))),
            ("long", json!(dice.pick(&[5_i64, 15, 4_000_000_000]))),
        ],
        16 => vec![("boolean", json!(dice.chance(50)))],
        17 => vec![("java.lang.String", Value::Null)],
        18 => vec![("double", json!(dice.pick(&[1.5, 0.001, 1e10, -2.0, 3.25])))],
        _ => vec![
            dice.pick(&[
                ("java.util.List", json!(["a1", 7])),
                ("java.lang.String[]", json!(["a1"])),
                ("java.lang.Object", json!({"id": 1})),
                ("java.lang.Long", json!(7)),
                ("java.lang.Integer", json!(7)),
            ])
            .clone(),
        ],
    };
    pairs
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .unzip()
}

fn attachments(dice: &mut Dice) -> Map<String, Value> {
    let mut all = Map::new();
    if dice.chance(40) {
        all.insert(
            "tenant".into(),
            json!(dice.word(&["t1", "t2", "vip", "15"])),
        );
    }
    if dice.chance(15) {
        all.insert("user.id".into(), json!(dice.word(&["u1", "7"])));
    }
    if dice.chance(10) {
        all.insert("env".into(), json!(dice.pick(&ENVS)));
    }
    if dice.chance(6) {
        let odd = [json!(1), json!(20), json!(true), json!(""), json!("$host")];
        all.insert("level".into(), dice.pick(&odd).clone());
    }
    all
}
