//! The page: one HTML file that needs no network and no script.

use std::collections::BTreeSet;
use std::fmt::Display;

use serde_json::{Map, Value};

use super::figures::{Figure, is_software};
use super::{MOST_LISTED, Report};
use crate::algo::{self, Settings};
use crate::lab::agreement::disagreements;
use crate::lab::experiment::{ContenderDesign, params};
use crate::lab::numbers::{probability, readable_seconds};
use crate::lab::summary::Ranking;

/// Rows of a table; of more, the first are shown.
const MOST_ROWS: usize = 2000;

/// Rows of a table that is open from the start.
const OPEN_ROWS: usize = 60;

/// Characters of a word in a table that stays in one line.
const LONG_TEXT: usize = 32;

/// Nothing may be loaded, whatever a name in a file of results says.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// The page of a report.
pub(super) fn page(report: &Report<'_>) -> String {
    let results = report.results;
    let design = &results.header.design;
    let title = format!(
        "gpusudoku: {} on {}",
        count(design.contenders.len(), "contender"),
        count(design.problems.len(), "problem")
    );
    let figures = report.figures();
    let mut body = format!("<header><h1>{}</h1>\n", escape(&title));
    body += &paragraph(&format!(
        "{} of {} planned runs, by gpusudoku {}, experiment {}.",
        results.runs.len(),
        results.planned(),
        results.header.program,
        results.header.experiment
    ));
    body += "</header>\n";
    body += &rejected(report);
    body += &disagreed(report);
    body += &flaws(report);
    body += &contents(&figures);
    body += "<main>\n";
    body += &plan(report);
    body += &successes(report);
    body += &pairs(report);
    body += &ranks(report);
    for figure in &figures {
        body += &figure_html(figure);
    }
    body += &environment(report);
    body += "</main>\n";
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n{body}</body>\n</html>\n",
        escape(&title),
        include_str!("page.css")
    )
}

/// A text that means nothing but itself in HTML.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '&' => escaped += "&amp;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            // HTML has no way to write most of these.
            c if c.is_control() => escaped.push('\u{FFFD}'),
            c => escaped.push(c),
        }
    }
    escaped
}

fn count(many: usize, what: &str) -> String {
    match many {
        1 => format!("1 {what}"),
        many => format!("{many} {what}s"),
    }
}

fn paragraph(text: &str) -> String {
    format!("<p>{}</p>\n", escape(text))
}

fn list(items: &[String]) -> String {
    let mut html = "<ul>\n".to_owned();
    for item in items.iter().take(MOST_LISTED) {
        html += &format!("<li>{}</li>\n", escape(item));
    }
    if items.len() > MOST_LISTED {
        html += &format!("<li>and {} more</li>\n", items.len() - MOST_LISTED);
    }
    html + "</ul>\n"
}

/// A table whose first columns, as many as `words`, are words. A long one is folded.
fn table(id: &str, words: usize, head: &[&str], rows: &[Vec<String>]) -> String {
    let cell = |tag: &str, column: usize, text: &str| {
        let class = match (column < words, text.chars().count() > LONG_TEXT) {
            (true, true) => " class=\"word long\"",
            (true, false) => " class=\"word\"",
            _ => "",
        };
        let scope = if tag == "th" { " scope=\"col\"" } else { "" };
        format!("<{tag}{scope}{class}>{}</{tag}>", escape(text))
    };
    let row = |tag: &str, cells: &mut dyn Iterator<Item = &str>| {
        let cells = cells.enumerate();
        let cells: String = cells.map(|(at, text)| cell(tag, at, text)).collect();
        format!("<tr>{cells}</tr>\n")
    };
    let mut html = format!("<div class=\"scroll\"><table id=\"{id}\">\n<thead>");
    html += &row("th", &mut head.iter().copied());
    html += "</thead>\n<tbody>\n";
    for cells in rows.iter().take(MOST_ROWS) {
        html += &row("td", &mut cells.iter().map(String::as_str));
    }
    html += "</tbody></table></div>\n";
    if rows.len() > MOST_ROWS {
        html += &paragraph(&format!(
            "The first {MOST_ROWS} of {} rows; `gpusudoku compare --format json` writes all.",
            rows.len()
        ));
    }
    match rows.len() > OPEN_ROWS {
        true => format!(
            "<details><summary>{}</summary>\n{html}</details>\n",
            count(rows.len(), "row")
        ),
        false => html,
    }
}

