//! A run on one engine at a time, from generation to generation: batches, budgets, what the observer is told, copies of
//! the state.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use web_time::Instant;

use super::batch::next_batch;
use super::contest::{Contest, Verdict};
use super::dissection::dissect;
use super::run_log::{RunLog, count, last_of};
use super::verdict::judge;
use super::{
    Config, Measured, Moment, Observer, Outcome, Progress, Remedy, RunState, RunTotals, Stop, View,
};
use crate::algo::{AlgorithmState, Feedback, Stage, Task};
use crate::codec::Codec;
use crate::engine::shared::team::Team;
use crate::engine::snapshot::Champion;
use crate::engine::{Backend, Engine, EngineInfo, Setup};
use crate::error::Error;
use crate::plan::Plan;
use crate::population::{Population, Record};
use crate::problem::{Instance, Problem};

/// Copies from a device are made no more often than this, and take no more than a hundredth of the time.
const COPY_EVERY: Duration = Duration::from_secs(1);
const COPY_SHARE: u32 = 100;

/// Whether it is so long since then, if there was a then.
pub fn is_due(last: Option<Instant>, every: Duration) -> bool {
    last.is_none_or(|last| last.elapsed() >= every)
}

/// Wall clock of all parts of a run.
#[derive(Clone, Copy)]
struct Clock {
    start: Instant,
    /// What the parts before this one took.
    before: Duration,
    /// How long the observer has let it pause.
    paused: Duration,
}

impl Clock {
    fn elapsed(&self) -> Duration {
        (self.before + self.start.elapsed()).saturating_sub(self.paused)
    }
}

impl Stop {
    /// What the process that leads has decided.
    fn decided(team: &Team, stop: Option<Self>) -> Result<Option<Self>, Error> {
        const ALL: [Stop; 6] = [
            Stop::Solved,
            Stop::Generations,
            Stop::Evaluations,
            Stop::Time,
            Stop::Observer,
            Stop::Fault,
        ];
        let place = stop.and_then(|stop| ALL.iter().position(|&it| it == stop));
        let [place] = team.decide([place.map_or(u32::MAX, |place| place as u32)])?;
        Ok(ALL.get(place as usize).copied())
    }
}

/// Shows the observer the population, if it wants to see it.
async fn show(
    engine: &mut Engine,
    log: &RunLog,
    stop: Option<Stop>,
    observer: &mut dyn Observer,
) -> Result<(), Error> {
    let moment = Moment {
        generation: log.last().0.generation,
        ended: stop.is_some(),
    };
    let [wanted] = { engine.team() }.decide([u32::from(observer.wants_view(moment))])?;
    if wanted == 0 {
        return Ok(());
    }
    let champion = engine.champion().await?;
    let population = engine.population().await?;
    observer.view(&View {
        moment,
        population: &population,
        champion: champion.as_ref(),
    });
    Ok(())
}

pub struct RunLoop<'a> {
    problem: &'a Problem,
    config: &'a Config<'a>,
    setup: Setup<'a>,
    clock: Clock,
    /// The last generation that the observer knows of: after a fault some come again.
    told: Option<u32>,
    /// Where the run is taken up, and where it can be taken up again if its device fails.
    copy: Option<Arc<RunState>>,
    /// When the last copy was made, and when the observer was given one.
    copied: Option<Instant>,
    given: Option<Instant>,
    /// How long the last one took.
    cost: Duration,
    engine: Option<EngineInfo>,
    /// Which engine is faster, if that is to be found out.
    contest: Option<Contest>,
    /// Of places that share the population, the one that has failed last.
    lost: Option<usize>,
}

/// How the part of a run that one engine carries out ends.
pub enum Leg {
    /// With the run.
    Ended(Box<Outcome>),
    /// The run goes on with another engine, from the copy.
    Moved(Backend),
}

impl<'a> RunLoop<'a> {
    /// A run that began at a time, or goes on from a state.
    pub fn new(
        problem: &'a Problem,
        config: &'a Config<'a>,
        setup: Setup<'a>,
        start: Instant,
        from: Option<RunState>,
        contest: Option<Contest>,
    ) -> Self {
        Self {
            problem,
            config,
            setup,
            clock: Clock {
                start,
                before: from.as_ref().map_or(Duration::ZERO, |from| from.elapsed),
                paused: Duration::ZERO,
            },
            told: from.as_ref().map(RunState::generation),
            copy: from.map(Arc::new),
            copied: None,
            given: None,
            cost: Duration::ZERO,
            engine: None,
            contest,
            lost: None,
        }
    }

