//! The share of runs that are solved by then: empirical cumulative distributions.

use super::axis::Scale;
use super::plot::{Axis, Mark, Panel};
use super::style::Style;
use super::{Figure, Source, legend};
use crate::lab::statistics::sorted;
use crate::lab::summary::Measure;

/// Steps of a curve; of more, those closest to places at equal distances are drawn.
const STEPS: usize = 200;

pub(super) fn evaluations(source: &Source<'_>) -> Figure {
    Figure {
        id: "ecdf-evaluations",
        title: "Runs solved over evaluations",
        ..figure(source, Measure::Evaluations, "evaluations")
    }
}

pub(super) fn seconds(source: &Source<'_>) -> Figure {
    Figure {
        id: "ecdf-seconds",
        title: "Runs solved over time",
        ..figure(source, Measure::Seconds, "wall clock (s)")
    }
}

fn figure(source: &Source<'_>, measure: Measure, axis: &str) -> Figure {
    let design = &source.results.header.design;
    let mut all = Vec::new();
    let mut curves = Vec::new();
    for contender in 0..design.contenders.len() {
        let problems = 0..design.problems.len();
        let runs: Vec<_> = problems
            .flat_map(|problem| source.runs(contender, problem))
            .map(|line| &line.result)
            .collect();
        all.extend(runs.iter().map(|run| measure.of(run)));
        let solved = runs.iter().filter(|run| run.solved);
        let costs: Vec<_> = solved.map(|run| measure.of(run)).collect();
        curves.push((runs.len(), sorted(&costs)));
    }
    let any = curves.iter().any(|(_, costs)| !costs.is_empty());
    let scale = Scale::log(all.iter().copied());
    let end = all.into_iter().fold(0.0, f64::max);
    let lines = curves.iter().enumerate().filter(|(_, curve)| curve.0 > 0);
    let marks = lines.map(|(contender, (runs, costs))| Mark::Line {
        style: Style::of(contender),
        points: steps(costs, *runs, end, &scale),
        end: None,
    });
    let panel = || Panel {
        title: String::new(),
        x: Axis::new(axis, scale.clone()),
        y: Axis::new(
            "share of runs solved",
            Scale::Linear {
                from: 0.0,
                to: 1.02,
            },
        ),
        marks: marks.collect(),
    };
    Figure {
        id: "",
        title: "",
        caption:
            "How many of all runs of a contender, on all problems together, were solved by then. \
                  Where a curve ends below 1, that many runs were never solved."
                .to_owned(),
        empty: "No run was solved, so there is nothing to show here.",
        legend: legend(source),
        panels: any.then(panel).into_iter().collect(),
        notes: Vec::new(),
    }
}

/// The stairs of costs in order, as far as the axis goes.
fn steps(costs: &[f64], runs: usize, end: f64, scale: &Scale) -> Vec<(f64, f64)> {
    let share = |solved: usize| solved as f64 / runs as f64;
    let mut points = Vec::new();
    let mut height = 0.0;
    let mut last_place = f64::NEG_INFINITY;
    for (at, &cost) in costs.iter().enumerate() {
        // Equal costs are one step, and so are those too close to be seen apart; the last always counts.
        let last = at + 1 == costs.len();
        let place = scale.place(cost);
        let seen = place - last_place >= 1.0 / STEPS as f64;
        if !(last || seen && costs[at + 1] > cost) {
            continue;
        }
        last_place = place;
        points.push((cost, height));
        height = share(at + 1);
        points.push((cost, height));
    }
    points.push((end, height));
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stairs_rise_at_every_cost_and_end_at_the_rate() {
        let scale = Scale::log([1.0, 1000.0]);
        let points = steps(&[10.0, 100.0, 100.0], 4, 1000.0, &scale);
        let expected = [
            (10.0, 0.0),
            (10.0, 0.25),
            (100.0, 0.25),
            (100.0, 0.75),
            (1000.0, 0.75),
        ];
        assert_eq!(points, expected);
    }

    #[test]
    fn many_costs_become_few_steps_that_end_where_all_do() {
        let costs: Vec<f64> = (1..=100_000).map(f64::from).collect();
        let scale = Scale::log(costs.iter().copied());
        let points = steps(&costs, 100_000, 1e5, &scale);
        assert!(points.len() < 3 * STEPS);
        assert_eq!(points.last(), Some(&(1e5, 1.0)));
        assert!(points.is_sorted_by(|a, b| a.0 <= b.0 && a.1 <= b.1));
    }
}
