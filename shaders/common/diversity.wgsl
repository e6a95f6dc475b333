#entry workgroup
#import common/state
#import common/u64

// In how many cells the individuals of a generation differ, summed over all pairs; runs before its
// survey. A workgroup a cell: where the values of a cell occur c_1, c_2, ... times in a population
// of P, (P^2 - sum of c_v^2) / 2 pairs differ. Twin: src/engine/cpu/diversity.rs.

@group(0) @binding(4) var<storage, read> new_population: array<u32>;
@group(0) @binding(6) var<storage, read_write> records: array<atomic<u32>>;

// Values that are counted at a time: all digits of a grid.
const VALUES = 128u;
// Words of a record, and where the differences stand in it.
const RECORD_WORDS = 13u;
const DIFFERENCES = 10u;

var<workgroup> counts: array<atomic<u32>, VALUES>;
// One hole is like another.
var<workgroup> holes: atomic<u32>;
var<workgroup> squares: array<vec2<u32>, THREADS>;

fn work(cell: u32, local: u32) {
    let cells = select(SIZE * SIZE, SIZE, run.cell_bits == 32u);
    if cell >= cells {
        return;
    }
    let in_word = 32u / run.cell_bits;
    let first = 2u * run.population + cell / in_word;
    let shift = cell % in_word * run.cell_bits;
    var mine = vec2(0u);
    for (var values = 0u; values < SIZE; values += VALUES) {
        if local < VALUES {
            atomicStore(&counts[local], 0u);
        }
        if local == 0u {
            atomicStore(&holes, 0u);
        }
        workgroupBarrier();
        for (var individual = local; individual < run.population; individual += THREADS) {
            let word = new_population[first + individual * WORDS];
            let value = extractBits(word, shift, run.cell_bits);
            if value >= values && value - values < VALUES {
                atomicAdd(&counts[value - values], 1u);
            } else if value == HOLE && run.cell_bits == 8u {
                atomicAdd(&holes, 1u);
            }
        }
        workgroupBarrier();
        if local < VALUES {
            mine = u64_add(mine, u64_square(atomicLoad(&counts[local])));
        }
        if local == 0u {
            mine = u64_add(mine, u64_square(atomicLoad(&holes)));
        }
    }
    squares[local] = mine;
    for (var half = THREADS / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if local < half {
            squares[local] = u64_add(squares[local], squares[local + half]);
        }
    }
    if local == 0u {
        let pairs = u64_halve(u64_subtract(u64_square(run.population), squares[0]));
        let slots = arrayLength(&records) / RECORD_WORDS;
        let at = state.surveys % slots * RECORD_WORDS + DIFFERENCES;
        let before = atomicAdd(&records[at], pairs.x);
        // What one addition carries over depends on nothing but its own two numbers.
        atomicAdd(&records[at + 1u], pairs.y + select(0u, 1u, before + pairs.x < before));
    }
}
