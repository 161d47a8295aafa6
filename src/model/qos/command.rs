//! The commands that may be asked: a closed list of those that change nothing.
//!
//! There is no constructor from text, so that nothing else can ever be sent. Left out on purpose, though they only
//! read: `count` (a thread in the process), `metrics` of old lines, and whatever depends on the connection (`cd`, `pwd`).

use std::fmt;

use crate::model::service_key::ServiceKey;

/// A read-only command of QOS with its arguments.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Command {
    /// `ls`: services with their state.
    Ls,
    /// `version`.
    Version,
    /// `live`.
    Live,
    /// `ready`.
    Ready,
    /// `startup`.
    Startup,
    /// `ps -l`: servers of the process.
    Servers,
    /// `getConfig ApplicationConfig`: who it is, without the rest of the configuration.
    Application,
    /// `getConfig RegistryConfig`: where it looks.
    Registries,
    /// `getAddress`: the addresses of a service.
    Address(ServiceKey),
    /// `getRouterSnapshot`: the routers of a service.
    Routers(ServiceKey),
    /// `getRecentRouterSnapshot`: what routers did with watched calls.
    Recent,
    /// `getEnabledRouterSnapshot`: of which services calls are watched.
    Watched,
    /// `metrics`: Prometheus text.
    Metrics,
}

impl Command {
    /// What is asked about one service, cheapest first.
    pub fn about(service: &ServiceKey) -> Vec<Self> {
        let mut commands = Self::general();
        commands.insert(1, Self::Address(service.clone()));
        commands.insert(2, Self::Routers(service.clone()));
        commands
    }

    /// What is asked of any process.
    pub fn general() -> Vec<Self> {
        vec![
            Self::Ls,
            Self::Recent,
            Self::Version,
            Self::Ready,
            Self::Live,
            Self::Servers,
            Self::Application,
            Self::Registries,
        ]
    }

    /// Name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Ls => "ls",
            Self::Version => "version",
            Self::Live => "live",
            Self::Ready => "ready",
            Self::Startup => "startup",
            Self::Servers => "ps",
            Self::Application | Self::Registries => "getConfig",
            Self::Address(_) => "getAddress",
            Self::Routers(_) => "getRouterSnapshot",
            Self::Recent => "getRecentRouterSnapshot",
            Self::Watched => "getEnabledRouterSnapshot",
            Self::Metrics => "metrics",
        }
    }

    /// What is typed on a service port for the same (`ListTelnetHandler`): only this tells more than names there.
    pub fn on_service_port(&self) -> Option<&'static str> {
        match self {
            Self::Ls => Some("ls -l"),
            _ => None,
        }
    }

    /// Its argument, as the process is to read it.
    pub fn argument(&self) -> Option<String> {
        match self {
            Self::Servers => Some("-l".to_owned()),
            Self::Application => Some("ApplicationConfig".to_owned()),
            Self::Registries => Some("RegistryConfig".to_owned()),
            Self::Address(service) => Some(service.to_string()),
            // A regular expression over keys of services.
            Self::Routers(service) => Some(quoted(&service.to_string())),
            _ => None,
        }
    }
}

/// As a recording names it, and as it is typed over telnet.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self.argument() {
            Some(argument) => write!(f, " {argument}"),
            None => Ok(()),
        }
    }
}

/// A regular expression that is this text and nothing else.
fn quoted(text: &str) -> String {
    let mut out = String::new();
    for sign in text.chars() {
        if "\\.+*?()|[]{}^$".contains(sign) {
            out.push('\\');
        }
        out.push(sign);
    }
    out
}