    /// Of places that share the population, the one that has failed last.
    pub fn lost(&self) -> Option<usize> {
        self.lost
    }

    /// Whether the engine in use is on trial.
    pub fn is_on_trial(&self) -> bool {
        self.contest.as_ref().is_some_and(Contest::is_on_trial)
    }

    /// What trials have found out about the engine in use.
    fn measured(&self) -> Option<Measured> {
        let result = self.contest.as_ref().and_then(Contest::result);
        result.map(|(_, measured)| measured)
    }

    /// The run stays with its next engine, whichever is faster.
    pub fn end_contest(&mut self) {
        self.contest = None;
    }

    /// The generation from which the run would be taken up again.
    pub fn kept_generation(&self) -> Option<u32> {
        self.copy.as_deref().map(RunState::generation)
    }

    /// Whether an engine was set up before.
    pub fn has_begun(&self) -> bool {
        self.engine.is_some()
    }

    /// Runs on a new engine, from the last copy, until the end, until another engine's turn or until the engine fails.
    pub async fn run_on(
        &mut self,
        backend: &Backend,
        observer: &mut dyn Observer,
    ) -> Result<Leg, Error> {
        self.lost = None;
        let mut state = self.config.algorithm.begin(&Task {
            instance: self.setup.instance,
            pop: self.config.pop,
            seed: self.config.seed,
        });
        // What cannot be done is refused before anything is done.
        let plan = state.stage().plan;
        plan.check(self.setup.representation, self.config.pop)?;
        let mut engine = Engine::new(backend, &self.setup).await?;
        let result = self
            .run_generations(&mut engine, &mut *state, observer)
            .await;
        self.lost = engine.lost();
        if result.is_err() {
            engine.abandon();
        }
        result
    }

    async fn run_generations(
        &mut self,
        engine: &mut Engine,
        state: &mut dyn AlgorithmState,
        observer: &mut dyn Observer,
    ) -> Result<Leg, Error> {
        let info = engine.info();
        if self.engine.is_none() {
            observer.started(&info);
        }
        if let Some(contest) = &mut self.contest {
            contest.set_up(&info);
        }
        self.engine = Some(info);
        // Of several processes one decides what depends on time and on observers.
        let team = engine.team();
        let mut log = self.start_or_resume(engine, state).await?;
        let mut next = 1u32;
        let mut operator = "initialise";
        let mut pace = Duration::ZERO;
        let stop = loop {
            let elapsed = self.clock.elapsed();
            let flow = self.tell(&log, operator, elapsed, observer);
            let stop = Stop::decided(&team, self.stop(&log, elapsed, flow))?;
            show(engine, &log, stop, observer).await?;
            if let Some(stop) = stop {
                break stop;
            }
            let paused = Instant::now();
            let leave = observer.leave().await;
            self.clock.paused += paused.elapsed();
            let wanted = observer
                .checkpoint_every()
                .is_some_and(|every| is_due(self.given, every));
            // Nobody leaves room for no generation.
            let leave = leave.continue_value().map_or(0, |leave| leave.max(1));
            let [leave, wanted, batch] = team.decide([leave, u32::from(wanted), next])?;
            if leave == 0 {
                break Stop::Observer;
            }
            let wanted = wanted != 0;
            if wanted || self.is_at_risk(engine) {
                let copy = self.copy(engine, state, &log).await?;
                let given = wanted.then(|| self.give(&copy, observer));
                if wanted {
                    let ends = given.is_some_and(|given| given.is_break());
                    let [ends] = team.decide([u32::from(ends)])?;
                    if ends != 0 {
                        break Stop::Observer;
                    }
                }
            }
            let stage = state.stage();
            if let Some(place) = self.next_place(&stage.plan, pace, &log, observer).await {
                self.copy = Some(self.copy(engine, state, &log).await?);
                return Ok(Leg::Moved(place));
            }
            operator = stage.operator;
            let dissected = observer.wants_dissection();
            let dissected = dissected.filter(|individual| *individual < self.config.pop);
            let batch = if dissected.is_some() {
                1
            } else {
                batch.min(leave)
            };
            let generations = self.generations(&stage, batch, &log);
            let subject = match dissected {
                Some(individual) => Some((individual, engine.snapshot().await?)),
                None => None,
            };
            let before = log.last();
            let begun = Instant::now();
            log.records = engine.advance(&stage.plan, generations).await?;
            log.evaluations = count(&stage.plan, self.config.pop, before, &log.records);
            let ran = last_of(&log.records).generation - before.0.generation;
            self.learn(engine, state, &mut log).await?;
            let took = begun.elapsed();
            if let Some((individual, before)) = subject {
                let after = engine.population().await?;
                let steps = dissect(&self.setup, &stage, &before, &after, individual)?;
                observer.dissection(&steps);
            }
            if let Some(contest) = &mut self.contest {
                let individuals = u64::from(ran) * self.config.pop as u64;
                contest.note(operator, individuals, took);
            }
            pace = took / ran.max(1);
            next = next_batch(ran, took);
        };
        let [saves] = team.decide([u32::from(observer.checkpoint_every().is_some())])?;
        if saves != 0 {
            let copy = self.copy(engine, state, &log).await?;
            // Whoever wants an end has it already.
            let _ = self.give(&copy, observer);
        }
        let champion = engine.champion().await?;
        let population = engine.population().await?;
        let outcome = self.finish(stop, &log, &population, champion.as_ref())?;
        Ok(Leg::Ended(outcome.into()))
    }

