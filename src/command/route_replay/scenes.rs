//! From the command line to the scenarios that every call goes through.

use std::collections::{BTreeMap, BTreeSet};

use super::sources::Found;
use crate::{
    cli::RouteReplayArgs,
    diagnose::LONGEST_OF_LINES,
    error::UsageError,
    input::requests::Caller,
    model::version::{DubboVersion, Line},
    question::{Client, ConsumerState, World},
    replay::{Gone, Interest, Plan, RuleTexts, Scenario, as_go_reads},
    report::words::{Phrase, Say},
    route::{
        application::Settings as ChainSettings,
        declared::Declared,
        dialect::Dialect,
        provider::Provider as _,
        rules::{RuleSource as _, RuleText, conditions_state},
        trace::RuleState,
    },
    rule::{kind::RuleKind, script::engines_of},
    view::{
        directory::Protocols,
        held::Entry,
        stage::{Evidence, Model, NotSeen},
    },
};

/// An address that no rule names, for a consumer of which nobody says where it runs.
const ANY_HOST: &str = "192.0.2.254";
/// Applications of which an address is put first at most.
const MOST_FIRSTS: usize = 16;
/// Most addresses of consumers that are tried when nobody says where it runs.
const MOST_HOSTS: usize = 16;

/// The scenarios and what they are.
pub(super) struct Scenes {
    pub(super) scenarios: Vec<Scenario>,
    pub(super) plan: Plan,
    pub(super) evidence: BTreeMap<String, Evidence>,
    pub(super) candidate_keys: Vec<String>,
    /// What decides and is not tried.
    pub(super) unseen: Vec<NotSeen>,
}

/// Builds them.
pub(super) fn scenes(args: &RouteReplayArgs, found: &Found) -> Result<Scenes, UsageError> {
    let question = &found.subject.question;
    let is_go = question.consumer.client == Some(Client::Go);
    let zones = &question.zones;
    let read = |rules: RuleTexts| if is_go { rules.map(as_go_reads) } else { rules };
    let rules = read(found.live.clone().with(&found.given));
    let base = Scenario {
        name: found.world.dubbo.to_string(),
        world: found.world.clone(),
        model: found.view.model,
        earlier: (question.consumer.state == Some(ConsumerState::Running))
            .then(|| earlier(&read(found.live.clone()), &rules, &found.world.dubbo)),
        rules,
        gone: Vec::new(),
        zones: zones.clone(),
        settings: chain_settings(args, found)?,
        caller_ip: question.consumer.ip.is_none().then(|| ANY_HOST.to_owned()),
        first: None,
        libraries: false,
    };
    let mut scenarios = vec![base.clone()];
    let mut unseen = Vec::new();
    let mut plan = Plan::default();
    let mut add = |scenario: Scenario| {
        scenarios.push(scenario);
        scenarios.len() - 1
    };
    let length: usize = base.rules.texts().map(|(_, text)| text.len()).sum();
    if question.consumer.dubbo.is_none() && length > LONGEST_OF_LINES {
        plan.one_version = true;
        unseen.push(NotSeen {
            what: Say::ConsumerVersionUnknown.into(),
            why: Phrase::new(Say::RulesTooLongForLines).with("dubbo", &base.name),
            how_to_see: Some(Say::HowDubbo.into()),
            required: true,
        });
    } else if question.consumer.dubbo.is_none() {
        for line in [Line::V2_7, Line::V3_0, Line::V3_1, Line::V3_2] {
            plan.lines
                .push(add(of_version(found, &base, &DubboVersion::newest(line))));
        }
    }
    if question.consumer.state.is_none() {
        let had = earlier(&read(found.live.clone()), &base.rules, &base.world.dubbo);
        if !found.given.is_empty() || had != base.rules {
            plan.running = Some(add(Scenario {
                world: World {
                    state: ConsumerState::Running,
                    ..base.world.clone()
                },
                earlier: Some(had),
                ..base.clone()
            }));
        }
    }
    if question.consumer.ip.is_none() {
        let hosts = hosts(&base, found);
        let most = (LONGEST_OF_LINES / length.max(1)).clamp(1, MOST_HOSTS);
        if hosts.len() > most {
            unseen.push(NotSeen {
                what: Phrase::new(Say::ConsumerParameter).with("name", "host"),
                why: Say::RulesAskForIt.into(),
                how_to_see: Some(Say::HowConsumerIp.into()),
                required: true,
            });
        }
        for host in hosts.into_iter().take(most) {
            plan.hosts.push(add(Scenario {
                caller_ip: Some(host),
                ..base.clone()
            }));
        }
    }
    for application in applications(found, &base) {
        plan.firsts.push(add(Scenario {
            first: Some(application),
            ..base.clone()
        }));
    }
    plan.protocols = optional_protocols(found, &base);
    if !plan.protocols.is_empty() {
        plan.libraries = Some(add(Scenario {
            libraries: true,
            ..base.clone()
        }));
    }
    for text in &args.without {
        let gone = text
            .split(',')
            .map(Gone::parse)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|problem| UsageError::new(format!("--without {text}: {problem}")))?;
        if gone.iter().any(|one| matches!(one, Gone::Zone(_))) && !zones.has_any() {
            return Err(
                UsageError::new(format!("--without {text}: no zone is known"))
                    .hint("give --zone NAME=CIDR, or --zone-key with the parameter that names it"),
            );
        }
        let known = known_zones(found, &base);
        let zone = gone.iter().find_map(|one| match one {
            Gone::Zone(name) if !known.contains(name) => Some(name),
            _ => None,
        });
        if let Some(name) = zone {
            let known = known.into_iter().collect::<Vec<_>>().join(", ");
            return Err(
                UsageError::new(format!("--without {text}: no zone is called {name}"))
                    .hint(format!("zones that are known: {known}")),
            );
        }
        plan.drills.push(add(Scenario {
            name: text.clone(),
            gone,
            ..base.clone()
        }));
    }
    if !found.candidate.is_empty() {
        let rules = read(found.live.clone().with(&found.given).with(&found.candidate));
        let had = earlier(&base.rules, &rules, &base.world.dubbo);
        let candidate = Scenario {
            name: "candidate".to_owned(),
            earlier: base.earlier.as_ref().map(|_| had.clone()),
            rules,
            ..base.clone()
        };
        if question.consumer.state.is_none() {
            // One that runs while the rule comes may keep what was there before.
            plan.candidate_running = Some(add(Scenario {
                world: World {
                    state: ConsumerState::Running,
                    ..base.world.clone()
                },
                earlier: Some(had),
                ..candidate.clone()
            }));
        }
        plan.candidate = Some(add(candidate));
    }
    for text in args.matrix.iter().map(|text| text.trim()) {
        let version = DubboVersion::parse(text)
            .map_err(|error| UsageError::new(format!("--matrix {text}: {error}")))?;
        plan.matrix.push(add(of_version(found, &base, &version)));
    }
    Ok(Scenes {
        scenarios,
        plan,
        unseen,
        evidence: found.evidence.clone(),
        candidate_keys: found
            .candidate
            .iter()
            .map(|rule| rule.key.clone())
            .collect(),
    })
}

