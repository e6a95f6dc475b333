//! Problems and answers as pictures to print: pages of SVG with one or several of them.
//!
//! A page is A4, in units of a millimetre. Givens are bold on a tint, so that they stand apart without
//! colour as well; answers are blue. Pictures of one page have one size.

use std::fmt::Write as _;

use super::sudoku::format::{Alphabet, escaped, shortened, spelled_digit};
use super::{Answer, BoxShape, Grid, Placement, Problem};

/// The widest board of queens that is drawn: the squares of a wider one would be as small as its lines.
pub const MAX_BOARD: usize = 64;

/// A page.
const WIDTH: f64 = 210.0;
const HEIGHT: f64 = 297.0;

/// Around everything on a page, and between pictures.
const MARGIN: f64 = 12.0;
const GAP: f64 = 8.0;

/// Height of a title and the space below it.
const TITLE: f64 = 4.0;
const TITLED: f64 = 7.0;

/// The blue of answers, the ink of everything else, and what is behind givens and dark squares.
const ANSWER: &str = "#0072b2";
const INK: &str = "#1b1d1f";
const TINT: &str = "#e4e4e0";

/// What is drawn.
#[derive(Debug, Clone)]
enum Scene {
    Grid {
        grid: Grid,
        /// The cells that stand apart; all of them if there is no answer.
        givens: Option<Grid>,
        alphabet: Option<Alphabet>,
    },
    Board(Placement),
}

/// One problem or answer with a title.
#[derive(Debug, Clone)]
pub struct Picture {
    title: String,
    scene: Scene,
}

impl Picture {
    /// A puzzle, with as much to fill in as it has.
    pub fn puzzle(title: impl Into<String>, grid: Grid, alphabet: Option<Alphabet>) -> Self {
        let scene = Scene::Grid {
            grid,
            givens: None,
            alphabet,
        };
        let title = title.into();
        Self { title, scene }
    }

    /// A problem with its answer, or without if there is none. Queens need one.
    ///
    /// ```
    /// use gpusudoku::problem::Answer;
    /// use gpusudoku::problem::picture::{Picture, pages};
    /// use gpusudoku::problem::sudoku::builtin;
    ///
    /// let escargot = builtin::find("ai-escargot").unwrap();
    /// let problem = escargot.puzzle().clone().into();
    /// let answer = Answer::Grid(escargot.solution().clone());
    /// let picture = Picture::of(&problem, Some(&answer), "AI Escargot").unwrap();
    /// assert!(pages(&[picture])[0].contains("AI Escargot"));
    /// ```
    pub fn of(
        problem: &Problem,
        answer: Option<&Answer>,
        title: impl Into<String>,
    ) -> Option<Self> {
        let title = title.into();
        let scene = match (problem, answer) {
            (Problem::Sudoku(puzzle), None) => {
                let givens = puzzle.givens().clone();
                return Some(Self::puzzle(title, givens, puzzle.alphabet()));
            }
            (Problem::Sudoku(puzzle), Some(Answer::Grid(grid))) => Scene::Grid {
                grid: grid.clone(),
                givens: Some(puzzle.givens().clone()),
                alphabet: puzzle.alphabet(),
            },
            (Problem::Queens(_), Some(Answer::Placement(queens)))
                if queens.rows().len() <= MAX_BOARD =>
            {
                Scene::Board(queens.clone())
            }
            _ => return None,
        };
        Some(Self { title, scene })
    }

    /// Cells or squares of a side.
    fn size(&self) -> usize {
        match &self.scene {
            Scene::Grid { grid, .. } => grid.geometry().size(),
            Scene::Board(queens) => queens.rows().len(),
        }
    }
}

/// How many pictures of this size a page has room for at the most.
fn room(size: usize) -> usize {
    match size {
        0..=6 => 12,
        7..=16 => 6,
        17..=25 => 2,
        _ => 1,
    }
}

/// How many pages there will be of so many pictures whose largest has this size.
pub fn count_pages(pictures: usize, size: usize) -> usize {
    pictures.div_ceil(room(size))
}

/// Pages with all pictures in their order, several on each as far as they stay legible.
pub fn pages(pictures: &[Picture]) -> Vec<String> {
    let largest = pictures.iter().map(Picture::size).max().unwrap_or(0);
    pictures.chunks(room(largest)).map(page).collect()
}

/// Columns and rows for so many pictures.
fn arrangement(count: usize) -> (usize, usize) {
    match count {
        0 | 1 => (1, 1),
        2 => (1, 2),
        3 | 4 => (2, 2),
        5 | 6 => (2, 3),
        _ => (3, 4),
    }
}

