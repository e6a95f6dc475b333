//! How fast the machine copies memory, which nothing that reads a population can beat by much.

use std::hint::black_box;
use std::time::Duration;

use rayon::prelude::*;
use web_time::Instant;

use crate::error::Error;

/// Two buffers, and threads that copy one to the other.
pub struct Copying {
    from: Vec<u8>,
    to: Vec<u8>,
    /// Bytes that a thread copies at a time.
    piece: usize,
    pool: Option<rayon::ThreadPool>,
    /// Copies of a repetition.
    times: u32,
}

impl Copying {
    /// So many bytes, so many threads, and as many copies as take that long.
    pub fn new(bytes: usize, threads: usize, target: Duration) -> Result<Self, Error> {
        let pool = (threads > 1).then(|| {
            rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .map_err(|error| Error::Threads(error.to_string()))
        });
        let mut copying = Self {
            // Pages that nobody has written may all be the same one.
            from: (0..bytes).map(|at| at as u8).collect(),
            to: vec![1; bytes],
            piece: bytes.div_ceil(threads).max(1),
            pool: pool.transpose()?,
            times: 1,
        };
        copying.repeat();
        // One copy may be too short for the clock.
        while copying.times < 1 << 20 {
            let took = copying.repeat() * f64::from(copying.times);
            if took >= target.as_secs_f64() / 4.0 {
                let left = target.as_secs_f64() / took;
                copying.times = ((f64::from(copying.times) * left) as u32).max(1);
                break;
            }
            copying.times *= 2;
        }
        Ok(copying)
    }

    /// Seconds of a copy.
    pub fn repeat(&mut self) -> f64 {
        let start = Instant::now();
        for _ in 0..self.times {
            let (from, to, piece) = (&self.from, &mut self.to, self.piece);
            match &self.pool {
                None => to.copy_from_slice(from),
                Some(pool) => pool.install(|| {
                    let pieces = to.par_chunks_mut(piece).zip(from.par_chunks(piece));
                    pieces.for_each(|(to, from)| to.copy_from_slice(from));
                }),
            }
            black_box(&mut self.to);
        }
        start.elapsed().as_secs_f64() / f64::from(self.times)
    }
}
