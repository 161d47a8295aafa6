//! How long a run may take: one end for everything, one limit for each request.
//!
//! Nothing in this room waits without asking here, so a run cannot hang.

use std::{future::Future, time::Duration};

use tokio::time::{self, Instant};

/// The end of a run and the limit of a single request.
#[derive(Debug, Clone, Copy)]
pub struct Deadline {
    end: Option<Instant>,
    request: Duration,
}

/// A limit was passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passed;

impl Deadline {
    /// A run that starts now. `total` = `None`: no end (`snapshot --all`), only requests are limited.
    pub fn starting_now(total: Option<Duration>, request: Duration) -> Self {
        Self {
            end: total.map(|total| Instant::now() + total),
            request,
        }
    }

    /// Whether the end of the run has passed.
    pub fn passed(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
    }

    /// What one request may take now: its own limit, or what is left of the run.
    pub fn request_limit(&self) -> Duration {
        match self.end {
            Some(end) => self
                .request
                .min(end.saturating_duration_since(Instant::now())),
            None => self.request,
        }
    }

    /// Waits for `future` as long as one request may take.
    pub async fn request<F: Future>(&self, future: F) -> Result<F::Output, Passed> {
        time::timeout(self.request_limit(), future)
            .await
            .map_err(|_| Passed)
    }

    /// The same deadline with another limit for a request, never a longer one.
    #[must_use]
    pub fn at_most(self, request: Duration) -> Self {
        Self {
            request: self.request.min(request),
            ..self
        }
    }

    /// Resolves at the end of the run; never when it has none.
    pub async fn end(&self) {
        match self.end {
            Some(end) => time::sleep_until(end).await,
            None => std::future::pending().await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block<F: Future>(future: F) -> F::Output {
        tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap()
            .block_on(future)
    }

    #[test]
    fn a_request_gets_its_limit_or_what_is_left() {
        block(async {
            let long = Deadline::starting_now(None, Duration::from_millis(20));
            assert_eq!(long.request_limit(), Duration::from_millis(20));
            assert_eq!(
                long.request(std::future::pending::<()>()).await,
                Err(Passed)
            );
            assert!(!long.passed());
            let short =
                Deadline::starting_now(Some(Duration::from_millis(10)), Duration::from_secs(3));
            assert!(short.request_limit() <= Duration::from_millis(10));
            short.end().await;
            assert!(short.passed());
            assert_eq!(short.request_limit(), Duration::ZERO);
            assert_eq!(
                long.at_most(Duration::from_secs(9)).request_limit(),
                Duration::from_millis(20)
            );
        });
    }
}
