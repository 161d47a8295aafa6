//! What the addresses of a list have under a key, by value: a clause with a hundred thousand values looks them up, and a
//! hundred thousand conditions about one key ask every address once.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::rc::Rc;

use super::AddressList;
use super::pattern::Pattern;
use super::set::AddressSet;

/// Patterns asked under a key before its values are put in order: few of them are faster asked one by one.
const FEW: usize = 16;

/// What is no parameter of a URL, or not only that.
const PARTS: [&str; 7] = [
    "protocol", "username", "password", "host", "port", "path", "address",
];

/// The keys that were asked for. Belongs to one list.
#[derive(Debug, Default)]
pub(super) struct Columns {
    keys: RefCell<BTreeMap<String, Asked>>,
    /// Every parameter that some address has.
    parameters: OnceCell<BTreeSet<String>>,
    /// The column of what none has.
    nothing: OnceCell<Rc<Column>>,
}

#[derive(Debug)]
enum Asked {
    /// So many patterns so far.
    Times(usize),
    Column(Rc<Column>),
}

/// The values of one key.
#[derive(Debug)]
pub(super) struct Column {
    places: BTreeMap<String, Vec<usize>>,
    /// Addresses that lack the key.
    pub(super) missing: AddressSet,
}

impl Columns {
    /// What the addresses have under a key; `None` while too little was asked about it to be worth it. `patterns` is
    /// how many are asked now.
    pub(super) fn of(&self, key: &str, patterns: usize, list: &AddressList) -> Option<Rc<Column>> {
        let mut keys = self.keys.borrow_mut();
        let times = match keys.get(key) {
            Some(Asked::Column(column)) => return Some(Rc::clone(column)),
            Some(Asked::Times(times)) => *times,
            None if keys.len() > FEW && self.is_nowhere(key, list) => {
                let nothing = || Rc::new(Column::nothing(list));
                return Some(Rc::clone(self.nothing.get_or_init(nothing)));
            }
            None => 0,
        };
        let times = times.saturating_add(patterns.max(1));
        if times <= FEW {
            keys.insert(key.to_owned(), Asked::Times(times));
            return None;
        }
        let column = Rc::new(Column::new(key, list));
        keys.insert(key.to_owned(), Asked::Column(Rc::clone(&column)));
        Some(column)
    }

    /// Whether no address has anything under a key.
    fn is_nowhere(&self, key: &str, list: &AddressList) -> bool {
        let parameters = self.parameters.get_or_init(|| {
            let mut names = BTreeSet::new();
            for name in list
                .providers
                .iter()
                .flat_map(|provider| provider.url().parameters.keys())
            {
                if !names.contains(name) {
                    names.insert(name.clone());
                }
            }
            names
        });
        !PARTS.contains(&key) && !parameters.contains(key)
    }
}

impl Column {
    fn nothing(list: &AddressList) -> Self {
        Self {
            places: BTreeMap::new(),
            missing: AddressSet::all(list.len()),
        }
    }

    fn new(key: &str, list: &AddressList) -> Self {
        let mut places: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        let mut missing = AddressSet::none(list.len());
        for (place, provider) in list.providers.iter().enumerate() {
            match provider.sample(key) {
                None => missing.insert(place),
                Some(value) => match places.get_mut(value.as_ref()) {
                    Some(known) => known.push(place),
                    None => {
                        places.insert(value.into_owned(), vec![place]);
                    }
                },
            }
        }
        Self { places, missing }
    }

    /// The addresses whose value fits one of some patterns.
    pub(super) fn hit(&self, patterns: &[Pattern], left: bool) -> AddressSet {
        let mut hit = AddressSet::none(self.missing.list_len());
        let mut add = |places: &[usize]| places.iter().for_each(|place| hit.insert(*place));
        for pattern in patterns {
            match pattern {
                // An empty value fits no text.
                Pattern::Equal(text) if text.is_empty() => {}
                Pattern::Equal(text) => {
                    if let Some(places) = self.places.get(text) {
                        add(places);
                    }
                }
                Pattern::Prefix(prefix) if !prefix.is_empty() => {
                    let from = (Bound::Included(prefix.as_str()), Bound::Unbounded);
                    self.places
                        .range::<str, _>(from)
                        .take_while(|(value, _)| value.starts_with(prefix.as_str()))
                        .for_each(|(_, places)| add(places));
                }
                pattern => self
                    .places
                    .iter()
                    .filter(|(value, _)| pattern.matches(value, left))
                    .for_each(|(_, places)| add(places)),
            }
        }
        hit
    }
}
