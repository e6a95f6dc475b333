//! What every operator must leave true, whatever the plan, size, boxes and givens; and slow and
//! obvious kernels written from the documentation, which the native engine must equal to the bit.

#[path = "../common/mod.rs"]
mod common;

mod any_kind;
mod any_plan;
mod block_breeding;
mod colouring;
mod courses;
mod crossover;
mod elite;
mod flowers;
mod genes;
mod genes_properties;
mod genes_strategies;
mod ground;
mod harmony;
mod hgasa;
mod hybrids;
mod initialise;
mod judge;
mod kinds;
mod model;
mod mutation;
mod objectives;
mod restarts;
mod runs;
mod sampling;
mod search;
mod selection;
mod slow;
mod slow_blocks;
mod slow_cells;
mod slow_colouring;
mod slow_genes;
mod slow_pulls;
mod stages;
mod strategies;
mod support;
mod torus;
