//! `report`, and the page that `compare` writes at its end.

use std::path::Path;
use std::sync::OnceLock;

use serde_json::{Value, json};

use crate::support::{Dir, Reply, call};

/// What the pages of all results have.
const FIGURES: [&str; 6] = [
    "convergence",
    "boxes",
    "givens",
    "ecdf-evaluations",
    "ecdf-seconds",
    "throughput",
];

/// The options of a small experiment: 2 contenders, 2 problems, 4 runs.
const SMALL: [&str; 12] = [
    "compare",
    "--algo",
    "lsga:pop=30,nb-coin",
    "--problem",
    "easy-1,medium-27",
    "--runs",
    "4",
    "--budget",
    "generations=60",
    "--seed",
    "5",
    "--quiet",
];

fn compare(more: &[&str]) -> Reply {
    call(&[&SMALL, more].concat()).expect(0)
}

/// The lines of the small experiment, which is run once for all tests.
fn small() -> Vec<&'static str> {
    static TEXT: OnceLock<String> = OnceLock::new();
    let text = TEXT.get_or_init(|| {
        let dir = Dir::new();
        let out = dir.at("results.jsonl");
        compare(&["--out", &out]);
        std::fs::read_to_string(out).unwrap()
    });
    text.lines().collect()
}

fn objects(lines: &[&str]) -> Vec<Value> {
    let object = |line: &&str| serde_json::from_str(line).unwrap();
    lines.iter().map(object).collect()
}

fn lines(objects: &[Value]) -> String {
    objects.iter().map(|it| format!("{it}\n")).collect()
}

fn read(path: impl AsRef<Path>) -> String {
    std::fs::read_to_string(path).unwrap()
}

/// The report of such a file, whose page is `page.html`.
fn report_of(dir: &Dir, text: &str, more: &[&str]) -> Reply {
    let file = dir.file("given.jsonl", text);
    let page = dir.at("page.html");
    call(&[&["report", &file, "--out", &page], more].concat())
}

/// The cells of a table of a page, row by row.
fn table(page: &str, id: &str) -> Vec<Vec<String>> {
    let start = page.find(&format!("<table id=\"{id}\"")).unwrap();
    let table = &page[start..][..page[start..].find("</table>").unwrap()];
    let body = table.split("<tbody>").nth(1).unwrap();
    let cell = |cell: &str| cell.split_once('>').unwrap().1.to_owned();
    let row = |row: &str| {
        let cells = row.split("</td>").filter(|cell| cell.contains("<td"));
        cells
            .map(|it| cell(&it[it.find("<td").unwrap()..]))
            .collect()
    };
    body.split("</tr>")
        .filter(|it| it.contains("<td"))
        .map(row)
        .collect()
}

fn assert_whole_page(page: &str) {
    for id in FIGURES {
        let start = page.find(&format!("<figure id=\"{id}\">"));
        let start = start.unwrap_or_else(|| panic!("no figure {id}"));
        let figure = &page[start..][..page[start..].find("</figure>").unwrap()];
        assert!(figure.contains("<figcaption>"), "{id}");
        let shown = figure.contains("<svg role=\"img\"") && figure.contains("<text");
        assert!(shown != figure.contains("class=\"empty\""), "{id}");
    }
    for id in ["plan", "success", "pairs", "environment"] {
        assert!(page.contains(&format!("id=\"{id}\"")), "{id}");
    }
    assert!(!page.contains("<script"));
    // Only the name of a vocabulary, which nobody fetches.
    let without_names = page.replace("http://www.w3.org/2000/svg", "");
    assert!(!without_names.contains("http:") && !without_names.contains("https:"));
    assert!(page.ends_with("</html>\n"));
}

#[test]
fn compare_writes_its_page_beside_its_results() {
    let dir = Dir::new();
    let out = dir.at("some.jsonl");
    let reply = compare(&["--out", &out]);
    let page = dir.at("some.html");
    assert!(reply.stderr.contains(&page), "{reply:?}");
    assert_whole_page(&read(&page));
    let again = report_of(&dir, &read(&out), &[]).expect(0);
    assert_eq!(again.stderr, "");
    assert!(again.stdout.contains("page.html: a page of 16 runs"));
    assert_eq!(read(dir.at("page.html")), read(&page));
}

