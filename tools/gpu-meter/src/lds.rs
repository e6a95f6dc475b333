//! Instructions of workgroup memory (LDS), and those that use its crossbar to carry values from lane to lane.

use crate::assembly::{Line, Operand};
use crate::permute::swizzle;
use crate::vector::set_bits;
use crate::wave::{LANES, Wave};

/// An LDS instruction.
#[derive(Debug, Clone)]
pub struct Lds {
    op: Op,
    /// The register that is written, if any.
    to: usize,
    /// Where lanes have addresses, in bytes.
    address: Operand,
    /// What they write or give.
    data: [Operand; 2],
    /// What is added to addresses.
    offsets: [u32; 2],
}

#[derive(Debug, Clone)]
enum Op {
    /// So many words from one place.
    Read(usize),
    Write(usize),
    /// So many words from each of two places.
    ReadTwo(usize),
    WriteTwo(usize),
    /// A part of a word: bits, and whether they have a sign.
    ReadPart(u32, bool),
    WritePart(u32),
    Atomic(fn(u32, u32) -> u32, bool),
    /// Each lane reads that whose number it has, within halves of a wave.
    Gather,
    /// Each lane writes that whose number it has.
    Scatter,
    Swizzle(Box<[usize; LANES]>),
}

/// What an atomic instruction makes of what is there and of what a lane has.
pub fn atomic(name: &str) -> Option<fn(u32, u32) -> u32> {
    Some(match name {
        "add" => u32::wrapping_add,
        "sub" => u32::wrapping_sub,
        "umin" => u32::min,
        "umax" => u32::max,
        "smin" => |a, b| (a as i32).min(b as i32) as u32,
        "smax" => |a, b| (a as i32).max(b as i32) as u32,
        "and" => |a, b| a & b,
        "or" => |a, b| a | b,
        "xor" => |a, b| a ^ b,
        "swap" => |_, b| b,
        _ => return None,
    })
}

impl Lds {
    /// The instruction of this line; nothing if it is none of these.
    pub fn decode(line: &Line) -> Result<Option<Self>, String> {
        let Some(name) = line.name.strip_prefix("ds_") else {
            return Ok(None);
        };
        let nobody = Operand::Literal(0);
        let mut lds = Self {
            op: Op::Gather,
            to: 0,
            address: nobody,
            data: [nobody; 2],
            offsets: [0; 2],
        };
        if name == "swizzle_b32" {
            lds.op = Op::Swizzle(swizzle(line)?.into());
            (lds.to, lds.data[0]) = (line.vector(0)?, line.operand(1)?);
            return Ok(Some(lds));
        }
        let Some(op) = op(name) else {
            return Ok(None);
        };
        line.only(&["offset", "offset0", "offset1"])?;
        let scale = match &op {
            Op::ReadTwo(words) | Op::WriteTwo(words) => {
                let far = if name.contains("st64") { 64 } else { 1 };
                4 * *words as u32 * far
            }
            _ => 1,
        };
        lds.offsets = match &op {
            Op::ReadTwo(_) | Op::WriteTwo(_) => [
                line.number("offset0")? * scale,
                line.number("offset1")? * scale,
            ],
            _ => [line.number("offset")?, 0],
        };
        match &op {
            Op::Read(_) | Op::ReadTwo(_) | Op::ReadPart(..) => {
                (lds.to, lds.address) = (line.vector(0)?, line.operand(1)?);
            }
            Op::Gather | Op::Scatter | Op::Atomic(_, true) => {
                (lds.to, lds.address) = (line.vector(0)?, line.operand(1)?);
                lds.data[0] = line.operand(2)?;
            }
            _ => {
                (lds.address, lds.data[0]) = (line.operand(0)?, line.operand(1)?);
                if let Op::WriteTwo(_) = op {
                    lds.data[1] = line.operand(2)?;
                }
            }
        }
        lds.op = op;
        Ok(Some(lds))
    }

