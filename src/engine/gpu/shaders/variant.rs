//! What the text of a shader depends on: the problem's size, and how its work is mapped to threads.

use std::fmt;

use super::searches::SearchMemory;
use crate::operators::OwnObjective;
use crate::plan::Objective;
use crate::population::words_for;

/// How an individual is mapped to threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mapping {
    /// A thread each.
    Thread,
    /// A workgroup of lanes each, which vote in workgroup memory.
    Workgroup,
    /// The lanes of a subgroup each, which vote by subgroup operations.
    Subgroup,
}

impl Mapping {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Thread, Self::Workgroup, Self::Subgroup];

    /// What it is called on the command line and in the names of files.
    pub fn name(self) -> &'static str {
        match self {
            Mapping::Thread => "thread",
            Mapping::Workgroup => "workgroup",
            Mapping::Subgroup => "subgroup",
        }
    }

    /// By its name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mapping| mapping.name() == name)
    }
}

impl fmt::Display for Mapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a {} per individual", self.name())
    }
}

/// Lanes that share out a grid: a subgroup of most GPUs, and bits of a word.
pub const LANES: usize = 32;

/// What the individuals are, as far as kernels differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProblemKind {
    /// Grids of digits.
    Grid,
    /// Queens on a board.
    Board,
}

/// What the sources depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Variant {
    /// What the individuals are.
    pub kind: ProblemKind,
    /// N: digits or queens.
    pub size: usize,
    /// Width of the sub-blocks; 0 if there are none.
    pub block_width: usize,
    /// Width of the segments; 0 if there are none.
    pub segment_width: usize,
    /// How individuals are mapped to threads.
    pub mapping: Mapping,
    /// Threads of a workgroup in which each has an individual.
    pub threads: usize,
    /// Colourings only: the lists.
    pub lists: Option<Lists>,
    /// What the fitness of a grid counts.
    pub counted: Counted,
    /// An objective from outside of the crate.
    pub objective: Option<&'static OwnObjective>,
}

/// What the fitness of a grid counts, as far as kernels differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Counted {
    /// The number of the objective in `shaders/grids/working_grid.wgsl`.
    objective: usize,
    /// The kinds of units in which digits may be repeated, as bits: columns, sub-blocks, rows.
    faulty: usize,
}

impl Counted {
    /// Columns and sub-blocks with repeated digits.
    const ILLEGAL_UNITS: Self = Self {
        objective: 0,
        faulty: 0b011,
    };

    /// What the individuals of a representation are judged by. Where the kernels of grids cannot judge them, nobody
    /// looks at what they say.
    pub fn new(objective: Objective, faulty: [bool; 3]) -> Self {
        let bits = faulty.into_iter().enumerate();
        Self {
            objective: match objective {
                Objective::MissingDigits => 1,
                Objective::SumDeviation => 2,
                Objective::Own(_) => 3,
                _ => 0,
            },
            faulty: bits.map(|(kind, may)| usize::from(may) << kind).sum(),
        }
    }
}

/// The lists of a colouring, as far as kernels differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Lists {
    /// How many vertices there are.
    pub vertices: usize,
    /// Choices of all lists, padding included.
    pub choices: usize,
    /// Choices of the longest one.
    pub longest: usize,
    /// Elements of the exact cover.
    pub elements: usize,
}

/// Bytes of workgroup memory that every adapter has.
const WORKGROUP_MEMORY: usize = 16 * 1024;

impl Lists {
    /// Words of a packing: three that the dispatches of a generation hand on, two for each element, one for each
    /// cell. Rounded up, so that not every puzzle needs a shader of its own.
    fn packing_words(self) -> usize {
        (3 + 2 * self.elements + self.vertices).next_multiple_of(1024)
    }
}

impl Variant {
    /// Threads of a workgroup on GPUs: a wave of the widest.
    const THREADS: usize = 64;

