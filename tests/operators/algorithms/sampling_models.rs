//! The models of NB-COIN and RESEDA: what they learn from populations made by hand, and when they are
//! forgotten.

use gpusudoku::algo::{AlgorithmState, Feedback, Task};
use gpusudoku::operators::{Order, Sample, Start, Variation};
use gpusudoku::population::{Population, Record};
use gpusudoku::problem::sudoku::propagate::Level;
use gpusudoku::problem::{Instance, Puzzle, Reduction};
use gpusudoku::rng::Stream;
use rand::RngExt;

use super::settings;
use crate::common::*;
use crate::support::*;

/// A problem whose models learn from populations of this size.
pub struct LearningTask {
    instance: Instance,
    pop: usize,
}

impl LearningTask {
    pub fn new(puzzle: &Puzzle, pop: usize) -> Self {
        let instance = Instance::from(Reduction::new(puzzle, Level::None).unwrap());
        Self { instance, pop }
    }

    pub fn begin(&self, name: &str, pairs: &[(&str, &str)], seed: u64) -> Box<dyn AlgorithmState> {
        settings(name, pairs).build().begin(&Task {
            instance: &self.instance,
            pop: self.pop,
            seed,
        })
    }

    pub fn puzzle(&self) -> &Puzzle {
        self.instance.reduction().puzzle()
    }

    pub fn n(&self) -> usize {
        self.puzzle().geometry().size()
    }

    /// Equal shares of the candidates of each free cell, the free cells alone.
    pub fn uniform(&self) -> Vec<Vec<f64>> {
        let candidates = self.instance.reduction().candidates().iter();
        let givens = self.puzzle().givens().cells();
        let shares = candidates.zip(givens).map(|(&candidates, &given)| {
            let free = |digit: usize| given == 0 && candidates >> digit & 1 == 1;
            let share =
                |digit| f64::from(u8::from(free(digit))) / f64::from(candidates.count_ones());
            (0..self.n()).map(share).collect()
        });
        shares.collect()
    }

    /// Random sub-blocks with a fitness that somebody made up.
    pub fn population(&self, seed: u64) -> Population {
        let representation = gpusudoku::plan::Representation::BLOCKS;
        let mut engine = engine_of(self.puzzle(), representation, self.pop, seed, 1);
        initialise(&mut engine);
        let mut population = population(&mut engine);
        let mut rng = Stream::new(seed, 7);
        let fitness = population.split_mut().2.iter_mut();
        fitness.for_each(|fitness| *fitness = rng.random_range(3..20));
        population
    }
}

pub fn learn(state: &mut dyn AlgorithmState, generation: u32, best: u32, population: &Population) {
    let (_, best_at) = population.best().unwrap();
    let record = Record {
        generation,
        best,
        best_at: best_at as u32,
        ..Record::default()
    };
    state.observe(&Feedback {
        records: &[record],
        observed: &state.observation().of(population),
    });
}

pub fn sample(state: &dyn AlgorithmState) -> Sample {
    let stage = state.stage();
    assert_eq!((stage.generations, stage.operator), (1, "sample"));
    match stage.plan.vary {
        Variation::Renew(Start::Sample(sample)) => sample,
        other => panic!("{other:?} is no sampling"),
    }
}

/// Compares the weights of each cell, as multiples of 2^-24, with what is expected.
fn assert_model(sample: &Sample, expected: &[Vec<f64>], what: &str) {
    let n = expected[0].len();
    for (cell, expected) in expected.iter().enumerate() {
        for (digit, expected) in expected.iter().enumerate() {
            let weight = f64::from(sample.model[cell * n + digit]) / f64::from(1 << 24);
            assert!(
                (weight - expected).abs() < 1e-4,
                "{what}: cell {cell}, digit {digit} has {weight}, not {expected}"
            );
        }
    }
}

/// The individuals from the best to the worst, and how often a digit is in a cell of some.
fn ranked(population: &Population) -> Vec<usize> {
    let mut ranked: Vec<usize> = (0..population.len()).collect();
    ranked.sort_by_key(|&one| (population.fitness()[one], one));
    ranked
}

fn count(population: &Population, some: &[usize], cell: usize, digit: usize) -> f64 {
    let holders = some
        .iter()
        .filter(|&&one| usize::from(population.cells(one)[cell]) == digit);
    holders.count() as f64
}

/// Changes the shares of all cells with a choice.
fn change(shares: &mut [Vec<f64>], mut to: impl FnMut(usize, usize, f64) -> f64) {
    for (cell, shares) in shares.iter_mut().enumerate() {
        let open = |share: &f64| *share > 0.0;
        if shares.iter().copied().filter(open).count() > 1 {
            for (digit, share) in shares
                .iter_mut()
                .enumerate()
                .filter(|(_, share)| open(share))
            {
                *share = to(cell, digit, *share);
            }
        }
    }
}

#[test]
fn models_begin_with_equal_shares_of_the_candidates() {
    for geometry in [sudoku(2, 3), sudoku(3, 3), latin(8)] {
        let task = LearningTask::new(&puzzle(geometry, 0.3, 140), 10);
        for name in ["nb-coin", "reseda"] {
            let state = task.begin(name, &[], 1);
            assert_eq!(state.start(), Start::Sample(sample(&*state)));
            assert_model(&sample(&*state), &task.uniform(), name);
        }
    }
}

