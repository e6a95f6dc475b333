//! The permutation kernels equal the model of permutations, bit for bit: in any order, over restarts, and
//! as the hybrids use them.

use gpusudoku::algo::{self, Feedback, Settings, Task};
use gpusudoku::observation::Observed;
use gpusudoku::operators::{
    Accept, Cut, GravitationalSearch, More, Mutations, ParticleSwarm, Recombine, Start, Variation,
};
use gpusudoku::plan::{Encoding, Objective, Plan, Weights};
use gpusudoku::rng::Rate;
use proptest::prelude::*;

use crate::common::*;
use crate::reference::permutations::*;
use crate::reference::swarm_and_gravity::Memory;
use crate::support::permutation_runs::*;
use crate::support::search_space::*;
use crate::support::strategies::*;
use crate::support::*;

/// Runs the plans on both; `forget` says after which steps the model is made to forget. Whether
/// they agreed all the time.
fn agree(case: &Sequence, forget: impl Fn(usize) -> bool) -> Result<(), String> {
    let mut engine = case.space.engine(case.pop, case.seed, case.threads);
    let mut record = begin(&mut engine, &case.start);
    let mut model = PermutationModel::new(&case.space, &case.start, case.pop, case.seed);
    let mut expected = model.survey();
    let steps = case.plans.iter().enumerate();
    let steps = steps.flat_map(|(at, (plan, generations))| {
        (1..=*generations).map(move |turn| (at, turn == *generations, plan))
    });
    let compare = |record, expected, model: &PermutationModel, engine: &mut _, what: &str| {
        let population = population(engine);
        let generation = model.generation;
        for (at, individual) in individuals(&population).iter().enumerate() {
            if individual != &model.individuals[at] {
                let model = &model.individuals[at];
                return Err(format!(
                    "generation {generation} ({what}), individual {at}: {individual:?}, model {model:?}"
                ));
            }
        }
        if population.fitness() != model.fitness || record != expected {
            return Err(format!(
                "generation {generation} ({what}): {record:?}, {expected:?}"
            ));
        }
        Ok(())
    };
    compare(record, expected, &model, &mut engine, "start")?;
    for (at, ends, plan) in steps {
        let records = pollster::block_on(engine.advance(plan, 1)).unwrap();
        if record.solved() {
            assert!(records.is_empty(), "a solved run goes on");
            break;
        }
        record = records[0];
        expected = model.step(plan);
        if ends && forget(at) {
            model.memories = vec![Memory::new(case.space.genes.len()); case.pop];
        }
        compare(
            record,
            expected,
            &model,
            &mut engine,
            &format!("{:?}", plan.vary),
        )?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(config(900))]

    /// One kernel or several in turn, on boards, tori and grids.
    #[test]
    fn any_sequence_equals_the_slow_model(case in sequences(4)) {
        prop_assert_eq!(agree(&case, |_| false), Ok(()));
    }
}

const SWARM: ParticleSwarm = ParticleSwarm {
    inertia: Rate::from_threshold(1 << 30),
    own: Rate::ALWAYS,
    swarm: Rate::ALWAYS,
};

const GENETIC: Recombine = Recombine {
    offspring: 5,
    tournament: 3,
    crossover: Rate::ALWAYS,
    cut: Cut::Gaussian,
    mutations: Mutations {
        always: 1,
        per: 2,
        more: More::Each,
        most: u32::MAX,
    },
    tries: 0,
    accept: Accept::Always,
};

fn sequence(space: &SearchSpace, varies: &[Variation], seed: u64) -> Sequence {
    Sequence {
        space: space.clone(),
        start: Start::Fresh,
        plans: varies
            .iter()
            .map(|vary| (Plan::from(vary.clone()), 2))
            .collect(),
        pop: 9,
        seed,
        threads: 1,
    }
}

/// A swarm remembers over whatever comes in between, and nothing but a new population makes it
/// forget.
#[test]
fn memories_outlive_the_genetic_algorithm_and_end_with_the_population() {
    let swarm = Variation::ParticleSwarm(SWARM);
    let search_spaces = [
        queens_space(board(20), None),
        queens_space(torus(17), None),
        grid_space(&puzzle(sudoku(3, 3), 0.2, 5), Encoding::Blocks, None),
        grid_space(&puzzle(latin(7), 0.1, 5), Encoding::Rows, None),
    ];
    let mut told = 0;
    for (seed, space) in (0..).zip(&search_spaces) {
        let between =
            |vary: Variation| sequence(space, &[swarm.clone(), vary, swarm.clone()], seed);
        let genetic = between(Variation::Recombine(GENETIC));
        assert_eq!(agree(&genetic, |_| false), Ok(()));
        // A model that forgets tells the difference.
        told += u32::from(agree(&genetic, |step| step == 1).is_err());
        let renewed = between(Variation::Renew(Start::Fresh));
        assert_eq!(agree(&renewed, |_| false), Ok(()));
    }
    assert_eq!(told, 4, "forgetting makes no difference");
}

