//! Whether an adapter gives the native engine's populations: every algorithm, and so every kernel, on a few
//! problems of different sizes. For owners of GPUs that nobody else has tried.

use std::ops::ControlFlow;

use crate::algo::{self, Settings};
use crate::controller::{self, Budget, Config, Observer, Outcome, Progress};
use crate::engine::gpu::adapter::AdapterChoice;
use crate::engine::{Backend, Engine, Setup};
use crate::error::Error;
use crate::operators::Start;
use crate::plan::Representation;
use crate::population::Record;
use crate::problem::sudoku::builtin;
use crate::problem::sudoku::exact::Limit;
use crate::problem::sudoku::generate::{self, Recipe};
use crate::problem::sudoku::propagate::Level;
use crate::problem::{Geometry, Instance, Problem, Puzzle, Queens, Surface};

/// One comparison.
#[derive(Debug, Clone)]
pub struct Check {
    /// What is compared: an algorithm with its settings, or `evaluate`.
    pub what: &'static str,
    /// On which problem.
    pub problem: String,
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    Run {
        settings: Settings,
        problem: Problem,
        pop: usize,
        generations: u32,
    },
    Evaluation {
        problem: Problem,
        representation: Representation,
    },
}

impl Check {
    /// The algorithm with its settings, the problem and the individuals of a run; nothing for an evaluation.
    pub fn run(&self) -> Option<(&Settings, &Problem, usize)> {
        match &self.kind {
            Kind::Run {
                settings,
                problem,
                pop,
                ..
            } => Some((settings, problem, *pop)),
            Kind::Evaluation { .. } => None,
        }
    }
}

/// What a comparison found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Generations that both engines made.
    pub generations: u32,
    /// Individuals of the population.
    pub pop: usize,
    /// What differs first, in words; nothing if the engines agree to the bit.
    pub difference: Option<String>,
}

/// All comparisons, in about a minute on an adapter in software, less on a GPU. The short form has one for each
/// family of kernels.
pub fn checks(short: bool) -> Vec<Check> {
    let problems = problems();
    let mut checks = Vec::new();
    for info in algo::ALL {
        for (at, (name, problem)) in problems.iter().enumerate() {
            let queens = matches!(problem, Problem::Queens(_));
            let suits = problem
                .reduce(Level::None)
                .is_ok_and(|instance| suits(info, &instance));
            let representative = ["lsga", "hgasa", "memetic"].contains(&info.name) && at == 0;
            if !suits || short && !representative {
                continue;
            }
            checks.push(Check {
                what: info.name,
                problem: name.clone(),
                kind: Kind::Run {
                    settings: settings(info),
                    problem: problem.clone(),
                    // Not a multiple of any workgroup.
                    pop: if queens { 17 } else { 33 },
                    // Large grids take long on an adapter in software, and are there for their masks.
                    generations: match (queens, name.as_str()) {
                        (true, _) => 40,
                        (false, "36x36") => 5,
                        (false, _) => 20,
                    },
                },
            });
        }
    }
    let evaluations = [
        (0, Representation::ROWS),
        (1, Representation::BLOCKS),
        (0, Representation::COLOURING),
        (4, Representation::QUEENS),
    ];
    for (at, representation) in evaluations {
        let (name, problem) = &problems[at];
        checks.push(Check {
            what: "evaluate",
            problem: name.clone(),
            kind: Kind::Evaluation {
                problem: problem.clone(),
                representation,
            },
        });
    }
    checks
}

/// Small settings for those whose generations are long.
fn settings(info: &'static algo::Info) -> Settings {
    let mut settings = Settings::new(info);
    let small: &[(&str, &str)] = match info.name {
        "tabu" => &[("moves", "200"), ("propagate", "none")],
        "packing" => &[("steps", "20"), ("propagate", "none")],
        "memetic" => &[
            ("steps", "20"),
            ("cycle", "4"),
            ("tabu", "0.25"),
            ("propagate", "none"),
        ],
        "ga-ii" => &[("patience", "3"), ("purge", "0.5")],
        "ga-iii" => &[("interval", "5")],
        "gpu-ga" => &[("island", "8"), ("epoch", "5")],
        "ah-lsga" => &[("propagate", "none")],
        // Hybrids that come to their second part in time.
        "fpchs" => &[("improvisations", "8")],
        "hgasa" | "hgsaga" => &[("stagnation", "2")],
        _ => &[],
    };
    for (key, value) in small {
        let set = settings.set(key, value);
        set.expect("a key of the algorithm with a value that it takes");
    }
    settings
}

fn suits(info: &algo::Info, instance: &Instance) -> bool {
    let settings = Settings::new(algo::find(info.name).expect("it is in the list"));
    settings.build().representation(instance).is_some()
}

