//! Mappings and sets: of equal keys the earlier goes, `<<` is merged, then the pairs are put in.

use std::collections::HashMap;

use super::key::KeyId;
use super::{Constructor, Frame, Postponed};
use crate::rule::yaml::STACK_DEPTH;
use crate::rule::yaml::error::{ExceptionClass, YamlError};
use crate::rule::yaml::graph::{Changed, Kind, ListId, NodeId, Pair, PairList, Walk};
use crate::rule::yaml::tag::Tag;
use crate::rule::yaml::value::{Content, DroppedKey};

const CONTEXT: &str = "while constructing a mapping";

/// The work at one mapping or set.
pub(super) struct MappingFrame {
    node: NodeId,
    is_set: bool,
    phase: Phase,
}

enum Phase {
    /// `processDuplicateKeys`
    Duplicates {
        list: ListId,
        walk: Walk,
        current: Option<(usize, Pair)>,
        seen: HashMap<KeyId, (usize, NodeId)>,
        doomed: Vec<usize>,
    },
    /// `mergeNode`: the mappings that are being merged, the outermost first.
    Merge {
        levels: Vec<Level>,
        index: HashMap<KeyId, usize>,
        values: Vec<Pair>,
    },
    /// `constructMapping2ndStep`
    Fill {
        list: ListId,
        walk: Walk,
        current: Option<Pair>,
        index: HashMap<KeyId, usize>,
    },
    Filled,
}

/// A mapping that is being merged.
struct Level {
    node: NodeId,
    list: ListId,
    walk: Walk,
    /// The merging mapping itself: its own keys win.
    preferred: bool,
    /// A pair whose key is awaited.
    current: Option<Pair>,
    /// A list of mappings behind `<<`, and which comes next.
    pending: Option<(NodeId, usize)>,
}

impl MappingFrame {
    pub(super) fn node(&self) -> NodeId {
        self.node
    }
}

impl Constructor {
    pub(super) fn mapping_frame(&self, node: NodeId, is_set: bool) -> Frame {
        let phase = match self.graph.pairs_of(node) {
            Some(list) => Phase::Duplicates {
                list,
                walk: Walk::through(self.graph.list(list)),
                current: None,
                seen: HashMap::new(),
                doomed: Vec::new(),
            },
            None => Phase::Filled,
        };
        Frame::Mapping(Box::new(MappingFrame {
            node,
            is_set,
            phase,
        }))
    }

    /// Works until a value is missing, which it gives, or until the mapping is complete.
    pub(super) fn step_mapping(
        &mut self,
        frame: &mut MappingFrame,
    ) -> Result<Option<NodeId>, YamlError> {
        loop {
            let wanted = match frame.phase {
                Phase::Duplicates { .. } => self.find_duplicates(frame)?,
                Phase::Merge { .. } => self.merge(frame)?,
                Phase::Fill { .. } => self.fill(frame)?,
                Phase::Filled => return Ok(None),
            };
            if wanted.is_some() {
                return Ok(wanted);
            }
        }
    }

    fn changed(&self, node: NodeId) -> impl Fn(Changed) -> YamlError {
        let problem = "a merge changes a mapping that is just being read";
        let error = self.placeless(ExceptionClass::ConcurrentModification, problem, node);
        move |Changed| error.clone()
    }

    fn recursive_key(&self, key: NodeId) -> YamlError {
        let problem =
            "Recursive key for mapping is detected but it is not configured to be allowed.";
        self.placeless(ExceptionClass::Yaml, problem, key)
    }

    fn is_null(&self, node: NodeId) -> bool {
        matches!(self.contents[node.index()], Content::Null)
    }

    fn find_duplicates(&mut self, frame: &mut MappingFrame) -> Result<Option<NodeId>, YamlError> {
        let node = frame.node;
        let Phase::Duplicates {
            list,
            walk,
            current,
            seen,
            doomed,
        } = &mut frame.phase
        else {
            return Ok(None);
        };
        loop {
            if current.is_none() {
                *current = walk
                    .next(self.graph.list(*list))
                    .map_err(self.changed(node))?;
            }
            let Some((slot, (key, _))) = *current else {
                break;
            };
            if self.graph.node(key).tag != Tag::Merge {
                if !self.ready(key)? {
                    return Ok(Some(key));
                }
                let recursive = self.graph.node(key).two_steps;
                if recursive && self.version.checks_recursive_keys_first() && !self.is_null(key) {
                    return Err(self.recursive_key(key));
                }
                let id = self.key_id(key)?;
                if let Some((earlier, dropped)) = seen.insert(id, (slot, key)) {
                    doomed.push(earlier);
                    self.dropped.push(DroppedKey { dropped, kept: key });
                }
            }
            *current = None;
        }
        let doomed = std::mem::take(doomed);
        let list = *list;
        self.graph.list_mut(list).remove_all(&doomed);
        let merged = matches!(
            self.graph.node(node).kind,
            Kind::Mapping { merged: true, .. }
        );
        frame.phase = if merged {
            let levels = vec![self.level(node, list, true)];
            Phase::Merge {
                levels,
                index: HashMap::new(),
                values: Vec::new(),
            }
        } else {
            self.fill_phase(list)
        };
        Ok(None)
    }

