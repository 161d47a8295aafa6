//! What to do about a finding: words, and commands to copy. A step that changes something is marked.

use super::{Remedy, code::Code, decide::Computed};
use crate::{
    report::words::{Phrase, Say},
    view::stage::Raised,
};

/// Dubbo's own error codes (`x-y` of its log lines, 3.1 on) that show the same trouble.
pub(super) fn see(code: Code) -> &'static [&'static str] {
    match code {
        Code::RegistryUnreachable | Code::RegistryDegraded => &["1-7", "1-3"],
        Code::RegistryAuthRefused => &["1-7", "5-34"],
        Code::NacosGrpcClosed => &["1-37", "5-34"],
        Code::GroupDiffers
        | Code::VersionDiffers
        | Code::InterfaceNearMiss
        | Code::NotRegistered
        | Code::NameFormDiffers
        | Code::WildcardUnsupported => &["2-2"],
        Code::ProtocolFiltered => &["4-1", "3-1"],
        Code::DisabledByOverride => &["3-1"],
        Code::EmptyProtection => &["1-4"],
        Code::RevisionZero => &["1-39"],
        _ => &[],
    }
}

/// The steps for a finding.
pub(super) fn steps(computed: &Computed<'_>, raised: &Raised) -> Vec<Remedy> {
    let text = |say: Say| Remedy {
        text: say.into(),
        argv: Vec::new(),
        changes: false,
    };
    let change = |say: Say| Remedy {
        changes: true,
        ..text(say)
    };
    let again = |say: Say, extra: &[&str]| Remedy {
        text: say.into(),
        argv: command(computed, extra),
        changes: false,
    };
    match raised.code {
        Code::GroupDiffers | Code::VersionDiffers | Code::InterfaceNearMiss => {
            vec![change(Say::DoAlignKey), offered(computed, raised)]
        }
        Code::NameFormDiffers => vec![change(Say::DoAlignVersions)],
        Code::WildcardUnsupported => vec![change(Say::DoWriteExactKey)],
        Code::NotRegistered => vec![
            text(Say::DoCheckProviderStarted),
            again(Say::DoSearchOtherRegistries, &["--also-search", "REGISTRY"]),
        ],
        Code::NamespaceDiffers | Code::RegistryGroupDiffers | Code::OtherRegistry => {
            vec![change(Say::DoAlignPlace)]
        }
        Code::AllDisabled => vec![change(Say::DoEnable)],
        Code::DisabledByOverride => vec![change(Say::DoRemoveOverride)],
        Code::ProtocolFiltered => vec![change(Say::DoAlignProtocol)],
        Code::RegistryUnreachable
        | Code::RegistryDegraded
        | Code::NotThatRegistry
        | Code::NacosGrpcClosed => vec![again(Say::DoRunOnConsumer, &["--probe"])],
        Code::RegistryAuthRefused => vec![change(Say::DoGrantRights)],
        Code::StaleProvider | Code::AddressUnreachable | Code::AddressSuspicious => {
            vec![again(Say::DoRunOnConsumer, &["--probe"])]
        }
        Code::ConsumerListStale | Code::EmptyProtection => {
            vec![again(Say::DoSeeOwnList, &["--qos", "127.0.0.1:22222"])]
        }
        Code::VersionAssumed => vec![again(Say::DoGiveVersion, &["--dubbo", "VERSION"])],
        Code::PlaceholderUnresolved | Code::AddressUnparsable => vec![change(Say::DoFixSetting)],
        Code::RegistrationRefused => vec![change(Say::DoFixRegistration)],
        _ => Vec::new(),
    }
}

/// Ask again with the key that is offered: what would come next.
fn offered(computed: &Computed<'_>, raised: &Raised) -> Remedy {
    let near = raised
        .params
        .get("near")
        .and_then(serde_json::Value::as_array)
        .and_then(|list| list.first());
    let part = |name: &str| {
        near.and_then(|miss| miss.get(name))
            .and_then(serde_json::Value::as_str)
    };
    let service = crate::model::service_key::ServiceKey::new(
        part("group"),
        part("interface").unwrap_or(&computed.question.service.interface),
        part("version"),
    );
    let mut argv = command(computed, &[]);
    if let Some(key) = argv.get_mut(2) {
        *key = service.to_string();
    }
    Remedy {
        text: Phrase::new(Say::DoAskOffered),
        argv,
        changes: false,
    }
}

/// The question as a command, secrets masked, with further arguments.
fn command(computed: &Computed<'_>, extra: &[&str]) -> Vec<String> {
    let question = computed.question;
    let mut argv = vec![
        "diag".to_owned(),
        "no-provider".to_owned(),
        question.service.to_string(),
    ];
    for registry in &question.registries {
        argv.push("--registry".to_owned());
        argv.push(registry.to_string());
    }
    let mut flag = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            argv.push(name.to_owned());
            argv.push(value);
        }
    };
    flag("--consumer-app", question.consumer.application.clone());
    flag("--consumer-ip", question.consumer.ip.clone());
    flag(
        "--dubbo",
        question.consumer.dubbo.as_ref().map(ToString::to_string),
    );
    argv.extend(extra.iter().map(|word| (*word).to_owned()));
    argv
}