/// A small grid, two whose masks and words differ from it, a Latin square, queens.
fn problems() -> Vec<(String, Problem)> {
    let known = builtin::find("sd2").expect("it is built in");
    let made = |name: &str, geometry: Geometry| {
        let recipe = Recipe {
            geometry,
            givens: geometry.cells() * 2 / 5,
            unique: false,
            limit: Limit::default(),
        };
        let made = generate::generate(&recipe, 1, 0, |_, _| {});
        let puzzle = Puzzle::new(made.puzzle).expect("givens of a solution");
        (name.to_owned(), Problem::from(puzzle))
    };
    let geometry = |size| Geometry::usual(size).expect("a size with boxes");
    let board = Queens::new(30, Surface::Board).expect("a size with queens");
    vec![
        (
            "9x9 (sd2)".to_owned(),
            Problem::from(known.puzzle().clone()),
        ),
        made("16x16", geometry(16)),
        made("36x36", geometry(36)),
        made("Latin 12", Geometry::latin(12).expect("a Latin square")),
        ("queens:30".to_owned(), Problem::from(board)),
    ]
}

/// Lets both engines do the same and compares what they made.
///
/// # Errors
/// If the adapter is not there, or fails.
pub async fn check(check: &Check, adapter: &AdapterChoice) -> Result<Finding, Error> {
    let native = Backend::Cpu { threads: 1 };
    let gpu = Backend::Gpu {
        adapter: adapter.clone(),
        mapping: None,
    };
    match &check.kind {
        Kind::Run {
            settings,
            problem,
            pop,
            generations,
        } => {
            let algorithm = settings.build();
            let config = |backend| Config {
                algorithm: &*algorithm,
                propagate: settings.propagation(),
                pop: *pop,
                seed: 20,
                budget: Budget {
                    max_generations: *generations,
                    max_evaluations: None,
                    time_limit: None,
                },
                backend,
            };
            let (mut here, mut there) = (Records::default(), Records::default());
            let one = controller::run(problem, &config(native), &mut here).await?;
            let two = controller::run(problem, &config(gpu), &mut there).await?;
            Ok(Finding {
                generations: one.generations,
                pop: *pop,
                difference: difference(&here.0, &there.0, &one, &two),
            })
        }
        Kind::Evaluation {
            problem,
            representation,
        } => {
            let instance = problem.reduce(Level::None)?;
            let setup = Setup {
                representation: *representation,
                ..Setup::rows(&instance, 129, 20)
            };
            let mut here = Engine::new(&native, &setup).await?;
            here.initialise(&Start::Fresh).await?;
            let mut population = here.population().await?.into_owned();
            let right = population.fitness().to_vec();
            population.split_mut().2.fill(12_345);
            let mut there = Engine::new(&gpu, &setup).await?;
            there.load(&population)?;
            there.evaluate().await?;
            let found = there.population().await?;
            let pairs = right.iter().zip(found.fitness()).enumerate();
            let first = { pairs }.find(|(_, (one, two))| one != two);
            Ok(Finding {
                generations: 0,
                pop: setup.pop,
                difference: first.map(|(at, (one, two))| {
                    format!("individual {at} has fitness {one} natively and {two} on the adapter")
                }),
            })
        }
    }
}

/// The records of a run.
#[derive(Default)]
struct Records(Vec<Record>);

impl Observer for Records {
    fn progress(&mut self, progress: &Progress<'_>) -> ControlFlow<()> {
        self.0.extend_from_slice(progress.records);
        ControlFlow::Continue(())
    }

    fn wants_diversity(&self) -> bool {
        true
    }
}

fn difference(here: &[Record], there: &[Record], one: &Outcome, two: &Outcome) -> Option<String> {
    // Generations that always run together may have other records on the other engine.
    let pairs = here.iter().filter_map(|record| {
        let same = |other: &&Record| other.generation == record.generation;
        Some((record, there.iter().find(same)?))
    });
    if let Some((record, other)) = { pairs }.find(|(record, other)| record != other) {
        let generation = record.generation;
        return Some(format!(
            "generation {generation} differs: {record:?} natively, {other:?} on the adapter"
        ));
    }
    let end = |outcome: &Outcome| {
        format!(
            "{} generations, best {}, population {:016x}",
            outcome.generations, outcome.best_fitness, outcome.population_hash
        )
    };
    let (one, two) = (end(one), end(two));
    (one != two).then(|| format!("the end differs: {one} natively, {two} on the adapter"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_algorithm_is_compared_on_all_that_it_is_for() {
        let checks = checks(false);
        for info in algo::ALL {
            let on = |queens: bool| {
                let its = checks.iter().filter(|check| check.what == info.name);
                { its }.any(|check| check.problem.starts_with("queens") == queens)
            };
            assert!(on(false), "{} on grids", info.name);
            let instance = problems()[4].1.reduce(Level::None).unwrap();
            assert_eq!(on(true), suits(info, &instance), "{} on queens", info.name);
        }
        assert!(super::checks(true).len() < 8, "the short form is short");
    }
}
