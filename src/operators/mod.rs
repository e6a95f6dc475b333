//! Operators as values: a file each, with its parameters, what it costs, the kernels that it takes on a device,
//! and its native twin. Both engines read this one description, so nothing of an operator stands anywhere else
//! but its shader of the same name in `shaders/`.
//!
//! A new operator is its file here, its shader, a `mod` line and a name in the list below. An operator of
//! somebody else's, from outside of the crate, is an [`OwnOperator`].
//!
//! This module must not know wgpu: a kernel is a shader's name, words of parameters and the shape of its
//! dispatch ([`kernel`]).

pub(crate) mod colourings;
pub(crate) mod grids;
pub mod kernel;
mod own;
pub(crate) mod permutations;
mod start;

use std::fmt;

pub use self::colourings::cooling;
pub use self::colourings::packing::Packing;
pub use self::colourings::tabu::Tabu;
pub use self::grids::breed_blocks::BreedBlocks;
pub use self::grids::breed_rows::{BreedRows, MutationUnit, Parent, Repeats, Survivor};
pub use self::grids::elite::{Admits, Elite};
pub use self::grids::improvise::Improvise;
pub use self::grids::islands::Islands;
pub use self::grids::pollinate::Pollinate;
pub use self::grids::sample::{Order, Sample};
use self::kernel::{Auxiliary, KernelCall};
pub use self::own::{GridView, OwnObjective, OwnOperator, OwnVariation};
pub use self::permutations::anneal::{Anneal, Who};
pub use self::permutations::gravitational_search::GravitationalSearch;
pub use self::permutations::min_conflicts::MinConflicts;
pub use self::permutations::particle_swarm::ParticleSwarm;
pub use self::permutations::recombine::{Accept, Cut, More, Mutations, Recombine};
pub use self::start::Start;
use crate::engine::cpu::Generation;
use crate::engine::cpu::colourings::{ColouringKernels, ColouringOperator, Tally};
use crate::engine::cpu::grids::{GridKernels, GridOperator, Mask, Shape};
use crate::engine::cpu::permutations::{PermutationKernels, PermutationOperator};
use crate::engine::genes::Genome;
use crate::error::Error;
use crate::plan::Representation;

/// What both engines have to know of an operator.
pub trait Operator: fmt::Debug {
    /// Whether it can vary such individuals.
    fn suits(&self, representation: Representation) -> bool;

    /// Refuses parameters that its kernels cannot have, for a population of this size.
    ///
    /// # Panics
    /// If the operator lacks what its kernels need: an algorithm that plans that is wrong whatever its
    /// parameters are.
    fn check(&self, pop: usize) -> Result<(), Error> {
        let _ = pop;
        Ok(())
    }

    /// Individuals or proposals whose fitness a generation computes; at the most, if it counts its moves.
    fn evaluations(&self, pop: u64) -> u64 {
        pop
    }

    /// Whether it counts an evaluation for each of its moves, which records report as swaps.
    fn counts_moves(&self) -> bool {
        false
    }

    /// Generations that always run together.
    fn stride(&self) -> u32 {
        1
    }

    /// What it keeps beside a population of this size.
    fn auxiliary(&self, pop: u32) -> Auxiliary {
        let _ = pop;
        Auxiliary::Unused
    }

    /// Whether it makes a population from nothing: then nobody remembers anything.
    fn renews(&self) -> bool {
        false
    }

    /// Of whom it makes an individual.
    fn ancestry(&self) -> Ancestry {
        Ancestry::Indivisible
    }

    /// The operator cut short after each of its steps, with their names: what an individual goes through in a
    /// generation. Nothing, if its steps cannot be told apart.
    fn steps(&self) -> Vec<(&'static str, Variation)> {
        Vec::new()
    }

    /// Its kernels in their order, for a generation, or for so many that run together.
    fn kernels(&self, call: &Call) -> Vec<KernelCall>;
}

/// Of whom an operator makes an individual: what those who share a population have to tell each other before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ancestry {
    /// Of nobody, or of itself and what it remembers.
    Itself,
    /// Of its island of so many individuals, which no share parts, and at the beginning of an epoch of the best of the
    /// island before.
    Island(u32),
    /// Of anybody.
    Anybody,
    /// A generation cannot be made in shares: everybody makes all of it, of anybody.
    Indivisible,
}

/// What the kernels of an operator are asked for.
#[derive(Debug, Clone, Copy)]
pub struct Call {
    /// Individuals.
    pub pop: u32,
    /// Generations that run together.
    pub stride: u32,
    /// Whether the problem is one of queens on a board.
    pub is_board: bool,
}

