//! Elite learning: who is admitted to the queue, and what the worst makes of it.

use gpusudoku::operators::{Admits, BreedRows};

use crate::common::*;
use crate::support::*;

/// Follows a queue by hand: only the worst changes, into an elite or somebody new, as often as
/// equations 2 and 3 say.
#[test]
fn the_worst_learns_from_elites_and_nobody_else_does() {
    for (size, admits) in [
        (1, Admits::Improvement),
        (1, Admits::EveryBest),
        (3, Admits::EveryBest),
        (50, Admits::Improvement),
        (50, Admits::EveryBest),
    ] {
        let what = format!("{size}, {admits:?}");
        let plan = learning(IDLE, size, admits);
        let puzzle = puzzle(sudoku(3, 3), 0.2, 32);
        let (mut engine, mut old) = started(&puzzle, 40, 33);
        let mut queue: Vec<(Vec<u8>, u32)> = Vec::new();
        let mut best_ever = u32::MAX;
        let (mut learnt, mut expected, mut variance) = (0u32, 0.0, 0.0);
        let mut reinitialised = 0;
        const GENERATIONS: u32 = 400;
        for generation in 1..=GENERATIONS {
            let records = advance(&mut engine, &plan, 1, 1);
            let record = records[0];
            // Nobody was bred: the survey saw what was there.
            assert_eq!(record, survey(&record, &old));
            assert_eq!((record.generation, record.swaps()), (generation, 0));
            if admits == Admits::EveryBest || record.best < best_ever {
                let best = old.cells(record.best_at as usize).to_vec();
                queue.push((best, record.best));
                if queue.len() > size as usize {
                    queue.remove(0);
                }
            }
            best_ever = best_ever.min(record.best);

            let new = population(&mut engine);
            let worst = record.worst_at as usize;
            for i in (0..old.len()).filter(|&i| i != worst) {
                assert_eq!(old.cells(i), new.cells(i), "{what}: {i} is not the worst");
                assert_eq!(old.fitness()[i], new.fitness()[i]);
            }
            let fitness = faults(puzzle.geometry(), new.cells(worst));
            assert_eq!(new.fitness()[worst], fitness, "{what}");
            // An elite among random grids is recognised: no two of those are alike.
            if queue.iter().any(|(elite, _)| elite == new.cells(worst)) {
                learnt += 1;
            } else {
                reinitialised += 1;
                assert!(
                    (0..old.len()).all(|i| old.cells(i) != new.cells(worst)),
                    "{what}: it is neither an elite nor new"
                );
            }
            assert_eq!(record.reinitialised, reinitialised, "{what}");
            let chances = queue.iter().map(|&(_, elite)| {
                f64::from(record.worst.saturating_sub(elite)) / f64::from(record.worst)
            });
            let p = chances.sum::<f64>() / queue.len() as f64;
            expected += p;
            variance += p * (1.0 - p);
            old = new;
        }
        assert!(
            (f64::from(learnt) - expected).abs() <= 5.0 * f64::sqrt(variance),
            "{what}: learnt {learnt} times, expected {expected:.1}"
        );
        assert!(learnt > 0 && reinitialised > 0, "{what}");
    }
}

/// A queue for improvements keeps its elites as long as nobody is better.
#[test]
fn a_queue_admits_only_improvements() {
    let puzzle = puzzle(sudoku(3, 3), 0.2, 34);
    // Children that always survive: the best of a generation is often worse than one before.
    let breed = BreedRows {
        swap: rate(0.5),
        reinitialise: rate(0.3),
        ..IDLE
    };
    let plan = learning(breed, 1, Admits::Improvement);
    let (mut engine, _) = started(&puzzle, 30, 35);
    let mut elite: Option<(Vec<u8>, u32)> = None;
    let (mut taught, mut refused) = (0, 0);
    let mut last = 0;
    for _ in 0..300 {
        let record = advance(&mut engine, &plan, 1, 1)[0];
        let new = population(&mut engine);
        let best = new.cells(record.best_at as usize).to_vec();
        match &elite {
            Some((_, fitness)) if record.best >= *fitness => refused += 1,
            _ => elite = Some((best, record.best)),
        }
        let (cells, fitness) = elite.as_ref().unwrap();
        if new.cells(record.worst_at as usize) == cells {
            taught += 1;
            assert_eq!(new.fitness()[record.worst_at as usize], *fitness);
        } else {
            last += 1;
        }
        assert_eq!(record.reinitialised, last, "all others were made anew");
    }
    assert!(
        taught > 20 && refused > 200,
        "{taught} taught, {refused} refused"
    );
}
