//! A population that several devices share: the same end as on one engine, also if a device fails on the way.

use super::faults::{faulty, same_end};
use super::support::*;

const RUN: [&str; 9] = [
    "sd3",
    "--algo",
    "lsga",
    "--pop",
    "37",
    "--seed",
    "5",
    "--max-generations",
    "40",
];

fn shared(places: &[&str], faults: &str) -> Reply {
    let args = [&["run"], &RUN[..], places, &["--format", "json"]].concat();
    match faults {
        "" => unharmed(&args),
        faults => faulty(faults, &args),
    }
}

fn unharmed(args: &[&str]) -> Reply {
    let mut command = program();
    command.args(args);
    answer(command, b"")
}

#[test]
fn devices_share_a_population_and_say_so() {
    if !gpu_wanted() {
        return;
    }
    let expected = run_cpu(&RUN).expect(1).object();
    for (places, backend, workers) in [
        (&["--adapter", "0,0"][..], "gpu", 2),
        (&["--adapter", "0, 0,0", "--backend", "gpu"], "gpu", 3),
        (&["--backend", "cpu+gpu", "--threads", "1"], "cpu+gpu", 2),
        (&["--backend", "cpu+gpu", "--adapter", "0,0"], "cpu+gpu", 3),
    ] {
        let run = shared(places, "").expect(1).object();
        same_end(&run, &expected);
        assert_eq!(run["backend"], backend);
        let adapter = run["adapter"].as_str().unwrap();
        assert_eq!(adapter.split(" + ").count(), workers, "{adapter}");
    }
    // All that there are, be it one.
    let run = shared(&["--adapter", "all"], "").expect(1).object();
    same_end(&run, &expected);
}

#[test]
fn a_device_that_fails_leaves_its_share_to_the_others() {
    if !gpu_wanted() {
        return;
    }
    let expected = run_cpu(&RUN).expect(1).object();
    for (places, faults, left) in [
        (&["--backend", "cpu+gpu"][..], "lost@1", "cpu"),
        (&["--backend", "cpu+gpu"], "lost@9", "cpu"),
        (&["--backend", "cpu+gpu"], "silent@4", "cpu"),
        (
            &["--backend", "cpu+gpu", "--adapter", "0,0"],
            "lost@7",
            "cpu+gpu",
        ),
        (&["--adapter", "0,0"], "panic@6", "gpu"),
        // One after the other.
        (
            &["--backend", "cpu+gpu", "--adapter", "0,0"],
            "lost@7,lost@20",
            "cpu",
        ),
    ] {
        let reply = shared(places, faults).expect(1);
        let run = reply.object();
        same_end(&run, &expected);
        assert_eq!(run["backend"], left, "{faults}: {reply:?}");
        let told = reply.stderr.matches("going on with the others").count();
        assert_eq!(told, faults.matches('@').count(), "{faults}: {reply:?}");
    }
}

#[test]
fn what_cannot_be_shared_is_refused() {
    for (args, part) in [
        (&["run", "--adapter", "0,,1"][..], "--adapter is empty"),
        (&["run", "--adapter", ","], "--adapter is empty"),
        (
            &["run", "--backend", "cpu+gpu", "--jobs", "2"],
            "--jobs does not go with",
        ),
        (
            &["evaluate", "sd2", "none.npy", "--backend", "cpu+gpu"],
            "evaluated in one place",
        ),
    ] {
        let reply = unharmed(args).expect(2);
        assert!(reply.stderr.contains(part), "{args:?}: {reply:?}");
    }
    if gpu_wanted() {
        let reply = unharmed(&["run", "--adapter", "0,99"]).expect(3);
        assert!(reply.stderr.contains("number 99"), "{reply:?}");
    }
}
