//! `diag config`: the settings in force with their origins, and a template.

use std::fmt::Write as _;

use serde_json::json;

use super::{Surroundings, stream};
use crate::{
    cli::{Common, ConfigArgs, ConfigVerb, Output, OutputFlags},
    error::UsageError,
    exit::Exit,
    report::{model::SCHEMA_VERSION, safe},
    settings::{Layers, Settings, template},
    snapshot::Masker,
};

/// Runs the verb.
pub(super) fn run(args: &ConfigArgs, around: &Surroundings) -> anyhow::Result<Exit> {
    let text = match &args.verb {
        ConfigVerb::Init => template(),
        ConfigVerb::Show { origin, output } => show(*origin, output, around)?,
    };
    Ok(stream::report(&text, Exit::Fine)?)
}

/// Whether values of the setting are addresses, or commands, which may have user and password in them, also where they
/// are torn; a colon in other settings is only a colon.
fn may_hold_password(name: &str) -> bool {
    matches!(
        name,
        "registry" | "also-search" | "config-center" | "metadata-report" | "password-command"
    )
}

fn show(origin: bool, output: &OutputFlags, around: &Surroundings) -> anyhow::Result<String> {
    let common = Common {
        output: output.clone(),
        ..Common::default()
    };
    // What cannot be read is wrong here, too.
    let settings = Settings::new(&common, &around.environment)?;
    let layers = Layers::gather(&common, &around.environment)?;
    super::begin(output, &settings);
    let masker = Masker::default();
    let hidden = |text: &str| safe(&masker.text(text));
    let values: Vec<(&str, Vec<String>, String)> = layers
        .in_force()
        .into_iter()
        .map(|(name, setting)| {
            let shown = |text: &String| {
                if may_hold_password(name) {
                    hidden(&crate::question::mask_address(text))
                } else {
                    hidden(text)
                }
            };
            let values = setting.values.iter().map(shown).collect();
            (name, values, hidden(&setting.origin.to_string()))
        })
        .collect();
    match settings.output {
        Output::Json => {
            let list: Vec<_> = values
                .iter()
                .map(|(name, values, origin)| json!({"name": name, "values": values, "origin": origin}))
                .collect();
            // A report like that of any other verb, without answers.
            let value = json!({
                "schema_version": SCHEMA_VERSION,
                "tool": {"name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION")},
                "command": "config show",
                "exit": Exit::Fine.code(),
                "interrupted": false,
                "reports": [],
                "sources": {},
                "settings": list,
            });
            Ok(serde_json::to_string_pretty(&value)? + "\n")
        }
        Output::Text => {
            let mut out = String::new();
            for (name, values, from) in &values {
                let list: Vec<String> = values.iter().map(|text| format!("{text:?}")).collect();
                let value = match list.as_slice() {
                    [one] if one == "\"true\"" || one == "\"false\"" => {
                        one.trim_matches('"').to_owned()
                    }
                    [one] => one.clone(),
                    several => format!("[{}]", several.join(", ")),
                };
                let line = format!("{name} = {value}");
                let _ = if origin {
                    writeln!(out, "{line:<60} # {from}")
                } else {
                    writeln!(out, "{line}")
                };
            }
            Ok(out)
        }
        Output::Markdown | Output::Html => Err(UsageError::new("config show has no such format")
            .hint("use -o text or -o json")
            .into()),
    }
}
