//! Friedman's test of several treatments over several blocks, and which of them differ.
//!
//! Pure functions of numbers, as [`super::statistics`]; here treatments are contenders and blocks are
//! problems. The procedure is that of Demsar, "Statistical Comparisons of Classifiers over Multiple Data
//! Sets", JMLR 7, 2006.

use std::collections::HashMap;
use std::f64::consts::{PI, SQRT_2};

use super::statistics::holm;

/// The fewest treatments; of two, the pair itself says more.
const TREATMENTS: usize = 3;

/// The fewest blocks.
const BLOCKS: usize = 2;

/// What ranks within blocks say of treatments.
#[derive(Debug, Clone, PartialEq)]
pub struct Friedman {
    /// The average rank of each treatment; 1 is the least number of a block, ties share their ranks.
    pub ranks: Vec<f64>,
    /// The statistic, corrected for ties.
    pub chi_square: f64,
    /// Its degrees of freedom.
    pub degrees: usize,
    /// Probability of ranks at least as different if all treatments were alike.
    pub p: f64,
    /// Every two treatments, in their order.
    pub pairs: Vec<PostHoc>,
}

/// Whether two treatments differ, given all others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PostHoc {
    /// Which treatment.
    pub first: usize,
    /// And which other one.
    pub second: usize,
    /// Of Nemenyi's test (1963).
    pub p_nemenyi: f64,
    /// Of the normal test of two average ranks, after Holm's correction over all pairs.
    pub p_holm: f64,
}

/// Friedman's test (JASA 32, 1937) with its post-hoc tests. Each block has a number for every treatment,
/// and infinite numbers are ties. Nothing if there are fewer than three treatments or two blocks.
///
/// ```
/// use gpusudoku::lab::friedman::friedman;
///
/// let test = friedman(&[vec![1.0, 2.0, 3.0], vec![4.0, 7.0, 9.0]]).unwrap();
/// assert_eq!(test.ranks, [1.0, 2.0, 3.0]);
/// assert_eq!(test.chi_square, 4.0);
/// ```
pub fn friedman(blocks: &[Vec<f64>]) -> Option<Friedman> {
    let treatments = blocks.first()?.len();
    if treatments < TREATMENTS || blocks.len() < BLOCKS {
        return None;
    }
    let (n, k) = (blocks.len() as f64, treatments as f64);
    let mut sums = vec![0.0; treatments];
    let mut ties = 0.0;
    for block in blocks {
        ties += add_ranks(block, &mut sums);
    }
    let squares: f64 = sums.iter().map(|sum| sum * sum).sum();
    let uncorrected = 12.0 / (n * k * (k + 1.0)) * squares - 3.0 * n * (k + 1.0);
    let correction = 1.0 - ties / (n * k * (k * k - 1.0));
    // Everything is equal: there is no difference.
    let chi_square = match correction > 0.0 {
        true => (uncorrected / correction).max(0.0),
        false => 0.0,
    };
    let ranks: Vec<f64> = sums.iter().map(|sum| sum / n).collect();
    let degrees = treatments - 1;
    Some(Friedman {
        chi_square,
        degrees,
        p: chi_square_above(chi_square, degrees),
        pairs: post_hoc(&sums, n),
        ranks,
    })
}

/// Adds the ranks of a block to those of others, and returns t^3 - t over all its ties.
fn add_ranks(block: &[f64], sums: &mut [f64]) -> f64 {
    let mut order: Vec<usize> = (0..block.len()).collect();
    order.sort_by(|&a, &b| block[a].total_cmp(&block[b]));
    let (mut before, mut ties) = (0.0, 0.0);
    for equal in order.chunk_by(|&a, &b| block[a] == block[b]) {
        let many = equal.len() as f64;
        for &treatment in equal {
            sums[treatment] += before + (many + 1.0) / 2.0;
        }
        ties += many * many * many - many;
        before += many;
    }
    ties
}

