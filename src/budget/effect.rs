//! What a method does, as far as its name tells: whether a call that is made twice does it twice.
//!
//! Only the names of a few verbs are known. A name that begins with none of them tells nothing, and neither does one
//! that begins like a read and has a word of a write in it (`getAndIncrement`), does something else besides (`readAndAck`),
//! or gives out what it gives only once (`getNextId`).

/// What a call of a method does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Something is changed.
    Writes,
    /// Nothing is changed.
    Reads,
    /// The name does not tell.
    Unknown,
}

/// Verbs of methods that change something.
const WRITES: [&str; 41] = [
    "create",
    "save",
    "update",
    "delete",
    "insert",
    "add",
    "submit",
    "pay",
    "remove",
    "modify",
    "put",
    "post",
    "send",
    "cancel",
    "place",
    "transfer",
    "refund",
    "deduct",
    "increase",
    "decrease",
    "increment",
    "decrement",
    "register",
    "unregister",
    "commit",
    "upsert",
    "persist",
    "write",
    "set",
    "reset",
    "clear",
    "append",
    "replace",
    "edit",
    "destroy",
    "publish",
    "approve",
    "reject",
    "withdraw",
    "debit",
    "purge",
];

/// Verbs of methods that change nothing.
const READS: [&str; 22] = [
    "get", "find", "query", "list", "search", "count", "select", "read", "fetch", "load", "is",
    "has", "exists", "exist", "show", "describe", "lookup", "view", "page", "sum", "ping", "echo",
];

/// Words in front of the verb that say how often or how it is done.
const MANNERS: [&str; 7] = ["batch", "bulk", "multi", "async", "sync", "do", "try"];

/// Words that stand for a change wherever they are, beside the verbs.
const CHANGES: [&str; 32] = [
    "incr",
    "decr",
    "inc",
    "dec",
    "lock",
    "unlock",
    "charge",
    "consume",
    "acquire",
    "mark",
    "ack",
    "confirm",
    "claim",
    "take",
    "pop",
    "poll",
    "dequeue",
    "drain",
    "next",
    "nextval",
    "generate",
    "gen",
    "alloc",
    "allocate",
    "assign",
    "reserve",
    "touch",
    "flush",
    "evict",
    "invalidate",
    "refresh",
    "swap",
];

/// Words that make something else of a read right behind it: `countDown`, `readIn`.
const TURNS: [&str; 5] = ["down", "up", "off", "out", "in"];

/// What a method does: what is declared to write writes, of others the name tells.
pub fn of(method: &str, declared: &[String]) -> Effect {
    if declared.iter().any(|name| name == method) {
        return Effect::Writes;
    }
    let words = words(method);
    let manners = words
        .iter()
        .take_while(|word| MANNERS.contains(&word.as_str()))
        .count();
    let Some((verb, rest)) = words[manners..].split_first() else {
        return Effect::Unknown;
    };
    // `hasNext` and `isLocked` ask, whatever they ask for.
    let asks = matches!(verb.as_str(), "is" | "has");
    let changes = |word: &String| {
        let word = word.as_str();
        WRITES.contains(&word) || !asks && CHANGES.contains(&word)
    };
    if WRITES.contains(&verb.as_str()) {
        Effect::Writes
    } else if READS.contains(&verb.as_str())
        && !rest.iter().any(changes)
        && (asks || !turned(rest))
        && only_that(rest)
    {
        Effect::Reads
    } else {
        Effect::Unknown
    }
}

/// Whether the words behind a read leave it at that: `findByNameAndAge` names what is looked for, `readAndAck` and
/// `getThenArchive` do more.
fn only_that(rest: &[String]) -> bool {
    let more = rest.iter().position(|word| word == "and" || word == "then");
    let by = rest.iter().position(|word| word == "by");
    more.is_none_or(|more| by.is_some_and(|by| by < more))
}

/// Whether the first word behind a read makes something else of it.
fn turned(rest: &[String]) -> bool {
    let turns = |word: &String| TURNS.contains(&word.as_str());
    rest.first().is_some_and(turns)
}

/// Whether a method writes.
pub fn writes(method: &str, declared: &[String]) -> bool {
    of(method, declared) == Effect::Writes
}

/// The words of a name (`getUserById`, `GetUser`, `get_user`, `URLList2`), in lower case.
fn words(name: &str) -> Vec<String> {
    let signs: Vec<char> = name.chars().collect();
    let mut words: Vec<String> = Vec::new();
    let mut open = false;
    for (at, sign) in signs.iter().enumerate() {
        if !sign.is_alphabetic() {
            open = false;
            continue;
        }
        let after_small = at > 0 && signs[at - 1].is_lowercase();
        let before_small = signs.get(at + 1).is_some_and(|next| next.is_lowercase());
        let begins = sign.is_uppercase() && (after_small || before_small);
        let small = sign.to_lowercase();
        match words.last_mut() {
            Some(word) if open && !begins => word.extend(small),
            _ => words.push(small.collect()),
        }
        open = true;
    }
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_tell_what_is_written_and_what_is_read() {
        for name in [
            "createOrder",
            "CreateOrder",
            "create_order",
            "save",
            "SAVE",
            "payOrder",
            "submitAll",
            "update2",
            "batchInsertUsers",
            "doPay",
            "setName",
            "placeOrder",
        ] {
            assert_eq!(of(name, &[]), Effect::Writes, "{name}");
        }
        for name in [
            "getUser",
            "GetUser",
            "get_user",
            "findAll",
            "list",
            "queryByURL",
            "isReady",
            "hasNext",
            "count",
            "batchGet",
            "getAddress",
            "listPayments",
            "findUpdatedSince",
            "findByNameAndAge",
            "getOrderCountByUser",
            "listUpcoming",
            "isInStock",
        ] {
            assert_eq!(of(name, &[]), Effect::Reads, "{name}");
        }
        assert_eq!(of("doIt", &["doIt".to_owned()]), Effect::Writes);
        assert_eq!(of("getUser", &["getUser".to_owned()]), Effect::Writes);
    }

    #[test]
    fn other_names_tell_nothing() {
        for name in [
            "countDown",
            "readAndAck",
            "getNextId",
            "getThenArchive",
            "listAndMark",
            "fetchNext",
            "queryAndLog",
            "getOrAllocate",
            "takeCode",
            "chargeCard",
            "getAndIncrement",
            "loadAndDelete",
            "getOrCreate",
            "findAndModify",
            "address",
            "additional",
            "payment",
            "created",
            "issue",
            "getter",
            "process",
            "sayHello",
            "$invoke",
            "",
            "do",
            "batch",
            "42",
        ] {
            assert_eq!(of(name, &[]), Effect::Unknown, "{name}");
        }
    }

    proptest! {
        #[test]
        fn no_name_panics(name in "\\PC{0,40}") {
            let _ = of(&name, &[]);
            prop_assert!(words(&name).iter().all(|word| !word.is_empty()));
        }
    }
}
