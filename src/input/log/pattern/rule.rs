//! Rules and configurators: applied, rejected, or not received (`AbstractStateRouter`, `ListenableStateRouter`,
//! `AbstractConfiguratorListener`).

use super::super::claim::Claim;
use super::super::fact::{Fact, RuleKind, Strength};
use super::super::message::MessageId;
use super::super::secret;
use super::cursor::{Cursor, Span};
use super::draft::{Draft, shortened};
use super::url::SaidUrl;
use super::{Entry, Parsed, TAIL};

pub(super) const ENTRIES: &[Entry] = &[
    (
        "The route result is empty and force execute. consumer: ",
        forced,
    ),
    ("The current consumer in the service ", blocked),
    (
        "Failed to parse the raw condition rule and it will not take effect",
        condition_rejected,
    ),
    (
        "Failed to parse the raw tag router rule and it will not take effect",
        tag_rejected,
    ),
    (
        "Failed to parse raw dynamic config and it will not take effect, the raw config is:",
        configurator_rejected,
    ),
    ("Start overriding url ", overriding),
    ("Failed to execute router: ", chain_failed),
    (
        "Failed to execute condition router rule: ",
        condition_failed,
    ),
    (
        "Ignore this configuration. Only v3.1 and below are supported in this release",
        condition_too_new,
    ),
    (
        "TagRouter must getConfig from or subscribe to a specific application",
        tag_never_read,
    ),
    (
        "condition router get providerApplication is empty, will not subscribe to provider app rules",
        provider_app_never_read,
    ),
    (
        "The format of ip address is invalid in tag route. Address :",
        tag_address,
    ),
    ("cript route error, rule has been ignored", script_failed),
    ("unsupported route engine type: ", script_engine),
    ("Unable to get rule type from raw rule", mesh_dropped),
    ("Rule format is unacceptable", mesh_dropped),
    ("[MeshAppRule] parse failed: ", mesh_dropped),
    (
        "Receive rule but none of listener has been registered",
        mesh_dropped,
    ),
    ("Invalid condition rule ", range_invalid),
    ("convert router url to router error, url:", url_rule),
    ("Failed to parse migration rule", migration_rejected),
    ("Failed to parse migrationRule", migration_rejected),
    (
        "Failed to get step and threshold info from rule: ",
        migration_rejected,
    ),
    ("Illegal route rule \"", illegal_rule),
];

/// A condition rule with `force` selected nothing; `router:` is empty for rules of a config centre.
fn forced(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::Force);
    let consumer = c.until(", service: ")?;
    d.put_address(Claim::ConsumerIp, c.fact(consumer));
    let key = c.until(", router: ")?;
    d.put_key(c, key);
    let rule = until_tail(c);
    d.put_words(Claim::RuleText, c, rule);
    Some(())
}

/// A rule with an empty right side matched this consumer.
fn blocked(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let blocklist = c.skip("blocklist. consumer: ");
    if !blocklist && !c.skip("blacklist. consumer: ") {
        return None;
    }
    d.is(MessageId::Block);
    let consumer = c.until(", service: ")?;
    d.put_address(Claim::ConsumerIp, c.fact(consumer));
    if blocklist {
        d.facts.push(Claim::DubboAtLeast(Fact::derived(
            "3.2.13".to_owned(),
            c.place(consumer),
        )));
    }
    let key = c.word(|c| c == ',')?;
    d.put_key(c, key);
    Some(())
}

fn condition_rejected(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::Rule);
    put_kind(c, d, RuleKind::Condition);
    raw_rule(c, d)
}

/// The class of the logger tells tag from script; the caller puts that in.
fn tag_rejected(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::TagRule);
    let kind = if c.before().contains("ScriptStateRouter") {
        RuleKind::Script
    } else {
        RuleKind::Tag
    };
    put_kind(c, d, kind);
    raw_rule(c, d)
}

fn put_kind(c: &Cursor<'_>, d: &mut Draft, kind: RuleKind) {
    d.facts
        .push(Claim::RuleKind(Fact::derived(kind, c.place(c.line_span()))));
}

/// The text may have several lines; it ends where Dubbo's tail begins.
fn raw_rule(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    c.until("the raw rule is:")?;
    let rule = until_tail_across(c);
    put_rule_text(c, d, rule);
    d.resume = Some(c.position());
    (!c.is_cut_behind(rule)).then_some(())
}

fn put_rule_text(c: &Cursor<'_>, d: &mut Draft, span: Span) {
    let text = c.lines(span);
    if text.trim().is_empty() {
        return;
    }
    let place = c.place(span);
    for (key, make) in [
        ("scope", Claim::RuleScope as fn(Fact<String>) -> Claim),
        ("key", Claim::RuleKey),
    ] {
        if let Some(value) = top_level(&text, key) {
            d.put(make, Fact::derived(value, place));
        }
    }
    d.facts.push(Claim::RuleText(Fact::stated(
        secret::mask(&shortened(text.trim_matches('\n').to_owned())),
        place,
    )));
}

/// A key at the top of a YAML document, good enough to name the rule; the first line may begin with a blank.
fn top_level(text: &str, key: &str) -> Option<String> {
    let value = text.lines().enumerate().find_map(|(index, line)| {
        let line = if index == 0 { line.trim_start() } else { line };
        line.strip_prefix(key)?.trim_start().strip_prefix(':')
    })?;
    let value = value
        .split(" #")
        .next()
        .unwrap_or_default()
        .trim()
        .trim_matches(['\'', '"']);
    (!value.is_empty()).then(|| value.to_owned())
}

