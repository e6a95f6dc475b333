//! What host and kernels share in buffers: each struct has a twin in the shaders, and a test
//! compares their offsets with naga's.

use bytemuck::{Pod, Zeroable};

use super::buffers::desks;
use super::shaders::Variant;
use crate::engine::Setup;
use crate::engine::colouring::Colouring;
use crate::engine::genes::{BoardGenes, Genome, GridGenes};
use crate::engine::tables::{FAMILIES, Tables};
use crate::plan::{
    Accept, Admits, Anneal, Breed, BreedBlocks, Cut, Elite, Encoding, Gravitate, Improvise, More,
    MutationUnit, Objective, Order, Parent, Pollinate, Recombine, Repeats, Resolve, Sample, Swarm,
    Tabu, Who,
};
use crate::population::{words_for, words_of};
use crate::problem::{Instance, Surface};

/// Twin of `Run` in `shaders/shared/run.wgsl`.
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Run {
    pub size: u32,
    pub block_width: u32,
    pub brick_width: u32,
    pub free_digits: u32,
    pub faulty: u32,
    pub objective: u32,
    pub words: u32,
    pub row_words: u32,
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
    pub lines: u32,
    pub support: u32,
    pub confidence: u32,
    pub genes_at: u32,
    pub bricks_at: u32,
    pub fixed_at: u32,
    pub gene_of_at: u32,
    pub memories_at: u32,
    pub vertices: u32,
    pub choices: u32,
    pub vertices_at: u32,
    pub vertex_of_at: u32,
    pub choices_at: u32,
    pub digits_at: u32,
}

/// Twin of `State` in `shaders/shared/run.wgsl`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct State {
    pub generation: u32,
    pub best_at: u32,
    pub surveys: u32,
    pub stride: u32,
    pub until: u32,
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
        until: 0,
        done: 0,
        reinitialised: 0,
        elite_count: 0,
        elite_next: 0,
        best_ever: u32::MAX,
    };
}

/// Twin of `Chunk` in `shaders/shared/chunk.wgsl`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Chunk {
    pub first: u32,
    pub end: u32,
    pub before: u32,
    pub generations: u32,
}

/// Twin of `Breed` in `shaders/breed.wgsl`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct BreedParams {
    pub crossover: u32,
    pub crossover_row: u32,
    pub swap: u32,
    pub reinitialise: u32,
    pub mutation: u32,
    pub column_search: u32,
    pub block_search: u32,
    pub rounds: u32,
    pub partners: u32,
    pub repeats: u32,
    pub parents: u32,
    pub contestants: u32,
    pub strict: u32,
}

impl From<&Breed> for BreedParams {
    fn from(breed: &Breed) -> Self {
        let (contestants, strict) = breed.survivor.contest();
        Self {
            crossover: breed.crossover.threshold(),
            crossover_row: breed.crossover_row.threshold(),
            swap: breed.swap.threshold(),
            reinitialise: breed.reinitialise.threshold(),
            mutation: u32::from(breed.mutation == MutationUnit::Individual),
            column_search: u32::from(breed.column_search),
            block_search: u32::from(breed.block_search),
            rounds: breed.rounds,
            partners: breed.partners,
            repeats: u32::from(breed.repeats == Repeats::Later),
            parents: match breed.parent {
                Parent::Own => 0,
                Parent::Tournament(size) => size,
            },
            contestants,
            strict: u32::from(strict),
        }
    }
}

/// Twin of `Elite` in `shaders/elite.wgsl`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct EliteParams {
    pub size: u32,
    pub every_best: u32,
}

impl From<&Elite> for EliteParams {
    fn from(elite: &Elite) -> Self {
        Self {
            size: elite.size,
            every_best: u32::from(elite.admits == Admits::EveryBest),
        }
    }
}

/// Twin of `Blocks` in `shaders/shared/block_child.wgsl`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct BlocksParams {
    pub tournament: u32,
    pub crossover: u32,
    pub swap: u32,
    pub mutation: u32,
    pub mutants: u32,
    pub island: u32,
    pub epoch: u32,
}

impl BlocksParams {
    pub fn new(breed: &BreedBlocks, island: u32, epoch: u32) -> Self {
        Self {
            tournament: breed.tournament,
            crossover: breed.crossover.threshold(),
            swap: breed.swap.threshold(),
            mutation: u32::from(breed.mutation == MutationUnit::Individual),
            mutants: breed.mutants,
            island,
            epoch,
        }
    }
}

/// Twin of `Sample` in `shaders/sample.wgsl`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct SampleParams {
    pub neighbours: u32,
    pub given_order: u32,
    pub retries: u32,
}

