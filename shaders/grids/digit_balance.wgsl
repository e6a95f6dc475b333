#entry observer

// For each cell and digit, how many of the best have the digit there, less how many of the worst; and the cells of
// the best individual. A workgroup a cell; runs behind rank_boundaries. Twin: src/observation.rs.

@group(0) @binding(4) var<storage, read> new_population: array<u32>;

// No grid has more digits.
const VALUES = 128u;

var<workgroup> balance: array<atomic<i32>, VALUES>;

fn work(cell: u32, local: u32) {
    let cells = SIZE * SIZE;
    if cell >= cells {
        return;
    }
    if local < VALUES {
        atomicStore(&balance[local], 0);
    }
    workgroupBarrier();
    let best_end = boundary(BEST_END);
    let worst_start = boundary(WORST_START);
    let word_at = 2u * run.population + cell / 4u;
    let shift = cell % 4u * 8u;
    for (var individual = local; individual < run.population; individual += THREADS) {
        let mine = vec2(new_population[individual], individual);
        let among_best = precedes(mine, best_end);
        let among_worst = !precedes(mine, worst_start);
        if among_best != among_worst {
            let word = new_population[word_at + individual * WORDS];
            let digit = extractBits(word, shift, 8u);
            // A hole is no digit.
            if digit < SIZE {
                atomicAdd(&balance[digit], select(-1, 1, among_best));
            }
        }
    }
    workgroupBarrier();
    if local < SIZE {
        let count = atomicLoad(&balance[local]);
        observation[BALANCE + cell * SIZE + local] = bitcast<u32>(count);
    }
    if local == 0u && cell % 4u == 0u {
        let word = new_population[word_at + observation[BEST_AT] * WORDS];
        observation[BALANCE + cells * SIZE + cell / 4u] = word;
    }
}
