//! Applications that left one place for another. "Found there" proves little, a whole application that has nothing here
//! any more proves more.

use std::collections::BTreeSet;

/// Applications that provide other interfaces than the one asked for, at one place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Applications {
    /// Their names.
    pub(crate) names: BTreeSet<String>,
    /// Not all services of the place were looked through: what is not among the names may be there all the same.
    pub(crate) cut: bool,
}

impl Applications {
    /// Those of `providers` that have other services there and none here. Nobody, when either side is not known well
    /// enough to say so.
    pub(crate) fn moved(
        providers: impl IntoIterator<Item = String>,
        there: Option<&Self>,
        here: Option<&Self>,
    ) -> Vec<String> {
        let (Some(there), Some(here)) = (there, here.filter(|here| !here.cut)) else {
            return Vec::new();
        };
        let providers: BTreeSet<String> = providers.into_iter().collect();
        providers
            .into_iter()
            .filter(|name| there.names.contains(name) && !here.names.contains(name))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applications(names: &[&str], cut: bool) -> Applications {
        Applications {
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            cut,
        }
    }

    #[test]
    fn only_a_whole_list_here_says_that_somebody_left() {
        let moved = |there: &Applications, here: Option<&Applications>| {
            Applications::moved(["order".to_owned()], Some(there), here)
        };
        let there = applications(&["order"], true);
        assert_eq!(moved(&there, Some(&applications(&["a"], false))), ["order"]);
        let nobody: [&str; 0] = [];
        for here in [
            Some(&applications(&["a"], true)),
            Some(&applications(&["order"], false)),
            None,
        ] {
            assert_eq!(moved(&there, here), nobody, "{here:?}");
        }
        let here = applications(&[], false);
        assert_eq!(moved(&applications(&["a"], false), Some(&here)), nobody);
    }
}
