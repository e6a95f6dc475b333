#import grids/mask_{mask}
#import common/group_{mapping}

// What lanes have of the elements of a set, be they units or cells: lane l has elements l, l + 32, ..., one for each word
// of a mask, so that a vote of all lanes is a word.

alias Shares = array<Mask, MASK_WORDS>;
alias Values = array<u32, MASK_WORDS>;

// The set of all elements whose flag is set; bit s of `flags` is the flag of the lane's s-th element.
fn group_set(lane: u32, flags: u32) -> Mask {
    var elements = Mask();
    for (var word = 0u; word < MASK_WORDS; word++) { // unroll
        elements[word] = group_ballot(lane, extractBits(flags, word, 1u) != 0u);
    }
    return elements;
}

// What the lane of an element has, where all ask for the same element.
fn share_same(lane: u32, shares: Shares, element: u32) -> Mask {
    var mine = shares[0];
    for (var slot = 1u; slot < MASK_WORDS; slot++) { // unroll
        mine = select(mine, shares[slot], element >> 5u == slot);
    }
    var theirs = Mask();
    for (var word = 0u; word < MASK_WORDS; word++) { // unroll
        theirs[word] = group_same(lane, mine[word], element & 31u);
    }
    return theirs;
}

fn value_same(lane: u32, values: Values, element: u32) -> u32 {
    var mine = values[0];
    for (var slot = 1u; slot < MASK_WORDS; slot++) { // unroll
        mine = select(mine, values[slot], element >> 5u == slot);
    }
    return group_same(lane, mine, element & 31u);
}

// The same where each lane may ask for another one.
fn share_look(lane: u32, shares: Shares, element: u32) -> Mask {
    var found = Mask();
    for (var slot = 0u; slot < MASK_WORDS; slot++) { // unroll
        for (var word = 0u; word < MASK_WORDS; word++) { // unroll
            let theirs = group_look(lane, shares[slot][word], element & 31u);
            found[word] = select(found[word], theirs, element >> 5u == slot);
        }
    }
    return found;
}
