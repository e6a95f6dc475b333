//! What is wrong with a puzzle's text, and where.

use std::fmt;

use thiserror::Error;

use super::{Format, Geometry};

/// Why text is not a puzzle: one sentence with what was expected and a hint.
///
/// Displayed as `line:column: message`, so that a caller can put the file's name before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormatError {
    /// Line, counted from 1; 0 when the fault is in no particular line.
    pub line: usize,
    /// Column in characters, counted from 1; 0 when the fault is in no particular column.
    pub column: usize,
    /// What was expected, what was found, and what to do about it.
    pub message: String,
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.column) {
            (0, _) => {}
            (line, 0) => write!(f, "{line}: ")?,
            (line, column) => write!(f, "{line}:{column}: ")?,
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for FormatError {}

/// Why puzzles cannot be written in a format.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WriteError {
    /// No puzzle at all.
    #[error("there is no puzzle to write; an empty file could not be read back")]
    Nothing,
    /// More puzzles than the format has room for.
    #[error(
        "the format {format} holds one puzzle a file, not {count}; write each to its own file, or use the format {}",
        Format::Canonical
    )]
    Single {
        /// The format asked for.
        format: Format,
        /// The number of puzzles.
        count: usize,
    },
    /// A size or box shape that the format cannot express.
    #[error(
        "the format {format} cannot hold a {geometry}; use the format {}",
        Format::Canonical
    )]
    Geometry {
        /// The format asked for.
        format: Format,
        /// The grid it has no way to write.
        geometry: Geometry,
    },
}

/// A position in the text; 0 where there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub line: usize,
    pub column: usize,
}

impl Place {
    /// The text as a whole.
    pub const NOWHERE: Self = Self { line: 0, column: 0 };

    /// A line as a whole.
    pub fn line(line: usize) -> Self {
        Self { line, column: 0 }
    }

    pub fn error(self, message: impl fmt::Display) -> FormatError {
        FormatError {
            line: self.line,
            // Counted from nowhere, a column means nothing.
            column: if self.line == 0 { 0 } else { self.column },
            message: message.to_string(),
        }
    }
}

/// Foreign text in a message: quoted, without control characters, and never longer than a line.
pub(super) fn quoted(text: &str) -> String {
    const LONGEST: usize = 24;
    let shown: String = text.chars().take(LONGEST).collect();
    let more = if shown.len() < text.len() { "..." } else { "" };
    format!("`{}{more}`", shown.escape_debug())
}

/// A name or a message with any amount of foreign text in it, as part of a sentence: without control
/// characters, and no longer than a few lines.
pub(crate) fn shortened(message: &str) -> String {
    const LONGEST: usize = 200;
    let visible = |c: char| if c.is_control() { ' ' } else { c };
    let shown: String = message.chars().take(LONGEST).map(visible).collect();
    let more = if message.chars().nth(LONGEST).is_some() {
        "..."
    } else {
        ""
    };
    shown + more
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_shown_as_far_as_it_is_known() {
        let at = |line, column| Place { line, column }.error("no").to_string();
        assert_eq!(at(3, 7), "3:7: no");
        assert_eq!(at(3, 0), "3: no");
        assert_eq!(at(0, 0), "no");
    }

    #[test]
    fn quotes_are_short_and_printable() {
        assert_eq!(quoted("a\u{7}b"), "`a\\u{7}b`");
        assert_eq!(
            quoted(&"x".repeat(1000)),
            format!("`{}...`", "x".repeat(24))
        );
    }

    #[test]
    fn foreign_messages_fit_a_line() {
        assert_eq!(shortened("a\nb"), "a b");
        assert_eq!(shortened(&"é".repeat(200)), "é".repeat(200));
        assert_eq!(
            shortened(&"é".repeat(201)),
            format!("{}...", "é".repeat(200))
        );
    }
}
