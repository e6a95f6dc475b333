//! `.ss`, Simple Sudoku's text: rows like `1..|.7.|.9.` with rulers between the bands.
//!
//! Reading is that of every other frame; see [`mod@super::framed`].

use super::{BoxShape, Entry, Grid};

pub(super) fn write(entries: &[Entry]) -> String {
    let grids: Vec<_> = entries
        .iter()
        .filter_map(|entry| Some(grid(&entry.grid, entry.grid.geometry().boxes()?)))
        .collect();
    grids.join("\n")
}

fn grid(grid: &Grid, boxes: BoxShape) -> String {
    let size = grid.geometry().size();
    let ruler = format!("{}\n", "-".repeat(size + size / boxes.cols - 1));
    let bands: Vec<String> = grid
        .cells()
        .chunks(size * boxes.rows)
        .map(|band| {
            band.chunks(size)
                .map(|row| format!("{}\n", bars(row, boxes.cols)))
                .collect()
        })
        .collect();
    bands.join(&ruler)
}

fn bars(row: &[u8], cols: usize) -> String {
    let parts: Vec<String> = row
        .chunks(cols)
        .map(|part| {
            part.iter()
                .map(|&digit| super::line::character(digit, None))
                .collect()
        })
        .collect();
    parts.join("|")
}

#[cfg(test)]
mod tests {
    use super::super::{Format, Geometry, ReadOptions, read, read_one, write};

    const SIMPLE: &str = "1..|.7.|.9.\n.3.|.2.|..8\n..9|6..|5..\n-----------\n..5|3..|9..\n\
                          .1.|.8.|..2\n6..|..4|...\n-----------\n3..|...|.1.\n.4.|...|..7\n\
                          ..7|...|3..\n";

    #[test]
    fn bars_and_rulers_are_not_cells() {
        let usual = ReadOptions::default();
        let entry = read_one(SIMPLE.as_bytes(), &usual).unwrap();
        assert_eq!(entry.grid.cells()[..9], [1, 0, 0, 0, 7, 0, 0, 9, 0]);
        assert_eq!(entry.grid.filled(), 23);
        let crossed = SIMPLE.replace("-----------", "---+---+---");
        assert_eq!(read_one(crossed.as_bytes(), &usual).unwrap(), entry);
        assert_eq!(write(&[entry], Format::Ss).unwrap(), SIMPLE);
    }

    #[test]
    fn the_frame_of_simple_sudoku_itself_is_read() {
        let rows = SIMPLE.replace("-----------", "---+---+---");
        let framed: String = rows.lines().map(|row| format!(" |{row}|\n")).collect();
        let text =
            format!(" *-----------*\n{framed} *-----------*\n\n Simple Sudoku\n  Version 4\n");
        let usual = ReadOptions::default();
        let entry = read_one(text.as_bytes(), &usual).unwrap();
        assert_eq!(
            entry.grid,
            read_one(SIMPLE.as_bytes(), &usual).unwrap().grid
        );
        assert_eq!(entry.line, 2);
    }

    #[test]
    fn several_grids_are_set_apart_by_blank_lines() {
        let text = format!("{SIMPLE}\n{SIMPLE}");
        assert_eq!(
            read(text.as_bytes(), &ReadOptions::default())
                .unwrap()
                .len(),
            2
        );
    }

    #[test]
    fn the_bars_show_the_boxes() {
        let tall = "12|34|56\n..|..|..\n..|..|..\n--------\n..|..|..\n..|..|..\n..|..|..\n";
        let entry = read_one(tall.as_bytes(), &ReadOptions::default()).unwrap();
        assert_eq!(entry.grid.geometry(), Geometry::sudoku(3, 2).unwrap());
    }

    #[test]
    fn faults_are_located() {
        let message = |text: String| {
            read(text.as_bytes(), &ReadOptions::default())
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            message(SIMPLE.replace(".1.|.8.|..2", ".1.|.8.|..")),
            "6: expected a row of 9 cells like the first one, found 8"
        );
        assert_eq!(
            message(SIMPLE.replace(".3.|.2.|..8\n", "")),
            "1: expected 9 rows of 9 cells from here, found 8"
        );
        assert_eq!(
            message(SIMPLE.replace("|.8.|", "|.!.|")),
            "6:6: expected a digit from 1 to 9 or a blank (. 0 * _ - ? X), found `!`"
        );
    }
}