#[test]
fn a_page_shows_plan_and_statistics() {
    let dir = Dir::new();
    report_of(&dir, &small().join("\n"), &["--by", "generations"]).expect(0);
    let page = read(dir.at("page.html"));
    assert_whole_page(&page);
    let contenders = table(&page, "contenders");
    assert_eq!(contenders[0][0], "lsga:pop=30");
    assert_eq!(contenders[0][4], "30");
    assert_eq!(table(&page, "problems").len(), 2);
    assert_eq!(table(&page, "comparisons").len(), 2);
    assert!(page.contains("median generations"));
    let successes = table(&page, "successes");
    let objects = objects(&small()[1..]);
    let solved = |it: &&Value| {
        it["solved"] == true && it["contender"] == "nb-coin" && it["problem"] == "easy-1"
    };
    let expected = format!("{}/4", objects.iter().filter(solved).count());
    assert_eq!(successes[1][2], expected, "{successes:?}");
}

#[test]
fn figures_are_written_as_svg_and_png() {
    let dir = Dir::new();
    let folder = dir.at("figures");
    report_of(&dir, &small().join("\n"), &["--figures", &folder]).expect(0);
    for id in FIGURES {
        let svg = read(format!("{folder}/{id}.svg"));
        assert!(
            svg.starts_with("<svg ") && svg.ends_with("</svg>\n"),
            "{id}"
        );
        assert!(
            svg.contains("<text") && !svg.contains("currentColor"),
            "{id}"
        );
        let png = std::fs::read(format!("{folder}/{id}.png")).unwrap();
        assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"), "{id}");
    }
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 12);
}

#[test]
fn the_table_of_runs_has_a_row_for_each() {
    let dir = Dir::new();
    let csv = dir.at("runs.csv");
    report_of(&dir, &small().join("\n"), &["--csv", &csv]).expect(0);
    let csv = read(csv);
    let rows: Vec<Vec<&str>> = csv.lines().map(|row| row.split(',').collect()).collect();
    assert_eq!(rows.len(), 1 + 16);
    let column = |name: &str| rows[0].iter().position(|&it| it == name).unwrap();
    for object in objects(&small()[1..]) {
        let is_it = |row: &&Vec<&str>| {
            row[column("contender")] == object["contender"]
                && row[column("problem")] == object["problem"]
                && row[column("run")].parse().ok() == object["run"].as_u64()
        };
        let found: Vec<_> = rows.iter().filter(is_it).collect();
        assert_eq!(found.len(), 1);
        for key in [
            "seed",
            "generations",
            "evaluations",
            "solved",
            "pop",
            "goal",
        ] {
            assert_eq!(found[0][column(key)], object[key].to_string(), "{key}");
        }
    }
}

#[test]
fn iohprofiler_gets_the_course_of_every_run() {
    let dir = Dir::new();
    let folder = dir.at("ioh");
    report_of(&dir, &small().join("\n"), &["--ioh", &folder]).expect(0);
    let mut seen = 0;
    let places = [("lsga_pop_30", "lsga:pop=30"), ("nb-coin", "nb-coin")];
    for (contender_folder, contender) in places {
        for (id, problem) in [(1, "easy-1"), (2, "medium-27")] {
            let folder = format!("{folder}/{contender_folder}");
            let info = read(format!("{folder}/IOHprofiler_f{id}_{problem}.json"));
            let info: Value = serde_json::from_str(&info).unwrap();
            assert_eq!(info["algorithm"]["name"], contender);
            assert_eq!(info["function_name"], problem);
            assert_eq!(info["maximization"], false);
            let scenario = &info["scenarios"][0];
            assert_eq!(scenario["dimension"], 9);
            let data = read(format!("{folder}/{}", scenario["path"].as_str().unwrap()));
            let courses: Vec<&str> = data.split("evaluations raw_y\n").skip(1).collect();
            let runs = scenario["runs"].as_array().unwrap();
            assert_eq!((runs.len(), courses.len()), (4, 4));
            for object in objects(&small()[1..]) {
                if object["contender"] != contender || object["problem"] != problem {
                    continue;
                }
                let at = object["run"].as_u64().unwrap() as usize;
                check_course(&object, &runs[at], courses[at]);
                seen += 1;
            }
        }
    }
    assert_eq!(seen, 16);
}

