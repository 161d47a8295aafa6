//! What a timeout budget says of load, of chains of calls, and of calls that were seen to run out of time.

use super::{
    View,
    budget::{between, number, optional, percent},
};
use crate::{
    diagnose::budget::model::{Budget, Observed},
    report::{
        layout::Page,
        safe::safe,
        words::{Label, Lang, budget::Term},
    },
};

/// Rows of observed calls that are shown without `-v`.
const CALLS: usize = 5;

pub(super) fn what_if(page: &mut Page, budget: &Budget, lang: Lang) {
    let Some(found) = &budget.what_if else { return };
    let verdict = match found.verdict {
        "enough" => Term::Enough,
        "tight" => Term::Tight,
        "too-small" => Term::TooSmall,
        _ => Term::Unknown,
    };
    let timeout = number(found.timeout_ms);
    let text = match (found.failing_low, found.failing_high) {
        (Some(low), Some(high)) => {
            let count = between(found.expected_tries_low, found.expected_tries, lang);
            let term = match count {
                Some(_) => Term::WhatIfShare,
                None => Term::WhatIfShareOnly,
            };
            let values = [
                ("timeout", timeout),
                ("low", percent(low)),
                ("high", percent(high)),
                ("count", count.unwrap_or_default()),
            ];
            let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
            term.text(lang, &values)
        }
        _ => Term::WhatIfPlain.text(
            lang,
            &[("timeout", &timeout), ("verdict", &verdict.text(lang, &[]))],
        ),
    };
    page.field(&Term::WhatIf.text(lang, &[]), &text);
}

pub(super) fn load(page: &mut Page, budget: &Budget, lang: Lang) {
    let Some(load) = &budget.capacity else { return };
    let values = [
        ("qps", number(load.qps)),
        ("rt", number(load.rt_ms)),
        (
            "from",
            if load.rt_from == "mean" {
                Term::Mean.text(lang, &[])
            } else {
                load.rt_from.to_uppercase()
            },
        ),
        ("flight", number(load.in_flight)),
        ("advised", number(load.advised)),
    ];
    let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
    page.field(
        &Term::Load.text(lang, &[]),
        &Term::LoadSum.text(lang, &values),
    );
    for limit in &load.limits {
        let term = match (&limit.node, limit.share) {
            (None, _) => Term::LimitRow,
            (Some(_), None) => Term::LimitRowNode,
            (Some(_), Some(_)) => Term::LimitRowShare,
        };
        let values = [
            ("name", limit.name.to_owned()),
            ("each", limit.each.to_string()),
            ("count", limit.count.to_string()),
            ("node", limit.node.as_deref().map(safe).unwrap_or_default()),
            ("share", limit.share.map(percent).unwrap_or_default()),
            ("used", number((limit.used * 1000.0).round() / 10.0)),
        ];
        let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
        let mut text = term.text(lang, &values);
        if let Some(carries) = limit.carries_qps {
            let carries = Term::LimitCarries.text(lang, &[("qps", &number(carries))]);
            text = format!("{text}, {carries}");
        }
        page.under(&text, None);
    }
}

pub(super) fn chain(page: &mut Page, budget: &Budget, lang: Lang) {
    let Some(chain) = &budget.chain else { return };
    for (index, hop) in chain.hops.iter().enumerate() {
        let label = if index == 0 {
            Term::ChainLabel.text(lang, &[])
        } else {
            String::new()
        };
        let mut tries = hop.tries.to_string();
        if hop.by_default {
            tries = Term::ByDefault.text(lang, &[("count", &tries)]);
        }
        let values = [
            ("name", safe(&hop.name)),
            ("tries", tries),
            ("reached", hop.reached_by.to_string()),
            ("worst", optional(hop.worst_ms)),
        ];
        let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
        let row = match hop.worst_ms {
            Some(_) => Term::HopRow,
            None => Term::HopRowPlain,
        };
        page.field(&label, &row.text(lang, &values));
    }
    if let Some(front) = &chain.front {
        let values = [
            ("p99", number(front.p99_ms)),
            ("rtt", number(front.rtt_ms)),
            ("inner", number(front.inner_ms)),
            ("need", number(front.need_ms)),
            ("rounded", number(front.outlasts_ms)),
        ];
        let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
        page.under(&Term::FrontRow.text(lang, &values), None);
        if let Some(usual) = front.usual_ms {
            page.under(
                &Term::FrontUsual.text(lang, &[("usual", &number(usual))]),
                None,
            );
        }
    }
    for countdown in &chain.countdowns {
        let values = [
            ("to", safe(&countdown.to)),
            ("same", number(countdown.same_thread_ms)),
            ("other", optional(countdown.other_thread_ms)),
        ];
        let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
        page.under(&Term::CountdownRow.text(lang, &values), None);
    }
}

/// What a log says of calls: its message, how often, and those of its times that it gives.
fn seen(row: &Observed, lang: Lang) -> String {
    let term = |term: Term, value: &str| term.text(lang, &[("value", value)]);
    let times: Vec<String> = [
        (Term::ObservedTimeout, row.timeout_ms),
        (
            Term::ObservedClient,
            row.client_elapsed_ms.or(row.elapsed_ms),
        ),
        (Term::ObservedServer, row.server_elapsed_ms),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some(term(name, &value?.to_string())))
    .chain([term(Term::ObservedLine, &row.line.to_string())])
    .collect();
    let message = format!("{} ({})", row.message, row.phase);
    let values = [
        ("message", message.as_str()),
        ("count", &row.count.to_string()),
        ("times", &times.join(Term::Comma.text(lang, &[]).as_str())),
    ];
    Term::ObservedRow.text(lang, &values)
}

pub(super) fn observed(page: &mut Page, budget: &Budget, view: View<'_>) {
    let lang = view.lang;
    let shown = if view.verbose {
        budget.observed.len()
    } else {
        CALLS
    };
    for (index, row) in budget.observed.iter().take(shown).enumerate() {
        let label = if index == 0 {
            Term::ObservedLabel.text(lang, &[])
        } else {
            String::new()
        };
        if row.phase == "other-library" {
            let library = row
                .library
                .as_deref()
                .map_or_else(|| Term::OtherLibrary.text(lang, &[]), safe);
            let values = [
                ("library", library),
                ("count", row.count.to_string()),
                ("line", row.line.to_string()),
            ];
            let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
            page.field(&label, &Term::ObservedForeign.text(lang, &values));
            continue;
        }
        page.field(&label, &seen(row, lang));
    }
    let left = budget.observed.len().saturating_sub(shown);
    if left > 0 {
        page.under(&Label::More.count(lang, left), None);
    }
}