    /// Where the run goes on, if that is not where it is. The observer is told what a trial has found.
    async fn next_place(
        &mut self,
        plan: &Plan,
        pace: Duration,
        log: &RunLog,
        observer: &mut dyn Observer,
    ) -> Option<Backend> {
        let left = self.time_left(plan, pace, log);
        let contest = self.contest.as_mut()?;
        let verdict = contest.judge();
        if verdict.is_some() {
            if let Some((engine, measured)) = contest.result() {
                observer.measured(engine, &measured);
            }
            let returns = verdict == Some(Verdict::Return);
            return returns.then(|| contest.place().clone());
        }
        if !contest.wants_trial(left) {
            return None;
        }
        if !contest.other_place().is_there().await {
            self.end_contest();
            return None;
        }
        contest.begin_trial();
        Some(contest.place().clone())
    }

    /// Takes the run up: with a new population, or where the last copy was made.
    async fn start_or_resume(
        &mut self,
        engine: &mut Engine,
        state: &mut dyn AlgorithmState,
    ) -> Result<RunLog, Error> {
        if let Some(copy) = self.copy.clone() {
            engine.restore(&copy.snapshot).await?;
            Codec::decode(&copy.state, state)
                .map_err(|misfit| Error::Checkpoint(misfit.to_string()))?;
            self.keep(engine, copy.clone());
            return Ok(RunLog::of(&copy));
        }
        let mut log = RunLog {
            records: vec![engine.initialise(&state.start()).await?],
            evaluations: vec![self.config.pop as u64],
            totals: RunTotals::default(),
        };
        self.learn(engine, state, &mut log).await?;
        Ok(log)
    }

    /// Counts and learns from what has just happened.
    async fn learn(
        &self,
        engine: &mut Engine,
        state: &mut dyn AlgorithmState,
        log: &mut RunLog,
    ) -> Result<(), Error> {
        log.totals
            .add(self.setup.representation.objective, &log.records);
        let observed = engine.observe(state.observation()).await?;
        state.observe(&Feedback {
            records: &log.records,
            observed: &observed,
        });
        Ok(())
    }

    /// Tells the observer what it does not know yet.
    fn tell(
        &mut self,
        log: &RunLog,
        operator: &'static str,
        elapsed: Duration,
        observer: &mut dyn Observer,
    ) -> ControlFlow<()> {
        let known = |record: &&Record| self.told.is_some_and(|told| record.generation <= told);
        let known = log.records.iter().take_while(known).count();
        self.told = self.told.max(Some(log.last().0.generation));
        observer.progress(&Progress {
            records: &log.records[known..],
            evaluations: &log.evaluations[known..],
            operator,
            free_cells: self.setup.instance.free_cells(),
            elapsed,
        })
    }

