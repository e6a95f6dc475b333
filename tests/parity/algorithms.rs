//! Every algorithm over whole runs: the outcome, every record and every checkpoint, on one thread, on
//! two, and on the GPU; and runs that begin on one and end on the other.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use gpusudoku::algo::{self, Settings};
use gpusudoku::checkpoint::Checkpoint;
use gpusudoku::controller::{Observer, Outcome, Progress, RunState, resume, run};
use gpusudoku::engine::Backend;
use gpusudoku::engine::gpu::shaders::Mapping;
use gpusudoku::population::Record;
use gpusudoku::problem::sudoku::builtin;
use gpusudoku::problem::{NamedProblem, Problem, Queens, Surface};

use super::common::*;
use super::support::*;

/// A run: puzzle, settings, population, generations, layout. The seed is the place in the list.
pub type AlgorithmCase = (
    &'static str,
    &'static str,
    &'static str,
    usize,
    u32,
    Mapping,
);

pub const ONE: Mapping = Mapping::Thread;
pub const MANY: Mapping = Mapping::Workgroup;

/// Algorithm by algorithm; settings choose other paths through the kernels.
#[rustfmt::skip]
const CASES: &[AlgorithmCase] = &[
    ("lsga", "9x9", "elite=3 propagate=singles", 15, 12, ONE),
    ("lsga", "latin-10", "block-search=off mutate=individual", 7, 6, MANY),

    ("nb-coin", "4x4", "k=3", 5, 9, ONE),
    ("nb-coin", "6x6", "restart=1 retries=0", 7, 9, MANY),
    ("nb-coin", "9x9", "restart=1", 33, 12, ONE),
    ("nb-coin", "16x16", "neighbours=off", 17, 4, MANY),
    ("nb-coin", "25x25", "propagate=singles retries=1", 9, 3, MANY),
    ("nb-coin", "latin-5", "neighbours=off restart=1", 3, 9, MANY),
    ("nb-coin", "latin-10", "c=.5", 19, 5, ONE),

    ("reseda", "4x4", "order=random stagnation=1", 5, 9, MANY),
    ("reseda", "6x6", "stagnation=1 keep=1", 5, 9, ONE),
    ("reseda", "9x9", "stagnation=2 keep=1", 20, 15, MANY),
    ("reseda", "16x16", "neighbours=off order=random", 17, 4, MANY),
    ("reseda", "25x25", "retries=0 stagnation=1 propagate=locked", 9, 5, MANY),
    ("reseda", "latin-5", "keep=1 stagnation=1", 3, 9, ONE),
    ("reseda", "latin-10", "best=.5 certain=.2 keep=1", 19, 7, MANY),

    ("ah-lsga", "4x4", "propagate=none threshold=2", 3, 9, MANY),
    ("ah-lsga", "6x6", "propagate=none threshold=2 tournament=1", 5, 9, ONE),
    ("ah-lsga", "9x9", "fitness=illegal-units reset=on", 15, 12, ONE),
    ("ah-lsga", "16x16", "rounds=1 threshold=2 reset=on", 9, 9, MANY),
    ("ah-lsga", "25x25", "rounds=1 propagate=none", 5, 5, MANY),
    ("ah-lsga", "latin-5", "propagate=none fitness=illegal-units", 3, 9, MANY),
    ("ah-lsga", "latin-10", "propagate=none pc=1 pc-row=.5", 7, 9, ONE),

    ("ga", "4x4", "mutants=1", 7, 9, ONE),
    ("ga", "6x6", "mutate=individual", 17, 9, MANY),
    ("ga", "9x9", "", 33, 12, ONE),
    ("ga", "16x16", "mutate=individual mutants=3 crossover=1", 17, 6, MANY),
    ("ga", "25x25", "mutants=1 tournament=1 propagate=singles", 5, 4, MANY),
    ("ga", "latin-5", "crossover=1 mutation=1", 1, 9, MANY),
    ("ga", "latin-10", "tournament=40", 19, 6, ONE),

    ("gpu-ga", "4x4", "island=3 epoch=3", 7, 11, MANY),
    ("gpu-ga", "6x6", "island=5 epoch=1 mutants=1", 17, 9, ONE),
    ("gpu-ga", "9x9", "island=7 epoch=5", 33, 23, ONE),
    ("gpu-ga", "16x16", "island=1000 epoch=3 propagate=singles", 9, 8, MANY),
    ("gpu-ga", "25x25", "island=1 epoch=2 crossover=1", 5, 5, MANY),
    ("gpu-ga", "latin-5", "island=2 epoch=4 mutate=individual", 3, 10, ONE),
    ("gpu-ga", "latin-10", "island=4 epoch=7", 19, 17, MANY),

    ("hs", "4x4", "objective=sum domain=any", 17, 40, ONE),
    ("hs", "6x6", "batch=1", 5, 9, MANY),
    ("hs", "9x9", "batch=7 bw=2.5 par=.7", 33, 15, ONE),
    ("hs", "16x16", "distinct=off propagate=singles", 17, 6, MANY),
    ("hs", "25x25", "objective=sum domain=any hmcr=.5", 9, 4, MANY),
    ("hs", "latin-5", "objective=sum distinct=off", 3, 9, MANY),
    ("hs", "latin-10", "bw=128 par=1 hmcr=1 domain=any", 19, 9, ONE),

    ("fpchs", "4x4", "improvisations=300 objective=sum domain=any", 17, 40, MANY),
    ("fpchs", "6x6", "improvisations=3 batch=1 distinct=off", 5, 9, ONE),
    ("fpchs", "9x9", "improvisations=100", 33, 15, ONE),
    ("fpchs", "16x16", "improvisations=20 batch=3 p=0 propagate=singles", 17, 9, MANY),
    ("fpchs", "25x25", "improvisations=10 objective=sum domain=any p=1", 9, 5, MANY),
    ("fpchs", "latin-5", "improvisations=4 mu=3.9 distinct=off", 3, 9, MANY),
    ("fpchs", "latin-10", "improvisations=20 gamma=10 beta=.3", 19, 9, ONE),

    ("memetic", "4x4", "propagate=none steps=2 cycle=3 tabu=.4", 7, 9, MANY),
    ("memetic", "6x6", "propagate=none steps=9 rate=100 cycle=3 tabu=.4", 17, 5, ONE),
    ("memetic", "9x9", "propagate=none steps=9 rate=100 cycle=2 tabu=.5", 33, 5, MANY),
    ("memetic", "16x16", "propagate=singles steps=2 rate=100 cycle=2 tabu=.5", 3, 4, MANY),
    ("memetic", "25x25", "steps=2 cycle=4 tabu=.25 rate=100", 5, 6, ONE),
    ("memetic", "latin-5", "propagate=none steps=2 cycle=4 tabu=.25", 3, 9, MANY),
    ("memetic", "latin-10", "propagate=none steps=4 cycle=2 tabu=.5 rate=100", 19, 5, MANY),

    ("packing", "4x4", "propagate=none steps=2", 7, 9, MANY),
    ("packing", "6x6", "propagate=none steps=100 rate=20", 17, 5, ONE),
    ("packing", "9x9", "propagate=none steps=3 period=1 rate=100", 33, 3, ONE),
    ("packing", "16x16", "propagate=singles steps=10 period=2 rate=100", 3, 4, MANY),
    ("packing", "25x25", "steps=5 rate=100 heat=4", 5, 3, MANY),
    ("packing", "latin-5", "propagate=none steps=2 rate=0", 3, 9, MANY),
    ("packing", "latin-10", "propagate=none steps=20 rate=100 heat=0", 19, 3, ONE),

    ("tabu", "4x4", "propagate=none moves=20", 7, 9, MANY),
    ("tabu", "6x6", "propagate=none moves=100 tenure=0 heat=0 random=1", 17, 5, ONE),
    ("tabu", "9x9", "propagate=none moves=3 period=1", 33, 3, ONE),
    ("tabu", "16x16", "propagate=singles moves=40 period=2", 3, 4, MANY),
    ("tabu", "25x25", "moves=30 tenure=4 heat=4", 5, 3, MANY),
    ("tabu", "latin-5", "propagate=none moves=1 random=1000", 3, 9, MANY),
    ("tabu", "latin-10", "propagate=none moves=200 tenure=.1 heat=.5", 19, 3, ONE),

    ("ga-ii", "4x4", "patience=1", 7, 9, ONE),
    ("ga-ii", "6x6", "patience=2 purge=.5 mutate=each", 17, 9, MANY),
    ("ga-ii", "9x9", "patience=2 purge=.3", 33, 25, ONE),
    ("ga-ii", "16x16", "encoding=blocks patience=1", 17, 40, MANY),
    ("ga-ii", "25x25", "patience=1 rounds=0 propagate=singles", 5, 12, MANY),
    ("ga-ii", "latin-5", "fitness=conflicts patience=1", 3, 9, MANY),
    ("ga-ii", "latin-10", "encoding=blocks patience=1 mutants=2 mutate=each", 19, 9, ONE),

    ("ga-iii", "4x4", "interval=1 sweeps=1", 7, 9, MANY),
    ("ga-iii", "6x6", "interval=2 sweeps=1", 17, 9, ONE),
    ("ga-iii", "9x9", "interval=3 sweeps=2", 33, 13, ONE),
    ("ga-iii", "16x16", "interval=2 sweeps=1 sideways=off tries=3", 17, 7, MANY),
    ("ga-iii", "25x25", "interval=0 propagate=singles", 5, 4, MANY),
    ("ga-iii", "latin-5", "interval=1 sweeps=2 tries=1", 3, 9, MANY),
    ("ga-iii", "latin-10", "interval=2 sweeps=2 mutants=1 crossover=1 sideways=off", 19, 9, ONE),
];

