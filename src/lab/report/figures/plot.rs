//! Panels as data, and how they are drawn.

use plotters::backend::DrawingBackend;

use super::axis::Scale;
use super::canvas::{Align, Canvas, Lettering, text_width};
use super::style::{Colour, INK, Style};

/// Width of a panel in units.
pub const WIDTH: f64 = 420.0;
/// Height of a panel in units.
pub const HEIGHT: f64 = 300.0;

const TITLE: f64 = 13.5;
const LABEL: f64 = 12.5;
const TICK: f64 = 11.5;
const NOTE: f64 = 10.5;

/// About how many ticks an axis has.
const TICKS: usize = 6;

/// Characters of a name in a figure; longer ones lose their middle.
const LONGEST_NAME: usize = 36;

/// An axis.
#[derive(Debug, Clone)]
pub struct Axis {
    /// What it shows, with its unit.
    pub label: String,
    /// How.
    pub scale: Scale,
}

impl Axis {
    /// An axis with a label.
    pub fn new(label: impl Into<String>, scale: Scale) -> Self {
        Self {
            label: label.into(),
            scale,
        }
    }
}

/// Something to see, at the values of the axes.
#[derive(Debug, Clone)]
pub enum Mark {
    /// The surface between two lines.
    Band {
        /// Its colour.
        style: Style,
        /// How strong.
        opacity: f64,
        /// The upper line.
        upper: Vec<(f64, f64)>,
        /// The lower line.
        lower: Vec<(f64, f64)>,
    },
    /// A line, with some markers on it.
    Line {
        /// Its colour, dash and marker.
        style: Style,
        /// Where it goes.
        points: Vec<(f64, f64)>,
        /// What is written at its end.
        end: Option<String>,
    },
    /// Points of their own.
    Points {
        /// Their colour and marker.
        style: Style,
        /// How strong.
        opacity: f64,
        /// How large.
        radius: f64,
        /// Where they are.
        points: Vec<(f64, f64)>,
    },
    /// A box from quartile to quartile, a stroke at the median, whiskers.
    Box {
        /// Its colour and marker.
        style: Style,
        /// Its middle.
        x: f64,
        /// Its width.
        width: f64,
        /// Whisker, quartile, median, quartile, whisker.
        five: [f64; 5],
    },
    /// A text above the axes.
    Note {
        /// Its middle.
        x: f64,
        /// The text.
        text: String,
    },
}

/// Marks between two axes.
#[derive(Debug, Clone)]
pub struct Panel {
    /// What is above it.
    pub title: String,
    /// From left to right.
    pub x: Axis,
    /// From bottom to top.
    pub y: Axis,
    /// Those that come first lie below.
    pub marks: Vec<Mark>,
}

/// A name that fits into a figure, without what no font can show.
pub fn shorten(name: &str, longest: usize) -> String {
    let visible = |c: char| if c.is_control() { '\u{FFFD}' } else { c };
    let letters: Vec<char> = name.chars().map(visible).collect();
    if letters.len() <= longest {
        return letters.into_iter().collect();
    }
    // The end of a name often is what tells it from others: a number, or the line of a file.
    let kept = longest.saturating_sub(1);
    let (start, end) = (kept.div_ceil(2), kept / 2);
    let start: String = letters[..start].iter().collect();
    let end: String = letters[letters.len() - end..].iter().collect();
    format!("{start}…{end}")
}

/// A name as titles and legends have it.
pub fn short_name(name: &str) -> String {
    shorten(name, LONGEST_NAME)
}

/// Width of a name under an axis.
pub fn tick_width(name: &str) -> f64 {
    text_width(name, TICK, false)
}

fn lettering(size: f64, align: Align) -> Lettering {
    Lettering {
        size,
        align,
        upwards: false,
        bold: false,
        colour: INK,
    }
}

/// The rectangle between the axes, and the way from values to it.
struct Frame<'a> {
    panel: &'a Panel,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Frame<'_> {
    fn x(&self, value: f64) -> f64 {
        self.left + self.panel.x.scale.place(value) * (self.right - self.left)
    }

    fn y(&self, value: f64) -> f64 {
        self.bottom - self.panel.y.scale.place(value) * (self.bottom - self.top)
    }

    fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (self.x(x), self.y(y))
    }

    fn all(&self, points: &[(f64, f64)]) -> Vec<(f64, f64)> {
        points.iter().map(|&point| self.at(point)).collect()
    }
}

