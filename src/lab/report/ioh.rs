//! Results in the format of IOHprofiler, as IOHexperimenter 0.3 writes it and IOHanalyzer reads it.
//!
//! A folder for every contender; in it, for every problem, a JSON file with the runs and a `.dat` file with
//! how each came down. Problems are functions f1, f2, ... in the order of the experiment, of dimension N. What
//! is minimised is the distance of the best fitness from that of a solution, so 0 is solved.
//!
//! Readers take evaluation 1 for the beginning of a run, but a population is evaluated as a whole. So the best
//! of the first generation stands at evaluation 1, too, or 1 if that is a solution already: nothing seems to be
//! solved before it was. Only what propagation has solved without any search is solved at once.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::lab::experiment::{ContenderDesign, ProblemDesign};
use crate::lab::results::{Line, Results};

/// The version of IOHexperimenter whose format this is; readers choose by it how to read.
const FORMAT: &str = "0.3.22";

/// The files, with their paths in the folder of the export.
pub fn files(results: &Results) -> Vec<(PathBuf, String)> {
    let design = &results.header.design;
    let mut files = Vec::new();
    let folders = unique(design.contenders.iter().map(|it| it.name.as_str()));
    let problems = unique(design.problems.iter().map(|it| it.name.as_str()));
    for (c, contender) in design.contenders.iter().enumerate() {
        let folder = PathBuf::from(&folders[c]);
        for (p, problem) in design.problems.iter().enumerate() {
            let of_cell = results
                .runs
                .iter()
                .filter(|(case, _)| (case.contender, case.problem) == (c, p));
            let lines: Vec<&Line> = of_cell.map(|(_, line)| line).collect();
            if lines.is_empty() {
                continue;
            }
            let id = p + 1;
            let name = &problems[p];
            let size = problem.size;
            let data = format!("data_f{id}_{name}/IOHprofiler_f{id}_DIM{size}.dat");
            let info = info(results, contender, (id, problem), &data, &lines);
            files.push((folder.join(format!("IOHprofiler_f{id}_{name}.json")), info));
            files.push((
                folder.join(data),
                lines.iter().map(|line| course(line)).collect(),
            ));
        }
    }
    files
}

/// Names as file names, each once.
fn unique<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut taken: Vec<String> = Vec::new();
    for name in names {
        let plain = |c: char| match c {
            c if c.is_ascii_alphanumeric() || c == '-' => c,
            _ => '_',
        };
        let name: String = name.chars().take(80).map(plain).collect();
        let mut free = name.clone();
        let mut number = 2;
        // Some file systems do not tell a from A.
        while taken.iter().any(|it| it.eq_ignore_ascii_case(&free)) {
            free = format!("{name}_{number}");
            number += 1;
        }
        taken.push(free);
    }
    taken
}

fn info(
    results: &Results,
    contender: &ContenderDesign,
    (id, problem): (usize, &ProblemDesign),
    data: &str,
    lines: &[&Line],
) -> String {
    let runs = lines.iter().map(|line| {
        let rows = rows(line);
        let (evaluations, y) = best(&rows);
        let last = rows.last().map_or(1, |row| row.0);
        json!({
            "instance": 1,
            "evals": last,
            "best": {"evals": evaluations, "y": y, "x": []},
            "seed": line.result.seed,
            "seconds": line.result.seconds,
            "generations": line.result.generations,
        })
    });
    let mut params: Vec<String> = vec![format!("pop={}", contender.pop)];
    params.extend(contender.params.iter().map(|(key, value)| match value {
        Value::String(word) => format!("{key}={word}"),
        value => format!("{key}={value}"),
    }));
    let info = json!({
        "version": FORMAT,
        "suite": "gpusudoku",
        "function_id": id,
        "function_name": problem.name,
        "maximization": false,
        "algorithm": {"name": contender.name, "info": params.join(" ")},
        "experiment_attributes": [
            {"program": format!("gpusudoku {}", results.header.program)},
            {"experiment": results.header.experiment},
            {"backend": contender.backend.name()},
        ],
        "run_attributes": ["seed", "seconds", "generations"],
        "attributes": ["evaluations", "raw_y"],
        "scenarios": [{
            "dimension": problem.size,
            "path": data,
            "runs": runs.collect::<Vec<_>>(),
        }],
    });
    let mut text = serde_json::to_string_pretty(&info).expect("an export is plain data");
    text.push('\n');
    text
}

/// The first row with the least distance.
fn best(rows: &[(u64, u32)]) -> (u64, u32) {
    let best = rows.iter().min_by_key(|row| row.1);
    best.copied().unwrap_or((1, 0))
}

/// Evaluations and distances of a run: where it began, where it was improved, where it ended.
fn rows(line: &Line) -> Vec<(u64, u32)> {
    let run = &line.result;
    let distance = |fitness: u32| fitness.saturating_sub(run.goal);
    let Some(first) = line.improvements.first() else {
        let unsolved = distance(run.best_fitness).max(1);
        return vec![(1, if run.solved { 0 } else { unsolved })];
    };
    let mut rows = vec![(1, distance(first.best).max(1))];
    for it in &line.improvements {
        // A population of one is evaluated at evaluation 1.
        match it.evaluations {
            ..=1 => rows[0].1 = distance(it.best),
            evaluations => rows.push((evaluations, distance(it.best))),
        }
    }
    let last = rows[rows.len() - 1];
    if run.evaluations > last.0 {
        rows.push((run.evaluations, last.1));
    }
    rows
}

fn course(line: &Line) -> String {
    let mut text = "evaluations raw_y\n".to_owned();
    for (evaluations, distance) in rows(line) {
        text += &format!("{evaluations} {distance}.0000000000\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_file_names_each_once() {
        let names = ["lsga:elite=0", "lsga:elite_0", "LSGA_elite_0", "../x"];
        let expected = ["lsga_elite_0", "lsga_elite_0_2", "LSGA_elite_0_3", "___x"];
        assert_eq!(unique(names.into_iter()), expected);
    }
}