/// Hard ones, so that runs have something to do in all of their generations.
fn problem_named(name: &str) -> Problem {
    if let Some((surface, size)) = name.split_once(':') {
        let surface = match surface {
            "torus" => Surface::Torus,
            _ => Surface::Board,
        };
        return Queens::new(size.parse().unwrap(), surface).unwrap().into();
    }
    let puzzle = match name {
        "4x4" => unsolvable(),
        "6x6" => impossible(sudoku(2, 3)),
        "9x9" => builtin::find("sd3").unwrap().puzzle().clone(),
        "16x16" => puzzle(sudoku(4, 4), 0.3, 2),
        "25x25" => puzzle(sudoku(5, 5), 0.4, 3),
        "36x36" => puzzle(sudoku(6, 6), 0.5, 4),
        "latin-5" => impossible(latin(5)),
        "latin-10" => impossible(latin(10)),
        _ => panic!("no puzzle {name}"),
    };
    puzzle.into()
}

/// The operator and the record of every survey, diversity included, and where the run was after every
/// batch.
#[derive(Default)]
struct Trace {
    records: Vec<(&'static str, Record)>,
    positions: Vec<Arc<RunState>>,
}

impl Observer for Trace {
    fn progress(&mut self, progress: &Progress<'_>) -> ControlFlow<()> {
        let records = progress.records.iter();
        self.records
            .extend(records.map(|&record| (progress.operator, record)));
        ControlFlow::Continue(())
    }

