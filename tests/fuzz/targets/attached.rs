#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    diag_fuzz::read_attached(bytes);
});
