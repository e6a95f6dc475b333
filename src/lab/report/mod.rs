//! Results as one HTML page with figures, and in the formats of other programs.
//!
//! Everything is made in memory; only [`write_file`] and [`Report::write_ioh`] touch the disk, and
//! they leave whole files or none.

pub mod bench;
pub mod csv;
pub mod figures;
mod files;
pub mod ioh;
mod page;

pub use self::files::{WriteError, make_folder, write_file};

use std::path::{Path, PathBuf};

use self::bench::Measurements;
use self::figures::{Figure, Source};
use super::results::Results;
use super::summary::Summary;

/// Flaws and gaps that are listed; of more, their number is told.
pub const MOST_LISTED: usize = 20;

/// Results and what they say.
#[derive(Debug, Clone, Copy)]
pub struct Report<'a> {
    /// The runs.
    pub results: &'a Results,
    /// Their statistics.
    pub summary: &'a Summary,
    /// Measurements of the engines, which are shown instead of the speed of the runs.
    pub bench: Option<&'a Measurements>,
}

impl Report<'_> {
    /// The figures.
    pub fn figures(&self) -> Vec<Figure> {
        figures::all(&Source::new(self.results, self.bench))
    }

    /// The page, which needs no network.
    pub fn page(&self) -> String {
        page::page(self)
    }

    /// Writes every figure into a folder, as SVG and as PNG.
    pub fn write_figures(&self, folder: &Path) -> Result<Vec<PathBuf>, WriteError> {
        let mut files = Vec::new();
        for figure in self.figures() {
            let png = folder.join(format!("{}.png", figure.id));
            let image = figure
                .png()
                .map_err(|error| WriteError::new(&png, error.into()))?;
            files.push((
                folder.join(format!("{}.svg", figure.id)),
                figure.svg().into_bytes(),
            ));
            files.push((png, image));
        }
        files::make_folder(folder)?;
        for (path, content) in &files {
            write_file(path, content)?;
        }
        Ok(files.into_iter().map(|(path, _)| path).collect())
    }

    /// Writes the runs as comma-separated values.
    pub fn write_csv(&self, path: &Path) -> Result<(), WriteError> {
        write_file(path, csv::table(self.results).as_bytes())
    }

    /// Writes the runs in the format of IOHprofiler into a folder that is new or empty.
    pub fn write_ioh(&self, folder: &Path) -> Result<(), WriteError> {
        files::write_folder(folder, &ioh::files(self.results))
    }
}
