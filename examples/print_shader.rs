//! Prints the WGSL of a kernel as it goes to the driver, to be read or given to other tools; of a grid with
//! square sub-blocks.
//!
//! `cargo run --example print_shader -- breed 9 many | tint --format wgsl -`

use gpusudoku::engine::gpu::shaders::{Kernel, Lanes, Lists, Variant};

fn main() -> Result<(), String> {
    let usage = || {
        let kernels: Vec<_> = Kernel::ALL.iter().map(|kernel| kernel.name()).collect();
        format!(
            "usage: print_shader {} SIZE one|many|board",
            kernels.join("|")
        )
    };
    let args: Vec<_> = std::env::args().skip(1).collect();
    let [name, size, lanes] = args.as_slice() else {
        return Err(usage());
    };
    let kernel = Kernel::ALL.into_iter().find(|kernel| kernel.name() == name);
    let lanes = match lanes.as_str() {
        "one" => Some(Lanes::One),
        "many" => Some(Lanes::Many),
        "board" => None,
        _ => return Err(usage()),
    };
    let size = size.parse().map_err(|_| usage())?;
    let kernel = kernel.ok_or_else(usage)?;
    let mut variant = match lanes {
        None => Variant::board(size),
        Some(lanes) => Variant {
            block_width: size.isqrt(),
            ..Variant::grid(size, lanes)
        },
    };
    if kernel.colours() {
        // Half of the cells open, with a quarter of the digits.
        let vertices = size * size / 2;
        variant.lists = Some(Lists {
            vertices,
            choices: vertices * (size / 4).next_multiple_of(8),
            longest: size / 4,
        });
    }
    print!("{}", kernel.source(variant));
    Ok(())
}
