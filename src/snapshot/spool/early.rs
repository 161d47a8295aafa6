//! Brings to disk what was written while more is being written, so that little is left to wait for at the end.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::sync::mpsc::{self, SyncSender};
use std::thread::JoinHandle;

/// So many bytes are brought to disk at once.
const AT_ONCE: usize = 4 << 20;

/// A thread that waits for the disk, once there is something to wait for.
#[derive(Debug, Default)]
pub(super) struct Early {
    since: usize,
    thread: Option<(SyncSender<File>, JoinHandle<io::Result<()>>)>,
}

impl Early {
    /// So many bytes more went to `out`. While the disk is at work, the next ones wait for the next time.
    pub(super) fn wrote(&mut self, out: &mut BufWriter<File>, bytes: usize) -> io::Result<()> {
        self.since += bytes;
        if self.since < AT_ONCE {
            return Ok(());
        }
        self.since = 0;
        out.flush()?;
        let (files, _) = self.thread.get_or_insert_with(|| {
            let (sender, files) = mpsc::sync_channel::<File>(0);
            let thread = std::thread::spawn(move || files.iter().try_for_each(|it| it.sync_data()));
            (sender, thread)
        });
        // Busy, or ended by an error that `finish` tells.
        let _ = files.try_send(out.get_ref().try_clone()?);
        Ok(())
    }

    /// Waits for the disk.
    ///
    /// # Errors
    /// What it did not take: the kernel says so once, and not to whoever asks later.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        let Some((files, thread)) = self.thread.take() else {
            return Ok(());
        };
        drop(files);
        match thread.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

/// Files must not be open any more when their folder is removed.
impl Drop for Early {
    fn drop(&mut self) {
        if let Some((files, thread)) = self.thread.take() {
            drop(files);
            let _ = thread.join();
        }
    }
}
