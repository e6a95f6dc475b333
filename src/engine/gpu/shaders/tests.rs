//! What must hold of every variant of every shader.

use std::sync::Arc;

use naga::{ArraySize, Module, TypeInner};

use super::*;
use crate::engine::gpu::layout::{Chunk, RunParams, State};
use crate::engine::gpu::observe::Header;
use crate::operators::kernel::{KernelCall, Shader};
use crate::operators::{
    Admits, Anneal, Call, Elite, GravitationalSearch, NativeFamily, Order, Sample, Start, Tabu,
    Variation, cooling,
};
use crate::plan::Objective;
use crate::population::Record;
use crate::problem::Geometry;
use crate::rng::Site;

/// One size for each width of masks and each oddity: no full word in a row, full words, the
/// largest of each width.
const SIZES: [usize; 9] = [2, 4, 6, 9, 25, 32, 33, 64, 128];

/// Boards whose workspace fits workgroup memory, and such that do not.
const BOARDS: [usize; 5] = [4, 8, 500, 600, 100_000];

const MAPPINGS: [Mapping; 3] = Mapping::ALL;

/// Every kernel with every variant that it may be composed for.
fn variants() -> impl Iterator<Item = (Shader, Variant)> {
    library::kernels().flat_map(|name| {
        let queens_only = name == "permutations/initialise_queens";
        let boards_too = name.starts_with("permutations/") || name.starts_with("common/");
        let grids = SIZES
            .into_iter()
            .filter(move |_| !queens_only)
            .flat_map(|size| MAPPINGS.map(|mapping| grid(size, mapping)));
        let boards = BOARDS
            .into_iter()
            .filter(move |_| boards_too)
            .map(Variant::board);
        let lists = move |variant| match name.starts_with("colourings/") {
            true => colouring(variant),
            false => variant,
        };
        let variants = grids.chain(boards).map(lists);
        variants.map(move |variant| (Shader::builtin(name), variant))
    })
}

/// With sub-blocks, as far as shaders can tell.
fn grid(size: usize, mapping: Mapping) -> Variant {
    Variant {
        block_width: size.isqrt(),
        ..Variant::grid(size, mapping)
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
            elements: 4 * n * n,
        }),
        ..variant
    }
}

fn composed(shader: &Shader, variant: Variant) -> Composed {
    compose(shader, variant).unwrap_or_else(|error| panic!("{error}"))
}

fn parse(path: &'static str, variant: Variant) -> Module {
    let text = composed(&Shader::builtin(path), variant).text;
    naga::front::wgsl::parse_str(&text)
        .unwrap_or_else(|error| panic!("{path} {variant:?}: {}", error.emit_to_string(&text)))
}

#[test]
fn every_variant_of_every_shader_is_valid() {
    assert!(library::kernels().count() >= 23);
    for (shader, variant) in variants() {
        reflect(&composed(&shader, variant))
            .unwrap_or_else(|error| panic!("{} {variant:?}: {error}", shader.path()));
    }
}

/// One of each operator, with the variants that its kernels may have.
fn operators() -> Vec<(Variation, Variant)> {
    let sample = Sample {
        model: Arc::from([1, 2, 3]),
        order: Order::Random,
        neighbours: true,
        retries: 1,
    };
    let grid = |mapping| Variant::grid(9, mapping);
    let board = Variant::board(8);
    let mut operators = vec![
        (Variation::Renew(Start::Fresh), board),
        (Variation::Renew(Start::Greedy(2)), board),
    ];
    let mut all = Variation::examples();
    all.extend([Start::Fresh, Start::Sample(sample)].map(Variation::Renew));
    for operator in all {
        let variants = match operator.native_family() {
            NativeFamily::Grids | NativeFamily::Either => MAPPINGS.map(grid).to_vec(),
            NativeFamily::Permutations => vec![grid(Mapping::Workgroup), board],
            NativeFamily::Colourings => vec![colouring(grid(Mapping::Workgroup))],
        };
        operators.extend(
            variants
                .into_iter()
                .map(|variant| (operator.clone(), variant)),
        );
    }
    operators
}