fn post_hoc(sums: &[f64], blocks: f64) -> Vec<PostHoc> {
    let k = sums.len() as f64;
    let error = (k * (k + 1.0) / 6.0 * blocks).sqrt();
    // Sums of ranks are halves of whole numbers, so that many pairs have the same distance.
    let mut known = HashMap::new();
    let mut pairs = Vec::new();
    for first in 0..sums.len() {
        for second in first + 1..sums.len() {
            let distance = (sums[first] - sums[second]).abs();
            let z = distance / error;
            let nemenyi = known.entry((2.0 * distance) as u64);
            pairs.push(PostHoc {
                first,
                second,
                p_nemenyi: *nemenyi.or_insert_with(|| range_above(z * SQRT_2, sums.len())),
                p_holm: libm::erfc(z / SQRT_2),
            });
        }
    }
    let corrected = holm(&pairs.iter().map(|pair| pair.p_holm).collect::<Vec<_>>());
    for (pair, p) in pairs.iter_mut().zip(corrected) {
        pair.p_holm = p;
    }
    pairs
}

/// Probability that a chi-square of so many degrees of freedom is above `x`: a finite sum, as they are whole
/// (Abramowitz & Stegun 26.4.4 and 26.4.5).
fn chi_square_above(x: f64, degrees: usize) -> f64 {
    let half = x / 2.0;
    if half == 0.0 {
        return 1.0;
    }
    let odd = degrees % 2 == 1;
    let shift = if odd { 0.5 } else { 0.0 };
    // By logarithms, as powers and factorials are larger than any number.
    let term = |i: usize| {
        let power = i as f64 + shift;
        (power * half.ln() - half - libm::lgamma(power + 1.0)).exp()
    };
    let sum: f64 = (0..degrees / 2).map(term).sum();
    let tail = if odd { libm::erfc(half.sqrt()) } else { 0.0 };
    (tail + sum).min(1.0)
}

