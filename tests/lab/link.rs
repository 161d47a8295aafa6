//! A link between `diag`, or an application, and a server: it passes bytes on, late, not at all, or no longer.

use std::{
    io::{Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::JoinHandle,
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

/// A running link. Connections that passed end with the process, and nobody new is let in once it is dropped.
#[derive(Debug)]
pub(crate) struct Link {
    fault: Arc<Mutex<Fault>>,
    ends: Arc<AtomicBool>,
    doors: Vec<(u16, JoinHandle<()>)>,
}

impl Link {
    /// Listens on these ports of the link's own host for those who want the same port of `upstream`.
    pub(crate) fn start(ports: &[u16], upstream: &str) -> anyhow::Result<Self> {
        let mut link = Self {
            fault: Arc::new(Mutex::new(Fault::None)),
            ends: Arc::default(),
            doors: Vec::new(),
        };
        for port in ports.iter().copied() {
            let listener =
                TcpListener::bind((LINK, port)).with_context(|| format!("{LINK}:{port}"))?;
            let (now, over) = (Arc::clone(&link.fault), Arc::clone(&link.ends));
            let upstream = (upstream.to_owned(), port);
            let thread = std::thread::spawn(move || serve(&listener, &upstream, &now, &over));
            link.doors.push((port, thread));
        }
        Ok(link)
    }

    /// From now on it does this, with open connections too.
    pub(crate) fn set(&self, fault: Fault) {
        *lock(&self.fault) = fault;
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Relaxed);
        for (port, thread) in self.doors.drain(..) {
            // It sleeps until somebody comes.
            if TcpStream::connect((LINK, port)).is_ok() {
                let _ = thread.join();
            }
        }
    }
}

fn serve(
    listener: &TcpListener,
    upstream: &(String, u16),
    now: &Arc<Mutex<Fault>>,
    over: &AtomicBool,
) {
    for (number, client) in (1..).zip(listener.incoming().map_while(Result::ok)) {
        if over.load(Ordering::Relaxed) {
            return;
        }
        if let Fault::Lose(each) = *lock(now)
            && u64::is_multiple_of(number, each)
        {
            continue;
        }
        let Ok(server) = TcpStream::connect(upstream) else {
            continue;
        };
        // A connection that cannot be doubled is as good as lost.
        if let (Ok(from), Ok(to)) = (client.try_clone(), server.try_clone()) {
            let (there, back) = (Arc::clone(now), Arc::clone(now));
            std::thread::spawn(move || pass(from, to, &there, false));
            std::thread::spawn(move || pass(server, client, &back, true));
        }
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
