//! Convergence: how far the best of a run still is from a solution.

use super::axis::Scale;
use super::plot::{Axis, Mark, Panel, short_name};
use super::style::Style;
use super::{Figure, MOST_PANELS, Source, legend, named};
use crate::lab::results::Line;
use crate::lab::statistics::{quantile, sorted};

/// Places along the axis at which quantiles are taken.
const PLACES: usize = 140;

/// The quantiles of the outer band, the inner band and the line.
const QUANTILES: [f64; 5] = [0.05, 0.25, 0.5, 0.75, 0.95];

pub(super) fn figure(source: &Source<'_>) -> Figure {
    let design = &source.results.header.design;
    let mut panels = Vec::new();
    let mut left_out = Vec::new();
    for (at, problem) in design.problems.iter().enumerate() {
        if panels.len() == MOST_PANELS {
            left_out.push(problem.name.as_str());
        } else if let Some(panel) = panel(source, at) {
            panels.push(panel);
        }
    }
    let mut notes = Vec::new();
    if !left_out.is_empty() {
        notes.push(format!(
            "The first {MOST_PANELS} problems are shown. Left out: {}. Their runs are in the tables and \
             in the exports.",
            named(&left_out)
        ));
    }
    Figure {
        id: "convergence",
        title: "Convergence",
        caption: "The best fitness so far, as distance from that of a solution, over evaluations: the \
                  median of all runs, the range of the middle half of them, and fainter that from 5 % to \
                  95 %. A run that has ended keeps its last best. Algorithms count fitness in their own \
                  ways: compare where curves reach 0, not how high they are."
            .to_owned(),
        empty: "No run has searched: either none is finished, or propagation alone has solved everything.",
        legend: legend(source),
        panels,
        notes,
    }
}

fn panel(source: &Source<'_>, problem: usize) -> Option<Panel> {
    let design = &source.results.header.design;
    let contenders = 0..design.contenders.len();
    let searched = |line: &&Line| !line.improvements.is_empty();
    let runs: Vec<Vec<&Line>> = contenders
        .map(|contender| source.runs(contender, problem).filter(searched).collect())
        .collect();
    let ends = runs.iter().flatten().map(|line| end(line));
    let starts = runs.iter().flatten().map(|line| start(line));
    let (most, least) = (ends.max()?, starts.min()?);
    let ratio = most as f64 / least as f64;
    let places: Vec<f64> = (0..PLACES)
        .map(|at| least as f64 * ratio.powf(at as f64 / (PLACES - 1) as f64))
        .collect();
    let (mut bands, mut lines) = (Vec::new(), Vec::new());
    let mut highest = Vec::new();
    for (contender, runs) in runs.iter().enumerate() {
        let curves = quantiles(runs, &places);
        let Some(first) = curves[0].first() else {
            continue;
        };
        let style = Style::of(contender);
        let [low, lower, median, upper, high] = curves.clone();
        let last = *median.last().unwrap_or(first);
        // A single run has no band, and a band without height would only be a smudge.
        for (upper, lower, opacity) in [(high, low, 0.10), (upper, lower, 0.22)] {
            if upper != lower {
                highest.extend(upper.iter().map(|point| point.1));
                bands.push(Mark::Band {
                    style,
                    opacity,
                    upper,
                    lower,
                });
            }
        }
        highest.extend(median.iter().map(|point| point.1));
        let mut points = median;
        if points.len() == 1 {
            points.push((last.0 * 1.02, last.1));
        }
        lines.push(Mark::Line {
            style,
            points,
            end: None,
        });
    }
    bands.append(&mut lines);
    Some(Panel {
        title: short_name(&design.problems[problem].name),
        x: Axis::new("evaluations", Scale::log([least as f64, most as f64])),
        y: Axis::new(
            "best fitness, distance from goal",
            Scale::from_zero(highest),
        ),
        marks: bands,
    })
}

/// Evaluations of the first generation, of a run that searched.
fn start(line: &Line) -> u64 {
    line.improvements[0].evaluations.max(1)
}

fn end(line: &Line) -> u64 {
    line.result.evaluations.max(start(line))
}

/// The quantiles of runs at places between the first start and the last end of them.
fn quantiles(runs: &[&Line], places: &[f64]) -> [Vec<(f64, f64)>; 5] {
    let mut curves: [Vec<(f64, f64)>; 5] = Default::default();
    let starts = runs.iter().map(|line| start(line));
    let ends = runs.iter().map(|line| end(line));
    let (Some(first), Some(last)) = (starts.max(), ends.max()) else {
        return curves;
    };
    let (first, last) = (first as f64, last as f64);
    let between = places.iter().copied().filter(|&at| at > first && at < last);
    let mut places: Vec<f64> = [first].into_iter().chain(between).collect();
    if last > first {
        places.push(last);
    }
    // Where each run is in the list of its improvements.
    let mut reached = vec![0; runs.len()];
    for place in places {
        let distances: Vec<f64> = runs
            .iter()
            .zip(&mut reached)
            .map(|(line, reached)| {
                let improvements = &line.improvements;
                let next = |at: usize| improvements.get(at + 1);
                while next(*reached).is_some_and(|next| next.evaluations as f64 <= place) {
                    *reached += 1;
                }
                f64::from(improvements[*reached].best.saturating_sub(line.result.goal))
            })
            .collect();
        let distances = sorted(&distances);
        for (curve, q) in curves.iter_mut().zip(QUANTILES) {
            curve.push((place, quantile(&distances, q)));
        }
    }
    curves
}