/// Lists the operators of the crate by the kernels that they are made of.
macro_rules! operators {
    (
        grids { $($grid:ident,)* }
        permutations { $($permutation:ident,)* }
        colourings { $($colouring:ident,)* }
    ) => {
        /// What makes a new population from the old one.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum Variation {
            $(#[doc = concat!("See [`", stringify!($grid), "`].")] $grid($grid),)*
            $(#[doc = concat!("See [`", stringify!($permutation), "`].")] $permutation($permutation),)*
            $(#[doc = concat!("See [`", stringify!($colouring), "`].")] $colouring($colouring),)*
            /// A new population, whatever the old one was.
            Renew(Start),
            /// An operator from outside of the crate.
            Own(OwnVariation),
        }

        impl Variation {
            /// What both engines have to know of it.
            pub fn operator(&self) -> &dyn Operator {
                match self {
                    $(Self::$grid(operator) => operator,)*
                    $(Self::$permutation(operator) => operator,)*
                    $(Self::$colouring(operator) => operator,)*
                    Self::Renew(start) => start,
                    Self::Own(own) => own,
                }
            }

            /// Has native kernels for grids run it. Returns the number of swaps.
            pub(crate) fn on_grids<M: Mask, S: Shape, const C: usize>(
                &self,
                kernels: &mut GridKernels<M, S, C>,
                generation: &mut Generation<'_>,
            ) -> u64 {
                match self {
                    $(Self::$grid(operator) => operator.run(kernels, generation),)*
                    Self::Renew(start) => GridOperator::run(start, kernels, generation),
                    Self::Own(own) => own.run(kernels, generation),
                    other => other.is_elsewhere(),
                }
            }

            /// Has native permutation kernels run it. Returns the number of swaps.
            pub(crate) fn on_permutations<G: Genome + 'static>(
                &self,
                kernels: &mut PermutationKernels<G>,
                generation: &mut Generation<'_>,
            ) -> u64 {
                match self {
                    $(Self::$permutation(operator) => operator.run(kernels, generation),)*
                    Self::Renew(start) => PermutationOperator::run(start, kernels, generation),
                    other => other.is_elsewhere(),
                }
            }

            /// Has native colouring kernels run it. Returns the number of moves.
            pub(crate) fn on_colourings<T: Tally, const N: usize>(
                &self,
                kernels: &mut ColouringKernels<T, N>,
                generation: &mut Generation<'_>,
            ) -> u64 {
                match self {
                    $(Self::$colouring(operator) => operator.run(kernels, generation),)*
                    other => other.is_elsewhere(),
                }
            }

            /// One of each, with whatever parameters.
            #[cfg(test)]
            pub(crate) fn examples() -> Vec<Self> {
                vec![
                    $(<$grid as GridOperator>::example().into(),)*
                    $(<$permutation as PermutationOperator>::example().into(),)*
                    $(<$colouring as ColouringOperator>::example().into(),)*
                ]
            }

            /// The native kernels that run it.
            pub(crate) fn native_family(&self) -> NativeFamily {
                match self {
                    $(Self::$grid(_) => NativeFamily::Grids,)*
                    $(Self::$permutation(_) => NativeFamily::Permutations,)*
                    $(Self::$colouring(_) => NativeFamily::Colourings,)*
                    Self::Renew(Start::Greedy(_)) => NativeFamily::Permutations,
                    Self::Renew(Start::Sample(_)) | Self::Own(_) => NativeFamily::Grids,
                    Self::Renew(Start::Fresh) => NativeFamily::Either,
                }
            }
        }

        $(impl From<$grid> for Variation {
            fn from(operator: $grid) -> Self {
                Self::$grid(operator)
            }
        })*
        $(impl From<$permutation> for Variation {
            fn from(operator: $permutation) -> Self {
                Self::$permutation(operator)
            }
        })*
        $(impl From<$colouring> for Variation {
            fn from(operator: $colouring) -> Self {
                Self::$colouring(operator)
            }
        })*
    };
}

operators! {
    grids {
        BreedRows,
        BreedBlocks,
        Islands,
        Improvise,
        Pollinate,
    }
    permutations {
        Recombine,
        ParticleSwarm,
        GravitationalSearch,
        Anneal,
        MinConflicts,
    }
    colourings {
        Tabu,
        Packing,
    }
}

/// Native kernels that run an operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NativeFamily {
    /// Those for grids.
    Grids,
    /// The permutation kernels.
    Permutations,
    /// The colouring kernels.
    Colourings,
    /// Those for grids, or the permutation kernels where there are none.
    Either,
}

impl Variation {
    fn is_elsewhere(&self) -> u64 {
        unreachable!("{self:?} is run by the kernels of its own family")
    }
}

/// Refuses tournaments that no kernel can draw.
pub(crate) fn check_tournament(contestants: u32) -> Result<(), Error> {
    match (1..1 << 16).contains(&contestants) {
        true => Ok(()),
        false => Err(Error::BadValue {
            key: "tournament".to_owned(),
            value: contestants.to_string(),
            expected: "from 1 to 65535 contestants".to_owned(),
        }),
    }
}
