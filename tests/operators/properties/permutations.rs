//! What the permutation kernels leave true, whatever their parameters: permutations, givens and
//! fitness; who stays; who cannot get worse; and where generations end.

use gpusudoku::operators::{Accept, Anneal, MinConflicts, Start, Variation, Who};
use gpusudoku::plan::{Encoding, Plan};
use gpusudoku::population::{Population, Record};
use gpusudoku::problem::Instance;
use proptest::prelude::*;

use crate::common::*;
use crate::reference::permutations::ranking;
use crate::support::permutation_runs::*;
use crate::support::search_space::*;
use crate::support::strategies::*;
use crate::support::*;

/// A population and the next one, whose generation this is; nothing if the first was solved.
fn two_generations(
    space: &SearchSpace,
    vary: Variation,
    pop: usize,
    seed: u64,
    generation: u32,
) -> Option<[Population; 2]> {
    let mut engine = space.engine(pop, seed, 1);
    begin(&mut engine, &Start::Fresh);
    let wander = Plan::from(Variation::Renew(Start::Fresh));
    advance(&mut engine, &wander, generation - 1, generation - 1);
    let old = population(&mut engine);
    let records = advance(&mut engine, &Plan::from(vary), 1, 1);
    let ran = records
        .last()
        .is_some_and(|record| record.generation == generation);
    ran.then(|| [old, population(&mut engine)])
}

proptest! {
    #![proptest_config(config(250))]

    #[test]
    fn genes_stay_permutations_and_fitness_is_counted(case in sequences(3)) {
        let mut engine = case.space.engine(case.pop, case.seed, case.threads);
        begin(&mut engine, &case.start);
        case.space.check(&population(&mut engine))?;
        for (plan, generations) in &case.plans {
            for _ in 0..*generations {
                advance(&mut engine, plan, 1, 1);
                let bred = population(&mut engine);
                case.space.check(&bred)?;
                pollster::block_on(engine.evaluate()).unwrap();
                prop_assert!(population(&mut engine) == bred, "evaluation changed something");
            }
        }
    }

    /// Threads and batches decide nothing.
    #[test]
    fn threads_and_batches_decide_nothing(case in sequences(3), batch in 1u32..4) {
        let run = |threads: usize, batch: u32| {
            let mut engine = case.space.engine(case.pop, case.seed, threads);
            let mut records = vec![begin(&mut engine, &case.start)];
            for (plan, generations) in &case.plans {
                records.extend(advance(&mut engine, plan, *generations, batch));
            }
            (records, population(&mut engine))
        };
        prop_assert!(run(1, 100) == run(3, batch));
    }

    /// The one who leads a swarm stays: the first of the best from the place on that has the number
    /// of the generation. With one place more, another of equals leads.
    #[test]
    fn the_leader_of_a_swarm_stays(
        space in search_spaces(),
        swarm in swarms(),
        pop in 1usize..12,
        seed: u64,
        generation in 1u32..20,
    ) {
        let vary = Variation::ParticleSwarm(swarm);
        if let Some([old, new]) = two_generations(&space, vary, pop, seed, generation) {
            let best = *old.fitness().iter().min().unwrap();
            let from = generation as usize % pop;
            let mut turns = (from..pop).chain(0..from);
            let leader = turns.find(|&at| old.fitness()[at] == best).unwrap();
            prop_assert_eq!(old.words_at(leader), new.words_at(leader));
            prop_assert!(*new.fitness().iter().min().unwrap() <= best);
        }
    }

    #[test]
    fn the_heaviest_agent_stays(
        space in search_spaces(),
        gravitate in gravitates(),
        pop in 1usize..12,
        seed: u64,
        generation in 1u32..20,
    ) {
        let vary = Variation::GravitationalSearch(gravitate);
        if let Some([old, new]) = two_generations(&space, vary, pop, seed, generation) {
            let (best, at) = old.best().unwrap();
            prop_assert_eq!(old.words_at(at), new.words_at(at));
            prop_assert!(new.best().unwrap().0 <= best);
        }
    }

    /// Children take the places of the worst only, and only if they may.
    #[test]
    fn the_best_outlive_recombination(
        space in search_spaces(),
        recombine in recombines(),
        pop in 1usize..12,
        seed: u64,
    ) {
        let vary = Variation::Recombine(recombine);
        if let Some([old, new]) = two_generations(&space, vary, pop, seed, 2) {
            let stay = pop.saturating_sub(recombine.offspring as usize);
            for &at in &ranking(old.fitness())[..stay] {
                prop_assert_eq!(old.words_at(at), new.words_at(at), "{} of the best", at);
            }
            for at in 0..pop {
                let (was, is) = (old.fitness()[at], new.fitness()[at]);
                let moved = old.words_at(at) != new.words_at(at);
                match recombine.accept {
                    Accept::Always => {}
                    Accept::NotWorse => prop_assert!(is <= was),
                    Accept::Better => prop_assert!(is < was || !moved),
                }
            }
        }
    }

    /// A moderated chain never climbs, and nobody else moves.
    #[test]
    fn a_moderated_chain_never_climbs(
        space in search_spaces(),
        anneal in anneals(200),
        pop in 1usize..12,
        seed: u64,
    ) {
        let who = match anneal.who {
            Who::One(who) => Who::One(who % pop as u32),
            Who::Everybody => Who::Everybody,
        };
        let vary = Variation::Anneal(Anneal { who, schedule: [].into(), ..anneal });
        if let Some([old, new]) = two_generations(&space, vary, pop, seed, 2) {
            space.check(&new)?;
            for (at, (was, is)) in individuals(&old).iter().zip(individuals(&new)).enumerate() {
                prop_assert!(space.conflicts(&is) <= space.conflicts(was));
                let annealed = who == Who::Everybody || who == Who::One(at as u32);
                prop_assert!(annealed || *was == is, "{at} moved");
            }
        }
    }

    /// Resolving never climbs either, and without sideways swaps every move is for the better.
    #[test]
    fn resolving_never_climbs(
        space in search_spaces(),
        resolve in resolves(),
        pop in 1usize..12,
        seed: u64,
    ) {
        let vary = Variation::MinConflicts(resolve);
        if let Some([old, new]) = two_generations(&space, vary, pop, seed, 2) {
            space.check(&new)?;
            for (was, is) in individuals(&old).iter().zip(individuals(&new)) {
                let [then, now] = [was, &is].map(|individual| space.conflicts(individual));
                prop_assert!(now <= then);
                prop_assert!(resolve.sideways || now < then || *was == is);
            }
        }
    }

    /// Generations end with the first whose best is as good as wanted, whatever the batches, and
    /// are otherwise those that would run without an end.
    #[test]
    fn generations_end_as_soon_as_the_best_is_good_enough(
        space in search_spaces(),
        vary in kernels(),
        pop in 1usize..12,
        seed: u64,
        wanted in 0usize..12,
    ) {
        let vary = match (vary, &space.instance) {
            (Variation::Renew(_), Instance::Sudoku(_)) => Variation::Renew(Start::Fresh),
            (vary, _) => vary,
        };
        const LAST: u32 = 12;
        let free = Plan::from(vary);
        let mut engine = space.engine(pop, seed, 1);
        begin(&mut engine, &Start::Fresh);
        let all = advance(&mut engine, &free, LAST, 1);
        // As good as some generation's best will be, if it comes to that.
        let Some(until) = all.get(wanted).map(|record| record.best) else { return Ok(()) };
        let first = all.iter().position(|record| record.best <= until).unwrap();
        let plan = Plan { target_fitness: until, ..free };
        for batch in [1, 3, 100] {
            let mut engine = space.engine(pop, seed, 1);
            begin(&mut engine, &Start::Fresh);
            let mut records: Vec<Record> = Vec::new();
            while records.last().is_none_or(|record| record.best > until) {
                let news = pollster::block_on(engine.advance(&plan, batch)).unwrap();
                prop_assert!(!news.is_empty() && news.len() <= batch as usize);
                records.extend(news);
            }
            prop_assert_eq!(&records, &all[..=first].to_vec(), "batches of {}", batch);
        }
    }
}

