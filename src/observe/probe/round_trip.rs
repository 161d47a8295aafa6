//! Round trips to providers without asking them anything: a TCP connection takes one, and the kernel answers it.
//!
//! A handful of connections for each address, one after the other. A port that refuses is no provider, and what is not
//! answered is counted as lost.

use std::{net::SocketAddr, time::Duration};

use tokio::{net::TcpStream, time::sleep};

use super::{beats::Stopwatch, tcp};
use crate::{observe::Deadline, snapshot::Payload};

/// Connections for each address.
pub const TRIES: usize = 10;
/// Time between two connections to one address.
const PAUSE: Duration = Duration::from_millis(20);
/// Longest wait for one connection.
const LIMIT: Duration = Duration::from_secs(1);
/// After so many without an answer in a row nothing more is expected.
const SILENT: u64 = 3;

/// Name of this kind of round trip in a recording.
pub const KIND: &str = crate::model::probe::CONNECT;

/// Tries one address.
pub(super) async fn round_trips(socket: SocketAddr, deadline: &Deadline) -> Payload {
    let deadline = deadline.at_most(LIMIT);
    let (mut samples, mut lost, mut silent) = (Vec::new(), 0_u64, 0);
    for turn in 0..TRIES {
        if turn > 0 {
            sleep(PAUSE).await;
        }
        if deadline.passed() || silent == SILENT {
            break;
        }
        let watch = Stopwatch::start();
        match deadline.request(TcpStream::connect(socket)).await {
            Ok(Ok(_)) => {
                samples.push(watch.micros());
                silent = 0;
            }
            // Somebody answered: that the port is closed.
            Ok(Err(error)) => return tcp::io_failure(&error).payload(),
            Err(_) => {
                lost += 1;
                silent += 1;
            }
        }
    }
    let fields = [
        ("samples_us".to_owned(), samples.into()),
        ("lost".to_owned(), lost.into()),
    ];
    Payload::Fields(fields.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::ErrKind;

    fn tried(address: SocketAddr, total: Duration) -> Payload {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap()
            .block_on(async {
                let deadline = Deadline::starting_now(Some(total), Duration::from_secs(1));
                round_trips(address, &deadline).await
            })
    }

    fn samples(payload: &Payload) -> usize {
        let Payload::Fields(fields) = payload else {
            panic!("{payload:?}");
        };
        fields["samples_us"].as_array().unwrap().len()
    }

    #[test]
    fn connections_are_counted_and_refusals_are_told() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let told = tried(address, Duration::from_secs(5));
        assert_eq!(samples(&told), TRIES);
        drop(listener);
        let refused = tried(address, Duration::from_secs(5));
        assert_eq!(refused.err_kind(), Some(&ErrKind::Refused));
    }

    #[test]
    fn it_ends_with_the_run() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let told = tried(address, Duration::from_millis(50));
        assert!(samples(&told) < TRIES, "{told:?}");
    }
}
