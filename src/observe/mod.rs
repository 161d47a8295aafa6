//! I/O: fills a snapshot from live systems or from a recording. Read-only.
