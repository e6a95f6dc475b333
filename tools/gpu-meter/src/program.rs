//! A program whose instructions are decoded once, before they run many times.

use crate::assembly::{Line, Listing};
use crate::lds::Lds;
use crate::memory::{BufferAccess, ScalarLoad, ScratchAccess};
use crate::scalar::Scalar;
use crate::vector::Vector;

/// A decoded program.
#[derive(Debug)]
pub struct Program {
    /// Its instructions.
    pub instructions: Vec<Instruction>,
    /// The first instruction of each block that is entered and left as a whole, ascending.
    pub blocks: Vec<usize>,
    /// Its words, with constants behind the code.
    pub words: Vec<u32>,
    /// Where these are in memory.
    pub base: u32,
    lines: Vec<Line>,
}

/// A decoded instruction.
#[derive(Debug)]
pub struct Instruction {
    /// What it does.
    pub action: Action,
    /// What it is counted as.
    pub class: Class,
}

/// What an instruction does.
#[derive(Debug)]
pub enum Action {
    /// See [`Scalar`].
    Scalar(Scalar),
    /// See [`Vector`].
    Vector(Vector),
    /// See [`Lds`].
    Lds(Lds),
    /// See [`ScalarLoad`].
    Load(ScalarLoad),
    /// See [`BufferAccess`].
    Buffer(BufferAccess),
    /// See [`ScratchAccess`].
    Scratch(ScratchAccess),
    /// Goes on elsewhere.
    Jump(usize),
    /// The same on a condition.
    JumpIf(Condition, usize),
    /// The address of the next instruction.
    ReadAddress(usize),
    /// Goes on at an address.
    JumpTo(usize),
    /// Waits for the other waves.
    Barrier,
    /// The end.
    End,
    /// Waits for results, which are always there in an emulator.
    Nothing,
    /// Data behind the code, or what the driver's disassembler does not know: an error if a wave comes here.
    Undecoded,
}

/// What a jump depends on.
#[derive(Debug, Clone, Copy)]
pub enum Condition {
    /// What scalar instructions leave behind.
    Scc(bool),
    /// Whether any lane takes part.
    Exec(bool),
    /// Whether the mask of comparisons has any lane.
    Vcc(bool),
}

/// Classes of instructions that are counted on their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Vector arithmetic at full rate.
    Vector,
    /// Vector arithmetic at a quarter of it: products of 32 bits, reciprocals.
    SlowVector,
    /// Scalar arithmetic.
    Scalar,
    /// Loads to scalar registers.
    ScalarLoad,
    /// Workgroup memory.
    Lds,
    /// Buffers.
    Memory,
    /// Memory of a lane.
    Scratch,
    /// Jumps.
    Branch,
    /// Waiting and hints, which are not counted.
    Wait,
}

impl Program {
    /// Decodes a text. An instruction that is not known is an error.
    pub fn parse(text: &str) -> Result<Self, String> {
        let listing = Listing::parse(text)?;
        let mut instructions = Vec::new();
        let data = data_at(&listing);
        for (at, line) in listing.lines.iter().enumerate() {
            let instruction = match at >= data {
                true => Ok(Instruction {
                    action: Action::Undecoded,
                    class: Class::Wait,
                }),
                false => decode(&listing, line),
            };
            instructions.push(
                instruction.map_err(|error| match error.contains(&line.text) {
                    true => error,
                    false => line.error(&error),
                })?,
            );
        }
        let mut blocks: Vec<usize> = listing.labels.values().copied().collect();
        let jumps = instructions.iter().enumerate();
        let jumps = jumps.filter(|(_, it)| it.class == Class::Branch);
        blocks.extend(jumps.map(|(at, _)| at + 1));
        blocks.push(0);
        blocks.sort_unstable();
        blocks.dedup();
        blocks.retain(|&at| at < instructions.len());
        Ok(Self {
            instructions,
            blocks,
            words: listing.words,
            base: 0,
            lines: listing.lines,
        })
    }

    /// An instruction as it is written.
    pub fn line(&self, at: usize) -> &Line {
        &self.lines[at]
    }

    /// Says what went wrong where.
    pub fn error(&self, at: usize, what: &str) -> String {
        format!("instruction {at}: {}", self.lines[at].error(what))
    }

    /// Where an instruction is in memory.
    pub fn address(&self, at: usize) -> u32 {
        self.base + self.lines.get(at).map_or(0, |line| line.address)
    }

    /// The instruction at an address.
    pub fn at_address(&self, address: u32) -> Result<usize, String> {
        let offset = address.wrapping_sub(self.base);
        let found = self
            .lines
            .binary_search_by_key(&offset, |line| line.address);
        found.map_err(|_| format!("there is no instruction at address {address}"))
    }
}

/// The first line behind the code: after its end, and after every label. Constants are there, which a disassembler takes
/// for instructions.
fn data_at(listing: &Listing) -> usize {
    let last_label = listing.labels.values().max().copied().unwrap_or(0);
    let is_end = |line: &Line| line.name == "s_endpgm";
    let end = listing.lines[last_label..].iter().position(is_end);
    end.map_or(listing.lines.len(), |end| last_label + end + 1)
}

