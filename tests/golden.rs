//! What the algorithms make of a seed, frozen: `tests/golden.tsv` has the best fitness, the evaluations and
//! the digest of the last population of short runs. No run ends in a solution, so that each digest is of a
//! population in which everything that the algorithm does has left its trace.
#![cfg(feature = "lab")]

#[path = "golden/shared.rs"]
mod shared;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use gpusudoku::algo;
use gpusudoku::controller::{self, Budget, Config, Observer, Outcome, RunState, Stop};
use gpusudoku::engine::Backend;
use gpusudoku::lab::experiment::Contender;
use gpusudoku::problem::sudoku::builtin;
use gpusudoku::problem::sudoku::format::{ReadOptions, read_one};
use gpusudoku::problem::{Problem, Puzzle, Queens, Surface};
use rayon::prelude::*;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden.tsv");
const HEADING: &str =
    "# contender\tproblem\tpop\tseed\tgenerations\tbest\tevaluations\tpopulation_hash";

/// Every algorithm as it is, or with less patience so that short runs see all of its stages: individuals,
/// and generations.
const CONTENDERS: &[(&str, usize, u32)] = &[
    ("tabu:moves=60:restart=100", 5, 6),
    ("tabu:moves=3:heat=0.5:propagate=none", 5, 6),
    ("packing:steps=2:rate=20:propagate=none", 5, 6),
    (
        "memetic:steps=2:rate=20:cycle=3:tabu=0.4:propagate=none",
        5,
        6,
    ),
    ("lsga", 40, 8),
    ("lsga:elite=3:selection=parent:partners=1", 20, 8),
    ("nb-coin:restart=4", 30, 10),
    ("nb-coin:neighbours=off", 20, 10),
    ("reseda:stagnation=3", 30, 10),
    ("ah-lsga:threshold=2", 30, 8),
    ("ah-lsga:propagate=none:reset=on", 20, 8),
    ("ga", 30, 30),
    ("ga-ii:patience=3:purge=0.5", 20, 12),
    ("ga-ii:encoding=blocks:patience=3:mutate=each", 20, 12),
    ("ga-iii:interval=3:sweeps=2", 20, 12),
    ("ga-iii:interval=2:sweeps=1:sideways=off:tries=2", 20, 12),
    ("gpu-ga:island=16:epoch=5", 64, 20),
    ("hs", 20, 30),
    ("hs:objective=sum:domain=any:distinct=off", 20, 30),
    ("fpchs:improvisations=200", 20, 25),
    ("hpsoga", 20, 30),
    ("hpsoga:inertia=0.9:bricks=rows", 20, 30),
    ("cga:restart=4", 20, 30),
    ("hgsaga:stagnation=3:horizon=10", 20, 20),
    ("hgasa:stagnation=3", 12, 16),
    (
        "hgasa:stagnation=3:temperature=1:chains=at-once:hold=2",
        12,
        16,
    ),
    ("min-conflicts:restart=5", 4, 8),
];

const GRIDS: [&str; 5] = ["6x6", "sd2", "latin-15", "16x16-40", "25x25-45"];
const QUEENS: [&str; 4] = ["queens:8", "queens:50", "torus:24", "torus:25"];

/// Problems that most runs of the above would solve: so many individuals and generations are left of them.
const SMALL: [(&str, usize, u32); 2] = [("6x6", 4, 2), ("queens:8", 4, 2)];

const SIX: &str = "..3.4.1..6...3....6.........6......4";
const LATIN: &str = "\
5 0 0 9 4 12 0 0 0 8 13 0 11 0 0
0 0 0 0 0 11 2 0 0 0 1 0 0 0 0
10 0 0 14 5 8 0 0 0 9 0 0 0 0 0
0 6 14 8 11 4 10 13 9 0 0 3 0 7 0
0 10 4 2 1 6 0 0 0 0 0 14 7 8 12
6 13 0 0 7 0 0 0 0 10 0 2 0 0 14
0 4 0 3 0 0 0 0 0 0 0 0 0 14 0
13 15 11 0 0 0 0 0 0 14 0 0 0 0 4
3 5 0 0 0 0 0 0 0 0 0 0 6 12 9
0 0 0 0 2 0 0 9 3 13 10 5 0 0 1
0 0 0 13 14 5 0 0 0 0 6 0 0 0 10
7 0 0 0 0 10 8 14 5 0 0 0 2 0 0
0 3 5 0 15 2 14 0 0 0 9 1 0 10 0
12 0 6 4 0 3 7 0 14 11 0 0 10 1 5
14 0 0 0 12 0 0 4 0 7 11 0 3 0 0
";

