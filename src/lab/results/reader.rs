//! Reads files of results, and refuses or names what is wrong with them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::ops::RangeInclusive;
use std::path::PathBuf;

use serde::Deserialize as _;
use serde_json::Value;
use thiserror::Error;

use super::plans::Plans;
use super::{Header, Line, Results, Run, VERSION};
use crate::lab::experiment::{Case, ContenderDesign, ProblemDesign, Shard};
use crate::lab::growth::Difference;
use crate::lab::machine::Machine;
use crate::problem::sudoku::format::{read_one, shortened};
use crate::problem::verify::verify_answer;
use crate::problem::{Answer, Placement, Problem};

/// Longest line that is read: a plan with some 300,000 puzzles, or 7 million queens.
pub const MAX_LINE: usize = 64 << 20;

/// The most values in a line. A value takes up to a hundred times the memory of its shortest text.
const MAX_VALUES: usize = 1 << 22;

/// The most text that is read, of all files together: about a million runs.
pub const MAX_BYTES: u64 = 1 << 30;

/// The most damaged lines. Each costs more memory than text, and so many mean something else.
const MAX_TORN: usize = 1 << 16;

/// The most kinds of machines; each is compared with all others.
const MAX_MACHINES: usize = 1 << 10;

/// What a run may take if it takes any time: from a nanosecond to 30 years. Axes could not hold all
/// numbers.
const SECONDS: RangeInclusive<f64> = 1e-9..=1e9;

/// A place in a file of results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct At {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// Why results cannot be used.
#[derive(Debug, Error)]
pub enum ResultsError {
    /// The file cannot be read.
    #[error("cannot read {file}: {error}")]
    Read {
        /// The file.
        file: String,
        /// Why.
        error: io::Error,
    },
    /// Nothing in it says that it has results.
    #[error(
        "{0}: expected results of `gpusudoku compare`, which begin with a line that says what was planned"
    )]
    NoHeader(At),
    /// An empty file.
    #[error("{0} is empty: expected results of `gpusudoku compare`")]
    Empty(String),
    /// A line that is longer, or has more values, than any that this program writes.
    #[error("{0}: the line is longer than any of results")]
    LongLine(At),
    /// More text than can be held in memory.
    #[error("{0}: expected at most {n} MiB of results in all, found more", n = MAX_BYTES >> 20)]
    TooMuch(At),
    /// More damage than any accident does.
    #[error("{0}: expected results, found more than {MAX_TORN} lines that are cut off or damaged")]
    Torn(At),
    /// More machines than anybody has.
    #[error("{0}: expected at most {MAX_MACHINES} kinds of machines, found more")]
    Machines(At),
    /// Another version of the format, or of this program.
    #[error("{at}: written by {writer}; this is gpusudoku {} with results of version {VERSION}", env!("CARGO_PKG_VERSION"))]
    Version {
        /// Where.
        at: At,
        /// What wrote it.
        writer: String,
    },
    /// The header was changed.
    #[error("{at}: the plan is not the one that was written: somebody changed it")]
    Changed {
        /// Where.
        at: At,
    },
    /// The problem of a header is none.
    #[error("{at}: {reason}")]
    Problem {
        /// Where.
        at: At,
        /// Why.
        reason: String,
    },
    /// More plans than anybody makes.
    #[error("{0}: expected fewer plans of one experiment")]
    Plans(At),
    /// Plans that are not of one experiment.
    #[error(
        "{at}: the plan cannot be joined with that of {first}, as they are different experiments: {difference}"
    )]
    Mixed {
        /// Where the other one is.
        at: At,
        /// Where the first one is.
        first: At,
        /// Why.
        difference: Difference,
    },
    /// A run of an experiment that nobody has planned.
    #[error("{at}: {what} belongs to experiment {experiment}, whose plan is not here")]
    Foreign {
        /// Where.
        at: At,
        /// Which run.
        what: String,
        /// Which experiment.
        experiment: String,
    },
    /// A run that was not planned.
    #[error("{at}: {what} is not in the plan of {first}")]
    Unplanned {
        /// Where.
        at: At,
        /// What.
        what: String,
        /// Where the plan is.
        first: At,
    },
    /// A run that contradicts the plan or itself.
    #[error("{at}: {what} cannot be: {reason}")]
    Incoherent {
        /// Where.
        at: At,
        /// Which run.
        what: String,
        /// Why.
        reason: &'static str,
    },
    /// The same run with two results.
    #[error(
        "{at}: {what} has another result in {other}: seeds decide everything but where a time limit cuts"
    )]
    Conflict {
        /// Where.
        at: At,
        /// Which run.
        what: String,
        /// Where the first one is.
        other: At,
    },
    /// A solution that is none.
    #[error("{at}: {what} is called solved, but the independent check rejects it: {reason}")]
    Rejected {
        /// Where.
        at: At,
        /// Which run.
        what: String,
        /// Why.
        reason: String,
    },
}