    /// Carries it out on the memory of the workgroup.
    pub fn execute(&self, wave: &mut Wave, memory: &mut [u32]) -> Result<(), String> {
        let exec = wave.exec();
        let addresses = wave.read_lanes(self.address);
        let [first, second] = self.offsets;
        let at = |lane: usize, offset: u32| addresses[lane].wrapping_add(offset);
        let length = 4 * memory.len() as u32;
        let place = |address: u32, words: usize| {
            let last = address.wrapping_add(4 * words as u32);
            match address % 4 == 0 && last <= length && address < last {
                true => Ok(address as usize / 4),
                false => Err(format!("address {address} is not in workgroup memory")),
            }
        };
        match &self.op {
            Op::Read(words) => {
                for lane in set_bits(exec) {
                    let from = place(at(lane, first), *words)?;
                    for word in 0..*words {
                        wave.vectors[self.to + word][lane] = memory[from + word];
                    }
                }
            }
            Op::ReadTwo(words) => {
                for lane in set_bits(exec) {
                    for (half, offset) in [first, second].into_iter().enumerate() {
                        let from = place(at(lane, offset), *words)?;
                        for word in 0..*words {
                            wave.vectors[self.to + half * words + word][lane] = memory[from + word];
                        }
                    }
                }
            }
            Op::Write(words) => self.store(wave, self.data[0], *words, |lane, word, value| {
                memory[place(at(lane, first), *words)? + word] = value;
                Ok(())
            })?,
            Op::WriteTwo(words) => {
                for (data, offset) in self.data.into_iter().zip([first, second]) {
                    self.store(wave, data, *words, |lane, word, value| {
                        memory[place(at(lane, offset), *words)? + word] = value;
                        Ok(())
                    })?;
                }
            }
            Op::ReadPart(bits, signed) => {
                for lane in set_bits(exec) {
                    let address = at(lane, first);
                    let word = memory[place(address & !3, 1)?] >> (8 * (address & 3));
                    let above = 32 - bits;
                    wave.vectors[self.to][lane] = match signed {
                        true => ((word << above) as i32 >> above) as u32,
                        false => word << above >> above,
                    };
                }
            }
            Op::WritePart(bits) => self.store(wave, self.data[0], 1, |lane, _, value| {
                let address = at(lane, first);
                let to = &mut memory[place(address & !3, 1)?];
                let mask = (1 << bits) - 1;
                let shift = 8 * (address & 3);
                *to = *to & !(mask << shift) | (value & mask) << shift;
                Ok(())
            })?,
            Op::Atomic(f, returns) => {
                let data = wave.read_lanes(self.data[0]);
                for lane in set_bits(exec) {
                    let word = &mut memory[place(at(lane, first), 1)?];
                    let old = *word;
                    *word = f(old, data[lane]);
                    if *returns {
                        wave.vectors[self.to][lane] = old;
                    }
                }
            }
            Op::Gather => {
                let data = wave.read_lanes(self.data[0]);
                for lane in set_bits(exec) {
                    // Of a wave of 64 lanes each half has its own crossbar.
                    let from = lane & !31 | at(lane, first) as usize / 4 & 31;
                    let is_active = exec >> from & 1 == 1;
                    wave.vectors[self.to][lane] = if is_active { data[from] } else { 0 };
                }
            }
            Op::Scatter => {
                let data = wave.read_lanes(self.data[0]);
                let mut made = [0; LANES];
                for lane in set_bits(exec) {
                    made[lane & !31 | at(lane, first) as usize / 4 & 31] = data[lane];
                }
                for lane in set_bits(exec) {
                    wave.vectors[self.to][lane] = made[lane];
                }
            }
            Op::Swizzle(sources) => {
                let data = wave.read_lanes(self.data[0]);
                for lane in set_bits(exec) {
                    let from = sources[lane];
                    let is_active = exec >> from & 1 == 1;
                    wave.vectors[self.to][lane] = if is_active { data[from] } else { 0 };
                }
            }
        }
        Ok(())
    }

    /// Has every word of every lane that takes part stored.
    fn store(
        &self,
        wave: &Wave,
        data: Operand,
        words: usize,
        mut store: impl FnMut(usize, usize, u32) -> Result<(), String>,
    ) -> Result<(), String> {
        for word in 0..words {
            let values = wave.read_lanes(data.next(word));
            for lane in set_bits(wave.exec()) {
                store(lane, word, values[lane])?;
            }
        }
        Ok(())
    }
}

