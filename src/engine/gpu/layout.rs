//! What host and kernels share in buffers: each struct has a twin in the shaders, and a test
//! compares their offsets with naga's.

use bytemuck::{Pod, Zeroable};

use super::buffers::workspaces;
use super::shaders::Variant;
use crate::engine::Setup;
use crate::engine::colouring::Colouring;
use crate::engine::genes::{BoardGenes, Genome, GridGenes};
use crate::engine::tables::{Tables, UNIT_KINDS};
use crate::plan::Objective;
use crate::population::words_for;
use crate::problem::{Instance, Surface};

/// Twin of `Run` in `shaders/common/run.wgsl`.
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub struct RunParams {
    pub free_digits: u32,
    pub faulty: u32,
    pub objective: u32,
    pub population: u32,
    pub seed_low: u32,
    pub seed_high: u32,
    pub free_counts_at: u32,
    pub free_cells_at: u32,
    pub free_positions_at: u32,
    pub domains_at: u32,
    pub goal: u32,
    pub cell_bits: u32,
    pub genes: u32,
    pub slots: u32,
    pub constraints: u32,
    pub support: u32,
    pub confidence: u32,
    pub genes_at: u32,
    pub segments_at: u32,
    pub fixed_at: u32,
    pub gene_of_at: u32,
    pub memories_at: u32,
    pub vertices: u32,
    pub choices: u32,
    pub vertices_at: u32,
    pub vertex_of_at: u32,
    pub choices_at: u32,
    pub digits_at: u32,
    pub elements: u32,
    pub elements_at: u32,
    pub candidates_at: u32,
}

/// Twin of `State` in `shaders/common/run.wgsl`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct State {
    pub generation: u32,
    pub best_at: u32,
    pub surveys: u32,
    pub stride: u32,
    pub target_fitness: u32,
    pub done: u32,
    pub reinitialised: u32,
    pub elite_count: u32,
    pub elite_next: u32,
    pub best_ever: u32,
}

impl State {
    /// Before the initial population: its survey makes generation 0 of it.
    pub const START: Self = Self {
        generation: u32::MAX,
        best_at: 0,
        surveys: 0,
        stride: 1,
        target_fitness: 0,
        done: 0,
        reinitialised: 0,
        elite_count: 0,
        elite_next: 0,
        best_ever: u32::MAX,
    };
}

/// Twin of `Chunk` in `shaders/common/chunk.wgsl`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Chunk {
    pub first: u32,
    pub end: u32,
    pub before: u32,
    pub generations: u32,
}

/// What the kernels know of a problem: the run, and its tables as one array of words.
pub fn pack_problem(
    setup: &Setup<'_>,
    variant: Variant,
    colouring: Option<&Colouring>,
) -> (RunParams, Vec<u32>) {
    let (support, confidence) = match setup.representation.objective {
        Objective::SupportConfidence(weights) => (weights.support, weights.confidence),
        _ => (0, 0),
    };
    let run = RunParams {
        population: setup.pop as u32,
        seed_low: setup.seed as u32,
        seed_high: (setup.seed >> 32) as u32,
        goal: setup.instance.goal(),
        support,
        confidence,
        memories_at: (setup.pop + workspaces(variant, setup.pop) * variant.spilled_words()) as u32,
        ..RunParams::default()
    };
    match setup.instance {
        Instance::Sudoku(reduction) => {
            let tables = Tables::new(reduction, setup.representation);
            let (run, mut words) = pack_tables(run, &tables, variant.mask_words());
            let run = if setup.representation.are_permutations() {
                pack_genes(run, &GridGenes::new(&tables), &mut words)
            } else if let Some(colouring) = colouring {
                pack_colouring(run, colouring, &mut words)
            } else {
                run
            };
            (run, words)
        }
        Instance::Queens(queens) => {
            let genome = BoardGenes::new(*queens);
            let torus = u32::from(queens.surface() == Surface::Torus);
            let run = RunParams {
                cell_bits: 32,
                ..count_genes(run, &genome)
            };
            (run, vec![torus])
        }
    }
}

fn count_genes(run: RunParams, genome: &impl Genome) -> RunParams {
    RunParams {
        genes: genome.genes() as u32,
        slots: genome.slots() as u32,
        constraints: genome.constraints() as u32,
        ..run
    }
}

