//! `reproduce`: published figures as the papers print them, and measured ones beside.

use std::collections::BTreeMap;

use gpusudoku::lab::experiment::{Experiment, Shard};
use gpusudoku::lab::papers::{ALL, Figure, Table};
use gpusudoku::lab::results::Header;
use gpusudoku::problem::Problem;
use gpusudoku::problem::sudoku::exact::{Limit, Outcome, solve};
use gpusudoku::problem::sudoku::format::canonical;
use serde_json::{Value, json};

use super::lab::*;
use super::support::*;

/// Tables as the papers print them: a row for each problem, and for each algorithm what `columns`
/// says: `s` runs solved in percent, `g` the average, `m` and `l` most and least of a level.
struct Printed {
    name: &'static str,
    runs: Option<u32>,
    measure: &'static str,
    columns: &'static [(&'static str, &'static str)],
    rows: &'static str,
}

const PRINTED: [Printed; 10] = [
    Printed {
        name: "lsga-2",
        runs: Some(100),
        measure: "generations",
        columns: &[
            ("LSGA", "sg"),
            ("NB-COIN", "sg"),
            ("GA-I", "sg"),
            ("GA-II", "sg"),
        ],
        rows: "Easy 1	100	2	100	2	100	62	100	46
               Easy 11	100	6	100	4	100	137	100	88
               Medium 27	100	23	100	130	100	910	100	188
               Medium 29	100	57	100	1196	100	3193	100	357
               Hard 77	100	254	100	2710	100	9482	100	702
               Hard 106	100	1269	100	2341	96	26825	100	1791",
    },
    Printed {
        name: "lsga-3",
        runs: Some(100),
        measure: "generations",
        columns: &[
            ("LSGA", "sg"),
            ("GA-III", "sg"),
            ("GPU-GA", "sg"),
            ("GA-I", "sg"),
        ],
        rows: "SD1	100	424	100	10993	100	9072	98	25257
               SD2	100	538	100	22036	100	13481	90	40365
               SD3	100	3926	96	27384	100	22799	62	62283",
    },
    Printed {
        name: "lsga-4",
        runs: Some(10),
        measure: "generations",
        columns: &[("LSGA", "sgml")],
        rows: "Easy	100%	4.8	9.4	2.7
               Medium	100%	17.3	32.8	6.1
               Hard	100%	70.4	151.1	19.6
               Evil	100%	107.6	449.5	22.6",
    },
    // Its last line; most and least are in the ten lines above that, see below.
    Printed {
        name: "lsga-5",
        runs: Some(10),
        measure: "generations",
        columns: &[("LSGA", "gml")],
        rows: "Easy	50.02	197.4	3.1
               Medium	132.77	247.3	19.6
               Hard	63.82	155.9	11.1
               Superior	99.4	253.7	11.5
               Fiendish	175.23	847.1	17.5
               Super	158.13	975.2	10.2
               Advance	116.78	315.7	43.3",
    },
    // The paper calls these puzzles Easy (No. 1) to Difficult (No. 106).
    Printed {
        name: "nb-coin-2",
        runs: Some(100),
        measure: "generations",
        columns: &[("NB-COIN", "sg"), ("GA (mut+cross+LS)", "sg")],
        rows: "Easy 1	100	2	100	62
               Easy 11	100	4	100	137
               Medium 27	100	130	100	910
               Medium 29	100	1196	100	3193
               Hard 77	100	2710	100	9482
               Hard 106	100	2341	96	26825",
    },
    Printed {
        name: "ah-lsga-5",
        runs: None,
        measure: "generations",
        columns: &[
            ("GA", "g"),
            ("NB-COIN", "g"),
            ("LSGA", "g"),
            ("Hybrid", "g"),
        ],
        rows: "Easy 1	62	6	4	4
               Easy 2	137	8	6	4
               Medium 1	910	28	20	15
               Medium 2	3193	57	42	30
               Hard 1	9482	210	160	120
               Hard 2	26825	480	300	220",
    },
    Printed {
        name: "ah-lsga-6",
        runs: None,
        measure: "generations",
        columns: &[("LSGA", "sg"), ("Hybrid", "sg")],
        rows: "SD1	100	420	100	290
               SD2	100	610	100	430
               SD3	92	2100	100	1500",
    },
    Printed {
        name: "ah-lsga-7",
        runs: None,
        measure: "generations",
        columns: &[("Hybrid", "gml")],
        rows: "Easy	5.2	9	2
               Medium	21.4	38	8
               Hard	82.6	160	25
               Evil	140.3	420	40",
    },
    // From sections 6.A to C: no table.
    Printed {
        name: "fpchs",
        runs: Some(70),
        measure: "evaluations",
        columns: &[("HS (Geem)", "sg"), ("FPCHS", "g")],
        rows: "Example 1	-	285	76
               Example 2	0	-	237
               Example 3	-	-	281",
    },
    Printed {
        name: "queens-1",
        runs: None,
        measure: "evaluations",
        columns: &[
            ("HPSOGA", "g"),
            ("CGA", "g"),
            ("HGSAGA", "g"),
            ("HGASA", "g"),
        ],
        rows: "8	235	288	202	391
               20	5,964.5	5,669.7	6,024	2,043
               50	25,789.1	14,991.4	11,227	9,879
               100	99,032.8	103,439.9	98,208.2	44,578
               200	195,643	195,657.6	240,991	96,747
               500	243,786.3	306,799.4	423,765	132,987",
    },
];

