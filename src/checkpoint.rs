//! A run in a file: what it is, and where it was.
//!
//! A file is either whole or refused: it begins with what it is and its version, says how long it is, and
//! ends with a digest of everything before. It replaces an older one in one step, so that there is a
//! whole one at any moment.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use thiserror::Error;
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use crate::algo::{self, Settings, Value};
use crate::codec::{Codec, DecodeError, Persist};
use crate::controller::{Budget, RunState};
use crate::engine::{Engine, has_memory};
use crate::problem::sudoku::format::{Alphabet, shortened};
use crate::problem::{Geometry, Grid, NamedProblem, Problem, Puzzle, Queens, Surface};

/// How a file begins.
const MAGIC: &[u8; 20] = b"gpusudoku checkpoint";

/// Version of the format; another one is refused.
pub const VERSION: u32 = 2;

/// Bytes before the words: magic, version, number of words.
const HEAD: usize = MAGIC.len() + 4 + 8;

/// Bytes of the digest.
const TAIL: usize = 16;

/// Bytes that any machine can read of a file before it is asked for the room for all of it.
const MUCH: u64 = 1 << 24;

/// Everything that determines a run, and where it was.
#[derive(Debug, Clone)]
pub struct Checkpoint {
    /// What is to be solved.
    pub problem: NamedProblem,
    /// The algorithm and its parameters.
    pub settings: Settings,
    /// Individuals of its population.
    pub pop: usize,
    /// Seed of all random numbers.
    pub seed: u64,
    /// When it was to give up.
    pub budget: Budget,
    /// Where it was.
    pub state: RunState,
}

/// Everything that determines a run: for processes that carry it out together.
#[derive(Debug, Clone)]
pub struct RunPlan {
    /// What is to be solved.
    pub problem: NamedProblem,
    /// The algorithm and its parameters.
    pub settings: Settings,
    /// Individuals of its population.
    pub pop: usize,
    /// Seed of all random numbers.
    pub seed: u64,
    /// When it is to give up.
    pub budget: Budget,
}

impl RunPlan {
    /// It as words.
    pub fn words(&self) -> Vec<u32> {
        Codec::encode(&mut Draft::new(self))
    }

    /// The same again.
    pub fn from_words(words: Vec<u32>) -> Result<Self, CheckpointError> {
        let mut draft = Draft::default();
        Codec::read(words, |codec| codec.persist(&mut draft))?;
        draft.resolve().map_err(CheckpointError::Impossible)
    }
}

/// Why a file is no checkpoint that can be used.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// It cannot be read.
    #[error("{0}")]
    Read(io::Error),
    /// It is something else.
    #[error("it is no checkpoint of gpusudoku")]
    Foreign,
    /// It is of another time.
    #[error("its format is version {0}, and this program reads version {VERSION}")]
    Version(u32),
    /// It was written by a program that may go on in another way.
    #[error("it was written by gpusudoku {0:?}, and this is {here}", here = env!("CARGO_PKG_VERSION"))]
    Program(String),
    /// It ends too early.
    #[error("it is truncated: {found} bytes of {expected}")]
    Truncated {
        /// How much there is.
        found: u64,
        /// How much there should be.
        expected: u64,
    },
    /// It goes on where it should end.
    #[error("there is more in it than {expected} bytes")]
    TooLong {
        /// How much there should be.
        expected: u64,
    },
    /// It is larger than the memory.
    #[error("it has {0} bytes, more than there is memory")]
    Memory(u64),
    /// It was changed.
    #[error("it is damaged: its digest is not that of its contents")]
    Damaged,
    /// The digest is right, but not the contents.
    #[error("it cannot be: {0}")]
    Impossible(String),
}

impl From<DecodeError> for CheckpointError {
    fn from(misfit: DecodeError) -> Self {
        Self::Impossible(misfit.to_string())
    }
}

