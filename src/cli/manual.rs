//! `gpusudoku completions` and `gpusudoku man`: what shells and `man` know of the program.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, Command, CommandFactory as _};
use clap_complete::Shell;
use clap_mangen::Man;

use super::exit::{Failure, Status};
use super::{Cli, CommandResult, print};

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell that is to complete commands.
    #[arg(value_name = "SHELL", value_enum)]
    shell: Shell,
}

#[derive(Debug, Args)]
pub struct ManArgs {
    /// Directory to write the pages to; it is made if it is not there.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// Prints a script for a shell.
pub fn completions(args: CompletionsArgs) -> CommandResult {
    let mut command = Cli::command();
    let name = command.get_name().to_owned();
    // Into memory first: what is printed may find no reader.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, name, &mut script);
    print(String::from_utf8_lossy(&script).trim_end())?;
    Ok(Status::Success)
}

/// Writes a page for the program and one for each of its commands.
pub fn man(args: ManArgs) -> CommandResult {
    fs::create_dir_all(&args.out).map_err(|error| Failure::cannot_write(&args.out, &error))?;
    let mut program = Cli::command().disable_help_subcommand(true);
    program.build();
    write_page(&args.out, program.clone())?;
    // Building has named them as `git-log` is the page of `git log`.
    for command in program.get_subcommands() {
        write_page(&args.out, command.clone())?;
    }
    Ok(Status::Success)
}

fn write_page(folder: &Path, command: Command) -> Result<(), Failure> {
    let man = Man::new(command)
        .source(concat!("gpusudoku ", env!("CARGO_PKG_VERSION")))
        .manual("gpusudoku manual");
    let path = folder.join(man.get_filename());
    let mut page = Vec::new();
    man.render(&mut page)
        .and_then(|()| fs::write(&path, page))
        .map_err(|error| Failure::cannot_write(&path, &error))
}
