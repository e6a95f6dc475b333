//! Parity beyond the table's work: every algorithm on the problems of the self-test, whole generations of all of its
//! stages, in waves of 32 and of 64 lanes.

use gpusudoku::algo::{Feedback, Task};
use gpusudoku::engine::gpu::adapter::AdapterInfo;
use gpusudoku::engine::gpu::capture;
use gpusudoku::engine::{Engine, Setup};
use gpusudoku::error::Error;
use gpusudoku::lab::selftest::{self, Check};
use pollster::block_on;

use crate::compile::Compiler;
use crate::emulate;
use crate::work::{Choice, Expected, NATIVE, Prepared, generation, observation};

/// Lanes of the waves that what `auto` chooses has to be right in.
const WAVES: [u32; 2] = [32, 64];

/// Generations after which an algorithm has come to its last stage.
const GENERATIONS: usize = 12;

/// What is wrong with what waves of either size make of some work; nothing if every bit is right.
pub fn mistake_in_waves(
    compiler: &Compiler,
    prepared: &Prepared,
) -> Result<Option<String>, String> {
    for wave in WAVES {
        let (buffers, _) = emulate::run(compiler, &prepared.capture, Some(wave))?;
        if let Some(mistake) = prepared.mistake(&buffers) {
            return Ok(Some(format!("{mistake}, in waves of {wave}")));
        }
    }
    Ok(None)
}

/// Compares all algorithms, and tells of each; how many were wrong.
pub fn compare_all(compiler: &Compiler, adapter: &AdapterInfo) -> Result<usize, String> {
    println!(
        "\nwhole generations as auto maps them, in waves of {} and {} lanes:",
        WAVES[0], WAVES[1]
    );
    let mut wrong = 0;
    for check in selftest::checks(false) {
        let Some(prepared) = prepared(&check, adapter).map_err(|error| error.to_string())? else {
            continue;
        };
        let mut stages: Vec<&str> = Vec::new();
        let mut mistakes = Vec::new();
        for (stage, prepared) in &prepared {
            if let Some(mistake) = mistake_in_waves(compiler, prepared)? {
                mistakes.push(format!("{stage}: {mistake}"));
            }
            if !stages.contains(stage) {
                stages.push(stage);
            }
        }
        let verdict = match mistakes.is_empty() {
            true => "every bit is right".to_owned(),
            false => format!("WRONG BITS: {}", mistakes.join("; ")),
        };
        wrong += usize::from(!mistakes.is_empty());
        let name = format!("{} {}", check.what, check.problem);
        println!("{name:<28}{:<44}{verdict}", stages.join(", "));
    }
    Ok(wrong)
}

/// The initial population of a run, the first and the last generation of each of its stages, and what is counted for the
/// host after them; nothing if the comparison is none of runs.
fn prepared(
    check: &Check,
    adapter: &AdapterInfo,
) -> Result<Option<Vec<(&'static str, Prepared)>>, Error> {
    let Some((settings, problem, pop)) = check.run() else {
        return Ok(None);
    };
    let algorithm = settings.build();
    let instance = problem.reduce(settings.propagation())?;
    let representation = algorithm.representation(&instance);
    let setup = Setup {
        representation: representation.expect("the self-test has what suits the algorithm"),
        diversity: true,
        ..Setup::rows(&instance, pop, 1)
    };
    let target = Choice::Auto.target(adapter);
    let mut engine = block_on(Engine::new(&NATIVE, &setup))?;
    let mut state = algorithm.begin(&Task {
        instance: &instance,
        pop,
        seed: 1,
    });
    let start = state.start();
    let record = block_on(engine.initialise(&start))?;
    let initial = Prepared {
        capture: capture::initial(&setup, target, &start)?,
        expected: Expected::Snapshot(Box::new(block_on(engine.snapshot())?)),
        units: pop as u64,
        unit: "individual",
    };
    let mut all = vec![("start", initial)];
    let observed = block_on(engine.observe(state.observation()))?;
    state.observe(&Feedback {
        records: &[record],
        observed: &observed,
    });
    let mut last: Option<(&str, Prepared)> = None;
    for _ in 0..GENERATIONS {
        // A run that is solved makes no more generations.
        if block_on(engine.snapshot())?.record.solved() {
            break;
        }
        let stage = state.stage().operator;
        let wanted = state.observation();
        let next = generation(&mut engine, &mut *state, &setup, target)?;
        let population = block_on(engine.population())?.into_owned();
        let counted = observation(wanted, &population, &setup, target).transpose()?;
        let is_known = all.iter().any(|(known, _)| *known == stage);
        let before = last.replace((stage, next));
        // The first of a stage, and with it the last of the one before.
        if !is_known {
            all.extend(before.filter(|(known, _)| known != &stage));
            all.extend(last.take());
            all.extend(counted.map(|counted| ("count", counted)));
        }
    }
    all.extend(last);
    Ok(Some(all))
}