fn decode(listing: &Listing, line: &Line) -> Result<Instruction, String> {
    let (action, class) = control(listing, line)?
        .map_or_else(|| data(line), |(action, class)| Ok((action, class)))?;
    Ok(Instruction { action, class })
}

/// Instructions that say what comes next.
fn control(listing: &Listing, line: &Line) -> Result<Option<(Action, Class)>, String> {
    let target = || match line.operands.first() {
        Some(label) => listing.target(label),
        None => Err("the label is missing".to_owned()),
    };
    let condition = match line.name.as_str() {
        "s_branch" => return Ok(Some((Action::Jump(target()?), Class::Branch))),
        "s_getpc_b64" => {
            let action = Action::ReadAddress(line.scalar(0)?);
            return Ok(Some((action, Class::Scalar)));
        }
        "s_setpc_b64" => {
            let action = Action::JumpTo(line.scalar(0)?);
            return Ok(Some((action, Class::Branch)));
        }
        "(invalid" => return Ok(Some((Action::Undecoded, Class::Wait))),
        "s_barrier" => return Ok(Some((Action::Barrier, Class::Wait))),
        "s_endpgm" => return Ok(Some((Action::End, Class::Wait))),
        "s_waitcnt" | "s_waitcnt_vscnt" | "s_waitcnt_depctr" | "s_waitcnt_lgkmcnt" | "s_clause"
        | "s_nop" | "s_inst_prefetch" | "s_code_end" => {
            return Ok(Some((Action::Nothing, Class::Wait)));
        }
        "s_cbranch_scc0" => Condition::Scc(false),
        "s_cbranch_scc1" => Condition::Scc(true),
        "s_cbranch_execz" => Condition::Exec(false),
        "s_cbranch_execnz" => Condition::Exec(true),
        "s_cbranch_vccz" => Condition::Vcc(false),
        "s_cbranch_vccnz" => Condition::Vcc(true),
        _ => return Ok(None),
    };
    Ok(Some((Action::JumpIf(condition, target()?), Class::Branch)))
}

/// Instructions that work on data.
fn data(line: &Line) -> Result<(Action, Class), String> {
    if let Some(load) = ScalarLoad::decode(line)? {
        return Ok((Action::Load(load), Class::ScalarLoad));
    }
    if let Some(scalar) = Scalar::decode(line)? {
        return Ok((Action::Scalar(scalar), Class::Scalar));
    }
    if let Some(vector) = Vector::decode(line)? {
        let slow = ["v_mul_lo_u32", "v_mul_hi_i32", "v_rcp_", "v_mad_u64_"];
        let is_slow = slow.iter().any(|name| line.name.starts_with(name));
        let is_slow = is_slow || ["v_mul_hi_u32", "v_mul_hi_u32_e64"].contains(&line.name.as_str());
        let class = if is_slow {
            Class::SlowVector
        } else {
            Class::Vector
        };
        return Ok((Action::Vector(vector), class));
    }
    if let Some(lds) = Lds::decode(line)? {
        return Ok((Action::Lds(lds), Class::Lds));
    }
    if let Some(access) = BufferAccess::decode(line)? {
        return Ok((Action::Buffer(access), Class::Memory));
    }
    if let Some(access) = ScratchAccess::decode(line)? {
        return Ok((Action::Scratch(access), Class::Scratch));
    }
    Err(line.error("this instruction is unknown"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_instructions_and_labels_are_errors_with_their_line() {
        for text in [
            "v_dance_b32 v1, v2",
            "s_branch BB9",
            "v_add_nc_u32_e32 v1, v2, v3 clamp",
            "v_add_nc_u32_e32 v1, v2",
            "s_add_u32 s0, v1, s2",
            "buffer_load_dword v1, v2, s[4:7], 0 idxen",
            "v_mov_b32_dpp v1, v2 row_dance:1",
        ] {
            let error = Program::parse(text).unwrap_err();
            assert!(error.contains(text), "{error}");
        }
    }

    #[test]
    fn blocks_begin_at_labels_and_behind_jumps() {
        let text = "s_nop 0\ns_cbranch_scc0 BB1\ns_nop 0\nBB1:\ns_nop 0\ns_endpgm";
        assert_eq!(Program::parse(text).unwrap().blocks, [0, 2, 3]);
    }

    #[test]
    fn products_of_32_bits_are_slow() {
        let class = |text: &str| Program::parse(text).unwrap().instructions[0].class;
        assert_eq!(class("v_mul_lo_u32 v1, v2, v3"), Class::SlowVector);
        assert_eq!(class("v_mul_hi_u32 v1, v2, v3"), Class::SlowVector);
        assert_eq!(class("v_mul_u32_u24_e32 v1, v2, v3"), Class::Vector);
        assert_eq!(class("v_mul_hi_u32_u24_e32 v1, v2, v3"), Class::Vector);
        assert_eq!(class("v_mul_lo_u16 v1, v2, v3"), Class::Vector);
    }
}
