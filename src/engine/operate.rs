//! Operators one at a time, and fitness of grids that are not in the engine: what the
//! [`Evaluator`](crate::evaluator::Evaluator) is made of.

use super::encoding::EncodingRules;
use super::{Engine, Record};
use crate::error::Error;
use crate::operators::Variation;
use crate::plan::Plan;
use crate::population::Population;
use crate::problem::Form;

impl Engine {
    /// Applies an operator to the current population, whether that is solved or not, with the random numbers of
    /// (seed, generation). The population stays where it is, and its record comes back.
    ///
    /// # Errors
    /// If the operator is not for such individuals, makes several generations together, or if the generation is 0,
    /// which is that of initial populations.
    pub async fn vary(&mut self, operator: &Variation, generation: u32) -> Result<Record, Error> {
        let (representation, _) = self.representation();
        let refused = |key: &str, value: String, expected: &str| Error::BadValue {
            key: key.to_owned(),
            value,
            expected: expected.to_owned(),
        };
        if !operator.operator().suits(representation) {
            let encoding = representation.encoding.name().to_owned();
            return Err(refused(
                "encoding",
                encoding,
                "one that the operator is for",
            ));
        }
        let plan = Plan::from(operator.clone());
        if plan.stride() != 1 {
            let expected = "an operator that makes one generation at a time";
            return Err(refused("operator", format!("{operator:?}"), expected));
        }
        let Some(before) = generation.checked_sub(1) else {
            return Err(refused("generation", "0".to_owned(), "a number from 1"));
        };
        match self {
            Self::Cpu(engine) => engine.set_generation(before),
            Self::Gpu(engine) => engine.set_generation(before),
            Self::Shared(engine) => engine.set_generation(before),
        }
        let records = self.advance(&plan, 1).await?;
        Ok(records[0])
    }

    /// What holds of every individual.
    pub(super) fn rules(&self) -> &EncodingRules {
        match self {
            Self::Cpu(engine) => engine.rules(),
            Self::Gpu(engine) => engine.rules(),
            Self::Shared(engine) => engine.host().rules(),
        }
    }

    /// What is wrong with an individual that is none of the encoding.
    pub(crate) fn refusal(&self, population: &Population, individual: usize) -> Error {
        let reason = match population.form() {
            Form::Grid(_) => self.rules().objection(population.cells(individual)),
            Form::Placement(_) => None,
        };
        Error::NotOfTheEncoding {
            individual,
            encoding: self.representation().0.encoding.rule(),
            reason: reason.unwrap_or_else(|| "this one is otherwise".to_owned()),
        }
    }
}
