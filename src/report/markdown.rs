//! The report for a chat or a ticket: short headings, lists, tables, commands in fences of their own.

use super::{
    facets::{self, Finding, Pair, Path},
    model::{Answer, Report},
    set::{self, Markup},
    text::View,
    words::{Label, Lang},
};

/// The Markdown of a report. `recording` = the recording that was read, for commands on the same facts.
pub fn render(report: &Report, lang: Lang, recording: Option<&str>) -> String {
    let mut page = Markdown::default();
    set::report(&mut page, report, facets::view(lang, recording));
    page.0
}

/// A page in the making.
#[derive(Debug, Default)]
struct Markdown(String);

impl Markdown {
    fn put(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }

    fn row(&mut self, cells: &[&str]) {
        let cells: Vec<String> = cells.iter().map(|cell| escaped(cell)).collect();
        self.put(&format!("| {} |", cells.join(" | ")));
    }
}

impl Markup for Markdown {
    fn remark(&mut self, text: &str) {
        self.put(&format!("> {}\n", escaped(text)));
    }

    fn title(&mut self, lines: &[String], _class: &'static str) {
        for (index, line) in lines.iter().enumerate() {
            if index == 0 {
                self.put(&format!("## {}\n", escaped(line)));
            } else {
                self.put(&format!("**{}**\n", escaped(line)));
            }
        }
    }

    fn heading(&mut self, text: &str) {
        self.put(&format!("### {}\n", escaped(text)));
    }

    fn pairs(&mut self, pairs: &[Pair]) {
        for (name, text) in pairs {
            self.put(&format!("* {}: {}", escaped(name), escaped(text)));
        }
        if !pairs.is_empty() {
            self.0.push('\n');
        }
    }

    fn table<const N: usize>(&mut self, head: &[&str; N], rows: &[[String; N]]) {
        self.row(head);
        self.put(&format!("|{}", " --- |".repeat(N)));
        for row in rows {
            self.row(&row.each_ref().map(String::as_str));
        }
        self.0.push('\n');
    }

    fn path(&mut self, path: &Path, lang: Lang) {
        let rows: Vec<[String; 3]> = path
            .stages
            .iter()
            .map(|stage| {
                [
                    stage.sign.to_owned(),
                    stage.name.clone(),
                    stage.said.clone(),
                ]
            })
            .collect();
        self.table(&["", Label::Stage.text(lang), ""], &rows);
    }

    fn facts(&mut self, facts: &[Pair], more: Option<&str>) {
        for (fact, place) in facts {
            self.put(&format!("* {}  \n  {}", escaped(fact), code(place)));
        }
        if let Some(more) = more {
            self.put(&format!("* {}", escaped(more)));
        }
        self.0.push('\n');
    }

    fn sentence(&mut self, text: &str) {
        self.put(&format!("{}\n", escaped(text)));
    }

    /// Behind a fence that is longer than any inside.
    fn verbatim(&mut self, text: &str) {
        let mut marks = "```".to_owned();
        while text.contains(&marks) {
            marks.push('`');
        }
        self.put(&format!(
            "{marks}text\n{}\n{marks}\n",
            text.trim_matches('\n')
        ));
    }

    fn findings(&mut self, findings: &[Finding]) {
        for finding in findings {
            self.put(&format!(
                "* **{}** {}",
                finding.code,
                escaped(&finding.told())
            ));
            if let Some((fact, place)) = finding.facts.first() {
                self.put(&format!("  {}  \n  {}", escaped(fact), code(place)));
            }
        }
        self.0.push('\n');
    }

    /// It has none.
    fn pictures(&mut self, _answer: &Answer, _view: View<'_>) {}
}

/// A text as it is inside a line.
fn code(text: &str) -> String {
    let mut marks = "`".to_owned();
    while text.contains(&marks) {
        marks.push('`');
    }
    let pad = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{marks}{pad}{text}{pad}{marks}")
}

/// Signs that would be markup lose their meaning.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for sign in text.chars() {
        if "\\`*_<>[]|#&~".contains(sign) {
            out.push('\\');
        }
        out.push(sign);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_signs_are_no_markup() {
        assert_eq!(escaped("a|b *c* <d>"), r"a\|b \*c\* \<d\>");
        assert_eq!(code("a`b"), "``a`b``");
        assert_eq!(code("`x`"), "`` `x` ``");
        let mut page = Markdown::default();
        page.verbatim("x\n```\ny");
        assert!(page.0.starts_with("````text\n"), "{}", page.0);
    }
}
