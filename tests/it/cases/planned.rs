//! What a dry run names against what a question comes to want.

use std::collections::BTreeMap;

use diag::{
    observe::{observers, recorded::Recording},
    snapshot::{Manifest, Role},
    want::wants,
};

use super::{
    ask,
    case::{Case, cases_under},
};

/// Requests of one case.
pub(crate) struct Planned {
    /// Named word by word before anything is asked.
    pub(crate) certain: usize,
    /// Named by their form.
    pub(crate) later: usize,
    /// Not named.
    pub(crate) unnamed: Vec<String>,
}

/// Compares plan and wants of one case; `None` when it has no recording or names no registry that can be asked.
pub(crate) fn planned(case: &Case) -> Option<Planned> {
    if case.ask.first()? != "no-provider" {
        return None;
    }
    let path = ["snapshot", "snapshot.tar.gz"]
        .iter()
        .map(|name| case.dir.join(name))
        .find(|path| path.exists())?;
    let mut recording = Recording::open(&path).unwrap();
    let mut snapshot = recording.snapshot();
    let question = ask::question(&case.ask, &snapshot).ok()?;
    // As a run would have it: sources for the addresses of the question alone.
    let known: Vec<_> = snapshot.manifest().sources.keys().cloned().collect();
    let mut manifest = Manifest::new("test", snapshot.manifest().recorded_at.clone());
    let addresses = question
        .registries
        .iter()
        .chain(&question.also_search)
        .chain(&question.config_center)
        .map(|address| (address, Role::Registry));
    let observers = observers(addresses, &mut manifest).ok()?;
    let mut planned = Planned {
        certain: 0,
        later: 0,
        unnamed: Vec::new(),
    };
    let mut first: BTreeMap<String, Vec<String>> = BTreeMap::new();
    loop {
        let mut fresh = wants(&question, &snapshot);
        fresh.retain(|want| !snapshot.was_asked(want));
        if fresh.is_empty() {
            return Some(planned);
        }
        for observer in &observers {
            // Of another kind of registry the observer plans nothing.
            if !known.contains(observer.source()) {
                continue;
            }
            let lines = observer.plan(&fresh);
            let first = first
                .entry(observer.source().to_string())
                .or_insert_with(|| lines.clone());
            let forms = observer.further(false);
            for line in lines {
                if first.contains(&line) {
                    planned.certain += 1;
                } else if forms.iter().any(|form| fits(form, &line)) {
                    planned.later += 1;
                } else {
                    planned.unnamed.push(line);
                }
            }
        }
        recording.fill(&mut snapshot, &fresh).unwrap();
    }
}

/// Whether a request has this form: braces stand for a name, `{root..}` and `{every..}` for several.
pub(crate) fn fits(form: &str, line: &str) -> bool {
    let Some((before, rest)) = form.split_once('{') else {
        return form == line;
    };
    let (name, after) = rest.split_once('}').unwrap();
    let Some(line) = line.strip_prefix(before) else {
        return false;
    };
    let several = name.starts_with("root") || name.starts_with("every");
    let end = |c: char| (c == '/' && !several) || c == '&' || c == ' ';
    let longest = line.find(end).unwrap_or(line.len());
    (0..=longest)
        .filter(|at| line.is_char_boundary(*at))
        .any(|at| fits(after, &line[at..]))
}

/// A dry run names every request: whatever a question wants in a later round has its form in the plan.
#[test]
fn every_want_is_planned() {
    let (mut certain, mut later, mut problems) = (0, 0, Vec::new());
    for case in cases_under("fixtures/cases") {
        if let Some(planned) = planned(&case) {
            certain += planned.certain;
            later += planned.later;
            let unnamed = planned.unnamed.iter();
            problems.extend(unnamed.map(|line| format!("{}: {line}", case.name)));
        }
    }
    println!("{certain} requests known before, {later} of a form");
    assert!(certain > 1000 && later > 1000);
    assert!(
        problems.is_empty(),
        "{} requests that no plan names\n{}",
        problems.len(),
        problems.join("\n")
    );
}

#[test]
fn forms_fit_what_they_say() {
    let form = "zookeeper h:1: exists /{root}/{interface}/{category}";
    assert!(fits(form, "zookeeper h:1: exists /site/b/a.B/providers"));
    assert!(fits("GET /x?a={a}&b=1", "GET /x?a=&b=1"));
    for line in [
        "zookeeper h:1: exists /site",
        "zookeeper h:1: getData /site/a.B/providers",
        "zookeeper h:2: exists /site/a.B/providers",
    ] {
        assert!(!fits(form, line), "{line}");
    }
    assert!(!fits("GET /x?a={a}&b=1", "GET /x?a=1&c=2&b=1"));
}
