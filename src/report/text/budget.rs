//! A timeout budget for a person: what is in force and why, what is needed, the arithmetic line by line.

use super::{
    View, advice,
    facts::{proof, remedy},
    load,
    verdict::certainty,
};
use crate::{
    diagnose::budget::model::{Budget, InForce, Measured, Tries},
    report::{
        layout::Page,
        model::{Answer, Report},
        safe::safe,
        style::{Style, Symbol},
        words::{
            self, Label, Lang,
            budget::{Term, level},
        },
    },
};

/// Rows of the ladder that are shown without `-v`.
const ROWS: usize = 3;

/// The first lines: what is the matter.
pub(super) fn headline(page: &mut Page, answer: &Answer, view: View<'_>) {
    let lang = view.lang;
    if answer.outcome == Some("unknown") {
        let head = format!(
            "{} {} {} ",
            view.style.symbol(Symbol::Unknown),
            Term::Title.text(lang, &[]),
            view.style.dot()
        );
        page.heading(&head, Style::Doubt, Label::UnknownMessage.text(lang), 2);
        return;
    }
    let (symbol, style) = match (&answer.verdict, answer.findings.first()) {
        (Some(_), _) => (Symbol::Failed, Style::Bad),
        // An error that is only possible leads nothing, and is nothing to be calm about.
        (None, Some(first)) if first.severity != "info" => (Symbol::Warning, Style::Doubt),
        _ if rests_on_assumptions(answer) || is_unknown(answer) => (Symbol::Unknown, Style::Doubt),
        _ => (Symbol::Ok, Style::Good),
    };
    let title = answer
        .verdict
        .as_ref()
        .and_then(|verdict| words::budget::headline(verdict.name, lang))
        .unwrap_or_else(|| Term::Title.text(lang, &[]));
    let head = format!(
        "{} {title} {} ",
        view.style.symbol(symbol),
        view.style.dot()
    );
    let first = answer.findings.first();
    let message = match (&answer.verdict, first) {
        (Some(verdict), _) => safe(&verdict.message),
        (None, Some(first)) if first.severity != "info" => safe(&first.message),
        _ if rests_on_assumptions(answer) => Term::FineIfAssumed.text(lang, &[]),
        _ if answer.not_seen.is_empty() => Term::Fine.text(lang, &[]),
        _ => Term::FineAsSeen.text(lang, &[]),
    };
    page.heading(&head, style, &message, 2);
    let code = match (&answer.verdict, first) {
        (Some(verdict), _) => Some((&verdict.code, verdict.name, verdict.certainty)),
        (None, Some(first)) if first.severity != "info" => {
            Some((&first.code, first.name, first.certainty))
        }
        _ => None,
    };
    if let Some((code, name, sure)) = code {
        let text = format!(
            "{code} {name} {} {}",
            view.style.dot(),
            certainty(sure, lang)
        );
        page.hanging("  ", style, &text);
    }
}

/// Whether what was taken for granted decides the answer.
fn rests_on_assumptions(answer: &Answer) -> bool {
    answer.assumed.iter().any(|taken| taken.changes_verdict)
}

/// Whether nothing tells what is in force.
fn is_unknown(answer: &Answer) -> bool {
    let rows = answer.budget.iter().flat_map(|budget| &budget.in_force);
    rows.into_iter().any(|row| row.level == "unknown")
}

/// Whether the headline of an answer without a verdict tells all there is of its first finding.
fn is_told(answer: &Answer) -> bool {
    let first = answer.findings.first();
    answer.verdict.is_none()
        && answer.outcome.is_none()
        && first.is_some_and(|first| first.severity != "info" && first.evidence.is_empty())
}

/// The answer without the finding that the headline tells already.
pub(super) fn rest(answer: &Answer) -> Answer {
    let mut rest = answer.clone();
    if is_told(answer) {
        rest.findings.remove(0);
    }
    rest
}

