//! Where the searches of colourings keep what they know: the sizes in `shaders/colourings/search_memory.wgsl`.

use super::variant::{LANES, Lists, Variant};
use crate::population::words_for;

/// Bytes of workgroup memory for the counts of lines, and for digits: with both and the list of vertices in
/// conflict a workgroup stays within what every adapter has, and small ones leave a GPU room for several.
const MOST_COUNTS: usize = 10 * 1024;
const MOST_DIGITS: usize = 8 * 1024;

/// Vertices in conflict in workgroup memory: more than there are once a search has begun.
const NEAR_VERTICES: usize = 128;

/// Words beside the arrays of a search.
const HEADER: usize = 2;

/// The memory of a search.
#[derive(Debug, Clone, Copy)]
pub(super) struct SearchMemory {
    cells: usize,
    mask_words: usize,
    /// Lines that make up what a cell sees.
    line_kinds: usize,
    lines: usize,
    /// Turns in which lanes look at all cells of a line, and change all lines that a cell is in.
    rounds: [usize; 2],
    /// Bits of the count of a digit in a line.
    planes: usize,
    choices: usize,
}

impl SearchMemory {
    pub(super) fn new(variant: Variant, lists: Lists) -> Self {
        let n = variant.size;
        // Rows and columns; or sub-blocks, and rows and columns without one of those that they cross.
        let (line_kinds, lines, lines_with) = match variant.block_width {
            0 => (2, 2 * n, 2),
            width => {
                let crossed = n / width + n / (n / width);
                (3, n * (1 + crossed), crossed - 1)
            }
        };
        Self {
            cells: n * n,
            mask_words: variant.mask_words(),
            line_kinds,
            lines,
            rounds: [n, lines_with].map(|count| count.div_ceil(LANES)),
            planes: n.ilog2() as usize + 1,
            // Rounded up, so that not every puzzle needs a shader of its own.
            choices: match lists.choices {
                choices @ 0..=4096 => choices.next_multiple_of(256).max(256),
                choices => choices.next_power_of_two(),
            },
        }
    }

    fn count_words(self) -> usize {
        self.lines * self.planes * self.mask_words
    }

    pub(super) fn lines_in_storage(self) -> bool {
        4 * self.count_words() > MOST_COUNTS
    }

    pub(super) fn digits_in_storage(self) -> bool {
        4 * words_for(self.cells) > MOST_DIGITS
    }

    /// Vertices in conflict that have to go to storage.
    fn stored_vertices(self) -> usize {
        self.cells.saturating_sub(NEAR_VERTICES).max(1)
    }

    /// Sizes of an array in workgroup memory and of its twin in storage, one of which is not used.
    fn near_and_stored(in_storage: bool, length: usize) -> [usize; 2] {
        match in_storage {
            true => [1, length],
            false => [length, 1],
        }
    }

    /// Words of a search in storage.
    pub(super) fn words(self) -> usize {
        let [_, lines] = Self::near_and_stored(self.lines_in_storage(), self.lines);
        let [_, digits] = Self::near_and_stored(self.digits_in_storage(), words_for(self.cells));
        let counts = lines * self.planes * self.mask_words;
        let words = counts + digits + self.stored_vertices() + self.choices + HEADER;
        words.next_multiple_of(self.mask_words)
    }

    /// What the shaders know of it, by name.
    pub(super) fn constants(self) -> [(&'static str, usize); 13] {
        let [near_lines, stored_lines] = Self::near_and_stored(self.lines_in_storage(), self.lines);
        let [near_words, stored_words] =
            Self::near_and_stored(self.digits_in_storage(), words_for(self.cells));
        [
            ("LINE_KINDS", self.line_kinds),
            ("LINES", self.lines),
            ("LINE_ROUNDS", self.rounds[0]),
            ("CHANGE_ROUNDS", self.rounds[1]),
            ("PLANES", self.planes),
            ("NEAR_LINES", near_lines),
            ("STORED_LINES", stored_lines),
            ("NEAR_WORDS", near_words),
            ("STORED_WORDS", stored_words),
            ("NEAR_VERTICES", NEAR_VERTICES),
            ("STORED_VERTICES", self.stored_vertices()),
            ("STORED_CHOICES", self.choices),
            ("CELL_BITS", self.cells.div_ceil(32)),
        ]
    }
}
