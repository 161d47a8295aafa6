//! `diag timeout-budget` over situations made by hand: each finding by a case, and a case beside it that is near.

use crate::cases::{
    case::cases_under,
    check::{self, Grade},
    grades,
};

#[test]
fn every_hand_made_case_is_right() {
    let cases = cases_under("fixtures/budget");
    let problems: Vec<String> = grades(&cases)
        .into_iter()
        .filter_map(|(case, grade)| match grade {
            Grade::Right => None,
            Grade::Wrong(what) => Some(format!("{}: {what}", case.name)),
            Grade::Unknown | Grade::NotBuilt => {
                let ran = check::run(case, &case.ask);
                let shown = ran.map_or_else(|error| error, |run| check::shown(&run));
                Some(format!("{}: {shown}", case.name))
            }
        })
        .collect();
    assert!(
        problems.is_empty(),
        "{} of {} cases are wrong\n{}",
        problems.len(),
        cases.len(),
        problems.join("\n")
    );
}