#[test]
fn operators_give_their_kernels_the_parameters_that_shaders_read() {
    let mut seen = Vec::new();
    let mut check = |call: &KernelCall, variant: Variant| {
        let interface = reflect(&composed(&call.shader, variant)).unwrap();
        let checked = interface.check_params(call.shader.path(), call.params.as_ref());
        checked.unwrap();
        let has_table = interface.bindings.contains(&8);
        assert_eq!(has_table, call.table.is_some(), "{}", call.shader.path());
        seen.push(call.shader.path().to_owned());
    };
    for (operator, variant) in operators() {
        let call = Call {
            pop: 10,
            stride: 2,
            is_board: variant.kind == ProblemKind::Board,
        };
        for kernel in operator.operator().kernels(&call) {
            check(&kernel, variant);
        }
    }
    let elite = Elite {
        size: 2,
        admits: Admits::EveryBest,
    };
    check(&elite.kernel(), Variant::grid(9, Mapping::Workgroup));
    // No kernel is left out but those that have no operator.
    let engine = [
        "survey",
        "diversity",
        "evaluate",
        "rank_boundaries",
        "digit_balance",
    ];
    let others = library::kernels().filter(|name| !seen.iter().any(|path| path == name));
    for name in others {
        let last = name.rsplit('/').next().unwrap();
        assert!(engine.iter().any(|known| last.starts_with(known)), "{name}");
    }
}

#[test]
fn parameters_in_another_order_are_refused() {
    let shader = Shader::builtin("permutations/min_conflicts");
    let interface = reflect(&composed(&shader, Variant::board(8))).unwrap();
    let params = crate::operators::kernel::Params::new([("sideways", 1), ("tries", 2)]);
    let error = interface.check_params("x", Some(&params)).unwrap_err();
    assert!(error.contains("(tries, sideways)") && error.contains("(sideways, tries)"));
    assert!(interface.check_params("x", None).is_err());
}

#[test]
fn errors_name_the_file_and_line_of_ours() {
    let good = "#entry child\n#import common/parents\n\nfn vary(individual: u32, lane: u32) -> Child {\n    \
                return Child(parent_fitness(individual), 0u);\n}\n";
    let variant = Variant::grid(9, Mapping::Workgroup);
    let own = |text: String| Shader::own("mine.wgsl", text);
    reflect(&composed(&own(good.to_owned()), variant)).unwrap();
    // What does not parse, and what is not valid: of that naga names the function.
    for (bad, line) in [("unknown(individual)", 5), ("bitcast<f32>(lane)", 4)] {
        let text = good.replace("parent_fitness(individual)", bad);
        let error = reflect(&composed(&own(text), variant)).unwrap_err();
        assert!(error.starts_with(&format!("mine.wgsl:{line}: ")), "{error}");
    }
    let unknown = own(good.replace("common/parents", "common/nowhere"));
    let error = compose(&unknown, variant).unwrap_err();
    assert!(
        error.contains("mine.wgsl") && error.contains("common/nowhere"),
        "{error}"
    );
    let misspelt = own(good.replace("#import", "#include"));
    let error = compose(&misspelt, variant).unwrap_err();
    assert!(error.starts_with("mine.wgsl:2: "), "{error}");
    let error = compose(&own("fn vary() {}".to_owned()), variant).unwrap_err();
    assert!(error.starts_with("mine.wgsl:1: "), "{error}");
}

#[test]
fn lines_of_drivers_are_told_as_lines_of_ours() {
    let shader = Shader::builtin("grids/breed_rows");
    for mapping in MAPPINGS {
        let composed = composed(&shader, Variant::grid(9, mapping));
        let lines: Vec<_> = composed.text.lines().collect();
        let at = 1 + lines
            .iter()
            .position(|line| line.starts_with("fn vary("))
            .unwrap();
        let origin = composed.origin(at).unwrap();
        let text = library::text("grids/breed_rows").unwrap();
        let own = 1 + text
            .lines()
            .position(|line| line.starts_with("fn vary("))
            .unwrap();
        assert_eq!(origin, format!("shaders/grids/breed_rows.wgsl:{own}"));
        let told = composed.translate(&format!("error: wgsl:{at}:7 and wgsl:999999:1"));
        assert_eq!(told, format!("error: {origin}:7 and wgsl:999999:1"));
        assert!(composed.text.contains("// shaders/common/rng.wgsl\n"));
    }
}

