//! Which format a text is in, from the text alone.

use super::alphabet::{MAX_SIZE, fits_small};
use super::error::Place;
use super::source::{self, Line, Token};
use super::{Format, ReadOptions, dimacs, fields, framed, line, listed, shape};

/// The format of a text, or the one whose reader tells best what is wrong with it.
pub(super) fn recognise(text: &str, options: &ReadOptions) -> Format {
    if text.trim_start().starts_with('<') {
        Format::OpenSudoku
    } else if is_dimacs(text) {
        Format::Dimacs
    } else if text.lines().any(framed::is_framed_row) {
        Format::Framed
    } else if source::lines(text).any(|line| framed::is_barred_row(line.text)) {
        Format::Ss
    } else if listed::is_list(text) {
        Format::Json
    } else if fields::separator(text).is_some() {
        Format::Csv
    } else if line::is_grouped(text) {
        Format::Line
    } else if is_numbers(text) {
        numbers(text)
    } else {
        characters(text, options)
    }
}

/// The first line that is no comment announces a graph.
fn is_dimacs(text: &str) -> bool {
    text.lines()
        .map(str::split_whitespace)
        .filter_map(|mut words| Some((words.next()?, words.next().unwrap_or_default())))
        .find(|&(first, _)| first != "c")
        .is_some_and(|(first, second)| dimacs::is_header(first, second))
}

/// Nothing but numbers and blanks, more than one somewhere in a line; or a lone number, which
/// is a Latin square without givens.
pub(super) fn is_numbers(text: &str) -> bool {
    // A longer run of digits is a row of cells.
    let short = |token: Token| token.text.len() <= 3 && token.number().is_some();
    let blank = |token: Token| matches!(token.text, "." | "*" | "_" | "-" | "?" | "X" | "x" | "-1");
    let all = |line: Line| line.tokens().all(|token| short(token) || blank(token));
    let alone = source::lines(text).nth(1).is_none();
    let several = |line: Line| line.tokens().nth(1).is_some();
    source::lines(text).all(all) && (alone || source::lines(text).any(several)) && !is_grouped(text)
}

/// Rows like `530 070 000`: the characters make a square, the numbers do not.
fn is_grouped(text: &str) -> bool {
    let rows = source::lines(text).count();
    let square = |count: fn(&Line) -> usize| source::lines(text).all(|line| count(&line) == rows);
    square(|line| line.symbols().count()) && !square(|line| line.tokens().count())
}

/// The count of the numbers tells grids from Lloyd & Amos's form: b^4 + 2 is no square. A list
/// of triples may have as many numbers as a grid, but it has one alone in its first line.
fn numbers(text: &str) -> Format {
    let widths = || source::lines(text).map(|line| line.tokens().count());
    let tokens = || source::lines(text).flat_map(Line::tokens);
    let total: usize = widths().sum();
    let order = tokens().next().and_then(Token::number).unwrap_or(0);
    let cells = order.checked_pow(4).unwrap_or(usize::MAX);
    let headed = widths().next() == Some(1);
    // Two full grids of 3x3 have as many numbers as one of 4x4 in that form, but they have rows.
    let width = widths().next().unwrap_or(0);
    let rows = widths().count();
    let are_rows = width > 1 && rows % width == 0 && widths().all(|other| other == width);
    if cells.checked_add(2) == Some(total) && !are_rows {
        Format::LloydAmos
    } else if !headed {
        Format::Canonical
    } else if widths().nth(1) == Some(1) || tokens().any(|token| token.text == "-1") {
        Format::LloydAmos
    } else if shape::side(total).is_some() && widths().skip(1).any(|width| width != 3) {
        Format::Canonical
    } else {
        Format::Triples
    }
}

/// Puzzles in a line each, or puzzles of several rows.
fn characters(text: &str, options: &ReadOptions) -> Format {
    let first_words = || source::lines(text).filter_map(|line| line.tokens().next());
    let widths = || source::lines(text).map(|line| line.symbols().count());
    let rows = widths().count();
    let width = widths().next().unwrap_or(0);
    let word = first_words()
        .next()
        .map_or(0, |word| word.text.chars().count());
    if rows == 1 || word > MAX_SIZE {
        return Format::Line;
    }
    let commented = source::lines(text).any(|line| line.comment.is_some());
    let are_rows = !commented && rows.is_multiple_of(width) && widths().all(|other| other == width);
    // Lines of 16, 25 or 36 characters may also be small grids, if their digits are small.
    let Some(size) =
        shape::side(word).filter(|&size| fits_small(first_words().flat_map(Token::symbols), size))
    else {
        return Format::Sdk;
    };
    let are_lines = if are_rows {
        // Below 4x4 there are only Latin squares, and one 9x9 grid is likelier than nine of
        // those; without a digit, one empty grid is likelier than many.
        let has_digit = first_words().any(|word| word.text.contains(|c| ('1'..='9').contains(&c)));
        size >= 4 && has_digit && shape::geometry(size, options, Place::NOWHERE).is_ok()
    } else {
        size >= 4 || options.latin
    };
    if are_lines { Format::Line } else { Format::Sdk }
}
