//! A kernel as data: which shader, with which parameters, dispatched over what.

use std::borrow::Cow;
use std::sync::Arc;

/// The text of a kernel in WGSL: one of the crate's by its name, or somebody else's.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Shader {
    path: Cow<'static, str>,
    text: Option<Arc<str>>,
}

impl Shader {
    /// The file of this name in `shaders/`, without its extension: `grids/breed_rows`.
    pub const fn builtin(path: &'static str) -> Self {
        Self {
            path: Cow::Borrowed(path),
            text: None,
        }
    }

    /// A text from outside of the crate. It may import whatever is in `shaders/`; errors of compilers name this
    /// path and a line of the text.
    pub fn own(path: impl Into<String>, text: impl Into<Arc<str>>) -> Self {
        Self {
            path: Cow::Owned(path.into()),
            text: Some(text.into()),
        }
    }

    /// The path, without folder and extension of the crate's files.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The text, if it is not one of the crate's.
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// The last part of the path: what the kernel is called.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }
}

/// The parameters of a kernel: words with the names that the shader's struct has for them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Params {
    names: Vec<&'static str>,
    words: Vec<u32>,
}

impl Params {
    /// Parameters in the order of the shader's struct.
    pub fn new<const N: usize>(params: [(&'static str, u32); N]) -> Self {
        let (names, words) = params.into_iter().unzip();
        Self { names, words }
    }

    /// The same with an array behind them; an array has one entry at least.
    pub fn with_array(mut self, array: &[u32]) -> Self {
        self.words.extend_from_slice(match array {
            [] => &[0],
            array => array,
        });
        self
    }

    /// The names, without those of an array's entries.
    pub fn names(&self) -> &[&'static str] {
        &self.names
    }

    /// All words.
    pub fn words(&self) -> &[u32] {
        &self.words
    }
}

/// What a kernel is dispatched over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dispatch {
    /// One workgroup.
    Once,
    /// A workgroup for every cell of a grid, or queen of a board.
    Cells,
    /// Every individual that is to be made.
    Individuals,
    /// So many other things, each as large as an individual. Where several devices share a population, each does all of
    /// them.
    Items(u32),
    /// Every individual or island takes many steps, in as few dispatches as the device allows.
    Steps(Steps),
}

/// Work that is cut into dispatches by its steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Steps {
    /// Islands make generations.
    Generations {
        /// Individuals of an island.
        size: u32,
        /// Generations that they make.
        generations: u32,
        /// Passes over a grid for each individual of a generation.
        passes: u32,
        /// Turns of other loops.
        turns: u32,
    },
    /// Everybody makes so many moves of a tabu search, after a dispatch that makes none.
    Moves(u32),
    /// Everybody makes so many draws of a packing search, after a dispatch that makes none.
    Draws(u32),
}

/// One kernel of an operator.
#[derive(Debug, Clone)]
pub struct KernelCall {
    /// The kernel.
    pub shader: Shader,
    /// Its parameters, if it has any (binding 5).
    pub params: Option<Params>,
    /// The table that it reads, if any (binding 8).
    pub table: Option<Arc<[u32]>>,
    /// What it is dispatched over.
    pub dispatch: Dispatch,
}

impl KernelCall {
    /// A kernel for every individual, without parameters.
    pub fn new(shader: Shader) -> Self {
        Self {
            shader,
            params: None,
            table: None,
            dispatch: Dispatch::Individuals,
        }
    }

    /// The same with parameters.
    pub fn with(self, params: Params) -> Self {
        Self {
            params: Some(params),
            ..self
        }
    }

    /// The same with a table.
    pub fn reading(self, table: &Arc<[u32]>) -> Self {
        Self {
            table: Some(table.clone()),
            ..self
        }
    }

    /// The same, dispatched over something else.
    pub fn over(self, dispatch: Dispatch) -> Self {
        Self { dispatch, ..self }
    }
}

/// What is kept beside the population. There is room for one kind at a time: who needs another finds it empty.
///
/// ```text
/// Elites(n)      fitness of each | cells of each
/// Harmonies(n)   fitness of each | who is best, second best, ... | cells of each
/// Emigrants(n)   fitness, twice n | generation of departure, twice n | cells, twice n
/// Workspaces     order of all | workspaces in storage
/// Memories       order of all | workspaces in storage | best fitness, genes then, velocity: of each individual
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Auxiliary {
    /// Nothing is needed; what is there stays.
    #[default]
    Unused,
    /// Elites that teach.
    Elites(u32),
    /// Improvisations that want a place in the memory.
    Harmonies(u32),
    /// The best of so many islands: those of the last epoch are read while those of this one are written.
    Emigrants(u32),
    /// The order of all, and workspaces that workgroup memory cannot hold.
    Workspaces,
    /// The same, and what individuals remember.
    Memories,
}