#[test]
fn marked_loops_are_written_out() {
    let text = "for (var a = 0u; a < MOST; a++) { // unroll\n    \
                for (var b = a + 1u; b < MOST; b++) { // unroll\n        f(a, b);\n    }\n}\n\
                for (var c = 0u; c < MOST; c++) {\n}";
    let lines: Vec<_> = (1..)
        .zip(text.lines())
        .map(|(number, text)| compose::Line {
            text: text.into(),
            number,
        })
        .collect();
    let unrolled = unroll::unroll(&lines, &[("MOST", 2)]).unwrap();
    let words: Vec<_> = unrolled
        .iter()
        .flat_map(|line| line.text.split_whitespace())
        .collect();
    assert_eq!(
        words.join(" "),
        "{ const a = 0u; { const b = 1u; f(a, b); } } { const a = 1u; } \
         for (var c = 0u; c < MOST; c++) { }"
    );
    let called = unrolled
        .iter()
        .find(|line| line.text.contains("f(a"))
        .unwrap();
    assert_eq!(called.number, 3);
    let (line, _) = unroll::unroll(&lines, &[]).unwrap_err();
    assert_eq!(line, 1, "a bound that is unknown is named with its line");
}

#[test]
fn lanes_take_few_turns_without_a_loop() {
    let text = "for (var i = lane; i < run.genes; i += LANES) { // lanes of GENES\n    f(i);\n}";
    let lines: Vec<_> = (1..)
        .zip(text.lines())
        .map(|(number, text)| compose::Line {
            text: text.into(),
            number,
        })
        .collect();
    let written = |genes| {
        let unrolled = unroll::unroll(&lines, &[("GENES", genes), ("LANES", 32)]).unwrap();
        let texts: Vec<_> = unrolled.iter().map(|line| line.text.trim()).collect();
        texts.join(" ")
    };
    assert_eq!(
        written(33),
        "{ let i = lane + 0u; if i < run.genes { f(i); } } \
         { let i = lane + 32u; if i < run.genes { f(i); } }"
    );
    assert_eq!(
        written(32 * 7),
        text.replace("\n    ", " ").replace('\n', " ")
    );
    let (line, _) = unroll::unroll(&lines, &[("GENES", 33)]).unwrap_err();
    assert_eq!(line, 1, "how many lanes there are has to be known");
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
    for mapping in MAPPINGS {
        let variant = Variant::grid(9, mapping);
        let breed = &parse("grids/breed_rows", variant);
        #[rustfmt::skip]
        twin!(
            breed, "Run", RunParams,
            free_digits,
            population, seed_low, seed_high, free_counts_at, free_cells_at, free_positions_at,
            domains_at, goal, cell_bits, genes, slots, constraints, support, confidence, genes_at,
            segments_at, fixed_at, gene_of_at, memories_at, vertices, choices, vertices_at,
            vertex_of_at, choices_at, digits_at, elements, elements_at, candidates_at
        );
        #[rustfmt::skip]
        twin!(
            breed, "State", State,
            generation, best_at, surveys, stride, target_fitness, done, reinitialised, elite_count,
            elite_next, best_ever
        );
        twin!(breed, "Chunk", Chunk, first, end, before, generations);
        #[rustfmt::skip]
        twin!(
            &parse("common/survey", variant), "Record", Record,
            generation, best, best_at, worst, worst_at, sum_low, sum_high, reinitialised,
            swaps_low, swaps_high, differences_low, differences_high, goal
        );
    }
}

