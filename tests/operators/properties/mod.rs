//! What operators leave true, whatever the puzzle, the plan, the threads and the batches.
//!
//! `any_*` state it for any plan. `*_equal_reference` compare the native engine with the models of
//! [`reference`], bit for bit. All others are named after the operator that they test.
//!
//! [`reference`]: crate::reference

mod any_grid_plan;
mod any_row_plan;
mod block_breeding;
mod colouring;
mod crossover;
mod digit_balance;
mod elite_learning;
mod grids_equal_reference;
mod improvisation;
mod initialisation;
mod local_search;
mod mutation;
mod objectives;
mod packing;
mod permutations;
mod permutations_equal_reference;
mod pollination;
mod queens;
mod rows_equal_reference;
mod runs;
mod sampling;
mod selection;
