//! Axes: from values to places between 0 and 1, and where ticks go.

use crate::lab::numbers::brief;

/// Values that have ticks of their own; of more, round numbers say enough.
const MOST_VALUES: usize = 8;

/// How values are laid out along an axis.
#[derive(Debug, Clone, PartialEq)]
pub enum Scale {
    /// Equal differences have equal lengths.
    Linear {
        /// Where it begins.
        from: f64,
        /// Where it ends.
        to: f64,
    },
    /// Equal ratios have equal lengths.
    Log {
        /// Where it begins.
        from: f64,
        /// Where it ends.
        to: f64,
        /// The value whose place stands for 0, which has none of its own.
        zero: Option<f64>,
        /// Where ticks go; nowhere means at round numbers.
        at: Vec<f64>,
    },
    /// A name for the middle of each of the ranges 0..1, 1..2, ...
    Names(Vec<String>),
}

/// A tick: where, and what is written beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// From 0 to 1.
    pub place: f64,
    /// The number or name.
    pub label: String,
}

impl Scale {
    /// A linear scale from 0 that has room for all values.
    pub fn from_zero(values: impl IntoIterator<Item = f64>) -> Self {
        let most = values.into_iter().fold(0.0, f64::max);
        let most = if most > 0.0 { most } else { 1.0 };
        // What lies at 0 is to be seen beside the axis.
        Self::Linear {
            from: -0.025 * most,
            to: most * 1.04,
        }
    }

    /// A linear scale with room around all values.
    pub fn around(values: impl IntoIterator<Item = f64>) -> Self {
        let (least, most) = ends(values);
        if least > most {
            return Self::from_zero([]);
        }
        let room = ((most - least) * 0.06).max(0.5);
        Self::Linear {
            from: least - room,
            to: most + room,
        }
    }

    /// A logarithmic scale that has room for all values, those of 0 included.
    pub fn log(values: impl IntoIterator<Item = f64>) -> Self {
        let mut zero = false;
        let (least, most) = ends(values.into_iter().filter(|&value| {
            zero |= value <= 0.0;
            value > 0.0
        }));
        let (least, most) = if least > most {
            (1.0, 1.0)
        } else {
            (least, most)
        };
        // A single value has a place, too.
        let room = (most / least)
            .powf(0.03)
            .max(if most > least { 1.0 } else { 2.0 });
        let (from, to) = (least / room, most * room);
        // Far enough below the least value, and a little above the axis.
        let zero = zero.then(|| from / (to / from).powf(0.06).max(2.0));
        Self::Log {
            from: zero.map_or(from, |zero| zero / (to / zero).powf(0.03)),
            to,
            zero,
            at: Vec::new(),
        }
    }

    /// The same with a tick at each of few values.
    pub fn log_at(values: impl IntoIterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        let mut scale = Self::log(values.iter().copied());
        if let Self::Log { at, .. } = &mut scale
            && values.len() <= MOST_VALUES
        {
            *at = values;
        }
        scale
    }

    /// The place of a value, from 0 to 1.
    pub fn place(&self, value: f64) -> f64 {
        match self {
            Self::Linear { from, to } => (value - from) / (to - from),
            Self::Log { from, to, zero, .. } => {
                let value = value.max(zero.unwrap_or(*from));
                (value / from).log10() / (to / from).log10()
            }
            Self::Names(names) => value / names.len() as f64,
        }
    }

    /// About `many` ticks.
    pub fn ticks(&self, many: usize) -> Vec<Tick> {
        let tick = |value: f64| Tick {
            place: self.place(value),
            label: brief(value),
        };
        match self {
            Self::Linear { from, to } => steps(*from, *to, many).map(tick).collect(),
            Self::Log { at, .. } if !at.is_empty() => {
                // Exact: these are numbers that somebody has chosen.
                let exact = |&value: &f64| Tick {
                    place: self.place(value),
                    label: value.to_string(),
                };
                at.iter().map(exact).collect()
            }
            Self::Log { from, to, zero, .. } => {
                let mut ticks: Vec<_> = match to / from {
                    ..2.5 => steps(*from, *to, many).map(tick).collect(),
                    _ => log_ticks(*from, *to, many).map(tick).collect(),
                };
                if let Some(zero) = zero {
                    // No other number may stand where 0 does, nor close by.
                    let place = self.place(*zero);
                    ticks.retain(|tick| tick.place > place + 0.05);
                    let label = "0".to_owned();
                    ticks.insert(0, Tick { place, label });
                }
                ticks
            }
            Self::Names(names) => {
                let named = names.iter().enumerate();
                named
                    .map(|(at, name)| Tick {
                        place: self.place(at as f64 + 0.5),
                        label: name.clone(),
                    })
                    .collect()
            }
        }
    }
}

