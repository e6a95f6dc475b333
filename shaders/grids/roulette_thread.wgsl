#import grids/model
#import grids/mask_{mask}
#import common/group_{mapping}
#import common/rng

// Draws of digits by weight, by one thread, for N up to 32. Weights have constant places: they are read all at once, and
// their sums stay in registers.

// A digit of the allowed ones by the model's weights for a cell; NO_DIGIT if none has any.
fn roulette(cell: u32, allowed: Mask, word: u32, lane: u32) -> u32 {
    // The weight of all allowed digits up to each.
    var sums: array<u32, SIZE>;
    var total = 0u;
    for (var digit = 0u; digit < SIZE; digit++) { // unroll
        // All ones if the digit is allowed.
        let allows = bitcast<u32>(extractBits(bitcast<i32>(allowed), digit, 1u));
        total += model[cell * SIZE + digit] & allows;
        sums[digit] = total;
    }
    if total == 0u {
        return NO_DIGIT;
    }
    let goal = bounded(word, total);
    var before = 0u;
    for (var digit = 0u; digit < SIZE; digit++) { // unroll
        before += select(0u, 1u, sums[digit] <= goal);
    }
    return before;
}
