//! Twin of `shaders/elite.wgsl`: elite population learning (LSGA section III-E, eqs. 2 and 3).

use super::shared::bricks::fresh;
use super::shared::mask::Mask;
use super::shared::score::score;
use super::shared::tile::{Board, Shape};
use crate::engine::snapshot::Queue;
use crate::plan::{Admits, Elite};
use crate::population::{Population, Record};
use crate::rng::{Key, Site, bounded};

/// Admits the best of the generation, then lets the worst individual learn: it becomes a
/// random elite with probability (F_worst - F_elite) / F_worst, else it is re-initialised.
/// Says whether it was.
pub fn elite<M: Mask, S: Shape, const C: usize>(
    board: &Board<M, S, C>,
    elite: &Elite,
    key: Key,
    record: &Record,
    queue: &mut Queue,
    population: &mut Population,
) -> bool {
    if elite.admits == Admits::EveryBest || record.best < queue.best_ever {
        queue.push(population.cells(record.best_at as usize), record.best);
    }
    queue.best_ever = queue.best_ever.min(record.best);

    let worst = record.worst_at as usize;
    let [choice, coin, ..] = key.draw(record.worst_at, Site::Elite.counter(0));
    let teacher = bounded(choice, queue.len) as usize;
    let teacher_fitness = queue.members.fitness()[teacher];
    // An elite may be worse than today's worst: it does not teach then.
    let learns = bounded(coin, record.worst) + teacher_fitness < record.worst;
    let fitness = if learns {
        population
            .cells_mut(worst)
            .copy_from_slice(queue.members.cells(teacher));
        teacher_fitness
    } else {
        let cells = population.cells_mut(worst);
        fresh(board, key, record.worst_at, Site::EliteInitialise, cells);
        score(board, cells)
    };
    population.split_mut().2[worst] = fitness;
    !learns
}