fn rejected(report: &Report<'_>) -> String {
    let runs = report.results.runs.iter();
    let rejected: Vec<String> = runs
        .filter_map(|(_, line)| {
            let reason = line.result.rejected.as_ref()?;
            let (contender, problem) = (&line.contender, &line.result.problem);
            Some(format!(
                "run {} of {contender} on {problem}: {reason}",
                line.run
            ))
        })
        .collect();
    if rejected.is_empty() {
        return String::new();
    }
    format!(
        "<section class=\"bad\" id=\"rejected\"><strong>The independent check rejected claimed solutions: a \
         fault of the program or of the device.</strong>\n{}</section>\n",
        list(&rejected)
    )
}

fn disagreed(report: &Report<'_>) -> String {
    let disagreements = disagreements(report.results);
    if disagreements.is_empty() {
        return String::new();
    }
    let sentences: Vec<String> = disagreements.iter().map(ToString::to_string).collect();
    format!(
        "<section class=\"bad\" id=\"disagreements\"><strong>Equal runs have not ended equally: a fault of the \
         program or of a device, or somebody changed the results.</strong>\n{}</section>\n",
        list(&sentences)
    )
}

fn flaws(report: &Report<'_>) -> String {
    let results = report.results;
    let mut html = String::new();
    if !results.flaws.is_empty() {
        let flaws: Vec<String> = results.flaws.iter().map(ToString::to_string).collect();
        let lines = count(flaws.len(), "line");
        html += &format!(
            "<strong>Flaws in {lines} of the results</strong>\n{}",
            list(&flaws)
        );
    }
    if results.missing() > 0 {
        let missing = count(results.missing(), "planned run");
        html += &format!(
            "<strong>Missing: {missing}</strong>\n{}",
            list(&results.gaps())
        );
    }
    match html.is_empty() {
        true => html,
        false => format!("<section class=\"note\" id=\"flaws\">{html}</section>\n"),
    }
}

fn contents(figures: &[Figure]) -> String {
    let mut html = "<nav aria-label=\"Contents\"><ul>\n".to_owned();
    let mut entry = |id: &str, title: &str| {
        html += &format!("<li><a href=\"#{id}\">{}</a></li>\n", escape(title));
    };
    entry("plan", "Plan");
    entry("success", "Success");
    entry("pairs", "Pairs");
    entry("ranks", "Ranks");
    for figure in figures {
        entry(figure.id, figure.title);
    }
    entry("environment", "Environment");
    html + "</ul></nav>\n"
}

fn plan(report: &Report<'_>) -> String {
    let design = &report.results.header.design;
    let unlimited = |what: &str| format!("any number of {what}");
    let mut html = "<section id=\"plan\"><h2>What was planned</h2>\n".to_owned();
    // An experiment may grow at one side only.
    let at_most = if report.results.is_even() {
        ""
    } else {
        "Up to "
    };
    html += &paragraph(&format!(
        "{at_most}{} of each contender on each problem, with seeds from {}. Budget of a run: {}, {}, and the \
         generations of its contender.",
        count(design.runs as usize, "run"),
        design.seed,
        design
            .max_evaluations
            .map_or(unlimited("evaluations"), |it| format!("{it} evaluations")),
        design
            .time_limit
            .map_or(unlimited("seconds"), |it| format!("{it} seconds"))
    ));
    let contenders = design.contenders.iter().map(|contender| {
        let generations = contender.max_generations;
        vec![
            contender.name.clone(),
            contender.algo.clone(),
            changed(contender),
            contender.backend.name().to_owned(),
            contender.pop.to_string(),
            match generations {
                u32::MAX => "no limit".to_owned(),
                generations => generations.to_string(),
            },
        ]
    });
    let head = [
        "contender",
        "algorithm",
        "parameters other than by default",
        "engine",
        "population",
        "most generations",
    ];
    html += &table("contenders", 4, &head, &contenders.collect::<Vec<_>>());
    let problems = design.problems.iter().map(|problem| {
        let kind = serde_json::to_value(problem.kind).unwrap_or(Value::Null);
        let boxes = problem.boxes.map(|[rows, cols]| format!("{rows}x{cols}"));
        vec![
            problem.name.clone(),
            kind.as_str().unwrap_or_default().to_owned(),
            problem.size.to_string(),
            boxes.unwrap_or_else(|| "-".to_owned()),
            problem.givens.map_or("-".to_owned(), |it| it.to_string()),
        ]
    });
    let head = ["problem", "kind", "size N", "boxes", "givens"];
    html += &table("problems", 2, &head, &problems.collect::<Vec<_>>());
    html + "</section>\n"
}

