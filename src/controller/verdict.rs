//! What is called solved: fitness claims it, and a verifier that shares no code with fitness decides.

use crate::engine::snapshot::Champion;
use crate::population::Population;
use crate::problem::sudoku::GridError;
use crate::problem::verify::{Violation, verify_answer};
use crate::problem::{Answer, Problem};

/// The best individual of a run, and what the verifier has to say if fitness or a survey call it solved.
pub struct Verdict {
    pub fitness: u32,
    pub best: Answer,
    pub solved: bool,
    pub violation: Option<Violation>,
}

/// Judges the best individual of a run: its champion, or who is better in the last population, which learning may
/// have made after the survey. `claimed` says that a survey called it solved.
pub fn judge(
    problem: &Problem,
    goal: u32,
    claimed: bool,
    population: &Population,
    champion: Option<&Champion>,
) -> Result<Verdict, GridError> {
    let (fitness, at) = population.best().expect("engines refuse empty populations");
    let known = champion.map(|champion| &champion.individual);
    let (fitness, best) = match known.filter(|known| known.fitness()[0] <= fitness) {
        Some(known) => (known.fitness()[0], known.answer(0)?),
        None => (fitness, population.answer(at)?),
    };
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
        let honest = judge(problem, 0, false, &population, None).unwrap();
        assert_eq!(honest.fitness, 0);
        assert_eq!(honest.violation, None);

        population.cells_mut(1).swap(3, 4);
        let lie = judge(problem, 0, false, &population, None).unwrap();
        assert!(
            matches!(lie.violation, Some(Violation::House { .. })),
            "{:?}",
            lie.violation
        );

        // A survey that lies is found out as well.
        population.split_mut().2.copy_from_slice(&[5, 4, 6]);
        let lie = judge(problem, 0, true, &population, None).unwrap();
        assert!(lie.violation.is_some() && !lie.solved);
        let honest = judge(problem, 0, false, &population, None).unwrap();
        assert!(honest.violation.is_none() && !honest.solved);

        population.cells_mut(1)[0] = 200;
        assert!(judge(problem, 0, false, &population, None).is_err());
    }

    /// The last generation is not what a run has found.
    #[test]
    fn the_best_of_the_run_is_judged() {
        let known = builtin::find("easy-1").unwrap();
        let problem = &Problem::from(known.puzzle().clone());
        let mut population = Population::zeroed(known.puzzle().geometry(), 2);
        population.split_mut().2.copy_from_slice(&[7, 9]);
        let mut individual = population.only(0);
        individual.cells_mut(0)[5] = 3;
        individual.split_mut().2[0] = 4;
        let champion = Champion {
            individual,
            generation: 12,
        };
        let verdict = judge(problem, 0, false, &population, Some(&champion)).unwrap();
        assert_eq!(verdict.fitness, 4);
        assert_eq!(verdict.best, champion.individual.answer(0).unwrap());
        population.split_mut().2[1] = 2;
        let verdict = judge(problem, 0, false, &population, Some(&champion)).unwrap();
        assert_eq!(verdict.fitness, 2, "learning has made a better one");
    }
}