/// What is incomplete about results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Flaw {
    /// A line that is cut off or damaged.
    Torn(At),
    /// A run that is there twice, with the same result.
    Duplicate {
        /// Where.
        at: At,
        /// Where the first one is.
        other: At,
    },
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Torn(at) => write!(f, "{at}: cut off or damaged, its run is not counted"),
            Self::Duplicate { at, other } => {
                write!(f, "{at}: the same run as in {other}, counted once")
            }
        }
    }
}

/// Puts files of results together.
#[derive(Debug, Default)]
pub struct Reader {
    plans: Option<Plans>,
    machines: Vec<Machine>,
    runs: HashMap<Case, (At, Line)>,
    flaws: Vec<Flaw>,
    torn: usize,
    bytes: u64,
}

impl Reader {
    /// Reads a file to its end.
    pub fn read(&mut self, file: &str, mut from: impl BufRead) -> Result<(), ResultsError> {
        let mut text = Vec::new();
        let mut line = 0;
        loop {
            text.clear();
            let mut limited = io::Read::take(&mut from, MAX_LINE as u64);
            let read = limited.read_until(b'\n', &mut text);
            let read = read.map_err(|error| ResultsError::Read {
                file: file.to_owned(),
                error,
            })?;
            line += 1;
            let at = At {
                file: file.to_owned(),
                line,
            };
            if read == 0 {
                return match line {
                    1 => Err(ResultsError::Empty(file.to_owned())),
                    _ => Ok(()),
                };
            } else if read == MAX_LINE || values(&text) > MAX_VALUES {
                return Err(ResultsError::LongLine(at));
            }
            self.bytes += read as u64;
            if self.bytes > MAX_BYTES {
                return Err(ResultsError::TooMuch(at));
            }
            if !text.trim_ascii().is_empty() {
                self.line(at, &text)?;
            }
        }
    }

    fn line(&mut self, at: At, text: &[u8]) -> Result<(), ResultsError> {
        match serde_json::from_slice::<Line>(text) {
            Ok(line) if self.plans.is_some() => return self.run(at, line),
            Ok(_) => return Err(ResultsError::NoHeader(at)),
            Err(_) => {}
        }
        // A header of another version may have any other keys.
        let value = serde_json::from_slice::<Value>(text).ok();
        let version = value.as_ref().and_then(|it| it.get("gpusudoku_results"));
        match (version, value.as_ref()) {
            (Some(version), Some(value)) => {
                if version.as_u64() != Some(u64::from(VERSION)) {
                    let program = value.get("program").and_then(Value::as_str);
                    let program = shortened(program.unwrap_or("(unknown)"));
                    let version = shortened(&version.to_string());
                    return Err(ResultsError::Version {
                        at,
                        writer: format!("gpusudoku {program} with results of version {version}"),
                    });
                }
                match Header::deserialize(value) {
                    Ok(header) => self.header(at, header),
                    Err(error) => Err(ResultsError::Problem {
                        at,
                        reason: format!(
                            "the plan cannot be read: {}",
                            shortened(&error.to_string())
                        ),
                    }),
                }
            }
            _ if self.plans.is_none() => Err(ResultsError::NoHeader(at)),
            _ if self.torn == MAX_TORN => Err(ResultsError::Torn(at)),
            _ => {
                self.torn += 1;
                self.flaws.push(Flaw::Torn(at));
                Ok(())
            }
        }
    }

    fn header(&mut self, at: At, header: Header) -> Result<(), ResultsError> {
        if header.program != env!("CARGO_PKG_VERSION") {
            return Err(ResultsError::Version {
                at,
                writer: format!("gpusudoku {}", shortened(&header.program)),
            });
        }
        let shard = Shard::new(header.shard.index, header.shard.of);
        if header.design.id() != header.experiment || shard.is_none() {
            return Err(ResultsError::Changed { at });
        }
        if !self.machines.contains(&header.machine) {
            if self.machines.len() == MAX_MACHINES {
                return Err(ResultsError::Machines(at));
            }
            self.machines.push(header.machine.clone());
        }
        match &mut self.plans {
            Some(plans) => plans.add(at, header),
            None => {
                self.plans = Some(Plans::new(at, header)?);
                Ok(())
            }
        }
    }

