//! What the routers cost for one call, beside the real chain (see the README of this folder for its figures).
//!
//! `cargo bench --bench routing` routes calls that all differ (argument and attachment) through prepared chains of
//! 1,000 and 10,000 providers: ten conditions, tags, destinations. In the rows named `mixed` one call after the other also
//! goes another way: four methods, some with the argument that a condition asks for, with several tags and without one.
//! `answer` is what is left, `trace` adds what went into and came out of every router, `reasons` also the clause and value that took each address away. Then how fast
//! condition rules are read. One thread; each figure is CPU time, the best of several rounds, since whatever else runs only ever adds to it.
//!
//! With `--real` Dubbo's own chain (`tests/lab/routers`, JDK 17 and Maven) routes the same call with the same rules and providers, and
//! reads the same rules, in the same run; it fails when that chain selects what ours does not allow. Unix only.

mod figure;
mod real;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hint::black_box;
use std::io::{self, Write as _};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use diag::model::url::{Url, encode};
use diag::model::version::DubboVersion;
use diag::route::AddressList;
use diag::route::application::{Application, Chain, Settings};
use diag::route::call::{Call, JavaValue};
use diag::route::declared::Zones;
use diag::route::provider::Provider;
use diag::route::set::AddressSet;
use diag::rule::condition;
use diag::view::directory::{Directory, Protocols, Subscription};
use figure::{Figure, grouped, quick};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;
use real::{Case, Of, Real, Rounds};

const VERSIONS: [&str; 2] = ["2.7.23", "3.3.6"];
const SIZES: [usize; 2] = [1_000, 10_000];
/// Calls that differ.
const CALLS: usize = 1_024;
const ROUNDS: usize = 5;
/// How many times as fast as the real chain is wanted.
const WANTED: f64 = 50.0;

const CONDITIONS: &str = "\
scope: service
force: true
runtime: true
enabled: true
conditions:
  - 'application=acme-pay => region=shanghai'
  - 'method=find*,list* => env=gray'
  - 'host=10.1.* => host=10.20.*'
  - 'method=getOrder => host=10.20.*'
  - 'application=acme-web & region=hangzhou => region=$region'
  - '=> port=20880'
  - 'host=127.0.0.1 => env!=dev1,dev2'
  - 'arguments[0]=vip => env=gray'
  - '=> timeout=1000,2000 & weight=100'
  - 'region=beijing => region=beijing'
";
const TAGS: &str = "\
force: true
enabled: true
runtime: true
tags:
  - name: gray
    addresses: ['10.20.0.*', '10.20.1.1-100:20880', '0.0.0.0:20881']
  - name: blue
    addresses: ['10.20.3.7:20880']
";
const DESTINATIONS: &str = "\
configVersion: v3.1
scope: service
force: true
enabled: true
conditions:
  - from: {match: 'region=hangzhou'}
    to:
      - {match: 'region=$region', weight: 900}
      - {match: 'region!=$region', weight: 100}
  - from: {match: 'method=getOrder'}
    to:
      - {match: 'port=20880'}
";
/// Rule, its key, its text, and what the consumer URL has more.
const RULES: [(&str, &str, &str, &str); 3] = [
    ("ten conditions", KEY, CONDITIONS, ""),
    ("tags", "acme-order.tag-router", TAGS, "&dubbo.tag=gray"),
    ("destinations", KEY, DESTINATIONS, ""),
];

const KEY: &str = "com.acme.OrderService::.condition-router";
const CONSUMER: &str = "consumer://127.0.0.1/com.acme.OrderService?application=acme-web&interface=com.acme.OrderService\
    &side=consumer&region=hangzhou";

type Rules = BTreeMap<String, String>;

fn round() -> Duration {
    Duration::from_millis(if quick() { 20 } else { 300 })
}

fn main() -> Result<()> {
    let mut real = BTreeMap::new();
    if std::env::args().any(|word| word == "--real") {
        for version in VERSIONS {
            let rounds = Rounds {
                warm: round() * 5,
                round: round(),
                number: ROUNDS,
            };
            real.insert(version, Real::start(version, rounds)?);
        }
    }
    writeln!(
        io::stdout(),
        "rule\tDubbo\tproviders\tleft\tanswer us\ttrace us\treasons us\tprepare ms"
    )?;
    for (name, key, text, more) in RULES {
        for version in VERSIONS {
            for size in if quick() { [50, 100] } else { SIZES } {
                let rule = Measured {
                    name,
                    rule: (key, text),
                    consumer: &format!("{CONSUMER}{more}"),
                    version,
                    providers: &providers(size),
                };
                rule.measure(true, None)?;
                // 2.7 refuses the document, and routes by nothing.
                let refused = name == "destinations" && version.starts_with("2.7");
                rule.measure(false, real.get_mut(version).filter(|_| !refused))?;
            }
        }
    }
    for version in VERSIONS {
        read_rules(version, real.get_mut(version))?;
    }
    Ok(())
}

