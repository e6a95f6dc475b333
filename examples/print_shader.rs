//! Prints the WGSL of a kernel as it goes to the driver, to be read or given to other tools; of a grid with
//! square sub-blocks.
//!
//! `cargo run --example print_shader -- grids/breed_rows 9 workgroup | tint --format wgsl -`

use gpusudoku::engine::gpu::shaders::{Lists, Mapping, Variant, compose, library};
use gpusudoku::operators::kernel::Shader;

fn main() -> Result<(), String> {
    let usage = || {
        let kernels: Vec<_> = library::kernels().collect();
        format!(
            "usage: print_shader {} SIZE thread|workgroup|subgroup|board",
            kernels.join("|")
        )
    };
    let args: Vec<_> = std::env::args().skip(1).collect();
    let [name, size, mapping] = args.as_slice() else {
        return Err(usage());
    };
    let name = library::kernels().find(|kernel| kernel == name);
    let mapping = match mapping.as_str() {
        "board" => None,
        name => Some(Mapping::find(name).ok_or_else(usage)?),
    };
    let size = size.parse().map_err(|_| usage())?;
    let name = name.ok_or_else(usage)?;
    let mut variant = match mapping {
        None => Variant::board(size),
        Some(mapping) => Variant {
            block_width: size.isqrt(),
            ..Variant::grid(size, mapping)
        },
    };
    if name.starts_with("colourings/") {
        // Half of the cells open, with a quarter of the digits.
        let vertices = size * size / 2;
        variant.lists = Some(Lists {
            elements: 4 * vertices,
            vertices,
            choices: vertices * (size / 4).next_multiple_of(8),
            longest: size / 4,
        });
    }
    print!("{}", compose(&Shader::builtin(name), variant)?.text);
    Ok(())
}
