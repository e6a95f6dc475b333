//! Vector instructions: the same for every lane that takes part, and those that carry values from lane to lane.

use crate::assembly::{EXEC, Line, Operand, VCC};
use crate::lane_functions::{comparison, one, saturating, three, two};
use crate::permute::{Dpp, permlane};
use crate::wave::{LANES, Lanes, Wave};

/// A vector instruction.
#[derive(Debug, Clone)]
pub struct Vector {
    op: Op,
    /// A vector register, or a scalar one if that is what it writes.
    to: usize,
    from: Vec<Source>,
    /// Which part of the destination is written, and what happens to the rest.
    part: Part,
    rest: Rest,
    dpp: Option<Dpp>,
}

/// What a lane reads.
#[derive(Debug, Clone, Copy)]
struct Source {
    operand: Operand,
    part: Part,
    signed: bool,
}

/// A part of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Part {
    first: u32,
    width: u32,
}

const WHOLE: Part = Part {
    first: 0,
    width: 32,
};

/// What becomes of the rest of a destination of which a part is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rest {
    Zero,
    Sign,
    Stays,
}

#[derive(Debug, Clone, Copy)]
enum Op {
    One(fn(u32) -> u32),
    Two(fn(u32, u32) -> u32),
    Three(fn(u32, u32, u32) -> u32),
    /// The product of two words and a sum of two.
    MultiplyAdd64(usize),
    /// Shifts of two words.
    Shift64(fn(u64, u32) -> u64),
    /// A mask of lanes.
    Compare(fn(u32, u32) -> bool),
    /// The same for 64 bits.
    Compare64(fn(u64, u64) -> bool),
    /// The second where the mask has the lane, otherwise the first.
    Select(usize),
    /// A sum or difference, with a mask of those lanes that carry.
    Carry {
        of: fn(i64, i64) -> i64,
        out: usize,
        /// A mask to begin with, and its sign.
        with: Option<(usize, i64)>,
    },
    /// Lanes before this one in the lower or higher half of a mask.
    CountBefore {
        high: bool,
    },
    ReadFirstLane,
    ReadLane,
    WriteLane,
    Swap,
    /// Any lane of the own or of the other row of 16.
    Permlane {
        other_row: bool,
        inactive: bool,
    },
}

impl Vector {
    /// The instruction of this line; nothing if it is none of these.
    pub fn decode(line: &Line) -> Result<Option<Self>, String> {
        let Some(name) = line.name.strip_prefix("v_") else {
            return Ok(None);
        };
        let (name, encoding) = match name.rsplit_once('_') {
            Some((stem, kind @ ("e32" | "e64" | "dpp" | "sdwa" | "dpp8"))) => (stem, kind),
            _ => (name, ""),
        };
        let (op, to, first) = match parse_op(line, name)? {
            Some(found) => found,
            None => return Ok(None),
        };
        let mut from = Vec::new();
        for at in first..first + op.sources() {
            let (operand, signed) = read(line, at, encoding == "sdwa")?;
            from.push(Source {
                operand,
                part: WHOLE,
                signed,
            });
        }
        let mut vector = Self {
            op,
            to,
            from,
            part: WHOLE,
            rest: Rest::Zero,
            dpp: None,
        };
        match encoding {
            "sdwa" => vector.select_parts(line)?,
            "dpp" | "dpp8" => vector.dpp = Some(Dpp::decode(line)?),
            "e64" if line.has("clamp") => {
                line.only(&["clamp"])?;
                let saturating = saturating(name);
                vector.op = Op::Two(saturating.ok_or_else(|| line.error("clamp is unknown here"))?);
            }
            _ if matches!(op, Op::Permlane { .. }) => line.only(&["op_sel"])?,
            _ => line.only(&[])?,
        }
        Ok(Some(vector))
    }

    /// Reads which bytes or halves of words an SDWA instruction works on.
    fn select_parts(&mut self, line: &Line) -> Result<(), String> {
        line.only(&["dst_sel", "dst_unused", "src0_sel", "src1_sel"])?;
        for (at, name) in ["src0_sel", "src1_sel"].into_iter().enumerate() {
            let Some(source) = self.from.get_mut(at) else {
                continue;
            };
            source.part = part(line, name)?;
        }
        self.part = part(line, "dst_sel")?;
        self.rest = match line.value("dst_unused") {
            None | Some("UNUSED_PAD") => Rest::Zero,
            Some("UNUSED_SEXT") => Rest::Sign,
            Some("UNUSED_PRESERVE") => Rest::Stays,
            Some(_) => return Err(line.error("the rest of the destination is unclear")),
        };
        Ok(())
    }

