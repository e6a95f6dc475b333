//! Processes that share a population, and how they tell each other of their shares.
//!
//! All of them carry out the same run. What one of them cannot know, the others tell it in a call that all make at
//! the same point; the answer depends on ranks only, never on who comes first.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::error::Error;

/// How processes tell each other of their shares.
pub trait Exchange: Send + Sync {
    /// The number of this process, from 0.
    fn rank(&self) -> usize;

    /// How many there are.
    fn size(&self) -> usize;

    /// Tells all processes these words, and takes in what each of them tells.
    ///
    /// # Errors
    /// If one of them is not there any more.
    fn gather(&self, words: &[u32], told: &mut Told) -> Result<(), Error>;

    /// Returns what the process of this rank tells.
    ///
    /// # Errors
    /// If one of them is not there any more.
    fn broadcast(&self, from: usize, words: Vec<u32>) -> Result<Vec<u32>, Error>;
}

/// What processes have told, in the order of ranks. It may be large and come often, so that its room is used again.
#[derive(Debug, Clone, Default)]
pub struct Told {
    words: Vec<u32>,
    /// Where the words of each process end.
    ends: Vec<usize>,
}

impl Told {
    /// Room for so many words of each process, to be written; what is in there is undefined.
    pub fn room(&mut self, lengths: impl Iterator<Item = usize>) -> &mut [u32] {
        self.ends.clear();
        let mut end = 0;
        for length in lengths {
            end += length;
            self.ends.push(end);
        }
        self.words.resize(end, 0);
        &mut self.words
    }

    /// What each process has told.
    pub fn each(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(&0).chain(&self.ends);
        let pieces = starts.zip(&self.ends);
        pieces.map(|(&start, &end)| &self.words[start..end])
    }
}

/// The processes that share a population; one, unless somebody says otherwise.
#[derive(Clone, Default)]
pub struct Team {
    exchange: Option<Arc<dyn Exchange>>,
    traffic: Arc<Traffic>,
}

/// Bytes that a process has told others.
#[derive(Default)]
struct Traffic {
    all: AtomicU64,
    /// Of these, what gave workers other shares.
    moves: AtomicU64,
}

impl Team {
    /// This process, which shares with nobody.
    pub fn alone() -> Self {
        Self::default()
    }

    /// Those of an exchange.
    pub fn new(exchange: impl Exchange + 'static) -> Self {
        Self {
            exchange: Some(Arc::new(exchange)),
            traffic: Arc::default(),
        }
    }

    /// The number of this process, from 0. The first one reads, writes and decides.
    pub fn rank(&self) -> usize {
        self.exchange.as_ref().map_or(0, |exchange| exchange.rank())
    }

    /// How many processes there are.
    pub fn size(&self) -> usize {
        self.exchange.as_ref().map_or(1, |exchange| exchange.size())
    }

    /// Whether this process shares with nobody.
    pub fn is_alone(&self) -> bool {
        self.size() == 1
    }

    /// Whether this is the process that reads, writes and decides.
    pub fn leads(&self) -> bool {
        self.rank() == 0
    }

    /// Bytes that this process has told others since the team was made, for generations.
    pub fn told(&self) -> u64 {
        let Traffic { all, moves } = &*self.traffic;
        all.load(Ordering::Relaxed) - moves.load(Ordering::Relaxed)
    }

    /// The same for other shares: that happens now and then, when some workers turn out to be faster than others.
    pub fn told_for_moves(&self) -> u64 {
        self.traffic.moves.load(Ordering::Relaxed)
    }

    /// What was told since then was for the sake of other shares.
    pub(super) fn was_for_moves(&self, before: u64) {
        let told = self.told() - before;
        self.traffic.moves.fetch_add(told, Ordering::Relaxed);
    }

    /// Tells all processes these words, and returns what each of them tells, in the order of ranks.
    pub fn gather(&self, words: &[u32]) -> Result<Vec<Vec<u32>>, Error> {
        match &self.exchange {
            None => Ok(vec![words.to_vec()]),
            Some(_) => {
                let mut told = Told::default();
                self.gather_into(words, &mut told)?;
                Ok(told.each().map(<[u32]>::to_vec).collect())
            }
        }
    }

    /// The same for many words, which are taken in where there is room for them.
    pub fn gather_into(&self, words: &[u32], told: &mut Told) -> Result<(), Error> {
        match &self.exchange {
            None => told
                .room(std::iter::once(words.len()))
                .copy_from_slice(words),
            Some(exchange) => {
                self.count(words);
                exchange.gather(words, told)?;
            }
        }
        Ok(())
    }

    /// Returns what the process of this rank tells.
    pub fn broadcast(&self, from: usize, words: Vec<u32>) -> Result<Vec<u32>, Error> {
        match &self.exchange {
            None => Ok(words),
            Some(exchange) => {
                if from == exchange.rank() {
                    self.count(&words);
                }
                exchange.broadcast(from, words)
            }
        }
    }

    /// The same for bytes, from the process that leads.
    pub fn broadcast_bytes(&self, bytes: Vec<u8>) -> Result<Vec<u8>, Error> {
        if self.exchange.is_none() {
            return Ok(bytes);
        }
        let mut words = vec![bytes.len() as u32];
        words.extend(bytes.chunks(4).map(|four| {
            let mut word = [0; 4];
            word[..four.len()].copy_from_slice(four);
            u32::from_le_bytes(word)
        }));
        let words = self.broadcast(0, words)?;
        let (len, words) = words.split_first().unwrap_or((&0, &[]));
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.truncate(*len as usize);
        Ok(bytes)
    }

