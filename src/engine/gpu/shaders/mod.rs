//! The kernels' sources, put together from `shaders/` for a size and an adapter.
//!
//! A kernel is its own file after the shared files that it names; variants differ in which of
//! the alternative shared files they take and in some constants, so every variant is plain
//! WGSL that any tool can check.

use std::fmt;

use crate::population::words_for;

/// The kernels, by their file names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kernel {
    /// Makes the initial population.
    Initialise,
    /// Makes a generation of rows from the one before.
    Breed,
    /// Makes a generation of sub-blocks from the one before.
    BreedBlocks,
    /// Makes generations of sub-blocks on islands.
    Islands,
    /// Samples a model.
    Sample,
    /// Makes harmonies from the memory.
    Improvise,
    /// Ranks harmonies.
    Rank,
    /// Puts harmonies in the place of the worst.
    ReplaceWorst,
    /// Moves flowers towards the best or along a difference.
    Pollinate,
    /// Evaluates whole grids.
    Evaluate,
    /// Counts in how many cells individuals differ.
    Diversity,
    /// Looks for the best, the worst and a solution.
    Survey,
    /// Lets the worst learn from elites.
    Elite,
    /// Puts everybody in the order of fitness.
    Order,
    /// Places queens for the initial population.
    Place,
    /// Evaluates individuals by their lines.
    Count,
    /// Makes children of two parents in the places of the worst.
    Recombine,
    /// Moves particles.
    Swarm,
    /// Moves agents.
    Gravitate,
    /// Runs Markov chains of swaps.
    Anneal,
    /// Swaps what is in conflict.
    Resolve,
    /// Evaluates colourings.
    Clash,
    /// Runs tabu searches.
    Tabu,
}

impl Kernel {
    /// Every kernel.
    pub const ALL: [Self; 23] = [
        Self::Initialise,
        Self::Breed,
        Self::BreedBlocks,
        Self::Islands,
        Self::Sample,
        Self::Improvise,
        Self::Rank,
        Self::ReplaceWorst,
        Self::Pollinate,
        Self::Evaluate,
        Self::Diversity,
        Self::Survey,
        Self::Elite,
        Self::Order,
        Self::Place,
        Self::Count,
        Self::Recombine,
        Self::Swarm,
        Self::Gravitate,
        Self::Anneal,
        Self::Resolve,
        Self::Clash,
        Self::Tabu,
    ];

