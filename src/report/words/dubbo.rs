//! What Dubbo's own error codes say (`LoggerCodeConstants`, 3.1 and later), in English and Chinese: the text behind
//! `error code:` is fixed per place in Dubbo's code, so it names where something was noticed, not why.

use super::Lang;

/// Code, English, Chinese, divided by tabs.
const MEANINGS: &str = include_str!("dubbo.tsv");

fn rows() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    MEANINGS
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| {
            let (code, both) = line.split_once('\t')?;
            let (en, zh) = both.split_once('\t')?;
            Some((code, en, zh))
        })
}

/// Every code that has a sentence here.
pub fn codes() -> impl Iterator<Item = &'static str> {
    rows().map(|(code, ..)| code)
}

/// What a code of Dubbo's own says; `None` for a number that Dubbo does not use.
pub fn meaning(code: &str, lang: Lang) -> Option<&'static str> {
    rows()
        .find(|(known, ..)| *known == code)
        .map(|(_, en, zh)| match lang {
            Lang::En => en,
            Lang::Zh => zh,
        })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_line_has_a_code_of_its_own_and_both_languages() {
        let lines = MEANINGS.lines().filter(|line| !line.starts_with('#'));
        let seen: BTreeSet<&str> = codes().collect();
        assert_eq!(seen.len(), lines.count());
        for (code, en, zh) in rows() {
            let (module, number) = code.split_once('-').unwrap();
            assert!(
                module.parse::<u8>().is_ok() && number.parse::<u8>().is_ok(),
                "{code}"
            );
            assert!(
                en.is_ascii() && !zh.is_ascii() && !zh.contains('\t'),
                "{code}"
            );
        }
    }
}
