//! The fitness of two grids at a time, by AVX2.
//!
//! A register has 16 neighbouring cells of a row of either grid, as many whole sub-blocks as fit.
//! Digits become one-hot masks by a table look-up, which every byte makes for itself: eight digits
//! make a plane, a register of their masks. Planes are united over the rows of a band, then over
//! neighbouring bytes for its blocks, and over bands for the columns.

use std::arch::x86_64::__m256i;
use std::ops::{Add, AddAssign, BitAnd, BitOr, BitOrAssign, Sub};

use pulp::x86::V3;

use super::working_grid::Shape;

/// Cells of a grid in a register.
const LANES: usize = 16;

/// Digits of a plane.
const DIGITS: usize = 8;

/// The largest grid. Larger ones are rare.
const MOST: usize = 64;

/// The masks of 16 digits, in the first and in the second plane.
const ONE_HOT: [[u8; LANES]; 2] = {
    let mut tables = [[0; LANES]; 2];
    let mut digit = 0;
    while digit < LANES {
        tables[digit / DIGITS][digit] = 1 << (digit % DIGITS);
        digit += 1;
    }
    tables
};

/// Places in a register, and beyond its end none: what stands further on moves to the front.
const PLACES: [u8; 2 * LANES] = {
    let mut places = [0x80; 2 * LANES];
    let mut lane = 0;
    while lane < LANES {
        places[lane] = lane as u8;
        lane += 1;
    }
    places
};

/// All bits, then none.
const BEFORE: [u8; 2 * LANES] = {
    let mut before = [0; 2 * LANES];
    let mut lane = 0;
    while lane < LANES {
        before[lane] = 0xff;
        lane += 1;
    }
    before
};

/// For each width, all bits where a block starts.
const STARTS: [[u8; LANES]; LANES + 1] = {
    let mut starts = [[0; LANES]; LANES + 1];
    let mut width = 1;
    while width <= LANES {
        let mut lane = 0;
        while lane < LANES {
            starts[width][lane] = 0xff;
            lane += width;
        }
        width += 1;
    }
    starts
};

/// What is counted in columns and sub-blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// Units in which a digit is repeated.
    IllegalUnits,
    /// Digits that units miss.
    MissingDigits,
}

/// Bytes that are read of a grid: those of its last row may be followed by others.
pub fn reach(cells: usize) -> usize {
    cells + LANES
}

/// Whether there are registers for sub-blocks of this shape.
pub fn suits(shape: impl Shape) -> bool {
    shape.n() <= MOST && shape.block_width() <= LANES
}

/// The fitness of two grids whose rows are permutations; [`reach`] says how much is read of them.
#[inline(always)]
pub fn fitness<S: Shape>(
    simd: V3,
    shape: S,
    has_blocks: bool,
    count: Count,
    grids: [&[u8]; 2],
) -> [u32; 2] {
    match shape.n().div_ceil(DIGITS) {
        1 => in_planes::<_, 1>(simd, shape, has_blocks, count, grids),
        2 => in_planes::<_, 2>(simd, shape, has_blocks, count, grids),
        3 => in_planes::<_, 3>(simd, shape, has_blocks, count, grids),
        4 => in_planes::<_, 4>(simd, shape, has_blocks, count, grids),
        5 => in_planes::<_, 5>(simd, shape, has_blocks, count, grids),
        6 => in_planes::<_, 6>(simd, shape, has_blocks, count, grids),
        7 => in_planes::<_, 7>(simd, shape, has_blocks, count, grids),
        8 => in_planes::<_, 8>(simd, shape, has_blocks, count, grids),
        _ => unreachable!("there are no more digits"),
    }
}

/// The same, with as many planes as the digits need.
#[inline(always)]
fn in_planes<S: Shape, const PLANES: usize>(
    simd: V3,
    shape: S,
    has_blocks: bool,
    count: Count,
    grids: [&[u8]; 2],
) -> [u32; 2] {
    let (n, width) = (shape.n(), shape.block_width());
    let height = n / width;
    let nothing = Bytes::new(simd, [0; LANES]);
    let tables = ONE_HOT.map(|table| Bytes::new(simd, table));
    // Digits beyond the last are never missed.
    let mut empty = [nothing; PLANES];
    for (plane, set) in empty.iter_mut().enumerate() {
        let digits = n.saturating_sub(plane * DIGITS) as u32;
        *set = Bytes::new(simd, [0xffu8.checked_shl(digits).unwrap_or(0); LANES]);
    }
    let mut total = Total::new(simd);
    let stacks = LANES / width;
    for first in (0..height).step_by(stacks) {
        let cells = stacks.min(height - first) * width;
        let in_column = Bytes::window(simd, &BEFORE, LANES - cells);
        let at_block = match has_blocks {
            true => in_column & Bytes::new(simd, STARTS[width]),
            false => nothing,
        };
        let mut columns = empty;
        for band in 0..width {
            let mut units = empty;
            for row in band * height..(band + 1) * height {
                let digits = Bytes::load(simd, grids, row * n + first * width);
                for (sixteen, planes) in units.chunks_mut(2).enumerate() {
                    let index = digits.digits_of(sixteen, PLANES.div_ceil(2));
                    for (set, table) in planes.iter_mut().zip(tables) {
                        *set |= table.look_up(index);
                    }
                }
            }
            for (column, &set) in columns.iter_mut().zip(&units) {
                *column |= set;
            }
            for set in &mut units {
                // The cells of a block: each step doubles their number.
                let mut united = 1;
                while united < width {
                    let step = united.min(width - united);
                    *set |= set.look_up(Bytes::window(simd, &PLACES, step));
                    united += step;
                }
            }
            total += count.of(&units) & at_block;
        }
        total += count.of(&columns) & in_column;
    }
    let units = if has_blocks { 2 * n } else { n };
    let most = match count {
        Count::IllegalUnits => units,
        Count::MissingDigits => units * PLANES * DIGITS,
    };
    total.sums().map(|sum| most as u32 - sum)
}