    /// Whether and why this is the end.
    fn stop(&self, log: &RunLog, elapsed: Duration, flow: ControlFlow<()>) -> Option<Stop> {
        let budget = &self.config.budget;
        let (last, spent) = log.last();
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
    fn generations(&self, stage: &Stage, batch: u32, log: &RunLog) -> u32 {
        let together = batch.next_multiple_of(stage.plan.stride());
        let left = self.generations_left(&stage.plan, log);
        together.min(stage.generations).min(left)
    }

    /// Generations of a plan that the budget has room for.
    fn generations_left(&self, plan: &Plan, log: &RunLog) -> u32 {
        let (last, spent) = log.last();
        let budget = &self.config.budget;
        // No fewer generations than these can reach the evaluations that are left, so that the run
        // ends where it would end with batches of one.
        let needed = budget.max_evaluations.map_or(u32::MAX, |most| {
            // Learning may make one individual anew.
            let learning = u64::from(plan.learn.is_some());
            let each = (plan.evaluations_each(self.config.pop) + learning).max(1);
            u32::try_from((most - spent).div_ceil(each)).unwrap_or(u32::MAX)
        });
        needed.min(budget.max_generations - last.generation)
    }

    /// How long the run lasts if it is not solved and generations go on taking so long.
    fn time_left(&self, plan: &Plan, pace: Duration, log: &RunLog) -> Duration {
        let left = pace.saturating_mul(self.generations_left(plan, log));
        let limit = self.config.budget.time_limit.unwrap_or(Duration::MAX);
        left.min(limit.saturating_sub(self.clock.elapsed()))
    }

    /// Whether there is so much on a device that it would be a pity to lose it.
    fn is_at_risk(&self, engine: &Engine) -> bool {
        engine.may_fail() && is_due(self.copied, COPY_EVERY.max(self.cost * COPY_SHARE))
    }

    /// Hands a copy over to who waits for it.
    fn give(&mut self, copy: &Arc<RunState>, observer: &mut dyn Observer) -> ControlFlow<()> {
        self.given = Some(Instant::now());
        observer.checkpoint(copy)
    }

    /// Keeps a state to go on from, if that may be needed: what the native engine has is safe.
    fn keep(&mut self, engine: &Engine, state: Arc<RunState>) {
        self.copy = engine.may_fail().then_some(state);
    }

    /// Copies everything to the host.
    async fn copy(
        &mut self,
        engine: &mut Engine,
        state: &mut dyn AlgorithmState,
        log: &RunLog,
    ) -> Result<Arc<RunState>, Error> {
        let begun = Instant::now();
        let (_, evaluations) = log.last();
        let snapshot = engine.snapshot().await?;
        if engine.may_fail() {
            // What is nobody of the encoding is not kept.
            snapshot
                .check(&self.setup)
                .map_err(|reason| Error::DeviceFailed {
                    adapter: engine.info().adapter,
                    reason: format!("its population cannot be: {reason}"),
                })?;
        }
        let copy = Arc::new(RunState {
            snapshot,
            state: Codec::encode(state),
            evaluations,
            totals: log.totals,
            elapsed: self.clock.elapsed(),
        });
        self.cost = begun.elapsed();
        self.copied = Some(Instant::now());
        self.keep(engine, copy.clone());
        Ok(copy)
    }

    /// What came of it.
    fn finish(
        &self,
        stop: Stop,
        log: &RunLog,
        population: &Population,
        champion: Option<&Champion>,
    ) -> Result<Outcome, Error> {
        let (last, evaluations) = log.last();
        let engine = self.engine.clone().expect("there was an engine");
        let instance: &Instance = self.setup.instance;
        let claimed = stop == Stop::Solved;
        let verdict = judge(self.problem, instance.goal(), claimed, population, champion).map_err(
            |error| Error::DeviceFailed {
                adapter: engine.adapter.clone(),
                reason: format!("it returned a grid that is none: {error}"),
            },
        )?;
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
            effective_generations: log.totals.effective,
            false_zero: log.totals.false_zero,
            fault: None,
            rejected: verdict.violation,
            best: verdict.best,
            seconds: self.clock.elapsed().as_secs_f64(),
            population_hash: population.digest(),
            measured: self.measured(),
            engine,
        })
    }

    /// Ends a run whose adapter has failed, with the best that is known.
    pub fn end(
        self,
        error: Error,
        stop: Stop,
        observer: &mut dyn Observer,
    ) -> Result<Outcome, Error> {
        let (Some(copy), Some(_)) = (&self.copy, &self.engine) else {
            return Err(error);
        };
        let is_fault = stop == Stop::Fault;
        if is_fault {
            let _ = observer.fault(&error, Remedy::Surrender);
        }
        let log = RunLog::of(copy);
        if observer.checkpoint_every().is_some() {
            let _ = observer.checkpoint(copy);
        }
        Ok(Outcome {
            fault: is_fault.then_some(error),
            ..self.finish(
                stop,
                &log,
                &copy.snapshot.population,
                copy.snapshot.champion.as_ref(),
            )?
        })
    }
}
