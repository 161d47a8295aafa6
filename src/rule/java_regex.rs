//! Java's regular expressions, as far as they can be run here.
//!
//! An expression is translated to the syntax of the `regex` crate; what Java refuses is refused, and what cannot be
//! translated faithfully (look-around, back references, possessive quantifiers, ...) says so instead of guessing.

use std::fmt;

use regex::Regex;

/// Why an expression gives no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegexError {
    /// `java.util.regex.PatternSyntaxException`
    #[error("`{0}` is no regular expression for Java")]
    Syntax(String),
    /// Java would run it, this program cannot.
    #[error("the regular expression `{0}` cannot be replayed")]
    Unsupported(String),
}

/// An expression for `String.matches`: the whole text must fit.
#[derive(Clone)]
pub struct JavaRegex {
    text: String,
    compiled: Result<Regex, RegexError>,
}

impl JavaRegex {
    /// Prepares an expression. An error comes out when it is asked, as in Java.
    pub fn new(text: &str) -> Self {
        let compiled = translate(text)
            .and_then(|rust| Regex::new(&rust).map_err(|error| refused(text, &error)));
        Self {
            text: text.to_owned(),
            compiled,
        }
    }

    /// The expression as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// `input.matches(regex)`.
    pub fn is_match(&self, input: &str) -> Result<bool, RegexError> {
        self.compiled
            .as_ref()
            .map(|regex| regex.is_match(input))
            .map_err(Clone::clone)
    }
}

impl PartialEq for JavaRegex {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for JavaRegex {}

impl fmt::Debug for JavaRegex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "/{}/", self.text)
    }
}

/// Too large is a limit of this program, everything else a fault of the expression.
fn refused(text: &str, error: &regex::Error) -> RegexError {
    match error {
        regex::Error::CompiledTooBig(_) => RegexError::Unsupported(text.to_owned()),
        _ => RegexError::Syntax(text.to_owned()),
    }
}

/// Any character but the line terminators of Java.
const DOT: &str = "[^\\n\\r\\x{85}\\x{2028}\\x{2029}]";

fn translate(text: &str) -> Result<String, RegexError> {
    let mut translator = Translator {
        text,
        rest: text.chars().collect(),
        at: 0,
        out: String::from("^(?:"),
    };
    translator.run()?;
    translator.out.push_str(")$");
    Ok(translator.out)
}

struct Translator<'a> {
    text: &'a str,
    rest: Vec<char>,
    at: usize,
    out: String,
}