fn check_course(object: &Value, run: &Value, course: &str) {
    let row = |line: &str| {
        let (evaluations, y) = line.split_once(' ').unwrap();
        (evaluations.parse().unwrap(), y.parse().unwrap())
    };
    let rows: Vec<(u64, f64)> = course.lines().map(row).collect();
    assert_eq!(rows[0].0, 1, "readers find the beginning of a run so");
    assert!(
        rows.is_sorted_by(|a, b| a.0 < b.0 && a.1 >= b.1),
        "{rows:?}"
    );
    let improvements = object["improvements"].as_array().unwrap();
    let goal = object["goal"].as_f64().unwrap();
    for it in improvements {
        let row = (it[1].as_u64().unwrap(), it[2].as_f64().unwrap() - goal);
        assert!(rows.contains(&row), "{row:?} {rows:?}");
    }
    let last = rows[rows.len() - 1];
    assert_eq!(last.0, object["evaluations"].as_u64().unwrap());
    assert_eq!(last.1 == 0.0, object["solved"] == true);
    assert_eq!(run["evals"], last.0);
    assert_eq!(run["best"]["y"].as_f64().unwrap(), last.1);
    assert_eq!(run["seed"], object["seed"]);
}

#[test]
fn parts_make_the_same_statistics_as_the_whole() {
    let dir = Dir::new();
    let parts = [dir.at("1.jsonl"), dir.at("2.jsonl")];
    for (part, shard) in parts.iter().zip(["1/2", "2/2"]) {
        compare(&["--shard", shard, "--out", part]);
        assert!(!Path::new(part).with_extension("html").exists());
    }
    let page = dir.at("parts.html");
    let reply = call(&["report", &parts[1], &parts[0], "--out", &page]).expect(0);
    assert_eq!(reply.stderr, "");
    report_of(&dir, &small().join("\n"), &[]).expect(0);
    let [parts, whole] = [read(page), read(dir.at("page.html"))];
    // The last column is the time that a run took.
    let timeless = |page: &str| {
        let mut rows = table(page, "successes");
        rows.iter_mut().for_each(|row| row.truncate(row.len() - 1));
        rows
    };
    assert_eq!(timeless(&parts), timeless(&whole));
    assert_eq!(table(&parts, "comparisons"), table(&whole, "comparisons"));
    let one = call(&["report", &dir.at("1.jsonl"), "--out", &dir.at("one.html")]).expect(0);
    assert!(one.stderr.contains("8 of 16 planned runs are missing"));
    assert!(one.stderr.contains("nb-coin on easy-1: 2 of 4 runs"));
}

#[test]
fn torn_and_repeated_lines_are_named() {
    let dir = Dir::new();
    let mut text = small().join("\n");
    text.truncate(text.len() - 40);
    let torn = report_of(&dir, &text, &[]).expect(0);
    assert!(torn.stderr.contains("given.jsonl:17: cut off"), "{torn:?}");
    assert!(torn.stderr.contains("1 of 16 planned runs are missing"));
    let page = read(dir.at("page.html"));
    assert!(page.contains("given.jsonl:17: cut off") && page.contains("Missing: 1 planned run"));

    let text = format!("{}\n{}\n", small().join("\n"), small()[3]);
    let twice = report_of(&dir, &text, &[]).expect(0);
    let expected = "given.jsonl:18: the same run as in";
    assert!(twice.stderr.contains(expected), "{twice:?}");
    assert!(!twice.stderr.contains("missing"));
    assert!(read(dir.at("page.html")).contains(expected));

    let text = [small(), small()].concat().join("\n");
    let all = report_of(&dir, &text, &[]).expect(0);
    assert_eq!(all.stderr.lines().count(), 16, "{all:?}");
    let text = [small(), small(), small()].concat().join("\n");
    let many = report_of(&dir, &text, &[]).expect(0);
    assert!(many.stderr.contains("and 12 more flaws"), "{many:?}");
}

