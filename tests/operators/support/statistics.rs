//! Whether counts are what chance gives.

/// Whether a count is what so many coins of this probability give.
pub fn assert_share(hits: usize, trials: usize, p: f64, what: &str) {
    let (expected, variance) = (trials as f64 * p, trials as f64 * p * (1.0 - p));
    assert!(
        (hits as f64 - expected).abs() <= 5.0 * variance.sqrt(),
        "{what}: {hits} of {trials}, expected {expected:.1}"
    );
}

/// Whether counts are what equal shares give.
pub fn assert_uniform(counts: &[usize], what: &str) {
    assert_weights(counts, &vec![1; counts.len()], what);
}

/// Whether counts are what these weights give: chi-square, 5 standard deviations.
pub fn assert_weights(counts: &[usize], weights: &[u32], what: &str) {
    let total: usize = counts.iter().sum();
    let sum: u32 = weights.iter().sum();
    let mut chi2 = 0.0;
    let mut freedom = -1.0;
    for (&count, &weight) in counts.iter().zip(weights) {
        if weight == 0 {
            assert_eq!(count, 0, "{what}: weight 0 was drawn");
            continue;
        }
        let expected = total as f64 * f64::from(weight) / f64::from(sum);
        assert!(expected >= 20.0, "{what}: too few for chi-square");
        chi2 += (count as f64 - expected).powi(2) / expected;
        freedom += 1.0;
    }
    assert!(
        chi2 <= freedom + 5.0 * (2.0 * f64::max(freedom, 1.0)).sqrt(),
        "{what}: chi-square {chi2:.1} with {freedom} degrees of freedom, {counts:?}"
    );
}