    /// What the process that leads has decided.
    pub fn decide<const N: usize>(&self, words: [u32; N]) -> Result<[u32; N], Error> {
        let decided = self.broadcast(0, words.to_vec())?;
        decided
            .try_into()
            .map_err(|_| Error::Team("the first process has told something else".to_owned()))
    }

    fn count(&self, words: &[u32]) {
        let bytes = size_of_val(words) as u64;
        self.traffic.all.fetch_add(bytes, Ordering::Relaxed);
    }
}

impl fmt::Debug for Team {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Team({} of {})", self.rank(), self.size())
    }
}

impl PartialEq for Team {
    fn eq(&self, other: &Self) -> bool {
        match (&self.exchange, &other.exchange) {
            (None, None) => true,
            (Some(one), Some(two)) => Arc::ptr_eq(one, two),
            _ => false,
        }
    }
}

impl Eq for Team {}

/// How long threads of a team wait for each other. Whoever takes longer is taken to be gone.
const PATIENCE: Duration = Duration::from_secs(600);

/// Threads of one process that stand for processes: for tests, and to see what many processes would tell each other.
struct Threads {
    rank: usize,
    table: Arc<Table>,
}

/// What threads tell each other, in turns.
struct Table {
    size: usize,
    state: Mutex<Turn>,
    changed: Condvar,
}

#[derive(Default)]
struct Turn {
    told: Vec<Option<Vec<u32>>>,
    /// How many have still to hear what was told.
    listeners: usize,
    gone: bool,
}

/// A team of threads of this process: what each of them is given.
pub fn threads(size: usize) -> Vec<Team> {
    let table = Arc::new(Table {
        size,
        state: Mutex::new(Turn {
            told: vec![None; size],
            ..Turn::default()
        }),
        changed: Condvar::new(),
    });
    let member = |rank| {
        Team::new(Threads {
            rank,
            table: table.clone(),
        })
    };
    (0..size).map(member).collect()
}

impl Exchange for Threads {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.table.size
    }

    fn gather(&self, words: &[u32], told: &mut Told) -> Result<(), Error> {
        let gone = || Error::Team("a thread of the team is gone".to_owned());
        let table = &self.table;
        let wait = |turn, until: &dyn Fn(&Turn) -> bool| {
            let waited = table
                .changed
                .wait_timeout_while(turn, PATIENCE, |turn: &mut Turn| !turn.gone && !until(turn));
            let (turn, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
            match turn.gone || timeout.timed_out() {
                true => Err(gone()),
                false => Ok(turn),
            }
        };
        let turn = table.state.lock().unwrap_or_else(PoisonError::into_inner);
        // The last turn is over when all have heard it.
        let mut turn = wait(turn, &|turn| turn.listeners == 0)?;
        turn.told[self.rank] = Some(words.to_vec());
        if turn.told.iter().all(Option::is_some) {
            turn.listeners = table.size;
            table.changed.notify_all();
        }
        let mut turn = wait(turn, &|turn| turn.listeners > 0)?;
        let room = told.room(turn.told.iter().flatten().map(Vec::len));
        let mut rest = room;
        for words in turn.told.iter().flatten() {
            let (here, behind) = rest.split_at_mut(words.len());
            here.copy_from_slice(words);
            rest = behind;
        }
        turn.listeners -= 1;
        if turn.listeners == 0 {
            turn.told.fill(None);
            table.changed.notify_all();
        }
        Ok(())
    }

    fn broadcast(&self, from: usize, words: Vec<u32>) -> Result<Vec<u32>, Error> {
        let mine: &[u32] = match from == self.rank {
            true => &words,
            false => &[],
        };
        let mut told = Told::default();
        self.gather(mine, &mut told)?;
        Ok(told.each().nth(from).unwrap_or_default().to_vec())
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        let mut turn = self
            .table
            .state
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        turn.gone |= std::thread::panicking();
        self.table.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_hear_what_each_of_them_tells_turn_after_turn() {
        std::thread::scope(|scope| {
            for team in threads(5) {
                scope.spawn(move || {
                    let rank = team.rank() as u32;
                    for turn in 0..200 {
                        let told = team.gather(&vec![turn; rank as usize]).unwrap();
                        let expected: Vec<_> = (0..5).map(|rank| vec![turn; rank]).collect();
                        assert_eq!(told, expected);
                        let from = turn as usize % 5;
                        assert_eq!(team.broadcast(from, vec![rank]).unwrap(), [from as u32]);
                        assert_eq!(team.decide([rank, turn]).unwrap(), [0, turn]);
                        let bytes = vec![rank as u8; turn as usize];
                        let heard = team.broadcast_bytes(bytes).unwrap();
                        assert_eq!(heard, vec![0; turn as usize]);
                    }
                });
            }
        });
    }

    #[test]
    fn who_is_alone_hears_himself() {
        let team = Team::alone();
        assert!(team.is_alone() && team.leads());
        assert_eq!(team.gather(&[1, 2]).unwrap(), [[1, 2]]);
        assert_eq!(team.broadcast_bytes(b"seven".to_vec()).unwrap(), b"seven");
        assert_eq!(team.told(), 0);
    }
}
