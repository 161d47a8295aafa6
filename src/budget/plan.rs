//! What the timeout should be: `S = P99 + RTT + serialization`, times a factor, rounded to a number people use; and
//! what the tries of a cluster strategy make of it.

use std::fmt;

use super::{effect::Effect, time::Micros};

/// Where a P99 was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Side {
    /// At the provider: network and serialization come on top.
    #[default]
    Provider,
    /// At the consumer: network and serialization are in it already.
    Consumer,
}

/// What one try needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Need {
    /// The 99th percentile.
    pub p99: Micros,
    /// Where it was measured.
    pub side: Side,
    /// Round-trip time.
    pub rtt: Micros,
    /// Serialization, and transfer of a large message.
    pub serialization: Micros,
}

impl Need {
    /// `S`: what 99 of 100 calls need.
    pub fn total(&self) -> Micros {
        match self.side {
            Side::Provider => self.p99.plus(self.rtt).plus(self.serialization),
            Side::Consumer => self.p99,
        }
    }

    /// The share of the network in it, from 0 to 1: the given round trip, whoever measured.
    pub fn network_share(&self) -> f64 {
        let total = self.total().millis();
        if total <= 0.0 {
            0.0
        } else {
            (self.rtt.millis() / total).min(1.0)
        }
    }
}

/// A factor in thousandths: 1500 is 1.5.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Factor(pub u32);

impl Factor {
    /// So many times, exactly to the microsecond, rounded up.
    pub fn of(self, time: Micros) -> Micros {
        let product = (u128::from(time.0) * u128::from(self.0)).div_ceil(1000);
        Micros(u64::try_from(product).unwrap_or(u64::MAX))
    }
}

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Microseconds print as thousandths.
        Micros(u64::from(self.0)).fmt(f)
    }
}

/// Lower and upper factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Factors {
    /// For the tight budget.
    pub lower: Factor,
    /// For the comfortable one.
    pub upper: Factor,
}

impl Default for Factors {
    fn default() -> Self {
        Self {
            lower: Factor(1500),
            upper: Factor(2000),
        }
    }
}

impl Factors {
    /// Reads `1.5-2` or `2`.
    ///
    /// # Errors
    /// What was expected.
    pub fn parse(text: &str) -> Result<Self, String> {
        let expected = || format!("`{text}`: expected factors between 1 and 100, such as 1.5-2");
        let one = |text: &str| {
            // a factor has the digits of a time in milliseconds
            let value = Micros::parse(&format!("{}ms", text.trim())).ok()?.0;
            let value = u32::try_from(value).ok()?;
            (1000..=100_000).contains(&value).then_some(Factor(value))
        };
        let (lower, upper) = text.split_once('-').unwrap_or((text, text));
        match (one(lower), one(upper)) {
            (Some(lower), Some(upper)) if lower <= upper => Ok(Self { lower, upper }),
            _ => Err(expected()),
        }
    }
}

/// The steps to which a budget is rounded up, in halves: 1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 10.
const STEPS: [u64; 11] = [2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 20];

/// Rounded up to {1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 10} x 10^k whole milliseconds.
pub fn rounded(time: Micros) -> Micros {
    let mut scale: u64 = 500;
    loop {
        for step in STEPS {
            let value = step.saturating_mul(scale);
            if value >= time.0 && value % 1000 == 0 {
                return Micros(value);
            }
        }
        match scale.checked_mul(10) {
            Some(next) if next < u64::MAX / 100 => scale = next,
            _ => return time,
        }
    }
}

/// The budget of one try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// `S`.
    pub need: Micros,
    /// `S` times the lower factor.
    pub lower: Micros,
    /// `S` times the upper factor.
    pub upper: Micros,
    /// The lower one, rounded up.
    pub tight: Micros,
    /// The upper one, rounded up.
    pub comfortable: Micros,
}

/// The budget for a need.
pub fn budget(need: Micros, factors: Factors) -> Budget {
    let (lower, upper) = (factors.lower.of(need), factors.upper.of(need));
    Budget {
        need,
        lower,
        upper,
        tight: rounded(lower),
        comfortable: rounded(upper),
    }
}