fn problem(name: &str) -> Problem {
    let latin = ReadOptions {
        latin: true,
        ..ReadOptions::default()
    };
    let (text, options) = match name {
        "6x6" => (SIX, ReadOptions::default()),
        "latin-15" => (LATIN, latin),
        "16x16-40" => (
            include_str!("../puzzles/generated/16x16-40.txt"),
            ReadOptions::default(),
        ),
        "25x25-45" => (
            include_str!("../puzzles/generated/25x25-45.txt"),
            ReadOptions::default(),
        ),
        _ => {
            let surfaces = [("queens:", Surface::Board), ("torus:", Surface::Torus)];
            let queens = surfaces.iter().find_map(|&(kind, surface)| {
                let size = name.strip_prefix(kind)?.parse().unwrap();
                Some(Queens::new(size, surface).unwrap())
            });
            return match queens {
                Some(queens) => queens.into(),
                None => builtin::find(name).unwrap().puzzle().clone().into(),
            };
        }
    };
    let entry = read_one(text.as_bytes(), &options).unwrap();
    Puzzle::new(entry.grid).unwrap().into()
}

/// A line of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Row {
    contender: String,
    problem: String,
    pop: usize,
    seed: u64,
    generations: u32,
    found: String,
}

impl Row {
    fn parse(line: &str) -> Option<Self> {
        let mut fields = line.splitn(6, '\t');
        let mut next = || fields.next();
        Some(Self {
            contender: next()?.to_owned(),
            problem: next()?.to_owned(),
            pop: next()?.parse().ok()?,
            seed: next()?.parse().ok()?,
            generations: next()?.parse().ok()?,
            found: next()?.to_owned(),
        })
    }

    fn run(&self) -> Outcome {
        self.run_on(Backend::Cpu { threads: 1 }, &mut ())
    }

    fn run_on(&self, backend: Backend, observer: &mut dyn Observer) -> Outcome {
        self.carry_out(backend, None, observer)
    }

    fn carry_out(
        &self,
        backend: Backend,
        from: Option<RunState>,
        observer: &mut dyn Observer,
    ) -> Outcome {
        let contender = Contender::parse(&self.contender, Some(self.pop)).unwrap();
        let algorithm = contender.settings.build();
        let config = Config {
            algorithm: &*algorithm,
            propagate: contender.settings.propagation(),
            pop: contender.pop,
            seed: self.seed,
            budget: Budget {
                max_generations: self.generations,
                max_evaluations: None,
                time_limit: None,
            },
            backend,
        };
        let problem = problem(&self.problem);
        let outcome = pollster::block_on(async {
            match from {
                Some(from) => controller::resume(&problem, &config, from, observer).await,
                None => controller::run(&problem, &config, observer).await,
            }
        });
        outcome.unwrap()
    }

    fn found(outcome: &Outcome) -> String {
        let (best, evaluations) = (outcome.best_fitness, outcome.evaluations);
        format!("{best}\t{evaluations}\t{:016x}", outcome.population_hash)
    }

    fn line(&self) -> String {
        let Self {
            contender,
            problem,
            pop,
            seed,
            generations,
            found,
        } = self;
        format!("{contender}\t{problem}\t{pop}\t{seed}\t{generations}\t{found}")
    }
}

