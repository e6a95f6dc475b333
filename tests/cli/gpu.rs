//! The GPU engine, on whatever adapter there is, and the lack of one.

use serde_json::Value;

use super::support::*;

/// Everything that a backend must not change.
fn outcome(run: &Value) -> Vec<&Value> {
    let keys = [
        "generations",
        "evaluations",
        "best_fitness",
        "solved",
        "solution",
        "population_hash",
        "seed",
        "pop",
    ];
    keys.iter().map(|&key| &run[key]).collect()
}

/// Runs on both engines and compares; returns the run on the GPU. The choice of the adapter is
/// an argument, as a named adapter alone asks for the GPU, too.
#[track_caller]
pub fn assert_twins(choice: &[&str], args: &[&str], stdin: &str) -> Value {
    let gpu_args = [&["run", "--format", "json"], choice, args].concat();
    let gpu = call_with(&gpu_args, stdin.as_bytes());
    let cpu = run_cpu_with(args, stdin.as_bytes());
    assert!(gpu.code < 2, "{gpu:?}");
    assert_eq!((gpu.code, gpu.stderr.as_str()), (cpu.code, ""), "{gpu:?}");
    let (gpu, cpu) = (gpu.object(), cpu.object());
    assert_eq!(outcome(&gpu), outcome(&cpu), "{args:?}");
    assert_eq!(
        (&gpu["backend"], &cpu["backend"]),
        (&"gpu".into(), &"cpu".into())
    );
    gpu
}

fn adapters() -> Vec<Value> {
    let adapters = call(&["adapters", "--format", "json"]).expect(0).objects();
    assert!(
        !adapters.is_empty(),
        "no adapter: install a driver or set GPUSUDOKU_SKIP_GPU_TESTS=1"
    );
    adapters
}

pub const GPU: [&str; 2] = ["--backend", "gpu"];

#[test]
fn a_9x9_run_to_its_solution_is_that_of_the_cpu() {
    if gpu_wanted() {
        let args = ["easy-11", "--algo", "lsga", "--pop", "75", "--seed", "7"];
        let run = assert_twins(&GPU, &args, "");
        assert_eq!(run["solution"], known_as("easy-11").solution);
        let adapter = run["adapter"].as_str().unwrap();
        assert!(
            adapters().iter().any(|info| info["name"] == adapter),
            "{adapter}"
        );
    }
}

#[test]
fn a_16x16_run_is_that_of_the_cpu() {
    if gpu_wanted() {
        let solved = solved_square(4);
        let puzzle = integers(16, |r, c| if (r + c) % 3 == 0 { solved(r, c) } else { 0 });
        let few = ["-", "--pop", "33", "--seed", "5", "--max-generations", "5"];
        assert_twins(&GPU, &[&few[..], &["--algo", "lsga"]].concat(), &puzzle);
    }
}

#[test]
fn a_6x6_run_on_adapter_0_is_that_of_the_cpu() {
    if gpu_wanted() {
        let puzzle = "1.....\n...2..\n....3.\n.4....\n..5...\n.....6\n";
        let few = ["-", "--pop", "2", "--seed", "3", "--max-generations", "30"];
        let args = [&few[..], &["--algo", "lsga"]].concat();
        let run = assert_twins(&["--adapter", "0"], &args, puzzle);
        assert_eq!(run["adapter"], adapters()[0]["name"]);
    }
}

#[test]
fn a_latin_square_from_standard_input_is_that_of_the_cpu() {
    if gpu_wanted() {
        let puzzle = integers(11, |r, c| if r == c { 1 + r } else { 0 });
        let args = [
            "-",
            "--latin",
            "--algo",
            "lsga",
            "--pop",
            "65",
            "--seed",
            "9",
            "--max-generations",
            "5",
        ];
        assert_twins(&GPU, &args, &puzzle);
    }
}

#[test]
fn an_unknown_adapter_exits_with_3_and_names_those_there_are() {
    if gpu_wanted() {
        for wanted in ["nosuch", "4711"] {
            let reply = call(&["run", "--adapter", wanted]).expect(3);
            assert_eq!(
                (reply.stdout.as_str(), reply.stderr.lines().count()),
                ("", 1)
            );
            assert!(reply.stderr.contains(wanted), "{reply:?}");
            for info in adapters() {
                assert!(
                    reply.stderr.contains(info["name"].as_str().unwrap()),
                    "{reply:?}"
                );
            }
        }
    }
}

