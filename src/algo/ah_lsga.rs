//! AH-LSGA: a genetic algorithm that calls for local search only when it stagnates.
//!
//! Himasri, Reddy, Manogna & Aparna, "A Hybrid Evolutionary Approach with Adaptive Local Search
//! for Solving Constraint-Based Sudoku Puzzles".
//!
//! ```text
//! apply constraint propagation; P = random row permutations      (Algorithm 4, lines 1 and 2)
//! repeat:
//!     crossover of rows, swap mutation in rows, selection         (Algorithms 1 and 2)
//!     F = column conflicts + sub-block conflicts                  (section 3.3); stop at 0
//!     S = F_best(g) = F_best(g - k)                               (section 3.6)
//!     if S: local search as well                                  (section 3.7, Algorithm 3)
//! ```
//!
//! The paper gives no values for its rates, its population and k: crossover, mutation and local
//! search are LSGA's here, with the values of its Table I. Its Algorithm 3 swaps inside of columns
//! and sub-blocks, which would break the rows that its section 3.2 keeps; this one swaps within
//! rows, between columns or sub-blocks. Section 3.7 searches as long as the best stagnates, while
//! line 17 of Algorithm 4 starts to count anew after each search: `reset` chooses.

use super::settings::{READING, SWITCH, param, propagate};
use super::stagnation::Stagnation;
use super::{Algorithm, AlgorithmState, Feedback, Info, Kind, Param, Settings, Stage, Task, grids};
use crate::codec::{Codec, DecodeError, Persist};
use crate::operators::{BreedRows, Survivor, Variation};
use crate::plan::{Encoding, Objective, Plan, Representation};
use crate::problem::Instance;

/// AH-LSGA in the list of algorithms.
pub const INFO: Info = Info {
    name: "ah-lsga",
    title: "genetic algorithm with propagation, and local search on stagnation",
    source: "Himasri et al., A Hybrid Evolutionary Approach with Adaptive Local Search",
    pop: 150,
    max_generations: 10_000,
    params: PARAMS,
    build: |settings| Box::new(AhLsga::new(settings)),
};

const PARAMS: &[Param] = &[
    param(
        "threshold",
        Kind::Count(1, 1_000_000),
        "1",
        "k: generations without a better best after which local search runs",
        "section 3.6, no value given",
    ),
    param(
        "reset",
        SWITCH,
        "off",
        "whether a search starts the count anew (Algorithm 4) or goes on until the best improves",
        "section 3.7",
    ),
    param(
        "fitness",
        Kind::Choice(&["conflicts", "illegal-units"]),
        "conflicts",
        "count digits that columns and sub-blocks miss, or columns and sub-blocks that miss any",
        "section 3.3",
    ),
    param(
        "pc",
        Kind::Rate,
        "0.2",
        "crossover rate (Algorithm 1), LSGA's PC1",
        "LSGA Table I",
    ),
    param(
        "pc-row",
        Kind::Rate,
        "0.1",
        "rate of each row to be taken over in a crossover, LSGA's PC2",
        "LSGA Table I",
    ),
    param(
        "pm",
        Kind::Rate,
        "0.3",
        "swap mutation rate of each row (Algorithm 2), LSGA's PM1",
        "LSGA Table I",
    ),
    param(
        "pm-reinit",
        Kind::Rate,
        "0.05",
        "re-initialisation rate of each row (Fig. 3b), LSGA's PM2",
        "LSGA Table I",
    ),
    param(
        "tournament",
        Kind::Count(1, 1000),
        "2",
        "contestants for a place: the child, its parent, random others",
        READING,
    ),
    param(
        "rounds",
        Kind::Count(1, 1000),
        "5",
        "rounds of local search at the most",
        READING,
    ),
    propagate("singles", "section 3.8"),
];

/// AH-LSGA with its parameters.
#[derive(Debug, Clone)]
pub struct AhLsga {
    objective: Objective,
    threshold: u32,
    reset: bool,
    genetic: BreedRows,
    rounds: u32,
}

