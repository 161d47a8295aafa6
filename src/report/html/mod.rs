//! The report as one HTML file for a mail or an archive: nothing is loaded from anywhere, no script, prints well.

mod picture;

use std::fmt::Write as _;

use super::{
    facets::{self, Finding},
    model::{Answer, Report},
    text::{self, View},
    words::{Label, Lang},
};

/// Colours only ever repeat what a word says.
const STYLE: &str = "\
:root{color-scheme:light dark}\
body{font:16px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem;color:#1b1f24;background:#fff}\
h1{font-size:1.35rem;margin:1.5rem 0 .25rem}h2{font-size:1.05rem;margin:1.5rem 0 .5rem}\
.bad{color:#a3122a}.good{color:#116329}.doubt{color:#7a4d00}.quiet{color:#57606a}\
table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.2rem .6rem .2rem 0;border-bottom:1px solid #d0d7de}\
pre{background:#f6f8fa;padding:.6rem .8rem;overflow-x:auto;border-radius:6px}code,pre{font:13px/1.45 ui-monospace,monospace}\
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:.5rem 0}dt{color:#57606a}dd{margin:0;overflow-wrap:anywhere}\
li{margin:.35rem 0;overflow-wrap:anywhere}svg{max-width:100%;height:auto}footer{margin-top:2rem;font-size:.85rem;color:#57606a}\
svg text{font:12px system-ui,sans-serif;fill:currentColor}\
@media(prefers-color-scheme:dark){body{color:#e6edf3;background:#0d1117}pre{background:#161b22}.bad{color:#ff8182}.good{color:#56d364}.doubt{color:#e3b341}.quiet,dt,footer{color:#9198a1}td,th{border-color:#30363d}}\
@media print{body{max-width:none;margin:0;color:#000;background:#fff}pre{white-space:pre-wrap;background:none;border:1px solid #999}h1,h2{break-after:avoid}table,li,svg,dl{break-inside:avoid}}";

/// The HTML of a report. `recording` = the recording that was read, for commands on the same facts.
pub fn render(report: &Report, lang: Lang, recording: Option<&str>) -> String {
    let view = facets::view(lang, recording);
    let mut body = String::new();
    if report.interrupted {
        let _ = writeln!(
            body,
            "<p class=\"doubt\">{}</p>",
            escaped(Label::Interrupted.text(lang))
        );
    }
    for answer in &report.reports {
        answer_of(&mut body, report, answer, view);
    }
    let sources = facets::sources(report);
    if !sources.is_empty() {
        heading(&mut body, Label::Sources.text(lang));
        let head =
            [Label::Id, Label::Kind, Label::Where, Label::Server].map(|label| label.text(lang));
        table(&mut body, &head, &sources);
    }
    let _ = writeln!(
        body,
        "<footer>{} {} {} · {}</footer>",
        escaped(Label::Written.text(lang)),
        report.tool.name,
        report.tool.version,
        escaped(&report.command)
    );
    let title = report
        .reports
        .first()
        .and_then(|answer| text::title(answer, view).into_iter().next())
        .unwrap_or_else(|| report.command.clone());
    document(&title, &body, lang)
}

/// A page around a body that is HTML already.
pub(super) fn document(title: &str, body: &str, lang: Lang) -> String {
    let language = match lang {
        Lang::En => "en",
        Lang::Zh => "zh",
    };
    format!(
        "<!doctype html>\n<html lang=\"{language}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <link rel=\"icon\" href=\"data:,\">\n\
         <title>{}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n",
        escaped(title)
    )
}

