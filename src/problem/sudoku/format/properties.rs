//! What holds for every format, grid and text.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

fn geometries() -> impl Strategy<Value = Geometry> {
    let sudoku = [
        (2, 2),
        (2, 3),
        (3, 2),
        (2, 4),
        (3, 3),
        (3, 4),
        (4, 4),
        (2, 8),
        (5, 5),
        (8, 8),
    ];
    let latin = [2, 3, 4, 5, 7, 9, 10, 50];
    let sudoku = sudoku.map(|(rows, cols)| Geometry::sudoku(rows, cols));
    let latin = latin.map(Geometry::latin);
    let all: Vec<_> = sudoku.into_iter().chain(latin).flatten().collect();
    proptest::sample::select(all)
}

/// Cells at random, mostly blank, mostly filled or in between.
fn grids(geometry: Geometry) -> impl Strategy<Value = Grid> {
    let size = u8::try_from(geometry.size()).unwrap_or(u8::MAX);
    (0..=4u32).prop_flat_map(move |filled| {
        let cell = prop_oneof![4 - filled => Just(0), filled => 1..=size];
        vec(cell, geometry.cells())
            .prop_filter_map("valid", move |cells| Grid::new(geometry, cells).ok())
    })
}

fn entries(geometry: Geometry) -> impl Strategy<Value = Entry> {
    let name = proptest::option::of("[ -~é|#\n]{0,12}");
    (grids(geometry), name).prop_map(|(grid, name)| Entry {
        name,
        ..Entry::from(grid)
    })
}

fn formats() -> impl Strategy<Value = Format> {
    proptest::sample::select(Format::ALL.to_vec())
}

/// A text in some format, with the options to read it.
fn texts() -> impl Strategy<Value = (String, ReadOptions)> {
    let small = geometries().prop_filter("quick", |geometry| geometry.size() <= 16);
    small
        .prop_flat_map(entries)
        .prop_flat_map(|entry| (Just(entry), formats()))
        .prop_filter_map("held", |(entry, format)| {
            let options = ReadOptions::from(entry.grid.geometry());
            Some((write(&[entry], format).ok()?, options))
        })
}

/// The characters that mean something somewhere, in short and longer texts.
fn hostile() -> impl Strategy<Value = String> {
    let part =
        "[0-9A-Gx.*_?;\"(){}|\\[\\]+ =\t,#\n-]|-1|\n|p edges |f |e |<game data=\"|é|│|─|║|None";
    let part = || proptest::string::string_regex(part).expect("a pattern");
    let longer = vec(part(), 0..150);
    prop_oneof![vec(part(), 0..6), longer].prop_map(|parts| parts.concat())
}

fn options() -> impl Strategy<Value = ReadOptions> {
    let boxes = proptest::option::weighted(0.2, (0..9usize, 0..9usize));
    let alphabets = proptest::option::of(proptest::sample::select(Alphabet::ALL.to_vec()));
    (boxes, any::<bool>(), alphabets).prop_map(|(boxes, latin, alphabet)| ReadOptions {
        boxes: boxes.map(|(rows, cols)| BoxShape { rows, cols }),
        latin,
        alphabet,
    })
}

