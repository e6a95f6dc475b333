//! Solves a puzzle with LSGA on whichever engine there is.
//!
//! `cargo run --release --example solve`

use gpusudoku::algo::{Settings, lsga};
use gpusudoku::controller::{Budget, Config, run};
use gpusudoku::engine::Backend;
use gpusudoku::problem::sudoku::format::{self, ReadOptions};
use gpusudoku::problem::{Problem, Puzzle};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let text = "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..";
    let puzzle = Puzzle::new(format::read_one(text.as_bytes(), &ReadOptions::default())?.grid)?;

    let mut settings = Settings::new(&lsga::INFO);
    settings.set("pc1", "0.25")?;
    let algorithm = settings.build();
    let config = Config {
        algorithm: &*algorithm,
        propagate: settings.propagation(),
        pop: 2048,
        seed: 7,
        budget: Budget {
            max_generations: 10_000,
            max_evaluations: None,
            time_limit: None,
        },
        backend: Backend::Auto { threads: 0 },
    };
    let problem = Problem::from(puzzle.clone());
    let outcome = pollster::block_on(run(&problem, &config, &mut ()))?;
    let best = format::framed(outcome.best.grid(), Some(puzzle.givens()));
    println!("{best}");
    println!(
        "solved: {} in generation {}",
        outcome.solved, outcome.generations
    );
    Ok(())
}