    /// For grids without sub-blocks, in which rows are segments.
    pub fn grid(size: usize, mapping: Mapping) -> Self {
        Self {
            kind: ProblemKind::Grid,
            size,
            block_width: 0,
            segment_width: size,
            mapping,
            threads: Self::THREADS,
            lists: None,
            counted: Counted::ILLEGAL_UNITS,
            objective: None,
        }
    }

    /// For boards, which always have a workgroup for each individual.
    pub fn board(size: usize) -> Self {
        Self {
            kind: ProblemKind::Board,
            size,
            block_width: 0,
            segment_width: 0,
            mapping: Mapping::Workgroup,
            threads: Self::THREADS,
            lists: None,
            counted: Counted::ILLEGAL_UNITS,
            objective: None,
        }
    }

    /// 32-bit words of a set of digits.
    pub fn mask_words(self) -> usize {
        match self.size {
            0..=32 => 1,
            33..=64 => 2,
            _ => 4,
        }
    }

    /// The most genes of an individual, the slots of their values, and the constraints.
    fn genes_slots_constraints(self) -> [usize; 3] {
        match self.kind {
            ProblemKind::Grid => {
                let cells = self.size * self.size;
                [cells, cells, 2 * cells]
            }
            ProblemKind::Board => [self.size, self.size, 4 * self.size],
        }
    }

    /// Where searches of colourings keep what they know.
    fn search_memory(self) -> Option<SearchMemory> {
        self.lists.map(|lists| SearchMemory::new(self, lists))
    }

    /// Words of a workspace: genes, targets, claims and constraints, or what a search of a colouring has in storage.
    pub fn workspace_words(self) -> usize {
        let [genes, slots, constraints] = self.genes_slots_constraints();
        match self.search_memory() {
            Some(search) => search.words(),
            None => 2 * genes + slots + constraints,
        }
    }

    /// Words that the searches of a population keep outside of workgroup memory, for each individual.
    pub fn spilled_words(self) -> usize {
        let packing = self.lists.map_or(0, Lists::packing_words);
        self.workspace_words().max(packing)
    }

    /// Whether a workspace is too large for workgroup memory.
    pub fn workspace_in_storage(self) -> bool {
        // Beside it there are votes and attractors.
        4 * self.workspace_words() + 1024 > WORKGROUP_MEMORY
    }

    /// Invocations of a workgroup. A group of lanes that shares out a grid has one for each bit of a word.
    pub fn workgroup(self) -> usize {
        match self.mapping {
            // Searches that share nothing: as many as GPUs have in a wave.
            Mapping::Thread if self.lists.is_some() => LANES,
            Mapping::Thread => self.threads,
            Mapping::Workgroup if self.kind == ProblemKind::Board => 64,
            Mapping::Workgroup | Mapping::Subgroup => LANES,
        }
    }

    /// Lanes that share the work on an individual.
    pub fn lanes(self) -> usize {
        match self.mapping {
            Mapping::Thread => 1,
            Mapping::Workgroup | Mapping::Subgroup => self.workgroup(),
        }
    }

    /// Individuals that a workgroup works on.
    pub fn individuals_of_a_workgroup(self) -> usize {
        match self.mapping {
            Mapping::Thread => self.workgroup(),
            Mapping::Workgroup | Mapping::Subgroup => 1,
        }
    }

    /// Bytes of workgroup memory that the kernels need.
    pub fn workgroup_memory(self) -> usize {
        match (self.mapping, self.kind) {
            (Mapping::Thread, _) => 0,
            (_, ProblemKind::Board) => WORKGROUP_MEMORY,
            _ if self.lists.is_some() => WORKGROUP_MEMORY,
            (_, ProblemKind::Grid) => {
                let masks = self.units() * self.mask_words();
                // What columns lack, a word for each lane (partners_narrow.wgsl).
                let lacking = match self.mask_words() {
                    1 => self.lanes(),
                    _ => 0,
                };
                4 * (self.cell_words() + masks + lacking + self.workgroup()) + 12
            }
        }
    }