impl From<&Sample> for SampleParams {
    fn from(sample: &Sample) -> Self {
        Self {
            neighbours: u32::from(sample.neighbours),
            given_order: u32::from(sample.order == Order::Given),
            retries: sample.retries,
        }
    }
}

/// Twin of `Improvise` in `shaders/shared/harmonies.wgsl`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct ImproviseParams {
    pub batch: u32,
    pub pitches: u32,
    pub distinct: u32,
}

impl From<&Improvise> for ImproviseParams {
    fn from(improvise: &Improvise) -> Self {
        Self {
            batch: improvise.batch,
            pitches: (improvise.pitches.len() / 3) as u32,
            distinct: u32::from(improvise.distinct),
        }
    }
}

/// Twin of `Pollinate` in `shaders/pollinate.wgsl`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct PollinateParams {
    pub switch_rate: u32,
    pub steps: u32,
    pub distinct: u32,
}

impl From<&Pollinate> for PollinateParams {
    fn from(pollinate: &Pollinate) -> Self {
        Self {
            switch_rate: pollinate.switch.threshold(),
            steps: pollinate.levy.len() as u32,
            distinct: u32::from(pollinate.distinct),
        }
    }
}

/// Twin of `Place` in `shaders/place.wgsl`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct PlaceParams {
    pub tries: u32,
}

/// Twin of `Recombine` in `shaders/recombine.wgsl`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct RecombineParams {
    pub offspring: u32,
    pub tournament: u32,
    pub crossover: u32,
    pub gaussian: u32,
    pub always: u32,
    pub per: u32,
    pub more: u32,
    pub most: u32,
    pub tries: u32,
    pub accept: u32,
}

impl From<&Recombine> for RecombineParams {
    fn from(recombine: &Recombine) -> Self {
        Self {
            offspring: recombine.offspring,
            tournament: recombine.tournament,
            crossover: recombine.crossover.threshold(),
            gaussian: u32::from(recombine.cut == Cut::Gaussian),
            always: recombine.mutations.always,
            per: recombine.mutations.per,
            more: match recombine.mutations.more {
                More::None => 0,
                More::Each => 1,
                More::UpTo => 2,
                More::Shared => 3,
            },
            most: recombine.mutations.most,
            tries: recombine.tries,
            accept: match recombine.accept {
                Accept::Always => 0,
                Accept::NotWorse => 1,
                Accept::Better => 2,
            },
        }
    }
}

/// Twin of `Swarm` in `shaders/swarm.wgsl`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct SwarmParams {
    pub inertia: u32,
    pub own: u32,
    pub swarm: u32,
}

impl From<&Swarm> for SwarmParams {
    fn from(swarm: &Swarm) -> Self {
        Self {
            inertia: swarm.inertia.threshold(),
            own: swarm.own.threshold(),
            swarm: swarm.swarm.threshold(),
        }
    }
}

/// Twin of `Gravitate` in `shaders/gravitate.wgsl`; the schedule follows it.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct GravitateParams {
    pub begin: u32,
    pub rows: u32,
    pub inertia: u32,
}

impl From<&Gravitate> for GravitateParams {
    fn from(gravitate: &Gravitate) -> Self {
        Self {
            begin: gravitate.begin,
            rows: (gravitate.schedule.len() / 2) as u32,
            inertia: gravitate.inertia.threshold(),
        }
    }
}

/// Twin of `Anneal` in `shaders/anneal.wgsl`; the schedule follows it.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct AnnealParams {
    pub everybody: u32,
    pub who: u32,
    pub proposals: u32,
    pub begin: u32,
    pub hold: u32,
    pub rows: u32,
}

impl From<&Anneal> for AnnealParams {
    fn from(anneal: &Anneal) -> Self {
        Self {
            everybody: u32::from(anneal.who == Who::Everybody),
            who: match anneal.who {
                Who::Everybody => 0,
                Who::One(individual) => individual,
            },
            proposals: anneal.proposals,
            begin: anneal.begin,
            hold: anneal.hold,
            rows: (anneal.schedule.len() / Anneal::DELTAS) as u32,
        }
    }
}

/// Twin of `Resolve` in `shaders/resolve.wgsl`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct ResolveParams {
    pub tries: u32,
    pub sideways: u32,
}

impl From<&Resolve> for ResolveParams {
    fn from(resolve: &Resolve) -> Self {
        Self {
            tries: resolve.tries,
            sideways: u32::from(resolve.sideways),
        }
    }
}

