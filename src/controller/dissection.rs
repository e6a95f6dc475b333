//! The way of one individual through a generation: what each step of the operator has made of it.
//!
//! Every draw of random numbers depends on its coordinates only. So an operator whose later steps are switched off
//! ([`crate::operators::Operator::steps`]) does what it always does up to there, and the native engine can stop after each of them.

use crate::algo::Stage;
use crate::engine::Setup;
use crate::engine::cpu::CpuEngine;
use crate::engine::snapshot::Snapshot;
use crate::error::Error;
use crate::plan::Plan;
use crate::population::Population;

/// The way of one individual through a generation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dissection {
    /// Its place in the population.
    pub individual: usize,
    /// The generation that was made.
    pub generation: u32,
    /// What there was before, what each step made of it, and who has its place now.
    pub steps: Vec<Step>,
}

/// What a step has made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What the step is called.
    pub name: &'static str,
    /// A population of one.
    pub individual: Population,
}

/// Repeats a generation of one stage, step by step. The engine had `before` and has made `after` of it.
pub(super) fn dissect(
    setup: &Setup<'_>,
    stage: &Stage,
    before: &Snapshot,
    after: &Population,
    individual: usize,
) -> Result<Dissection, Error> {
    let of = |name, population: &Population| Step {
        name,
        individual: population.only(individual),
    };
    let mut steps = vec![of("before", &before.population)];
    let parts = stage.plan.vary.operator().steps();
    if !parts.is_empty() {
        let setup = Setup {
            diversity: false,
            ..*setup
        };
        let mut engine = CpuEngine::new(&setup, 0)?;
        for (name, vary) in parts {
            engine.load(&before.population);
            engine.restore(before);
            engine.advance(&Plan::from(vary), 1);
            steps.push(of(name, engine.population()));
        }
    }
    steps.push(of("after", after));
    Ok(Dissection {
        individual,
        generation: before.record.generation + stage.plan.stride(),
        steps,
    })
}