fn ends(values: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let finite = values.into_iter().filter(|value| value.is_finite());
    finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), it| {
        (least.min(it), most.max(it))
    })
}

/// The next larger of 1, 2, 5 times a power of ten.
fn round_step(step: f64) -> f64 {
    let power = 10f64.powf(step.log10().floor());
    let digit = [1.0, 2.0, 5.0, 10.0];
    let digit = digit
        .into_iter()
        .find(|digit| digit * power >= step * 0.999);
    digit.unwrap_or(10.0) * power
}

/// Multiples of a round step, about so many.
fn steps(from: f64, to: f64, many: usize) -> impl Iterator<Item = f64> {
    let step = round_step((to - from) / many.max(1) as f64);
    let (first, last) = ((from / step).ceil() as i64, (to / step).floor() as i64);
    (first..=last).map(move |at| at as f64 * step)
}

/// Powers of ten, some left out if there are many, 2 and 5 times them if there are few.
fn log_ticks(from: f64, to: f64, many: usize) -> impl Iterator<Item = f64> {
    let (first, last) = (from.log10().floor() as i32, to.log10().ceil() as i32);
    let decades = (to / from).log10();
    let every = (decades / many.max(1) as f64).ceil().max(1.0) as i32;
    let digits: &[f64] = match decades {
        ..1.0 => &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0],
        ..3.0 => &[1.0, 2.0, 5.0],
        _ => &[1.0],
    };
    let powers = (first..=last).filter(move |power| power.rem_euclid(every) == 0);
    powers
        .flat_map(move |power| digits.iter().map(move |digit| digit * 10f64.powi(power)))
        .filter(move |&value| (from..=to).contains(&value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: &Scale) -> Vec<String> {
        scale.ticks(5).into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(labels(&Scale::from_zero([37.0])), ["0", "10", "20", "30"]);
        let log = Scale::log([150.0, 2e6]);
        assert_eq!(labels(&log), ["1k", "10k", "100k", "1M"]);
        assert_eq!(labels(&Scale::log([40.0])), ["20", "30", "40", "50", "70"]);
        assert_eq!(
            labels(&Scale::log([4100.0, 6400.0])),
            ["4.5k", "5k", "5.5k", "6k"]
        );
    }

    #[test]
    fn few_values_have_ticks_of_their_own() {
        let scale = Scale::log_at([4096.0, 150.0, 65_536.0, 150.0]);
        assert_eq!(labels(&scale), ["150", "4096", "65536"]);
        let many = Scale::log_at((1..=100).map(f64::from));
        assert_eq!(labels(&many)[0], "1");
        assert!(labels(&many).len() < 10);
    }

    #[test]
    fn zero_has_the_first_place_of_a_logarithmic_axis() {
        let log = Scale::log([0.0, 4.0, 300.0]);
        assert_eq!(labels(&log)[0], "0");
        assert_eq!(log.ticks(5)[0].place, log.place(0.0));
        assert!(log.place(4.0) > log.place(0.0) + 0.05);
    }

    #[test]
    fn places_are_on_the_axis_whatever_the_values() {
        let samples: [&[f64]; 5] = [&[], &[0.0], &[7.0], &[1e-9, 1e12], &[3.0, 3.0]];
        for values in samples {
            for scale in [
                Scale::log(values.to_vec()),
                Scale::from_zero(values.to_vec()),
                Scale::around(values.to_vec()),
            ] {
                for &value in values {
                    assert!(
                        (0.0..=1.0).contains(&scale.place(value)),
                        "{scale:?} {value}"
                    );
                }
                assert!(scale.ticks(5).len() < 16, "{scale:?}");
                assert!(!scale.ticks(5).is_empty(), "{scale:?}");
            }
        }
    }
}