/// What proves the finding of the headline, and what to do about it.
pub(super) fn next(page: &mut Page, report: &Report, answer: &Answer, view: View<'_>) {
    let told = answer.findings.first().filter(|_| is_told(answer));
    let Some(finding) = super::of_verdict(answer).or(told) else {
        return;
    };
    proof(page, report, finding, view);
    for step in &finding.remedy {
        remedy(page, step, view);
    }
}

/// Everything below the headline.
pub(super) fn body(page: &mut Page, answer: &Answer, view: View<'_>) {
    let Some(budget) = &answer.budget else { return };
    let lang = view.lang;
    if answer.outcome == Some("unknown") {
        super::verdict::undecided(page, answer, view);
    }
    if let Some(method) = &budget.method {
        page.field(&Term::Method.text(lang, &[]), &safe(method));
    }
    in_force(page, budget, view);
    methods(page, budget, view);
    need(page, budget, lang);
    links(page, budget, lang);
    tries(page, budget, lang);
    leaving(page, budget, lang);
    total(page, budget, lang);
    if let Some(measured) = &budget.measured {
        sample(page, measured, lang);
        super::histogram::picture(page, budget, measured, view);
    }
    load::what_if(page, budget, lang);
    load::load(page, budget, lang);
    load::chain(page, budget, lang);
    load::observed(page, budget, view);
    advice::advice(page, budget, view);
    if view.verbose {
        advice::settings(page, budget, lang);
    }
}

/// A number without needless decimals.
pub(super) fn number(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

pub(super) fn percent(share: f64) -> String {
    format!("{} %", number((share * 100_000.0).round() / 1000.0))
}

pub(super) fn optional(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), number)
}

fn force(row: &InForce, lang: Lang) -> String {
    let timeout = row.timeout_ms.map_or_else(String::new, |ms| ms.to_string());
    let name = level(&row.level, lang);
    let key = safe(row.key.as_deref().unwrap_or_default());
    let value = safe(row.value.as_deref().unwrap_or_default());
    let values = [
        ("timeout", timeout.as_str()),
        ("level", name.as_str()),
        ("key", key.as_str()),
        ("value", value.as_str()),
    ];
    let term = match (row.timeout_ms, &row.key) {
        (None, _) if row.level == "unknown" => Term::ForceUnknown,
        (None, _) => Term::ForceFails,
        (Some(_), Some(_)) if row.level == "default" => Term::ForceNotPositive,
        (Some(millis), _) if millis <= 0 => Term::ForceEnds,
        (Some(_), Some(_)) => Term::ForceKey,
        (Some(_), None) => Term::Force,
    };
    term.text(lang, &values)
}

fn in_force(page: &mut Page, budget: &Budget, view: View<'_>) {
    let lang = view.lang;
    let shown = if view.verbose {
        budget.in_force.len()
    } else {
        ROWS
    };
    for (index, row) in budget.in_force.iter().take(shown).enumerate() {
        let label = if index == 0 {
            Term::InForce.text(lang, &[])
        } else {
            String::new()
        };
        page.field(&label, &force(row, lang));
        if (budget.in_force.len() > 1 || view.verbose) && row.addresses_total > 0 {
            let mut addresses = row
                .addresses
                .iter()
                .map(|text| safe(text))
                .collect::<Vec<_>>()
                .join(", ");
            if row.addresses_total > row.addresses.len() {
                addresses = format!(
                    "{addresses}, +{}",
                    row.addresses_total - row.addresses.len()
                );
            }
            let model = match row.model {
                "application" => Term::Application,
                _ => Term::Interface,
            };
            let values = [
                ("addresses", addresses.as_str()),
                ("model", &model.text(lang, &[])),
            ];
            page.under(&Term::ForAddresses.text(lang, &values), Some(Style::Quiet));
        }
        if !row.beaten.is_empty() {
            let dot = format!(" {} ", view.style.dot());
            let losers: Vec<String> = row
                .beaten
                .iter()
                .map(|loser| {
                    let values = [
                        ("level", level(&loser.level, lang)),
                        ("value", safe(&loser.value)),
                    ];
                    let values = [
                        ("level", values[0].1.as_str()),
                        ("value", values[1].1.as_str()),
                    ];
                    Term::Loser.text(lang, &values)
                })
                .collect();
            let text = Term::Beats.text(lang, &[("losers", &losers.join(&dot))]);
            page.under(&text, None);
        }
        if let Some(passed) = row.passed_on_ms {
            page.under(
                &Term::PassedOn.text(lang, &[("ms", &passed.to_string())]),
                None,
            );
        }
    }
    let left = budget.in_force.len().saturating_sub(shown);
    if left > 0 {
        page.under(&Label::More.count(lang, left), None);
    }
}

