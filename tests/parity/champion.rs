//! The best individual of a run: the same on both engines, and never worse than what records have seen.

use gpusudoku::engine::gpu::shaders::Mapping;
use gpusudoku::operators::{BreedRows, Start, Survivor};
use gpusudoku::plan::{Plan, Representation};
use gpusudoku::rng::Rate;

use super::support::*;
use crate::common::*;

#[test]
fn the_best_of_the_run_is_kept_through_worse_generations() {
    for mapping in [Mapping::Thread, Mapping::Workgroup] {
        let puzzle = impossible(gpusudoku::problem::Geometry::usual(9).unwrap());
        let mut pair = Pair::new(&puzzle, 33, 7, mapping, 2);
        // Children always take the place, so that generations get worse again.
        let plan = Plan::from(BreedRows {
            swap: Rate::new(0.5).unwrap(),
            column_search: true,
            rounds: 1,
            partners: 1,
            survivor: Survivor::Child,
            ..BreedRows::IDLE
        });
        let mut least = pair.initialise().best;
        let mut worse = 0;
        for batch in [1, 7, 40] {
            for engine in [&mut pair.cpu, &mut pair.gpu] {
                let mut seen = least;
                let mut left = batch;
                while left > 0 {
                    let records = pollster::block_on(engine.advance(&plan, left)).unwrap();
                    left -= records.len() as u32;
                    let bests = records.iter().map(|record| record.best);
                    seen = bests.fold(seen, u32::min);
                }
                let champion = pollster::block_on(engine.champion()).unwrap().unwrap();
                assert_eq!(champion.individual.fitness(), [seen]);
                let now = pollster::block_on(engine.population())
                    .unwrap()
                    .into_owned();
                worse += u32::from(now.best().unwrap().0 > seen);
            }
            let [cpu, gpu] = [&mut pair.cpu, &mut pair.gpu]
                .map(|engine| pollster::block_on(engine.champion()).unwrap().unwrap());
            assert_eq!(cpu, gpu, "{}", pair.name);
            least = cpu.individual.fitness()[0];
        }
        assert!(worse > 0, "no generation was worse than one before");
    }
}

#[test]
fn a_run_that_goes_on_elsewhere_takes_its_best_along() {
    let puzzle = impossible(gpusudoku::problem::Geometry::usual(16).unwrap());
    let mut pair = Pair::new(&puzzle, 20, 3, Mapping::Workgroup, 1);
    pair.initialise();
    let plan = Plan::from(BreedRows {
        swap: Rate::ALWAYS,
        survivor: Survivor::Child,
        ..BreedRows::IDLE
    });
    pollster::block_on(pair.gpu.advance(&plan, 9)).unwrap();
    let snapshot = pollster::block_on(pair.gpu.snapshot()).unwrap();
    pollster::block_on(pair.cpu.restore(&snapshot)).unwrap();
    let kept = snapshot.champion.expect("there was a survey");
    for engine in [&mut pair.cpu, &mut pair.gpu] {
        let champion = pollster::block_on(engine.champion()).unwrap().unwrap();
        assert_eq!(champion, kept);
    }
    pair.gpu
        .load(&snapshot.population)
        .expect("they are of the encoding");
    assert_eq!(pollster::block_on(pair.gpu.champion()).unwrap(), None);
}

#[test]
fn strangers_are_refused_by_both_engines() {
    let puzzle = puzzle(gpusudoku::problem::Geometry::usual(9).unwrap(), 0.4, 5);
    for representation in [Representation::ROWS, Representation::BLOCKS] {
        let mut pair = Pair::of(representation, &puzzle, 6, 1, Mapping::Workgroup, 1);
        pair.start(&Start::Fresh);
        let right = pollster::block_on(pair.cpu.population())
            .unwrap()
            .into_owned();
        let mut twice = right.clone();
        let cells = twice.cells_mut(4);
        cells[0] = cells[1];
        let mut beyond = right.clone();
        beyond.cells_mut(2)[80] = 9;
        for engine in [&mut pair.cpu, &mut pair.gpu] {
            let error = engine.load(&twice).unwrap_err().to_string();
            assert!(error.starts_with("individual 4 is not"), "{error}");
            let error = engine.load(&beyond).unwrap_err().to_string();
            assert!(error.starts_with("individual 2 is not"), "{error}");
            let kept = pollster::block_on(engine.population()).unwrap();
            assert_eq!(*kept, right, "a refused population changes nothing");
        }
    }
}
