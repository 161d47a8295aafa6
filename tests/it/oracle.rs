//! Agreement with the real Dubbo classes.