/// Who has nothing to search for is left alone: on a torus without solutions search ends at the
/// fewest attacks, not at none.
#[test]
fn search_ends_at_the_fewest_attacks() {
    for queens in [torus(6), torus(8), torus(9), torus(10), board(10)] {
        let space = queens_space(queens, None);
        let goal = queens.fewest_attacks();
        for vary in [
            Variation::MinConflicts(MinConflicts {
                tries: 20,
                sideways: true,
            }),
            Variation::Anneal(Anneal {
                who: Who::Everybody,
                proposals: 40,
                begin: 0,
                schedule: [].into(),
                hold: 1,
            }),
        ] {
            // The first seed whose generation 0 leaves something to do.
            let started = |seed| {
                let mut engine = space.engine(12, seed, 1);
                let record = begin(&mut engine, &Start::Fresh);
                (!record.solved()).then_some(engine)
            };
            let mut engine = (0..100).find_map(started).unwrap();
            let records = advance(&mut engine, &Plan::from(vary), 400, 400);
            let last = records.last().unwrap();
            assert!(last.solved(), "{queens} was not solved");
            assert_eq!((last.best, last.goal), (goal, goal), "{queens}");
            space.check(&population(&mut engine)).unwrap();
        }
    }
}

/// All placements of four queens are equally likely, and a greedy start is what its rule says: with
/// many tries nearly everybody is safe.
#[test]
fn initial_placements() {
    let space = queens_space(board(4), None);
    let mut engine = queens_engine(&space, 4800);
    pollster::block_on(engine.initialise(&Start::Fresh)).unwrap();
    let mut counts = vec![0; 256];
    for individual in individuals(&population(&mut engine)) {
        counts[individual
            .iter()
            .fold(0, |code, &row| 4 * code + row as usize)] += 1;
    }
    counts.retain(|&count| count > 0);
    assert_eq!(counts.len(), 24);
    assert_uniform(&counts, "placements of four queens");

    let space = queens_space(board(200), None);
    let attacks = |start: Start| {
        let mut engine = queens_engine(&space, 10);
        let record = pollster::block_on(engine.initialise(&start)).unwrap();
        record.mean(10)
    };
    let means = [Start::Fresh, Start::Greedy(2), Start::Greedy(100)].map(attacks);
    assert!(
        means[0] > 80.0 && means[1] < means[0] && means[2] < 30.0,
        "{means:?}"
    );
}

/// An engine that does not measure diversity, which would take long for so many.
fn queens_engine(space: &SearchSpace, pop: usize) -> gpusudoku::engine::Engine {
    use gpusudoku::engine::{Backend, Engine, Setup};
    assert_eq!(space.representation.encoding, Encoding::Placement);
    let setup = Setup {
        instance: &space.instance,
        representation: space.representation,
        pop,
        seed: 21,
        diversity: false,
    };
    pollster::block_on(Engine::new(&Backend::Cpu { threads: 1 }, &setup)).unwrap()
}
