//! HGASA: a genetic algorithm, and simulated annealing of what it found.
//!
//! Ojugo & Yoro, section 5.
//!
//! ```text
//! P = 64 random permutations
//! repeat until the best fitness is 2, or has not improved for some generations:
//!     choose parents by tournament; copies of them, with as many swaps as the best has conflicts,
//!     take the places of the worst                         (only mutation is applied)
//! s = the fittest individual
//! repeat until its energy is 0:                            (a moderated Markov chain)
//!     s' = s with two random genes swapped                 (the same function as the mutation)
//!     if the energy of s' is not higher: s = s'
//! ```
//!
//! Small boards and tori have plateaus without an exit, on which the paper's chain would walk
//! forever. Here a chain that finds nothing better for as many proposals as there are pairs of
//! genes, counted in both orders, is left for one of the next individual; after the last one a new
//! population is made. "Better" is the fitness here; a chain of individuals that are judged by support
//! and confidence still accepts swaps by their conflicts. The paper describes a temperature schedule
//! (section 5.1) and omits it (section 5.2): `temperature` switches it on.

use std::sync::Arc;

use super::hybrid::{self, Kinds};
use super::settings::{READING, param};
use super::stagnation::Stagnation;
use super::{Algorithm, AlgorithmState, Feedback, Info, Kind, Param, Settings, Stage, Task};
use crate::codec::{Codec, DecodeError, Persist};
use crate::operators::{Anneal, Recombine, Start, Variation, Who};
use crate::plan::{Plan, Representation};
use crate::problem::Instance;
use crate::rng::Rate;

/// HGASA in the list of algorithms.
pub const INFO: Info = Info {
    name: "hgasa",
    title: "genetic algorithm, then annealing by a moderated Markov chain",
    source: hybrid::SOURCE,
    pop: hybrid::POP,
    max_generations: hybrid::MAX_GENERATIONS,
    params: PARAMS,
    build: |settings| Box::new(Hgasa::new(settings)),
};

/// The genetic part.
const GENETIC: hybrid::Genetic = hybrid::Genetic {
    crossover: ("0", "section 5.2"),
    always: ("0", "section 5.2"),
    mutations: ("each", "section 5.2"),
    per: ("1", "section 5.2"),
    most: ("all", "section 5.2"),
    tries: ("0", "section 5.2"),
    accept: ("always", "section 2.2"),
};

const PARAMS: &[Param] = &hybrid::join::<24>(&[
    &GENETIC.params(),
    &[
        param(
            "switch",
            Kind::Count(0, 1_000_000),
            "2",
            "conflicts of the best at which annealing begins",
            "section 5.2",
        ),
        param(
            "stagnation",
            Kind::Count(1, 1_000_000),
            "10",
            "or generations without a better best after which it does",
            "section 5.2, no value given",
        ),
        param(
            "chains",
            Kind::Choice(&["in-turn", "at-once"]),
            "in-turn",
            "anneal the fittest, then those in the places after it, or all individuals at once",
            "section 5.2",
        ),
        param(
            "sweeps",
            Kind::Count(1, 10_000),
            "1",
            "proposals of a chain in a generation, for each gene",
            READING,
        ),
        param(
            "patience",
            Kind::Number(0.0, 1e6),
            "1",
            "a chain (at once: all) ends after this x genes x (genes - 1) proposals of it without a lower \
         sum of energies",
            READING,
        ),
        param(
            "temperature",
            Kind::Number(0.0, 1000.0),
            "0",
            "initial temperature; 0: the moderated chain, which accepts what is not worse",
            "section 5.2",
        ),
        param(
            "cooling",
            Kind::Number(0.001, 0.999),
            "0.9",
            "factor of the temperature after each hold",
            READING,
        ),
        param(
            "hold",
            Kind::Count(1, 1_000_000),
            "10",
            "generations for which a temperature holds",
            READING,
        ),
        param(
            "coldest",
            Kind::Number(0.001, 1000.0),
            "0.1",
            "temperature below which the schedule begins again",
            READING,
        ),
    ],
    &hybrid::PROBLEM,
]);

/// HGASA with its parameters.
#[derive(Debug, Clone)]
pub struct Hgasa {
    kinds: Kinds,
    genetic: Recombine,
    switch: u32,
    stagnation: u32,
    at_once: bool,
    sweeps: u32,
    patience: f64,
    schedule: Arc<[u32]>,
    hold: u32,
}

impl Hgasa {
    /// HGASA with these settings of [`INFO`].
    pub fn new(settings: &Settings) -> Self {
        let [first, factor, coldest] =
            ["temperature", "cooling", "coldest"].map(|key| settings.number(key));
        Self {
            kinds: Kinds::new(settings),
            genetic: hybrid::genetic(settings),
            switch: settings.count("switch"),
            stagnation: settings.count("stagnation"),
            at_once: settings.word("chains") == "at-once",
            sweeps: settings.count("sweeps"),
            patience: settings.number("patience"),
            schedule: schedule(first, factor, coldest),
            hold: settings.count("hold"),
        }
    }
}

/// The probabilities to accept a swap that costs 1, 2, ... conflicts (Metropolis), for falling
/// temperatures.
fn schedule(first: f64, factor: f64, coldest: f64) -> Arc<[u32]> {
    let mut rows = Vec::new();
    let mut temperature = first;
    while temperature > 0.0 && (rows.is_empty() || temperature >= coldest) {
        for delta in 1..=Anneal::DELTAS {
            let rate = Rate::new(libm::exp(-(delta as f64) / temperature));
            rows.push(rate.unwrap_or(Rate::NEVER).threshold());
        }
        temperature *= factor;
    }
    rows.into()
}

