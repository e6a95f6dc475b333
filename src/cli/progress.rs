//! What a run shows and writes while it goes: a bar on a terminal, a trace in a file.

use std::fmt;
use std::io::{self, IsTerminal as _};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use gpusudoku::controller::{Budget, Measured, Observer, Progress, Remedy, RunState};
use gpusudoku::engine::EngineInfo;
use gpusudoku::error::Error;
use gpusudoku::lab::numbers::{brief, number, readable_seconds};
use gpusudoku::lab::trace::{Trace, TracedRun};
use gpusudoku::population::Record;
use indicatif::{HumanCount, ProgressBar, ProgressState, ProgressStyle};

use super::exit::Failure;
use super::interrupt;
use super::saver::Saver;

/// Parts of a bar: as many as anybody can see.
const PARTS: u64 = 1000;

/// A bar over many runs, on a terminal and unless it is not wanted.
pub fn runs_bar(runs: usize, quiet: bool) -> ProgressBar {
    if quiet || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(runs as u64);
    let text = |state: &ProgressState, to: &mut dyn fmt::Write| {
        let all = state.len().unwrap_or(0);
        // What cannot be shown is not shown.
        let _ = to.write_str(&runs_done(state.pos(), all, state.elapsed()));
    };
    let style = ProgressStyle::with_template("[{wide_bar}] {runs}");
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.set_style(style.with_key("runs", text));
    bar.enable_steady_tick(Duration::from_secs(1));
    bar
}

/// How many runs of all are done, and when the others will be.
fn runs_done(done: u64, all: u64, elapsed: Duration) -> String {
    let elapsed = elapsed.as_secs_f64();
    let left = match done {
        0 => String::new(),
        done => {
            let each = elapsed / done as f64;
            let left = readable_seconds(each * all.saturating_sub(done) as f64);
            format!(", about {left} left")
        }
    };
    format!(
        "{} of {} runs done, {}{left}",
        HumanCount(done),
        HumanCount(all),
        readable_seconds(elapsed)
    )
}

/// A large number that changes all the time, with no more digits than stand still for a moment.
fn rough(value: f64) -> String {
    let unit = 10f64.powf(value.max(100.0).log10().floor() - 2.0);
    brief((value / unit).round() * unit)
}

/// A run as those who watch it see it.
#[derive(Debug, Clone, Copy)]
pub struct Watched<'a> {
    /// What it is.
    pub run: TracedRun<'a>,
    /// When it gives up.
    pub budget: Budget,
    /// How long its parts before this one took.
    pub before: Duration,
    /// Its number, from one, and how many there are.
    pub place: (u64, u64),
    /// Whether its evaluations are the moves of searches.
    pub counts_moves: bool,
}

