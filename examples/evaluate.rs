//! Evaluates 10,000 grids on both engines.
//!
//! `cargo run --release --example evaluate`

use gpusudoku::engine::{Backend, gpu::adapter::AdapterChoice};
use gpusudoku::plan::Representation;
use gpusudoku::problem::{Problem, sudoku::builtin};
use gpusudoku::{Evaluator, error::Error};

fn main() -> Result<(), Error> {
    let puzzle = builtin::find("sd2").expect("a built-in puzzle").puzzle();
    let (problem, gpu) = (Problem::from(puzzle.clone()), AdapterChoice::Best);
    let native = Backend::Cpu { threads: 0 };
    let device = Backend::Gpu {
        adapter: gpu,
        mapping: None,
    };
    let mut cpu = Evaluator::new(&problem, &native, Representation::ROWS)?;
    let mut gpu = Evaluator::new(&problem, &device, Representation::ROWS)?;
    pollster::block_on(async {
        let grids = cpu.session(10_000, 1).await?.digits().await?;
        let fitness = cpu.evaluate(&grids).await?;
        assert_eq!(fitness, gpu.evaluate(&grids).await?);
        println!(
            "both engines agree; the best has {:?}",
            fitness.iter().min()
        );
        Ok(())
    })
}
