//! How the registry's password is had. It is never a flag.

use std::process::{Command, Stdio};

use super::{Environment, Layers, Origin, SettingsError};
use crate::model::secret::Secret;

/// Where the password comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PasswordFrom {
    /// An environment variable.
    Env(String),
    /// A file.
    File(String),
    /// What a command prints.
    Command(String),
}

/// Where the password comes from, with the place that says so. `DIAG_PASSWORD` counts when nothing better is said.
pub(super) fn password_from(
    layers: &Layers,
    environment: &Environment,
) -> Option<(PasswordFrom, Origin)> {
    let said = [
        (
            "password-env",
            PasswordFrom::Env as fn(String) -> PasswordFrom,
        ),
        ("password-file", PasswordFrom::File),
        ("password-command", PasswordFrom::Command),
    ]
    .into_iter()
    .find_map(|(name, make)| {
        let (text, origin) = layers.text(name)?;
        Some((make(text.to_owned()), origin.clone()))
    });
    let usual = environment
        .get("DIAG_PASSWORD")
        .filter(|word| !word.is_empty())
        .map(|_| {
            let name = "DIAG_PASSWORD".to_owned();
            (PasswordFrom::Env(name.clone()), Origin::Env(name))
        });
    match (said, usual) {
        (Some(said), Some(usual)) if said.1.layer() < usual.1.layer() => Some(usual),
        (said, usual) => said.or(usual),
    }
}

/// Gets the password. A line break at the end is not part of it.
pub(super) fn fetch(
    from: &PasswordFrom,
    origin: &Origin,
    environment: &Environment,
) -> Result<Secret, SettingsError> {
    let failed = |problem: String| SettingsError::Password {
        origin: origin.clone(),
        problem,
    };
    let text = match from {
        PasswordFrom::Env(name) => environment
            .get(name)
            .map(str::to_owned)
            .ok_or_else(|| failed(format!("the environment has no variable {name}")))?,
        PasswordFrom::File(path) => {
            #[expect(
                clippy::disallowed_methods,
                reason = "the file that the user named for the password"
            )]
            let text = std::fs::read_to_string(path);
            text.map_err(|error| failed(format!("cannot read {path}: {error}")))?
        }
        PasswordFrom::Command(command) => {
            let output = Command::new("sh")
                .args(["-c", command])
                .stdin(Stdio::null())
                .stderr(Stdio::inherit())
                .output()
                .map_err(|error| failed(format!("cannot run the command: {error}")))?;
            if !output.status.success() {
                return Err(failed(format!("the command failed ({})", output.status)));
            }
            String::from_utf8(output.stdout)
                .map_err(|_| failed("what the command printed is no text".to_owned()))?
        }
    };
    let text = text.trim_end_matches(['\n', '\r']);
    if text.is_empty() {
        return Err(failed("the password is empty".to_owned()));
    }
    Ok(Secret::new(text))
}
