//! A real ZooKeeper: live equals recorded, failures, reads only.
