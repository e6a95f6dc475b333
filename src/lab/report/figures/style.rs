//! How contenders are told apart: by colour, dash and marker together, so that no cue stands alone.

/// A colour with its opacity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Colour {
    /// Red, green and blue.
    pub rgb: (u8, u8, u8),
    /// From 0 to 1.
    pub opacity: f64,
}

impl Colour {
    const fn new(red: u8, green: u8, blue: u8) -> Self {
        Self {
            rgb: (red, green, blue),
            opacity: 1.0,
        }
    }

    /// The same colour, fainter.
    pub fn faint(self, opacity: f64) -> Self {
        Self { opacity, ..self }
    }
}

/// Axes and text. No other colour is the same, so that a page can put its own in its place.
pub const INK: Colour = Colour::new(0x1B, 0x1D, 0x1F);

/// Behind the figures of files.
pub const PAPER: Colour = Colour::new(0xFF, 0xFF, 0xFF);

/// The palette of Okabe & Ito, which survives colour blindness; its black is the ink. Yellow, the faintest
/// on white, is last.
const COLOURS: [Colour; 8] = [
    Colour::new(0x00, 0x72, 0xB2),
    Colour::new(0xD5, 0x5E, 0x00),
    Colour::new(0x00, 0x9E, 0x73),
    Colour::new(0xCC, 0x79, 0xA7),
    Colour::new(0xE6, 0x9F, 0x00),
    Colour::new(0x56, 0xB4, 0xE9),
    INK,
    Colour::new(0xF0, 0xE4, 0x42),
];

/// Lengths of strokes and gaps in turn; nothing is a solid line.
const DASHES: [&[f64]; 5] = [
    &[],
    &[9.0, 4.0],
    &[3.0, 3.0],
    &[10.0, 3.0, 2.0, 3.0],
    &[16.0, 4.0],
];

/// The shape of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marker {
    /// A disc.
    Circle,
    /// A square on its side.
    Square,
    /// A triangle that points up.
    Triangle,
    /// A square on its corner.
    Diamond,
    /// Two diagonal strokes.
    Cross,
    /// A ring.
    Ring,
}

const MARKERS: [Marker; 6] = [
    Marker::Circle,
    Marker::Square,
    Marker::Triangle,
    Marker::Diamond,
    Marker::Cross,
    Marker::Ring,
];

/// Colour, dash and marker.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Style {
    /// Of everything.
    pub colour: Colour,
    /// Of lines.
    pub dash: &'static [f64],
    /// Of points.
    pub marker: Marker,
}

impl Style {
    /// The style of contender number `at`; the first 120 differ.
    pub fn of(at: usize) -> Self {
        Self {
            colour: COLOURS[at % COLOURS.len()],
            dash: DASHES[at % DASHES.len()],
            marker: MARKERS[at % MARKERS.len()],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_120_styles_differ() {
        for second in 0..120 {
            for first in 0..second {
                assert_ne!(Style::of(first), Style::of(second));
            }
        }
    }
}
