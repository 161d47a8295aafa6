#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    diag_fuzz::qos_answer(bytes);
});