/// CFG: what was in force before stays.
fn configurator_rejected(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::Cfg);
    put_kind(c, d, RuleKind::Configurator);
    let (_, text) = c.until_across(&[", cause: "])?;
    put_rule_text(c, d, text);
    let cause = until_tail_across(c);
    if c.words(cause).contains("at least one parameter") {
        d.put(
            Claim::Reason,
            Fact::derived("no parameters".to_owned(), c.place(cause)),
        );
    }
    d.put_words(Claim::Cause, c, cause);
    d.resume = Some(c.position());
    Some(())
}

fn overriding(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let url = c.until(" with override url ")?;
    d.is(MessageId::CfgApply);
    if SaidUrl::parse(c.str(url)).is_some_and(|url| url.scheme == "consumer") {
        d.put_consumer_url(c, url);
    } else {
        d.put_provider(c, url);
    }
    // What is applied to a URL need not be what stands in it.
    d.facts.remove("timeout_ms");
    let with = c.url()?;
    d.put_text(Claim::OverrideUrl, c.fact(with));
    if SaidUrl::parse(c.str(with)).is_some_and(|url| url.get("disabled") == Some("true")) {
        d.facts
            .push(Claim::Disabled(Fact::stated(true, c.place(with))));
    }
    Some(())
}

/// CHAIN: an exception inside the chain; it ends in B.
fn chain_failed(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    d.is(MessageId::Chain);
    let registry = c.until(", cause: ")?;
    if let Some(url) = SaidUrl::parse(c.str(registry)) {
        d.put_registry_address(&url, c, registry);
    }
    put_cause(c, d);
    Some(())
}

fn put_cause(c: &mut Cursor<'_>, d: &mut Draft) {
    let cause = until_tail(c);
    d.put_words(Claim::Cause, c, cause);
}

fn condition_failed(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    router(c, d, RuleKind::Condition, "error while matching")?;
    c.until(", cause: ")?;
    put_cause(c, d);
    Some(())
}

fn router(c: &Cursor<'_>, d: &mut Draft, kind: RuleKind, reason: &str) -> Parsed {
    d.is(MessageId::Router);
    put_kind(c, d, kind);
    d.put(
        Claim::Reason,
        Fact::derived(reason.to_owned(), c.place(c.line_span())),
    );
    Some(())
}

fn condition_too_new(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    router(c, d, RuleKind::Condition, "configVersion not supported")
}

fn tag_never_read(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    router(
        c,
        d,
        RuleKind::Tag,
        "provider application unknown, rule never read",
    )
}

fn provider_app_never_read(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    router(
        c,
        d,
        RuleKind::Condition,
        "provider application unknown, rule never read",
    )
}

fn tag_address(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    router(c, d, RuleKind::Tag, "address not valid")?;
    put_cause(c, d);
    Some(())
}

fn script_failed(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    router(c, d, RuleKind::Script, "script error")?;
    put_cause(c, d);
    Some(())
}

fn script_engine(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    router(c, d, RuleKind::Script, "script engine missing")?;
    d.detail = true;
    put_cause(c, d);
    Some(())
}

fn mesh_dropped(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    router(c, d, RuleKind::Mesh, "rule dropped")?;
    put_cause(c, d);
    Some(())
}

fn range_invalid(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    let rule = c.until(", will ignore")?;
    router(c, d, RuleKind::Condition, "value not valid")?;
    d.put_text(Claim::RuleText, c.fact(rule));
    Some(())
}

fn url_rule(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    router(c, d, RuleKind::Condition, "kind of rule not known here")?;
    d.facts.remove("rule_kind");
    c.skip(" ");
    let url = c.url()?;
    d.put_text(Claim::RuleText, c.fact(url));
    Some(())
}

fn migration_rejected(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    router(c, d, RuleKind::Migration, "rule rejected")?;
    put_cause(c, d);
    Some(())
}

/// The reason below RULE.
fn illegal_rule(c: &mut Cursor<'_>, d: &mut Draft) -> Parsed {
    router(c, d, RuleKind::Condition, "illegal route rule")?;
    d.detail = true;
    let rule = c.until("\", The error char")?;
    let mut words = c.line_span();
    words.start = rule.start;
    let text = format!("Illegal route rule \"{}", c.words(words));
    d.facts.push(Claim::Cause(Fact {
        value: text,
        strength: Strength::Stated,
        place: c.place(rule),
    }));
    Some(())
}

/// What is left of the line up to Dubbo's tail.
pub(super) fn until_tail(c: &mut Cursor<'_>) -> Span {
    let span = c
        .clone()
        .until(TAIL)
        .unwrap_or_else(|| without_begun_tail(c, c.rest_of_line()));
    c.go_to(span.end);
    span
}

/// A wrap may leave only the beginning of the tail on the line.
fn without_begun_tail(c: &Cursor<'_>, line: Span) -> Span {
    let text = c.str(line);
    let begun = (3..TAIL.len())
        .rev()
        .find(|length| text.ends_with(&TAIL[..*length]));
    Span {
        end: line.end - begun.unwrap_or(0),
        ..line
    }
}

/// The same across lines; without a tail all that is left.
fn until_tail_across(c: &mut Cursor<'_>) -> Span {
    let rest = Span {
        start: c.position(),
        end: c.position() + c.uncut().len(),
    };
    let span = c
        .clone()
        .until_across(&[TAIL])
        .map_or(rest, |(_, span)| span);
    c.go_to(span.end);
    span
}
