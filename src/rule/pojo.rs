//! Maps to objects, as `PojoUtils.mapToPojo` makes them (2.7.10 on for rules, 3.x for mesh rules and `match`).
//!
//! The objects are described by a schema; the conversion rules are those of the method, surprises included: an unknown
//! field is ignored, a value of the wrong class is dropped in silence where the field is an object, but refuses the
//! document where the field is a primitive, and a `null` inside a list or map always does.

use std::collections::{BTreeMap, HashMap};

use super::error::RuleError;
use super::yaml::{Integer, Node, Position, Value};

/// The class of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// `boolean`
    Boolean,
    /// `int`
    Int,
    /// `java.lang.Boolean`
    BoxedBoolean,
    /// `java.lang.Integer`
    BoxedInteger,
    /// `java.lang.Double`
    BoxedDouble,
    /// An enumeration, whose values rules never get: a text is dropped.
    Enum,
    /// `java.lang.String`
    Text,
    /// `java.util.List`
    List(&'static Class),
    /// `java.util.Map`
    Map(&'static Class, &'static Class),
    /// A class with these fields.
    Bean(&'static Bean),
}

/// The fields of a class, also inherited ones.
#[derive(Debug, PartialEq, Eq)]
pub struct Bean(pub &'static [(&'static str, Class)]);

/// What a field got.
#[derive(Debug, Clone, PartialEq)]
pub struct Pojo {
    /// The content.
    pub content: Content,
    /// Where it stands.
    pub at: Position,
}

/// The content of a field. `None` inside a collection is `null`: a value of the wrong class.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// `boolean`, `Boolean`
    Boolean(bool),
    /// `int`, `Integer`
    Int(i32),
    /// `Double`
    Double(f64),
    /// `String`
    Text(String),
    /// `List`
    List(Vec<Option<Pojo>>),
    /// `Map`, with texts as keys; a key of the wrong class is `None`.
    Map(Vec<(Option<String>, Option<Pojo>)>),
    /// An object: only fields that are not `null`.
    Bean(BTreeMap<&'static str, Pojo>),
}

/// Objects inside objects, beyond which Java's stack is taken for exhausted.
const DEEPEST: usize = 400;

/// Makes an object of a map.
pub fn object(map: Node<'_>, bean: &'static Bean) -> Result<Pojo, RuleError> {
    object_at(map, bean, 0)
}

fn object_at(map: Node<'_>, bean: &'static Bean, depth: usize) -> Result<Pojo, RuleError> {
    if depth > DEEPEST {
        return Err(RuleError::new(
            "java.lang.StackOverflowError",
            "the rule contains itself",
            Some(map.start()),
        ));
    }
    let mut fields = BTreeMap::new();
    // the fields lie in a `HashMap`, whose order says which of several bad ones is met first
    let mut first: Option<(usize, RuleError)> = None;
    for (name, class) in bean.0 {
        let Some(value) = map.get(name).filter(|value| !value.is_null()) else {
            continue;
        };
        match convert(value, *class, depth + 1) {
            Ok(Some(value)) => {
                fields.insert(*name, value);
            }
            Ok(None) => {}
            Err(error) => {
                let place = bucket(name, 16);
                if first.as_ref().is_none_or(|(known, _)| place < *known) {
                    first = Some((place, error));
                }
            }
        }
    }
    if let Some((_, error)) = first {
        return Err(error);
    }
    Ok(Pojo {
        content: Content::Bean(fields),
        at: map.start(),
    })
}

/// The bucket of a text in a `HashMap` with that many buckets.
pub(super) fn bucket(text: &str, buckets: usize) -> usize {
    let hash = text.encode_utf16().fold(0_u32, |hash, unit| {
        hash.wrapping_mul(31).wrapping_add(unit.into())
    });
    (hash ^ hash >> 16) as usize & (buckets - 1)
}

/// `getFieldObject`.
fn convert(node: Node<'_>, class: Class, depth: usize) -> Result<Option<Pojo>, RuleError> {
    let at = node.start();
    let value = node.value();
    let content = match (class, value) {
        (_, Value::Null) => {
            return Err(RuleError::null(
                "a list or map of the rule contains null",
                Some(at),
            ));
        }
        (Class::Boolean | Class::BoxedBoolean, Value::Bool(value)) => Content::Boolean(value),
        (Class::Int | Class::BoxedInteger, Value::Int(Integer::Int(value))) => Content::Int(*value),
        (Class::BoxedDouble, Value::Float(value)) => Content::Double(value),
        (Class::Boolean | Class::Int, _) => {
            let wanted = if class == Class::Int {
                "a number of 32 bits"
            } else {
                "true or false"
            };
            return Err(RuleError::new(
                "java.lang.IllegalArgumentException",
                format!("the value is not {wanted} (a quoted value is a text)"),
                Some(at),
            ));
        }
        (
            Class::BoxedBoolean | Class::BoxedInteger | Class::BoxedDouble | Class::Enum,
            Value::Map(_),
        ) => {
            return Err(RuleError::new(
                "java.lang.NoSuchMethodException",
                "a map stands where a single value is expected",
                Some(at),
            ));
        }
        (Class::Text, value) => match text(node, &value) {
            Some(text) => Content::Text(text),
            None => return Ok(None),
        },
        (Class::List(item), Value::List(items)) => Content::List(
            items
                .map(|node| convert(node, *item, depth))
                .collect::<Result<_, _>>()?,
        ),
        // `!!pairs` is a list of arrays, which are of no class that a rule has.
        (Class::List(_), Value::Pairs(pairs)) => Content::List(pairs.map(|_| None).collect()),
        (Class::Map(key, item), Value::Map(entries)) => {
            let mut out: Vec<(Option<String>, Option<Pojo>)> = Vec::with_capacity(entries.len());
            let mut places: HashMap<Option<String>, usize> = HashMap::new();
            for (name, node) in entries {
                let name = convert(name, *key, depth)?.and_then(|name| match name.content {
                    Content::Text(text) => Some(text),
                    _ => None,
                });
                let value = convert(node, *item, depth)?;
                // a key that is there keeps its place
                if let Some(place) = places.get(&name) {
                    out[*place].1 = value;
                } else {
                    places.insert(name.clone(), out.len());
                    out.push((name, value));
                }
            }
            Content::Map(out)
        }
        (Class::Bean(bean), Value::Map(_)) => return object_at(node, bean, depth).map(Some),
        _ => return Ok(None),
    };
    Ok(Some(Pojo { content, at }))
}

