//! Which engine is the faster one for a run.
//!
//! Both engines make the same generations, so a run is measured while it goes, and no generation is made twice. It
//! begins on the native engine, which is there at once. If it lasts, it goes on with the device for a trial, and then
//! stays where it is faster:
//!
//! ```text
//! native   |== counted ==|                               |== the rest, if the device is slower ...
//! device                 | opens . first batch . counted |== the rest, if it is faster ...
//!                        ^ PATIENCE                      ^ MEASURED
//! ```
//!
//! Rates are individuals of generations a second, of each operator by itself: those of a hybrid are not equally fast on
//! both engines, and need not have equal shares in what is counted. Nothing of it outlives the run.

use std::time::Duration;

use web_time::Instant;

use crate::engine::{Backend, EngineInfo};

/// The native engine runs for so long before a device is opened. To open one and to compile its kernels takes about as
/// long or longer (0.7 to 3.4 s with Mesa's software driver), so a run that ends sooner would have lost by it, and a
/// long run loses little by waiting.
const PATIENCE: Duration = Duration::from_millis(500);

/// A trial is over when so much time on operators that both engines know is counted: two batches or more, or a single
/// long one.
const MEASURED: Duration = Duration::from_millis(100);

/// A trial that finds no such operators ends so long after its first batch.
const LONGEST: Duration = Duration::from_secs(1);

/// What lies ahead has to be so many times [`PATIENCE`], and a further trial waits for so many times what those before
/// it took: trials are to cost about a tenth of a run at the most.
const SHARE: u32 = 10;

/// How far back rates go. Older generations count less and less: those at the beginning of a run may differ.
const MEMORY: Duration = Duration::from_millis(400);

/// What was found out in a trial: the engine in use, as against the other one.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// The other engine.
    pub other: EngineInfo,
    /// How many times the rate of the other one this one has.
    pub factor: f64,
}

/// What an engine has done with an operator.
#[derive(Debug, Clone, Copy)]
struct Tally {
    operator: &'static str,
    individuals: f64,
    seconds: f64,
}

/// What an engine has done.
#[derive(Debug, Clone, Default)]
struct Tallies(Vec<Tally>);

impl Tallies {
    fn of(&self, operator: &str) -> Option<&Tally> {
        self.0.iter().find(|it| it.operator == operator)
    }

    fn add(&mut self, operator: &'static str, individuals: f64, seconds: f64) {
        let at = self.0.iter().position(|it| it.operator == operator);
        let at = at.unwrap_or_else(|| {
            self.0.push(Tally {
                operator,
                individuals: 0.0,
                seconds: 0.0,
            });
            self.0.len() - 1
        });
        let tally = &mut self.0[at];
        if tally.seconds > MEMORY.as_secs_f64() {
            tally.individuals /= 2.0;
            tally.seconds /= 2.0;
        }
        tally.individuals += individuals;
        tally.seconds += seconds;
    }

    /// Seconds that were spent here on operators that the other knows, too, and that the other would have needed for
    /// the same.
    fn against(&self, other: &Self) -> (f64, f64) {
        let both = self.0.iter().filter_map(|here| {
            let there = other.of(here.operator)?;
            let each = there.seconds / there.individuals;
            Some((here.seconds, here.individuals * each))
        });
        both.fold((0.0, 0.0), |sum, it| (sum.0 + it.0, sum.1 + it.1))
    }
}

/// One of the two engines.
struct Contestant {
    backend: Backend,
    /// What it is, once it was set up.
    info: Option<EngineInfo>,
    tallies: Tallies,
}

impl Contestant {
    fn new(backend: &Backend) -> Self {
        Self {
            backend: backend.clone(),
            info: None,
            tallies: Tallies::default(),
        }
    }
}

/// A trial under way.
struct Trial {
    begun: Instant,
    /// When its first batch was done: before that kernels were compiled.
    ready: Option<Instant>,
    tallies: Tallies,
}

/// How a trial ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The run stays where the trial was.
    Stay,
    /// It goes back.
    Return,
}

/// Two engines, of which the faster one is to be found.
pub struct Contest {
    /// Where the run is, and where it might be.
    here: Contestant,
    there: Contestant,
    /// Operators whose kernels have run since the device was set up.
    compiled: Vec<&'static str>,
    trial: Option<Trial>,
    /// What all trials took.
    spent: Duration,
    /// How long operators have run here that are not known there.
    unknown: Duration,
    /// How many times the rate of the other the engine in use had in the last trial.
    factor: Option<f64>,
}

