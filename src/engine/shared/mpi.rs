//! Processes that MPI has started: `mpirun -n K gpusudoku run ...`, or `srun --mpi=pmix` under Slurm.

use std::time::Duration;

use mpi::collective::Root as _;
use mpi::datatype::PartitionMut;
use mpi::environment::{Universe, initialize_with_threading, processor_name};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator as _, CommunicatorCollectives as _};
use mpi::{Count, Threading};

use super::team::{Exchange, Team, Told};
use crate::error::Error;

/// What launchers tell the processes that they start: without any of it this is a process of its own.
const SIGNS: [&str; 4] = [
    "OMPI_COMM_WORLD_RANK",
    "PMIX_RANK",
    "PMI_RANK",
    "MV2_COMM_WORLD_RANK",
];

/// Whether a launcher has started this process, alone or as one of several.
pub fn is_launched() -> bool {
    SIGNS.iter().any(|name| std::env::var_os(name).is_some())
}

/// How long a process that has failed waits for the first one, which may know more about it.
const GRACE: Duration = Duration::from_secs(2);

/// MPI for as long as this process needs it.
pub struct Session {
    /// Ends MPI when it is dropped.
    _universe: Universe,
    team: Team,
    /// Of the processes on this machine, the number of this one, and how many there are.
    local: (usize, usize),
}

impl Session {
    /// Begins MPI, if a launcher has started this process as one of several.
    ///
    /// # Errors
    /// If MPI cannot be used.
    pub fn begin() -> Result<Option<Self>, Error> {
        if !is_launched() {
            return Ok(None);
        }
        let failed = || Error::Team("MPI has begun already".to_owned());
        // One thread at a time speaks.
        let (universe, _) = initialize_with_threading(Threading::Serialized).ok_or_else(failed)?;
        let world = SimpleCommunicator::world();
        if world.size() == 1 {
            return Ok(None);
        }
        let team = Team::new(Mpi {
            rank: world.rank() as usize,
            size: world.size() as usize,
        });
        let here = processor_name().unwrap_or_default();
        let name: Vec<u32> = here.bytes().map(u32::from).collect();
        let machines = team.gather(&name)?;
        let mates: Vec<_> = (0..team.size())
            .filter(|&rank| machines[rank] == name)
            .collect();
        let local = mates.iter().position(|&rank| rank == team.rank());
        Ok(Some(Self {
            _universe: universe,
            local: (local.unwrap_or(0), mates.len()),
            team,
        }))
    }

    /// The processes.
    pub fn team(&self) -> &Team {
        &self.team
    }

    /// Of the processes on this machine, the number of this one, and how many there are.
    pub fn local(&self) -> (usize, usize) {
        self.local
    }

    /// Ends all processes at once: this one cannot go on. The first one does not wait for the others.
    pub fn abort(&self, status: i32, tell: impl FnOnce()) -> ! {
        if !self.team.leads() {
            std::thread::sleep(GRACE);
        }
        tell();
        SimpleCommunicator::world().abort(status)
    }
}

/// All processes that MPI has started.
struct Mpi {
    rank: usize,
    size: usize,
}

impl Exchange for Mpi {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn gather(&self, words: &[u32], told: &mut Told) -> Result<(), Error> {
        let world = SimpleCommunicator::world();
        let mut counts = vec![0 as Count; self.size];
        world.all_gather_into(&count(words.len())?, &mut counts[..]);
        let mut starts = Vec::with_capacity(self.size);
        let mut all = 0usize;
        for &count in &counts {
            starts.push(self::count(all)?);
            all += count as usize;
        }
        let room = told.room(counts.iter().map(|&count| count as usize));
        let mut parts = PartitionMut::new(room, &counts[..], &starts[..]);
        world.all_gather_varcount_into(words, &mut parts);
        Ok(())
    }

    fn broadcast(&self, from: usize, mut words: Vec<u32>) -> Result<Vec<u32>, Error> {
        let world = SimpleCommunicator::world();
        let root = world.process_at_rank(count(from)?);
        let mut length = words.len() as u64;
        root.broadcast_into(&mut length);
        words.resize(length as usize, 0);
        count(words.len())?;
        root.broadcast_into(&mut words[..]);
        Ok(words)
    }
}

/// A number as MPI counts.
fn count(number: usize) -> Result<Count, Error> {
    Count::try_from(number)
        .map_err(|_| Error::Team(format!("a message of {number} words is too long for MPI")))
}