#[test]
fn what_is_no_results_is_refused_with_a_sentence() {
    let whole = objects(&small());
    let edited = |at: usize, key: &str, value: Value| {
        let mut objects = whole.clone();
        objects[at][key] = value;
        lines(&objects)
    };
    let mut conflict = whole[1].clone();
    conflict["population_hash"] = json!("0123456789abcdef");
    let cases = [
        ("", "is empty"),
        ("hello\n", "expected results of `gpusudoku compare`"),
        ("\u{0}\u{1}\u{2}", "expected results of `gpusudoku compare`"),
        (
            &lines(&whole[1..]),
            "expected results of `gpusudoku compare`",
        ),
        (
            &(lines(&whole) + &conflict.to_string()),
            "has another result",
        ),
        (
            &edited(0, "gpusudoku_results", json!(99)),
            "results of version 99",
        ),
        (
            &edited(0, "program", json!("9.9.9")),
            "written by gpusudoku 9.9.9",
        ),
        (&edited(0, "experiment", json!("0")), "somebody changed it"),
        (&edited(1, "contender", json!("nobody")), "not in the plan"),
        (&edited(1, "run", json!(77)), "not in the plan"),
    ];
    for (text, reason) in cases {
        let dir = Dir::new();
        let reply = report_of(&dir, text, &[]).expect(2);
        assert!(reply.sentence().contains(reason), "{reason}: {reply:?}");
        assert!(!Path::new(&dir.at("page.html")).exists(), "{reason}");
    }
}

#[test]
fn other_experiments_and_missing_files_are_refused() {
    let dir = Dir::new();
    let other = dir.at("other.jsonl");
    let options = [
        "--algo",
        "nb-coin",
        "--problem",
        "easy-1",
        "--runs",
        "1",
        "--quiet",
    ];
    call(&[&["compare", "--out", &other], &options[..]].concat()).expect(0);
    let mixed = report_of(&dir, &small().join("\n"), &[&other]).expect(2);
    assert!(
        mixed.sentence().contains("different experiments"),
        "{mixed:?}"
    );
    let missing = call(&[
        "report",
        &dir.at("none.jsonl"),
        "--out",
        &dir.at("page.html"),
    ])
    .expect(2);
    assert!(missing.sentence().contains("none.jsonl"), "{missing:?}");
    let folder = call(&["report", &dir.at(""), "--out", &dir.at("page.html")]).expect(2);
    assert!(folder.sentence().starts_with("cannot read"), "{folder:?}");
    assert!(!Path::new(&dir.at("page.html")).exists());
}

#[test]
fn what_the_independent_check_rejects_has_a_status_of_its_own() {
    let dir = Dir::new();
    let mut objects = objects(&small());
    let solved = objects.iter().position(|it| it["solved"] == true).unwrap();
    let solution = objects[solved]["solution"].as_str().unwrap().to_owned();
    // Every 1 becomes a 2 and every 2 a 1: a solved grid, but not of this puzzle.
    let swapped = solution
        .replace('1', "x")
        .replace('2', "1")
        .replace('x', "2");
    objects[solved]["solution"] = json!(swapped);
    let tampered = report_of(&dir, &lines(&objects), &[]).expect(4);
    assert!(
        tampered
            .sentence()
            .contains("the independent check rejects it")
    );
    assert!(!Path::new(&dir.at("page.html")).exists());

    objects[solved]["solution"] = Value::Null;
    objects[solved]["solved"] = json!(false);
    objects[solved]["verified"] = json!(false);
    objects[solved]["solved_by"] = Value::Null;
    objects[solved]["rejected"] = json!("row 1 has no 1");
    let rejected = report_of(&dir, &lines(&objects), &[]).expect(4);
    assert!(rejected.stderr.contains("row 1 has no 1"), "{rejected:?}");
    let page = read(dir.at("page.html"));
    assert!(page.contains("id=\"rejected\"") && page.contains("row 1 has no 1"));
}

#[test]
fn what_cannot_be_written_is_told_and_nothing_is_left() {
    let dir = Dir::new();
    let given = dir.file("given.jsonl", small().join("\n"));
    let nowhere = dir.at("none/x");
    let page = dir.at("page.html");
    let full = dir.at("full");
    std::fs::create_dir(&full).unwrap();
    dir.file("full/file", "");
    let cases: [&[&str]; 6] = [
        &["--out", &nowhere],
        &["--out", dir.path().to_str().unwrap()],
        &["--out", &page, "--csv", &nowhere],
        &["--out", &page, "--figures", &nowhere],
        &["--out", &page, "--ioh", &nowhere],
        &["--out", &page, "--ioh", &full],
    ];
    for options in cases {
        let reply = call(&[&["report", &given], options].concat()).expect(2);
        assert_eq!(reply.stderr.lines().count(), 1, "{reply:?}");
        assert!(
            reply.stderr.starts_with("gpusudoku: cannot write"),
            "{reply:?}"
        );
    }
    #[cfg(target_os = "linux")]
    {
        let reply = call(&["report", &given, "--out", "/dev/full"]).expect(2);
        assert!(
            reply.sentence().starts_with("cannot write /dev/full"),
            "{reply:?}"
        );
        assert!(!Path::new("/dev/full").is_file());
    }
    let names = std::fs::read_dir(dir.path()).unwrap();
    let mut names: Vec<_> = names.map(|it| it.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["full", "given.jsonl", "page.html"]);
}

