//! An operator from outside of the crate: WGSL for GPUs, a twin in Rust, and a check that both give the same bits.
//!
//! The operator rotates the free cells of one random row and keeps the result if it is not worse.
//!
//! `cargo run --example own_kernel` looks for an adapter; without one it runs on the native engine only.

use gpusudoku::engine::cpu::KernelResult;
use gpusudoku::engine::gpu::adapter::AdapterChoice;
use gpusudoku::engine::parity;
use gpusudoku::engine::{Backend, Engine, Setup};
use gpusudoku::error::Error;
use gpusudoku::operators::kernel::{KernelCall, Params, Shader};
use gpusudoku::operators::{Call, GridView, Operator, OwnOperator, OwnVariation, Start, Variation};
use gpusudoku::plan::{Encoding, Plan, Representation};
use gpusudoku::problem::Problem;
use gpusudoku::problem::sudoku::{builtin, propagate::Level};
use gpusudoku::rng::{Site, bounded};

/// Rotates the free cells of a row by some places.
#[derive(Debug)]
struct RotateRow {
    /// One more than the most places.
    places: u32,
}

const SHADER: &str = "\
#entry child
#import grids/segments
#import grids/load
#import grids/store
#import common/parents
#import common/rng

struct RotateRow {
    places: u32,
}

@group(0) @binding(5) var<storage, read> rotate: RotateRow;

fn vary(individual: u32, lane: u32) -> Child {
    let words = draw(key_of(state.generation + 1u), individual, SITE_OWN, 0u);
    let row = bounded(words.x, SIZE);
    let by = bounded(words.y, rotate.places);
    grid_load(individual, lane);
    group_barrier();
    // One lane alone: the row is read from the parent and written to the working grid.
    if lane == 0u {
        let count = free_count(row);
        for (var index = 0u; index < count; index++) {
            let from_cell = free_cell(row, index);
            let to_cell = free_cell(row, (index + by) % count);
            grid_set(to_cell.x, to_cell.y, parent_digit(individual, from_cell.x, from_cell.y));
        }
    }
    group_barrier();
    let child = fitness(lane, vec2(true));
    let before = parent_fitness(individual);
    if child <= before {
        store_child(individual, lane);
        return Child(child, 0u);
    }
    for (var word = lane; word < WORDS; word += LANES) {
        new_population[child_word_at(individual, word)] = parent_word(individual, word);
    }
    return Child(before, 0u);
}
";

impl Operator for RotateRow {
    fn suits(&self, representation: Representation) -> bool {
        representation.encoding == Encoding::Rows
    }

    fn kernels(&self, _: &Call) -> Vec<KernelCall> {
        let shader = Shader::own("examples/own_kernel.rs: SHADER", SHADER);
        vec![KernelCall::new(shader).with(Params::new([("places", self.places)]))]
    }
}

impl OwnOperator for RotateRow {
    fn vary(&self, view: &GridView<'_>, individual: u32, child: &mut [u8]) -> KernelResult {
        let [row, by, ..] = view.key.draw(individual, Site::Host.counter(0));
        let row = bounded(row, view.size as u32) as usize;
        let by = bounded(by, self.places) as usize;
        let parent = view.old.cells(individual as usize);
        child.copy_from_slice(parent);
        let free = &view.free_cells[row];
        for (index, &from) in free.iter().enumerate() {
            let to = free[(index + by) % free.len()];
            child[usize::from(to)] = parent[usize::from(from)];
        }
        let (fitness, before) = (view.fitness(child), view.old.fitness()[individual as usize]);
        if fitness > before {
            child.copy_from_slice(parent);
        }
        KernelResult::new(fitness.min(before))
    }
}

fn main() -> Result<(), Error> {
    pollster::block_on(async {
        let puzzle = builtin::find("sd2").expect("it is built in").puzzle();
        let instance = Problem::from(puzzle.clone()).reduce(Level::None)?;
        let setup = Setup::rows(&instance, 64, 1);
        let operator = OwnVariation::new(RotateRow { places: 5 });
        let plan = Plan::from(Variation::Own(operator));

        let native = Backend::Cpu { threads: 1 };
        let mut engine = Engine::new(&native, &setup).await?;
        let first = engine.initialise(&Start::Fresh).await?.best;
        let records = engine.advance(&plan, 200).await?;
        let last = records.last().map_or(first, |record| record.best);
        println!(
            "best fitness {first} at first, {last} after {} generations",
            records.len()
        );

        let gpu = Backend::Gpu {
            adapter: AdapterChoice::Best,
            mapping: None,
        };
        match parity::compare(&setup, [&native, &gpu], &Start::Fresh, &plan, 50).await {
            Ok(parity) => match parity.difference {
                None => println!(
                    "{} makes the same {} generations to the bit",
                    parity.engines[1].adapter, parity.generations
                ),
                Some(difference) => panic!("the engines differ: {difference}"),
            },
            Err(Error::NoAdapter(why)) => println!("not compared with a GPU: {why}"),
            Err(error) => return Err(error),
        }
        Ok(())
    })
}
