//! Before a run: what propagation leaves of the problem, what individuals are, and how much fits.

use super::Config;
use crate::algo::Algorithm;
use crate::engine::cpu::threads_for;
use crate::engine::{Backend, Engine, Setup, has_memory};
use crate::error::Error;
use crate::plan::{Objective, Representation};
use crate::problem::sudoku::propagate::{Level, is_work_for_threads};
use crate::problem::{Instance, Problem};

/// The largest population that fits where a run would go, but no more than [`LARGEST_AUTOMATIC`].
pub async fn largest_population(problem: &Problem, config: &Config<'_>) -> Result<usize, Error> {
    let instance = reduce(problem, config)?;
    let setup = Setup {
        instance: &instance,
        representation: representation(config.algorithm, &instance)?,
        pop: LARGEST_AUTOMATIC,
        seed: config.seed,
        diversity: false,
    };
    Engine::largest_population(&config.backend, &setup).await
}

/// Whether a run like this would look for adapters. Of a problem only its size and kind matter, and of
/// grids not even the size.
pub fn looks_for_adapters(problem: &Problem, config: &Config<'_>) -> bool {
    let backend = |setup: &Setup<'_>| config.backend.fallbacks(setup).into_iter().next();
    let first = unreduced(problem, config, backend);
    first.is_ok_and(|backend| matches!(backend, Some(Backend::Gpu { .. })))
}

/// How many runs like this one leave half of the memory to others, up to so many; at least one.
pub fn most_at_once(problem: &Problem, config: &Config<'_>, most: usize) -> usize {
    let bytes = unreduced(problem, config, |setup| {
        Engine::memory(&config.backend, setup)
    });
    // Who cannot run at all needs nothing.
    let bytes = bytes.unwrap_or(0);
    let fits = |jobs: &usize| has_memory(bytes.saturating_mul(2 * jobs));
    (2..=most).rev().find(fits).unwrap_or(1)
}

/// What can be told of a run before propagation, which takes time.
fn unreduced<T>(
    problem: &Problem,
    config: &Config<'_>,
    tell: impl FnOnce(&Setup<'_>) -> T,
) -> Result<T, Error> {
    let instance = problem.reduce(Level::None)?;
    Ok(tell(&Setup {
        instance: &instance,
        representation: representation(config.algorithm, &instance)?,
        pop: config.pop,
        seed: config.seed,
        diversity: false,
    }))
}

/// The largest population that is taken unless somebody asks for more.
pub const LARGEST_AUTOMATIC: usize = 1_000_000;

/// What propagation leaves of the problem. Only probing of larger grids is work for threads, and it has as many
/// as the native engine may have.
pub(super) fn reduce(problem: &Problem, config: &Config<'_>) -> Result<Instance, Error> {
    let threads = config.backend.wanted_threads();
    let level = config.propagate;
    let work = || problem.reduce(level);
    let are_here = rayon::current_thread_index().is_some()
        && rayon::current_num_threads() == threads_for(threads);
    let is_large =
        matches!(problem, Problem::Sudoku(puzzle) if is_work_for_threads(puzzle.geometry()));
    let is_work = level >= Level::Probing && is_large;
    let pool = (is_work && !are_here)
        .then(|| rayon::ThreadPoolBuilder::new().num_threads(threads).build());
    let instance = match pool {
        Some(Ok(pool)) => pool.install(work),
        // A browser has no threads, and needs none.
        Some(Err(_)) | None => work(),
    };
    Ok(instance?)
}

/// What the individuals of an algorithm are, if it is for such a problem.
pub(super) fn representation(
    algorithm: &dyn Algorithm,
    instance: &Instance,
) -> Result<Representation, Error> {
    let representation = algorithm
        .representation(instance)
        .ok_or(Error::NotForQueens)?;
    let by_attacks = representation.objective == Objective::Attacks;
    if instance.goal() > 0 && !by_attacks {
        return Err(Error::UnknownOptimum {
            goal: instance.goal(),
        });
    }
    Ok(representation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algo::{Settings, hgasa, lsga, memetic, min_conflicts};
    use crate::controller::Budget;
    use crate::engine::gpu::adapter::AdapterChoice;
    use crate::problem::sudoku::builtin;
    use crate::problem::{Queens, Surface};

    fn config(algorithm: &dyn Algorithm, pop: usize, backend: Backend) -> Config<'_> {
        Config {
            algorithm,
            propagate: Level::Probing,
            pop,
            seed: 1,
            budget: Budget {
                max_generations: 1,
                max_evaluations: None,
                time_limit: None,
            },
            backend,
        }
    }

    #[test]
    fn as_many_runs_go_at_once_as_memory_holds() {
        let queens = Problem::from(Queens::new(1 << 24, Surface::Board).unwrap());
        let algorithm = Settings::new(&min_conflicts::INFO).build();
        let native = Backend::Cpu { threads: 1 };
        // Nobody has as much memory as that.
        let large = config(&*algorithm, Engine::MAX_POP, native.clone());
        assert_eq!(most_at_once(&queens, &large, 8), 1);
        let small = Problem::from(builtin::find("easy-1").unwrap().puzzle().clone());
        let config = config(&*algorithm, 4, native);
        for jobs in [1, 2, 7] {
            assert_eq!(most_at_once(&small, &config, jobs), jobs);
        }
    }

    #[test]
    fn adapters_are_looked_for_only_where_one_would_be_taken() {
        let grid = Problem::from(builtin::find("easy-1").unwrap().puzzle().clone());
        let board = |size| Problem::from(Queens::new(size, Surface::Board).unwrap());
        let looks = |info, problem: &Problem, pop, backend: Backend| {
            let algorithm = Settings::new(info).build();
            looks_for_adapters(problem, &config(&*algorithm, pop, backend))
        };
        let auto = || Backend::Auto { threads: 0 };
        assert!(!looks(&memetic::INFO, &grid, 4, auto()));
        assert!(looks(&memetic::INFO, &grid, 256, auto()));
        assert!(looks(&lsga::INFO, &grid, 4, auto()));
        assert!(looks(&hgasa::INFO, &board(548), 4, auto()));
        assert!(!looks(&hgasa::INFO, &board(10_000), 4, auto()));
        let gpu = Backend::Gpu {
            adapter: AdapterChoice::Best,
            mapping: None,
        };
        assert!(looks(&memetic::INFO, &grid, 4, gpu));
        assert!(!looks(&lsga::INFO, &grid, 4, Backend::Cpu { threads: 0 }));
    }
}
