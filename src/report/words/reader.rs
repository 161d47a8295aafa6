//! What the readers of rules find wrong, in Chinese. The texts of Dubbo, SnakeYAML and Java stay as their logs have them;
//! these are our own words, which `rule` writes in English.

/// English as `rule` writes it, with `{}` for what it puts in, and Chinese.
const MESSAGES: [(&str, &str); 44] = [
    (
        "`{}` must be a text: put it in quotes",
        "`{}` 必须是文本：请加引号",
    ),
    (
        "`{}` is no whole number of 32 bits: {}",
        "`{}` 不是 32 位整数：{}",
    ),
    ("`{}` is no whole number: {}", "`{}` 不是整数：{}"),
    ("`{}` is no number: {}", "`{}` 不是数字：{}"),
    ("`{}` is no list", "`{}` 不是列表"),
    ("`{}` is no map", "`{}` 不是映射"),
    ("`{}` is missing", "缺少 `{}`"),
    ("`{}` is empty", "`{}` 为空"),
    ("`{}` has no `{}`", "`{}` 没有 `{}`"),
    (
        "`{}` has a broken percent sequence",
        "`{}` 中的百分号编码不完整",
    ),
    (
        "the rule has a broken percent sequence",
        "规则中的百分号编码不完整",
    ),
    ("an entry of `{}` is no map", "`{}` 的一项不是映射"),
    ("an entry of `{}` is empty", "`{}` 的一项为空"),
    ("an item of `{}` is no map", "`{}` 的一项不是映射"),
    ("an item of `{}` is empty", "`{}` 的一项为空"),
    ("a condition of `{}` is no map", "`{}` 的一个条件不是映射"),
    ("a condition of `{}` is empty", "`{}` 的一个条件为空"),
    ("a tag is no map", "标签不是映射"),
    ("a tag is empty", "标签为空"),
    (
        "a tag's name must be a text: put it in quotes",
        "标签名必须是文本：请加引号",
    ),
    (
        "a tag has neither `addresses` nor `match`",
        "标签既没有 `addresses` 也没有 `match`",
    ),
    ("the document is empty", "文档为空"),
    (
        "the document is no map of `field: value` pairs",
        "文档不是由“字段: 值”组成的映射",
    ),
    (
        "the document is not a map of `field: value` pairs",
        "文档不是由“字段: 值”组成的映射",
    ),
    (
        "a map of `field: value` pairs is expected",
        "此处应为由“字段: 值”组成的映射",
    ),
    ("a map is expected", "此处应为映射"),
    ("a list is expected", "此处应为列表"),
    ("a text is expected", "此处应为文本"),
    ("true or false is expected", "此处应为 true 或 false"),
    ("a number of 32 bits is expected", "此处应为 32 位整数"),
    ("a field's name is no text", "字段名不是文本"),
    (
        "this version does not know the field `{}` and refuses the rule",
        "此版本不认识字段 `{}`，因此拒绝该规则",
    ),
    (
        "the value is not true or false (a quoted value is a text)",
        "该值不是 true 或 false（加引号的值是文本）",
    ),
    (
        "the value is not a number of 32 bits (a quoted value is a text)",
        "该值不是 32 位整数（加引号的值是文本）",
    ),
    (
        "a map stands where a single value is expected",
        "此处应为单个值，却是映射",
    ),
    (
        "a list or map of the rule contains null",
        "规则的某个列表或映射中有 null",
    ),
    ("the rule contains itself", "规则包含自身"),
    ("the rule has no list `{}`", "规则没有列表 `{}`"),
    (
        "the rule does not say for which service: `{}` is empty",
        "规则没有说明用于哪个服务：`{}` 为空",
    ),
    (
        "the name of a parameter must be a text: put it in quotes",
        "参数名必须是文本：请加引号",
    ),
    (
        "a parameter has no value, which refuses the whole document",
        "某个参数没有值，因此整个文档被拒绝",
    ),
    (
        "an item sets no parameter, which refuses the whole document",
        "某一项没有设置任何参数，因此整个文档被拒绝",
    ),
    (
        "an item makes no URL that Dubbo can read: {}",
        "某一项无法形成 Dubbo 可读取的 URL：{}",
    ),
    ("no rule has this protocol", "没有规则使用该协议"),
];

/// A reader's message in Chinese; `None` when it is a text of Dubbo or of a library. A class in brackets may follow.
pub(super) fn chinese(message: &str) -> Option<String> {
    let (text, class) = match message.rsplit_once(" (") {
        Some((text, class)) if class.ends_with(')') && class.contains('.') => (text, Some(class)),
        _ => (message, None),
    };
    let (values, chinese) = MESSAGES
        .iter()
        .find_map(|(english, chinese)| Some((values(english, text)?, chinese)))?;
    let mut values = values.into_iter();
    let mut out = String::new();
    for (place, piece) in chinese.split("{}").enumerate() {
        if place > 0 {
            out.push_str(values.next().unwrap_or_default());
        }
        out.push_str(piece);
    }
    if let Some(class) = class {
        out.push_str(" (");
        out.push_str(class);
    }
    Some(out)
}

/// What stands in a text where a template has `{}`.
fn values<'t>(template: &str, text: &'t str) -> Option<Vec<&'t str>> {
    let mut pieces = template.split("{}");
    let mut rest = text.strip_prefix(pieces.next()?)?;
    let mut values = Vec::new();
    let pieces: Vec<&str> = pieces.collect();
    for (place, piece) in pieces.iter().enumerate() {
        let last = place + 1 == pieces.len();
        let at = match (last, piece.is_empty()) {
            (true, true) => rest.len(),
            (true, false) => rest.len().checked_sub(piece.len())?,
            (false, _) => rest.find(piece)?,
        };
        let (value, behind) = rest.split_at_checked(at)?;
        rest = behind.strip_prefix(piece)?;
        values.push(value);
    }
    rest.is_empty().then_some(values)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn messages_and_what_stands_in_them() {
        for (english, expected) in [
            ("the document is empty", Some("文档为空")),
            (
                "`priority` is no whole number of 32 bits: x: y",
                Some("`priority` 不是 32 位整数：x: y"),
            ),
            (
                "an item of `configs` is no map (java.lang.ClassCastException)",
                Some("`configs` 的一项不是映射 (java.lang.ClassCastException)"),
            ),
            ("mapping values are not allowed here", None),
        ] {
            assert_eq!(chinese(english).as_deref(), expected, "{english}");
        }
    }

    #[test]
    fn both_have_the_same_places() {
        for (english, chinese) in MESSAGES {
            let count = |text: &str| text.matches("{}").count();
            assert_eq!(count(english), count(chinese), "{english}");
        }
    }

    proptest! {
        #[test]
        fn any_text_gets_an_answer(text in "\\PC{0,60}") {
            let _ = chinese(&text);
        }
    }
}
