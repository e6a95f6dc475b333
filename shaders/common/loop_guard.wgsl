// Mesa's software driver ends all loops of an invocation after 65,535 turns, without a word.

// The fitness of an individual on which a driver cut loops short.
const TRUNCATED = 0xffffffffu;

// Whether loops still run. They count themselves: one that was cut takes a single turn, so two tell.
fn loops_complete() -> bool {
    // A number that compilers do not know: they would unroll the loop.
    let most = run.cell_bits >> 2u;
    var turns = 0u;
    for (var turn = 0u; turn < most; turn++) {
        turns++;
    }
    return turns == most;
}
