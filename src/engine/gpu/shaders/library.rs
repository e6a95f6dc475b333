//! The texts of the shaders: compiled in, or read from a folder while kernels are worked on.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::OnceLock;

/// Names and texts of all files in `shaders/`.
static FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/shaders.rs"));

/// Names a folder that has the shaders in place of those that are compiled in.
pub const VARIABLE: &str = "GPUSUDOKU_SHADERS";

static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();

/// Takes shaders from a folder that is laid out as `shaders/` is. It has to be said before the first kernel is
/// composed.
///
/// # Errors
/// If another folder is in use already.
pub fn use_folder(folder: PathBuf) -> Result<(), PathBuf> {
    let chosen = FOLDER.get_or_init(|| Some(folder.clone()));
    match chosen.as_ref() == Some(&folder) {
        true => Ok(()),
        false => Err(folder),
    }
}

/// The folder that shaders come from, if not from the program itself.
pub fn folder() -> Option<&'static PathBuf> {
    let from_environment = || std::env::var_os(VARIABLE).map(PathBuf::from);
    FOLDER.get_or_init(from_environment).as_ref()
}

/// The text of a file, by its name without folder `shaders/` and extension.
pub fn text(name: &str) -> Result<Cow<'static, str>, String> {
    if let Some(folder) = folder() {
        let path = folder.join(name).with_extension("wgsl");
        return match std::fs::read_to_string(&path) {
            Ok(text) => Ok(Cow::Owned(text)),
            Err(error) => Err(format!("{}: {error}", path.display())),
        };
    }
    let found = FILES.iter().find(|(known, _)| *known == name);
    match found {
        Some((_, text)) => Ok(Cow::Borrowed(text)),
        None => Err(format!("there is no shaders/{name}.wgsl")),
    }
}

/// The names of all files that are kernels.
pub fn kernels() -> impl Iterator<Item = &'static str> {
    let is_kernel = |(_, text): &&(&str, &str)| text.starts_with("#entry");
    FILES.iter().filter(is_kernel).map(|(name, _)| *name)
}
