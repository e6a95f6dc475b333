//! The stages of the hybrids: which operator makes each generation follows from the records before it by
//! the rules of the documentation, and never from the batches. [`hgasa`] has the rules of HGASA.
//!
//! [`hgasa`]: super::hgasa

use gpusudoku::algo::{Settings, Task};
use gpusudoku::operators::{Start, Variation};
use gpusudoku::plan::{Encoding, Objective};
use gpusudoku::population::Record;

use super::{RunTrace, settings};
use crate::common::*;
use crate::support::search_space::*;

const SEED: u64 = 161;

/// A run to this generation in batches of at most so many.
pub fn trace_run(
    space: &SearchSpace,
    settings: &Settings,
    pop: usize,
    last: u32,
    batch: u32,
) -> RunTrace {
    let representation = settings.build().representation(&space.instance).unwrap();
    assert_eq!(representation, space.representation);
    let task = Task {
        instance: &space.instance,
        pop,
        seed: SEED,
    };
    RunTrace::new(settings, &task, space.engine(pop, SEED, 1), last, batch)
}

fn times(operators: &[&str], operator: &str) -> usize {
    operators.iter().filter(|&&other| other == operator).count()
}

/// A board, a torus with a solution, tori without, and grids.
pub fn search_spaces() -> Vec<SearchSpace> {
    vec![
        queens_space(board(9), None),
        queens_space(torus(11), None),
        queens_space(torus(12), None),
        queens_space(torus(10), None),
        grid_space(&puzzle(sudoku(3, 3), 0.2, 9), Encoding::Blocks, None),
        grid_space(&puzzle(latin(6), 0.1, 9), Encoding::Blocks, None),
    ]
}

/// Many stages in little time.
const RESTLESS: [(&str, &[(&str, &str)]); 6] = [
    (
        "hgasa",
        &[("switch", "4"), ("stagnation", "3"), ("patience", "0.2")],
    ),
    (
        "hgasa",
        &[
            ("chains", "at-once"),
            ("patience", "0.5"),
            ("temperature", "0.5"),
            ("hold", "2"),
        ],
    ),
    (
        "hpsoga",
        &[("restart", "1"), ("swarm-turn", "2"), ("genetic-turn", "3")],
    ),
    ("cga", &[("restart", "1")]),
    (
        "hgsaga",
        &[("restart", "1"), ("stagnation", "4"), ("horizon", "6")],
    ),
    (
        "min-conflicts",
        &[
            ("restart", "1"),
            ("tries", "1"),
            ("rows", "2"),
            ("sideways", "off"),
        ],
    ),
];

#[test]
fn no_hybrid_depends_on_where_news_are_cut() {
    let mut restarts = 0;
    for (name, pairs) in RESTLESS {
        for space in search_spaces() {
            let settings = settings(name, pairs);
            let whole = trace_run(&space, &settings, 6, 90, 1000);
            for batch in [1, 2, 7] {
                let cut = trace_run(&space, &settings, 6, 90, batch);
                assert!(cut.steps == whole.steps, "{name}, batches of {batch}");
                assert!(cut.last() == whole.last(), "{name}, batches of {batch}");
            }
            restarts += times(&whole.operators(), "restart");
        }
    }
    assert!(restarts > 20, "only {restarts} restarts");
}

/// How long the best has stood, told from the records of one population only.
pub fn stands_for(records: &[Record]) -> u32 {
    let mut improved = 0;
    for at in 1..records.len() {
        if records[..at]
            .iter()
            .all(|before| records[at].best < before.best)
        {
            improved = at;
        }
    }
    (records.len() - 1 - improved) as u32
}

/// What should make each generation, where a population that has not improved for `restart` is
/// replaced, and otherwise its records tell.
fn expected(
    trace: &RunTrace,
    restart: u32,
    operator: impl Fn(&[Record]) -> &'static str,
) -> Vec<&'static str> {
    let mut expected = vec!["initialise"];
    let mut since: Vec<Record> = Vec::new();
    for step in &trace.steps {
        since.push(step.record);
        if restart > 0 && stands_for(&since) >= restart {
            expected.push("restart");
            since.clear();
        } else {
            expected.push(operator(&since));
        }
    }
    expected.pop();
    expected
}

