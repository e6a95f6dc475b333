//! FPCHS: chaotic harmony search, whose memory then pollinates.
//!
//! Abdel-Raouf, Abdel-Baset & El-henawy, "A Novel Hybrid Flower Pollination Algorithm with Chaotic
//! Harmony Search for Solving Sudoku Puzzles".
//!
//! ```text
//! HM = HMS random grids
//! MaxImp times: improvise as HS does, with HMCR, PAR and BW from chaotic maps   (Fig. 2)
//!     Y = mu Y (1 - Y)                                                           (eq. 6)
//! flowers = HM; repeat for every flower x, all at once:
//!     with p: x' = x + L (B - x), L Levy-distributed, B the best                 (eq. 2, Fig. 2)
//!     otherwise: x' = x + U (x_j - x_k), U uniform                               (eq. 4)
//!     x = x' if that is better
//! ```
//!
//! As in [`hs`], the defaults are the repaired form and a generation is a batch of
//! improvisations. Digits count by their places in the domain of their cell; a place between two
//! is rounded up or down with the probability of its fraction. The paper says of the harmony
//! search only that its best is the start of the pollination; that all its members are the
//! flowers is a reading. The paper's figure for example 1, 76 evaluations, cannot be: 50 of them
//! only fill the memory.

use std::f64::consts::PI;
use std::sync::Arc;

use rand::RngExt;

use super::hs::{self, BATCH, DISTINCT, DOMAIN, OBJECTIVE, bandwidth, batch_size};
use super::settings::{param, propagate};
use super::{Algorithm, AlgorithmState, Feedback, Info, Kind, Param, Settings, Stage, Task, grids};
use crate::codec::{Codec, DecodeError, Persist};
use crate::operators::{Improvise, Pollinate, Variation};
use crate::plan::{Plan, Representation};
use crate::problem::Instance;
use crate::rng::{Rate, Stream};

/// FPCHS in the list of algorithms.
pub const INFO: Info = Info {
    name: "fpchs",
    title: "flower pollination with chaotic harmony search",
    source: "Abdel-Raouf et al., A Novel Hybrid Flower Pollination Algorithm",
    pop: 50,
    max_generations: 400,
    params: PARAMS,
    build: |settings| Box::new(Fpchs::new(settings)),
};

const PARAMS: &[Param] = &[
    param(
        "improvisations",
        Kind::Count(0, 1_000_000_000),
        "10000",
        "MaxImp: improvisations before the pollination begins",
        "section VI",
    ),
    param(
        "mu",
        Kind::Number(0.0, 4.0),
        "4",
        "mu of the logistic map",
        "eq. 6",
    ),
    param(
        "hmcr-min",
        Kind::Rate,
        "0.7",
        "the chaotic HMCR lies between this and 1",
        "repair; 0 in the paper",
    ),
    param(
        "p",
        Kind::Rate,
        "0.8",
        "switch probability: rate of global pollination",
        "section III",
    ),
    param(
        "beta",
        Kind::Number(0.3, 1.99),
        "1.5",
        "exponent of the Levy flights (Mantegna's algorithm)",
        "no value given; Yang 2012",
    ),
    param(
        "gamma",
        Kind::Number(0.0, 10.0),
        "1",
        "scaling factor of Levy steps (eq. 2); Fig. 2 has none",
        "Fig. 2",
    ),
    BATCH,
    OBJECTIVE,
    DOMAIN,
    DISTINCT,
    propagate("none", "not in the paper"),
];

/// FPCHS with its parameters.
#[derive(Debug, Clone)]
pub struct Fpchs {
    representation: Representation,
    improvisations: u32,
    mu: f64,
    hmcr_min: f64,
    batch: u32,
    distinct: bool,
    switch: Rate,
    levy: Arc<[u32]>,
}

impl Fpchs {
    /// FPCHS with these settings of [`INFO`].
    pub fn new(settings: &Settings) -> Self {
        Self {
            representation: hs::representation(settings),
            improvisations: settings.count("improvisations"),
            mu: settings.number("mu"),
            hmcr_min: settings.number("hmcr-min"),
            batch: settings.count("batch"),
            distinct: settings.on("distinct"),
            switch: settings.rate("p"),
            levy: levy_steps(settings.number("beta"), settings.number("gamma")),
        }
    }
}

impl Algorithm for Fpchs {
    fn representation(&self, instance: &Instance) -> Option<Representation> {
        grids(instance, self.representation)
    }

    fn begin(&self, task: &Task<'_>) -> Box<dyn AlgorithmState> {
        let batch = batch_size(self.batch, task.pop);
        Box::new(Phases {
            harmony: Plan::from(Variation::Improvise(Improvise {
                batch,
                pitches: chaotic_pitches(self.mu, self.hmcr_min, task.seed),
                distinct: self.distinct,
            })),
            flowers: Plan::from(Variation::Pollinate(Pollinate {
                switch: self.switch,
                levy: self.levy.clone(),
                distinct: self.distinct,
            })),
            harmonies_left: self.improvisations.div_ceil(batch),
        })
    }
}

/// Harmony search, then pollination.
struct Phases {
    harmony: Plan,
    flowers: Plan,
    /// Generations of the harmony search that are to come.
    harmonies_left: u32,
}

impl Persist for Phases {
    fn persist(&mut self, codec: &mut Codec) -> Result<(), DecodeError> {
        codec.persist(&mut self.harmonies_left)
    }
}

