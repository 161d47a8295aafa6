//! A chain of calls: what retries of each link multiply to, and where an inner worst case outlasts an outer timeout.

use super::{
    effective::{self, DEFAULT_RETRIES},
    plan::{self, Budget, Cluster, Factors, budget},
    time::Micros,
};
use crate::model::url::parse_int;

/// One call of the chain: how the one before it calls this service.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Link {
    /// The service that is called.
    pub name: String,
    /// `retries` of the call; none = Dubbo's default.
    pub retries: Option<i32>,
    /// `timeout` of one try.
    pub timeout: Option<Micros>,
    /// Its own 99th percentile.
    pub p99: Option<Micros>,
    /// The call starts a countdown (`enable-timeout-countdown`).
    pub countdown: bool,
    /// What was used up before the call.
    pub spent: Option<Micros>,
    /// Cluster strategy; none = `failover`.
    pub cluster: Option<String>,
}

impl Link {
    /// Tries one after the other, and calls at the same time in each.
    fn calls(&self) -> (u64, u64) {
        let cluster = Cluster::named(self.cluster.as_deref());
        let tries = effective::tries_of(self.retries.unwrap_or(DEFAULT_RETRIES));
        let found = plan::tries(&cluster, tries, self.retries, None, None);
        (found.in_turn, found.at_once.unwrap_or(1))
    }
}

/// Most links that make sense.
const LONGEST: usize = 50;

/// Reads `gateway:retries=1,user:retries=2:timeout=300ms:p99=80ms:countdown=true:spent=800ms`. A bare number of a time
/// is milliseconds, as Dubbo has it.
///
/// # Errors
/// Which link and what was expected.
pub fn parse(text: &str) -> Result<Vec<Link>, String> {
    let links = text
        .split(',')
        .map(link)
        .collect::<Result<Vec<Link>, String>>()?;
    if links.len() > LONGEST {
        return Err(format!(
            "{} links: at most {LONGEST} are looked at",
            links.len()
        ));
    }
    Ok(links)
}

fn link(text: &str) -> Result<Link, String> {
    let mut parts = text.trim().split(':');
    let name = parts.next().unwrap_or_default().trim();
    if name.is_empty() || name.contains('=') {
        return Err(format!(
            "`{text}`: a link begins with a name, such as user:retries=2"
        ));
    }
    let mut link = Link {
        name: name.to_owned(),
        ..Link::default()
    };
    for part in parts {
        let (key, value) = part
            .split_once('=')
            .ok_or_else(|| format!("`{part}` of {name}: expected K=V"))?;
        let time = || time(value).map_err(|error| format!("{key} of {name}: {error}"));
        let longer_than_nothing = || match time()? {
            Micros(0) => Err(format!(
                "{key} of {name}: `{value}` must be longer than nothing"
            )),
            time => Ok(time),
        };
        match key.trim() {
            "retries" => {
                let retries = parse_int(value).ok_or_else(|| {
                    format!("retries of {name}: `{value}` is no whole number below 2147483648")
                })?;
                link.retries = Some(retries);
            }
            "timeout" => link.timeout = Some(longer_than_nothing()?),
            "p99" => link.p99 = Some(longer_than_nothing()?),
            "spent" => link.spent = Some(time()?),
            "cluster" => {
                if matches!(Cluster::named(Some(value)), Cluster::Other(_)) {
                    return Err(format!(
                        "cluster of {name}: `{value}` is no strategy of Dubbo: failover, failfast, failsafe, failback, \
                         forking, broadcast, available or mergeable"
                    ));
                }
                link.cluster = Some(value.to_owned());
            }
            "countdown" => {
                link.countdown = match value {
                    "true" => true,
                    "false" => false,
                    _ => return Err(format!("countdown of {name}: expected true or false")),
                }
            }
            other => {
                return Err(format!(
                    "`{other}` of {name}: known are retries, timeout, p99, countdown, spent, cluster"
                ));
            }
        }
    }
    Ok(link)
}

fn time(value: &str) -> Result<Micros, String> {
    // A bare number is read as milliseconds, within the same bounds.
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        return Micros::parse(&format!("{value}ms"));
    }
    Micros::parse(value)
}

/// What one link comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hop {
    /// Tries of this call.
    pub tries: u64,
    /// Nothing was said of its retries, though its strategy has some: the tries are those of Dubbo's default.
    pub by_default: bool,
    /// Calls that reach this service for one call at the front, when everything fails.
    pub reached_by: u64,
    /// Tries times timeout, when the timeout is known.
    pub worst: Option<Micros>,
    /// The worst case of the next link is longer than one try of this one: by how much.
    pub outlasted_by: Option<Micros>,
}

/// The hops of a chain, front first.
pub fn hops(links: &[Link]) -> Vec<Hop> {
    let mut reached: u64 = 1;
    let worst = |link: &Link| link.timeout.map(|timeout| timeout.times(link.calls().0));
    links
        .iter()
        .enumerate()
        .map(|(at, link)| {
            let (tries, at_once) = link.calls();
            reached = reached.saturating_mul(tries).saturating_mul(at_once);
            let inner = links.get(at + 1).and_then(worst);
            let outlasted = link
                .timeout
                .zip(inner)
                .and_then(|(own, inner)| inner.0.checked_sub(own.0))
                .filter(|over| *over > 0);
            Hop {
                tries,
                by_default: link.retries.is_none()
                    && Cluster::named(link.cluster.as_deref()).retries(),
                reached_by: reached,
                worst: worst(link),
                outlasted_by: outlasted.map(Micros),
            }
        })
        .collect()
}