/// Masses, forces and distances to the last bit: with these seeds a coin falls so close to the edge
/// that a mass rounded down would turn it.
#[test]
fn gravity_is_exact() {
    let space = queens_space(board(40), None);
    let gravitate = GravitationalSearch {
        begin: 0,
        schedule: [Rate::ALWAYS.threshold(), 12].into(),
        inertia: Rate::ALWAYS,
    };
    for seed in [191, 224, 266, 339, 582, 946, 1147, 1237, 1310, 1818] {
        let case = Sequence {
            pop: 12,
            ..sequence(
                &space,
                &[Variation::GravitationalSearch(gravitate.clone())],
                seed,
            )
        };
        assert_eq!(agree(&case, |_| false), Ok(()));
    }
}

/// What comes after a new population is what came after another one of the same generation: no
/// trace of the old is left, neither in the population nor in what it remembers.
#[test]
fn a_new_population_knows_nothing_of_the_old_one() {
    for space in [
        queens_space(board(12), None),
        queens_space(torus(14), None),
        grid_space(&puzzle(sudoku(2, 3), 0.1, 6), Encoding::Rows, None),
    ] {
        let queens = matches!(space.representation.encoding, Encoding::Placement);
        for start in [Start::Fresh, Start::Greedy(3)] {
            if start != Start::Fresh && !queens {
                continue;
            }
            let lives = [
                Variation::ParticleSwarm(SWARM),
                Variation::Recombine(GENETIC),
                Variation::Renew(Start::Fresh),
            ];
            let after = lives.map(|life| {
                let mut engine = space.engine(7, 77, 1);
                begin(&mut engine, &Start::Fresh);
                let before = advance(&mut engine, &Plan::from(life), 3, 3);
                assert!(before.len() == 3 && !before[2].solved(), "solved too soon");
                let old = population(&mut engine);
                let renew = Plan::from(Variation::Renew(start.clone()));
                let renewed = (advance(&mut engine, &renew, 1, 1), population(&mut engine));
                let swarm = Plan::from(Variation::ParticleSwarm(SWARM));
                let later = (advance(&mut engine, &swarm, 2, 2), population(&mut engine));
                (old, renewed, later)
            });
            let [one, two, three] = after;
            assert!(one.0 != two.0 && two.0 != three.0, "the same life");
            assert!(one.1 == two.1 && two.1 == three.1, "{start:?}: not new");
            assert!(one.2 == two.2 && two.2 == three.2, "{start:?}: remembered");
            space.check(&one.1.1).unwrap();
        }
    }
}

/// The hybrids as published, with their courses, on queens and grids.
#[test]
fn the_hybrids_equal_the_slow_model() {
    let search_spaces = [
        queens_space(board(16), None),
        queens_space(torus(13), None),
        queens_space(torus(12), None),
        grid_space(&puzzle(sudoku(3, 3), 0.3, 8), Encoding::Blocks, None),
        grid_space(&puzzle(latin(7), 0.2, 8), Encoding::Blocks, None),
    ];
    for name in ["hpsoga", "cga", "hgsaga", "hgasa", "min-conflicts"] {
        for space in &search_spaces {
            let algorithm = Settings::new(algo::find(name).unwrap()).build();
            assert_eq!(
                algorithm.representation(&space.instance),
                Some(space.representation)
            );
            let mut state = algorithm.begin(&Task {
                instance: &space.instance,
                pop: 10,
                seed: 3,
            });
            let mut engine = space.engine(10, 3, 1);
            let mut record = begin(&mut engine, &state.start());
            let mut model = PermutationModel::new(space, &state.start(), 10, 3);
            assert_eq!(record, model.survey(), "{name}");
            while record.generation < 14 && !record.solved() {
                state.observe(&Feedback {
                    records: &[record],
                    observed: &Observed::Records,
                });
                let plan = state.stage().plan;
                record = pollster::block_on(engine.advance(&plan, 1)).unwrap()[0];
                assert_eq!(record, model.step(&plan), "{name}");
            }
            assert_eq!(
                individuals(&population(&mut engine)),
                model.individuals,
                "{name}"
            );
        }
    }
}

proptest! {
    #![proptest_config(config(400))]

    /// What a fitness stands for, and back: the highest fitness of so many conflicts is it.
    #[test]
    fn conflicts_and_fitness_are_inverse(
        genes in 1usize..3000,
        conflicts in 0u32..3000,
        fitness in prop_oneof![0..=Weights::WHOLE, Weights::WHOLE - 9..=Weights::WHOLE],
    ) {
        let weights = Weights { support: 200, confidence: 800 };
        for objective in [Objective::Attacks, Objective::MissingDigits] {
            prop_assert_eq!(objective.conflicts(fitness, genes), fitness);
            prop_assert_eq!(objective.fitness_of(conflicts, genes), conflicts);
        }
        let objective = Objective::SupportConfidence(weights);
        let estimate = objective.conflicts(fitness, genes);
        prop_assert_eq!(estimate == 0, fitness == 0);
        prop_assert!(estimate <= genes as u32);
        prop_assert!(estimate >= objective.conflicts(fitness.saturating_sub(1), genes));
        let most = objective.fitness_of(conflicts, genes);
        prop_assert!(objective.conflicts(most, genes) <= conflicts);
        prop_assert!(
            conflicts as usize >= genes || objective.conflicts(most + 1, genes) > conflicts
        );
    }
}
