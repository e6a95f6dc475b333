//! The kernels' sources, put together from `shaders/` for a size and an adapter.
//!
//! A kernel is its own file after the shared files that it names; variants differ in which of
//! the alternative shared files they take and in three constants, so every variant is plain
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
}

impl Kernel {
    /// Every kernel.
    pub const ALL: [Self; 13] = [
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
        }
    }

    /// The buffers that it uses, by the binding numbers of all shaders.
    pub fn bindings(self) -> &'static [u32] {
        match self {
            Self::Initialise => &[0, 1, 4],
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
        }
    }

    fn parts(self) -> &'static [Part] {
        use Part::*;
        match self {
            Self::Initialise => &[Rng, Bits, Mask, Lanes, Tile, Bricks, Children, Chunk],
            Self::Breed => &[
                Rng, Bits, Mask, Lanes, Tile, Parents, Load, Children, Bricks, Crossover, Mutate,
                Search, Chunk,
            ],
            Self::BreedBlocks => &[
                Rng, Bits, Mask, Lanes, Tile, Parents, Load, Children, Bricks, BlockChild, Chunk,
            ],
            Self::Islands => &[
                Rng, Bits, Mask, Lanes, Tile, Load, Bricks, BlockChild, Chunk,
            ],
            Self::Sample => &[Rng, Bits, Mask, Lanes, Tile, Bricks, Children, Pick, Chunk],
            Self::Improvise => &[
                Rng, Bits, Mask, Lanes, Tile, Parents, Load, Bricks, Harmonies, Chunk,
            ],
            Self::Rank => &[Bits, Mask, Lanes, Tile, Parents, Harmonies, Chunk],
            Self::ReplaceWorst => &[Bits, Mask, Lanes, Tile, Parents, Children, Harmonies, Chunk],
            Self::Pollinate => &[
                Rng, Bits, Mask, Lanes, Tile, Parents, Load, Children, Bricks, Chunk,
            ],
            Self::Evaluate => &[Bits, Mask, Lanes, Tile, Load, Chunk],
            Self::Diversity => &[Wide],
            Self::Survey => &[Wide],
            Self::Elite => &[Rng, Bits, Mask, Lanes, Tile, Bricks, Children],
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::Initialise => include_str!("../../../shaders/initialise.wgsl"),
            Self::Breed => include_str!("../../../shaders/breed.wgsl"),
            Self::BreedBlocks => include_str!("../../../shaders/breed_blocks.wgsl"),
            Self::Islands => include_str!("../../../shaders/islands.wgsl"),
            Self::Sample => include_str!("../../../shaders/sample.wgsl"),
            Self::Improvise => include_str!("../../../shaders/improvise.wgsl"),
            Self::Rank => include_str!("../../../shaders/rank.wgsl"),
            Self::ReplaceWorst => include_str!("../../../shaders/replace_worst.wgsl"),
            Self::Pollinate => include_str!("../../../shaders/pollinate.wgsl"),
            Self::Evaluate => include_str!("../../../shaders/evaluate.wgsl"),
            Self::Diversity => include_str!("../../../shaders/diversity.wgsl"),
            Self::Survey => include_str!("../../../shaders/survey.wgsl"),
            Self::Elite => include_str!("../../../shaders/elite.wgsl"),
        }
    }

    /// The whole WGSL of this kernel for a variant.
    pub fn source(self, variant: Variant) -> String {
        let mut source = variant.constants();
        source.push_str(include_str!("../../../shaders/shared/run.wgsl"));
        for part in self.parts() {
            source.push('\n');
            source.push_str(part.text(variant));
        }
        source.push('\n');
        source.push_str(self.text());
        source
    }
}

/// Shared files, two of which have alternatives.
#[derive(Debug, Clone, Copy)]
enum Part {
    Rng,
    Bits,
    Mask,
    Lanes,
    Tile,
    Parents,
    Load,
    Children,
    Bricks,
    Crossover,
    Mutate,
    Search,
    BlockChild,
    Pick,
    Harmonies,
    Wide,
    Chunk,
}

