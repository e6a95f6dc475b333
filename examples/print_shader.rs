//! Prints the WGSL of a kernel as it goes to the driver, to be read or given to other tools; of a grid with
//! square sub-blocks.
//!
//! `cargo run --example print_shader -- grids/breed_rows 9 workgroup | tint --format wgsl -`
//!
//! `print_shader all DIR` writes every kernel in every variant that an adapter without subgroups may get.

use std::fs;
use std::path::Path;

use gpusudoku::engine::gpu::shaders::{Counted, Lists, Mapping, Variant, admits, compose, library};
use gpusudoku::operators::kernel::Shader;
use gpusudoku::plan::Objective;

/// Sizes around those at which words, masks and memory change.
const SIZES: [usize; 8] = [4, 9, 16, 25, 32, 36, 49, 64];
const BOARDS: [usize; 3] = [8, 100, 10_000];

fn main() -> Result<(), String> {
    let args: Vec<_> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["all", folder] => all(Path::new(folder)),
        [name, size, mapping] => one(name, size, mapping),
        _ => Err(usage()),
    }
}

fn usage() -> String {
    let kernels: Vec<_> = library::kernels().collect();
    format!(
        "usage: print_shader {} SIZE thread|workgroup|subgroup|board, or print_shader all DIR",
        kernels.join("|")
    )
}

fn one(name: &str, size: &str, mapping: &str) -> Result<(), String> {
    let name = library::kernels().find(|kernel| *kernel == name);
    let mapping = match mapping {
        "board" => None,
        name => Some(Mapping::find(name).ok_or_else(usage)?),
    };
    let size = size.parse().map_err(|_| usage())?;
    let name = name.ok_or_else(usage)?;
    let variant = match mapping {
        None => Variant::board(size),
        Some(mapping) => grid(size, mapping),
    };
    print!("{}", text(name, variant)?);
    Ok(())
}

fn grid(size: usize, mapping: Mapping) -> Variant {
    Variant {
        block_width: size.isqrt(),
        ..Variant::grid(size, mapping)
    }
}

fn text(name: &'static str, mut variant: Variant) -> Result<String, String> {
    if name.starts_with("colourings/") {
        // Half of the cells open, with a quarter of the digits.
        let vertices = variant.size * variant.size / 2;
        variant.lists = Some(Lists {
            elements: 4 * vertices,
            vertices,
            choices: vertices * (variant.size / 4).next_multiple_of(8),
            longest: (variant.size / 4).max(1),
        });
    }
    Ok(compose(&Shader::builtin(name), variant)?.text)
}

fn all(folder: &Path) -> Result<(), String> {
    let written = |error: std::io::Error| format!("{}: {error}", folder.display());
    fs::create_dir_all(folder).map_err(written)?;
    for name in library::kernels() {
        let save = |kind: &str, variant| {
            let file = format!("{}-{kind}.wgsl", name.replace('/', "-"));
            fs::write(folder.join(file), text(name, variant)?).map_err(written)
        };
        if name != "permutations/initialise_queens" {
            for size in SIZES {
                for mapping in [Mapping::Thread, Mapping::Workgroup] {
                    if !admits(&Shader::builtin(name), mapping, size)? {
                        continue;
                    }
                    let square = grid(size, mapping);
                    let mapping = mapping.name();
                    save(&format!("{size}-{mapping}"), square)?;
                    save(
                        &format!("{size}-{mapping}-latin"),
                        Variant::grid(size, square.mapping),
                    )?;
                    for objective in [Objective::MissingDigits, Objective::SumDeviation] {
                        let counted = Counted::new(objective, [true; 3]);
                        save(
                            &format!("{size}-{mapping}-{objective:?}"),
                            Variant { counted, ..square },
                        )?;
                    }
                }
            }
        }
        if name.starts_with("permutations/") || name.starts_with("common/") {
            for size in BOARDS {
                save(&format!("{size}-board"), Variant::board(size))?;
            }
        }
    }
    Ok(())
}
