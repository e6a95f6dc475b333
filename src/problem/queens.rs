//! N queens on the board and on the torus.
//!
//! A placement has one queen in every column and in every row: it is a permutation, and only
//! diagonals can be contested. On the torus the diagonals go on at the opposite edge.

use std::fmt;

use thiserror::Error;

/// n queens to be placed on n x n squares so that none attacks another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Queens {
    size: usize,
    surface: Surface,
}

/// What the squares are on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Surface {
    /// The ordinary chessboard.
    Board,
    /// The board whose opposite edges are joined: a diagonal has n squares, too.
    Torus,
}

/// Why there is no such problem.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum QueensError {
    /// Fewer than four queens.
    #[error("{name} is not possible: expected at least 4 queens")]
    TooFew {
        /// What was asked for.
        name: String,
    },
    /// More queens than a run can count.
    #[error("{name} is not possible: expected at most {} queens", Queens::MAX_SIZE)]
    TooMany {
        /// What was asked for.
        name: String,
    },
}

impl Queens {
    /// The most queens. Attacks are counted in 32 bits. A random placement has about n at the most; one
    /// that is made to have n (n - 1) / 2 may have more than that can hold, and what is left could
    /// be anything, but the verifier counts in 64.
    pub const MAX_SIZE: usize = 1 << 24;

    /// So many queens on this surface.
    pub fn new(size: usize, surface: Surface) -> Result<Self, QueensError> {
        let queens = Self { size, surface };
        let name = || queens.to_string();
        match size {
            0..4 => Err(QueensError::TooFew { name: name() }),
            _ if size > Self::MAX_SIZE => Err(QueensError::TooMany { name: name() }),
            _ => Ok(queens),
        }
    }

    /// n: queens, columns and rows.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Board or torus.
    pub fn surface(&self) -> Surface {
        self.surface
    }

    /// The most queens of which none attacks another.
    ///
    /// On the torus n of them fit if and only if n has no divisor 2 or 3 (Polya 1918); otherwise
    /// n - 1 do if gcd(n, 12) = 2, and n - 2 if not (Monsky 1989).
    pub fn most_peaceful(&self) -> usize {
        match self.surface {
            Surface::Torus if gcd(self.size, 6) == 1 => self.size,
            Surface::Torus if gcd(self.size, 12) == 2 => self.size - 1,
            Surface::Torus => self.size - 2,
            Surface::Board => self.size,
        }
    }

    /// The fewest attacks that a placement can have, which is what a run aims at; see
    /// [`attacks`](super::verify::attacks).
    ///
    /// Where the torus has no solution, no placement can do with less than this, and for n up to
    /// 64 there is one that does with as many (found by search). Proof: Let n be even. The residues
    /// row - column (mod n) add up to 0, but all residues to n / 2, so they cannot all be different,
    /// and either direction has an attack: two in all. If there are just two, one residue of each
    /// direction is doubled and the one n / 2 away from it is missing. If 3 divides n as well, say
    /// 3^k and no more, the squares of the residues of either direction then add up to the same as
    /// the squares S of all columns, modulo 3^k, because (a + n / 2)^2 - a^2 = a n + (n / 2)^2. But (row - column)^2 + (row + column)^2 add up to
    /// 4 S, so that 3^k divides 2 S = n (n - 1) (2 n - 1) / 3, which it does not: three. Let n be
    /// odd. Polya excludes that there is no attack at all. A direction cannot have exactly one,
    /// because the residue that is doubled would have to be the one that is missing: two.
    pub fn fewest_attacks(&self) -> u32 {
        match (self.most_peaceful() == self.size, self.size % 6) {
            (true, _) => 0,
            (false, 0) => 3,
            (false, _) => 2,
        }
    }

    /// Why there is no placement without attacks, if there is none: a sentence with the theorem.
    pub fn impossibility(&self) -> Option<String> {
        let (n, most) = (self.size, self.most_peaceful());
        (most < n).then(|| {
            format!(
                "{n} queens do not fit a torus of {n}x{n}, because gcd({n}, 6) = {} is not 1 \
                 (Polya 1918); at most {most} fit without attack (Monsky 1989), and {n} queens with \
                 {} attacks, the fewest there can be, are the aim instead",
                gcd(n, 6),
                self.fewest_attacks()
            )
        })
    }
}

impl fmt::Display for Queens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.surface {
            Surface::Board => write!(f, "queens:{}", self.size),
            Surface::Torus => write!(f, "torus:{}", self.size),
        }
    }
}

fn gcd(a: usize, b: usize) -> usize {
    match b {
        0 => a,
        _ => gcd(b, a % b),
    }
}

/// A queen in every column: the rows in which they stand, from zero. Nothing is promised of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    rows: Vec<u32>,
}

impl Placement {
    /// Queens in these rows.
    pub fn new(rows: Vec<u32>) -> Self {
        Self { rows }
    }

    /// The row of the queen of each column, from zero.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// The board as text, a row a line: `Q` for a queen, `.` for an empty square.
    pub fn board(&self) -> String {
        let columns = self.rows.len();
        let mut squares = vec![vec!['.'; columns]; columns];
        for (column, &row) in self.rows.iter().enumerate() {
            if let Some(line) = squares.get_mut(row as usize) {
                line[column] = 'Q';
            }
        }
        let mut text = String::new();
        for line in squares {
            for (column, square) in line.into_iter().enumerate() {
                if column > 0 {
                    text.push(' ');
                }
                text.push(square);
            }
            text.push('\n');
        }
        text
    }
}

impl fmt::Display for Placement {
    /// The canonical text: the row of the queen of each column, from one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (column, row) in self.rows.iter().enumerate() {
            let space = if column > 0 { " " } else { "" };
            write!(f, "{space}{}", row + 1)?;
        }
        Ok(())
    }
}