    /// Name of the file and label of the pipeline.
    pub fn name(self) -> &'static str {
        match self {
            Self::Initialise => "initialise",
            Self::Breed => "breed",
            Self::BreedBlocks => "breed_blocks",
            Self::Islands => "islands",
            Self::Sample => "sample",
            Self::Improvise => "improvise",
            Self::Rank => "rank",
            Self::ReplaceWorst => "replace_worst",
            Self::Pollinate => "pollinate",
            Self::Evaluate => "evaluate",
            Self::Diversity => "diversity",
            Self::Survey => "survey",
            Self::Elite => "elite",
            Self::Order => "order",
            Self::Place => "place",
            Self::Count => "count",
            Self::Recombine => "recombine",
            Self::Swarm => "swarm",
            Self::Gravitate => "gravitate",
            Self::Anneal => "anneal",
            Self::Resolve => "resolve",
            Self::Clash => "clash",
            Self::Tabu => "tabu",
        }
    }

    /// The buffers that it uses, by the binding numbers of all shaders.
    pub fn bindings(self, variant: Variant) -> Vec<u32> {
        let mut bindings = self.own_bindings().to_vec();
        if self.all_parts(variant).contains(&Part::Aside) {
            bindings.push(7);
        }
        bindings.sort_unstable();
        bindings.dedup();
        bindings
    }

    /// The shared files, and those that they need.
    fn all_parts(self, variant: Variant) -> Vec<Part> {
        let mut parts = self.parts().to_vec();
        if parts.contains(&Part::Desk) {
            parts.extend([Part::Memory, Part::Genes]);
        }
        if parts.contains(&Part::Slate) {
            parts.push(Part::Memory);
        }
        let in_storage = parts.contains(&Part::Memory) && variant.desk_in_storage();
        let aside = in_storage || parts.contains(&Part::SlateKept);
        if aside && !parts.contains(&Part::Aside) {
            parts.push(Part::Aside);
        }
        parts
    }

    /// Whether it works on desks, a workgroup for each individual.
    pub fn has_desks(self) -> bool {
        self == Self::Order || self.permutes() || self.colours()
    }

    /// Whether it works on genes.
    pub fn permutes(self) -> bool {
        self.parts().contains(&Part::Desk)
    }

    /// Whether it works on colourings.
    pub fn colours(self) -> bool {
        self.parts().contains(&Part::Slate)
    }

    fn own_bindings(self) -> &'static [u32] {
        match self {
            Self::Initialise => &[0, 1, 2, 4],
            Self::Breed => &[0, 1, 2, 3, 4, 5],
            Self::BreedBlocks => &[0, 1, 2, 3, 4, 5],
            Self::Islands => &[0, 1, 2, 3, 4, 5, 7],
            Self::Sample => &[0, 1, 2, 4, 5, 8],
            Self::Improvise => &[0, 1, 2, 3, 5, 7, 8],
            Self::Rank => &[0, 2, 3, 5, 7],
            Self::ReplaceWorst => &[0, 2, 3, 4, 5, 7],
            Self::Pollinate => &[0, 1, 2, 3, 4, 5, 8],
            Self::Evaluate => &[0, 4],
            Self::Diversity => &[0, 2, 4, 6],
            Self::Survey => &[0, 2, 4, 6],
            Self::Elite => &[0, 1, 2, 4, 5, 6, 7],
            Self::Order => &[0, 2, 3, 7],
            Self::Place => &[0, 1, 2, 4, 5],
            Self::Count => &[0, 1, 4],
            Self::Recombine | Self::Anneal | Self::Resolve => &[0, 1, 2, 3, 4, 5],
            Self::Swarm | Self::Gravitate => &[0, 1, 2, 3, 4, 5, 7],
            Self::Clash => &[0, 1, 4],
            Self::Tabu => &[0, 1, 2, 3, 4, 5],
        }
    }

    fn parts(self) -> &'static [Part] {
        use Part::*;
        match self {
            Self::Initialise => &[
                Rng, Bits, Mask, Lanes, Grid, Tile, Loops, Bricks, Children, Store, Chunk,
            ],
            Self::Breed => &[
                Rng, Bits, Mask, Lanes, Grid, Tile, Loops, Parents, Load, Children, Bricks,
                Operators, Crossover, Mutate, Search, Pass, Chunk,
            ],
            Self::BreedBlocks => &[
                Rng, Bits, Mask, Lanes, Grid, Tile, Loops, Parents, Load, Children, Store, Bricks,
                BlockChild, Chunk,
            ],
            Self::Islands => &[
                Rng, Bits, Mask, Lanes, Grid, Tile, Loops, Load, Bricks, BlockChild, Chunk,
            ],
            Self::Sample => &[
                Rng, Bits, Mask, Lanes, Grid, Tile, Loops, Bricks, Children, Store, Pick, Chunk,
            ],
            Self::Improvise => &[
                Rng, Bits, Mask, Lanes, Grid, Tile, Loops, Parents, Load, Bricks, Harmonies, Chunk,
            ],
            Self::Rank => &[
                Bits, Mask, Lanes, Grid, Tile, Loops, Parents, Harmonies, Chunk,
            ],
            Self::ReplaceWorst => &[
                Bits, Mask, Lanes, Grid, Tile, Loops, Parents, Children, Harmonies, Chunk,
            ],
            Self::Pollinate => &[
                Rng, Bits, Mask, Lanes, Grid, Tile, Loops, Parents, Load, Children, Store, Bricks,
                Chunk,
            ],
            Self::Evaluate => &[Bits, Mask, Lanes, Grid, Tile, Loops, Load, Chunk],
            Self::Diversity => &[Wide],
            Self::Survey => &[Wide],
            Self::Order => &[Lanes, Parents, Standing, Aside, Loops, Chunk],
            Self::Place => &[Rng, Lanes, Parents, Children, Desk, Settle, Loops, Chunk],
            Self::Count => &[Rng, Lanes, Desk, Loops, Chunk],
            Self::Recombine => &[
                Rng, Lanes, Parents, Children, Standing, Desk, Grant, Settle, Loops, Chunk,
            ],
            Self::Swarm | Self::Gravitate => &[
                Rng, Lanes, Parents, Children, Standing, Aside, Desk, Grant, Settle, Loops, Chunk,
            ],
            Self::Anneal => &[Rng, Lanes, Parents, Children, Desk, Settle, Loops, Chunk],
            Self::Resolve => &[Rng, Lanes, Parents, Children, Desk, Settle, Loops, Chunk],
            Self::Clash => &[Lanes, Slate, Loops, Chunk],
            Self::Tabu => &[
                Rng, Lanes, Parents, Children, Slate, SlateKept, Loops, Chunk,
            ],
            Self::Elite => &[
                Rng, Bits, Mask, Lanes, Grid, Tile, Loops, Bricks, Children, Store,
            ],
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::Initialise => include_str!("../../../../shaders/initialise.wgsl"),
            Self::Breed => include_str!("../../../../shaders/breed.wgsl"),
            Self::BreedBlocks => include_str!("../../../../shaders/breed_blocks.wgsl"),
            Self::Islands => include_str!("../../../../shaders/islands.wgsl"),
            Self::Sample => include_str!("../../../../shaders/sample.wgsl"),
            Self::Improvise => include_str!("../../../../shaders/improvise.wgsl"),
            Self::Rank => include_str!("../../../../shaders/rank.wgsl"),
            Self::ReplaceWorst => include_str!("../../../../shaders/replace_worst.wgsl"),
            Self::Pollinate => include_str!("../../../../shaders/pollinate.wgsl"),
            Self::Evaluate => include_str!("../../../../shaders/evaluate.wgsl"),
            Self::Diversity => include_str!("../../../../shaders/diversity.wgsl"),
            Self::Survey => include_str!("../../../../shaders/survey.wgsl"),
            Self::Elite => include_str!("../../../../shaders/elite.wgsl"),
            Self::Order => include_str!("../../../../shaders/order.wgsl"),
            Self::Place => include_str!("../../../../shaders/place.wgsl"),
            Self::Count => include_str!("../../../../shaders/count.wgsl"),
            Self::Recombine => include_str!("../../../../shaders/recombine.wgsl"),
            Self::Swarm => include_str!("../../../../shaders/swarm.wgsl"),
            Self::Gravitate => include_str!("../../../../shaders/gravitate.wgsl"),
            Self::Anneal => include_str!("../../../../shaders/anneal.wgsl"),
            Self::Resolve => include_str!("../../../../shaders/resolve.wgsl"),
            Self::Clash => include_str!("../../../../shaders/clash.wgsl"),
            Self::Tabu => include_str!("../../../../shaders/tabu.wgsl"),
        }
    }

    /// The whole WGSL of this kernel for a variant.
    pub fn source(self, variant: Variant) -> String {
        let mut source = String::new();
        for (name, value) in variant.constants() {
            source.push_str(&format!("const {name} = {value}u;\n"));
        }
        let in_storage = variant.desk_in_storage();
        source.push_str(&format!("const DESK_IN_STORAGE = {in_storage};\n\n"));
        source.push_str(include_str!("../../../../shaders/shared/run.wgsl"));
        let parts = self.all_parts(variant);
        source.push('\n');
        source.push_str(match variant.lanes {
            Lanes::One if parts.contains(&Part::Grid) => {
                include_str!("../../../../shaders/shared/run_one.wgsl")
            }
            _ => include_str!("../../../../shaders/shared/run_many.wgsl"),
        });
        for part in parts {
            source.push('\n');
            source.push_str(part.text(variant));
        }
        source.push('\n');
        source.push_str(self.text());
        match variant.lanes {
            Lanes::One => {
                let lines: Vec<_> = source.lines().collect();
                unrolled(&lines, &variant.constants())
            }
            Lanes::Many => source,
        }
    }
}

