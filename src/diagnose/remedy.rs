//! What to do about a finding: words, and commands to copy. A step that changes something is marked.

use super::{Remedy, code::Code, decide::Computed, explain};
use crate::{
    report::words::{Phrase, Say},
    view::stage::Raised,
};

/// Dubbo's own error codes (`x-y` of its log lines, 3.1 on) that show the same trouble: those of the code's page.
pub(super) fn see(code: Code) -> Vec<&'static str> {
    explain::page(code)
        .map(|page| page.dubbo)
        .unwrap_or_default()
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
    if let Some(say) = hinted(raised) {
        return vec![text(say), again(Say::DoRunOnConsumer, &[])];
    }
    match raised.code {
        Code::ClassifierDiffers => vec![change(Say::DoAlignClassifier)],
        Code::ConsumerMisaddressed => vec![change(Say::DoRemoveSetting)],
        Code::GroupDiffers | Code::VersionDiffers | Code::InterfaceNearMiss => {
            let mut steps = vec![change(Say::DoAlignKey)];
            steps.extend(offered(computed, raised));
            steps
        }
        Code::NameFormDiffers => vec![change(Say::DoAlignVersions)],
        Code::WildcardUnsupported => vec![change(Say::DoWriteExactKey)],
        Code::NotRegistered if raised.params.contains_key("strays") => vec![
            change(Say::DoRemoveStray),
            text(Say::DoCheckProviderStarted),
        ],
        Code::NotRegistered => {
            let mut steps = vec![
                text(Say::DoCheckProviderStarted),
                text(Say::DoSearchOtherRegistries),
            ];
            // Hardly any interface is without a package; a name typed in short is.
            if !computed.question.service.interface.contains('.') {
                steps.insert(0, text(Say::DoWritePackage));
            }
            steps
        }
        Code::NamespaceDiffers | Code::RegistryGroupDiffers | Code::OtherRegistry => {
            vec![change(Say::DoAlignPlace)]
        }
        Code::NamespaceUnknown => vec![change(Say::DoUseNamespaceId)],
        Code::ApiSwitchedOff => vec![Remedy {
            text: Phrase::new(Say::DoSwitchOnApi)
                .with("setting", "nacos.core.api.compatibility.admin.enabled"),
            argv: Vec::new(),
            changes: true,
        }],
        Code::ModelsDoNotMeet => vec![change(Say::DoRegisterBoth)],
        Code::AllUnhealthy => vec![change(Say::DoStartProvider)],
        Code::WeightZero => vec![change(Say::DoRaiseWeight)],
        Code::RoutedAway
        | Code::ConsumerBlocked
        | Code::TagNotServed
        | Code::UntaggedStarved
        | Code::ZonePinned => vec![change(Say::DoCorrectRule), candidate(computed)],
        Code::RuleNotDelivered => vec![change(Say::DoMoveRule)],
        Code::RuleUnparsed | Code::RuleNoEffect | Code::RuleLeaks => {
            vec![change(Say::DoCorrectRule)]
        }
        Code::RouterUnknown => vec![text(Say::DoDeclareRouter)],
        Code::AllDisabled => vec![change(Say::DoEnable)],
        Code::DisabledByOverride => vec![change(Say::DoRemoveOverride)],
        Code::ProtocolFiltered => vec![change(Say::DoAlignProtocol)],
        Code::RegistryUnreachable
        | Code::RegistryDegraded
        | Code::NotThatRegistry
        | Code::AnswerTooLarge
        | Code::NacosGrpcClosed => vec![again(Say::DoRunOnConsumer, &[])],
        Code::NodesDisagree => vec![text(Say::DoCheckMembers)],
        Code::RegistryAuthRefused if raised.params.contains_key("hint") => {
            vec![text(Say::DoSignIn), change(Say::DoGrantRights)]
        }
        Code::RegistryAuthRefused => vec![change(Say::DoGrantRights)],
        Code::StaleProvider
        | Code::AddressUnreachable
        | Code::AddressSuspicious
        | Code::AcceptsButSilent
        | Code::MetadataServiceUnreachable => {
            vec![try_port(raised)]
        }
        Code::QosRefused => vec![Remedy {
            argv: ["curl".to_owned(), "-s".to_owned(), local_port(raised)].to_vec(),
            ..text(Say::DoAskThere)
        }],
        Code::ConsumerListStale | Code::EmptyProtection => {
            vec![Remedy {
                argv: ["curl", "-s", "127.0.0.1:22222/ls"]
                    .map(str::to_owned)
                    .to_vec(),
                ..text(Say::DoSeeOwnList)
            }]
        }
        Code::VersionAssumed => vec![text(Say::DoGiveVersion)],
        Code::PlaceholderUnresolved | Code::AddressUnparsable => vec![change(Say::DoFixSetting)],
        Code::RegistrationRefused => vec![change(Say::DoFixRegistration)],
        _ => Vec::new(),
    }
}

