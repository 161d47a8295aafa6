//! A tag rule in force: the addresses that its tags stand for.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

use super::AddressList;
use super::dialect::Dialect;
use super::provider::{fitting, fitting_among};
use super::set::AddressSet;
use super::trace::Fragment;
use crate::rule::tag::TagRule;

/// A rule with the addresses that its tags stand for.
#[derive(Debug)]
pub(super) struct TagsInForce {
    pub(super) key: String,
    pub(super) rule: Arc<TagRule>,
    /// An expression of `match` that cannot be replayed: what a tag stands for is not known.
    pub(super) not_runnable: Option<String>,
    /// Addresses by tag, only of tags that have some. A tag without a name is never asked for.
    pub(super) by_name: BTreeMap<Option<String>, Vec<String>>,
}

/// The dynamic addresses of a rule, worked out when they are first asked for.
pub(super) struct PreparedRule {
    pub(super) source: Arc<TagsInForce>,
    by_name: RefCell<BTreeMap<String, AddressSet>>,
    /// Up to 3.1: also the addresses of a tag whose name comes again.
    every_tag_counts: bool,
    any: OnceCell<AddressSet>,
    /// The tag that names each address.
    naming: OnceCell<Vec<Option<Arc<Fragment>>>>,
}

impl PreparedRule {
    pub(super) fn new(source: &Arc<TagsInForce>, every_tag_counts: bool) -> Self {
        Self {
            source: Arc::clone(source),
            by_name: RefCell::new(BTreeMap::new()),
            every_tag_counts,
            any: OnceCell::new(),
            naming: OnceCell::new(),
        }
    }

    /// A tag of the rule, as written.
    pub(super) fn fragment(&self, name: &str) -> Option<Fragment> {
        let tags = &self.source.rule.tags;
        let tag = tags.iter().find(|tag| tag.name.as_deref() == Some(name))?;
        Some(Fragment {
            text: name.to_owned(),
            position: Some(tag.at),
        })
    }

    /// The tag that names an address.
    pub(super) fn naming(&self, list: &AddressList, address: usize) -> Option<Arc<Fragment>> {
        let all = self.naming.get_or_init(|| {
            let mut all: Vec<Option<Arc<Fragment>>> = vec![None; list.len()];
            let mut open = self.any(list).clone();
            for (name, texts) in &self.source.by_name {
                let (Some(name), false) = (name, open.is_empty()) else {
                    continue;
                };
                let expressions = texts.iter().collect::<Vec<_>>();
                let named = fitting_among(&open, list, &expressions);
                if named.is_empty() {
                    continue;
                }
                let fragment = self.fragment(name).map(Arc::new);
                for place in named.iter() {
                    all[place].clone_from(&fragment);
                }
                open = open.without(&named);
            }
            all
        });
        all[address].clone()
    }

    pub(super) fn names(&self, tag: &str) -> bool {
        self.source
            .rule
            .tags
            .iter()
            .any(|it| it.name.as_deref() == Some(tag))
    }

    /// Every address that some tag of the rule names.
    pub(super) fn any(&self, list: &AddressList) -> &AddressSet {
        self.any.get_or_init(|| {
            let mut texts: Vec<&String> = if self.every_tag_counts {
                self.source
                    .rule
                    .tags
                    .iter()
                    .filter_map(|tag| tag.addresses.as_ref())
                    .flatten()
                    .collect()
            } else {
                self.source.by_name.values().flatten().collect()
            };
            texts.sort_unstable();
            texts.dedup();
            fitting(list, &texts)
        })
    }

    /// The addresses of a tag; `None` when the rule has none for it.
    pub(super) fn of_tag(
        &self,
        list: &AddressList,
        tag: &str,
        dialect: Dialect,
        force: bool,
    ) -> Option<AddressSet> {
        if force || !dialect.tag_levels || !tag.contains('|') {
            return self.of_name(list, tag);
        }
        let mut level = tag;
        loop {
            if let Some(addresses) = self.of_name(list, level) {
                return Some(addresses);
            }
            level = level.rsplit_once('|')?.0;
        }
    }

    fn of_name(&self, list: &AddressList, tag: &str) -> Option<AddressSet> {
        let texts = self.source.by_name.get(&Some(tag.to_owned()))?;
        if let Some(known) = self.by_name.borrow().get(tag) {
            return Some(known.clone());
        }
        let set = fitting(list, &texts.iter().collect::<Vec<_>>());
        self.by_name
            .borrow_mut()
            .insert(tag.to_owned(), set.clone());
        Some(set)
    }
}
