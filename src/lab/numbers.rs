//! Numbers as people read them, in tables and on axes.

/// A number with three digits that matter, or as many as it has before the point.
///
/// ```
/// use gpusudoku::lab::numbers::number;
///
/// assert_eq!(number(1234.5), "1234");
/// assert_eq!(number(0.0123), "0.012");
/// assert_eq!(number(f64::INFINITY), "never");
/// ```
pub fn number(value: f64) -> String {
    match value.abs() {
        _ if value.is_infinite() => "never".to_owned(),
        0.0 => "0".to_owned(),
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 1.0 => format!("{value:.2}"),
        size if size >= 0.001 => format!("{value:.3}"),
        _ => format!("{value:.1e}"),
    }
}

/// A probability.
pub fn probability(p: f64) -> String {
    match p {
        p if p >= 0.001 => format!("{p:.3}"),
        p => format!("{p:.0e}"),
    }
}

/// A time as people say it: a unit that suits it, or two from a minute on.
///
/// ```
/// use gpusudoku::lab::numbers::readable_seconds;
///
/// assert_eq!(readable_seconds(0.000_7), "0.7 ms");
/// assert_eq!(readable_seconds(3.21), "3.2 s");
/// assert_eq!(readable_seconds(80.0), "1 min 20 s");
/// assert_eq!(readable_seconds(f64::INFINITY), "never");
/// ```
pub fn readable_seconds(seconds: f64) -> String {
    const MINUTE: u64 = 60;
    const HOUR: u64 = 60 * MINUTE;
    const DAY: u64 = 24 * HOUR;
    // The bounds are where a figure would be rounded up to the next unit.
    match seconds {
        _ if seconds.is_infinite() => "never".to_owned(),
        0.0 => "0 s".to_owned(),
        _ if seconds < 0.000_095 => format!("{:.0} µs", seconds * 1e6),
        _ if seconds < 0.009_95 => format!("{:.1} ms", seconds * 1e3),
        _ if seconds < 0.999_5 => format!("{:.0} ms", seconds * 1e3),
        _ if seconds < 59.95 => format!("{seconds:.1} s"),
        _ => {
            let whole = seconds.round() as u64;
            let (large, unit, small, part) = match whole {
                ..HOUR => (MINUTE, "min", 1, "s"),
                HOUR..DAY => (HOUR, "h", MINUTE, "min"),
                _ => (DAY, "d", HOUR, "h"),
            };
            let (many, rest) = (whole / large, whole % large / small);
            match rest {
                0 => format!("{many} {unit}"),
                rest => format!("{many} {unit} {rest} {part}"),
            }
        }
    }
}

/// A number beside an axis: thousands as k, M and G, no more digits than it needs.
///
/// ```
/// use gpusudoku::lab::numbers::brief;
///
/// assert_eq!(brief(20_000.0), "20k");
/// assert_eq!(brief(0.05), "0.05");
/// assert_eq!(brief(1e-6), "1e-6");
/// ```
pub fn brief(value: f64) -> String {
    let units = [(1e9, "G"), (1e6, "M"), (1e3, "k")];
    let unit = units.into_iter().find(|&(unit, _)| value.abs() >= unit);
    match unit {
        Some((unit, name)) => format!("{}{name}", plain(value / unit)),
        None if value != 0.0 && value.abs() < 0.000_999 => format!("{value:.0e}"),
        None => plain(value),
    }
}

/// Without the noise of binary fractions.
fn plain(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_the_unit_that_suits_them() {
        for (seconds, text) in [
            (0.0, "0 s"),
            (0.000_000_4, "0 µs"),
            (0.000_042, "42 µs"),
            (0.000_095, "0.1 ms"),
            (0.003_24, "3.2 ms"),
            (0.009_96, "10 ms"),
            (0.123_4, "123 ms"),
            (0.999_4, "999 ms"),
            (0.999_6, "1.0 s"),
            (59.94, "59.9 s"),
            (59.96, "1 min"),
            (61.4, "1 min 1 s"),
            (3599.4, "59 min 59 s"),
            (3599.6, "1 h"),
            (7_500.0, "2 h 5 min"),
            (86_400.0, "1 d"),
            (1e9, "11574 d 1 h"),
        ] {
            assert_eq!(readable_seconds(seconds), text, "{seconds}");
        }
    }
}