/// Probability that the range of so many standard normal numbers is above `q`: the studentized range with
/// infinitely many degrees of freedom. The integral is over the largest of them.
fn range_above(q: f64, many: usize) -> f64 {
    /// Trapezoids are exact to rounding for functions that end as bells do.
    const STEP: f64 = 1.0 / 16.0;
    /// Beyond this a normal number is less likely than rounding.
    const FAR: f64 = 9.0;
    if q == 0.0 {
        return 1.0;
    }
    let below = |z: f64| 0.5 * libm::erfc(-z / SQRT_2);
    let others = (many - 1) as f64;
    let density = |largest: f64| {
        let bell = (-0.5 * largest * largest).exp() / (2.0 * PI).sqrt();
        let all_below = below(largest);
        // The share of the others that is further away than q, if they are below the largest.
        let further = (below(largest - q) / all_below).min(1.0);
        let any_further = -(others * (-further).ln_1p()).exp_m1();
        bell * all_below.powf(others) * any_further
    };
    let steps = ((2.0 * FAR + q / 2.0) / STEP) as usize;
    let sum: f64 = (0..=steps).map(|at| density(at as f64 * STEP - FAR)).sum();
    (many as f64 * STEP * sum).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn near(found: f64, expected: f64, error: f64) {
        assert!(
            (found - expected).abs() <= error * expected.abs(),
            "{found} is not {expected}"
        );
    }

    /// What SciPy says of the same blocks: the test, and for each pair Nemenyi's and Holm's p.
    fn assert_as_scipy(blocks: &[Vec<f64>], chi_square: f64, p: f64, pairs: &[(f64, f64)]) {
        let test = friedman(blocks).unwrap();
        near(test.chi_square, chi_square, 1e-12);
        near(test.p, p, 1e-12);
        assert_eq!(test.degrees, blocks[0].len() - 1);
        assert_eq!(test.pairs.len(), pairs.len());
        for (pair, (nemenyi, holm)) in test.pairs.iter().zip(pairs) {
            near(pair.p_nemenyi, *nemenyi, 1e-8);
            near(pair.p_holm, *holm, 1e-9);
        }
    }

    /// The accuracies of Demsar's Table 6 with another sign, as less is better here. Values of SciPy 1.17.1:
    /// `friedmanchisquare(*columns)`; with d the difference of two average ranks over sqrt(k (k + 1) / 6 N),
    /// `studentized_range.sf(d * sqrt(2), k, inf)` and `2 * norm.sf(d)`, the latter times 6, 5, ... 1 in
    /// ascending order and never less than before.
    #[test]
    fn the_example_of_the_literature_is_as_scipy_has_it() {
        let accuracies = [
            [0.763, 0.768, 0.771, 0.798],
            [0.599, 0.591, 0.590, 0.569],
            [0.954, 0.971, 0.968, 0.967],
            [0.628, 0.661, 0.654, 0.657],
            [0.882, 0.888, 0.886, 0.898],
            [0.936, 0.931, 0.916, 0.931],
            [0.661, 0.668, 0.609, 0.685],
            [0.583, 0.583, 0.563, 0.625],
            [0.775, 0.838, 0.866, 0.875],
            [1.0, 1.0, 1.0, 1.0],
            [0.940, 0.962, 0.965, 0.962],
            [0.619, 0.666, 0.614, 0.669],
            [0.972, 0.981, 0.9751, 0.975],
            [0.957, 0.978, 0.946, 0.970],
        ];
        let blocks: Vec<Vec<f64>> = accuracies.map(|row| row.map(|it| -it).to_vec()).to_vec();
        assert_as_scipy(
            &blocks,
            10.228346456692925,
            0.016721580328441323,
            &[
                (0.08867270928888271, 0.09586242377611554),
                (0.9561771752218107, 1.0),
                (0.0741847950687442, 0.09431988126014756),
                (0.2592280701547286, 0.22815949699622212),
                (0.999859449385133, 1.0),
                (0.22669688602641525, 0.22815949699622212),
            ],
        );
        let ranks = friedman(&blocks).unwrap().ranks;
        for (found, expected) in ranks.into_iter().zip([44.0, 28.0, 40.5, 27.5]) {
            near(found, expected / 14.0, 1e-15);
        }
    }

    /// The same calls, with 1e18 in the place of infinity.
    #[test]
    fn what_never_ends_shares_the_last_rank() {
        let never = f64::INFINITY;
        let blocks = [
            vec![3.0, never, never],
            vec![10.0, 12.0, never],
            vec![5.0, 5.0, 7.0],
            vec![100.0, 90.0, never],
            vec![8.0, 9.0, 30.0],
        ];
        assert_as_scipy(
            &blocks,
            7.444444444444447,
            0.02418017437647035,
            &[
                (0.7088375079758973, 0.42919530044034926),
                (0.030662749794239996, 0.03423610915800497),
                (0.19061177159540377, 0.163980642000766),
            ],
        );
        let all_equal = friedman(&[vec![never; 3], vec![7.0; 3]]).unwrap();
        assert_eq!((all_equal.chi_square, all_equal.p), (0.0, 1.0));
        assert!(all_equal.pairs.iter().all(|it| it.p_nemenyi == 1.0));
        assert_eq!(all_equal.ranks, [2.0; 3]);
    }

    #[test]
    fn too_little_is_not_tested() {
        assert!(friedman(&[]).is_none());
        assert!(friedman(&[vec![1.0, 2.0, 3.0]]).is_none());
        assert!(friedman(&[vec![1.0, 2.0], vec![1.0, 2.0]]).is_none());
    }

    /// Values of SciPy 1.17.1: `chi2.sf(x, degrees)`.
    #[test]
    fn chi_squares_are_as_scipy_has_them() {
        for (x, degrees, expected) in [
            (0.0, 1, 1.0),
            (0.5, 1, 0.47950012218695337),
            (3.0, 2, 0.22313016014842982),
            (7.5, 3, 0.0575584519726364),
            (20.0, 4, 0.0004993992273873336),
            (9.2, 7, 0.23861410151285972),
            (100.0, 99, 0.4529585113209314),
            (1100.0, 1023, 0.04686632821748806),
            (1500.0, 1023, 1.0286363881601594e-20),
        ] {
            near(chi_square_above(x, degrees), expected, 1e-11);
        }
        assert_eq!(chi_square_above(1e6, 3), 0.0);
    }

    /// Values of SciPy 1.17.1: `studentized_range.sf(q, k, inf)`, which is an integral there as well.
    #[test]
    fn ranges_are_as_scipy_has_them() {
        for (q, many, expected) in [
            (0.0, 3, 1.0),
            (1.0, 3, 0.7592873587706612),
            (3.5, 3, 0.03555704186316044),
            (3.5, 10, 0.28201643828913625),
            (5.0, 40, 0.15343414956657964),
            (0.2, 100, 1.0),
        ] {
            near(range_above(q, many), expected, 1e-8);
        }
        near(range_above(8.0, 4), 9.235490139314351e-8, 1e-4);
    }
}
