//! A registry entry as a consumer's registry client reads it.
//!
//! 2.x reads the whole entry as a URL. 3.x cuts it at the (encoded) `?` and reads the two halves by themselves, so that
//! they can be shared between services (`CacheableFailbackRegistry.createURL`, `URLAddress.parse`). The halves are not
//! read quite as a whole URL is: without a port there is no host.

use std::collections::BTreeMap;

use super::dialect::Dialect;
use super::{Url, UrlError, java, parse};
use crate::model::secret::Secret;
use crate::model::version::DubboVersion;

/// What an entry of the category `providers` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its URL.
    pub url: Url,
    /// 3.x: it has no parameters at all. Such an entry passes every filter of the registry client.
    pub bare: bool,
}

impl Entry {
    /// Reads an entry as that version does.
    pub fn parse(text: &str, version: &DubboVersion) -> Result<Self, UrlError> {
        let dialect = Dialect::of(version);
        if !dialect.one_parser {
            return Ok(Self {
                url: parse::encoded(text, dialect)?,
                bare: false,
            });
        }
        // only this spelling is looked for, `%3f` is not
        let (address, query, encoded) = match (text.split_once("%3F"), text.split_once('?')) {
            (Some((address, query)), _) => (address, query, true),
            (None, Some((address, query))) => (address, query, false),
            (None, None) => {
                java::decode(text).map_err(UrlError::BrokenEscape)?;
                return Ok(Self {
                    url: parse::encoded(text, dialect)?,
                    bare: true,
                });
            }
        };
        let url = address_parts(address, encoded)?;
        if query.is_empty() {
            return Err(UrlError::NothingAfterQuestionMark);
        }
        let units: Vec<u16> = query.encode_utf16().collect();
        let parameters = parse::parameters(&units, 0, encoded, dialect)?;
        Ok(Self {
            url: parse::finish(Url { parameters, ..url }, dialect)?,
            bare: false,
        })
    }
}

/// `URLAddress.parse`: everything before the parameters.
fn address_parts(text: &str, encoded: bool) -> Result<Url, UrlError> {
    let whole = if encoded {
        java::decode(text).map_err(UrlError::BrokenEscape)?
    } else {
        text.to_owned()
    };
    let mut rest = whole.as_str();
    let mut url = Url {
        protocol: Some(String::new()),
        username: None,
        password: None,
        host: None,
        port: 0,
        path: Some(String::new()),
        parameters: BTreeMap::new(),
    };
    if rest.contains('/') {
        url.protocol = Some("dubbo".to_owned());
        for (separator, kept) in [("://", 3), (":/", 1)] {
            if let Some(at) = rest.find(separator) {
                if at == 0 {
                    return Err(UrlError::NoProtocol);
                }
                url.protocol = Some(rest[..at].to_owned());
                rest = &rest[at + kept..];
                break;
            }
        }
        url.path = None;
        if let Some((before, after)) = rest.split_once('/') {
            url.path = Some(after.to_owned());
            rest = before;
        }
        if let Some((user, after)) = rest.rsplit_once('@') {
            rest = after;
            match user.split_once(':') {
                Some((user, secret)) => {
                    url.username = Some(user.to_owned());
                    url.password = Some(Secret::new(secret));
                }
                None => url.username = Some(user.to_owned()),
            }
        }
    } else if rest.rfind(':').is_none_or(|at| at + 1 == rest.len()) {
        url.host = Some(rest.to_owned());
    }
    if let Some(at) = rest.rfind(':').filter(|at| at + 1 < rest.len())
        && rest.rfind('%').is_none_or(|zone| zone < at)
    {
        url.port = parse::port(&rest[at + 1..], &whole)?;
        url.host = Some(rest[..at].to_owned());
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::encode;
    use super::*;

    fn entry(text: &str, version: &str) -> Entry {
        Entry::parse(&encode(text), &DubboVersion::parse(version).unwrap()).unwrap()
    }

    #[test]
    fn an_ordinary_entry_reads_as_its_url() {
        let text = "dubbo://u:p@10.0.0.7:20880/a.B?group=g&interface=a.B&side=provider&x=a b";
        for version in ["2.6.2", "2.7.8", "2.7.23", "3.0.15", "3.3.6"] {
            let read = entry(text, version);
            assert_eq!(read.url.to_full_text(), text, "{version}");
            assert!(!read.bare);
        }
    }

    #[test]
    fn without_a_port_3x_sees_no_host() {
        let text = "dubbo://10.0.0.7/a.B?interface=a.B";
        assert_eq!(entry(text, "3.2").url.host, None);
        assert_eq!(entry(text, "2.7").url.host.as_deref(), Some("10.0.0.7"));
    }

    #[test]
    fn without_parameters_it_is_bare() {
        assert!(entry("dubbo://10.0.0.7:1/a.B", "3.2").bare);
        assert!(!entry("dubbo://10.0.0.7:1/a.B", "2.7").bare);
        let v = DubboVersion::parse("3.2").unwrap();
        assert_eq!(
            Entry::parse("dubbo%3A%2F%2Fh%3A1?", &v),
            Err(UrlError::NothingAfterQuestionMark)
        );
    }

    #[test]
    fn an_entry_without_a_slash_has_no_protocol() {
        let url = entry("10.0.0.7:1?a=1", "3.2").url;
        assert_eq!(
            (url.protocol.as_deref(), url.host.as_deref(), url.port),
            (Some(""), Some("10.0.0.7"), 1)
        );
    }

    proptest! {
        #[test]
        fn any_text_gives_an_answer(text in any::<String>(), near in "[a:/@?&=;%3F26D#中+.]{0,40}") {
            for version in ["2.6.2", "2.7.8", "2.7.23", "3.0.15", "3.3.6"] {
                let v = DubboVersion::parse(version).unwrap();
                let _ = Entry::parse(&text, &v);
                let _ = Entry::parse(&near, &v);
            }
        }
    }
}