/// The parameters that are not those of the algorithm's own table.
fn changed(contender: &ContenderDesign) -> String {
    let usual = algo::find(&contender.algo).map(|info| params(&Settings::new(info)));
    let usual = usual.unwrap_or_else(|_| Map::new());
    let changed = contender.params.iter();
    let changed: Vec<String> = changed
        .filter(|(key, value)| usual.get(*key) != Some(value))
        .map(|(key, value)| match value {
            Value::String(word) => format!("{key}={word}"),
            value => format!("{key}={value}"),
        })
        .collect();
    match changed.is_empty() {
        true => "-".to_owned(),
        false => changed.join(", "),
    }
}

fn range(low: impl Display, high: impl Display) -> String {
    format!("{low} – {high}")
}

fn successes(report: &Report<'_>) -> String {
    let design = &report.results.header.design;
    let summary = report.summary;
    let unit = summary.measure.name();
    let mut html = "<section id=\"success\"><h2>Success</h2>\n".to_owned();
    if summary.cells.is_empty() {
        html += "<p class=\"empty\">No run is finished.</p></section>\n";
        return html;
    }
    let cost = |cost: f64| summary.measure.written(cost);
    let optional = |it: Option<f64>| it.map_or("-".to_owned(), cost);
    let rows = summary.cells.iter().map(|cell| {
        let (rate, ert) = (cell.rate, cell.ert_interval);
        let to = cell.to_solution;
        vec![
            design.problems[cell.problem].name.clone(),
            design.contenders[cell.contender].name.clone(),
            cell.solved_of_runs(),
            range(format!("{:.3}", rate.low), format!("{:.3}", rate.high)),
            optional(to.map(|to| to.median)),
            optional(to.map(|to| to.mean)),
            optional(to.and_then(|to| to.sd)),
            cost(cell.ert),
            range(cost(ert.low), cost(ert.high)),
            readable_seconds(cell.seconds),
        ]
    });
    let head = [
        "problem",
        "contender",
        "solved",
        "rate, 95 %",
        &format!("median {unit}"),
        &format!("mean {unit}"),
        "sd",
        &format!("ERT ({unit})"),
        "ERT, 95 %",
        "time a run",
    ];
    html += &table("successes", 2, &head, &rows.collect::<Vec<_>>());
    html += &paragraph(&format!(
        "The interval of the rate is Wilson's. Median, mean and standard deviation are of the solved runs. ERT, the expected \
         running time: {unit} of all runs over the number of solutions, with a bootstrap interval."
    ));
    html + "</section>\n"
}

fn pairs(report: &Report<'_>) -> String {
    let design = &report.results.header.design;
    let summary = report.summary;
    let unit = summary.measure.name();
    let mut html = "<section id=\"pairs\"><h2>Pairs of contenders</h2>\n".to_owned();
    if summary.pairs.is_empty() {
        html += "<p class=\"empty\">No two contenders have finished runs on a problem, so there is nothing \
                 to compare.</p></section>\n";
        return html;
    }
    let contender = |at: usize| design.contenders[at].name.clone();
    let rows = summary.pairs.iter().map(|pair| {
        vec![
            design.problems[pair.problem].name.clone(),
            contender(pair.first),
            contender(pair.second),
            format!("{:.3}", pair.a12),
            probability(pair.p),
            probability(pair.p_holm),
        ]
    });
    let head = ["problem", "first", "second", "A12", "p", "p (Holm)"];
    html += &table("comparisons", 3, &head, &rows.collect::<Vec<_>>());
    html += &paragraph(&format!(
        "A12: how likely the first needs fewer {unit} than the second, an unsolved run needing most of all; \
         0.5 is no difference. p: Mann-Whitney U, two-sided, then corrected for all pairs (Holm)."
    ));
    html + "</section>\n"
}

fn ranks(report: &Report<'_>) -> String {
    let design = &report.results.header.design;
    let mut html = "<section id=\"ranks\"><h2>Ranks over all problems</h2>\n".to_owned();
    let Some(ranking) = &report.summary.ranking else {
        html += "<p class=\"empty\">Ranks need three contenders who all have finished runs on two \
                 problems.</p></section>\n";
        return html;
    };
    let contender = |at: usize| design.contenders[at].name.clone();
    let ranks = ranking.ranks.iter();
    let rows = ranks.map(|it| vec![contender(it.contender), format!("{:.2}", it.rank)]);
    let head = ["contender", "average rank"];
    html += &table("averages", 1, &head, &rows.collect::<Vec<_>>());
    html += &paragraph(&ranking.sentence());
    let rows = ranking.pairs.iter().map(|pair| {
        vec![
            contender(pair.first),
            contender(pair.second),
            probability(pair.p_nemenyi),
            probability(pair.p_holm),
        ]
    });
    let head = ["first", "second", "p (Nemenyi)", "p (Holm)"];
    html += &table("post-hoc", 2, &head, &rows.collect::<Vec<_>>());
    html += &paragraph(Ranking::PAIRS);
    html + "</section>\n"
}

