//! `!!omap` and `!!pairs`: sequences of mappings with one pair each.

use std::collections::HashMap;

use super::Constructor;
use super::key::KeyId;
use crate::rule::yaml::error::YamlError;
use crate::rule::yaml::graph::{NodeId, Pair};
use crate::rule::yaml::tag::Tag;
use crate::rule::yaml::value::Content;

impl Constructor {
    pub(super) fn step_singles(
        &mut self,
        node: NodeId,
        next: &mut usize,
        index: &mut Option<HashMap<KeyId, usize>>,
    ) -> Result<Option<NodeId>, YamlError> {
        while let Some(item) = self.item(node, *next) {
            let (key, value) = self.single_pair(node, item)?;
            for part in [key, value] {
                if !self.ready(part)? {
                    return Ok(Some(part));
                }
            }
            if let Some(index) = index {
                let id = self.key_id(key)?;
                self.put(node, index, id, (key, value));
            } else if let Content::Pairs(pairs) = &mut self.contents[node.index()] {
                pairs.push((key, value));
            }
            *next += 1;
        }
        Ok(None)
    }

    /// The pair of an item of `!!omap` or `!!pairs`.
    pub(super) fn single_pair(&self, node: NodeId, item: NodeId) -> Result<Pair, YamlError> {
        let tag = &self.graph.node(node).tag;
        let context = singles_context(tag);
        let composed = self.graph.node(item);
        let Some(list) = self.graph.pairs_of(item) else {
            // The missing space is SnakeYAML's.
            let context = if *tag == Tag::Pairs {
                "while constructingpairs"
            } else {
                context
            };
            let problem = format!(
                "expected a mapping of length 1, but found {}",
                composed.kind.name()
            );
            return Err(self.error_within(context, node, problem, item));
        };
        let pairs = self.graph.list(list);
        match pairs.first() {
            Some(pair) if pairs.len() == 1 => Ok(pair),
            _ => {
                let problem = format!(
                    "expected a single mapping item, but found {} items",
                    pairs.len()
                );
                Err(self.error_within(context, node, problem, item))
            }
        }
    }
}

/// What is being read, in messages.
pub(super) fn singles_context(tag: &Tag) -> &'static str {
    if *tag == Tag::Omap {
        "while constructing an ordered map"
    } else {
        "while constructing pairs"
    }
}
