//! `check`.

use proptest::prelude::*;

use super::support::*;

const CONTRADICTION: &str = "11..............";
const NO_SOLUTION: &str = "123....4........";

fn check(text: &str) -> Reply {
    call_with(&["check", "-"], text.as_bytes())
}

#[test]
fn every_built_in_has_exactly_one_solution() {
    let known = known();
    let names: Vec<_> = known.iter().map(|known| known.name).collect();
    let text = call(&[&["check"], &names[..]].concat()).expect(0);
    assert_eq!(text.stderr, "");
    assert_eq!(
        text.stdout.matches("exactly one solution").count(),
        known.len()
    );
    let args = [&["check", "--format", "json"], &names[..]].concat();
    let verdicts = call(&args).expect(0).objects();
    assert_eq!(verdicts.len(), known.len());
    for (verdict, known) in verdicts.iter().zip(&known) {
        let keys: Vec<_> = verdict.as_object().unwrap().keys().collect();
        let wanted = [
            "problem",
            "size",
            "box",
            "givens",
            "valid",
            "solved",
            "solutions",
            "solution",
            "verdict",
        ];
        assert_eq!(keys, wanted);
        assert_eq!(verdict["problem"], known.name);
        assert_eq!(
            (count(verdict, "size"), count(verdict, "givens")),
            (9, known.givens)
        );
        assert_eq!(verdict["box"], "3x3");
        assert_eq!(
            (&verdict["valid"], &verdict["solved"]),
            (&true.into(), &false.into())
        );
        assert_eq!(verdict["solutions"], "1");
        assert_eq!(verdict["solution"], known.solution);
    }
}

#[test]
fn a_solved_grid_is_told_from_a_wrong_one() {
    let solution = known_as("sd1").solution;
    let reply = check(solution).expect(0);
    assert!(reply.stdout.contains("solved, and valid"), "{reply:?}");
    assert_eq!(verdict(solution, &[])["solved"], true);
    let wrong = format!("9{}", &solution[1..]);
    let reply = check(&wrong).expect(1);
    assert!(reply.stdout.contains("wrong"), "{reply:?}");
    let verdict = verdict(&wrong, &[]);
    assert_eq!(
        (&verdict["solved"], &verdict["valid"]),
        (&false.into(), &false.into())
    );
}

#[test]
fn the_number_of_solutions_is_counted() {
    let reply = check(&".".repeat(16)).expect(0);
    assert!(reply.stdout.contains("two solutions or more"), "{reply:?}");
    assert_eq!(verdict(&".".repeat(16), &[])["solutions"], "2+");
    let reply = check(NO_SOLUTION).expect(1);
    assert!(reply.stdout.contains("no solution"), "{reply:?}");
    assert_eq!(verdict(NO_SOLUTION, &[])["solutions"], "0");
    let deadly = known_as("easy-1").solution.replace(['1', '2'], ".");
    assert_eq!(
        verdict(&deadly, &[])["solutions"],
        "2+",
        "1 and 2 can change places"
    );
}

#[test]
fn contradicting_givens_are_a_verdict_and_said_once() {
    let reply = check(CONTRADICTION).expect(1);
    assert_eq!(reply.stderr, "", "{reply:?}");
    assert_eq!(reply.stdout.matches("contradict").count(), 1, "{reply:?}");
    assert!(reply.stdout.contains("row 1"), "{reply:?}");
    let reply = call_with(
        &["check", "--format", "json", "-"],
        CONTRADICTION.as_bytes(),
    )
    .expect(1);
    for verdict in reply.objects() {
        assert_eq!(
            (&verdict["valid"], &verdict["solutions"]),
            (&false.into(), &"0".into())
        );
    }
}

#[test]
fn solutions_are_counted_as_far_as_wanted() {
    let empty = ".".repeat(16);
    let solutions =
        |text: &str, count: &str| verdict(text, &["--count", count])["solutions"].clone();
    assert_eq!(solutions(&empty, "1"), "1+");
    assert_eq!(solutions(&empty, "2"), "2+");
    assert_eq!(solutions(&empty, "100"), "100+");
    // All there are, a number that everybody gets.
    assert_eq!(solutions(&empty, "288"), "288+");
    assert_eq!(solutions(&empty, "289"), "288");
    assert_eq!(solutions(NO_SOLUTION, "10"), "0");
    assert_eq!(solutions(known_as("sd3").puzzle, "10"), "1");
    assert_eq!(solutions(known_as("sd3").solution, "10"), "1");
    let said = call_with(&["check", "--count", "1000", "-"], empty.as_bytes()).expect(0);
    assert!(said.stdout.contains("exactly 288 solutions"), "{said:?}");
    let few = ["--count", "1000", "--max-nodes", "40"];
    let cut = verdict(&empty, &few);
    let count = cut["solutions"]
        .as_str()
        .unwrap()
        .strip_suffix('+')
        .unwrap();
    assert!((1..288).contains(&count.parse::<u32>().unwrap()), "{cut}");
    assert!(
        cut["verdict"].as_str().unwrap().contains("--max-nodes"),
        "{cut}"
    );
    call(&["check", "--count", "0", "sd1"]).expect(2);
}

