//! The commented template of `diag.toml`: every key with the help text of its flag, so that neither can be forgotten.

use std::fmt::Write as _;

use clap::CommandFactory as _;

use super::keys::{KEYS, Key, Kind};
use crate::cli::Cli;

const HEAD: &str = "\
# Settings of diag. Where it is looked for: diag/diag.toml in the user's directory for settings
# (~/.config/diag/diag.toml), or where --config or DIAG_CONFIG says.
# What counts: default < this file < profile < environment < flag. `diag config show --origin` tells.
# Passwords do not belong here: name a variable, a file (chmod 600) or a command that has one.

# The profile that is used when none is named (--profile, DIAG_PROFILE)
#profile = \"prod\"
";

const TAIL: &str = "
# Rooms and data centres by address
#[zones]
#a = [\"10.1.0.0/16\", \"10.2.0.0/16\"]
#b = \"10.3.0.0/16\"

# A profile has the same keys
#[profiles.prod]
#registry = \"nacos://10.0.0.1:8848?namespace=prod\"
#username = \"reader\"
#password-env = \"PROD_PASSWORD\"

# A finding that is known and not shown until a day; its fingerprint stands in -o json
#[[accepted]]
#fingerprint = \"0123456789abcdef\"
#reason = \"room b is being emptied\"
#until = \"2030-12-31\"
";

/// The text of the template.
pub fn template() -> String {
    let command = Cli::command();
    let verb = command.find_subcommand("no-provider");
    let help = |key: &Key| -> String {
        let flag = match key.kind {
            Kind::Switch => format!("no-{}", key.name),
            _ => key.name.to_owned(),
        };
        let said = verb.and_then(|verb| {
            let argument = verb
                .get_arguments()
                .find(|one| one.get_long() == Some(&flag))?;
            Some(argument.get_help()?.to_string())
        });
        match (key.kind, said) {
            (Kind::Switch, Some(said)) => format!("false: {said}"),
            (_, said) => said.unwrap_or_default(),
        }
    };
    let mut out = HEAD.to_owned();
    for key in &KEYS {
        let _ = write!(out, "\n# {}", help(key));
        if let Some(env) = key.env {
            let said = format!("environment: {env}");
            if !out.ends_with(&format!("({said})")) {
                let _ = write!(out, " ({said})");
            }
        }
        let value = match key.kind {
            Kind::Switch => key.sample.to_owned(),
            Kind::Text => format!("\"{}\"", key.sample),
            Kind::List => format!("[\"{}\"]", key.sample),
        };
        let _ = writeln!(out, "\n#{} = {value}", key.name);
    }
    out.push_str(TAIL);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::file;

    /// As it is it says nothing; with every `#` in front of a value taken away it says everything.
    #[test]
    fn the_template_is_read_back() {
        let text = template();
        let file = file::read("x", &text).unwrap();
        assert!(file.top.is_empty() && file.profiles.is_empty());
        let open: Vec<&str> = text
            .lines()
            .map(|line| match line.strip_prefix('#') {
                Some(rest) if !rest.starts_with(' ') && !rest.starts_with("zone =") => rest,
                _ => line,
            })
            .collect();
        let open = open.join("\n");
        let file = file::read("x", &open).unwrap();
        assert_eq!(file.top.len(), KEYS.len(), "{open}");
        assert_eq!(file.profiles["prod"].len(), 3);
        assert_eq!(file.accepted.len(), 1);
        assert!(text.lines().all(|line| line.chars().count() <= 110));
    }
}
