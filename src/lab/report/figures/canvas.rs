//! What figures are drawn on: an SVG text or the pixels of a PNG, by the same strokes.
//!
//! The only place that knows plotters. Its coordinates are whole pixels, so everything is drawn twice as
//! large; whoever shows a figure scales it.

use std::sync::Once;

use plotters::backend::{BitMapBackend, DrawingBackend, SVGBackend};
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea as _};
use plotters::element::{Circle, PathElement, Polygon, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{
    Color as _, FontDesc, FontFamily, FontStyle, FontTransform, RGBAColor, ShapeStyle, TextStyle,
    register_font,
};

use super::style::{Colour, Marker, PAPER, Style};

/// Pixels of a unit.
pub const SCALE: f64 = 2.0;

/// plotters has sizes of fonts from top to bottom, everybody else those of an em.
const EM: f64 = 1.24;

/// Where a text is, seen from its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Right of it.
    Start,
    /// Around it.
    Middle,
    /// Left of it.
    End,
}

/// How a text is written.
#[derive(Debug, Clone, Copy)]
pub struct Lettering {
    /// Height of an em.
    pub size: f64,
    /// Where it is, seen from its point; in height it is always around it.
    pub align: Align,
    /// Whether it goes from bottom to top.
    pub upwards: bool,
    /// Whether it is bold.
    pub bold: bool,
    /// Of the letters.
    pub colour: Colour,
}

/// A surface to draw on, in units from its upper left corner.
pub struct Canvas<Backend: DrawingBackend> {
    area: DrawingArea<Backend, Shift>,
    /// How far below its middle a text has to be placed, in ems: each backend has its own middle.
    text_shift: f64,
}

/// Draws an SVG.
pub fn svg(
    (width, height): (f64, f64),
    paper: bool,
    draw: impl FnOnce(&Canvas<SVGBackend<'_>>),
) -> String {
    let mut text = String::new();
    {
        let size = (pixels(width) as u32, pixels(height) as u32);
        let canvas = Canvas::new(SVGBackend::with_string(&mut text, size), paper, 0.0);
        draw(&canvas);
        done(canvas.area.present());
    }
    text
}

/// Draws a PNG, always on paper.
pub fn png(
    (width, height): (f64, f64),
    draw: impl FnOnce(&Canvas<BitMapBackend<'_>>),
) -> Result<Vec<u8>, png::EncodingError> {
    let (width, height) = (pixels(width) as u32, pixels(height) as u32);
    let mut image = vec![0; width as usize * height as usize * 3];
    {
        let backend = BitMapBackend::with_buffer(&mut image, (width, height));
        let canvas = Canvas::new(backend, true, 0.2);
        draw(&canvas);
        done(canvas.area.present());
    }
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header()?.write_image_data(&image)?;
    Ok(file)
}

impl<Backend: DrawingBackend> Canvas<Backend> {
    fn new(backend: Backend, paper: bool, text_shift: f64) -> Self {
        let canvas = Self {
            area: backend.into_drawing_area(),
            text_shift,
        };
        if paper {
            done(canvas.area.fill(&rgba(PAPER)));
        }
        canvas
    }

    /// A line through points.
    pub fn line(&self, points: &[(f64, f64)], colour: Colour, width: f64, dash: &[f64]) {
        let stroke = rgba(colour).stroke_width(pixels(width) as u32);
        for part in dashed(points, dash) {
            let path: Vec<_> = part.into_iter().map(pixel).collect();
            done(self.area.draw(&PathElement::new(path, stroke)));
        }
    }

    /// A filled surface.
    pub fn surface(&self, corners: &[(f64, f64)], colour: Colour) {
        let corners: Vec<_> = corners.iter().copied().map(pixel).collect();
        done(self.area.draw(&Polygon::new(corners, rgba(colour))));
    }

    /// A point of a style.
    pub fn marker(&self, (x, y): (f64, f64), style: Style, radius: f64) {
        let colour = style.colour;
        let corners = |corners: &[(f64, f64)]| {
            let corner = |&(across, down): &(f64, f64)| (x + across * radius, y + down * radius);
            self.surface(&corners.iter().map(corner).collect::<Vec<_>>(), colour);
        };
        let circle = |style: ShapeStyle| {
            let circle = Circle::new(pixel((x, y)), pixels(radius), style);
            done(self.area.draw(&circle));
        };
        match style.marker {
            Marker::Circle => circle(rgba(colour).filled()),
            Marker::Ring => circle(rgba(colour).stroke_width(pixels(1.0) as u32)),
            Marker::Square => {
                let side = 0.9;
                corners(&[(-side, -side), (side, -side), (side, side), (-side, side)]);
            }
            Marker::Triangle => corners(&[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)]),
            Marker::Diamond => corners(&[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)]),
            Marker::Cross => {
                for slope in [-1.0, 1.0] {
                    let from = (x - radius, y - slope * radius);
                    let to = (x + radius, y + slope * radius);
                    self.line(&[from, to], colour, 1.5, &[]);
                }
            }
        }
    }

    /// A text in one line.
    pub fn text(&self, (x, y): (f64, f64), text: &str, how: Lettering) {
        if text.is_empty() {
            return;
        }
        let shift = self.text_shift * how.size;
        let at = match how.upwards {
            true => (x + shift, y),
            false => (x, y + shift),
        };
        let horizontal = match how.align {
            Align::Start => HPos::Left,
            Align::Middle => HPos::Center,
            Align::End => HPos::Right,
        };
        let colour = rgba(how.colour);
        let style = TextStyle::from(font(how.size, how.bold).transform(match how.upwards {
            true => FontTransform::Rotate270,
            false => FontTransform::None,
        }))
        .pos(Pos::new(horizontal, VPos::Center))
        .color(&colour);
        done(self.area.draw(&Text::new(text, pixel(at), style)));
    }
}

