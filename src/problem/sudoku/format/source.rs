//! Bytes to text to lines to tokens, each with its place. Knows no format.

use super::MAX_BYTES;
use super::error::{FormatError, Place, quoted};

/// One line with cells or numbers: not blank, and not a comment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// Counted from 1.
    pub number: usize,
    /// Without the comment.
    pub text: &'a str,
    /// What follows ` #`, if anything does.
    pub comment: Option<&'a str>,
}

/// A run of characters between separators.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token<'a> {
    pub place: Place,
    pub text: &'a str,
}

/// One character of a grid.
#[derive(Debug, Clone, Copy)]
pub(super) struct Symbol {
    pub place: Place,
    pub value: char,
}

/// The text of a file, without a byte order mark.
pub(super) fn decode(bytes: &[u8]) -> Result<&str, FormatError> {
    if bytes.len() > MAX_BYTES {
        return Err(Place::NOWHERE.error(format_args!(
            "expected at most {} MiB of text, found {} MiB; split the file",
            MAX_BYTES >> 20,
            bytes.len().div_ceil(1 << 20)
        )));
    }
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(Place::NOWHERE.error("expected UTF-8 text, found UTF-16; save it as UTF-8"));
    }
    let bytes = bytes.strip_prefix(&[0xef, 0xbb, 0xbf]).unwrap_or(bytes);
    let control = |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    let (valid, fault) = match std::str::from_utf8(bytes) {
        Ok(_) => (bytes, None),
        Err(error) => (
            &bytes[..error.valid_up_to()],
            bytes.get(error.valid_up_to()),
        ),
    };
    // A control character before the first broken byte is the earlier sign of a binary file.
    let end = valid.iter().position(control).unwrap_or(valid.len());
    if let Some(byte) = valid.get(end).or(fault) {
        let before = std::str::from_utf8(&valid[..end]).unwrap_or_default();
        return Err(place_at(before).error(format_args!(
            "expected UTF-8 text, found the byte 0x{byte:02x}; is this a binary file?"
        )));
    }
    Ok(std::str::from_utf8(bytes).unwrap_or_default())
}

/// The place just after some text.
pub(super) fn place_at(before: &str) -> Place {
    let last = before.rsplit('\n').next().unwrap_or_default();
    Place {
        line: before.matches('\n').count() + 1,
        column: last.chars().count() + 1,
    }
}

/// The lines that hold something: no blank lines, no `#` comments, and of a file with
/// `[Section]` headers only what stands before the first one and under `[Puzzle]`.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut skipping = false;
    (1..).zip(text.lines()).filter_map(move |(number, full)| {
        if let Some(section) = section(full) {
            skipping = !section.eq_ignore_ascii_case("puzzle");
            return None;
        }
        let (text, comment) = cut_comment(full);
        let is_blank = text.chars().all(is_separator);
        (!skipping && !is_blank).then_some(Line {
            number,
            text,
            comment,
        })
    })
}

/// `Name` of a line `[Name]`.
fn section(line: &str) -> Option<&str> {
    let name = line.trim().strip_prefix('[')?.strip_suffix(']')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphabetic() || c == ' ');
    is_name.then_some(name)
}

/// White space, and the commas between numbers.
fn is_separator(c: char) -> bool {
    c.is_whitespace() || c == ','
}

/// A `#` opens a comment at the start of a line or after white space.
pub(super) fn cut_comment(line: &str) -> (&str, Option<&str>) {
    let mut after_space = true;
    for (at, c) in line.char_indices() {
        if c == '#' && after_space {
            return (&line[..at], Some(&line[at + 1..]));
        }
        after_space = c.is_whitespace();
    }
    (line, None)
}