/// The same lines with every loop written out that is marked for it, a block for each turn: drivers
/// unroll short loops only. Known are the names that bounds may have.
fn unrolled(lines: &[&str], known: &[(&str, usize)]) -> String {
    let bound = |text: &str| -> usize {
        let term = |term: &str| match known.iter().find(|(name, _)| *name == term) {
            Some((_, value)) => *value,
            None => term.trim_end_matches('u').parse().expect("a number"),
        };
        text.split(" + ").map(term).sum()
    };
    let mut text = String::new();
    let mut rest = lines.iter();
    while let Some(line) = rest.next() {
        let Some(head) = line.strip_suffix(") { // unroll") else {
            text.push_str(line);
            text.push('\n');
            continue;
        };
        let (indent, head) = head.split_once("for (var ").expect("a loop");
        let parts: Vec<_> = head.split([';', '<', '=']).map(str::trim).collect();
        let [name, first, _, end, _] = parts[..] else {
            panic!("no plain loop: {line}")
        };
        let body = rest.as_slice();
        let closes = |line: &&str| line.strip_prefix(indent) == Some("}");
        let length = body.iter().position(closes).expect("the end of a loop");
        for value in bound(first)..bound(end) {
            let known = [known, &[(name, value)]].concat();
            let turn = unrolled(&body[..length], &known);
            text.push_str(&format!(
                "{indent}{{\n{indent}    const {name} = {value}u;\n"
            ));
            text.push_str(&format!("{turn}{indent}}}\n"));
        }
        rest = body[length + 1..].iter();
    }
    text
}