impl AhLsga {
    /// AH-LSGA with these settings of [`INFO`].
    pub fn new(settings: &Settings) -> Self {
        Self {
            objective: match settings.word("fitness") {
                "illegal-units" => Objective::IllegalUnits,
                _ => Objective::MissingDigits,
            },
            threshold: settings.count("threshold"),
            reset: settings.on("reset"),
            genetic: BreedRows {
                crossover: settings.rate("pc"),
                crossover_row: settings.rate("pc-row"),
                swap: settings.rate("pm"),
                reinitialise: settings.rate("pm-reinit"),
                survivor: Survivor::Tournament(settings.count("tournament")),
                ..BreedRows::IDLE
            },
            rounds: settings.count("rounds"),
        }
    }
}

impl Algorithm for AhLsga {
    fn representation(&self, instance: &Instance) -> Option<Representation> {
        grids(
            instance,
            Representation {
                encoding: Encoding::Rows,
                objective: self.objective,
            },
        )
    }

    fn begin(&self, _: &Task<'_>) -> Box<dyn AlgorithmState> {
        Box::new(Switching {
            genetic: self.genetic,
            search: BreedRows {
                column_search: true,
                block_search: true,
                rounds: self.rounds,
                ..self.genetic
            },
            threshold: self.threshold,
            reset: self.reset,
            stagnation: Stagnation::NEW,
        })
    }
}

/// The hybrid control of section 3.7.
struct Switching {
    genetic: BreedRows,
    search: BreedRows,
    threshold: u32,
    reset: bool,
    stagnation: Stagnation,
}

impl Switching {
    fn searching(&self) -> bool {
        self.stagnation.generations >= self.threshold
    }
}

impl Persist for Switching {
    fn persist(&mut self, codec: &mut Codec) -> Result<(), DecodeError> {
        codec.persist(&mut self.stagnation)
    }
}

impl AlgorithmState for Switching {
    fn stage(&self) -> Stage {
        let (breed, generations, operator) = match self.searching() {
            true => (self.search, 1, "search"),
            // No search can be due before that, whatever happens.
            false => (
                self.genetic,
                self.threshold - self.stagnation.generations,
                "genetic",
            ),
        };
        Stage {
            plan: Plan::from(Variation::BreedRows(breed)),
            generations,
            operator,
        }
    }

    fn observe(&mut self, feedback: &Feedback<'_>) {
        let searched = self.searching();
        for record in feedback.records {
            self.stagnation.note(record.best);
        }
        if searched && self.reset {
            self.stagnation.generations = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observation::Observed;
    use crate::operators::Repeats;
    use crate::population::Record;

    fn state(threshold: u32, reset: bool) -> Switching {
        Switching {
            genetic: BreedRows::IDLE,
            search: BreedRows {
                repeats: Repeats::Later,
                ..BreedRows::IDLE
            },
            threshold,
            reset,
            stagnation: Stagnation::NEW,
        }
    }

    /// The operators of a run whose best fitness goes like this, in batches of at most so many.
    fn operators(mut state: Switching, best: &[u32], batch: usize) -> Vec<&'static str> {
        let records: Vec<Record> = best
            .iter()
            .map(|&best| Record {
                best,
                ..Record::default()
            })
            .collect();
        let mut operators = Vec::new();
        let (mut first, mut end) = (0, 1);
        while first < end {
            state.observe(&Feedback {
                records: &records[first..end],
                observed: &Observed::Records,
            });
            let stage = state.stage();
            first = end;
            end = records
                .len()
                .min(end + batch.min(stage.generations as usize));
            operators.extend(std::iter::repeat_n(stage.operator, end - first));
        }
        operators
    }

    #[test]
    fn search_follows_stagnation_whatever_the_batches() {
        let best = [9, 9, 9, 9, 8, 8, 8, 8, 7];
        for batch in [1, 2, 3, 100] {
            // Three generations have to pass without a better best.
            let expected = "genetic genetic genetic search genetic genetic genetic search";
            assert_eq!(operators(state(3, false), &best, batch).join(" "), expected);
            let expected = "genetic search search search genetic search search search";
            assert_eq!(operators(state(1, false), &best, batch).join(" "), expected);
            let expected = "genetic search genetic search genetic search genetic search";
            assert_eq!(operators(state(1, true), &best, batch).join(" "), expected);
        }
    }
}