#[test]
fn a_population_that_does_not_fit_is_told_what_would() {
    if gpu_wanted() {
        let refused = |algo: &str, pop: usize| {
            let args = ["run", "--algo", algo, "--backend", "gpu"];
            let reply = call(&[&args[..], &["--pop", &pop.to_string()]].concat()).expect(2);
            assert_eq!(
                (reply.stdout.as_str(), reply.stderr.lines().count()),
                ("", 1)
            );
            let after = reply
                .stderr
                .split_once("at most ")
                .expect("the most that fits")
                .1;
            after.split(' ').next().unwrap().parse::<usize>().unwrap()
        };
        for algo in ["memetic", "lsga"] {
            let fits = refused(algo, 16_000_000);
            assert!((150..16_000_000).contains(&fits), "{algo}: {fits}");
            assert_eq!(refused(algo, fits + 1), fits, "{algo}");
        }
    }
}

#[test]
fn adapters_are_listed_with_what_auto_takes() {
    if gpu_wanted() {
        let reply = call(&["adapters"]).expect(0);
        assert_eq!(reply.stderr, "");
        let auto: Vec<_> = reply
            .stdout
            .lines()
            .filter(|line| line.starts_with("auto takes"))
            .collect();
        assert_eq!(auto.len(), 1, "{}", reply.stdout);
        let adapters = adapters();
        for info in &adapters {
            for key in ["name", "type", "backend", "driver"] {
                let value = info[key].as_str().unwrap();
                assert!(
                    !value.is_empty() && reply.stdout.contains(value),
                    "{key}: {info}"
                );
            }
            for key in [
                "max_storage_binding",
                "max_workgroup_memory",
                "max_workgroup_size",
            ] {
                assert!(count(info, key) > 0, "{info}");
            }
        }
        let taken: Vec<_> = adapters
            .iter()
            .filter(|info| info["auto"] == true)
            .collect();
        let real = adapters.iter().any(|info| info["software"] == false);
        assert_eq!(
            taken.len(),
            usize::from(real),
            "a real GPU and nothing else: {adapters:?}"
        );
        match taken.first() {
            Some(info) => assert_eq!(info["software"], false),
            None => assert!(auto[0].contains("CPU"), "{}", auto[0]),
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn without_a_driver_the_gpu_is_refused_at_once_with_the_remedy() {
    use std::time::{Duration, Instant};

    for choice in [["--backend", "gpu"], ["--adapter", "0"]] {
        let mut command = program_without_driver();
        command.arg("run").args(choice);
        let start = Instant::now();
        let reply = answer(command, b"").expect(3);
        assert!(
            start.elapsed() < Duration::from_secs(2),
            "{:?}",
            start.elapsed()
        );
        assert_eq!(
            (reply.stdout.as_str(), reply.stderr.lines().count()),
            ("", 1)
        );
        for word in ["Vulkan", "install", "mesa-vulkan-drivers", "--backend cpu"] {
            assert!(reply.stderr.contains(word), "{word}: {reply:?}");
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn without_a_driver_auto_takes_the_cpu() {
    let mut command = program_without_driver();
    command.args(["run", "easy-1", "--algo", "lsga"]);
    command.args(["--backend", "auto", "--format", "json"]);
    let reply = answer(command, b"").expect(0);
    assert_eq!(reply.stderr, "");
    assert_eq!(reply.object()["backend"], "cpu");
    let mut command = program_without_driver();
    command.arg("adapters");
    let reply = answer(command, b"").expect(0);
    assert!(
        reply.stdout.contains("auto takes the native CPU"),
        "{reply:?}"
    );
    assert!(reply.stdout.contains("Vulkan"), "{reply:?}");
}

#[test]
fn layouts_change_nothing_but_the_speed() {
    if gpu_wanted() {
        for layout in ["thread", "workgroup"] {
            for algo in ["lsga", "nb-coin", "ga"] {
                let args = [
                    "sd1",
                    "--algo",
                    algo,
                    "--pop",
                    "37",
                    "--max-generations",
                    "6",
                ];
                assert_twins(&["--layout", layout], &args, "");
            }
        }
    }
}

#[test]
fn a_layout_that_cannot_be_is_refused_in_a_sentence() {
    let reply = call(&["run", "--backend", "cpu", "--layout", "thread"]).expect(2);
    assert!(
        reply
            .stderr
            .contains("--layout does not go with --backend cpu"),
        "{reply:?}"
    );
    let reply = call(&["bench", "--backend", "cpu", "--layout", "thread"]).expect(2);
    assert!(
        reply
            .stderr
            .contains("--layout does not go with --backend cpu"),
        "{reply:?}"
    );
    if gpu_wanted() {
        for info in adapters() {
            if info["subgroup_lanes"].as_u64().unwrap() < 32 {
                let index = info["index"].to_string();
                let args = ["run", "--adapter", &index, "--layout", "subgroup"];
                let reply = call(&args).expect(3);
                assert_eq!(reply.stdout, "");
                assert!(
                    reply
                        .stderr
                        .contains("needs subgroups of 32 lanes in hardware"),
                    "{reply:?}"
                );
            }
        }
    }
}
