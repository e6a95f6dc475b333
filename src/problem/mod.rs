//! What is to be solved: puzzles and queens, their geometry and text forms, exact reasoning
//! about them, pictures of them, and the verifier that every claimed solution has to pass.
//!
//! Nothing here knows of populations, engines or algorithms.

pub mod argument;
pub mod conflicts;
pub mod picture;
pub mod queens;
pub mod sudoku;
pub mod verify;

pub use queens::{Placement, Queens, Surface};
pub use sudoku::{BoxShape, Geometry, Grid, Puzzle, Reduction};

use self::sudoku::propagate::{Contradiction, Deductions, Level};

/// What is to be solved.
#[derive(Debug, Clone)]
pub enum Problem {
    /// A Sudoku or a Latin square.
    Sudoku(Puzzle),
    /// N queens.
    Queens(Queens),
}

/// A problem and what to call it.
#[derive(Debug, Clone)]
pub struct NamedProblem {
    /// A built-in's name, a text's own, a file and line, or how many queens.
    pub name: String,
    /// What is to be solved.
    pub problem: Problem,
}

impl From<Puzzle> for Problem {
    fn from(puzzle: Puzzle) -> Self {
        Self::Sudoku(puzzle)
    }
}

impl From<Queens> for Problem {
    fn from(queens: Queens) -> Self {
        Self::Queens(queens)
    }
}

impl Problem {
    /// What its solutions look like.
    pub fn form(&self) -> Form {
        match self {
            Self::Sudoku(puzzle) => Form::Grid(puzzle.geometry()),
            Self::Queens(queens) => Form::Placement(queens.size()),
        }
    }

    /// What propagation leaves of it.
    pub fn reduce(&self, level: Level) -> Result<Instance, Contradiction> {
        match self {
            Self::Sudoku(puzzle) => Reduction::new(puzzle, level).map(Instance::Sudoku),
            Self::Queens(queens) => Ok(Instance::Queens(*queens)),
        }
    }
}

/// A problem as algorithms and engines get it: what propagation has left of it.
#[derive(Debug, Clone)]
pub enum Instance {
    /// A Sudoku or a Latin square.
    Sudoku(Reduction),
    /// N queens, of which propagation knows nothing.
    Queens(Queens),
}

impl From<Reduction> for Instance {
    fn from(reduction: Reduction) -> Self {
        Self::Sudoku(reduction)
    }
}

impl Instance {
    /// What is left of a puzzle.
    ///
    /// # Panics
    /// If it is no puzzle: an algorithm that asks for it has to refuse other problems.
    pub fn reduction(&self) -> &Reduction {
        match self {
            Self::Sudoku(reduction) => reduction,
            Self::Queens(queens) => panic!("{queens} is not a puzzle"),
        }
    }

    /// What its solutions look like.
    pub fn form(&self) -> Form {
        match self {
            Self::Sudoku(reduction) => Form::Grid(reduction.puzzle().geometry()),
            Self::Queens(queens) => Form::Placement(queens.size()),
        }
    }

    /// The fitness of a solution, which is the least that there can be: 0, but for tori on which
    /// the queens do not fit.
    pub fn goal(&self) -> u32 {
        match self {
            Self::Sudoku(_) => 0,
            Self::Queens(queens) => queens.fewest_attacks(),
        }
    }

    /// Cells or columns for which evolution has to find a value.
    pub fn free_cells(&self) -> usize {
        match self {
            Self::Sudoku(reduction) => {
                let puzzle = reduction.puzzle();
                puzzle.geometry().cells() - puzzle.givens().filled()
            }
            Self::Queens(queens) => queens.size(),
        }
    }

    /// Cells that propagation has closed.
    pub fn closed(&self) -> usize {
        match self {
            Self::Sudoku(reduction) => reduction.closed(),
            Self::Queens(_) => 0,
        }
    }

    /// What propagation has done.
    pub fn deductions(&self) -> Deductions {
        match self {
            Self::Sudoku(reduction) => reduction.deductions(),
            Self::Queens(_) => Deductions::default(),
        }
    }
}

/// What the solutions of a problem look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A grid of digits.
    Grid(Geometry),
    /// So many queens, one in each column.
    Placement(usize),
}

impl From<Geometry> for Form {
    fn from(geometry: Geometry) -> Self {
        Self::Grid(geometry)
    }
}

impl Form {
    /// Cells of a grid, or columns.
    pub fn cells(&self) -> usize {
        match self {
            Self::Grid(geometry) => geometry.cells(),
            Self::Placement(columns) => *columns,
        }
    }

    /// Digits, or rows.
    pub fn values(&self) -> usize {
        match self {
            Self::Grid(geometry) => geometry.size(),
            Self::Placement(columns) => *columns,
        }
    }
}

/// A solution, or what might become one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Of a Sudoku or a Latin square.
    Grid(Grid),
    /// Of N queens.
    Placement(Placement),
}

impl Answer {
    /// The grid.
    ///
    /// # Panics
    /// If it is a placement.
    pub fn grid(&self) -> &Grid {
        match self {
            Self::Grid(grid) => grid,
            Self::Placement(_) => panic!("queens have no grid"),
        }
    }
}
