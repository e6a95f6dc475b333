//! What can be said of samples: intervals and tests for success rates and for times to a solution.
//!
//! Pure functions of numbers; whoever calls them knows what the numbers mean.

use rand::RngExt;

use crate::rng::Stream;

/// The quantile of the standard normal distribution that leaves 2.5 % above it.
const Z95: f64 = 1.959_963_984_540_054;

/// Resamples of a bootstrap.
const RESAMPLES: usize = 2000;

/// An interval that holds the true value in 95 % of the cases.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

/// Wilson's score interval of a success rate (Wilson, JASA 22, 1927).
///
/// ```
/// use gpusudoku::lab::statistics::wilson;
///
/// let interval = wilson(100, 100);
/// assert!((interval.low - 0.963).abs() < 0.001);
/// assert_eq!(interval.high, 1.0);
/// ```
pub fn wilson(successes: usize, trials: usize) -> Interval {
    if trials == 0 {
        return Interval {
            low: 0.0,
            high: 1.0,
        };
    }
    let n = trials as f64;
    let p = successes as f64 / n;
    let z2 = Z95 * Z95;
    let centre = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = Z95 / (1.0 + z2 / n) * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
    // At the ends the interval reaches the end exactly; arithmetic may miss it.
    Interval {
        low: if successes == 0 { 0.0 } else { centre - half },
        high: if successes == trials {
            1.0
        } else {
            centre + half
        },
    }
}

/// The mean, of at least one number.
pub fn mean(sample: &[f64]) -> f64 {
    sample.iter().sum::<f64>() / sample.len() as f64
}

/// The standard deviation of what a sample was drawn from (n - 1); nothing of fewer than two numbers.
pub fn standard_deviation(sample: &[f64]) -> Option<f64> {
    let mean = mean(sample);
    let squares: f64 = sample.iter().map(|it| (it - mean) * (it - mean)).sum();
    (sample.len() > 1).then(|| (squares / (sample.len() - 1) as f64).sqrt())
}

/// A quantile, interpolated linearly between order statistics (type 7 of Hyndman & Fan, the default of
/// R and NumPy). The sample is sorted and not empty.
pub fn quantile(sorted: &[f64], q: f64) -> f64 {
    let at = q * (sorted.len() - 1) as f64;
    let (below, above) = (at.floor() as usize, at.ceil() as usize);
    if below == above || sorted[below] == sorted[above] {
        return sorted[below];
    }
    sorted[below] + (at - at.floor()) * (sorted[above] - sorted[below])
}

/// The sample in ascending order.
pub fn sorted(sample: &[f64]) -> Vec<f64> {
    let mut sorted = sample.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// A percentile bootstrap interval of a statistic of indices into a sample (Efron & Tibshirani, 1993).
/// The seed is fixed: equal samples have equal intervals.
fn bootstrap(size: usize, statistic: impl Fn(&[usize]) -> f64) -> Interval {
    let mut rng = Stream::new(0, 0);
    let mut drawn = vec![0; size];
    let resample = |_| {
        drawn.fill_with(|| rng.random_range(0..size));
        statistic(&drawn)
    };
    let mut found: Vec<f64> = (0..RESAMPLES).map(resample).collect();
    found.sort_by(f64::total_cmp);
    Interval {
        low: quantile(&found, 0.025),
        high: quantile(&found, 0.975),
    }
}

/// A bootstrap interval of the mean, of at least one number.
pub fn mean_interval(sample: &[f64]) -> Interval {
    bootstrap(sample.len(), |drawn| {
        drawn.iter().map(|&at| sample[at]).sum::<f64>() / drawn.len() as f64
    })
}

/// A run for its expected running time: what it spent, and whether it was solved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spent {
    /// Evaluations, generations or seconds.
    pub cost: f64,
    /// Whether it got there.
    pub solved: bool,
}

/// The expected running time: all that was spent over the number of solutions (Price 1997; Auger &
/// Hansen 2005). Without a solution it is infinite.
pub fn ert(runs: &[Spent]) -> f64 {
    expected(runs.iter())
}

/// A bootstrap interval of the expected running time. Its upper end is infinite where resamples
/// without a solution are too frequent.
pub fn ert_interval(runs: &[Spent]) -> Interval {
    if runs.is_empty() {
        return Interval {
            low: f64::INFINITY,
            high: f64::INFINITY,
        };
    }
    bootstrap(runs.len(), |drawn| {
        expected(drawn.iter().map(|&at| &runs[at]))
    })
}

fn expected<'a>(runs: impl Iterator<Item = &'a Spent>) -> f64 {
    let (cost, solved) = runs.fold((0.0, 0), |(cost, solved), run| {
        (cost + run.cost, solved + usize::from(run.solved))
    });
    match solved {
        0 => f64::INFINITY,
        solved => cost / solved as f64,
    }
}

