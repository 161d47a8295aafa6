//! The router chain of each version, as data: which routers exist, in which order they are made and run.
//!
//! Mirrors the SPI files, `@Activate` of the factories and `ExtensionLoader.getActivateExtension`.

use super::address::AddressRouter;
use super::application::Settings;
use super::condition_url::ConditionUrl;
use super::dialect::{Dialect, Shape};
use super::listenable::Listenable;
use super::mesh::MeshRouter;
use super::mock::MockRouter;
use super::script::{ScriptRouter, ScriptUrl};
use super::tag::TagRouter;
use super::{Router, Thrown, passing};
use crate::model::url::Url;
use crate::model::version::DubboVersion;

/// A kind of router: one line in [`KINDS`].
pub(super) struct Kind {
    /// The SPI name.
    pub(super) name: &'static str,
    /// Its stage in reports, behind `X.`.
    stage: &'static str,
    /// Whether it is not worth a stage when it has nothing to do.
    quiet: bool,
    /// Order of creation, in which rules are read (`@Activate`): in 2.7 and 3.0.5, and from 3.0.6.
    created: (i32, i32),
    /// Order of running: `getPriority` in 2.7 and 3.0.5, `@Activate` from 3.0.6.
    pub(super) runs: (i32, i32),
    /// From which version (inclusive) to which (exclusive).
    exists: ([u32; 3], [u32; 3]),
    active: Active,
    pub(super) shared: Shared,
    pub(super) create: fn(&Making<'_>) -> Result<Box<dyn Router>, Thrown>,
}

/// When a router is in a chain.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Active {
    Always,
    /// Only when the consumer URL's `router` names it.
    Named,
    /// When the consumer URL has a parameter of this name, or one that ends in `.` and this.
    ByParameter(&'static str),
}

/// What shares one router.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shared {
    Nothing,
    Service,
    Application,
}

/// What a factory gets.
pub(super) struct Making<'a> {
    /// The consumer URL, or the URL of a rule.
    pub url: &'a Url,
    pub version: &'a DubboVersion,
    pub dialect: Dialect,
    pub settings: &'a Settings,
}

const EVER: [u32; 3] = [9, 0, 0];

/// All kinds.
pub(super) const KINDS: &[Kind] = &[
    Kind {
        name: "mock",
        stage: "mock",
        quiet: true,
        created: (0, -100),
        runs: (-100, -100),
        exists: ([2, 7, 0], EVER),
        active: Active::Always,
        shared: Shared::Nothing,
        create: |_| Ok(Box::new(MockRouter)),
    },
    Kind {
        name: "standard-mesh-rule",
        stage: "mesh",
        quiet: true,
        created: (-50, -50),
        runs: (-50, -50),
        exists: ([3, 0, 6], EVER),
        active: Active::Always,
        shared: Shared::Nothing,
        create: |making| Ok(Box::new(MeshRouter::new(making))),
    },
    Kind {
        name: "condition",
        stage: "condition.url",
        quiet: false,
        created: (0, 0),
        runs: (0, 0),
        exists: ([2, 7, 0], EVER),
        active: Active::Named,
        shared: Shared::Nothing,
        create: |making| Ok(Box::new(ConditionUrl::new(making)?)),
    },
    Kind {
        name: "script",
        stage: "script.url",
        quiet: false,
        created: (0, 0),
        runs: (0, 0),
        exists: ([2, 7, 0], [2, 7, 10]),
        active: Active::Named,
        shared: Shared::Nothing,
        create: |making| Ok(Box::new(ScriptUrl::new(making)?)),
    },
    Kind {
        name: "tag",
        stage: "tag",
        quiet: false,
        created: (100, 100),
        runs: (100, 100),
        exists: ([2, 7, 0], EVER),
        active: Active::Always,
        shared: Shared::Service,
        create: |making| Ok(Box::new(TagRouter::new(making))),
    },
    // Without an xDS control plane it passes everything on.
    Kind {
        name: "xds",
        stage: "xds",
        quiet: true,
        created: (101, 101),
        runs: (101, 101),
        exists: ([3, 2, 0], [3, 2, 10]),
        active: Active::Always,
        shared: Shared::Nothing,
        create: |_| Ok(passing("XdsRouter")),
    },
    Kind {
        name: "service",
        stage: "condition.service",
        quiet: false,
        created: (300, 140),
        runs: (140, 140),
        exists: ([2, 7, 0], EVER),
        active: Active::Always,
        shared: Shared::Service,
        create: |making| Ok(Box::new(Listenable::service(making))),
    },
    Kind {
        name: "provider-app",
        stage: "condition.provider-application",
        quiet: false,
        created: (145, 145),
        runs: (145, 145),
        exists: ([3, 2, 0], EVER),
        active: Active::Always,
        shared: Shared::Service,
        create: |making| Ok(Box::new(Listenable::provider_application(making))),
    },
    Kind {
        name: "app",
        stage: "condition.application",
        quiet: false,
        created: (200, 150),
        runs: (150, 150),
        exists: ([2, 7, 0], EVER),
        active: Active::Always,
        shared: Shared::Application,
        create: |making| Ok(Box::new(Listenable::application(making))),
    },
    Kind {
        name: "address",
        stage: "address",
        quiet: true,
        created: (0, 0),
        runs: (180, 180),
        exists: ([2, 7, 12], [3, 0, 0]),
        active: Active::ByParameter("address"),
        shared: Shared::Nothing,
        create: |_| Ok(Box::new(AddressRouter)),
    },
    Kind {
        name: "script-app",
        stage: "script",
        quiet: false,
        created: (200, 200),
        runs: (200, 200),
        exists: ([3, 2, 0], EVER),
        active: Active::Always,
        shared: Shared::Service,
        create: |making| Ok(Box::new(ScriptRouter::new(making))),
    },
];