impl Watched<'_> {
    /// What it is called beside its bar.
    fn title(&self) -> String {
        let (number, all) = self.place;
        match all {
            1 => self.run.problem.to_owned(),
            all => format!(
                "run {} of {}, {}",
                HumanCount(number),
                HumanCount(all),
                self.run.problem
            ),
        }
    }

    /// How long this part has taken, and how long it may take.
    fn time(&self, elapsed: Duration) -> (f64, Option<f64>) {
        let of_this_part = |time: Duration| time.saturating_sub(self.before).as_secs_f64();
        (
            of_this_part(elapsed),
            self.budget.time_limit.map(of_this_part),
        )
    }

    /// The share of its budget that is spent, of whatever is spent first.
    fn spent(&self, generation: u32, evaluations: u64, elapsed: Duration) -> f64 {
        let budget = &self.budget;
        let (took, limit) = self.time(elapsed);
        let shares = [
            f64::from(generation) / f64::from(budget.max_generations.max(1)),
            budget
                .max_evaluations
                .map_or(0.0, |most| evaluations as f64 / most as f64),
            limit.map_or(0.0, |limit| took / limit.max(f64::MIN_POSITIVE)),
        ];
        shares.into_iter().fold(0.0, f64::max).min(1.0)
    }

    /// How it goes, in a few words.
    fn standing(&self, last: &Record, evaluations: u64, elapsed: Duration) -> String {
        let budget = &self.budget;
        let count = HumanCount;
        let mut text = format!("generation {}", count(last.generation.into()));
        // Who has a budget of evaluations has none of generations.
        if budget.max_generations < u32::MAX {
            text += &format!(" of {}", count(budget.max_generations.into()));
        }
        if let Some(most) = budget.max_evaluations {
            text += &format!(
                ", {} of {} evaluations",
                rough(evaluations as f64),
                rough(most as f64)
            );
        }
        let (made, what) = match self.counts_moves {
            true => (evaluations as f64, "moves"),
            false => {
                let generations = f64::from(last.generation) + 1.0;
                (generations * self.run.pop as f64, "individuals")
            }
        };
        let rate = rough(made / elapsed.as_secs_f64().max(1e-9));
        let mean = last.mean(self.run.pop);
        text += &format!(", best {} mean {mean:.1}, {rate} {what}/s", last.best);
        text
    }

    /// How long it has taken, and when it will end if nothing is found.
    fn clock(&self, spent: f64, elapsed: Duration) -> String {
        let (took, limit) = self.time(elapsed);
        let mut text = readable_seconds(took);
        match limit {
            Some(limit) => text += &format!(" of {}", readable_seconds(limit)),
            // Early guesses are wild.
            None if took >= 1.0 && spent > 0.0 => {
                let left = elapsed.as_secs_f64() * (1.0 - spent) / spent;
                text += &format!(", at most {} left", readable_seconds(left));
            }
            None => {}
        }
        text
    }
}

/// Watches one run.
pub struct Watch<'a> {
    /// The bar of this run, or that of all.
    bar: ProgressBar,
    has_bar: bool,
    trace: Option<&'a mut Trace>,
    saver: Option<Saver>,
    watched: Watched<'a>,
    /// Which engine turned out to be the faster one, as the end of a line.
    faster: String,
    /// What the user should know once the run has started.
    pub notices: Vec<String>,
}

impl<'a> Watch<'a> {
    /// A bar on a terminal, unless there is one for all runs; a trace if there is a file.
    pub fn new(
        watched: Watched<'a>,
        all: Option<&ProgressBar>,
        trace: Option<&'a mut Trace>,
        saver: Option<Saver>,
    ) -> Self {
        let own = || {
            if !io::stderr().is_terminal() {
                return ProgressBar::hidden();
            }
            let bar = ProgressBar::new(PARTS);
            let title = watched.title();
            let title = move |_: &ProgressState, to: &mut dyn fmt::Write| {
                // What cannot be shown is not shown.
                let _ = to.write_str(&title);
            };
            // Two lines, as one would be too long for many terminals.
            let style = ProgressStyle::with_template("{title} [{wide_bar}] {prefix}\n{msg}");
            let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
            bar.set_style(style.with_key("title", title));
            bar
        };
        Self {
            bar: all.cloned().unwrap_or_else(own),
            has_bar: all.is_none(),
            trace,
            saver,
            watched,
            faster: String::new(),
            notices: Vec::new(),
        }
    }

    /// Tells the user something.
    fn say(&self, line: &str) {
        self.bar.suspend(|| eprintln!("{line}"));
    }

    /// Whether the run was ended because it cannot be saved.
    pub fn refused(&self) -> bool {
        self.saver.as_ref().is_some_and(Saver::failed)
    }

    /// Clears the bar, and writes the last checkpoint.
    pub fn finish(mut self) -> Result<(), Failure> {
        self.saver.as_mut().map_or(Ok(()), Saver::finish)
    }
}