/// Draws a panel with its upper left corner there.
pub fn draw<B: DrawingBackend>(canvas: &Canvas<B>, (x, y): (f64, f64), panel: &Panel) {
    let notes = panel
        .marks
        .iter()
        .any(|mark| matches!(mark, Mark::Note { .. }));
    let ends = panel.marks.iter().filter_map(|mark| match mark {
        Mark::Line { end, .. } => end.as_deref(),
        _ => None,
    });
    let ends = ends.map(|end| text_width(end, NOTE, false) + 8.0);
    let ticks = panel.y.scale.ticks(TICKS);
    let widths = ticks.iter().map(|tick| tick_width(&tick.label));
    let left = x + 30.0 + widths.fold(8.0, f64::max);
    let right = x + WIDTH - ends.fold(14.0, f64::max);
    let frame = Frame {
        panel,
        left,
        right: right.min(room_for_labels(&panel.x.scale, left, x + WIDTH)),
        top: y + if panel.title.is_empty() { 12.0 } else { 30.0 } + if notes { 14.0 } else { 0.0 },
        bottom: y + HEIGHT - 44.0,
    };
    title(canvas, (x + 8.0, y + 13.0), &panel.title);
    axes(canvas, (x, y), &frame);
    let mut labels = Vec::new();
    // Equal results, as those of two engines, have equal lines: dashes come last, so that both are seen.
    let is_dashed =
        |mark: &&Mark| matches!(mark, Mark::Line { style, .. } if !style.dash.is_empty());
    let (dashed, others): (Vec<_>, Vec<_>) = panel.marks.iter().partition(is_dashed);
    for mark in others.into_iter().chain(dashed) {
        draw_mark(canvas, &frame, mark, &mut labels);
    }
    end_labels(canvas, &frame, labels);
}

/// How far to the right an axis may go so that no label of a tick leaves the panel.
fn room_for_labels(scale: &Scale, left: f64, edge: f64) -> f64 {
    // Browsers draw letters a little wider than they are measured here.
    const SPARE: f64 = 2.0;
    let room = scale.ticks(TICKS).into_iter().map(|tick| {
        let half = tick_width(&tick.label) / 2.0;
        // A tick at the axis' very beginning is not moved by its end.
        left + (edge - SPARE - half - left) / tick.place.max(0.1)
    });
    room.fold(edge, f64::min)
}

fn axes<B: DrawingBackend>(canvas: &Canvas<B>, (x, y): (f64, f64), frame: &Frame<'_>) {
    let Frame {
        panel,
        left,
        right,
        top,
        bottom,
    } = *frame;
    let grid = INK.faint(0.13);
    let names = match &panel.x.scale {
        Scale::Names(names) => names.len(),
        _ => 0,
    };
    // Between names, not through what belongs to them.
    for at in 1..names {
        let at = frame.x(at as f64);
        canvas.line(&[(at, top), (at, bottom)], grid, 1.0, &[]);
    }
    for tick in panel.y.scale.ticks(TICKS) {
        let at = bottom - tick.place * (bottom - top);
        canvas.line(&[(left, at), (right, at)], grid, 1.0, &[]);
        canvas.text((left - 6.0, at), &tick.label, lettering(TICK, Align::End));
    }
    let mut free = f64::NEG_INFINITY;
    for tick in panel.x.scale.ticks(TICKS) {
        let at = left + tick.place * (right - left);
        if names == 0 {
            canvas.line(&[(at, top), (at, bottom)], grid, 1.0, &[]);
        }
        // A label that would touch the one before it is left out; its line says enough.
        let half = tick_width(&tick.label) / 2.0;
        if at - half < free {
            continue;
        }
        free = at + half + 6.0;
        canvas.line(&[(at, bottom), (at, bottom + 4.0)], INK, 1.0, &[]);
        let under = (at, bottom + 13.0);
        canvas.text(under, &tick.label, lettering(TICK, Align::Middle));
    }
    canvas.line(
        &[(left, top), (left, bottom), (right, bottom)],
        INK,
        1.0,
        &[],
    );
    let middle = ((left + right) / 2.0, y + HEIGHT - 13.0);
    canvas.text(middle, &panel.x.label, lettering(LABEL, Align::Middle));
    let mut upwards = lettering(LABEL, Align::Middle);
    upwards.upwards = true;
    canvas.text((x + 12.0, (top + bottom) / 2.0), &panel.y.label, upwards);
}

