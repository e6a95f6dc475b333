//! Instructions of memory: constants, buffers and scratch.

use crate::assembly::{Line, Operand};
use crate::lds::atomic;
use crate::vector::set_bits;
use crate::wave::Wave;

/// Bytes that are fetched together: accesses are counted by these.
const LINE_BYTES: u32 = 64;

/// Memory as kernels see it: words from address 0 on.
pub type Words = Vec<u32>;

/// An instruction that loads to scalar registers.
#[derive(Debug, Clone, Copy)]
pub struct ScalarLoad {
    words: usize,
    to: usize,
    base: usize,
    /// Whether the base is a buffer's description and not an address.
    of_buffer: bool,
    offset: Operand,
    plus: u32,
}

impl ScalarLoad {
    /// The instruction of this line; nothing if it is none of these.
    pub fn decode(line: &Line) -> Result<Option<Self>, String> {
        let name = line.name.as_str();
        let (of_buffer, size) = match name.strip_prefix("s_buffer_load_") {
            Some(size) => (true, size),
            None => match name.strip_prefix("s_load_") {
                Some(size) => (false, size),
                None => return Ok(None),
            },
        };
        let words = match size {
            "dword" => 1,
            "dwordx2" => 2,
            "dwordx4" => 4,
            "dwordx8" => 8,
            "dwordx16" => 16,
            _ => return Ok(None),
        };
        line.only(&["offset", "glc", "dlc"])?;
        Ok(Some(Self {
            words,
            to: line.scalar(0)?,
            base: line.scalar(1)?,
            of_buffer,
            offset: line.operand(2)?,
            plus: line.number("offset")?,
        }))
    }

    /// Carries it out. The higher half of addresses is that of all of RADV's descriptors, and no part of the
    /// emulated memory.
    pub fn execute(&self, wave: &mut Wave, memory: &Words) -> Result<(), String> {
        let offset = wave.word(self.offset).wrapping_add(self.plus) & !3;
        let base = wave.scalars[self.base];
        for word in 0..self.words {
            let at = offset.wrapping_add(4 * word as u32);
            let value = match self.of_buffer {
                true => match wave.scalars[self.base + 2].checked_sub(at) {
                    Some(4..) => memory.get((base.wrapping_add(at)) as usize / 4).copied(),
                    _ => Some(0),
                },
                false => memory.get(base.wrapping_add(at) as usize / 4).copied(),
            };
            let value = value
                .ok_or_else(|| format!("address {} is not in memory", base.wrapping_add(at)))?;
            wave.set_scalar(self.to + word, value);
        }
        Ok(())
    }
}

/// An access of every lane to a buffer.
#[derive(Debug, Clone)]
pub struct BufferAccess {
    access: Access,
    data: usize,
    /// Where lanes have offsets, if they have.
    address: Option<usize>,
    buffer: usize,
    offset: Operand,
    plus: u32,
}

#[derive(Debug, Clone, Copy)]
enum Access {
    Load(usize),
    Store(usize),
    /// Of so many bits, with a sign or without.
    LoadPart(u32, bool),
    StorePart(u32),
    /// Whether what was there is wanted.
    Atomic(fn(u32, u32) -> u32, bool),
    /// The new value is followed by that which has to be there.
    Exchange(bool),
}

impl BufferAccess {
    /// The instruction of this line; nothing if it is none of these.
    pub fn decode(line: &Line) -> Result<Option<Self>, String> {
        let Some(name) = line.name.strip_prefix("buffer_") else {
            return Ok(None);
        };
        let returns = line.has("glc");
        let access = match name.split_once('_') {
            Some(("load", size)) => match size {
                "ubyte" => Some(Access::LoadPart(8, false)),
                "sbyte" => Some(Access::LoadPart(8, true)),
                "ushort" => Some(Access::LoadPart(16, false)),
                "sshort" => Some(Access::LoadPart(16, true)),
                size => dwords(size).map(Access::Load),
            },
            Some(("store", size)) => match size {
                "byte" => Some(Access::StorePart(8)),
                "short" => Some(Access::StorePart(16)),
                size => dwords(size).map(Access::Store),
            },
            Some(("atomic", "cmpswap")) => Some(Access::Exchange(returns)),
            Some(("atomic", function)) => atomic(function).map(|f| Access::Atomic(f, returns)),
            _ => None,
        };
        let Some(access) = access else {
            return Ok(None);
        };
        line.only(&["offen", "offset", "glc", "slc", "dlc"])?;
        Ok(Some(Self {
            access,
            data: line.vector(0)?,
            address: match line.has("offen") {
                true => Some(line.vector(1)?),
                false => None,
            },
            buffer: line.scalar(2)?,
            offset: line.operand(3)?,
            plus: line.number("offset")?,
        }))
    }

