//! Counts of the digits of the best and of the worst equal a naive count, whoever is equal and whoever is both.

use gpusudoku::observation::DigitBalance;
use gpusudoku::population::{HOLE, Population};
use gpusudoku::rng::Stream;
use proptest::prelude::*;
use rand::RngExt;

use crate::common::*;

/// Any digits, some holes among them, and a fitness below this.
fn any_population(size: usize, pop: usize, worst: u32, seed: u64) -> Population {
    let mut population = Population::zeroed(latin(size), pop);
    let mut rng = Stream::new(seed, 0);
    for individual in 0..pop {
        for cell in population.cells_mut(individual) {
            let digit = rng.random_range(0..=size as u8);
            *cell = if usize::from(digit) < size {
                digit
            } else {
                HOLE
            };
        }
        population.split_mut().2[individual] = rng.random_range(0..worst);
    }
    population
}

proptest! {
    #[test]
    fn counts_equal_a_naive_count(
        size in 2usize..12,
        pop in 1usize..40,
        worst in prop_oneof![Just(1), Just(4), Just(u32::MAX)],
        groups in [0usize..45, 0usize..45],
        seed: u64,
    ) {
        let population = any_population(size, pop, worst, seed);
        let [best, worst] = groups.map(|count| count as u32);
        let balance = DigitBalance::new(&population, best, worst);
        assert_balance(&balance, &population, groups, "a population");
    }
}
