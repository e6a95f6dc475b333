//! What waves issue: instructions by class, passes through the vector units, lanes, lines of memory, and the cycles
//! that one wave alone would take.

use std::collections::HashMap;

use crate::assembly::{Operand, VCC};
use crate::program::{Action, Class, Program};

/// Counts of one kernel.
#[derive(Debug, Clone)]
pub struct Counts {
    issued: Vec<u64>,
    lanes: Vec<u64>,
    /// Halves of waves that have lanes which take part; one at least.
    halves: Vec<u64>,
    lines: u64,
}

/// Their sums.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Totals {
    /// All but waits and hints.
    pub instructions: u64,
    /// Vector instructions of either rate.
    pub vector: u64,
    /// Times that 32 lanes went through a vector unit; four times as many for slow instructions.
    pub vector_passes: u64,
    /// Lanes that took part in vector instructions, summed.
    pub lanes: u64,
    /// Scalar arithmetic.
    pub scalar: u64,
    /// Loads to scalar registers.
    pub scalar_loads: u64,
    /// Instructions of workgroup memory.
    pub lds: u64,
    /// Instructions of buffers.
    pub memory: u64,
    /// Instructions of scratch memory.
    pub scratch: u64,
    /// Jumps.
    pub branches: u64,
    /// Lines of memory that buffers' instructions touched.
    pub lines: u64,
    /// Modelled cycles of waves that run alone, summed.
    pub serial_cycles: u64,
}

impl Totals {
    /// Lanes that take part in a vector instruction, on average.
    pub fn active_lanes(&self) -> f64 {
        self.lanes as f64 / self.vector.max(1) as f64
    }
}

impl Counts {
    /// Nothing is counted yet.
    pub fn new(program: &Program) -> Self {
        let none = vec![0; program.instructions.len()];
        Self {
            issued: none.clone(),
            lanes: none.clone(),
            halves: none,
            lines: 0,
        }
    }

    /// An instruction is issued for these lanes.
    pub fn issue(&mut self, at: usize, exec: u64) {
        let halves = u64::from(exec as u32 != 0) + u64::from(exec >> 32 != 0);
        self.issued[at] += 1;
        self.lanes[at] += u64::from(exec.count_ones());
        self.halves[at] += halves.max(1);
    }

    /// Lines of memory are touched.
    pub fn touch(&mut self, lines: u64) {
        self.lines += lines;
    }

    /// The sums, for waves of so many lanes.
    pub fn totals(&self, program: &Program, wave: usize) -> Totals {
        let mut totals = Totals {
            lines: self.lines,
            serial_cycles: self.serial_cycles(program, wave),
            ..Totals::default()
        };
        for (at, instruction) in program.instructions.iter().enumerate() {
            let issued = self.issued[at];
            let field = match instruction.class {
                Class::Vector | Class::SlowVector => {
                    let rate = if instruction.class == Class::Vector {
                        1
                    } else {
                        4
                    };
                    totals.vector_passes += rate * self.halves[at];
                    totals.lanes += self.lanes[at];
                    &mut totals.vector
                }
                Class::Scalar => &mut totals.scalar,
                Class::ScalarLoad => &mut totals.scalar_loads,
                Class::Lds => &mut totals.lds,
                Class::Memory => &mut totals.memory,
                Class::Scratch => &mut totals.scratch,
                Class::Branch => &mut totals.branches,
                Class::Wait => continue,
            };
            *field += issued;
            totals.instructions += issued;
        }
        totals
    }

    /// Cycles of every block that was entered, as if there were no other waves.
    fn serial_cycles(&self, program: &Program, wave: usize) -> u64 {
        let ends = program.blocks.iter().skip(1).copied();
        let ends = ends.chain([program.instructions.len()]);
        let mut cycles = 0;
        for (&first, end) in program.blocks.iter().zip(ends) {
            let entered = self.issued[first];
            if entered > 0 {
                let both = wave == 64 && 2 * self.halves[first] > 3 * entered;
                cycles += entered * block_cycles(program, first..end, if both { 2 } else { 1 });
            }
        }
        cycles
    }

    /// The blocks that issue most: instructions issued in each, where it begins, how often it was entered, and lanes.
    pub fn hottest(&self, program: &Program, most: usize) -> Vec<(u64, usize, u64, f64)> {
        let ends = program.blocks.iter().skip(1).copied();
        let ends = ends.chain([program.instructions.len()]);
        let block = |(&first, end): (&usize, usize)| {
            let counted = |at: &usize| program.instructions[*at].class != Class::Wait;
            let issued = (first..end).filter(counted).map(|at| self.issued[at]).sum();
            let entered = self.issued[first];
            let lanes = self.lanes[first] as f64 / entered.max(1) as f64;
            (issued, first, entered, lanes)
        };
        let mut blocks: Vec<_> = program.blocks.iter().zip(ends).map(block).collect();
        blocks.sort_by_key(|&(issued, ..)| std::cmp::Reverse(issued));
        blocks.truncate(most);
        blocks
    }
}

