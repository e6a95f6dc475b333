//! Generations against the number of givens, as in Fig. 11 of the LSGA paper.

use std::collections::BTreeMap;

use super::axis::Scale;
use super::plot::{Axis, Mark, Panel};
use super::style::Style;
use super::{Figure, MOST_PANELS, Source, legend};
use crate::lab::results::Line;
use crate::lab::statistics::mean;

/// Points of a contender in a panel; of more, every so many is drawn.
const MOST_POINTS: usize = 400;

pub(super) fn figure(source: &Source<'_>) -> Figure {
    let design = &source.results.header.design;
    let mut sizes = BTreeMap::<usize, Vec<usize>>::new();
    for (at, problem) in design.problems.iter().enumerate() {
        if problem.givens.is_some() {
            sizes.entry(problem.size).or_default().push(at);
        }
    }
    let panels: Vec<_> = sizes
        .iter()
        .filter_map(|(&size, problems)| panel(source, size, problems))
        .take(MOST_PANELS)
        .collect();
    Figure {
        id: "givens",
        title: "Generations against givens",
        caption: "Every solved run is a point; the line goes through the means of the solved runs of each \
                  number of givens. Contenders are drawn slightly side by side. Of many runs only some \
                  points are drawn; the means are of all."
            .to_owned(),
        empty: "Nothing to show: this needs solved puzzles of one size with different numbers of givens.",
        legend: legend(source),
        panels,
        notes: Vec::new(),
    }
}

fn panel(source: &Source<'_>, size: usize, problems: &[usize]) -> Option<Panel> {
    let design = &source.results.header.design;
    let givens = |line: &Line, problem: usize| {
        let givens = design.problems[problem].givens?;
        let solved = line.result.solved;
        solved.then(|| (givens, f64::from(line.result.generations)))
    };
    let contenders = design.contenders.len();
    let points: Vec<Vec<(usize, f64)>> = (0..contenders)
        .map(|contender| {
            let problems = problems.iter();
            let runs = problems.flat_map(|&problem| {
                let runs = source.runs(contender, problem);
                runs.filter_map(move |line| givens(line, problem))
            });
            runs.collect()
        })
        .collect();
    let all = || points.iter().flatten();
    let (least, most) = (
        all().map(|point| point.0).min()?,
        all().map(|point| point.0).max()?,
    );
    if least == most {
        return None;
    }
    let spread = (most - least) as f64 / 60.0;
    let (mut marks, mut lines) = (Vec::new(), Vec::new());
    for (contender, points) in points.iter().enumerate() {
        let style = Style::of(contender);
        let aside =
            (contender as f64 - (contenders as f64 - 1.0) / 2.0) * spread / contenders as f64;
        let every = points.len().div_ceil(MOST_POINTS).max(1);
        let drawn = points.iter().step_by(every);
        marks.push(Mark::Points {
            style,
            opacity: 0.35,
            radius: 2.5,
            points: drawn
                .map(|&(givens, generations)| (givens as f64 + aside, generations))
                .collect(),
        });
        let mut by_givens = BTreeMap::<usize, Vec<f64>>::new();
        for &(givens, generations) in points {
            by_givens.entry(givens).or_default().push(generations);
        }
        lines.push(Mark::Line {
            style,
            points: by_givens
                .iter()
                .map(|(&givens, generations)| (givens as f64 + aside, mean(generations)))
                .collect(),
            end: None,
        });
    }
    marks.append(&mut lines);
    let givens = all().map(|point| point.0 as f64);
    Some(Panel {
        title: format!("{size}x{size}"),
        x: Axis::new("givens (cells)", Scale::around(givens)),
        y: Axis::new("generations", Scale::log(all().map(|point| point.1))),
        marks,
    })
}