impl Contest {
    /// A contest, if there is a choice: a device before the native engine, as [`Backend::fallbacks`] has them.
    pub fn among(places: &[Backend]) -> Option<Self> {
        let [device @ Backend::Gpu { .. }, native @ Backend::Cpu { .. }] = places else {
            return None;
        };
        Some(Self {
            here: Contestant::new(native),
            there: Contestant::new(device),
            compiled: Vec::new(),
            trial: None,
            spent: Duration::ZERO,
            unknown: Duration::ZERO,
            factor: None,
        })
    }

    /// Where the run is to be.
    pub fn place(&self) -> &Backend {
        &self.here.backend
    }

    /// Where it might be.
    pub fn other_place(&self) -> &Backend {
        &self.there.backend
    }

    /// An engine was set up for the run.
    pub fn set_up(&mut self, info: &EngineInfo) {
        self.here.info = Some(info.clone());
        self.compiled.clear();
    }

    /// Takes note of a batch.
    pub fn note(&mut self, operator: &'static str, individuals: u64, took: Duration) {
        if self.there.tallies.of(operator).is_none() {
            self.unknown += took;
        }
        // The first batch of an operator waits for the compiler on a device.
        let is_device = matches!(self.here.backend, Backend::Gpu { .. });
        let counts = !is_device || self.compiled.contains(&operator);
        if !self.compiled.contains(&operator) {
            self.compiled.push(operator);
        }
        let tallies = match &mut self.trial {
            Some(trial) => {
                trial.ready.get_or_insert_with(Instant::now);
                &mut trial.tallies
            }
            None => &mut self.here.tallies,
        };
        if counts && individuals > 0 {
            // No clock is finer than that.
            let seconds = took.as_secs_f64().max(1e-9);
            tallies.add(operator, individuals as f64, seconds);
        }
    }

    /// Whether the run has been here for long enough to try the other engine, if it will be going on for so long.
    pub fn wants_trial(&self, left: Duration) -> bool {
        let due = self.unknown >= PATIENCE.max(SHARE * self.spent);
        self.trial.is_none() && due && left >= SHARE * PATIENCE
    }

    /// Whether the engine in use is on trial.
    pub fn is_on_trial(&self) -> bool {
        self.trial.is_some()
    }

    /// The run goes on with the other engine, for a trial.
    pub fn begin_trial(&mut self) {
        std::mem::swap(&mut self.here, &mut self.there);
        self.trial = Some(Trial {
            begun: Instant::now(),
            ready: None,
            tallies: Tallies::default(),
        });
    }

    /// Ends a trial in which enough was seen.
    pub fn judge(&mut self) -> Option<Verdict> {
        let trial = self.trial.as_ref()?;
        let (here, there) = trial.tallies.against(&self.there.tallies);
        let too_long = trial.ready.is_some_and(|since| since.elapsed() >= LONGEST);
        if here < MEASURED.as_secs_f64() && !too_long {
            return None;
        }
        let trial = self.trial.take()?;
        self.spent += trial.begun.elapsed();
        self.unknown = Duration::ZERO;
        for it in trial.tallies.0 {
            let known = &mut self.here.tallies;
            known.add(it.operator, it.individuals, it.seconds);
        }
        // Without anything in common nothing was found out, and all is as it was before.
        let factor = (here > 0.0).then(|| there / here);
        if factor.is_some_and(|factor| factor > 1.0) {
            self.factor = factor;
            return Some(Verdict::Stay);
        }
        if let Some(factor) = factor {
            self.factor = Some(1.0 / factor);
        }
        std::mem::swap(&mut self.here, &mut self.there);
        Some(Verdict::Return)
    }