impl AlgorithmState for Phases {
    fn stage(&self) -> Stage {
        match self.harmonies_left {
            0 => Stage {
                plan: self.flowers.clone(),
                generations: u32::MAX,
                operator: "pollinate",
            },
            generations => Stage {
                plan: self.harmony.clone(),
                generations,
                operator: "improvise",
            },
        }
    }

    fn observe(&mut self, feedback: &Feedback<'_>) {
        let ran = feedback
            .records
            .iter()
            .filter(|record| record.generation > 0);
        self.harmonies_left = self.harmonies_left.saturating_sub(ran.count() as u32);
    }
}

/// Entries of the table of pitches; longer runs begin it anew.
const PITCHES: usize = 1 << 14;

/// The stream of random numbers in which the chaotic maps begin.
const CHAOS: u32 = 2;

/// HMCR, PAR and BW of successive improvisations, each from a logistic map of its own.
fn chaotic_pitches(mu: f64, hmcr_min: f64, seed: u64) -> Arc<[u32]> {
    let mut rng = Stream::new(seed, CHAOS);
    let mut maps = [0; 3].map(|_: u32| Logistic::new(mu, &mut rng));
    let rate = |y: f64| Rate::new(y).map_or(0, Rate::threshold);
    (0..PITCHES)
        .flat_map(|_| {
            let [hmcr, par, bw] = maps.each_mut().map(|map| map.next(&mut rng));
            [
                rate(hmcr_min + (1.0 - hmcr_min) * hmcr),
                rate(par),
                bandwidth(bw),
            ]
        })
        .collect()
}

/// The logistic map (eq. 6) in fixed point: Y is a multiple of 2^-32, and mu of 2^-16.
struct Logistic {
    mu: u64,
    y: u64,
}

impl Logistic {
    fn new(mu: f64, rng: &mut Stream) -> Self {
        Self {
            mu: (mu * 65_536.0).round() as u64,
            y: u64::from(rng.random::<u32>()),
        }
    }

    fn next(&mut self, rng: &mut Stream) -> f64 {
        let square = (self.y * ((1 << 32) - self.y)) >> 32;
        let next = (square * self.mu) >> 16;
        // In fixed point the map can come to rest, which its real twin almost never does.
        self.y = match next {
            0 | 0x1_0000_0000.. => u64::from(rng.random::<u32>()),
            next if next == self.y => u64::from(rng.random::<u32>()),
            next => next,
        };
        self.y as f64 / 4_294_967_296.0
    }
}

/// Entries of the table of Levy steps.
const LEVY_STEPS: usize = 1 << 12;

/// Steps by Mantegna's algorithm: u / |v|^(1 / beta) with normal u and v, scaled by gamma. libm is
/// the same on every machine; the standard library's functions are not.
fn levy_steps(beta: f64, gamma: f64) -> Arc<[u32]> {
    let mut rng = Stream::new(0, 0);
    let sigma = libm::pow(
        libm::tgamma(1.0 + beta) * libm::sin(PI * beta / 2.0)
            / (libm::tgamma((1.0 + beta) / 2.0) * beta * libm::pow(2.0, (beta - 1.0) / 2.0)),
        1.0 / beta,
    );
    (0..LEVY_STEPS)
        .map(|_| {
            // Box & Muller; the first number is never 0.
            let radius = libm::sqrt(-2.0 * libm::log(1.0 - rng.random::<f64>()));
            let angle = 2.0 * PI * rng.random::<f64>();
            let (u, v) = (radius * libm::sin(angle), radius * libm::cos(angle));
            let step = gamma * sigma * u / libm::pow(v.abs().max(1e-9), 1.0 / beta);
            (step.clamp(-64.0, 64.0) * 65_536.0).round() as i32 as u32
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levy_steps_have_mantegnas_shape() {
        let mut steps: Vec<f64> = levy_steps(1.5, 1.0)
            .iter()
            .map(|&step| f64::from(step as i32) / 65_536.0)
            .collect();
        steps.sort_by(f64::total_cmp);
        let median = steps[steps.len() / 2];
        assert!(median.abs() < 0.05, "the median is {median}");
        // Far more and far longer flights than a normal distribution of any width would have.
        let far = |limit: f64| steps.iter().filter(|step| step.abs() > limit).count();
        let inner = steps.len() - far(1.0);
        assert!(
            (inner as f64 / steps.len() as f64 - 0.68).abs() < 0.1,
            "{inner} below 1"
        );
        assert!(far(5.0) > steps.len() / 100 && far(5.0) < steps.len() / 10);
        assert!(far(20.0) > 0);
    }

    #[test]
    fn the_logistic_map_is_chaotic_and_never_rests() {
        let mut rng = Stream::new(1, 0);
        let mut map = Logistic::new(4.0, &mut rng);
        let mut thirds = [0; 3];
        for _ in 0..30_000 {
            let y = map.next(&mut rng);
            assert!(y > 0.0 && y < 1.0);
            thirds[(y * 3.0) as usize] += 1;
        }
        // The invariant density of mu = 4 is high at both ends: .392, .216, .392.
        for (count, share) in thirds.into_iter().zip([0.392, 0.216, 0.392]) {
            assert!(
                (f64::from(count) / 30_000.0 - share).abs() < 0.02,
                "{thirds:?}"
            );
        }
    }

    #[test]
    fn pitches_stay_in_their_ranges() {
        for pitch in chaotic_pitches(4.0, 0.7, 3).chunks(3) {
            assert!(pitch[0] >= Rate::new(0.699).unwrap().threshold());
            assert!(pitch[0] <= Rate::ALWAYS.threshold());
            assert!(pitch[1] <= Rate::ALWAYS.threshold());
            assert!(pitch[2] <= 256);
        }
    }
}
