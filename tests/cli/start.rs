//! What the program is before it does anything: what it imports, and how it comes into being.
#![cfg(target_os = "linux")]

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::propagation::IMPOSSIBLE;
use super::support::*;

/// The names that a 64-bit program takes from its libraries (ELF: the section of dynamic symbols has type
/// 11, and its link is the section of their names).
fn imports(program: &[u8]) -> BTreeSet<String> {
    let number = |at: usize, bytes: usize| -> usize {
        let bytes = program[at..at + bytes].iter().rev();
        bytes.fold(0, |number, &byte| number << 8 | usize::from(byte))
    };
    assert_eq!(&program[..6], b"\x7fELF\x02\x01", "64 bits, little-endian");
    let (table, size, sections) = (number(40, 8), number(58, 2), number(60, 2));
    let section = |at: usize| {
        let header = table + at * size;
        let (offset, length) = (number(header + 24, 8), number(header + 32, 8));
        (
            number(header + 4, 4),
            offset,
            length,
            number(header + 40, 4),
        )
    };
    let mut names = BTreeSet::new();
    for (_, offset, length, link) in (0..sections).map(section).filter(|it| it.0 == 11) {
        let (_, texts, _, _) = section(link);
        for symbol in (offset..offset + length).step_by(24) {
            let name = &program[texts + number(symbol, 4)..];
            let end = name.iter().position(|&byte| byte == 0).unwrap();
            names.insert(String::from_utf8(name[..end].to_vec()).unwrap());
        }
    }
    names
}

/// Without these nothing can be sent anywhere. What a graphics driver does in its own right is not seen here.
#[test]
fn no_connection_can_be_opened() {
    let program = std::fs::read(env!("CARGO_BIN_EXE_gpusudoku")).unwrap();
    let imports = imports(&program);
    assert!(imports.contains("write"), "not even that: {imports:?}");
    for name in [
        "socket",
        "connect",
        "bind",
        "listen",
        "getaddrinfo",
        "sendto",
        "recvfrom",
    ] {
        assert!(!imports.contains(name), "{name} is imported");
    }
}

/// The program as users start it who know nothing of Mesa's layers.
fn plain() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gpusudoku"));
    command.env_remove("NODEVICE_SELECT");
    command.env_remove("XDG_RUNTIME_DIR");
    command
}

#[test]
fn a_second_start_changes_nothing_for_the_caller() {
    let puzzle = known_as("easy-1").puzzle;
    let looks = ["--algo", "lsga"];
    let mut command = plain();
    command.args(["run", "-", "--format", "json"]).args(looks);
    let reply = answer(command, puzzle.as_bytes()).expect(0);
    assert_eq!(reply.object()["solution"], known_as("easy-1").solution);
    assert_eq!(reply.stderr, "");

    // Arguments that are no text, or nothing, arrive as they are.
    let mut command = plain();
    command.args(["run", ""]).args(looks);
    let same = call(&["run", "", "--algo", "lsga"]).expect(2);
    assert_eq!(answer(command, b"").expect(2).stderr, same.stderr);
    let mut command = plain();
    let nowhere = OsStr::from_bytes(b"\xff/x");
    command.args(["run", "--trace"]).arg(nowhere).args(looks);
    assert!(answer(command, b"").expect(2).stderr.contains("cannot"));
}

/// Whether a run is started a second time, which its environment shows once it has begun. It would never
/// end.
fn starts_twice(args: &[&str]) -> bool {
    let dir = Dir::new();
    let trace = dir.at("trace.csv");
    let mut child = plain()
        .args(["run", IMPOSSIBLE[2].0, "--set", "propagate=none"])
        .args(["--max-generations", "4000000000", "--trace", &trace])
        .args(args)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while !Path::new(&trace).exists() {
        assert!(begun.elapsed().as_secs() < 60, "{args:?}: nothing begins");
        sleep(Duration::from_millis(2));
    }
    let environment = std::fs::read(format!("/proc/{}/environ", child.id())).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    environment
        .split(|&byte| byte == 0)
        .any(|it| it.starts_with(b"NODEVICE_SELECT="))
}

/// Only to look for adapters, which costs more than the second start.
#[test]
fn the_program_starts_once_where_no_adapter_is_looked_for() {
    let cpu = ["--backend", "cpu"];
    assert!(!starts_twice(&cpu));
    assert!(!starts_twice(&[]));
    assert!(starts_twice(&["--pop", "256"]));
    let lsga = ["--algo", "lsga"];
    assert!(!starts_twice(&[lsga, cpu].concat()));
    assert!(starts_twice(&lsga));
}

/// What Vulkan's loader says of itself, which is nothing if nobody has loaded it.
fn loader_says(args: &[&str]) -> String {
    let mut command = plain();
    command.env("VK_LOADER_DEBUG", "all");
    command.args(args).args(["--format", "json"]);
    let reply = answer(command, b"").expect(0);
    assert_ne!(reply.stdout, "", "{args:?}");
    reply.stderr
}

#[test]
fn a_run_on_the_native_engine_does_not_touch_the_gpu() {
    for args in [
        &["run", "easy-1"][..],
        &["run", "easy-1", "--runs", "4"],
        &["run", "easy-1", "--backend", "cpu", "--algo", "lsga"],
        &["run", "queens:600"],
        &["check", "easy-1"],
    ] {
        assert_eq!(loader_says(args), "", "{args:?}");
    }
    // Otherwise silence says nothing.
    if gpu_wanted() {
        let used = loader_says(&["run", "easy-1", "--algo", "lsga", "--backend", "gpu"]);
        assert_ne!(
            used, "",
            "the loader has nothing to say, so that nothing is tested"
        );
    }
}

/// The layer complains where there is no desktop session, on the standard error of everybody's logs.
#[test]
fn layers_of_the_driver_keep_silent() {
    if !gpu_wanted() {
        return;
    }
    let mut command = plain();
    command.args(["adapters", "--format", "json"]);
    let reply = answer(command, b"").expect(0);
    assert_ne!(reply.stdout, "");
    assert_eq!(reply.stderr, "");
}
