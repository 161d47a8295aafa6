//! The kinds of rules: what each is called, how its keys end, and whose names stand before that. Whoever looks for rules
//! looks here: a new kind is one line in [`KINDS`].

/// The kinds of rule texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RuleKind {
    /// `.condition-router`: classic and v3.1.
    Condition,
    /// `.tag-router`
    Tag,
    /// `.script-router`
    Script,
    /// `.MESHAPPRULE`
    Mesh,
    /// `.affinity-router`
    Affinity,
    /// `.configurators`
    Configurator,
    /// `.migration`
    Migration,
    /// URLs of the registry, one a line: `override://`, `absent://`, `condition://`, `script://`, `route://`.
    Urls,
}

/// Under whose name a consumer of some line reads a rule of group `dubbo`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// The service.
    Service,
    /// The consumer's own application.
    Consumer,
    /// The application of a provider.
    Provider,
}

use Owner::{Consumer, Provider, Service};

/// Kind, name in reports, ending of its keys, under whose names it is read.
const KINDS: [(RuleKind, &str, Option<&str>, &[Owner]); 8] = [
    (
        RuleKind::Condition,
        "condition",
        Some(".condition-router"),
        &[Service, Consumer, Provider],
    ),
    (RuleKind::Tag, "tag", Some(".tag-router"), &[Provider]),
    (
        RuleKind::Script,
        "script",
        Some(".script-router"),
        &[Provider],
    ),
    (RuleKind::Mesh, "mesh", Some(".MESHAPPRULE"), &[Provider]),
    // Read by nobody.
    (
        RuleKind::Affinity,
        "affinity",
        Some(".affinity-router"),
        &[],
    ),
    (
        RuleKind::Configurator,
        "configurator",
        Some(".configurators"),
        &[Service, Consumer],
    ),
    // In groups of its own.
    (RuleKind::Migration, "migration", Some(".migration"), &[]),
    (RuleKind::Urls, "urls", None, &[]),
];

/// How the keys of rules end.
pub fn endings() -> impl Iterator<Item = &'static str> {
    KINDS.iter().filter_map(|(_, _, ending, _)| *ending)
}

/// How the keys end that are read under the name of an owner.
pub fn endings_of(owner: Owner) -> impl Iterator<Item = &'static str> {
    KINDS
        .iter()
        .filter(move |(.., owners)| owners.contains(&owner))
        .filter_map(|(_, _, ending, _)| *ending)
}

impl RuleKind {
    /// All of them.
    pub const ALL: [Self; KINDS.len()] = {
        let mut all = [Self::Urls; KINDS.len()];
        let mut place = 0;
        while place < all.len() {
            all[place] = KINDS[place].0;
            place += 1;
        }
        all
    };

    /// The kind of a key of the config centre.
    pub fn of_key(key: &str) -> Option<Self> {
        KINDS
            .iter()
            .find(|(_, _, ending, _)| ending.is_some_and(|ending| key.ends_with(ending)))
            .map(|(kind, ..)| *kind)
    }

    /// The ending of its keys; URLs have none.
    pub fn ending(self) -> Option<&'static str> {
        KINDS
            .iter()
            .find(|(kind, ..)| *kind == self)
            .and_then(|(_, _, ending, _)| *ending)
    }

    /// Its name in reports.
    pub fn as_str(self) -> &'static str {
        KINDS
            .iter()
            .find(|(kind, ..)| *kind == self)
            .map_or("", |(_, name, ..)| *name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_line_and_all_but_urls_an_ending() {
        for (place, kind) in RuleKind::ALL.into_iter().enumerate() {
            assert_eq!((kind as usize, kind.as_str().is_empty()), (place, false));
            let key = kind.ending().map(|ending| format!("a{ending}"));
            assert_eq!(key.is_none(), kind == RuleKind::Urls, "{kind:?}");
            assert!(key.is_none_or(|key| RuleKind::of_key(&key) == Some(kind)));
        }
    }
}