/// Shared files, some of which have alternatives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Rng,
    Bits,
    Mask,
    Lanes,
    Tile,
    Parents,
    Load,
    Children,
    Store,
    Bricks,
    Operators,
    Crossover,
    Mutate,
    Search,
    Pass,
    BlockChild,
    Pick,
    Harmonies,
    Wide,
    Chunk,
    Grid,
    Loops,
    Standing,
    Aside,
    Desk,
    Memory,
    Genes,
    Grant,
    Settle,
    Slate,
    SlateKept,
}

impl Part {
    fn text(self, variant: Variant) -> &'static str {
        match self {
            Self::Rng => include_str!("../../../../shaders/shared/rng.wgsl"),
            Self::Bits => include_str!("../../../../shaders/shared/bits.wgsl"),
            Self::Mask => match variant.mask_words() {
                1 => include_str!("../../../../shaders/shared/mask32.wgsl"),
                2 => include_str!("../../../../shaders/shared/mask64.wgsl"),
                _ => include_str!("../../../../shaders/shared/mask128.wgsl"),
            },
            Self::Lanes => match variant.lanes {
                Lanes::One => include_str!("../../../../shaders/shared/lanes_one.wgsl"),
                Lanes::Many => include_str!("../../../../shaders/shared/lanes_many.wgsl"),
            },
            Self::Tile => include_str!("../../../../shaders/shared/tile.wgsl"),
            Self::Parents => include_str!("../../../../shaders/shared/parents.wgsl"),
            Self::Load => include_str!("../../../../shaders/shared/load.wgsl"),
            Self::Children => include_str!("../../../../shaders/shared/children.wgsl"),
            Self::Store => include_str!("../../../../shaders/shared/store.wgsl"),
            Self::Bricks => include_str!("../../../../shaders/shared/bricks.wgsl"),
            Self::Operators => match variant.lanes {
                Lanes::One => include_str!("../../../../shaders/shared/operators_one.wgsl"),
                Lanes::Many => include_str!("../../../../shaders/shared/operators_many.wgsl"),
            },
            Self::Crossover => include_str!("../../../../shaders/shared/crossover.wgsl"),
            Self::Mutate => include_str!("../../../../shaders/shared/mutate.wgsl"),
            Self::Search => include_str!("../../../../shaders/shared/search.wgsl"),
            Self::Pass => match variant.lanes {
                Lanes::One => include_str!("../../../../shaders/shared/pass_one.wgsl"),
                Lanes::Many => include_str!("../../../../shaders/shared/pass_many.wgsl"),
            },
            Self::BlockChild => include_str!("../../../../shaders/shared/block_child.wgsl"),
            Self::Pick => include_str!("../../../../shaders/shared/pick.wgsl"),
            Self::Harmonies => include_str!("../../../../shaders/shared/harmonies.wgsl"),
            Self::Wide => include_str!("../../../../shaders/shared/wide.wgsl"),
            Self::Chunk => include_str!("../../../../shaders/shared/chunk.wgsl"),
            Self::Grid => match variant.lanes {
                Lanes::One => include_str!("../../../../shaders/shared/grid_one.wgsl"),
                Lanes::Many => include_str!("../../../../shaders/shared/grid_many.wgsl"),
            },
            Self::Loops => include_str!("../../../../shaders/shared/loops.wgsl"),
            Self::Standing => include_str!("../../../../shaders/shared/standing.wgsl"),
            Self::Aside => include_str!("../../../../shaders/shared/aside.wgsl"),
            Self::Desk => include_str!("../../../../shaders/shared/desk.wgsl"),
            Self::Memory => match variant.desk_in_storage() {
                true => include_str!("../../../../shaders/shared/desk_storage.wgsl"),
                false => include_str!("../../../../shaders/shared/desk_workgroup.wgsl"),
            },
            Self::Genes => match variant.form {
                Form::Grid => include_str!("../../../../shaders/shared/genes_grid.wgsl"),
                Form::Board => include_str!("../../../../shaders/shared/genes_board.wgsl"),
            },
            Self::Grant => include_str!("../../../../shaders/shared/grant.wgsl"),
            Self::Settle => include_str!("../../../../shaders/shared/settle.wgsl"),
            Self::Slate => include_str!("../../../../shaders/shared/slate.wgsl"),
            Self::SlateKept => include_str!("../../../../shaders/shared/slate_kept.wgsl"),
        }
    }
}