impl Checkpoint {
    /// Reads a file.
    pub fn read(mut from: impl Read) -> Result<Self, CheckpointError> {
        let mut bytes = Vec::new();
        let mut take = |count: u64, bytes: &mut Vec<u8>| {
            let read = from.by_ref().take(count).read_to_end(bytes);
            read.map_err(CheckpointError::Read)
        };
        take(HEAD as u64, &mut bytes)?;
        let known = bytes.len().min(MAGIC.len());
        if bytes.is_empty() || bytes[..known] != MAGIC[..known] {
            return Err(CheckpointError::Foreign);
        }
        if bytes.len() < HEAD {
            return Err(CheckpointError::Truncated {
                found: bytes.len() as u64,
                expected: (HEAD + TAIL) as u64,
            });
        }
        let (version, words) = bytes[MAGIC.len()..].split_at(4);
        let version = u32::from_le_bytes(version.try_into().expect("four of them"));
        if version != VERSION {
            return Err(CheckpointError::Version(version));
        }
        let words = u64::from_le_bytes(words.try_into().expect("eight of them"));
        let expected = words.saturating_mul(4).saturating_add((HEAD + TAIL) as u64);
        // A file may promise more than there is, or have more than it promises: memory is asked for only
        // if there is much. Its bytes, its words and its population are not there all at once.
        let rest = expected - HEAD as u64 + 1;
        let begun = take(rest.min(MUCH), &mut bytes)? as u64;
        if begun == MUCH && rest > MUCH {
            let needed = usize::try_from(expected.saturating_mul(3));
            if !needed.is_ok_and(has_memory) {
                return Err(CheckpointError::Memory(expected));
            }
            take(rest - MUCH, &mut bytes)?;
        }
        let found = bytes.len() as u64;
        if found < expected {
            return Err(CheckpointError::Truncated { found, expected });
        }
        if found > expected {
            return Err(CheckpointError::TooLong { expected });
        }
        let (contents, digest) = bytes.split_at(bytes.len() - TAIL);
        if xxh3_128(contents).to_le_bytes() != digest {
            return Err(CheckpointError::Damaged);
        }
        let words = bytemuck::pod_collect_to_vec(&contents[HEAD..]);
        drop(bytes);
        Self::from_words(words)
    }

    /// Reads what stands between head and digest.
    pub fn from_words(words: Vec<u32>) -> Result<Self, CheckpointError> {
        let mut refusal = None;
        let mut checkpoint = None;
        let read = Codec::read(words, |codec| {
            let mut draft = Draft::default();
            codec.persist(&mut draft.program)?;
            if draft.program != env!("CARGO_PKG_VERSION") {
                refusal = Some(CheckpointError::Program(shortened(&draft.program)));
                return Err(DecodeError);
            }
            codec.persist(&mut draft)?;
            let plan = draft.resolve().map_err(|reason| {
                refusal = Some(CheckpointError::Impossible(shortened(&reason)));
                DecodeError
            })?;
            let mut state = RunState::blank(plan.problem.problem.form());
            codec.persist(&mut state)?;
            codec.require(state.snapshot.population.len() == plan.pop)?;
            checkpoint = Some(Self {
                problem: plan.problem,
                settings: plan.settings,
                pop: plan.pop,
                seed: plan.seed,
                budget: plan.budget,
                state,
            });
            Ok(())
        });
        match (read, refusal, checkpoint) {
            (Ok(()), _, Some(checkpoint)) => Ok(checkpoint),
            (_, Some(refusal), _) => Err(refusal),
            _ => Err(DecodeError.into()),
        }
    }

    /// What of a run is not the same as here, if anything is; of a population that is still to be found,
    /// anything is the same. Names and budgets make no other run.
    pub fn difference(
        &self,
        problem: &Problem,
        settings: &Settings,
        pop: Option<usize>,
        seed: u64,
    ) -> Option<&'static str> {
        let values = |settings: &Settings| -> Vec<Value> {
            settings.iter().map(|(_, value)| value).collect()
        };
        let same = [
            ("problem", parts(&self.problem.problem) == parts(problem)),
            (
                "algorithm",
                self.settings.info().name == settings.info().name,
            ),
            ("parameter", values(&self.settings) == values(settings)),
            ("population", pop.is_none_or(|pop| pop == self.pop)),
            ("seed", self.seed == seed),
        ];
        same.into_iter()
            .find(|(_, same)| !same)
            .map(|(what, _)| what)
    }

    /// Writes it.
    pub fn write(mut self, mut to: impl io::Write) -> io::Result<()> {
        let mut draft = Draft::new(&RunPlan {
            problem: self.problem,
            settings: self.settings,
            pop: self.pop,
            seed: self.seed,
            budget: self.budget,
        });
        let words = Codec::write(|codec| {
            codec.persist(&mut env!("CARGO_PKG_VERSION").to_owned())?;
            codec.persist(&mut draft)?;
            codec.persist(&mut self.state)
        });
        let mut head = MAGIC.to_vec();
        head.extend(VERSION.to_le_bytes());
        head.extend((words.len() as u64).to_le_bytes());
        let contents: &[u8] = bytemuck::cast_slice(&words);
        let mut digest = Xxh3::new();
        digest.update(&head);
        digest.update(contents);
        to.write_all(&head)?;
        to.write_all(contents)?;
        to.write_all(&digest.digest128().to_le_bytes())
    }

    /// Writes a file, or replaces it in one step: whenever this is cut short, the old one is still there.
    pub fn save(self, path: &Path) -> io::Result<()> {
        replace(path, |file| self.write(file))
    }
}

