//! Twin of `shaders/tabu.wgsl`: a tabu search for everybody.

use super::Made;
use super::shared::slate::{Graph, Slate};
use crate::plan::Tabu;
use crate::rng::{Key, Site};

/// Makes so many moves of an individual's tabu search; it ends at a solution.
pub fn tabu(
    graph: &Graph,
    slate: &mut Slate,
    tabu: &Tabu,
    key: Key,
    generation: u32,
    individual: u32,
    cells: &mut [u8],
) -> Made {
    let mut work = slate.load(graph, cells);
    let factor = tabu.factor(generation, individual);
    let mut fewest = work.conflicts();
    let mut moves = 0;
    while moves < tabu.moves && work.conflicts() > 0 {
        let number = moves + 1;
        work.expire(number);
        let [odd, turn, random, _] = key.draw(individual, Site::Tabu.counter(number));
        let Some(step) = work.best_move(fewest, odd as u16 | 1, turn) else {
            break;
        };
        let tenure = tabu.tenure(factor, work.troubled(), random);
        work.make(step, number, number + 1 + tenure);
        moves = number;
        fewest = fewest.min(work.conflicts());
    }
    work.store(cells);
    Made {
        fitness: work.conflicts(),
        swaps: moves,
    }
}