/// The stage of a kind of router in reports, behind `X.`, and whether it is told of even when the router has nothing to do.
pub fn stage_of(kind: &str) -> Option<(&'static str, bool)> {
    let found = KINDS.iter().find(|known| known.name == kind);
    found.map(|kind| (kind.stage, !kind.quiet))
}

/// The kind of router of a stage.
pub fn kind_of(stage: &str) -> Option<&'static str> {
    let found = KINDS.iter().find(|known| known.stage == stage);
    found.map(|kind| kind.name)
}

impl Kind {
    pub(super) fn exists_in(&self, version: &DubboVersion) -> bool {
        version.at_least(self.exists.0) && !version.at_least(self.exists.1)
    }

    fn created_at(&self, shape: Shape) -> i32 {
        if shape == Shape::Linked {
            self.created.1
        } else {
            self.created.0
        }
    }

    fn is_active(&self, url: &Url) -> bool {
        match self.active {
            Active::Always => true,
            Active::Named => false,
            Active::ByParameter(name) => url.parameters.iter().any(|(key, value)| {
                let named = key == name
                    || key
                        .strip_suffix(name)
                        .is_some_and(|before| before.ends_with('.'));
                named && !is_nothing(value)
            }),
        }
    }
}

/// `ConfigUtils.isEmpty`: texts that stand for nothing.
fn is_nothing(value: &str) -> bool {
    value.is_empty()
        || ["false", "0", "null", "N/A"]
            .iter()
            .any(|nothing| value.eq_ignore_ascii_case(nothing))
}

/// `getActivateExtension`: the routers of a chain in order of creation; with `custom` also the names in `router` that
/// Dubbo does not bring.
pub(super) fn activated(
    consumer: &Url,
    version: &DubboVersion,
    shape: Shape,
    custom: bool,
) -> Result<(Vec<&'static Kind>, Vec<String>), Thrown> {
    let known: Vec<&'static Kind> = KINDS
        .iter()
        .filter(|kind| kind.exists_in(version))
        .collect();
    let names = names(consumer.parameter("router").unwrap_or_default(), version);
    let is_named = |name: &str| names.iter().any(|it| it == name);
    let excluded = |name: &str| names.iter().any(|it| it.strip_prefix('-') == Some(name));
    let mut active: Vec<&'static Kind> = Vec::new();
    if !excluded("default") {
        active.extend(known.iter().filter(|kind| {
            !is_named(kind.name) && !excluded(kind.name) && kind.is_active(consumer)
        }));
        active.sort_by_key(|kind| kind.created_at(shape));
    }
    let is_3x = shape != Shape::Sorted;
    let mut explicit: Vec<&'static Kind> = Vec::new();
    let mut unknown = Vec::new();
    for name in names
        .iter()
        .filter(|name| !name.starts_with('-') && !excluded(name))
    {
        if name == "default" {
            if is_3x {
                explicit.append(&mut active);
            } else {
                explicit.append(&mut active);
                active = std::mem::take(&mut explicit);
            }
            continue;
        }
        match known.iter().find(|kind| kind.name == name) {
            Some(kind) => explicit.push(kind),
            None if custom => unknown.push(name.clone()),
            None if is_3x => {}
            None => {
                return Err(Thrown::new(
                    "java.lang.IllegalStateException",
                    format!(
                        "No such extension org.apache.dubbo.rpc.cluster.RouterFactory by name {name}"
                    ),
                ));
            }
        }
    }
    if is_3x && is_named("default") {
        return Ok((explicit, unknown));
    }
    active.append(&mut explicit);
    if is_3x {
        active.sort_by_key(|kind| kind.created_at(shape));
        active.dedup_by_key(|kind| kind.name);
    }
    Ok((active, unknown))
}

/// The names in a `router` parameter, in order.
fn names(text: &str, version: &DubboVersion) -> Vec<String> {
    if text.is_empty() {
        return Vec::new();
    }
    // `\s*[,]+\s*`
    let mut parts: Vec<&str> = text
        .split(',')
        .enumerate()
        .filter(|(place, part)| *place == 0 || !part.is_empty())
        .map(|(_, part)| part)
        .collect();
    while parts.last().is_some_and(|part| part.is_empty()) {
        parts.pop();
    }
    let mut names: Vec<String> = parts
        .into_iter()
        .map(|part| part.trim().to_owned())
        .collect();
    if version.at_least([2, 7, 23]) && !version.line().is_3x() {
        let mut seen = Vec::new();
        names.retain(|name| {
            let new = !seen.contains(name);
            seen.push(name.clone());
            new
        });
    }
    names
}
