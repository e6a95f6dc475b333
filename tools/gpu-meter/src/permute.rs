//! Values that go from lane to lane: data-parallel primitives (DPP), rows of 16, swizzles.

use crate::assembly::Line;
use crate::vector::set_bits;
use crate::wave::{LANES, Lanes};

/// Who reads from whom, before an instruction works on what was read.
#[derive(Debug, Clone)]
pub struct Dpp {
    /// For every lane that which it reads; nothing if that would be outside of its row.
    sources: [Option<usize>; LANES],
    /// Lanes whose row and bank are to be written.
    enabled: u64,
    /// Whether lanes that read nothing find 0; otherwise they are not written.
    zero: bool,
    /// Whether lanes that take no part are read all the same.
    inactive: bool,
}

impl Dpp {
    /// What the modifiers of a line say.
    pub fn decode(line: &Line) -> Result<Self, String> {
        let sources = sources(line)?;
        let mask = |name: &str| match line.value(name) {
            None => Ok(15),
            Some(_) => line.number(name),
        };
        let (rows, banks) = (mask("row_mask")?, mask("bank_mask")?);
        let enabled =
            |lane: usize| rows >> (lane >> 4) & 1 == 1 && banks >> (lane >> 2 & 3) & 1 == 1;
        Ok(Self {
            sources,
            enabled: (0..LANES)
                .filter(|&lane| enabled(lane))
                .map(|lane| 1 << lane)
                .sum(),
            zero: line.value("bound_ctrl").is_some(),
            inactive: line.number("fi")? == 1,
        })
    }

    /// The lane that a lane reads, if there is one that can be read.
    fn source(&self, lane: usize, exec: u64) -> Option<usize> {
        self.sources[lane].filter(|&source| self.inactive || exec >> source & 1 == 1)
    }

    /// What every lane reads.
    pub fn apply(&self, lanes: &Lanes, exec: u64) -> Lanes {
        std::array::from_fn(|lane| self.source(lane, exec).map_or(0, |source| lanes[source]))
    }

    /// The lanes that are written if these take part.
    pub fn written(&self, exec: u64) -> u64 {
        let reads = |lane: &usize| self.zero || self.source(*lane, exec).is_some();
        set_bits(exec & self.enabled)
            .filter(reads)
            .map(|lane| 1 << lane)
            .sum()
    }
}

fn sources(line: &Line) -> Result<[Option<usize>; LANES], String> {
    let all = |f: &dyn Fn(usize) -> Option<usize>| Ok(std::array::from_fn(f));
    let within = |lane: usize, at: usize| Some(lane & !15 | at & 15);
    if let Some(list) = line.value("quad_perm").or(line.value("dpp8")) {
        let numbers = list.trim_matches(['[', ']']).split(',');
        let numbers: Option<Vec<usize>> = numbers.map(|it| it.trim().parse().ok()).collect();
        let numbers = numbers.filter(|it| it.len() == 4 || it.len() == 8);
        let numbers = numbers.ok_or_else(|| line.error("the list of lanes is wrong"))?;
        let group = numbers.len();
        return all(&|lane| Some(lane / group * group + numbers[lane % group] % group));
    }
    for (name, kind) in [
        ("row_shl", 0),
        ("row_shr", 1),
        ("row_ror", 2),
        ("row_xmask", 3),
        ("row_share", 4),
    ] {
        if line.value(name).is_some() {
            let by = line.number(name)? as usize;
            return all(&|lane| match kind {
                0 => (lane % 16 + by < 16).then_some(lane + by),
                1 => (lane % 16 >= by).then(|| lane - by),
                2 => within(lane, lane + 16 - by),
                3 => within(lane, lane ^ by),
                _ => within(lane, by),
            });
        }
    }
    if line.has("row_mirror") {
        return all(&|lane| within(lane, 15 - lane % 16));
    }
    if line.has("row_half_mirror") {
        return all(&|lane| Some(lane & !7 | 7 - lane % 8));
    }
    Err(line.error("the way from lane to lane is unknown"))
}

/// The lane of the own or the other row of 16 that a lane reads, by a selection of 4 bits for each.
pub fn permlane(lane: usize, select: u64, other_row: bool) -> usize {
    let row = if other_row {
        lane & !15 ^ 16
    } else {
        lane & !15
    };
    row | (select >> (4 * (lane & 15))) as usize & 15
}

/// The lane that every lane reads in a swizzle.
pub fn swizzle(line: &Line) -> Result<[usize; LANES], String> {
    let wrong = || line.error("the swizzle is unknown");
    let text = line.value("offset").ok_or_else(wrong)?;
    let pattern = match text.strip_prefix("swizzle(") {
        None => line.number("offset")?,
        Some(named) => {
            let named = named.trim_end_matches(')');
            let mut words = named.split(',').map(|word| word.trim().trim_matches('"'));
            let kind = words.next();
            let rest: Vec<&str> = words.collect();
            named_swizzle(kind, &rest).ok_or_else(wrong)?
        }
    };
    Ok(std::array::from_fn(|lane| match pattern >> 15 {
        1 => lane & !3 | (pattern >> (2 * (lane & 3))) as usize & 3,
        _ => {
            let part = |at: u32| (pattern >> (5 * at)) as usize & 31;
            lane & !31 | ((lane & part(0) | part(1)) ^ part(2)) & 31
        }
    }))
}

/// The pattern that a disassembler writes so.
fn named_swizzle(kind: Option<&str>, words: &[&str]) -> Option<u32> {
    let number = |at: usize| words.get(at)?.parse::<u32>().ok();
    match kind? {
        "SWAP" => Some(0x1f | number(0)? << 10),
        "REVERSE" => Some(0x1f | (number(0)? - 1) << 10),
        "BROADCAST" => Some((32 - number(0)?) & 0x1f | number(1)? << 5),
        "QUAD_PERM" => {
            let quad: Option<Vec<u32>> = (0..4).map(number).collect();
            let quad = quad?;
            let lanes: u32 = (0..4).map(|at| quad[at] << (2 * at)).sum();
            Some(0x8000 | lanes)
        }
        "BITMASK_PERM" => {
            let mut pattern = 0;
            for (bit, c) in words.first()?.chars().rev().enumerate() {
                pattern |= match c {
                    '0' => 0,
                    '1' => 1 << (5 + bit),
                    'p' => 1 << bit,
                    'i' => 1 << bit | 1 << (10 + bit),
                    _ => return None,
                };
            }
            Some(pattern)
        }
        _ => None,
    }
}
