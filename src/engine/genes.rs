//! Individuals as the permutation kernels see them: genes in segments, values on constraints.
//!
//! A gene is a free cell of a grid, or a column of a board. The genes of a segment (a sub-block, a
//! row, the whole board) stand together and always hold the same values in some order, so that a
//! swap of two of them leads from one individual to another. A gene with its value lies on two
//! constraints: its row and its column with that digit, or the two diagonals of a queen. A constraint that
//! holds more than one is a conflict, and the conflicts are what there is to search away.

use std::ops::Range;

use super::tables::{Tables, cell_of};
use crate::plan::Encoding;
use crate::problem::{Queens, Surface};

/// What the permutation kernels know of a problem.
pub trait Genome: Send + Sync {
    /// How many genes there are.
    fn genes(&self) -> usize;
    /// The genes of the segment to which a gene belongs.
    fn segment(&self, gene: usize) -> Range<usize>;
    /// Where the values of segments have a slot each: the number of slots.
    fn slots(&self) -> usize;
    /// The slot of a value in the segment of a gene.
    fn slot(&self, gene: usize, value: u32) -> usize;
    /// The number of constraints.
    fn constraints(&self) -> usize;
    /// The two constraints of a gene with a value.
    fn constraints_of(&self, gene: usize, value: u32) -> [usize; 2];
    /// How many fixed cells lie on each constraint; none if it is empty.
    fn fixed(&self) -> &[u32];
    /// The conflicts that one more makes on a constraint which holds so many.
    fn conflicts_with(count: u32) -> u32;
    /// Reads the genes of an individual.
    fn load(&self, words: &[u32], genes: &mut [u32]);
    /// Writes an individual with these genes.
    fn store(&self, genes: &[u32], words: &mut [u32]);
}

/// Queens: a gene a column, one segment, diagonals for constraints.
#[derive(Debug, Clone, Copy)]
pub struct BoardGenes {
    queens: Queens,
}

impl BoardGenes {
    /// The genes of n queens.
    pub fn new(queens: Queens) -> Self {
        Self { queens }
    }
}

impl Genome for BoardGenes {
    #[inline(always)]
    fn genes(&self) -> usize {
        self.queens.size()
    }

    #[inline(always)]
    fn segment(&self, _: usize) -> Range<usize> {
        0..self.queens.size()
    }

    fn slots(&self) -> usize {
        self.queens.size()
    }

    #[inline(always)]
    fn slot(&self, _: usize, value: u32) -> usize {
        value as usize
    }

    /// A torus needs half of them.
    fn constraints(&self) -> usize {
        4 * self.queens.size()
    }

    #[inline(always)]
    fn constraints_of(&self, gene: usize, value: u32) -> [usize; 2] {
        let (n, row) = (self.queens.size(), value as usize);
        let (falling, rising) = (row + n - gene, row + gene);
        match self.queens.surface() {
            Surface::Board => [falling, 2 * n + rising],
            Surface::Torus => {
                let wrap = |constraint: usize| {
                    if constraint >= n {
                        constraint - n
                    } else {
                        constraint
                    }
                };
                [wrap(falling), 2 * n + wrap(rising)]
            }
        }
    }

    fn fixed(&self) -> &[u32] {
        &[]
    }

    /// Attacks are pairs.
    #[inline(always)]
    fn conflicts_with(count: u32) -> u32 {
        count
    }

    fn load(&self, words: &[u32], genes: &mut [u32]) {
        genes.copy_from_slice(words);
    }

    fn store(&self, genes: &[u32], words: &mut [u32]) {
        words.copy_from_slice(genes);
    }
}

/// A grid: a gene a free cell, sub-blocks or rows for segments, units with a digit for constraints.
#[derive(Debug, Clone)]
pub struct GridGenes {
    size: usize,
    /// A grid with the givens in place, digits from zero.
    pub template: Vec<u8>,
    /// The cell of each gene, its segment, and its two units: of each kind but the segments' own. (In a
    /// Latin square there is no other kind but the columns; the rows stand in.)
    pub genes: Vec<Gene>,
    /// Where the genes of each segment start, and the end of the last.
    pub segments: Vec<u32>,
    /// How many givens lie on each constraint.
    pub fixed: Vec<u32>,
}