/// What becomes of a value in a `String` field.
fn text(node: Node<'_>, value: &Value<'_>) -> Option<String> {
    match value {
        Value::Text(text) => Some((*text).to_owned()),
        Value::Bool(_) | Value::Int(Integer::Int(_) | Integer::Long(_)) | Value::Float(_) => {
            node.java_text()
        }
        // `mapToPojo(map, String.class)`: a new, empty String.
        Value::Map(_) => Some(String::new()),
        _ => None,
    }
}

impl Pojo {
    /// A field of an object.
    pub fn field(&self, name: &str) -> Option<&Self> {
        match &self.content {
            Content::Bean(fields) => fields.get(name),
            _ => None,
        }
    }

    /// The text of a field.
    pub fn text(&self, name: &str) -> Option<&str> {
        match &self.field(name)?.content {
            Content::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The flag of a field.
    pub fn flag(&self, name: &str) -> Option<bool> {
        match self.field(name)?.content {
            Content::Boolean(value) => Some(value),
            _ => None,
        }
    }

    /// The number of a field.
    pub fn int(&self, name: &str) -> Option<i32> {
        match self.field(name)?.content {
            Content::Int(value) => Some(value),
            _ => None,
        }
    }

    /// The number of a field.
    pub fn double(&self, name: &str) -> Option<f64> {
        match self.field(name)?.content {
            Content::Double(value) => Some(value),
            _ => None,
        }
    }

    /// The items of a field; `None` when the field is `null`.
    pub fn list(&self, name: &str) -> Option<&[Option<Self>]> {
        match &self.field(name)?.content {
            Content::List(items) => Some(items),
            _ => None,
        }
    }

    /// The entries of a field; `None` when the field is `null`.
    pub fn map(&self, name: &str) -> Option<&[(Option<String>, Option<Self>)]> {
        match &self.field(name)?.content {
            Content::Map(entries) => Some(entries),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::yaml::{YamlVersion, load};
    use super::*;

    static INNER: Bean = Bean(&[("name", Class::Text), ("inner", Class::Bean(&INNER))]);
    static OUTER: Bean = Bean(&[
        ("force", Class::Boolean),
        ("priority", Class::Int),
        ("count", Class::BoxedInteger),
        ("ratio", Class::BoxedDouble),
        ("key", Class::Text),
        ("items", Class::List(&Class::Text)),
        ("labels", Class::Map(&Class::Text, &Class::Text)),
        ("inner", Class::Bean(&INNER)),
    ]);

    fn read(text: &str) -> Result<Pojo, RuleError> {
        let document = load(text, YamlVersion::V2_4).unwrap();
        object(document.root().unwrap(), &OUTER)
    }

    #[test]
    fn fields_by_class() {
        let pojo =
            read("{force: yes, priority: 3, count: 4, ratio: 0.5, key: 12, unknown: 1}").unwrap();
        assert_eq!(
            (pojo.flag("force"), pojo.int("priority"), pojo.int("count")),
            (Some(true), Some(3), Some(4))
        );
        assert_eq!(
            (pojo.double("ratio"), pojo.text("key")),
            (Some(0.5), Some("12"))
        );
        for refused in [
            "force: \"true\"",
            "priority: 3.0",
            "priority: 99999999999",
            "items: [null]",
            "labels: {a: }",
        ] {
            assert!(read(refused).is_err(), "{refused}");
        }
        let dropped =
            read("{count: x, ratio: 1, items: x, labels: [], inner: x, key: [a]}").unwrap();
        assert_eq!(dropped.content, Content::Bean(BTreeMap::new()));
        let nulls = read("{force: , items: ~, inner: }").unwrap();
        assert_eq!(nulls.content, Content::Bean(BTreeMap::new()));
    }

    #[test]
    fn collections_and_objects() {
        let pojo = read(
            "items: [a, 1, {b: c}, [d]]\nlabels: {1: true}\ninner: {name: n, inner: {name: m}}",
        )
        .unwrap();
        let items: Vec<Option<&str>> = pojo
            .list("items")
            .unwrap()
            .iter()
            .map(|item| match item.as_ref().map(|item| &item.content) {
                Some(Content::Text(text)) => Some(text.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(items, [Some("a"), Some("1"), Some(""), None]);
        assert_eq!(pojo.map("labels").unwrap()[0].0.as_deref(), Some("1"));
        let inner = pojo.field("inner").unwrap();
        assert_eq!(
            (
                inner.text("name"),
                inner.field("inner").unwrap().text("name")
            ),
            (Some("n"), Some("m"))
        );
    }

    #[test]
    fn what_contains_itself_ends() {
        let error = read("inner: &a {inner: *a}").unwrap_err();
        assert_eq!(error.class, "java.lang.StackOverflowError");
    }
}