/// Twin of `Tabu` in `shaders/tabu.wgsl`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct TabuParams {
    pub moves: u32,
    pub least: u32,
    pub most: u32,
    pub period: u32,
    pub random: u32,
}

impl From<&Tabu> for TabuParams {
    fn from(tabu: &Tabu) -> Self {
        let [least, most] = tabu.factors;
        Self {
            moves: tabu.moves,
            least,
            most,
            period: tabu.period,
            random: tabu.random,
        }
    }
}

/// Parameters and the schedule behind them. An array has one entry at least.
pub fn with_schedule(params: &impl Pod, schedule: &[u32]) -> Vec<u8> {
    let mut bytes = bytemuck::bytes_of(params).to_vec();
    bytes.extend_from_slice(match schedule {
        [] => &[0; 4],
        schedule => bytemuck::cast_slice(schedule),
    });
    bytes
}

/// What the kernels know of a problem: the run, and its tables as one array of words.
pub fn pack_problem(
    setup: &Setup<'_>,
    variant: Variant,
    colouring: Option<&Colouring>,
) -> (Run, Vec<u32>) {
    let (support, confidence) = match setup.representation.objective {
        Objective::SupportConfidence(weights) => (weights.support, weights.confidence),
        _ => (0, 0),
    };
    let run = Run {
        words: words_of(setup.instance.form()) as u32,
        population: setup.pop as u32,
        seed_low: setup.seed as u32,
        seed_high: (setup.seed >> 32) as u32,
        goal: setup.instance.goal(),
        support,
        confidence,
        memories_at: (setup.pop + desks(variant, setup.pop) * variant.desk_words()) as u32,
        ..Run::default()
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
            let run = Run {
                size: queens.size() as u32,
                cell_bits: 32,
                ..count_genes(run, &genome)
            };
            (run, vec![torus])
        }
    }
}

fn count_genes(run: Run, genome: &impl Genome) -> Run {
    Run {
        genes: genome.genes() as u32,
        slots: genome.slots() as u32,
        lines: genome.lines() as u32,
        ..run
    }
}

/// Behind the tables of a puzzle, those of its genes: two words each, where the genes of each brick
/// start, what is fixed on each line, the gene of each cell.
fn pack_genes(run: Run, genome: &GridGenes, words: &mut Vec<u32>) -> Run {
    let halves = |low: u16, high: u16| u32::from(high) << 16 | u32::from(low);
    let genes_at = words.len() as u32;
    for gene in &genome.genes {
        words.push(halves(gene.cell, gene.brick));
        words.push(halves(gene.units[0], gene.units[1]));
    }
    let bricks_at = words.len() as u32;
    words.extend(&genome.bricks);
    let fixed_at = words.len() as u32;
    words.extend(&genome.fixed);
    let gene_of_at = words.len();
    words.resize(gene_of_at + genome.template.len(), u32::MAX);
    for (at, gene) in (0..).zip(&genome.genes) {
        words[gene_of_at + usize::from(gene.cell)] = at;
    }
    Run {
        genes_at,
        bricks_at,
        fixed_at,
        gene_of_at: gene_of_at as u32,
        ..count_genes(run, genome)
    }
}

/// Behind the tables of a puzzle, those of its colouring: two words for each vertex, the vertex of
/// each cell, the choice of each cell and digit, the digit of each choice.
fn pack_colouring(run: Run, colouring: &Colouring, words: &mut Vec<u32>) -> Run {
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
    Run {
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
/// each brick, their positions, the free cells of each unit, the domains.
fn pack_tables(run: Run, tables: &Tables, mask_words: usize) -> (Run, Vec<u32>) {
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
    for family in 0..FAMILIES {
        words.extend(
            tables.free_positions[family]
                .iter()
                .flat_map(|&set| mask(set)),
        );
    }
    let domains_at = words.len();
    words.extend(tables.domains.iter().flat_map(|&set| mask(set)));
    let representation = tables.representation();
    let faulty = tables.faulty().into_iter().enumerate();
    let run = Run {
        size: n as u32,
        block_width: if tables.has_blocks() {
            tables.block_width() as u32
        } else {
            0
        },
        brick_width: tables.brick_width() as u32,
        free_digits: u32::from(matches!(representation.encoding, Encoding::Cells(_))),
        faulty: faulty.map(|(family, may)| u32::from(may) << family).sum(),
        objective: match representation.objective {
            Objective::IllegalUnits => 0,
            Objective::MissingDigits => 1,
            Objective::SumDeviation => 2,
            Objective::Attacks | Objective::SupportConfidence(_) | Objective::Conflicts => {
                unreachable!("tables have an objective for grids")
            }
        },
        row_words: row_words as u32,
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
