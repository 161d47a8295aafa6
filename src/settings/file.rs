//! `diag.toml`: values at the top, and profiles below `[profiles.NAME]` with the same keys.

use std::collections::BTreeMap;

use jiff::civil::Date;
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{
    SettingsError,
    keys::{KEYS, Key, Kind},
    origin::{Origin, Setting},
};

/// Values of one table by key.
pub(super) type Values = BTreeMap<&'static str, Setting>;

/// What the file says.
#[derive(Debug, Default)]
pub(super) struct File {
    /// At the top.
    pub(super) top: Values,
    /// The profile used when none is named.
    pub(super) profile: Option<String>,
    /// By name.
    pub(super) profiles: BTreeMap<String, Values>,
    /// Findings that somebody has accepted, with reason and end.
    pub(super) accepted: Vec<Accepted>,
}

/// A finding that is known and not to be shown until a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// As the JSON report has it.
    pub fingerprint: String,
    /// Why.
    pub reason: String,
    /// The last day on which it counts.
    pub until: Date,
    /// Line of the file.
    pub line: usize,
}

struct Reader<'a> {
    path: &'a str,
    text: &'a str,
}

/// Reads the text of a settings file.
pub(super) fn read(path: &str, text: &str) -> Result<File, SettingsError> {
    let reader = Reader { path, text };
    let table = DeTable::parse(text).map_err(|error| {
        // The error's own Display repeats the line, and with it a password that may stand there.
        let at = error.span().map_or(0, |span| span.start);
        reader.error(at, error.message().to_owned())
    })?;
    let mut file = File::default();
    for (key, value) in table.get_ref() {
        let at = key.span().start;
        match (key.get_ref().as_ref(), value.get_ref()) {
            ("profiles", DeValue::Table(profiles)) => {
                for (name, profile) in profiles {
                    let DeValue::Table(profile) = profile.get_ref() else {
                        return Err(reader.error(
                            name.span().start,
                            format!("profile {} is no table", name.get_ref()),
                        ));
                    };
                    let values = reader.values(profile, |line| Origin::Profile {
                        path: path.to_owned(),
                        name: name.get_ref().to_string(),
                        line,
                    })?;
                    file.profiles.insert(name.get_ref().to_string(), values);
                }
            }
            ("accepted", DeValue::Array(items)) => {
                for item in items {
                    file.accepted.push(reader.accepted(item)?);
                }
            }
            ("accepted", _) => {
                return Err(reader.error(
                    at,
                    "accepted is no list of tables ([[accepted]])".to_owned(),
                ));
            }
            ("profiles", _) => return Err(reader.error(at, "profiles is no table".to_owned())),
            ("profile", DeValue::String(name)) => file.profile = Some(name.to_string()),
            ("profile", value) => {
                let table = value.as_table().and_then(|table| table.keys().next());
                let problem = match table {
                    Some(name) => {
                        let meant = format!("[profiles.{}]", name.get_ref());
                        format!("profile needs a text; did you mean {meant}?")
                    }
                    None => "profile needs a text".to_owned(),
                };
                return Err(reader.error(at, problem));
            }
            _ => {
                let (key, setting) = reader.one(key, value, |line| Origin::File {
                    path: path.to_owned(),
                    line,
                })?;
                file.top.insert(key, setting);
            }
        }
    }
    Ok(file)
}

