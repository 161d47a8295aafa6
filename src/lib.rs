//! Why does this Apache Dubbo consumer see no provider? The library behind `diag`.
//!
//! `question -> want -> observe -> Snapshot -> view -> diagnose -> Report -> render`
//!
//! | room | what it holds |
//! | --- | --- |
//! | [`model`] | Dubbo's words as types: URL, service key, address, version, matching |
//! | [`question`] | what is asked: service, consumer, registries, invocation |
//! | [`want`] | pure: question and snapshot say which facts are still missing |
//! | [`observe`] | I/O: live registries, recordings from disk |
//! | [`snapshot`] | the facts: format 1, index, masking, reading and writing |
//! | [`pseudonym`] | names and addresses of a recording replaced, so that it may leave the house |
//! | [`input`] | streams (logs) folded into bounded aggregates |
//! | [`rule`] | rule texts: override URLs, YAML |
//! | [`route`] | what routers do to addresses, replayed |
//! | [`view`] | pure: what the consumer sees, stage by stage, every drop with its reason |
//! | [`budget`] | pure: timeout and retries in force, what they should be, what that costs |
//! | [`diagnose`] | pure: stages to verdict, certainty, findings |
//! | [`replay`] | pure: many calls through the routers, compared between rules, rooms, versions |
//! | [`report`] | the public report and how it is shown |
//! | [`settings`], [`cli`], [`command`] | what was typed, what it means, one file per verb |
//!
//! A live run records first and then reads the record, so offline and live are one path.

pub mod budget;
pub mod cli;
pub mod command;
pub mod diagnose;
pub mod error;
pub mod exit;
pub mod input;
pub mod model;
pub mod observe;
pub mod progress;
pub mod pseudonym;
pub mod question;
pub mod replay;
pub mod report;
pub mod route;
pub mod rule;
pub mod settings;
pub mod snapshot;
pub mod view;
pub mod want;