/// LSGA's Table V: ten puzzles of seven levels.
const LSGA_5: &str = "\
42.8	130.9	96.3	88.4	847.1	145.2	147.7
67.1	68.1	11.1	36	135.7	107	63.3
3.1	19.6	21.5	94.1	36.1	28.4	78.6
197.4	166.3	22	253.7	21.1	10.2	150.3
30.1	91.5	34.7	211.9	17.5	97.9	84.7
9.6	241.2	21.6	24.3	30.9	92.5	315.7
24.7	80.7	70.5	62.1	258.4	46.4	88.8
9.9	247.3	64.2	11.5	54.5	24.9	43.3
12.7	44.7	155.9	111.9	102.4	53.6	50
102.8	237.4	140.4	100.1	248.6	975.2	145.4";

/// Success, mean, most and least of a cell.
type Cell = [Option<f64>; 4];

impl Printed {
    /// What stands in a row under an algorithm, in the paper's order.
    fn cells(&self) -> Vec<(String, &'static str, Cell)> {
        let mut cells = Vec::new();
        for row in self.rows.lines() {
            let mut fields = row.trim().split('\t');
            let label = fields.next().unwrap();
            for (algorithm, kinds) in self.columns {
                let mut cell = [None; 4];
                for kind in kinds.chars() {
                    let field = fields.next().unwrap().replace([',', '%'], "");
                    cell["sgml".find(kind).unwrap()] = field.parse().ok();
                }
                cells.push((label.to_owned(), *algorithm, cell));
            }
            assert_eq!(fields.next(), None, "{row}");
        }
        cells
    }
}

fn cell(figure: &Figure) -> Cell {
    let range = figure.range;
    [
        figure.success,
        figure.mean,
        range.map(|it| it.0),
        range.map(|it| it.1),
    ]
}

#[test]
fn every_published_figure_is_that_of_the_paper() {
    assert_eq!(ALL.len(), PRINTED.len());
    for (table, printed) in ALL.iter().zip(&PRINTED) {
        assert_eq!(table.name, printed.name);
        assert_eq!(table.measure.name(), printed.measure);
        assert_eq!(table.runs_are_published, printed.runs.is_some());
        assert!(printed.runs.is_none_or(|runs| runs == table.runs));
        let mut ours = Vec::new();
        for (at, row) in table.rows.iter().enumerate() {
            for column in table.columns {
                ours.push((
                    row.label.to_owned(),
                    column.label,
                    cell(&column.figures[at]),
                ));
            }
        }
        assert_eq!(ours, printed.cells(), "{}", table.name);
    }
}

