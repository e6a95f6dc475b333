#import grids/working_grid
#import common/rng

// Column and sub-block local search (LSGA Algorithm 3, Figs. 6 and 7).
//
// Two illegal units of a band swap a repeated digit each, in one row, if either gets a digit
// that it does not have. Swaps have an order: first unit, partner and row (both from random starts),
// cells. `pass_thread.wgsl` and `pass_group.wgsl` are the same loop over them, for one thread and for a group of lanes.

const REPEATS_LATER = 1u;

// Where partners and rows start.
struct Starts {
    partner: u32,
    row: u32,
}

fn starts(units: UnitKind, key: vec4<u32>, individual: u32, round: u32) -> Starts {
    let words = draw(key, individual, SITE_SEARCH, 2u * round + units.index);
    return Starts(bounded(words.x, units.height - 1u), bounded(words.y, units.height));
}

// Whether a pass may find something in units that are up to date. One with all partners leaves no
// swap behind, and until the other family changes cells there is nothing new.
fn worth_repeating(units: UnitKind) -> bool {
    return breed.partners < units.height - 1u;
}

struct Searched {
    // Which of the two families is not up to date.
    stale: vec2<bool>,
    swaps: u32,
}

// Rounds of column and sub-block passes, until one of them swaps nothing. Lanes have met before and
// meet after.
fn search(key: vec4<u32>, individual: u32, lane: u32) -> Searched {
    let columns = unit_kind(COLUMNS);
    let blocks = unit_kind(BLOCKS);
    let search_blocks = breed.block_search != 0u && BLOCK_WIDTH > 0u;
    begin_search(lane);
    var stale = vec2(true);
    var swaps = 0u;
    for (var round = 0u; round < breed.rounds; round++) {
        let before = swaps;
        if breed.column_search != 0u && (stale.x || worth_repeating(columns)) {
            refresh(columns, stale.x, lane);
            let now = pass_over(columns, starts(columns, key, individual, round), lane);
            stale = vec2(false, stale.y || now > 0u);
            swaps += now;
        }
        if search_blocks && (stale.y || worth_repeating(blocks)) {
            refresh(blocks, stale.y, lane);
            let now = pass_over(blocks, starts(blocks, key, individual, round), lane);
            stale = vec2(stale.x || now > 0u, false);
            swaps += now;
        }
        if swaps == before {
            break;
        }
    }
    return Searched(end_search(stale, lane), swaps);
}
