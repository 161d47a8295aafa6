//! Exit codes: the same for every output format, decided in one place.

use crate::diagnose::{Outcome, code::Severity};

/// Why the program ends; the number is a promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Exit {
    /// Nothing is wrong in what could be seen.
    Fine = 0,
    /// A cause was found, or a finding at or above `--fail-on`.
    Fault = 1,
    /// Usage or a bad flag value.
    Usage = 2,
    /// A required fact was not seen.
    Unknown = 3,
    /// A file, configuration or recording cannot be read.
    Input = 4,
    /// A defect of this program.
    Bug = 70,
    /// Ctrl-C.
    Interrupted = 130,
}

impl Exit {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Fine,
        Self::Fault,
        Self::Usage,
        Self::Unknown,
        Self::Input,
        Self::Bug,
        Self::Interrupted,
    ];

    /// The number.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The reason behind a number; a number that is none is a defect.
    pub fn of(code: u8) -> Self {
        Self::ALL
            .into_iter()
            .find(|exit| exit.code() == code)
            .unwrap_or(Self::Bug)
    }
}

/// What one report contributes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    /// `None` for verbs without providers.
    pub outcome: Option<Outcome>,
    /// Severities of the findings that are shown, after lowering.
    pub findings: Vec<Severity>,
}

/// The exit code of a run with these reports. The first row that fits any of them counts:
/// interrupted, a fault with a verdict, unknown, a finding at or above `fail_on`.
pub fn exit_of(endings: &[Ending], interrupted: bool, fail_on: Severity) -> Exit {
    let any = |fits: &dyn Fn(&Ending) -> bool| endings.iter().any(fits);
    if interrupted {
        Exit::Interrupted
    } else if any(&|e| matches!(e.outcome, Some(Outcome::None | Outcome::Partly))) {
        Exit::Fault
    } else if any(&|e| e.outcome == Some(Outcome::Unknown)) {
        Exit::Unknown
    } else if any(&|e| e.findings.iter().any(|severity| *severity >= fail_on)) {
        Exit::Fault
    } else {
        Exit::Fine
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ending(outcome: Option<Outcome>, findings: &[Severity]) -> Ending {
        Ending {
            outcome,
            findings: findings.to_vec(),
        }
    }

    #[test]
    fn the_table_of_the_contract() {
        use Outcome::{None as Lost, Partly, Reachable, Unknown};
        use Severity::{Error, Info, Warning};
        let (r, u, l, p) = (Some(Reachable), Some(Unknown), Some(Lost), Some(Partly));
        for (endings, fail_on, expected) in [
            (vec![], Error, Exit::Fine),
            (vec![ending(r, &[])], Error, Exit::Fine),
            (vec![ending(r, &[Warning, Info])], Error, Exit::Fine),
            (vec![ending(r, &[Warning])], Warning, Exit::Fault),
            (vec![ending(r, &[Error])], Error, Exit::Fault),
            (vec![ending(r, &[Info])], Info, Exit::Fault),
            (vec![ending(None, &[Warning])], Error, Exit::Fine),
            (vec![ending(None, &[Error])], Error, Exit::Fault),
            (vec![ending(l, &[])], Error, Exit::Fault),
            (vec![ending(p, &[Warning])], Error, Exit::Fault),
            (vec![ending(u, &[])], Error, Exit::Unknown),
            (vec![ending(u, &[Error])], Error, Exit::Unknown),
            (vec![ending(u, &[]), ending(l, &[])], Error, Exit::Fault),
            (
                vec![ending(r, &[Error]), ending(u, &[])],
                Error,
                Exit::Unknown,
            ),
            (vec![ending(r, &[]), ending(r, &[])], Error, Exit::Fine),
        ] {
            assert_eq!(exit_of(&endings, false, fail_on), expected, "{endings:?}");
            assert_eq!(
                exit_of(&endings, true, fail_on),
                Exit::Interrupted,
                "{endings:?}"
            );
        }
    }

    #[test]
    fn numbers_are_promised() {
        let all = [
            (Exit::Fine, 0),
            (Exit::Fault, 1),
            (Exit::Usage, 2),
            (Exit::Unknown, 3),
            (Exit::Input, 4),
            (Exit::Bug, 70),
            (Exit::Interrupted, 130),
        ];
        assert!(
            all.iter()
                .all(|(exit, number)| exit.code() == *number && Exit::of(*number) == *exit)
        );
        assert_eq!(all.map(|(exit, _)| exit), Exit::ALL);
    }
}
