//! The sentences that are not the sentence of a finding code: reasons, facts, next steps.

use super::Lang;

/// Defines the sentences: name, English, Chinese. Both must use the same placeholders (tested).
macro_rules! sentences {
    ($($(#[$doc:meta])* $name:ident: $en:literal, $zh:literal;)+) => {
        /// A sentence by name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Say { $(#[doc = $en] $name,)+ }

        impl Say {
            /// All sentences, for tests.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// The template in a language; `{name}` is a placeholder.
            pub fn template(self, lang: Lang) -> &'static str {
                match (self, lang) {
                    $((Self::$name, Lang::En) => $en, (Self::$name, Lang::Zh) => $zh,)+
                }
            }
        }
    };
}

sentences! {
    NothingLeft: "nothing is left", "没有剩余地址";
    NotProbed: "not probed", "未探测";
    NotRecorded: "the recording has no answer for {what}", "快照中没有 {what} 的应答";
}
