//! Operators that see a graph whose vertices are coloured from lists. Each is the twin of
//! `shaders/colourings/<name>.wgsl`.

pub mod cooling;
pub mod packing;
pub mod tabu;
