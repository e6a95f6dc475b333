//! A population that several processes or devices share is the frozen one, however many they are. Threads stand for
//! processes here; `tests/mpi.sh` has real ones.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use gpusudoku::controller::Progress;
use gpusudoku::engine::gpu::adapter::{self, AdapterChoice};
use gpusudoku::engine::shared::team::{self, Team};
use gpusudoku::population::Record;

use super::*;

/// What a process sees of a run.
#[derive(Default)]
struct Witness {
    records: Vec<Record>,
    /// Whether records are to tell how different individuals are.
    diversity: bool,
    /// The state after so many generations, if it is wanted.
    wanted: Option<u32>,
    state: Option<Arc<RunState>>,
}

impl Observer for Witness {
    fn wants_diversity(&self) -> bool {
        self.diversity
    }

    fn progress(&mut self, progress: &Progress<'_>) -> ControlFlow<()> {
        self.records.extend(progress.records);
        ControlFlow::Continue(())
    }

    fn checkpoint_every(&self) -> Option<Duration> {
        self.wanted.map(|_| Duration::ZERO)
    }

    fn checkpoint(&mut self, state: &Arc<RunState>) -> ControlFlow<()> {
        if Some(state.generation()) == self.wanted {
            self.state = Some(state.clone());
        }
        ControlFlow::Continue(())
    }
}

/// A place for each member of a team.
fn native(team: &Team) -> Backend {
    Backend::shared(vec![Backend::Cpu { threads: 1 }], team.clone()).unwrap()
}

/// What each member of a team of threads makes of something.
fn each_of<R: Send>(size: usize, work: impl Fn(Team) -> R + Sync) -> Vec<R> {
    std::thread::scope(|scope| {
        let members: Vec<_> = { team::threads(size).into_iter() }
            .map(|team| scope.spawn(|| work(team)))
            .collect();
        let joined = members.into_iter().map(|member| member.join());
        joined
            .map(|member| member.expect("no member panics"))
            .collect()
    })
}

#[test]
fn processes_that_share_make_the_frozen_populations() {
    for (at, row) in frozen().iter().enumerate() {
        let size = 2 + at % 3;
        for outcome in each_of(size, |team| row.run_on(native(&team), &mut ())) {
            let found = Row::found(&outcome);
            assert_eq!(found, row.found, "{} by {size} processes", row.line());
            let name = format!("{size} processes, each 1 thread");
            assert_eq!(outcome.engine.adapter, name);
        }
    }
}

/// One row of each algorithm, on a problem of this name or any.
fn samples(problem: &str) -> Vec<Row> {
    let mut samples = BTreeMap::new();
    for row in frozen() {
        let algorithm = row.contender.split(':').next().unwrap().to_owned();
        let before = samples.get(&algorithm);
        if before.is_none_or(|before: &Row| before.problem != problem && row.problem == problem) {
            samples.insert(algorithm, row);
        }
    }
    assert_eq!(samples.len(), algo::ALL.len());
    samples.into_values().collect()
}

#[test]
fn there_may_be_more_processes_than_individuals() {
    for row in samples("sd2") {
        for outcome in each_of(64, |team| row.run_on(native(&team), &mut ())) {
            assert_eq!(Row::found(&outcome), row.found, "{}", row.line());
        }
    }
}

#[test]
fn all_processes_are_told_the_records_of_one() {
    for row in samples("16x16-40") {
        let witness = |backend| {
            let mut witness = Witness {
                diversity: true,
                ..Witness::default()
            };
            row.run_on(backend, &mut witness);
            witness.records
        };
        let expected = witness(Backend::Cpu { threads: 1 });
        assert!(expected.len() > 1, "{}", row.line());
        for records in each_of(3, |team| witness(native(&team))) {
            assert_eq!(records, expected, "{}", row.line());
        }
    }
}

#[test]
fn a_run_goes_on_with_another_number_of_processes() {
    for row in samples("25x25-45") {
        let halfway = Row {
            generations: row.generations / 2,
            ..row.clone()
        };
        let states = each_of(3, |team| {
            let mut witness = Witness {
                wanted: Some(halfway.generations),
                ..Witness::default()
            };
            halfway.run_on(native(&team), &mut witness);
            witness.state.expect("the run was there")
        });
        for size in [1, 2, 4] {
            let from = || Some((*states[0]).clone());
            for outcome in each_of(size, |team| row.carry_out(native(&team), from(), &mut ())) {
                let found = Row::found(&outcome);
                assert_eq!(found, row.found, "{} by {size} processes", row.line());
            }
        }
    }
}

