//! Calling the program, and puzzles to call it with.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// Every algorithm there is, in the order in which the program lists them.
pub const ALGORITHMS: [&str; 18] = [
    "memetic",
    "packing",
    "tabu",
    "lsga",
    "nb-coin",
    "reseda",
    "ah-lsga",
    "ga",
    "ga-ii",
    "ga-iii",
    "gpu-ga",
    "hs",
    "fpchs",
    "hpsoga",
    "cga",
    "hgsaga",
    "hgasa",
    "min-conflicts",
];

/// The level of propagation that solves all of the papers' puzzles.
pub const NESTED: &str = "propagate=nested";

/// Those that search the lists that probing leaves.
pub const LIST_SEARCHES: [&str; 3] = ["memetic", "packing", "tabu"];

/// Those that know queens as well as grids.
pub const FOR_QUEENS: [&str; 5] = ["hpsoga", "cga", "hgsaga", "hgasa", "min-conflicts"];

/// What the program said and how it ended.
#[derive(Debug)]
pub struct Reply {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Reply {
    /// The objects of standard output, one a line.
    pub fn objects(&self) -> Vec<Value> {
        let object = |line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {self:?}"));
        self.stdout.lines().map(object).collect()
    }

    /// The only object of standard output.
    pub fn object(&self) -> Value {
        let mut objects = self.objects();
        assert_eq!(objects.len(), 1, "one object wanted: {self:?}");
        objects.remove(0)
    }

    /// The last line of standard output: the summary of a run as text.
    pub fn summary(&self) -> &str {
        self.stdout.lines().last().unwrap_or_default()
    }

    /// The one sentence of a refusal that begins with the program's name.
    #[track_caller]
    pub fn sentence(&self) -> &str {
        assert_eq!(self.stdout, "", "{self:?}");
        assert_eq!(self.stderr.lines().count(), 1, "{self:?}");
        self.stderr
            .trim_end()
            .strip_prefix("gpusudoku: ")
            .unwrap_or_else(|| panic!("{self:?}"))
    }

    #[track_caller]
    pub fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:?}");
        self
    }
}

/// The program, without the chatter of a Mesa layer on standard error.
pub fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gpusudoku"));
    command.env("NODEVICE_SELECT", "1");
    command
}

/// The program where no Vulkan driver can be found.
#[cfg(target_os = "linux")]
pub fn program_without_driver() -> Command {
    let mut command = program();
    for variable in ["VK_ICD_FILENAMES", "VK_DRIVER_FILES"] {
        command.env(variable, "/nonexistent-dir/icd.json");
    }
    command.env_remove("VK_ADD_DRIVER_FILES");
    command
}

/// Runs a command with this standard input. No call may end by panic or signal.
pub fn answer(mut command: Command, stdin: &[u8]) -> Reply {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that refuses its arguments does not read: the broken pipe is no fault.
    let _ = child.stdin.take().unwrap().write_all(stdin);
    let output = child.wait_with_output().unwrap();
    let reply = Reply {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    };
    let crashed = reply.code == -1 || reply.code == 101 || reply.stderr.contains("panicked");
    assert!(!crashed, "{command:?}: {reply:?}");
    reply
}

pub fn call_with(args: &[&str], stdin: &[u8]) -> Reply {
    let mut command = program();
    command.args(args);
    answer(command, stdin)
}

pub fn call(args: &[&str]) -> Reply {
    call_with(args, b"")
}

/// Runs on the native engine with JSON output and these further arguments.
pub fn run_cpu(args: &[&str]) -> Reply {
    run_cpu_with(args, b"")
}

pub fn run_cpu_with(args: &[&str], stdin: &[u8]) -> Reply {
    let always = ["run", "--backend", "cpu", "--format", "json"];
    call_with(&[&always, args].concat(), stdin)
}

/// The arguments `--set PAIR` for each pair.
pub fn sets<'a>(pairs: &[&'a str]) -> Vec<&'a str> {
    pairs.iter().flat_map(|&pair| ["--set", pair]).collect()
}

/// The verdict of `check` on a text, as JSON.
pub fn verdict(text: &str, options: &[&str]) -> Value {
    let args = [&["check", "--format", "json"], options, &["-"]].concat();
    call_with(&args, text.as_bytes()).object()
}

pub fn hash(run: &Value) -> &str {
    run["population_hash"].as_str().unwrap()
}

pub fn count(run: &Value, key: &str) -> u64 {
    run[key].as_u64().unwrap_or_else(|| panic!("{key}: {run}"))
}

/// Whether to run a test that needs an adapter. The lack of one is a failure, not a reason to
/// skip: otherwise nobody would notice that nothing is tested any more.
pub fn gpu_wanted() -> bool {
    let skip = std::env::var_os("GPUSUDOKU_SKIP_GPU_TESTS").is_some_and(|value| value == "1");
    if skip {
        eprintln!("skipped: GPUSUDOKU_SKIP_GPU_TESTS is set");
    }
    !skip
}

/// A built-in puzzle, from the table and not from the program.
pub struct Known {
    pub name: &'static str,
    pub givens: u64,
    pub puzzle: &'static str,
    pub solution: &'static str,
}

pub fn known() -> Vec<Known> {
    let table = include_str!("../../puzzles/papers.tsv");
    let rows = table.lines().filter(|line| !line.starts_with('#'));
    let known: Vec<_> = rows
        .map(|line| {
            let fields: Vec<_> = line.split('\t').collect();
            Known {
                name: fields[0],
                givens: fields[1].parse().unwrap(),
                puzzle: fields[2],
                solution: fields[3],
            }
        })
        .collect();
    assert_eq!(known.len(), 12);
    known
}

pub fn known_as(name: &str) -> Known {
    known()
        .into_iter()
        .find(|known| known.name == name)
        .unwrap()
}

/// Rows of numbers; 0 is a blank.
pub fn integers(size: usize, cell: impl Fn(usize, usize) -> usize) -> String {
    let row = |r| {
        (0..size)
            .map(|c| cell(r, c).to_string())
            .collect::<Vec<_>>()
            .join(" ")
    };
    (0..size).map(|r| row(r) + "\n").collect()
}

pub fn blank(size: usize) -> String {
    integers(size, |_, _| 0)
}

/// The digits of a solved Sudoku with square boxes of that side.
pub fn solved_square(side: usize) -> impl Fn(usize, usize) -> usize {
    move |r, c| (side * (r % side) + r / side + c) % (side * side) + 1
}

/// A directory that is gone after the test.
pub struct Dir(TempDir);

impl Dir {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn at(&self, name: &str) -> String {
        text(self.path().join(name))
    }

    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path().join(name);
        std::fs::write(&path, content).unwrap();
        text(path)
    }
}

fn text(path: PathBuf) -> String {
    path.into_os_string().into_string().unwrap()
}

/// Sends a signal.
#[cfg(unix)]
pub fn signal(child: &std::process::Child, name: &str) {
    let kill = std::process::Command::new("kill")
        .args([&format!("-{name}"), &child.id().to_string()])
        .status();
    assert!(kill.unwrap().success());
}

/// A puzzle of the frozen set.
pub fn frozen(name: &str) -> String {
    format!(
        "{}/puzzles/generated/{name}.txt",
        env!("CARGO_MANIFEST_DIR")
    )
}
