//! `gpusudoku evaluate`.

use crate::support::*;

/// A solved 4x4 grid, and one whose columns are all wrong.
const GRIDS: &str = "1234341221434321\n1234123412341234\n";

#[test]
fn fitness_of_a_text_file_is_a_number_a_line() {
    let folder = Dir::new();
    let file = &folder.file("population.txt", GRIDS);
    let blank = ".".repeat(16);
    for backend in ["cpu", "gpu"] {
        if backend == "gpu" && !gpu_wanted() {
            continue;
        }
        let reply = call(&["evaluate", &blank, file, "--backend", backend]).expect(0);
        assert_eq!(reply.stdout, "0\n8\n");
    }
    let args = [
        "evaluate",
        &blank,
        file,
        "--encoding",
        "cells",
        "--objective",
        "missing-digits",
    ];
    // Each column lacks three digits, each box two.
    assert_eq!(call(&args).expect(0).stdout, "0\n20\n");
}

#[test]
fn npy_files_go_in_and_come_out() {
    let folder = Dir::new();
    let header = "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 4, 4), }";
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16 + 1).to_le_bytes());
    bytes.extend(format!("{header}\n").bytes());
    bytes.extend(GRIDS.bytes().filter(|it| *it != b'\n').map(|it| it - b'0'));
    let (population, to) = (folder.file("p.npy", bytes), folder.at("f.npy"));
    let blank = ".".repeat(16);
    let args = [
        "evaluate",
        &blank,
        &population,
        "--out",
        &to,
        "--backend",
        "cpu",
    ];
    assert_eq!(call(&args).expect(0).stdout, "");
    let written = std::fs::read(&to).unwrap();
    assert_eq!(written[written.len() - 8..], [0, 0, 0, 0, 8, 0, 0, 0]);
    assert!(String::from_utf8_lossy(&written).contains("'shape': (2,)"));
}

#[test]
fn what_cannot_be_evaluated_is_refused_in_a_sentence() {
    let folder = Dir::new();
    let file = &folder.file("population.txt", "1234341221434321\n1134341221434321\n");
    let blank = ".".repeat(16);
    let reply = call(&["evaluate", &blank, file]).expect(2);
    let sentence = reply.sentence();
    assert!(
        sentence.contains("individual 1 is not one of the encoding"),
        "{sentence}"
    );
    assert!(sentence.contains("row 1 has 1 twice"), "{sentence}");
    for (args, word) in [
        (["evaluate", "queens:8", file, "--quiet"], "queens"),
        (
            ["evaluate", &blank, "no-such-file", "--quiet"],
            "cannot read",
        ),
        (
            ["evaluate", "easy-1", file, "--quiet"],
            "has 81 cells, found 16",
        ),
        (["evaluate", &blank, file, "--encoding=columns"], "encoding"),
    ] {
        let reply = call(&args).expect(2);
        assert!(reply.sentence().contains(word), "{reply:?}");
    }
}
