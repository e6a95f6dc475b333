//! A run on its way: from generation to generation, and past devices that fail.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use web_time::Instant;

use super::{
    Config, Observer, Outcome, Position, Progress, Remedy, Stop, Tally, count, individuals, judge,
    last_of, next_batch, reduce,
};
use crate::algo::{Course, News, Stage, Task};
use crate::engine::{Backend, Engine, EngineInfo, Setup};
use crate::error::Error;
use crate::memo::Memo;
use crate::population::{Population, Record};
use crate::problem::{Instance, Problem};

/// How often in a row a device is made anew.
const REBUILDS: u32 = 3;

/// After so long it was not in a row.
const RECOVERED: Duration = Duration::from_secs(60);

/// How long to wait before the first time; every further time it is four times as long.
const FIRST_DELAY: Duration = Duration::from_millis(100);

/// Copies from a device are made no more often than this, and take no more than a hundredth of the time.
const COPY_EVERY: Duration = Duration::from_secs(1);
const COPY_SHARE: u32 = 100;

/// Runs until the end, from the beginning or from a position.
pub(super) async fn carry_out(
    problem: &Problem,
    config: &Config<'_>,
    from: Option<Position>,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    let start = Instant::now();
    let instance = reduce(problem, config)?;
    let setup = Setup {
        instance: &instance,
        individuals: individuals(config.algorithm, &instance)?,
        pop: config.pop,
        seed: config.seed,
        diversity: observer.wants_diversity(),
    };
    Engine::check(&config.backend, &setup)?;
    if let Some(from) = &from {
        from.snapshot.verify(&setup).map_err(Error::Checkpoint)?;
    }
    let mut journey = Journey {
        problem,
        config,
        setup,
        clock: Clock {
            start,
            before: from.as_ref().map_or(Duration::ZERO, |from| from.elapsed),
        },
        told: from.as_ref().map(Position::generation),
        copy: from.map(Arc::new),
        copied: None,
        given: None,
        cost: Duration::ZERO,
        engine: None,
    };
    let mut places = config.backend.places(&setup).into_iter();
    let mut place = places.next().expect("a backend is somewhere");
    let mut failures = Failures::default();
    loop {
        let error = match journey.travel(&place, observer).await {
            Ok(outcome) => return Ok(outcome),
            Err(error) => error,
        };
        let generation = journey.copy.as_deref().map(Position::generation);
        let next = match (&error, &place) {
            (Error::Checkpoint(_), _) | (_, Backend::Cpu { .. }) => return Err(error),
            // No other engine could do it, either, or none is wanted.
            (Error::BadValue { .. }, _) if journey.engine.is_none() || places.len() == 0 => {
                return Err(error);
            }
            (Error::Fault { .. }, _) if failures.may_rebuild(generation) => None,
            // A device that was there may come back.
            (Error::NoAdapter(_), _)
                if journey.engine.is_some() && failures.may_rebuild(generation) =>
            {
                None
            }
            _ => Some(places.next()),
        };
        match next {
            None => {
                let remedy = Remedy::Rebuild {
                    attempt: failures.in_a_row,
                    generation,
                };
                if observer.fault(&error, remedy).is_break() {
                    return journey.end(error, Stop::Observer, observer);
                }
                failures.wait();
            }
            Some(Some(other)) => {
                // Where there is no adapter, none is missed.
                let is_missed = !matches!(error, Error::NoAdapter(_)) || journey.engine.is_some();
                if is_missed && observer.fault(&error, Remedy::Native).is_break() {
                    return journey.end(error, Stop::Observer, observer);
                }
                place = other;
            }
            Some(None) => return journey.end(error, Stop::Fault, observer),
        }
    }
}

/// Whether it is so long since then, if there was a then.
fn is_due(last: Option<Instant>, every: Duration) -> bool {
    last.is_none_or(|last| last.elapsed() >= every)
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

/// Wall clock of all parts of a run.
#[derive(Clone, Copy)]
struct Clock {
    start: Instant,
    /// What the parts before this one took.
    before: Duration,
}

impl Clock {
    fn elapsed(&self) -> Duration {
        self.before + self.start.elapsed()
    }
}

struct Journey<'a> {
    problem: &'a Problem,
    config: &'a Config<'a>,
    setup: Setup<'a>,
    clock: Clock,
    /// The last generation that the observer knows of: after a fault some come again.
    told: Option<u32>,
    /// Where the run is taken up, and where it can be taken up again if its device fails.
    copy: Option<Arc<Position>>,
    /// When the last copy was made, and when the observer was given one.
    copied: Option<Instant>,
    given: Option<Instant>,
    /// How long the last one took.
    cost: Duration,
    engine: Option<EngineInfo>,
}

/// What the host knows of a run besides the population.
struct Notes {
    records: Vec<Record>,
    /// Evaluations from the beginning to the end of each of them.
    evaluations: Vec<u64>,
    tally: Tally,
}