    /// Carries it out.
    pub fn execute(&self, wave: &mut Wave) {
        let exec = wave.exec();
        match self.op {
            Op::One(f) => {
                let a = self.lanes(wave, 0);
                self.write(wave, |lane| f(a[lane]));
            }
            Op::Two(f) => {
                let (a, b) = (self.lanes(wave, 0), self.lanes(wave, 1));
                self.write(wave, |lane| f(a[lane], b[lane]));
            }
            Op::Three(f) => {
                let (a, b) = (self.lanes(wave, 0), self.lanes(wave, 1));
                let c = self.lanes(wave, 2);
                self.write(wave, |lane| f(a[lane], b[lane], c[lane]));
            }
            Op::MultiplyAdd64(out) => {
                let (a, b) = (self.lanes(wave, 0), self.lanes(wave, 1));
                let c = self.longs(wave, 2);
                let mut carries = 0;
                for lane in set_bits(exec) {
                    let product = u64::from(a[lane]) * u64::from(b[lane]);
                    let (sum, carry) = product.overflowing_add(c[lane]);
                    wave.vectors[self.to][lane] = sum as u32;
                    wave.vectors[self.to + 1][lane] = (sum >> 32) as u32;
                    carries |= u64::from(carry) << lane;
                }
                wave.set_mask(out, carries);
            }
            Op::Shift64(f) => {
                let (by, value) = (self.lanes(wave, 0), self.longs(wave, 1));
                for lane in set_bits(exec) {
                    let shifted = f(value[lane], by[lane]);
                    wave.vectors[self.to][lane] = shifted as u32;
                    wave.vectors[self.to + 1][lane] = (shifted >> 32) as u32;
                }
            }
            Op::Compare(f) => {
                let (a, b) = (self.lanes(wave, 0), self.lanes(wave, 1));
                wave.set_mask(self.to, mask_of(exec, |lane| f(a[lane], b[lane])));
            }
            Op::Compare64(f) => {
                let (a, b) = (self.longs(wave, 0), self.longs(wave, 1));
                wave.set_mask(self.to, mask_of(exec, |lane| f(a[lane], b[lane])));
            }
            Op::Select(mask) => {
                let mask = wave.mask(mask);
                let (a, b) = (self.lanes(wave, 0), self.lanes(wave, 1));
                let chosen = |lane: usize| {
                    if mask >> lane & 1 == 1 {
                        b[lane]
                    } else {
                        a[lane]
                    }
                };
                self.write(wave, chosen);
            }
            Op::Carry { of, out, with } => {
                let (a, b) = (self.lanes(wave, 0), self.lanes(wave, 1));
                let (mask, sign) = with.map_or((0, 0), |(mask, sign)| (wave.mask(mask), sign));
                let wide = |lane: usize| {
                    let begin = sign * (mask >> lane & 1) as i64;
                    of(i64::from(a[lane]), i64::from(b[lane])) + begin
                };
                let carries = mask_of(exec, |lane| !(0..1 << 32).contains(&wide(lane)));
                self.write(wave, |lane| wide(lane) as u32);
                wave.set_mask(out, carries);
            }
            Op::CountBefore { high } => {
                let (mask, more) = (self.lanes(wave, 0), self.lanes(wave, 1));
                self.write(wave, |lane| {
                    let before = if high {
                        lane.max(32) - 32
                    } else {
                        lane.min(32)
                    };
                    let lanes = (1u64 << before) - 1;
                    let counted = (u64::from(mask[lane]) & lanes).count_ones();
                    counted.wrapping_add(more[lane])
                });
            }
            Op::ReadFirstLane => {
                let lane = exec.trailing_zeros() as usize % LANES;
                let value = self.lanes(wave, 0)[lane];
                wave.set_scalar(self.to, value);
            }
            Op::ReadLane => {
                let lane = wave.word(self.from[1].operand) as usize % wave.lanes;
                let value = self.lanes(wave, 0)[lane];
                wave.set_scalar(self.to, value);
            }
            Op::WriteLane => {
                let lane = wave.word(self.from[1].operand) as usize % wave.lanes;
                wave.vectors[self.to][lane] = wave.word(self.from[0].operand);
            }
            Op::Swap => {
                let a = wave.vectors[self.to];
                let b = self.lanes(wave, 0);
                self.write(wave, |lane| b[lane]);
                if let Operand::Vector(other) = self.from[0].operand {
                    for lane in set_bits(exec) {
                        wave.vectors[other][lane] = a[lane];
                    }
                }
            }
            Op::Permlane {
                other_row,
                inactive,
            } => {
                let value = self.lanes(wave, 0);
                let low = wave.word(self.from[1].operand);
                let high = wave.word(self.from[2].operand);
                let select = u64::from(high) << 32 | u64::from(low);
                for lane in set_bits(exec) {
                    let source = permlane(lane, select, other_row);
                    // Lanes that take no part have nothing to give, unless they are asked all the same.
                    if inactive || exec >> source & 1 == 1 {
                        wave.vectors[self.to][lane] = value[source];
                    }
                }
            }
        }
    }

