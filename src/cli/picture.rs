//! `--svg FILE`: pages of pictures as files.

use std::fs;
use std::path::{Path, PathBuf};

use gpusudoku::controller::Outcome;
use gpusudoku::problem::picture::{self, MAX_BOARD, Picture};
use gpusudoku::problem::{Answer, NamedProblem, Problem};

use super::exit::Failure;

/// The most files that one command writes.
const MAX_PAGES: usize = 1000;

/// Refuses what cannot be written, before anything is done for it.
pub fn check(path: &Path, pictures: usize, size: usize) -> Result<(), Failure> {
    let pages = picture::count_pages(pictures, size);
    let refused =
        |reason: &str| Failure::bad_input(format!("cannot write {}: {reason}", path.display()));
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    if path.is_dir() {
        return Err(refused("it is a directory"));
    }
    if folder.is_some_and(|folder| !folder.is_dir()) {
        return Err(refused("there is no such directory"));
    }
    if pages > MAX_PAGES {
        return Err(Failure::bad_input(format!(
            "--svg would write {pages} files, one for each page: expected at most {MAX_PAGES}"
        )));
    }
    Ok(())
}

/// Writes pages: the first to the file, others beside it with their number behind its name.
pub fn write(path: &Path, pictures: &[Picture]) -> Result<(), Failure> {
    for (at, page) in picture::pages(pictures).into_iter().enumerate() {
        let path = numbered(path, at + 1);
        fs::write(&path, page).map_err(|error| {
            Failure::bad_input(format!("cannot write {}: {error}", path.display()))
        })?;
    }
    Ok(())
}

/// `book.svg`, `book-2.svg`, `book-3.svg`.
fn numbered(path: &Path, page: usize) -> PathBuf {
    if page == 1 {
        return path.to_owned();
    }
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{page}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

/// What `run` draws: every problem once, with the first solution that was found.
pub struct Gallery {
    path: PathBuf,
    /// Of each problem the best answer so far, and whether it is a solution.
    answers: Vec<Option<(Answer, bool)>>,
}

impl Gallery {
    /// Nothing drawn yet.
    pub fn new(path: PathBuf, problems: &[NamedProblem]) -> Result<Self, Failure> {
        let mut largest = 0;
        for NamedProblem { name, problem } in problems {
            let size = problem.form().values();
            if matches!(problem, Problem::Queens(_)) && size > MAX_BOARD {
                return Err(Failure::bad_input(format!(
                    "{name}: --svg draws boards of at most {MAX_BOARD} queens"
                )));
            }
            largest = largest.max(size);
        }
        check(&path, problems.len(), largest)?;
        Ok(Self {
            path,
            answers: vec![None; problems.len()],
        })
    }

    /// Keeps what came of a run of a problem, unless there is a solution already.
    pub fn add(&mut self, problem: usize, outcome: &Outcome) {
        if !matches!(self.answers[problem], Some((_, true))) {
            self.answers[problem] = Some((outcome.best.clone(), outcome.solved));
        }
    }

    /// Writes the pages. A puzzle that was not solved is drawn as it was.
    pub fn write(&self, problems: &[NamedProblem]) -> Result<(), Failure> {
        let pictures = problems.iter().zip(&self.answers);
        let picture = |(named, answer): (&NamedProblem, &Option<(Answer, bool)>)| {
            let NamedProblem { name, problem } = named;
            match answer {
                Some((answer, true)) => Picture::of(problem, Some(answer), name),
                best => {
                    let board = matches!(problem, Problem::Queens(_));
                    let best = best.as_ref().map(|(best, _)| best).filter(|_| board);
                    Picture::of(problem, best, format!("{name} (not solved)"))
                }
            }
        };
        let pictures: Vec<Picture> = pictures.filter_map(picture).collect();
        write(&self.path, &pictures)
    }
}
