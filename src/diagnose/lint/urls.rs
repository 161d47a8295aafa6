//! Rules that lie in the registry as URLs, one a line: `override://`, `absent://`, `condition://`, `script://`, `route://`.

use std::ops::Range;

use super::clause::{self, Side};
use super::effect::{self, Effect};
use super::{Code, Cx, Phrase, Say, found, script};
use crate::model::url::{Url, decode};
use crate::rule::condition::text::Condition;
use crate::rule::override_order::configurators;
use crate::rule::override_url::{Configurator, ConfiguratorError};
use crate::rule::yaml::Span;

pub(super) fn check(cx: &mut Cx<'_>) {
    let lines: Vec<(u32, &str)> = (1..)
        .zip(cx.rule.text.lines())
        .filter(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
        .collect();
    for (number, line) in lines {
        let at = cx.source.whole_line(number);
        let text = line.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        let read = if text.contains("://") {
            Url::parse(text, cx.version)
        } else {
            Url::parse_encoded(text, cx.version)
        };
        match read {
            Ok(url) => one(cx, &url, at),
            Err(error) => cx.refuse(at, &error.to_string(), None),
        }
    }
}

fn one(cx: &mut Cx<'_>, url: &Url, at: Span) {
    let protocol = match url.protocol.as_deref() {
        Some("route") => url.text("router").unwrap_or("route"),
        other => other.unwrap_or_default(),
    };
    match protocol {
        "override" | "absent" => {
            if url
                .parameter("category")
                .is_none_or(|category| category != "configurators")
            {
                cx.add(
                    found(Code::RuleNoEffect, at)
                        .reads(Say::LintCategory)
                        .meant(Phrase::new(Say::LintWrite).with("text", "category=configurators")),
                );
            }
            override_url(cx, url, at);
        }
        "condition" | "script" | "file" => router_url(cx, url, protocol, at),
        "empty" => {}
        _ => cx.refuse(at, "no rule has this protocol", None),
    }
}

/// What an `override://` or `absent://` can do, wherever it comes from.
pub(super) fn override_url(cx: &mut Cx<'_>, url: &Url, at: Span) {
    let priority = configurators(vec![url.clone(), url.clone()], cx.version);
    match priority {
        Err(
            error @ (ConfiguratorError::Priority(_)
            | ConfiguratorError::NoHost
            | ConfiguratorError::Protocol(_)),
        ) => {
            cx.refuse(at, &error.to_string(), None);
            return;
        }
        Ok(Some(rules)) if rules.is_empty() => {
            cx.add(found(Code::RuleNoEffect, at).reads(Say::LintNoParameters));
            return;
        }
        _ => {}
    }
    if Configurator::from_url(url.clone()).is_err() {
        return;
    }
    let new_style = url.text("configVersion").is_some();
    match url.parameter("side") {
        None if new_style => cx.add(
            found(Code::RuleNoEffect, at)
                .reads(Say::LintNoSide)
                .meant(Phrase::new(Say::LintWrite).with("text", "side=consumer")),
        ),
        Some("consumer" | "provider") | None => {}
        Some(_) => cx.add(found(Code::RuleNoEffect, at).reads(Say::LintOtherSide)),
    }
    let sets = url.parameters.keys().any(|name| {
        ![
            "category",
            "check",
            "dynamic",
            "enabled",
            "application",
            "side",
            "group",
            "version",
            "configVersion",
            "compatible_config",
            "interfaces",
            "anyhost",
            "priority",
            "runtime",
            "force",
            "name",
            "providerAddresses",
        ]
        .contains(&name.as_str())
            && !name.starts_with('~')
    });
    if !sets {
        cx.add(found(Code::RuleNoEffect, at).reads(Say::LintNoParameters));
    }
}

/// Routers as URLs live in 2.x only.
fn router_url(cx: &mut Cx<'_>, url: &Url, protocol: &str, at: Span) {
    let gone = if protocol == "condition" {
        cx.version.line().is_3x()
    } else {
        cx.version.at_least([2, 7, 10])
    };
    if gone {
        cx.add(
            found(Code::RuleNoEffect, at)
                .reads(Say::LintUrlRouterGone)
                .meant(Say::LintConfigCentreRule),
        );
    }
    if url
        .parameter("category")
        .is_none_or(|category| category != "routers")
    {
        cx.add(
            found(Code::RuleNoEffect, at)
                .reads(Say::LintCategory)
                .meant(Phrase::new(Say::LintWrite).with("text", "category=routers")),
        );
    }
    if let Some(priority) = url
        .text("priority")
        .filter(|text| text.parse::<i32>().is_err())
    {
        cx.refuse(
            at,
            &format!("`priority` is no whole number: {priority}"),
            None,
        );
    }
    match protocol {
        "condition" => condition(cx, url, at),
        "script" if !gone => {
            script::engine(cx, url.text("type").unwrap_or("javascript"), at);
        }
        _ => {}
    }
}

fn condition(cx: &mut Cx<'_>, url: &Url, at: Span) {
    let Some(dialect) = effect::dialect(cx.version) else {
        return;
    };
    let rule = url
        .parameter("rule")
        .map(|rule| decode(rule).map_err(|_| ()));
    let text = match rule {
        Some(Ok(text)) => text,
        None => String::new(),
        Some(Err(())) => {
            cx.refuse(at, "`rule` has a broken percent sequence", None);
            return;
        }
    };
    // The text stands in the line in its encoded form: only the line can be pointed at.
    let place = |_: &Cx<'_>, _: Range<usize>| at;
    let condition = match Condition::parse(&text) {
        Ok(condition) => condition,
        Err(error) => {
            clause::refused(cx, &error, &place);
            return;
        }
    };
    if !url.flag("enabled", true) {
        return;
    }
    let plain = !clause::other_keyboard(cx, &text, &place);
    let when = clause::side(cx, &condition.when, Side::Left, dialect, plain, &place);
    let then = condition
        .then
        .as_deref()
        .map(|then| clause::side(cx, then, Side::Right, dialect, plain, &place));
    let effect = Effect {
        when,
        then,
        force: url.flag("force", false),
        fitting: None,
    };
    effect::tell(cx, at, &effect);
}