/// What is to be run, as far as this program says; seeds are the file's.
fn planned() -> Vec<Row> {
    let mut rows = Vec::new();
    for &(contender, pop, generations) in CONTENDERS {
        let for_queens = contender.split(':').next().unwrap();
        let for_queens =
            ["hpsoga", "cga", "hgsaga", "hgasa", "min-conflicts"].contains(&for_queens);
        let bricks = contender.contains("bricks");
        let queens = QUEENS.iter().filter(|_| for_queens && !bricks);
        for &problem in GRIDS.iter().chain(queens) {
            // Probing solves it, and leaves nothing to be frozen.
            if problem == "6x6" && contender == "tabu:moves=60:restart=100" {
                continue;
            }
            let small = SMALL.iter().find(|it| it.0 == problem);
            let (pop, generations) = match small {
                // Islands have their size.
                Some(_) if contender.starts_with("gpu-ga") => (16, 5),
                Some(&(_, most, few)) => (pop.min(most), generations.min(few)),
                None => (pop, generations),
            };
            rows.push(Row {
                contender: contender.to_owned(),
                problem: problem.to_owned(),
                pop,
                seed: 1,
                generations,
                found: String::new(),
            });
        }
    }
    rows
}

/// Writes the file anew, with the first seed of each run that does not lead to a solution.
fn bless() {
    let row = |mut row: Row| {
        let outcome = loop {
            let outcome = row.run();
            if outcome.stop == Stop::Generations {
                break outcome;
            }
            row.seed += 1;
            assert!(row.seed < 100, "too easy: {row:?}");
        };
        row.found = Row::found(&outcome);
        row.line()
    };
    let lines: Vec<String> = planned().into_par_iter().map(row).collect();
    std::fs::write(FILE, format!("{HEADING}\n{}\n", lines.join("\n"))).unwrap();
    eprintln!("{FILE} is written anew");
}

/// The lines of the file.
fn frozen() -> Vec<Row> {
    let text = std::fs::read_to_string(FILE).unwrap();
    text.lines().filter_map(Row::parse).collect()
}

#[test]
fn seeds_lead_where_they_always_did() {
    if std::env::var_os("GPUSUDOKU_BLESS").is_some_and(|value| value == "1") {
        return bless();
    }
    let rows = frozen();
    let differ = |row: &Row| {
        let outcome = row.run();
        // Otherwise the digest would say little of what happened before.
        assert_eq!(outcome.stop, Stop::Generations, "{row:?}");
        let found = Row::found(&outcome);
        (found != row.found).then_some((row.line(), found))
    };
    let differences: Vec<_> = rows.par_iter().filter_map(differ).collect();
    let mut message = String::new();
    for (frozen, found) in &differences {
        writeln!(message, "  {frozen}\n    is now {found}").unwrap();
    }
    assert!(
        differences.is_empty(),
        "{} of {} runs lead to other populations than before:\n{message}\
         For the same seed this program promises the same populations. To change them is a decision that \
         belongs into CHANGELOG.md. If it was made, GPUSUDOKU_BLESS=1 cargo test --test golden writes \
         tests/golden.tsv anew.",
        differences.len(),
        rows.len()
    );
}

/// A line that got lost would not be missed otherwise.
#[test]
fn every_algorithm_is_frozen() {
    let text = std::fs::read_to_string(FILE).unwrap();
    let lines = || text.lines().filter(|line| !line.starts_with('#'));
    let frozen: Vec<Row> = lines().map(|line| Row::parse(line).unwrap()).collect();
    let key = |row: &Row| {
        let Row {
            contender, problem, ..
        } = row.clone();
        (contender, problem, row.pop, row.generations)
    };
    let keys = |rows: &[Row]| rows.iter().map(key).collect::<Vec<_>>();
    assert_eq!(keys(&frozen), keys(&planned()));
    let algorithms: BTreeSet<&str> = CONTENDERS
        .iter()
        .map(|it| it.0.split(':').next().unwrap())
        .collect();
    let all: BTreeSet<&str> = algo::ALL.iter().map(|info| info.name).collect();
    assert_eq!(algorithms, all);
    // Settings that change nothing would be frozen for nothing. On small problems they have no time to.
    let small = |row: &&Row| SMALL.iter().any(|it| it.0 == row.problem);
    let large = || frozen.iter().filter(|row| !small(row));
    let digests: BTreeSet<&str> = large().map(|row| row.found.as_str()).collect();
    assert_eq!(digests.len(), large().count(), "two runs had the same end");
}
