//! Prints the WGSL of a kernel as it goes to the driver, to be read or given to other tools.
//!
//! `cargo run --example print_shader -- breed 9 many | tint --format wgsl -`

use gpusudoku::engine::gpu::shaders::{Kernel, Lanes, Variant};

fn main() -> Result<(), String> {
    let usage = || {
        let kernels: Vec<_> = Kernel::ALL.iter().map(|kernel| kernel.name()).collect();
        format!("usage: print_shader {} SIZE one|many", kernels.join("|"))
    };
    let args: Vec<_> = std::env::args().skip(1).collect();
    let [name, size, lanes] = args.as_slice() else {
        return Err(usage());
    };
    let kernel = Kernel::ALL.into_iter().find(|kernel| kernel.name() == name);
    let lanes = match lanes.as_str() {
        "one" => Lanes::One,
        "many" => Lanes::Many,
        _ => return Err(usage()),
    };
    let size = size.parse().map_err(|_| usage())?;
    let source = kernel.ok_or_else(usage)?.source(Variant { size, lanes });
    print!("{source}");
    Ok(())
}
