//! When HGASA switches between its genetic algorithm, its chains and a new population.

use gpusudoku::operators::{Anneal, Start, Variation, Who};
use gpusudoku::population::Record;

use super::ground::*;
use super::hybrids::*;

/// What HGASA should do in each generation, from everybody's conflicts in those before.
struct Hgasa {
    switch: u32,
    stagnation: u32,
    patience: f64,
    sweeps: u32,
    at_once: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Deed {
    Initialise,
    Genetic,
    /// Who is annealed, if it is one, and the generation before.
    Anneal(Option<u32>, u32),
    Restart,
}

impl Hgasa {
    fn expected(&self, ground: &Ground, story: &Story) -> Vec<Deed> {
        let pop = story.energies[0].len() as u32;
        let objective = ground.representation.objective;
        let genes = ground.genes.len() as f64;
        let limit = self.patience * genes * (genes - 1.0);
        let mut deeds = vec![Deed::Initialise];
        // The first generation of the population, and of the chain.
        let (mut born, mut chain) = (0, 0);
        let mut chains = 0;
        for (generation, chapter) in story.chapters.iter().enumerate() {
            let energy = |at: usize, who: Option<u32>| -> u64 {
                let energies = &story.energies[at];
                match who {
                    Some(who) => u64::from(energies[who as usize]),
                    None => energies.iter().map(|&e| u64::from(e)).sum(),
                }
            };
            let deed = match *deeds.last().unwrap() {
                Deed::Anneal(who, since) => {
                    // Proposals since the chain was at its lowest for the first time.
                    let lowest = (chain..=generation)
                        .min_by_key(|&at| energy(at, who))
                        .unwrap();
                    let proposals = f64::from(self.sweeps) * genes * (generation - lowest) as f64;
                    // There is a generation at least.
                    if generation == lowest || proposals < limit {
                        Deed::Anneal(who, since)
                    } else {
                        chains += 1;
                        chain = generation;
                        match who {
                            Some(who) if chains < pop => {
                                Deed::Anneal(Some((who + 1) % pop), generation as u32)
                            }
                            _ => Deed::Restart,
                        }
                    }
                }
                before => {
                    if before == Deed::Restart {
                        born = generation;
                    }
                    let records: Vec<Record> = story.chapters[born..=generation]
                        .iter()
                        .map(|chapter| chapter.record)
                        .collect();
                    let record = chapter.record;
                    let best = objective.conflicts(record.best, ground.genes.len());
                    let good = best <= record.goal + self.switch;
                    if good || stands_for(&records) >= self.stagnation {
                        (chain, chains) = (generation, 0);
                        let who = (!self.at_once).then_some(record.best_at);
                        Deed::Anneal(who, generation as u32)
                    } else {
                        Deed::Genetic
                    }
                }
            };
            deeds.push(deed);
        }
        deeds.pop();
        deeds
    }
}

fn deed(chapter: &Chapter) -> Deed {
    match (chapter.operator, &chapter.vary) {
        ("initialise", None) => Deed::Initialise,
        ("genetic", Some(Variation::Recombine(_))) => Deed::Genetic,
        ("restart", Some(Variation::Renew(Start::Fresh))) => Deed::Restart,
        ("anneal", Some(Variation::Anneal(Anneal { who, begin, .. }))) => match who {
            Who::One(who) => Deed::Anneal(Some(*who), *begin),
            Who::Everybody => Deed::Anneal(None, *begin),
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
        for ground in grounds() {
            let story = tell(&ground, &settings("hgasa", &pairs), 4, 120, 1);
            let deeds: Vec<Deed> = story.chapters.iter().map(deed).collect();
            assert_eq!(deeds, rules.expected(&ground, &story), "{pairs:?}");
            for pair in deeds.windows(2) {
                seen[0] += u32::from(matches!(pair, [Deed::Genetic, Deed::Anneal(..)]));
                seen[1] += u32::from(pair[1] == Deed::Restart);
                seen[2] += u32::from(pair == [Deed::Restart, Deed::Genetic]);
                let next = |[one, two]: [Deed; 2]| {
                    matches!(
                        (one, two),
                        (Deed::Anneal(Some(a), _), Deed::Anneal(Some(b), _)) if a != b
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
    let ground = queens_ground(board(12), Some(weights));
    let objective = ground.representation.objective;
    let mut switched = 0;
    for switch in 0..=12 {
        let count = switch.to_string();
        let pairs = [
            ("fitness", "support-confidence"),
            ("switch", count.as_str()),
        ];
        let story = tell(&ground, &settings("hgasa", &pairs), 6, 60, 7);
        let first = story
            .chapters
            .iter()
            .position(|chapter| chapter.operator == "anneal");
        let good = |record: &Record| objective.conflicts(record.best, 12) <= switch;
        let records: Vec<Record> = story.chapters.iter().map(|c| c.record).collect();
        let due =
            (0..records.len()).find(|&at| good(&records[at]) || stands_for(&records[..=at]) >= 10);
        assert_eq!(first, due.map(|at| at + 1), "switch {switch}");
        switched += u32::from(due.is_some_and(|at| good(&records[at])));
    }
    assert!(switched >= 3, "never switched by the estimate");
}
