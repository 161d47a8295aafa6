//! What to do about a finding of a budget: words. What changes a setting is marked.

use crate::{diagnose::Remedy, diagnose::code::Code, report::words::Say};

/// The steps for a code.
pub(super) fn steps(code: Code) -> Vec<Remedy> {
    let Some((say, changes)) = step(code) else {
        return Vec::new();
    };
    vec![Remedy {
        text: say.into(),
        argv: Vec::new(),
        changes,
    }]
}

/// What to do, and whether that changes something.
fn step(code: Code) -> Option<(Say, bool)> {
    Some(match code {
        Code::TimeoutTooSmall | Code::TimeoutTight => (Say::DoLengthenTimeout, true),
        Code::TimeoutTooLarge => (Say::DoShortenTimeout, true),
        Code::RetriesOnWrite => (Say::DoNotRetryWrite, true),
        Code::TotalOverUpstream => (Say::DoFitUpstream, true),
        Code::ProviderOutlivesConsumer => (Say::DoAlignProviderLimit, true),
        Code::TimeoutNotANumber => (Say::DoWriteMillis, true),
        Code::SettingOverridden => (Say::DoRemoveLoser, true),
        Code::RetryAmplification => (Say::DoRetryOnce, true),
        Code::P99Weak => (Say::DoMeasureMore, false),
        Code::RttDominates => (Say::DoStayInZone, true),
        Code::ConcurrencyLimit => (Say::DoRaiseLimit, true),
        Code::ClientStall => (Say::DoLookAtConsumer, false),
        Code::ServerQueue => (Say::DoLookAtProvider, false),
        Code::RetriesWithoutEffect => (Say::DoSetAtConsumer, true),
        Code::ParallelAmplification => (Say::DoChooseCluster, true),
        Code::QueueOutlivesTimeout => (Say::DoShortenQueue, true),
        Code::LinkUnstable => (Say::DoLookAtLink, false),
        Code::CountdownReplaces => (Say::DoKnowCountdown, false),
        Code::ObservedContradicts => (Say::DoFindLevel, false),
        Code::LimitNotActive => (Say::DoActivateLimit, true),
        Code::RequestLost => (Say::DoFollowRequest, false),
        Code::HiddenRetry => (Say::DoSeeFirstTry, false),
        Code::PoolExhausted => (Say::DoFreePool, false),
        Code::PayloadTooLarge => (Say::DoShrinkPayload, true),
        Code::RegistryUnreachable | Code::RegistryDegraded => (Say::DoRunOnConsumer, false),
        Code::RegistryAuthRefused => (Say::DoGrantRights, true),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::code::Family;

    #[test]
    fn every_code_of_timeouts_has_a_step() {
        let without: Vec<String> = Code::ALL
            .iter()
            .filter(|code| code.family() == Family::Timeout && steps(**code).is_empty())
            .map(ToString::to_string)
            .collect();
        assert!(without.is_empty(), "{without:?}");
    }
}