fn same_grids(text: &str, written: &[Entry]) -> Result<(), TestCaseError> {
    let options = ReadOptions::from(written[0].grid.geometry());
    let found = match read(text.as_bytes(), &options) {
        Ok(found) => found,
        Err(error) => return Err(TestCaseError::fail(format!("{error}\n{text}"))),
    };
    prop_assert_eq!(found.len(), written.len(), "{}", text);
    for (found, written) in found.iter().zip(written) {
        prop_assert_eq!(&found.grid, &written.grid, "{}", text);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn what_is_written_is_read_back(entry in geometries().prop_flat_map(entries)) {
        for format in Format::ALL {
            let text = write(std::slice::from_ref(&entry), format);
            prop_assert_eq!(text.is_ok(), format.holds(entry.grid.geometry()));
            if let Ok(text) = text {
                same_grids(&text, std::slice::from_ref(&entry))?;
                let windows = format!("\u{feff}{}", text.replace('\n', "\r\n"));
                same_grids(&windows, std::slice::from_ref(&entry))?;
            }
        }
        same_grids(&canonical(&entry.grid), &[entry])?;
    }

    #[test]
    fn several_are_read_back_in_order(
        entries in geometries()
            .prop_filter("quick", |geometry| geometry.size() <= 16)
            .prop_flat_map(|geometry| vec(entries(geometry), 2..20)),
    ) {
        for format in Format::ALL.into_iter().filter(|format| format.holds_many()) {
            if let Ok(text) = write(&entries, format) {
                same_grids(&text, &entries)?;
            }
        }
    }

    #[test]
    fn givens_are_set_apart_but_read_alike(
        (grid, givens) in geometries().prop_flat_map(|geometry| (grids(geometry), grids(geometry))),
    ) {
        let text = framed(&grid, Some(&givens));
        let both = |(a, b): (&u8, &u8)| *a != 0 && a == b;
        let expected = grid.cells().iter().zip(givens.cells()).filter(|&pair| both(pair)).count();
        prop_assert_eq!(text.matches('[').count(), expected);
        let widths: std::collections::BTreeSet<_> = text.lines().map(str::len).collect();
        prop_assert_eq!(widths.len(), 1, "{}", text);
        same_grids(&text, &[Entry::from(grid)])?;
    }
}

/// What people paste of a grid: the same cells in forms that nothing here writes.
fn pastes(grid: &Grid) -> Vec<String> {
    let size = grid.geometry().size();
    let rows = |blank: &str, separator: &str, end: &str| -> Vec<String> {
        let cell = |&digit: &u8| match digit {
            0 => blank.to_owned(),
            _ => digit.to_string(),
        };
        let row = |row: &[u8]| row.iter().map(cell).collect::<Vec<_>>().join(separator) + end;
        grid.cells().chunks(size).map(row).collect()
    };
    let list = |blank: &str| rows(blank, ", ", "");
    let python = format!("grid = [[{}]]", list("None").join("],\n        ["));
    let json = format!("[[{}]]", list("null").join("],["));
    let flat = format!("[{}]", list("0").join(", "));
    let numpy = format!("array([[{}]], dtype=int8)", list("0").join("],\n       ["));
    let c = format!("{{ {{{}}} }};", list("0").join("},\n {"));
    let mut texts = vec![python, json, flat, numpy, c];
    texts.push(rows("", ";", "\n").concat());
    // Nothing but tabs is nothing.
    if grid.filled() > 0 {
        texts.push(rows("", "\t", "\n").concat());
    }
    texts.push(rows("-", " ", "\n").concat());
    texts.push(rows("?", ",", "\n").concat());
    let boxed = |c: char| match c {
        '-' => '─',
        '+' => '┼',
        '|' => '│',
        c => c,
    };
    for frame in [framed(grid, None), framed(grid, Some(grid))] {
        texts.push(frame.chars().map(boxed).collect());
        if grid.filled() > 0 {
            texts.push(frame.replace('.', " "));
            texts.push(frame.replace('.', " ").chars().map(boxed).collect());
        }
        texts.push(frame.replace('.', "?"));
    }
    if (4..=9).contains(&size) {
        texts.push(rows("0", "", " ").concat());
        texts.push(rows(".", "", " ").concat());
        texts.push(rows("-", "", "\n").concat());
        texts.push(format!("[\"{}\"]", rows(".", "", "").join("\", \"")));
    }
    texts
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn what_is_pasted_is_read(grid in geometries().prop_flat_map(grids)) {
        for text in pastes(&grid) {
            same_grids(&text, &[Entry::from(grid.clone())])?;
        }
    }

    #[test]
    fn an_alphabet_survives_what_is_written_in_it(
        grid in geometries()
            .prop_filter("characters", |geometry| (10..=26).contains(&geometry.size()))
            .prop_flat_map(grids),
        alphabet in proptest::sample::select(Alphabet::ALL.to_vec()),
    ) {
        let entry = Entry { alphabet: Some(alphabet), ..Entry::from(grid) };
        let grid = &entry.grid;
        let options = ReadOptions {
            alphabet: Some(alphabet),
            ..ReadOptions::from(grid.geometry())
        };
        let texts = [
            alphabet.text(grid).unwrap(),
            write(std::slice::from_ref(&entry), Format::Line).unwrap(),
            write(std::slice::from_ref(&entry), Format::Sdk).unwrap(),
            framed_in(grid, Some(grid), Some(alphabet)),
        ];
        for text in texts {
            let found = read_one(text.as_bytes(), &options);
            prop_assert_eq!(found.map(|found| (found.grid, found.alphabet)), Ok((grid.clone(), Some(alphabet))), "{}", text);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_bytes_make_it_panic(bytes in vec(any::<u8>(), 0..300), options in options()) {
        let _ = read(&bytes, &options);
    }

    #[test]
    fn no_text_makes_it_panic(
        text in hostile(),
        options in options(),
    ) {
        if let Err(error) = read(text.as_bytes(), &options) {
            let line = text.lines().nth(error.line.saturating_sub(1)).unwrap_or_default();
            prop_assert!(error.line <= text.lines().count().max(1), "{}", error);
            prop_assert!(error.column <= line.chars().count() + 1, "{}", error);
            prop_assert!(!error.message.contains('\n'), "{}", error);
        }
    }

    #[test]
    fn no_damaged_file_makes_it_panic(
        (text, given) in texts(),
        damage in vec((any::<prop::sample::Index>(), 0..3u8, any::<u8>()), 1..4),
        other in options(),
    ) {
        let mut bytes = text.into_bytes();
        for (at, kind, byte) in damage {
            let at = at.index(bytes.len() + 1);
            match (kind, bytes.get_mut(at)) {
                (0, Some(old)) => *old = byte,
                (1, Some(_)) => { bytes.remove(at); }
                _ => bytes.insert(at, byte % 128),
            }
        }
        let _ = read(&bytes, &given);
        let _ = read(&bytes, &other);
    }
}
