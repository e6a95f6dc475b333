//! `gpusudoku generate`.

use std::fs;
use std::io::{self, IsTerminal as _};
use std::path::PathBuf;

use clap::Args;
use gpusudoku::problem::picture::Picture;
use gpusudoku::problem::sudoku::exact::Limit;
use gpusudoku::problem::sudoku::format::{self, Entry, Format};
use gpusudoku::problem::sudoku::generate::{
    MAX_UNIQUE, Recipe, generate as make, geometry, is_unique,
};
use gpusudoku::problem::{BoxShape, Geometry, Grid};
use indicatif::{ProgressBar, ProgressStyle};

use super::exit::{Failure, Status};
use super::input::parse_box;
use super::{CommandResult, picture, print};

#[derive(Debug, Args)]
pub struct GenerateArgs {
    /// N, the number of rows, columns and digits [default: 9, or what --box makes].
    #[arg(long, value_name = "N")]
    size: Option<usize>,
    /// Shape of the boxes, rows x columns, where it is not the usual one [example: 2x3].
    #[arg(long = "box", value_name = "RxC", value_parser = parse_box)]
    boxes: Option<BoxShape>,
    /// Latin squares: no boxes.
    #[arg(long, conflicts_with = "boxes")]
    latin: bool,
    /// Cells that are given: a share, or a number [examples: 45%, 30].
    #[arg(
        long,
        value_name = "SHARE",
        default_value = "45%",
        allow_hyphen_values = true
    )]
    givens: String,
    /// How many puzzles.
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    count: u32,
    /// Seed of all random numbers; equal seeds give equal puzzles on every machine.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Only puzzles with exactly one solution, up to 16x16; they may keep more givens than wanted.
    #[arg(long)]
    unique: bool,
    /// Format: line, sdk, ss, framed, canonical, opensudoku, lloyd-amos, triples, dimacs, csv or json
    /// [default: canonical; for one Latin square triples, which need no --latin to be read].
    #[arg(long, value_name = "FORMAT")]
    to: Option<Format>,
    /// File to write instead of standard output.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// SVG file to draw the puzzles to, several a page; further pages are FILE-2, FILE-3 and so on.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// No progress bar, and no summary on standard error.
    #[arg(long)]
    quiet: bool,
}

pub fn generate(args: GenerateArgs) -> CommandResult {
    let geometry = geometry(args.size, args.boxes, args.latin)?;
    let format = args.to.unwrap_or(match (args.latin, args.count) {
        (true, 1) => Format::Triples,
        _ => Format::Canonical,
    });
    if !format.holds(geometry) {
        return Err(Failure::bad_input(format!(
            "--to {format} cannot hold a {geometry}"
        )));
    }
    if args.count > 1 && !format.holds_many() {
        return Err(Failure::bad_input(format!(
            "--to {format} holds one puzzle, not {}",
            args.count
        )));
    }
    let recipe = Recipe::new(geometry, &args.givens, args.unique, args.count as usize)?;
    if let Some(path) = &args.svg {
        picture::check(path, args.count as usize, geometry.size())?;
    }
    let bar = bar(&args, geometry);
    let mut entries = Vec::new();
    let mut unique = 0;
    for index in 0..args.count {
        let made = make(&recipe, args.seed, index, |tried, _| {
            bar.set_position(u64::from(index) * geometry.cells() as u64 + tried as u64);
        });
        let given = made.puzzle.filled();
        if given > recipe.givens {
            bar.suspend(|| {
                eprintln!(
                    "puzzle {} keeps {given} givens instead of {}: with any of them fewer it is \
                     not known to have one solution only",
                    index + 1,
                    recipe.givens
                );
            });
        }
        unique += u32::from(args.unique || is_known_unique(&args, &made.puzzle));
        entries.push(Entry::from(made.puzzle));
    }
    bar.finish_and_clear();
    let text = format::write(&entries, format)
        .map_err(|error| Failure::bad_input(format!("--to {format}: {error}")))?;
    match &args.out {
        None => print(text.trim_end_matches('\n'))?,
        Some(path) => fs::write(path, text).map_err(|error| {
            Failure::bad_input(format!("cannot write {}: {error}", path.display()))
        })?,
    }
    if let Some(path) = &args.svg {
        let picture = |(number, entry): (usize, Entry)| {
            let title = format!(
                "seed {}, puzzle {number}: {} givens",
                args.seed,
                entry.grid.filled()
            );
            Picture::puzzle(title, entry.grid, None)
        };
        let pictures: Vec<_> = (1..).zip(entries).map(picture).collect();
        picture::write(path, &pictures)?;
    }
    if !args.quiet {
        eprintln!("{}", summary(&args, geometry, unique));
    }
    Ok(Status::Success)
}

/// Whether a puzzle that may have any number of solutions is soon found to have one.
fn is_known_unique(args: &GenerateArgs, puzzle: &Grid) -> bool {
    const MANY: u32 = 10_000;
    const NODES: u64 = 20_000;
    // A count must not take longer than the puzzles themselves.
    let limit = Limit {
        nodes: (NODES / u64::from(args.count)).clamp(10, 1000),
    };
    let soon = puzzle.geometry().size() <= MAX_UNIQUE && args.count <= MANY;
    !args.quiet && soon && is_unique(puzzle, limit)
}

/// What was made, and how many of it are known to have one solution only.
fn summary(args: &GenerateArgs, geometry: Geometry, unique: u32) -> String {
    let hint = match geometry.size() <= MAX_UNIQUE {
        true => " (--unique makes only puzzles with one)",
        false => "",
    };
    let open = format!("may have more than one solution{hint}");
    match (args.count, unique) {
        (1, 1) => format!("1 puzzle, a {geometry}: unique"),
        (1, _) => format!("1 puzzle, a {geometry}: {open}"),
        (count, 0) => format!("{count} puzzles, each a {geometry}: {open}"),
        (count, unique) if count == unique => {
            format!("{count} puzzles, each a {geometry}: all unique")
        }
        (count, unique) => format!(
            "{count} puzzles, each a {geometry}: {unique} unique, {} {open}",
            count - unique
        ),
    }
}

/// A bar on a terminal, if there is something to wait for.
fn bar(args: &GenerateArgs, geometry: Geometry) -> ProgressBar {
    if args.quiet || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(u64::from(args.count) * geometry.cells() as u64);
    let style = ProgressStyle::with_template("cell {pos}/{len} [{wide_bar}] {eta} left");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}
