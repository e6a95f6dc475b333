//! How work grows with the size of the grids.

use super::{Row, Workload};

/// Sizes that make a line worth drawing.
const FEWEST: usize = 3;

/// The power of N that the time of an individual grows with: the slope of the line through the logarithms
/// of both, by least squares.
#[derive(Debug, Clone, PartialEq)]
pub struct Growth {
    /// The work.
    pub workload: Workload,
    /// Individuals.
    pub pop: usize,
    /// Who was measured, by its place among the contenders.
    pub contender: usize,
    /// The sizes that were.
    pub sizes: Vec<usize>,
    /// The power.
    pub exponent: f64,
    /// How many times as long or as short as the line says the farthest size takes; 1 is a power law.
    pub off: f64,
}

/// The growth of all work that was measured for three sizes or more, of every contender.
pub fn growth(rows: &[Row]) -> Vec<Growth> {
    let mut pops: Vec<_> = rows.iter().map(|row| row.case.pop).collect();
    pops.sort_unstable();
    pops.dedup();
    let contenders = rows.iter().map(|row| row.outcomes.len()).max();
    let mut growths = Vec::new();
    for pop in pops {
        for workload in Workload::ALL {
            for contender in 0..contenders.unwrap_or(0) {
                let same = |row: &&Row| (row.case.pop, row.case.workload) == (pop, workload);
                let measured = rows.iter().filter(same).filter_map(|row| {
                    let timing = row.outcomes.get(contender)?.timing()?;
                    Some((row.case.size, timing.seconds.median))
                });
                let measured: Vec<_> = measured.collect();
                growths.extend(fit(&measured).map(|(exponent, off)| Growth {
                    workload,
                    pop,
                    contender,
                    sizes: measured.iter().map(|&(size, _)| size).collect(),
                    exponent,
                    off,
                }));
            }
        }
    }
    growths
}

/// The slope of the line through the logarithms, and how many times off the farthest point is.
fn fit(points: &[(usize, f64)]) -> Option<(f64, f64)> {
    if points.len() < FEWEST {
        return None;
    }
    let count = points.len() as f64;
    let logs = points
        .iter()
        .map(|&(size, seconds)| ((size as f64).ln(), seconds.ln()));
    let (sum_x, sum_y) = logs
        .clone()
        .fold((0.0, 0.0), |(x, y), at| (x + at.0, y + at.1));
    let (mean_x, mean_y) = (sum_x / count, sum_y / count);
    let (along, square) = logs.clone().fold((0.0, 0.0), |(along, square), (x, y)| {
        let from = x - mean_x;
        (along + from * (y - mean_y), square + from * from)
    });
    let slope = along / square;
    let off = logs.map(|(x, y)| (y - mean_y - slope * (x - mean_x)).abs());
    let off = off.fold(0.0, f64::max).exp();
    // All sizes are one, or a clock stood still.
    (slope.is_finite() && off.is_finite()).then_some((slope, off))
}

#[cfg(test)]
mod tests {
    use super::super::{BenchCase, Outcome, Spread, Timing};
    use super::*;

    const SIZES: [usize; 5] = [9, 16, 25, 36, 49];

    fn row(size: usize, workload: Workload, seconds: &[Option<f64>]) -> Row {
        let outcome = |seconds: &Option<f64>| match seconds {
            None => Outcome::Skipped("too long".to_owned()),
            Some(seconds) => Outcome::Timed(Timing {
                seconds: Spread::of(&[*seconds]),
                repetitions: 1,
                generations: 1,
                moves: None,
                memcpy: None,
            }),
        };
        let case = BenchCase {
            workload,
            size,
            pop: 100,
        };
        Row::new(case, seconds.iter().map(outcome).collect())
    }

    #[test]
    fn a_power_law_is_found_to_be_one() {
        for exponent in [-1.0, 0.0, 0.5, 2.0, 3.25] {
            let law = |size: usize| (size, 3e-7 * (size as f64).powf(exponent));
            let (found, off) = fit(&SIZES.map(law)).unwrap();
            assert!((found - exponent).abs() < 1e-12, "{found} for {exponent}");
            assert!((off - 1.0).abs() < 1e-12, "{off}");
        }
    }

    /// Who is off at both ends alike tilts nothing.
    #[test]
    fn what_is_off_the_line_is_told() {
        let points = [(10, 8.0), (20, 1.0), (40, 8.0)];
        let (exponent, off) = fit(&points).unwrap();
        assert!(exponent.abs() < 1e-12, "{exponent}");
        assert!((off - 4.0).abs() < 1e-12, "{off}");
    }

    #[test]
    fn two_sizes_or_one_make_no_line() {
        assert_eq!(fit(&[]), None);
        assert_eq!(fit(&[(9, 1.0), (16, 2.0)]), None);
        assert_eq!(fit(&[(9, 1.0), (9, 2.0), (9, 3.0)]), None);
        assert_eq!(fit(&[(9, 0.0), (16, 2.0), (25, 3.0)]), None);
    }

    #[test]
    fn every_contender_has_its_own_line_over_what_it_was_measured_with() {
        let rows: Vec<_> = SIZES
            .iter()
            .flat_map(|&size| {
                let n = size as f64;
                let slow = (size < 36).then_some(n.powi(3));
                [
                    row(size, Workload::Evaluate, &[Some(n.powi(2)), slow]),
                    row(size, Workload::Tabu, &[Some(n), None]),
                ]
            })
            .collect();
        let found = growth(&rows);
        let told: Vec<_> = found
            .iter()
            .map(|it| (it.workload, it.pop, it.contender, it.sizes.len()))
            .collect();
        let expected = [
            (Workload::Evaluate, 100, 0, 5),
            (Workload::Evaluate, 100, 1, 3),
            (Workload::Tabu, 100, 0, 5),
        ];
        assert_eq!(told, expected);
        for (it, exponent) in found.iter().zip([2.0, 3.0, 1.0]) {
            assert!((it.exponent - exponent).abs() < 1e-12, "{it:?}");
        }
    }
}