/// What two samples have to do with each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MannWhitney {
    /// U of the first sample: pairs in which its number is the larger, ties counted half.
    pub u: f64,
    /// Probability of a U at least as far from its mean if both came from one distribution.
    pub p: f64,
    /// Vargha & Delaney's A12 (2000): how likely the first sample's number is the larger, ties
    /// counted half.
    pub a12: f64,
}

/// If a sample is no larger than this and no two numbers are equal, the exact distribution is used.
const EXACT: usize = 8;

/// But not for more pairs than this: it takes time, and the approximation is good then.
const EXACT_PAIRS: usize = 4096;

/// Mann & Whitney's test of two samples, two-sided; as SciPy's `mannwhitneyu`, exact for small samples
/// without ties, otherwise the normal approximation with corrections for ties and continuity.
/// Infinite numbers are ties. Nothing if a sample is empty.
pub fn mann_whitney(first: &[f64], second: &[f64]) -> Option<MannWhitney> {
    if first.is_empty() || second.is_empty() {
        return None;
    }
    let (n1, n2) = (first.len() as f64, second.len() as f64);
    let mut all: Vec<(f64, bool)> = first.iter().map(|&it| (it, true)).collect();
    all.extend(second.iter().map(|&it| (it, false)));
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut rank_sum, mut ties, mut before) = (0.0, 0.0, 0.0);
    for equal in all.chunk_by(|a, b| a.0 == b.0) {
        let many = equal.len() as f64;
        let rank = before + (many + 1.0) / 2.0;
        rank_sum += rank * equal.iter().filter(|it| it.1).count() as f64;
        ties += many * many * many - many;
        before += many;
    }
    let u = rank_sum - n1 * (n1 + 1.0) / 2.0;
    let further = u.max(n1 * n2 - u);
    let small = first.len().min(second.len()) <= EXACT && first.len() * second.len() <= EXACT_PAIRS;
    let p = match small && ties == 0.0 {
        true => exact(first.len(), second.len(), further as usize),
        false => {
            let n = n1 + n2;
            let variance = n1 * n2 / 12.0 * ((n + 1.0) - ties / (n * (n - 1.0)));
            let z = (further - n1 * n2 / 2.0 - 0.5) / variance.sqrt();
            // Everything is equal: there is no difference.
            if variance == 0.0 {
                1.0
            } else {
                libm::erfc(z / std::f64::consts::SQRT_2)
            }
        }
    };
    Some(MannWhitney {
        u,
        p: p.min(1.0),
        a12: u / (n1 * n2),
    })
}

/// Twice the probability of a U of at least `u`, by the recurrence of Mann & Whitney (1947): the number of
/// orders in which the largest is of the first sample, or of the second.
fn exact(n1: usize, n2: usize, u: usize) -> f64 {
    let most = n1 * n2;
    // counts[j][v]: orders of i of the first and j of the second with U = v, for growing i.
    let mut counts = vec![vec![0.0; most + 1]; n2 + 1];
    for row in &mut counts {
        row[0] = 1.0;
    }
    for _ in 1..=n1 {
        let mut next = vec![vec![0.0; most + 1]; n2 + 1];
        next[0][0] = 1.0;
        for j in 1..=n2 {
            for v in 0..=most {
                let first_largest = if v >= j { counts[j][v - j] } else { 0.0 };
                next[j][v] = first_largest + next[j - 1][v];
            }
        }
        counts = next;
    }
    let all: f64 = counts[n2].iter().sum();
    2.0 * counts[n2][u.min(most)..].iter().sum::<f64>() / all
}

