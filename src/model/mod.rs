//! Dubbo's words as types. Pure: no clock, no files, no network.