    fn checkpoint_every(&self) -> Option<Duration> {
        Some(Duration::ZERO)
    }

    fn checkpoint(&mut self, state: &Arc<RunState>) -> ControlFlow<()> {
        self.positions.push(state.clone());
        ControlFlow::Continue(())
    }

    fn wants_diversity(&self) -> bool {
        true
    }
}

/// What a run has left.
pub struct FinishedRun {
    pub name: String,
    pub trace: Vec<(&'static str, Record)>,
    positions: Vec<Arc<RunState>>,
    /// Where it was taken up.
    begin: Option<u32>,
    pub outcome: Outcome,
}

impl FinishedRun {
    /// Runs a case, or the rest of it from a state.
    fn new(
        (algorithm, grid, set, pop, generations, _): AlgorithmCase,
        seed: u64,
        backend: Backend,
        from: Option<&RunState>,
    ) -> Self {
        let begin = from.map_or(0, RunState::generation);
        let name = format!(
            "{algorithm} on {grid} with {set}, pop {pop}, seed {seed}, from {begin}: {backend:?}"
        );
        let mut settings = Settings::new(algo::find(algorithm).unwrap());
        for pair in set.split_whitespace() {
            settings.set_pair(pair).unwrap();
        }
        let (algorithm, propagate) = (settings.build(), settings.propagation());
        let config = config_of(&*algorithm, propagate, pop, seed, generations, backend);
        let mut trace = Trace::default();
        let problem = problem_named(grid);
        let outcome = match from {
            None => pollster::block_on(run(&problem, &config, &mut trace)),
            Some(state) => {
                let checkpoint = Checkpoint {
                    problem: NamedProblem {
                        name: grid.to_owned(),
                        problem,
                    },
                    settings: settings.clone(),
                    pop,
                    seed,
                    budget: config.budget,
                    state: state.clone(),
                };
                let mut bytes = Vec::new();
                checkpoint.write(&mut bytes).unwrap();
                let saved = Checkpoint::read(&bytes[..]).unwrap_or_else(|e| panic!("{name}: {e}"));
                assert_eq!(saved.state, *state, "{name}");
                let problem = saved.problem.problem;
                pollster::block_on(resume(&problem, &config, saved.state, &mut trace))
            }
        };
        Self {
            outcome: outcome.unwrap_or_else(|error| panic!("{name}: {error}")),
            name,
            trace: trace.records,
            positions: trace.positions,
            begin: from.map(RunState::generation),
        }
    }