impl Part {
    fn text(self, variant: Variant) -> &'static str {
        match self {
            Self::Rng => include_str!("../../../shaders/shared/rng.wgsl"),
            Self::Bits => include_str!("../../../shaders/shared/bits.wgsl"),
            Self::Mask => match variant.mask_words() {
                1 => include_str!("../../../shaders/shared/mask32.wgsl"),
                2 => include_str!("../../../shaders/shared/mask64.wgsl"),
                _ => include_str!("../../../shaders/shared/mask128.wgsl"),
            },
            Self::Lanes => match variant.lanes {
                Lanes::One => include_str!("../../../shaders/shared/lanes_one.wgsl"),
                Lanes::Many => include_str!("../../../shaders/shared/lanes_many.wgsl"),
            },
            Self::Tile => include_str!("../../../shaders/shared/tile.wgsl"),
            Self::Parents => include_str!("../../../shaders/shared/parents.wgsl"),
            Self::Load => include_str!("../../../shaders/shared/load.wgsl"),
            Self::Children => include_str!("../../../shaders/shared/children.wgsl"),
            Self::Bricks => include_str!("../../../shaders/shared/bricks.wgsl"),
            Self::Crossover => include_str!("../../../shaders/shared/crossover.wgsl"),
            Self::Mutate => include_str!("../../../shaders/shared/mutate.wgsl"),
            Self::Search => include_str!("../../../shaders/shared/search.wgsl"),
            Self::BlockChild => include_str!("../../../shaders/shared/block_child.wgsl"),
            Self::Pick => include_str!("../../../shaders/shared/pick.wgsl"),
            Self::Harmonies => include_str!("../../../shaders/shared/harmonies.wgsl"),
            Self::Wide => include_str!("../../../shaders/shared/wide.wgsl"),
            Self::Chunk => include_str!("../../../shaders/shared/chunk.wgsl"),
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

/// What the sources depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Variant {
    /// N.
    pub size: usize,
    /// The layout of the work.
    pub lanes: Lanes,
}

impl Variant {
    /// 32-bit words of a set of digits.
    pub fn mask_words(self) -> usize {
        match self.size {
            0..=32 => 1,
            33..=64 => 2,
            _ => 4,
        }
    }

    /// Invocations of a workgroup. A tile of many lanes has one per row and unit; small
    /// workgroups of single threads are shared out best among a software adapter's cores.
    pub fn workgroup(self) -> usize {
        match self.lanes {
            Lanes::One => 16,
            Lanes::Many if self.size <= 32 => 32,
            Lanes::Many => 64,
        }
    }

    /// Individuals that a workgroup works on.
    pub fn individuals(self) -> usize {
        match self.lanes {
            Lanes::One => self.workgroup(),
            Lanes::Many => 1,
        }
    }

