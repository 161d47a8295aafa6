#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    diag_fuzz::probe_answer(bytes);
});
