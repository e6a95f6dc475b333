//! When HGASA switches between its genetic algorithm, its chains and a new population.

use gpusudoku::operators::{Anneal, Start, Variation, Who};
use gpusudoku::population::Record;

use super::hybrids::*;
use super::{RunTrace, TracedStep, settings};
use crate::support::individuals;
use crate::support::search_space::*;

/// What HGASA should do in each generation, from everybody's conflicts in those before.
struct Hgasa {
    switch: u32,
    stagnation: u32,
    patience: f64,
    sweeps: u32,
    at_once: bool,
}

/// What makes a generation.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Action {
    Initialise,
    Genetic,
    /// Who is annealed, if it is one, and the generation before.
    Anneal(Option<u32>, u32),
    Restart,
}

impl Hgasa {
    fn expected(&self, space: &SearchSpace, trace: &RunTrace) -> Vec<Action> {
        // Everybody's conflicts in every generation: these come one by one.
        let populations = trace.populations.iter().map(individuals);
        let energies: Vec<Vec<u32>> = populations
            .map(|all| all.iter().map(|one| space.conflicts(one)).collect())
            .collect();
        let pop = energies[0].len() as u32;
        let objective = space.representation.objective;
        let genes = space.genes.len() as f64;
        let limit = self.patience * genes * (genes - 1.0);
        let mut actions = vec![Action::Initialise];
        // The first generation of the population, and of the chain.
        let (mut born, mut chain) = (0, 0);
        let mut chains = 0;
        for (generation, step) in trace.steps.iter().enumerate() {
            let energy = |at: usize, who: Option<u32>| -> u64 {
                let energies = &energies[at];
                match who {
                    Some(who) => u64::from(energies[who as usize]),
                    None => energies.iter().map(|&e| u64::from(e)).sum(),
                }
            };
            let action = match *actions.last().unwrap() {
                Action::Anneal(who, since) => {
                    // Proposals since the chain was at its lowest for the first time.
                    let lowest = (chain..=generation)
                        .min_by_key(|&at| energy(at, who))
                        .unwrap();
                    let proposals = f64::from(self.sweeps) * genes * (generation - lowest) as f64;
                    // There is a generation at least.
                    if generation == lowest || proposals < limit {
                        Action::Anneal(who, since)
                    } else {
                        chains += 1;
                        chain = generation;
                        match who {
                            Some(who) if chains < pop => {
                                Action::Anneal(Some((who + 1) % pop), generation as u32)
                            }
                            _ => Action::Restart,
                        }
                    }
                }
                before => {
                    if before == Action::Restart {
                        born = generation;
                    }
                    let records: Vec<Record> = trace.steps[born..=generation]
                        .iter()
                        .map(|step| step.record)
                        .collect();
                    let record = step.record;
                    let best = objective.conflicts(record.best, space.genes.len());
                    let good = best <= record.goal + self.switch;
                    if good || stands_for(&records) >= self.stagnation {
                        (chain, chains) = (generation, 0);
                        let who = (!self.at_once).then_some(record.best_at);
                        Action::Anneal(who, generation as u32)
                    } else {
                        Action::Genetic
                    }
                }
            };
            actions.push(action);
        }
        actions.pop();
        actions
    }
}

fn action(step: &TracedStep) -> Action {
    match (step.operator, &step.vary) {
        ("initialise", None) => Action::Initialise,
        ("genetic", Some(Variation::Recombine(_))) => Action::Genetic,
        ("restart", Some(Variation::Renew(Start::Fresh))) => Action::Restart,
        ("anneal", Some(Variation::Anneal(Anneal { who, begin, .. }))) => match who {
            Who::One(who) => Action::Anneal(Some(*who), *begin),
            Who::Everybody => Action::Anneal(None, *begin),
        },
        other => panic!("what is that? {other:?}"),
    }
}

#[test]
fn hgasa_switches_when_it_should() {
    let mut seen = [0; 4];
    for (switch, stagnation, patience, sweeps, chains, temperature) in [
        (2, 10, 1.0, 1, "in-turn", "0"),
        (0, 4, 0.1, 1, "in-turn", "0"),
        (5, 50, 0.25, 2, "in-turn", "0"),
        (3, 1, 0.0, 1, "in-turn", "0"),
        (1, 6, 0.3, 1, "in-turn", "1.5"),
        (2, 5, 0.5, 1, "at-once", "0"),
        (4, 3, 0.4, 3, "at-once", "0.7"),
    ] {
        let rules = Hgasa {
            switch,
            stagnation,
            patience,
            sweeps,
            at_once: chains == "at-once",
        };
        let pairs = [
            ("switch", switch.to_string()),
            ("stagnation", stagnation.to_string()),
            ("patience", patience.to_string()),
            ("sweeps", sweeps.to_string()),
            ("chains", chains.to_owned()),
            ("temperature", temperature.to_owned()),
        ];
        let pairs = pairs.each_ref().map(|(key, value)| (*key, value.as_str()));
        for space in search_spaces() {
            let trace = trace_run(&space, &settings("hgasa", &pairs), 4, 120, 1);
            let actions: Vec<Action> = trace.steps.iter().map(action).collect();
            assert_eq!(actions, rules.expected(&space, &trace), "{pairs:?}");
            for pair in actions.windows(2) {
                seen[0] += u32::from(matches!(pair, [Action::Genetic, Action::Anneal(..)]));
                seen[1] += u32::from(pair[1] == Action::Restart);
                seen[2] += u32::from(pair == [Action::Restart, Action::Genetic]);
                let next = |[one, two]: [Action; 2]| {
                    matches!(
                        (one, two),
                        (Action::Anneal(Some(a), _), Action::Anneal(Some(b), _)) if a != b
                    )
                };
                seen[3] += u32::from(next([pair[0], pair[1]]));
            }
        }
    }
    assert!(seen.iter().all(|&count| count > 5), "{seen:?}");
}

/// By support and confidence the switch is where the estimate of the conflicts is.
#[test]
fn hgasa_switches_by_the_estimate_of_support_and_confidence() {
    let weights = gpusudoku::plan::Weights {
        support: 200,
        confidence: 800,
    };
    let space = queens_space(board(12), Some(weights));
    let objective = space.representation.objective;
    let mut switched = 0;
    for switch in 0..=12 {
        let count = switch.to_string();
        let pairs = [
            ("fitness", "support-confidence"),
            ("switch", count.as_str()),
        ];
        let trace = trace_run(&space, &settings("hgasa", &pairs), 6, 60, 7);
        let first = trace
            .steps
            .iter()
            .position(|step| step.operator == "anneal");
        let good = |record: &Record| objective.conflicts(record.best, 12) <= switch;
        let records: Vec<Record> = trace.steps.iter().map(|c| c.record).collect();
        let due =
            (0..records.len()).find(|&at| good(&records[at]) || stands_for(&records[..=at]) >= 10);
        assert_eq!(first, due.map(|at| at + 1), "switch {switch}");
        switched += u32::from(due.is_some_and(|at| good(&records[at])));
    }
    assert!(switched >= 3, "never switched by the estimate");
}
