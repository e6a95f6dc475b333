//! Whether grids from outside are of the encoding of rows, many in a row: this has to keep up with their evaluation.
//!
//! ```text
//! two rows in a register    | 16 bytes from row r | 16 bytes from row r + 1 |
//! one-hot, digits 0 to 7    | 2^digit or 0, N bytes of them, then 0          |  summed up: 255 if each is there
//! one-hot, digits 8 to 15   | the same                                       |  summed up: 2^(N - 8) - 1
//! ```
//!
//! 2^k - 1 is a sum of k powers of two, and of no fewer. N bytes that add up to the sums of all digits thus have each
//! digit once: none can be spared for a second one.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::__m256i;

#[cfg(target_arch = "x86_64")]
use pulp::x86::V3;

/// The widest rows for these registers.
const LANES: usize = 16;

/// Bytes that have to be behind the last grid.
pub const REACH: usize = LANES;

/// What cells from outside are compared with.
#[derive(Debug, Clone)]
#[cfg_attr(
    not(target_arch = "x86_64"),
    expect(dead_code, reason = "only AVX2 reads them")
)]
pub struct WholeRows {
    n: usize,
    /// Digits from zero.
    template: Vec<u8>,
    /// All bits where the template is given, none where a cell is free.
    fixed: Vec<u8>,
}

impl WholeRows {
    /// For grids of this size with these givens, if there are registers for them.
    pub fn new(n: usize, template: &[u8], free: &[bool]) -> Option<Self> {
        (n <= LANES).then(|| Self {
            n,
            template: template.to_vec(),
            fixed: free
                .iter()
                .map(|&free| u8::from(free).wrapping_sub(1))
                .collect(),
        })
    }

    /// The first of so many grids, digits from zero, whose rows are not all permutations, or whose givens have
    /// moved. Nothing can be said where there is no AVX2.
    ///
    /// # Panics
    /// If there are not [`REACH`] bytes behind the last grid.
    pub fn first_stranger(&self, cells: &[u8], grids: usize) -> Option<Option<usize>> {
        assert!(cells.len() >= grids * self.template.len() + REACH);
        #[cfg(target_arch = "x86_64")]
        if let Some(simd) = V3::try_new() {
            return Some(simd.vectorize(Search {
                simd,
                rows: self,
                cells,
                grids,
            }));
        }
        None
    }
}

/// The search, compiled for AVX2: all that is called from here has to be inlined.
#[cfg(target_arch = "x86_64")]
struct Search<'a> {
    simd: V3,
    rows: &'a WholeRows,
    cells: &'a [u8],
    grids: usize,
}

#[cfg(target_arch = "x86_64")]
impl pulp::NullaryFnOnce for Search<'_> {
    type Output = Option<usize>;

    #[inline(always)]
    fn call(self) -> Option<usize> {
        match self.rows.n {
            9 => self.search::<9>(),
            n => (0..self.grids).find(|&grid| !self.is_whole(n, grid)),
        }
    }
}

