//! Forged checkpoints: the digest is right, but words in between make no sense. They are refused, or their
//! runs go on; nothing panics, and nothing wrong is called solved.

mod common;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use gpusudoku::algo::{self, Settings};
use gpusudoku::checkpoint::Checkpoint;
use gpusudoku::controller::{Config, Observer, RunState, resume, run};
use gpusudoku::engine::Backend;
use gpusudoku::problem::sudoku::builtin;
use gpusudoku::problem::{NamedProblem, Problem, Queens, Surface};
use gpusudoku::rng::Stream;
use rand::RngExt;

use common::config_of;

/// Keeps where the run was last.
#[derive(Default)]
struct Keeper(Option<Arc<RunState>>);

impl Observer for Keeper {
    fn checkpoint_every(&self) -> Option<Duration> {
        Some(Duration::ZERO)
    }

    fn checkpoint(&mut self, state: &Arc<RunState>) -> ControlFlow<()> {
        self.0 = Some(state.clone());
        ControlFlow::Continue(())
    }
}

fn config<'a>(
    settings: &Settings,
    algorithm: &'a dyn algo::Algorithm,
    pop: usize,
    seed: u64,
    generations: u32,
) -> Config<'a> {
    let backend = Backend::Cpu { threads: 1 };
    let mut config = config_of(
        algorithm,
        settings.propagation(),
        pop,
        seed,
        generations,
        backend,
    );
    config.budget.time_limit = Some(Duration::from_secs(2));
    config
}

/// The words of a checkpoint after some generations.
fn saved(name: &str, set: &[&str], problem: Problem, generations: u32) -> Vec<u32> {
    let mut settings = Settings::new(algo::find(name).unwrap());
    for pair in set {
        settings.set_pair(pair).unwrap();
    }
    let algorithm = settings.build();
    let config = config(&settings, &*algorithm, 6, 5, generations);
    let mut keeper = Keeper::default();
    pollster::block_on(run(&problem, &config, &mut keeper)).unwrap();
    let checkpoint = Checkpoint {
        problem: NamedProblem {
            name: "it".to_owned(),
            problem,
        },
        settings,
        pop: config.pop,
        seed: config.seed,
        budget: config.budget,
        state: RunState::clone(&keeper.0.unwrap()),
    };
    let mut bytes = Vec::new();
    checkpoint.write(&mut bytes).unwrap();
    // Behind magic, version and length; before the digest.
    bytemuck::pod_collect_to_vec(&bytes[32..bytes.len() - 16])
}

/// Goes on with what words say, if they say anything; whether they did.
fn go_on(words: Vec<u32>) -> bool {
    let Ok(checkpoint) = Checkpoint::from_words(words) else {
        return false;
    };
    // What somebody has made of the budget is not tried out.
    let generations = checkpoint.state.generation().saturating_add(4);
    let algorithm = checkpoint.settings.build();
    let (pop, seed) = (checkpoint.pop, checkpoint.seed);
    let config = config(&checkpoint.settings, &*algorithm, pop, seed, generations);
    let (problem, state) = (checkpoint.problem.problem, checkpoint.state);
    match pollster::block_on(resume(&problem, &config, state, &mut ())) {
        Ok(outcome) => {
            assert!(outcome.rejected.is_none(), "{outcome:?}");
            true
        }
        Err(_) => false,
    }
}

#[test]
fn nonsense_is_refused_or_survived() {
    let sd3 = || Problem::from(builtin::find("sd3").unwrap().puzzle().clone());
    let torus = || Problem::from(Queens::new(14, Surface::Torus).unwrap());
    let kept = ["propagate=none"];
    let cases: Vec<(&str, Vec<&str>, Problem, u32)> = algo::ALL
        .iter()
        .map(|info| match info.name {
            "memetic" => (info.name, vec!["propagate=none", "moves=5"], sd3(), 9),
            "packing" => (info.name, vec!["propagate=none", "steps=2"], sd3(), 9),
            "gpu-ga" => (
                info.name,
                vec!["propagate=none", "epoch=3", "island=2"],
                sd3(),
                9,
            ),
            "reseda" => (info.name, vec!["propagate=none", "stagnation=2"], sd3(), 9),
            "hgsaga" | "hpsoga" => (info.name, kept.to_vec(), sd3(), 7),
            "hgasa" | "cga" | "min-conflicts" => (info.name, vec![], torus(), 30),
            name => (name, kept.to_vec(), sd3(), 9),
        })
        .collect();
    let mut rng = Stream::new(11, 0);
    let (mut refused, mut survived) = (0, 0);
    for (name, set, problem, generations) in cases {
        let words = saved(name, &set, problem, generations);
        assert!(go_on(words.clone()), "{name}: unchanged");
        for _ in 0..150 {
            let mut words = words.clone();
            for _ in 0..rng.random_range(1..3) {
                // What comes last is small and decides much; populations are large and decide little.
                let from = match rng.random_range(0..3) {
                    0 => 0,
                    1 => words.len().saturating_sub(40),
                    _ => words.len() / 2,
                };
                let at = rng.random_range(from..words.len());
                words[at] = match rng.random_range(0..6) {
                    0 => 0,
                    1 => u32::MAX,
                    2 => u32::MAX - 1,
                    3 => words[at].wrapping_add(1),
                    4 => words[at] ^ 1 << rng.random_range(0..32),
                    _ => rng.random(),
                };
            }
            match go_on(words) {
                true => survived += 1,
                false => refused += 1,
            }
        }
    }
    println!("{refused} refused, {survived} survived");
    assert!(refused > 500 && survived > 50, "{refused}, {survived}");
}
