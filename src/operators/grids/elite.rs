//! Twin of `shaders/grids/elite.wgsl`: elite population learning (LSGA section III-E, eqs. 2 and 3).

use crate::engine::cpu::grids::{Mask, MaskTables, Shape, fresh, score};
use crate::engine::snapshot::Queue;
use crate::operators::kernel::{Dispatch, KernelCall, Params, Shader};
use crate::population::{Population, Record};
use crate::rng::{Key, Site, bounded};

/// A first-in-first-out queue of good individuals from which the worst one learns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Elite {
    /// Length of the queue, at least 1.
    pub size: u32,
    /// Which individuals enter it.
    pub admits: Admits,
}

/// Which individuals enter the queue of elites.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admits {
    /// The best of a generation that is better than that of every generation since the queue
    /// began; its first generation always is.
    Improvement,
    /// The best of every generation.
    EveryBest,
}

impl Elite {
    /// Its kernel, which runs after the survey.
    pub(crate) fn kernel(&self) -> KernelCall {
        let params = Params::new([
            ("size", self.size),
            ("every_best", u32::from(self.admits == Admits::EveryBest)),
        ]);
        let kernel = KernelCall::new(Shader::builtin("grids/elite"));
        kernel.with(params).over(Dispatch::Once)
    }
}

/// Admits the best of the generation, then lets the worst individual learn: it becomes a
/// random elite with probability (F_worst - F_elite) / F_worst, else it is re-initialised.
/// Says whether it was.
pub(crate) fn elite<M: Mask, S: Shape, const C: usize>(
    tables: &MaskTables<M, S, C>,
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
        fresh(tables, key, record.worst_at, Site::EliteInitialise, cells);
        score(tables, cells)
    };
    population.split_mut().2[worst] = fitness;
    !learns
}
