#import grids/mask_{mask}
#import common/children

// The fitness of an individual of the new population by one thread, word by word. Every place is a constant, so that
// nothing but the digits of columns, of a band of sub-blocks and of a row is kept, in registers.
//
// A unit has as many cells as there are digits: it repeats one if it lacks another.

// What a unit with these digits adds to the objective, and 1 if a digit is repeated in it.
fn unit_faults(digits: Mask, sum: u32) -> vec2<u32> {
    let illegal = select(1u, 0u, all(digits == mask_below(SIZE)));
    if OBJECTIVE == MISSING_DIGITS {
        return vec2(SIZE - mask_count(digits), illegal);
    }
    if OBJECTIVE == SUM_DEVIATION {
        const right = SIZE * (SIZE + 1u) / 2u;
        return vec2(max(sum, right) - min(sum, right), illegal);
    }
    return vec2(illegal);
}

fn scan(individual: u32) -> u32 {
    const in_columns = (FAULTY & 1u) != 0u;
    const in_blocks = (FAULTY & 2u) != 0u;
    const in_rows = (FAULTY & 4u) != 0u;
    const width = max(BLOCK_WIDTH, 1u);
    const height = max(BLOCK_HEIGHT, 1u);
    var columns: array<Mask, SIZE>;
    var column_sums: array<u32, SIZE>;
    // Of a band, and of a row: begun anew where the next one starts.
    var blocks: array<Mask, SIZE>;
    var block_sums: array<u32, SIZE>;
    var row_digits = Mask();
    var row_sum = 0u;
    var total = vec2(0u);
    for (var word = 0u; word < WORDS; word++) { // unroll
        let packed = new_population[child_word_at(individual, word)];
        for (var byte = 0u; byte < 4u; byte++) { // unroll
            const cell = 4u * word + byte;
            const row = cell / SIZE;
            const col = cell % SIZE;
            const block = col / width;
            if cell < SIZE * SIZE {
                let digit = extractBits(packed, 8u * byte, 8u);
                let bit = mask_bit(digit);
                columns[col] |= bit;
                column_sums[col] += digit + 1u;
                blocks[block] |= bit;
                block_sums[block] += digit + 1u;
                row_digits |= bit;
                row_sum += digit + 1u;
                if col == SIZE - 1u {
                    if in_rows {
                        total += unit_faults(row_digits, row_sum);
                    }
                    row_digits = Mask();
                    row_sum = 0u;
                }
                if in_blocks && row % height == height - 1u && col % width == width - 1u {
                    total += unit_faults(blocks[block], block_sums[block]);
                    blocks[block] = Mask();
                    block_sums[block] = 0u;
                }
            }
        }
    }
    if in_columns {
        for (var col = 0u; col < SIZE; col++) { // unroll
            total += unit_faults(columns[col], column_sums[col]);
        }
    }
    if OBJECTIVE == SUM_DEVIATION && total.x == 0u {
        return min(total.y, FALSE_ZERO);
    }
    return total.x;
}
