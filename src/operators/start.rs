//! Populations from nothing.

use super::grids::initialise::initialise;
use super::grids::sample::{Sample, sample};
use super::kernel::{KernelCall, Shader};
use super::permutations::initialise_queens::{self, greedy, shuffle};
use super::{Ancestry, Call, Operator};
use crate::engine::cpu::Generation;
use crate::engine::cpu::grids::{GridKernels, GridOperator, KernelResult, Mask, Shape};
use crate::engine::cpu::permutations::{PermutationKernels, PermutationOperator};
use crate::engine::genes::Genome;
use crate::plan::{Encoding, KernelFamily, Representation};

/// How the initial population is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Start {
    /// At random, within the encoding.
    Fresh,
    /// By sampling a model.
    Sample(Sample),
    /// Queen by queen: each goes to the first of so many random free rows on which no queen before
    /// it attacks it, or to the last of them (Sosic & Gu's initial search). The free rows stand in
    /// ascending order at first; a row that is taken changes places with the first of them. Queens
    /// only.
    Greedy(u32),
}

impl Operator for Start {
    fn suits(&self, representation: Representation) -> bool {
        match self {
            Self::Fresh => true,
            Self::Sample(_) => {
                let blocks = representation.encoding == Encoding::Blocks;
                blocks && representation.family() == KernelFamily::Grids
            }
            Self::Greedy(tries) => *tries > 0 && representation.encoding == Encoding::Placement,
        }
    }

    fn renews(&self) -> bool {
        true
    }

    /// Individuals that the kernels of grids cannot judge are evaluated afterwards.
    fn ancestry(&self) -> Ancestry {
        Ancestry::Itself
    }

    fn kernels(&self, call: &Call) -> Vec<KernelCall> {
        vec![match self {
            Self::Sample(sample) => sample.kernel(),
            Self::Greedy(tries) => initialise_queens::kernel(*tries),
            Self::Fresh if call.is_board => initialise_queens::kernel(0),
            Self::Fresh => KernelCall::new(Shader::builtin("grids/initialise")),
        }]
    }
}

impl GridOperator for Start {
    #[cfg(test)]
    fn example() -> Self {
        Self::Fresh
    }

    fn run<M: Mask, S: Shape, const C: usize>(
        &self,
        kernels: &mut GridKernels<M, S, C>,
        generation: &mut Generation<'_>,
    ) -> u64 {
        let key = generation.key();
        kernels.each(
            generation.new,
            &generation.share,
            |tables, _, individual, cells| {
                KernelResult::new(match self {
                    Self::Sample(model) => sample(tables, model, key, individual, cells),
                    _ => initialise(tables, key, individual, cells),
                })
            },
        )
    }
}

impl PermutationOperator for Start {
    #[cfg(test)]
    fn example() -> Self {
        Self::Greedy(2)
    }

    fn run<G: Genome + 'static>(
        &self,
        kernels: &mut PermutationKernels<G>,
        generation: &mut Generation<'_>,
    ) -> u64 {
        let key = generation.key();
        kernels.make(
            generation.new,
            &generation.share,
            |context, state, at| match self {
                Self::Greedy(tries) => greedy(&context.genome, state, *tries, key, at),
                _ => shuffle(state, key, at),
            },
        );
        0
    }
}