/// The tokens of a line between the given separators.
pub(super) fn split<'a>(
    number: usize,
    line: &'a str,
    separator: impl Fn(char) -> bool,
) -> impl Iterator<Item = Token<'a>> {
    let mut rest = line;
    let mut column = 1;
    std::iter::from_fn(move || {
        let start = rest.find(|c| !separator(c))?;
        let (skipped, tail) = rest.split_at(start);
        let (text, tail) = tail.split_at(tail.find(&separator).unwrap_or(tail.len()));
        column += skipped.chars().count();
        let place = Place {
            line: number,
            column,
        };
        column += text.chars().count();
        rest = tail;
        Some(Token { place, text })
    })
}

impl<'a> Line<'a> {
    pub fn place(&self) -> Place {
        Place::line(self.number)
    }

    /// What stands between white space and commas.
    pub fn tokens(self) -> impl Iterator<Item = Token<'a>> {
        split(self.number, self.text, is_separator)
    }

    /// The characters of the tokens.
    pub fn symbols(self) -> impl Iterator<Item = Symbol> + 'a {
        self.tokens().flat_map(Token::symbols)
    }
}

impl<'a> Token<'a> {
    pub fn symbols(self) -> impl Iterator<Item = Symbol> + 'a {
        let Place { line, column } = self.place;
        (column..)
            .zip(self.text.chars())
            .map(move |(column, value)| Symbol {
                place: Place { line, column },
                value,
            })
    }

    /// The only character of the token.
    pub fn symbol(self) -> Option<Symbol> {
        let mut symbols = self.symbols();
        let first = symbols.next()?;
        symbols.next().is_none().then_some(first)
    }

    /// A plain decimal number. Short enough for every count in every format, so that it
    /// cannot overflow.
    pub fn number(self) -> Option<usize> {
        let decimal = self.text.bytes().all(|byte| byte.is_ascii_digit());
        (decimal && self.text.len() <= 9)
            .then(|| self.text.parse().ok())
            .flatten()
    }

    /// A number within bounds, or what was expected in its place.
    pub fn number_in(
        self,
        bounds: std::ops::RangeInclusive<usize>,
        what: &str,
    ) -> Result<usize, FormatError> {
        self.number()
            .filter(|number| bounds.contains(number))
            .ok_or_else(|| {
                self.place.error(format_args!(
                    "expected {what} from {} to {}, found {}",
                    bounds.start(),
                    bounds.end(),
                    quoted(self.text)
                ))
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_told_from_binary() {
        assert_eq!(decode(b"\xef\xbb\xbf12").unwrap(), "12");
        let nul = decode(b"12\n3\0").unwrap_err();
        assert_eq!((nul.line, nul.column), (2, 2));
        let latin1 = decode(b"12\n\xc3\xa9\xe9").unwrap_err();
        assert_eq!((latin1.line, latin1.column), (2, 2));
        assert!(latin1.message.contains("0xe9"), "{latin1}");
        let utf16 = decode(b"\xff\xfe1\0").unwrap_err();
        assert!(utf16.message.contains("UTF-16"), "{utf16}");
        let huge = decode(&vec![b'.'; MAX_BYTES + 1]).unwrap_err();
        assert_eq!(
            huge.to_string(),
            "expected at most 64 MiB of text, found 65 MiB; split the file"
        );
    }

    #[test]
    fn comments_and_foreign_sections_are_no_lines() {
        let text = "# a\n , \n1 2 # b\n[Puzzle]\r\n3#4\n[State]\n5\n[Pencil Marks]\n6\n[puzzle]\n7";
        let found: Vec<_> = lines(text)
            .map(|line| (line.number, line.text.trim(), line.comment))
            .collect();
        assert_eq!(
            found,
            [(3, "1 2", Some(" b")), (5, "3#4", None), (11, "7", None)]
        );
    }

    #[test]
    fn columns_count_characters() {
        let line = lines("é  1,22").next().unwrap();
        let columns: Vec<_> = line.tokens().map(|token| token.place.column).collect();
        assert_eq!(columns, [1, 4, 6]);
        let symbols: Vec<_> = line.symbols().map(|symbol| symbol.place.column).collect();
        assert_eq!(symbols, [1, 4, 6, 7]);
    }
}