    /// No fewer than the turns that the loops of a thread take for one pass over a grid.
    pub fn turns_per_grid(self) -> usize {
        8 * self.size * self.size.div_ceil(self.lanes())
    }

    /// No fewer than the turns that the loops of a thread take for a move of a tabu search.
    pub fn turns_per_move(self) -> usize {
        let lists = self.lists.map_or(0, |lists| {
            lists.vertices.div_ceil(self.workgroup()) * (1 + lists.longest)
        });
        // Then those who may have come into conflict, and the lines that have changed.
        1 + lists + 5 * self.size.div_ceil(self.workgroup())
    }

    /// Words of a grid's cells; a board has none.
    fn cell_words(self) -> usize {
        match self.kind {
            ProblemKind::Grid => self.size * words_for(self.size),
            ProblemKind::Board => 0,
        }
    }

    fn units(self) -> usize {
        2 * self.size
    }

    /// Rows of a band of sub-blocks; without these every row is one.
    fn band_rows(self) -> usize {
        self.size.checked_div(self.block_width).unwrap_or(1)
    }

    /// Rows of a band that a thread scans in one turn of its loop: all, unless they have more cells than those of 49x49,
    /// where the registers of a Radeon are just enough.
    fn rows_at_once(self) -> usize {
        match self.band_rows() * self.size <= 7 * 49 {
            true => self.band_rows(),
            false => 1,
        }
    }

    /// What the shaders know of it, by name.
    pub(super) fn constants(self) -> Vec<(&'static str, usize)> {
        let [genes, slots, constraints] = self.genes_slots_constraints();
        let cells = self.size * self.size;
        let mut constants = vec![
            ("WORKGROUP", self.workgroup()),
            ("SIZE", self.size),
            ("BLOCK_WIDTH", self.block_width),
            (
                "BLOCK_HEIGHT",
                self.size.checked_div(self.block_width).unwrap_or(0),
            ),
            ("BAND_ROWS", self.band_rows()),
            ("ROWS_AT_ONCE", self.rows_at_once()),
            ("SEGMENT_WIDTH", self.segment_width),
            ("CELL_WORDS", self.cell_words()),
            ("UNITS", self.units()),
            ("GENES", genes),
            ("SLOTS", slots),
            ("CONSTRAINTS", constraints),
            ("WORKSPACE_WORDS", self.workspace_words()),
            ("PACKING_WORDS", self.lists.map_or(0, Lists::packing_words)),
        ];
        match self.kind {
            ProblemKind::Board => constants.push(("WORDS", self.size)),
            ProblemKind::Grid => constants.extend([
                ("WORDS", words_for(cells)),
                ("ROW_WORDS", words_for(self.size)),
                ("MASK_WORDS", self.mask_words()),
                ("OBJECTIVE", self.counted.objective),
                ("FAULTY", self.counted.faulty),
                ("DIGIT_BITS", self.size.next_power_of_two().ilog2() as usize),
                // What is left of N when it is halved, rounded up.
                ("HALF", self.size.div_ceil(2)),
                ("QUARTER", self.size.div_ceil(4)),
                ("EIGHTH", self.size.div_ceil(8)),
                ("SIXTEENTH", self.size.div_ceil(16)),
                // As in the native search: for few columns a test for sure costs more than it saves.
                ("SMALL_SIZE", if self.size <= 9 { self.size } else { 0 }),
            ]),
        }
        constants.extend(
            self.search_memory()
                .into_iter()
                .flat_map(SearchMemory::constants),
        );
        constants
    }

    /// The same of what holds or does not.
    pub(super) fn conditions(self) -> impl Iterator<Item = (&'static str, bool)> {
        let search = self.search_memory().into_iter();
        search.flat_map(|search| {
            [
                ("LINES_IN_STORAGE", search.lines_in_storage()),
                ("DIGITS_IN_STORAGE", search.digits_in_storage()),
            ]
        })
    }
}