    /// What every lane reads as its source of that number.
    fn lanes(&self, wave: &Wave, at: usize) -> Lanes {
        let source = self.from[at];
        let mut lanes = wave.read_lanes(source.operand);
        if at == 0
            && let Some(dpp) = &self.dpp
        {
            lanes = dpp.apply(&lanes, wave.exec());
        }
        if source.part != WHOLE {
            let Part { first, width } = source.part;
            let above = 32 - first - width;
            lanes = match source.signed {
                true => lanes.map(|word| ((word << above) as i32 >> (32 - width)) as u32),
                false => lanes.map(|word| word << above >> (32 - width)),
            };
        }
        lanes
    }

    /// The same of two registers.
    fn longs(&self, wave: &Wave, at: usize) -> [u64; LANES] {
        match self.from[at].operand {
            Operand::Vector(register) => {
                let (low, high) = (&wave.vectors[register], &wave.vectors[register + 1]);
                std::array::from_fn(|lane| u64::from(high[lane]) << 32 | u64::from(low[lane]))
            }
            other => [wave.long(other); LANES],
        }
    }

    /// Writes what is made for each lane that takes part.
    fn write(&self, wave: &mut Wave, value: impl Fn(usize) -> u32) {
        let mut written = wave.exec();
        if let Some(dpp) = &self.dpp {
            written &= dpp.written(written);
        }
        let to = &mut wave.vectors[self.to];
        for lane in set_bits(written) {
            let new = value(lane);
            to[lane] = match self.part {
                WHOLE => new,
                Part { first, width } => {
                    let mask = ((1 << width) - 1) << first;
                    let part = new << first & mask;
                    match self.rest {
                        Rest::Zero => part,
                        Rest::Sign => {
                            let above = 32 - first - width;
                            ((part << above) as i32 >> above) as u32
                        }
                        Rest::Stays => part | to[lane] & !mask,
                    }
                }
            };
        }
    }
}

impl Op {
    /// How many operands it reads.
    fn sources(self) -> usize {
        match self {
            Op::One(_) | Op::ReadFirstLane | Op::Swap => 1,
            Op::Three(_) | Op::MultiplyAdd64(_) | Op::Permlane { .. } => 3,
            _ => 2,
        }
    }
}