/// How many lanes work on an individual.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lanes {
    /// A thread each: for software adapters.
    One,
    /// A workgroup each, the grid in workgroup memory: for GPUs.
    Many,
}

impl fmt::Display for Lanes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Lanes::One => "a thread per individual",
            Lanes::Many => "a workgroup per individual",
        })
    }
}

/// What the individuals are, as far as kernels differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// Grids of digits.
    Grid,
    /// Queens on a board.
    Board,
}

/// What the sources depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Variant {
    /// What the individuals are.
    pub form: Form,
    /// N: digits or queens.
    pub size: usize,
    /// Width of the sub-blocks; 0 if there are none.
    pub block_width: usize,
    /// Width of the bricks; 0 if there are none.
    pub brick_width: usize,
    /// The layout of the work.
    pub lanes: Lanes,
    /// Colourings only: the lists.
    pub lists: Option<Lists>,
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
}

/// Bytes of workgroup memory that every adapter has.
const WORKGROUP_MEMORY: usize = 16 * 1024;

impl Lists {
    /// Words of a slate: five that the dispatches of a generation hand on, tallies, choices and bits of
    /// the vertices. Rounded up, so that not every puzzle needs a shader of its own.
    fn slate_words(self) -> usize {
        let words = 5 + self.choices + self.vertices + self.vertices.div_ceil(32);
        match words {
            0..=3840 => words.next_multiple_of(256),
            _ => words.next_power_of_two(),
        }
    }
}

impl Variant {
    /// For grids without sub-blocks, in which rows are bricks.
    pub fn grid(size: usize, lanes: Lanes) -> Self {
        Self {
            form: Form::Grid,
            size,
            block_width: 0,
            brick_width: size,
            lanes,
            lists: None,
        }
    }

