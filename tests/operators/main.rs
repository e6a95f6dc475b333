//! The operators of the native engine, one folder a question:
//!
//! | folder | what is there |
//! |---|---|
//! | [`properties`] | what every operator leaves true, and that it equals its reference to the bit |
//! | [`reference`] | slow and obvious kernels, written from the documentation alone |
//! | [`algorithms`] | the host's side of algorithms: what they learn, and which operator comes next |
//! | [`support`] | problems, plans, engines, counts and statistics that the others share |

#[path = "../common/mod.rs"]
mod common;

mod algorithms;
mod properties;
mod reference;
mod support;