/// Puts a file in the place of another, or of none.
fn replace(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    // Renaming would put a file in place of a device or a pipe as well.
    if path.exists() && !path.is_file() {
        return Err(io::Error::other("it is there, and is no file"));
    }
    if path.is_symlink() && !path.exists() {
        return Err(io::Error::other("it is a link that leads nowhere"));
    }
    // Where a link leads, not over the link.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let name = path
        .file_name()
        .ok_or_else(|| io::Error::other("it is no name of a file"))?;
    let mut beside = name.to_owned();
    beside.push(".tmp");
    let beside = path.with_file_name(beside);
    // Opening it would wait for the reader of a pipe, and write to where a link leads.
    let there = beside.symlink_metadata();
    if there.is_ok_and(|there| !there.is_file()) {
        let name = beside.display();
        return Err(io::Error::other(format!("{name} is there, and is no file")));
    }
    let mut options = OpenOptions::new();
    let mut file = options
        .write(true)
        .create(true)
        .truncate(false)
        .open(&beside)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            return Err(io::Error::other("another process is writing it"));
        }
        // Some file systems cannot lock; then it is up to the user.
        Err(TryLockError::Error(_)) => {}
    }
    // Whoever had the lock may have renamed it meanwhile: this would be the checkpoint itself.
    if !is_at(&file, &beside) {
        return Err(io::Error::other("another process is writing it"));
    }
    let written = file
        .set_len(0)
        .and_then(|()| write(&mut file))
        .and_then(|()| file.sync_all())
        .and_then(|()| std::fs::rename(&beside, &path));
    if written.is_err() {
        // What is left of it helps nobody, and a full disk has no room for it.
        let _ = std::fs::remove_file(&beside);
    }
    written?;
    sync_folder(&path);
    Ok(())
}

/// Whether a file is still what is at a path. Elsewhere than on Unix an open file cannot be renamed.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let identity = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino());
    let there = std::fs::metadata(path).map(identity);
    matches!((file.metadata().map(identity), there), (Ok(a), Ok(b)) if a == b)
}

#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

