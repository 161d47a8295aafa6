//! Why a rule was refused, where its own text shows it: the field that names its version.

use serde_json::json;

use super::{
    code::Code,
    decide::Computed,
    lint::{Known, RuleText, lint},
    remarks::raised,
};
use crate::{
    rule::kind::RuleKind,
    view::stage::{Evidence, Raised},
};

/// DG8004 for the rules that the consumer's version refuses.
pub(super) fn version_fields(computed: &Computed<'_>) -> Vec<Raised> {
    let shown = &computed.states[0];
    let refused = shown
        .parts
        .iter()
        .flat_map(|(.., judged)| &judged.view.routed.remarks)
        .filter(|raised| raised.code == Code::RuleUnparsed);
    let mut found = Vec::new();
    for remark in refused {
        let key = remark.subject.1.as_str();
        let stored = computed
            .registries
            .iter()
            .flat_map(|registry| &registry.held)
            .find_map(|held| held.rules.find(key, &computed.worlds.version));
        let (Some(stored), Some(kind)) = (stored, RuleKind::of_key(key)) else {
            continue;
        };
        let text = RuleText {
            key: Some(key),
            kind,
            text: &stored.text,
        };
        let linted = lint(text, &computed.worlds.version, Known::default());
        let field = linted
            .remarks
            .into_iter()
            .find(|remark| remark.code == Code::LintVersionField);
        if let Some(field) = field {
            let place = format!("{}:{}", field.at.start.line, field.at.start.column);
            let mut raised = raised(
                Code::LintVersionField,
                json!({"rule": key, "position": place}),
                ("rule", key),
                vec![Evidence {
                    position: Some(place.clone()),
                    ..stored.evidence.clone()
                }],
            );
            for (name, value) in field.params {
                raised.params.entry(name).or_insert(value);
            }
            found.push(raised);
        }
    }
    found
}