/// Behind the tables of a puzzle, those of its genes: two words each, where the genes of each segment
/// start, what is fixed on each line, the gene of each cell.
fn pack_genes(run: RunParams, genome: &GridGenes, words: &mut Vec<u32>) -> RunParams {
    let halves = |low: u16, high: u16| u32::from(high) << 16 | u32::from(low);
    let genes_at = words.len() as u32;
    for gene in &genome.genes {
        words.push(halves(gene.cell, gene.segment));
        words.push(halves(gene.units[0], gene.units[1]));
    }
    let segments_at = words.len() as u32;
    words.extend(&genome.segments);
    let fixed_at = words.len() as u32;
    words.extend(&genome.fixed);
    let gene_of_at = words.len();
    words.resize(gene_of_at + genome.template.len(), u32::MAX);
    for (at, gene) in (0..).zip(&genome.genes) {
        words[gene_of_at + usize::from(gene.cell)] = at;
    }
    RunParams {
        genes_at,
        segments_at,
        fixed_at,
        gene_of_at: gene_of_at as u32,
        ..count_genes(run, genome)
    }
}

/// Behind the tables of a puzzle, those of its colouring: two words for each vertex, the vertex of
/// each cell, the choice of each cell and digit, the digit of each choice; then those of its exact cover: two for
/// each element, two for each candidate.
fn pack_colouring(run: RunParams, colouring: &Colouring, words: &mut Vec<u32>) -> RunParams {
    let vertices_at = words.len() as u32;
    for vertex in &colouring.vertices {
        words.push(vertex.first);
        words.push(u32::from(vertex.choices) << 16 | u32::from(vertex.cell));
    }
    let vertex_of_at = words.len();
    words.resize(vertex_of_at + colouring.geometry().cells(), u32::MAX);
    for (at, vertex) in (0..).zip(&colouring.vertices) {
        words[vertex_of_at + usize::from(vertex.cell)] = at;
    }
    let choices_at = words.len() as u32;
    words.extend(&colouring.choices);
    let digits_at = words.len() as u32;
    words.extend(colouring.digits.iter().map(|&digit| u32::from(digit)));
    let cover = &colouring.cover;
    let elements_at = words.len() as u32;
    let halves = |low: u16, high: u16| u32::from(high) << 16 | u32::from(low);
    for element in &cover.elements {
        words.extend([element.first, halves(element.count, element.digit)]);
    }
    let candidates_at = words.len() as u32;
    for &[cell, row, column, block] in &cover.candidates {
        words.extend([halves(cell, row), halves(column, block)]);
    }
    RunParams {
        elements: cover.elements.len() as u32,
        elements_at,
        candidates_at,
        vertices: colouring.vertices.len() as u32,
        choices: colouring.digits.len() as u32,
        vertices_at,
        vertex_of_at: vertex_of_at as u32,
        choices_at,
        digits_at,
        ..run
    }
}

/// The tables of a puzzle, and where their parts start: the template, the number of free cells of
/// each segment, their positions, the free cells of each unit, the domains.
fn pack_tables(run: RunParams, tables: &Tables, mask_words: usize) -> (RunParams, Vec<u32>) {
    let n = tables.size();
    let row_words = words_for(n);
    let mask = |set: u128| (0..mask_words).map(move |word| (set >> (32 * word)) as u32);
    let mut words = pack(&tables.template);
    let free_counts_at = words.len();
    words.extend(tables.free.iter().map(|positions| positions.len() as u32));
    let free_cells_at = words.len();
    for positions in &tables.free {
        let start = words.len();
        words.extend(pack(positions));
        words.resize(start + row_words, 0);
    }
    let free_positions_at = words.len();
    for kind in 0..UNIT_KINDS {
        words.extend(
            tables.free_positions[kind]
                .iter()
                .flat_map(|&set| mask(set)),
        );
    }
    let domains_at = words.len();
    words.extend(tables.domains.iter().flat_map(|&set| mask(set)));
    let representation = tables.representation();
    let faulty = tables.faulty().into_iter().enumerate();
    let run = RunParams {
        free_digits: u32::from(representation.encoding.has_free_digits()),
        faulty: faulty.map(|(kind, may)| u32::from(may) << kind).sum(),
        objective: match representation.objective {
            Objective::IllegalUnits => 0,
            Objective::MissingDigits => 1,
            Objective::SumDeviation => 2,
            Objective::Own(_) => 3,
            Objective::Attacks | Objective::SupportConfidence(_) | Objective::ConflictsAndHoles => {
                unreachable!("tables have an objective for grids")
            }
        },
        cell_bits: 8,
        free_counts_at: free_counts_at as u32,
        free_cells_at: free_cells_at as u32,
        free_positions_at: free_positions_at as u32,
        domains_at: domains_at as u32,
        ..run
    };
    (run, words)
}

fn pack(bytes: &[u8]) -> Vec<u32> {
    bytes
        .chunks(4)
        .map(|four| {
            let mut word = [0; 4];
            word[..four.len()].copy_from_slice(four);
            u32::from_le_bytes(word)
        })
        .collect()
}
