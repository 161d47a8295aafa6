//! `diag explain`: what leads where, what a page shows, and that the table of codes in the README is the program's.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests read and, when asked to, rewrite their own files"
)]

use std::{collections::BTreeSet, fmt::Write as _, path::Path};

use diag::{
    diagnose::{
        code::Code,
        explain,
        spoken::{Topic, findings_of, topics},
    },
    report::{explain::first_sentence, words::Lang},
};

use crate::{
    cases::case::{Case, cases_under},
    cli::{diag, done, run},
};

fn bless() -> bool {
    std::env::var_os("DIAG_BLESS").is_some()
}

#[test]
fn texts_lead_to_their_page_and_others_nowhere() {
    let file = std::fs::read_to_string("fixtures/explain/texts.tsv").unwrap();
    let (mut found, mut not) = (0, 0);
    let mut problems = Vec::new();
    for line in file.lines().filter(|line| !line.starts_with('#')) {
        let (expected, text) = line.split_once('\t').unwrap();
        let leading = topics(text).first().map(|topic| match topic {
            Topic::Finding(code) => code.to_string(),
            Topic::Dubbo(code) => (*code).to_owned(),
        });
        let leading = leading.unwrap_or_else(|| "-".to_owned());
        if leading != expected {
            problems.push(format!("{leading} instead of {expected}: {text}"));
        }
        *(if expected == "-" {
            &mut not
        } else {
            &mut found
        }) += 1;
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(found >= 60 && not >= 20, "{found} and {not}");
}

#[test]
fn a_hit_is_exit_0_and_none_is_exit_1() {
    let done = run(&["explain", "DG2101"]);
    assert_eq!((done.exit, done.stderr.as_str()), (0, ""));
    assert!(
        done.stdout.starts_with("DG2101 group-differs · error\n"),
        "{done:?}"
    );
    let zh = run(&["explain", "DG2101", "--lang", "zh"]);
    assert!(zh.stdout.contains("如何证明"), "{zh:?}");
    let dubbo = run(&["explain", "2-2"]);
    for (heading, text) in [
        ("What it means", "does not say which step"),
        ("How it is proven", "diag no-provider --from-log FILE"),
        ("What looks the same but is not", "DG6011"),
        ("What to do", "--qos 127.0.0.1:22222"),
        ("Example", "NO PROVIDER"),
    ] {
        let (_, behind) = dubbo.stdout.split_once(heading).unwrap_or_default();
        assert!(behind.contains(text), "{heading}: {dubbo:?}");
    }
    assert_eq!(
        run(&["explain", "1-4", "-o", "json"]).json()["topics"][0]["sections"]
            .as_array()
            .unwrap()
            .len(),
        5
    );
    assert!(
        run(&["explain", "1-4", "-o", "markdown", "--lang", "zh"])
            .stdout
            .contains("## 怎么办")
    );
    assert!(dubbo.stdout.contains("DG2105 not-registered"), "{dubbo:?}");
    let words = run(&["explain", "Thread", "pool", "is", "EXHAUSTED!"]);
    assert!(words.stdout.starts_with("DG6006"), "{words:?}");
    let none = run(&["explain", "grup-differs"]);
    assert_eq!(none.exit, 1);
    assert!(none.stdout.contains("did you mean"), "{none:?}");
    assert!(none.stdout.contains("DG2101 group-differs"), "{none:?}");
    let unused = run(&["explain", "DG2106"]);
    assert_eq!(unused.exit, 1);
    assert!(
        unused
            .stdout
            .contains("DG2106 registered-late this version does not use this code"),
        "{unused:?}"
    );
    let letter = run(&["explain", "DG21O1"]);
    assert!(letter.stdout.contains("DG2101 group-differs"), "{letter:?}");
    assert_eq!(run(&["explain"]).exit, 2);

    let json = run(&["explain", "DG5001", "-o", "json"]).json();
    assert_eq!(json["topics"][0]["name"], "routed-away");
    assert_eq!(json["topics"][0]["sections"].as_array().unwrap().len(), 5);
    assert_eq!(
        run(&["explain", "nothing of it", "-o", "json"]).json()["exit"],
        1
    );
    let markdown = run(&["explain", "DG5001", "-o", "markdown"]);
    assert!(
        markdown
            .stdout
            .starts_with("# DG5001 routed-away · error\n\n## What it means\n")
    );
    let brief = run(&["explain", "DG5001", "--brief"]);
    assert!(
        brief.stdout.starts_with("DG5001\trouted-away: "),
        "{brief:?}"
    );
}

/// The first case that shows a code: as verdict if there is one, else among the findings.
fn shown_by(code: &str, cases: &[(String, Case)]) -> Option<usize> {
    let verdict = |case: &Case| case.code.first().is_some_and(|first| first == code);
    let finding = |case: &Case| {
        case.findings
            .iter()
            .any(|any| any.first().is_some_and(|one| one == code) && !any.contains(&"-".to_owned()))
    };
    let listed = |case: &Case| case.code.iter().any(|one| one == code);
    let at = |fits: &dyn Fn(&Case) -> bool| cases.iter().position(|(_, case)| fits(case));
    at(&verdict)
        .or_else(|| at(&finding))
        .or_else(|| at(&listed))
}

/// The command of a case as somebody would type it in the root of the source.
fn typed(folder: &str, case: &Case) -> Vec<String> {
    let mut words = case.ask.clone();
    for name in ["snapshot", "snapshot.tar.gz"] {
        if case.dir.join(name).exists() {
            words.extend(["--snapshot".to_owned(), format!("{folder}/{name}")]);
        }
    }
    words
}

/// What the binary really prints about a code: the paragraph of its text report that names it.
fn example(code: &str, folder: &str, case: &Case, lang: &str) -> Option<String> {
    let home = tempfile::tempdir().unwrap();
    let words = typed(".", case);
    let done = done(
        diag(home.path())
            .current_dir(&case.dir)
            .env("COLUMNS", "80")
            .args(&words)
            .args(["--lang", lang]),
    );
    let paragraph = done
        .stdout
        .split("\n\n")
        .find(|paragraph| paragraph.contains(code))?;
    let lines: Vec<&str> = paragraph.lines().collect();
    let at = lines.iter().position(|line| line.contains(code))?;
    // A headline stands above its code; a finding begins with it.
    let from = if at <= 4 { 0 } else { at };
    let shown: Vec<String> = lines[from..]
        .iter()
        .take(at - from + 14)
        .map(|line| line.trim_end().to_owned())
        .collect();
    Some(format!(
        "```text\n$ cd {folder} && diag {}\n{}\n```",
        words
            .iter()
            .map(|word| quoted(word))
            .collect::<Vec<_>>()
            .join(" ")
            .replace("./snapshot", "snapshot"),
        shown.join("\n")
    ))
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Every page shows, in both languages, what the program prints for a case that is in the tree.
#[test]
fn every_page_shows_the_real_output_of_a_fixture() {
    let cases = all_cases();
    let only = std::env::var("DIAG_CASES").ok();
    let codes: Vec<Code> = Code::ALL
        .iter()
        .copied()
        .filter(|code| {
            only.as_ref()
                .is_none_or(|part| code.to_string().contains(part.as_str()))
        })
        .collect();
    let problems: Vec<String> = std::thread::scope(|scope| {
        let runs: Vec<_> = codes
            .chunks(codes.len().div_ceil(4).max(1))
            .map(|part| {
                scope.spawn(|| {
                    part.iter()
                        .filter_map(|code| page(*code, &cases))
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        runs.into_iter()
            .flat_map(|run| run.join().unwrap())
            .collect()
    });
    assert!(
        problems.is_empty(),
        "{}\nDIAG_BLESS=1 cargo test --test it every_page_shows writes the examples; read the diff",
        problems.join("\n")
    );
}

/// The cases that a page may show.
fn all_cases() -> Vec<(String, Case)> {
    let roots = [
        "fixtures/no_provider",
        "fixtures/route_replay",
        "fixtures/route",
        "fixtures/lint",
        "fixtures/budget",
    ];
    roots
        .iter()
        .flat_map(|root| {
            cases_under(root)
                .into_iter()
                .map(move |case| (format!("{root}/{}", case.name), case))
        })
        .collect()
}

/// The page of a code of Dubbo's own shows a case of the finding that it leads to first.
#[test]
fn every_page_of_a_dubbo_code_shows_the_real_output_of_a_fixture() {
    let cases = all_cases();
    let codes: BTreeSet<&str> = Code::ALL
        .iter()
        .flat_map(|code| explain::page(*code).unwrap().dubbo)
        .collect();
    let problems: Vec<String> = codes
        .iter()
        .filter_map(|own| {
            // What one meets most behind a code that many share: not registered at all.
            let leading = match *own {
                "2-2" => "DG2105".to_owned(),
                _ => findings_of(own).first()?.to_string(),
            };
            let file = Path::new("src/diagnose/dubbo").join(format!("{own}.md"));
            shows(own, &file, &leading, &cases)
        })
        .collect();
    assert!(
        problems.is_empty(),
        "{}\nDIAG_BLESS=1 cargo test --test it every_page writes the examples; read the diff",
        problems.join("\n")
    );
}

/// Compares or, when asked to, writes the examples of one page. Says what is wrong.
fn page(code: Code, cases: &[(String, Case)]) -> Option<String> {
    let name = code.to_string();
    let file = Path::new("src/diagnose/explain").join(format!("{name}.md"));
    shows(&name, &file, &name, cases)
}

/// The same for the page of any code that shows a finding.
fn shows(name: &str, file: &Path, code: &str, cases: &[(String, Case)]) -> Option<String> {
    let Some(at) = shown_by(code, cases) else {
        return Some(format!("{name}: no fixture shows it"));
    };
    let (folder, case) = &cases[at];
    let text = std::fs::read_to_string(file).unwrap();
    let mut wanted = String::new();
    let mut rest = text.as_str();
    for (heading, lang) in [("\n## Example\n", "en"), ("\n## 示例\n", "zh")] {
        let Some(shown) = example(code, folder, case, lang) else {
            return Some(format!("{name}: the output of {folder} does not name it"));
        };
        let Some((before, after)) = rest.split_once(heading) else {
            return Some(format!("{name}: no section {}", heading.trim()));
        };
        let end = after.find("\n# ").unwrap_or(after.len());
        let words = after[..end].split("```").next().unwrap_or_default().trim();
        wanted.push_str(before);
        wanted.push_str(heading);
        let _ = write!(wanted, "\n{words}\n\n{shown}\n");
        rest = &after[end..];
    }
    wanted.push_str(rest);
    if wanted == text {
        return None;
    }
    if bless() {
        std::fs::write(file, wanted).unwrap();
        return None;
    }
    Some(format!(
        "{name}: the example is not what {folder} gives today"
    ))
}

/// What stands in backquotes and looks like a command, a flag, a file or a placeholder is the same in both languages.
#[test]
fn both_languages_have_the_same_commands_and_placeholders() {
    let mut problems = Vec::new();
    let mut pages: Vec<(String, explain::Sections, explain::Sections)> = Vec::new();
    for code in Code::ALL {
        let page = explain::page(*code).unwrap();
        for own in page.dubbo {
            let (en, zh) = explain::dubbo_page(own).unwrap();
            pages.push((own.to_owned(), en, zh));
        }
        pages.push((code.to_string(), page.en, page.zh));
    }
    for (code, of_en, of_zh) in &pages {
        let commands = |sections: &[(&'static str, &'static str)]| -> BTreeSet<String> {
            sections
                .iter()
                .flat_map(|(_, text)| {
                    let words = text.split("```").step_by(2).collect::<Vec<_>>().join(" ");
                    words
                        .split('`')
                        .skip(1)
                        .step_by(2)
                        .filter(|word| {
                            word.starts_with("diag ")
                                || word.starts_with("--")
                                || word.contains("${")
                        })
                        .map(str::to_owned)
                        .collect::<Vec<_>>()
                })
                .collect()
        };
        let (en, zh) = (commands(of_en), commands(of_zh));
        if en != zh {
            problems.push(format!("{code}: en {en:?}, zh {zh:?}"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Words of the trade that the Chinese texts must use, so that one thing has one name.
const TERMS: [(&str, &str); 14] = [
    ("router rule", "路由规则"),
    ("timeout budget", "超时预算"),
    ("provider", "提供者"),
    ("consumer", "消费者"),
    ("namespace", "命名空间"),
    ("registry", "注册中心"),
    ("group", "分组"),
    ("rule", "规则"),
    ("router", "路由"),
    ("timeout", "超时"),
    ("instance", "实例"),
    ("revision", "revision"),
    ("interface", "接口"),
    ("application", "应用"),
];
/// Other names for the same things.
const NOT: [&str; 8] = [
    "提供方",
    "消费方",
    "名字空间",
    "名称空间",
    "供应者",
    "使用者端",
    "注册表",
    "超时间",
];

/// The same for every other text: sentences, labels, terms, errors.
#[test]
fn one_thing_has_one_name_in_all_texts() {
    use diag::report::words::{Label, Say, budget::Term, dubbo, errors, sentence};
    let mut texts: Vec<(String, String)> = Vec::new();
    let mut add = |en: String, zh: String| texts.push((en, zh));
    for code in Code::ALL {
        add(
            sentence(*code, Lang::En).to_owned(),
            sentence(*code, Lang::Zh).to_owned(),
        );
    }
    for say in Say::ALL {
        add(
            say.template(Lang::En).to_owned(),
            say.template(Lang::Zh).to_owned(),
        );
    }
    for label in Label::ALL {
        add(
            label.text(Lang::En).to_owned(),
            label.text(Lang::Zh).to_owned(),
        );
    }
    for term in Term::ALL {
        add(term.text(Lang::En, &[]), term.text(Lang::Zh, &[]));
    }
    for code in dubbo::codes() {
        let of = |lang| dubbo::meaning(code, lang).unwrap_or_default().to_owned();
        add(of(Lang::En), of(Lang::Zh));
    }
    for (en, zh) in errors::messages() {
        add(en.to_owned(), zh.to_owned());
    }
    assert!(texts.len() > 700, "{}", texts.len());
    let mut problems = Vec::new();
    for (en, zh) in &texts {
        if let Some(word) = NOT.iter().find(|word| zh.contains(**word)) {
            problems.push(format!("{word}: {zh}"));
        }
        let lower = en.to_lowercase();
        for (word, own) in TERMS {
            let plain = lower
                .split(|sign: char| !sign.is_ascii_alphanumeric() && !"-._/`{}=$".contains(sign))
                .any(|one| one == word || one == format!("{word}s"))
                || (word.contains(' ') && lower.contains(word));
            // A word of Dubbo's own, such as `--group` or `provider`, may stay as it is.
            if plain && !zh.contains(own) && !zh.to_lowercase().contains(word) {
                problems.push(format!("{word} is not {own}: {en} | {zh}"));
            }
        }
    }
    assert!(
        problems.is_empty(),
        "{} texts\n{}",
        problems.len(),
        problems.join("\n")
    );
}

/// Every Dubbo code that a finding refers to says what it means, in both languages, and leads back to the finding.
#[test]
fn every_dubbo_code_of_a_finding_is_explained() {
    use diag::report::words::dubbo;
    let mut referred = 0;
    for code in Code::ALL {
        for own in explain::page(*code).unwrap().dubbo {
            referred += 1;
            for lang in [Lang::En, Lang::Zh] {
                assert!(dubbo::meaning(own, lang).is_some(), "{code}: {own}");
            }
            let done = run(&["explain", own]);
            assert_eq!(done.exit, 0, "{own}: {done:?}");
            assert!(done.stdout.contains(&code.to_string()), "{own}: {done:?}");
        }
    }
    assert!(referred > 20, "{referred}");
}

#[test]
fn one_thing_has_one_name_in_chinese() {
    let mut all: String = Code::ALL.iter().map(|code| explain::text(*code)).collect();
    let own = Code::ALL
        .iter()
        .flat_map(|code| explain::page(*code).unwrap().dubbo);
    all.extend(own.filter_map(explain::dubbo_text));
    for word in NOT {
        assert!(!all.contains(word), "{word}");
        let at = Code::ALL
            .iter()
            .find(|code| explain::text(**code).contains(word));
        assert!(at.is_none(), "{word} on the page of {at:?}");
    }
    for (en, zh) in TERMS {
        assert!(all.contains(zh), "{en}: {zh} is not used at all");
    }
}

/// The table of codes in the README, between two marks.
#[test]
fn the_readme_lists_every_code() {
    const BEGIN: &str = "<!-- codes: generated, DIAG_BLESS=1 cargo test --test it readme -->\n";
    const END: &str = "<!-- end of codes -->";
    let mut table =
        String::from("| code | name | severity | meaning |\n| --- | --- | --- | --- |\n");
    for code in Code::ALL {
        let _ = writeln!(
            table,
            "| [{code}](src/diagnose/explain/{code}.md) | {} | {} | {} |",
            code.name(),
            code.severity(),
            first_sentence(*code, Lang::En)
                .replace('|', "\\|")
                .replace('\n', " ")
        );
    }
    let text = std::fs::read_to_string("README.md").unwrap();
    let (before, rest) = text.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let wanted = format!("{before}{BEGIN}{table}{END}{after}");
    if bless() {
        std::fs::write("README.md", wanted).unwrap();
        return;
    }
    assert!(
        wanted == text,
        "the table of codes in README.md is not that of the program: DIAG_BLESS=1 writes it"
    );
}