    /// Bytes of workgroup memory that the kernels need.
    pub fn workgroup_memory(self) -> usize {
        match self.lanes {
            Lanes::One => 0,
            Lanes::Many => {
                let masks = 3 * self.units() * self.mask_words();
                4 * (self.cell_words() + masks + self.workgroup()) + 8
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

    fn cell_words(self) -> usize {
        self.size * words_for(self.size)
    }

    fn units(self) -> usize {
        2 * self.size
    }

    fn constants(self) -> String {
        format!(
            "const WORKGROUP = {}u;\nconst CELL_WORDS = {}u;\nconst UNITS = {}u;\n\n",
            self.workgroup(),
            self.cell_words(),
            self.units()
        )
    }
}

#[cfg(test)]
mod tests {
    use naga::valid::{Capabilities, ValidationFlags, Validator};
    use naga::{ArraySize, Module, TypeInner};

    use super::*;
    use crate::engine::gpu::layout::{
        BlocksParams, BreedParams, Chunk, EliteParams, ImproviseParams, PollinateParams, Run,
        SampleParams, State,
    };
    use crate::plan::Objective;
    use crate::population::Record;
    use crate::problem::Geometry;
    use crate::rng::Site;

    /// One size for each width of masks and each oddity: no full word in a row, full words, the
    /// largest of each width.
    const SIZES: [usize; 9] = [2, 4, 6, 9, 25, 32, 33, 64, 128];

    fn variants() -> impl Iterator<Item = (Kernel, Variant)> {
        Kernel::ALL.into_iter().flat_map(|kernel| {
            SIZES.into_iter().flat_map(move |size| {
                [Lanes::One, Lanes::Many].map(|lanes| (kernel, Variant { size, lanes }))
            })
        })
    }

    fn parse(kernel: Kernel, variant: Variant) -> Module {
        let source = kernel.source(variant);
        naga::front::wgsl::parse_str(&source).unwrap_or_else(|error| {
            panic!(
                "{} {variant:?}: {}",
                kernel.name(),
                error.emit_to_string(&source)
            )
        })
    }

    #[test]
    fn every_variant_of_every_shader_is_valid() {
        for (kernel, variant) in variants() {
            let module = parse(kernel, variant);
            Validator::new(ValidationFlags::all(), Capabilities::empty())
                .validate(&module)
                .unwrap_or_else(|error| panic!("{} {variant:?}: {error:?}", kernel.name()));
        }
    }

    #[test]
    fn host_structs_have_the_offsets_of_their_twins() {
        fn check(module: &Module, name: &str, size: usize, fields: &[(&str, usize)]) {
            let found = module
                .types
                .iter()
                .find(|(_, ty)| ty.name.as_deref() == Some(name));
            let Some((_, ty)) = found else {
                panic!("no struct {name} in the shaders")
            };
            let TypeInner::Struct { members, span } = &ty.inner else {
                panic!("{name} is not a struct")
            };
            assert_eq!(*span as usize, size, "size of {name}");
            let theirs: Vec<_> = members
                .iter()
                .map(|member| {
                    (
                        member.name.as_deref().unwrap_or_default(),
                        member.offset as usize,
                    )
                })
                .collect();
            assert_eq!(theirs, fields, "fields of {name}");
        }
        macro_rules! twin {
            ($module:expr, $name:literal, $host:ty, $($field:ident),*) => {
                check(
                    $module,
                    $name,
                    size_of::<$host>(),
                    &[$((stringify!($field), std::mem::offset_of!($host, $field))),*],
                );
            };
        }
        for lanes in [Lanes::One, Lanes::Many] {
            let variant = Variant { size: 9, lanes };
            let breed = &parse(Kernel::Breed, variant);
            #[rustfmt::skip]
            twin!(
                breed, "Run", Run,
                size, block_width, brick_width, free_digits, faulty, objective, words, row_words,
                population, seed_low, seed_high, free_counts_at, free_cells_at, free_positions_at,
                domains_at
            );
            #[rustfmt::skip]
            twin!(
                breed, "State", State,
                generation, best_at, surveys, stride, solved, reinitialised, elite_count,
                elite_next, best_ever
            );
            twin!(breed, "Chunk", Chunk, first, end, before, generations);
            #[rustfmt::skip]
            twin!(
                breed, "Breed", BreedParams,
                crossover, crossover_row, swap, reinitialise, mutation, column_search,
                block_search, rounds, partners, repeats, parents, contestants, strict
            );
            let elite = &parse(Kernel::Elite, variant);
            twin!(elite, "Elite", EliteParams, size, every_best);
            #[rustfmt::skip]
            twin!(
                &parse(Kernel::Islands, variant), "Blocks", BlocksParams,
                tournament, crossover, swap, mutation, mutants, island, epoch
            );
            #[rustfmt::skip]
            twin!(
                &parse(Kernel::Sample, variant), "Sample", SampleParams,
                neighbours, given_order, retries
            );
            #[rustfmt::skip]
            twin!(
                &parse(Kernel::Improvise, variant), "Improvise", ImproviseParams,
                batch, pitches, distinct
            );
            #[rustfmt::skip]
            twin!(
                &parse(Kernel::Pollinate, variant), "Pollinate", PollinateParams,
                switch_rate, steps, distinct
            );
            #[rustfmt::skip]
            twin!(
                &parse(Kernel::Survey, variant), "Record", Record,
                generation, best, best_at, worst, worst_at, sum_low, sum_high, reinitialised,
                swaps_low, swaps_high, differences_low, differences_high
            );
        }
        let diversity = &parse(
            Kernel::Diversity,
            Variant {
                size: 9,
                lanes: Lanes::Many,
            },
        );
        assert_eq!(
            4 * constant(diversity, "RECORD_WORDS") as usize,
            size_of::<Record>()
        );
        assert_eq!(
            4 * constant(diversity, "DIFFERENCES") as usize,
            std::mem::offset_of!(Record, differences_low)
        );
    }

    /// The named constant of a module.
    fn constant(module: &Module, name: &str) -> u32 {
        let found = module
            .constants
            .iter()
            .find(|(_, c)| c.name.as_deref() == Some(name));
        let Some((_, constant)) = found else {
            panic!("no constant {name}")
        };
        match module.global_expressions[constant.init] {
            naga::Expression::Literal(naga::Literal::U32(value)) => value,
            ref other => panic!("{name} is {other:?}"),
        }
    }

    #[test]
    fn draw_sites_have_the_same_numbers_on_both_sides() {
        let variant = Variant {
            size: 9,
            lanes: Lanes::Many,
        };
        let breed = parse(Kernel::Breed, variant);
        for (name, site) in [
            ("SITE_INITIALISE", Site::Initialise),
            ("SITE_MATE", Site::Mate),
            ("SITE_CROSSOVER_ROW", Site::CrossoverRow),
            ("SITE_MUTATE_ROW", Site::MutateRow),
            ("SITE_REINITIALISE", Site::Reinitialise),
            ("SITE_SEARCH", Site::Search),
            ("SITE_TOURNAMENT", Site::Tournament),
            ("SITE_ELITE", Site::Elite),
            ("SITE_ELITE_INITIALISE", Site::EliteInitialise),
            ("SITE_SAMPLE", Site::Sample),
            ("SITE_IMPROVISE", Site::Improvise),
            ("SITE_POLLINATE", Site::Pollinate),
        ] {
            assert_eq!(constant(&breed, name), site as u32, "{name}");
        }
        assert_eq!(constant(&breed, "CUT_SHORT"), crate::engine::gpu::CUT_SHORT);
        assert_eq!(constant(&breed, "FALSE_ZERO"), Objective::FALSE_ZERO);
    }

    /// Bytes of workgroup memory that a module declares.
    fn workgroup_memory(module: &Module) -> usize {
        let mut layouter = naga::proc::Layouter::default();
        layouter.update(module.to_ctx()).unwrap();
        let bytes = |variable: &naga::GlobalVariable| match module.types[variable.ty].inner {
            TypeInner::Array {
                size: ArraySize::Dynamic,
                ..
            } => panic!("unsized workgroup memory"),
            _ => layouter[variable.ty].size as usize,
        };
        module
            .global_variables
            .iter()
            .filter(|(_, variable)| variable.space == naga::AddressSpace::WorkGroup)
            .map(|(_, variable)| bytes(variable))
            .sum()
    }

    #[test]
    fn workgroup_memory_is_what_the_limits_are_checked_against() {
        for size in SIZES {
            let variant = Variant {
                size,
                lanes: Lanes::Many,
            };
            let module = parse(Kernel::Breed, variant);
            assert_eq!(
                workgroup_memory(&module),
                variant.workgroup_memory(),
                "size {size}"
            );
        }
        // Every adapter has 16 KiB: no Sudoku needs more.
        let largest = Variant {
            size: Geometry::MAX_SUDOKU,
            lanes: Lanes::Many,
        };
        assert!(largest.workgroup_memory() <= 16 << 10);
    }

    #[test]
    fn kernels_stay_within_the_storage_bindings_that_every_adapter_has() {
        for (kernel, variant) in variants() {
            let module = parse(kernel, variant);
            let storage = module.global_variables.iter().filter(|(_, variable)| {
                matches!(variable.space, naga::AddressSpace::Storage { .. })
            });
            assert!(storage.count() <= 8, "{}", kernel.name());
        }
    }
}
