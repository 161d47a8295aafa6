//! Who else may read or write a file that holds a password or says how to get one.

use std::path::Path;

/// The permission bits; `None` where there are none, or no such file.
#[cfg(unix)]
fn mode(path: &Path) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt as _;
    Some(path.metadata().ok()?.permissions().mode() & 0o777)
}

#[cfg(not(unix))]
fn mode(_path: &Path) -> Option<u32> {
    None
}

/// A warning about a password file that others may read.
pub(super) fn open_to_others(path: &str) -> Option<String> {
    let mode = mode(Path::new(path)).filter(|mode| mode & 0o077 != 0)?;
    Some(format!(
        "others may read the password file {path} (mode {mode:03o}): chmod 600 {path}"
    ))
}

/// A warning about a settings file that others may read, with a password in one of its addresses.
pub(super) fn password_open_to_others(path: &str) -> Option<String> {
    let mode = mode(Path::new(path)).filter(|mode| mode & 0o077 != 0)?;
    Some(format!(
        "others may read {path} (mode {mode:03o}), which has a password in an address: chmod 600 {path}, or use \
         password-env, password-file or password-command"
    ))
}

/// Whether somebody else could change what the file says.
pub(super) fn others_may_write(path: &Path) -> bool {
    mode(path).is_some_and(|mode| mode & 0o022 != 0)
}
