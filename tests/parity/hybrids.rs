//! The hybrids and min-conflicts over whole runs, on grids and boards; see `algorithms.rs`.

use super::algorithms::{AlgorithmCase, MANY, ONE, runs_among};

/// Boards up to the largest whose desk fits workgroup memory, and beyond; tori that have a solution
/// and such that have none; grids whose desks fit, and one that does not.
#[rustfmt::skip]
pub const CASES: &[AlgorithmCase] = &[
    ("hpsoga", "queens:20", "", 64, 40, MANY),
    ("hpsoga", "queens:45", "inertia=.9 own=.3 cut=uniform mutations=up-to", 7, 30, MANY),
    ("hpsoga", "torus:14", "swarm-turn=3 genetic-turn=2 accept=always restart=1", 9, 60, MANY),
    ("hpsoga", "queens:700", "most=1", 5, 6, MANY),
    ("hpsoga", "torus:23", "fitness=support-confidence", 16, 30, MANY),
    ("hpsoga", "9x9", "accept=better mutations=shared", 33, 30, ONE),
    ("hpsoga", "latin-10", "fitness=support-confidence w1=1 w2=0 swarm=.2", 6, 20, MANY),

    ("cga", "queens:20", "tries=1 restart=0", 64, 40, MANY),
    ("cga", "queens:45", "tries=100 genes=1", 7, 30, MANY),
    ("cga", "torus:14", "mutations=each restart=1", 3, 60, MANY),
    ("cga", "queens:700", "offspring=3", 5, 5, MANY),
    ("cga", "torus:23", "fitness=support-confidence offspring=1000", 16, 20, MANY),
    ("cga", "9x9", "bricks=rows mutations=none", 33, 20, ONE),
    ("cga", "36x36", "", 3, 3, MANY),
    ("cga", "4x4", "tries=0 restart=1 genes=9", 2, 40, MANY),

    ("hgsaga", "queens:20", "stagnation=30", 64, 40, MANY),
    ("hgsaga", "queens:45", "kbest=3 horizon=7 stagnation=20 tournament=1", 70, 30, MANY),
    ("hgsaga", "torus:14", "inertia=0 alpha=1 g0=.3 stagnation=3 restart=1", 9, 60, MANY),
    ("hgsaga", "queens:700", "stagnation=3", 6, 5, MANY),
    ("hgsaga", "torus:23", "fitness=support-confidence stagnation=50", 16, 30, MANY),
    ("hgsaga", "9x9", "stagnation=8", 33, 30, ONE),
    ("hgsaga", "latin-10", "bricks=rows tournament=9", 6, 20, MANY),

    ("hgasa", "queens:45", "switch=20", 64, 30, MANY),
    ("hgasa", "queens:200", "temperature=2 hold=2 sweeps=3 stagnation=2", 7, 12, MANY),
    ("hgasa", "torus:14", "patience=.01 stagnation=1", 3, 90, MANY),
    ("hgasa", "torus:18", "chains=at-once temperature=.5 patience=.2", 9, 60, MANY),
    ("hgasa", "queens:700", "stagnation=1", 6, 8, MANY),
    ("hgasa", "torus:23", "fitness=support-confidence switch=9", 16, 30, MANY),
    ("hgasa", "9x9", "stagnation=3 propagate=singles", 33, 60, ONE),
    ("hgasa", "25x25", "bricks=rows stagnation=1 pc=.5", 4, 4, MANY),

    ("min-conflicts", "queens:45", "rows=1 tries=3", 5, 12, MANY),
    ("min-conflicts", "queens:200", "rows=70 sideways=off", 2, 12, MANY),
    ("min-conflicts", "torus:22", "restart=1 tries=2", 2, 60, MANY),
    ("min-conflicts", "torus:18", "rows=0 tries=200", 4, 40, MANY),
    ("min-conflicts", "queens:700", "tries=5", 3, 6, MANY),
    ("min-conflicts", "torus:23", "fitness=support-confidence", 7, 30, MANY),
    ("min-conflicts", "9x9", "restart=1", 33, 80, ONE),
    ("min-conflicts", "latin-5", "sideways=off", 2, 20, MANY),
];

/// Runs all cases; every operator of the algorithm has to occur.
fn everywhere(algorithm: &str, operators: &[&str]) {
    let mut missing = operators.to_vec();
    let runs = runs_among(CASES, algorithm);
    for (.., run) in &runs {
        missing.retain(|&operator| !run.operators().contains(operator));
    }
    assert!(missing.is_empty() || runs.is_empty(), "no {missing:?}");
}

#[test]
fn hpsoga_everywhere() {
    everywhere("hpsoga", &["swarm", "genetic", "restart"]);
}

#[test]
fn cga_everywhere() {
    everywhere("cga", &["genetic", "restart"]);
}

#[test]
fn hgsaga_everywhere() {
    everywhere("hgsaga", &["gravity", "genetic", "restart"]);
}

#[test]
fn hgasa_everywhere() {
    everywhere("hgasa", &["genetic", "anneal", "restart"]);
}

#[test]
fn min_conflicts_everywhere() {
    everywhere("min-conflicts", &["resolve", "restart"]);
}
