//! Writes the JavaScript side of the bindings: `gpusudoku-bindgen FILE.wasm FOLDER`.
//!
//! `wasm-bindgen-cli` does the same, and brings a web server and an HTTP client along that nobody needs here.

use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [input, folder] = &arguments[..] else {
        eprintln!("expected a file and a folder");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    bindgen
        .input_path(input)
        .out_name("gpusudoku")
        .remove_name_section(true)
        .typescript(false);
    let made = bindgen.web(true).and_then(|it| it.generate(folder));
    match made {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