/// A rule and what it is measured with.
struct Measured<'a> {
    name: &'a str,
    /// Key and text.
    rule: (&'a str, &'a str),
    consumer: &'a str,
    version: &'a str,
    providers: &'a [String],
}

impl Measured<'_> {
    fn measure(&self, mixed: bool, real: Option<&mut Real>) -> Result<()> {
        let (name, version, size) = (self.name, self.version, self.providers.len());
        let dubbo = DubboVersion::parse(version)?;
        let consumer = Url::parse(self.consumer, &dubbo)?;
        let list = addresses(&consumer, self.providers, &dubbo)?;
        let started = cpu();
        let rules = Rules::from([(self.rule.0.to_owned(), self.rule.1.to_owned())]);
        let mut application = Application::new(&dubbo, rules, Settings::default())
            .context("a version that is modelled")?;
        let chain = application.refer(&consumer, &[], list)?;
        let calls: Vec<Call> = (0..CALLS).map(|number| call(number, mixed)).collect();
        // Prepares the rules for the list, as the first call does.
        let trace = application.explain(&chain, &calls[0]);
        let prepared = cpu().saturating_sub(started);
        let outcome = trace.outcome?;
        let left = outcome.at_most().len();
        ensure!(left > 0, "{name} on {version} leaves nothing");
        let run = |each: fn(&Application<Rules>, &Chain, &Call)| {
            let mut at = 0;
            best(|| {
                each(&application, &chain, &calls[at % CALLS]);
                at += 1;
            })
        };
        let answer = run(|application, chain, call| {
            let _ = black_box(application.route(chain, call));
        });
        let traced = run(|application, chain, call| {
            let _ = black_box(application.trace(chain, call));
        });
        let reasons = run(|application, chain, call| {
            black_box(application.explain(chain, call));
        });
        writeln!(
            io::stdout(),
            "{name}{}\t{version}\t{size}\t{left}\t{}\t{}\t{}\t{:.1}",
            if mixed { ", mixed" } else { "" },
            micros(answer),
            micros(traced),
            micros(reasons),
            prepared.as_secs_f64() * 1e3
        )?;
        let Some(real) = real else {
            return Ok(());
        };
        let case = Case {
            consumer: self.consumer,
            providers: self.providers,
            rule: self.rule,
            call: &calls[0],
        };
        let (theirs, places) = real.measure(Of::Call, &case)?;
        let mut selected = AddressSet::none(size);
        for place in places {
            selected.insert(place);
        }
        ensure!(
            outcome.allows(&selected),
            "{name} on {version}: the real chain leaves {}, not {left}",
            selected.len()
        );
        let ratio = theirs.as_secs_f64() / reasons.as_secs_f64();
        Figure {
            part: 'a',
            what: format!(
                "a call: {name}, Dubbo {version}, {} providers",
                grouped(size)
            ),
            ours: format!("{} us, with reasons", micros(reasons)),
            reference: format!("{:.0} us, real chain", theirs.as_secs_f64() * 1e6),
            ratio: format!("{ratio:.0} times as fast"),
            wanted: Some((format!("{WANTED} times"), ratio >= WANTED)),
        }
        .print()?;
        Ok(())
    }
}

fn micros(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() * 1e6)
}

/// CPU time of this process so far.
fn cpu() -> Duration {
    let used = getrusage(UsageWho::RUSAGE_SELF).expect("every kernel counts it");
    let micros = (used.user_time() + used.system_time()).num_microseconds();
    Duration::from_micros(u64::try_from(micros).unwrap_or_default())
}

/// The time of one turn in the best of several rounds.
fn best(mut turn: impl FnMut()) -> Duration {
    let (round, mut best) = (round(), Duration::MAX);
    for _ in 0..ROUNDS {
        let started = cpu();
        let mut turns = 0;
        loop {
            for _ in 0..16 {
                turn();
            }
            turns += 16;
            let took = cpu().saturating_sub(started);
            if took >= round {
                best = best.min(took / turns);
                break;
            }
        }
    }
    best
}

fn call(number: usize, mixed: bool) -> Call {
    let text = |text: String| JavaValue::Text(text);
    let mut call = Call {
        method: "getOrder".to_owned(),
        parameter_types: vec!["java.lang.String".to_owned()],
        arguments: vec![text(format!("user-{number}"))],
        attachments: BTreeMap::from([("trace".to_owned(), text(format!("t-{number}")))]),
    };
    if mixed {
        ["getOrder", "listOrders", "findOrders", "createOrder"][number % 4]
            .clone_into(&mut call.method);
        if number.is_multiple_of(7) {
            call.arguments = vec![text("vip".to_owned())];
        }
        let tag = ["", "gray", "blue", "none"][number % 5 % 4];
        if !tag.is_empty() {
            call.attachments
                .insert("dubbo.tag".to_owned(), text(tag.to_owned()));
        }
    }
    call
}

