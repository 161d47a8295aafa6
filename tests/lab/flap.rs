//! Somebody who publishes texts by turns, so that a rule changes between two reads.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::JoinHandle,
    time::Duration,
};

use crate::registry::Store;

/// Publishes until it is dropped.
#[derive(Debug)]
pub(crate) struct Flap {
    ends: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Flap {
    pub(crate) fn start(store: Store, key: String, texts: Vec<String>) -> Self {
        let ends = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&ends);
        let thread = std::thread::spawn(move || {
            for text in texts.iter().cycle() {
                // A registry that is gone takes nothing, which is no fault of this.
                let _ = store.publish("dubbo", &key, text);
                std::thread::sleep(Duration::from_millis(40));
                if over.load(Ordering::Relaxed) {
                    return;
                }
            }
        });
        Self {
            ends,
            thread: Some(thread),
        }
    }
}

impl Drop for Flap {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // It has nothing to say.
            let _ = thread.join();
        }
    }
}