/// What an instruction is, what it writes, and the first operand that it reads.
fn parse_op(line: &Line, name: &str) -> Result<Option<(Op, usize, usize)>, String> {
    if let Some(f) = one(name) {
        return Ok(Some((Op::One(f), line.vector(0)?, 1)));
    }
    if let Some(f) = two(name) {
        return Ok(Some((Op::Two(f), line.vector(0)?, 1)));
    }
    if let Some(f) = three(name) {
        return Ok(Some((Op::Three(f), line.vector(0)?, 1)));
    }
    if let Some(comparison) = name.strip_prefix("cmpx_") {
        // The mask is who takes part from then on; some disassemblers name it.
        let first = line.operands.len() - 2;
        return Ok(compare(comparison).map(|op| (op, EXEC, first)));
    }
    if let Some(comparison) = name.strip_prefix("cmp_") {
        let to = match line.operands.len() {
            3 => line.scalar(0)?,
            _ => VCC,
        };
        let first = line.operands.len() - 2;
        return Ok(compare(comparison).map(|op| (op, to, first)));
    }
    let mask = |at: usize| match line.operands.len() > at {
        true => line.scalar(at),
        false => Ok(VCC),
    };
    let carry = |of, with| Op::Carry { of, out: VCC, with };
    let (op, first) = match name {
        "mad_u64_u32" => (Op::MultiplyAdd64(line.scalar(1)?), 2),
        "lshlrev_b64" => (Op::Shift64(|value, by| value << (by & 63)), 1),
        "lshrrev_b64" => (Op::Shift64(|value, by| value >> (by & 63)), 1),
        "ashrrev_i64" => (
            Op::Shift64(|value, by| (value as i64 >> (by & 63)) as u64),
            1,
        ),
        "cndmask_b32" => (Op::Select(mask(3)?), 1),
        "add_co_u32" => (carry(|a, b| a + b, None), 2),
        "sub_co_u32" => (carry(|a, b| a - b, None), 2),
        "subrev_co_u32" => (carry(|a, b| b - a, None), 2),
        "add_co_ci_u32" => (carry(|a, b| a + b, Some((mask(4)?, 1))), 2),
        "sub_co_ci_u32" => (carry(|a, b| a - b, Some((mask(4)?, -1))), 2),
        "subrev_co_ci_u32" => (carry(|a, b| b - a, Some((mask(4)?, -1))), 2),
        "mbcnt_lo_u32_b32" => (Op::CountBefore { high: false }, 1),
        "mbcnt_hi_u32_b32" => (Op::CountBefore { high: true }, 1),
        "readfirstlane_b32" => return Ok(Some((Op::ReadFirstLane, line.scalar(0)?, 1))),
        "readlane_b32" => return Ok(Some((Op::ReadLane, line.scalar(0)?, 1))),
        "writelane_b32" => (Op::WriteLane, 1),
        "swap_b32" => (Op::Swap, 1),
        "permlane16_b32" | "permlanex16_b32" => {
            let op = Op::Permlane {
                other_row: name == "permlanex16_b32",
                inactive: line.value("op_sel").is_some_and(|it| it.starts_with("[1")),
            };
            (op, 1)
        }
        _ => return Ok(None),
    };
    let op = match op {
        Op::Carry { of, with, .. } => Op::Carry {
            of,
            out: line.scalar(1)?,
            with,
        },
        other => other,
    };
    Ok(Some((op, line.vector(0)?, first)))
}

fn compare(name: &str) -> Option<Op> {
    Some(match name {
        "eq_u64" => Op::Compare64(|a, b| a == b),
        "ne_u64" => Op::Compare64(|a, b| a != b),
        "lt_u64" => Op::Compare64(|a, b| a < b),
        "gt_u64" => Op::Compare64(|a, b| a > b),
        "le_u64" => Op::Compare64(|a, b| a <= b),
        "ge_u64" => Op::Compare64(|a, b| a >= b),
        name => Op::Compare(comparison(name)?),
    })
}

/// What a lane reads, and whether its sign fills the word.
fn read(line: &Line, at: usize, may_be_signed: bool) -> Result<(Operand, bool), String> {
    let text = line.operands.get(at).map_or("", String::as_str);
    let inner = text
        .strip_prefix("sext(")
        .and_then(|it| it.strip_suffix(')'));
    match inner.filter(|_| may_be_signed) {
        None => Ok((line.operand(at)?, false)),
        Some(inner) => {
            let alone = Line::parse(&format!("{} {inner}", line.name))?;
            Ok((
                alone
                    .operand(0)
                    .map_err(|_| line.error("an operand is unclear"))?,
                true,
            ))
        }
    }
}

/// The part of a word that a modifier names.
fn part(line: &Line, modifier: &str) -> Result<Part, String> {
    let found = match line.value(modifier) {
        None | Some("DWORD") => Some(WHOLE),
        Some(text) => {
            let number = |text: &str| text.parse().ok();
            let word = text.strip_prefix("WORD_").and_then(number);
            let byte = text.strip_prefix("BYTE_").and_then(number);
            let word = word.filter(|at: &u32| *at < 2).map(|at| (16 * at, 16));
            let byte = byte.filter(|at: &u32| *at < 4).map(|at| (8 * at, 8));
            word.or(byte).map(|(first, width)| Part { first, width })
        }
    };
    found.ok_or_else(|| line.error(&format!("{modifier} is no part of a word")))
}

/// The lanes of a mask.
pub fn set_bits(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros() as usize;
        (mask != 0).then(|| {
            mask &= mask - 1;
            lane
        })
    })
}

/// The lanes of those that take part for which something holds.
fn mask_of(exec: u64, holds: impl Fn(usize) -> bool) -> u64 {
    set_bits(exec)
        .filter(|&lane| holds(lane))
        .map(|lane| 1 << lane)
        .sum()
}

#[cfg(test)]
#[path = "vector_tests.rs"]
mod tests;
