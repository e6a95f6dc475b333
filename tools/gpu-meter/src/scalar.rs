//! Scalar instructions: arithmetic, comparisons, masks of lanes.

use crate::assembly::{EXEC, Line, Operand};
use crate::wave::Wave;

/// A scalar instruction. Most leave a condition behind.
#[derive(Debug, Clone, Copy)]
pub struct Scalar {
    op: Op,
    to: usize,
    from: [Operand; 2],
}

type Word = (u32, Option<bool>);
type Long = (u64, Option<bool>);

#[derive(Debug, Clone, Copy)]
enum Op {
    /// A word of up to two words and the condition.
    Words(fn(u32, u32, bool) -> Word),
    /// Two words of up to four.
    Longs(fn(u64, u64) -> Long),
    /// A word of two.
    Shortened(fn(u64) -> Word),
    /// A condition of two words.
    Compare(fn(u32, u32) -> bool),
    /// A condition of four words.
    CompareLongs(fn(u64, u64) -> bool),
    /// The first if the condition holds, otherwise the second.
    Select,
    SelectLong,
    /// Moves if the condition holds.
    MoveIf,
    MoveLongIf,
    /// A function of itself and a number.
    Update(fn(u32, u32) -> u32),
    /// Keeps who takes part, and changes it to a function of the mask and of who did.
    SaveExec(fn(u64, u64) -> u64),
    /// Changes who takes part and keeps the outcome.
    WriteExec(fn(u64, u64) -> u64),
    /// The same with a mask of 32 lanes.
    SaveExec32(fn(u64, u64) -> u64),
    WriteExec32(fn(u64, u64) -> u64),
    /// Settings that have no influence on results.
    Nothing,
}

fn plain(value: u32) -> Word {
    (value, None)
}

fn tested(value: u32) -> Word {
    (value, Some(value != 0))
}

fn tested_long(value: u64) -> Long {
    (value, Some(value != 0))
}

fn signed(value: u32) -> i32 {
    value as i32
}

/// The last word of a sum or difference, and whether there is more.
fn carried(wide: i64) -> Word {
    (wide as u32, Some(!(0..1 << 32).contains(&wide)))
}

/// Whether a sum or difference does not fit 32 bits with a sign.
fn overflown(wide: i64) -> Word {
    (wide as u32, Some(i32::try_from(wide).is_err()))
}

fn first_bit(value: u64, width: u32) -> u32 {
    match value.trailing_zeros() {
        zeros if zeros >= width => u32::MAX,
        zeros => zeros,
    }
}

/// Bits from a place on; both are in one word.
fn extract(value: u32, place: u32) -> u32 {
    let (first, width) = (place & 31, place >> 16 & 127);
    let mask = match width {
        32.. => u32::MAX,
        width => (1 << width) - 1,
    };
    (value >> first) & mask
}

fn extract_signed(value: u32, place: u32) -> u32 {
    let width = place >> 16 & 127;
    let bits = extract(value, place);
    match width {
        1..32 => (signed(bits << (32 - width)) >> (32 - width)) as u32,
        _ => bits,
    }
}

impl Scalar {
    /// The instruction of this line; nothing if it is none of these.
    pub fn decode(line: &Line) -> Result<Option<Self>, String> {
        let name = line.name.as_str();
        if let Some(decoded) = Self::with_short(name, line)? {
            return Ok(Some(decoded));
        }
        let Some(op) = op(name) else {
            return Ok(None);
        };
        line.only(&[])?;
        let nobody = Operand::Literal(0);
        let read = |at: usize| match line.operands.len() > at {
            true => line.operand(at),
            false => Ok(nobody),
        };
        let scalar = match op {
            Op::Nothing => Self {
                op,
                to: 0,
                from: [nobody; 2],
            },
            Op::Compare(_) | Op::CompareLongs(_) => Self {
                op,
                to: 0,
                from: [line.operand(0)?, line.operand(1)?],
            },
            Op::Update(_) => Self {
                op,
                to: line.scalar(0)?,
                from: [line.operand(1)?, nobody],
            },
            _ => Self {
                op,
                to: line.scalar(0)?,
                from: [line.operand(1)?, read(2)?],
            },
        };
        let is_vector = |operand: &Operand| matches!(operand, Operand::Vector(_));
        match scalar.from.iter().any(is_vector) {
            true => Err(line.error("a scalar instruction reads a vector register")),
            false => Ok(Some(scalar)),
        }
    }

