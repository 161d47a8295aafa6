use std::collections::BTreeSet;

use serde_json::json;

use super::*;

fn names(template: &str) -> BTreeSet<&str> {
    template
        .split('{')
        .skip(1)
        .filter_map(|part| part.split_once('}').map(|(name, _)| name))
        .collect()
}

#[test]
fn every_code_has_one_sentence() {
    let mut codes: Vec<Code> = FAMILIES
        .concat()
        .into_iter()
        .map(|(code, ..)| code)
        .collect();
    codes.sort_unstable();
    let mut all = Code::ALL.to_vec();
    all.sort_unstable();
    assert_eq!(codes, all);
}

#[test]
fn both_languages_use_the_same_parameters() {
    for &code in Code::ALL {
        let (en, zh) = both(code);
        assert_eq!(names(en), names(zh), "{code}");
        assert!(!en.ends_with('.') && !zh.ends_with('。'), "{code}");
        assert!(!zh.is_ascii(), "{code}");
    }
}

#[test]
fn a_near_interface_is_never_called_the_same() {
    for (code, differs, said) in [
        (
            Code::GroupDiffers,
            json!(["group", "interface"]),
            "a.orderS",
        ),
        (
            Code::VersionDiffers,
            json!(["version", "interface"]),
            "a.orderS",
        ),
        (Code::InterfaceNearMiss, json!(["interface"]), "letter case"),
    ] {
        let params = json!({
            "wanted": "x", "offered": ["y (1)"], "differs": differs, "interface": "a.orderS",
            "letter_case": true,
        });
        let params = params.as_object().unwrap();
        let (en, zh) = variant(code, params).unwrap();
        assert_eq!(names(en), names(zh), "{code}");
        let text = filled(code, params, Lang::En);
        assert!(
            text.contains(said) && !text.contains("same interface"),
            "{text}"
        );
    }
}

#[test]
fn lists_and_gaps_are_readable() {
    let params = json!({"wanted": "group -", "offered": ["east (1)", "west (1)"]});
    let text = filled(Code::GroupDiffers, params.as_object().unwrap(), Lang::En);
    assert!(
        text.ends_with("providers offer east (1), west (1)"),
        "{text}"
    );
    assert!(filled(Code::GroupDiffers, &Map::new(), Lang::En).contains("asks for none"));
}