/// Where a gene of a grid stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gene {
    /// The cell.
    pub cell: u16,
    /// The segment.
    pub segment: u16,
    /// The units whose digits it may repeat.
    pub units: [u16; 2],
}

impl GridGenes {
    /// The genes of a puzzle.
    pub fn new(tables: &Tables) -> Self {
        let n = tables.size();
        let widths = match (tables.representation().encoding, tables.has_blocks()) {
            (Encoding::Rows, true) => [1, tables.block_width()],
            _ => [n, 1],
        };
        // The unit of a family in which each cell stands.
        let units = widths.map(|width| {
            let mut units = vec![0u16; n * n];
            for unit in 0..n {
                for k in 0..n {
                    units[cell_of(n, width, unit, k)] = unit as u16;
                }
            }
            units
        });
        let mut fixed = vec![0; 2 * n * n];
        let mut genes = Vec::new();
        let mut segments = vec![0];
        for (segment, free) in tables.free.iter().enumerate() {
            for position in 0..n {
                let cell = cell_of(n, tables.segment_width(), segment, position);
                let of = [units[0][cell], units[1][cell]];
                if free.contains(&(position as u8)) {
                    genes.push(Gene {
                        cell: cell as u16,
                        segment: segment as u16,
                        units: of,
                    });
                } else {
                    for constraint in constraints_of_units(n, of, u32::from(tables.template[cell]))
                    {
                        fixed[constraint] += 1;
                    }
                }
            }
            segments.push(genes.len() as u32);
        }
        Self {
            size: n,
            template: tables.template.clone(),
            genes,
            segments,
            fixed,
        }
    }
}

fn constraints_of_units(n: usize, [one, two]: [u16; 2], digit: u32) -> [usize; 2] {
    let digit = digit as usize;
    [
        usize::from(one) * n + digit,
        (n + usize::from(two)) * n + digit,
    ]
}

impl Genome for GridGenes {
    #[inline(always)]
    fn genes(&self) -> usize {
        self.genes.len()
    }

    #[inline(always)]
    fn segment(&self, gene: usize) -> Range<usize> {
        let segment = usize::from(self.genes[gene].segment);
        self.segments[segment] as usize..self.segments[segment + 1] as usize
    }

    fn slots(&self) -> usize {
        self.size * self.size
    }

    #[inline(always)]
    fn slot(&self, gene: usize, value: u32) -> usize {
        usize::from(self.genes[gene].segment) * self.size + value as usize
    }

    fn constraints(&self) -> usize {
        2 * self.size * self.size
    }

    #[inline(always)]
    fn constraints_of(&self, gene: usize, value: u32) -> [usize; 2] {
        constraints_of_units(self.size, self.genes[gene].units, value)
    }

    fn fixed(&self) -> &[u32] {
        &self.fixed
    }

    /// A digit that stands once more than once is one that another cell of the unit misses.
    #[inline(always)]
    fn conflicts_with(count: u32) -> u32 {
        u32::from(count > 0)
    }

    fn load(&self, words: &[u32], genes: &mut [u32]) {
        let cells: &[u8] = bytemuck::cast_slice(words);
        for (value, gene) in genes.iter_mut().zip(&self.genes) {
            *value = u32::from(cells[usize::from(gene.cell)]);
        }
    }

    fn store(&self, genes: &[u32], words: &mut [u32]) {
        let cells: &mut [u8] = bytemuck::cast_slice_mut(words);
        cells[..self.template.len()].copy_from_slice(&self.template);
        for (&value, gene) in genes.iter().zip(&self.genes) {
            cells[usize::from(gene.cell)] = value as u8;
        }
    }
}
