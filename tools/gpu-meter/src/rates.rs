//! Rates of a Radeon RX 6800 XT, predicted from counts. docs/performance/gpu.md explains the model.

use std::fmt::Write as _;

use crate::table::Row;

/// Units that issue one vector pass and one scalar instruction in each clock: two for each of 72 compute units.
const SIMDS: u64 = 144;

/// Million clocks a second.
const CLOCK: f64 = 2250.0;

/// Million bytes a second from memory.
const MEMORY: f64 = 512_000.0;

/// Waves of 32 lanes that a SIMD has room for, whatever they need; half as many of 64.
const SLOTS: u64 = 32;

/// How much longer than in the nearest cache waits may take.
const WAITS: u64 = 2;

/// The populations that are told of.
const POPULATIONS: [u64; 5] = [256, 1024, 4096, 16_384, 65_536];

/// What a wave takes.
struct Load {
    /// Vector passes, and all else that a SIMD issues.
    passes: u64,
    scalar: u64,
    /// Cycles if it were alone.
    serial: u64,
    /// Waves that a SIMD holds.
    resident: u64,
}

impl Load {
    /// Cycles for so many waves, at best and at worst: whether scalar instructions of one wave hide behind vector
    /// instructions of another, and how long waits are, is not known.
    fn cycles(&self, waves: u64) -> [u64; 2] {
        let each = waves.div_ceil(SIMDS);
        let turns = each.div_ceil(self.resident);
        let best = (each * self.passes.max(self.scalar)).max(turns * self.serial);
        let worst = each * (self.passes + self.scalar);
        [best, worst.max(turns * WAITS * self.serial)]
    }
}

impl Row {
    /// Million units a second that so many individuals make, at worst and at best; nothing if the kernel is one for
    /// the whole population, or if it waits for memory that no cache holds.
    pub fn rates(&self, individuals: u64) -> Option<[f64; 2]> {
        let of_all = [
            "survey",
            "diversity",
            "elite",
            "rank_boundaries",
            "digit_balance",
            "packing",
        ];
        let kernel = self.work.split('/').next().unwrap_or_default();
        if of_all.contains(&kernel) || self.waves == 0 {
            return None;
        }
        let wave = self.compiled[0];
        let per_wave = |sum: usize| self.sums[sum] / self.waves;
        let load = Load {
            passes: per_wave(2),
            scalar: per_wave(5) + per_wave(6) + per_wave(7),
            serial: per_wave(10),
            resident: (self.compiled[6].min(SLOTS) * 32 / wave).max(1),
        };
        let each = if self.work.ends_with("/thread") {
            wave
        } else {
            1
        };
        let waves = individuals.div_ceil(each);
        let units = self.units as f64 / self.waves as f64 * waves as f64;
        let [best, worst] = load.cycles(waves);
        Some([worst, best].map(|cycles| (units * CLOCK / cycles as f64).min(self.most())))
    }

    /// Million individuals a second whose cells memory can deliver once.
    fn most(&self) -> f64 {
        if self.unit != "individual" {
            return f64::INFINITY;
        }
        let problem = self.work.split('/').nth(1).unwrap_or_default();
        let size = problem.split('x').next().and_then(|size| size.parse().ok());
        size.map_or(f64::INFINITY, |size: f64| MEMORY / (size * size))
    }
}

/// The rates of all rows, for people.
pub fn text(rows: &[Row]) -> String {
    let mut text = String::from(
        "predicted for a Radeon RX 6800 XT, million a second, by individuals; * is what auto chooses for some of them\n",
    );
    let _ = write!(text, "{:<40}", "work");
    for pop in POPULATIONS {
        let _ = write!(text, "{pop:>16}");
    }
    text.push('\n');
    for row in rows {
        if row.rates(1).is_none() {
            continue;
        }
        let mark = if row.chosen { "* " } else { "  " };
        let _ = write!(text, "{:<40}", format!("{mark}{}", row.work));
        for pop in POPULATIONS {
            let [worst, best] = row.rates(pop).unwrap_or_default();
            let _ = write!(text, "{:>16}", format!("{worst:.1}-{best:.1}"));
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOAD: Load = Load {
        passes: 1000,
        scalar: 600,
        serial: 5000,
        resident: 4,
    };

    #[test]
    fn few_waves_wait_and_many_are_issued() {
        // One wave on each SIMD has nobody to wait behind.
        assert_eq!(LOAD.cycles(1), [5000, 10_000]);
        assert_eq!(LOAD.cycles(SIMDS), LOAD.cycles(1));
        // Twenty share four places: five turns of waits.
        assert_eq!(LOAD.cycles(20 * SIMDS), [25_000, 50_000]);
        let roomy = Load {
            resident: 16,
            ..LOAD
        };
        assert_eq!(roomy.cycles(16 * SIMDS), [16_000, 25_600]);
    }
}
