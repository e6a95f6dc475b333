//! Generations to a solution as box plots, as in Fig. 10 of the LSGA paper.

use super::axis::Scale;
use super::plot::{Axis, Mark, Panel, WIDTH, shorten, tick_width};
use super::style::Style;
use super::{Figure, Source, legend, named};
use crate::lab::statistics::{quantile, sorted};

/// Problems that have boxes of their own; if there are more, those of a level go together.
const MOST_PROBLEMS: usize = 12;
/// Groups that are shown at all.
const MOST_GROUPS: usize = 24;
/// Width between the axes that can be counted on.
const ROOM: f64 = WIDTH - 80.0;
/// Width of a box and what is around it.
const PITCH: f64 = 22.0;
/// Characters of a name under the axis.
const LONGEST: usize = 13;

/// Problems that share a place on the axis.
struct Group {
    name: String,
    problems: Vec<usize>,
}

/// What solved runs of a contender on the problems of a group have taken, in order, and how many runs were
/// not solved.
struct Sample {
    generations: Vec<f64>,
    unsolved: usize,
}

pub(super) fn figure(source: &Source<'_>) -> Figure {
    let design = &source.results.header.design;
    let mut notes = Vec::new();
    let mut groups = groups(source);
    if groups.len() < design.problems.len() {
        notes.push(format!(
            "{} problems are grouped by level: by name without the number at its end.",
            design.problems.len()
        ));
    }
    if groups.len() > MOST_GROUPS {
        let left_out = groups.split_off(MOST_GROUPS);
        let names: Vec<_> = left_out.iter().map(|group| group.name.as_str()).collect();
        notes.push(format!(
            "The first {MOST_GROUPS} are shown. Left out: {}. Their runs are in the tables and in the \
             exports.",
            named(&names)
        ));
    }
    let samples: Vec<Vec<Sample>> = groups.iter().map(|group| samples(source, group)).collect();
    let all = samples.iter().flatten();
    let taken: Vec<f64> = all.flat_map(|sample| sample.generations.clone()).collect();
    let scale = Scale::log(taken.iter().copied());
    let panels = match taken.is_empty() {
        true => Vec::new(),
        false => {
            let many = a_panel(&groups, design.contenders.len());
            let chunks = groups.chunks(many).zip(samples.chunks(many));
            chunks
                .map(|(groups, samples)| panel(groups, samples, &scale))
                .collect()
        }
    };
    Figure {
        id: "boxes",
        title: "Generations to a solution",
        caption:
            "Boxes go from quartile to quartile of the solved runs with a stroke at the median, \
                  whiskers from 5 % to 95 %. The numbers above count the runs that ended without a \
                  solution and are in no box."
                .to_owned(),
        empty: "No run was solved, so there is nothing to show here.",
        legend: legend(source),
        panels,
        notes,
    }
}

/// How many groups fit into a panel.
fn a_panel(groups: &[Group], contenders: usize) -> usize {
    let names = groups
        .iter()
        .map(|group| tick_width(&label(&group.name)) + 8.0);
    let widest = names.fold(contenders as f64 * PITCH + 10.0, f64::max);
    let fit = ((ROOM / widest) as usize).max(1);
    // Panels of about the same size.
    groups
        .len()
        .div_ceil(groups.len().div_ceil(fit).max(1))
        .max(1)
}

fn label(name: &str) -> String {
    shorten(name, LONGEST)
}

/// The problems, or their levels if there are many problems.
fn groups(source: &Source<'_>) -> Vec<Group> {
    let problems = &source.results.header.design.problems;
    let few = problems.len() <= MOST_PROBLEMS;
    let mut groups: Vec<Group> = Vec::new();
    for (at, problem) in problems.iter().enumerate() {
        let name = match few {
            true => problem.name.as_str(),
            false => level(&problem.name),
        };
        match groups.iter_mut().find(|group| group.name == name) {
            Some(group) => group.problems.push(at),
            None => groups.push(Group {
                name: name.to_owned(),
                problems: vec![at],
            }),
        }
    }
    groups
}

/// `hard` of `hard-106`, `many.sdm` of `many.sdm:12`. Of queens the number is the level.
fn level(name: &str) -> &str {
    if name.starts_with("queens:") || name.starts_with("torus:") {
        return name;
    }
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let stem = stem.trim_end_matches(['-', '_', ':', '#', ' ']);
    if stem.is_empty() { name } else { stem }
}

fn samples(source: &Source<'_>, group: &Group) -> Vec<Sample> {
    let contenders = 0..source.results.header.design.contenders.len();
    contenders
        .map(|contender| {
            let problems = group.problems.iter();
            let runs: Vec<_> = problems
                .flat_map(|&problem| source.runs(contender, problem))
                .collect();
            let solved = runs.iter().filter(|line| line.result.solved);
            let generations: Vec<_> = solved
                .map(|line| f64::from(line.result.generations))
                .collect();
            Sample {
                unsolved: runs.len() - generations.len(),
                generations: sorted(&generations),
            }
        })
        .collect()
}

fn panel(groups: &[Group], samples: &[Vec<Sample>], scale: &Scale) -> Panel {
    let mut marks = Vec::new();
    for (at, samples) in samples.iter().enumerate() {
        let pitch = 0.9 / samples.len() as f64;
        for (contender, sample) in samples.iter().enumerate() {
            let x = at as f64 + 0.05 + (contender as f64 + 0.5) * pitch;
            if !sample.generations.is_empty() {
                let five = [0.05, 0.25, 0.5, 0.75, 0.95];
                marks.push(Mark::Box {
                    style: Style::of(contender),
                    x,
                    width: (pitch * 0.75).min(0.3),
                    five: five.map(|q| quantile(&sample.generations, q)),
                });
            }
            if sample.unsolved > 0 {
                let text = sample.unsolved.to_string();
                marks.push(Mark::Note { x, text });
            }
        }
    }
    let names = groups.iter().map(|group| label(&group.name)).collect();
    Panel {
        title: String::new(),
        x: Axis::new("problem", Scale::Names(names)),
        y: Axis::new("generations", scale.clone()),
        marks,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_names_without_numbers() {
        assert_eq!(level("hard-106"), "hard");
        assert_eq!(level("many.sdm:12"), "many.sdm");
        assert_eq!(level("queens:50"), "queens:50");
        assert_eq!(level("ai-escargot"), "ai-escargot");
        assert_eq!(level("17"), "17");
    }
}
