//! OpenSudoku's XML: a named collection of games, each the characters of a line.
//!
//! ```text
//! <opensudoku>
//!   <name>A collection</name>
//!   <game data="81 characters" note="a name" />
//! </opensudoku>
//! ```
//!
//! A game is called by its note, or after the collection or folder it is in.
//!
//! The XML reader makes room for every `<` and `=` of a text before it looks at it, compares each
//! attribute of an element with all others, and hands namespaces down to every element that adds one.
//! So these are counted first.

use roxmltree::{Document, Node, ParsingOptions};

use super::error::{FormatError, Place, quoted, shortened};
use super::line;
use super::source::{self, Token};
use super::{Entry, MAX_PUZZLES, ReadOptions, one_line, push};

/// The most tags, and the most nodes: for each game two tags, or one and the white space around it.
const MAX_NODES: usize = 2 * MAX_PUZZLES + 1024;

/// The most `=` in a text: OpenSudoku itself writes six for each game, and 64 MiB hold no more games
/// of that length than this.
const MAX_ASSIGNMENTS: usize = 4 * MAX_PUZZLES;

/// The most attributes of an element; OpenSudoku has six.
const MAX_ATTRIBUTES: usize = 64;

/// The most mentions of `xmlns`; OpenSudoku has none.
const MAX_NAMESPACES: usize = 16;

pub(super) fn read(text: &str, options: &ReadOptions) -> Result<Vec<Entry>, FormatError> {
    check_bounds(text)?;
    let limits = ParsingOptions {
        nodes_limit: u32::try_from(MAX_NODES).unwrap_or(u32::MAX),
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(text, limits).map_err(|error| {
        let place = Place {
            line: error.pos().row.try_into().unwrap_or_default(),
            column: error.pos().col.try_into().unwrap_or_default(),
        };
        place.error(format_args!(
            "expected OpenSudoku XML, found a fault in it: {}",
            shortened(&error.to_string())
        ))
    })?;
    let root = document.root_element();
    if !root.has_tag_name("opensudoku") {
        return Err(Place::line(1).error(format_args!(
            "expected XML with the root element <opensudoku>, found {}",
            quoted(root.tag_name().name())
        )));
    }
    let is_game = |node: &Node| node.has_tag_name("game");
    let single = root.descendants().filter(is_game).nth(1).is_none();
    let mut places = Places::new(text);
    let mut entries = Vec::new();
    let mut collection = None;
    for node in root.descendants() {
        if node.has_tag_name("name") {
            collection = node.text().and_then(one_line);
        } else if node.has_tag_name("folder") {
            collection = node.attribute("name").and_then(one_line);
        } else if is_game(&node) {
            let number = entries.len() + 1;
            let found = game(node, number, &mut places, options)?;
            let numbered = collection.as_ref().map(|name| {
                if single {
                    name.clone()
                } else {
                    format!("{name} {number}")
                }
            });
            let note = node.attribute("note").and_then(one_line);
            let entry = Entry {
                name: note.or(numbered),
                ..found
            };
            push(&mut entries, entry)?;
        }
    }
    Ok(entries)
}

/// Refuses what would cost the XML reader more memory or time than the text is worth.
fn check_bounds(text: &str) -> Result<(), FormatError> {
    let all = |what: &str| text.matches(what).count();
    for (what, most) in [
        ("<", MAX_NODES),
        ("=", MAX_ASSIGNMENTS),
        ("xmlns", MAX_NAMESPACES),
    ] {
        if all(what) > most {
            return Err(Place::NOWHERE.error(format_args!(
                "expected OpenSudoku XML with at most {most} times {what}, found more"
            )));
        }
    }
    // Values hold no `<`, so that all attributes of an element are in one of these pieces.
    let mut start = 0;
    for piece in text.split('<') {
        let values = piece.split('=').skip(1);
        let quoted = |value: &&str| value.trim_start().starts_with(['"', '\'']);
        if values.filter(quoted).count() > MAX_ATTRIBUTES {
            return Err(source::place_at(&text[..start]).error(format_args!(
                "expected an element with at most {MAX_ATTRIBUTES} attributes, found more"
            )));
        }
        start += piece.len() + 1;
    }
    Ok(())
}

fn game(
    node: Node,
    number: usize,
    places: &mut Places,
    options: &ReadOptions,
) -> Result<Entry, FormatError> {
    let Some(data) = node.attribute("data") else {
        return Err(places.start.error(format_args!(
            "expected game number {number} to have its cells in an attribute `data`, found none"
        )));
    };
    let place = places.of(data);
    if data.starts_with("version") {
        return Err(place.error(
            "expected the cells of a game as one character each, found a saved state; export the \
             puzzle from OpenSudoku without it",
        ));
    }
    let cells = Token { place, text: data };
    let symbols = cells
        .symbols()
        .filter(|symbol| !symbol.value.is_whitespace());
    line::entry(symbols, Place::line(place.line), options)
}

/// Finds the values of attributes in the text, as the XML reader does not keep their places.
/// They are asked for in the order of the text.
struct Places<'a> {
    rest: &'a str,
    /// Where `rest` begins.
    start: Place,
}

