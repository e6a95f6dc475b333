//! A file of results that grows run by run, and goes on where it stopped.

use std::collections::HashSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::experiment::Case;
use super::growth::Difference;
use super::results::{Flaw, Header, Line, MAX_LINE, Reader, Results, ResultsError};

/// Why a file cannot take results.
#[derive(Debug, Error)]
pub enum StoreError {
    /// What is in it cannot be used.
    #[error("{0}")]
    Results(#[from] ResultsError),
    /// It has another experiment.
    #[error(
        "{path} has results of another experiment, which cannot grow into this one: {difference}; name another \
         file, or repeat the command that began it"
    )]
    Other {
        /// The file.
        path: String,
        /// What is not the same.
        difference: Difference,
    },
    /// Somebody else is writing to it.
    #[error("{0} is being written by another process")]
    Locked(String),
    /// The plan, or a solution, would not be read again.
    #[error("{what} is too large for a file of results, whose lines have at most {n} MiB", n = MAX_LINE >> 20)]
    Large {
        /// What is.
        what: String,
    },
    /// It cannot be written.
    #[error("cannot write {path}: {error}")]
    Write {
        /// The file.
        path: String,
        /// Why.
        error: io::Error,
    },
}

/// An open file of results.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    file: File,
    /// What is written before the next run.
    header: Option<Header>,
    /// The cases of the experiment that it has.
    done: HashSet<Case>,
    /// How many runs it had, those of other parts of the experiment included.
    found: usize,
    flaws: Vec<Flaw>,
}

impl Store {
    /// Opens a file for an experiment: makes it, or reads what is there. The experiment may be one into which
    /// that of the file can grow.
    pub fn open(path: &Path, header: &Header) -> Result<Self, StoreError> {
        // The rest of a line is for how the run came down.
        let mut problems = header.design.problems.iter();
        if let Some(problem) = problems.find(|it| it.longest_answer() > MAX_LINE / 2) {
            let what = format!("a solution of {}", problem.name);
            return Err(StoreError::Large { what });
        }
        let name = path.display().to_string();
        let cannot = |error| StoreError::Write {
            path: path.display().to_string(),
            error,
        };
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false);
        let mut file = file.open(path).map_err(cannot)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(StoreError::Locked(name)),
            // Some file systems cannot lock; then it is up to the user.
            Err(TryLockError::Error(_)) => {}
        }
        let mut done = HashSet::new();
        let mut flaws = Vec::new();
        let mut found = 0;
        let (mut known, mut grows) = (false, true);
        if is_torn_header(&mut file).map_err(cannot)? {
            file.set_len(0).map_err(cannot)?;
        }
        if file.metadata().map_err(cannot)?.len() > 0 {
            file.seek(SeekFrom::Start(0)).map_err(cannot)?;
            let results = read_all(&name, &file)?;
            let mut whole = results.header.design.clone();
            let grown = whole.grow(&header.design);
            grown.map_err(|difference| StoreError::Other {
                path: name,
                difference,
            })?;
            grows = whole != results.header.design;
            let places = results.header.design.cases_in(&header.design);
            done.extend(
                results
                    .runs
                    .iter()
                    .filter_map(|(case, _)| places.get(*case)),
            );
            found = results.runs.len();
            flaws = results.flaws;
            let is_this = |plan: &Header| plan.experiment == header.experiment;
            known = results.plans.iter().any(is_this) && results.machines.contains(&header.machine);
            // Not before it is known to be ours.
            mend_end(&mut file).map_err(cannot)?;
        }
        let mut store = Self {
            path: path.to_owned(),
            file,
            header: (!known).then(|| header.clone()),
            done,
            found,
            flaws,
        };
        store.file.seek(SeekFrom::End(0)).map_err(cannot)?;
        // What is planned is known even if no run of it is ever finished.
        if grows {
            store.write_header()?;
        }
        Ok(store)
    }

    /// Whether the file has a run.
    pub fn has(&self, case: Case) -> bool {
        self.done.contains(&case)
    }

    /// How many runs it had when it was opened, those of other parts of the experiment included.
    pub fn found(&self) -> usize {
        self.found
    }

    /// What was incomplete about it.
    pub fn flaws(&self) -> &[Flaw] {
        &self.flaws
    }

    /// Adds a run.
    pub fn add(&mut self, line: &Line) -> Result<(), StoreError> {
        self.write_header()?;
        self.write(line)
    }

    /// Writes the header, if it has to be: it tells to which plan, and to which machine, the next runs belong.
    fn write_header(&mut self) -> Result<(), StoreError> {
        let header = self.header.take();
        header.map_or(Ok(()), |header| self.write(&header))
    }

    /// Everything in the file.
    pub fn results(mut self) -> Result<Results, StoreError> {
        let name = self.path.display().to_string();
        self.file
            .seek(SeekFrom::Start(0))
            .map_err(|error| ResultsError::Read {
                file: name.clone(),
                error,
            })?;
        Ok(read_all(&name, &self.file)?)
    }

    /// Writes a line in one piece, so that whatever ends the process leaves whole lines, or one torn end.
    fn write(&mut self, value: &impl serde::Serialize) -> Result<(), StoreError> {
        let mut text = serde_json::to_vec(value).expect("results are plain data");
        text.push(b'\n');
        if text.len() >= MAX_LINE {
            let what = "the plan or a run".to_owned();
            return Err(StoreError::Large { what });
        }
        self.file
            .write_all(&text)
            .map_err(|error| StoreError::Write {
                path: self.path.display().to_string(),
                error,
            })
    }
}

fn read_all(name: &str, file: &File) -> Result<Results, ResultsError> {
    let mut reader = Reader::default();
    reader.read(name, BufReader::new(file))?;
    reader
        .finish()
        .ok_or_else(|| ResultsError::Empty(name.to_owned()))
}

/// Whether a file has nothing but the first part of a header: a disk was full, or a process was killed.
fn is_torn_header(file: &mut File) -> io::Result<bool> {
    const BEGINNINGS: [&[u8]; 2] = [br#"{"kind":"plan","#, br#"{"gpusudoku_results":"#];
    const MOST: u64 = 1 << 20;
    let mut text = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(MOST).read_to_end(&mut text)?;
    let whole = || serde_json::from_slice::<serde_json::Value>(&text).is_ok();
    let one_line = (text.len() as u64) < MOST && !text.contains(&b'\n');
    let ours = BEGINNINGS.iter().any(|it| text.starts_with(it));
    Ok(ours && one_line && !whole())
}

/// Sees to it that a file ends with the end of a line: a whole line gets one, part of a line is cut off.
fn mend_end(file: &mut File) -> io::Result<()> {
    const BLOCK: u64 = 64 << 10;
    let length = file.seek(SeekFrom::End(0))?;
    let mut last_line = Vec::new();
    let mut start = length;
    while start > 0 && !last_line.contains(&b'\n') {
        let end = start;
        start = end.saturating_sub(BLOCK);
        file.seek(SeekFrom::Start(start))?;
        let mut block = Vec::new();
        file.take(end - start).read_to_end(&mut block)?;
        block.append(&mut last_line);
        last_line = block;
    }
    let begin = last_line.iter().rposition(|&byte| byte == b'\n');
    let last_line = &last_line[begin.map_or(0, |at| at + 1)..];
    if last_line.is_empty() {
        return Ok(());
    }
    if serde_json::from_slice::<serde_json::Value>(last_line).is_ok() {
        file.seek(SeekFrom::End(0))?;
        return file.write_all(b"\n");
    }
    file.set_len(length - last_line.len() as u64)
}
