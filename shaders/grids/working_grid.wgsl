#import grids/cells_{lanes}
#import grids/mask_{mask}
#import grids/objective_{objective}
#import common/group_{mapping}
#import common/bits
#import common/puzzle

// One individual under work: its cells, four in a word and each row on words of its own, so
// that a lane may change its rows without regard to the others.


fn grid_get(row: u32, col: u32) -> u32 {
    return byte_at(grid_cells[row * ROW_WORDS + (col >> 2u)], col);
}

fn grid_set(row: u32, col: u32, digit: u32) {
    let word = row * ROW_WORDS + (col >> 2u);
    grid_cells[word] = with_byte(grid_cells[word], col, digit);
}

fn grid_swap(row: u32, one: u32, two: u32) {
    let digit = grid_get(row, one);
    grid_set(row, one, grid_get(row, two));
    grid_set(row, two, digit);
}

// Four cells of a packed grid from any cell on: `low` and `high` are the words around them.
fn unaligned(low: u32, high: u32, cell: u32) -> u32 {
    if SIZE % 4u == 0u {
        return low;
    }
    let shift = (cell & 3u) * 8u;
    return select((low >> shift) | (high << ((32u - shift) & 31u)), low, shift == 0u);
}

// Takes a row of the puzzle's template.
fn grid_load_template_row(row: u32) {
    for (var word = 0u; word < ROW_WORDS; word++) {
        let cell = row * SIZE + word * 4u;
        let at = cell >> 2u;
        let next = min(at + 1u, WORDS - 1u);
        grid_cells[row * ROW_WORDS + word] = unaligned(puzzle[at], puzzle[next], cell);
    }
}

// Word `word` of the packed grid, for the population.
fn grid_pack(word: u32) -> u32 {
    // 2^21 / size, rounded up: enough to find the row of any cell.
    let per_row = (0x1fffffu + SIZE) / SIZE;
    let row = (word * 4u * per_row) >> 21u;
    return grid_pack_from(row, word * 4u - row * SIZE);
}

// The same from its first cell on; cells past the end are 0.
fn grid_pack_from(row: u32, col: u32) -> u32 {
    let at = row * ROW_WORDS + (col >> 2u);
    let cells = unaligned(grid_cells[at], grid_cells[min(at + 1u, CELL_WORDS - 1u)], col);
    let left = SIZE - col;
    if left >= 4u {
        return cells;
    }
    // The rest is in the next row, if there is one.
    let next = grid_cells[min(row + 1u, SIZE - 1u) * ROW_WORDS];
    return insertBits(cells, select(0u, next, row + 1u < SIZE), left * 8u, 32u - left * 8u);
}

// The units of a family: width 1 gives the columns, a box's width the sub-blocks, N the rows. A
// unit has `width` cells in each of size / width rows, and size / width units make a band.
struct UnitKind {
    index: u32,
    width: u32,
    height: u32,
    // What to multiply with to divide by the width or the height.
    per_width: u32,
    per_height: u32,
}

const COLUMNS = 0u;
const BLOCKS = 1u;
const ROWS = 2u;

fn unit_kind(index: u32) -> UnitKind {
    let width = select(select(SIZE, max(BLOCK_WIDTH, 1u), index == BLOCKS), 1u, index == COLUMNS);
    let height = SIZE / width;
    return UnitKind(index, width, height, inverse(width), inverse(height));
}

// 2^16 / divisor, rounded up. Divisions are what software adapters do worst.
fn inverse(divisor: u32) -> u32 {
    return (0xffffu + divisor) / divisor;
}

// The quotient of two numbers below 2^8, the second by its inverse.
fn divide(number: u32, inverse: u32) -> u32 {
    return (number * inverse) >> 16u;
}

// The first unit of a unit's band, and the first row of the band.
fn band_of(units: UnitKind, unit: u32) -> u32 {
    return divide(unit, units.per_height) * units.height;
}

// `value` modulo `modulus`, for values below twice that.
fn wrap(value: u32, modulus: u32) -> u32 {
    return select(value, value - modulus, value >= modulus);
}

fn free_positions(index: u32, unit: u32) -> Mask {
    let at = run.free_positions_at + (index * SIZE + unit) * MASK_WORDS;
    return mask_from_puzzle(at);
}

const ILLEGAL_UNITS = 0u;
const MISSING_DIGITS = 1u;
const SUM_DEVIATION = 2u;
const OWN_OBJECTIVE = 3u;

// An invalid grid whose sums are all right; see `Objective` in src/plan/representation.rs.
const FALSE_ZERO = 1u;

// What a unit adds to the objective, and 1 if a digit is repeated in it.
fn faults(units: UnitKind, unit: u32) -> vec2<u32> {
    let first_row = band_of(units, unit);
    let first_col = (unit - first_row) * units.width;
    var once = Mask();
    var twice = Mask();
    var sum = 0u;
    for (var k = 0u; k < SIZE; k++) { // unroll to 32
        let digit = grid_get(first_row + k / units.width, first_col + k % units.width);
        twice |= once & mask_bit(digit);
        once |= mask_bit(digit);
        sum += digit + 1u;
    }
    let illegal = select(0u, 1u, mask_any(twice));
    if OBJECTIVE == MISSING_DIGITS {
        return vec2(SIZE - mask_count(once), illegal);
    }
    if OBJECTIVE == SUM_DEVIATION {
        let right = SIZE * (SIZE + 1u) / 2u;
        return vec2(max(sum, right) - min(sum, right), illegal);
    }
    return vec2(illegal);
}

// The fitness of a working grid whose lanes have met; counts anew in the kinds of units that are stale.
fn fitness(lane: u32, stale: vec2<bool>) -> u32 {
    if OBJECTIVE == OWN_OBJECTIVE {
        return own_fitness(lane);
    }
    var mine = vec2(0u);
    // Columns, sub-blocks and rows.
    for (var index = 0u; index < 3u; index++) { // unroll
        if extractBits(FAULTY, index, 1u) != 0u {
            let units = unit_kind(index);
            if OBJECTIVE == ILLEGAL_UNITS && !vec3(stale, true)[index] {
                mine.x += illegal_units(index);
            } else {
                for (var unit = lane; unit < SIZE; unit += LANES) { // lanes of SIZE
                    mine += faults(units, unit);
                }
            }
        }
    }
    let total = group_sum(lane, mine.x);
    if OBJECTIVE == SUM_DEVIATION && total == 0u {
        return min(group_sum(lane, mine.y), FALSE_ZERO);
    }
    return total;
}