/// Bytes that two processes tell each other in a generation, of populations of two sizes.
#[test]
fn no_more_is_told_than_the_next_generation_needs() {
    const RECORD: u64 = 52;
    // What is decided between two batches: an end, a view, a pause and a checkpoint.
    const DECISIONS: u64 = 4 + 4 + 12;
    let told = |contender: &str, pop: usize, generations: u32| {
        let row = Row {
            contender: contender.to_owned(),
            problem: "25x25-45".to_owned(),
            pop,
            seed: 1,
            generations,
            found: String::new(),
        };
        let told = each_of(2, |team| {
            row.run_on(native(&team), &mut ());
            [team.told(), team.told_for_moves()]
        });
        // Together: shares are as large as processes are fast.
        [0, 1].map(|kind| told.iter().map(|told| told[kind]).sum::<u64>())
    };
    // Without the beginning and the end of a run. What tells everybody for the sake of other shares spares the next
    // generation that: in one of 16, of one of the two runs, hence the tenths below.
    let each = |contender: &str, pop| {
        let [few, more] = [8, 24].map(|generations| told(contender, pop, generations));
        let [told, moves] = [0, 1].map(|kind| more[kind] as f64 - few[kind] as f64);
        (told / 16.0, (told + moves.max(0.0)) / 16.0)
    };
    let words = 625u64.div_ceil(4);
    for (contender, words_of_all) in [
        // Everybody: fitness and cells.
        ("lsga:elite=3", 1 + words),
        ("ga", 1 + words),
        // Nobody.
        ("min-conflicts:restart=500", 0),
        ("tabu:moves=3:propagate=none", 0),
    ] {
        for pop in [64, 256] {
            let expected = (2 * RECORD + 4 * words_of_all * pop as u64) as f64;
            let (found, with_moves) = each(contender, pop);
            // The best of the run is told when it is another one; shares are looked at now and then.
            let room = DECISIONS + 8 * words + 32;
            assert!(
                found <= 1.15 * expected + room as f64 && with_moves >= expected * 0.85,
                "{contender}, {pop} individuals: {found} bytes, expected {expected} and at most {room} more"
            );
        }
    }
    // Counts of digits, and how many have which fitness: whatever the population, of which so many more have another.
    let counts = 2 * 4 * 625 * 25;
    for pop in [64, 256] {
        let most = counts + 2 * RECORD + DECISIONS + 16 * words + 32 + 8 * pop as u64;
        let (found, _) = each("nb-coin", pop);
        assert!(
            found <= 1.15 * most as f64,
            "{pop} individuals: {found} bytes, at most {most}"
        );
        assert!(
            found >= counts as f64 / 2.0,
            "{pop} individuals: {found} bytes"
        );
    }
    // One emigrant an epoch, however many islands there are.
    let [few, many] = [64, 256].map(|pop| each("gpu-ga:island=16:epoch=1", pop).0);
    let most = (2 * (RECORD + 4 * (1 + words)) + DECISIONS + 8 * words + 32) as f64;
    assert!(
        few <= most && many <= most,
        "{few} and {many} bytes, at most {most}"
    );
}

/// The adapter in use, unless GPU tests are not wanted.
fn adapter() -> Option<String> {
    if std::env::var_os("GPUSUDOKU_SKIP_GPU_TESTS").is_some_and(|value| value == "1") {
        eprintln!("SKIPPED: GPUSUDOKU_SKIP_GPU_TESTS=1 is set");
        return None;
    }
    let found = pollster::block_on(adapter::find(&AdapterChoice::Best));
    let name = found
        .expect("an adapter, or GPUSUDOKU_SKIP_GPU_TESTS=1")
        .name;
    eprintln!("on {name}");
    Some(name)
}

fn device() -> Backend {
    Backend::Gpu {
        adapter: AdapterChoice::Best,
        mapping: None,
    }
}

#[test]
fn devices_that_share_make_the_frozen_populations() {
    let Some(name) = adapter() else {
        return;
    };
    for (at, row) in samples("sd2").into_iter().enumerate() {
        let native = Backend::Cpu { threads: 1 };
        let (places, named) = match at % 3 {
            0 => (vec![device(), device()], format!("{name} + {name}")),
            1 => (vec![native, device()], format!("1 thread + {name}")),
            _ => (
                vec![device(), device(), device()],
                format!("{name} + {name} + {name}"),
            ),
        };
        let backend = Backend::shared(places, Team::alone()).unwrap();
        let outcome = row.run_on(backend, &mut ());
        assert_eq!(Row::found(&outcome), row.found, "{}", row.line());
        assert_eq!(outcome.engine.adapter, named);
    }
}
