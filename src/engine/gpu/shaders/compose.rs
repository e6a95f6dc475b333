//! Puts the text of a kernel together: its file, what that imports, the entry point, and constants.
//!
//! The lines at the top of a file say what it needs:
//!
//! ```text
//! #entry child                     the kernel makes one individual: shaders/common/entry_child.wgsl is its main
//! #mapping group                   never a thread for an individual, always a group of lanes
//! #mapping thread                  only ever a thread for an individual
//! #mapping thread if N <= 32       a thread for an individual up to this size
//! #import grids/pass_{lanes}       another file; what is in braces depends on the variant
//! ```
//!
//! Every file is taken once. Each line of the whole knows where it comes from, so that compilers' errors can be
//! told as those of our files.

use std::borrow::Cow;

use super::library;
use super::unroll::unroll;
use super::variant::{Mapping, ProblemKind, Variant};
use crate::operators::kernel::Shader;

/// The text of a kernel for a variant.
#[derive(Debug, Clone)]
pub struct Composed {
    /// Plain WGSL that any tool can check.
    pub text: String,
    /// The variant that it was composed for: what was asked for, or what the kernel insists on.
    pub variant: Variant,
    /// Whether it works in a workspace, a workgroup for each individual.
    pub has_workspace: bool,
    /// Where each line comes from.
    origins: Vec<Option<Origin>>,
    files: Vec<String>,
}

/// A line of a file, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Origin {
    file: usize,
    line: usize,
}

/// A line on its way into the whole.
#[derive(Debug, Clone)]
pub(super) struct Line<'a> {
    pub text: Cow<'a, str>,
    /// Its number in its file, from 1.
    pub number: usize,
}

/// What the lines at the top of a file say.
#[derive(Debug, Default)]
struct Header<'a> {
    entry: Option<&'a str>,
    imports: Vec<&'a str>,
    threads: Threads,
}

/// Whether a thread has an individual to itself.
#[derive(Debug, Default)]
enum Threads {
    /// As the variant says.
    #[default]
    Free,
    /// Up to this size, if the variant says so.
    UpTo(usize),
    /// Always.
    Always,
}

impl Threads {
    /// The mapping that is asked for, or what a kernel insists on.
    fn admit(&self, wanted: Mapping, size: usize) -> Mapping {
        match (self, wanted) {
            (Threads::Always, _) => Mapping::Thread,
            (Threads::UpTo(most), Mapping::Thread) if size > *most => Mapping::Workgroup,
            _ => wanted,
        }
    }
}

/// Whether a kernel can be mapped so at a size.
///
/// # Errors
/// If there is no such kernel, or it does not say what it is.
pub fn admits(shader: &Shader, mapping: Mapping, size: usize) -> Result<bool, String> {
    let text = text_of(shader)?;
    let header = Header::parse(&file_name(shader), &text)?;
    Ok(header.threads.admit(mapping, size) == mapping)
}

/// Composes a kernel for a variant. An error says what is wrong with which line of which file.
pub fn compose(shader: &Shader, variant: Variant) -> Result<Composed, String> {
    let text = text_of(shader)?;
    let name = file_name(shader);
    let header = Header::parse(&name, &text)?;
    let mapping = header.threads.admit(variant.mapping, variant.size);
    let variant = Variant { mapping, ..variant };
    let entry = header
        .entry
        .ok_or_else(|| format!("{name}:1: a kernel begins with #entry"))?;
    let mut files = vec![(name, text.clone())];
    let mut wanted: Vec<Import> = header.imports(0);
    wanted.push(Import {
        name: format!("common/entry_{entry}"),
        from: 0,
    });
    let mut known = vec![shader.path().to_owned()];
    let mut next = 0;
    while next < wanted.len() {
        let Import { name, from } = &wanted[next];
        let name = resolve(name, variant).map_err(|what| format!("{}: {what}", files[*from].0))?;
        next += 1;
        if known.contains(&name) {
            continue;
        }
        let (label, text) = match (name.as_str(), variant.objective) {
            ("grids/objective_own", Some(objective)) => {
                (format!("{}.wgsl", objective.name), objective.wgsl.into())
            }
            _ => {
                let text = library::text(&name);
                let from = &files[wanted[next - 1].from].0;
                let text = text.map_err(|what| format!("{from}: it imports {name}, but {what}"))?;
                (format!("shaders/{name}.wgsl"), text)
            }
        };
        let header = Header::parse(&label, &text)?;
        wanted.extend(header.imports(files.len()));
        known.push(name);
        files.push((label, text));
    }
    let is_workspace = |name: &String| {
        name.starts_with("common/workspace_")
            || ["common/auxiliary", "colourings/search_memory"].contains(&name.as_str())
    };
    let has_workspace = known.iter().any(is_workspace);
    Composed::new(files, variant, has_workspace)
}

/// A file that another one wants.
struct Import {
    name: String,
    from: usize,
}

impl<'a> Header<'a> {
    fn parse(name: &str, text: &'a str) -> Result<Self, String> {
        let mut header = Self::default();
        for (at, line) in (1..).zip(text.lines()) {
            let Some(directive) = line.strip_prefix('#') else {
                continue;
            };
            match directive.split_once(' ').unwrap_or((directive, "")) {
                ("entry", kind) => header.entry = Some(kind),
                ("import", file) => header.imports.push(file),
                ("mapping", "group") => header.threads = Threads::UpTo(0),
                ("mapping", "thread") => header.threads = Threads::Always,
                ("mapping", condition) if condition.starts_with("thread if N <= ") => {
                    let size = condition.trim_start_matches("thread if N <= ").parse();
                    let size = size.map_err(|_| format!("{name}:{at}: that is no size: {line}"))?;
                    header.threads = Threads::UpTo(size);
                }
                _ => {
                    let known = "#entry, #import and #mapping";
                    return Err(format!("{name}:{at}: {line} is none of {known}"));
                }
            }
        }
        Ok(header)
    }

