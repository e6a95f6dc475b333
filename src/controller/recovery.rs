//! A run from engine to engine, from the last copy of its state: to the faster one, and past devices that fail, which are
//! made anew or left for the native engine.

use std::time::Duration;

use web_time::Instant;

use super::contest::Contest;
use super::preparation::{reduce, representation};
use super::run_loop::{Leg, RunLoop, is_due};
use super::{Config, Observer, Outcome, Remedy, RunState, Stop};
use crate::engine::{Backend, Engine, Setup};
use crate::error::Error;
use crate::problem::Problem;

/// How often in a row a device is made anew.
const REBUILDS: u32 = 3;

/// After so long it was not in a row.
const RECOVERED: Duration = Duration::from_secs(60);

/// How long to wait before the first time; every further time it is four times as long.
const FIRST_DELAY: Duration = Duration::from_millis(100);

/// Runs until the end, from the beginning or from a state.
pub async fn carry_out(
    problem: &Problem,
    config: &Config<'_>,
    from: Option<RunState>,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    let start = Instant::now();
    let instance = reduce(problem, config)?;
    let setup = Setup {
        instance: &instance,
        representation: representation(config.algorithm, &instance)?,
        pop: config.pop,
        seed: config.seed,
        diversity: observer.wants_diversity(),
    };
    Engine::check(&config.backend, &setup)?;
    if let Some(from) = &from {
        from.snapshot.verify(&setup).map_err(Error::Checkpoint)?;
    }
    let places = config.backend.fallbacks(&setup);
    let contest = Contest::among(&places);
    let begins = contest.as_ref().map(|contest| contest.place().clone());
    let mut run_loop = RunLoop::new(problem, config, setup, start, from, contest);
    let mut fallbacks = places.into_iter();
    let first = fallbacks.next().expect("a backend is somewhere");
    let mut backend = begins.unwrap_or(first);
    let mut failures = Failures::default();
    loop {
        let error = match run_loop.run_on(&backend, observer).await {
            Ok(Leg::Ended(outcome)) => return Ok(*outcome),
            Ok(Leg::Moved(other)) => {
                backend = other;
                continue;
            }
            Err(error) => error,
        };
        if !backend.team().is_alone() {
            // The other processes know nothing of it, and cannot go back.
            return Err(error);
        }
        let others = run_loop.lost().and_then(|place| backend.without(place));
        if let Some(others) = others {
            if observer.fault(&error, Remedy::Others).is_break() {
                return run_loop.end(error, Stop::Observer, observer);
            }
            backend = others;
            continue;
        }
        let generation = run_loop.kept_generation();
        let next = match (&error, &backend) {
            (Error::Checkpoint(_) | Error::Shader(_), _) | (_, Backend::Cpu { .. }) => {
                return Err(error);
            }
            // The native engine has shown that it can do it.
            _ if run_loop.is_on_trial() => Some(fallbacks.next()),
            // No other engine could do it, either, or none is wanted.
            (Error::BadValue { .. }, _) if !run_loop.has_begun() || fallbacks.len() == 0 => {
                return Err(error);
            }
            (Error::DeviceFailed { .. }, _) if failures.may_rebuild(generation) => None,
            // A device that was there may come back.
            (Error::NoAdapter(_), _)
                if run_loop.has_begun() && failures.may_rebuild(generation) =>
            {
                None
            }
            _ => Some(fallbacks.next()),
        };
        match next {
            None => {
                let remedy = Remedy::Rebuild {
                    attempt: failures.in_a_row,
                    generation,
                };
                if observer.fault(&error, remedy).is_break() {
                    return run_loop.end(error, Stop::Observer, observer);
                }
                failures.wait();
            }
            Some(Some(other)) => {
                // Where there is no adapter, none is missed.
                let is_missed = !matches!(error, Error::NoAdapter(_)) || run_loop.has_begun();
                if is_missed && observer.fault(&error, Remedy::Native).is_break() {
                    return run_loop.end(error, Stop::Observer, observer);
                }
                run_loop.end_contest();
                backend = other;
            }
            Some(None) => return run_loop.end(error, Stop::Fault, observer),
        }
    }
}

/// How often a device has failed.
#[derive(Default)]
struct Failures {
    in_a_row: u32,
    last: Option<Instant>,
    /// The generation of the copy when it last did.
    generation: Option<u32>,
}

impl Failures {
    /// Takes note of one more; whether it is worth another try.
    fn may_rebuild(&mut self, generation: Option<u32>) -> bool {
        if generation > self.generation && is_due(self.last, RECOVERED) {
            self.in_a_row = 0;
        }
        self.last = Some(Instant::now());
        self.generation = generation;
        self.in_a_row += 1;
        self.in_a_row <= REBUILDS
    }

    fn wait(&self) {
        // A browser's page cannot sleep, and its device needs no rest.
        if cfg!(not(target_arch = "wasm32")) {
            std::thread::sleep(FIRST_DELAY * 4u32.pow(self.in_a_row - 1));
        }
    }
}