/// Makes a new name last. Not every system can, and the file itself is safe already.
fn sync_folder(path: &Path) {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

/// A problem as words hold it: kind, size, rows and columns of a box, givens; see [`Draft`].
fn parts(problem: &Problem) -> (u32, u64, [u64; 2], Vec<u8>) {
    match problem {
        Problem::Sudoku(puzzle) => {
            let geometry = puzzle.geometry();
            let boxes = geometry.boxes();
            let shape = boxes.map_or([0; 2], |shape| [shape.rows as u64, shape.cols as u64]);
            let cells = puzzle.givens().cells().to_vec();
            let kind = u32::from(boxes.is_none());
            (kind, geometry.size() as u64, shape, cells)
        }
        Problem::Queens(queens) => {
            let kind = match queens.surface() {
                Surface::Board => 2,
                Surface::Torus => 3,
            };
            (kind, queens.size() as u64, [0; 2], Vec::new())
        }
    }
}

/// What the alphabet of a puzzle's text adds to its kind. It is no part of what the run is.
fn alphabet_of(problem: &Problem) -> u32 {
    let Problem::Sudoku(puzzle) = problem else {
        return 0;
    };
    let written = puzzle.alphabet();
    let alphabet = Alphabet::ALL.iter().position(|&it| Some(it) == written);
    alphabet.map_or(0, |at| 4 * (at as u32 + 1))
}

/// A run as words hold it.
#[derive(Debug, Default)]
struct Draft {
    program: String,
    name: String,
    /// 0: Sudoku, 1: Latin square, 2: queens, 3: queens on a torus. Of a grid that is written in an
    /// alphabet 4 more for each number of [`Alphabet::ALL`], from one.
    kind: u32,
    size: u64,
    /// Rows and columns of a box.
    boxes: [u64; 2],
    /// Givens, row by row.
    cells: Vec<u8>,
    algo: String,
    params: Vec<(String, String)>,
    pop: u64,
    seed: u64,
    max_generations: u32,
    max_evaluations: Option<u64>,
    /// In microseconds.
    time_limit: Option<u64>,
}

impl Persist for Draft {
    fn persist(&mut self, codec: &mut Codec) -> Result<(), DecodeError> {
        codec.persist(&mut self.name)?;
        codec.persist(&mut self.kind)?;
        codec.persist(&mut self.size)?;
        codec.persist(&mut self.boxes[0])?;
        codec.persist(&mut self.boxes[1])?;
        codec.persist(&mut self.cells)?;
        codec.persist(&mut self.algo)?;
        // Both sides know how many parameters an algorithm has.
        if codec.reads() {
            let info = algo::find(&self.algo).map_err(|_| DecodeError)?;
            self.params = vec![Default::default(); info.params.len()];
        }
        for (key, value) in &mut self.params {
            codec.persist(key)?;
            codec.persist(value)?;
        }
        codec.persist(&mut self.pop)?;
        codec.persist(&mut self.seed)?;
        codec.persist(&mut self.max_generations)?;
        codec.persist(&mut self.max_evaluations)?;
        codec.persist(&mut self.time_limit)
    }
}

impl Draft {
    fn new(plan: &RunPlan) -> Self {
        let text = |value: Value| match value {
            Value::Number(number) => number.to_string(),
            Value::Count(count) => count.to_string(),
            Value::Word(word) => word.to_owned(),
        };
        let (kind, size, boxes, cells) = parts(&plan.problem.problem);
        let kind = kind + alphabet_of(&plan.problem.problem);
        let params = plan.settings.iter();
        Self {
            program: String::new(),
            name: plan.problem.name.clone(),
            kind,
            size,
            boxes,
            cells,
            algo: plan.settings.info().name.to_owned(),
            params: params
                .map(|(param, value)| (param.key.to_owned(), text(value)))
                .collect(),
            pop: plan.pop as u64,
            seed: plan.seed,
            max_generations: plan.budget.max_generations,
            max_evaluations: plan.budget.max_evaluations,
            time_limit: plan.budget.time_limit.map(|limit| limit.as_micros() as u64),
        }
    }

    /// The run that it stands for.
    fn resolve(self) -> Result<RunPlan, String> {
        let size = usize::try_from(self.size).map_err(|error| error.to_string())?;
        let [rows, cols] = self
            .boxes
            .map(|length| usize::try_from(length).unwrap_or(0));
        let numbered = (self.kind / 4) as usize;
        let alphabet = numbered
            .checked_sub(1)
            .and_then(|at| Alphabet::ALL.get(at))
            .copied();
        let queens = |surface| Queens::new(size, surface).map(Problem::from);
        let puzzle = |geometry: Geometry| {
            let grid = Grid::new(geometry, self.cells.clone());
            let puzzle = grid.and_then(Puzzle::new);
            let puzzle = puzzle.map(|puzzle| puzzle.in_alphabet(alphabet));
            puzzle.map(Problem::from).map_err(|error| error.to_string())
        };
        let grids = alphabet.is_some() && self.kind % 4 < 2;
        let problem = match if grids { self.kind % 4 } else { self.kind } {
            0 => puzzle(Geometry::sudoku(rows, cols).map_err(|error| error.to_string())?)?,
            1 => puzzle(Geometry::latin(size).map_err(|error| error.to_string())?)?,
            2 => queens(Surface::Board).map_err(|error| error.to_string())?,
            3 => queens(Surface::Torus).map_err(|error| error.to_string())?,
            kind => return Err(format!("there are no problems of kind {kind}")),
        };
        let info = algo::find(&self.algo).map_err(|error| error.to_string())?;
        let mut settings = Settings::new(info);
        for (key, value) in &self.params {
            settings
                .set(key, value)
                .map_err(|error| error.to_string())?;
        }
        let pop = usize::try_from(self.pop).map_err(|error| error.to_string())?;
        if !(1..=Engine::MAX_POP).contains(&pop) {
            return Err(format!("there are no populations of {pop}"));
        }
        Ok(RunPlan {
            settings,
            pop,
            seed: self.seed,
            budget: Budget {
                max_generations: self.max_generations,
                max_evaluations: self.max_evaluations,
                time_limit: self.time_limit.map(Duration::from_micros),
            },
            problem: NamedProblem {
                name: self.name,
                problem,
            },
        })
    }
}