impl<'a> Places<'a> {
    fn new(text: &'a str) -> Self {
        let start = source::place_at("");
        Self { rest: text, start }
    }

    /// A value that is not in the text as it is (it may hold entities) ends the search, so that
    /// no file can make it look again and again.
    fn of(&mut self, value: &str) -> Place {
        let Some(at) = self.rest.find(value) else {
            (self.rest, self.start) = ("", Place::NOWHERE);
            return self.start;
        };
        self.skip(at);
        let place = self.start;
        self.skip(value.len());
        place
    }

    fn skip(&mut self, bytes: usize) {
        let (before, rest) = self.rest.split_at(bytes);
        let step = source::place_at(before);
        self.rest = rest;
        self.start = match step.line {
            1 => Place {
                column: self.start.column + step.column - 1,
                ..self.start
            },
            lines => Place {
                line: self.start.line + lines - 1,
                ..step
            },
        };
    }
}

pub(super) fn write(entries: &[Entry]) -> String {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<opensudoku>\n");
    for Entry { name, grid, .. } in entries {
        let cells = line::cells(grid, None).replace('.', "0");
        let note = match name.as_deref().and_then(one_line) {
            Some(name) => format!(" note=\"{}\"", escaped(&name)),
            None => String::new(),
        };
        text.push_str(&format!("  <game data=\"{cells}\"{note} />\n"));
    }
    text.push_str("</opensudoku>\n");
    text
}

