//! The algorithms as users are told of them, from the one list that there is.

use gpusudoku::algo::{self, Info, for_problem};
use gpusudoku::problem::{Problem, Queens, Surface};

fn names(infos: impl Iterator<Item = &'static Info>) -> Vec<&'static str> {
    infos.map(|info| info.name).collect()
}

/// Those that a run takes if nobody says otherwise.
fn defaults() -> String {
    format!(
        "[default: {}, for queens {}]",
        algo::memetic::INFO.name,
        algo::hgasa::INFO.name
    )
}

/// Help for `--algo` in a sentence.
pub fn brief() -> String {
    let names = names(algo::ALL.iter());
    format!("The algorithm: {} {}", names.join(", "), defaults())
}

/// Help for `--algo` with a line for each algorithm.
pub fn list() -> String {
    let line = |info: &Info| format!("- {}: {}\n", info.name, info.title);
    let lines: String = algo::ALL.iter().map(line).collect();
    let queens = Queens::new(4, Surface::Board).map(Problem::from);
    let queens = queens.map_or_else(|_| Vec::new(), |queens| for_problem(&queens));
    format!(
        "The algorithm:\n{lines}Also for queens: {} {}",
        queens.join(", "),
        defaults()
    )
}