impl Reader<'_> {
    fn values(
        &self,
        table: &DeTable<'_>,
        origin: impl Fn(usize) -> Origin,
    ) -> Result<Values, SettingsError> {
        table
            .iter()
            .map(|(key, value)| self.one(key, value, &origin))
            .collect()
    }

    /// A value, or the table of zones, which is a value of its own: that of a profile replaces the one at the top.
    fn one(
        &self,
        key: &Spanned<std::borrow::Cow<'_, str>>,
        value: &Spanned<DeValue<'_>>,
        origin: impl Fn(usize) -> Origin,
    ) -> Result<(&'static str, Setting), SettingsError> {
        if key.get_ref() != "zones" {
            return self.value(key, value, origin);
        }
        let at = key.span().start;
        let DeValue::Table(zones) = value.get_ref() else {
            return Err(self.error(at, "zones is no table".to_owned()));
        };
        let setting = Setting {
            values: self.zones(zones)?,
            origin: origin(self.line(at)),
        };
        Ok(("zone", setting))
    }

    fn value(
        &self,
        key: &Spanned<std::borrow::Cow<'_, str>>,
        value: &Spanned<DeValue<'_>>,
        origin: impl Fn(usize) -> Origin,
    ) -> Result<(&'static str, Setting), SettingsError> {
        let at = key.span().start;
        let Some(known) = Key::named(key.get_ref()) else {
            return Err(self.error(at, unknown(key.get_ref())));
        };
        let values = match (known.kind, value.get_ref()) {
            (Kind::Switch, DeValue::Boolean(on)) => vec![on.to_string()],
            (Kind::Text | Kind::List, DeValue::String(text)) => vec![text.to_string()],
            (Kind::List, DeValue::Array(items)) => items
                .iter()
                .map(|item| {
                    item.get_ref().as_str().map(str::to_owned).ok_or_else(|| {
                        self.error(item.span().start, format!("{} needs texts", known.name))
                    })
                })
                .collect::<Result<_, _>>()?,
            (kind, _) => {
                let needed = match kind {
                    Kind::Text => "a text",
                    Kind::Switch => "true or false",
                    Kind::List => "a text or a list of texts",
                };
                return Err(self.error(at, format!("{} needs {needed}", known.name)));
            }
        };
        Ok((
            known.name,
            Setting {
                values,
                origin: origin(self.line(at)),
            },
        ))
    }

    /// `[zones]`: a name and its networks in every line.
    fn zones(&self, zones: &DeTable<'_>) -> Result<Vec<String>, SettingsError> {
        let mut values = Vec::new();
        for (name, networks) in zones {
            let texts: Option<Vec<&str>> = match networks.get_ref() {
                DeValue::String(text) => Some(vec![text.as_ref()]),
                DeValue::Array(items) => {
                    let texts = items.iter().map(|item| item.get_ref().as_str());
                    texts.collect()
                }
                _ => None,
            };
            let Some(texts) = texts else {
                let zone = name.get_ref();
                let problem = format!("zone {zone} needs a network or a list of networks");
                return Err(self.error(networks.span().start, problem));
            };
            values.push(format!("{}={}", name.get_ref(), texts.join(",")));
        }
        Ok(values)
    }

    /// `[[accepted]]`: fingerprint, reason and until, all three.
    fn accepted(&self, item: &Spanned<DeValue<'_>>) -> Result<Accepted, SettingsError> {
        const FIELDS: [&str; 3] = ["fingerprint", "reason", "until"];
        let at = item.span().start;
        let DeValue::Table(table) = item.get_ref() else {
            return Err(self.error(at, "accepted needs tables ([[accepted]])".to_owned()));
        };
        let mut values: BTreeMap<&str, (String, usize)> = BTreeMap::new();
        for (key, value) in table {
            let place = key.span().start;
            let name = key.get_ref().as_ref();
            let Some(field) = FIELDS.iter().find(|field| **field == name) else {
                let near = FIELDS
                    .iter()
                    .find(|field| strsim::damerau_levenshtein(field, name) <= 3)
                    .map(|field| format!("; did you mean {field}?"))
                    .unwrap_or_default();
                return Err(self.error(place, format!("unknown key {name} of accepted{near}")));
            };
            let text = match value.get_ref() {
                DeValue::String(text) if !text.trim().is_empty() => text.to_string(),
                DeValue::Datetime(day) => day.to_string(),
                _ => return Err(self.error(place, format!("{name} of accepted needs a text"))),
            };
            values.insert(field, (text, place));
        }
        let mut take = |field: &str| {
            values
                .remove(field)
                .ok_or_else(|| self.error(at, format!("accepted needs {field}")))
        };
        let (fingerprint, place) = take("fingerprint")?;
        if fingerprint.len() != 16 || !fingerprint.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            let problem =
                "fingerprint of accepted is none: 16 hexadecimal digits, as -o json has it";
            return Err(self.error(place, problem.to_owned()));
        }
        let (reason, _) = take("reason")?;
        let (until, place) = take("until")?;
        let until = until.parse().map_err(|_| {
            self.error(
                place,
                format!("until of accepted `{until}` is no day such as 2026-12-31"),
            )
        })?;
        Ok(Accepted {
            fingerprint: fingerprint.to_ascii_lowercase(),
            reason,
            until,
            line: self.line(at),
        })
    }

    fn line(&self, at: usize) -> usize {
        self.text
            .as_bytes()
            .iter()
            .take(at)
            .filter(|byte| **byte == b'\n')
            .count()
            + 1
    }

    fn error(&self, at: usize, problem: String) -> SettingsError {
        SettingsError::File {
            path: self.path.to_owned(),
            line: self.line(at),
            problem,
        }
    }
}

