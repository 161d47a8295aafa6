//! What differs between Dubbo versions when they route. Each field names the patch where it changed; the patches are
//! read from the tags of apache/dubbo, the behaviour is that of the classes themselves (see `tests/it/oracle`).

use crate::model::version::DubboVersion;

/// How the routers of a chain are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// 2.7: a list sorted by priority; every router is called, also with an empty list.
    Sorted,
    /// 3.0.5: a list sorted by priority that stops at an empty result.
    Flat,
    /// 3.0.6 and later: every router calls the next one, and stops at an empty result unless
    /// `dubbo.router.should-fail-fast` says otherwise.
    Linked,
}

/// How documents become rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// Up to 2.7.9: SnakeYAML builds the rule class itself. Unknown fields refuse the document.
    Typed,
    /// 2.7.10 on: a map, then `PojoUtils.mapToPojo`.
    Pojo,
    /// 3.x: a map, then field by field.
    Map,
}

/// Everything that differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialect {
    /// How routers are combined.
    pub shape: Shape,
    /// How documents are read.
    pub reading: Reading,
    /// A missing key fails, also with `!=`; ranges; `attachments[..]`; unresolvable arguments have a value (3.2 on).
    pub matchers: bool,
    /// `arguments[n]` is a key of its own (2.7.11 on).
    pub arguments: bool,
    /// The left side sees host, port and protocol of the registry (before 2.7.10).
    pub left_sees_registry: bool,
    /// A condition of a disabled rule is not read (2.7.12 on): its text may be wrong.
    pub disabled_unread: bool,
    /// Method names that conditions look behind (3.2.4 on; `$invokeAsync` from 3.2.9).
    pub condition_generic: &'static [&'static str],
    /// Method names that mesh rules look behind (the same versions).
    pub mesh_generic: &'static [&'static str],
    /// `configVersion: v3.1` is the multi-destination form (3.3 on).
    pub multi_destination: bool,
    /// Tag rules: `match`, and untagged calls never see tagged providers (3.2 on).
    pub tag_match: bool,
    /// `match` of a tag is not asked about a missing parameter, so `empty` never fits (up to 3.2.2).
    pub tag_match_needs_value: bool,
    /// `a|b|c` also means `a|b` and `a` (3.3 on).
    pub tag_levels: bool,
    /// `dubbo.force.tag` of the consumer URL counts (3.0.8 on).
    pub force_tag_from_url: bool,
    /// `wildcard` of a `StringMatch` exists (3.2 on).
    pub wildcard_match: bool,
    /// Labels of mesh rules are compared with the consumer's value first (3.2 on).
    pub mesh_labels_see_consumer: bool,
    /// Providers that no destination names join the selected ones (3.0.6 to 3.0.9).
    pub mesh_keeps_unmatched: bool,
}

impl Dialect {
    /// The dialect of a version. `None` for versions whose chain is not modelled: before 2.7, and 3.0.0 to 3.0.4, whose
    /// cached address pools are another engine.
    pub fn of(version: &DubboVersion) -> Option<Self> {
        let at_least = |patch: [u32; 3]| version.at_least(patch);
        if !at_least([2, 7, 0]) || at_least([3, 0, 0]) && !at_least([3, 0, 5]) {
            return None;
        }
        let generic: &[&str] = if at_least([3, 2, 9]) {
            &["$invoke", "$invokeAsync"]
        } else if at_least([3, 2, 4]) {
            &["$invoke"]
        } else {
            &[]
        };
        let is_3x = at_least([3, 0, 0]);
        Some(Self {
            shape: if at_least([3, 0, 6]) {
                Shape::Linked
            } else if is_3x {
                Shape::Flat
            } else {
                Shape::Sorted
            },
            reading: if is_3x {
                Reading::Map
            } else if at_least([2, 7, 10]) {
                Reading::Pojo
            } else {
                Reading::Typed
            },
            matchers: at_least([3, 2, 0]),
            arguments: at_least([2, 7, 11]),
            left_sees_registry: !at_least([2, 7, 10]),
            disabled_unread: at_least([2, 7, 12]),
            condition_generic: generic,
            mesh_generic: generic,
            multi_destination: at_least([3, 3, 0]),
            tag_match: at_least([3, 2, 0]),
            tag_match_needs_value: !at_least([3, 2, 3]),
            tag_levels: at_least([3, 3, 0]),
            force_tag_from_url: at_least([3, 0, 8]),
            wildcard_match: at_least([3, 2, 0]),
            mesh_labels_see_consumer: at_least([3, 2, 0]),
            mesh_keeps_unmatched: at_least([3, 0, 6]) && !at_least([3, 0, 10]),
        })
    }
}