    /// Where it was nearest to half-way, and not at the end.
    fn middle(&self) -> &RunState {
        let half = self.outcome.generations / 2;
        let before_the_end = &self.positions[..self.positions.len() - 1];
        let nearest = before_the_end
            .iter()
            .min_by_key(|state| state.generation().abs_diff(half));
        nearest.expect("there is one of the beginning")
    }

    /// Whenever both were looked at, they were at the same place.
    fn assert_same_positions(&self, other: &Self) {
        let mut met = 0;
        for mine in &self.positions {
            let same = |theirs: &&Arc<RunState>| theirs.generation() == mine.generation();
            if let Some(theirs) = other.positions.iter().find(same) {
                let elapsed = mine.elapsed;
                let theirs = RunState {
                    elapsed,
                    ..RunState::clone(theirs)
                };
                let generation = mine.generation();
                assert!(
                    **mine == theirs,
                    "{} and {}: generation {generation}",
                    self.name,
                    other.name
                );
                met += 1;
            }
        }
        // At the beginning and at the end.
        assert!(met >= 2, "{} and {}", self.name, other.name);
    }

    /// Everything but time and place is the same.
    fn assert_same(&self, other: &Self) {
        let names = format!("{}, and {}", self.name, other.name);
        // A run that was taken up later has only the rest to tell.
        let later = |(_, record): &&(&str, Record)| {
            other.begin.is_none_or(|begin| record.generation > begin)
        };
        let mine: Vec<_> = self.trace.iter().filter(later).collect();
        for (mine, theirs) in mine.iter().zip(&other.trace) {
            assert_eq!(*mine, theirs, "{names}");
        }
        assert_eq!(mine.len(), other.trace.len(), "{names}");
        let parts = |o: &Outcome| {
            (
                (o.stop, o.generations, o.evaluations, o.best_fitness),
                (o.solved, o.goal, o.by_propagation, o.closed_by_propagation),
                (o.effective_generations, o.false_zero, o.rejected.is_some()),
                (o.population_hash, o.best.clone()),
            )
        };
        assert_eq!(parts(&self.outcome), parts(&other.outcome), "{names}");
    }

