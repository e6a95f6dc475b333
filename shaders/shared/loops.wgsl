// Mesa's software driver ends all loops of an invocation after 65,535 turns, without a word.

// The fitness of an individual on which a driver cut loops short.
const CUT_SHORT = 0xffffffffu;

// Whether loops still run. They count themselves.
fn loops_run() -> bool {
    let most = min(run.size, 64u);
    var turns = 0u;
    for (var turn = 0u; turn < most; turn++) {
        turns++;
    }
    return turns == most;
}