fn figure_html(figure: &Figure) -> String {
    let mut html = format!(
        "<figure id=\"{}\">\n<h2>{}</h2>\n",
        figure.id,
        escape(figure.title)
    );
    if figure.panels.is_empty() {
        html += &format!("<p class=\"empty\">{}</p>\n", escape(figure.empty));
    } else {
        html += "<ul class=\"legend\">\n";
        for (name, sample) in figure.legend_for_page() {
            let sample = sample.replacen("<svg", "<svg aria-hidden=\"true\"", 1);
            html += &format!("<li>{sample}<span>{}</span></li>\n", escape(name));
        }
        let one = if figure.panels.len() == 1 { " one" } else { "" };
        html += &format!("</ul>\n<div class=\"panels{one}\">\n");
        for (panel, svg) in figure.panels.iter().zip(figure.panels_for_page()) {
            let label = match panel.title.as_str() {
                "" => figure.title.to_owned(),
                title => format!("{}: {title}", figure.title),
            };
            let image = format!("<svg role=\"img\" aria-label=\"{}\"", escape(&label));
            html += &svg.replacen("<svg", &image, 1);
        }
        html += "</div>\n";
    }
    for note in &figure.notes {
        html += &paragraph(note);
    }
    html + &format!(
        "<figcaption>{}</figcaption>\n</figure>\n",
        escape(&figure.caption)
    )
}

fn environment(report: &Report<'_>) -> String {
    let results = report.results;
    let mut html = "<section id=\"environment\"><h2>Environment</h2>\n".to_owned();
    html += &paragraph(&format!(
        "gpusudoku {}, results of version {}, experiment {}.",
        results.header.program, results.header.gpusudoku_results, results.header.experiment
    ));
    let machines = results.machines.iter().map(|machine| {
        vec![
            machine
                .processor
                .clone()
                .unwrap_or_else(|| "unknown".to_owned()),
            machine.os.clone(),
            machine.arch.clone(),
            machine.threads.to_string(),
        ]
    });
    let head = ["processor", "system", "architecture", "threads"];
    html += &table("machines", 3, &head, &machines.collect::<Vec<_>>());
    let adapters: BTreeSet<(&str, &str)> = results
        .runs
        .iter()
        .map(|(_, line)| (line.result.backend.as_str(), line.result.adapter.as_str()))
        .collect();
    let adapters = adapters.into_iter().map(|(backend, adapter)| {
        let remark = match backend == "gpu" && is_software(adapter) {
            true => "software adapter: says nothing of a GPU",
            false => "-",
        };
        vec![backend.to_owned(), adapter.to_owned(), remark.to_owned()]
    });
    let head = ["engine", "adapter, or threads of a run", "remark"];
    html += &table("adapters", 3, &head, &adapters.collect::<Vec<_>>());
    if let Some(machine) = report.bench.and_then(|bench| bench.machine.as_ref()) {
        let threads = machine.threads.map(|it| format!(", {it} threads"));
        html += &paragraph(&format!(
            "The throughput was measured on {}{}.",
            machine
                .processor
                .as_deref()
                .unwrap_or("an unknown processor"),
            threads.unwrap_or_default()
        ));
    }
    html + "</section>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_from_a_file_becomes_a_tag() {
        let text = "<script>alert('a&b')</script>\"\u{1}";
        let escaped = "&lt;script&gt;alert(&#39;a&amp;b&#39;)&lt;/script&gt;&quot;\u{FFFD}";
        assert_eq!(escape(text), escaped);
    }

    #[test]
    fn a_long_table_is_folded_and_cut() {
        let rows = |many| vec![vec!["a".to_owned()]; many];
        assert!(!table("x", 1, &["head"], &rows(3)).contains("<details>"));
        let long = table("x", 1, &["head"], &rows(MOST_ROWS + 5));
        assert!(long.contains("<details><summary>2005 rows</summary>"));
        assert_eq!(long.matches("<td").count(), MOST_ROWS);
    }
}
