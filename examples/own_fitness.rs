//! A fitness from outside of the crate: WGSL for GPUs, a twin in Rust, and a check that both give the same bits.
//!
//! It counts pairs of equal digits in columns and sub-blocks of 9x9 grids whose rows are permutations. LSGA's
//! operators work with it as they are.
//!
//! `cargo run --example own_fitness` looks for an adapter; without one it runs on the native engine only.

use gpusudoku::algo::{Settings, lsga};
use gpusudoku::engine::gpu::adapter::AdapterChoice;
use gpusudoku::engine::parity;
use gpusudoku::engine::{Backend, Engine, Setup};
use gpusudoku::error::Error;
use gpusudoku::operators::{OwnObjective, Start};
use gpusudoku::plan::{Encoding, Objective, Representation};
use gpusudoku::problem::Problem;
use gpusudoku::problem::sudoku::{builtin, propagate::Level};
use gpusudoku::problem::verify::verify_answer;

static EQUAL_PAIRS: OwnObjective = OwnObjective {
    name: "equal_pairs",
    wgsl: "\
fn own_fitness(lane: u32) -> u32 {
    var mine = 0u;
    for (var index = 0u; index < 2u; index++) {
        let units = unit_kind(index);
        for (var unit = lane; unit < SIZE; unit += LANES) {
            let first_row = band_of(units, unit);
            let first_col = (unit - first_row) * units.width;
            var seen = array<u32, 9>();
            for (var k = 0u; k < SIZE; k++) {
                let digit = grid_get(first_row + k / units.width, first_col + k % units.width);
                mine += seen[digit];
                seen[digit]++;
            }
        }
    }
    return group_sum(lane, mine);
}
",
    native: |size, cells| {
        let mut pairs = 0;
        for unit in 0..size {
            let column = |k: usize| k * size + unit;
            let block = |k: usize| (unit / 3 * 3 + k / 3) * size + unit % 3 * 3 + k % 3;
            for cell_of in [&column as &dyn Fn(usize) -> usize, &block] {
                let mut seen = [0; 9];
                for k in 0..size {
                    let seen = &mut seen[usize::from(cells[cell_of(k)])];
                    pairs += *seen;
                    *seen += 1;
                }
            }
        }
        pairs
    },
};

fn main() -> Result<(), Error> {
    pollster::block_on(async {
        let puzzle = builtin::find("easy-1").expect("it is built in").puzzle();
        let problem = Problem::from(puzzle.clone());
        let instance = problem.reduce(Level::None)?;
        let setup = Setup {
            representation: Representation {
                encoding: Encoding::Rows,
                objective: Objective::Own(&EQUAL_PAIRS),
            },
            ..Setup::rows(&instance, 150, 1)
        };
        let mut settings = Settings::new(&lsga::INFO);
        settings.set("elite", "0")?;
        let plan = lsga::Lsga::new(&settings).plan();

        let native = Backend::Cpu { threads: 1 };
        let mut engine = Engine::new(&native, &setup).await?;
        engine.initialise(&Start::Fresh).await?;
        let records = engine.advance(&plan, 200).await?;
        let population = engine.population().await?;
        let (best, at) = population.best().expect("there are individuals");
        println!("{} generations, {best} equal pairs", records.len());
        if best == 0 {
            let answer = population.answer(at).expect("a grid");
            verify_answer(&problem, &answer).map_err(Error::Rejected)?;
            println!("solved, and the verifier agrees");
        }

        let gpu = Backend::Gpu {
            adapter: AdapterChoice::Best,
            mapping: None,
        };
        match parity::compare(&setup, [&native, &gpu], &Start::Fresh, &plan, 20).await {
            Ok(parity) => match parity.difference {
                None => println!("{} agrees to the bit", parity.engines[1].adapter),
                Some(difference) => panic!("the engines differ: {difference}"),
            },
            Err(Error::NoAdapter(why)) => println!("not compared with a GPU: {why}"),
            Err(error) => return Err(error),
        }
        Ok(())
    })
}