#[test]
fn every_file_gets_its_verdict_and_the_worst_decides() {
    let dir = Dir::new();
    let good = dir.file("good.txt", known_as("sd1").solution);
    let binary = dir.file("binary.txt", [0xff, 0, 1, 0x80]);
    let unsolvable = dir.file("unsolvable.txt", NO_SOLUTION);
    let missing = dir.at("missing.txt");
    let reply = call(&["check", "sd3", &binary, &good, &missing, &unsolvable]).expect(2);
    let verdicts: Vec<_> = reply.stdout.lines().collect();
    assert_eq!(verdicts.len(), 3, "{reply:?}");
    for (verdict, name) in verdicts.iter().zip(["sd3", &good, &unsolvable]) {
        assert!(verdict.starts_with(name), "{verdict}");
    }
    let faults: Vec<_> = reply.stderr.lines().collect();
    assert_eq!(faults.len(), 2, "{reply:?}");
    assert!(
        faults[0].contains(&binary) && faults[1].contains(&missing),
        "{reply:?}"
    );
    call(&["check", "sd3", &good, &unsolvable]).expect(1);
    call(&["check", &good, "sd3"]).expect(0);
}

#[test]
fn options_may_follow_the_files() {
    let before = call(&["check", "--format", "json", "sd1", "sd2"]).expect(0);
    let after = call(&["check", "sd1", "sd2", "--format", "json"]).expect(0);
    assert_eq!(after.stdout, before.stdout);
    let dir = Dir::new();
    let file = dir.file("latin.txt", blank(5));
    call(&["check", &file, "--latin"]).expect(0);
}

#[test]
fn nothing_to_check_is_bad_usage() {
    let reply = call(&["check"]).expect(2);
    assert!(
        reply.stdout.is_empty() && reply.stderr.contains("FILE"),
        "{reply:?}"
    );
}

#[test]
fn a_count_given_up_is_not_called_a_count() {
    let verdict = verdict(known_as("sd3").puzzle, &["--max-nodes", "0"]);
    let solutions = verdict["solutions"].as_str().unwrap();
    assert!(["1", "1+", "unknown"].contains(&solutions), "{verdict}");
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 24,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Two solutions differ in at least four cells.
    #[test]
    fn up_to_three_blanks_leave_one_solution(
        known in 0usize..12, blanks in prop::collection::btree_set(0usize..81, 1..=3),
    ) {
        let solution = super::support::known()[known].solution;
        let blanked = |(at, digit)| if blanks.contains(&at) { '.' } else { digit };
        let puzzle: String = solution.chars().enumerate().map(blanked).collect();
        let verdict = verdict(&puzzle, &[]);
        prop_assert_eq!(&verdict["solutions"], "1");
        prop_assert_eq!(&verdict["solution"], solution);
        prop_assert_eq!(count(&verdict, "givens"), 81 - blanks.len() as u64);
    }

    #[test]
    fn one_changed_cell_spoils_a_solution(
        known in 0usize..12, at in 0usize..81, step in 1u8..9,
    ) {
        let mut cells = super::support::known()[known].solution.as_bytes().to_vec();
        cells[at] = (cells[at] - b'1' + step) % 9 + b'1';
        let reply = check(std::str::from_utf8(&cells).unwrap());
        prop_assert_eq!(reply.code, 1, "{:?}", reply);
    }

    #[test]
    fn any_bytes_get_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let reply = call_with(&["check", "-"], &bytes);
        prop_assert!((0..=2).contains(&reply.code), "{:?}", reply);
        prop_assert!(reply.stdout.is_empty() != reply.stderr.is_empty(), "{:?}", reply);
    }

    #[test]
    fn any_text_of_cells_gets_an_answer(text in "[-0-9A-G.|+*# \n,x_]{0,120}") {
        let reply = call_with(&["check", "-"], text.as_bytes());
        prop_assert!((0..=2).contains(&reply.code), "{:?}", reply);
        prop_assert!(reply.stdout.is_empty() != reply.stderr.is_empty(), "{:?}", reply);
    }
}
