//! `compare` over all problems: ranks with Friedman's test, standard deviations, and times in words.

use serde_json::Value;

use super::lab::*;
use super::support::*;

const THREE_BY_THREE: [&str; 12] = [
    "--algo",
    "lsga,lsga:elite=0:pop=9,gpu-ga",
    "--problem",
    "easy-1,easy-11,medium-27",
    "--runs",
    "4",
    "--pop",
    "30",
    "--budget",
    "generations=30",
    "--seed",
    "3",
];

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::INFINITY)
}

/// Wins and half the ties of the others, and one: the rank by its definition.
fn ranks(block: &[f64]) -> Vec<f64> {
    let rank = |&own: &f64| {
        let below = block.iter().filter(|&&it| it < own).count() as f64;
        let equal = block.iter().filter(|&&it| it == own).count() as f64;
        below + (equal + 1.0) / 2.0
    };
    block.iter().map(rank).collect()
}

#[test]
fn contenders_are_ranked_over_all_problems() {
    let dir = Dir::new();
    let file = dir.at("results.jsonl");
    let args = [&THREE_BY_THREE[..], &["--format", "json"]].concat();
    let summary = compare_into(&file, &args).expect(0).object();
    let ranking = &summary["ranking"];
    let cells = summary["cells"].as_array().unwrap();
    let mut sums = [0.0; 3];
    let mut squares = 0.0;
    for block in cells.chunks(3) {
        let costs: Vec<f64> = block.iter().map(|cell| number(&cell["ert"])).collect();
        for (sum, rank) in sums.iter_mut().zip(ranks(&costs)) {
            *sum += rank;
            squares += rank * rank;
        }
    }
    assert_eq!(count(ranking, "problems"), 3);
    for (at, (found, sum)) in ranking["ranks"]
        .as_array()
        .unwrap()
        .iter()
        .zip(sums)
        .enumerate()
    {
        assert_eq!(count(found, "contender") as usize, at);
        assert!((number(&found["rank"]) - sum / 3.0).abs() < 1e-12);
    }
    // Between over within, which needs no correction for ties (Conover 1999, equation 5.8.6).
    let middle = 3.0 * 2.0;
    let between: f64 = sums.iter().map(|sum| (sum - middle) * (sum - middle)).sum();
    let chi_square = 2.0 * between / (squares - 3.0 * 3.0 * 4.0);
    assert!((number(&ranking["chi_square"]) - chi_square).abs() < 1e-9);
    assert_eq!(count(ranking, "degrees"), 2);
    // With two degrees of freedom.
    assert!((number(&ranking["p"]) - (-chi_square / 2.0).exp()).abs() < 1e-9);
    let pairs = ranking["pairs"].as_array().unwrap();
    let names: Vec<_> = pairs
        .iter()
        .map(|pair| (count(pair, "first"), count(pair, "second")))
        .collect();
    assert_eq!(names, [(0, 1), (0, 2), (1, 2)]);

    let text = compare_into(&file, &THREE_BY_THREE).expect(0).stdout;
    assert!(text.contains("average rank"), "{text}");
    let told = format!("Friedman: chi-square {chi_square:.3} with 2 degrees");
    assert!(text.contains(&told), "{told}: {text}");
    assert!(text.contains("p (Nemenyi)"), "{text}");
    let page = read(&dir.at("results.html"));
    assert!(page.contains("<table id=\"averages\">") && page.contains("<table id=\"post-hoc\">"));
    assert!(page.contains(&told), "{told}");
}

#[test]
fn two_contenders_or_one_problem_have_no_ranks() {
    let dir = Dir::new();
    for (at, (option, value)) in [("--algo", "lsga,gpu-ga"), ("--problem", "easy-1")]
        .into_iter()
        .enumerate()
    {
        let mut args = THREE_BY_THREE.to_vec();
        let place = args.iter().position(|it| *it == option).unwrap();
        args[place + 1] = value;
        let file = dir.at(&format!("{at}.jsonl"));
        let text = compare_into(&file, &args).expect(0).stdout;
        assert!(!text.contains("Friedman"), "{text}");
        let json = compare_into(&file, &[&args[..], &["--format", "json"]].concat());
        assert_eq!(json.expect(0).object()["ranking"], Value::Null);
        assert!(read(&dir.at(&format!("{at}.html"))).contains("Ranks need three contenders"));
    }
}

#[test]
fn standard_deviations_are_of_the_solved_runs() {
    let dir = Dir::new();
    let file = dir.at("results.jsonl");
    let args = [&THREE_BY_THREE[..], &["--format", "json"]].concat();
    let summary = compare_into(&file, &args).expect(0).object();
    let all = runs(&file);
    let design = design(&file);
    let mut seen = 0;
    for cell in summary["cells"].as_array().unwrap() {
        let contender = &design["contenders"][count(cell, "contender") as usize]["name"];
        let problem = &design["problems"][count(cell, "problem") as usize]["name"];
        let its = |run: &&Value| {
            run["contender"] == *contender && run["problem"] == *problem && run["solved"] == true
        };
        let costs: Vec<f64> = all
            .iter()
            .filter(its)
            .map(|run| number(&run["evaluations"]))
            .collect();
        let n = costs.len() as f64;
        let sd = &cell["to_solution"]["sd"];
        if costs.len() < 2 {
            assert!(sd.is_null(), "{cell}");
            continue;
        }
        seen += 1;
        // The sum of squares less the square of the sum.
        let (sum, squares) = costs.iter().fold((0.0, 0.0), |(sum, squares), cost| {
            (sum + cost, squares + cost * cost)
        });
        let expected = ((squares - sum * sum / n) / (n - 1.0)).sqrt();
        assert!((number(sd) - expected).abs() <= 1e-6 * expected, "{cell}");
    }
    assert!(seen >= 3, "too few solved runs: {summary}");
}

/// Nobody reads 7.4e-4.
#[test]
fn times_have_units() {
    let dir = Dir::new();
    let file = dir.at("results.jsonl");
    for more in [&[][..], &["--by", "seconds"]] {
        let text = compare_into(&file, &[&THREE_BY_THREE[..], more].concat());
        let text = text.expect(0).stdout;
        assert!(text.contains("time a run"), "{text}");
        let rows: Vec<&str> = text
            .lines()
            .filter(|row| row.contains('/') && row.starts_with(['e', 'm']))
            .collect();
        assert_eq!(rows.len(), 9, "{text}");
        for row in rows {
            let unit = row.split_whitespace().last().unwrap();
            assert!(["ms", "s", "\u{b5}s"].contains(&unit), "{row}");
            assert!(!row.contains("e-"), "{row}");
        }
    }
    let page = read(&dir.at("results.html"));
    assert!(page.contains(" ms</td>") || page.contains(" s</td>"));
}