/// What to say about a key nobody reads.
fn unknown(name: &str) -> String {
    if matches!(name, "password" | "token") {
        return format!(
            "{name} does not belong into this file: use password-env, password-file or password-command"
        );
    }
    let dashed = name.replace('_', "-").to_ascii_lowercase();
    let near = KEYS
        .iter()
        .map(|key| key.name)
        .chain(["accepted", "profile", "profiles", "zones"])
        .map(|known| (strsim::damerau_levenshtein(known, &dashed), known))
        .filter(|(distance, _)| *distance <= 3)
        .min()
        .map(|(_, near)| format!("; did you mean {near}?"))
        .unwrap_or_default();
    format!("unknown key {name}{near}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reads_values_and_profiles() {
        let text = "profile = 'prod'\nregistry = 'zookeeper://a:1'\nsweep = false\n\n[profiles.prod]\n\
                    registry = [\n 'nacos://b:1',\n 'nacos://c:1']\ndeadline = '5s'\n";
        let file = read("diag.toml", text).unwrap();
        assert_eq!(file.profile.as_deref(), Some("prod"));
        let zones = read(
            "x",
            "[zones]\na = ['10.1.0.0/16', '10.2.0.0/16']\nb = '10.3.0.0/16'",
        )
        .unwrap();
        assert_eq!(
            zones.top["zone"].values,
            ["a=10.1.0.0/16,10.2.0.0/16", "b=10.3.0.0/16"]
        );
        let zones = read(
            "x",
            "[zones]\na = '10.1.0.0/16'\n[profiles.p.zones]\nb = '10.2.0.0/16'\n[profiles.q]\nzones.c = '10.3.0.1'",
        )
        .unwrap();
        assert_eq!(zones.profiles["p"]["zone"].values, ["b=10.2.0.0/16"]);
        assert_eq!(zones.profiles["q"]["zone"].values, ["c=10.3.0.1"]);
        assert_eq!(
            zones.profiles["p"]["zone"].origin.to_string(),
            "x line 3 (profile p)"
        );
        assert_eq!(file.top["registry"].values, ["zookeeper://a:1"]);
        assert_eq!(file.top["sweep"].origin.to_string(), "diag.toml line 3");
        let prod = &file.profiles["prod"];
        assert_eq!(prod["registry"].values, ["nacos://b:1", "nacos://c:1"]);
        assert_eq!(
            prod["deadline"].origin.to_string(),
            "diag.toml line 9 (profile prod)"
        );
    }

    #[test]
    fn accepted_findings_have_reason_and_end() {
        for until in ["'2026-12-31'", "2026-12-31"] {
            let text = format!(
                "[[accepted]]\nfingerprint = '0123456789ABCDEF'\nreason = 'known'\nuntil = {until}\n"
            );
            let file = read("x", &text).unwrap();
            assert_eq!(
                file.accepted,
                [Accepted {
                    fingerprint: "0123456789abcdef".to_owned(),
                    reason: "known".to_owned(),
                    until: jiff::civil::date(2026, 12, 31),
                    line: 1,
                }]
            );
        }
    }

    #[test]
    fn errors_name_line_and_way_out() {
        for (text, expected) in [
            ("a = 1", "diag.toml line 1: unknown key a"),
            (
                "\nregistr = 'x'",
                "diag.toml line 2: unknown key registr; did you mean registry?",
            ),
            (
                "consumer_app = 'x'",
                "diag.toml line 1: unknown key consumer_app; did you mean consumer-app?",
            ),
            (
                "[profiles.x]\nRegistry = 'x'",
                "diag.toml line 2: unknown key Registry; did you mean registry?",
            ),
            (
                "registry = 1",
                "diag.toml line 1: registry needs a text or a list of texts",
            ),
            ("zones = 'a'", "diag.toml line 1: zones is no table"),
            (
                "accepted = 1",
                "diag.toml line 1: accepted is no list of tables",
            ),
            (
                "[[accepted]]\nfingerprnt = 'x'",
                "diag.toml line 2: unknown key fingerprnt of accepted; did you mean fingerprint?",
            ),
            (
                "[[accepted]]\nfingerprint = 'x'",
                "diag.toml line 2: fingerprint of accepted is none",
            ),
            (
                "[[accepted]]\nfingerprint = '0123456789abcdef'\nreason = 'known'",
                "diag.toml line 1: accepted needs until",
            ),
            (
                "[[accepted]]\nfingerprint = '0123456789abcdef'\nreason = 'known'\nuntil = 'soon'",
                "diag.toml line 4: until of accepted `soon` is no day",
            ),
            (
                "[profiles.p]\nzones = 'a'",
                "diag.toml line 2: zones is no table",
            ),
            (
                "[zones]\na = 7",
                "diag.toml line 2: zone a needs a network or a list of networks",
            ),
            ("registry = [1]", "diag.toml line 1: registry needs texts"),
            (
                "sweep = 'no'",
                "diag.toml line 1: sweep needs true or false",
            ),
            ("profiles = 1", "diag.toml line 1: profiles is no table"),
            ("\n\nregistry = 'nacos://u:CANARY@h:1", "diag.toml line 3: "),
            (
                "password = 'CANARY'",
                "diag.toml line 1: password does not belong into this file: use password-env, password-file or \
                 password-command",
            ),
            (
                "[[accept]]\nfingerprint = 'x'",
                "diag.toml line 1: unknown key accept; did you mean accepted?",
            ),
            (
                "[profile.prod]\nnamespace = 'x'",
                "diag.toml line 1: profile needs a text; did you mean [profiles.prod]?",
            ),
            ("profile = 1", "diag.toml line 1: profile needs a text"),
        ] {
            let error = read("diag.toml", text).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
            assert!(!error.contains("CANARY"), "{error}");
        }
    }

    proptest! {
        #[test]
        fn takes_any_text(text in "\\PC{0,80}") {
            let _ = read("x", &text);
        }
    }
}
