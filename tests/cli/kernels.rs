//! Kernels from a folder, kernels that do not compile, and the command that compares an adapter with the native
//! engine.

use std::fs;
use std::path::Path;

use super::support::*;

/// A copy of the shaders.
fn shaders(dir: &Dir) -> String {
    fn copy(from: &Path, to: &Path) {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let path = entry.unwrap().path();
            let to = to.join(path.file_name().unwrap());
            match path.is_dir() {
                true => copy(&path, &to),
                false => drop(fs::copy(&path, &to).unwrap()),
            }
        }
    }
    let folder = dir.at("shaders");
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders");
    copy(&own, Path::new(&folder));
    folder
}

const RUN: [&str; 10] = [
    "run",
    "sd2",
    "--algo",
    "ga",
    "--pop",
    "40",
    "--max-generations",
    "5",
    "--format",
    "json",
];

#[test]
fn kernels_come_from_a_folder_loudly() {
    if !gpu_wanted() {
        return;
    }
    let dir = Dir::new();
    let folder = shaders(&dir);
    let built_in = call(&[&RUN[..], &["--backend", "gpu"]].concat()).expect(1);
    let args = [&RUN[..], &["--backend", "gpu", "--shaders", &folder]].concat();
    let same = call(&args).expect(1);
    assert!(same.stderr.contains("SHADERS FROM"), "{same:?}");
    assert_eq!(hash(&same.object()), hash(&built_in.object()));

    // A kernel that does something else does so, without a rebuild.
    let file = format!("{folder}/grids/block_child.wgsl");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("SITE_TOURNAMENT", "SITE_MATE")).unwrap();
    let mut command = program();
    command
        .env("GPUSUDOKU_SHADERS", &folder)
        .args([&RUN[..], &["--backend", "gpu"]].concat());
    let other = answer(command, b"").expect(1);
    assert!(other.stderr.contains("SHADERS FROM"), "{other:?}");
    assert_ne!(hash(&other.object()), hash(&built_in.object()));

    // The command for owners of GPUs finds such things out, here of the kernel of LSGA.
    let file = format!("{folder}/grids/mutate.wgsl");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("SITE_MUTATE_ROW"));
    fs::write(&file, text.replace("SITE_MUTATE_ROW", "SITE_MATE")).unwrap();
    let mut command = program();
    command.env("GPUSUDOKU_SHADERS", &folder);
    command.args(["selftest", "--short"]);
    let found = answer(command, b"").expect(4);
    assert!(found.stdout.contains("DIFFERENT"), "{found:?}");
    assert!(found.stderr.contains("Please send"), "{found:?}");
}

#[test]
fn a_kernel_that_does_not_compile_is_named_with_its_line() {
    if !gpu_wanted() {
        return;
    }
    let dir = Dir::new();
    let folder = shaders(&dir);
    let file = format!("{folder}/grids/breed_blocks.wgsl");
    let text = fs::read_to_string(&file).unwrap();
    let line = 1 + text.lines().position(|it| it.contains("let key")).unwrap();
    fs::write(&file, text.replace("let key", "let key = 1u; let")).unwrap();
    for backend in ["gpu", "auto"] {
        let mut command = program();
        // `auto` tries the software adapter here, as the native engine is slow, and does not turn back to that when the
        // text is wrong.
        command.env("GPUSUDOKU_FAULTS", "auto-software,slow-cpu=2000000");
        command.args([&RUN[..], &["--backend", backend, "--shaders", &folder]].concat());
        let reply = answer(command, b"").expect(2);
        let place = format!("shaders/grids/breed_blocks.wgsl:{line}: ");
        assert!(reply.stderr.contains(&place), "{reply:?}");
        assert!(!reply.stderr.contains("failed"), "{reply:?}");
        assert!(
            !reply.stderr.contains("again"),
            "nothing is retried: {reply:?}"
        );
    }
}

#[test]
fn a_folder_that_is_none_is_refused() {
    let dir = Dir::new();
    let nowhere = dir.at("nowhere");
    let reply = call(&["run", "easy-1", "--shaders", &nowhere]).expect(2);
    assert!(reply.sentence().contains("is no folder with shaders"));
}

#[test]
fn the_adapter_here_agrees_with_the_native_engine() {
    if !gpu_wanted() {
        return;
    }
    let reply = call(&["selftest", "--short"]).expect(0);
    let closing = "the adapter makes the native engine's populations to the bit";
    assert!(reply.stdout.contains(closing), "{reply:?}");
    for family in ["lsga", "hgasa", "memetic", "evaluate"] {
        assert!(reply.stdout.contains(family), "{family}: {reply:?}");
    }
    let mut wrong = program();
    wrong.env("GPUSUDOKU_FAULTS", "miscount");
    wrong.args(["selftest", "--short"]);
    let reply = answer(wrong, b"").expect(4);
    assert!(reply.stdout.contains("DIFFERENT"), "{reply:?}");
    let mut bench = program();
    bench.env("GPUSUDOKU_FAULTS", "miscount");
    bench.args(["bench", "--quick", "--size", "9", "--pop", "20"]);
    let reply = answer(bench, b"").expect(4);
    assert!(
        reply.stderr.contains("its speed means nothing"),
        "{reply:?}"
    );
    let reply = call(&["selftest", "--adapter", "no such adapter"]).expect(3);
    assert!(!reply.sentence().is_empty());
}
