//! Whether two engines make the same populations: the check behind the promise that they do, for operators of
//! one's own, for `gpusudoku selftest`, and for tests.

use std::fmt;

use super::{Backend, Engine, EngineInfo, Setup};
use crate::error::Error;
use crate::operators::Start;
use crate::plan::Plan;
use crate::population::{Population, Record};

/// The first thing in which two engines differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The last generation of the batch after which it was found.
    pub generation: u32,
    /// The first individual that differs; nothing if only the records do.
    pub individual: Option<usize>,
    /// What differs, as one engine has it and as the other has it.
    pub what: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "generation {}", self.generation)?;
        if let Some(individual) = self.individual {
            write!(f, ", individual {individual}")?;
        }
        write!(f, ": {}", self.what)
    }
}

/// What two engines were found to be.
#[derive(Debug, Clone)]
pub struct Parity {
    /// The engines.
    pub engines: [EngineInfo; 2],
    /// Generations that were compared.
    pub generations: u32,
    /// The first difference; nothing if they agree to the bit.
    pub difference: Option<Difference>,
}

/// Runs a plan on two engines and compares records and whole populations, generation by generation where
/// generations do not always run together. It ends at the first difference or solution.
///
/// # Errors
/// If one of the engines cannot be set up, or fails.
pub async fn compare(
    setup: &Setup<'_>,
    backends: [&Backend; 2],
    start: &Start,
    plan: &Plan,
    generations: u32,
) -> Result<Parity, Error> {
    let [one, two] = backends;
    let mut one = Engine::new(one, setup).await?;
    let mut two = Engine::new(two, setup).await?;
    let engines = [one.info(), two.info()];
    let mut records = [
        vec![one.initialise(start).await?],
        vec![two.initialise(start).await?],
    ];
    let mut done = 0;
    let difference = loop {
        let populations = [one.population().await?, two.population().await?];
        let found = first_difference(done, &records, [&populations[0], &populations[1]]);
        let solved = records[0].last().is_none_or(Record::solved);
        if found.is_some() || solved || done >= generations {
            break found;
        }
        let next = plan.stride().min(generations - done);
        records = [
            one.advance(plan, next).await?,
            two.advance(plan, next).await?,
        ];
        done += next;
    };
    Ok(Parity {
        engines,
        generations: done,
        difference,
    })
}

fn first_difference(
    generation: u32,
    records: &[Vec<Record>; 2],
    [one, two]: [&Population; 2],
) -> Option<Difference> {
    let found = |individual, what| {
        Some(Difference {
            generation,
            individual,
            what,
        })
    };
    for at in 0..one.len() {
        let [a, b] = [one, two].map(|population| population.fitness()[at]);
        if one.words_at(at) != two.words_at(at) {
            return found(Some(at), "its genes are not the same".to_owned());
        }
        if a != b {
            return found(Some(at), format!("fitness {a} on one, {b} on the other"));
        }
    }
    match records {
        [one, two] if one != two => found(None, format!("records {one:?} and {two:?}")),
        _ => None,
    }
}
