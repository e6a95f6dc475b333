//! Drives the program as its users do, and reads what it says.
#![cfg(feature = "cli")]

mod algorithms;
mod check;
mod every_param;
mod every_size;
mod every_trace;
mod formats;
mod generate;
mod gpu;
mod params;
mod propagation;
mod refusals;
mod run;
mod sizes;
mod sums;
mod support;
mod trace;