#[test]
fn the_levels_of_lsga_5_are_those_of_its_seventy_figures() {
    let levels = PRINTED[3].cells();
    for (at, (level, _, [_, mean, most, least])) in levels.iter().enumerate() {
        let figure = |row: &str| row.split('\t').nth(at).unwrap().parse::<f64>().unwrap();
        let figures: Vec<f64> = LSGA_5.lines().map(figure).collect();
        assert_eq!(figures.len(), 10);
        assert_eq!(figures.iter().copied().reduce(f64::max), *most, "{level}");
        assert_eq!(figures.iter().copied().reduce(f64::min), *least, "{level}");
        let average = figures.iter().sum::<f64>() / 10.0;
        assert!(
            (average - mean.unwrap()).abs() < 0.006,
            "{level}: {average}"
        );
    }
}

fn reproduce(args: &[&str]) -> Reply {
    call(&[&["reproduce"], args].concat())
}

#[test]
fn without_a_name_all_tables_are_listed() {
    let reply = reproduce(&[]).expect(0);
    assert_eq!(reply.stderr, "");
    let names: Vec<_> = reply.stdout.lines().skip(1).collect();
    assert_eq!(names.len(), PRINTED.len());
    for (line, printed) in names.iter().zip(&PRINTED) {
        assert_eq!(line.split_whitespace().next(), Some(printed.name));
    }
    let objects = reproduce(&["--format", "json"]).expect(0).objects();
    assert_eq!(objects.len(), PRINTED.len());
    for (object, printed) in objects.iter().zip(&PRINTED) {
        assert_eq!(object["table"], printed.name);
        assert_eq!(object["measure"], printed.measure);
        assert!(!object["errors"].as_array().unwrap().is_empty());
        for key in ["source", "title"] {
            assert!(!word(object, key).is_empty());
        }
    }
}

/// First author and the beginning of the title, as the papers print them.
#[test]
fn tables_are_those_of_papers_that_exist() {
    let papers = [
        (
            "lsga",
            "Wang",
            "A Novel Evolutionary Algorithm with Column and Sub-Block Local Search for Sudoku Puzzles",
        ),
        (
            "nb-coin",
            "Waiyapara",
            "Solving Sudoku Puzzles with Node Based Coincidence Algorithm",
        ),
        (
            "ah-lsga",
            "Himasri",
            "A Hybrid Evolutionary Approach with Adaptive Local Search",
        ),
        (
            "fpchs",
            "Abdel-Raouf",
            "A Novel Hybrid Flower Pollination Algorithm",
        ),
        (
            "queens",
            "Ojugo",
            "Computational Intelligence in Stochastic Solution for Toroidal N-Queen",
        ),
    ];
    for object in reproduce(&["--format", "json"]).expect(0).objects() {
        let table = word(&object, "table");
        let its = |(name, ..): &&(&str, &str, &str)| table.starts_with(name);
        let (_, author, title) = papers.iter().find(its).unwrap();
        let source = word(&object, "source");
        assert!(source.starts_with(author), "{table}: {source}");
        assert!(source.contains(title), "{table}: {source}");
    }
}

#[test]
fn other_names_are_refused() {
    for name in ["nosuch-1", "lsga", "", "LSGA-2"] {
        let reply = reproduce(&[name]).expect(2);
        for known in PRINTED.iter().map(|printed| printed.name) {
            assert!(reply.sentence().contains(known), "{reply:?}");
        }
    }
    for args in [
        &["nb-coin-2", "--runs", "0"][..],
        &["nb-coin-2", "--runs", "x"],
        &["nb-coin-2", "--backend", "cpu,gpu"],
        &["nb-coin-2", "extra"],
        &["nb-coin-2", "--out", "/nonexistent-dir/x"],
    ] {
        assert_eq!(reproduce(args).expect(2).stdout, "");
    }
}

fn number(value: &Value) -> Option<f64> {
    value.as_f64()
}

/// The figures of a row of JSON.
fn published(row: &Value) -> Cell {
    let it = &row["published"];
    let range = |at: usize| number(&it["range"][at]);
    [
        number(&it["success"]),
        number(&it["mean"]),
        range(0),
        range(1),
    ]
}