/// The cluster strategies of Dubbo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cluster {
    /// Tries again.
    Failover,
    /// Once.
    Failfast,
    /// Once; an error is swallowed.
    Failsafe,
    /// Once, then in the background every five seconds.
    Failback,
    /// Several at once.
    Forking,
    /// All.
    Broadcast,
    /// Once, the first that is connected.
    Available,
    /// The first available group, or one of each.
    Mergeable,
    /// Another one, or own code.
    Other(String),
}

impl Cluster {
    /// By its name; nothing is `failover`.
    pub fn named(name: Option<&str>) -> Self {
        match name.unwrap_or("failover") {
            "" | "failover" => Self::Failover,
            "failfast" => Self::Failfast,
            "failsafe" => Self::Failsafe,
            "failback" => Self::Failback,
            "forking" => Self::Forking,
            "broadcast" | "broadcast2" => Self::Broadcast,
            "available" => Self::Available,
            "mergeable" => Self::Mergeable,
            other => Self::Other(other.to_owned()),
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Self::Failover => "failover",
            Self::Failfast => "failfast",
            Self::Failsafe => "failsafe",
            Self::Failback => "failback",
            Self::Forking => "forking",
            Self::Broadcast => "broadcast",
            Self::Available => "available",
            Self::Mergeable => "mergeable",
            Self::Other(name) => name,
        }
    }

    /// Whether `retries` makes the caller wait for further tries.
    pub fn retries(&self) -> bool {
        matches!(self, Self::Failover)
    }
}

/// What one failing call costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tries {
    /// One after the other, while the caller waits.
    pub in_turn: u64,
    /// At the same time in each turn; `None` = every address.
    pub at_once: Option<u64>,
    /// Later, in the background, five seconds apart.
    pub later: u64,
}

/// Seconds between the tries of `failback`.
pub const FAILBACK_PERIOD: Micros = Micros::from_millis(5000);
/// Tries of `failback` in the background unless `retries` is set (2.7 on).
pub const FAILBACK_RETRIES: i32 = 3;
/// `forks` unless set.
pub const DEFAULT_FORKS: i32 = 2;

/// The tries of a strategy: `tries` as failover counts them, the plain `retries` if set, `forks` if set, and the number
/// of addresses if known.
pub fn tries(
    cluster: &Cluster,
    tries: i32,
    retries: Option<i32>,
    forks: Option<i32>,
    addresses: Option<u64>,
) -> Tries {
    let whole = |value: i32| u64::try_from(value).unwrap_or(0);
    let once = Tries {
        in_turn: 1,
        at_once: Some(1),
        later: 0,
    };
    match cluster {
        // What own code does with `retries` is not known: the worst case is that of failover.
        Cluster::Failover | Cluster::Other(_) => Tries {
            in_turn: whole(tries).max(1),
            ..once
        },
        Cluster::Failfast | Cluster::Failsafe | Cluster::Available | Cluster::Mergeable => once,
        Cluster::Failback => Tries {
            later: whole(retries.unwrap_or(FAILBACK_RETRIES)),
            ..once
        },
        Cluster::Forking => {
            let forks = forks.unwrap_or(DEFAULT_FORKS);
            let all = forks <= 0 || addresses.is_some_and(|count| whole(forks) >= count);
            Tries {
                at_once: if all { addresses } else { Some(whole(forks)) },
                ..once
            }
        }
        Cluster::Broadcast => Tries {
            at_once: addresses,
            in_turn: addresses.unwrap_or(1).max(1),
            ..once
        },
    }
}

/// Longest time that a caller waits for all tries.
pub fn worst(tries: &Tries, timeout: Micros) -> Micros {
    timeout.times(tries.in_turn)
}

/// How many tries a call makes on average when each fails with this probability: `1 + p + p^2 ..`.
pub fn expected_tries(failing: f64, tries: u64) -> f64 {
    let failing = failing.clamp(0.0, 1.0);
    let (mut sum, mut power) = (0.0, 1.0);
    for _ in 0..tries.min(1000) {
        sum += power;
        power *= failing;
    }
    sum
}

