//! Names of interfaces: decoding once, and which of them are near.

/// Decodes a name of the registry once, as `URLDecoder` does; `None` where Java would throw or the bytes are no UTF-8.
pub fn decode(name: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let [first, tail @ ..] = rest {
        match first {
            b'+' => {
                bytes.push(b' ');
                rest = tail;
            }
            b'%' => {
                let [high, low, tail @ ..] = tail else {
                    return None;
                };
                let digit = |byte: &u8| char::from(*byte).to_digit(16);
                bytes.push(u8::try_from(digit(high)? * 16 + digit(low)?).ok()?);
                rest = tail;
            }
            other => {
                bytes.push(*other);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

/// Package and simple name.
fn split(interface: &str) -> (&str, &str) {
    interface.rsplit_once('.').unwrap_or(("", interface))
}

/// Near enough to be meant: same simple name ignoring case, or same package and at most two edits.
pub fn is_near(wanted: &str, other: &str) -> bool {
    let (package, name) = split(wanted);
    let (other_package, other_name) = split(other);
    name.eq_ignore_ascii_case(other_name)
        || is_same_spelling(wanted, other)
        || (package == other_package && strsim::levenshtein(name, other_name) <= 2)
}

/// How well a name that was typed without its package fits a full one: 0 = it is its simple name, whatever the case, 1 = it
/// is at most two edits from it.
pub fn fit_of_short(typed: &str, full: &str) -> Option<u8> {
    let (package, simple) = split(full);
    if typed.contains('.') || package.is_empty() {
        return None;
    }
    if simple.eq_ignore_ascii_case(typed) {
        return Some(0);
    }
    (typed.chars().count() > 4 && strsim::levenshtein(typed, simple) <= 2).then_some(1)
}

/// The name of an inner class whose `$Inner` a shell took for a variable and made nothing of.
pub fn is_shell_eaten(typed: &str, other: &str) -> bool {
    let rest = other.strip_prefix(typed);
    rest.is_some_and(|rest| rest.starts_with('$') || rest.starts_with("___"))
}

/// The same interface but for the spelling of an inner class: `$`, or `___` as Nacos names have it.
pub fn is_same_spelling(wanted: &str, other: &str) -> bool {
    wanted != other && wanted.replace("___", "$") == other.replace("___", "$")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn decoded_once() {
        assert_eq!(decode("com.x%24Y+z").as_deref(), Some("com.x$Y z"));
        assert_eq!(decode("%2525").as_deref(), Some("%25"));
        for broken in ["%zz", "%E0%A4%A", "%", "%4", "%FF"] {
            assert_eq!(decode(broken), None, "{broken}");
        }
    }

    #[test]
    fn near_and_not_near() {
        assert!(is_near("com.a.DemoService", "com.b.DemoService"));
        assert!(is_near("com.a.DemoService", "com.a.demoService"));
        assert!(is_near("com.a.OrderService", "com.a.OrderServise"));
        assert!(!is_near("org.x.StockService", "org.x.OrderService"));
        assert!(!is_near("com.a.OrderService", "com.b.OrderServise"));
        assert!(is_same_spelling("a.B$C", "a.B___C"));
        assert!(!is_same_spelling("a.B", "a.B"));
        assert_eq!(fit_of_short("orderservice", "com.a.OrderService"), Some(0));
        assert_eq!(fit_of_short("OrderServise", "com.a.OrderService"), Some(1));
        assert_eq!(fit_of_short("PayService", "com.a.OrderService"), None);
        assert_eq!(
            fit_of_short("com.b.OrderService", "com.a.OrderService"),
            None
        );
        assert_eq!(fit_of_short("OrderService", "OrderService"), None);
        assert!(is_shell_eaten("a.B", "a.B$C") && !is_shell_eaten("a.B", "a.BC"));
    }

    proptest! {
        #[test]
        fn any_name_gives_an_answer(name in ".{0,40}") {
            let _ = decode(&name);
        }

        #[test]
        fn near_is_symmetric(a in "[a-c.]{1,8}", b in "[a-c.]{1,8}") {
            prop_assert_eq!(is_near(&a, &b), is_near(&b, &a));
        }
    }
}