/// Rows of JSON have the paper's cells in the paper's order, perhaps several of ours for one.
#[track_caller]
fn assert_published(object: &Value) {
    let printed = PRINTED
        .iter()
        .find(|it| object["table"] == it.name)
        .unwrap();
    let mut rows: Vec<_> = object["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            (
                word(row, "row").to_owned(),
                word(row, "column"),
                published(row),
            )
        })
        .collect();
    rows.dedup();
    assert_eq!(rows, printed.cells());
}

/// The runs of `run` that stand behind a measured cell.
fn runs_behind(contender: &str, problem: &str, runs: &str) -> Vec<Value> {
    let mut parts = contender.split(':');
    let args = [problem, "--algo", parts.next().unwrap(), "--runs", runs];
    let pairs: Vec<_> = parts.collect();
    run_cpu(&[&args[..], &sets(&pairs)].concat()).objects()
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[test]
fn measured_figures_are_those_of_run() {
    for (table, problems, runs) in [
        (
            "nb-coin-2",
            &[
                "easy-1",
                "easy-11",
                "medium-27",
                "medium-29",
                "hard-77",
                "hard-106",
            ][..],
            "2",
        ),
        ("fpchs", &["fpchs-1", "fpchs-2", "fpchs-3"], "1"),
    ] {
        let object = reproduce(&[table, "--runs", runs, "--format", "json"]);
        let object = object.expect(0).object();
        assert_published(&object);
        assert_eq!(object["runs"].to_string(), runs);
        let measure = word(&object, "measure");
        let rows = object["rows"].as_array().unwrap();
        let labels: Vec<&Value> = rows.iter().map(|row| &row["row"]).collect();
        let row_number = |label: &Value| {
            let mut labels = labels.clone();
            labels.dedup();
            labels.iter().position(|it| *it == label).unwrap()
        };
        let mut measured = 0;
        for row in rows {
            let found = &row["measured"];
            let is_slow = row["contender"] == "nb-coin:neighbours=off";
            assert_eq!(found.is_null(), row["quoted"] == true || is_slow, "{row}");
            if found.is_null() {
                continue;
            }
            measured += 1;
            let problem = problems[row_number(&row["row"])];
            let expected = runs_behind(word(row, "contender"), problem, runs);
            let solved = expected.iter().filter(|run| run["solved"] == true);
            let costs: Vec<f64> = solved.map(|run| count(run, measure) as f64).collect();
            assert_eq!(count(found, "runs") as usize, expected.len());
            assert_eq!(count(found, "solved") as usize, costs.len(), "{row}");
            assert_eq!(number(&found["mean"]), mean(&costs), "{row}");
        }
        assert!(measured >= problems.len());
    }
}

#[test]
fn text_has_both_figures_and_the_errors() {
    let reply = reproduce(&["ah-lsga-5", "--runs", "1", "--seed", "3"]).expect(0);
    assert_eq!(reply.stderr, "");
    let text = &reply.stdout;
    let table = Table::find("ah-lsga-5").unwrap();
    for part in [table.source, table.title].iter().chain(table.errors) {
        assert!(text.contains(part), "{part}");
    }
    let row = |begin: &[&str]| -> Vec<&str> {
        let rows = text
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>());
        let mut rows = rows.filter(|row| row.starts_with(begin));
        rows.next().unwrap_or_else(|| panic!("{begin:?}: {text}"))
    };
    // Published and measured: solved, rate, generations, interval, median, effective, time and its unit.
    let hybrid = row(&["Hard", "1", "Hybrid", "ah-lsga"]);
    assert_eq!(hybrid[4..7], ["-", "120", "1/1p"], "propagation alone");
    assert_eq!(hybrid.len(), 6 + 8);
    let searching = row(&["Hard", "1", "Hybrid", "ah-lsga:propagate=none"]);
    assert_eq!(searching[4..7], ["-", "120", "1/1"]);
    let run = run_cpu(&[
        "hard-77",
        "--algo",
        "ah-lsga",
        "--set",
        "propagate=none",
        "--seed",
        "3",
    ]);
    let generations = count(&run.object(), "generations") as f64;
    assert_eq!(
        searching[8].parse::<f64>().unwrap(),
        generations,
        "{searching:?}"
    );
    let quoted = row(&["Hard", "2", "GA"]);
    assert_eq!(
        quoted[3..],
        ["(ga:", "only", "with", "--all)", "-", "26825"]
    );
    assert!(text.contains("--all"));
}

