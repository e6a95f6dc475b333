//! `gpusudoku bench`: what it measures, and that it says so. No figure is judged.

use serde_json::Value;

use super::support::*;

/// Something that takes no time to speak of.
const LITTLE: [&str; 8] = [
    "bench",
    "--quick",
    "--size",
    "9",
    "--pop",
    "20",
    "--repetitions",
    "2",
];

fn bench(args: &[&str]) -> Reply {
    call(&[&LITTLE, args].concat())
}

fn positive(value: &Value) -> bool {
    value.as_f64().is_some_and(|number| number > 0.0)
}

/// The rows, of which each engine has one for each piece of work.
fn rows(report: &Value, work: &[&str]) -> Vec<Value> {
    let engines = report["engines"].as_array().unwrap();
    let rows = report["rows"].as_array().unwrap();
    let expected = work.iter().flat_map(|work| {
        let names = engines.iter().map(|engine| engine["name"].clone());
        names.map(move |name| (Value::from(*work), name))
    });
    let found = rows
        .iter()
        .map(|row| (row["workload"].clone(), row["engine"].clone()));
    assert_eq!(found.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    rows.clone()
}

#[test]
fn every_piece_of_work_is_measured_on_one_thread_and_on_all() {
    let work = [
        "evaluate",
        "initialise",
        "copy",
        "crossover",
        "mutation",
        "local-search",
        "lsga",
        "tabu",
        "packing",
    ];
    let reply = bench(&["--backend", "cpu", "--format", "json"]).expect(0);
    assert_eq!(reply.stderr, "");
    let report = reply.object();
    assert_eq!(report["engines"][0]["name"], "1 thread");
    let threads = count(&report["machine"], "threads");
    let last = report["engines"].as_array().unwrap().last().unwrap();
    assert_eq!(count(last, "threads"), threads);
    for row in rows(&report, &work) {
        assert_eq!((count(&row, "size"), count(&row, "pop")), (9, 20));
        // Other programs may have made it too slow to be measured, but that is said.
        if row["skipped"].is_string() {
            assert!(row["individuals_per_second"].is_null(), "{row}");
            continue;
        }
        let seconds = &row["seconds"];
        let order = [
            "least",
            "lower_quartile",
            "median",
            "upper_quartile",
            "most",
        ];
        let order = order.map(|key| seconds[key].as_f64().unwrap());
        assert!(order[0] > 0.0 && order.is_sorted(), "{row}");
        let rate = row["individuals_per_second"].as_f64().unwrap();
        assert!((rate * order[2] / 20.0 - 1.0).abs() < 1e-9, "{row}");
        assert_eq!(count(&row, "repetitions"), 2);
        assert!(count(&row, "generations") > 0, "{row}");
        let is = |work: &str| row["workload"] == work;
        let moves = is("tabu") || is("packing");
        assert_eq!(positive(&row["moves_per_second"]), moves, "{row}");
        assert_eq!(positive(&row["share_of_memcpy"]), is("evaluate"), "{row}");
        let alone = row["engine"] == "1 thread";
        assert_eq!(positive(&row["ratio_to_one_thread"]), !alone, "{row}");
        assert!(row["ratio_to_all_threads"].is_null(), "{row}");
    }
}

#[test]
fn an_adapter_is_named_wherever_its_figures_are() {
    if !gpu_wanted() {
        return;
    }
    let args = ["--adapter", "0", "--workload", "lsga,evaluate"];
    let report = bench(&[&args[..], &["--format", "json"]].concat())
        .expect(0)
        .object();
    let engines = report["engines"].as_array().unwrap();
    let adapter = &engines.last().unwrap()["adapter"];
    let name = adapter["name"].as_str().unwrap();
    let rows = rows(&report, &["evaluate", "lsga"]);
    for row in rows.iter().filter(|row| row["backend"] == "gpu") {
        assert!(row["engine"].as_str().unwrap().contains(name), "{row}");
        assert_eq!(row["software"], adapter["software"]);
        if row["skipped"].is_null() {
            assert!(positive(&row["ratio_to_one_thread"]), "{row}");
            assert!(positive(&row["ratio_to_all_threads"]), "{row}");
        }
    }
    let text = bench(&args).expect(0).stdout;
    let (legend, table) = text.split_once("\n\n9x9, population 20\n").unwrap();
    assert!(legend.contains(name), "{text}");
    assert!(
        legend.contains(adapter["driver"].as_str().unwrap()),
        "{text}"
    );
    let lines: Vec<_> = table.lines().skip(1).collect();
    assert_eq!(lines.len(), 2 * engines.len(), "{text}");
    for (line, row) in lines.iter().zip(&rows) {
        assert!(
            line.starts_with(row["workload"].as_str().unwrap()),
            "{text}"
        );
        assert!(line.contains(row["engine"].as_str().unwrap()), "{text}");
        let software = line.contains("[software: says nothing of a GPU]");
        assert_eq!(software, row["software"] == true, "{text}");
    }
}

#[test]
fn a_profile_has_every_kernel_or_says_why_not() {
    if !gpu_wanted() {
        return;
    }
    let args = ["--adapter", "0", "--workload", "lsga", "--profile"];
    let report = bench(&[&args[..], &["--format", "json"]].concat())
        .expect(0)
        .object();
    let engines = report["engines"].as_array().unwrap();
    let timestamps = engines.last().unwrap()["adapter"]["timestamps"] == true;
    for row in rows(&report, &["lsga"]) {
        let profiled = row["backend"] == "gpu" && row["skipped"].is_null();
        if !(profiled && timestamps) {
            assert!(row["kernels"].is_null(), "{row}");
            assert_eq!(row["kernels_unknown"].is_string(), profiled, "{row}");
            continue;
        }
        let kernels = row["kernels"].as_array().unwrap();
        let names: Vec<_> = kernels.iter().map(|kernel| &kernel["kernel"]).collect();
        assert_eq!(names, ["breed_rows", "survey", "elite"]);
        let shares = kernels.iter().filter_map(|kernel| kernel["share"].as_f64());
        let all: f64 = shares.sum();
        assert!((all - 1.0).abs() < 1e-9, "{row}");
        assert!(kernels.iter().all(|kernel| kernel["dispatches"] == 1));
    }
    let text = bench(&args).expect(0).stdout;
    for expected in ["  breed_rows ", "  survey ", "  elite "] {
        assert_eq!(text.contains(expected), timestamps, "{text}");
    }
    let unknown = text.contains("what its kernels take is not known");
    assert_eq!(unknown, !timestamps, "{text}");
    let refused = bench(&["--backend", "cpu", "--profile"]).expect(2);
    assert!(refused.sentence().contains("--profile"), "{refused:?}");
}

#[test]
fn what_would_take_too_long_is_skipped_with_the_reason() {
    let args = ["--backend", "cpu", "--workload", "copy", "--limit", "1e-9"];
    let text = bench(&args).expect(0).stdout;
    assert!(
        text.contains("skipped 1 thread: a generation takes about "),
        "{text}"
    );
    let report = bench(&[&args[..], &["--format", "json"]].concat())
        .expect(0)
        .object();
    for row in rows(&report, &["copy"]) {
        assert!(
            row["skipped"]
                .as_str()
                .unwrap()
                .contains("more than the limit")
        );
        assert!(row["seconds"].is_null());
    }
}

#[test]
fn lists_are_measured_once_and_in_order() {
    let args = ["--backend", "cpu", "--format", "json", "--workload", "copy"];
    let lists = ["bench", "--quick", "--size", "16,9,16", "--pop", "30, 2"];
    let report = call(&[&lists[..], &args].concat()).expect(0).object();
    let mut cases: Vec<_> = report["rows"].as_array().unwrap().iter().collect();
    cases.retain(|row| row["engine"] == "1 thread");
    let cases = cases
        .iter()
        .map(|row| (count(row, "size"), count(row, "pop")));
    assert_eq!(
        cases.collect::<Vec<_>>(),
        [(9, 2), (9, 30), (16, 2), (16, 30)]
    );
}

#[test]
fn three_sizes_tell_how_work_grows() {
    let sizes = |sizes: &str, format: &str| {
        let args = [
            "bench", "--quick", "--size", sizes, "--pop", "20", "--limit",
        ];
        let few = ["60", "--workload", "copy,tabu", "--backend", "cpu"];
        call(&[&args[..], &few, &["--format", format]].concat()).expect(0)
    };
    let report = sizes("9,16,25", "json").object();
    let growth = report["growth"].as_array().unwrap();
    let engines = report["engines"].as_array().unwrap();
    assert_eq!(growth.len(), 2 * engines.len(), "{report}");
    for it in growth {
        assert_eq!(it["sizes"], serde_json::json!([9, 16, 25]), "{it}");
        assert!(
            it["exponent"].is_f64() && it["off"].as_f64() >= Some(1.0),
            "{it}"
        );
        assert!(
            engines.iter().any(|who| who["name"] == it["engine"]),
            "{it}"
        );
    }
    let text = sizes("9,16,25", "text").stdout;
    let (_, table) = text.split_once("\nGrowth: ").unwrap();
    assert_eq!(table.lines().count(), 2 + growth.len(), "{text}");
    assert!(!sizes("9,16", "text").stdout.contains("Growth"));
    let two = sizes("9,16", "json").object();
    assert_eq!(two["growth"], serde_json::json!([]));
}

#[test]
fn what_cannot_be_measured_is_refused_in_one_sentence() {
    for (args, why) in [
        (["--size", "10"], "9 or 16 or 25"),
        (["--size", ""], "whole numbers"),
        (["--size", "9,"], "whole numbers"),
        (["--pop", "0"], "from 1 to"),
        (["--pop", "-4"], "whole numbers"),
        (["--pop", "17000000"], "from 1 to"),
        (["--pop", ""], "whole numbers"),
        (["--workload", "sleep"], "evaluate or initialise"),
        (["--workload", ""], "evaluate or initialise"),
        (["--limit", "0"], "more than 0"),
        (["--limit", "nan"], "more than 0"),
        (["--adapter", ""], "a name or a number"),
    ] {
        let reply = call(&["bench", "--quick", args[0], args[1]]).expect(2);
        assert!(reply.sentence().contains(why), "{args:?}: {reply:?}");
    }
    let both = ["bench", "--backend", "cpu", "--adapter", "0"];
    assert!(call(&both).expect(2).sentence().contains("--backend cpu"));
    call(&["bench", "--repetitions", "0"]).expect(2);
    call(&["bench", "--backend", "tpu"]).expect(2);
}

#[test]
fn an_adapter_that_is_not_there_exits_with_3() {
    if gpu_wanted() {
        let reply = bench(&["--adapter", "0", "--adapter", "nosuch"]).expect(3);
        assert!(reply.sentence().contains("nosuch"), "{reply:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn without_a_driver_only_the_adapter_is_missing() {
    let mut command = program_without_driver();
    command.args(LITTLE).args(["--workload", "copy"]);
    let reply = answer(command, b"").expect(0);
    assert!(reply.stdout.contains("Vulkan found none"), "{reply:?}");
    assert!(reply.stdout.contains("1 thread"), "{reply:?}");
    let mut command = program_without_driver();
    command.args(LITTLE).args(["--adapter", "0"]);
    assert!(
        answer(command, b"")
            .expect(3)
            .sentence()
            .contains("--backend cpu")
    );
}