impl Algorithm for Hgasa {
    fn representation(&self, instance: &Instance) -> Option<Representation> {
        Some(self.kinds.representation(instance))
    }

    fn begin(&self, task: &Task<'_>) -> Box<dyn AlgorithmState> {
        let genes = task.instance.free_cells() as u32;
        let objective = self.kinds.representation(task.instance).objective;
        let proposals = genes.max(1).saturating_mul(self.sweeps);
        let pairs = f64::from(genes) * (f64::from(genes) - 1.0);
        let patience = (self.patience * pairs / f64::from(proposals)).ceil();
        Box::new(Switching {
            genetic: self.genetic,
            target_fitness: objective
                .fitness_of(task.instance.goal() + self.switch, genes as usize),
            stagnation_limit: self.stagnation,
            chain: Anneal {
                who: Who::Everybody,
                proposals,
                begin: 0,
                schedule: self.schedule.clone(),
                hold: self.hold,
            },
            at_once: self.at_once,
            patience: (patience as u32).max(1),
            pop: task.pop as u32,
            stagnation: Stagnation::NEW,
            phase: Phase::Genetic,
        })
    }
}

/// The hybrid control of section 5.2.
struct Switching {
    genetic: Recombine,
    /// Fitness at which annealing begins.
    target_fitness: u32,
    stagnation_limit: u32,
    chain: Anneal,
    at_once: bool,
    /// Generations without a lower energy after which a chain ends.
    patience: u32,
    pop: u32,
    stagnation: Stagnation,
    phase: Phase,
}

enum Phase {
    Genetic,
    /// So many chains have ended; the one of `who` runs since a generation.
    Anneal {
        ended: u32,
        who: u32,
        begin: u32,
        /// The lowest sum of all energies in it. It falls with the chain's, if nobody else changes.
        lowest: u64,
        since: u32,
    },
    Restart,
}

impl Persist for Switching {
    fn persist(&mut self, codec: &mut Codec) -> Result<(), DecodeError> {
        codec.persist(&mut self.stagnation)?;
        let mut phase: u32 = match self.phase {
            Phase::Genetic => 0,
            Phase::Anneal { .. } => 1,
            Phase::Restart => 2,
        };
        codec.persist(&mut phase)?;
        if codec.reads() {
            self.phase = match phase {
                0 => Phase::Genetic,
                1 => Phase::Anneal {
                    ended: 0,
                    who: 0,
                    begin: 0,
                    lowest: 0,
                    since: 0,
                },
                2 => Phase::Restart,
                _ => return Err(DecodeError),
            };
        }
        let possible = match &mut self.phase {
            Phase::Genetic => self.stagnation.generations < self.stagnation_limit,
            Phase::Restart => true,
            Phase::Anneal {
                ended,
                who,
                begin,
                lowest,
                since,
            } => {
                for word in [&mut *ended, &mut *who, &mut *begin, &mut *since] {
                    codec.persist(word)?;
                }
                codec.persist(lowest)?;
                *ended < self.pop && *who < self.pop && *since < self.patience
            }
        };
        codec.require(possible)
    }
}

impl AlgorithmState for Switching {
    fn stage(&self) -> Stage {
        match self.phase {
            Phase::Genetic => Stage {
                plan: Plan {
                    target_fitness: self.target_fitness,
                    ..Plan::from(Variation::Recombine(self.genetic))
                },
                generations: self.stagnation_limit - self.stagnation.generations,
                operator: "genetic",
            },
            Phase::Anneal {
                who, begin, since, ..
            } => {
                let who = match self.at_once {
                    true => Who::Everybody,
                    false => Who::One(who),
                };
                Stage {
                    plan: Plan::from(Variation::Anneal(Anneal {
                        who,
                        begin,
                        ..self.chain.clone()
                    })),
                    generations: self.patience - since,
                    operator: "anneal",
                }
            }
            Phase::Restart => Stage {
                plan: Plan::from(Variation::Renew(Start::Fresh)),
                generations: 1,
                operator: "restart",
            },
        }
    }

    fn observe(&mut self, feedback: &Feedback<'_>) {
        for record in feedback.records {
            if let Phase::Anneal {
                ended,
                who,
                begin,
                lowest,
                since,
            } = &mut self.phase
            {
                if record.sum() < *lowest {
                    (*lowest, *since) = (record.sum(), 0);
                    continue;
                }
                *since += 1;
                if *since == self.patience {
                    (*ended, *since) = (*ended + 1, 0);
                    (*who, *begin) = ((*who + 1) % self.pop, record.generation);
                    *lowest = record.sum();
                    if self.at_once || *ended == self.pop {
                        self.phase = Phase::Restart;
                    }
                }
                continue;
            }
            if let Phase::Restart = self.phase {
                (self.phase, self.stagnation) = (Phase::Genetic, Stagnation::NEW);
            }
            self.stagnation.note(record.best);
            let good = record.best <= self.target_fitness;
            if good || self.stagnation.generations >= self.stagnation_limit {
                self.phase = Phase::Anneal {
                    ended: 0,
                    who: record.best_at,
                    begin: record.generation,
                    lowest: record.sum(),
                    since: 0,
                };
            }
        }
    }
}
