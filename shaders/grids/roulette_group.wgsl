#import grids/model
#import grids/mask_{mask}
#import common/group_{mapping}
#import common/rng

// Draws of digits by weight, by a group of lanes.

// A digit of the allowed ones by the model's weights for a cell; NO_DIGIT if none has any. Each lane
// has a share of the digits, in their order, so the result is that of one loop over all of them.
fn roulette(cell: u32, allowed: Mask, word: u32, lane: u32) -> u32 {
    let share = (SIZE + LANES - 1u) / LANES;
    let first = min(lane * share, SIZE);
    let end = min(first + share, SIZE);
    var mine = 0u;
    for (var digit = first; digit < end; digit++) {
        if mask_any(allowed & mask_bit(digit)) {
            mine += model[cell * SIZE + digit];
        }
    }
    let total = group_sum(lane, mine);
    if total == 0u {
        return NO_DIGIT;
    }
    let goal = bounded(word, total);
    var sum = group_exclusive_sum(lane, mine);
    var found = NO_DIGIT;
    for (var digit = first; digit < end; digit++) {
        if mask_any(allowed & mask_bit(digit)) {
            let weight = model[cell * SIZE + digit];
            if goal >= sum && goal - sum < weight {
                found = digit;
            }
            sum += weight;
        }
    }
    return group_min(lane, found);
}
