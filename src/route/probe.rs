//! Which addresses a right side fits, asked of URLs alone: for a rule that is looked at before it is published.

use std::borrow::Cow;

use super::clause::Side;
use super::dialect::Dialect;
use super::provider::{Provider, sample};
use super::set::AddressSet;
use crate::model::url::Url;
use crate::rule::condition::text::Clause;

/// A provider as its URL in the registry describes it, without what a consumer lays over it.
#[derive(Debug, Clone, Copy)]
pub struct Plain<'a>(pub &'a Url);

impl Provider for Plain<'_> {
    fn url(&self) -> &Url {
        self.0
    }

    fn parameter(&self, key: &str) -> Option<&str> {
        self.0.parameter(key)
    }

    fn original_parameter(&self, key: &str) -> Option<&str> {
        self.0.parameter(key)
    }

    fn remote_application(&self) -> Option<&str> {
        self.0.parameter("application")
    }

    fn sample(&self, key: &str) -> Option<Cow<'_, str>> {
        sample(self.0, self.0.path.as_deref(), key)
    }
}

/// Which of the providers fit all clauses, by place.
pub fn fitting(
    clauses: &[Clause],
    consumer: &Url,
    providers: &[Url],
    dialect: Dialect,
) -> AddressSet {
    let side = Side::right(clauses, consumer, dialect);
    AddressSet::filter(providers.len(), |place| {
        side.fits_provider(&Plain(&providers[place]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::version::{DubboVersion, Line};
    use crate::rule::condition::text::Condition;

    #[test]
    fn counts_what_fits() {
        let version = DubboVersion::newest(Line::V3_2);
        let url = |text: &str| Url::parse(text, &version).unwrap();
        let providers = [
            url("dubbo://10.0.0.1:20880/a.B?region=hz"),
            url("dubbo://10.0.0.2:20880/a.B"),
        ];
        let consumer = url("consumer://10.0.0.9/a.B?region=hz");
        let dialect = Dialect::of(&version).unwrap();
        for (text, expected) in [
            ("host=10.0.0.*", 2),
            ("region=$region", 1),
            ("region!=sh", 1),
            ("address=10.0.0.2:20880", 1),
            ("host=10.0.0.3", 0),
        ] {
            let then = Condition::parse(text).unwrap().then.unwrap();
            assert_eq!(
                fitting(&then, &consumer, &providers, dialect).len(),
                expected,
                "{text}"
            );
        }
    }
}