    pub fn operators(&self) -> HashSet<&'static str> {
        self.trace.iter().map(|(operator, _)| *operator).collect()
    }

    /// How often so many generations in a row brought no better best.
    fn stagnations(&self, patience: u32) -> usize {
        let (mut best, mut stagnant, mut count) = (u32::MAX, 0, 0);
        for (_, record) in &self.trace {
            if record.best < best {
                (best, stagnant) = (record.best, 0);
            } else {
                stagnant += 1;
            }
            if stagnant >= patience {
                (best, stagnant, count) = (u32::MAX, 0, count + 1);
            }
        }
        count
    }
}

/// Runs all cases of an algorithm everywhere; the runs, by grid and settings.
fn runs_of(algorithm: &str) -> Vec<(&'static str, &'static str, FinishedRun)> {
    runs_among(CASES, algorithm)
}

/// The same of some cases.
pub fn runs_among(
    cases: &[AlgorithmCase],
    algorithm: &str,
) -> Vec<(&'static str, &'static str, FinishedRun)> {
    if skipped() {
        return Vec::new();
    }
    let cases = cases.iter().zip(1000..);
    let cases = cases.filter(|((name, ..), _)| *name == algorithm);
    cases
        .map(|(&case, seed)| {
            let cpu = |threads| Backend::Cpu { threads };
            let first = FinishedRun::new(case, seed, cpu(1), None);
            first.assert_same(&FinishedRun::new(case, seed, cpu(2), None));
            let second = FinishedRun::new(case, seed, gpu_backend(case.5), None);
            first.assert_same(&second);
            first.assert_same_positions(&second);
            // From the device to native code, and back.
            first.assert_same(&FinishedRun::new(case, seed, cpu(2), Some(second.middle())));
            let back = FinishedRun::new(case, seed, gpu_backend(case.5), Some(first.middle()));
            first.assert_same(&back);
            first.assert_same_positions(&back);
            assert!(
                first.outcome.generations > 1,
                "{}: over too soon",
                first.name
            );
            assert!(first.outcome.rejected.is_none(), "{}", first.name);
            assert!(
                first
                    .trace
                    .iter()
                    .any(|(_, r)| r.diversity(case.3, 9) > 0.0)
                    || case.3 == 1,
                "{}: all individuals are the same",
                first.name
            );
            (case.1, case.2, first)
        })
        .collect()
}

#[test]
fn every_algorithm_is_here() {
    for info in algo::ALL {
        let cases = CASES.iter().chain(super::hybrids::CASES);
        let of_it = cases.filter(|case| case.0 == info.name);
        let grids: HashSet<_> = of_it.map(|case| case.1).collect();
        // The other tests are all about LSGA.
        assert!(
            grids.len() >= 7 || info.name == "lsga" && grids.len() == 2,
            "{}: {grids:?}",
            info.name
        );
    }
}

#[test]
fn lsga_everywhere() {
    runs_of("lsga");
}

#[test]
fn nb_coin_everywhere() {
    for (_, set, run) in runs_of("nb-coin") {
        if set.contains("restart=1") {
            assert!(run.stagnations(1) > 1, "{}: never restarted", run.name);
        }
    }
}

#[test]
fn reseda_everywhere() {
    for (_, set, run) in runs_of("reseda") {
        for patience in [1, 2] {
            if set.contains(&format!("stagnation={patience}")) {
                let restarts = run.stagnations(patience);
                assert!(restarts > 0, "{}: never restarted", run.name);
            }
        }
    }
}

#[test]
fn ah_lsga_everywhere() {
    for (.., run) in runs_of("ah-lsga") {
        let operators = run.operators();
        assert!(operators.contains("genetic"), "{}", run.name);
        assert!(operators.contains("search"), "{}", run.name);
        let searched = run
            .trace
            .iter()
            .filter(|(operator, _)| *operator == "search");
        let swaps: u64 = searched.map(|(_, record)| record.swaps()).sum();
        assert!(swaps > 0, "{}: search swapped nothing", run.name);
    }
}

#[test]
fn ga_everywhere() {
    for (_, set, run) in runs_of("ga") {
        // The only mutant of a child is no search.
        let searches = !set.contains("mutants=1");
        let swaps = run.trace.iter().any(|(_, r)| r.swaps() > 0);
        assert_eq!(swaps, searches, "{}", run.name);
    }
}

#[test]
fn ga_ii_everywhere() {
    for (.., run) in runs_of("ga-ii") {
        let operators = run.operators();
        assert!(operators.contains("genetic"), "{}", run.name);
        assert!(operators.contains("purge"), "{}: never stuck", run.name);
    }
}

#[test]
fn ga_iii_everywhere() {
    for (_, set, run) in runs_of("ga-iii") {
        let operators = run.operators();
        assert!(operators.contains("optimise"), "{}", run.name);
        let genetic = !set.contains("interval=0");
        assert_eq!(operators.contains("genetic"), genetic, "{}", run.name);
    }
}

#[test]
fn gpu_ga_everywhere() {
    for (_, set, run) in runs_of("gpu-ga") {
        let epoch = set.split("epoch=").nth(1).unwrap();
        let epoch: u32 = epoch.split(' ').next().unwrap().parse().unwrap();
        let generations = run.trace.iter().map(|(_, record)| record.generation);
        let last = generations.clone().next_back().unwrap();
        // Two epochs at least, and the last one in parts unless an epoch is a generation.
        assert!(generations.count() > 3, "{}", run.name);
        assert!(last % epoch != 0 || epoch == 1, "{}", run.name);
    }
}

#[test]
fn hs_everywhere() {
    for (grid, _, run) in runs_of("hs") {
        if grid == "4x4" {
            assert!(run.outcome.false_zero.is_some(), "{}", run.name);
        }
    }
}

#[test]
fn fpchs_everywhere() {
    for (grid, _, run) in runs_of("fpchs") {
        let operators = run.operators();
        assert!(operators.contains("improvise"), "{}", run.name);
        assert!(operators.contains("pollinate"), "{}", run.name);
        if grid == "4x4" {
            assert!(run.outcome.false_zero.is_some(), "{}", run.name);
        }
    }
}

#[test]
fn packing_everywhere() {
    for (_, set, run) in runs_of("packing") {
        assert!(run.operators().contains("packing"), "{}", run.name);
        let steps: u64 = run.trace.iter().map(|(_, record)| record.swaps()).sum();
        assert!(
            run.outcome.evaluations >= steps && steps > 0,
            "{}, {set}",
            run.name
        );
    }
}

#[test]
fn memetic_everywhere() {
    for (_, _, run) in runs_of("memetic") {
        for operator in ["packing", "tabu"] {
            assert!(run.operators().contains(operator), "{}", run.name);
        }
    }
}

#[test]
fn tabu_everywhere() {
    for (_, set, run) in runs_of("tabu") {
        assert!(run.operators().contains("tabu"), "{}", run.name);
        // What a run has evaluated is the first population and every move.
        let moves: u64 = run.trace.iter().map(|(_, record)| record.swaps()).sum();
        assert!(moves > 0, "{}: nobody moved", run.name);
        assert!(run.outcome.evaluations >= moves, "{}, {set}", run.name);
    }
}
