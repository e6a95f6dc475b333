//! Whether a generation is worth waking threads for. What one takes depends on operator, size, population and
//! machine, so both ways are timed; populations are the same either way.

use std::time::Duration;

/// What takes longer is worth it on every machine, and a trial of the other way would be dear.
const LONG: Duration = Duration::from_millis(1);

/// The slower way is tried once more after so many times what it takes: trials are a hundredth of the time.
const TRIAL: u32 = 100;

/// How long generations take by one thread alone, and by all together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pace {
    alone: Option<Duration>,
    together: Option<Duration>,
    since_trial: Duration,
}

impl Pace {
    /// Whether one thread should make the next generation.
    pub fn alone(&self) -> bool {
        let (Some(alone), Some(together)) = (self.alone, self.together) else {
            // First together, then alone, if that is soon over.
            return self.together.is_some_and(|together| together < LONG);
        };
        let faster = alone <= together;
        let slower = alone.max(together);
        match slower > LONG || self.since_trial < TRIAL * slower {
            true => faster,
            false => !faster,
        }
    }

    /// Takes note of what a generation took.
    pub fn note(&mut self, alone: bool, took: Duration) {
        let known = match alone {
            true => &mut self.alone,
            false => &mut self.together,
        };
        // The machine has other things to do now and then: one long generation among many counts little.
        *known = Some(known.map_or(took, |known| (3 * known + took) / 4));
        if let (Some(one), Some(all)) = (self.alone, self.together) {
            let faster = one <= all;
            self.since_trial = match alone == faster {
                true => self.since_trial + took,
                false => Duration::ZERO,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of many generations one thread makes, if these are the times.
    fn alone_of_1000(alone: Duration, together: Duration) -> usize {
        let mut pace = Pace::default();
        let generation = |_: &i32| {
            let one = pace.alone();
            pace.note(one, if one { alone } else { together });
            one
        };
        (0..1000).filter(generation).count()
    }

    #[test]
    fn the_faster_way_is_taken_and_the_other_tried_now_and_then() {
        let micros = Duration::from_micros;
        let short = alone_of_1000(micros(30), micros(50));
        assert!((980..1000).contains(&short), "{short}");
        let worth_it = alone_of_1000(micros(300), micros(170));
        assert!((1..20).contains(&worth_it), "{worth_it}");
        let long = alone_of_1000(Duration::from_secs(2), Duration::from_secs(1));
        assert_eq!(long, 0, "nobody waits for a trial");
    }
}
