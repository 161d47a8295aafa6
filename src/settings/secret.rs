//! How the registry's password is had. It is never a flag.

use std::{
    io::Read,
    process::{Command, Stdio},
    sync::mpsc,
    time::Duration,
};

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

/// The variable that holds the password where nothing better is said.
pub(super) const VARIABLE: &str = "DIAG_PASSWORD";

/// Where the password comes from, with the place that says so.
pub(super) fn password_from(layers: &Layers) -> Option<(PasswordFrom, Origin)> {
    [
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
    })
}

/// So long a command may take where the run itself has no limit.
const PATIENCE: Duration = Duration::from_secs(60);

/// Gets the password. A line break at the end is not part of it. `limit` = how long a command may take.
pub(super) fn fetch(
    from: &PasswordFrom,
    origin: &Origin,
    environment: &Environment,
    limit: Option<Duration>,
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
            let printed = run(command, limit.unwrap_or(PATIENCE)).map_err(failed)?;
            String::from_utf8(printed)
                .map_err(|_| failed("what the command printed is no text".to_owned()))?
        }
    };
    let text = text.trim_end_matches(['\n', '\r']);
    if text.is_empty() {
        return Err(failed("the password is empty".to_owned()));
    }
    Ok(Secret::new(text))
}

/// What a command prints.
///
/// # Errors
/// It cannot be run, fails, or is not done in time; then it is ended.
fn run(command: &str, limit: Duration) -> Result<Vec<u8>, String> {
    let cannot = |error: std::io::Error| format!("cannot run the command: {error}");
    let mut child = Command::new("sh")
        .args(["-c", command])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .map_err(cannot)?;
    let (done, printed) = mpsc::channel();
    if let Some(mut stdout) = child.stdout.take() {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            // Nobody waits any more when the time is over.
            let _ = done.send(stdout.read_to_end(&mut bytes).map(|_| bytes));
        });
    }
    let Ok(printed) = printed.recv_timeout(limit) else {
        let _ = child.kill();
        let _ = child.wait();
        return Err(format!(
            "the command printed nothing within {} s (--deadline)",
            limit.as_secs_f64()
        ));
    };
    let status = child.wait().map_err(cannot)?;
    if !status.success() {
        return Err(format!("the command failed ({status})"));
    }
    printed.map_err(cannot)
}
