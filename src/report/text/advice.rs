//! What a timeout budget advises, with what stands against it, and the settings beside it.

use super::{
    View,
    budget::{number, optional},
};
use crate::{
    diagnose::budget::model::{Advice, Budget},
    report::{
        layout::Page,
        safe::safe,
        style::Style,
        words::{
            Lang,
            budget::{Term, level},
        },
    },
};

/// What to set, in one line; the notations with `-v`.
pub(super) fn advice(page: &mut Page, budget: &Budget, view: View<'_>) {
    let lang = view.lang;
    let Some(advice) = &budget.advice else {
        let longest = budget
            .per_try
            .as_ref()
            .map(|per_try| per_try.comfortable_ms);
        if let Some(timeout) = longest.filter(|timeout| *timeout > f64::from(i32::MAX)) {
            let text = Term::AdviceNone.text(lang, &[("timeout", &number(timeout))]);
            page.field(&Term::Advice.text(lang, &[]), &text);
        }
        return;
    };
    let timeout = advice.timeout_ms.to_string();
    let retries = advice.retries.map(|retries| retries.to_string());
    let mut text = match &retries {
        Some(retries) => {
            Term::AdviceRetries.text(lang, &[("timeout", &timeout), ("retries", retries)])
        }
        None => Term::AdviceRow.text(lang, &[("timeout", &timeout)]),
    };
    if advice.weak {
        text = format!("{text}   {}", Term::AdviceWeak.text(lang, &[]));
    }
    if !view.verbose {
        text = format!("{text}   {}", Term::AdviceMore.text(lang, &[]));
    }
    page.field(&Term::Advice.text(lang, &[]), &text);
    if let Some(method) = &advice.because_of {
        let values = [("method", safe(method))];
        let values = [("method", values[0].1.as_str())];
        page.under(&Term::AdviceBecause.text(lang, &values), None);
    }
    over_upstream(page, budget, advice, lang);
    if view.verbose {
        for notation in &advice.notations {
            page.blank();
            page.line(&format!(
                "  {}",
                view.style.paint(Style::Label, notation.name)
            ));
            for line in notation.text.lines() {
                page.line(&format!("    {}", safe(line)));
            }
        }
    }
}

/// The advice takes longer than the caller waits: what fits instead.
fn over_upstream(page: &mut Page, budget: &Budget, advice: &Advice, lang: Lang) {
    let (Some(over), Some(total)) = (&advice.over_upstream, &budget.total) else {
        return;
    };
    let timeout = over.timeout_ms.map(|ms| ms.to_string());
    let retries = over.retries.map(|count| count.to_string());
    let fit = match (&timeout, &retries) {
        (None, _) => Term::AdviceNothingFits.text(lang, &[]),
        (Some(timeout), None) => Term::AdviceFitsAlone.text(lang, &[("timeout", timeout)]),
        (Some(timeout), Some(retries)) => {
            Term::AdviceFits.text(lang, &[("timeout", timeout), ("retries", retries)])
        }
    };
    let values = [
        ("total", optional(total.advised_ms)),
        ("upstream", optional(total.upstream_ms)),
        ("fit", fit),
    ];
    let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
    page.under(&Term::AdviceOver.text(lang, &values), Some(Style::Doubt));
}

pub(super) fn settings(page: &mut Page, budget: &Budget, lang: Lang) {
    for (index, row) in budget.settings.iter().enumerate() {
        let label = if index == 0 {
            Term::Settings.text(lang, &[])
        } else {
            String::new()
        };
        let text = format!(
            "{}={} ({})",
            row.key,
            safe(&row.value),
            level(&row.level, lang)
        );
        page.field(&label, &text);
    }
}