/// The retries that a method should have: none for a write, at most one for a read; of what is neither for sure only
/// that it should stay at none where it is.
pub fn advised_retries(effect: Effect, retries: i32) -> Option<i32> {
    match effect {
        Effect::Writes => Some(0),
        Effect::Reads => Some(retries.clamp(0, 1)),
        Effect::Unknown => (retries <= 0).then_some(0),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const fn ms(millis: u64) -> Micros {
        Micros::from_millis(millis)
    }

    #[test]
    fn the_reference_example() {
        let need = Need {
            p99: ms(450),
            rtt: ms(5),
            ..Need::default()
        };
        let budget = budget(need.total(), Factors::default());
        assert_eq!(budget.need, ms(455));
        assert_eq!((budget.lower, budget.upper), (Micros(682_500), ms(910)));
        assert_eq!((budget.tight, budget.comfortable), (ms(700), ms(1000)));
    }

    #[test]
    fn the_ladder() {
        for (from, to) in [
            (0, 1),
            (1, 1),
            (2, 2),
            (9, 10),
            (10, 10),
            (11, 15),
            (15, 15),
            (16, 20),
            (21, 25),
            (26, 30),
            (31, 40),
            (81, 100),
            (101, 150),
            (151, 200),
            (901, 1000),
            (3001, 4000),
        ] {
            assert_eq!(rounded(ms(from)), ms(to), "{from}");
        }
        assert_eq!(
            rounded(Micros(1_200)),
            ms(2),
            "1.5 ms is no whole millisecond"
        );
    }

    #[test]
    fn tries_by_strategy() {
        let of = |name, forks| tries(&Cluster::named(Some(name)), 3, None, forks, Some(5));
        assert_eq!(
            (of("failover", None).in_turn, of("failfast", None).in_turn),
            (3, 1)
        );
        assert_eq!(
            (of("failsafe", None).in_turn, of("available", None).in_turn),
            (1, 1)
        );
        assert_eq!(of("failback", None).later, 3);
        assert_eq!(of("forking", None).at_once, Some(2));
        assert_eq!(of("forking", Some(0)).at_once, Some(5));
        assert_eq!(of("broadcast", None).at_once, Some(5));
        assert_eq!(worst(&of("failover", None), ms(1000)), ms(3000));
    }

    #[test]
    fn writes_get_no_retries() {
        for (effect, retries, advised) in [
            (Effect::Writes, 2, Some(0)),
            (Effect::Reads, 2, Some(1)),
            (Effect::Reads, 0, Some(0)),
            (Effect::Reads, -1, Some(0)),
            (Effect::Unknown, 2, None),
            (Effect::Unknown, 0, Some(0)),
        ] {
            assert_eq!(advised_retries(effect, retries), advised, "{effect:?}");
        }
    }

    #[test]
    fn expected_tries_lie_between_one_and_all() {
        assert!((expected_tries(0.0, 3) - 1.0).abs() < 1e-9);
        assert!((expected_tries(1.0, 3) - 3.0).abs() < 1e-9);
        assert!((expected_tries(0.5, 3) - 1.75).abs() < 1e-9);
    }

    #[test]
    fn factors_are_read() {
        assert_eq!(Factors::parse("1.5-2"), Ok(Factors::default()));
        assert_eq!(Factors::parse("2").map(|f| f.lower), Ok(Factor(2000)));
        assert_eq!(Factor(1500).to_string(), "1.5");
        for text in ["", "0.5", "2-1.5", "-1", "inf", "1-2-3", "NaN"] {
            assert!(Factors::parse(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_budget_grows_with_everything(p99 in 0_u64..10_000_000, rtt in 0_u64..1_000_000, rest in 0_u64..1_000_000, more in 0_u64..1_000_000, lower in 1000_u32..4000, wider in 0_u32..4000) {
            let need = |p99, rtt, rest| Need { p99: Micros(p99), rtt: Micros(rtt), serialization: Micros(rest), side: Side::Provider }.total();
            let factors = Factors { lower: Factor(lower), upper: Factor(lower + wider) };
            let base = budget(need(p99, rtt, rest), factors);
            for bigger in [need(p99 + more, rtt, rest), need(p99, rtt + more, rest), need(p99, rtt, rest + more)] {
                let other = budget(bigger, factors);
                prop_assert!(other.tight >= base.tight && other.comfortable >= base.comfortable);
            }
            let steeper = Factors { lower: Factor(lower + 100), upper: Factor(lower + wider + 100) };
            let other = budget(need(p99, rtt, rest), steeper);
            prop_assert!(other.lower >= base.lower && other.comfortable >= base.comfortable);
            prop_assert!(base.need <= base.lower && base.lower <= base.tight && base.upper <= base.comfortable);
            prop_assert!(base.tight <= base.comfortable);
        }
    }
}