/// What the words of a refusal suggest.
fn hinted(raised: &Raised) -> Option<Say> {
    Some(match raised.params.get("hint")?.as_str()? {
        "access-key" => Say::DoNotSign,
        "login" => Say::DoCheckLogin,
        "console-port" => Say::DoUseServerPort,
        "grpc-port" => Say::DoUseHttpPort,
        "tls" => Say::DoUseTls,
        "certificate" => Say::DoTrustCertificate,
        "context-path" => Say::DoNameContextPath,
        "page" => Say::DoNameServerItself,
        "redirect" => Say::DoNotFollowRedirect,
        "proxy" => Say::DoCheckProxy,
        "wait" => Say::DoWaitForServer,
        _ => return None,
    })
}

/// Whether the consumer's host reaches the address of a finding.
fn try_port(raised: &Raised) -> Remedy {
    let (kind, name) = &raised.subject;
    let argv = match name.rsplit_once(':') {
        Some((host, port)) if kind == "address" => {
            ["nc", "-vz", host.trim_matches(['[', ']']), port]
                .map(str::to_owned)
                .to_vec()
        }
        _ => Vec::new(),
    };
    Remedy {
        text: Say::DoRunOnConsumer.into(),
        argv,
        changes: false,
    }
}

/// Ask again with the key that is offered: what would come next.
///
/// A key that nobody resolved is not one to ask for.
fn offered(computed: &Computed<'_>, raised: &Raised) -> Option<Remedy> {
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
    if crate::question::placeholder(&service.to_string()).is_some() {
        return None;
    }
    let mut argv = command(computed, &[]);
    if let Some(key) = argv.get_mut(2) {
        *key = service.to_string();
    }
    Some(Remedy {
        text: Phrase::new(Say::DoAskOffered),
        argv,
        changes: false,
    })
}

/// Try a corrected rule before it is published.
fn candidate(computed: &Computed<'_>) -> Remedy {
    let mut argv = command(computed, &["--candidate", "FILE"]);
    if let Some(verb) = argv.get_mut(1) {
        "route-replay".clone_into(verb);
    }
    Remedy {
        text: Phrase::new(Say::DoTryCandidate),
        argv,
        changes: false,
    }
}

/// The question as a command, with further arguments.
fn command(computed: &Computed<'_>, extra: &[&str]) -> Vec<String> {
    let question = computed.question;
    let mut argv = question.again(&question.service);
    // A flag that is given again replaces the one before.
    if let [name, value] = extra
        && let Some(at) = argv.iter().position(|word| word == name)
    {
        argv.splice(at..at + 2, [(*name).to_owned(), (*value).to_owned()]);
        return argv;
    }
    argv.extend(extra.iter().map(|word| (*word).to_owned()));
    argv
}

/// The QOS port of a finding, as its own host reaches it.
fn local_port(raised: &Raised) -> String {
    let endpoint = raised.params.get("endpoint").and_then(|one| one.as_str());
    let port = endpoint
        .and_then(|endpoint| endpoint.rsplit_once(':'))
        .map_or("22222", |(_, port)| port);
    format!("127.0.0.1:{port}/ls")
}
