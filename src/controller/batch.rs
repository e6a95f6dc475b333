//! How many generations an engine is asked for at a time. It changes nothing but the time at which news arrive.

use std::time::Duration;

/// A batch is made to take about this long: often enough for a progress bar, rarely enough for
/// a submission to cost nothing.
const BATCH: Duration = Duration::from_millis(50);

/// Grows or shrinks a batch towards [`BATCH`], at most fourfold at a time.
pub fn next_batch(batch: u32, took: Duration) -> u32 {
    let ideal = f64::from(batch) * BATCH.as_secs_f64() / took.as_secs_f64().max(1e-6);
    (ideal as u32)
        .clamp(1, batch.saturating_mul(4))
        .min(1 << 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_settle_at_the_wanted_time() {
        let mut batch = 1;
        for _ in 0..20 {
            batch = next_batch(batch, Duration::from_micros(100) * batch);
        }
        assert_eq!(batch, 500);
        assert_eq!(next_batch(1, Duration::from_secs(9)), 1);
        assert_eq!(next_batch(4, Duration::ZERO), 16);
    }
}
