#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    diag_fuzz::lint_rule(bytes);
});