#[test]
fn measurements_of_engines_take_the_place_of_the_speed_of_runs() {
    let dir = Dir::new();
    let row = |engine: &str, size: u64, pop: u64, rate: Option<f64>| {
        json!({
            "workload": "lsga", "size": size, "pop": pop, "engine": engine,
            "software": engine == "llvmpipe", "individuals_per_second": rate,
            "skipped": rate.is_none().then_some("too slow"), "further": 1,
        })
    };
    let bench = json!({"version": "0.1.0", "debug_build": false, "rows": [
        row("1 thread", 9, 100, Some(1e6)),
        row("1 thread", 16, 1000, Some(2e5)),
        row("llvmpipe", 9, 100, Some(5e4)),
        row("llvmpipe", 16, 1000, None),
    ]});
    let text = small().join("\n");
    let file = dir.file("bench.json", bench.to_string());
    report_of(&dir, &text, &["--bench", &file]).expect(0);
    let page = read(dir.at("page.html"));
    assert_whole_page(&page);
    assert!(page.contains("llvmpipe, software adapter"));
    assert!(page.contains("says nothing of a GPU: llvmpipe"));
    assert!(page.contains("1 of 4 measurements were skipped"));

    let without = |key: &str| {
        let mut bench = bench.clone();
        bench["rows"][2].as_object_mut().unwrap().remove(key);
        bench.to_string()
    };
    let cases = [
        ("{}".to_owned(), "missing field `rows`"),
        ("nothing".to_owned(), "line 1"),
        (json!({"rows": []}).to_string(), "empty"),
        (without("engine"), "missing field `engine`"),
        (without("individuals_per_second"), "row 3 has neither"),
    ];
    for (content, reason) in cases {
        let file = dir.file("bench.json", content);
        let reply = report_of(&dir, &text, &["--bench", &file]).expect(2);
        assert!(reply.sentence().contains(reason), "{reply:?}");
        assert!(
            reply.sentence().contains("bench --format json"),
            "{reply:?}"
        );
    }
}

#[test]
fn results_without_anything_to_show_say_so() {
    let dir = Dir::new();
    let none = report_of(&dir, small()[0], &[]).expect(0);
    assert!(none.stderr.contains("16 of 16 planned runs are missing"));
    let page = read(dir.at("page.html"));
    assert_whole_page(&page);
    assert!(page.contains("No run is finished."));

    let queens = dir.at("queens.jsonl");
    let options = [
        "--algo",
        "min-conflicts",
        "--problem",
        "queens:8,torus:4",
        "--runs",
        "2",
    ];
    let more = ["--budget", "generations=3", "--quiet", "--out", &queens];
    call(&[&["compare"], &options[..], &more].concat()).expect(0);
    let page = read(dir.at("queens.html"));
    assert_whole_page(&page);
    assert!(page.contains("different numbers of givens"));
    assert!(page.contains("No two contenders"));
}

#[test]
fn names_from_files_are_only_names() {
    let dir = Dir::new();
    let grid = small();
    let grid = objects(&grid[..1]);
    let text = grid[0]["design"]["problems"][0]["puzzle"].as_str().unwrap();
    let puzzle = dir.file("<img src=x onerror=alert(1)> & \"co\".txt", text);
    let out = dir.at("odd.jsonl");
    let options = [
        "--algo",
        "nb-coin",
        "--runs",
        "1",
        "--quiet",
        "--problem",
        &puzzle,
    ];
    call(&[&["compare", "--out", &out], &options[..]].concat()).expect(0);
    let page = read(dir.at("odd.html"));
    assert_whole_page(&page);
    assert!(!page.contains("<img"));
    assert!(page.contains("&lt;img src=x onerror=alert(1)&gt; &amp; &quot;co&quot;.txt"));
}