    /// Those with a number of 16 bits.
    fn with_short(name: &str, line: &Line) -> Result<Option<Self>, String> {
        let op = match name {
            "s_movk_i32" => Op::Update(|_, number| number),
            "s_addk_i32" => {
                Op::Words(|a, b, _| overflown(i64::from(signed(a)) + i64::from(signed(b))))
            }
            "s_mulk_i32" => Op::Update(u32::wrapping_mul),
            "s_cmovk_i32" => Op::MoveIf,
            _ => {
                let Some(compare) = name.strip_prefix("s_cmpk_") else {
                    return Ok(None);
                };
                let Some(compare) = comparison(compare) else {
                    return Ok(None);
                };
                let number = match name.ends_with("u32") {
                    true => line.short(1)? & 0xffff,
                    false => line.short(1)?,
                };
                return Ok(Some(Self {
                    op: Op::Compare(compare),
                    to: 0,
                    from: [line.operand(0)?, Operand::Literal(i64::from(number))],
                }));
            }
        };
        let number = Operand::Literal(i64::from(line.short(1)?));
        let to = line.scalar(0)?;
        let from = match op {
            Op::Words(_) => [Operand::Scalar(to), number],
            _ => [number, number],
        };
        Ok(Some(Self { op, to, from }))
    }

    /// Carries it out.
    pub fn execute(&self, wave: &mut Wave) {
        let [a, b] = self.from;
        match self.op {
            Op::Words(f) => {
                let (value, condition) = f(wave.word(a), wave.word(b), wave.condition);
                wave.set_scalar(self.to, value);
                wave.condition = condition.unwrap_or(wave.condition);
            }
            Op::Longs(f) => {
                let (value, condition) = f(wave.long(a), wave.long(b));
                wave.set_long(self.to, value);
                wave.condition = condition.unwrap_or(wave.condition);
            }
            Op::Shortened(f) => {
                let (value, condition) = f(wave.long(a));
                wave.set_scalar(self.to, value);
                wave.condition = condition.unwrap_or(wave.condition);
            }
            Op::Compare(f) => wave.condition = f(wave.word(a), wave.word(b)),
            Op::CompareLongs(f) => wave.condition = f(wave.long(a), wave.long(b)),
            Op::Select => {
                let value = wave.word(if wave.condition { a } else { b });
                wave.set_scalar(self.to, value);
            }
            Op::SelectLong => {
                let value = wave.long(if wave.condition { a } else { b });
                wave.set_long(self.to, value);
            }
            Op::MoveIf => {
                if wave.condition {
                    wave.set_scalar(self.to, wave.word(a));
                }
            }
            Op::MoveLongIf => {
                if wave.condition {
                    wave.set_long(self.to, wave.long(a));
                }
            }
            Op::Update(f) => {
                let value = f(wave.word(Operand::Scalar(self.to)), wave.word(a));
                wave.set_scalar(self.to, value);
            }
            Op::SaveExec(f) => {
                let (mask, exec) = (wave.long(a), wave.long(Operand::Scalar(EXEC)));
                wave.set_long(self.to, exec);
                wave.set_long(EXEC, f(mask, exec));
                wave.condition = f(mask, exec) != 0;
            }
            Op::WriteExec(f) => {
                let value = f(wave.long(a), wave.long(Operand::Scalar(EXEC)));
                wave.set_long(EXEC, value);
                wave.set_long(self.to, value);
                wave.condition = value != 0;
            }
            Op::SaveExec32(f) => {
                let (mask, exec) = (wave.word(a), wave.word(Operand::Scalar(EXEC)));
                let value = f(mask.into(), exec.into()) as u32;
                wave.set_scalar(self.to, exec);
                wave.set_scalar(EXEC, value);
                wave.condition = value != 0;
            }
            Op::WriteExec32(f) => {
                let exec = wave.word(Operand::Scalar(EXEC));
                let value = f(wave.word(a).into(), exec.into()) as u32;
                wave.set_scalar(EXEC, value);
                wave.set_scalar(self.to, value);
                wave.condition = value != 0;
            }
            Op::Nothing => {}
        }
    }
}

