//! What came out, and the arithmetic on it.

use super::BenchCase;
use crate::engine::gpu::KernelTime;
use crate::lab::statistics::{quantile, sorted};

/// How long everybody took for the same work.
#[derive(Debug, Clone)]
pub struct Row {
    /// The work.
    pub case: BenchCase,
    /// What it took each contender, in their order.
    pub outcomes: Vec<Outcome>,
    /// What its kernels took each contender, in their order.
    pub profiles: Vec<Profile>,
}

impl Row {
    /// What became of a case that nobody has profiled.
    pub(super) fn new(case: BenchCase, outcomes: Vec<Outcome>) -> Self {
        Self {
            case,
            profiles: outcomes.iter().map(|_| Profile::None).collect(),
            outcomes,
        }
    }
}

/// What the kernels of a contender took.
#[derive(Debug, Clone, PartialEq)]
pub enum Profile {
    /// Nobody has asked, or there is nothing to profile: native code, or work that was skipped.
    None,
    /// These, in their order.
    Kernels(Vec<KernelShare>),
    /// It cannot be told, and why.
    Unknown(String),
}

/// What a kernel took.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelShare {
    /// Its name.
    pub kernel: String,
    /// Dispatches in which it works on a population.
    pub dispatches: usize,
    /// Median microseconds of a generation; none if the adapter told nothing but nonsense.
    pub microseconds: Option<f64>,
    /// Share of the medians of all kernels.
    pub share: Option<f64>,
}

impl KernelShare {
    /// The shares of these times.
    pub fn of(times: &[KernelTime]) -> Vec<Self> {
        let median = |time: &KernelTime| match time.seconds.is_empty() {
            true => None,
            false => Some(1e6 * Spread::of(&time.seconds).median),
        };
        let all: f64 = times.iter().filter_map(median).sum();
        let share = |time: &KernelTime| {
            let microseconds = median(time);
            Self {
                kernel: time.kernel.clone(),
                dispatches: time.dispatches,
                microseconds,
                share: microseconds.filter(|_| all > 0.0).map(|part| part / all),
            }
        };
        times.iter().map(share).collect()
    }
}

/// What a contender made of the work.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// It was measured.
    Timed(Timing),
    /// It was not, and why.
    Skipped(String),
}

impl Outcome {
    /// What was measured.
    pub fn timing(&self) -> Option<&Timing> {
        match self {
            Self::Timed(timing) => Some(timing),
            Self::Skipped(_) => None,
        }
    }
}

/// What was measured.
#[derive(Debug, Clone)]
pub struct Timing {
    /// Seconds of a generation, or of an evaluation of everybody: one figure a repetition.
    pub seconds: Spread,
    /// How many repetitions there were.
    pub repetitions: usize,
    /// Generations of a repetition.
    pub generations: u64,
    /// Moves or steps of searches in a generation, if it has any.
    pub moves: Option<f64>,
    /// Seconds in which as many threads copy as many bytes as the population has; beside the
    /// evaluation on native engines only.
    pub memcpy: Option<Spread>,
}

impl Timing {
    /// Individuals of a population of this size that a second makes, and its quartiles from the
    /// lower to the upper.
    pub fn rates(&self, pop: usize) -> [f64; 3] {
        let Spread {
            lower,
            median,
            upper,
            ..
        } = self.seconds;
        [upper, median, lower].map(|seconds| pop as f64 / seconds)
    }

    /// Moves or steps of searches a second.
    pub fn moves_rate(&self) -> Option<f64> {
        self.moves.map(|moves| moves / self.seconds.median)
    }

    /// How many times as fast as another this is.
    pub fn ratio(&self, to: &Self) -> f64 {
        to.seconds.median / self.seconds.median
    }

    /// The share of the machine's rate of copying that the evaluation reaches.
    pub fn memcpy_share(&self) -> Option<f64> {
        let memcpy = self.memcpy.as_ref()?;
        Some(memcpy.median / self.seconds.median)
    }
}

