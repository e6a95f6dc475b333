#import grids/mask_{mask}
#import grids/working_grid

// The fitness of packed cells by one thread, row by row. The kernel says where they are: `written_word(item, word)`. Units have constant places: the digits of
// all columns, of a band of sub-blocks and of a row stay in registers, and cells are read once.
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

fn scan(item: u32) -> u32 {
    const in_columns = (FAULTY & 1u) != 0u;
    const in_blocks = (FAULTY & 2u) != 0u;
    const in_rows = (FAULTY & 4u) != 0u;
    const width = max(BLOCK_WIDTH, 1u);
    var columns: array<Mask, SIZE>;
    var column_sums: array<u32, SIZE>;
    var total = vec2(0u);
    for (var band = 0u; band < SIZE / BAND_ROWS; band++) {
        // Said, as not every compiler clears anew what a loop declares: Chromium with SwiftShader did not.
        var blocks = array<Mask, SIZE>();
        var block_sums = array<u32, SIZE>();
        for (var turn = 0u; turn < BAND_ROWS / ROWS_AT_ONCE; turn++) {
            // Written out, several cells of a unit take one instruction.
            for (var each = 0u; each < ROWS_AT_ONCE; each++) { // unroll
                var digits = Mask();
                var sum = 0u;
                let first = (band * BAND_ROWS + turn * ROWS_AT_ONCE + each) * SIZE;
                var at = first >> 2u;
                var low = written_word(item, at);
                for (var word = 0u; word < ROW_WORDS; word++) { // unroll
                    at = min(at + 1u, WORDS - 1u);
                    let high = written_word(item, at);
                    let packed = unaligned(low, high, first);
                    low = high;
                    for (var byte = 0u; byte < 4u; byte++) { // unroll
                        const col = min(4u * word + byte, SIZE - 1u);
                        const block = col / width;
                        if 4u * word + byte < SIZE {
                            let digit = extractBits(packed, 8u * byte, 8u);
                            let bit = mask_bit_of(packed, byte);
                            columns[col] |= bit;
                            column_sums[col] += digit + 1u;
                            blocks[block] |= bit;
                            block_sums[block] += digit + 1u;
                            digits |= bit;
                            sum += digit + 1u;
                        }
                    }
                }
                if in_rows {
                    total += unit_faults(digits, sum);
                }
            }
        }
        if in_blocks {
            for (var block = 0u; block < BLOCK_HEIGHT; block++) { // unroll
                total += unit_faults(blocks[block], block_sums[block]);
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