/// The comparison of two words of that name.
fn comparison(name: &str) -> Option<fn(u32, u32) -> bool> {
    Some(match name {
        "eq_u32" | "eq_i32" => |a, b| a == b,
        "lg_u32" | "lg_i32" => |a, b| a != b,
        "lt_u32" => |a, b| a < b,
        "le_u32" => |a, b| a <= b,
        "gt_u32" => |a, b| a > b,
        "ge_u32" => |a, b| a >= b,
        "lt_i32" => |a, b| signed(a) < signed(b),
        "le_i32" => |a, b| signed(a) <= signed(b),
        "gt_i32" => |a, b| signed(a) > signed(b),
        "ge_i32" => |a, b| signed(a) >= signed(b),
        _ => return None,
    })
}

/// What who takes part becomes, of a mask and of who does.
fn exec_change(name: &str) -> Option<fn(u64, u64) -> u64> {
    Some(match name {
        "and" => |mask, exec| mask & exec,
        "or" => |mask, exec| mask | exec,
        "xor" => |mask, exec| mask ^ exec,
        "andn1" => |mask, exec| !mask & exec,
        "andn2" => |mask, exec| mask & !exec,
        "orn1" => |mask, exec| !mask | exec,
        "orn2" => |mask, exec| mask | !exec,
        "nand" => |mask, exec| !(mask & exec),
        "nor" => |mask, exec| !(mask | exec),
        "xnor" => |mask, exec| !(mask ^ exec),
        _ => return None,
    })
}

fn op(name: &str) -> Option<Op> {
    if let Some(compare) = name.strip_prefix("s_cmp_") {
        return match compare {
            "eq_u64" => Some(Op::CompareLongs(|a, b| a == b)),
            "lg_u64" => Some(Op::CompareLongs(|a, b| a != b)),
            word => comparison(word).map(Op::Compare),
        };
    }
    let stem = name.strip_prefix("s_")?;
    if let Some((change, width)) = stem.split_once("_saveexec_") {
        let change = exec_change(change)?;
        return match width {
            "b64" => Some(Op::SaveExec(change)),
            _ => Some(Op::SaveExec32(change)),
        };
    }
    if let Some((change, width)) = stem.split_once("_wrexec_") {
        let change = exec_change(change)?;
        return match width {
            "b64" => Some(Op::WriteExec(change)),
            _ => Some(Op::WriteExec32(change)),
        };
    }
    words(name).map(Op::Words).or_else(|| other(name))
}

