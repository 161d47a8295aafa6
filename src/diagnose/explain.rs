//! The page of every code, in English and Chinese, as it stands in `explain/DGnnnn.md`. Data only: nothing is decided here.

use super::code::Code;

/// A page: front matter, then the same headings in two languages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// `error`, `warning`, `info`, before lowering.
    pub severity: &'static str,
    /// First version of this program that knows the code.
    pub since: &'static str,
    /// Dubbo's own codes that go with it (`2-2`).
    pub dubbo: Vec<&'static str>,
    /// Sections in English: heading and text.
    pub en: Vec<(&'static str, &'static str)>,
    /// Sections in Chinese.
    pub zh: Vec<(&'static str, &'static str)>,
}

/// The text of the page of a code.
pub fn text(code: Code) -> &'static str {
    code.page()
}

/// The page of a code; `None` when its file does not have the form of a page (a test sees to that).
pub fn page(code: Code) -> Option<Page> {
    let (front, body) = text(code).strip_prefix("---\n")?.split_once("\n---\n")?;
    let field = |name: &str| {
        front
            .lines()
            .find_map(|line| Some(line.strip_prefix(name)?.strip_prefix(": ")?.trim()))
    };
    let (en, zh) = body
        .trim_start()
        .strip_prefix("# en\n")?
        .split_once("\n# zh\n")?;
    Some(Page {
        severity: field("severity")?,
        since: field("since")?,
        dubbo: field("dubbo")?
            .trim_matches(['[', ']'])
            .split(',')
            .map(str::trim)
            .filter(|code| !code.is_empty())
            .collect(),
        en: sections(en),
        zh: sections(zh),
    })
}

/// The text of the page of a code of Dubbo's own; `None` for a code that no finding's page names.
pub fn dubbo_text(code: &str) -> Option<&'static str> {
    Some(match code {
        "1-4" => include_str!("dubbo/1-4.md"),
        "1-17" => include_str!("dubbo/1-17.md"),
        "1-37" => include_str!("dubbo/1-37.md"),
        "1-39" => include_str!("dubbo/1-39.md"),
        "2-1" => include_str!("dubbo/2-1.md"),
        "2-2" => include_str!("dubbo/2-2.md"),
        "2-6" => include_str!("dubbo/2-6.md"),
        "2-7" => include_str!("dubbo/2-7.md"),
        "2-11" => include_str!("dubbo/2-11.md"),
        "2-12" => include_str!("dubbo/2-12.md"),
        "2-14" => include_str!("dubbo/2-14.md"),
        "2-15" => include_str!("dubbo/2-15.md"),
        "3-1" => include_str!("dubbo/3-1.md"),
        "4-1" => include_str!("dubbo/4-1.md"),
        "4-2" => include_str!("dubbo/4-2.md"),
        "5-34" => include_str!("dubbo/5-34.md"),
        _ => return None,
    })
}

/// Sections of a page in one language: heading and text.
pub type Sections = Vec<(&'static str, &'static str)>;

/// The page of a code of Dubbo's own, English and Chinese.
pub fn dubbo_page(code: &str) -> Option<(Sections, Sections)> {
    let (en, zh) = dubbo_text(code)?
        .strip_prefix("# en\n")?
        .split_once("\n# zh\n")?;
    Some((sections(en), sections(zh)))
}

