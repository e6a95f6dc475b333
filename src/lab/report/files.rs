//! Writing files so that whoever looks sees all of them or nothing.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why something could not be written.
#[derive(Debug, Error)]
#[error("cannot write {path}: {error}")]
pub struct WriteError {
    path: String,
    error: io::Error,
}

impl WriteError {
    pub(super) fn new(path: &Path, error: io::Error) -> Self {
        Self {
            path: path.display().to_string(),
            error,
        }
    }
}

/// Writes a file beside its place and moves it there, so that it is never seen half-written.
pub fn write_file(path: &Path, content: &[u8]) -> Result<(), WriteError> {
    let written = match fs::canonicalize(path) {
        // What is no file, such as a pipe or a device, has to be written where it is.
        Ok(real) if !real.is_file() => {
            let file = File::options().write(true).open(&real);
            file.and_then(|mut file| file.write_all(content))
        }
        // A link stays one.
        Ok(real) => replace(&real, content),
        Err(_) => replace(path, content),
    };
    written.map_err(|error| WriteError::new(path, error))
}

fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let temporary = beside(path)?;
    let write = || {
        let mut file = File::create(&temporary)?;
        file.write_all(content)?;
        // Some file systems tell only now that there is no room.
        file.sync_all()?;
        fs::rename(&temporary, path)
    };
    write().inspect_err(|_| {
        let _ = fs::remove_file(&temporary);
    })
}

/// A path in the same folder that nobody else uses.
fn beside(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}", std::process::id()));
    Ok(path.with_file_name(hidden))
}

/// Makes a folder, unless it is there; not those that it should be in.
pub fn make_folder(folder: &Path) -> Result<(), WriteError> {
    let made = match fs::create_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => Ok(()),
        made => made,
    };
    made.map_err(|error| WriteError::new(folder, error))
}

/// Writes a folder of files beside its place and moves it there. What is in a folder already would be taken
/// for part of it, so there must be nothing.
pub(super) fn write_folder(folder: &Path, files: &[(PathBuf, String)]) -> Result<(), WriteError> {
    let write = || {
        let is_empty = |folder: &Path| Ok::<_, io::Error>(fs::read_dir(folder)?.next().is_none());
        if folder.exists() && !is_empty(folder)? {
            return Err(io::Error::other(
                "the folder is not empty, and what is in it would be taken for part of the results: name \
                 a new one",
            ));
        }
        let temporary = beside(folder)?;
        let fill = || {
            fs::create_dir(&temporary)?;
            for (path, content) in files {
                let path = temporary.join(path);
                if let Some(parent) = path.parent() {
                    fs::create_dir_all(parent)?;
                }
                fs::write(path, content)?;
            }
            if folder.exists() {
                fs::remove_dir(folder)?;
            }
            fs::rename(&temporary, folder)
        };
        fill().inspect_err(|_| {
            let _ = fs::remove_dir_all(&temporary);
        })
    };
    write().map_err(|error| WriteError::new(folder, error))
}