/// Instructions that make a word of words.
fn words(name: &str) -> Option<fn(u32, u32, bool) -> Word> {
    Some(match name {
        "s_mov_b32" => |a, _, _| plain(a),
        "s_not_b32" => |a, _, _| tested(!a),
        "s_brev_b32" => |a, _, _| plain(a.reverse_bits()),
        "s_ff1_i32_b32" => |a, _, _| plain(first_bit(a.into(), 32)),
        "s_ff0_i32_b32" => |a, _, _| plain(first_bit((!a).into(), 32)),
        "s_flbit_i32_b32" => |a, _, _| plain(if a == 0 { u32::MAX } else { a.leading_zeros() }),
        "s_bcnt1_i32_b32" => |a, _, _| tested(a.count_ones()),
        "s_bcnt0_i32_b32" => |a, _, _| tested(a.count_zeros()),
        "s_abs_i32" => |a, _, _| tested(signed(a).unsigned_abs()),
        "s_sext_i32_i8" => |a, _, _| plain(a as i8 as u32),
        "s_sext_i32_i16" => |a, _, _| plain(a as i16 as u32),
        "s_wqm_b32" => |a, _, _| {
            tested(
                (0..32)
                    .filter(|bit| a >> (bit & !3) & 15 != 0)
                    .map(|bit| 1 << bit)
                    .sum(),
            )
        },
        "s_add_u32" => |a, b, _| carried(i64::from(a) + i64::from(b)),
        "s_addc_u32" => |a, b, c| carried(i64::from(a) + i64::from(b) + i64::from(c)),
        "s_sub_u32" => |a, b, _| carried(i64::from(a) - i64::from(b)),
        "s_subb_u32" => |a, b, c| carried(i64::from(a) - i64::from(b) - i64::from(c)),
        "s_add_i32" => |a, b, _| overflown(i64::from(signed(a)) + i64::from(signed(b))),
        "s_sub_i32" => |a, b, _| overflown(i64::from(signed(a)) - i64::from(signed(b))),
        "s_absdiff_i32" => |a, b, _| tested(signed(a).wrapping_sub(signed(b)).unsigned_abs()),
        "s_mul_i32" => |a, b, _| plain(a.wrapping_mul(b)),
        "s_mul_hi_u32" => |a, b, _| plain((u64::from(a) * u64::from(b) >> 32) as u32),
        "s_mul_hi_i32" => {
            |a, b, _| plain((i64::from(signed(a)) * i64::from(signed(b)) >> 32) as u32)
        }
        "s_lshl1_add_u32" => |a, b, _| carried((i64::from(a) << 1) + i64::from(b)),
        "s_lshl2_add_u32" => |a, b, _| carried((i64::from(a) << 2) + i64::from(b)),
        "s_lshl3_add_u32" => |a, b, _| carried((i64::from(a) << 3) + i64::from(b)),
        "s_lshl4_add_u32" => |a, b, _| carried((i64::from(a) << 4) + i64::from(b)),
        "s_and_b32" => |a, b, _| tested(a & b),
        "s_or_b32" => |a, b, _| tested(a | b),
        "s_xor_b32" => |a, b, _| tested(a ^ b),
        "s_andn2_b32" => |a, b, _| tested(a & !b),
        "s_orn2_b32" => |a, b, _| tested(a | !b),
        "s_nand_b32" => |a, b, _| tested(!(a & b)),
        "s_nor_b32" => |a, b, _| tested(!(a | b)),
        "s_xnor_b32" => |a, b, _| tested(!(a ^ b)),
        "s_lshl_b32" => |a, b, _| tested(a << (b & 31)),
        "s_lshr_b32" => |a, b, _| tested(a >> (b & 31)),
        "s_ashr_i32" => |a, b, _| tested((signed(a) >> (b & 31)) as u32),
        "s_bfe_u32" => |a, b, _| tested(extract(a, b)),
        "s_bfe_i32" => |a, b, _| tested(extract_signed(a, b)),
        "s_bfm_b32" => |a, b, _| plain(((1 << (a & 31)) - 1) << (b & 31)),
        "s_pack_ll_b32_b16" => |a, b, _| plain(a & 0xffff | b << 16),
        "s_pack_lh_b32_b16" => |a, b, _| plain(a & 0xffff | b & 0xffff_0000),
        "s_pack_hh_b32_b16" => |a, b, _| plain(a >> 16 | b & 0xffff_0000),
        "s_min_u32" => |a, b, _| (a.min(b), Some(a < b)),
        "s_max_u32" => |a, b, _| (a.max(b), Some(a > b)),
        "s_min_i32" => |a, b, _| (signed(a).min(signed(b)) as u32, Some(signed(a) < signed(b))),
        "s_max_i32" => |a, b, _| (signed(a).max(signed(b)) as u32, Some(signed(a) > signed(b))),
        _ => return None,
    })
}

