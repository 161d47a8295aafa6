//! The report as one HTML file for a mail or an archive: nothing is loaded from anywhere, no script, prints well.

mod picture;

use std::fmt::Write as _;

use super::{
    facets::{self, Finding, Pair, Path},
    model::{Answer, Report},
    set::{self, Markup},
    svg,
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
    let mut page = Html::default();
    set::report(&mut page, report, view);
    let mut body = page.0;
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
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n\
         <link rel=\"icon\" href=\"data:,\">\n\
         <title>{}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n",
        escaped(title)
    )
}

/// The body of a page in the making.
#[derive(Debug, Default)]
struct Html(String);

impl Html {
    fn put(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }

    fn row(&mut self, tag: &str, class: &str, cells: &[&str]) {
        let mut line = if class.is_empty() {
            "<tr>".to_owned()
        } else {
            format!("<tr class=\"{class}\">")
        };
        for cell in cells {
            let _ = write!(line, "<{tag}>{}</{tag}>", escaped(cell));
        }
        self.put(&(line + "</tr>"));
    }
}

impl Markup for Html {
    fn remark(&mut self, text: &str) {
        self.put(&format!("<p class=\"doubt\">{}</p>", escaped(text)));
    }

    fn title(&mut self, lines: &[String], class: &'static str) {
        for (index, line) in lines.iter().enumerate() {
            let tag = if index == 0 { "h1" } else { "p" };
            self.put(&format!(
                "<{tag} class=\"{class}\">{}</{tag}>",
                escaped(line)
            ));
        }
    }

    fn heading(&mut self, text: &str) {
        self.put(&format!("<h2>{}</h2>", escaped(text)));
    }

    fn pairs(&mut self, pairs: &[Pair]) {
        if pairs.is_empty() {
            return;
        }
        self.put("<dl>");
        for (name, text) in pairs {
            self.put(&format!(
                "<dt>{}</dt><dd>{}</dd>",
                escaped(name),
                escaped(text)
            ));
        }
        self.put("</dl>");
    }

    fn table<const N: usize>(&mut self, head: &[&str; N], rows: &[[String; N]]) {
        self.put("<table>");
        self.row("th", "", head);
        for cells in rows {
            self.row("td", "", &cells.each_ref().map(String::as_str));
        }
        self.put("</table>");
    }

    fn path(&mut self, path: &Path, lang: Lang) {
        self.0
            .push_str(&picture::waterfall(path, Label::Picture.text(lang)));
        self.put("<table>");
        for stage in &path.stages {
            let class = match stage.state {
                "failed" => "bad",
                "unknown" => "doubt",
                "skipped" => "quiet",
                _ => "",
            };
            self.row("td", class, &[stage.sign, &stage.name, &stage.said]);
        }
        self.put("</table>");
    }

    fn facts(&mut self, facts: &[Pair], more: Option<&str>) {
        self.put("<ul>");
        for (fact, place) in facts {
            self.put(&format!(
                "<li>{}<br><code class=\"quiet\">{}</code></li>",
                escaped(fact),
                escaped(place)
            ));
        }
        if let Some(more) = more {
            self.put(&format!("<li>{}</li>", escaped(more)));
        }
        self.put("</ul>");
    }

    fn sentence(&mut self, text: &str) {
        self.put(&format!("<p>{}</p>", escaped(text)));
    }

    fn verbatim(&mut self, text: &str) {
        self.put(&format!("<pre>{}</pre>", escaped(text)));
    }

    fn findings(&mut self, findings: &[Finding]) {
        self.put("<ul>");
        for finding in findings {
            let mut line = format!(
                "<li><strong>{}</strong> {}",
                escaped(&finding.code),
                escaped(&finding.told())
            );
            if let Some((fact, place)) = finding.facts.first() {
                let _ = write!(
                    line,
                    "<br><span class=\"quiet\">{}<br><code>{}</code></span>",
                    escaped(fact),
                    escaped(place)
                );
            }
            self.put(&(line + "</li>"));
        }
        self.put("</ul>");
    }

    fn pictures(&mut self, answer: &Answer, view: View<'_>) {
        let lang = view.lang;
        if let Some(replay) = &answer.replay {
            self.heading(Label::Calls.text(lang));
            for class in replay.classes.iter().take(picture::MOST_CLASSES) {
                self.0
                    .push_str(&picture::of_class(class, Label::Picture.text(lang)));
            }
        }
        let histogram = answer
            .budget
            .as_ref()
            .and_then(|budget| svg::histogram(budget, lang));
        self.0.push_str(&histogram.unwrap_or_default());
    }
}

/// Signs that would be markup lose their meaning.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}