    /// For boards, which always have a workgroup for each individual.
    pub fn board(size: usize) -> Self {
        Self {
            form: Form::Board,
            size,
            block_width: 0,
            brick_width: 0,
            lanes: Lanes::Many,
            lists: None,
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

    /// The most genes of an individual, the slots of their values, and the lines.
    fn genes_slots_lines(self) -> [usize; 3] {
        match self.form {
            Form::Grid => {
                let cells = self.size * self.size;
                [cells, cells, 2 * cells]
            }
            Form::Board => [self.size, self.size, 4 * self.size],
        }
    }

    /// Words of a desk: genes, wishes, slots and lines, or a slate.
    pub fn desk_words(self) -> usize {
        let [genes, slots, lines] = self.genes_slots_lines();
        match self.lists {
            Some(lists) => lists.slate_words(),
            None => 2 * genes + slots + lines,
        }
    }

    /// Whether a desk is too large for workgroup memory.
    pub fn desk_in_storage(self) -> bool {
        // Beside it there are votes and attractors.
        4 * self.desk_words() + 1024 > WORKGROUP_MEMORY
    }

    /// Invocations of a workgroup. A tile of many lanes has one per row and unit; small
    /// workgroups of single threads are shared out best among a software adapter's cores.
    pub fn workgroup(self) -> usize {
        match self.lanes {
            Lanes::One => 16,
            Lanes::Many if self.form == Form::Grid && self.size <= 32 => 32,
            Lanes::Many => 64,
        }
    }

    /// Representation that a workgroup works on.
    pub fn individuals(self) -> usize {
        match self.lanes {
            Lanes::One => self.workgroup(),
            Lanes::Many => 1,
        }
    }

    /// Bytes of workgroup memory that the kernels need.
    pub fn workgroup_memory(self) -> usize {
        match (self.lanes, self.form) {
            (Lanes::One, _) => 0,
            (Lanes::Many, Form::Board) => WORKGROUP_MEMORY,
            (Lanes::Many, _) if self.lists.is_some() => WORKGROUP_MEMORY,
            (Lanes::Many, Form::Grid) => {
                let masks = 3 * self.units() * self.mask_words();
                4 * (self.cell_words() + masks + self.workgroup()) + 12
            }
        }
    }

    /// No fewer than the turns that the loops of a thread take for one pass over a grid.
    pub fn turns_per_grid(self) -> usize {
        let lanes = match self.lanes {
            Lanes::One => 1,
            Lanes::Many => self.workgroup(),
        };
        8 * self.size * self.size.div_ceil(lanes)
    }

    /// No fewer than the turns that the loops of a thread take for a move of a tabu search.
    pub fn turns_per_move(self) -> usize {
        let lists = self.lists.map_or(0, |lists| {
            lists.vertices.div_ceil(self.workgroup()) * (1 + lists.longest)
        });
        1 + lists + self.size.div_ceil(self.workgroup())
    }

    /// Words of a grid's cells; a board has none.
    fn cell_words(self) -> usize {
        match self.form {
            Form::Grid => self.size * words_for(self.size),
            Form::Board => 0,
        }
    }

    fn units(self) -> usize {
        2 * self.size
    }

    /// What the shaders know of it, by name.
    fn constants(self) -> Vec<(&'static str, usize)> {
        let [genes, slots, lines] = self.genes_slots_lines();
        let mut constants = vec![
            ("WORKGROUP", self.workgroup()),
            ("CELL_WORDS", self.cell_words()),
            ("UNITS", self.units()),
            ("GENES", genes),
            ("SLOTS", slots),
            ("LINES", lines),
            ("DESK_WORDS", self.desk_words()),
        ];
        if self.lanes == Lanes::One {
            let cells = self.size * self.size;
            constants.extend([
                ("SIZE", self.size),
                ("BLOCK_WIDTH", self.block_width),
                (
                    "BLOCK_HEIGHT",
                    self.size.checked_div(self.block_width).unwrap_or(0),
                ),
                ("BRICK_WIDTH", self.brick_width),
                ("WORDS", words_for(cells)),
                ("ROW_WORDS", words_for(self.size)),
                ("DIGIT_BITS", self.size.next_power_of_two().ilog2() as usize),
                // What is left of N when it is halved, rounded up.
                ("HALF", self.size.div_ceil(2)),
                ("QUARTER", self.size.div_ceil(4)),
                ("EIGHTH", self.size.div_ceil(8)),
                ("SIXTEENTH", self.size.div_ceil(16)),
                // As in the native search: for few columns a test for sure costs more than it saves.
                ("SMALL_SIZE", if self.size <= 9 { self.size } else { 0 }),
            ]);
        }
        constants
    }
}

#[cfg(test)]
mod tests;