fn answer_of(out: &mut String, report: &Report, answer: &Answer, view: View<'_>) {
    let lang = view.lang;
    let class = match answer.outcome {
        Some("reachable") => "good",
        Some("none" | "partly") => "bad",
        Some(_) => "doubt",
        None if answer.verdict.is_some() => "bad",
        None => "",
    };
    for (index, line) in text::title(answer, view).iter().enumerate() {
        let tag = if index == 0 { "h1" } else { "p" };
        let _ = writeln!(out, "<{tag} class=\"{class}\">{}</{tag}>", escaped(line));
    }
    let mut pairs = facets::asked(answer, lang);
    pairs.extend(facets::around(answer, lang));
    list(out, &pairs);
    let differences = facets::differences(answer);
    if !differences.is_empty() {
        let head = [Label::Difference, Label::Here, Label::There].map(|label| label.text(lang));
        table(out, &head, &differences);
    }
    if let Some(finding) = text::of_verdict(answer) {
        proof(out, &facets::finding(report, finding, view), lang);
    }
    for path in facets::paths(report, answer, view) {
        heading(
            out,
            &format!("{} · {}", Label::Path.text(lang), path.heading),
        );
        out.push_str(&picture::waterfall(&path, Label::Picture.text(lang)));
        out.push_str("<table>\n");
        for stage in &path.stages {
            let class = match stage.state {
                "failed" => "bad",
                "unknown" => "doubt",
                "skipped" => "quiet",
                _ => "",
            };
            let _ = writeln!(
                out,
                "<tr class=\"{class}\"><td>{}</td><td>{}</td><td>{}</td></tr>",
                escaped(stage.sign),
                escaped(&stage.name),
                escaped(&stage.said)
            );
        }
        out.push_str("</table>\n");
    }
    let zones = facets::zones(answer, lang);
    if !zones.is_empty() {
        heading(out, Label::Zones.text(lang));
        let head = [
            Label::Zone,
            Label::Registered,
            Label::LeftOver,
            Label::Share,
        ]
        .map(|label| label.text(lang));
        table(out, &head, &zones);
    }
    if let Some(replay) = &answer.replay {
        heading(out, Label::Calls.text(lang));
        for class in replay.classes.iter().take(picture::MOST_CLASSES) {
            out.push_str(&picture::of_class(class, Label::Picture.text(lang)));
        }
    }
    if let Some(budget) = &answer.budget {
        out.push_str(&picture::histogram(budget, view));
    }
    let own = text::of_verb(report, answer, view);
    if !own.trim().is_empty() {
        heading(out, Label::Details.text(lang));
        let _ = writeln!(out, "<pre>{}</pre>", escaped(own.trim_matches('\n')));
    }
    let others = text::others(answer);
    if !others.is_empty() {
        heading(out, Label::AlsoFound.text(lang));
        out.push_str("<ul>\n");
        for finding in &others {
            let finding = facets::finding(report, finding, view);
            let _ = write!(
                out,
                "<li><strong>{}</strong> {} · {}: {} ({})",
                escaped(&finding.code),
                escaped(finding.name),
                escaped(&finding.severity),
                escaped(&finding.message),
                escaped(finding.certainty)
            );
            for (fact, place) in finding.facts.iter().take(1) {
                let _ = write!(
                    out,
                    "<br><span class=\"quiet\">{}<br><code>{}</code></span>",
                    escaped(fact),
                    escaped(place)
                );
            }
            out.push_str("</li>\n");
        }
        out.push_str("</ul>\n");
    }
    let limits = facets::limits(answer, lang);
    if !limits.is_empty() {
        heading(
            out,
            &format!(
                "{}, {}",
                Label::Assumed.text(lang),
                Label::NotSeen.text(lang)
            ),
        );
        list(out, &limits);
    }
}

fn proof(out: &mut String, finding: &Finding, lang: Lang) {
    if !finding.facts.is_empty() {
        heading(out, Label::Proof.text(lang));
        out.push_str("<ul>\n");
        for (fact, place) in &finding.facts {
            let _ = writeln!(
                out,
                "<li>{}<br><code class=\"quiet\">{}</code></li>",
                escaped(fact),
                escaped(place)
            );
        }
        if finding.more > 0 {
            let _ = writeln!(
                out,
                "<li>{}</li>",
                escaped(&Label::More.count(lang, finding.more))
            );
        }
        out.push_str("</ul>\n");
    }
    if !finding.steps.is_empty() {
        heading(out, Label::Next.text(lang));
        for step in &finding.steps {
            let _ = writeln!(out, "<p>{}</p>", escaped(&step.text));
            if let Some(command) = &step.command {
                let _ = writeln!(out, "<pre>{}</pre>", escaped(command));
            }
        }
    }
}

fn heading(out: &mut String, text: &str) {
    let _ = writeln!(out, "<h2>{}</h2>", escaped(text));
}

fn list(out: &mut String, pairs: &[facets::Pair]) {
    if pairs.is_empty() {
        return;
    }
    out.push_str("<dl>\n");
    for (name, text) in pairs {
        let _ = writeln!(out, "<dt>{}</dt><dd>{}</dd>", escaped(name), escaped(text));
    }
    out.push_str("</dl>\n");
}

fn table<const N: usize>(out: &mut String, head: &[&str; N], rows: &[[String; N]]) {
    let row = |tag: &str, cells: Vec<String>| {
        let mut line = "<tr>".to_owned();
        for cell in &cells {
            let _ = write!(line, "<{tag}>{}</{tag}>", escaped(cell));
        }
        line + "</tr>\n"
    };
    out.push_str("<table>\n");
    out.push_str(&row(
        "th",
        head.iter().map(|cell| (*cell).to_owned()).collect(),
    ));
    for cells in rows {
        out.push_str(&row("td", cells.to_vec()));
    }
    out.push_str("</table>\n");
}

/// Signs that would be markup lose their meaning.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}