fn sections(text: &'static str) -> Vec<(&'static str, &'static str)> {
    text.split("\n## ")
        .skip(1)
        .map(|section| {
            let (heading, text) = section.split_once('\n').unwrap_or((section, ""));
            (heading.trim(), text.trim())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const EN: [&str; 5] = [
        "What it means",
        "How it is proven",
        "What looks the same but is not",
        "What to do",
        "Example",
    ];
    const ZH: [&str; 5] = ["含义", "如何证明", "相似但不是", "怎么办", "示例"];

    #[test]
    fn every_code_has_its_page_in_both_languages() {
        for code in Code::ALL {
            let page = page(*code).unwrap_or_else(|| panic!("{code}: not the form of a page"));
            assert_eq!(page.severity, code.severity().to_string(), "{code}");
            assert!(
                text(*code).contains(&format!("\ncode: {code}\nname: {}\n", code.name())),
                "{code}"
            );
            for (sections, headings) in [(&page.en, EN), (&page.zh, ZH)] {
                assert_eq!(
                    sections
                        .iter()
                        .map(|(heading, _)| *heading)
                        .collect::<Vec<_>>(),
                    headings,
                    "{code}"
                );
                assert!(
                    sections.iter().all(|(_, text)| text.chars().count() > 8),
                    "{code}"
                );
            }
            let is_chinese =
                |text: &str| text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
            assert!(
                page.zh.iter().take(4).all(|(_, text)| is_chinese(text)),
                "{code}"
            );
            assert!(!page.en.iter().any(|(_, text)| is_chinese(text)), "{code}");
            let code_like = |code: &str| {
                code.split_once('-')
                    .is_some_and(|(x, y)| [x, y].iter().all(|part| part.parse::<u8>().is_ok()))
            };
            assert!(
                page.dubbo.iter().all(|dubbo| code_like(dubbo)),
                "{code}: {:?}",
                page.dubbo
            );
        }
    }

    /// Every code of Dubbo's own that a finding's page names has a page with the same headings, and there is no other.
    #[test]
    fn every_dubbo_code_of_a_finding_has_its_page() {
        let named: BTreeSet<&str> = Code::ALL
            .iter()
            .flat_map(|code| page(*code).unwrap().dubbo)
            .collect();
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/diagnose/dubbo");
        let files: BTreeSet<String> = folder
            .read_dir()
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        let wanted: BTreeSet<String> = named.iter().map(|code| format!("{code}.md")).collect();
        assert_eq!(files, wanted);
        let known: BTreeSet<String> = Code::ALL.iter().map(ToString::to_string).collect();
        for code in named {
            let (en, zh) = dubbo_page(code).unwrap_or_else(|| panic!("{code}: no page"));
            for (sections, headings) in [(&en, EN), (&zh, ZH)] {
                let given: Vec<&str> = sections.iter().map(|(heading, _)| *heading).collect();
                assert_eq!(given, headings, "{code}");
                assert!(
                    sections.iter().all(|(_, text)| text.chars().count() > 8),
                    "{code}"
                );
            }
            let named = |sections: &[(&str, &str)]| -> BTreeSet<String> {
                sections
                    .iter()
                    .flat_map(|(_, text)| {
                        text.match_indices("DG").map(|(at, _)| text[at..].get(..6))
                    })
                    .flatten()
                    .filter(|word| word.ends_with(|c: char| c.is_ascii_digit()))
                    .map(str::to_owned)
                    .collect()
            };
            assert_eq!(named(&en), named(&zh), "{code}");
            assert!(named(&en).is_subset(&known), "{code}: {:?}", named(&en));
        }
    }

    #[test]
    fn no_page_without_a_code() {
        let known: BTreeSet<String> = Code::ALL.iter().map(|code| format!("{code}.md")).collect();
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/diagnose/explain");
        let files: BTreeSet<String> = folder
            .read_dir()
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        assert_eq!(files, known);
    }

    /// Codes named on a page exist, and both languages name the same ones.
    #[test]
    fn pages_point_to_codes_that_exist() {
        let named = |sections: &[(&str, &str)]| -> BTreeSet<String> {
            sections
                .iter()
                .flat_map(|(_, text)| {
                    text.match_indices("DG")
                        .map(|(at, _)| text[at..].chars().take(6).collect::<String>())
                        .filter(|word| word.ends_with(|c: char| c.is_ascii_digit()))
                })
                .collect()
        };
        let known: BTreeSet<String> = Code::ALL.iter().map(ToString::to_string).collect();
        for code in Code::ALL {
            let page = page(*code).unwrap();
            assert_eq!(named(&page.en), named(&page.zh), "{code}");
            assert!(
                named(&page.en).is_subset(&known),
                "{code}: {:?}",
                named(&page.en)
            );
        }
    }
}