/// What the first caller should wait: the first link's own time, and the worst case of the calls behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrontNeed {
    /// The first service's P99.
    pub p99: Micros,
    /// Round trip to it.
    pub rtt: Micros,
    /// Worst case of the next link, when it has a timeout.
    pub inner: Micros,
    /// When every P99 is known: all of them with a round trip each, nothing failing.
    pub usual: Option<Micros>,
    /// Their sum (`p99 + rtt + inner`) by factor 1: nothing in it is a percentile that could grow.
    pub budget: Budget,
}

/// The need of the first caller; `None` unless the first link has a P99.
pub fn front_need(links: &[Link], rtt: Micros, factors: Factors) -> Option<FrontNeed> {
    let first = links.first()?;
    let p99 = first.p99?;
    let inner = hops(links)
        .get(1)
        .and_then(|hop| hop.worst)
        .unwrap_or_default();
    let usual = links
        .iter()
        .try_fold(Micros(0), |sum, link| Some(sum.plus(link.p99?).plus(rtt)));
    Some(FrontNeed {
        p99,
        rtt,
        inner,
        usual,
        budget: budget(p99.plus(rtt).plus(inner), factors),
    })
}

/// What a countdown leaves for the second call, and what it gets without.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Countdown {
    /// The call that starts the countdown.
    pub from: String,
    /// The call that gets what is left.
    pub to: String,
    /// What is left when it runs in the same thread.
    pub same_thread: Micros,
    /// What is configured: in force when it runs in another thread, where the countdown is not known.
    pub other_thread: Option<Micros>,
    /// How long the second call may outlast the first one's caller, in another thread.
    pub outlives_by: Option<Micros>,
}

/// The countdowns of a chain: each link with `countdown` and a timeout, and the link behind it. `spent` of the second
/// one is what was used up before it.
pub fn countdowns(links: &[Link]) -> Vec<Countdown> {
    links
        .windows(2)
        .filter(|pair| pair[0].countdown)
        .filter_map(|pair| {
            let (outer, inner) = (&pair[0], &pair[1]);
            let spent = inner.spent.unwrap_or_default();
            let left = Micros(outer.timeout?.0.saturating_sub(spent.0));
            let outlives = inner
                .timeout
                .and_then(|timeout| timeout.0.checked_sub(left.0))
                .filter(|over| *over > 0);
            Some(Countdown {
                from: outer.name.clone(),
                to: inner.name.clone(),
                same_thread: left,
                other_thread: inner.timeout,
                outlives_by: outlives.map(Micros),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const fn ms(millis: u64) -> Micros {
        Micros::from_millis(millis)
    }

    #[test]
    fn a_chain_from_the_reports() {
        let links = parse(
            "B:p99=80ms:retries=0,C:p99=120ms:retries=2:timeout=300ms,D:p99=40ms:retries=1:timeout=100ms",
        )
        .unwrap();
        let hops = hops(&links);
        assert_eq!(
            hops.iter().map(|hop| hop.worst).collect::<Vec<_>>(),
            [None, Some(ms(900)), Some(ms(200))]
        );
        assert_eq!(
            hops.iter().map(|hop| hop.reached_by).collect::<Vec<_>>(),
            [1, 3, 6]
        );
        let need = front_need(&links, ms(2), Factors::default()).unwrap();
        assert_eq!((need.inner, need.budget.need), (ms(900), ms(982)));
        assert_eq!(need.usual, Some(ms(80 + 120 + 40 + 6)));
    }

    #[test]
    fn a_countdown_in_the_same_thread_and_in_another() {
        let links = parse("A:timeout=3000:countdown=true,B:timeout=6000:spent=800").unwrap();
        let found = countdowns(&links);
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].same_thread, found[0].other_thread),
            (ms(2200), Some(ms(6000)))
        );
        assert_eq!(found[0].outlives_by, Some(ms(3800)));
        // Failover with its default of two retries: 3 x 6000 ms behind 3000 ms.
        assert_eq!(hops(&links)[0].outlasted_by, Some(ms(15_000)));
    }

    /// As `FailoverClusterInvoker.calculateInvokeTimes` counts them.
    #[test]
    fn tries_of_a_link_are_those_of_dubbo() {
        for (text, tries, by_default) in [
            ("a", 3, true),
            ("a:cluster=failover", 3, true),
            ("a:cluster=failfast", 1, false),
            ("a:retries=0", 1, false),
            ("a:retries=2", 3, false),
            ("a:retries=-1", 1, false),
            // One more than the largest `int` is the smallest.
            ("a:retries=2147483647", 1, false),
        ] {
            let hop = hops(&parse(text).unwrap()).remove(0);
            assert_eq!((hop.tries, hop.by_default), (tries, by_default), "{text}");
        }
        assert!(parse("a:retries=2147483648").is_err());
    }

    #[test]
    fn the_strategy_decides_the_calls() {
        let links = parse("a:retries=2:cluster=failfast,b:cluster=forking,c:retries=1").unwrap();
        let reached: Vec<u64> = hops(&links).iter().map(|hop| hop.reached_by).collect();
        assert_eq!(reached, [1, 2, 4]);
    }

    #[test]
    fn nonsense_names_the_link() {
        for (text, word) in [
            ("", "begins with a name"),
            ("a:retries=x", "retries of a"),
            ("a:b", "K=V"),
            ("a:p99=-1ms", "p99 of a"),
            ("a:colour=red", "known are"),
            ("a,,b", "begins with a name"),
        ] {
            assert!(parse(text).unwrap_err().contains(word), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[a-z0-9:=,.-]{0,60}") {
            if let Ok(links) = parse(&text) {
                let _ = (hops(&links), countdowns(&links), front_need(&links, ms(1), Factors::default()));
            }
        }
    }
}
