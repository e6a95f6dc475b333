//! From a number of cells to a grid's size and boxes.

use super::error::{FormatError, Place};
use super::{Geometry, Grid, ReadOptions};

/// N, if there are N x N cells.
pub(super) fn side(cells: usize) -> Option<usize> {
    let side = cells.isqrt();
    (side * side == cells).then_some(side)
}

/// The geometry of an N x N grid under the reader's options.
pub(super) fn geometry(
    size: usize,
    options: &ReadOptions,
    place: Place,
) -> Result<Geometry, FormatError> {
    let geometry = match (options.boxes, options.latin) {
        (Some(_), true) => {
            return Err(place.error(
                "expected either --box or --latin, found both; a Latin square has no boxes",
            ));
        }
        (None, true) => Geometry::latin(size),
        (Some(boxes), false) => {
            let geometry = Geometry::sudoku(boxes.rows, boxes.cols);
            if let Ok(geometry) = geometry
                && geometry.size() != size
            {
                return Err(place.error(format_args!(
                    "expected a {0}x{0} grid, as boxes of {boxes} make one, found {size}x{size} \
                     cells; leave out --box for the usual boxes",
                    geometry.size()
                )));
            }
            geometry
        }
        (None, false) => Geometry::usual(size),
    };
    geometry.map_err(|error| place.error(error))
}

/// The geometry of a format that knows only Latin squares, whatever `--latin` says.
pub(super) fn latin(
    size: usize,
    options: &ReadOptions,
    place: Place,
) -> Result<Geometry, FormatError> {
    if options.boxes.is_some() {
        return Err(place.error(
            "expected no --box, as this format holds only Latin squares, which have no boxes; \
             leave it out",
        ));
    }
    Geometry::latin(size).map_err(|error| place.error(error))
}

/// The side of a grid of so many cells, or how many cells the nearest grid has.
pub(super) fn side_of(
    cells: usize,
    options: &ReadOptions,
    place: Place,
) -> Result<usize, FormatError> {
    side(cells).ok_or_else(|| {
        let nearest = (2..=Geometry::MAX_LATIN)
            .filter(|&size| geometry(size, options, place).is_ok())
            .min_by_key(|size| (size * size).abs_diff(cells));
        match nearest {
            Some(size) => place.error(format_args!(
                "expected {} cells for a {size}x{size} grid, found {cells}",
                size * size
            )),
            None => place.error(format_args!(
                "expected as many cells as a square grid has, found {cells}"
            )),
        }
    })
}

/// A grid whose cells were counted and bounded before.
pub(super) fn grid(geometry: Geometry, cells: Vec<u8>, place: Place) -> Result<Grid, FormatError> {
    Grid::new(geometry, cells).map_err(|error| place.error(error))
}

#[cfg(test)]
mod tests {
    use super::super::{BoxShape, ReadOptions};
    use super::*;

    const HERE: Place = Place { line: 2, column: 0 };

    fn boxes(rows: usize, cols: usize) -> ReadOptions {
        ReadOptions {
            boxes: Some(BoxShape { rows, cols }),
            ..ReadOptions::default()
        }
    }

    fn is_latin() -> ReadOptions {
        ReadOptions {
            latin: true,
            ..ReadOptions::default()
        }
    }

    #[test]
    fn options_choose_the_boxes() {
        let usual = geometry(6, &ReadOptions::default(), HERE).unwrap();
        assert_eq!(usual, Geometry::sudoku(2, 3).unwrap());
        let tall = geometry(6, &boxes(3, 2), HERE).unwrap();
        assert_eq!(tall, Geometry::sudoku(3, 2).unwrap());
        let square = geometry(100, &is_latin(), HERE).unwrap();
        assert_eq!(square, Geometry::latin(100).unwrap());
    }

    #[test]
    fn impossible_boxes_are_refused() {
        let message =
            |size, options: &ReadOptions| geometry(size, options, HERE).unwrap_err().to_string();
        assert_eq!(
            message(9, &boxes(2, 3)),
            "2: expected a 6x6 grid, as boxes of 2x3 make one, found 9x9 cells; leave out --box \
             for the usual boxes"
        );
        assert!(message(9, &boxes(1, 9)).contains("at least two rows"));
        assert!(message(7, &ReadOptions::default()).contains("--latin"));
        let both = ReadOptions {
            latin: true,
            ..boxes(3, 3)
        };
        assert!(message(9, &both).contains("found both"));
        assert!(latin(9, &boxes(3, 3), HERE).is_err());
    }

    #[test]
    fn a_wrong_count_names_the_nearest_grid() {
        let message =
            |cells, options: &ReadOptions| side_of(cells, options, HERE).unwrap_err().to_string();
        let usual = ReadOptions::default();
        assert_eq!(
            message(80, &usual),
            "2: expected 81 cells for a 9x9 grid, found 80"
        );
        assert!(message(24, &usual).contains("16 cells"));
        assert!(message(24, &is_latin()).contains("25 cells"));
        assert!(message(17, &boxes(2, 3)).contains("36 cells"));
        assert!(message(17, &boxes(1, 3)).contains("square grid"));
    }
}
