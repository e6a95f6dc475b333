//! The courses of the hybrids, run by hand: which operator makes each generation follows from the
//! records before it by the rules of the documentation, and never from the batches. [`hgasa`] has
//! the rules of HGASA.
//!
//! [`hgasa`]: super::hgasa

use gpusudoku::algo::{self, Feedback, Settings, Task};
use gpusudoku::operators::{Start, Variation};
use gpusudoku::plan::{Encoding, Objective};
use gpusudoku::population::{Population, Record};

use super::common::*;
use super::ground::*;
use super::judge::begin;

/// A generation: what made it, and its record.
#[derive(Debug, Clone, PartialEq)]
pub struct Chapter {
    pub operator: &'static str,
    pub vary: Option<Variation>,
    pub record: Record,
}

pub struct Story {
    pub start: Start,
    pub chapters: Vec<Chapter>,
    /// Everybody's conflicts in every generation, if these came one by one.
    pub energies: Vec<Vec<u32>>,
    pub last: Population,
}

const SEED: u64 = 161;

pub fn settings(name: &str, pairs: &[(&str, &str)]) -> Settings {
    let mut settings = Settings::new(algo::find(name).unwrap());
    for (key, value) in pairs {
        settings.set(key, value).unwrap();
    }
    settings
}

/// A run to this generation in batches of at most so many.
pub fn tell(ground: &Ground, settings: &Settings, pop: usize, last: u32, batch: u32) -> Story {
    let algorithm = settings.build();
    let representation = algorithm.representation(&ground.instance).unwrap();
    assert_eq!(representation, ground.representation);
    let mut state = algorithm.begin(&Task {
        instance: &ground.instance,
        pop,
        seed: SEED,
    });
    let mut engine = ground.engine(pop, SEED, 1);
    let start = state.start();
    let mut records = vec![begin(&mut engine, &start)];
    let mut chapters = vec![Chapter {
        operator: "initialise",
        vary: None,
        record: records[0],
    }];
    let mut energies = Vec::new();
    loop {
        let record = *records.last().unwrap();
        let people = population(&mut engine);
        energies.push(conflicts(ground, &people));
        if record.solved() || record.generation == last {
            return Story {
                start,
                chapters,
                energies,
                last: people,
            };
        }
        state.observe(&Feedback {
            records: &records,
            population: None,
        });
        let stage = state.stage();
        assert!(stage.generations > 0, "a stage of nothing");
        let wanted = batch.min(stage.generations).min(last - record.generation);
        records = pollster::block_on(engine.advance(&stage.plan, wanted)).unwrap();
        chapters.extend(records.iter().map(|&record| Chapter {
            operator: stage.operator,
            vary: Some(stage.plan.vary.clone()),
            record,
        }));
    }
}

fn conflicts(ground: &Ground, population: &Population) -> Vec<u32> {
    let people = people(population);
    people
        .iter()
        .map(|person| ground.conflicts(person))
        .collect()
}

fn operators(story: &Story) -> Vec<&'static str> {
    story
        .chapters
        .iter()
        .map(|chapter| chapter.operator)
        .collect()
}

fn times(operators: &[&str], operator: &str) -> usize {
    operators.iter().filter(|&&other| other == operator).count()
}

/// A board, a torus with a solution, tori without, and grids.
pub fn grounds() -> Vec<Ground> {
    vec![
        queens_ground(board(9), None),
        queens_ground(torus(11), None),
        queens_ground(torus(12), None),
        queens_ground(torus(10), None),
        grid_ground(&puzzle(sudoku(3, 3), 0.2, 9), Encoding::Blocks, None),
        grid_ground(&puzzle(latin(6), 0.1, 9), Encoding::Blocks, None),
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
        for ground in grounds() {
            let settings = settings(name, pairs);
            let whole = tell(&ground, &settings, 6, 90, 1000);
            for batch in [1, 2, 7] {
                let cut = tell(&ground, &settings, 6, 90, batch);
                assert!(cut.chapters == whole.chapters, "{name}, batches of {batch}");
                assert!(cut.last == whole.last, "{name}, batches of {batch}");
            }
            restarts += times(&operators(&whole), "restart");
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
    story: &Story,
    restart: u32,
    operator: impl Fn(&[Record]) -> &'static str,
) -> Vec<&'static str> {
    let mut expected = vec!["initialise"];
    let mut since: Vec<Record> = Vec::new();
    for chapter in &story.chapters {
        since.push(chapter.record);
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
        for ground in grounds() {
            let pairs = [
                ("swarm-turn", swarm.to_string()),
                ("genetic-turn", genetic.to_string()),
                ("restart", restart.to_string()),
            ];
            let pairs = pairs.each_ref().map(|(key, value)| (*key, value.as_str()));
            let story = tell(&ground, &settings("hpsoga", &pairs), 5, 80, 3);
            let genes = ground.genes.len() as u32;
            let expected = expected(&story, restart * genes, |since| {
                let turn = (since.len() - 1) % (swarm + genetic);
                if turn < swarm { "swarm" } else { "genetic" }
            });
            assert_eq!(operators(&story), expected, "{swarm}, {genetic}, {restart}");
            assert!(restart > 0 || !expected.contains(&"restart"));
        }
    }
}

#[test]
fn hgsaga_falls_until_it_stagnates_and_again_after_a_restart() {
    let (mut gravity, mut genetic, mut restarts) = (0, 0, 0);
    for (stagnation, restart) in [(3, 1), (1, 1), (20, 1), (5, 0)] {
        for ground in grounds() {
            let pairs = [
                ("stagnation", stagnation.to_string()),
                ("restart", restart.to_string()),
            ];
            let pairs = pairs.each_ref().map(|(key, value)| (*key, value.as_str()));
            let story = tell(&ground, &settings("hgsaga", &pairs), 5, 80, 4);
            let genes = ground.genes.len() as u32;
            let expected = expected(&story, restart * genes, |since| {
                let stagnated = (1..=since.len()).any(|n| stands_for(&since[..n]) >= stagnation);
                if stagnated { "genetic" } else { "gravity" }
            });
            assert_eq!(operators(&story), expected, "{stagnation}, {restart}");
            // The schedule begins with the population.
            let mut begun = 0;
            for chapter in &story.chapters {
                if chapter.operator == "restart" {
                    begun = chapter.record.generation;
                    assert_eq!(chapter.vary, Some(Variation::Renew(Start::Fresh)));
                }
                if let Some(Variation::GravitationalSearch(gravitate)) = &chapter.vary {
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
        for ground in grounds() {
            let story = tell(&ground, &settings(name, pairs), 3, 80, 5);
            let queens = ground.representation.objective == Objective::Attacks;
            let start = match name {
                "min-conflicts" if queens && rows > 0 => Start::Greedy(rows),
                _ => Start::Fresh,
            };
            assert_eq!(story.start, start, "{name}");
            let genes = ground.genes.len() as u32;
            let expected = expected(&story, limit * genes, |_| operator);
            assert_eq!(operators(&story), expected, "{name}, {pairs:?}");
            for chapter in &story.chapters {
                if chapter.operator == "restart" {
                    restarts += 1;
                    assert_eq!(
                        chapter.vary,
                        Some(Variation::Renew(start.clone())),
                        "{name}"
                    );
                }
            }
        }
    }
    assert!(restarts > 10, "only {restarts} restarts");
}
