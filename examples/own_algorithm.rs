//! An algorithm of one's own: parallel hill climbers that never meet.
//!
//! An algorithm says what a generation does as a plan of kernels. Both engines have the
//! kernels, so this runs on the CPU and on the GPU with the same result.
//!
//! `cargo run --release --example own_algorithm`

use gpusudoku::algo::{Algorithm, AlgorithmState, Steady, Task};
use gpusudoku::controller::{Budget, Config, run};
use gpusudoku::engine::Backend;
use gpusudoku::operators::{BreedRows, Survivor, Variation};
use gpusudoku::plan::Plan;
use gpusudoku::problem::Problem;
use gpusudoku::problem::sudoku::builtin;
use gpusudoku::problem::sudoku::propagate::Level;
use gpusudoku::rng::Rate;

/// Every individual tries some swaps and a round of local search, and keeps what is not worse.
struct HillClimbers {
    swap: Rate,
}

impl Algorithm for HillClimbers {
    fn begin(&self, _: &Task<'_>) -> Box<dyn AlgorithmState> {
        let climb = BreedRows {
            swap: self.swap,
            column_search: true,
            block_search: true,
            rounds: 1,
            survivor: Survivor::Tournament(2),
            ..BreedRows::IDLE
        };
        // Every generation does the same.
        Box::new(Steady {
            plan: Plan::from(Variation::BreedRows(climb)),
            operator: "climb",
        })
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let puzzle = builtin::find("medium-29").ok_or("no such puzzle")?.puzzle();
    let algorithm = HillClimbers {
        swap: Rate::new(0.2).ok_or("not a probability")?,
    };
    let config = Config {
        algorithm: &algorithm,
        propagate: Level::None,
        pop: 1024,
        seed: 1,
        budget: Budget {
            max_generations: 5_000,
            max_evaluations: None,
            time_limit: None,
        },
        backend: Backend::Cpu { threads: 0 },
    };
    let problem = Problem::from(puzzle.clone());
    let outcome = pollster::block_on(run(&problem, &config, &mut ()))?;
    println!(
        "solved: {} in generation {}",
        outcome.solved, outcome.generations
    );
    Ok(())
}
