//! Searches that keep partial grids: they equal their model to the bit, and keep their promises.

mod any_search;
mod rules;

use gpusudoku::engine::{Backend, Engine};
use gpusudoku::error::Error;
use gpusudoku::operators::cooling::cooled;
use gpusudoku::operators::{Packing, Start, Tabu, Variation};
use gpusudoku::plan::{Objective, Plan, Representation};
use gpusudoku::population::{HOLE, Population, Record};
use gpusudoku::problem::sudoku::propagate::Level;
use gpusudoku::problem::{Geometry, Grid, Instance, Puzzle, Reduction};
use gpusudoku::rng::Stream;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use rand::RngExt;

use super::colouring::{assert_equal, reduced, reductions, tabus};
use crate::common::*;
use crate::reference::colouring::*;
use crate::reference::packing::*;
use crate::support::strategies::config;
use crate::support::*;

/// Two or three are thrown out now and then.
const WARM: [u32; 2] = [1 << 29, 1 << 31];

const SHORT: Packing = Packing {
    draws: 40,
    rates: WARM,
    period: 3,
};

/// A run of one plan.
#[derive(Debug, Clone)]
struct PackingRun {
    reduction: Reduction,
    packing: Packing,
    pop: usize,
    seed: u64,
    threads: usize,
}

impl PackingRun {
    fn plan(&self) -> Plan {
        plan(self.packing)
    }

    fn geometry(&self) -> Geometry {
        self.reduction.puzzle().geometry()
    }

    fn engine_with(&self, threads: usize) -> Engine {
        let instance = Instance::from(self.reduction.clone());
        let (backend, kind) = (Backend::Cpu { threads }, Representation::COLOURING);
        try_engine_on(&backend, &instance, kind, self.pop, self.seed).unwrap()
    }

    fn engine(&self) -> Engine {
        self.engine_with(self.threads)
    }

    fn model(&self) -> ColouringModel<'_> {
        ColouringModel::new(&self.reduction, self.pop, self.seed)
    }

    /// Both, with this population.
    fn begun_with(&self, foreign: &[Vec<u8>]) -> (Engine, ColouringModel<'_>) {
        let (mut engine, mut model) = (self.engine(), self.model());
        begin(&mut engine, &Start::Fresh);
        let loaded = population_of(self.geometry(), foreign, 54_321);
        engine.load(&loaded).unwrap();
        model.individuals = foreign.to_vec();
        model.evaluate();
        (engine, model)
    }
}

fn plan(packing: Packing) -> Plan {
    Plan::from(Variation::Packing(packing))
}

/// A case that is the same every time.
fn fixed(
    geometry: Geometry,
    givens: f64,
    level: Level,
    packing: Packing,
    pop: usize,
) -> PackingRun {
    PackingRun {
        reduction: reduced(&puzzle(geometry, givens, 190), level),
        packing,
        pop,
        seed: 191,
        threads: 2,
    }
}

fn packings() -> impl Strategy<Value = Packing> {
    let draws = prop_oneof![1u32..=5, 6u32..=18, 1u32..=60, 100u32..=200];
    let rates = prop_oneof![
        Just([0, 0]),
        Just([0, u32::MAX]),
        Just([u32::MAX; 2]),
        Just(WARM),
        Just([1, 2]),
        [0u32..1 << 28, 0u32..1 << 28],
        [any::<u32>(), any::<u32>()],
    ];
    let period = prop_oneof![Just(1u32), 2u32..6, 1u32..=4095, Just(4095)];
    (draws, rates, period).prop_map(|(draws, mut rates, period)| {
        rates.sort_unstable();
        Packing {
            draws,
            rates,
            period,
        }
    })
}

prop_compose! {
    /// So much to do at the most: draws of everybody.
    fn packing_runs(work: u32)(
        reduction in reductions(),
        packing in packings(),
        pop in 1usize..=20,
        seed: u64,
        threads in prop_oneof![Just(1usize), Just(3)],
    ) -> PackingRun {
        // A step on a large grid takes the model as long as many on a small one.
        let work = if reduction.puzzle().geometry().size() > 9 { work / 8 } else { work };
        let pop = pop.min((work / packing.draws).max(1) as usize);
        PackingRun { reduction, packing, pop, seed, threads }
    }
}

/// Random candidates with so many holes in 100 cells, whatever is in conflict.
fn foreign_of(reduction: &Reduction, pop: usize, holes: u32, seed: u64) -> Vec<Vec<u8>> {
    let givens = reduction.puzzle().givens().cells();
    let mut foreign = ColouringModel::new(reduction, pop, seed).individuals;
    let mut rng = Stream::new(seed, 7);
    for grid in &mut foreign {
        for (digit, &given) in grid.iter_mut().zip(givens) {
            if given == 0 && rng.random_range(0..100) < holes {
                *digit = HOLE;
            }
        }
    }
    foreign
}

fn has_holes(grids: &[Vec<u8>]) -> bool {
    grids.iter().any(|grid| grid.contains(&HOLE))
}

/// Compares so many generations, or all to the first solved one.
fn compare_with_model(case: &PackingRun, generations: u32) -> Steps {
    let (mut engine, mut model) = (case.engine(), case.model());
    let mut record = begin(&mut engine, &Start::Fresh);
    loop {
        assert_equal(&mut engine, &record, &model);
        if record.solved() || model.generation == generations {
            return model.steps;
        }
        record = next_of(&mut engine, &case.plan()).0;
        model.pack(&case.packing);
    }
}

/// Givens stand, cells hold candidates or are holes, nothing is in conflict, fitness is what a recount says, padding is
/// zero.
fn check_packings(reduction: &Reduction, population: &Population) -> Result<(), TestCaseError> {
    let recount = FitnessRecount::new(reduction.puzzle().geometry());
    let givens = reduction.puzzle().givens().cells();
    for (individual, &fitness) in population.fitness().iter().enumerate() {
        let cells = population.cells(individual);
        for (cell, &digit) in cells.iter().enumerate() {
            match givens[cell] {
                0 if digit == HOLE => (),
                0 => prop_assert!(reduction.candidates()[cell] >> digit & 1 == 1),
                given => prop_assert_eq!(given, digit + 1, "the given of cell {} moved", cell),
            }
        }
        prop_assert_eq!(recount.conflicts(cells), 0);
        let holes = cells.iter().filter(|&&digit| digit == HOLE).count();
        prop_assert_eq!(fitness, holes as u32);
        prop_assert_eq!(
            fitness,
            recount.fitness(Objective::ConflictsAndHoles, cells)
        );
    }
    check_padding(population)
}
