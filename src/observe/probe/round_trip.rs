//! Round trips to providers without asking them anything: a TCP connection takes one, and the kernel answers it.
//!
//! A handful of connections for each address, one after the other, a few addresses at a time. A port that refuses is no
//! provider, and what is not answered is counted as lost.

use std::time::{Duration, Instant};

use tokio::{
    net::{TcpStream, lookup_host},
    time::sleep,
};

use super::tcp::is_address;
use crate::{
    observe::Deadline,
    snapshot::{Key, Line, Payload},
};

/// Connections for each address.
pub const TRIES: usize = 10;
/// Addresses that are tried at most.
pub const MOST: usize = 50;
/// Time between two connections to one address.
const PAUSE: Duration = Duration::from_millis(20);
/// Longest wait for one connection.
const LIMIT: Duration = Duration::from_secs(1);
/// After so many without an answer in a row nothing more is expected.
const SILENT: u64 = 3;

/// Name of this kind of round trip in a recording.
pub const KIND: &str = "tcp-connect";

/// Tries one address. `None`: it is no address, its name is not known, or the port refuses.
pub async fn round_trips(address: &str, deadline: &Deadline) -> Option<Line> {
    if !is_address(address) {
        return None;
    }
    let deadline = deadline.at_most(LIMIT);
    let found = deadline.request(lookup_host(address)).await.ok()?.ok()?;
    let socket = { found }.next()?;
    let (mut samples, mut lost, mut silent) = (Vec::new(), 0_u64, 0);
    let mut from = None;
    for turn in 0..TRIES {
        if turn > 0 {
            sleep(PAUSE).await;
        }
        if deadline.passed() || silent == SILENT {
            break;
        }
        #[expect(
            clippy::disallowed_methods,
            reason = "the time of a round trip is what is measured"
        )]
        let began = Instant::now();
        match deadline.request(TcpStream::connect(socket)).await {
            Ok(Ok(stream)) => {
                let took = began.elapsed();
                samples.push(u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
                silent = 0;
                from = stream.local_addr().ok().map(|local| local.ip().to_string());
            }
            // Somebody answered: that the port is closed.
            Ok(Err(_)) => return None,
            Err(_) => {
                lost += 1;
                silent += 1;
            }
        }
    }
    let key = Key::Probe {
        kind: KIND.to_owned(),
        address: address.to_owned(),
    };
    let fields = [
        ("samples_us".to_owned(), samples.into()),
        ("lost".to_owned(), lost.into()),
    ];
    let mut line = Line::new(key, Payload::Fields(fields.into_iter().collect()));
    if let Some(from) = from {
        line = line.with("from", from);
    }
    Some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(address: &str, total: Duration) -> Option<Line> {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap()
            .block_on(async {
                let deadline = Deadline::starting_now(Some(total), Duration::from_secs(1));
                round_trips(address, &deadline).await
            })
    }

    #[test]
    fn connections_are_counted_and_refusals_are_none() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let line = tried(&address, Duration::from_secs(5)).unwrap();
        let samples = line.field("samples_us").unwrap().as_array().unwrap();
        assert_eq!(samples.len(), TRIES);
        assert_eq!(line.field("lost"), Some(&0.into()));
        assert_eq!(line.field("from"), Some(&"127.0.0.1".into()));
        drop(listener);
        assert_eq!(tried(&address, Duration::from_secs(5)), None);
        assert_eq!(tried("nowhere", Duration::from_secs(5)), None);
    }

    #[test]
    fn it_ends_with_the_run() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let line = tried(&address, Duration::from_millis(50)).unwrap();
        let samples = line.field("samples_us").unwrap().as_array().unwrap();
        assert!(samples.len() < TRIES, "{samples:?}");
    }
}
