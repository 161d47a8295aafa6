//! A link between `diag`, or an application, and a server: it passes bytes on, late, not at all, or no longer.

use std::{
    io::{Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use anyhow::Context;
use serde::Deserialize;

use crate::network::LINK;

/// What a link does with what passes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum Fault {
    /// Passes everything on.
    None,
    /// Each piece waits so many milliseconds.
    Delay(u64),
    /// Loses every n-th connection right after it was made.
    Lose(u64),
    /// Cuts a connection after so many bytes of answers.
    CutAfter(u64),
    /// Takes connections and says nothing.
    Silence,
}

/// A running link. It ends with the process.
#[derive(Debug)]
pub(crate) struct Link {
    fault: Arc<Mutex<Fault>>,
}

impl Link {
    /// Listens on `port` of the link's own host for those who want `upstream`.
    pub(crate) fn start(port: u16, upstream: &str) -> anyhow::Result<Self> {
        let listener = TcpListener::bind((LINK, port)).with_context(|| format!("{LINK}:{port}"))?;
        let fault = Arc::new(Mutex::new(Fault::None));
        let (now, upstream) = (Arc::clone(&fault), upstream.to_owned());
        std::thread::spawn(move || {
            let made = AtomicU64::new(0);
            for client in listener.incoming().map_while(Result::ok) {
                let number = made.fetch_add(1, Ordering::Relaxed) + 1;
                if let Fault::Lose(each) = *lock(&now)
                    && number.is_multiple_of(each)
                {
                    continue;
                }
                let Ok(server) = TcpStream::connect(&upstream) else {
                    continue;
                };
                // A connection that cannot be doubled is as good as lost.
                if let (Ok(from), Ok(to)) = (client.try_clone(), server.try_clone()) {
                    let (there, back) = (Arc::clone(&now), Arc::clone(&now));
                    std::thread::spawn(move || pass(from, to, &there, false));
                    std::thread::spawn(move || pass(server, client, &back, true));
                }
            }
        });
        Ok(Self { fault })
    }

    /// From now on it does this, with open connections too.
    pub(crate) fn set(&self, fault: Fault) {
        *lock(&self.fault) = fault;
    }
}

fn lock(fault: &Mutex<Fault>) -> MutexGuard<'_, Fault> {
    fault.lock().unwrap_or_else(PoisonError::into_inner)
}

fn pass(mut from: TcpStream, mut to: TcpStream, fault: &Mutex<Fault>, answers: bool) {
    let mut chunk = [0; 4096];
    let mut passed = 0;
    while let Ok(n @ 1..) = from.read(&mut chunk) {
        let now = *lock(fault);
        passed += n as u64;
        match now {
            Fault::Silence => continue,
            Fault::Delay(ms) => std::thread::sleep(Duration::from_millis(ms)),
            Fault::CutAfter(bytes) if answers && passed > bytes => break,
            Fault::None | Fault::Lose(_) | Fault::CutAfter(_) => {}
        }
        if to.write_all(&chunk[..n]).is_err() {
            break;
        }
    }
    // Either side may be gone already.
    let _ = to.shutdown(Shutdown::Both);
    let _ = from.shutdown(Shutdown::Both);
}