/// How wide a text will be.
pub fn text_width(text: &str, size: f64, bold: bool) -> f64 {
    let width = font(size, bold).box_size(text).map(|(width, _)| width);
    f64::from(width.unwrap_or_default()) / SCALE
}

/// The font of the figures. In an SVG only its name counts; a system may have none, so PNG and layout use
/// one that is built in.
fn font(size: f64, bold: bool) -> FontDesc<'static> {
    static REGISTER: Once = Once::new();
    REGISTER.call_once(|| {
        let font = dejavu::sans::regular();
        if register_font("sans-serif", FontStyle::Normal, font).is_err() {
            unreachable!("DejaVu Sans is a font");
        }
    });
    let style = match bold {
        true => FontStyle::Bold,
        false => FontStyle::Normal,
    };
    FontDesc::new(FontFamily::SansSerif, size * SCALE * EM, style)
}

/// Nothing can go wrong in memory.
fn done<Value, Error>(result: Result<Value, Error>) {
    if result.is_err() {
        unreachable!("drawing in memory cannot fail");
    }
}

fn pixels(length: f64) -> i32 {
    (length * SCALE).round() as i32
}

fn pixel((x, y): (f64, f64)) -> (i32, i32) {
    (pixels(x), pixels(y))
}

fn rgba(colour: Colour) -> RGBAColor {
    let (red, green, blue) = colour.rgb;
    RGBAColor(red, green, blue, colour.opacity)
}

/// The strokes of a dashed line.
fn dashed(points: &[(f64, f64)], dash: &[f64]) -> Vec<Vec<(f64, f64)>> {
    let (Some(&first), false) = (points.first(), dash.is_empty()) else {
        return vec![points.to_vec()];
    };
    let mut strokes = Vec::new();
    let mut stroke = vec![first];
    let mut turn = 0;
    let mut left = dash[0];
    for pair in points.windows(2) {
        let (mut from, to) = (pair[0], pair[1]);
        loop {
            let (across, down) = (to.0 - from.0, to.1 - from.1);
            let length = across.hypot(down);
            if length <= left {
                left -= length;
                stroke.push(to);
                break;
            }
            let share = left / length;
            from = (from.0 + across * share, from.1 + down * share);
            stroke.push(from);
            // Every other turn is a gap.
            if turn % 2 == 0 {
                strokes.push(std::mem::take(&mut stroke));
            }
            stroke = vec![from];
            turn = (turn + 1) % (dash.len() / 2 * 2);
            left = dash[turn];
        }
    }
    if turn % 2 == 0 && stroke.len() > 1 {
        strokes.push(stroke);
    }
    strokes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn length(stroke: &[(f64, f64)]) -> f64 {
        let step = |pair: &[(f64, f64)]| (pair[1].0 - pair[0].0).hypot(pair[1].1 - pair[0].1);
        stroke.windows(2).map(step).sum()
    }

    #[test]
    fn dashes_go_around_corners() {
        let points = [(0.0, 0.0), (5.0, 0.0), (5.0, 20.0)];
        let strokes = dashed(&points, &[8.0, 4.0]);
        let lengths: Vec<_> = strokes.iter().map(|stroke| length(stroke)).collect();
        assert_eq!(lengths, [8.0, 8.0, 1.0]);
        assert_eq!(strokes[0], [(0.0, 0.0), (5.0, 0.0), (5.0, 3.0)]);
    }

    #[test]
    fn without_dashes_a_line_stays_whole() {
        let points = [(0.0, 0.0), (5.0, 0.0)];
        assert_eq!(dashed(&points, &[]), [points.to_vec()]);
        assert_eq!(dashed(&points, &[8.0, 4.0]), [points.to_vec()]);
    }
}