/// Zones that networks were given for, and those that addresses say they are in.
fn known_zones(found: &Found, base: &Scenario) -> BTreeSet<String> {
    let zones = &found.subject.question.zones;
    let caller = Caller::default();
    let held = found
        .subject
        .addresses(&base.world, base.model, &caller, true);
    let urls = held.iter().flat_map(|held| &held.urls);
    let said = urls.filter_map(|url| zones.of_provider(url.own()).map(str::to_owned));
    zones
        .names()
        .into_iter()
        .map(str::to_owned)
        .chain(said)
        .collect()
}

/// The applications of addresses besides that of the first one: their rules would be read if theirs came first. Of those
/// without a rule one stands for all.
fn applications(found: &Found, base: &Scenario) -> Vec<String> {
    let caller = Caller::default();
    let subject = &found.subject;
    let held = subject.addresses(&base.world, base.model, &caller, false);
    let mut names: Vec<String> = Vec::new();
    for url in held.iter().flat_map(|held| &held.urls) {
        let name = url.remote_application().unwrap_or_default();
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    let names = names.into_iter().skip(1);
    let candidates = found.candidate.iter().map(|rule| rule.key.as_str());
    let keys: Vec<&str> = base
        .rules
        .texts()
        .map(|(key, _)| key)
        .chain(candidates)
        .collect();
    let has_rule = |name: &str| keys.iter().any(|key| key.starts_with(&format!("{name}.")));
    let mut without_rule = false;
    let decides = base.rules.has_unknown() || keys.iter().any(|key| !key.contains(':'));
    names
        .filter(|name| decides && (has_rule(name) || !std::mem::replace(&mut without_rule, true)))
        .take(MOST_FIRSTS)
        .collect()
}

/// Protocols of addresses that this version's jar names, or does not know, without bringing what they need.
fn optional_protocols(found: &Found, base: &Scenario) -> BTreeSet<String> {
    let question = &found.subject.question;
    if base.model != Model::Interface || question.consumer.params.contains_key("protocol") {
        return BTreeSet::new();
    }
    let known = Protocols::of(base.world.dubbo.line());
    let entries = found.subject.held.entries.iter().filter_map(Entry::plain);
    entries
        .filter_map(|url| url.protocol)
        .filter(|name| known.may_come_with_a_library(name))
        .collect()
}

fn of_version(found: &Found, base: &Scenario, version: &DubboVersion) -> Scenario {
    let world = World {
        dubbo: version.clone(),
        ..base.world.clone()
    };
    Scenario {
        name: version.to_string(),
        model: found.model(&world),
        world,
        ..base.clone()
    }
}

/// What a running consumer had before: the rule that was there, or nothing that anybody knows where the new text is
/// one that leaves the old one in force.
fn earlier(live: &RuleTexts, now: &RuleTexts, dubbo: &DubboVersion) -> RuleTexts {
    let mut had = now.clone();
    for (key, text) in now.texts() {
        let before = live.rule(key);
        match &before {
            RuleText::Text(old) if old != text => had.put(key, before),
            _ if leaves_old_in_force(key, text, dubbo) => had.put(key, RuleText::Unknown),
            _ => {}
        }
    }
    had
}

/// Whether a text does not replace what was in force before.
fn leaves_old_in_force(key: &str, text: &str, dubbo: &DubboVersion) -> bool {
    use crate::rule::{mesh, tag};
    match RuleKind::of_key(key) {
        Some(RuleKind::Condition) => {
            let state = conditions_state(key, text, dubbo);
            matches!(
                state,
                RuleState::Refused(_) | RuleState::Empty | RuleState::TooNew(_)
            )
        }
        Some(RuleKind::Tag) => tag::parse(text, dubbo).is_err(),
        Some(RuleKind::Mesh) => mesh::parse(text, dubbo).is_err(),
        _ => false,
    }
}

/// Addresses that rules name on their left side or take over by `$host`: consumers there may go other ways.
fn hosts(base: &Scenario, found: &Found) -> Vec<String> {
    let mut interest = Interest::default();
    for (key, text) in base.rules.texts() {
        interest.add(key, text, &base.world.dubbo);
    }
    if !interest.sees_host()
        || Dialect::of(&base.world.dubbo).is_some_and(|dialect| dialect.left_sees_registry)
    {
        return Vec::new();
    }
    // Of the providers one stands for all.
    let provider = found
        .subject
        .held
        .entries
        .iter()
        .take(1)
        .map(Entry::address);
    let providers = provider.filter(|_| interest.takes_host());
    let hosts: BTreeSet<String> = interest
        .hosts()
        .map(|value| value.replace('*', "1"))
        .chain(providers.filter_map(|address| Some(address.rsplit_once(':')?.0.to_owned())))
        .filter(|host| host.parse::<std::net::Ipv4Addr>().is_ok())
        .collect();
    hosts.into_iter().take(MOST_HOSTS + 1).collect()
}

/// What a chain cannot know from rules and addresses.
fn chain_settings(args: &RouteReplayArgs, found: &Found) -> Result<ChainSettings, UsageError> {
    let declared = found
        .subject
        .question
        .routers
        .iter()
        .filter_map(|text| Declared::parse(text).ok())
        .collect();
    let script_engines = match &args.common.consumer.jdk {
        None => None,
        Some(text) => Some(engines(text)?),
    };
    Ok(ChainSettings {
        script_engines,
        declared,
        custom_routers: true,
        ..ChainSettings::default()
    })
}

/// The script engines of a JDK: `8`, `1.8.0_382`, `17.0.2`.
fn engines(jdk: &str) -> Result<Vec<String>, UsageError> {
    let mut numbers = jdk
        .trim()
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|digits| digits.parse::<u32>().ok());
    let major = match numbers.next() {
        Some(1) => numbers.next(),
        first => first,
    };
    match major {
        Some(java @ 5..) => {
            let names = engines_of(java).iter();
            Ok(names.map(|name| (*name).to_owned()).collect())
        }
        _ => Err(UsageError::new(format!("--jdk {jdk}: no version of a JDK"))
            .hint("for example --jdk 8, --jdk 17")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_by_jdk() {
        for (text, has) in [
            ("8", true),
            ("1.8.0_382", true),
            ("11.0.2", true),
            ("15", false),
            ("17.0.2", false),
        ] {
            assert_eq!(!engines(text).unwrap().is_empty(), has, "{text}");
        }
        for wrong in ["", "x", "0"] {
            assert!(engines(wrong).is_err(), "{wrong}");
        }
    }
}