    /// The engine in use and what the last trial found out about it, unless another one is under way.
    pub fn result(&self) -> Option<(&EngineInfo, Measured)> {
        let factor = self.factor.filter(|_| self.trial.is_none())?;
        let other = self.there.info.clone()?;
        Some((self.here.info.as_ref()?, Measured { other, factor }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::gpu::adapter::AdapterChoice;

    const NATIVE: Backend = Backend::Cpu { threads: 1 };
    const DEVICE: Backend = Backend::Gpu {
        adapter: AdapterChoice::Automatic,
        mapping: None,
    };

    fn contest() -> Contest {
        let mut contest = Contest::among(&[DEVICE, NATIVE]).unwrap();
        contest.set_up(&info("cpu"));
        contest
    }

    fn info(backend: &'static str) -> EngineInfo {
        EngineInfo {
            backend,
            adapter: format!("a {backend}"),
            software: false,
        }
    }

    fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    const FOR_EVER: Duration = Duration::MAX;

    fn measured(contest: &Contest) -> Option<Measured> {
        contest.result().map(|(_, measured)| measured)
    }

    fn begin(contest: &mut Contest) {
        assert!(contest.wants_trial(FOR_EVER));
        contest.begin_trial();
        let backend = match contest.place() {
            Backend::Gpu { .. } => "gpu",
            _ => "cpu",
        };
        contest.set_up(&info(backend));
    }

    #[test]
    fn only_a_device_before_the_native_engine_is_a_contest() {
        assert!(Contest::among(&[NATIVE]).is_none());
        assert!(Contest::among(&[DEVICE]).is_none());
        assert!(Contest::among(&[DEVICE, NATIVE]).is_some());
    }

    #[test]
    fn a_run_that_is_short_or_soon_over_has_no_trial() {
        let mut contest = contest();
        contest.note("breed", 1000, PATIENCE - millis(1));
        assert!(!contest.wants_trial(FOR_EVER));
        contest.note("breed", 1000, millis(1));
        assert!(contest.wants_trial(FOR_EVER));
        assert!(contest.wants_trial(SHARE * PATIENCE));
        assert!(!contest.wants_trial(SHARE * PATIENCE - millis(1)));
    }

    #[test]
    fn the_faster_engine_wins_and_compilation_does_not_count() {
        // Individuals of a device in a tenth of a second, as against 100 of the native engine.
        for (individuals, stays, factor) in [(400, true, 4.0), (25, false, 4.0), (100, false, 1.0)]
        {
            let mut contest = contest();
            contest.note("breed", 1000, millis(1000));
            begin(&mut contest);
            contest.note("breed", 1, millis(9000));
            assert_eq!((contest.judge(), measured(&contest)), (None, None));
            contest.note("breed", individuals / 5, millis(20));
            assert_eq!(contest.judge(), None);
            contest.note("breed", individuals * 4 / 5, millis(80));
            let (verdict, place, other) = match stays {
                true => (Verdict::Stay, DEVICE, "cpu"),
                false => (Verdict::Return, NATIVE, "gpu"),
            };
            assert_eq!(contest.judge(), Some(verdict));
            assert_eq!(*contest.place(), place);
            let found = measured(&contest).unwrap();
            assert_eq!(found.other, info(other));
            assert!((found.factor - factor).abs() < 1e-6, "{found:?}");
            assert!(!contest.wants_trial(FOR_EVER), "nothing new to be found");
        }
    }

    /// The device is ten times as fast with one operator, and the native engine with the other.
    #[test]
    fn operators_are_compared_each_with_itself() {
        let mut contest = contest();
        contest.note("swarm", 1000, millis(100));
        contest.note("genetic", 1000, millis(1000));
        begin(&mut contest);
        for operator in ["swarm", "genetic", "restart"] {
            contest.note(operator, 1, millis(1));
        }
        // What the native engine does not know says nothing.
        contest.note("restart", 1, millis(900));
        assert_eq!(contest.judge(), None);
        // It would have taken 10 ms and 900 ms.
        contest.note("swarm", 100, millis(100));
        contest.note("genetic", 900, millis(90));
        assert_eq!(contest.judge(), Some(Verdict::Stay));
        let factor = measured(&contest).unwrap().factor;
        assert!((factor - 910.0 / 190.0).abs() < 1e-6, "{factor}");
    }

    #[test]
    fn an_operator_that_comes_later_is_measured_later() {
        let mut contest = contest();
        contest.note("genetic", 1000, millis(1000));
        begin(&mut contest);
        contest.note("genetic", 1, millis(1));
        contest.note("genetic", 1000, millis(100));
        assert_eq!(contest.judge(), Some(Verdict::Stay));
        contest.note("genetic", 1000, millis(9000));
        assert!(!contest.wants_trial(FOR_EVER));
        contest.note("anneal", 1, millis(400));
        contest.note("anneal", 100, millis(100));
        begin(&mut contest);
        assert_eq!(*contest.place(), NATIVE);
        // No compiler is waited for here.
        contest.note("anneal", 300, millis(100));
        assert_eq!(contest.judge(), Some(Verdict::Stay));
        let found = measured(&contest).unwrap();
        assert_eq!(found.other, info("gpu"));
        assert!((found.factor - 3.0).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn recent_generations_count_most() {
        let mut tallies = Tallies::default();
        tallies.add("breed", 1.0, 10.0);
        for _ in 0..40 {
            tallies.add("breed", 10.0, 0.1);
        }
        let tally = tallies.of("breed").unwrap();
        let rate = tally.individuals / tally.seconds;
        assert!((99.0..=100.0).contains(&rate), "{rate}");
    }
}
