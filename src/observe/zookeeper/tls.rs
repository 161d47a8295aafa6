//! Certificates for `zookeeper+tls://`: the system's authorities, or files that the address names.
//!
//! The parameters `tls-ca`, `tls-cert` and `tls-key` of the address are file names (PEM). Dubbo gives ZooKeeper's client
//! its key stores by system properties of the JVM, which cannot be seen from here.

use zookeeper_client::TlsOptions;

use crate::{observe::choose_cryptography, question::RegistryAddress};

/// Where systems keep the authorities they trust.
const BUNDLES: [&str; 5] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
];

/// The options for an address.
///
/// # Errors
/// Which file cannot be used, and why.
pub(super) fn options(address: &RegistryAddress) -> Result<TlsOptions, String> {
    choose_cryptography();
    let param = |name: &str| address.params.get(name).map(String::as_str);
    let authorities = match param("tls-ca") {
        Some(file) => read(file)?,
        None => BUNDLES
            .iter()
            .find_map(|file| read(file).ok())
            .ok_or("no certificate authorities of this system found; name a file with tls-ca=")?,
    };
    let options = TlsOptions::new()
        .with_pem_ca(&authorities)
        .map_err(|error| format!("tls-ca: {error}"))?;
    match (param("tls-cert"), param("tls-key")) {
        (Some(certificate), Some(key)) => options
            .with_pem_identity(&read(certificate)?, &read(key)?)
            .map_err(|error| format!("tls-cert, tls-key: {error}")),
        (None, None) => Ok(options),
        _ => Err("tls-cert and tls-key belong together".to_owned()),
    }
}

#[expect(clippy::disallowed_methods, reason = "certificates are files")]
fn read(file: &str) -> Result<String, String> {
    std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))
}
