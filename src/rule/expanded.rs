//! What a document comes to once its aliases are written out.
//!
//! A few aliases can stand for gigabytes. SnakeYAML shares what they stand for, the readers of rules copy it; so a part
//! that is read is measured first, and one that is out of all proportion to its text is refused with its size as the
//! reason. A JVM does not fare better: it is busy for hours, or out of memory.

use std::collections::BTreeSet;

use super::error::RuleError;
use super::yaml::{Node, Value};

/// Values that a document may come to beyond those that its length allows for.
const MORE_VALUES: usize = 200_000;
/// Bytes of texts, likewise.
const MORE_BYTES: usize = 16 << 20;

enum Step<'d> {
    Into(Node<'d>),
    OutOf(usize),
}

/// Refuses parts that their aliases blow up; `length` is that of the whole text. What contains itself is left to those
/// who read it.
pub(super) fn check<'d>(
    length: usize,
    parts: impl IntoIterator<Item = Node<'d>>,
) -> Result<(), RuleError> {
    let (mut values, mut bytes) = (MORE_VALUES + length / 2, MORE_BYTES + length);
    let mut steps: Vec<Step<'d>> = parts.into_iter().map(Step::Into).collect();
    let mut open = BTreeSet::new();
    while let Some(step) = steps.pop() {
        let node = match step {
            Step::Into(node) => node,
            Step::OutOf(id) => {
                open.remove(&id);
                continue;
            }
        };
        let own = match node.value() {
            Value::Text(text) => text.len(),
            _ => 0,
        };
        let left = values.checked_sub(1).zip(bytes.checked_sub(own));
        let Some(left) = left.filter(|(values, _)| steps.len() <= *values) else {
            return Err(RuleError::new(
                "java.lang.OutOfMemoryError",
                "its aliases stand for many times the text itself, more than is written out here",
                Some(node.start()),
            ));
        };
        (values, bytes) = left;
        let children: Vec<Node<'d>> = match node.value() {
            Value::List(items) | Value::Set(items) => items.collect(),
            Value::Map(entries) | Value::Pairs(entries) => {
                entries.flat_map(|(key, value)| [key, value]).collect()
            }
            _ => continue,
        };
        if open.insert(node.id()) {
            steps.push(Step::OutOf(node.id()));
            steps.extend(children.into_iter().map(Step::Into));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::super::yaml::{YamlVersion, load};
    use super::*;

    fn refused(text: &str) -> bool {
        let document = load(text, YamlVersion::V1_20).unwrap();
        check(text.len(), document.root()).is_err()
    }

    #[test]
    fn only_what_blows_up_is_refused() {
        assert!(!refused("a: &a [1, 2]\nb: [*a, *a, {c: *a}]\n"));
        let mut doubling = String::from("a0: &a0 [x]\n");
        for n in 1..40 {
            let before = n - 1;
            let _ = writeln!(doubling, "a{n}: &a{n} [*a{before}, *a{before}]");
        }
        assert!(refused(&doubling));
        let long = format!("- &a {}\n{}", "x".repeat(200_000), "- *a\n".repeat(1000));
        assert!(refused(&long));
        assert!(!refused(&"- x\n".repeat(300_000)));
        assert!(!refused("a: &a [*a]\n"));
    }
}
