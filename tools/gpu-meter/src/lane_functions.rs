//! What a lane makes of its own operands: plain functions by the names of instructions, without prefix and encoding.

fn low24(value: u32) -> u32 {
    value & 0x00ff_ffff
}

fn signed24(value: u32) -> i32 {
    (value << 8) as i32 >> 8
}

fn signed(value: u32) -> i32 {
    value as i32
}

fn high(a: u32, b: u32) -> u32 {
    (u64::from(a) * u64::from(b) >> 32) as u32
}

/// Two words beside each other, shifted.
fn aligned(high: u32, low: u32, by: u32) -> u32 {
    ((u64::from(high) << 32 | u64::from(low)) >> by) as u32
}

/// Four bytes of eight; numbers from 12 on stand for constants, those between for signs.
fn permuted(high: u32, low: u32, select: u32) -> u32 {
    let bytes = u64::from(high) << 32 | u64::from(low);
    let byte = |select: u32| match select {
        0..8 => (bytes >> (8 * select)) as u32 & 0xff,
        8..12 => 0xff * ((bytes >> (16 * (select - 8) + 15)) as u32 & 1),
        12 => 0,
        _ => 0xff,
    };
    (0..4)
        .map(|at| byte(select >> (8 * at) & 0xff) << (8 * at))
        .sum()
}

fn middle<T: Ord + Copy>(a: T, b: T, c: T) -> T {
    a.min(b).max(a.max(b).min(c))
}

fn extracted(value: u32, first: u32, width: u32) -> u32 {
    value >> (first & 31) & ((1 << (width & 31)) - 1)
}

fn extracted_signed(value: u32, first: u32, width: u32) -> u32 {
    match width & 31 {
        0 => 0,
        width => (signed(extracted(value, first, width) << (32 - width)) >> (32 - width)) as u32,
    }
}

fn float(value: u32) -> f32 {
    f32::from_bits(value)
}

/// Functions of one word.
pub fn one(name: &str) -> Option<fn(u32) -> u32> {
    Some(match name {
        "mov_b32" => |a| a,
        "not_b32" => |a| !a,
        "bfrev_b32" => u32::reverse_bits,
        "ffbl_b32" => |a| if a == 0 { u32::MAX } else { a.trailing_zeros() },
        "ffbh_u32" => |a| if a == 0 { u32::MAX } else { a.leading_zeros() },
        "cvt_f32_u32" => |a| (a as f32).to_bits(),
        "cvt_f32_i32" => |a| (signed(a) as f32).to_bits(),
        // Conversions saturate, as those of the hardware do.
        "cvt_u32_f32" => |a| float(a) as u32,
        "cvt_i32_f32" => |a| float(a) as i32 as u32,
        // Hardware is right but for the last bit; division corrects what it makes of this.
        "rcp_f32" | "rcp_iflag_f32" => |a| (1.0 / float(a)).to_bits(),
        _ => return None,
    })
}

/// Sums and differences that end at the ends of their range: those with `clamp`.
pub fn saturating(name: &str) -> Option<fn(u32, u32) -> u32> {
    Some(match name {
        "add_nc_u32" => u32::saturating_add,
        "sub_nc_u32" => u32::saturating_sub,
        "subrev_nc_u32" => |a, b| b.saturating_sub(a),
        _ => return None,
    })
}

/// Functions of two words.
pub fn two(name: &str) -> Option<fn(u32, u32) -> u32> {
    Some(match name {
        "add_nc_u32" | "add_nc_i32" => u32::wrapping_add,
        "sub_nc_u32" | "sub_nc_i32" => u32::wrapping_sub,
        "subrev_nc_u32" => |a, b| b.wrapping_sub(a),
        "and_b32" => |a, b| a & b,
        "or_b32" => |a, b| a | b,
        "xor_b32" => |a, b| a ^ b,
        "xnor_b32" => |a, b| !(a ^ b),
        "lshlrev_b32" => |a, b| b << (a & 31),
        "lshrrev_b32" => |a, b| b >> (a & 31),
        "ashrrev_i32" => |a, b| (signed(b) >> (a & 31)) as u32,
        "min_u32" => u32::min,
        "max_u32" => u32::max,
        "min_i32" => |a, b| signed(a).min(signed(b)) as u32,
        "max_i32" => |a, b| signed(a).max(signed(b)) as u32,
        "mul_lo_u32" => u32::wrapping_mul,
        "mul_hi_u32" => high,
        "mul_hi_i32" => |a, b| (i64::from(signed(a)) * i64::from(signed(b)) >> 32) as u32,
        "mul_u32_u24" => |a, b| low24(a).wrapping_mul(low24(b)),
        "mul_hi_u32_u24" => |a, b| high(low24(a), low24(b)),
        "mul_i32_i24" => |a, b| signed24(a).wrapping_mul(signed24(b)) as u32,
        "bfm_b32" => |a, b| ((1 << (a & 31)) - 1) << (b & 31),
        "bcnt_u32_b32" => |a, b| a.count_ones().wrapping_add(b),
        "mul_f32" => |a, b| (float(a) * float(b)).to_bits(),
        "add_f32" => |a, b| (float(a) + float(b)).to_bits(),
        "sub_f32" => |a, b| (float(a) - float(b)).to_bits(),
        "pack_b32_f16" => |a, b| a & 0xffff | b << 16,
        "add_nc_u16" => |a, b| a.wrapping_add(b) & 0xffff,
        "sub_nc_u16" => |a, b| a.wrapping_sub(b) & 0xffff,
        "mul_lo_u16" => |a, b| a.wrapping_mul(b) & 0xffff,
        "lshlrev_b16" => |a, b| b << (a & 15) & 0xffff,
        "lshrrev_b16" => |a, b| (b & 0xffff) >> (a & 15),
        "min_u16" => |a, b| (a & 0xffff).min(b & 0xffff),
        "max_u16" => |a, b| (a & 0xffff).max(b & 0xffff),
        _ => return None,
    })
}