    fn imports(&self, from: usize) -> Vec<Import> {
        let import = |name: &&str| Import {
            name: (*name).to_owned(),
            from,
        };
        self.imports.iter().map(import).collect()
    }
}

/// The name of a file for a variant.
fn resolve(name: &str, variant: Variant) -> Result<String, String> {
    let Some((before, rest)) = name.split_once('{') else {
        return Ok(name.to_owned());
    };
    let choice = match rest.strip_suffix('}') {
        Some("mapping") => variant.mapping.name(),
        Some("lanes") => match variant.mapping {
            Mapping::Thread => "thread",
            Mapping::Workgroup | Mapping::Subgroup => "group",
        },
        Some("mask") => match variant.mask_words() {
            1 => "narrow",
            _ => "wide",
        },
        Some("kind") => match variant.kind {
            ProblemKind::Grid => "grid",
            ProblemKind::Board => "board",
        },
        Some("houses") => match variant.block_width {
            0 => "latin",
            _ => "boxes",
        },
        Some("workspace") => match variant.workspace_in_storage() {
            true => "storage",
            false => "workgroup",
        },
        Some("objective") => match variant.objective {
            Some(_) => "own",
            None => "builtin",
        },
        _ => return Err(format!("nothing depends on {{{rest} in #import {name}")),
    };
    Ok(format!("{before}{choice}"))
}

fn text_of(shader: &Shader) -> Result<Cow<'static, str>, String> {
    match shader.text() {
        Some(text) => Ok(Cow::Owned(text.to_owned())),
        None => library::text(shader.path()),
    }
}

fn file_name(shader: &Shader) -> String {
    match shader.text() {
        Some(_) => shader.path().to_owned(),
        None => format!("shaders/{}.wgsl", shader.path()),
    }
}

impl Composed {
    fn new(
        files: Vec<(String, Cow<'static, str>)>,
        variant: Variant,
        has_workspace: bool,
    ) -> Result<Self, String> {
        let mut composed = Self {
            text: String::new(),
            variant,
            has_workspace,
            origins: Vec::new(),
            files: files.iter().map(|(name, _)| name.clone()).collect(),
        };
        for line in constants(variant) {
            composed.push(&line, None);
        }
        let mut bounds = variant.constants();
        bounds.push(("LANES", variant.lanes()));
        // What is imported comes before what imports it, as one would write it.
        for (file, (name, text)) in files.iter().enumerate().rev() {
            composed.push("", None);
            composed.push(&format!("// {name}"), None);
            let lines = (1..).zip(text.lines()).map(|(number, text)| Line {
                text: Cow::Borrowed(text),
                number,
            });
            let lines: Vec<_> = lines.filter(|line| !line.text.starts_with('#')).collect();
            let lines =
                unroll(&lines, &bounds).map_err(|(line, what)| format!("{name}:{line}: {what}"))?;
            for Line { text, number } in lines {
                let line = number;
                composed.push(&text, Some(Origin { file, line }));
            }
        }
        Ok(composed)
    }

    fn push(&mut self, line: &str, origin: Option<Origin>) {
        self.text.push_str(line);
        self.text.push('\n');
        self.origins.push(origin);
    }

    /// Where a line of the text, from 1, comes from: `shaders/grids/breed_rows.wgsl:41`.
    pub fn origin(&self, line: usize) -> Option<String> {
        let Origin { file, line } = (*self.origins.get(line.checked_sub(1)?)?)?;
        Some(format!("{}:{line}", self.files[file]))
    }

    /// A compiler's message in which lines of the text are those of our files. Compilers write `wgsl:41:7`.
    pub fn translate(&self, message: &str) -> String {
        let mut translated = String::new();
        let mut rest = message;
        while let Some(at) = rest.find("wgsl:") {
            let (before, after) = rest.split_at(at);
            let digits = &after["wgsl:".len()..];
            let end = digits.find(|c: char| !c.is_ascii_digit());
            let number = &digits[..end.unwrap_or(digits.len())];
            let origin = number.parse().ok().and_then(|line| self.origin(line));
            translated.push_str(before);
            match origin {
                Some(origin) => {
                    translated.push_str(&origin);
                    rest = &digits[number.len()..];
                }
                None => {
                    translated.push_str("wgsl:");
                    rest = digits;
                }
            }
        }
        translated + rest
    }
}

/// What the shaders know of a variant.
fn constants(variant: Variant) -> Vec<String> {
    let sizes = variant.constants();
    let mut lines: Vec<_> = sizes
        .iter()
        .map(|(name, value)| format!("const {name} = {value}u;"))
        .collect();
    let conditions = variant.conditions();
    lines.extend(conditions.map(|(name, holds)| format!("const {name} = {holds};")));
    let words = variant.mask_words();
    let (mask, places) = match words {
        1 => ("u32".to_owned(), "0u".to_owned()),
        _ => {
            let places: Vec<_> = (0..words).map(|word| format!("{word}u")).collect();
            let vector = format!("vec{words}<u32>");
            (vector.clone(), format!("{vector}({})", places.join(", ")))
        }
    };
    lines.push(format!("alias Mask = {mask};"));
    lines.push(format!("const MASK_PLACES = {places};"));
    lines
}