/// Some markers along a line, the more the more room there is between them.
fn markers(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    const APART: f64 = 52.0;
    let mut kept: Vec<(f64, f64)> = Vec::new();
    for &point in points {
        let far = kept
            .last()
            .is_none_or(|last| (point.0 - last.0).hypot(point.1 - last.1) >= APART);
        if far {
            kept.push(point);
        }
    }
    kept
}

fn draw_mark<B: DrawingBackend>(
    canvas: &Canvas<B>,
    frame: &Frame<'_>,
    mark: &Mark,
    labels: &mut Vec<(f64, String)>,
) {
    match mark {
        Mark::Band {
            style,
            opacity,
            upper,
            lower,
        } => {
            let mut corners = frame.all(upper);
            corners.extend(frame.all(lower).into_iter().rev());
            canvas.surface(&corners, style.colour.faint(*opacity));
        }
        Mark::Line { style, points, end } => {
            let line = frame.all(points);
            canvas.line(&line, style.colour, 1.75, style.dash);
            for point in markers(&line) {
                canvas.marker(point, *style, 3.0);
            }
            if let (Some(end), Some(last)) = (end, line.last()) {
                labels.push((last.1, end.clone()));
            }
        }
        Mark::Points {
            style,
            opacity,
            radius,
            points,
        } => {
            let style = Style {
                colour: style.colour.faint(*opacity),
                ..*style
            };
            for &point in points {
                canvas.marker(frame.at(point), style, *radius);
            }
        }
        Mark::Box {
            style,
            x,
            width,
            five,
        } => draw_box(canvas, frame, *style, (*x, *width), *five),
        Mark::Note { x, text } => {
            let above = (frame.x(*x), frame.top - 8.0);
            canvas.text(above, text, lettering(NOTE, Align::Middle));
        }
    }
}

fn draw_box<B: DrawingBackend>(
    canvas: &Canvas<B>,
    frame: &Frame<'_>,
    style: Style,
    (x, width): (f64, f64),
    five: [f64; 5],
) {
    let [low, lower, median, upper, high] = five.map(|value| frame.y(value));
    let (left, middle, right) = (
        frame.x(x - width / 2.0),
        frame.x(x),
        frame.x(x + width / 2.0),
    );
    let line = |points: &[(f64, f64)], width: f64| canvas.line(points, style.colour, width, &[]);
    let corners = [(left, lower), (right, lower), (right, upper), (left, upper)];
    canvas.surface(&corners, Colour::faint(style.colour, 0.25));
    line(
        &[corners[0], corners[1], corners[2], corners[3], corners[0]],
        1.0,
    );
    let inset = (right - left) / 4.0;
    for (quartile, whisker) in [(lower, low), (upper, high)] {
        line(&[(middle, quartile), (middle, whisker)], 1.0);
        line(&[(left + inset, whisker), (right - inset, whisker)], 1.0);
    }
    line(&[(left, median), (right, median)], 2.0);
    // The marker tells whose box it is without its colour.
    canvas.marker((middle, median), style, 3.0);
}

/// Writes what stands at the ends of lines, pushed apart where they would touch.
fn end_labels<B: DrawingBackend>(
    canvas: &Canvas<B>,
    frame: &Frame<'_>,
    mut labels: Vec<(f64, String)>,
) {
    labels.sort_by(|a, b| a.0.total_cmp(&b.0));
    labels.dedup_by(|a, b| a.1 == b.1 && (a.0 - b.0).abs() < NOTE);
    let mut free = frame.top;
    for (y, label) in labels {
        let y = y.max(free);
        free = y + NOTE + 1.0;
        canvas.text(
            (frame.right + 4.0, y),
            &label,
            lettering(NOTE, Align::Start),
        );
    }
}

/// Rows of a legend: each entry with where it begins.
fn rows(entries: &[(String, Style)], width: f64) -> Vec<Vec<(f64, &(String, Style))>> {
    let mut rows = vec![Vec::new()];
    let mut x = 8.0;
    for entry in entries {
        let length = SAMPLE.0 + 6.0 + text_width(&entry.0, LABEL, false) + 16.0;
        let full = x + length > width && x > 8.0;
        if full {
            rows.push(Vec::new());
            x = 8.0;
        }
        rows.last_mut().expect("there is a first").push((x, entry));
        x += length;
    }
    rows
}