fn op(name: &str) -> Option<Op> {
    Some(match name {
        "read_b32" => Op::Read(1),
        "read_b64" => Op::Read(2),
        "read_b96" => Op::Read(3),
        "read_b128" => Op::Read(4),
        "write_b32" => Op::Write(1),
        "write_b64" => Op::Write(2),
        "write_b96" => Op::Write(3),
        "write_b128" => Op::Write(4),
        "read2_b32" | "read2st64_b32" => Op::ReadTwo(1),
        "read2_b64" | "read2st64_b64" => Op::ReadTwo(2),
        "write2_b32" | "write2st64_b32" => Op::WriteTwo(1),
        "write2_b64" | "write2st64_b64" => Op::WriteTwo(2),
        "read_u8" => Op::ReadPart(8, false),
        "read_i8" => Op::ReadPart(8, true),
        "read_u16" => Op::ReadPart(16, false),
        "read_i16" => Op::ReadPart(16, true),
        "write_b8" => Op::WritePart(8),
        "write_b16" => Op::WritePart(16),
        "bpermute_b32" => Op::Gather,
        "permute_b32" => Op::Scatter,
        _ => {
            let stem = name.strip_suffix("_u32").or(name.strip_suffix("_b32"));
            let (stem, signed) = match name.strip_suffix("_i32") {
                Some(stem) => (stem, true),
                None => (stem?, false),
            };
            let (stem, returns) = match stem.strip_suffix("_rtn") {
                Some(stem) => (stem, true),
                None => (stem, false),
            };
            let function = match (stem, signed) {
                ("min", false) => "umin",
                ("max", false) => "umax",
                ("min", true) => "smin",
                ("max", true) => "smax",
                ("wrxchg", _) => "swap",
                (other, _) => other,
            };
            Op::Atomic(atomic(function)?, returns)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wave::tests::wave;

    /// Runs instructions in a memory of 64 words, of which word n is 100 + n.
    fn run(text: &str) -> (Wave, Vec<u32>) {
        let mut wave = wave(64);
        wave.vectors[0] = std::array::from_fn(|lane| 4 * (lane as u32 % 16));
        wave.vectors[1] = std::array::from_fn(|lane| lane as u32);
        wave.vectors[2] = std::array::from_fn(|lane| 1000 + lane as u32);
        let mut memory: Vec<u32> = (100..164).collect();
        for line in text.lines() {
            let lds = Lds::decode(&Line::parse(line).unwrap()).unwrap().unwrap();
            lds.execute(&mut wave, &mut memory).unwrap();
        }
        (wave, memory)
    }

    #[test]
    fn words_are_read_and_written() {
        let (wave, _) = run("ds_read_b32 v3, v0 offset:8");
        assert_eq!((wave.vectors[3][0], wave.vectors[3][17]), (102, 103));
        let (wave, _) = run("ds_read2_b32 v[4:5], v0 offset0:1 offset1:3");
        assert_eq!((wave.vectors[4][2], wave.vectors[5][2]), (103, 105));
        let (wave, _) = run("ds_read_b128 v[4:7], v0");
        assert_eq!((wave.vectors[4][5], wave.vectors[7][5]), (105, 108));
        // The last lane that writes to a word wins.
        let (_, memory) = run("ds_write_b32 v0, v1 offset:4");
        assert_eq!(memory[1..4], [48, 49, 50]);
        let (_, memory) = run("ds_write2_b32 v0, v1, v2 offset0:0 offset1:32");
        assert_eq!((memory[1], memory[33]), (49, 1049));
    }

    #[test]
    fn parts_of_words_are_read_and_written() {
        let (wave, _) = run("ds_read_u8 v3, v1");
        assert_eq!((wave.vectors[3][4], wave.vectors[3][5]), (101, 0));
        let (_, memory) = run("ds_write_b8 v1, v2");
        assert_eq!(memory[0], u32::from_le_bytes([232, 233, 234, 235]));
        let (_, memory) = run("ds_write_b8 v1, v1\nds_write_b16 v0, v2 offset:2");
        assert_eq!(memory[1], 0x0419_0504);
    }

    #[test]
    fn atomics_count_every_lane() {
        let (wave, memory) = run("ds_add_rtn_u32 v3, v0, v1 offset:128");
        assert_eq!(memory[33], 133 + 1 + 17 + 33 + 49);
        assert_eq!([wave.vectors[3][1], wave.vectors[3][17]], [133, 134]);
        let (_, memory) = run("ds_max_u32 v0, v2");
        assert_eq!(memory[2], 1050);
        let (_, memory) = run("ds_or_b32 v0, v1");
        assert_eq!(memory[0], 100 | 16 | 32 | 48);
    }

    #[test]
    fn lanes_read_others_within_halves() {
        let (wave, _) = run("ds_bpermute_b32 v3, v0, v1");
        assert_eq!([wave.vectors[3][5], wave.vectors[3][37]], [5, 37]);
        assert_eq!(wave.vectors[3][50], 34);
        let (wave, _) = run("ds_swizzle_b32 v3, v1 offset:swizzle(SWAP,16)");
        assert_eq!([wave.vectors[3][3], wave.vectors[3][20]], [19, 4]);
        let (wave, _) = run("ds_swizzle_b32 v3, v1 offset:swizzle(BITMASK_PERM,\"00pi0\")");
        assert_eq!(wave.vectors[3][5], 0b00110);
    }

    #[test]
    fn what_lies_outside_is_an_error() {
        let line = Line::parse("ds_read_b32 v3, v0 offset:256").unwrap();
        let lds = Lds::decode(&line).unwrap().unwrap();
        assert!(lds.execute(&mut wave(64), &mut [0; 64]).is_err());
        let unknown = Line::parse("ds_read_b32 v3, v0 gds").unwrap();
        assert!(Lds::decode(&unknown).is_err());
        assert!(
            Lds::decode(&Line::parse("ds_consume v0").unwrap())
                .unwrap()
                .is_none()
        );
    }
}