#[test]
fn a_table_goes_on_where_it_stopped() {
    let dir = Dir::new();
    let file = dir.at("table.jsonl");
    let args = ["nb-coin-2", "--runs", "2", "--out", &file];
    let first = reproduce(&args).expect(0);
    assert_eq!(first.stderr, "");
    let lines = run_lines(&file);
    assert_eq!(lines.len(), 12);
    let again = reproduce(&args).expect(0);
    assert_eq!(again.stdout, first.stdout, "seconds included");
    assert!(again.stderr.contains("12 runs"), "{again:?}");
    assert_eq!(run_lines(&file), lines);
    // Part of it, with a line that is torn.
    let text = read(&file);
    let cut = text.len() - lines[11].len() / 2;
    let part = dir.file("part.jsonl", &text[..cut]);
    reproduce(&["nb-coin-2", "--runs", "2", "--out", &part]).expect(0);
    assert_eq!(timeless_runs(&part), timeless_runs(&file));
    // The digest is of what came of the runs, not of the time that they took.
    let digest_of = |out: &str| {
        let args = ["nb-coin-2", "--runs", "2", "--format", "json", "--out", out];
        word(&reproduce(&args).expect(0).object(), "digest").to_owned()
    };
    let digest = digest_of(&file);
    assert!(
        first
            .stdout
            .contains(&format!("Digest of all 12 runs: {digest};"))
    );
    assert_eq!(digest_of(&dir.at("anew.jsonl")), digest);
    let more = ["nb-coin-2", "--runs", "3", "--format", "json"];
    assert_ne!(word(&reproduce(&more).expect(0).object(), "digest"), digest);
    // Other seeds are other experiments.
    let before = read(&file);
    let other = ["nb-coin-2", "--runs", "2", "--seed", "2", "--out", &file];
    let reply = reproduce(&other).expect(2);
    assert!(reply.sentence().contains("experiment"), "{reply:?}");
    assert_eq!(read(&file), before);
    // But a comparison of the same is the same experiment.
    let six = "easy-1,easy-11,medium-27,medium-29,hard-77,hard-106";
    let same = ["--algo", "nb-coin", "--problem", six, "--runs", "2"];
    let reply = compare_into(&file, &same).expect(0);
    assert!(reply.stderr.contains("12 runs"), "{reply:?}");
}

fn experiment(table: &str, runs: u32) -> Experiment {
    let table = Table::find(table).unwrap();
    table.experiment(runs, 1, false).unwrap()
}

/// The error notes say how to make them; whoever does so must have the same puzzles.
#[test]
fn stand_ins_are_those_of_generate() {
    for (table, each, levels) in [
        ("lsga-4", 30, &["36", "31", "28", "26"][..]),
        ("lsga-5", 10, &["34", "32", "30", "28", "27", "26", "25"]),
    ] {
        let problems = experiment(table, 1).problems;
        assert_eq!(problems.len(), each * levels.len());
        for ((level, givens), seed) in problems.chunks(each).zip(levels).zip(2023..) {
            let seed = seed.to_string();
            let made = call(&[
                "generate", "--size", "9", "--unique", "--givens", givens, "--seed", &seed,
                "--count", "3",
            ]);
            let made = made.expect(0).stdout;
            let made: Vec<&str> = made.lines().map(|line| &line[..81]).collect();
            let ours: Vec<_> = level[..3].iter().map(|it| text(&it.problem)).collect();
            assert_eq!(ours, made, "{table}: {givens}");
        }
    }
    // Its levels are said to be the same.
    let rows = |table: &str| format!("{:?}", Table::find(table).unwrap().rows);
    assert_eq!(rows("ah-lsga-7"), rows("lsga-4"));
}

