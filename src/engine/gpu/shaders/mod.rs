//! The kernels' texts: where they come from (`library`), how they are put together (`compose`, `unroll`) for a
//! size and an adapter (`variant`), and what naga says of the whole (`reflect`).

pub mod compose;
pub mod library;
pub mod reflect;
mod searches;
mod unroll;
mod variant;

pub use self::compose::{Composed, admits, compose};
pub use self::reflect::{Interface, reflect};
pub use self::variant::{Counted, LANES, Lists, Mapping, ProblemKind, Variant};

#[cfg(test)]
mod tests;