/// How figures that should be the same differ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The least.
    pub least: f64,
    /// A quarter of the figures is below.
    pub lower: f64,
    /// One half is below.
    pub median: f64,
    /// A quarter is above.
    pub upper: f64,
    /// The most.
    pub most: f64,
}

impl Spread {
    /// The spread of some figures.
    ///
    /// # Panics
    /// If there are no figures.
    pub fn of(figures: &[f64]) -> Self {
        assert!(!figures.is_empty(), "a spread of nothing");
        let figures = sorted(figures);
        let [least, lower, median, upper, most] =
            [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| quantile(&figures, share));
        Self {
            least,
            lower,
            median,
            upper,
            most,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timing(seconds: &[f64]) -> Timing {
        Timing {
            seconds: Spread::of(seconds),
            repetitions: seconds.len(),
            generations: 1,
            moves: None,
            memcpy: None,
        }
    }

    #[test]
    fn quantiles_lie_on_figures_or_between_neighbours() {
        let odd = Spread::of(&[5.0, 1.0, 4.0, 2.0, 3.0]);
        assert_eq!((odd.least, odd.most), (1.0, 5.0));
        assert_eq!((odd.lower, odd.median, odd.upper), (2.0, 3.0, 4.0));
        let even = Spread::of(&[4.0, 1.0, 3.0, 2.0]);
        assert_eq!((even.lower, even.median, even.upper), (1.75, 2.5, 3.25));
        let one = Spread::of(&[7.0]);
        assert_eq!((one.least, one.median, one.most), (7.0, 7.0, 7.0));
    }

    #[test]
    fn kernels_share_what_is_known() {
        let time = |kernel: &str, seconds: &[f64]| KernelTime {
            kernel: kernel.to_owned(),
            dispatches: 2,
            seconds: seconds.to_vec(),
        };
        let times = [
            time("breed", &[3e-6, 9.0, 2e-6]),
            time("survey", &[1e-6]),
            time("elite", &[]),
        ];
        let [breed, survey, elite] = &KernelShare::of(&times)[..] else {
            panic!("three kernels")
        };
        assert!((breed.microseconds.unwrap() - 3.0).abs() < 1e-9);
        assert!((breed.share.unwrap() - 0.75).abs() < 1e-9);
        assert!((survey.share.unwrap() - 0.25).abs() < 1e-9);
        assert_eq!((elite.microseconds, elite.share), (None, None));
        // A clock so coarse that nothing takes time.
        let [still] = &KernelShare::of(&[time("breed", &[0.0])])[..] else {
            panic!("one kernel")
        };
        assert_eq!((still.microseconds, still.share), (Some(0.0), None));
    }

    #[test]
    fn a_single_bad_figure_does_not_move_the_median() {
        assert_eq!(Spread::of(&[1.0, 1.0, 900.0]).median, 1.0);
    }

    #[test]
    fn half_the_time_is_twice_as_fast() {
        let (slow, fast) = (timing(&[0.5, 0.5, 4.0]), timing(&[0.25]));
        assert_eq!(fast.ratio(&slow), 2.0);
        assert_eq!(slow.ratio(&fast), 0.5);
        assert_eq!(fast.rates(100), [400.0; 3]);
        let [lower, median, upper] = slow.rates(1);
        assert!(lower < median && median == 2.0 && upper == 2.0);
    }

    #[test]
    fn moves_and_copies_are_measured_with_the_same_clock() {
        let timing = Timing {
            moves: Some(1000.0),
            memcpy: Some(Spread::of(&[0.05])),
            ..timing(&[0.5])
        };
        assert_eq!(timing.moves_rate(), Some(2000.0));
        assert_eq!(timing.memcpy_share(), Some(0.1));
        assert_eq!(super::tests::timing(&[1.0]).memcpy_share(), None);
    }
}
