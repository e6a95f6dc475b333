//! Figures as data: what they show, what they say, and how they are drawn.

mod axis;
mod boxes;
mod canvas;
mod convergence;
mod ecdf;
mod givens;
mod plot;
mod style;
mod throughput;

pub use self::axis::{Scale, Tick};
pub use self::plot::{Axis, Mark, Panel};
pub use self::style::{Colour, Marker, Style};
pub use self::throughput::is_software;

use plotters::backend::DrawingBackend;

use self::canvas::Canvas;
use self::plot::{HEIGHT, WIDTH, short_name};
use self::style::INK;
use super::bench::Measurements;
use crate::lab::results::{Line, Results};

/// Panels of a figure that has one for each problem.
const MOST_PANELS: usize = 12;

/// Names that a sentence lists.
const MOST_NAMES: usize = 8;

/// Panels side by side in a file.
const ACROSS: usize = 3;

/// Results, sorted by contender and problem.
pub(super) struct Source<'a> {
    pub(super) results: &'a Results,
    pub(super) bench: Option<&'a Measurements>,
    cells: Vec<Vec<&'a Line>>,
}

impl<'a> Source<'a> {
    pub(super) fn new(results: &'a Results, bench: Option<&'a Measurements>) -> Self {
        let design = &results.header.design;
        let problems = design.problems.len();
        let mut cells = vec![Vec::new(); design.contenders.len() * problems];
        for (case, line) in &results.runs {
            cells[case.contender * problems + case.problem].push(line);
        }
        Self {
            results,
            bench,
            cells,
        }
    }

    /// The runs of a contender on a problem.
    fn runs(&self, contender: usize, problem: usize) -> impl Iterator<Item = &'a Line> {
        let problems = self.results.header.design.problems.len();
        self.cells[contender * problems + problem].iter().copied()
    }
}

/// A figure.
#[derive(Debug, Clone)]
pub struct Figure {
    /// What files and links call it.
    pub id: &'static str,
    /// What it shows, in a few words.
    pub title: &'static str,
    /// How to read it.
    pub caption: String,
    /// What to say if there is no panel.
    pub empty: &'static str,
    /// Who has which style.
    pub legend: Vec<(String, Style)>,
    /// What it shows.
    pub panels: Vec<Panel>,
    /// What is not in it, or not what it seems.
    pub notes: Vec<String>,
}

/// All figures of results.
pub(super) fn all(source: &Source<'_>) -> Vec<Figure> {
    vec![
        convergence::figure(source),
        boxes::figure(source),
        givens::figure(source),
        ecdf::evaluations(source),
        ecdf::seconds(source),
        throughput::figure(source),
    ]
}

impl Figure {
    /// Every panel as SVG for a page, whose text colour it takes.
    pub fn panels_for_page(&self) -> Vec<String> {
        let panel = |panel: &Panel| {
            let svg = canvas::svg((WIDTH, HEIGHT), false, |canvas| {
                plot::draw(canvas, (0.0, 0.0), panel);
            });
            for_page(&svg)
        };
        self.panels.iter().map(panel).collect()
    }

    /// Everybody in the legend with a sample of their style, as SVG for a page.
    pub fn legend_for_page(&self) -> Vec<(&str, String)> {
        let sample = |style: Style| {
            let svg = canvas::svg(plot::SAMPLE, false, |canvas| {
                plot::sample(canvas, (0.0, 0.0), style);
            });
            for_page(&svg)
        };
        let entries = self.legend.iter();
        entries
            .map(|(name, style)| (name.as_str(), sample(*style)))
            .collect()
    }

    /// The whole figure as a text in SVG, on paper.
    pub fn svg(&self) -> String {
        let layout = Layout::new(self);
        canvas::svg(layout.size, true, |canvas| layout.draw(canvas))
    }

    /// The whole figure as a PNG file.
    pub fn png(&self) -> Result<Vec<u8>, png::EncodingError> {
        let layout = Layout::new(self);
        canvas::png(layout.size, |canvas| layout.draw(canvas))
    }
}

/// How a figure fills a file: title, legend, then panels in rows.
struct Layout<'a> {
    figure: &'a Figure,
    size: (f64, f64),
    empty: Vec<String>,
    legend: f64,
}

const TITLE: f64 = 30.0;

impl<'a> Layout<'a> {
    fn new(figure: &'a Figure) -> Self {
        let panels = figure.panels.len();
        let across = panels.clamp(1, ACROSS);
        let width = across as f64 * WIDTH;
        if panels == 0 {
            let empty = plot::wrap(figure.empty, width - 32.0);
            return Self {
                figure,
                size: (width, TITLE + plot::paragraph_height(&empty) + 16.0),
                empty,
                legend: 0.0,
            };
        }
        let legend = plot::legend_height(&figure.legend, width);
        let rows = panels.div_ceil(across);
        Self {
            figure,
            size: (width, TITLE + legend + rows as f64 * HEIGHT),
            empty: Vec::new(),
            legend,
        }
    }

    fn draw<B: DrawingBackend>(&self, canvas: &Canvas<B>) {
        plot::title(canvas, (8.0, TITLE / 2.0), self.figure.title);
        if self.figure.panels.is_empty() {
            plot::paragraph(canvas, (8.0, TITLE), &self.empty);
            return;
        }
        plot::legend(canvas, (0.0, TITLE), &self.figure.legend, self.size.0);
        for (at, panel) in self.figure.panels.iter().enumerate() {
            let x = (at % ACROSS) as f64 * WIDTH;
            let y = TITLE + self.legend + (at / ACROSS) as f64 * HEIGHT;
            plot::draw(canvas, (x, y), panel);
        }
    }
}

/// Takes the size off an SVG, so that a page can scale it, and puts the page's colour for the ink.
fn for_page(svg: &str) -> String {
    let (red, green, blue) = INK.rgb;
    let ink = format!("#{red:02X}{green:02X}{blue:02X}");
    let svg = svg.replace(&format!("\"{ink}\""), "\"currentColor\"");
    let view = svg.find(" viewBox");
    match (svg.strip_prefix("<svg"), view) {
        (Some(_), Some(view)) => format!("<svg{}", &svg[view..]),
        _ => svg,
    }
}

/// The styles of all contenders that have runs.
fn legend(source: &Source<'_>) -> Vec<(String, Style)> {
    let design = &source.results.header.design;
    let contenders = design.contenders.iter().enumerate();
    contenders
        .filter(|&(at, _)| {
            let mut problems = 0..design.problems.len();
            problems.any(|problem| source.runs(at, problem).next().is_some())
        })
        .map(|(at, contender)| (short_name(&contender.name), Style::of(at)))
        .collect()
}

/// Some names of a list, and how many more there are.
fn named(names: &[&str]) -> String {
    let mut text = names[..names.len().min(MOST_NAMES)].join(", ");
    if names.len() > MOST_NAMES {
        text += &format!(" and {} more", names.len() - MOST_NAMES);
    }
    text
}