#[cfg(target_arch = "x86_64")]
impl Search<'_> {
    /// The same for a size that the compiler knows.
    #[inline(always)]
    fn search<const N: usize>(&self) -> Option<usize> {
        (0..self.grids).find(|&grid| !self.is_whole(N, grid))
    }

    #[inline(always)]
    fn is_whole(&self, n: usize, grid: usize) -> bool {
        let cells = &self.cells[grid * n * n..][..n * n + REACH];
        self.keeps_givens(&cells[..n * n]) && self.has_every_digit(n, cells)
    }

    /// Whether givens stand, and no byte is beyond what registers can tell apart.
    #[inline(always)]
    fn keeps_givens(&self, cells: &[u8]) -> bool {
        const BEYOND: u8 = 0xf0;
        let WholeRows {
            template, fixed, ..
        } = self.rows;
        let (template, fixed) = (&template[..cells.len()], &fixed[..cells.len()]);
        let mut wrong = 0;
        for at in 0..cells.len() {
            wrong |= (cells[at] ^ template[at]) & (fixed[at] | BEYOND);
        }
        wrong == 0
    }

    #[inline(always)]
    fn has_every_digit(&self, n: usize, cells: &[u8]) -> bool {
        let avx2 = self.simd.avx2;
        let both = |bytes: [u8; LANES]| -> __m256i { pulp::cast([bytes, bytes]) };
        let one_hot = |plane: usize| {
            let digit = |at: usize| at.checked_sub(8 * plane).filter(|bit| *bit < 8);
            both(std::array::from_fn(|at| {
                digit(at).map_or(0, |bit| 1 << bit)
            }))
        };
        let (low, high) = (one_hot(0), one_hot(1));
        let in_row = both(std::array::from_fn(|lane| if lane < n { 0xff } else { 0 }));
        let all = |digits: usize| (1u64 << digits) - 1;
        let expected = all(n.min(8)) | all(n.saturating_sub(8)) << 16;
        let expected: __m256i = pulp::cast([expected; 4]);
        let zero = both([0; LANES]);
        let mut wrong = zero;
        for row in (0..n).step_by(2) {
            let row_at =
                |row: usize| -> [u8; LANES] { *cells[row * n..].first_chunk().expect("its reach") };
            // An odd row is its own partner.
            let rows: __m256i = pulp::cast([row_at(row), row_at((row + 1).min(n - 1))]);
            let sum = |table| {
                let bits = avx2._mm256_and_si256(avx2._mm256_shuffle_epi8(table, rows), in_row);
                avx2._mm256_sad_epu8(bits, zero)
            };
            let sums = avx2._mm256_add_epi64(sum(low), avx2._mm256_slli_epi64::<16>(sum(high)));
            // The halves of a row.
            let sums = avx2._mm256_add_epi64(sums, avx2._mm256_shuffle_epi32::<0x4e>(sums));
            wrong = avx2._mm256_or_si256(wrong, avx2._mm256_xor_si256(sums, expected));
        }
        let wrong: [u64; 4] = pulp::cast(wrong);
        wrong == [0; 4]
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use rand::seq::SliceRandom;

    use super::*;
    use crate::rng::Stream;

    #[test]
    fn rows_are_whole_if_each_digit_is_there_once() {
        let mut rng = Stream::new(1, 1);
        for n in 2..=LANES {
            let free: Vec<bool> = (0..n * n).map(|_| rng.random_bool(0.7)).collect();
            let mut row: Vec<u8> = (0..n as u8).collect();
            let template: Vec<u8> = (0..n)
                .flat_map(|_| {
                    row.shuffle(&mut rng);
                    row.clone()
                })
                .collect();
            let rows = WholeRows::new(n, &template, &free).unwrap();
            for _ in 0..2000 {
                let mut cells = [template.clone(), template.clone()].concat();
                for _ in 0..rng.random_range(0..3) {
                    let at = rng.random_range(n * n..2 * n * n);
                    // Most damage is done by digits that might be right.
                    cells[at] = match rng.random_bool(0.8) {
                        true => rng.random_range(0..n as u8),
                        false => rng.random(),
                    };
                }
                if rng.random_bool(0.5) {
                    let at = n * n + rng.random_range(0..n) * n;
                    cells[at..at + n].shuffle(&mut rng);
                }
                let second = &cells[n * n..];
                let digits = |row: &[u8]| (0..n as u8).all(|digit| row.contains(&digit));
                let whole = second.chunks_exact(n).all(digits);
                let given = |at: usize| free[at] || second[at] == template[at];
                let right = whole && (0..n * n).all(given);
                let noise: [u8; REACH] = std::array::from_fn(|_| rng.random());
                let cells = [&cells[..], &noise].concat();
                if let Some(found) = rows.first_stranger(&cells, 2) {
                    assert_eq!(found, (!right).then_some(1), "{n}: {cells:?}");
                }
            }
        }
        assert!(WholeRows::new(17, &[], &[]).is_none());
    }
}
