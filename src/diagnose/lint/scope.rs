//! Where a rule is kept against whose rule it says it is: consumers look at the key only, so a rule for a service under the
//! key of an application reaches nobody whom its author had in mind.

use super::{Code, Cx, Phrase, Say, Span, found};
use crate::model::service_key::ServiceKey;
use crate::rule::{kind::RuleKind, yaml::Node};

/// Looks at `scope` and `key` of a rule. Of routing rules no version reads them; configurators are read by them, and say
/// it more exactly when their own `key` differs: of those only the key they are kept under is looked at.
pub(super) fn check(cx: &mut Cx<'_>, root: Node<'_>) {
    // Up to 2.7.2 the key of a service has no colons.
    if !cx.version.at_least([2, 7, 3]) {
        return;
    }
    let ending = cx.rule.kind.ending().unwrap_or_default();
    let Some(base) = cx.rule.key.and_then(|key| key.strip_suffix(ending)) else {
        return;
    };
    let text = |name: &str| root.get(name).and_then(Node::as_text);
    let scope = text("scope");
    let of_service = base.contains(':');
    let reads_scope = cx.rule.kind == RuleKind::Configurator;
    let (name, place) = match (scope, root.entry("scope")) {
        (Some("application" | "service"), _)
            if reads_scope && (of_service || !looks_like_an_interface(base)) =>
        {
            return;
        }
        (Some("application"), Some(entry)) if of_service => {
            let at = pair(cx, entry);
            cx.add(
                found(Code::LintUnknownKey, at)
                    .reads(Phrase::new(Say::LintScopeOfService).with("key", base)),
            );
            return;
        }
        (Some("service"), Some(entry)) if !of_service => {
            let named = text("key").filter(|key| *key != "*");
            (named.unwrap_or(base), Some(entry))
        }
        (None, _) if !of_service && looks_like_an_interface(base) => (base, None),
        _ => return,
    };
    let Ok(service) = ServiceKey::parse_dubbo(name) else {
        return;
    };
    let key = format!("{}{ending}", service.rule_key());
    let at = match place {
        Some(entry) => pair(cx, entry),
        None => cx.source.whole_line(1),
    };
    // An application may be named like anything, but hardly like an interface.
    let code = if looks_like_an_interface(base) {
        Code::RuleNoEffect
    } else {
        Code::LintUnknownKey
    };
    cx.add(
        found(code, at)
            .reads(Phrase::new(Say::LintScopeOfApplication).with("key", base))
            .meant(Phrase::new(Say::LintKeepUnder).with("key", key)),
    );
}

/// The field with its value, when both stand on one line: neither is read.
fn pair(cx: &Cx<'_>, (key, value): (Node<'_>, Node<'_>)) -> Span {
    let (field, value) = (cx.mark(key), cx.mark(value));
    if field.start.line == value.end.line {
        Span {
            start: field.start,
            end: value.end,
        }
    } else {
        field
    }
}

/// `com.acme.OrderService`: a package in small letters and the name of a class.
fn looks_like_an_interface(base: &str) -> bool {
    let Some((package, class)) = base.rsplit_once('.') else {
        return false;
    };
    class.starts_with(|c: char| c.is_ascii_uppercase()) && !package.contains(char::is_uppercase)
}
