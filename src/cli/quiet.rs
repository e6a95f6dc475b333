//! Keeps Mesa's device-selection layer out of the process.
//!
//! It only reorders adapters, which this program chooses by itself, and without a desktop session it
//! complains on standard error at every start. Nothing but the environment tells it to stay away. To
//! change the own environment is unsafe, so the program starts itself once more with another one: before it
//! has read anything or started a thread, and only if it may look for adapters, as it takes some of the
//! milliseconds that a small run has.

/// Goes on in a process without the layer. Who has set the switch already, to whatever, is not disturbed.
#[cfg(target_os = "linux")]
pub fn without_device_selection() {
    use std::os::unix::process::CommandExt as _;
    use std::{env, process};

    const SWITCH: &str = "NODEVICE_SELECT";
    if env::var_os(SWITCH).is_some() {
        return;
    }
    let Ok(program) = env::current_exe() else {
        return;
    };
    let mut args = env::args_os();
    let mut command = process::Command::new(program);
    if let Some(name) = args.next() {
        command.arg0(name);
    }
    // It only returns if it fails, and then nothing is lost but silence.
    let _ = command.args(args).env(SWITCH, "1").exec();
}

/// Other systems have no such layer.
#[cfg(not(target_os = "linux"))]
pub fn without_device_selection() {}
