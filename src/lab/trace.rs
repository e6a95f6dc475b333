//! Traces: a CSV file with a row for every generation of every run.
//!
//! Columns are only ever added at the end, so that readers by name and by position both go on working.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, BufWriter, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use crate::controller::Progress;

/// The columns of a trace.
///
/// `evaluations` and `seconds` count from the beginning of the run. Generations are made in batches of some
/// 50 ms, and all of a batch have the seconds at its end.
pub const HEADER: &str =
    "problem,seed,generation,best,mean,worst,diversity,swaps,operator,algo,evaluations,seconds\n";

/// The run that rows are of.
#[derive(Debug, Clone, Copy)]
pub struct TracedRun<'a> {
    /// What its problem is called.
    pub problem: &'a str,
    /// What its algorithm is called.
    pub algo: &'a str,
    /// Its seed.
    pub seed: u64,
    /// Individuals of its population.
    pub pop: usize,
}

impl TracedRun<'_> {
    /// How its rows begin.
    fn prefix(&self) -> String {
        format!("\"{}\",{},", self.problem.replace('"', "\"\""), self.seed)
    }

    /// The rows of its generations since the last call.
    pub fn rows(&self, progress: &Progress<'_>) -> String {
        let prefix = self.prefix();
        let seconds = progress.elapsed.as_secs_f64();
        let mut rows = String::new();
        for (record, evaluations) in progress.records.iter().zip(progress.evaluations) {
            rows += &format!(
                "{prefix}{},{},{:.3},{},{:.6},{},{},{},{evaluations},{seconds:.6}\n",
                record.generation,
                record.best,
                record.mean(self.pop),
                record.worst,
                record.diversity(self.pop, progress.free_cells),
                record.swaps(),
                progress.operator,
                self.algo,
            );
        }
        rows
    }

    /// The generation of a whole row, if it is of this run.
    fn generation(&self, line: &str) -> Option<u32> {
        let row = line.strip_prefix(&self.prefix())?.strip_suffix('\n')?;
        let fields: Vec<_> = row.split(',').collect();
        // Behind problem and seed there are no quotes, and so no other commas.
        let [number, .., algo, _, _] = fields[..] else {
            return None;
        };
        let columns = HEADER.split(',').count() - 2;
        let whole = fields.len() == columns && algo == self.algo;
        whole.then(|| number.parse().ok()).flatten()
    }
}

/// A trace that is written. The file is made when the first run has started, so that refused input leaves
/// an older one alone. What goes wrong is kept until [`Trace::check`]: a run is not disturbed by it.
#[derive(Debug)]
pub struct Trace {
    path: PathBuf,
    /// The generation up to which an older file has the rows already.
    resumed: Option<u32>,
    file: Option<BufWriter<File>>,
    failure: Option<io::Error>,
}

impl Trace {
    /// A trace to be written there; of a run that goes on after this generation, behind its rows up to
    /// there.
    pub fn new(path: PathBuf, resumed: Option<u32>) -> Self {
        Self {
            path,
            resumed,
            file: None,
            failure: None,
        }
    }

    /// Where it is written.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A run has started. The first makes the file.
    pub fn open(&mut self, run: &TracedRun<'_>) {
        if self.file.is_none() && self.failure.is_none() {
            let known = self
                .resumed
                .map_or(0, |generation| rows_up_to(&self.path, run, generation));
            let mut options = OpenOptions::new();
            let file = options.write(true).create(true).truncate(false);
            let opened = file.open(&self.path).and_then(|mut file| {
                file.set_len(known)?;
                file.seek(SeekFrom::End(0))?;
                Ok(file)
            });
            match opened {
                Ok(file) => {
                    self.file = Some(BufWriter::new(file));
                    if known == 0 {
                        self.write(HEADER);
                    }
                }
                Err(error) => self.failure = Some(error),
            }
        }
    }

    /// Adds the generations of a run since the last call.
    pub fn add(&mut self, run: &TracedRun<'_>, progress: &Progress<'_>) {
        self.write(&run.rows(progress));
    }

    fn write(&mut self, text: &str) {
        if let (Some(file), None) = (&mut self.file, &self.failure) {
            self.failure = file.write_all(text.as_bytes()).err();
        }
    }

    /// Writes out what there is.
    pub fn flush(&mut self) {
        if let (Some(file), None) = (&mut self.file, &self.failure) {
            self.failure = file.flush().err();
        }
    }

    /// Whether anything was lost.
    pub fn failed(&self) -> bool {
        self.failure.is_some()
    }

    /// Writes out what is left of a run, and tells if anything was lost.
    pub fn check(&mut self) -> io::Result<()> {
        self.flush();
        self.failure.take().map_or(Ok(()), Err)
    }
}

/// How many bytes of a trace are those of a run up to a generation: it may have gone on beyond its last
/// checkpoint, and may have been killed in the middle of a row. 0 if it is the trace of another.
fn rows_up_to(path: &Path, run: &TracedRun<'_>, generation: u32) -> u64 {
    let Ok(file) = File::open(path) else {
        return 0;
    };
    let mut lines = BufReader::new(file);
    let mut line = String::new();
    let mut kept = 0;
    while lines.read_line(&mut line).is_ok_and(|bytes| bytes > 0) {
        let known = match kept {
            0 => line == HEADER,
            _ => run.generation(&line).is_some_and(|it| it <= generation),
        };
        if !known {
            break;
        }
        kept += line.len() as u64;
        line.clear();
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: TracedRun<'_> = TracedRun {
        problem: "a \"quoted\", named one",
        algo: "lsga",
        seed: 7,
        pop: 3,
    };

    #[test]
    fn a_row_is_known_by_its_run() {
        let row = "\"a \"\"quoted\"\", named one\",7,12,1,1.0,1,0.5,3,breed,lsga,39,0.1\n";
        assert_eq!(RUN.generation(row), Some(12));
        for other in [
            row.replace(",7,", ",8,"),
            row.replace("lsga", "ga"),
            row.replace("named", "another"),
            row.replace(",0.1\n", "\n"),
            row.replace('\n', ""),
            row.replace(",12,", ",x,"),
            "\n".to_owned(),
        ] {
            assert_eq!(RUN.generation(&other), None, "{other}");
        }
    }
}