#[test]
fn constants_have_the_values_of_their_twins() {
    let grid = Variant::grid(9, Mapping::Workgroup);
    let board = Variant::board(8);
    let gravity = &parse("permutations/gravitational_search", board);
    assert_eq!(
        constant(gravity, "MOST_BEST"),
        GravitationalSearch::MOST_BEST
    );
    let anneal = &parse("permutations/anneal", board);
    assert_eq!(constant(anneal, "DELTAS"), Anneal::DELTAS as u32);
    let tabu = &parse("colourings/tabu", colouring(grid));
    assert_eq!(constant(tabu, "LONGEST"), Tabu::LONGEST);
    assert_eq!(constant(tabu, "GOLDEN"), cooling::GOLDEN);
    assert_eq!(constant(tabu, "LONGEST_PERIOD"), cooling::LONGEST_PERIOD);
    assert_eq!(constant(tabu, "FILL"), crate::rng::FILL);
    assert_eq!(constant(tabu, "HOLE"), u32::from(crate::population::HOLE));
    let diversity = &parse("common/diversity", grid);
    assert_eq!(
        4 * constant(diversity, "RECORD_WORDS") as usize,
        size_of::<Record>()
    );
    assert_eq!(
        4 * constant(diversity, "DIFFERENCES") as usize,
        std::mem::offset_of!(Record, differences_low)
    );
    let balance = &parse("grids/digit_balance", grid);
    for (name, at) in [
        ("BEST_AT", std::mem::offset_of!(Header, best_at)),
        ("BEST_END", std::mem::offset_of!(Header, best_end)),
        ("WORST_START", std::mem::offset_of!(Header, worst_start)),
        ("CUT_SHORT", std::mem::offset_of!(Header, cut_short)),
        ("BALANCE", size_of::<Header>()),
    ] {
        assert_eq!(4 * constant(balance, name) as usize, at, "{name}");
    }
    let breed = &parse("grids/breed_rows", grid);
    assert_eq!(constant(breed, "TRUNCATED"), crate::engine::gpu::TRUNCATED);
    assert_eq!(constant(breed, "FALSE_ZERO"), Objective::FALSE_ZERO);
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
    let breed = parse("grids/breed_rows", Variant::grid(9, Mapping::Workgroup));
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
        ("SITE_STEP", Site::Step),
        ("SITE_OWN", Site::Host),
    ] {
        assert_eq!(constant(&breed, name), site as u32, "{name}");
    }
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
        let variant = Variant::grid(size, Mapping::Workgroup);
        let module = parse("grids/breed_rows", variant);
        assert_eq!(
            workgroup_memory(&module),
            variant.workgroup_memory(),
            "size {size}"
        );
    }
    // Every adapter has 16 KiB: no Sudoku needs more.
    let largest = Variant::grid(Geometry::MAX_SUDOKU, Mapping::Workgroup);
    assert!(largest.workgroup_memory() <= 16 << 10);
}

#[test]
fn workspaces_stay_within_the_workgroup_memory_that_every_adapter_has() {
    let in_workspaces = |(shader, _): &(Shader, Variant)| !shader.path().starts_with("grids/");
    for (shader, variant) in variants().filter(in_workspaces) {
        let text = composed(&shader, variant).text;
        let bytes = workgroup_memory(&naga::front::wgsl::parse_str(&text).unwrap());
        assert!(bytes <= 16 << 10, "{} {variant:?}: {bytes}", shader.path());
    }
}

/// With and without sub-blocks, at every size: the kernels are valid, and the host makes as much room for a search as its
/// struct takes.
#[test]
fn searches_of_colourings_have_the_room_that_they_take() {
    for size in SIZES {
        for block_width in [0, size.isqrt()] {
            for mapping in [Mapping::Workgroup, Mapping::Subgroup] {
                let grid = Variant::grid(size, mapping);
                let variant = colouring(Variant {
                    block_width,
                    ..grid
                });
                let kernel = composed(&Shader::builtin("colourings/tabu"), variant);
                reflect(&kernel).unwrap_or_else(|error| panic!("{variant:?}: {error}"));
                let module = naga::front::wgsl::parse_str(&kernel.text).unwrap();
                let mut layouter = naga::proc::Layouter::default();
                layouter.update(module.to_ctx()).unwrap();
                let is_search = |ty: &naga::Type| ty.name.as_deref() == Some("Search");
                let (search, _) = module.types.iter().find(|(_, ty)| is_search(ty)).unwrap();
                let bytes = layouter[search].size as usize;
                assert_eq!(bytes, 4 * variant.workspace_words(), "{variant:?}");
            }
        }
    }
}

#[test]
fn kernels_stay_within_the_storage_bindings_that_every_adapter_has() {
    for (shader, variant) in variants() {
        let interface = reflect(&composed(&shader, variant)).unwrap();
        // And the chunk.
        assert!(interface.bindings.len() < 8, "{}", shader.path());
    }
}