/// Latencies of the model, in cycles. Those of memory are for hits in the nearest cache.
mod latency {
    pub const VECTOR: u64 = 5;
    pub const SLOW_VECTOR: u64 = 8;
    pub const SCALAR: u64 = 2;
    pub const SCALAR_LOAD: u64 = 35;
    pub const LDS: u64 = 50;
    pub const MEMORY: u64 = 150;
    pub const BRANCH: u64 = 6;
}

/// Cycles from the first instruction of a block to the issue of its last: instructions issue in order, an instruction
/// waits for the registers that it reads, and waits are as the assembly says.
fn block_cycles(program: &Program, block: std::ops::Range<usize>, halves: u64) -> u64 {
    let mut now = 0;
    let mut ready: HashMap<Awaited, u64> = HashMap::new();
    let (mut loads, mut others) = (Vec::new(), Vec::new());
    for at in block {
        let line = program.line(at);
        let class = program.instructions[at].class;
        if class == Class::Wait {
            for (counter, queue) in [("vmcnt", &mut loads), ("lgkmcnt", &mut others)] {
                if let Some(left) = allowed(&line.text, counter) {
                    while queue.len() > left {
                        now = now.max(queue.remove(0));
                    }
                }
            }
            now += 1;
            continue;
        }
        let operands = (0..line.operands.len()).filter_map(|at| line.operand(at).ok());
        let operands: Vec<_> = operands.filter_map(Awaited::of).collect();
        let flags = [Awaited::Condition];
        let reads_condition = ["_scc", "cselect", "addc", "subb"];
        let reads_condition = reads_condition.iter().any(|it| line.text.contains(it));
        let flags = flags.iter().filter(|_| reads_condition);
        for operand in operands.iter().chain(flags) {
            now = now.max(ready.get(operand).copied().unwrap_or(0));
        }
        let result = match class {
            Class::Vector => {
                let result = now + latency::VECTOR + halves - 1;
                now += halves;
                result
            }
            Class::SlowVector => {
                let result = now + latency::SLOW_VECTOR + halves - 1;
                now += 4 * halves;
                result
            }
            Class::Scalar => {
                let result = now + latency::SCALAR;
                ready.insert(Awaited::Condition, result);
                now += 1;
                result
            }
            Class::ScalarLoad => {
                others.push(now + latency::SCALAR_LOAD);
                now += 1;
                continue;
            }
            Class::Lds => {
                others.push(now + latency::LDS + 2 * halves);
                now += 1;
                continue;
            }
            Class::Memory | Class::Scratch => {
                let is_store = match &program.instructions[at].action {
                    Action::Buffer(access) => access.is_store(),
                    Action::Scratch(access) => access.is_store(),
                    _ => false,
                };
                if !is_store {
                    loads.push(now + latency::MEMORY);
                }
                now += 1;
                continue;
            }
            Class::Branch | Class::Wait => {
                now += latency::BRANCH;
                continue;
            }
        };
        if let Some(&to) = operands.first() {
            ready.insert(to, result);
        }
        if line.name.starts_with("v_cmp") {
            ready.insert(Awaited::Scalar(VCC), result);
        }
    }
    now
}

/// What an instruction may wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Awaited {
    Scalar(usize),
    Vector(usize),
    Condition,
}

impl Awaited {
    fn of(operand: Operand) -> Option<Self> {
        match operand {
            Operand::Scalar(register) => Some(Self::Scalar(register)),
            Operand::Vector(register) => Some(Self::Vector(register)),
            Operand::Condition => Some(Self::Condition),
            _ => None,
        }
    }
}

/// How many results may still be missing, as in `vmcnt(0)`.
fn allowed(text: &str, counter: &str) -> Option<usize> {
    let rest = text.split(counter).nth(1)?.strip_prefix('(')?;
    rest.split(')').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cycles(text: &str) -> u64 {
        let program = Program::parse(text).unwrap();
        block_cycles(&program, 0..program.instructions.len(), 1)
    }

    #[test]
    fn dependent_instructions_wait() {
        let apart = cycles("v_mov_b32_e32 v1, v0\nv_mov_b32_e32 v2, v0\ns_endpgm");
        let chained = cycles("v_mov_b32_e32 v1, v0\nv_mov_b32_e32 v2, v1\ns_endpgm");
        assert_eq!((apart, chained), (3, 7));
        let load = "buffer_load_dword v1, off, s[4:7], 0";
        let waited = cycles(&format!("{load}\ns_waitcnt vmcnt(0)\ns_endpgm"));
        assert_eq!(waited, 152);
        assert_eq!(cycles(&format!("{load}\ns_waitcnt vmcnt(1)\ns_endpgm")), 3);
    }

    #[test]
    fn halves_of_waves_without_lanes_are_no_passes() {
        let program = Program::parse("v_mul_lo_u32 v1, v2, v3\ns_endpgm").unwrap();
        let mut counts = Counts::new(&program);
        counts.issue(0, 0xff);
        assert_eq!(counts.totals(&program, 64).vector_passes, 4);
        counts.issue(0, 1 << 40 | 1);
        assert_eq!(counts.totals(&program, 64).vector_passes, 12);
        counts.issue(0, 0);
        let totals = counts.totals(&program, 64);
        assert_eq!((totals.vector_passes, totals.lanes), (16, 10));
    }
}
