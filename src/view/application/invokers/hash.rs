//! The order in which a Java `HashMap` gives its entries: which of two addresses comes first, and which of two services
//! with one key is found, depends on it.

/// Where a new entry goes in its bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Added {
    /// `put`.
    Last,
    /// `computeIfAbsent`.
    First,
}

/// `String.hashCode`.
pub(super) fn of_text(text: &str) -> u32 {
    text.encode_utf16().fold(0, |hash: u32, unit| {
        hash.wrapping_mul(31).wrapping_add(u32::from(unit))
    })
}

/// `Objects.hash`.
pub(super) fn of_all(parts: impl IntoIterator<Item = u32>) -> u32 {
    parts.into_iter().fold(1, |hash: u32, part| {
        hash.wrapping_mul(31).wrapping_add(part)
    })
}

/// `Map.hashCode`.
pub(super) fn of_map<'a>(entries: impl IntoIterator<Item = (&'a str, &'a str)>) -> u32 {
    entries.into_iter().fold(0, |hash: u32, (name, value)| {
        hash.wrapping_add(of_text(name) ^ of_text(value))
    })
}

/// Entries, given in the order in which they were added, in the order of a `HashMap` that grew with them.
pub(super) fn in_order<T>(items: Vec<T>, added: Added, hash: impl Fn(&T) -> u32) -> Vec<T> {
    let mut buckets = 16;
    while items.len() * 4 > buckets * 3 {
        buckets *= 2;
    }
    let mask = u32::try_from(buckets - 1).unwrap_or(u32::MAX);
    let bucket = |item: &T| {
        let hash = hash(item);
        (hash ^ (hash >> 16)) & mask
    };
    let mut items = items;
    if added == Added::First {
        items.reverse();
    }
    // Equal buckets keep their order: the sort is stable.
    items.sort_by_key(bucket);
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_and_collisions() {
        assert_eq!(of_text("dubbo"), 95_934_974);
        assert_eq!(of_all([of_text("a"), 0]), 31 * (31 + 97));
        let keys = ["tri", "dubbo", "rest"].map(str::to_owned).to_vec();
        let ordered = in_order(keys, Added::Last, |key| of_text(key));
        assert_eq!(ordered.len(), 3);
        // "Aa" and "BB" have the same hash.
        let same = |added| in_order(vec!["Aa", "BB"], added, |key| of_text(key));
        assert_eq!(same(Added::Last), ["Aa", "BB"]);
        assert_eq!(same(Added::First), ["BB", "Aa"]);
    }
}