    /// Whether nobody waits for its result.
    pub fn is_store(&self) -> bool {
        matches!(
            self.access,
            Access::Store(_)
                | Access::StorePart(_)
                | Access::Atomic(_, false)
                | Access::Exchange(false)
        )
    }

    /// Carries it out. What lies outside of a buffer reads as 0 and is not written. Returns how many lines of memory
    /// are touched.
    pub fn execute(&self, wave: &mut Wave, memory: &mut Words) -> Result<u64, String> {
        let base = wave.scalars[self.buffer];
        let bytes = wave.scalars[self.buffer + 2];
        let common = wave.word(self.offset).wrapping_add(self.plus);
        let mut touched = Vec::new();
        for lane in set_bits(wave.exec()) {
            let own = self
                .address
                .map_or(0, |register| wave.vectors[register][lane]);
            let offset = own.wrapping_add(common);
            let line = base.wrapping_add(offset) / LINE_BYTES;
            if !touched.contains(&line) {
                touched.push(line);
            }
            let place = |word: usize| {
                let at = offset.checked_add(4 * word as u32)?;
                let inside = at.checked_add(4)? <= bytes;
                inside.then(|| (base + at) as usize / 4)
            };
            self.access(wave, memory, lane, offset, place)?;
        }
        Ok(touched.len() as u64)
    }

    fn access(
        &self,
        wave: &mut Wave,
        memory: &mut Words,
        lane: usize,
        offset: u32,
        place: impl Fn(usize) -> Option<usize>,
    ) -> Result<(), String> {
        let shift = 8 * (offset & 3);
        let is_part = matches!(self.access, Access::LoadPart(..) | Access::StorePart(_));
        if shift != 0 && !is_part {
            return Err(format!("offset {offset} is not that of a word"));
        }
        let word = |memory: &Words, at: Option<usize>| match at {
            None => Ok(0),
            Some(at) => memory.get(at).copied().ok_or("a buffer is not in memory"),
        };
        match self.access {
            Access::Load(words) => {
                for at in 0..words {
                    wave.vectors[self.data + at][lane] = word(memory, place(at))?;
                }
            }
            Access::LoadPart(bits, signed) => {
                let value = word(memory, place(0))? >> shift << (32 - bits);
                wave.vectors[self.data][lane] = match signed {
                    true => (value as i32 >> (32 - bits)) as u32,
                    false => value >> (32 - bits),
                };
            }
            Access::Store(words) => {
                for at in 0..words {
                    if let Some(to) = place(at) {
                        memory[to] = wave.vectors[self.data + at][lane];
                    }
                }
            }
            Access::StorePart(bits) => {
                if let Some(to) = place(0) {
                    let mask = ((1 << bits) - 1) << shift;
                    let value = wave.vectors[self.data][lane] << shift & mask;
                    memory[to] = memory[to] & !mask | value;
                }
            }
            Access::Atomic(f, returns) => {
                let old = word(memory, place(0))?;
                if let Some(to) = place(0) {
                    memory[to] = f(old, wave.vectors[self.data][lane]);
                }
                if returns {
                    wave.vectors[self.data][lane] = old;
                }
            }
            Access::Exchange(returns) => {
                let old = word(memory, place(0))?;
                if let Some(to) = place(0)
                    && old == wave.vectors[self.data + 1][lane]
                {
                    memory[to] = wave.vectors[self.data][lane];
                }
                if returns {
                    wave.vectors[self.data][lane] = old;
                }
            }
        }
        Ok(())
    }
}

fn dwords(size: &str) -> Option<usize> {
    match size {
        "dword" => Some(1),
        "dwordx2" => Some(2),
        "dwordx3" => Some(3),
        "dwordx4" => Some(4),
        _ => None,
    }
}

/// An access of every lane to memory of its own, which holds what registers cannot.
#[derive(Debug, Clone)]
pub struct ScratchAccess {
    words: usize,
    is_store: bool,
    data: usize,
    address: Option<usize>,
    offset: Option<Operand>,
    plus: u32,
}

impl ScratchAccess {
    /// The instruction of this line; nothing if it is none of these.
    pub fn decode(line: &Line) -> Result<Option<Self>, String> {
        let Some(name) = line.name.strip_prefix("scratch_") else {
            return Ok(None);
        };
        let (is_store, size) = match name.split_once('_') {
            Some(("load", size)) => (false, size),
            Some(("store", size)) => (true, size),
            _ => return Ok(None),
        };
        let Some(words) = dwords(size) else {
            return Ok(None);
        };
        line.only(&["offset", "glc", "slc", "dlc"])?;
        let (data, address) = if is_store { (1, 0) } else { (0, 1) };
        let is_off = |at: usize| line.operands.get(at).is_some_and(|it| it == "off");
        Ok(Some(Self {
            words,
            is_store,
            data: line.vector(data)?,
            address: match is_off(address) {
                true => None,
                false => Some(line.vector(address)?),
            },
            offset: match is_off(2) {
                true => None,
                false => Some(line.operand(2)?),
            },
            plus: line.number("offset")?,
        }))
    }

