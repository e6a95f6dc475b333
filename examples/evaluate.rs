//! Evaluates 10,000 grids on both engines.
//!
//! `cargo run --release --example evaluate`

use gpusudoku::engine::{Backend, gpu::adapter::AdapterChoice};
use gpusudoku::plan::Representation;
use gpusudoku::problem::{Problem, sudoku::builtin};
use gpusudoku::{Evaluator, error::Error};

fn main() -> Result<(), Error> {
    let puzzle = builtin::find("sd2").expect("a built-in puzzle").puzzle();
    let (problem, rows) = (Problem::from(puzzle.clone()), Representation::ROWS);
    let (threads, adapter, mapping) = (0, AdapterChoice::Best, None);
    let mut cpu = Evaluator::new(&problem, &Backend::Cpu { threads }, rows)?;
    let mut gpu = Evaluator::new(&problem, &Backend::Gpu { adapter, mapping }, rows)?;
    pollster::block_on(async {
        let grids = cpu.session(10_000, 1).await?.digits().await?;
        let fitness = cpu.evaluate(&grids).await?;
        assert_eq!(fitness, gpu.evaluate(&grids).await?);
        println!("both engines agree on {} grids", fitness.len());
        Ok(())
    })
}