impl Observer for Watch<'_> {
    fn started(&mut self, _engine: &EngineInfo) {
        if let Some(trace) = &mut self.trace {
            trace.open(&self.watched.run);
        }
        let lost = self.trace.as_ref().is_some_and(|trace| trace.failed());
        for notice in self.notices.iter().filter(|_| !lost) {
            self.say(notice);
        }
    }

    fn measured(&mut self, engine: &EngineInfo, measured: &Measured) {
        self.faster = faster(engine, measured);
    }

    fn checkpoint_every(&self) -> Option<Duration> {
        self.saver.as_ref().map(|saver| saver.every)
    }

    fn checkpoint(&mut self, state: &Arc<RunState>) -> ControlFlow<()> {
        // A checkpoint is no older than its trace.
        if let Some(trace) = &mut self.trace {
            trace.flush();
        }
        match &mut self.saver {
            Some(saver) => saver.take(state),
            None => ControlFlow::Continue(()),
        }
    }

    fn fault(&mut self, error: &Error, remedy: Remedy) -> ControlFlow<()> {
        let ends = interrupt::requested();
        if remedy == Remedy::Native {
            self.faster.clear();
        }
        let remedy = match remedy {
            _ if ends => "ending, as was asked for".to_owned(),
            Remedy::Rebuild {
                attempt,
                generation,
            } => format!(
                "attempt {attempt} to go on, from generation {}",
                generation.unwrap_or(0)
            ),
            Remedy::Others => "going on with the others".to_owned(),
            Remedy::Native => "going on with the CPU engine".to_owned(),
            Remedy::Surrender => "giving up, with the best so far".to_owned(),
        };
        self.say(&format!("{}: {error}; {remedy}", self.watched.run.problem));
        match ends {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    fn wants_diversity(&self) -> bool {
        self.trace.is_some()
    }

    fn progress(&mut self, progress: &Progress<'_>) -> ControlFlow<()> {
        if let Some(trace) = &mut self.trace {
            trace.add(&self.watched.run, progress);
            // A lost trace ends the run: it is what the user wanted.
            if trace.failed() {
                return ControlFlow::Break(());
            }
        }
        let shown = self.has_bar && !self.bar.is_hidden();
        let last = progress.records.last().zip(progress.evaluations.last());
        if let (true, Some((last, &evaluations))) = (shown, last) {
            let watched = &self.watched;
            let elapsed = progress.elapsed;
            let spent = watched.spent(last.generation, evaluations, elapsed);
            self.bar.set_position((spent * PARTS as f64) as u64);
            self.bar.set_prefix(watched.clock(spent, elapsed));
            let standing = watched.standing(last, evaluations, elapsed);
            self.bar.set_message(standing + &self.faster);
        }
        match interrupt::requested() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        if self.has_bar {
            self.bar.finish_and_clear();
        }
    }
}

/// Which engine is the faster one, as the end of a line.
fn faster(engine: &EngineInfo, measured: &Measured) -> String {
    let factor = number(measured.factor);
    let other = measured.other.backend;
    format!(
        ", {factor} times as fast on {} as on {other}",
        engine.backend
    )
}

/// An engine in a few words.
pub fn describe(engine: &EngineInfo) -> String {
    let software = if engine.software {
        ", a software adapter"
    } else {
        ""
    };
    format!("{} ({}{software})", engine.backend, engine.adapter)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn watched(counts_moves: bool, budget: Budget) -> Watched<'static> {
        Watched {
            run: TracedRun {
                problem: "sd3",
                algo: "any",
                seed: 1,
                pop: 4,
            },
            budget,
            before: Duration::ZERO,
            place: (1, 1),
            counts_moves,
        }
    }

    fn generations(max_generations: u32) -> Budget {
        Budget {
            max_generations,
            max_evaluations: None,
            time_limit: None,
        }
    }

    /// The generation of that number: everybody has fitness 6 but one, who has 2.
    fn record(generation: u32) -> Record {
        Record {
            generation,
            best: 2,
            worst: 6,
            sum_low: 20,
            ..Record::default()
        }
    }

    #[test]
    fn searches_that_count_moves_show_moves() {
        let tabu = watched(true, generations(100_000));
        assert_eq!(
            tabu.standing(&record(1234), 80_000_000, 40 * SECOND),
            "generation 1,234 of 100,000, best 2 mean 5.0, 2M moves/s"
        );
        let genetic = watched(false, generations(100_000));
        assert_eq!(
            genetic.standing(&record(999), 80_000_000, 2 * SECOND),
            "generation 999 of 100,000, best 2 mean 5.0, 2k individuals/s"
        );
    }

    #[test]
    fn the_faster_engine_is_named() {
        let engine = |backend, adapter: &str| EngineInfo {
            backend,
            adapter: adapter.to_owned(),
            software: false,
        };
        let measured = Measured {
            other: engine("gpu", "a Radeon"),
            factor: 3.456,
        };
        let line = faster(&engine("cpu", "2 threads"), &measured);
        assert_eq!(line, ", 3.46 times as fast on cpu as on gpu");
    }

    #[test]
    fn large_numbers_have_three_digits() {
        for (value, text) in [
            (0.0, "0"),
            (7.6, "8"),
            (123.4, "123"),
            (999.7, "1k"),
            (488_378.0, "488k"),
            (2_345_678.0, "2.35M"),
            (1.5e10, "15G"),
        ] {
            assert_eq!(rough(value), text);
        }
    }

    #[test]
    fn a_budget_of_evaluations_stands_in_place_of_generations() {
        let budget = Budget {
            max_evaluations: Some(5000),
            ..generations(u32::MAX)
        };
        let run = watched(false, budget);
        assert_eq!(
            run.standing(&record(499), 2000, SECOND),
            "generation 499, 2k of 5k evaluations, best 2 mean 5.0, 2k individuals/s"
        );
        assert_eq!(run.spent(499, 2000, SECOND), 0.4);
    }

    #[test]
    fn the_clock_shows_the_time_of_this_part_and_its_limit() {
        let limited = Budget {
            time_limit: Some(80 * SECOND),
            ..generations(1000)
        };
        let mut run = watched(true, limited);
        assert_eq!(run.clock(0.1, 20 * SECOND), "20.0 s of 1 min 20 s");
        assert_eq!(run.spent(1, 0, 20 * SECOND), 0.25);
        assert_eq!(run.spent(500, 0, 20 * SECOND), 0.5);
        // A part that begins after a minute.
        run.before = 60 * SECOND;
        assert_eq!(run.clock(0.1, 65 * SECOND), "5.0 s of 20.0 s");
        assert_eq!(run.spent(1, 0, 65 * SECOND), 0.25);
        assert_eq!(run.spent(1, 0, 99 * SECOND), 1.0);
    }

    #[test]
    fn without_a_limit_the_budget_says_when_it_ends() {
        let run = watched(true, generations(1000));
        let spent = run.spent(250, 0, 20 * SECOND);
        assert_eq!(run.clock(spent, 20 * SECOND), "20.0 s, at most 1 min left");
        assert_eq!(run.clock(spent, SECOND / 2), "500 ms");
        assert_eq!(run.clock(0.0, 20 * SECOND), "20.0 s");
    }

    #[test]
    fn no_budget_is_too_small_to_be_shown() {
        let nothing = Budget {
            max_generations: 0,
            max_evaluations: Some(1),
            time_limit: Some(Duration::ZERO),
        };
        let run = watched(true, nothing);
        assert_eq!(run.spent(0, 4, Duration::ZERO), 1.0);
        assert_eq!(run.clock(1.0, Duration::ZERO), "0 s of 0 s");
        assert!(
            run.standing(&record(0), 4, Duration::ZERO)
                .contains(" of 1 evaluations")
        );
    }

    #[test]
    fn one_of_many_runs_has_a_number() {
        let mut run = watched(true, generations(10));
        assert_eq!(run.title(), "sd3");
        run.place = (3, 10_000);
        assert_eq!(run.title(), "run 3 of 10,000, sd3");
    }

    #[test]
    fn runs_are_counted_and_the_rest_is_guessed() {
        assert_eq!(runs_done(0, 10, SECOND), "0 of 10 runs done, 1.0 s");
        assert_eq!(
            runs_done(4, 10_000, 2 * SECOND),
            "4 of 10,000 runs done, 2.0 s, about 1 h 23 min left"
        );
        assert_eq!(
            runs_done(10, 10, 90 * SECOND),
            "10 of 10 runs done, 1 min 30 s, about 0 s left"
        );
    }
}