/// Holm's step-down correction of a family of tests (Holm, Scand. J. Statist. 6, 1979).
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    let mut adjusted = vec![0.0; p.len()];
    let mut highest = 0.0f64;
    for (rank, &at) in order.iter().enumerate() {
        highest = highest.max((p.len() - rank) as f64 * p[at]).min(1.0);
        adjusted[at] = highest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: [f64; 20] = [
        12., 15., 15., 18., 21., 22., 22., 22., 25., 31., 40., 44., 58., 60., 77., 90., 103., 118.,
        140., 200.,
    ];
    const B: [f64; 25] = [
        9., 14., 15., 19., 19., 20., 22., 26., 28., 28., 30., 33., 35., 41., 47., 52., 66., 70.,
        71., 88., 95., 99., 120., 150., 155.,
    ];

    fn close(found: f64, expected: f64) {
        assert!(
            (found - expected).abs() <= 1e-12 * expected.abs().max(1.0),
            "{found} is not {expected}"
        );
    }

    /// Values of SciPy 1.17.1: `scipy.stats.mannwhitneyu(first, second, alternative="two-sided")`, with a
    /// large number in the place of infinity.
    #[test]
    fn mann_whitney_is_as_scipy_has_it() {
        let never = f64::INFINITY;
        let with_ties = mann_whitney(&A, &B).unwrap();
        close(with_ties.u, 242.5);
        close(with_ties.p, 0.87290029641338);
        close(with_ties.a12, 242.5 / 500.0);
        let small = mann_whitney(
            &[1.5, 2.25, 3.75, 8.0, 9.5],
            &[2., 4., 5., 6.5, 7., 11., 12.5],
        );
        close(small.unwrap().u, 12.0);
        close(small.unwrap().p, 0.4318181818181819);
        let censored = mann_whitney(
            &[3., 5., 8., never, never, 12.],
            &[4., 9., never, 20., 21., never, 30., 7., 6.],
        );
        close(censored.unwrap().u, 24.0);
        close(censored.unwrap().p, 0.7662419131264208);
        let no_ties = mann_whitney(
            &[1., 2., 3., 4., 5., 6., 7., 8.5, 9.5, 10.5],
            &[1.1, 2.2, 3.3, 11., 12., 13., 14., 15., 16., 17., 18.],
        );
        close(no_ties.unwrap().u, 24.0);
        close(no_ties.unwrap().p, 0.03173399375689655);
        let equal = mann_whitney(&[never; 9], &[never; 12]).unwrap();
        assert_eq!((equal.p, equal.a12), (1.0, 0.5));
        assert!(mann_whitney(&[], &A).is_none());
    }

    #[test]
    fn an_exact_distribution_sums_to_one() {
        for (n1, n2) in [(1, 1), (3, 5), (8, 8), (2, 30)] {
            close(exact(n1, n2, 0), 2.0);
            let orders: f64 = (1..=n1).map(|i| (n2 + i) as f64 / i as f64).product();
            close(exact(n1, n2, n1 * n2), 2.0 / orders);
        }
    }

    /// Values of SciPy 1.17.1: `scipy.stats.binomtest(k, n).proportion_ci(method="wilson")`.
    #[test]
    fn wilson_is_as_scipy_has_it() {
        let expected = [
            (0, 10, 0.0, 0.27753279986288926),
            (10, 10, 0.7224672001371109, 1.0),
            (7, 20, 0.1811918241010821, 0.5671457233147637),
            (96, 100, 0.9016292856411208, 0.9843366960084523),
            (1, 1, 0.20654931437723745, 1.0),
        ];
        for (successes, trials, low, high) in expected {
            let interval = wilson(successes, trials);
            close(interval.low, low);
            close(interval.high, high);
        }
    }

    /// The value of NumPy's `std(A, ddof=1)`.
    #[test]
    fn standard_deviations_are_as_numpy_has_them() {
        close(standard_deviation(&A).unwrap(), 50.71828799202616);
        assert_eq!(standard_deviation(&[7.0, 7.0]), Some(0.0));
        assert_eq!(standard_deviation(&[7.0]), None);
        assert_eq!(standard_deviation(&[]), None);
    }

    /// Values of NumPy's `quantile`, which is SciPy's as well.
    #[test]
    fn quantiles_are_as_numpy_has_them() {
        let expected = [12.0, 13.425, 21.75, 35.5, 80.25, 171.5, 200.0];
        for (q, expected) in [0., 0.025, 0.25, 0.5, 0.75, 0.975, 1.]
            .into_iter()
            .zip(expected)
        {
            close(quantile(&A, q), expected);
        }
        close(quantile(&[1., 2., 10., 50.], 0.9), 38.0);
        assert_eq!(
            quantile(&[1.0, f64::INFINITY, f64::INFINITY], 0.75),
            f64::INFINITY
        );
    }

    /// `scipy.stats.bootstrap` with 20,000 resamples and `method="percentile"` gave 36.45 to 79.8 for the
    /// mean of [`A`], and 217.8 to 1695 for the expected running time; other draws differ a little.
    #[test]
    fn bootstraps_come_near_those_of_scipy() {
        let near = |found: f64, expected: f64| {
            assert!((found / expected - 1.0).abs() < 0.1, "{found} {expected}");
        };
        let interval = mean_interval(&A);
        near(interval.low, 36.45);
        near(interval.high, 79.8);
        assert_eq!(interval, mean_interval(&A));
        let costs = [100., 250., 1000., 1000., 40., 80., 300., 1000., 520., 60.];
        let runs = costs.map(|cost| Spent {
            cost,
            solved: cost < 1000.0,
        });
        close(ert(&runs), 621.4285714285714);
        let interval = ert_interval(&runs);
        near(interval.low, 217.8);
        near(interval.high, 1695.0);
        let never = runs.map(|run| Spent {
            solved: false,
            ..run
        });
        assert_eq!(ert(&never), f64::INFINITY);
        assert_eq!(ert_interval(&never).low, f64::INFINITY);
        assert_eq!(ert_interval(&[]).low, f64::INFINITY);
    }

    /// Values of statsmodels 0.14: `multipletests(p, method="holm")`.
    #[test]
    fn holm_is_as_statsmodels_has_it() {
        let adjusted = holm(&[0.01, 0.04, 0.03, 0.005, 0.5]);
        for (found, expected) in adjusted.into_iter().zip([0.04, 0.09, 0.09, 0.025, 0.5]) {
            close(found, expected);
        }
        assert!(holm(&[]).is_empty());
    }
}