    fn run(&mut self, at: At, line: Line) -> Result<(), ResultsError> {
        let plans = self.plans.as_ref().expect("the caller has looked");
        let result = &line.result;
        let what = format!(
            "run {} of {} on {}",
            line.run,
            shortened(&line.contender),
            shortened(&result.problem)
        );
        let (case, problem) = plans.case(&at, &line, &what)?;
        let design = &plans.whole.design;
        if let Some(reason) = incoherent(&design.contenders[case.contender], result) {
            return Err(ResultsError::Incoherent { at, what, reason });
        }
        if result.solved {
            let design = &design.problems[case.problem];
            verify(design, problem, result).map_err(|reason| ResultsError::Rejected {
                at: at.clone(),
                what: what.clone(),
                reason,
            })?;
        }
        match self.runs.entry(case) {
            Entry::Vacant(entry) => {
                entry.insert((at, line));
            }
            Entry::Occupied(entry) => {
                let (other, before) = entry.get();
                // Time and place may differ, and which of the plans it was run for; nothing else.
                let repeated = Line {
                    experiment: before.experiment.clone(),
                    result: Run {
                        seconds: before.result.seconds,
                        adapter: before.result.adapter.clone(),
                        ..line.result
                    },
                    ..line
                };
                if repeated != *before {
                    return Err(ResultsError::Conflict {
                        at,
                        what,
                        other: other.clone(),
                    });
                }
                let other = other.clone();
                self.flaws.push(Flaw::Duplicate { at, other });
            }
        }
        Ok(())
    }

    /// What was read, if there was anything.
    pub fn finish(self) -> Option<Results> {
        let Plans { whole, written, .. } = self.plans?;
        let lines = self.runs.into_iter();
        let mut runs: Vec<_> = lines.map(|(case, (_, line))| (case, line)).collect();
        runs.sort_unstable_by_key(|(case, _)| *case);
        Some(Results {
            header: whole,
            plans: written,
            machines: self.machines,
            runs,
            flaws: self.flaws,
        })
    }
}

/// At least as many as the line has, and only more if there are commas and brackets in its texts.
fn values(line: &[u8]) -> usize {
    let begins = |byte: &&u8| matches!(byte, b',' | b'[' | b'{');
    line.iter().filter(begins).count()
}

/// Why a run is none of its contender's, or none at all.
fn incoherent(planned: &ContenderDesign, run: &Run) -> Option<&'static str> {
    let is_as_planned = run.algo == planned.algo
        && run.pop == planned.pop
        && run.backend == planned.backend.name()
        && run.params == planned.params;
    let best_is_a_solution = run.best_fitness <= run.goal;
    let claims = [
        run.verified,
        run.solution.is_some(),
        run.solved_by.is_some(),
        best_is_a_solution && run.rejected.is_none(),
    ];
    let known = ["solved", "generations", "evaluations", "time"];
    match () {
        () if !is_as_planned => {
            Some("algorithm, population, backend or parameters are not those planned")
        }
        () if claims.iter().any(|&claim| claim != run.solved) => {
            Some("it contradicts itself on whether it was solved")
        }
        () if (run.stop == "solved") != best_is_a_solution => {
            Some("it ended for another reason than it says")
        }
        () if !known.contains(&run.stop.as_str()) => Some("it was not finished"),
        () if run.seconds.is_nan() || run.seconds < 0.0 => Some("it took less than no time"),
        () if run.seconds != 0.0 && !SECONDS.contains(&run.seconds) => {
            Some("it took longer or shorter than any clock measures")
        }
        () => None,
    }
}

/// Has the verifier look at the solution of a run.
fn verify(design: &ProblemDesign, problem: &Problem, run: &Run) -> Result<(), String> {
    let text = run.solution.as_deref().ok_or("there is no solution")?;
    let answer = match problem {
        Problem::Sudoku(_) => {
            let entry = read_one(text.as_bytes(), &design.reading());
            Answer::Grid(entry.map_err(|error| error.to_string())?.grid)
        }
        Problem::Queens(_) => {
            let rows = text.split_whitespace().map(|row| {
                let row = row.parse::<u32>().ok()?;
                row.checked_sub(1)
            });
            let rows: Option<Vec<_>> = rows.collect();
            Answer::Placement(Placement::new(rows.ok_or("it has no list of rows")?))
        }
    };
    verify_answer(problem, &answer).map_err(|violation| violation.to_string())
}

impl Results {
    /// Reads files: one, or those of all parts of an experiment that may have grown.
    pub fn read_files(files: &[PathBuf]) -> Result<Self, ResultsError> {
        let mut reader = Reader::default();
        for path in files {
            let name = path.display().to_string();
            let cannot = |error| ResultsError::Read {
                file: name.clone(),
                error,
            };
            let file = File::open(path).map_err(cannot)?;
            reader.read(&name, BufReader::new(file))?;
        }
        let nothing = || {
            let first = files.first();
            ResultsError::Empty(first.map_or(String::new(), |it| it.display().to_string()))
        };
        reader.finish().ok_or_else(nothing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_counted_over_all_files() {
        let mut reader = Reader {
            bytes: MAX_BYTES - 3,
            ..Reader::default()
        };
        reader.read("one", &b"\n\n"[..]).unwrap();
        let error = reader.read("two", &b"\n\n"[..]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "two:2: expected at most 1024 MiB of results in all, found more"
        );
    }
}