fn methods(page: &mut Page, budget: &Budget, view: View<'_>) {
    let lang = view.lang;
    for (index, row) in budget.methods.iter().enumerate() {
        let label = if index == 0 {
            Term::Methods.text(lang, &[])
        } else {
            String::new()
        };
        let timeout = row.timeout_ms.map_or("?".to_owned(), |ms| ms.to_string());
        let values = [
            ("method", safe(&row.method)),
            ("timeout", timeout),
            ("level", level(&row.level, lang)),
        ];
        let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
        page.field(&label, &Term::MethodRow.text(lang, &values));
    }
}

fn need(page: &mut Page, budget: &Budget, lang: Lang) {
    let (Some(need), Some(measured)) = (&budget.need, &budget.measured) else {
        return;
    };
    let word = |term: Term| term.text(lang, &[]);
    let side = word(if measured.side == "consumer" {
        Term::Consumer
    } else {
        Term::Provider
    });
    let from = word(match measured.from {
        "samples" => Term::Samples,
        "metrics" => Term::Metrics,
        _ => Term::Given,
    });
    let rtt_from = match need.rtt_from.as_str() {
        "given" => word(Term::Given),
        "unknown" => word(Term::NotGiven),
        "probed" => word(Term::Probed),
        class => class.to_owned(),
    };
    let (p99, rtt, rest, total) = (
        number(need.p99_ms),
        number(need.rtt_ms),
        number(need.serialization_ms),
        number(need.total_ms),
    );
    let values = [
        ("p99", p99.as_str()),
        ("side", side.as_str()),
        ("from", from.as_str()),
        ("rtt", rtt.as_str()),
        ("rtt_from", rtt_from.as_str()),
        ("serialization", rest.as_str()),
        ("total", total.as_str()),
    ];
    let sum = match (need.at_least, need.rtt_from.as_str()) {
        (true, "included") => Term::NeedIncludedAtLeast,
        (false, "included") => Term::NeedIncluded,
        (true, _) => Term::NeedAtLeast,
        (false, _) => Term::NeedSum,
    };
    page.field(&word(Term::Need), &sum.text(lang, &values));
    let Some(per_try) = &budget.per_try else {
        let text = match measured.cut_at_ms {
            Some(cut) => Term::BudgetCut.text(lang, &[("cut", &number(cut))]),
            None => word(Term::BudgetOpen),
        };
        page.field(&word(Term::Budget), &text);
        return;
    };
    let rows = [
        (
            Term::BudgetTight,
            per_try.lower_factor,
            per_try.lower_ms,
            per_try.tight_ms,
        ),
        (
            Term::BudgetComfortable,
            per_try.upper_factor,
            per_try.upper_ms,
            per_try.comfortable_ms,
        ),
    ];
    for (index, (term, factor, product, rounded)) in rows.into_iter().enumerate() {
        let label = if index == 0 {
            word(Term::Budget)
        } else {
            String::new()
        };
        let (factor, product, rounded) = (number(factor), number(product), number(rounded));
        let values = [
            ("need", total.as_str()),
            ("factor", factor.as_str()),
            ("product", product.as_str()),
            ("rounded", rounded.as_str()),
        ];
        page.field(&label, &term.text(lang, &values));
    }
}