fn page(pictures: &[Picture]) -> String {
    let (columns, rows) = arrangement(pictures.len());
    let share = |length: f64, count: usize| {
        let count = count as f64;
        (length - 2.0 * MARGIN - GAP * (count - 1.0)) / count
    };
    let side = share(WIDTH, columns).min(share(HEIGHT, rows) - TITLED);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}mm\" height=\"{HEIGHT}mm\" \
         viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\" \
         text-anchor=\"middle\" stroke-linecap=\"square\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
    );
    let across = columns as f64 * (side + GAP) - GAP;
    for (at, picture) in pictures.iter().enumerate() {
        let (column, row) = (at % columns, at / columns);
        let x = (WIDTH - across) / 2.0 + column as f64 * (side + GAP);
        let y = MARGIN + row as f64 * (side + TITLED + GAP);
        picture.draw(&mut svg, x, y, side);
    }
    svg.push_str("</svg>\n");
    svg
}

/// A number without more digits than a printer can show.
fn short(number: f64) -> String {
    let text = format!("{number:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    text.to_owned()
}

impl Picture {
    fn draw(&self, svg: &mut String, x: f64, y: f64, side: f64) {
        // A long name must not run into its neighbour: about .6 of its height is a letter's width.
        let letters = self.title.chars().count().max(1) as f64;
        let size = TITLE.min(side / letters / 0.6);
        let title = escaped(&shortened(&self.title));
        push(
            svg,
            format_args!(
                "<g transform=\"translate({} {})\">\n<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{INK}\">{title}</text>\n",
                short(x),
                short(y + TITLED),
                short(side / 2.0),
                short(TITLE - TITLED),
                short(size)
            ),
        );
        match &self.scene {
            Scene::Grid {
                grid,
                givens,
                alphabet,
            } => draw_grid(svg, side, grid, givens.as_ref(), *alphabet),
            Scene::Board(queens) => draw_board(svg, side, queens),
        }
        svg.push_str("</g>\n");
    }
}

/// Writing to a text cannot fail.
fn push(svg: &mut String, text: std::fmt::Arguments<'_>) {
    let written = svg.write_fmt(text);
    debug_assert!(written.is_ok());
}

fn square(svg: &mut String, cell: f64, row: usize, col: usize) {
    push(
        svg,
        format_args!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n",
            short(col as f64 * cell),
            short(row as f64 * cell),
            short(cell),
            short(cell)
        ),
    );
}

/// Lines across and down after every so many cells.
fn lines(svg: &mut String, side: f64, size: usize, every: (usize, usize), width: f64) {
    let cell = side / size as f64;
    let mut path = String::new();
    for at in (0..=size).step_by(every.0) {
        push(
            &mut path,
            format_args!("M0 {}H{}", short(at as f64 * cell), short(side)),
        );
    }
    for at in (0..=size).step_by(every.1) {
        push(
            &mut path,
            format_args!("M{} 0V{}", short(at as f64 * cell), short(side)),
        );
    }
    push(
        svg,
        format_args!(
            "<path d=\"{path}\" fill=\"none\" stroke=\"{INK}\" stroke-width=\"{}\"/>\n",
            short(width)
        ),
    );
}

fn draw_grid(
    svg: &mut String,
    side: f64,
    grid: &Grid,
    givens: Option<&Grid>,
    alphabet: Option<Alphabet>,
) {
    let size = grid.geometry().size();
    let alphabet = alphabet.filter(|alphabet| alphabet.reaches(size));
    let cell = side / size as f64;
    let cells = || (0..size * size).map(|at| (at / size, at % size));
    let is_given = |row: usize, col: usize| givens.is_none_or(|givens| givens.at(row, col) != 0);
    if givens.is_some() {
        push(svg, format_args!("<g fill=\"{TINT}\">\n"));
        for (row, col) in cells().filter(|&(row, col)| is_given(row, col)) {
            square(svg, cell, row, col);
        }
        svg.push_str("</g>\n");
    }
    // Two digits are wider than high.
    let digits = match alphabet {
        Some(_) => 1,
        None => size.to_string().len(),
    };
    let height = cell * [0.66, 0.56, 0.4][digits.min(3) - 1];
    for (given, look) in [
        (true, format!("fill=\"{INK}\" font-weight=\"bold\"")),
        (false, format!("fill=\"{ANSWER}\"")),
    ] {
        push(
            svg,
            format_args!("<g {look} font-size=\"{}\">\n", short(height)),
        );
        for (row, col) in cells().filter(|&(row, col)| is_given(row, col) == given) {
            let digit = grid.at(row, col);
            if digit != 0 {
                push(
                    svg,
                    format_args!(
                        "<text x=\"{}\" y=\"{}\">{}</text>\n",
                        // Digits are about .73 of an em high.
                        short((col as f64 + 0.5) * cell),
                        short((row as f64 + 0.5) * cell + height * 0.365),
                        spelled_digit(digit, alphabet)
                    ),
                );
            }
        }
        svg.push_str("</g>\n");
    }
    lines(svg, side, size, (1, 1), (cell * 0.03).clamp(0.05, 0.25));
    let BoxShape { rows, cols } = grid.geometry().boxes().unwrap_or(BoxShape {
        rows: size,
        cols: size,
    });
    lines(svg, side, size, (rows, cols), (cell * 0.1).clamp(0.25, 0.9));
}

