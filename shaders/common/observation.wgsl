// What the host sees of a generation besides its record. Twin of `Header` in src/engine/gpu/observe.rs.
//
// | header | balance of each digit: cell after cell | cells of the best individual |

@group(0) @binding(10) var<storage, read_write> observation: array<u32>;

// Of the header: the best individual; where the best end and where the worst begin, as fitness and individual;
// whether a driver has cut loops short.
const BEST_AT = 0u;
const BEST_END = 1u;
const WORST_START = 3u;
const CUT_SHORT = 5u;
// What is behind the header.
const BALANCE = 6u;

// Two words of the header.
fn boundary(at: u32) -> vec2<u32> {
    return vec2(observation[at], observation[at + 1u]);
}

// Whether an individual comes before another in the order of fitness; of equals the lower does.
fn precedes(a: vec2<u32>, b: vec2<u32>) -> bool {
    return a.x < b.x || (a.x == b.x && a.y < b.y);
}