fn text(problem: &Problem) -> String {
    let Problem::Sudoku(puzzle) = problem else {
        panic!("{problem:?}");
    };
    canonical(puzzle.givens())
}

fn solution(problem: &Problem) -> String {
    let Problem::Sudoku(puzzle) = problem else {
        panic!("{problem:?}");
    };
    match solve(puzzle, Limit::default()) {
        Outcome::Solved(grid) => canonical(&grid),
        other => panic!("{other:?}"),
    }
}

/// A level is told by the averages of its puzzles, not by its runs: a file with invented runs,
/// many of them unsolved, shows it.
#[test]
fn levels_are_averages_of_puzzles() {
    let dir = Dir::new();
    let experiment = experiment("lsga-4", 3);
    let header = Header::new(experiment.design(), Shard::WHOLE);
    let contender = &header.design.contenders[0];
    let mut file = serde_json::to_string(&header).unwrap() + "\n";
    let mut expected = BTreeMap::<String, Vec<Vec<f64>>>::new();
    for (at, problem) in experiment.problems.iter().enumerate() {
        let (level, _) = problem.name.rsplit_once('-').unwrap();
        let solution = solution(&problem.problem);
        let mut costs = Vec::new();
        for run in 0..3 {
            // Of the hardest level only some puzzles are solved, and those not always.
            let solved = (at * 7 + run * 5) % 11 < if level == "evil" { 3 } else { 8 };
            let generations = (at * at + 31 * run) % 401 + 1;
            if solved {
                costs.push(generations as f64);
            }
            let line = json!({
                "experiment": header.experiment, "contender": contender.name, "run": run,
                "improvements": [], "problem": problem.name, "algo": contender.algo,
                "backend": "cpu", "adapter": "invented", "seed": run + 1,
                "pop": contender.pop, "generations": generations, "evaluations": 1,
                "best_fitness": u32::from(!solved), "solved": solved, "verified": solved,
                "seconds": 0.5, "solution": solved.then_some(&solution),
                "population_hash": "0123456789abcdef", "params": contender.params,
                "solved_by": solved.then_some("search"), "propagated": 0,
                "deductions": {
                    "naked_singles": 0, "hidden_singles": 0, "locked_candidates": 0,
                    "probed_candidates": 0,
                },
                "effective_generations": 1, "false_zero": null, "goal": 0,
                "stop": if solved { "solved" } else { "generations" }, "rejected": null,
            });
            file.push_str(&format!("{line}\n"));
        }
        expected.entry(level.to_owned()).or_default().push(costs);
    }
    let file = dir.file("invented.jsonl", file);
    let args = ["lsga-4", "--runs", "3", "--format", "json", "--out", &file];
    let object = reproduce(&args).expect(0).object();
    assert_eq!(runs(&file).len(), 360, "nothing was run");
    assert_published(&object);
    for row in object["rows"].as_array().unwrap() {
        let puzzles = &expected[&word(row, "row").to_lowercase()];
        let found = &row["measured"];
        let solved: usize = puzzles.iter().map(Vec::len).sum();
        assert_eq!(count(found, "runs"), 90);
        assert_eq!(count(found, "solved") as usize, solved);
        let averages: Vec<f64> = puzzles.iter().filter_map(|costs| mean(costs)).collect();
        let near = |value: &Value, expected: f64| {
            let value = number(value).unwrap();
            assert!(
                (value - expected).abs() < 1e-9 * expected,
                "{value} {expected}"
            );
        };
        near(&found["mean"], mean(&averages).unwrap());
        near(
            &found["range"][0],
            averages.iter().copied().fold(0.0, f64::max),
        );
        near(
            &found["range"][1],
            averages.iter().copied().fold(f64::MAX, f64::min),
        );
        near(&found["seconds"], 0.5);
        let (low, high) = (&found["interval"]["low"], &found["interval"]["high"]);
        assert!(number(low) < mean(&averages) && mean(&averages) < number(high));
    }
}