impl Count {
    /// What a unit with these planes adds, in the lane where it stands, to what is subtracted from
    /// the most.
    #[inline(always)]
    fn of<const PLANES: usize>(self, planes: &[Bytes; PLANES]) -> Bytes {
        let mut all = planes[0];
        match self {
            Self::IllegalUnits => {
                for &plane in &planes[1..] {
                    all = all & plane;
                }
                all.is_full()
            }
            Self::MissingDigits => {
                all = all.ones();
                for &plane in &planes[1..] {
                    all = all + plane.ones();
                }
                all
            }
        }
    }
}

/// 16 bytes of either grid.
#[derive(Clone, Copy)]
struct Bytes {
    simd: V3,
    register: __m256i,
}

impl Bytes {
    /// The same for both grids.
    #[inline(always)]
    fn new(simd: V3, bytes: [u8; LANES]) -> Self {
        let register = pulp::cast([bytes, bytes]);
        Self { simd, register }
    }

    /// The bytes of a table from this one on, the same for both grids.
    #[inline(always)]
    fn window(simd: V3, table: &[u8; 2 * LANES], at: usize) -> Self {
        Self::new(simd, *table[at..].first_chunk().expect("half of the table"))
    }

    /// Cells of both grids from this one on.
    #[inline(always)]
    fn load(simd: V3, grids: [&[u8]; 2], at: usize) -> Self {
        let [one, two] = grids.map(|grid| *grid[at..].first_chunk::<LANES>().expect("its reach"));
        let register = pulp::cast([one, two]);
        Self { simd, register }
    }

    #[inline(always)]
    fn with(self, register: __m256i) -> Self {
        Self { register, ..self }
    }

    /// The bytes of the grid at these places; none where the highest bit of an index is set.
    #[inline(always)]
    fn look_up(self, indices: Self) -> Self {
        let avx2 = self.simd.avx2;
        self.with(avx2._mm256_shuffle_epi8(self.register, indices.register))
    }

    /// Indices of one of so many times sixteen digits; the highest bit is set for all others.
    #[inline(always)]
    fn digits_of(self, sixteen: usize, all: usize) -> Self {
        let constant = |byte| Self::new(self.simd, [byte; LANES]);
        let mut index = self;
        if sixteen > 0 {
            // Lower ones begin at the other end.
            index = index - constant((sixteen * LANES) as u8);
        }
        if sixteen + 1 < all {
            let higher = constant(0x80 - LANES as u8).register;
            index = index.with(self.simd.avx2._mm256_adds_epu8(index.register, higher));
        }
        index
    }

    /// One where all bits are set.
    #[inline(always)]
    fn is_full(self) -> Self {
        let avx2 = self.simd.avx2;
        let full = Self::new(self.simd, [0xff; LANES]);
        let zero = Self::new(self.simd, [0; LANES]);
        zero - self.with(avx2._mm256_cmpeq_epi8(self.register, full.register))
    }

    /// How many bits are set.
    #[inline(always)]
    fn ones(self) -> Self {
        let avx2 = self.simd.avx2;
        let table = Self::new(self.simd, [0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4]);
        let four = Self::new(self.simd, [0xf; LANES]);
        let high = self.with(avx2._mm256_srli_epi16::<4>(self.register));
        table.look_up(self & four) + table.look_up(high & four)
    }
}

impl BitAnd for Bytes {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        let avx2 = self.simd.avx2;
        self.with(avx2._mm256_and_si256(self.register, other.register))
    }
}

impl BitOr for Bytes {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        let avx2 = self.simd.avx2;
        self.with(avx2._mm256_or_si256(self.register, other.register))
    }
}

impl BitOrAssign for Bytes {
    #[inline(always)]
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

impl Add for Bytes {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let avx2 = self.simd.avx2;
        self.with(avx2._mm256_add_epi8(self.register, other.register))
    }
}

impl Sub for Bytes {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        let avx2 = self.simd.avx2;
        self.with(avx2._mm256_sub_epi8(self.register, other.register))
    }
}

/// The sum of many bytes of either grid.
struct Total(Bytes);

impl Total {
    #[inline(always)]
    fn new(simd: V3) -> Self {
        Self(Bytes::new(simd, [0; LANES]))
    }

    #[inline(always)]
    fn sums(self) -> [u32; 2] {
        let [one, also_one, two, also_two]: [u64; 4] = pulp::cast(self.0.register);
        [(one + also_one) as u32, (two + also_two) as u32]
    }
}

impl AddAssign<Bytes> for Total {
    #[inline(always)]
    fn add_assign(&mut self, bytes: Bytes) {
        let avx2 = bytes.simd.avx2;
        let zero = Bytes::new(bytes.simd, [0; LANES]);
        let eights = avx2._mm256_sad_epu8(bytes.register, zero.register);
        self.0.register = avx2._mm256_add_epi64(self.0.register, eights);
    }
}
