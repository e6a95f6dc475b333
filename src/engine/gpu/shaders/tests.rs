//! What must hold of every variant of every shader.

use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{ArraySize, Module, TypeInner};

use super::*;
use crate::engine::gpu::layout::{
    AnnealParams, BlocksParams, BreedParams, Chunk, EliteParams, GravitateParams, ImproviseParams,
    PlaceParams, PollinateParams, RecombineParams, ResolveParams, Run, SampleParams, State,
    SwarmParams, TabuParams,
};
use crate::plan::{Anneal, Gravitate, Objective, Tabu};
use crate::population::Record;
use crate::problem::Geometry;
use crate::rng::Site;

/// One size for each width of masks and each oddity: no full word in a row, full words, the
/// largest of each width.
const SIZES: [usize; 9] = [2, 4, 6, 9, 25, 32, 33, 64, 128];

/// Boards whose desk fits workgroup memory, and such that do not.
const BOARDS: [usize; 5] = [4, 8, 500, 600, 100_000];

fn variants() -> impl Iterator<Item = (Kernel, Variant)> {
    Kernel::ALL.into_iter().flat_map(|kernel| {
        let lanes: &[Lanes] = match kernel.has_desks() {
            true => &[Lanes::Many],
            false => &[Lanes::One, Lanes::Many],
        };
        let both = matches!(kernel, Kernel::Survey | Kernel::Diversity);
        let grids = SIZES
            .into_iter()
            .filter(move |_| kernel != Kernel::Place)
            .flat_map(move |size| lanes.iter().map(move |&lanes| grid(size, lanes)))
            // A thread searches sets of one word only.
            .filter(move |variant| {
                kernel != Kernel::Breed || variant.lanes == Lanes::Many || variant.mask_words() == 1
            });
        let boards = BOARDS
            .into_iter()
            .filter(move |_| kernel.permutes() || kernel == Kernel::Order || both)
            .map(Variant::board);
        let variants = grids
            .chain(boards)
            .map(move |variant| match kernel.colours() {
                true => colouring(variant),
                false => variant,
            });
        variants.map(move |variant| (kernel, variant))
    })
}

/// With sub-blocks, as far as shaders can tell.
fn grid(size: usize, lanes: Lanes) -> Variant {
    Variant {
        block_width: size.isqrt(),
        ..Variant::grid(size, lanes)
    }
}

/// The largest colouring of a size: small ones fit workgroup memory, others do not.
fn colouring(variant: Variant) -> Variant {
    let n = variant.size;
    Variant {
        lists: Some(Lists {
            vertices: n * n,
            choices: n * n * n.next_multiple_of(8),
            longest: n,
        }),
        ..variant
    }
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
fn marked_loops_are_written_out() {
    let lines = [
        "for (var a = 0u; a < MOST; a++) { // unroll",
        "    for (var b = a + 1u; b < MOST; b++) { // unroll",
        "        f(a, b);",
        "    }",
        "}",
        "for (var c = 0u; c < MOST; c++) {",
        "}",
    ];
    let text = unrolled(&lines, &[("MOST", 2)]);
    let words: Vec<_> = text.split_whitespace().collect();
    assert_eq!(
        words.join(" "),
        "{ const a = 0u; { const b = 1u; f(a, b); } } { const a = 1u; } \
         for (var c = 0u; c < MOST; c++) { }"
    );
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
        let variant = Variant::grid(9, lanes);
        let breed = &parse(Kernel::Breed, variant);
        #[rustfmt::skip]
        twin!(
            breed, "Run", Run,
            size, block_width, brick_width, free_digits, faulty, objective, words, row_words,
            population, seed_low, seed_high, free_counts_at, free_cells_at, free_positions_at,
            domains_at, goal, cell_bits, genes, slots, lines, support, confidence, genes_at,
            bricks_at, fixed_at, gene_of_at, memories_at, vertices, choices, vertices_at,
            vertex_of_at, choices_at, digits_at
        );
        #[rustfmt::skip]
        twin!(
            breed, "State", State,
            generation, best_at, surveys, stride, until, done, reinitialised, elite_count,
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
            swaps_low, swaps_high, differences_low, differences_high, goal
        );
    }
    for variant in [Variant::grid(9, Lanes::Many), Variant::board(8)] {
        let parse = |kernel| parse(kernel, variant);
        #[rustfmt::skip]
        twin!(
            &parse(Kernel::Recombine), "Recombine", RecombineParams,
            offspring, tournament, crossover, gaussian, always, per, more, most, tries, accept
        );
        let swarm = &parse(Kernel::Swarm);
        twin!(swarm, "Swarm", SwarmParams, inertia, own, swarm);
        let gravitate = &parse(Kernel::Gravitate);
        twin!(
            gravitate,
            "Gravitate",
            GravitateParams,
            begin,
            rows,
            inertia
        );
        assert_eq!(constant(gravitate, "MOST_BEST"), Gravitate::MOST_BEST);
        let anneal = &parse(Kernel::Anneal);
        twin!(
            anneal,
            "Anneal",
            AnnealParams,
            everybody,
            who,
            proposals,
            begin,
            hold,
            rows
        );
        assert_eq!(constant(anneal, "DELTAS"), Anneal::DELTAS as u32);
        let resolve = &parse(Kernel::Resolve);
        twin!(resolve, "Resolve", ResolveParams, tries, sideways);
    }
    let tabu = &parse(Kernel::Tabu, colouring(Variant::grid(9, Lanes::Many)));
    twin!(tabu, "Tabu", TabuParams, moves, least, most, period, random);
    assert_eq!(constant(tabu, "LONGEST"), Tabu::LONGEST);
    assert_eq!(constant(tabu, "GOLDEN"), Tabu::GOLDEN);
    assert_eq!(constant(tabu, "LONGEST_PERIOD"), Tabu::LONGEST_PERIOD);
    let place = &parse(Kernel::Place, Variant::board(8));
    twin!(place, "Place", PlaceParams, tries);
    let diversity = &parse(Kernel::Diversity, Variant::grid(9, Lanes::Many));
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
    let variant = Variant::grid(9, Lanes::Many);
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
        ("SITE_PROPOSE", Site::Propose),
        ("SITE_PULL", Site::Pull),
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
        let variant = Variant::grid(size, Lanes::Many);
        let module = parse(Kernel::Breed, variant);
        assert_eq!(
            workgroup_memory(&module),
            variant.workgroup_memory(),
            "size {size}"
        );
    }
    // Every adapter has 16 KiB: no Sudoku needs more.
    let largest = Variant::grid(Geometry::MAX_SUDOKU, Lanes::Many);
    assert!(largest.workgroup_memory() <= 16 << 10);
}

#[test]
fn desks_stay_within_the_workgroup_memory_that_every_adapter_has() {
    for (kernel, variant) in variants().filter(|(kernel, _)| kernel.permutes()) {
        let bytes = workgroup_memory(&parse(kernel, variant));
        assert!(
            bytes <= WORKGROUP_MEMORY,
            "{} {variant:?}: {bytes}",
            kernel.name()
        );
    }
}

#[test]
fn kernels_stay_within_the_storage_bindings_that_every_adapter_has() {
    for (kernel, variant) in variants() {
        let module = parse(kernel, variant);
        let storage = module
            .global_variables
            .iter()
            .filter(|(_, variable)| matches!(variable.space, naga::AddressSpace::Storage { .. }));
        assert!(storage.count() <= 8, "{}", kernel.name());
    }
}