fn links(page: &mut Page, budget: &Budget, lang: Lang) {
    let nowhere = Term::Nowhere.text(lang, &[]);
    let zone = |name: &Option<String>| name.as_deref().map_or(nowhere.clone(), safe);
    for (index, link) in budget.links.iter().enumerate() {
        let label = if index == 0 {
            Term::LinkLabel.text(lang, &[])
        } else {
            String::new()
        };
        let values = [
            ("from", zone(&link.from_zone)),
            ("to", zone(&link.to_zone)),
            ("min", number(link.min_ms)),
            ("median", number(link.median_ms)),
            ("p99", number(link.p99_ms)),
            ("lost", link.lost.to_string()),
            ("sent", (link.samples as u64 + link.lost).to_string()),
        ];
        let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
        page.field(&label, &Term::LinkRow.text(lang, &values));
        if let (Some(need), Some(share)) = (link.need_ms, link.network_share) {
            let values = [
                ("need", number(need)),
                ("tight", optional(link.tight_ms)),
                ("comfortable", optional(link.comfortable_ms)),
                ("share", percent(share)),
            ];
            let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
            page.under(&Term::LinkBudget.text(lang, &values), None);
        }
    }
}

fn leaving(page: &mut Page, budget: &Budget, lang: Lang) {
    let Some(leaving) = &budget.leaving else {
        return;
    };
    let values = [
        ("first", percent(leaving.first)),
        ("zone", safe(&leaving.zone)),
        ("inside", leaving.inside.to_string()),
        ("outside", leaving.outside.to_string()),
        (
            "again",
            leaving.again.map_or_else(|| "-".to_owned(), percent),
        ),
    ];
    let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
    page.field(
        &Term::LeavingLabel.text(lang, &[]),
        &Term::LeavingRow.text(lang, &values),
    );
}

fn tries(page: &mut Page, budget: &Budget, lang: Lang) {
    let Some(tries) = &budget.tries else { return };
    let mut text = tries_line(budget, tries, lang);
    let mut add = |more: String| {
        text.push_str("; ");
        text.push_str(&more);
    };
    if tries.later > 0 {
        add(Term::TriesLater.text(lang, &[("count", &tries.later.to_string())]));
    }
    if let Some(count) = between(tries.expected_low, tries.expected, lang) {
        add(Term::Expected.text(lang, &[("count", &count)]));
    }
    let again = tries.in_turn > 1 && tries.cluster == "failover";
    match tries.writes {
        Some(true) if tries.in_turn > 1 => add(Term::Write.text(lang, &[])),
        Some(false) if again && tries.in_turn > 2 => add(Term::Read.text(lang, &[])),
        None if again && budget.method.is_some() => add(Term::EffectUnknown.text(lang, &[])),
        _ => {}
    }
    page.field(&Term::Tries.text(lang, &[]), &text);
}

/// Two ends of a number, or one where they print alike.
pub(super) fn between(low: Option<f64>, high: Option<f64>, lang: Lang) -> Option<String> {
    let (low, high) = (number(low?), number(high?));
    Some(if low == high {
        high
    } else {
        Term::Between.text(lang, &[("low", &low), ("high", &high)])
    })
}

