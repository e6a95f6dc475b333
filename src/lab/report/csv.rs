//! Results as comma-separated values (RFC 4180), a row for every run.

use serde_json::Value;

use crate::lab::results::Results;

const HEAD: &str = "experiment,problem,kind,size,givens,contender,algo,backend,adapter,pop,run,seed,solved,\
                    solved_by,generations,evaluations,seconds,best_fitness,goal,stop,rejected,propagated,\
                    effective_generations,false_zero,population_hash,params";

/// The runs as a table with a head.
pub fn table(results: &Results) -> String {
    let design = &results.header.design;
    let mut text = format!("{HEAD}\n");
    for (case, line) in &results.runs {
        let run = &line.result;
        let problem = &design.problems[case.problem];
        let kind = serde_json::to_value(problem.kind).unwrap_or(Value::Null);
        let params = serde_json::to_string(&run.params).unwrap_or_default();
        let cells = [
            quoted(&line.experiment),
            quoted(&run.problem),
            quoted(kind.as_str().unwrap_or_default()),
            problem.size.to_string(),
            optional(problem.givens),
            quoted(&line.contender),
            quoted(&run.algo),
            quoted(&run.backend),
            quoted(&run.adapter),
            run.pop.to_string(),
            line.run.to_string(),
            run.seed.to_string(),
            run.solved.to_string(),
            quoted(run.solved_by.as_deref().unwrap_or_default()),
            run.generations.to_string(),
            run.evaluations.to_string(),
            run.seconds.to_string(),
            run.best_fitness.to_string(),
            run.goal.to_string(),
            quoted(&run.stop),
            quoted(run.rejected.as_deref().unwrap_or_default()),
            run.propagated.to_string(),
            run.effective_generations.to_string(),
            optional(run.false_zero),
            quoted(&run.population_hash),
            quoted(&params),
        ];
        text += &cells.join(",");
        text.push('\n');
    }
    text
}

/// A text as a cell: in quotation marks where it would be misread without.
fn quoted(text: &str) -> String {
    match text.contains(['"', ',', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

fn optional(value: Option<impl ToString>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_where_they_must_be() {
        assert_eq!(quoted("easy-1"), "easy-1");
        assert_eq!(quoted("a,b"), "\"a,b\"");
        assert_eq!(quoted("say \"so\""), "\"say \"\"so\"\"\"");
    }
}
