//! Who watches a run sees the same on both engines, may pause, step and end it, and changes nothing.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use gpusudoku::algo::{self, Settings};
use gpusudoku::controller::{
    Config, Dissection, Leave, Moment, Observer, Outcome, Progress, Stop, View, run,
};
use gpusudoku::engine::Backend;
use gpusudoku::engine::gpu::shaders::Mapping;
use gpusudoku::population::Population;
use gpusudoku::problem::sudoku::builtin;
use gpusudoku::problem::{Problem, Queens, Surface};

use super::common::config_of;
use super::support::*;

/// What a run showed.
#[derive(Default)]
struct Watcher {
    /// Populations are wanted of generations that are multiples of this, and of the last one.
    every: u32,
    individual: Option<usize>,
    views: Vec<(Moment, Population)>,
    champions: Vec<u32>,
    dissections: Vec<Dissection>,
    /// Generations of each batch, and all of them.
    batches: Vec<usize>,
    generation: u32,
    /// How often it was asked.
    asked: Cell<u32>,
}

impl Observer for Watcher {
    fn progress(&mut self, progress: &Progress<'_>) -> ControlFlow<()> {
        self.batches.push(progress.records.len());
        self.generation = progress.records.last().unwrap().generation;
        ControlFlow::Continue(())
    }

    fn wants_view(&self, moment: Moment) -> bool {
        self.asked.set(self.asked.get() + 1);
        moment.ended || moment.generation.is_multiple_of(self.every)
    }

    fn view(&mut self, view: &View<'_>) {
        self.views.push((view.moment, view.population.clone()));
        let champion = view.champion.map(|it| it.individual.fitness()[0]);
        self.champions.extend(champion);
    }

    fn wants_dissection(&self) -> Option<usize> {
        self.individual
    }

    fn dissection(&mut self, dissection: &Dissection) {
        self.dissections.push(dissection.clone());
    }

    fn leave(&mut self) -> Leave<'_> {
        let leave = self.every - self.generation % self.every;
        Box::pin(async move { ControlFlow::Continue(leave) })
    }
}

fn backends() -> Vec<Backend> {
    let mut all = vec![Backend::Cpu { threads: 1 }, Backend::Cpu { threads: 2 }];
    if !skipped() {
        all.push(gpu_backend(Mapping::Workgroup));
    }
    all
}

fn sd3() -> Problem {
    builtin::find("sd3").unwrap().puzzle().clone().into()
}

fn go(problem: &Problem, config: &Config<'_>, observer: &mut dyn Observer) -> Outcome {
    pollster::block_on(run(problem, config, observer)).unwrap()
}

/// Runs an algorithm with an observer on every backend, and without one.
fn watched(
    problem: &Problem,
    (algo, pop, generations): (&str, usize, u32),
    watcher: impl Fn() -> Watcher,
    check: impl Fn(&Watcher, &Outcome, &str),
) {
    let settings = Settings::new(algo::find(algo).unwrap());
    let algorithm = settings.build();
    let config = |backend| {
        let level = settings.propagation();
        config_of(&*algorithm, level, pop, 3, generations, backend)
    };
    let plain = go(problem, &config(Backend::Cpu { threads: 1 }), &mut ());
    assert_eq!(plain.stop, Stop::Generations, "{algo}");
    for backend in backends() {
        let what = format!("{algo} on {backend:?}");
        let mut watcher = watcher();
        let outcome = go(problem, &config(backend), &mut watcher);
        assert_eq!(outcome.population_hash, plain.population_hash, "{what}");
        assert_eq!(outcome.best_fitness, plain.best_fitness, "{what}");
        assert_eq!(outcome.evaluations, plain.evaluations, "{what}");
        check(&watcher, &outcome, &what);
    }
}

#[test]
fn views_are_of_the_generations_that_were_wanted_and_the_last_one_is_the_outcome() {
    let watcher = || Watcher {
        every: 3,
        ..Watcher::default()
    };
    for algo in ["lsga", "nb-coin", "hs", "min-conflicts"] {
        watched(&sd3(), (algo, 12, 8), watcher, |watcher, outcome, what| {
            let seen: Vec<_> = watcher
                .views
                .iter()
                .map(|(moment, _)| (moment.generation, moment.ended))
                .collect();
            let expected = [(0, false), (3, false), (6, false), (8, true)];
            assert_eq!(seen, expected, "{what}");
            assert!(watcher.batches.iter().all(|&it| it <= 3), "{what}");
            assert_eq!(watcher.asked.get() as usize, watcher.batches.len());
            let (_, last) = watcher.views.last().unwrap();
            assert_eq!(last.digest(), outcome.population_hash, "{what}");
            // The best of the run never gets worse, and is the outcome's at last.
            assert!(watcher.champions.is_sorted_by(|a, b| a >= b), "{what}");
            if let Some(&champion) = watcher.champions.last() {
                assert_eq!(champion, outcome.best_fitness, "{what}");
            }
        });
    }
}

