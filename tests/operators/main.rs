//! What every operator must leave true, whatever the plan, size, boxes and givens; and a slow
//! and obvious LSGA written from the documentation, which the native engine must equal to the
//! bit.

#[path = "../common/mod.rs"]
mod common;

mod any_plan;
mod crossover;
mod elite;
mod initialise;
mod model;
mod mutation;
mod runs;
mod search;
mod selection;
mod strategies;
mod support;
