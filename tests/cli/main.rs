//! Drives the program as its users do, and reads what it says.
#![cfg(feature = "cli")]

mod algorithms;
mod batch;
mod bench;
mod budgets;
mod check;
mod checkpoint;
mod compare;
mod compare_files;
mod compare_refusals;
mod every_param;
mod every_size;
mod every_trace;
mod faults;
mod formats;
mod generate;
mod gpu;
mod hybrids;
mod lab;
mod limits;
mod memetic;
mod params;
mod propagation;
mod queens;
mod queens_input;
mod queens_params;
mod refusals;
mod report;
mod reproduce;
mod run;
mod sizes;
mod start;
mod sums;
mod support;
mod torus;
mod trace;