/// All others.
fn other(name: &str) -> Option<Op> {
    Some(match name {
        "s_mov_b64" => Op::Longs(|a, _| (a, None)),
        "s_not_b64" => Op::Longs(|a, _| tested_long(!a)),
        "s_brev_b64" => Op::Longs(|a, _| (a.reverse_bits(), None)),
        "s_and_b64" => Op::Longs(|a, b| tested_long(a & b)),
        "s_or_b64" => Op::Longs(|a, b| tested_long(a | b)),
        "s_xor_b64" => Op::Longs(|a, b| tested_long(a ^ b)),
        "s_andn2_b64" => Op::Longs(|a, b| tested_long(a & !b)),
        "s_orn2_b64" => Op::Longs(|a, b| tested_long(a | !b)),
        "s_nand_b64" => Op::Longs(|a, b| tested_long(!(a & b))),
        "s_nor_b64" => Op::Longs(|a, b| tested_long(!(a | b))),
        "s_xnor_b64" => Op::Longs(|a, b| tested_long(!(a ^ b))),
        "s_lshl_b64" => Op::Longs(|a, b| tested_long(a << (b & 63))),
        "s_lshr_b64" => Op::Longs(|a, b| tested_long(a >> (b & 63))),
        "s_bfm_b64" => Op::Longs(|a, b| (((1 << (a & 63)) - 1) << (b & 63), None)),
        "s_ff1_i32_b64" => Op::Shortened(|a| plain(first_bit(a, 64))),
        "s_ff0_i32_b64" => Op::Shortened(|a| plain(first_bit(!a, 64))),
        "s_flbit_i32_b64" => {
            Op::Shortened(|a| plain(if a == 0 { u32::MAX } else { a.leading_zeros() }))
        }
        "s_bcnt1_i32_b64" => Op::Shortened(|a| tested(a.count_ones())),
        "s_bitcmp0_b32" => Op::Compare(|a, b| a >> (b & 31) & 1 == 0),
        "s_bitcmp1_b32" => Op::Compare(|a, b| a >> (b & 31) & 1 == 1),
        "s_bitset0_b32" => Op::Update(|a, bit| a & !(1 << (bit & 31))),
        "s_bitset1_b32" => Op::Update(|a, bit| a | 1 << (bit & 31)),
        "s_cselect_b32" => Op::Select,
        "s_cselect_b64" => Op::SelectLong,
        "s_cmov_b32" => Op::MoveIf,
        "s_cmov_b64" => Op::MoveLongIf,
        "s_setreg_b32" | "s_setreg_imm32_b32" | "s_setprio" | "s_sleep" => Op::Nothing,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wave::tests::{run, wave};

    /// The word in s0 and the condition that an instruction leaves, with s1 and s2 (and s3) given.
    fn result(text: &str, s1: u32, s2: u32) -> (u32, bool) {
        let mut wave = wave(64);
        (wave.scalars[1], wave.scalars[2], wave.scalars[3]) = (s1, s2, 0);
        run(&mut wave, text);
        (wave.scalars[0], wave.condition)
    }

    #[test]
    fn sums_and_differences_carry() {
        assert_eq!(result("s_add_u32 s0, s1, s2", u32::MAX, 2), (1, true));
        assert_eq!(result("s_add_i32 s0, s1, s2", u32::MAX, 2), (1, false));
        assert_eq!(
            result("s_add_i32 s0, s1, s2", 0x7fff_ffff, 1),
            (1 << 31, true)
        );
        assert_eq!(result("s_sub_u32 s0, s1, s2", 1, 2), (u32::MAX, true));
        assert_eq!(result("s_addk_i32 s0, 0xfffe", 0, 0).0, u32::MAX - 1);
        assert_eq!(result("s_lshl2_add_u32 s0, s1, s2", 5, 3), (23, false));
        assert_eq!(result("s_mul_hi_u32 s0, s1, s2", 1 << 31, 6).0, 3);
        assert_eq!(result("s_mul_i32 s0, s1, -3", 5, 0).0, 15u32.wrapping_neg());
    }

    #[test]
    fn bits_are_counted_found_and_moved() {
        assert_eq!(result("s_ff1_i32_b32 s0, s1", 0, 0).0, u32::MAX);
        assert_eq!(result("s_ff1_i32_b32 s0, s1", 40, 0).0, 3);
        assert_eq!(result("s_ff1_i32_b64 s0, s[2:3]", 0, 1 << 9).0, 9);
        assert_eq!(result("s_flbit_i32_b32 s0, s1", 1, 0).0, 31);
        assert_eq!(result("s_bcnt1_i32_b32 s0, s1", 0xf0f, 0), (8, true));
        assert_eq!(result("s_bcnt1_i32_b64 s0, s[2:3]", 0, 0), (0, false));
        assert_eq!(result("s_bfe_u32 s0, s1, 0x80004", 0xabcd, 0).0, 0xbc);
        assert_eq!(result("s_bfe_i32 s0, s1, 0x40004", 0x80, 0).0, -8i32 as u32);
        assert_eq!(result("s_bfm_b32 s0, 4, 8", 0, 0).0, 0xf00);
        assert_eq!(
            result("s_ashr_i32 s0, s1, 4", 0x8000_0000, 0),
            (0xf800_0000, true)
        );
        assert_eq!(result("s_lshr_b32 s0, s1, 4", 8, 0), (0, false));
        assert_eq!(result("s_andn2_b32 s0, s1, s2", 7, 5), (2, true));
        assert_eq!(
            result("s_pack_ll_b32_b16 s0, s1, s2", 0x1_0002, 3).0,
            0x3_0002
        );
    }

    #[test]
    fn comparisons_know_signs() {
        assert!(result("s_cmp_lt_i32 s1, s2", u32::MAX, 1).1);
        assert!(!result("s_cmp_lt_u32 s1, s2", u32::MAX, 1).1);
        assert!(result("s_cmpk_gt_i32 s1, 0xffff", 0, 0).1);
        assert!(result("s_cmpk_eq_u32 s1, 0xffff", 0xffff, 0).1);
        assert!(result("s_bitcmp1_b32 s1, 3", 8, 0).1);
        assert_eq!(
            result("s_min_i32 s0, s1, s2", u32::MAX, 1),
            (u32::MAX, true)
        );
        assert_eq!(result("s_max_u32 s0, s1, s2", 3, 9), (9, false));
        assert_eq!(result("s_cselect_b32 s0, s1, s2", 3, 9), (9, false));
        let text = "s_cmp_eq_u32 s1, 3\ns_cmovk_i32 s0, 0x1ff";
        assert_eq!(result(text, 3, 9), (0x1ff, true));
        assert_eq!(result(text, 4, 9), (0, false));
    }

    #[test]
    fn masks_of_lanes_are_saved_and_changed() {
        let mut wave = wave(64);
        wave.set_long(EXEC, 0xff);
        wave.set_long(2, 0x1_0000_00f0);
        run(&mut wave, "s_and_saveexec_b64 s[4:5], s[2:3]");
        assert_eq!((wave.exec(), wave.condition), (0xf0, true));
        assert_eq!(wave.long(Operand::Scalar(4)), 0xff);
        run(&mut wave, "s_andn2_wrexec_b64 s[6:7], s[2:3]");
        assert_eq!(wave.exec(), 0x1_0000_0000);
        run(&mut wave, "s_mov_b64 exec, -1");
        assert_eq!(wave.exec(), u64::MAX);
        run(&mut wave, "s_xor_b64 exec, exec, s[4:5]");
        assert_eq!(wave.exec(), !0xff);
    }

    #[test]
    fn a_word_of_masks_is_enough_for_32_lanes() {
        let mut wave = wave(32);
        wave.scalars[2] = 0xf0;
        run(&mut wave, "s_or_saveexec_b32 s4, s2");
        assert_eq!((wave.exec(), wave.scalars[4]), (0xffff_ffff, 0xffff_ffff));
        run(&mut wave, "s_andn1_wrexec_b32 s5, s2");
        assert_eq!((wave.exec(), wave.scalars[5]), (0xffff_ff0f, 0xffff_ff0f));
    }
}
