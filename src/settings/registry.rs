//! Registry addresses with the attributes that go with them.

use std::collections::BTreeSet;

use super::{Layers, Origin, SettingsError, access};
use crate::{
    model::secret::Secret,
    question::{GroupOrigin, RegistryAddress},
};

/// An address as given, with remarks for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Given {
    pub(super) address: RegistryAddress,
    pub(super) origin: Origin,
}

/// Reads the addresses of a setting.
pub(super) fn addresses(layers: &Layers, name: &str) -> Result<Vec<Given>, SettingsError> {
    let Some(setting) = layers.setting(name) else {
        return Ok(Vec::new());
    };
    let mut all = Vec::new();
    for text in &setting.values {
        let read = RegistryAddress::parse_list(text).map_err(|error| SettingsError::Value {
            origin: setting.origin.clone(),
            hint: error.hint(),
            problem: error.to_string(),
        })?;
        all.extend(read.into_iter().map(|address| Given {
            address,
            origin: setting.origin.clone(),
        }));
    }
    Ok(all)
}

/// Lays the attributes over an address. Attributes of the settings file belong to the file's registry and are left
/// out when the registry comes from the environment or a flag.
pub(super) fn with_attributes(given: &mut Given, layers: &Layers) -> Result<(), SettingsError> {
    let applies = |origin: &Origin| !origin.is_file() || given.origin.is_file();
    let attribute = |name: &str| layers.text(name).filter(|(_, origin)| applies(origin));
    let address = &mut given.address;
    if let Some((namespace, origin)) = attribute("namespace") {
        settle(
            &mut address.namespace,
            namespace,
            &given.origin,
            origin,
            "namespace",
        )?;
    }
    if let Some((username, origin)) = attribute("username") {
        settle(
            &mut address.username,
            username,
            &given.origin,
            origin,
            "user name",
        )?;
    }
    if let Some((group, origin)) = attribute("registry-group") {
        match &address.group {
            Some((known, _)) if known != group => {
                return Err(contradiction(
                    "registry group",
                    known,
                    group,
                    &given.origin,
                    origin,
                ));
            }
            _ => address.group = Some((group.to_owned(), GroupOrigin::Attribute)),
        }
    }
    Ok(())
}

/// A value of the address against an attribute: the higher layer wins, the same layer must agree.
fn settle(
    known: &mut Option<String>,
    attribute: &str,
    of_address: &Origin,
    of_attribute: &Origin,
    what: &str,
) -> Result<(), SettingsError> {
    match known {
        Some(text) if text != attribute && of_address.layer() == of_attribute.layer() => {
            return Err(contradiction(
                what,
                text,
                attribute,
                of_address,
                of_attribute,
            ));
        }
        Some(_) if of_address.layer() > of_attribute.layer() => {}
        _ => *known = Some(attribute.to_owned()),
    }
    Ok(())
}

fn contradiction(
    what: &str,
    address: &str,
    attribute: &str,
    from: &Origin,
    by: &Origin,
) -> SettingsError {
    SettingsError::Value {
        origin: by.clone(),
        problem: format!("the {what} is {attribute} here and {address} in the address ({from})"),
        hint: Some(format!("give the {what} once")),
    }
}

/// Gives the password to an address that has none of its own.
pub(super) fn with_password(address: &mut RegistryAddress, password: &Secret) {
    if address.password.is_none() {
        address.password = Some(password.clone());
    }
}

/// What the user should know about an address.
pub(super) fn warnings(given: &Given) -> Vec<String> {
    let mut warnings: Vec<String> = given
        .address
        .remarks
        .iter()
        .map(|remark| format!("{}: {}: {remark}", given.origin, given.address))
        .collect();
    if given.address.password.is_some() && matches!(given.origin, Origin::Flag(_)) {
        warnings.push(format!(
            "{}: other users of this host can see a password on the command line: use --password-env, --password-file \
             or --password-command",
            given.origin
        ));
    }
    warnings
}

/// Warnings about settings files with passwords in their addresses that others may read, each file once.
pub(super) fn open_to_others<'a>(given: impl Iterator<Item = &'a Given>) -> Vec<String> {
    let files: BTreeSet<&str> = given
        .filter(|one| one.address.secrets().into_iter().next().is_some())
        .filter_map(|one| one.origin.path())
        .collect();
    files
        .into_iter()
        .filter_map(access::password_open_to_others)
        .collect()
}
