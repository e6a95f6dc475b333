#import grids/mask_{mask}
#import common/group_{mapping}

// What lanes have of the elements of a set, be they units or cells: lane l has element l. For N up to 32.

alias Shares = array<Mask, MASK_WORDS>;
alias Values = array<u32, MASK_WORDS>;

// The set of all elements whose flag is set; bit 0 of `flags` is the flag of the lane's element.
fn group_set(lane: u32, flags: u32) -> Mask {
    return group_ballot(lane, flags != 0u);
}

// What the lane of an element has, where all ask for the same element.
fn share_same(lane: u32, shares: Shares, element: u32) -> Mask {
    return group_same(lane, shares[0], element);
}

fn value_same(lane: u32, values: Values, element: u32) -> u32 {
    return group_same(lane, values[0], element);
}

// The same where each lane may ask for another one.
fn share_look(lane: u32, shares: Shares, element: u32) -> Mask {
    return group_look(lane, shares[0], element);
}