impl Notes {
    /// What was known there.
    fn of(position: &Position) -> Self {
        Self {
            records: vec![position.snapshot.record],
            evaluations: vec![position.evaluations],
            tally: position.tally,
        }
    }

    /// The last generation, and evaluations up to its end.
    fn last(&self) -> (Record, u64) {
        let spent = self.evaluations.last().expect("one for each record");
        (last_of(&self.records), *spent)
    }
}

impl Journey<'_> {
    /// Runs on a new engine, from the last copy, until the end or until the engine fails.
    async fn travel(
        &mut self,
        place: &Backend,
        observer: &mut dyn Observer,
    ) -> Result<Outcome, Error> {
        let mut course = self.config.algorithm.begin(&Task {
            instance: self.setup.instance,
            pop: self.config.pop,
            seed: self.config.seed,
        });
        // What cannot be done is refused before anything is done.
        let plan = course.stage().plan;
        plan.check(self.setup.individuals, self.config.pop)?;
        let mut engine = Engine::new(place, &self.setup).await?;
        let result = self.drive(&mut engine, &mut *course, observer).await;
        if result.is_err() {
            engine.abandon();
        }
        result
    }

    async fn drive(
        &mut self,
        engine: &mut Engine,
        course: &mut dyn Course,
        observer: &mut dyn Observer,
    ) -> Result<Outcome, Error> {
        if self.engine.is_none() {
            observer.started(&engine.info());
        }
        self.engine = Some(engine.info());
        let mut notes = self.depart(engine, course).await?;
        let mut batch = 1u32;
        let mut operator = "initialise";
        let stop = loop {
            let elapsed = self.clock.elapsed();
            let flow = self.tell(&notes, operator, elapsed, observer);
            if let Some(stop) = self.stop(&notes, elapsed, flow) {
                break stop;
            }
            let wanted = observer
                .checkpoint_every()
                .is_some_and(|every| is_due(self.given, every));
            if wanted || self.is_at_risk(engine) {
                let copy = self.copy(engine, course, &notes).await?;
                if wanted && self.give(&copy, observer).is_break() {
                    break Stop::Observer;
                }
            }
            let stage = course.stage();
            operator = stage.operator;
            let generations = self.generations(&stage, batch, &notes);
            let before = notes.last();
            let begun = Instant::now();
            notes.records = engine.advance(&stage.plan, generations).await?;
            notes.evaluations = count(&stage.plan, self.config.pop, before, &notes.records);
            let ran = last_of(&notes.records).generation - before.0.generation;
            self.learn(engine, course, &mut notes).await?;
            batch = next_batch(ran, begun.elapsed());
        };
        if observer.checkpoint_every().is_some() {
            let copy = self.copy(engine, course, &notes).await?;
            // Whoever wants an end has it already.
            let _ = self.give(&copy, observer);
        }
        let population = engine.population().await?;
        self.arrive(stop, &notes, &population)
    }

    /// Takes the run up: with a new population, or where the last copy was made.
    async fn depart(
        &mut self,
        engine: &mut Engine,
        course: &mut dyn Course,
    ) -> Result<Notes, Error> {
        if let Some(copy) = self.copy.clone() {
            engine.restore(&copy.snapshot).await?;
            Memo::recall(&copy.course, course)
                .map_err(|misfit| Error::Checkpoint(misfit.to_string()))?;
            self.keep(engine, copy.clone());
            return Ok(Notes::of(&copy));
        }
        let mut notes = Notes {
            records: vec![engine.initialise(&course.start()).await?],
            evaluations: vec![self.config.pop as u64],
            tally: Tally::default(),
        };
        self.learn(engine, course, &mut notes).await?;
        Ok(notes)
    }

    /// Counts and learns from what has just happened.
    async fn learn(
        &self,
        engine: &mut Engine,
        course: &mut dyn Course,
        notes: &mut Notes,
    ) -> Result<(), Error> {
        notes
            .tally
            .add(self.setup.individuals.objective, &notes.records);
        let population = match course.studies_population() {
            true => Some(engine.population().await?),
            false => None,
        };
        course.learn(&News {
            records: &notes.records,
            population: population.as_deref(),
        });
        Ok(())
    }

    /// Tells the observer what it does not know yet.
    fn tell(
        &mut self,
        notes: &Notes,
        operator: &'static str,
        elapsed: Duration,
        observer: &mut dyn Observer,
    ) -> ControlFlow<()> {
        let known = |record: &&Record| self.told.is_some_and(|told| record.generation <= told);
        let known = notes.records.iter().take_while(known).count();
        self.told = self.told.max(Some(notes.last().0.generation));
        observer.progress(&Progress {
            records: &notes.records[known..],
            evaluations: &notes.evaluations[known..],
            operator,
            free_cells: self.setup.instance.free_cells(),
            elapsed,
        })
    }

    /// Whether and why this is the end.
    fn stop(&self, notes: &Notes, elapsed: Duration, flow: ControlFlow<()>) -> Option<Stop> {
        let budget = &self.config.budget;
        let (last, spent) = notes.last();
        if last.solved() {
            Some(Stop::Solved)
        } else if flow.is_break() {
            Some(Stop::Observer)
        } else if last.generation >= budget.max_generations {
            Some(Stop::Generations)
        } else if budget.max_evaluations.is_some_and(|most| spent >= most) {
            Some(Stop::Evaluations)
        } else if budget.time_limit.is_some_and(|limit| elapsed >= limit) {
            Some(Stop::Time)
        } else {
            None
        }
    }

    /// How many generations to ask for.
    fn generations(&self, stage: &Stage, batch: u32, notes: &Notes) -> u32 {
        let (last, spent) = notes.last();
        let budget = &self.config.budget;
        let left = budget.max_generations - last.generation;
        let together = batch.next_multiple_of(stage.plan.stride());
        // No fewer generations than these can reach the evaluations that are left, so that the run
        // ends where it would end with batches of one.
        let needed = budget.max_evaluations.map_or(u32::MAX, |most| {
            // Learning may make one individual anew.
            let learning = u64::from(stage.plan.learn.is_some());
            let each = (stage.plan.evaluations_each(self.config.pop) + learning).max(1);
            u32::try_from((most - spent).div_ceil(each)).unwrap_or(u32::MAX)
        });
        together.min(stage.generations).min(left).min(needed)
    }

    /// Whether there is so much on a device that it would be a pity to lose it.
    fn is_at_risk(&self, engine: &Engine) -> bool {
        engine.may_fail() && is_due(self.copied, COPY_EVERY.max(self.cost * COPY_SHARE))
    }

    /// Hands a copy over to who waits for it.
    fn give(&mut self, copy: &Arc<Position>, observer: &mut dyn Observer) -> ControlFlow<()> {
        self.given = Some(Instant::now());
        observer.checkpoint(copy)
    }

    /// Keeps a position to go on from, if that may be needed: what the native engine has is safe.
    fn keep(&mut self, engine: &Engine, position: Arc<Position>) {
        self.copy = engine.may_fail().then_some(position);
    }

    /// Copies everything to the host.
    async fn copy(
        &mut self,
        engine: &mut Engine,
        course: &mut dyn Course,
        notes: &Notes,
    ) -> Result<Arc<Position>, Error> {
        let begun = Instant::now();
        let (_, evaluations) = notes.last();
        let snapshot = engine.snapshot().await?;
        if engine.may_fail() {
            // What is nobody of the encoding is not kept.
            snapshot.check(&self.setup).map_err(|reason| Error::Fault {
                adapter: engine.info().adapter,
                reason: format!("its population cannot be: {reason}"),
            })?;
        }
        let copy = Arc::new(Position {
            snapshot,
            course: Memo::of(course),
            evaluations,
            tally: notes.tally,
            elapsed: self.clock.elapsed(),
        });
        self.cost = begun.elapsed();
        self.copied = Some(Instant::now());
        self.keep(engine, copy.clone());
        Ok(copy)
    }

    /// What came of it.
    fn arrive(&self, stop: Stop, notes: &Notes, population: &Population) -> Result<Outcome, Error> {
        let (last, evaluations) = notes.last();
        let engine = self.engine.clone().expect("there was an engine");
        let instance: &Instance = self.setup.instance;
        let claimed = stop == Stop::Solved;
        let verdict =
            judge(self.problem, instance.goal(), claimed, population).map_err(|error| {
                Error::Fault {
                    adapter: engine.adapter.clone(),
                    reason: format!("it returned a grid that is none: {error}"),
                }
            })?;
        let (closed, complete) = (instance.closed(), instance.free_cells() == 0);
        Ok(Outcome {
            stop,
            generations: last.generation,
            evaluations,
            best_fitness: verdict.fitness,
            goal: instance.goal(),
            solved: verdict.solved,
            by_propagation: verdict.solved && complete && closed > 0,
            closed_by_propagation: closed,
            deductions: instance.deductions(),
            effective_generations: notes.tally.effective,
            false_zero: notes.tally.false_zero,
            fault: None,
            rejected: verdict.violation,
            best: verdict.best,
            seconds: self.clock.elapsed().as_secs_f64(),
            population_hash: population.digest(),
            engine,
        })
    }

    /// Ends a run whose adapter has failed, with the best that is known.
    fn end(self, error: Error, stop: Stop, observer: &mut dyn Observer) -> Result<Outcome, Error> {
        let (Some(copy), Some(_)) = (&self.copy, &self.engine) else {
            return Err(error);
        };
        let is_fault = stop == Stop::Fault;
        if is_fault {
            let _ = observer.fault(&error, Remedy::Surrender);
        }
        let notes = Notes::of(copy);
        if observer.checkpoint_every().is_some() {
            let _ = observer.checkpoint(copy);
        }
        Ok(Outcome {
            fault: is_fault.then_some(error),
            ..self.arrive(stop, &notes, &copy.snapshot.population)?
        })
    }
}