const ROW: f64 = 20.0;

/// Width and height of the sample of a style.
pub const SAMPLE: (f64, f64) = (42.0, 12.0);

/// Draws the sample of a style with its upper left corner there.
pub fn sample<B: DrawingBackend>(canvas: &Canvas<B>, (x, y): (f64, f64), style: Style) {
    let (width, height) = SAMPLE;
    let middle = y + height / 2.0;
    canvas.line(
        &[(x + 1.0, middle), (x + width - 1.0, middle)],
        style.colour,
        1.75,
        style.dash,
    );
    canvas.marker((x + width / 2.0, middle), style, 3.5);
}

/// Writes a title whose left end is there.
pub fn title<B: DrawingBackend>(canvas: &Canvas<B>, at: (f64, f64), text: &str) {
    let mut title = lettering(TITLE, Align::Start);
    title.bold = true;
    canvas.text(at, text, title);
}

/// How high a legend of that width is.
pub fn legend_height(entries: &[(String, Style)], width: f64) -> f64 {
    match entries.is_empty() {
        true => 0.0,
        false => rows(entries, width).len() as f64 * ROW + 4.0,
    }
}

/// Draws a legend with its upper left corner there.
pub fn legend<B: DrawingBackend>(
    canvas: &Canvas<B>,
    (x, y): (f64, f64),
    entries: &[(String, Style)],
    width: f64,
) {
    for (row, entries) in rows(entries, width).into_iter().enumerate() {
        let middle = y + (row as f64 + 0.5) * ROW;
        for (at, (name, style)) in entries {
            sample(canvas, (x + at, middle - SAMPLE.1 / 2.0), *style);
            let name_at = (x + at + SAMPLE.0 + 6.0, middle);
            canvas.text(name_at, name, lettering(LABEL, Align::Start));
        }
    }
}

/// Lines of a sentence that is no wider than that.
pub fn wrap(sentence: &str, width: f64) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in sentence.split_whitespace() {
        let line = lines.last_mut().expect("there is a first");
        let longer = format!("{line} {word}");
        match line.is_empty() || text_width(&longer, LABEL, false) <= width {
            true => *line = longer.trim_start().to_owned(),
            false => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Draws lines of text with their upper left corner there.
pub fn paragraph<B: DrawingBackend>(canvas: &Canvas<B>, (x, y): (f64, f64), lines: &[String]) {
    for (at, line) in lines.iter().enumerate() {
        let middle = y + (at as f64 + 0.5) * ROW;
        canvas.text((x, middle), line, lettering(LABEL, Align::Start));
    }
}

/// Height of lines of text.
pub fn paragraph_height(lines: &[String]) -> f64 {
    lines.len() as f64 * ROW
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_keep_their_ends() {
        assert_eq!(shorten("easy-1", 8), "easy-1");
        assert_eq!(shorten("puzzles/many.sdm:12", 9), "puzz…m:12");
        assert_eq!(shorten("a\nb", 8), "a\u{FFFD}b");
    }

    #[test]
    fn labels_at_the_end_of_an_axis_are_not_cut_off() {
        let mut shortened = 0;
        for most in 1..400 {
            let most = f64::from(most) * 1e-5;
            for scale in [
                Scale::log([most / 30.0, most]),
                Scale::log([most / 3.0, most]),
                Scale::from_zero([most]),
            ] {
                let (left, edge) = (60.0, WIDTH);
                let right = (edge - 14.0).min(room_for_labels(&scale, left, edge));
                shortened += u32::from(right < edge - 14.0);
                assert!(right > edge - 40.0, "{scale:?}: {right}");
                for tick in scale.ticks(TICKS) {
                    let end = left + tick.place * (right - left) + tick_width(&tick.label) / 2.0;
                    assert!(end <= edge - 1.0, "{scale:?}: {} ends at {end}", tick.label);
                }
            }
        }
        assert!(shortened > 20, "{shortened} axes had such a label");
    }

    #[test]
    fn no_line_of_a_sentence_is_too_wide() {
        let lines = wrap(
            "No run was solved, so there is nothing to show here.",
            120.0,
        );
        assert!(lines.len() > 1);
        for line in &lines {
            assert!(text_width(line, LABEL, false) <= 120.0, "{line}");
        }
    }
}