fn tries_line(budget: &Budget, tries: &Tries, lang: Lang) -> String {
    let timeout = budget
        .in_force
        .iter()
        .filter_map(|row| row.timeout_ms)
        .filter(|millis| *millis > 0)
        .max()
        .map_or("?".to_owned(), |ms| ms.to_string());
    let cluster = safe(&tries.cluster);
    let worst = optional(tries.worst_ms);
    let Some(retries) = tries.retries else {
        return Term::TriesNoNumber.text(lang, &[("cluster", &cluster)]);
    };
    let parallel = tries.at_once != Some(1);
    let at_once = tries
        .at_once
        .map_or_else(|| Term::Every.text(lang, &[]), |count| count.to_string());
    let (retries, count) = (retries.to_string(), tries.in_turn.to_string());
    let name = level(&tries.level, lang);
    let values = [
        ("cluster", cluster.as_str()),
        ("retries", retries.as_str()),
        ("level", name.as_str()),
        (
            "count",
            if parallel {
                at_once.as_str()
            } else {
                count.as_str()
            },
        ),
        ("timeout", timeout.as_str()),
        ("worst", worst.as_str()),
    ];
    let term = if parallel {
        Term::TriesAtOnce
    } else if tries.is_own_strategy() {
        Term::TriesOwn
    } else if tries.cluster != "failover" {
        Term::TriesOnce
    } else if tries.in_turn == 1 {
        Term::TriesInTurnOnce
    } else {
        Term::TriesInTurn
    };
    let text = term.text(lang, &values);
    // Without a time that is waited there is no worst case.
    match tries.worst_ms {
        Some(_) => text,
        None => Term::TriesOnly.text(lang, &values),
    }
}

fn total(page: &mut Page, budget: &Budget, lang: Lang) {
    let Some(total) = &budget.total else { return };
    let Some(upstream) = total.upstream_ms else {
        return;
    };
    let values = [
        ("total", optional(total.in_force_ms)),
        ("upstream", number(upstream)),
    ];
    let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
    page.field(
        &Term::Total.text(lang, &[]),
        &Term::TotalOf.text(lang, &values),
    );
    if let Some(advised) = total.advised_ms {
        page.under(
            &Term::TotalAdvised.text(lang, &[("total", &number(advised))]),
            None,
        );
    }
}

/// A bucket: one number where both ends are the same, `> low` where it is open.
fn range(low: Option<f64>, high: Option<f64>) -> String {
    let Some(low) = low.map(number) else {
        return "-".to_owned();
    };
    match high.map(number) {
        Some(high) if high == low => low,
        Some(high) => format!("{low}-{high}"),
        None => format!("> {low}"),
    }
}

fn sample(page: &mut Page, measured: &Measured, lang: Lang) {
    let p99 = range(Some(measured.p99_low_ms), measured.p99_high_ms);
    let text = match measured.samples {
        Some(samples) => {
            let open = Term::OpenEnd.text(lang, &[]);
            let values = [
                ("samples", samples.to_string()),
                ("p50", range(measured.p50_low_ms, measured.p50_high_ms)),
                ("p90", range(measured.p90_low_ms, measured.p90_high_ms)),
                ("p99", p99),
                ("low", optional(measured.interval_low_ms)),
                ("high", measured.interval_high_ms.map_or(open, number)),
            ];
            let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
            Term::MeasuredRange.text(lang, &values)
        }
        None if measured.from == "metrics" => {
            let name = safe(measured.name.as_deref().unwrap_or_default());
            let count = measured.samples_at_most.map(|count| count.to_string());
            let term = match count {
                Some(_) => Term::MeasuredSeriesOf,
                None => Term::MeasuredSeries,
            };
            let values = [
                ("name", name.as_str()),
                ("p99", p99.as_str()),
                ("count", count.as_deref().unwrap_or_default()),
            ];
            term.text(lang, &values)
        }
        None => return,
    };
    page.field(&Term::MeasuredLabel.text(lang, &[]), &text);
    if !measured.remarks.is_empty() {
        let list: Vec<String> = measured
            .remarks
            .iter()
            .map(|remark| format!("{} {}", remark.count, safe(&remark.what)))
            .collect();
        page.under(
            &Term::LeftOut.text(lang, &[("list", &list.join(", "))]),
            None,
        );
    }
    if measured.repeated_total > 0 {
        let count = measured.repeated_total.to_string();
        page.under(&Term::Repeated.text(lang, &[("count", &count)]), None);
    }
}