/// Eqs. 4 and 5 with real numbers: as many good ones as bad ones, C of the population each.
#[test]
fn nb_coin_learns_from_good_and_bad() {
    let task = LearningTask::new(&puzzle(sudoku(3, 3), 0.25, 141), 10);
    for (c, selected, k, upper) in [
        ("0.25", 2, 0.4, 0.99),
        ("0.5", 5, 0.1, 0.9),
        ("0.09", 0, 0.4, 0.99),
        ("1", 10, 0.4, 0.99),
    ] {
        let pairs = [
            ("c", c),
            ("k", &k.to_string()),
            ("upper", &upper.to_string()),
        ];
        let mut state = task.begin("nb-coin", &pairs, 1);
        let mut expected = task.uniform();
        let choices: Vec<f64> = expected
            .iter()
            .map(|shares| shares.iter().filter(|&&share| share > 0.0).count() as f64)
            .collect();
        for generation in 0..6 {
            let population = task.population(u64::from(generation));
            learn(&mut *state, generation, 19 - generation, &population);
            let ranked = ranked(&population);
            let (good, bad) = (&ranked[..selected], &ranked[10 - selected..]);
            change(&mut expected, |cell, digit, share| {
                let [good, bad] = [good, bad].map(|some| count(&population, some, cell, digit));
                let lower = (1.0 - upper) / (choices[cell] - 1.0);
                (share + k / 9.0 * (good - bad)).clamp(lower, upper)
            });
            for shares in &mut expected {
                let sum: f64 = shares.iter().sum();
                shares.iter_mut().for_each(|share| *share /= sum.max(1e-9));
            }
            let what = format!("C = {c}, generation {generation}");
            assert_model(&sample(&*state), &expected, &what);
        }
    }
}

/// The generations, of 30 whose best is like that, after which a state has forgotten everything.
fn restarts(
    task: &LearningTask,
    name: &str,
    pairs: &[(&str, &str)],
    best: impl Fn(u32) -> u32,
) -> Vec<u32> {
    let mut state = task.begin(name, pairs, 1);
    let initial = sample(&*state);
    let population = task.population(3);
    let forgot = (0..30).filter(|&generation| {
        learn(&mut *state, generation, best(generation), &population);
        sample(&*state) == initial
    });
    forgot.collect()
}

#[test]
fn models_are_forgotten_after_stagnation() {
    let task = LearningTask::new(&puzzle(sudoku(3, 3), 0.25, 142), 20);
    let coin = |restart: &str, best: fn(u32) -> u32| {
        restarts(&task, "nb-coin", &[("restart", restart)], best)
    };
    let reseda = |stagnation: &str, best: fn(u32) -> u32| {
        let pairs = [("stagnation", stagnation), ("keep", "0"), ("certain", "1")];
        restarts(&task, "reseda", &pairs, best)
    };
    for restarts in [&coin as &dyn Fn(&str, fn(u32) -> u32) -> Vec<u32>, &reseda] {
        // The first of an epoch is always better, so it takes one more than that.
        assert_eq!(restarts("4", |_| 9), [4, 9, 14, 19, 24, 29]);
        assert_eq!(
            restarts("1", |_| 9),
            (0..30).filter(|g| g % 2 == 1).collect::<Vec<_>>()
        );
        // Somebody better in time puts it off.
        assert_eq!(restarts("4", |g| 50 - g / 4), [] as [u32; 0]);
        assert_eq!(restarts("4", |g| 50 - g / 5), [4, 9, 14, 19, 24, 29]);
        assert_eq!(restarts("10", |g| if g < 7 { 9 } else { 8 }), [17, 28]);
    }
    assert_eq!(reseda("all", |_| 9), [] as [u32; 0]);
}

/// Eq. 3 with real numbers, and cells from the most certain to the least.
#[test]
fn reseda_mixes_the_old_model_with_the_best() {
    for geometry in [sudoku(3, 3), sudoku(2, 3), latin(7)] {
        let task = LearningTask::new(&puzzle(geometry, 0.25, 143), 12);
        for (best, selected, a) in [("0.25", 3, 0.7), ("0.01", 1, 0.4), ("1", 12, 0.9)] {
            let pairs = [("best", best), ("a", &a.to_string()), ("certain", "1")];
            let mut state = task.begin("reseda", &pairs, 1);
            let mut expected = task.uniform();
            for generation in 0..6 {
                let population = task.population(u64::from(generation));
                learn(&mut *state, generation, 19, &population);
                let chosen = &ranked(&population)[..selected];
                change(&mut expected, |cell, digit, share| {
                    a * share
                        + (1.0 - a) * count(&population, chosen, cell, digit) / selected as f64
                });
                let what = format!("{geometry}, {best}, generation {generation}");
                assert_model(&sample(&*state), &expected, &what);
                assert_order(&task, &sample(&*state));
            }
        }
    }
}

/// Free cells of a block from the most certain to the least, the first of equals first.
fn assert_order(task: &LearningTask, sample: &Sample) {
    let n = task.n();
    assert_eq!(sample.order, Order::Given);
    let orders = sample.model[n * n * n..].chunks(n);
    for (block, order) in blocks(task.puzzle().geometry()).into_iter().zip(orders) {
        let free = free_of(task.puzzle(), &block);
        let order = &order[..free.len()];
        let mut all = order.to_vec();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..free.len() as u32), "{order:?}");
        let certainty = |&k: &u32| {
            *sample.model[free[k as usize] * n..][..n]
                .iter()
                .max()
                .unwrap()
        };
        for pair in order.windows(2) {
            let [one, two] = [certainty(&pair[0]), certainty(&pair[1])];
            assert!(one > two || (one == two && pair[0] < pair[1]), "{order:?}");
        }
    }
}