/// A text as XML has it, in elements and in values of attributes.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::super::{Format, read, read_one, write};
    use super::*;

    const SMALL: &str = "1000000000000002";

    fn usual(text: &str) -> Result<Vec<Entry>, FormatError> {
        read(text.as_bytes(), &ReadOptions::default())
    }

    fn message(text: &str) -> String {
        usual(text).unwrap_err().to_string()
    }

    #[test]
    fn games_are_named_by_note_or_collection() {
        let text = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<opensudoku>\n<name>Easy</name>\n\
             <author>me</author>\n<game data=\"{SMALL}\" />\n<game note=\"A &amp; B\"\n  \
             data=\"{SMALL}\" />\n<folder name=\"Hard\"><game data=\"{SMALL}\"/></folder>\n\
             </opensudoku>\n"
        );
        let entries = usual(&text).unwrap();
        let found: Vec<_> = entries
            .iter()
            .map(|entry| (entry.name.as_deref().unwrap_or_default(), entry.line))
            .collect();
        assert_eq!(found, [("Easy 1", 5), ("A & B", 7), ("Hard 3", 8)]);
        assert!(entries.iter().all(|entry| entry.grid.filled() == 2));
        let single = format!("<opensudoku><name>Easy</name><game data='{SMALL}'/></opensudoku>");
        assert_eq!(usual(&single).unwrap()[0].name.as_deref(), Some("Easy"));
    }

    #[test]
    fn names_survive_writing() {
        let mut entry = read_one(SMALL.as_bytes(), &ReadOptions::default()).unwrap();
        entry.name = Some("<\"&'>".into());
        let text = write(&[entry.clone(), entry.clone()], Format::OpenSudoku).unwrap();
        for read in usual(&text).unwrap() {
            assert_eq!((&read.name, &read.grid), (&entry.name, &entry.grid));
        }
    }

    #[test]
    fn faults_are_located() {
        let bad = SMALL.replace('2', "!");
        assert_eq!(
            message(&format!(
                "<opensudoku>\n <game data=\"{bad}\"/></opensudoku>"
            )),
            "2:29: expected a digit from 1 to 4 or a blank (. 0 * _ - ? X), found `!`"
        );
        assert_eq!(
            message("<opensudoku>\n<game data='123'/></opensudoku>"),
            "2: expected 16 cells for a 4x4 grid, found 3"
        );
        assert!(message("<opensudoku>\n<game></opensudoku>").starts_with("2:"));
        assert!(message("<html></html>").contains("found `html`"));
        assert!(message("<opensudoku><game/></opensudoku>").contains("attribute `data`"));
        assert!(message("<opensudoku><game data='version: 4'/></opensudoku>").contains("export"));
        assert!(message("<opensudoku></opensudoku>").contains("no puzzle"));
    }

    #[test]
    fn deep_or_hostile_xml_is_only_an_error() {
        assert!(usual(&"<a>".repeat(200_000)).is_err());
        let deep = format!(
            "<opensudoku>{}{}</opensudoku>",
            "<a>".repeat(50_000),
            "</a>".repeat(50_000)
        );
        assert!(usual(&deep).is_err());
        assert!(usual("<!DOCTYPE a [<!ENTITY b 'c'>]><opensudoku>&b;</opensudoku>").is_err());
    }

    #[test]
    fn what_the_xml_reader_would_choke_on_is_counted_first() {
        let tags = "<".repeat(MAX_NODES + 1);
        assert!(message(&tags).ends_with("at most 2098176 times <, found more"));
        let assignments = format!("<a>{}", "=".repeat(MAX_ASSIGNMENTS + 1));
        assert!(message(&assignments).ends_with("at most 4194304 times =, found more"));
        let spaces = "<a xmlns:b='c'>".repeat(MAX_NAMESPACES + 1);
        assert!(message(&spaces).ends_with("at most 16 times xmlns, found more"));
        let with = |attributes: usize| {
            let attributes: String = (0..attributes)
                .map(|i| format!(" a{i} = 'x = y'"))
                .collect();
            format!("<opensudoku>\n<game data='{SMALL}'{attributes}/></opensudoku>")
        };
        assert!(usual(&with(MAX_ATTRIBUTES - 1)).is_ok());
        assert_eq!(
            message(&with(MAX_ATTRIBUTES)),
            "2:2: expected an element with at most 64 attributes, found more"
        );
    }

    #[test]
    fn a_long_name_is_cut_before_all_games_get_it() {
        let name = "n".repeat(1 << 20);
        let game = format!("<game data='{SMALL}'/>").repeat(1000);
        let text = format!("<opensudoku><name>{name}</name>{game}</opensudoku>");
        let names = usual(&text).unwrap().into_iter().map(|entry| entry.name);
        assert_eq!(names.map(|name| name.unwrap().len()).max(), Some(205));
    }

    #[test]
    fn faults_are_told_in_a_line() {
        let long = "n".repeat(1 << 20);
        let fault = message(&format!("<opensudoku><{long}></opensudoku>"));
        assert!(fault.len() < 400, "{fault}");
    }
}