    fn level(&self, node: NodeId, list: ListId, preferred: bool) -> Level {
        let walk = Walk::through(self.graph.list(list));
        Level {
            node,
            list,
            walk,
            preferred,
            current: None,
            pending: None,
        }
    }

    fn fill_phase(&self, list: ListId) -> Phase {
        Phase::Fill {
            list,
            walk: Walk::through(self.graph.list(list)),
            current: None,
            index: HashMap::new(),
        }
    }

    fn merge(&mut self, frame: &mut MappingFrame) -> Result<Option<NodeId>, YamlError> {
        let Phase::Merge {
            levels,
            index,
            values,
        } = &mut frame.phase
        else {
            return Ok(None);
        };
        while let Some(level) = levels.last_mut() {
            if let Some((sequence, at)) = level.pending {
                let item = self.item(sequence, at);
                level.pending = item.map(|_| (sequence, at + 1));
                if let Some(item) = item {
                    let inner = self.merged_item(level.node, item)?;
                    self.push_level(levels, inner)?;
                }
                continue;
            }
            if level.current.is_none() {
                let next = level
                    .walk
                    .next(self.graph.list(level.list))
                    .map_err(self.changed(level.node))?;
                level.current = next.map(|(_, pair)| pair);
            }
            let Some((key, value)) = level.current else {
                levels.pop();
                continue;
            };
            if self.graph.node(key).tag == Tag::Merge {
                level.current = None;
                level.walk.remove(self.graph.list_mut(level.list));
                let inner = match self.graph.node(value).kind {
                    Kind::Mapping { pairs, .. } => self.level(value, pairs, false),
                    Kind::Sequence(_) => {
                        level.pending = Some((value, 0));
                        continue;
                    }
                    Kind::Scalar { .. } => {
                        let problem =
                            "expected a mapping or list of mappings for merging, but found scalar";
                        return Err(self.error_within(CONTEXT, level.node, problem, value));
                    }
                };
                self.push_level(levels, inner)?;
                continue;
            }
            if !self.ready(key)? {
                return Ok(Some(key));
            }
            level.current = None;
            let preferred = level.preferred;
            self.spend(key)?;
            let id = self.key_id(key)?;
            match index.get(&id) {
                None => {
                    index.insert(id, values.len());
                    values.push((key, value));
                }
                Some(at) if preferred => values[*at] = (key, value),
                Some(_) => {}
            }
        }
        let list = self.graph.add_list(PairList::of(std::mem::take(values)));
        self.graph.node_mut(frame.node).kind = Kind::Mapping {
            pairs: list,
            merged: true,
        };
        frame.phase = self.fill_phase(list);
        Ok(None)
    }

    fn merged_item(&self, outer: NodeId, item: NodeId) -> Result<Level, YamlError> {
        match self.graph.node(item).kind {
            Kind::Mapping { pairs, .. } => Ok(self.level(item, pairs, false)),
            ref other => {
                let problem = format!("expected a mapping for merging, but found {}", other.name());
                Err(self.error_within(CONTEXT, outer, problem, item))
            }
        }
    }

    fn push_level(&self, levels: &mut Vec<Level>, level: Level) -> Result<(), YamlError> {
        if levels.len() >= STACK_DEPTH {
            return Err(
                self.stack_overflow(level.node, "the merges nest too deep for the JVM's stack")
            );
        }
        levels.push(level);
        Ok(())
    }

    fn fill(&mut self, frame: &mut MappingFrame) -> Result<Option<NodeId>, YamlError> {
        let (node, is_set) = (frame.node, frame.is_set);
        let Phase::Fill {
            list,
            walk,
            current,
            index,
        } = &mut frame.phase
        else {
            return Ok(None);
        };
        loop {
            if current.is_none() {
                let next = walk
                    .next(self.graph.list(*list))
                    .map_err(self.changed(node))?;
                *current = next.map(|(_, pair)| pair);
            }
            let Some((key, value)) = *current else {
                break;
            };
            if !self.ready(key)? {
                return Ok(Some(key));
            }
            self.key_id(key)?;
            if !is_set && !self.ready(value)? {
                return Ok(Some(value));
            }
            *current = None;
            if self.graph.node(key).two_steps {
                if !is_set && !self.version.recursive_keys() {
                    return Err(self.recursive_key(key));
                }
                self.postponed.push(Postponed {
                    into: node,
                    key,
                    value: (!is_set).then_some(value),
                });
                continue;
            }
            let id = self.key_id(key)?;
            if is_set {
                if index.insert(id, 0).is_none()
                    && let Content::Set(items) = &mut self.contents[node.index()]
                {
                    items.push(key);
                }
            } else {
                self.put(node, index, id, (key, value));
            }
        }
        frame.phase = Phase::Filled;
        Ok(None)
    }
}
