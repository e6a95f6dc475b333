//! Drives the program as its users do, and reads what it says.
#![cfg(feature = "cli")]

mod check;
mod formats;
mod gpu;
mod params;
mod refusals;
mod run;
mod sizes;
mod support;
mod trace;