/// A crown in a square of side 1.
const CROWN: &str = "M.2 .8H.8L.88 .3L.66 .52L.5 .18L.34 .52L.12 .3Z";

fn draw_board(svg: &mut String, side: f64, queens: &Placement) {
    let size = queens.rows().len();
    let cell = side / size as f64;
    push(svg, format_args!("<g fill=\"{TINT}\">\n"));
    for at in (0..size * size).filter(|at| (at / size + at % size) % 2 == 1) {
        square(svg, cell, at / size, at % size);
    }
    push(svg, format_args!("</g>\n<g fill=\"{INK}\">\n"));
    for (col, &row) in queens.rows().iter().enumerate() {
        push(
            svg,
            format_args!(
                "<path d=\"{CROWN}\" transform=\"translate({} {}) scale({})\"/>\n",
                short(col as f64 * cell),
                short(f64::from(row) * cell),
                short(cell)
            ),
        );
    }
    svg.push_str("</g>\n");
    lines(svg, side, size, (size, size), (cell * 0.1).clamp(0.25, 0.9));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::sudoku::builtin;
    use crate::problem::{Geometry, Queens, Surface};

    fn texts(page: &str) -> usize {
        page.matches("<text ").count()
    }

    /// Every page is XML.
    fn checked(pages: Vec<String>) -> Vec<String> {
        for page in &pages {
            roxmltree::Document::parse(page).unwrap();
        }
        pages
    }

    #[test]
    fn every_digit_is_drawn_and_givens_stand_apart() {
        let known = builtin::find("sd2").unwrap();
        let problem = Problem::from(known.puzzle().clone());
        let answer = Answer::Grid(known.solution().clone());
        let empty = checked(pages(&[Picture::of(&problem, None, "a").unwrap()]));
        assert_eq!(texts(&empty[0]), 1 + 23);
        assert!(!empty[0].contains(TINT));
        let solved = checked(pages(&[Picture::of(&problem, Some(&answer), "a").unwrap()]));
        assert_eq!(texts(&solved[0]), 1 + 81);
        // The page, and a square behind each given.
        assert_eq!(solved[0].matches("<rect ").count(), 1 + 23);
        let answers = solved[0].split(ANSWER).nth(1).unwrap();
        assert_eq!(texts(answers), 81 - 23);
    }

    #[test]
    fn all_sizes_have_room_and_titles_are_escaped() {
        for geometry in [
            Geometry::usual(4),
            Geometry::sudoku(3, 2),
            Geometry::usual(64),
            Geometry::latin(7),
            Geometry::latin(128),
        ] {
            let geometry = geometry.unwrap();
            let size = geometry.size();
            let cells = (0..geometry.cells())
                .map(|at| (at % size) as u8 + 1)
                .collect();
            let grid = Grid::new(geometry, cells).unwrap();
            let picture = Picture::puzzle("<a & \"b\">", grid, None);
            let found = checked(pages(&[picture]));
            assert_eq!(texts(&found[0]), 1 + size * size);
            assert!(found[0].contains("&lt;a &amp; "));
        }
    }

    #[test]
    fn many_pictures_take_many_pages() {
        let grid = Grid::new(Geometry::usual(9).unwrap(), vec![0; 81]).unwrap();
        let pictures = vec![Picture::puzzle("p", grid, None); 13];
        let found = checked(pages(&pictures));
        assert_eq!(found.len(), count_pages(13, 9));
        assert_eq!(
            found.iter().map(|page| texts(page)).collect::<Vec<_>>(),
            [6, 6, 1]
        );
    }

    #[test]
    fn characters_of_an_alphabet_are_drawn() {
        let mut cells = vec![0; 256];
        cells[0] = 16;
        let grid = Grid::new(Geometry::usual(16).unwrap(), cells).unwrap();
        let page = pages(&[Picture::puzzle("hex", grid, Some(Alphabet::DigitsFromZero))]).remove(0);
        assert!(page.contains(">F</text>"), "{page}");
    }

    #[test]
    fn queens_stand_on_a_board() {
        let problem = Problem::from(Queens::new(4, Surface::Board).unwrap());
        let answer = Answer::Placement(Placement::new(vec![1, 3, 0, 2]));
        let page = checked(pages(&[
            Picture::of(&problem, Some(&answer), "queens:4").unwrap()
        ]))
        .remove(0);
        assert_eq!(page.matches(CROWN).count(), 4);
        assert!(Picture::of(&problem, None, "").is_none());
    }
}