impl Translator<'_> {
    fn syntax<T>(&self) -> Result<T, RegexError> {
        Err(RegexError::Syntax(self.text.to_owned()))
    }

    fn unsupported<T>(&self) -> Result<T, RegexError> {
        Err(RegexError::Unsupported(self.text.to_owned()))
    }

    fn peek(&self) -> Option<char> {
        self.rest.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    fn run(&mut self) -> Result<(), RegexError> {
        let mut depth = 0_usize;
        // Whether something stands before that a quantifier can repeat.
        let mut repeatable = false;
        while let Some(c) = self.next() {
            match c {
                '\\' => {
                    if !self.escape(false)? {
                        continue;
                    }
                    repeatable = true;
                }
                '[' => {
                    self.class()?;
                    repeatable = true;
                }
                '(' => {
                    depth += 1;
                    self.group()?;
                    repeatable = false;
                }
                ')' => {
                    // An unmatched one is refused by Java.
                    depth = match depth.checked_sub(1) {
                        Some(depth) => depth,
                        None => return self.syntax(),
                    };
                    self.out.push(')');
                    repeatable = true;
                }
                '*' | '+' | '?' | '{' => {
                    if !repeatable {
                        return self.syntax();
                    }
                    self.quantifier(c)?;
                    repeatable = false;
                }
                '|' => {
                    self.out.push('|');
                    repeatable = false;
                }
                '.' => {
                    self.out.push_str(DOT);
                    repeatable = true;
                }
                // At the ends of a branch they are always true here, elsewhere line terminators decide.
                '^' if depth == 0 && self.starts_branch() => repeatable = false,
                '$' if depth == 0 && matches!(self.peek(), None | Some('|')) => repeatable = false,
                '^' | '$' => return self.unsupported(),
                _ => {
                    self.literal(c);
                    repeatable = true;
                }
            }
        }
        if depth > 0 { self.syntax() } else { Ok(()) }
    }

    /// Whether the character just read is the first of a branch, and not repeated.
    fn starts_branch(&self) -> bool {
        let before = self.at.checked_sub(2).map(|at| self.rest[at]);
        let repeated = matches!(self.peek(), Some('*' | '+' | '?' | '{'));
        (self.at == 1 || before == Some('|')) && !repeated
    }

    fn literal(&mut self, c: char) {
        self.out
            .push_str(&regex::escape(c.encode_utf8(&mut [0; 4])));
    }

    fn group(&mut self) -> Result<(), RegexError> {
        self.out.push('(');
        if self.peek() != Some('?') {
            return Ok(());
        }
        self.at += 1;
        match self.next() {
            Some(':') => self.out.push_str("?:"),
            Some('<') if self.peek().is_some_and(|c| c.is_ascii_alphabetic()) => {
                self.out.push_str("?<");
                while let Some(c) = self.next() {
                    self.out.push(c);
                    if c == '>' {
                        return Ok(());
                    }
                    if !c.is_ascii_alphanumeric() {
                        return self.syntax();
                    }
                }
                return self.syntax();
            }
            // Flags and look-around.
            Some(_) => return self.unsupported(),
            None => return self.syntax(),
        }
        Ok(())
    }

    fn quantifier(&mut self, first: char) -> Result<(), RegexError> {
        self.out.push(first);
        if first == '{' {
            let mut digits = String::new();
            loop {
                match self.next() {
                    Some('}') => break,
                    Some(c) if c.is_ascii_digit() || c == ',' => digits.push(c),
                    _ => return self.syntax(),
                }
            }
            let mut bounds = digits.splitn(2, ',');
            let low: Option<u32> = bounds.next().and_then(|low| low.parse().ok());
            let high = bounds.next();
            let high_number = high.filter(|high| !high.is_empty()).map(str::parse::<u32>);
            match (low, high_number) {
                (None, _) | (_, Some(Err(_))) => return self.syntax(),
                (Some(low), Some(Ok(high))) if high < low => return self.syntax(),
                _ => {}
            }
            self.out.push_str(&digits);
            self.out.push('}');
        }
        match self.peek() {
            // Possessive.
            Some('+') => self.unsupported(),
            Some('?') => {
                self.at += 1;
                self.out.push('?');
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// An escape; says whether it stands for something. `in_class` is inside `[..]`.
    fn escape(&mut self, in_class: bool) -> Result<bool, RegexError> {
        let Some(c) = self.next() else {
            return self.syntax();
        };
        let set = match c {
            'd' => "0-9",
            'w' => "a-zA-Z_0-9",
            's' => "\\t\\n\\x0B\\f\\r ",
            _ => "",
        };
        if !set.is_empty() {
            self.out.push_str(if in_class { "" } else { "[" });
            self.out.push_str(set);
            self.out.push_str(if in_class { "" } else { "]" });
            return Ok(true);
        }
        let negated = match c {
            'D' => "[^0-9]",
            'W' => "[^a-zA-Z_0-9]",
            'S' => "[^\\t\\n\\x0B\\f\\r ]",
            _ => "",
        };
        if !negated.is_empty() {
            self.out.push_str(negated);
            return Ok(true);
        }
        match c {
            't' | 'n' | 'r' | 'f' => {
                self.out.push('\\');
                self.out.push(c);
            }
            'a' => self.out.push_str("\\x07"),
            'e' => self.out.push_str("\\x1B"),
            'x' if self.peek() != Some('{') => self.code_point(2)?,
            'u' => self.code_point(4)?,
            'Q' if !in_class => return Ok(self.quotation()),
            'E' if !in_class => return self.syntax(),
            'x'
            | '0'..='9'
            | 'A'
            | 'b'
            | 'B'
            | 'c'
            | 'G'
            | 'h'
            | 'H'
            | 'k'
            | 'N'
            | 'p'
            | 'P'
            | 'Q'
            | 'R'
            | 'v'
            | 'V'
            | 'X'
            | 'z'
            | 'Z' => return self.unsupported(),
            c if c.is_ascii_alphabetic() => return self.syntax(),
            c => self.literal(c),
        }
        Ok(true)
    }

    fn code_point(&mut self, digits: usize) -> Result<(), RegexError> {
        let mut value = 0;
        for _ in 0..digits {
            match self.next().and_then(|c| c.to_digit(16)) {
                Some(digit) => value = value * 16 + digit,
                None => return self.syntax(),
            }
        }
        match char::from_u32(value) {
            Some(c) => {
                self.literal(c);
                Ok(())
            }
            // Half of a surrogate pair.
            None => self.unsupported(),
        }
    }

    /// `\Q..\E`, to the end when there is no `\E`. A quantifier behind it repeats the last character.
    fn quotation(&mut self) -> bool {
        let mut some = false;
        while let Some(c) = self.next() {
            if c == '\\' && self.peek() == Some('E') {
                self.at += 1;
                return some;
            }
            self.literal(c);
            some = true;
        }
        some
    }

    /// `[..]`, the opening bracket read. Intersections and classes inside classes are not translated.
    fn class(&mut self) -> Result<(), RegexError> {
        self.out.push('[');
        if self.peek() == Some('^') {
            self.at += 1;
            self.out.push('^');
        }
        let mut first = true;
        loop {
            let Some(c) = self.next() else {
                return self.syntax();
            };
            match c {
                ']' if !first => {
                    self.out.push(']');
                    return Ok(());
                }
                '[' => return self.unsupported(),
                '&' if self.peek() == Some('&') => return self.unsupported(),
                '\\' => {
                    self.escape(true)?;
                }
                '-' => {
                    // A range needs both ends; a hyphen at an end is itself.
                    let ends = first || self.peek() == Some(']');
                    self.out.push_str(if ends { "\\-" } else { "-" });
                }
                _ => self.literal(c),
            }
            first = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ask(regex: &str, input: &str) -> Result<bool, RegexError> {
        JavaRegex::new(regex).is_match(input)
    }

    #[test]
    fn the_whole_text_must_fit() {
        for (regex, input, expected) in [
            ("pro", "prod", false),
            ("pro.*", "prod", true),
            (".*d", "prod", true),
            ("[a-z]+", "prod", true),
            ("[a-z]+", "Prod", false),
            ("a|bc", "bc", true),
            ("a|bc", "ac", false),
            ("\\d{2,3}", "42", true),
            ("\\d{2,3}", "4", false),
            ("\\d+", "\u{664}", false),
            (".", "\n", false),
            ("a\\.b", "a.b", true),
            ("\\Qa.b\\E+", "a.bb", true),
            ("(?:x|y)?z", "z", true),
            ("(?<n>x)z", "xz", true),
            ("[^-a]", "b", true),
            ("[]a]", "]", true),
            ("a-b", "a-b", true),
            ("]", "]", true),
            ("}", "}", true),
            ("\\x41\\u0042", "AB", true),
            ("^gray$", "gray", true),
            ("^a|^b$", "b", true),
            ("\\|", "|", true),
        ] {
            assert_eq!(ask(regex, input), Ok(expected), "{regex} {input}");
        }
    }

    #[test]
    fn what_java_refuses() {
        for regex in [
            "(", ")", "[", "*a", "a**", "a{", "a{x}", "a{3,2}", "\\", "\\i", "(?", "|*", "[z-a]",
        ] {
            assert_eq!(ask(regex, "a"), Err(RegexError::Syntax(regex.to_owned())));
        }
    }

    #[test]
    fn what_is_not_guessed() {
        for regex in [
            "a++", "(?=a)a", "(?i)a", "(a)\\1", "\\p{L}", "[a[b]]", "[a&&b]", "(^a)", "a^", "^*a",
            "\\bx",
        ] {
            assert_eq!(
                ask(regex, "a"),
                Err(RegexError::Unsupported(regex.to_owned()))
            );
        }
    }

    proptest! {
        #[test]
        fn any_text_gets_an_answer(regex in "[a-c\\\\\\[\\](){}?*+|.^$0-9Qdwp&-]{0,16}", input in "[a-c0-9]{0,8}") {
            let _ = ask(&regex, &input);
        }
    }
}
