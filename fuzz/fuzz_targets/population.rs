#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gpusudoku_fuzz::targets::population(data));
