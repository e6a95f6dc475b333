//! The command line; everything else is in the library.

mod cli;

fn main() -> std::process::ExitCode {
    quiet_device_selection();
    cli::main()
}

/// Keeps Mesa's device-selection layer out of the process. It only reorders adapters, which
/// this program chooses by itself, and without a desktop session it complains on standard error
/// at every start.
fn quiet_device_selection() {
    #[cfg(target_os = "linux")]
    // SAFETY: this is the first statement of the process; no other thread exists that could
    // read the environment.
    unsafe {
        std::env::set_var("NODEVICE_SELECT", "1");
    }
}