    /// Whether nobody waits for its result.
    pub fn is_store(&self) -> bool {
        self.is_store
    }

    /// Carries it out.
    pub fn execute(&self, wave: &mut Wave) -> Result<(), String> {
        let common = self.offset.map_or(0, |offset| wave.word(offset));
        let common = common.wrapping_add(self.plus);
        for lane in set_bits(wave.exec()) {
            let own = self
                .address
                .map_or(0, |register| wave.vectors[register][lane]);
            let at = own.wrapping_add(common) as usize / 4;
            for word in 0..self.words {
                let outside = || format!("word {} is not in scratch memory", at + word);
                let register = &mut wave.vectors[self.data + word][lane];
                let place = wave.scratch.get_mut(at + word).ok_or_else(outside)?;
                match self.is_store {
                    true => place[lane] = *register,
                    false => *register = place[lane],
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wave::tests::wave;

    /// A wave with a buffer of 8 words at address 64, and memory in which word n is 100 + n.
    fn prepared() -> (Wave, Words) {
        let mut wave = wave(64);
        wave.scalars[4..8].copy_from_slice(&[64, 0, 32, 0]);
        wave.vectors[0] = std::array::from_fn(|lane| 4 * lane as u32);
        wave.vectors[1] = std::array::from_fn(|lane| lane as u32);
        (wave, (100..164).collect())
    }

    fn access(text: &str) -> (Wave, Words, u64) {
        let (mut wave, mut memory) = prepared();
        let line = Line::parse(text).unwrap();
        let access = BufferAccess::decode(&line).unwrap().unwrap();
        let lines = access.execute(&mut wave, &mut memory).unwrap();
        (wave, memory, lines)
    }

    #[test]
    fn buffers_end_where_they_say() {
        let (wave, _, lines) = access("buffer_load_dwordx2 v[2:3], v0, s[4:7], 0 offen");
        assert_eq!([wave.vectors[2][7], wave.vectors[3][7]], [123, 0]);
        assert_eq!([wave.vectors[2][8], lines as u32], [0, 4]);
        let (_, memory, _) = access("buffer_store_dword v1, v0, s[4:7], 4 offen offset:8");
        assert_eq!(memory[18..26], [118, 0, 1, 2, 3, 4, 124, 125]);
    }

    #[test]
    fn parts_and_atomics_of_buffers() {
        let (wave, _, lines) = access("buffer_load_ubyte v2, v1, s[4:7], 0 offen");
        assert_eq!([wave.vectors[2][4], wave.vectors[2][5]], [117, 0]);
        assert_eq!(lines, 1);
        let (wave, memory, _) = access("buffer_atomic_add v1, off, s[4:7], 0 offset:4 glc");
        assert_eq!([memory[17], wave.vectors[1][2]], [117 + 63 * 32, 118]);
        let (_, memory, _) = access("buffer_atomic_umax v1, off, s[4:7], 0");
        assert_eq!(memory[16], 116);
    }

    #[test]
    fn constants_are_loaded_from_addresses_and_buffers() {
        let (mut wave, memory) = prepared();
        let mut load = |text: &str| {
            let line = Line::parse(text).unwrap();
            let load = ScalarLoad::decode(&line).unwrap().unwrap();
            load.execute(&mut wave, &memory).unwrap();
            wave.scalars[10..14].to_vec()
        };
        assert_eq!(
            load("s_load_dwordx4 s[10:13], s[4:5], 0x8"),
            [118, 119, 120, 121]
        );
        let loaded = load("s_buffer_load_dwordx4 s[10:13], s[4:7], 0x18");
        assert_eq!(loaded, [122, 123, 0, 0]);
    }

    #[test]
    fn scratch_belongs_to_lanes() {
        let (mut wave, _) = prepared();
        wave.scratch = vec![[0; 64]; 4];
        for text in [
            "scratch_store_dword off, v1, off offset:4",
            "scratch_load_dwordx2 v[2:3], off, off",
        ] {
            let line = Line::parse(text).unwrap();
            let access = ScratchAccess::decode(&line).unwrap().unwrap();
            access.execute(&mut wave).unwrap();
        }
        assert_eq!([wave.vectors[2][9], wave.vectors[3][9]], [0, 9]);
        let line = Line::parse("scratch_load_dword v2, off, off offset:16").unwrap();
        let access = ScratchAccess::decode(&line).unwrap().unwrap();
        assert!(access.execute(&mut wave).is_err());
    }
}