#[test]
fn an_individual_is_followed_through_every_generation() {
    let queens: Problem = Queens::new(20, Surface::Board).unwrap().into();
    let cases: [(&Problem, &str, &[&str]); 6] = [
        (
            &sd3(),
            "lsga",
            &[
                "selection",
                "crossover",
                "mutation",
                "local search",
                "survival",
            ],
        ),
        (
            &sd3(),
            "ga",
            &["selection", "crossover", "mutation", "local search"],
        ),
        (
            &sd3(),
            "cga",
            &["selection", "crossover", "mutation", "survival"],
        ),
        (
            &queens,
            "cga",
            &["selection", "crossover", "mutation", "survival"],
        ),
        (&sd3(), "reseda", &[]),
        (&sd3(), "hs", &[]),
    ];
    for (problem, algo, steps) in cases {
        let watcher = || Watcher {
            every: 1,
            individual: Some(4),
            ..Watcher::default()
        };
        watched(problem, (algo, 12, 6), watcher, |watcher, _, what| {
            assert_eq!(watcher.dissections.len(), 6, "{what}");
            for (at, dissection) in watcher.dissections.iter().enumerate() {
                assert_eq!(dissection.individual, 4, "{what}");
                assert_eq!(dissection.generation as usize, at + 1, "{what}");
                let names: Vec<_> = dissection.steps.iter().map(|it| it.name).collect();
                let expected = [&["before"], steps, &["after"]].concat();
                assert_eq!(names, expected, "{what}");
                let made = |place: usize| &dissection.steps[place].individual;
                assert_eq!(*made(0), watcher.views[at].1.only(4), "{what}");
                let after = watcher.views[at + 1].1.only(4);
                assert_eq!(*made(names.len() - 1), after, "{what}");
                // Nothing follows the last step of these operators but what LSGA's elite learns.
                if !steps.is_empty() && algo != "lsga" {
                    assert_eq!(*made(names.len() - 2), after, "{what}");
                }
            }
            if !steps.is_empty() {
                let moved = |step: usize| {
                    let changes = |it: &Dissection| it.steps[step] != it.steps[step - 1];
                    watcher.dissections.iter().any(changes)
                };
                assert!(moved(1) && moved(2), "{what}: neither parents nor children");
            }
        });
    }
}

/// Lets nothing run for a while, or no more.
struct Patient {
    pause: Duration,
    pauses: u32,
    after: ControlFlow<(), u32>,
}

/// Ready at a time, and asked again at once until then.
struct At(Instant);

impl Future for At {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if Instant::now() >= self.0 {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

impl Observer for Patient {
    fn leave(&mut self) -> Leave<'_> {
        let pauses = self.pauses > 0;
        self.pauses = self.pauses.saturating_sub(1);
        let until = Instant::now() + if pauses { self.pause } else { Duration::ZERO };
        let answer = if pauses {
            ControlFlow::Continue(1)
        } else {
            self.after
        };
        Box::pin(async move {
            At(until).await;
            answer
        })
    }
}

#[test]
fn the_clock_of_a_run_pauses_with_it() {
    let settings = Settings::new(algo::find("ga").unwrap());
    let algorithm = settings.build();
    let cpu = Backend::Cpu { threads: 1 };
    let mut config = config_of(&*algorithm, settings.propagation(), 10, 1, 5, cpu);
    config.budget.time_limit = Some(Duration::from_secs(2));
    let mut patient = Patient {
        pause: Duration::from_secs(1),
        pauses: 3,
        after: ControlFlow::Continue(u32::MAX),
    };
    let begun = Instant::now();
    let outcome = go(&sd3(), &config, &mut patient);
    assert!(begun.elapsed() >= Duration::from_secs(3));
    assert_eq!((outcome.stop, outcome.generations), (Stop::Generations, 5));
    assert!(outcome.seconds < 2.0, "{} s", outcome.seconds);
}

#[test]
fn a_run_that_may_not_go_on_ends_with_what_there_is() {
    let settings = Settings::new(algo::find("ga").unwrap());
    let algorithm = settings.build();
    for backend in backends() {
        let config = config_of(&*algorithm, settings.propagation(), 10, 1, 50, backend);
        let mut patient = Patient {
            pause: Duration::ZERO,
            pauses: 4,
            after: ControlFlow::Break(()),
        };
        let outcome = go(&sd3(), &config, &mut patient);
        assert_eq!((outcome.stop, outcome.generations), (Stop::Observer, 4));
        let four = config_of(
            &*algorithm,
            settings.propagation(),
            10,
            1,
            4,
            Backend::Cpu { threads: 1 },
        );
        let expected = go(&sd3(), &four, &mut ());
        assert_eq!(outcome.population_hash, expected.population_hash);
        assert_eq!(outcome.best_fitness, expected.best_fitness);
    }
}
