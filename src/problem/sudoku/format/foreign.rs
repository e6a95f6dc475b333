//! Forms that other programs share puzzles in and that are not read: told by name.
//!
//! They hold the rules of variants as well as givens, packed. Who read the givens alone would
//! solve another puzzle and call it solved.

/// What a text is, if it is one of these.
pub(super) fn form(text: &str) -> Option<&'static str> {
    let text = text.trim_start();
    let begins = |beginnings: &[&str]| beginnings.iter().any(|it| text.starts_with(it));
    // Links may have anything behind the name of the site.
    let site = text.split_whitespace().next().unwrap_or_default();
    let site = &site[..site.find('?').unwrap_or(site.len())];
    let linked = |sites: &[&str]| sites.iter().any(|it| site.contains(it));
    if linked(&["f-puzzles.com"]) || begins(&["fpuzzles", "fpuz"]) {
        Some("a link or text of f-puzzles")
    } else if linked(&["sudokupad", "crackingthecryptic"]) || begins(&["scl", "scf", "ctc"]) {
        Some("a link or text of SudokuPad")
    } else if begins(&["SCv"]) || linked(&["sudoku.coach"]) {
        Some("a link or text of sudoku.coach")
    } else if begins(&["N4Ig"]) {
        // How a JSON object begins when lz-string has packed it.
        Some("packed JSON, as f-puzzles writes it")
    } else if begins(&["http://", "https://"]) {
        Some("a link")
    } else if begins(&["{"]) && text.contains(':') {
        Some("a JSON object")
    } else {
        None
    }
}
