//! A name with a typing error stays near the name that was meant: the same edits, applied to its pseudonym.

/// The pseudonym of `other`, made from that of `asked`: what both have in common is taken over, what only `other` has is
/// written by `own`. As many edits apart as the names are, at most.
pub(super) fn derived(asked: &str, written: &str, other: &str, own: impl Fn(u8) -> u8) -> String {
    let (asked, written, other) = (asked.as_bytes(), written.as_bytes(), other.as_bytes());
    // The edits between the first signs of both.
    let mut cost = vec![vec![0_usize; other.len() + 1]; asked.len() + 1];
    for (from, row) in cost.iter_mut().enumerate() {
        row[0] = from;
    }
    for (to, first) in cost[0].iter_mut().enumerate() {
        *first = to;
    }
    let changed = |from: usize, to: usize| usize::from(asked[from - 1] != other[to - 1]);
    for from in 1..=asked.len() {
        for to in 1..=other.len() {
            cost[from][to] = (cost[from - 1][to - 1] + changed(from, to))
                .min(cost[from - 1][to] + 1)
                .min(cost[from][to - 1] + 1);
        }
    }
    let (mut from, mut to) = (asked.len(), other.len());
    let mut out = Vec::with_capacity(to);
    while to > 0 {
        if from > 0 && cost[from][to] == cost[from - 1][to - 1] + changed(from, to) {
            out.push(if changed(from, to) == 0 {
                written[from - 1]
            } else {
                own(other[to - 1])
            });
            (from, to) = (from - 1, to - 1);
        } else if from > 0 && cost[from][to] == cost[from - 1][to] + 1 {
            from -= 1;
        } else {
            out.push(own(other[to - 1]));
            to -= 1;
        }
    }
    out.reverse();
    out.into_iter().map(char::from).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn never_farther_apart(a in "[a-e]{1,12}", b in "[a-e]{1,12}") {
            let written: String = a.bytes().map(|byte| char::from(byte + 7)).collect();
            let other = derived(&a, &written, &b, |byte| byte + 12);
            prop_assert_eq!(other.len(), b.len());
            prop_assert!(strsim::levenshtein(&written, &other) <= strsim::levenshtein(&a, &b));
            prop_assert_eq!(a == b, written == other);
        }
    }
}
