//! What is called solved: fitness claims it, and a verifier that shares no code with fitness decides.

use crate::population::Population;
use crate::problem::sudoku::GridError;
use crate::problem::verify::{Violation, verify_answer};
use crate::problem::{Answer, Problem};

/// The best of a population, and what the verifier has to say if fitness or a survey call it solved.
pub struct Verdict {
    pub fitness: u32,
    pub best: Answer,
    pub solved: bool,
    pub violation: Option<Violation>,
}

/// Judges the best of a population. `claimed` says that a survey called it solved.
pub fn judge(
    problem: &Problem,
    goal: u32,
    claimed: bool,
    population: &Population,
) -> Result<Verdict, GridError> {
    let (fitness, at) = population.best().expect("engines refuse empty populations");
    let best = population.answer(at)?;
    let claimed = claimed || fitness <= goal;
    let violation = match claimed {
        true => verify_answer(problem, &best).err(),
        false => None,
    };
    Ok(Verdict {
        fitness,
        best,
        solved: claimed && violation.is_none(),
        violation,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::sudoku::builtin;

    /// What a kernel that lies would leave behind.
    #[test]
    fn a_lie_of_fitness_is_found_out() {
        let known = builtin::find("easy-1").unwrap();
        let puzzle = known.puzzle();
        let problem = &Problem::from(puzzle.clone());
        let mut population = Population::zeroed(puzzle.geometry(), 3);
        population.split_mut().2.copy_from_slice(&[5, 0, 0]);
        let digits = known.solution().cells().iter().map(|digit| digit - 1);
        population
            .cells_mut(1)
            .copy_from_slice(&digits.collect::<Vec<_>>());
        let honest = judge(problem, 0, false, &population).unwrap();
        assert_eq!(honest.fitness, 0);
        assert_eq!(honest.violation, None);

        population.cells_mut(1).swap(3, 4);
        let lie = judge(problem, 0, false, &population).unwrap();
        assert!(
            matches!(lie.violation, Some(Violation::House { .. })),
            "{:?}",
            lie.violation
        );

        // A survey that lies is found out as well.
        population.split_mut().2.copy_from_slice(&[5, 4, 6]);
        let lie = judge(problem, 0, true, &population).unwrap();
        assert!(lie.violation.is_some() && !lie.solved);
        let honest = judge(problem, 0, false, &population).unwrap();
        assert!(honest.violation.is_none() && !honest.solved);

        population.cells_mut(1)[0] = 200;
        assert!(judge(problem, 0, false, &population).is_err());
    }
}