/// The addresses as the directory of a version hands them to its routers.
fn addresses(consumer: &Url, texts: &[String], version: &DubboVersion) -> Result<AddressList> {
    let is_3x = version.line().is_3x();
    let mut reference = consumer.clone();
    let registry =
        "zookeeper://127.0.0.1:2181/org.apache.dubbo.registry.RegistryService".to_owned();
    let mut registry = Url::parse(&registry, version)?;
    if !is_3x {
        registry.protocol = Some("registry".to_owned());
        let parameters = &mut reference.parameters;
        parameters.insert("register.ip".to_owned(), "127.0.0.1".to_owned());
    }
    let mut directory = Directory::new(Subscription {
        consumer: reference,
        registry,
        version: version.clone(),
        local_host: "127.0.0.1".to_owned(),
        protocols: Protocols::of(version.line()),
    });
    let mut providers: Vec<Box<dyn Provider + Send + Sync>> = Vec::with_capacity(texts.len());
    for text in texts {
        let mut url = directory
            .read(&encode(text))
            .ok()
            .context("a URL that is read")?;
        if !is_3x {
            url = directory
                .merge(url)
                .ok()
                .context("a URL that can be merged")?;
        }
        providers.push(Box::new(url));
    }
    Ok(AddressList {
        providers,
        consumer: if is_3x {
            consumer.clone()
        } else {
            directory.own_url().clone()
        },
        zones: Zones::default(),
    })
}

/// Providers as they register.
fn providers(size: usize) -> Vec<String> {
    let one = |number: usize| {
        let region = ["hangzhou", "shanghai"][number % 2];
        let environment = if number.is_multiple_of(5) {
            "gray"
        } else {
            "prod"
        };
        format!(
            "dubbo://10.20.{}.{}:20880/com.acme.OrderService?application=acme-order\
             &interface=com.acme.OrderService&side=provider&region={region}&env={environment}\
             &methods=getOrder,listOrders&timeout=1000&weight=100",
            number / 250,
            number % 250 + 1
        )
    };
    (0..size).map(one).collect()
}

/// How fast rules of eleven and of ten thousand conditions are read.
fn read_rules(version: &str, mut real: Option<&mut Real>) -> Result<()> {
    let dubbo = DubboVersion::parse(version)?;
    let (providers, call) = (providers(10), call(0, false));
    let mut long = String::from("force: true\nconditions:\n");
    for number in 1..10_000 {
        let _ = writeln!(
            long,
            "  - 'method=get{number}*,list{number} & host!=10.1.{}.* => region=$region & host=10.20.*'",
            number % 250
        );
    }
    let rules = [
        ("eleven", CONDITIONS.to_owned(), 11),
        ("ten thousand", long, 10_000),
    ];
    for (name, mut text, conditions) in rules {
        // It shows that a real chain has read them all.
        text.push_str("  - 'method=getOrder => port=1'\n");
        let text = &text;
        let rule = condition::parse(text, &dubbo);
        ensure!(rule.is_ok(), "a rule of {name} conditions is read");
        let time = best(|| {
            if let Ok(condition::ConditionDocument::Classic(rule)) = condition::parse(text, &dubbo)
            {
                for condition in &rule.conditions {
                    let text = condition.text.as_deref().unwrap_or_default();
                    let _ = black_box(condition::text::Condition::parse(text));
                }
            }
        });
        let length = f64::from(u32::try_from(text.len())?);
        let mut figure = Figure {
            part: 'c',
            what: format!("reading a rule of {name} conditions, Dubbo {version}"),
            ours: format!(
                "{} us each, {:.0} MB/s",
                micros(time / conditions),
                length / time.as_secs_f64() / 1e6
            ),
            ..Figure::default()
        };
        if let Some(real) = &mut real {
            let case = Case {
                consumer: CONSUMER,
                providers: &providers,
                rule: (KEY, text),
                call: &call,
            };
            let (theirs, left) = real.measure(Of::Rule, &case)?;
            ensure!(left.len() < providers.len(), "{name}: nothing is read");
            figure.reference = format!("{} us each, real router", micros(theirs / conditions));
            let ratio = theirs.as_secs_f64() / time.as_secs_f64();
            figure.ratio = format!("{ratio:.0} times as fast");
        }
        figure.print()?;
    }
    Ok(())
}