/// Functions of three words.
pub fn three(name: &str) -> Option<fn(u32, u32, u32) -> u32> {
    Some(match name {
        "xor3_b32" => |a, b, c| a ^ b ^ c,
        "or3_b32" => |a, b, c| a | b | c,
        "and_or_b32" => |a, b, c| a & b | c,
        "lshl_or_b32" => |a, b, c| a << (b & 31) | c,
        "add3_u32" => |a, b, c| a.wrapping_add(b).wrapping_add(c),
        "lshl_add_u32" => |a, b, c| (a << (b & 31)).wrapping_add(c),
        "add_lshl_u32" => |a, b, c| a.wrapping_add(b) << (c & 31),
        "xad_u32" => |a, b, c| (a ^ b).wrapping_add(c),
        "bfe_u32" => extracted,
        "bfe_i32" => extracted_signed,
        "bfi_b32" => |a, b, c| a & b | !a & c,
        "min3_u32" => |a, b, c| a.min(b).min(c),
        "max3_u32" => |a, b, c| a.max(b).max(c),
        "med3_u32" => middle,
        "min3_i32" => |a, b, c| signed(a).min(signed(b)).min(signed(c)) as u32,
        "max3_i32" => |a, b, c| signed(a).max(signed(b)).max(signed(c)) as u32,
        "med3_i32" => |a, b, c| middle(signed(a), signed(b), signed(c)) as u32,
        "mad_u32_u24" => |a, b, c| low24(a).wrapping_mul(low24(b)).wrapping_add(c),
        "mad_i32_i24" => |a, b, c| (signed24(a).wrapping_mul(signed24(b)) as u32).wrapping_add(c),
        "mad_u32_u16" => |a, b, c| (a & 0xffff).wrapping_mul(b & 0xffff).wrapping_add(c),
        "sad_u32" => |a, b, c| a.abs_diff(b).wrapping_add(c),
        "alignbit_b32" => |a, b, c| aligned(a, b, c & 31),
        "alignbyte_b32" => |a, b, c| aligned(a, b, 8 * (c & 3)),
        "perm_b32" => permuted,
        "fma_f32" => |a, b, c| float(a).mul_add(float(b), float(c)).to_bits(),
        _ => return None,
    })
}

/// Comparisons of two words.
pub fn comparison(name: &str) -> Option<fn(u32, u32) -> bool> {
    Some(match name {
        "eq_u32" | "eq_i32" => |a, b| a == b,
        "ne_u32" | "ne_i32" | "lg_u32" => |a, b| a != b,
        "lt_u32" => |a, b| a < b,
        "le_u32" => |a, b| a <= b,
        "gt_u32" => |a, b| a > b,
        "ge_u32" => |a, b| a >= b,
        "lt_i32" => |a, b| signed(a) < signed(b),
        "le_i32" => |a, b| signed(a) <= signed(b),
        "gt_i32" => |a, b| signed(a) > signed(b),
        "ge_i32" => |a, b| signed(a) >= signed(b),
        "eq_u16" | "eq_i16" => |a, b| a as u16 == b as u16,
        "ne_u16" | "ne_i16" => |a, b| a as u16 != b as u16,
        "lt_u16" => |a, b| (a as u16) < b as u16,
        "le_u16" => |a, b| a as u16 <= b as u16,
        "gt_u16" => |a, b| a as u16 > b as u16,
        "ge_u16" => |a, b| a as u16 >= b as u16,
        "lt_i16" => |a, b| (a as i16) < b as i16,
        "le_i16" => |a, b| a as i16 <= b as i16,
        "gt_i16" => |a, b| a as i16 > b as i16,
        "ge_i16" => |a, b| a as i16 >= b as i16,
        _ => return None,
    })
}
