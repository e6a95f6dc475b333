//! Runs the kernels of a capture, launch by launch, in an emulated memory.

use gpusudoku::engine::gpu::capture::{Capture, Launch};

use crate::compile::{Compiled, Compiler};
use crate::count::Counts;
use crate::memory::Words;
use crate::program::Program;
use crate::wave::{Wave, run_workgroup};

/// Where the first buffer is, in bytes: nobody should read at 0.
const FIRST_ADDRESS: usize = 0x1000;

/// Words of workgroup memory, the most that a workgroup can have.
const LDS_WORDS: usize = 16 * 1024;

/// What nobody has written yet. Kernels that read it give wrong results, and are found out.
const UNWRITTEN: u32 = 0xcdcd_cdcd;

/// Words of scratch memory of a lane.
const SCRATCH_WORDS: usize = 4096;

/// What became of a launch.
pub struct Metered {
    /// The kernel's name.
    pub kernel: String,
    /// What the driver made of it.
    pub compiled: Compiled,
    /// The same, decoded.
    pub program: Program,
    /// What its waves issued. A dispatch that only prepares the steps of the next ones is left out.
    pub counts: Counts,
    /// Waves.
    pub waves: u64,
    /// Its dispatches.
    pub dispatches: usize,
}

/// Buffers in memory.
struct Placed {
    memory: Words,
    /// Places in bytes, and lengths in words.
    buffers: Vec<(usize, usize)>,
}

impl Placed {
    fn new(buffers: &[Vec<u32>]) -> Self {
        let mut placed = Self {
            memory: vec![0; FIRST_ADDRESS / 4],
            buffers: Vec::new(),
        };
        for words in buffers {
            let at = placed.put(words);
            placed.buffers.push((at, words.len()));
        }
        placed
    }

    /// Puts words behind all others, at a place that nothing shares a line of memory with. The place in bytes.
    fn put(&mut self, words: &[u32]) -> usize {
        let at = self.memory.len();
        self.memory.extend_from_slice(words);
        self.memory
            .resize(self.memory.len().next_multiple_of(64), 0);
        4 * at
    }

    /// A table that describes buffers, as RADV's descriptor sets do: address, size in bytes, format.
    fn describe(&mut self, buffers: &[(usize, usize)]) -> u32 {
        let description = |&(at, words): &(usize, usize)| [at as u32, 0, 4 * words as u32, 0];
        let words: Vec<u32> = buffers.iter().flat_map(description).collect();
        self.put(&words) as u32
    }
}

/// Runs all launches. The words of every buffer afterwards, and what each launch took.
pub fn run(
    compiler: &Compiler,
    capture: &Capture,
    wave: Option<u32>,
) -> Result<(Vec<Vec<u32>>, Vec<Metered>), String> {
    let mut placed = Placed::new(&capture.buffers);
    let mut metered = Vec::new();
    for launch in &capture.launches {
        metered.push(run_launch(compiler, launch, wave, &mut placed)?);
    }
    let words = |&(at, words): &(usize, usize)| placed.memory[at / 4..][..words].to_vec();
    Ok((placed.buffers.iter().map(words).collect(), metered))
}

fn run_launch(
    compiler: &Compiler,
    launch: &Launch,
    wave: Option<u32>,
    placed: &mut Placed,
) -> Result<Metered, String> {
    let kernel = launch.shader.path().to_owned();
    let located = |error: String| format!("{kernel}: {error}");
    let bindings: Vec<u32> = launch
        .bindings
        .iter()
        .map(|&(binding, _)| binding)
        .collect();
    let compiled = compiler.compile(&launch.composed.text, &bindings, wave);
    let compiled = compiled.map_err(located)?;
    let mut program = Program::parse(&compiled.assembly).map_err(located)?;
    program.base = placed.put(&program.words) as u32;
    let mut counts = Counts::new(&program);
    let bound: Vec<_> = launch
        .bindings
        .iter()
        .map(|&(_, at)| placed.buffers[at])
        .collect();
    let table = placed.describe(&bound);
    let mut waves = 0;
    for dispatch in &launch.dispatches {
        let mut arguments = vec![0, 0, table];
        if let Some(chunk) = dispatch.chunk {
            let at = placed.put(&chunk);
            arguments.push(placed.describe(&[(at, chunk.len())]));
        }
        // The first dispatch of a search prepares it, and makes no step.
        let prepares = dispatch.chunk.is_some_and(|chunk| chunk[3] == 0);
        let mut left_out = Counts::new(&program);
        let counted = if prepares { &mut left_out } else { &mut counts };
        let [columns, rows] = dispatch.workgroups;
        for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)))
        {
            let mut arguments = arguments.clone();
            if compiled.reads_grid {
                arguments.extend([columns, rows, 1]);
            }
            if compiled.reads_workgroup {
                arguments.extend([column, row]);
            }
            let mut group = workgroup(&compiled, &arguments);
            waves += group.len() as u64 * u64::from(!prepares);
            let mut lds = vec![UNWRITTEN; LDS_WORDS];
            run_workgroup(&mut group, &program, &mut lds, &mut placed.memory, counted)
                .map_err(located)?;
        }
    }
    Ok(Metered {
        kernel,
        compiled,
        program,
        counts,
        waves,
        dispatches: launch.dispatches.len(),
    })
}

/// The waves of a workgroup with what RADV gives them: descriptor sets from s2 on, the numbers of workgroups, that of
/// this one, the number of the wave; in v0 the number of the invocation.
fn workgroup(compiled: &Compiled, arguments: &[u32]) -> Vec<Wave> {
    let (lanes, invocations) = (compiled.wave, compiled.workgroup);
    let count = invocations.div_ceil(lanes);
    let wave = |number: usize| {
        let active = (invocations - number * lanes).min(lanes);
        let scratch = match compiled.statistic("Scratch size") {
            0 => 0,
            _ => SCRATCH_WORDS,
        };
        let mut wave = Wave::new(lanes, active, scratch);
        wave.scalars[..arguments.len()].copy_from_slice(arguments);
        wave.scalars[arguments.len()] = (number << 6 | count) as u32;
        wave.vectors[0] = std::array::from_fn(|lane| (number * lanes + lane) as u32);
        wave
    };
    (0..count).map(wave).collect()
}