#[test]
fn hpsoga_alternates_and_begins_anew() {
    for (swarm, genetic, restart) in [(1, 1, 1), (2, 3, 1), (3, 1, 2), (1, 4, 0)] {
        for space in search_spaces() {
            let pairs = [
                ("swarm-turn", swarm.to_string()),
                ("genetic-turn", genetic.to_string()),
                ("restart", restart.to_string()),
            ];
            let pairs = pairs.each_ref().map(|(key, value)| (*key, value.as_str()));
            let trace = trace_run(&space, &settings("hpsoga", &pairs), 5, 80, 3);
            let genes = space.genes.len() as u32;
            let expected = expected(&trace, restart * genes, |since| {
                let turn = (since.len() - 1) % (swarm + genetic);
                if turn < swarm { "swarm" } else { "genetic" }
            });
            assert_eq!(trace.operators(), expected, "{swarm}, {genetic}, {restart}");
            assert!(restart > 0 || !expected.contains(&"restart"));
        }
    }
}

#[test]
fn hgsaga_falls_until_it_stagnates_and_again_after_a_restart() {
    let (mut gravity, mut genetic, mut restarts) = (0, 0, 0);
    for (stagnation, restart) in [(3, 1), (1, 1), (20, 1), (5, 0)] {
        for space in search_spaces() {
            let pairs = [
                ("stagnation", stagnation.to_string()),
                ("restart", restart.to_string()),
            ];
            let pairs = pairs.each_ref().map(|(key, value)| (*key, value.as_str()));
            let trace = trace_run(&space, &settings("hgsaga", &pairs), 5, 80, 4);
            let genes = space.genes.len() as u32;
            let expected = expected(&trace, restart * genes, |since| {
                let stagnated = (1..=since.len()).any(|n| stands_for(&since[..n]) >= stagnation);
                if stagnated { "genetic" } else { "gravity" }
            });
            assert_eq!(trace.operators(), expected, "{stagnation}, {restart}");
            // The schedule begins with the population.
            let mut begun = 0;
            for step in &trace.steps {
                if step.operator == "restart" {
                    begun = step.record.generation;
                    assert_eq!(step.vary, Some(Variation::Renew(Start::Fresh)));
                }
                if let Some(Variation::GravitationalSearch(gravitate)) = &step.vary {
                    assert_eq!(gravitate.begin, begun);
                    gravity += usize::from(begun > 0);
                }
            }
            genetic += times(&expected, "genetic");
            restarts += times(&expected, "restart");
        }
    }
    assert!(
        gravity > 20 && genetic > 20 && restarts > 5,
        "{gravity} {genetic} {restarts}"
    );
}

/// Nothing but restarts interrupts them, and these begin as the run did.
#[test]
fn cga_and_min_conflicts_begin_anew() {
    let mut restarts = 0;
    for (name, operator, pairs) in [
        ("cga", "genetic", &[][..]),
        ("cga", "genetic", &[("restart", "1")]),
        ("cga", "genetic", &[("restart", "0")]),
        (
            "min-conflicts",
            "resolve",
            &[("restart", "1"), ("tries", "1")],
        ),
        (
            "min-conflicts",
            "resolve",
            &[("restart", "2"), ("rows", "3"), ("sideways", "off")],
        ),
        (
            "min-conflicts",
            "resolve",
            &[("restart", "1"), ("rows", "0")],
        ),
    ] {
        let limit = pairs.iter().find(|(key, _)| *key == "restart");
        let limit: u32 = limit.map_or(50, |(_, value)| value.parse().unwrap());
        let rows = pairs.iter().find(|(key, _)| *key == "rows");
        let rows: u32 = rows.map_or(100, |(_, value)| value.parse().unwrap());
        for space in search_spaces() {
            let trace = trace_run(&space, &settings(name, pairs), 3, 80, 5);
            let queens = space.representation.objective == Objective::Attacks;
            let start = match name {
                "min-conflicts" if queens && rows > 0 => Start::Greedy(rows),
                _ => Start::Fresh,
            };
            assert_eq!(trace.start, start, "{name}");
            let genes = space.genes.len() as u32;
            let expected = expected(&trace, limit * genes, |_| operator);
            assert_eq!(trace.operators(), expected, "{name}, {pairs:?}");
            for step in &trace.steps {
                if step.operator == "restart" {
                    restarts += 1;
                    assert_eq!(step.vary, Some(Variation::Renew(start.clone())), "{name}");
                }
            }
        }
    }
    assert!(restarts > 10, "only {restarts} restarts");
}
