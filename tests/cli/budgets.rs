//! Budgets of evaluations, and costs for tuners.

use super::lab::*;
use super::support::*;

/// An algorithm with a problem that it does not solve at once.
struct Course {
    algo: &'static str,
    problem: &'static str,
    pop: u64,
    set: &'static [&'static str],
}

const COURSES: [Course; 7] = [
    Course {
        algo: "lsga",
        problem: "sd3",
        pop: 30,
        set: &[],
    },
    Course {
        algo: "tabu",
        problem: "sd2",
        pop: 3,
        set: &["moves=50", "propagate=none"],
    },
    Course {
        algo: "gpu-ga",
        problem: "sd2",
        pop: 64,
        set: &["epoch=7"],
    },
    Course {
        algo: "hgasa",
        problem: "sd2",
        pop: 20,
        set: &[],
    },
    Course {
        algo: "hgasa",
        problem: "queens:60",
        pop: 20,
        set: &[],
    },
    Course {
        algo: "nb-coin",
        problem: "sd3",
        pop: 20,
        set: &[],
    },
    Course {
        algo: "fpchs",
        problem: "sd2",
        pop: 20,
        set: &[],
    },
];

const FOREVER: &str = "4294967295";

/// The run ends with the first generation that reaches the budget, however generations are put
/// into batches, and is until then the run without that budget. `compare` has the same run.
#[test]
fn a_run_ends_with_the_generation_that_reaches_its_evaluations() {
    let dir = Dir::new();
    for (at, course) in COURSES.iter().enumerate() {
        let pop = course.pop.to_string();
        let fixed = [course.problem, "--algo", course.algo, "--pop", &pop];
        let fixed = [&fixed[..], &sets(course.set)].concat();
        let run = |budget: &[&str]| run_cpu(&[&fixed[..], budget].concat()).object();
        for most in [1, course.pop, course.pop + 1, 777, 1000] {
            let evaluations = most.to_string();
            let budget = [
                "--max-evaluations",
                &evaluations,
                "--max-generations",
                FOREVER,
            ];
            let ended = run(&budget);
            let generations = count(&ended, "generations");
            let case = format!("{} {most}", course.algo);
            if ended["solved"] == true {
                assert_eq!(ended["stop"], "solved", "{case}");
                continue;
            }
            assert_eq!(ended["stop"], "evaluations", "{case}");
            assert!(count(&ended, "evaluations") >= most, "{case}: {ended}");
            let until = |generations: u64| run(&["--max-generations", &generations.to_string()]);
            let same = until(generations);
            assert_eq!(hash(&same), hash(&ended), "{case}");
            assert_eq!(same["evaluations"], ended["evaluations"], "{case}");
            if generations > 0 {
                let before = count(&until(generations - 1), "evaluations");
                assert!(before < most, "{case}: {before} before {generations}");
            }
            let file = dir.at(&format!("{at}-{most}.jsonl"));
            let algo = [&[course.algo], course.set].concat().join(":");
            let evaluations = format!("evaluations={most}");
            compare_into(
                &file,
                &[
                    "--algo",
                    &algo,
                    "--problem",
                    course.problem,
                    "--runs",
                    "1",
                    "--pop",
                    &pop,
                    "--budget",
                    &evaluations,
                ],
            )
            .expect(0);
            let line = runs(&file).remove(0);
            assert_eq!(hash(&line), hash(&ended), "{case}");
            for key in ["generations", "evaluations", "stop"] {
                assert_eq!(line[key], ended[key], "{case}");
            }
        }
    }
}

/// LSGA makes everybody anew in each generation.
#[test]
fn generations_of_lsga_follow_from_its_evaluations() {
    for (pop, most) in [
        (30, 1),
        (30, 31),
        (30, 60),
        (30, 61),
        (7, 1000),
        (150, 4000),
    ] {
        let args = ["sd3", "--algo", "lsga", "--set", "elite=0"].map(str::to_owned);
        let more = ["--pop".to_owned(), format!("{pop}")];
        let budget = ["--max-evaluations".to_owned(), format!("{most}")];
        let args = [&args[..], &more, &budget].concat();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let run = run_cpu(&args).expect(1).object();
        let generations = u64::saturating_sub(most, pop).div_ceil(pop);
        assert_eq!(count(&run, "generations"), generations, "{pop} {most}");
        assert_eq!(count(&run, "evaluations"), pop * (generations + 1));
    }
}

#[test]
fn the_text_says_that_evaluations_are_spent() {
    let args = ["run", "sd3", "--algo", "lsga", "--backend", "cpu"];
    let reply = call(&[&args[..], &["--max-evaluations", "500"]].concat()).expect(1);
    assert!(reply.summary().contains("evaluations spent"), "{reply:?}");
    for most in ["0", "1.5", "-1", "x"] {
        let most = format!("--max-evaluations={most}");
        call(&[&args[..], &[&most]].concat()).expect(2);
    }
}

/// Runs of which some are solved and some are not.
const MIXED: [&str; 7] = [
    "easy-11",
    "--algo",
    "lsga",
    "--runs",
    "6",
    "--max-generations",
    "15",
];

/// The two numbers of a line for tuners.
#[track_caller]
fn cost(reply: &Reply) -> (f64, f64) {
    assert_eq!(reply.stderr, "");
    assert_eq!(reply.stdout.lines().count(), 1, "{reply:?}");
    let numbers: Vec<f64> = reply
        .stdout
        .split_whitespace()
        .map(|number| number.parse().unwrap())
        .collect();
    assert_eq!(numbers.len(), 2, "{reply:?}");
    (numbers[0], numbers[1])
}

#[test]
fn tuners_have_a_cost_and_a_time() {
    for (args, code) in [
        (&["easy-1", "--algo", "lsga"][..], 0),
        (&["easy-1", "--algo", "lsga", "--runs", "3"], 0),
        (&["queens:20", "--algo", "cga", "--runs", "2"], 0),
        (&["sd3", "--algo", "lsga", "--max-evaluations", "900"], 1),
        (&MIXED, 1),
    ] {
        let irace = ["run", "--backend", "cpu", "--format", "irace"];
        let (found, seconds) = cost(&call(&[&irace, args].concat()).expect(code));
        let runs = run_cpu(args).expect(code).objects();
        let costs = runs.iter().map(|run| {
            let evaluations = count(run, "evaluations") as f64;
            evaluations * if run["solved"] == true { 1.0 } else { 10.0 }
        });
        let mean = costs.sum::<f64>() / runs.len() as f64;
        assert!(
            (found - mean).abs() < 1e-6 * mean,
            "{args:?}: {found} {mean}"
        );
        assert!(seconds > 0.0 && seconds < 60.0, "{args:?}: {seconds}");
    }
}

#[test]
fn the_cases_for_tuners_are_mixed() {
    let runs = run_cpu(&MIXED).objects();
    let solved = runs.iter().filter(|run| run["solved"] == true).count();
    assert!(0 < solved && solved < 6, "{solved}");
}

/// A cost of something impossible would mislead a tuner.
#[test]
fn tuners_get_no_line_without_a_solution_to_look_for() {
    let dir = Dir::new();
    let impossible = "123....4........";
    let mixed = dir.file("mixed.sdm", format!("1234............\n{impossible}\n"));
    for (problem, code) in [(impossible, 1), (&mixed, 1), ("nosuch-1", 2)] {
        let args = ["run", problem, "--backend", "cpu", "--format", "irace"];
        let reply = call(&args).expect(code);
        let sentence = reply.sentence();
        assert!(code == 2 || sentence.contains("no solution"), "{sentence}");
    }
}
